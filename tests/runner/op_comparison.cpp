// Results of one operator against the interpreter and MPFR.
#include "tests/runner/op_comparison.h"

#include <algorithm>
#include <cmath>

#include "tests/runner/literals.h"
#include "tests/unit/ops/exact_functions.h"

namespace fuseline::testing {
namespace {

/// Ulp by which functions of the host's C library may be off; the shim calls these in place of CUDA's.
constexpr double kHostLibrary = 4.5;

/// Bounds hold in a row's domain; outside it a function may be this many times worse (lgamma near its
/// negative zeros).
constexpr double kOutside = 8;

/// The table's bound of a device in ulp.
double bound(const OpRow& op, DType dtype, const TestDevice& device) {
    const bool cuda = device.name.starts_with("cuda");
    const UlpBound& u = op.ulp;
    if (device.name == "cuda-on-host")
        return ulp_bound(dtype, std::max(kHostLibrary, u.cuda_f32), std::max(kHostLibrary, u.cuda_f64));
    return cuda ? ulp_bound(dtype, u.cuda_f32, u.cuda_f64) : ulp_bound(dtype, u.cpu_f32, u.cpu_f64);
}

/// Compares one call's result with the interpreter's and, for inexact functions, with the exact value.
class Comparison {
public:
    Comparison(const Operation& o, const NamedArrays& arguments, const HostArray& reference)
        : o_(o), arguments_(arguments), reference_(reference) {}

    std::string check(const HostArray& found, const TestDevice& device) const {
        if (exact()) return difference(reference_, found);
        if (found.dtype != reference_.dtype || found.shape != reference_.shape)
            return difference(reference_, found);
        return difference_where(reference_, found, [&](int64_t k) { return differs(found, device, k); });
    }

private:
    bool exact() const { return o_.op->has(kExact) || !is_float(o_.typing.operation); }

    /// The operand's element that the result's element comes from.
    Scalar operand(size_t k, int64_t position) const {
        const HostArray& array = arguments_[k].second;
        int64_t at = 0, stride = 1;
        for (size_t axis = array.shape.size(), out = reference_.shape.size(); axis-- > 0;) {
            const int64_t extent = reference_.shape[--out];
            if (array.shape[axis] != 1) at += position % extent * stride;
            stride *= array.shape[axis];
            position /= extent;
        }
        return array.at(at);
    }

    bool differs(const HostArray& found, const TestDevice& device, int64_t k) const {
        const DType dtype = found.dtype;
        const double got = scalar_to_f64(dtype, found.at(k)), near = scalar_to_f64(dtype, reference_.at(k));
        if (same_element(dtype, found.at(k), reference_.at(k))) return false;
        if (std::isnan(got) || std::isnan(near)) return true;
        if (got == 0 && near == 0) return true;  // A zero of the wrong sign.
        Exact exact;
        const auto x = [&](size_t n) { return n < arguments_.size() ? number(n, k) : 0.0; };
        if (!exact_value(o_.op->name, x(0), x(1), exact)) return true;
        bool inside = true;
        for (size_t n = 0; n < arguments_.size(); ++n)
            inside &= x(n) >= o_.op->domain[n].low && x(n) <= o_.op->domain[n].high;
        return ulp_error(dtype, got, exact) > bound(*o_.op, dtype, device) * (inside ? 1 : kOutside);
    }

    double number(size_t n, int64_t k) const {
        const DType dtype = arguments_[n].second.dtype;
        return scalar_to_f64(dtype, operand(n, k));
    }

    const Operation& o_;
    const NamedArrays& arguments_;
    const HostArray& reference_;
};

}  // namespace

std::string compare_operation(const Operation& operation, const NamedArrays& arguments,
                              const HostArray& reference, const HostArray& found, const TestDevice& device) {
    return Comparison(operation, arguments, reference).check(found, device);
}

}  // namespace fuseline::testing
