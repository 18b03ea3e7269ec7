// Prints a map kernel as CUDA C++: loads, loop and stores of a thread that takes several elements.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/codegen/cuda_geometry.h"
#include "compiler/codegen/cuda_kernel_printer.h"
#include "compiler/support/errors.h"

namespace fuseline {

using ir::Node;
using ir::NodeId;
using ir::Structure;

namespace {

/// Bodies with more nodes in all their lanes, and loops, are compiled once and turned through their lanes.
/// Unrolled bodies run 10 to 17% faster where arithmetic is the limit, and take NVRTC half as long again.
constexpr size_t kUnrolledWork = 160;

/// From so many loads on that are made one by one, threads take elements apart, as a warp then reads a line
/// of memory with each where neighbours would read parts of four.
constexpr size_t kSingleLoads = 3;

void add_once(std::vector<std::string>& list, std::string text) {
    if (std::ranges::find(list, text) == list.end()) list.push_back(std::move(text));
}

}  // namespace

void CudaKernelPrinter::lanes() {
    std::vector<CudaAccess> accesses = cuda_accesses(f_, nest_, loops_.lanes);
    if (single_loads() >= kSingleLoads) {
        for (CudaAccess& a : accesses) a.wide = false;
    }
    declare_aligned(alignment(accesses));
    first_element();
    load_lanes(accesses);
    loop_over_lanes();
    store_lanes(accesses);
}

/// Loads that the element makes itself, one by one.
size_t CudaKernelPrinter::single_loads() const {
    return static_cast<size_t>(std::ranges::count_if(
        element_.arguments, [](const CudaArgument& a) { return a.kind == CudaArgument::Kind::offset; }));
}

/// The conditions, each the same for all threads, under which wide accesses are aligned.
std::vector<std::string> CudaKernelPrinter::alignment(const std::vector<CudaAccess>& accesses) {
    std::map<int, std::vector<std::string>> pointers;
    std::vector<std::string> strides;
    for (const CudaAccess& a : accesses) {
        if (!a.wide || a.held) continue;
        const auto& affine = std::get<ir::Affine>(f_.node(a.node).attribute);
        const bool moved = !sizes_.constant(affine.offset);
        add_once(pointers[a.bytes], moved ? fmt::format("(size_t)({} + {})", buffer(a.node),
                                                        sizes_.narrowed(affine.offset, "offset"))
                                          : "(size_t)" + buffer(a.node));
        for (const ir::Affine::Term& t : affine.terms) {
            if (t.axis == a.innermost || sizes_.constant(t.coefficient)) continue;
            add_once(strides,
                     fmt::format("{} % {} == 0", sizes_.narrowed(t.coefficient, "stride"), a.modulus));
        }
    }
    std::vector<std::string> conditions;
    for (const auto& [bytes, list] : pointers) {
        const std::string bits = fmt::format("{}", fmt::join(list, " | "));
        conditions.push_back(
            fmt::format("({} & {}) == 0", list.size() == 1 ? bits : "(" + bits + ")", bytes - 1));
    }
    conditions.insert(conditions.end(), strides.begin(), strides.end());
    return conditions;
}

void CudaKernelPrinter::declare_aligned(const std::vector<std::string>& alignment) {
    if (alignment.empty()) return;
    aligned_ = names_.local("aligned");
    line("// Neighbours where every array is aligned, else elements apart: the same for all threads.");
    body_ += cuda_wrapped(fmt::format("    const bool {} = ", aligned_), alignment, ";", 8, " &&") + "\n";
}

std::string CudaKernelPrinter::if_aligned(const std::string& yes, const std::string& no) const {
    return aligned_.empty() ? no : fmt::format("{} ? {} : {}", aligned_, yes, no);
}

void CudaKernelPrinter::first_element() {
    const std::string type = sizes_.index_type(), inner = axes_.back();
    step_ = names_.local("step");
    left_ = names_.local("left");
    whole_ = names_.local("whole");
    lane_ = names_.local("lane");
    if (axes_.size() == 1) {
        threads_of_line();
        line(fmt::format("const {} {} = {};", type, step_, if_aligned("1", std::to_string(kCudaThreads))));
    } else {
        threads_of_rows();
        const std::string lanes = fmt::format("{} * {}", loops_.lanes, thread_);
        line(fmt::format("const {} {} = {};", type, inner, if_aligned(lanes, thread_)));
        line(fmt::format("const {} {} = {};", type, step_, if_aligned("1", groups_)));
    }
    line(fmt::format("const {} {} = {} - {};", type, left_, sizes_.wide(loops_.extents.back()).text, inner));
    if (aligned_.empty()) return;
    line(fmt::format("const bool {} = {} && {} >= {};", whole_, aligned_, left_, loops_.lanes));
}

std::string CudaKernelPrinter::address(const CudaAccess& access) {
    if (access.held) return buffer(access.node) + " + " + flat_;
    const std::string at = sizes_.affine(std::get<ir::Affine>(f_.node(access.node).attribute), axes_).text;
    return at == "0" ? buffer(access.node) : buffer(access.node) + " + " + at;
}

std::string CudaKernelPrinter::access_arguments(const CudaAccess& access) {
    const std::string common = fmt::format("{}, {}, {}", step_, left_, access.wide ? whole_ : "false");
    if (access.kind == CudaAccess::Kind::neighbours) return common;
    const std::string stride = sizes_.narrowed(access.stride, "stride");
    const bool literal = !sizes_.narrow() && sizes_.constant(access.stride);
    return fmt::format("{}, {}{}", common, stride, literal && !stride.ends_with("ll") ? "ll" : "");
}

void CudaKernelPrinter::load_lanes(const std::vector<CudaAccess>& accesses) {
    for (const CudaAccess& a : accesses) {
        const Node& n = f_.node(a.node);
        if (!n.op.is(Structure::load_) || uses_[n.results_begin].count == 0) continue;
        const std::string_view own = f_.value_name(f_.result(a.node));
        const std::string base = own.empty() ? buffer(a.node) : std::string(own);
        if (a.kind == CudaAccess::Kind::repeated) {
            repeated_[a.node] = names_.local(base + "0");
            line(fmt::format("const {} {} = {};", row(f_.type(f_.result(a.node)).dtype).cuda_storage,
                             repeated_[a.node], element_of(a.node)));
            continue;
        }
        packs_[a.node] = names_.local(base + std::to_string(loops_.lanes));
        line(fmt::format("auto {} = fl_load<{}>({}, {});", packs_[a.node], loops_.lanes, address(a),
                         access_arguments(a)));
    }
    for (NodeId store : element_.stores) {
        packs_[store] = names_.local(buffer(store) + std::to_string(loops_.lanes));
        line(fmt::format("fl_lanes<{}, {}> {};", row(f_.type(f_.operands(store)[0]).dtype).cuda_storage,
                         loops_.lanes, packs_[store]));
    }
}

void CudaKernelPrinter::loop_over_lanes() {
    const size_t work = element_.work * static_cast<size_t>(loops_.lanes);
    const bool rolled = work > kUnrolledWork || element_.loops;
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
    std::string inner =
        fmt::format("{0} + ({1} * {2} < {3} ? {1} * {2} : 0)", axes_.back(), lane_, step_, left_);
    if (single_loads() != 0) {
        const std::string name = names_.local(axes_.back() + "_lane");
        line(fmt::format("const {} {} = {};", sizes_.index_type(), name, inner));
        inner = name;
    }
    compute(loaded, inner, targets);
    for (const auto& [node, name] : packs_) turned.push_back(name);
    if (rolled) wrapped("fl_turn(", turned, ");");
    --indent_;
    line("}");
}

void CudaKernelPrinter::store_lanes(const std::vector<CudaAccess>& accesses) {
    for (const CudaAccess& a : accesses) {
        if (!f_.node(a.node).op.is(Structure::store_)) continue;
        require(a.kind != CudaAccess::Kind::repeated, "a map kernel stores every element once");
        line(fmt::format("fl_store({}, {}, {});", address(a), packs_.at(a.node), access_arguments(a)));
    }
}

}  // namespace fuseline
