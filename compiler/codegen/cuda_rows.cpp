// Prints the holds and inner nests of a kernel as CUDA C++: what a row keeps on chip, and its results.
#include <fmt/format.h>

#include "compiler/codegen/cuda_kernel_printer.h"

namespace fuseline {

using ir::Node;
using ir::NodeId;
using ir::Structure;
using ir::ValueId;

namespace {

constexpr int kLanes = 4;
constexpr size_t kLongLine = 100;

}  // namespace

/// A pointer for each held value; `chip` begins with the first place.
void CudaKernelPrinter::declare_room() {
    const CudaRoom room = cuda_room(f_, folds_);
    if (room.places.empty()) return;
    const std::string chip = names_.local("chip"), rest = names_.local("room");
    line(fmt::format("extern __shared__ uint4 {}[];", chip));
    line(room.of.size() == room.places.size() ? "// What each row of the block keeps on chip."
                                              : "// What each row of the block keeps on chip; what is read "
                                                "for the last time leaves its place.");
    line(fmt::format("unsigned char* {} = (unsigned char*){};", rest, chip));
    std::vector<std::string> first(room.places.size());
    for (NodeId id : folds_.phases) {
        for (uint32_t k = 0; k < f_.node(id).results_count && f_.node(id).op.is(Structure::hold_); ++k) {
            const ValueId v = f_.result(id, k);
            const std::string_view own = f_.value_name(v);
            const std::string name = names_.local(own.empty() ? "held" : std::string(own));
            const std::string_view type = row(f_.type(v).dtype).cuda_storage;
            std::string& place = first[room.of.at(v.index)];
            const std::string at =
                place.empty() ? fmt::format("fl_row_room<{}>({}, {})", type, rest, count_of(id)) : place;
            line(fmt::format("{}* const {} = {};", type, name, at));
            if (place.empty()) place = name;
            buffers_[v.index] = name;
        }
    }
}

void CudaKernelPrinter::row_phase(NodeId id) {
    enter_loops(id);
    statements_.place(id);
    const std::vector<CudaAccess> accesses = cuda_accesses(f_, id, kLanes);
    const bool four = !aligned_.empty() && takes_four(id, accesses);
    const bool nest = f_.node(id).op.is(Structure::nest_);
    const std::string count = count_of(id);
    std::vector<std::string> list = {nest ? fmt::format("{} ? {} : 0", inside_, count) : count,
                                     aligned_.empty() ? "false" : aligned_, one_of_row(id)};
    list.push_back(four ? four_of_row(id, accesses) : "fl_none{}");
    statements_.line(cuda_wrapped(fmt::format("fl_row_each<{}>(", cuda_fold_unroll(f_, id)), list, ");", 8));
    leave_loops(id);
}

/// Statements that give the targets their values.
std::vector<std::string> CudaKernelPrinter::row_values(NodeId id, const Loaded& loaded,
                                                       const std::string& inner,
                                                       const std::vector<std::string>& targets) {
    const CudaElement& element = row_elements_.at(id);
    std::vector<std::string> lines;
    if (element.copies) {
        for (size_t k = 0; k < targets.size(); ++k) {
            const NodeId from = f_.value(element.values[k]).definition;
            const bool load = from && f_.node(from).op.is(Structure::load_) &&
                              f_.node(from).parent == f_.region_of(f_.node(id), 0);
            lines.push_back(fmt::format("{} = {};", targets[k],
                                        load ? loaded(from) : statements_.use(element.values[k]).text));
        }
        return lines;
    }
    std::vector<std::string> list = arguments(element, loaded, inner);
    const bool single = targets.size() == 1;
    if (!single) list.insert(list.end(), targets.begin(), targets.end());
    return {
        cuda_wrapped(fmt::format("{}{}(", single ? targets[0] + " = " : "", element.name), list, ");", 16)};
}

/// Names the functions of a row's phases after what they give; a kernel of folds alone has few.
std::string CudaKernelPrinter::phase_name(NodeId id, const char* what) const {
    if (!folds_.rows) return what;
    const Node& n = f_.node(id);
    std::string_view own;
    if (n.results_count != 0) {
        own = f_.value_name(f_.result(id));
    } else if (!row_elements_.at(id).stores.empty()) {
        own = buffer(row_elements_.at(id).stores[0]);
    }
    return own.empty() ? what : fmt::format("{}_{}", names_.identifier(own), what);
}

/// Declares the function that computes one element of a row; gives its name.
std::string CudaKernelPrinter::one_of_row(NodeId id) {
    const std::string name = names_.local(phase_name(id, "one"));
    std::vector<std::string> targets;
    for (NodeId store : row_elements_.at(id).stores) targets.push_back(element_of(store));
    for (uint32_t k = 0; k < f_.node(id).results_count; ++k)
        targets.push_back(fmt::format("{}[{}]", buffers_.at(f_.result(id, k).index), flat_));
    std::vector<std::string> lines = own_axes(id);
    const auto loaded = [&](NodeId load) { return element_of(load); };
    for (std::string& value : row_values(id, loaded, axes_.back(), targets))
        lines.push_back(std::move(value));
    const std::string head = fmt::format("const auto {} = [&](const {} {}) {{", name, flat_type_, flat_);
    if (lines.size() == 1 && head.size() + lines[0].size() < kLongLine) {
        statements_.line(fmt::format("{} {} }};", head, lines[0]));
        return name;
    }
    statements_.line(head);
    for (const std::string& text : lines) statements_.line("    " + text);
    statements_.line("};");
    return name;
}

/// Declares the function that computes four neighbours; gives its name.
std::string CudaKernelPrinter::four_of_row(NodeId id, const std::vector<CudaAccess>& accesses) {
    const std::string name = names_.local(phase_name(id, "four")), lane = inner_name("lane");
    const bool rolled = cuda_fold_unroll(f_, id) == 0;
    const std::string pack_lane = rolled ? "0" : lane;
    statements_.line(fmt::format("const auto {} = [&](const {} {}) {{", name, flat_type_, flat_));
    for (const std::string& declaration : own_axes(id)) statements_.line("    " + declaration);
    std::vector<std::string> packs, targets, stores;
    const std::map<NodeId, std::string> loads = load_four(accesses, lane, pack_lane, &packs);
    const std::string inner = fmt::format("({} + {})", axes_.back(), lane);
    const auto target = [&](const std::string& base, std::string_view type, const std::string& to) {
        packs.push_back(inner_name(base + "4"));
        statements_.line(fmt::format("    fl_lanes<{}, 4> {};", type, packs.back()));
        targets.push_back(fmt::format("{}[{}]", packs.back(), pack_lane));
        stores.push_back(fmt::format("*(fl_lanes<{}, 4>*)({}) = {};", type, to, packs.back()));
    };
    for (const CudaAccess& a : accesses) {
        if (!f_.node(a.node).op.is(Structure::store_)) continue;
        const std::string_view type = row(f_.type(f_.operands(a.node)[0]).dtype).cuda_storage;
        if (a.wide) {
            target(buffer(a.node), type, address(a));
        } else {
            targets.push_back(fmt::format("{}[{}]", buffer(a.node), offset_of(a.node, inner)));
        }
    }
    for (uint32_t k = 0; k < f_.node(id).results_count; ++k) {
        const ValueId v = f_.result(id, k);
        const std::string& base = buffers_.at(v.index);
        target(base, row(f_.type(v).dtype).cuda_storage, base + " + " + flat_);
    }
    const auto loaded = [&](NodeId load) { return loads.at(load); };
    std::vector<std::string> values = row_values(id, loaded, inner, targets);
    if (rolled) values.push_back(cuda_wrapped("fl_turn(", packs, ");", 16));
    statements_.raw(rolled ? "#pragma unroll 1" : "#pragma unroll");
    const std::string head = fmt::format("    for (int {0} = 0; {0} < {1}; ++{0}) ", lane, kLanes);
    if (values.size() == 1 && head.size() + values[0].size() < kLongLine) {
        statements_.line(head + values[0]);
    } else {
        statements_.line(head + "{");
        for (const std::string& value : values) statements_.line("        " + value);
        statements_.line("    }");
    }
    for (const std::string& store : stores) statements_.line("    " + store);
    statements_.line("};");
    return name;
}

}  // namespace fuseline
