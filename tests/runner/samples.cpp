// Sample values.
#include "tests/runner/samples.h"

#include <cmath>
#include <limits>

namespace fuseline::testing {
namespace {

/// The ends of a float type: the number past the largest one, the smallest normal and the smallest one, and
/// the distance of 1 to the next.
struct Ends {
    double past, normal, least, epsilon;
};

Ends ends_of(DType dtype) {
    switch (dtype) {
        case DType::f16_: return {0x1p16, 0x1p-14, 0x1p-24, 0x1p-10};
        case DType::bf16_: return {0x1p128, 0x1p-126, 0x1p-133, 0x1p-7};
        case DType::f32_: return {0x1p128, 0x1p-126, 0x1p-149, 0x1p-23};
        default: return {HUGE_VAL, 0x1p-1022, 0x1p-1074, 0x1p-52};
    }
}

std::vector<double> float_specials(DType dtype) {
    const Ends ends = ends_of(dtype);
    const double largest =
        dtype == DType::f64_ ? std::numeric_limits<double>::max() : ends.past * (1 - ends.epsilon / 2);
    std::vector<double> all = {std::numeric_limits<double>::quiet_NaN()};
    for (double v : {0.0, 1.0, 0.5, 1.5, 2.5, 3.0, 64.0, 9.3e18, HUGE_VAL, largest, ends.normal, ends.least,
                     ends.epsilon}) {
        all.push_back(v);
        all.push_back(-v);
    }
    return all;
}

/// Bits that the type has, as a value of it.
Scalar wrapped(DType dtype, uint64_t bits) {
    uint64_t stored = 0;
    store_scalar(dtype, {bits}, &stored);
    return load_scalar(dtype, &stored);
}

}  // namespace

std::vector<Scalar> special_values(DType dtype) {
    std::vector<Scalar> all;
    if (is_bool(dtype)) return {Scalar::of_bool(false), Scalar::of_bool(true)};
    if (is_float(dtype)) {
        for (double v : float_specials(dtype)) all.push_back(scalar_from_f64(dtype, v));
        return all;
    }
    const auto width = static_cast<uint64_t>(row(dtype).bits);
    const uint64_t half = uint64_t{1} << (width - 1);
    for (int64_t v : {0, 1, -1, 2, -2, 3, 7, -7, 10}) all.push_back(wrapped(dtype, static_cast<uint64_t>(v)));
    for (uint64_t v : {width - 1, width, width + 1, uint64_t{1} << (width / 2 - 1),
                       (uint64_t{1} << (width * 5 / 6)) + 1, half - 1, half, half + 1}) {
        all.push_back(wrapped(dtype, v));
    }
    if (width == 64) all.push_back({uint64_t{1} << 53});
    return all;
}

Scalar domain_sample(DType dtype, Domain domain, std::mt19937_64& random) {
    if (is_bool(dtype)) return Scalar::of_bool(random() % 2 != 0);
    std::uniform_real_distribution<> place(0, 1);
    double v = domain.low + (domain.high - domain.low) * place(random);
    const double near = v * std::exp2(-30 * place(random));
    if (random() % 2 == 0 && near >= domain.low && near <= domain.high) v = near;
    return scalar_from_f64(dtype, v);
}

HostArray array_of(DType dtype, std::vector<int64_t> shape, const std::vector<Scalar>& values) {
    HostArray array{dtype, std::move(shape), {}};
    const auto width = static_cast<size_t>(byte_size(dtype)),
               count = static_cast<size_t>(array.element_count());
    array.bytes.resize(count * width);
    for (size_t k = 0; k < count; ++k)
        store_scalar(dtype, values[k % values.size()], array.bytes.data() + k * width);
    return array;
}

HostArray random_array(DType dtype, std::vector<int64_t> shape, Domain domain, unsigned special_share,
                       std::mt19937_64& random) {
    HostArray array{dtype, std::move(shape), {}};
    const auto width = static_cast<size_t>(byte_size(dtype));
    array.bytes.resize(static_cast<size_t>(array.element_count()) * width);
    const std::vector<Scalar> special = special_values(dtype);
    for (size_t at = 0; at < array.bytes.size(); at += width) {
        const bool pick = special_share != 0 && random() % special_share == 0;
        store_scalar(dtype, pick ? special[random() % special.size()] : domain_sample(dtype, domain, random),
                     array.bytes.data() + at);
    }
    return array;
}

}  // namespace fuseline::testing
