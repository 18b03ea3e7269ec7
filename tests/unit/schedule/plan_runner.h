// Executes plans and kernels on the host, one index at a time: the meaning of the kernel form, for tests.
#pragma once

#include "compiler/interpreter/interpreter.h"
#include "compiler/interpreter/scalar_machine.h"
#include "compiler/ir/ir.h"
#include "compiler/support/errors.h"

namespace fuseline::testing {

/// One launch: buffers and scalars in the order of the kernel's parameters.
class KernelRunner {
public:
    KernelRunner(const ir::Function& kernel, const SizeMap& sizes)
        : f_(kernel), sizes_(sizes), machine_(kernel, sizes) {}

    void run(const std::vector<HostArray*>& arguments) {
        const ir::Region& body = f_.region(f_.body());
        for (size_t k = 0; k < arguments.size(); ++k) {
            const ir::ValueId p = body.parameters[k];
            buffers_[p.index] = arguments[k];
            if (f_.type(p).scalar())
                machine_.set(p, load_scalar(arguments[k]->dtype, arguments[k]->bytes.data()));
        }
        for (ir::NodeId id : body.nodes) f_.node(id).op.is(ir::Structure::nest_) ? nest(id) : node(id);
    }

private:
    int64_t size(ExtentId e) const { return size_value(f_, e, sizes_, {}); }

    void nest(ir::NodeId id) {
        std::vector<int64_t> extents;
        for (ExtentId e : std::get<ir::Loops>(f_.node(id).attribute).extents) extents.push_back(size(e));
        int64_t count = 1;
        for (int64_t e : extents) count *= e;
        indices_.assign(extents.size(), 0);
        for (int64_t i = 0; i < count; ++i) {
            for (ir::NodeId inner : f_.region(f_.region_of(f_.node(id), 0)).nodes) node(inner);
            for (size_t k = extents.size(); k-- > 0;) {
                if (++indices_[k] < extents[k]) break;
                indices_[k] = 0;
            }
        }
    }

    int64_t at(const ir::Affine& a) const {
        int64_t value = size(a.offset);
        for (const auto& t : a.terms) value += size(t.coefficient) * indices_[t.axis];
        return value;
    }

    std::byte* element(ir::ValueId buffer, const ir::Affine& a) {
        HostArray& array = *buffers_.at(buffer.index);
        const int64_t position = at(a);
        require(position >= 0 && position < array.element_count(), "a kernel reaches outside a buffer");
        return array.bytes.data() + position * byte_size(array.dtype);
    }

    void node(ir::NodeId id) {
        const ir::Node& n = f_.node(id);
        const auto operands = f_.operands(n);
        if (n.op.is(ir::Structure::load_)) {
            const std::byte* from = element(operands[0], std::get<ir::Affine>(n.attribute));
            machine_.set(f_.result(id), load_scalar(f_.type(operands[0]).dtype, from));
        } else if (n.op.is(ir::Structure::store_)) {
            store_scalar(f_.type(operands[0]).dtype, machine_.get(operands[1]),
                         element(operands[0], std::get<ir::Affine>(n.attribute)));
        } else if (n.op.is(ir::Structure::index_)) {
            machine_.set(f_.result(id), Scalar::of_i64(at(std::get<ir::Affine>(n.attribute))));
        } else {
            machine_.execute(id);
        }
    }

    const ir::Function& f_;
    const SizeMap& sizes_;
    ScalarMachine machine_;
    std::map<uint32_t, HostArray*> buffers_;
    std::vector<int64_t> indices_;
};

/// Runs a plan with its kernels on arrays; sizes are bound already.
inline std::vector<HostArray> run_plan(const ir::Function& plan, const std::vector<ir::Function>& kernels,
                                       const std::vector<HostArray>& arguments, const SizeMap& sizes) {
    std::map<uint32_t, HostArray> arrays;
    const ir::Region& body = plan.region(plan.body());
    for (size_t k = 0; k < arguments.size(); ++k) arrays[body.parameters[k].index] = arguments[k];
    const auto make = [&](ir::ValueId v) -> HostArray& {
        HostArray& a = arrays[v.index];
        a.dtype = plan.type(v).dtype;
        for (ExtentId e : plan.type(v).shape) a.shape.push_back(size_value(plan, e, sizes, {}));
        a.bytes.assign(static_cast<size_t>(a.element_count() * byte_size(a.dtype)), std::byte{0xee});
        return a;
    };
    for (ir::NodeId id : body.nodes) {
        const ir::Node& n = plan.node(id);
        if (n.op.is(ir::Structure::check_)) {
            test_check(plan, id, sizes);
        } else if (n.op.is(ir::Structure::launch_)) {
            const auto& launch = std::get<ir::Launch>(n.attribute);
            SizeMap bound;
            for (const auto& [name, e] : launch.sizes) bound[name] = size_value(plan, e, sizes, {});
            std::vector<HostArray*> operands;
            for (ir::ValueId v : plan.operands(n)) operands.push_back(&arrays.at(v.index));
            for (const ir::Function& kernel : kernels) {
                if (kernel.name == launch.kernel) KernelRunner(kernel, bound).run(operands);
            }
        } else if (n.op.is(ir::Structure::alloc_)) {
            make(plan.result(id));
        } else {
            HostArray& a = make(plan.result(id));
            store_scalar(a.dtype, evaluate_scalar(plan, plan.result(id), sizes), a.bytes.data());
        }
    }
    std::vector<HostArray> results;
    for (ir::ValueId v : body.yields) results.push_back(arrays.at(v.index));
    return results;
}

}  // namespace fuseline::testing
