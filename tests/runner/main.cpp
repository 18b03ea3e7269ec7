// The runner of text tests and of differential tests: fuseline_test --help.
#include <iostream>

#include <fmt/format.h>

#include "compiler/support/errors.h"
#include "runtime/io/files.h"
#include "tests/runner/behaviour.h"
#include "tests/runner/devices.h"
#include "tests/runner/golden.h"
#include "tests/runner/random_suite.h"
#include "tests/runner/table_suite.h"
#include "tests/runner/tally.h"
#include "tests/runner/test_file.h"

namespace fuseline::testing {
namespace {

constexpr const char* kUsage =
    "usage: fuseline_test [OPTIONS] PATH...      runs the cases of .test files and folders\n"
    "       fuseline_test [OPTIONS] --tables     compares devices, function by function of the tables\n"
    "       fuseline_test [OPTIONS] --random N   compares devices on N random programs\n"
    "\n"
    "  --device NAME    interpreter, cpu, cuda-on-host or cuda, with variants as cpu-128; may be repeated.\n"
    "                   By default all; one that this machine lacks is told as not run\n"
    "  --filter TEXT    only cases whose file or name contains TEXT\n"
    "  --update         write the sections of golden cases as found\n"
    "  --seed S         of the first random program; the next ones follow (default: 1)\n"
    "  --sample N       of the tables one case in N, chosen by the seed\n";

struct Settings {
    std::vector<std::string> paths, devices;
    std::string filter;
    bool update = false, help = false, tables = false;
    uint64_t seed = 1, random = 0, sample = 1;
};

Settings read_settings(const std::vector<std::string>& all) {
    Settings s;
    for (size_t k = 0; k < all.size(); ++k) {
        const auto value = [&]() -> const std::string& {
            if (++k == all.size()) throw UserError(fmt::format("{} lacks a value", all[k - 1]));
            return all[k];
        };
        if (all[k] == "--device")
            s.devices.push_back(value());
        else if (all[k] == "--filter")
            s.filter = value();
        else if (all[k] == "--update")
            s.update = true;
        else if (all[k] == "--help")
            s.help = true;
        else if (all[k] == "--tables")
            s.tables = true;
        else if (all[k] == "--random")
            s.random = std::stoull(value());
        else if (all[k] == "--sample")
            s.sample = std::stoull(value());
        else if (all[k] == "--seed")
            s.seed = std::stoull(value());
        else if (all[k].starts_with("--"))
            throw UserError(fmt::format("there is no option {}", all[k]));
        else
            s.paths.push_back(all[k]);
    }
    if (s.paths.empty() && !s.tables && s.random == 0) s.help = true;
    return s;
}

class Run {
public:
    explicit Run(const Settings& settings) : settings_(settings) {
        for (const std::string& path : test_files(settings.paths)) files_.push_back(read_test_file(path));
    }

    int run() {
        find_behaviour();
        for (TestFile& file : files_) {
            run_golden_cases(file);
            run_behaviour(file, behaviour_of(file), devices_, tally_);
        }
        size_t count = 0;
        for (const TestFile& file : files_) count += behaviour_of(file).size();
        for (const TestDevice& d : devices_) {
            if (!d.missing.empty()) tally_.skip(d.name, d.missing, count);
        }
        if (settings_.tables) {
            run_table_suite(test_devices(settings_.devices), {settings_.sample, settings_.seed},
                            settings_.filter, tally_);
        }
        if (settings_.random != 0)
            run_random_suite(test_devices(settings_.devices), settings_.seed, settings_.random, tally_);
        return tally_.close();
    }

private:
    bool chosen(const TestFile& file, const TestCase& test) const {
        return (file.path + " " + test.name).find(settings_.filter) != std::string::npos;
    }

    std::vector<const TestCase*> behaviour_of(const TestFile& file) const {
        std::vector<const TestCase*> tests;
        for (const TestCase& test : file.cases) {
            if (is_behaviour(test) && chosen(file, test)) tests.push_back(&test);
        }
        return tests;
    }

    /// Devices are opened, and kernels compiled ahead, only where a case runs on them.
    void find_behaviour() {
        std::vector<const TestCase*> all;
        for (const TestFile& file : files_) {
            for (const TestCase* test : behaviour_of(file)) all.push_back(test);
        }
        if (all.empty()) return;
        devices_ = test_devices(settings_.devices);
        for (const TestDevice& d : devices_) prepare_behaviour(all, d);
    }

    void run_golden_cases(TestFile& file) {
        bool changed = false;
        for (TestCase& test : file.cases) {
            if (!chosen(file, test)) continue;
            if (is_golden(test)) {
                changed |= run_golden(file, test, settings_.update, tally_);
            } else if (!is_behaviour(test)) {
                tally_.fail(fmt::format("{}: {}", file.place(test.line), test.name),
                            "the case has no input\n");
            }
        }
        if (changed) write_file_whole(file.path, test_file_text(file));
    }

    const Settings& settings_;
    std::vector<TestFile> files_;
    std::vector<TestDevice> devices_;
    Tally tally_;
};

int run_all(const std::vector<std::string>& arguments) {
    try {
        const Settings settings = read_settings(arguments);
        if (!settings.help) return Run(settings).run();
        std::cout << kUsage;
        return 2;
    } catch (const std::exception& e) {
        std::cerr << "fuseline_test: " << e.what() << '\n';
        return 2;
    }
}

}  // namespace
}  // namespace fuseline::testing

int main(int argc, char** argv) {
    const int code = fuseline::testing::run_all(std::vector<std::string>(argv + 1, argv + argc));
    return code;
}
