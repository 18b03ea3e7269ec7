// C++ arguments to values of a call.
#include <cmath>

#include <fmt/format.h>

#include "compiler/ops/op_table.h"
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
        throw UserError(fmt::format("argument `{}` must be {}{}: found {}", name,
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
        const Scalar given = Scalar::of_i64(value);
        const Scalar converted = evaluate(OpId::cast_, DType::i64_, dtype, &given);
        if (is_integer(dtype) && (converted != given || (value < 0) != is_negative(converted)))
            fail(fmt::format("{}, which does not fit {}", value, fuseline::name(dtype)));
        if (is_float(dtype) && std::isinf(scalar_to_f64(dtype, converted)))
            fail(fmt::format("{}, which is too large for {}", value, fuseline::name(dtype)));
        return scalar_value(converted);
    }

    PlanValue operator()(double value) const {
        if (!scalar || !is_float(dtype)) fail(scalar_text(DType::f64_, Scalar::of_f64(value)));
        const Scalar converted = scalar_from_f64(dtype, value);
        if (std::isinf(scalar_to_f64(dtype, converted)) && !std::isinf(value)) {
            fail(fmt::format("{}, which is too large for {}", scalar_text(DType::f64_, Scalar::of_f64(value)),
                             fuseline::name(dtype)));
        }
        return scalar_value(converted);
    }

    bool is_negative(Scalar integer) const {
        return row(dtype).type_class == TypeClass::signed_integer && integer.as_i64() < 0;
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
        const int64_t count = Array::element_count(shape);
        if (address == 0 && count != 0) fail("a null pointer");
        if (address % static_cast<uintptr_t>(byte_size(dtype)) != 0)
            fail(fmt::format("memory at 0x{:x}: align it to {} bytes, the size of an element", address,
                             byte_size(dtype)));
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
            fail(
                "device memory, and the session has no GPU: give host memory, or open the session with "
                "device "
                "`cuda`");
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
