// Every row of the operator table through emitted CUDA on the host shim, on sampled and extreme operands.
#include <limits>

#include "tests/catch.h"
#include "tests/unit/codegen/cuda_on_host.h"

using namespace fuseline;
using namespace fuseline::testing;

namespace {

constexpr DType kTypes[] = {DType::bool_, DType::i64_, DType::f32_, DType::f64_};
constexpr int64_t kCount = 400;

struct Case {
    ir::Function kernel;
    OpId op;
    std::vector<DType> operands;
    OpTyping typing;
};

/// y[i] = op(x0[i], x1[i], ...), one element a thread.
ir::Function kernel_for(OpId op, const std::vector<DType>& operands, DType result) {
    ir::Builder b(ir::Form::kernel, "op");
    std::vector<ir::ValueId> buffers, loaded;
    const ir::Type index{ir::TypeKind::index, DType::i64_, {}};
    for (size_t k = 0; k < operands.size(); ++k) {
        buffers.push_back(b.parameter("x" + std::to_string(k), {ir::TypeKind::read_buffer, operands[k], {}}));
    }
    const ir::ValueId y = b.parameter("y", {ir::TypeKind::write_buffer, result, {}});
    const ir::RegionId region = b.make_region();
    b.region_parameter(region, index, "i");
    b.set_insertion(region);
    const ir::Affine at{{}, {{0, b.extents().constant(1)}}};
    for (size_t k = 0; k < operands.size(); ++k) {
        loaded.push_back(b.function().result(
            b.node(ir::Structure::load_, {&buffers[k], 1}, {{ir::TypeKind::value, operands[k], {}}}, at)));
    }
    const ir::ValueId stored[] = {y, b.elementwise(op, loaded, result)};
    b.node(ir::Structure::store_, stored, {}, at);
    b.set_insertion(b.function().body());
    b.node(ir::Structure::nest_, {}, {}, ir::Loops{{b.extents().symbol("n")}, ir::Mapping::grid, 1},
           {&region, 1});
    ir::Function kernel = b.finish({}, {});
    kernel.sizes = {"n"};
    kernel.schedule = "map";
    kernel.index_bits = 32;
    return kernel;
}

std::vector<Scalar> extremes(DType dtype) {
    if (is_bool(dtype)) return {Scalar::of_bool(false), Scalar::of_bool(true)};
    std::vector<Scalar> list;
    if (dtype == DType::i64_) {
        for (int64_t v : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{2}, int64_t{-7}, int64_t{63},
                          int64_t{64}, INT64_MAX, INT64_MIN}) {
            list.push_back(Scalar::of_i64(v));
        }
        return list;
    }
    for (double v : {0.0, -0.0, 0.5, -1.0, 1.5, 2.5, 1e10, -1e30}) {
        list.push_back(dtype == DType::f32_ ? Scalar::of_f32(static_cast<float>(v)) : Scalar::of_f64(v));
    }
    const auto add = [&]<class T>(T) {
        for (T v : {std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(),
                    std::numeric_limits<T>::max(), std::numeric_limits<T>::denorm_min(),
                    std::numeric_limits<T>::quiet_NaN()}) {
            list.push_back(sizeof(T) == 4 ? Scalar::of_f32(static_cast<float>(v))
                                          : Scalar::of_f64(static_cast<double>(v)));
        }
    };
    dtype == DType::f32_ ? add(0.0f) : add(0.0);
    return list;
}

HostArray operand(const Case& c, size_t k) {
    const DType dtype = c.operands[k];
    HostArray a = filled(dtype, kCount, static_cast<unsigned>(100 + k));
    const std::vector<Scalar> list = extremes(dtype);
    // Functions that are not exact are compared where their domain says.
    if (!row(c.op).has(kExact) && !is_bool(dtype)) {
        const Domain d = row(c.op).domain[k];
        std::mt19937 random(static_cast<unsigned>(k));
        std::uniform_real_distribution<double> value(d.low, d.high);
        for (int64_t i = 0; i < kCount; ++i) {
            const double v = value(random);
            const Scalar s = dtype == DType::f32_   ? Scalar::of_f32(static_cast<float>(v))
                             : dtype == DType::f64_ ? Scalar::of_f64(v)
                                                    : Scalar::of_i64(static_cast<int64_t>(v));
            store_scalar(dtype, s, a.bytes.data() + i * byte_size(dtype));
        }
        return a;
    }
    // All pairs of extremes; the third operand, if any, follows the second.
    const auto n = static_cast<int64_t>(list.size());
    for (int64_t i = 0; i < n * n; ++i) {
        const Scalar s = list[static_cast<size_t>(k == 0 ? i / n : i % n)];
        store_scalar(dtype, s, a.bytes.data() + i * byte_size(dtype));
    }
    return a;
}

void add_cases(std::vector<Case>& cases, OpId op) {
    const OpRow& r = row(op);
    if (!r.has(kBuilt)) return;
    for (DType type : kTypes) {
        std::vector<DType> operands(static_cast<size_t>(r.arity), type);
        if (r.rule == TypeRule::select) operands[0] = DType::bool_;
        if (r.rule == TypeRule::cast) {
            for (DType to : kTypes) {
                const bool bits = row(to).bits == row(type).bits && !is_bool(type);
                if (op == OpId::bitcast_ && !bits) continue;
                if (to != type) cases.push_back({kernel_for(op, operands, to), op, operands, {type, to}});
            }
            continue;
        }
        const auto typing = op_typing(op, operands.data(), operands.size(), nullptr, nullptr);
        if (!typing || typing->operation != type) continue;
        cases.push_back({kernel_for(op, operands, typing->result), op, operands, *typing});
    }
}

double number(DType dtype, Scalar s) {
    return dtype == DType::f32_   ? s.as_f32()
           : dtype == DType::f64_ ? s.as_f64()
                                  : static_cast<double>(s.as_i64());
}

/// Differences within what the table allows a GPU.
bool close(const Case& c, Scalar got, Scalar expected) {
    const DType dtype = c.typing.result;
    if (got == expected || (is_nan(dtype, got) && is_nan(dtype, expected))) return true;
    if (row(c.op).has(kExact) || !is_float(dtype)) return false;
    const double a = number(dtype, got), b = number(dtype, expected);
    const double ulps = dtype == DType::f32_ ? row(c.op).ulp.cuda_f32 : row(c.op).ulp.cuda_f64;
    const double epsilon =
        dtype == DType::f32_ ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
    return std::abs(a - b) <= (ulps + 1) * epsilon * std::abs(b) + std::numeric_limits<float>::denorm_min();
}

}  // namespace

TEST_CASE("every operator and type as CUDA on the host shim", "[cuda]") {
    std::vector<Case> cases;
    for (size_t k = 0; k < op_count(); ++k) add_cases(cases, static_cast<OpId>(k));
    REQUIRE(cases.size() > 100);
    HostCudaDevice device;
    std::vector<std::pair<const ir::Function*, std::string>> kernels;
    for (size_t k = 0; k < cases.size(); ++k)
        kernels.emplace_back(&cases[k].kernel, "fl_op_" + std::to_string(k));
    device.prepare(kernels);
    for (size_t k = 0; k < cases.size(); ++k) {
        const Case& c = cases[k];
        std::vector<HostArray> arrays;
        for (size_t o = 0; o < c.operands.size(); ++o) arrays.push_back(operand(c, o));
        arrays.push_back(filled(c.typing.result, kCount, 1));
        std::vector<HostArray*> arguments;
        for (HostArray& a : arrays) arguments.push_back(&a);
        launch_on_host(device, c.kernel, arguments, {{"n", kCount}}, kernels[k].second);
        int wrong = 0;
        for (int64_t i = 0; i < kCount && wrong < 3; ++i) {
            Scalar operands[4];
            for (size_t o = 0; o < c.operands.size(); ++o) {
                operands[o] =
                    load_scalar(c.operands[o], arrays[o].bytes.data() + i * byte_size(c.operands[o]));
            }
            const Scalar expected = evaluate(c.op, c.typing.operation, c.typing.result, operands);
            const Scalar got =
                load_scalar(c.typing.result, arrays.back().bytes.data() + i * byte_size(c.typing.result));
            if (close(c, got, expected)) continue;
            ++wrong;
            CAPTURE(name(c.op), name(c.typing.operation), operands[0].bits, operands[1].bits, got.bits,
                    expected.bits);
            CHECK(got.bits == expected.bits);
        }
    }
}

TEST_CASE("literals keep their bits", "[cuda]") {
    std::vector<std::pair<DType, Scalar>> values;
    for (DType dtype : kTypes) {
        for (Scalar s : extremes(dtype)) values.emplace_back(dtype, s);
    }
    for (float v : {0.1f, 3.4e38f, 1e-45f, 1.4142135f, 16777217.0f, -0.75f, 1e16f, 1e22f}) {
        values.emplace_back(DType::f32_, Scalar::of_f32(v));
        values.emplace_back(DType::f64_, Scalar::of_f64(v));
    }
    values.emplace_back(DType::f64_, Scalar::of_f64(0.1));
    values.emplace_back(DType::f64_, Scalar::of_f64(1.7976931348623157e308));
    values.emplace_back(DType::f32_, Scalar{0xffc01234});
    HostCudaDevice device;
    std::vector<ir::Function> kernels;
    std::vector<std::pair<const ir::Function*, std::string>> named;
    for (const auto& [dtype, value] : values) {
        ir::Builder b(ir::Form::kernel, "literal");
        const ir::ValueId y = b.parameter("y", {ir::TypeKind::write_buffer, dtype, {}});
        const ir::RegionId region = b.make_region();
        b.set_insertion(region);
        const ir::ValueId operands[] = {y, b.constant(dtype, value)};
        b.node(ir::Structure::store_, operands, {}, ir::Affine{});
        b.set_insertion(b.function().body());
        b.node(ir::Structure::nest_, {}, {}, ir::Loops{}, {&region, 1});
        kernels.push_back(b.finish({}, {}));
    }
    for (size_t k = 0; k < kernels.size(); ++k)
        named.emplace_back(&kernels[k], "fl_literal_" + std::to_string(k));
    device.prepare(named);
    for (size_t k = 0; k < kernels.size(); ++k) {
        const auto& [dtype, value] = values[k];
        HostArray y = filled(dtype, 1, 9);
        launch_on_host(device, kernels[k], {&y}, {}, named[k].second);
        CAPTURE(emit_cuda(kernels[k], "fl", nullptr));
        CHECK(load_scalar(dtype, y.bytes.data()) == value);
    }
}
