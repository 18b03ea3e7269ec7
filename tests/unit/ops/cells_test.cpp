// Spellings: tokens, CUDA expressions with their parentheses, selection of prelude functions.
#include "compiler/codegen/llvm_prelude.h"
#include "compiler/codegen/prelude_blocks.h"
#include "compiler/ops/cast_cells.h"
#include "compiler/support/errors.h"
#include "embedded/cuda_prelude.h"
#include "embedded/llvm_prelude.h"
#include "embedded/llvm_special.h"
#include "tests/catch.h"

using namespace fuseline;

namespace {

CudaText name_of(const char* text) { return {text, 0}; }

CudaText cuda(std::string_view op, DType type, std::vector<CudaText> operands) {
    return cuda_expression(*op_named(op), type, type, operands);
}

constexpr std::string_view kPrelude =
    "// Introduction\n\n"
    "// fl_a: needs fl_b\nint fl_a() { return fl_b(); }\n\n"
    "// fl_b:\nint fl_b();\nint more;\n\n"
    "// fl_c:\nint fl_c();\n";

}  // namespace

TEST_CASE("tokens find their rows", "[ops][table]") {
    CHECK(infix_op("-") == OpId::sub_);
    CHECK(prefix_op("-") == OpId::neg_);
    CHECK(infix_op("and") == OpId::and_);
    CHECK(prefix_op("not") == OpId::not_);
    CHECK_FALSE(infix_op("not").has_value());
    CHECK(row(OpId::pow_).right_associative);
    CHECK(row(OpId::pow_).precedence > row(OpId::neg_).precedence);
    CHECK_FALSE(row(OpId::matmul_).has(kBuilt));
    for (size_t i = 0; i < op_count(); ++i) {
        const OpRow& r = row(static_cast<OpId>(i));
        CHECK(op_named(r.name) == r.id);
        for (int k = 0; k < r.arity; ++k) CHECK(r.domain[k].low < r.domain[k].high);
    }
}

TEST_CASE("CUDA expressions set the parentheses that C++ needs", "[ops][cuda]") {
    const CudaText a = name_of("a");
    const CudaText b = name_of("b");
    const CudaText sum = cuda("add", DType::f32_, {a, b});
    CHECK(sum.text == "a + b");
    CHECK(cuda("mul", DType::f32_, {sum, a}).text == "(a + b) * a");
    CHECK(cuda("sub", DType::f32_, {sum, sum}).text == "a + b - (a + b)");
    const CudaText negative = cuda("neg", DType::f32_, {a});
    CHECK(cuda("neg", DType::f32_, {negative}).text == "-(-a)");
    CHECK(cuda("mul", DType::f32_, {negative, b}).text == "-a * b");
    CHECK(cuda("exp", DType::f32_, {sum}).text == "expf(a + b)");
    CHECK(cuda("exp", DType::f64_, {sum}).text == "exp(a + b)");
    CHECK(cuda("add", DType::i64_, {a, b}).text == "fl_add(a, b)");
    const CudaText either = cuda("or", DType::bool_, {a, b});
    CHECK(cuda("and", DType::bool_, {either, a}).text == "(a || b) && a");
    CHECK(cuda("bitand", DType::bool_, {either, a}).text == "bool((a || b) & a)");
    CHECK(cuda("not", DType::bool_, {either}).text == "!(a || b)");
    const CudaText choice = cuda("where", DType::f32_, {either, sum, b});
    CHECK(choice.text == "a || b ? a + b : b");
    CHECK(cuda("where", DType::f32_, {a, choice, choice}).text ==
          "a ? (a || b ? a + b : b) : (a || b ? a + b : b)");
    CHECK(cuda("pos", DType::f32_, {sum}).precedence == sum.precedence);
}

TEST_CASE("CUDA casts", "[ops][cuda]") {
    const CudaText x = name_of("x");
    const auto cast = [&](DType from, DType to) {
        return cuda_expression(OpId::cast_, from, to, std::vector<CudaText>{x}).text;
    };
    CHECK(cast(DType::i64_, DType::f32_) == "(float)x");
    CHECK(cast(DType::f32_, DType::i64_) == "fl_to_signed<long long>(x)");
    CHECK(cast(DType::f64_, DType::bool_) == "x != 0");
    CHECK(cast(DType::f64_, DType::f64_) == "x");
}

TEST_CASE("prelude blocks come with their needs, in file order", "[ops][prelude]") {
    CHECK(select_prelude(kPrelude, {"fl_c"}) == "int fl_c();\n\n");
    CHECK(select_prelude(kPrelude, {"fl_a"}) ==
          "int fl_a() { return fl_b(); }\n\nint fl_b();\nint more;\n\n");
    CHECK(prelude_names(kPrelude, "x = fl_a(fl_c2(1)) + my_fl_c;") == std::set<std::string>{"fl_a"});
    CHECK_THROWS_AS(select_prelude(kPrelude, {"fl_d"}), InternalError);
}

TEST_CASE("every cell of every row has its prelude function", "[ops][prelude]") {
    std::set<std::string> cuda_names;
    std::set<std::string> llvm_names;
    for (const PreludeBlock& b : prelude_blocks(embedded::kCudaPrelude)) cuda_names.emplace(b.name);
    const std::string llvm_library =
        std::string(embedded::kLlvmPrelude) + "\n" + std::string(embedded::kLlvmSpecial);
    for (const PreludeBlock& b : prelude_blocks(llvm_library)) llvm_names.emplace(b.name);
    for (size_t i = 0; i < op_count(); ++i) {
        const OpRow& r = row(static_cast<OpId>(i));
        for (const DTypeRow& t : kDTypeTable) {
            const std::string_view cell = r.cuda.of(t.dtype);
            INFO(r.name << " " << cell);
            if (cell.starts_with("fl_"))
                CHECK(cuda_names.contains(std::string(cell.substr(0, cell.find_first_of("(<")))));
            for (const LlvmStep& step : llvm_steps(r.id, t.dtype, t.dtype)) {
                if (step.cell.starts_with("fl.")) CHECK(llvm_names.contains(step.cell));
            }
        }
    }
    CHECK_NOTHROW(with_needs(prelude_blocks(embedded::kCudaPrelude), cuda_names));
    CHECK_NOTHROW(with_needs(prelude_blocks(llvm_library), llvm_names));
}

TEST_CASE("LLVM templates are filled in", "[ops][prelude]") {
    const std::set<PreludeInstance> one = {{"fl.rsqrt", DType::f32_, DType::f32_, 8}};
    CHECK(llvm_prelude_text(embedded::kLlvmPrelude, one, Target{}) ==
          "define internal <8 x float> @fl.rsqrt.v8f32(<8 x float> %x) alwaysinline {\n"
          "  %root = call <8 x float> @llvm.sqrt.v8f32(<8 x float> %x)\n"
          "  %r = fdiv <8 x float> splat (float 1.0), %root\n"
          "  ret <8 x float> %r\n}\n\n");
    CHECK(llvm_prelude_name({"fl.to_signed", DType::f32_, DType::i64_, 1}) == "fl.to_signed.i64.f32");
}

TEST_CASE("signed and unsigned integers share a function of the prelude", "[ops][prelude]") {
    const std::set<PreludeInstance> both = {{"fl.clz", DType::i32_, DType::i32_, 4},
                                            {"fl.clz", DType::u32_, DType::u32_, 4}};
    const std::string text = llvm_prelude_text(embedded::kLlvmPrelude, both, Target{});
    CHECK(text.find("@fl.clz.v4i32") == text.rfind("@fl.clz.v4i32"));
}

TEST_CASE("LLVM casts", "[ops]") {
    const auto cells = [](DType from, DType to) {
        std::string text;
        for (const LlvmStep& s : llvm_steps(OpId::cast_, from, to)) text += s.cell + ";";
        return text;
    };
    CHECK(cells(DType::bool_, DType::f32_) == "uitofp;");
    CHECK(cells(DType::i32_, DType::i64_) == "sext;");
    CHECK(cells(DType::u8_, DType::bf16_) == "uitofp;");
    CHECK(cells(DType::f16_, DType::f64_) == "fpext;");
    CHECK(cells(DType::f16_, DType::bf16_) == "copy;fl.round_bf16;");
    CHECK(cells(DType::i64_, DType::f16_) == "fl.odd;sitofp;fl.to_odd;fl.round_f16;");
}

TEST_CASE("narrow integers and 16-bit floats come back to their type in CUDA", "[ops][cuda]") {
    const CudaText x = name_of("x"), y = name_of("y");
    CHECK(cuda("add", DType::u8_, {x, y}).text == "(unsigned char)(x + y)");
    CHECK(cuda("add", DType::u32_, {x, y}).text == "x + y");
    CHECK(cuda("add", DType::i8_, {x, y}).text == "fl_add(x, y)");
    CHECK(cuda("add", DType::f16_, {x, y}).text == "float(fl_f16(x + y))");
    CHECK(cuda("neg", DType::f16_, {x}).text == "-x");
    const CudaText sum = cuda("add", DType::u32_, {x, y});
    const CudaText order = cuda("lt", DType::u32_, {x, y});
    const auto to_f16 = [](DType from, const CudaText& value) {
        return cuda_expression(OpId::cast_, from, DType::f16_, std::vector<CudaText>{value}).text;
    };
    CHECK(to_f16(DType::u32_, sum) == "float(fl_f16(fl_odd((double)(x + y))))");
    CHECK(to_f16(DType::bool_, order) == "(float)(x < y)");
    CHECK(to_f16(DType::u16_, x) == "float(fl_f16((float)x))");
    CHECK(cuda("nextafter", DType::bf16_, {x, y}).text == "fl_nextafter<fl_bf16>(x, y)");
}
