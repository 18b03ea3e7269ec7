// SLEEF's functions: every symbol exists, every width gives the same bits, errors stay within the table's
// bounds; and the reference functions lie within 0.51 ulp.
#include <dlfcn.h>
#include <immintrin.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "compiler/codegen/sleef_symbols.h"
#include "tests/catch.h"
#include "tests/unit/ops/exact_functions.h"
#include "tests/unit/ops/sleef_column.h"

using namespace fuseline;
using namespace fuseline::testing;

namespace {

constexpr DType kFloats[] = {DType::f32_, DType::f64_};

void* sleef() {
    static void* const library = dlopen("libsleef.so.3", RTLD_NOW);
    return library;
}

/// The cell of SLEEF's function that computes a row in its domain, or "".
std::string sleef_cell(const OpRow& r) {
    const std::string cell(r.llvm.floating);
    if (cell.starts_with("sleef.")) return cell;
    const std::string plain = "sleef." + std::string(r.name) + "_u10";
    const bool wrapped = cell == "fl." + std::string(r.name) && !r.has(kExact) && r.name != "rsqrt";
    return wrapped && r.has(kBuilt) && !r.llvm.floating.empty() ? plain : "";
}

double value(DType dtype, Scalar s) { return dtype == DType::f32_ ? s.as_f32() : s.as_f64(); }

Scalar scalar(DType dtype, double v) {
    return dtype == DType::f32_ ? Scalar::of_f32(static_cast<float>(v)) : Scalar::of_f64(v);
}

/// Arguments from a domain, evenly and towards zero, with the corners first.
std::vector<Scalar> arguments(DType dtype, Domain domain, size_t count) {
    std::mt19937_64 random(count);
    std::uniform_real_distribution<> place(0, 1);
    std::vector<Scalar> all;
    for (double v : {0.0, 1.0, 0.5, 2.0, domain.low, domain.high}) {
        if (v >= domain.low && v <= domain.high) all.push_back(scalar(dtype, v));
    }
    while (all.size() < count) {
        double v = domain.low + (domain.high - domain.low) * place(random);
        if (all.size() % 2 == 0) v *= std::exp2(-30 * place(random));
        if (v >= domain.low) all.push_back(scalar(dtype, v));
    }
    return all;
}

/// One column of operands in memory, with room for a vector past the end.
std::vector<std::byte> column(DType dtype, const std::vector<Scalar>& values) {
    std::vector<std::byte> bytes(values.size() * static_cast<size_t>(byte_size(dtype)) + 64);
    for (size_t i = 0; i < values.size(); ++i) {
        store_scalar(dtype, values[i], bytes.data() + i * static_cast<size_t>(byte_size(dtype)));
    }
    return bytes;
}

bool runs(int vector_bits, bool fma) {
    if (vector_bits == 512) return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
    if (fma) return __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
    return vector_bits <= 128 || __builtin_cpu_supports("avx");
}

std::vector<std::byte> computed(const OpRow& r, DType t, int vector_bits, bool fma,
                                const std::vector<std::byte>& x, const std::vector<std::byte>& y) {
    void* f = dlsym(sleef(), sleef_symbol(sleef_cell(r), t, vector_bits, fma).c_str());
    std::vector<std::byte> out(x.size());
    const size_t bytes = x.size() - 64;
    const SleefColumn column{f, t == DType::f32_, r.arity == 2, x.data(), y.data(), out.data(), bytes};
    switch (vector_bits) {
        case 512: call_sleef_512(column); break;
        case 256: call_sleef_256(column); break;
        case 128: call_sleef<__m128, __m128d>(column); break;
        default: call_sleef<float, double>(column);
    }
    out.resize(bytes);
    return out;
}

/// Calls what(row, type) for every row that SLEEF computes.
template <class F>
void for_each_function(F&& what) {
    for (size_t i = 0; i < op_count(); ++i) {
        const OpRow& r = row(static_cast<OpId>(i));
        if (sleef_cell(r).empty()) continue;
        for (DType t : kFloats) what(r, t);
    }
}

double worst_error(const OpRow& r, DType t, const std::vector<Scalar>& x, const std::vector<Scalar>& y,
                   const std::vector<Scalar>& got) {
    double worst = 0;
    for (size_t i = 0; i < got.size(); ++i) {
        Exact exact;
        REQUIRE(exact_value(r.name, value(t, x[i]), value(t, y[i]), exact));
        worst = std::max(worst, ulp_error(t, value(t, got[i]), exact));
    }
    return worst;
}

}  // namespace

TEST_CASE("names of SLEEF's functions", "[ops][sleef]") {
    CHECK(sleef_symbol("sleef.exp_u10", DType::f32_, 512, true) == "Sleef_finz_expf16_u10avx512f");
    CHECK(sleef_symbol("sleef.exp_u10", DType::f64_, 256, true) == "Sleef_finz_expd4_u10avx2");
    CHECK(sleef_symbol("sleef.hypot_u05", DType::f32_, 128, true) == "Sleef_finz_hypotf4_u05avx2128");
    CHECK(sleef_symbol("sleef.exp_u10", DType::f64_, 0, false) == "Sleef_cinz_expd1_u10purec");
}

TEST_CASE("SLEEF has every function of the table", "[ops][sleef]") {
    REQUIRE(sleef() != nullptr);
    int functions = 0;
    for_each_function([&](const OpRow& r, DType t) {
        ++functions;
        for (int bits : {0, 128, 256, 512}) {
            for (bool fma : {true, false}) {
                const std::string symbol = sleef_symbol(sleef_cell(r), t, bits, fma);
                INFO(symbol);
                CHECK(dlsym(sleef(), symbol.c_str()) != nullptr);
            }
        }
    });
    CHECK(functions >= 50);
}

TEST_CASE("SLEEF gives the same bits at every width", "[ops][sleef]") {
    for_each_function([&](const OpRow& r, DType t) {
        const auto x = column(t, arguments(t, r.domain[0], size_t{1} << 14));
        const auto y = column(t, arguments(t, r.domain[1], size_t{1} << 14));
        for (bool fma : {true, false}) {
            if (!runs(0, fma)) continue;
            const auto scalar_bits = computed(r, t, 0, fma, x, y);
            for (int bits : {128, 256, 512}) {
                if (!runs(bits, fma)) continue;
                INFO(sleef_symbol(sleef_cell(r), t, bits, fma));
                CHECK(computed(r, t, bits, fma, x, y) == scalar_bits);
            }
        }
    });
}

TEST_CASE("errors of SLEEF are within the table's bounds", "[ops][sleef][ulp]") {
    for_each_function([&](const OpRow& r, DType t) {
        const auto x = arguments(t, r.domain[0], 2048);
        const auto y = arguments(t, r.domain[1], 2048);
        for (bool fma : {true, false}) {
            if (!runs(0, fma)) continue;
            const auto bytes = computed(r, t, 0, fma, column(t, x), column(t, y));
            std::vector<Scalar> got;
            for (size_t at = 0; at < bytes.size(); at += static_cast<size_t>(byte_size(t))) {
                got.push_back(load_scalar(t, bytes.data() + at));
            }
            INFO(r.name << " " << name(t));
            CHECK(worst_error(r, t, x, y, got) <= (t == DType::f32_ ? r.ulp.cpu_f32 : r.ulp.cpu_f64));
        }
    });
}

TEST_CASE("references of functions that SLEEF lacks are nearly correctly rounded", "[ops][ulp]") {
    // MPFR has no inverse of erf, and finds it by iteration: few arguments.
    constexpr size_t kArguments = 100;
    for (std::string_view function : {"erfinv", "erfcinv", "normcdf", "normcdfinv", "digamma"}) {
        const OpRow& r = row(*op_named(function));
        for (DType t : kFloats) {
            const auto x = arguments(t, r.domain[0], kArguments);
            std::vector<Scalar> got;
            for (Scalar v : x) got.push_back(evaluate(r.id, t, t, &v));
            INFO(r.name << " " << name(t));
            CHECK(worst_error(r, t, x, x, got) <= 0.51);
        }
    }
}

TEST_CASE("reference functions are nearly correctly rounded", "[ops][ulp]") {
    for_each_function([&](const OpRow& r, DType t) {
        const auto x = arguments(t, r.domain[0], 2048);
        const auto y = arguments(t, r.domain[1], 2048);
        std::vector<Scalar> got;
        for (size_t i = 0; i < x.size(); ++i) {
            const Scalar operands[] = {x[i], y[i]};
            got.push_back(evaluate(r.id, t, t, operands));
        }
        INFO(r.name << " " << name(t));
        CHECK(worst_error(r, t, x, y, got) <= (r.name == "pow" ? 1.0 : 0.51));
    });
}
