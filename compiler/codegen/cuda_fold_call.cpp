// Prints a kernel with folds as CUDA C++: the functions of one element and of four neighbours, and the call.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/codegen/cuda_kernel_printer.h"
#include "compiler/ir/walk.h"

namespace fuseline {

using ir::Node;
using ir::NodeId;
using ir::Structure;
using ir::ValueId;

namespace {

constexpr int kLanes = 4;
constexpr size_t kLongLine = 100;
constexpr int kPrefix = 15;

const ir::Loops& loops_of(const ir::Function& f, NodeId fold) {
    return std::get<ir::Loops>(f.node(fold).attribute);
}

}  // namespace

void CudaKernelPrinter::fold(NodeId id) {
    CudaFold& fold = fold_texts_.at(id);
    const std::vector<std::string> outer = axes_;
    for (ValueId p : f_.region(f_.region_of(f_.node(id), 0)).parameters) {
        const std::string_view own = f_.value_name(p);
        axes_.push_back(
            inner_name(own.empty() ? std::string(1, "ijkl"[axes_.size() % 4]) : std::string(own)));
    }
    const std::string_view own = f_.value_name(f_.result(id));
    fold.variable = names_.local(own.empty() || !fold.fields.empty() ? "held" : std::string(own));
    const bool several = loops_of(f_, id).extents.size() > 1;
    fold.flat = several ? inner_name("r") : axes_.back();
    fold.flat_type = several ? sizes_.unsigned_type() : sizes_.index_type();
    statements_.place(id);
    const std::vector<CudaAccess> accesses = cuda_accesses(f_, id, kLanes);
    one_element(fold);
    if (takes_four(id, accesses)) {
        four_elements(fold, accesses);
        declare_fold_aligned(fold, accesses);
    }
    fold_call(fold);
    for (const std::string& name : lambda_names_) names_.release(name);
    lambda_names_.clear();
    axes_ = outer;
}

/// A name inside the functions of one fold.
std::string CudaKernelPrinter::inner_name(const std::string& wanted) {
    lambda_names_.push_back(names_.local(wanted));
    return lambda_names_.back();
}

/// Four neighbours at a time pay where some of their loads are one access and none stands in the element.
bool CudaKernelPrinter::takes_four(NodeId id, const std::vector<CudaAccess>& accesses) const {
    if (!folds_.team || cuda_fold_unroll(f_, id) == 0) return false;
    if (std::ranges::none_of(accesses, &CudaAccess::wide)) return false;
    const auto inner = sizes_.constant(loops_of(f_, id).extents.back());
    if (loops_of(f_, id).extents.size() > 1 && inner && *inner % kLanes != 0) return false;
    const std::vector<NodeId> nodes = ir::nodes_in_order(f_, f_.region_of(f_.node(id), 0));
    return std::ranges::none_of(nodes, [&](NodeId n) { return cuda_load_stays(f_, n); });
}

void CudaKernelPrinter::declare_fold_aligned(CudaFold& fold, const std::vector<CudaAccess>& accesses) {
    std::vector<std::string> conditions = alignment(accesses);
    const std::vector<ExtentId>& extents = loops_of(f_, fold.node).extents;
    if (extents.size() > 1 && !sizes_.constant(extents.back())) {
        const std::string rows =
            fmt::format("{} % {} == 0", sizes_.narrowed(extents.back(), "extent"), kLanes);
        if (std::ranges::find(conditions, rows) == conditions.end()) conditions.push_back(rows);
    }
    fold.aligned = names_.local("aligned");
    statements_.line(
        "// Neighbours where every array is aligned, else elements apart: the same for all threads.");
    statements_.line(cuda_wrapped(fmt::format("const bool {} = ", fold.aligned), conditions, ";", 8, " &&"));
}

/// Declarations of the fold's indices where it has several.
std::vector<std::string> CudaKernelPrinter::own_axes(const CudaFold& fold) {
    const std::vector<ExtentId>& extents = loops_of(f_, fold.node).extents;
    if (extents.size() == 1) return {};
    return divided(fold.flat, std::span(axes_).last(extents.size()), extents);
}

/// The state of one element as an expression.
std::string CudaKernelPrinter::state_of(const CudaFold& fold, const Loaded& loaded,
                                        const std::string& inner) {
    if (!fold.element.copies) {
        return cuda_wrapped(fold.element.name + "(", arguments(fold.element, loaded, inner), ")", 12);
    }
    std::vector<std::string> values;
    for (ValueId v : f_.region(f_.region_of(f_.node(fold.node), 0)).yields) {
        const Node* from = f_.definition(v);
        const bool load = from != nullptr && from->op.is(Structure::load_) &&
                          from->parent == f_.region_of(f_.node(fold.node), 0);
        values.push_back(load ? cuda_value(f_.type(v), loaded(f_.value(v).definition))
                              : statements_.use(v).text);
    }
    return fold.fields.empty() ? values[0] : fmt::format("{}{{{}}}", fold.state, fmt::join(values, ", "));
}

void CudaKernelPrinter::one_element(CudaFold& fold) {
    fold.one = names_.local("one");
    const std::string head =
        fmt::format("const auto {} = [&](const {} {}) {{", fold.one, fold.flat_type, fold.flat);
    const std::vector<std::string> declarations = own_axes(fold);
    const std::string state = state_of(fold, [&](NodeId load) { return element_of(load); }, axes_.back());
    if (declarations.empty() && head.size() + state.size() + 20 < kLongLine) {
        return statements_.line(fmt::format("{} return {}; }};", head, state));
    }
    statements_.line(head);
    for (const std::string& declaration : declarations) statements_.line("    " + declaration);
    statements_.line(fmt::format("    return {};", state));
    statements_.line("};");
}

void CudaKernelPrinter::four_elements(CudaFold& fold, const std::vector<CudaAccess>& accesses) {
    fold.four = names_.local("four");
    const std::string lane = inner_name("lane"), next = inner_name("next");
    statements_.line(
        fmt::format("const auto {} = [&](const {} {}) {{", fold.four, fold.flat_type, fold.flat));
    for (const std::string& declaration : own_axes(fold)) statements_.line("    " + declaration);
    std::map<NodeId, std::string> loaded;
    const std::string inner = fmt::format("({} + {})", axes_.back(), lane);
    for (const CudaAccess& a : accesses) {
        const std::string_view own = f_.value_name(f_.result(a.node));
        const std::string base = own.empty() ? buffer(a.node) : std::string(own);
        const std::string_view element = row(f_.type(f_.result(a.node)).dtype).cuda_storage;
        if (uses_[f_.node(a.node).results_begin].count == 0) continue;
        if (a.wide) {
            const std::string pack = inner_name(base + "4");
            statements_.line(
                fmt::format("    auto {} = *(const fl_lanes<{}, 4>*)({});", pack, element, address(a)));
            loaded[a.node] = fmt::format("{}[{}]", pack, lane);
        } else if (a.kind == CudaAccess::Kind::repeated) {
            loaded[a.node] = inner_name(base + "0");
            statements_.line(
                fmt::format("    const {} {} = {};", element, loaded[a.node], element_of(a.node)));
        } else {
            loaded[a.node] = fmt::format("{}[{}]", buffer(a.node), offset_of(a.node, inner));
        }
    }
    statements_.line(fmt::format("    fl_four<{}> {};", fold.state, next));
    statements_.raw("#pragma unroll");
    const std::string state = state_of(
        fold, [&](NodeId load) { return loaded.at(load); }, fmt::format("{} + {}", axes_.back(), lane));
    statements_.line(fmt::format("    for (int {0} = 0; {0} < 4; ++{0}) {1}[{0}] = {2};", lane, next, state));
    statements_.line(fmt::format("    return {};", next));
    statements_.line("};");
}

void CudaKernelPrinter::fold_call(CudaFold& fold) {
    std::vector<std::string> identity;
    for (ValueId v : f_.operands(fold.node)) identity.push_back(statements_.use(v).text);
    fold.identity =
        fold.fields.empty() ? identity[0] : fmt::format("{}{{{}}}", fold.state, fmt::join(identity, ", "));
    const std::vector<ExtentId>& extents = loops_of(f_, fold.node).extents;
    const CudaText single = sizes_.wide(extents[0]);
    const bool plain = extents.size() == 1 && (single.precedence == 0 || single.precedence >= kPrefix);
    const std::string count = plain ? single.text : "(" + product(extents) + ")";
    std::vector<std::string> list = {fmt::format("({}){}", sizes_.unsigned_type(), count)};
    if (folds_.team) list.push_back(fold.aligned.empty() ? "false" : fold.aligned);
    list.insert(list.end(), {fold.identity, fold.one});
    if (folds_.team) list.push_back(fold.four.empty() ? "fl_none{}" : fold.four);
    list.insert(list.end(), {fold.combine, shared_});
    const std::string head =
        fmt::format("{}{} {} = fl_fold_{}<{}>(", folds_.chained ? "const " : "", fold.state, fold.variable,
                    folds_.team ? "team" : "column",
                    folds_.team ? cuda_fold_unroll(f_, fold.node) : cuda_fold_together(f_, fold.node));
    statements_.line(cuda_wrapped(head, list, ");", 8));
    for (uint32_t k = 0; k < f_.node(fold.node).results_count; ++k) {
        const std::string field = fold.fields.empty() ? fold.variable : fold.variable + "." + fold.fields[k];
        statements_.bind(f_.result(fold.node, k), {field});
    }
}

}  // namespace fuseline
