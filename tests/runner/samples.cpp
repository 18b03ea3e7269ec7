// Sample values.
#include "tests/runner/samples.h"

#include <cmath>
#include <limits>

namespace fuseline::testing {
namespace {

Scalar scalar(DType dtype, double value) {
    return dtype == DType::f32_ ? Scalar::of_f32(static_cast<float>(value)) : Scalar::of_f64(value);
}

template <class T>
std::vector<double> float_specials() {
    using Limits = std::numeric_limits<T>;
    std::vector<double> all = {Limits::quiet_NaN()};
    for (double v :
         {0.0, 1.0, 0.5, 1.5, 2.5, 3.0, 64.0, 9.3e18, double{Limits::infinity()}, double{Limits::max()},
          double{Limits::min()}, double{Limits::denorm_min()}, double{Limits::epsilon()}}) {
        all.push_back(v);
        all.push_back(-v);
    }
    return all;
}

}  // namespace

std::vector<Scalar> special_values(DType dtype) {
    std::vector<Scalar> all;
    if (is_bool(dtype)) return {Scalar::of_bool(false), Scalar::of_bool(true)};
    if (is_float(dtype)) {
        for (double v : dtype == DType::f32_ ? float_specials<float>() : float_specials<double>())
            all.push_back(scalar(dtype, v));
        return all;
    }
    for (int64_t v : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{2}, int64_t{-2}, int64_t{3}, int64_t{7},
                      int64_t{-7}, int64_t{10}, int64_t{63}, int64_t{64}, int64_t{65}, int64_t{1} << 31,
                      int64_t{1} << 53, (int64_t{1} << 53) + 1, INT64_MAX, INT64_MIN, INT64_MIN + 1}) {
        all.push_back(Scalar::of_i64(v));
    }
    return all;
}

Scalar domain_sample(DType dtype, Domain domain, std::mt19937_64& random) {
    if (is_bool(dtype)) return Scalar::of_bool(random() % 2 != 0);
    std::uniform_real_distribution<> place(0, 1);
    double v = domain.low + (domain.high - domain.low) * place(random);
    const double near = v * std::exp2(-30 * place(random));
    if (random() % 2 == 0 && near >= domain.low && near <= domain.high) v = near;
    return is_float(dtype) ? scalar(dtype, v) : Scalar::of_i64(static_cast<int64_t>(v));
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
