// f16 and bf16: every element, every function of one argument, and roundings of a fine grid of floats, on the
// CPU and through CUDA on the host shim, and on a GPU where there is one.
#include <cmath>

#include "compiler/ops/half.h"
#include "runtime/session/session_impl.h"
#include "tests/catch.h"
#include "tests/fakes/host_cuda/host_cuda_device.h"
#include "tests/unit/ops/exact_functions.h"

using namespace fuseline;
using namespace fuseline::testing;

namespace {

constexpr DType kHalves[] = {DType::f16_, DType::bf16_};
constexpr size_t kAll = 65536;

/// All elements of a 16-bit float in order of their bits.
std::vector<uint16_t> all_halves() {
    std::vector<uint16_t> bits(kAll);
    for (size_t k = 0; k < kAll; ++k) bits[k] = static_cast<uint16_t>(k);
    return bits;
}

std::vector<std::pair<std::string, Session>> sessions(bool host_shim) {
    std::vector<std::pair<std::string, Session>> all;
    const auto add = [&](std::string name, std::shared_ptr<Device> device) {
        all.emplace_back(std::move(name),
                         Session(std::make_shared<Session::Impl>(Settings{}, std::move(device))));
    };
    add("cpu", make_cpu_device(1));
    if (host_shim) add("host shim", std::make_shared<HostCudaDevice>());
    try {
        add("cuda", make_cuda_device(0));
    } catch (const std::exception&) {
        // Most machines have no GPU.
    }
    return all;
}

Array call(const Session& session, const std::string& program, const Array& x) {
    return session.load_text(program, "halves.dsl").call("f", {{"x", x}})[0];
}

bool same(DType dtype, Scalar a, Scalar b) {
    return a == b || (std::isnan(scalar_to_f64(dtype, a)) && std::isnan(scalar_to_f64(dtype, b)));
}

/// Elements that differ from the reference of a cast, as one line; "" where none does.
std::string cast_fault(const Session& session, const Array& x, DType to) {
    const std::string program =
        "fn f(x: " + std::string(name(x.dtype())) + "[n]) = " + std::string(name(to)) + "(x)";
    const Array y = call(session, program, x);
    const auto* from = static_cast<const std::byte*>(x.data());
    const auto* got = static_cast<const std::byte*>(y.data());
    for (int64_t k = 0; k < x.size(); ++k) {
        const Scalar operand = load_scalar(x.dtype(), from + k * byte_size(x.dtype()));
        const Scalar expected = evaluate(OpId::cast_, x.dtype(), to, &operand);
        const Scalar found = load_scalar(to, got + k * byte_size(to));
        if (!same(to, expected, found))
            return scalar_text(x.dtype(), operand) + " gives " + scalar_text(to, found) + ", expected " +
                   scalar_text(to, expected);
    }
    return {};
}

/// Whether a function's element is right: the reference's bits where the row is exact, else within the CPU's
/// bound of the value in f64.
bool right(const OpRow& r, DType dtype, Scalar operand, Scalar got) {
    const Scalar expected = evaluate(r.id, dtype, dtype, &operand);
    if (same(dtype, expected, got)) return true;
    if (r.has(kExact)) return false;
    const Scalar wide = Scalar::of_f64(scalar_to_f64(dtype, operand));
    Exact exact;
    mpfr_set_d(exact.get(), evaluate(r.id, DType::f64_, DType::f64_, &wide).as_f64(), MPFR_RNDN);
    // Outside its domain a function may be near a zero of its own, where the bound of f32 does not hold.
    const bool inside = wide.as_f64() >= r.domain[0].low && wide.as_f64() <= r.domain[0].high;
    const double more = inside ? 0.001 : 0.25;
    return ulp_error(dtype, scalar_to_f64(dtype, got), exact) <= ulp_bound(dtype, r.ulp.cpu_f32, 0) + more;
}

bool is_unary_float_function(const OpRow& r) {
    const bool rule = r.rule == TypeRule::float_function || r.rule == TypeRule::number;
    return r.has(kBuilt) && r.arity == 1 && rule;
}

}  // namespace

TEST_CASE("16-bit floats keep their bits through f64", "[ops][half]") {
    for (DType dtype : kHalves) {
        for (uint64_t bits = 0; bits < kAll; ++bits) {
            const double value = scalar_to_f64(dtype, {bits});
            if (std::isnan(value) || scalar_from_f64(dtype, value).bits == bits) continue;
            FAIL(name(dtype) << " " << bits);
        }
        CHECK(scalar_from_f64(dtype, NAN).bits == (dtype == DType::f16_ ? 0x7e00 : 0x7fc0));
    }
    CHECK(scalar_to_f64(DType::f16_, {0x7bff}) == 65504);
    CHECK(scalar_to_f64(DType::f16_, {0x0001}) == 0x1p-24);
    CHECK(scalar_to_f64(DType::bf16_, {0x7f7f}) == 0x1.fep127);
    CHECK(scalar_to_f64(DType::bf16_, {0x0001}) == 0x1p-133);
    CHECK(scalar_from_f64(DType::f16_, 65519.999).bits == 0x7bff);
    CHECK(scalar_from_f64(DType::f16_, 65520).bits == 0x7c00);
    CHECK(scalar_from_f64(DType::f16_, 0x1p-25).bits == 0);
    CHECK(scalar_from_f64(DType::f16_, -0x1.8p-24).bits == 0x8002);
}

TEST_CASE("text of 16-bit floats is the shortest that reads back", "[ops][half]") {
    for (DType dtype : kHalves) {
        for (uint64_t bits = 0; bits < kAll; ++bits) {
            if (std::isnan(scalar_to_f64(dtype, {bits}))) continue;
            const auto back = parse_scalar(dtype, scalar_text(dtype, {bits}));
            if (!back || back->bits != bits) FAIL(scalar_text(dtype, {bits}));
        }
    }
    CHECK(scalar_text(DType::f16_, {0x2e66}) == "0.1");
    CHECK(scalar_text(DType::f16_, {0x2400}) == "0.01563");
    CHECK(scalar_text(DType::f16_, {0x7bff}) == "65500.0");
    CHECK(scalar_text(DType::f16_, {0x0001}) == "6e-08");
    CHECK(scalar_text(DType::bf16_, {0x3dcd}) == "0.1");
    CHECK(scalar_text(DType::bf16_, {0xff80}) == "-inf");
}

TEST_CASE("every 16-bit float is widened, and a grid of floats rounded, as the reference does",
          "[ops][half]") {
    const Array bits = Array::copy_of(DType::u16_, {kAll}, all_halves().data());
    std::vector<uint32_t> grid;
    for (uint64_t k = 0; k < uint64_t{1} << 32; k += 4093) grid.push_back(static_cast<uint32_t>(k));
    // Around every midpoint of the formats.
    for (uint32_t k = 0; k < kAll; ++k) {
        for (uint32_t low : {0x7fffu, 0x8000u, 0x8001u}) grid.push_back(k << 16 | low);
        for (uint32_t low : {0x0fffu, 0x1000u, 0x1001u})
            grid.push_back((k & 0x7fffu) << 13 | 0x38000000u | low);
    }
    const Array floats = Array::copy_of(DType::f32_, {static_cast<int64_t>(grid.size())}, grid.data());
    for (const auto& [device, session] : sessions(true)) {
        INFO(device);
        for (DType dtype : kHalves) {
            const Array x = Array::copy_of(dtype, {kAll}, bits.data());
            CHECK(cast_fault(session, x, DType::f32_) == "");
            CHECK(cast_fault(session, x, dtype == DType::f16_ ? DType::bf16_ : DType::f16_) == "");
            CHECK(cast_fault(session, floats, dtype) == "");
        }
    }
}

TEST_CASE("functions of every 16-bit float are within their bounds", "[ops][half][ulp]") {
    const std::vector<uint16_t> bits = all_halves();
    for (const auto& [device, session] : sessions(false)) {
        if (device != "cpu") continue;
        for (DType dtype : kHalves) {
            const Array x = Array::copy_of(dtype, {kAll}, bits.data());
            for (size_t op = 0; op < op_count(); ++op) {
                const OpRow& r = row(static_cast<OpId>(op));
                if (!is_unary_float_function(r)) continue;
                const std::string program =
                    "fn f(x: " + std::string(name(dtype)) + "[n]) = " + std::string(r.name) + "(x)";
                const Array y = call(session, program, x);
                const auto* got = static_cast<const uint16_t*>(y.data());
                int wrong = 0;
                for (size_t k = 0; k < kAll && wrong < 3; ++k) {
                    if (right(r, dtype, {bits[k]}, {got[k]})) continue;
                    ++wrong;
                    FAIL_CHECK(r.name << "(" << scalar_text(dtype, {bits[k]}) << ") of " << name(dtype)
                                      << " is " << scalar_text(dtype, {got[k]}));
                }
            }
        }
    }
}
