// What stands before a kernel for each of its folds.
#include "compiler/codegen/cuda_fold_functions.h"

#include <fmt/format.h>

#include "compiler/codegen/cuda_statements.h"

namespace fuseline {

using ir::Node;
using ir::NodeId;
using ir::ValueId;

namespace {

std::string type_of(const ir::Function& f, ValueId v) { return std::string(row(f.type(v).dtype).cuda); }

/// What people call the fold.
std::string fold_name(const ir::Function& f, NodeId fold) {
    const std::string_view own = f.value_name(f.result(fold));
    return own.empty() ? "fold" : std::string(own);
}

/// The lines of a text, four blanks further in.
std::string indented(const std::string& text) {
    std::string out;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = text.find('\n', begin) + 1;
        out += "    " + text.substr(begin, end - begin);
        begin = end;
    }
    return out;
}

std::string state_struct(const ir::Function& f, CudaFold& fold) {
    CudaNames names;
    std::string text = "struct " + fold.state + " {\n";
    for (uint32_t k = 0; k < f.node(fold.node).results_count; ++k) {
        const ValueId v = f.result(fold.node, k);
        const std::string_view own = f.value_name(v);
        fold.fields.push_back(own.empty() ? names.temporary() : names.named(own));
        text += fmt::format("    {} {};\n", type_of(f, v), fold.fields.back());
    }
    return text + "};\n";
}

/// A function object, so that templates see which function they call.
std::string combine_text(const ir::Function& f, const CudaFold& fold, const std::vector<CudaUse>& uses,
                         const SourceMap* sources, const std::string& name) {
    const ir::RegionId id = f.region_of(f.node(fold.node), 1);
    const std::vector<ValueId>& parameters = f.region(id).parameters;
    const size_t width = parameters.size() / 2;
    CudaNames names;
    names.take(fold.state);
    CudaStatements statements(f, uses, sources, names);
    std::vector<std::string> list;
    for (size_t side = 0; side < 2; ++side) {
        const std::string_view own = width == 1 ? f.value_name(parameters[side]) : std::string_view();
        const std::string state = own.empty() ? names.named(side == 0 ? "left" : "right") : names.named(own);
        list.push_back(fmt::format("const {}{} {}", fold.state, width == 1 ? "" : "&", state));
        for (size_t k = 0; k < width; ++k) {
            const std::string field = width == 1 ? state : state + "." + fold.fields[k];
            statements.bind(parameters[side * width + k], {field});
        }
    }
    statements.print(id, {});
    statements.give_back(f.region(id).yields);
    const std::string head = fmt::format("    __device__ __forceinline__ {} operator()(", fold.state);
    return fmt::format("struct {} {{\n{}\n{}    }}\n}};\n", name, cuda_wrapped(head, list, ") const {", 8),
                       indented(statements.take()));
}

}  // namespace

CudaFold cuda_fold_functions(const ir::Function& f, NodeId node, const std::vector<CudaUse>& uses,
                             const SourceMap* sources, CudaNames& names) {
    const Node& n = f.node(node);
    const std::string base = f.name + "_" + fold_name(f, node);
    CudaFold fold;
    fold.node = node;
    if (n.results_count == 1) {
        fold.state = type_of(f, f.result(node));
    } else {
        fold.state = names.local(base + "_state");
        fold.text += state_struct(f, fold) + "\n";
    }
    const std::string combine = names.local(base + "_combine");
    fold.combine = combine + "{}";
    fold.text += "// Two states; the left one is of lower elements.\n";
    fold.text += combine_text(f, fold, uses, sources, combine) + "\n";
    fold.element = cuda_fold_element(f, node, uses, sources, names.local(base + "_element"), fold.state);
    if (!fold.element.copies) fold.text += "// One element.\n" + fold.element.text + "\n";
    return fold;
}

}  // namespace fuseline
