// Accessors of functions, opcodes and the table of structural operations.
#include "compiler/ir/ir.h"

#include <fmt/format.h>

namespace fuseline::ir {

namespace {

constexpr uint32_t G = kFormGraph, K = kFormKernel, P = kFormPlan, S = kFormScalar;
constexpr uint32_t kMany = UINT32_MAX;

constexpr StructureRow kStructureTable[] = {
#define STRUCTURE(name, forms, attribute, low, high, regions, pure, doc) \
    {Structure::name##_, #name, forms, AttributeKind::attribute, low, high, regions, pure, doc},
#include "compiler/ir/structure_table.def"
#undef STRUCTURE
};

constexpr size_t kStructureCount = sizeof(kStructureTable) / sizeof(kStructureTable[0]);

}  // namespace

const StructureRow& row(Structure s) { return kStructureTable[static_cast<size_t>(s)]; }

size_t structure_count() { return kStructureCount; }

std::optional<Structure> structure_named(std::string_view name) {
    for (const StructureRow& r : kStructureTable) {
        if (r.name == name) return r.id;
    }
    return std::nullopt;
}

std::string structures_markdown() {
    std::string text =
        "| operation | stands in | operands | regions | attribute | meaning |\n|---|---|---|---|---|---|\n";
    constexpr std::string_view kForms[] = {"graph", "kernel", "plan", "scalar"};
    constexpr std::string_view kAttributes[] = {"",         "scalar", "size",   "affine", "index map", "text",
                                                "relation", "loops",  "launch", "axes",   "steps"};
    for (const StructureRow& r : kStructureTable) {
        std::string forms;
        for (size_t k = 0; k < std::size(kForms); ++k) {
            if ((r.forms >> k & 1) != 0) forms += (forms.empty() ? "" : ", ") + std::string(kForms[k]);
        }
        std::string operands = fmt::format("{}", r.operands_min);
        if (r.operands_max == kMany) operands += " or more";
        text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", r.name, forms, operands, r.regions,
                            kAttributes[static_cast<size_t>(r.attribute)], r.doc);
    }
    return text;
}

std::string_view Opcode::name() const { return elementwise() ? fuseline::name(op()) : row(structure()).name; }

bool Opcode::pure() const { return elementwise() || row(structure()).pure; }

ExtentId Affine::coefficient(uint32_t axis) const {
    for (const Term& term : terms) {
        if (term.axis == axis) return term.coefficient;
    }
    return {};
}

const Node* Function::definition(ValueId id) const {
    const NodeId node = value(id).definition;
    return node ? &nodes_[node.index] : nullptr;
}

std::string_view Function::value_name(ValueId id) const {
    const auto found = names_.find(id.index);
    return found == names_.end() ? std::string_view{} : std::string_view(found->second);
}

}  // namespace fuseline::ir
