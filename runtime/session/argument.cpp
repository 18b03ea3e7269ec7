// C++ arguments to values of a call.
#include <cmath>

#include <fmt/format.h>

#include "compiler/support/errors.h"
#include "runtime/session/module_impl.h"

namespace fuseline {
namespace {

/// One argument being converted for one parameter.
struct Conversion {
    const std::string& name;
    DType dtype;
    bool scalar;
    const Device* device;

    [[noreturn]] void fail(const std::string& found) const {
        throw UserError(fmt::format("argument '{}' must be {}{}: found {}", name,
                                    scalar ? "" : "an array of ", fuseline::name(dtype), found));
    }

    PlanValue scalar_value(Scalar value) const {
        PlanValue v;
        v.dtype = dtype;
        v.scalar = value;
        return v;
    }

    PlanValue operator()(bool value) const {
        if (!scalar || !is_bool(dtype)) fail(value ? "true" : "false");
        return scalar_value(Scalar::of_bool(value));
    }

    PlanValue operator()(int64_t value) const {
        if (!scalar || is_bool(dtype)) fail(std::to_string(value));
        if (dtype == DType::f32_) return scalar_value(Scalar::of_f32(static_cast<float>(value)));
        if (is_float(dtype)) return (*this)(static_cast<double>(value));
        return scalar_value(Scalar::of_i64(value));
    }

    PlanValue operator()(double value) const {
        if (!scalar || !is_float(dtype)) fail(scalar_text(DType::f64_, Scalar::of_f64(value)));
        if (dtype == DType::f64_) return scalar_value(Scalar::of_f64(value));
        const auto narrow = static_cast<float>(value);
        if (std::isinf(narrow) && !std::isinf(value)) {
            fail(scalar_text(DType::f64_, Scalar::of_f64(value)) + ", which is too large for f32");
        }
        return scalar_value(Scalar::of_f32(narrow));
    }

    void test_type(DType found, const std::vector<int64_t>& shape) const {
        if (found != dtype || (scalar && !shape.empty())) fail(type_text(found, shape));
    }

    PlanValue operator()(const Array& array) const {
        test_type(array.dtype(), array.shape());
        if (scalar) return scalar_value(load_scalar(dtype, array.data()));
        PlanValue v;
        v.dtype = dtype;
        v.shape = array.shape();
        v.array = array.storage();
        if (array.storage()->allocation() != nullptr && array.storage()->device() == device) {
            v.pointer = array.storage()->allocation()->pointer;
            v.allocation = array.storage()->allocation();
            if (device->shares_host_memory()) v.host = v.pointer;
        } else {
            v.host = array.data();
        }
        return v;
    }

    /// Kernels access whole elements at multiples of their size.
    void test_memory(uintptr_t address, const std::vector<int64_t>& shape) const {
        if (address == 0 && Array::element_count(shape) != 0) fail("a null pointer");
        if (address % static_cast<uintptr_t>(byte_size(dtype)) != 0)
            fail("memory that is not aligned to its elements");
    }

    PlanValue operator()(const HostSpan& span) const {
        test_type(span.dtype, span.shape);
        test_memory(reinterpret_cast<uintptr_t>(span.data), span.shape);
        if (scalar) return scalar_value(load_scalar(dtype, span.data));
        PlanValue v;
        v.dtype = dtype;
        v.shape = span.shape;
        v.host = span.data;
        return v;
    }

    PlanValue operator()(const DeviceSpan& span) const {
        test_type(span.dtype, span.shape);
        if (device == nullptr || device->shares_host_memory())
            fail("device memory in a session that has no GPU");
        test_memory(span.pointer, span.shape);
        if (scalar) fail("device memory; a scalar must be a host value");
        PlanValue v;
        v.dtype = dtype;
        v.shape = span.shape;
        v.pointer = reinterpret_cast<void*>(span.pointer);
        return v;
    }
};

}  // namespace

PlanValue argument_value(const std::string& name, DType dtype, bool scalar, const Argument& argument,
                         const Device* device) {
    return std::visit(Conversion{name, dtype, scalar, device}, argument);
}

}  // namespace fuseline
