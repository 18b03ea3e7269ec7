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

/// Names for the indices of a fold, a hold or an inner nest.
void CudaKernelPrinter::enter_loops(NodeId id) {
    const bool several = loops_of(f_, id).extents.size() > 1;
    for (ValueId p : f_.region(f_.region_of(f_.node(id), 0)).parameters) {
        const std::string_view own = f_.value_name(p);
        axes_.push_back(
            inner_name(own.empty() ? std::string(1, "ijkl"[axes_.size() % 4]) : std::string(own)));
    }
    flat_ = several ? inner_name("r") : axes_.back();
    flat_type_ = several ? sizes_.unsigned_type() : sizes_.index_type();
}

void CudaKernelPrinter::leave_loops(NodeId id) {
    for (const std::string& name : lambda_names_) names_.release(name);
    lambda_names_.clear();
    axes_.resize(axes_.size() - loops_of(f_, id).extents.size());
}

void CudaKernelPrinter::fold(NodeId id) {
    CudaFold& fold = fold_texts_.at(id);
    const std::string_view own = f_.value_name(f_.result(id));
    enter_loops(id);
    fold.variable = names_.local(own.empty() || !fold.fields.empty() ? "held" : std::string(own));
    statements_.place(id);
    const std::vector<CudaAccess> accesses = cuda_accesses(f_, id, kLanes);
    one_element(fold);
    if (folds_.rows) fold.aligned = aligned_;
    if (takes_four(id, accesses) && (!folds_.rows || !aligned_.empty())) {
        four_elements(fold, accesses);
        if (!folds_.rows) fold.aligned = declare_aligned_team({id});
    }
    fold_call(fold);
    leave_loops(id);
}

/// A name inside the functions of one fold.
std::string CudaKernelPrinter::inner_name(const std::string& wanted) {
    lambda_names_.push_back(names_.local(wanted));
    return lambda_names_.back();
}

/// Four neighbours at a time pay where some of their accesses are one, and in a fold none stands in the
/// element.
bool CudaKernelPrinter::takes_four(NodeId id, const std::vector<CudaAccess>& accesses) const {
    const bool fold = f_.node(id).op.is(Structure::fold_);
    if (!folds_.team || (fold && cuda_fold_unroll(f_, id) == 0)) return false;
    if (std::ranges::none_of(accesses, &CudaAccess::wide)) return false;
    const auto inner = sizes_.constant(loops_of(f_, id).extents.back());
    if (loops_of(f_, id).extents.size() > 1 && inner && *inner % kLanes != 0) return false;
    const std::vector<NodeId> nodes = ir::nodes_in_order(f_, f_.region_of(f_.node(id), 0));
    return !fold || std::ranges::none_of(nodes, [&](NodeId n) { return cuda_load_stays(f_, n); });
}

/// Whether threads take neighbours in all these phases; "" where they never do.
std::string CudaKernelPrinter::declare_aligned_team(const std::vector<NodeId>& phases) {
    std::vector<CudaAccess> all;
    std::vector<std::string> rows;
    for (NodeId id : phases) {
        const std::vector<CudaAccess> accesses = cuda_accesses(f_, id, kLanes);
        if (!takes_four(id, accesses)) continue;
        all.insert(all.end(), accesses.begin(), accesses.end());
        const std::vector<ExtentId>& extents = loops_of(f_, id).extents;
        if (extents.size() > 1 && !sizes_.constant(extents.back()))
            rows.push_back(fmt::format("{} % {} == 0", sizes_.narrowed(extents.back(), "extent"), kLanes));
    }
    std::vector<std::string> conditions = alignment(all);
    if (conditions.empty()) return {};
    for (const std::string& row : rows) {
        if (std::ranges::find(conditions, row) == conditions.end()) conditions.push_back(row);
    }
    const std::string name = names_.local("aligned");
    statements_.line(
        "// Neighbours where every array is aligned, else elements apart: the same for all threads.");
    statements_.line(cuda_wrapped(fmt::format("const bool {} = ", name), conditions, ";", 8, " &&"));
    return name;
}

/// Declarations of the indices of a fold, a hold or an inner nest where it has several.
std::vector<std::string> CudaKernelPrinter::own_axes(NodeId id) {
    const std::vector<ExtentId>& extents = loops_of(f_, id).extents;
    if (extents.size() == 1) return {};
    return divided(flat_, std::span(axes_).last(extents.size()), extents);
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
    fold.one = names_.local(phase_name(fold.node, "one"));
    const std::string head = fmt::format("const auto {} = [&](const {} {}) {{", fold.one, flat_type_, flat_);
    const std::vector<std::string> declarations = own_axes(fold.node);
    const std::string state = state_of(
        fold, [&](NodeId load) { return element_of(load); }, axes_.back());
    if (declarations.empty() && head.size() + state.size() + 20 < kLongLine) {
        return statements_.line(fmt::format("{} return {}; }};", head, state));
    }
    statements_.line(head);
    for (const std::string& declaration : declarations) statements_.line("    " + declaration);
    statements_.line(fmt::format("    return {};", state));
    statements_.line("};");
}

/// Loads of four neighbours, for a loop over their lanes: how each one is written there. `pack_lane` is the
/// lane in those that one access took, whose names go to `packs`.
std::map<NodeId, std::string> CudaKernelPrinter::load_four(const std::vector<CudaAccess>& accesses,
                                                           const std::string& lane,
                                                           const std::string& pack_lane,
                                                           std::vector<std::string>* packs) {
    std::map<NodeId, std::string> loaded;
    const std::string inner = fmt::format("({} + {})", axes_.back(), lane);
    for (const CudaAccess& a : accesses) {
        if (f_.node(a.node).op.is(Structure::store_) || uses_[f_.node(a.node).results_begin].count == 0)
            continue;
        const std::string_view own = f_.value_name(f_.result(a.node));
        const std::string base = own.empty() ? buffer(a.node) : std::string(own);
        const std::string_view element = row(f_.type(f_.result(a.node)).dtype).cuda_storage;
        if (a.wide) {
            const std::string pack = inner_name(base + "4");
            statements_.line(
                fmt::format("    auto {} = *(const fl_lanes<{}, 4>*)({});", pack, element, address(a)));
            loaded[a.node] = fmt::format("{}[{}]", pack, pack_lane);
            if (packs != nullptr) packs->push_back(pack);
        } else if (a.kind == CudaAccess::Kind::repeated) {
            loaded[a.node] = inner_name(base + "0");
            statements_.line(
                fmt::format("    const {} {} = {};", element, loaded[a.node], element_of(a.node)));
        } else {
            loaded[a.node] = fmt::format("{}[{}]", buffer(a.node), offset_of(a.node, inner));
        }
    }
    return loaded;
}

void CudaKernelPrinter::four_elements(CudaFold& fold, const std::vector<CudaAccess>& accesses) {
    fold.four = names_.local(phase_name(fold.node, "four"));
    const std::string lane = inner_name("lane"), next = inner_name("next");
    statements_.line(fmt::format("const auto {} = [&](const {} {}) {{", fold.four, flat_type_, flat_));
    for (const std::string& declaration : own_axes(fold.node)) statements_.line("    " + declaration);
    const std::map<NodeId, std::string> loaded = load_four(accesses, lane, lane);
    statements_.line(fmt::format("    fl_four<{}> {};", fold.state, next));
    statements_.raw("#pragma unroll");
    const std::string state = state_of(
        fold, [&](NodeId load) { return loaded.at(load); }, fmt::format("{} + {}", axes_.back(), lane));
    statements_.line(fmt::format("    for (int {0} = 0; {0} < 4; ++{0}) {1}[{0}] = {2};", lane, next, state));
    statements_.line(fmt::format("    return {};", next));
    statements_.line("};");
}

/// How many elements a fold, a hold or an inner nest has.
std::string CudaKernelPrinter::count_of(NodeId id) const {
    const std::vector<ExtentId>& extents = loops_of(f_, id).extents;
    const CudaText single = sizes_.wide(extents[0]);
    const bool plain = extents.size() == 1 && (single.precedence == 0 || single.precedence >= kPrefix);
    return fmt::format("({}){}", sizes_.unsigned_type(), plain ? single.text : "(" + product(extents) + ")");
}

void CudaKernelPrinter::fold_call(CudaFold& fold) {
    std::vector<std::string> identity;
    for (ValueId v : f_.operands(fold.node)) identity.push_back(statements_.use(v).text);
    fold.identity =
        fold.fields.empty() ? identity[0] : fmt::format("{}{{{}}}", fold.state, fmt::join(identity, ", "));
    std::vector<std::string> list = {count_of(fold.node)};
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
