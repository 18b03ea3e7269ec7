// Every elementwise operator on every type, against the table's references: all vector widths, lengths around
// a vector, misaligned arrays, one and several threads.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "compiler/ops/op_table.h"
#include "tests/unit/cpu/cpu_kernels.h"

using namespace fuseline;
using namespace fuseline::tests;

namespace {

constexpr size_t kLength = 2000;
constexpr size_t kOpsOfKernel = 8;

/// One operator on given operand types.
struct Case {
    OpId op;
    std::vector<DType> operands;
    DType result;
    DType operation() const { return operands.back(); }
};

bool computed(DType d) { return !is_complex(d) && d != DType::f16_ && d != DType::bf16_; }

/// All operators whose operation's type is `d`.
std::vector<Case> cases_of(DType d) {
    std::vector<Case> all;
    for (size_t k = 0; k < op_count(); ++k) {
        const OpId op = static_cast<OpId>(k);
        const OpRow& r = row(op);
        if (!r.has(kBuilt)) continue;
        if (r.rule == TypeRule::cast) {
            for (const DTypeRow& to : kDTypeTable) {
                const bool bits = to.bits == row(d).bits && !is_bool(d) && !is_bool(to.dtype);
                if (!computed(to.dtype) || (op == OpId::bitcast_ && !bits)) continue;
                all.push_back({op, {d}, to.dtype});
            }
            continue;
        }
        std::vector<DType> operands(static_cast<size_t>(r.arity), d);
        if (r.rule == TypeRule::select) operands[0] = DType::bool_;
        const auto typing = op_typing(op, operands.data(), operands.size(), nullptr, nullptr);
        if (typing && typing->operation == d) all.push_back({op, operands, typing->result});
    }
    return all;
}

/// Extremes of a type as elements.
std::vector<Scalar> extremes(DType d) {
    if (is_bool(d)) return {Scalar::of_bool(false), Scalar::of_bool(true)};
    std::vector<Scalar> all;
    if (is_float(d)) {
        using F = std::numeric_limits<float>;
        using D = std::numeric_limits<double>;
        const std::vector<double> shared = {0.0,
                                            -0.0,
                                            1,
                                            -1,
                                            0.5,
                                            -0.5,
                                            1.5,
                                            2.5,
                                            -2.5,
                                            3,
                                            10,
                                            1e10,
                                            -1e10,
                                            9.3e18,
                                            -9.3e18,
                                            2147483648.0,
                                            D::infinity(),
                                            -D::infinity(),
                                            D::quiet_NaN()};
        for (double v : shared) {
            all.push_back(d == DType::f32_ ? Scalar::of_f32(static_cast<float>(v)) : Scalar::of_f64(v));
        }
        for (float v : {F::max(), F::min(), F::denorm_min(), -F::max()}) {
            if (d == DType::f32_) all.push_back(Scalar::of_f32(v));
        }
        for (double v : {D::max(), D::min(), D::denorm_min(), -D::max()}) {
            if (d == DType::f64_) all.push_back(Scalar::of_f64(v));
        }
        return all;
    }
    const int bits = row(d).bits;
    std::vector<uint64_t> values = {0, 1, 2, 3, 7, ~uint64_t{0}, ~uint64_t{1}, uint64_t{1} << (bits - 1)};
    values.push_back(values.back() - 1);
    values.push_back(static_cast<uint64_t>(bits));
    for (uint64_t v : values) {
        char bytes[8] = {};
        store_scalar(d, {v}, bytes);
        all.push_back(load_scalar(d, bytes));
    }
    return all;
}

/// An array of one type: all pairs of extremes first, then samples of the operator's domain.
std::vector<char> samples(DType d, size_t position, Domain domain) {
    const std::vector<Scalar> ends = extremes(d);
    std::mt19937_64 random(17 + position);
    std::uniform_real_distribution<double> real(domain.low, domain.high);
    std::vector<char> bytes(kLength * static_cast<size_t>(byte_size(d)));
    for (size_t i = 0; i < kLength; ++i) {
        Scalar value = ends[(position == 0 ? i : i / ends.size()) % ends.size()];
        if (i >= ends.size() * ends.size()) {
            const double v = real(random);
            if (is_bool(d))
                value = Scalar::of_bool(v > (domain.low + domain.high) / 2);
            else if (d == DType::f32_)
                value = Scalar::of_f32(static_cast<float>(v));
            else if (d == DType::f64_)
                value = Scalar::of_f64(v);
            else
                value = Scalar::of_i64(static_cast<int64_t>(v));
        }
        store_scalar(d, value, bytes.data() + i * static_cast<size_t>(byte_size(d)));
    }
    return bytes;
}

double as_double(DType d, Scalar s) { return d == DType::f32_ ? double{s.as_f32()} : s.as_f64(); }

/// Distance in units in the last place of the type.
double ulps(DType d, double got, double exact) {
    if (got == exact || (std::isnan(got) && std::isnan(exact))) return 0;
    const int digits = d == DType::f32_ ? 24 : 53, least = d == DType::f32_ ? -149 : -1074;
    const int exponent = std::max(std::ilogb(exact) - digits + 1, least);
    return std::abs(got - exact) / std::ldexp(1.0, exponent);
}

/// Equal bits; NaNs are all equal.
bool same_bits(DType d, const std::vector<char>& a, const std::vector<char>& b) {
    if (a == b) return true;
    const auto size = static_cast<size_t>(byte_size(d));
    for (size_t i = 0; i < a.size(); i += size) {
        const Scalar x = load_scalar(d, a.data() + i), y = load_scalar(d, b.data() + i);
        if (x != y && !(is_float(d) && std::isnan(as_double(d, x)) && std::isnan(as_double(d, y))))
            return false;
    }
    return true;
}

/// Whether a computed element is right: the reference's bits, or within the row's bound of the reference in
/// f64.
bool right(const Case& c, Scalar got, const Scalar* operands) {
    const OpRow& r = row(c.op);
    const Scalar expected = evaluate(c.op, c.operation(), c.result, operands);
    if (!is_float(c.result)) return got == expected;
    const double value = as_double(c.result, got), wanted = as_double(c.result, expected);
    if (std::isnan(value) || std::isnan(wanted)) return std::isnan(value) && std::isnan(wanted);
    if (got == expected) return true;
    if (r.has(kExact)) return false;
    if (std::isinf(value) && !std::isinf(wanted)) {
        // One unit past the largest number.
        const double largest = c.result == DType::f32_ ? double{std::numeric_limits<float>::max()}
                                                       : std::numeric_limits<double>::max();
        return std::abs(wanted) == largest && std::signbit(value) == std::signbit(wanted);
    }
    if (c.result == DType::f64_) return ulps(c.result, value, wanted) <= r.ulp.cpu_f64 + 1;
    Scalar wide[3];
    for (size_t k = 0; k < c.operands.size(); ++k) wide[k] = Scalar::of_f64(double{operands[k].as_f32()});
    const double exact = evaluate(c.op, DType::f64_, DType::f64_, wide).as_f64();
    return ulps(DType::f32_, value, exact) <= r.ulp.cpu_f32 + 0.01;
}

/// A kernel of several operators with one array for each operand and one for each result.
struct Bundle {
    std::vector<Case> cases;
    std::vector<DType> reads;
    std::vector<std::vector<char>> inputs;
    std::string text;

    explicit Bundle(std::vector<Case> wanted) : cases(std::move(wanted)) {
        std::string parameters, loads, body;
        for (size_t c = 0; c < cases.size(); ++c) {
            std::string list;
            for (size_t k = 0; k < cases[c].operands.size(); ++k) {
                const DType d = cases[c].operands[k];
                parameters += fmt::format("%x{}: read {}, ", reads.size(), name(d));
                loads += fmt::format("%a{0} = load %x{0} [i] : {1}\n", reads.size(), name(d));
                list += fmt::format("{}%a{}", k == 0 ? "" : ", ", reads.size());
                reads.push_back(d);
                inputs.push_back(samples(d, k, row(cases[c].op).domain[k]));
            }
            body += fmt::format("%r{0} = {1} {2} : {3}\nstore %y{0} [i], %r{0}\n", c, name(cases[c].op), list,
                                name(cases[c].result));
        }
        for (size_t c = 0; c < cases.size(); ++c) {
            parameters += fmt::format("{}%y{}: write {}", c == 0 ? "" : ", ", c, name(cases[c].result));
        }
        text = fmt::format("kernel k({}) sizes(n) schedule(map) index(64) {{ nest (i: n) grid {{\n{}{}}} }}",
                           parameters, loads, body);
    }

    /// Results of the first n elements, from arrays that begin `shift` elements into their memory; nothing
    /// may be written outside.
    std::vector<std::vector<char>> run(const CpuTestKernel& kernel, size_t n, size_t shift) const {
        constexpr char kUntouched = 0x5A;
        std::vector<std::vector<char>> arrays;
        std::vector<void*> pointers;
        const auto add = [&](DType d, const std::vector<char>* content) {
            const size_t size = static_cast<size_t>(byte_size(d));
            arrays.emplace_back((n + shift + 1) * size, kUntouched);
            if (content != nullptr)
                std::copy_n(content->begin(), n * size,
                            arrays.back().begin() + static_cast<ptrdiff_t>(shift * size));
            return size;
        };
        for (size_t k = 0; k < reads.size(); ++k) add(reads[k], &inputs[k]);
        for (const Case& c : cases) add(c.result, nullptr);
        for (size_t k = 0; k < arrays.size(); ++k) {
            const DType d = k < reads.size() ? reads[k] : cases[k - reads.size()].result;
            pointers.push_back(arrays[k].data() + shift * static_cast<size_t>(byte_size(d)));
        }
        kernel(pointers, {}, {static_cast<int64_t>(n)});
        std::vector<std::vector<char>> results;
        for (size_t c = 0; c < cases.size(); ++c) {
            const std::vector<char>& all = arrays[reads.size() + c];
            const auto size = static_cast<ptrdiff_t>(byte_size(cases[c].result));
            const auto begin = all.begin() + static_cast<ptrdiff_t>(shift) * size;
            const auto end = begin + static_cast<ptrdiff_t>(n) * size;
            const auto touched = [](char b) { return b != kUntouched; };
            if (std::any_of(all.begin(), begin, touched) || std::any_of(end, all.end(), touched)) {
                FAIL(fmt::format("{} of {} elements writes outside", name(cases[c].op), n));
            }
            results.emplace_back(begin, end);
        }
        return results;
    }

    std::string fault(const std::vector<std::vector<char>>& results) const {
        size_t first = 0;
        std::string faults;
        for (size_t c = 0; c < cases.size(); first += cases[c].operands.size(), ++c) {
            size_t wrong = 0;
            for (size_t i = 0; i < kLength; ++i) {
                Scalar operands[3];
                for (size_t k = 0; k < cases[c].operands.size(); ++k) {
                    operands[k] = element(cases[c].operands[k], inputs[first + k], i);
                }
                const Scalar got = element(cases[c].result, results[c], i);
                if (right(cases[c], got, operands) || ++wrong > 3) continue;
                std::string list;
                for (size_t k = 0; k < cases[c].operands.size(); ++k) {
                    list += (k == 0 ? "" : ", ") + scalar_text(cases[c].operands[k], operands[k]);
                }
                const Scalar expected =
                    evaluate(cases[c].op, cases[c].operation(), cases[c].result, operands);
                faults += fmt::format("\n{} of {}: ({}) gives {}, expected {}", name(cases[c].op),
                                      name(cases[c].operation()), list, scalar_text(cases[c].result, got),
                                      scalar_text(cases[c].result, expected));
            }
        }
        return faults;
    }

    static Scalar element(DType d, const std::vector<char>& bytes, size_t i) {
        return load_scalar(d, bytes.data() + i * static_cast<size_t>(byte_size(d)));
    }
};

std::vector<Bundle> bundles_of(DType d) {
    std::vector<Bundle> bundles;
    const std::vector<Case> all = cases_of(d);
    for (size_t begin = 0; begin < all.size(); begin += kOpsOfKernel) {
        const size_t end = std::min(all.size(), begin + kOpsOfKernel);
        bundles.emplace_back(std::vector<Case>(all.begin() + static_cast<ptrdiff_t>(begin),
                                               all.begin() + static_cast<ptrdiff_t>(end)));
    }
    return bundles;
}

/// The same bits at every length and address, each a prefix of `whole`.
void check_prefixes(const Bundle& b, const CpuTestKernel& kernel,
                    const std::vector<std::vector<char>>& whole) {
    for (size_t n = 0; n <= 130; n = n < 34 ? n + 1 : n + 31) {
        const auto part = b.run(kernel, n, n % 3);
        for (size_t c = 0; c < b.cases.size(); ++c) {
            const auto size = static_cast<ptrdiff_t>(part[c].size());
            if (same_bits(b.cases[c].result, part[c], {whole[c].begin(), whole[c].begin() + size})) continue;
            FAIL_CHECK(fmt::format("{} of {}: other bits in an array of {}", name(b.cases[c].op),
                                   name(b.cases[c].operation()), n));
        }
    }
}

}  // namespace

TEST_CASE("operators on the CPU agree with the table's references") {
    for (const DTypeRow& d : kDTypeTable) {
        if (!computed(d.dtype)) continue;
        for (const Bundle& b : bundles_of(d.dtype)) {
            std::vector<std::vector<char>> first;
            for (int bits : vector_widths()) {
                const auto device = make_cpu_device(1, bits);
                const CpuTestKernel kernel(*device, b.text);
                const auto results = b.run(kernel, kLength, 0);
                if (first.empty()) {
                    first = results;
                    CHECK(b.fault(results) == "");
                } else {
                    for (size_t c = 0; c < b.cases.size(); ++c) {
                        if (same_bits(b.cases[c].result, results[c], first[c])) continue;
                        FAIL_CHECK(fmt::format("{} of {}: {} bits and {} bits differ", name(b.cases[c].op),
                                               d.name, bits, vector_widths()[0]));
                    }
                }
                check_prefixes(b, kernel, results);
            }
        }
    }
}
