// The pass table: switching passes off, and its page in docs.
#include <fstream>
#include <sstream>

#include "compiler/passes/pass.h"
#include "compiler/support/errors.h"
#include "tests/catch.h"

using namespace fuseline;

namespace {

ir::Function twice() {
    ir::Builder b(ir::Form::graph, "f");
    const ir::ValueId x = b.parameter("x", {ir::TypeKind::value, DType::f32_, {b.extents().symbol("n")}});
    const ir::ValueId one = b.constant(DType::f32_, Scalar::of_f32(1));
    const ir::ValueId operands[] = {x, one};
    return b.finish({b.elementwise(OpId::mul_, operands, DType::f32_)}, {"y"});
}

std::vector<std::string> run_with(const std::vector<std::string>& disabled) {
    const Target target;
    const Options options;
    std::vector<Remark> remarks;
    PassContext context{target, options, remarks};
    std::vector<std::string> ran;
    PassSettings settings;
    settings.disabled = disabled;
    settings.after_pass = [&](std::string_view pass, const ir::Function&) { ran.emplace_back(pass); };
    run_passes(twice(), context, settings);
    return ran;
}

}  // namespace

TEST_CASE("passes run in the order of the table, without the disabled ones") {
    const std::vector<std::string> all = run_with({});
    CHECK(all.size() == pass_table().size());
    std::vector<std::string> expected;
    for (const PassRow& row : pass_table()) {
        if (row.name != "simplify" && row.name != "cse") expected.emplace_back(row.name);
    }
    CHECK(run_with({"simplify", "cse"}) == expected);
}

TEST_CASE("unknown and required passes cannot be disabled") {
    CHECK_THROWS_AS(run_with({"fuse"}), UserError);
    std::string message;
    try {
        run_with({"simplfy"});
    } catch (const UserError& e) {
        message = e.what();
    }
    CHECK(message.find("did you mean `simplify`?") != std::string::npos);
}

TEST_CASE("docs/passes.md is what the table generates") {
    std::ifstream in("docs/passes.md");
    std::stringstream text;
    text << in.rdbuf();
    CHECK(text.str() == passes_markdown());
}
