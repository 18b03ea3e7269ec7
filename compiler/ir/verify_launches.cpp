// Tests the launches of a plan against the kernels that they name.
#include <algorithm>

#include "compiler/ir/verify_context.h"

namespace fuseline::ir {

namespace {

void check_operands(VerifyContext& c, NodeId id, const Function& kernel) {
    const std::span<const ValueId> operands = c.f.operands(id);
    const std::vector<ValueId>& parameters = kernel.region(kernel.body()).parameters;
    if (operands.size() != parameters.size()) {
        c.fault(id, fmt::format("has {} operands, kernel {} has {} parameters", operands.size(), kernel.name,
                                parameters.size()));
        return;
    }
    for (size_t k = 0; k < operands.size(); ++k) {
        const Type& given = c.f.type(operands[k]);
        const Type& wanted = kernel.type(parameters[k]);
        if (given.dtype != wanted.dtype) {
            c.fault(id,
                    fmt::format("operand {} is {}, parameter {} of the kernel is {}", c.value(operands[k]),
                                name(given.dtype), kernel.parameter_names[k], name(wanted.dtype)));
        }
        if (wanted.kind == TypeKind::value && given.rank() != 0) {
            c.fault(id, fmt::format("operand {} is an array, parameter {} of the kernel a scalar",
                                    c.value(operands[k]), kernel.parameter_names[k]));
        }
    }
}

void check_sizes(VerifyContext& c, NodeId id, const Function& kernel, const Launch& launch) {
    std::vector<std::string> bound;
    for (const auto& [symbol, size] : launch.sizes) bound.push_back(symbol);
    if (bound != kernel.sizes)
        c.fault(id, fmt::format("does not bind the sizes of kernel {} in order", kernel.name));
}

}  // namespace

std::vector<std::string> verify_launches(const Function& plan, std::span<const Function> kernels) {
    VerifyContext c(plan);
    c.start("launches");
    for (NodeId id : c.order) {
        const auto* launch = std::get_if<Launch>(&plan.node(id).attribute);
        if (launch == nullptr) continue;
        const auto kernel = std::ranges::find(kernels, launch->kernel, &Function::name);
        if (kernel == kernels.end()) {
            c.fault(id, fmt::format("there is no kernel {}", launch->kernel));
            continue;
        }
        check_operands(c, id, *kernel);
        check_sizes(c, id, *kernel, *launch);
    }
    return c.texts();
}

}  // namespace fuseline::ir
