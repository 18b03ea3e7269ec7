// Scripts that write files beside themselves and read them again.
#include "runtime/io/files.h"
#include "runtime/script/script.h"
#include "tests/catch.h"
#include "tests/unit/temporary_folder.h"

using namespace fuseline;

namespace {

/// Runs a script that stands in an empty folder; what it printed.
class Run {
public:
    explicit Run(const std::string& text) {
        Settings settings;
        settings.device = "interpreter";
        const Session session(settings);
        const Module module = session.load_text(text, folder_ / "test.dsl");
        ScriptSettings script;
        script.print = [&](const std::string& line) { printed += line + "\n"; };
        run_script(module, script);
    }
    std::string file(const std::string& name) const { return read_file(folder_ / name); }

    std::string printed;

private:
    tests::Folder folder_{"script"};
};

}  // namespace

TEST_CASE("scripts: every format of numbers is written and read", "[script]") {
    const Run run(R"(x = linspace(0, 1, 5)
save("x.npy", x)
save("x.npz", x)
save("x.csv", x)
save("x.raw", x)
a: f64[n] = load("x.npy")
b: f64[n] = load("x.npz")
c: f64[n] = load("x.csv")
d: f64[n] = load("x.raw")
print(a + b + c + d)
)");
    CHECK(run.printed == "[0. 1. 2. 3. 4.]\n");
    CHECK(run.file("x.csv") == "0.0\n0.25\n0.5\n0.75\n1.0\n");
    CHECK(run.file("x.npz").find("arr_0.npy") == 30);
}

TEST_CASE("scripts: a file that is read may be written again", "[script]") {
    const Run run(R"(save("x.npy", iota(3))
x: i64[n] = load("x.npy")
save("x.npy", x * 10)
print(x)
y: i64[n] = load("x.npy")
print(y)
)");
    CHECK(run.printed == "[0 1 2]\n[ 0 10 20]\n");
}

TEST_CASE("scripts: pictures and images", "[script]") {
    const Run run(R"(x = linspace(0, 1, 2)
show("p.ppm", x[:, newaxis] * x, colormap="gray")
show("p.png", x[:, newaxis] * x)
)");
    CHECK(run.file("p.ppm") == "P6\n2 2\n255\n" + std::string(9, '\0') + "\xff\xff\xff");
    CHECK(run.file("p.png").substr(1, 3) == "PNG");
}
