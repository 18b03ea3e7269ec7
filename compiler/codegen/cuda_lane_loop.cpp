// Prints a map kernel as CUDA C++: loads, loop and stores of a thread that takes several elements.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/codegen/cuda_kernel_printer.h"
#include "compiler/support/errors.h"

namespace fuseline {

using ir::Node;
using ir::NodeId;
using ir::Structure;

namespace {

/// Bodies with more nodes are compiled once and turned through their lanes: an unrolled one doubles NVRTC's time.
constexpr size_t kUnrolledWork = 16;

void add_once(std::vector<std::string>& list, std::string text) {
    if (std::ranges::find(list, text) == list.end()) list.push_back(std::move(text));
}

}  // namespace

void CudaKernelPrinter::lanes() {
    const std::vector<CudaAccess> accesses = cuda_accesses(f_, nest_, loops_.lanes);
    first_element(alignment(accesses));
    load_lanes(accesses);
    loop_over_lanes();
    store_lanes(accesses);
}

/// The conditions, each the same for all threads, under which wide accesses are aligned.
std::vector<std::string> CudaKernelPrinter::alignment(const std::vector<CudaAccess>& accesses) {
    std::map<int, std::vector<std::string>> pointers;
    std::vector<std::string> strides;
    for (const CudaAccess& a : accesses) {
        if (!a.wide) continue;
        const auto& affine = std::get<ir::Affine>(f_.node(a.node).attribute);
        const bool moved = !sizes_.constant(affine.offset);
        add_once(pointers[a.bytes], moved ? fmt::format("(size_t)({} + {})", buffer(a.node), sizes_.narrowed(affine.offset, "offset"))
                                          : "(size_t)" + buffer(a.node));
        for (const ir::Affine::Term& t : affine.terms) {
            if (t.axis + 1 == axes_.size() || sizes_.constant(t.coefficient)) continue;
            add_once(strides, fmt::format("{} % {} == 0", sizes_.narrowed(t.coefficient, "stride"), a.modulus));
        }
    }
    std::vector<std::string> conditions;
    for (const auto& [bytes, list] : pointers) {
        const std::string bits = fmt::format("{}", fmt::join(list, " | "));
        conditions.push_back(fmt::format("({} & {}) == 0", list.size() == 1 ? bits : "(" + bits + ")", bytes - 1));
    }
    conditions.insert(conditions.end(), strides.begin(), strides.end());
    return conditions;
}

void CudaKernelPrinter::first_element(const std::vector<std::string>& alignment) {
    const std::string type = sizes_.index_type(), inner = axes_.back();
    step_ = names_.local("step");
    count_ = names_.local("count");
    whole_ = names_.local("whole");
    lane_ = names_.local("lane");
    std::string aligned;
    if (alignment.empty()) {
        line(fmt::format("const {} {} = {};", type, inner, thread_));
        line(fmt::format("const {} {} = {};", type, step_, groups_));
    } else {
        aligned = names_.local("aligned");
        line("// Neighbours where all arrays are aligned, else elements that lie `groups` apart; the same for all threads.");
        line(fmt::format("const bool {} = {};", aligned, fmt::join(alignment, " && ")));
        line(fmt::format("const {} {} = {} ? {} * {} : {};", type, inner, aligned, loops_.lanes, thread_, thread_));
        line(fmt::format("const {} {} = {} ? 1 : {};", type, step_, aligned, groups_));
    }
    const std::string end = sizes_.narrowed(loops_.extents.back(), inner + "_end");
    line(fmt::format("const int {} = fl_count<{}>({}, {} - {});", count_, loops_.lanes, step_, end, inner));
    if (!alignment.empty()) line(fmt::format("const bool {} = {} && {} == {};", whole_, aligned, count_, loops_.lanes));
}

std::string CudaKernelPrinter::address(const CudaAccess& access) {
    const std::string at = sizes_.affine(std::get<ir::Affine>(f_.node(access.node).attribute), axes_).text;
    return at == "0" ? buffer(access.node) : buffer(access.node) + " + " + at;
}

std::string CudaKernelPrinter::stride(const CudaAccess& access) {
    if (access.kind == CudaAccess::Kind::neighbours) return step_;
    return fmt::format("{} * {}", sizes_.narrowed(access.stride, "stride"), step_);
}

void CudaKernelPrinter::load_lanes(const std::vector<CudaAccess>& accesses) {
    for (const CudaAccess& a : accesses) {
        const Node& n = f_.node(a.node);
        if (!n.op.is(Structure::load_) || uses_[n.results_begin].count == 0) continue;
        const std::string_view own = f_.value_name(f_.result(a.node));
        const std::string base = own.empty() ? buffer(a.node) : std::string(own);
        if (a.kind == CudaAccess::Kind::repeated) {
            repeated_[a.node] = names_.local(base + "0");
            line(fmt::format("const {} {} = {};", row(f_.type(f_.result(a.node)).dtype).cuda, repeated_[a.node], element_of(a.node)));
            continue;
        }
        packs_[a.node] = names_.local(base + std::to_string(loops_.lanes));
        line(fmt::format("auto {} = fl_load<{}>({}, {}, {}, {});", packs_[a.node], loops_.lanes, address(a), stride(a), count_,
                         a.wide ? whole_ : "false"));
    }
    for (NodeId store : element_.stores) {
        packs_[store] = names_.local(buffer(store) + std::to_string(loops_.lanes));
        line(fmt::format("fl_lanes<{}, {}> {};", row(f_.type(f_.operands(store)[0]).dtype).cuda, loops_.lanes, packs_[store]));
    }
}

void CudaKernelPrinter::loop_over_lanes() {
    const bool rolled = element_.work > kUnrolledWork;
    const std::string at = rolled ? "0" : lane_;
    body_ += rolled ? "#pragma unroll 1\n" : "#pragma unroll\n";
    line(fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{", lane_, loops_.lanes));
    ++indent_;
    const auto loaded = [&](NodeId load) {
        const auto one = repeated_.find(load);
        return one != repeated_.end() ? one->second : fmt::format("{}[{}]", packs_.at(load), at);
    };
    std::vector<std::string> targets, turned;
    for (NodeId store : element_.stores) targets.push_back(fmt::format("{}[{}]", packs_.at(store), at));
    // Lanes without an element work on the first one's, so that every loop in the body ends.
    const std::string inner = fmt::format("{0} + ({1} < {2} ? {1} * {3} : 0)", axes_.back(), lane_, count_, step_);
    call(arguments(loaded, inner), targets);
    for (const auto& [node, name] : packs_) turned.push_back(name);
    if (rolled) wrapped("fl_turn(", turned, ");");
    --indent_;
    line("}");
}

void CudaKernelPrinter::store_lanes(const std::vector<CudaAccess>& accesses) {
    for (const CudaAccess& a : accesses) {
        if (!f_.node(a.node).op.is(Structure::store_)) continue;
        require(a.kind != CudaAccess::Kind::repeated, "a map kernel stores every element once");
        line(fmt::format("fl_store({}, {}, {}, {}, {});", address(a), packs_.at(a.node), stride(a), count_, a.wide ? whole_ : "false"));
    }
}

}  // namespace fuseline
