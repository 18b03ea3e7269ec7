// Prints a map kernel as CUDA C++: which thread has which indices, and its call of the element's function.
#include <fmt/format.h>

#include "compiler/codegen/cuda_geometry.h"
#include "compiler/codegen/cuda_kernel_printer.h"

namespace fuseline {

using ir::NodeId;

namespace {

constexpr int kProduct = 13;

std::string factor(const CudaText& t) { return t.precedence != 0 && t.precedence < kProduct ? "(" + t.text + ")" : t.text; }

}  // namespace

std::string CudaKernelPrinter::element_of(NodeId access) {
    const auto& affine = std::get<ir::Affine>(f_.node(access).attribute);
    return fmt::format("{}[{}]", buffer(access), sizes_.affine(affine, axes_).text);
}

std::vector<std::string> CudaKernelPrinter::arguments(const std::function<std::string(NodeId)>& loaded, const std::string& inner) {
    std::vector<std::string> list;
    for (const CudaArgument& a : element_.arguments) {
        switch (a.kind) {
            case CudaArgument::Kind::load: list.push_back(loaded(a.node)); break;
            case CudaArgument::Kind::axis: list.push_back(a.axis + 1 == axes_.size() ? inner : axes_[a.axis]); break;
            case CudaArgument::Kind::scalar: list.push_back(statements_.use(a.value).text); break;
            case CudaArgument::Kind::size: list.push_back(symbols_.at(a.symbol)); break;
        }
    }
    return list;
}

void CudaKernelPrinter::call(std::vector<std::string> arguments, const std::vector<std::string>& targets) {
    if (targets.size() == 1) return wrapped(fmt::format("{} = {}(", targets[0], element_.name), arguments, ");");
    arguments.insert(arguments.end(), targets.begin(), targets.end());
    wrapped(element_.name + "(", arguments, ");");
}

void CudaKernelPrinter::one_each() {
    std::vector<std::string> targets;
    for (NodeId store : element_.stores) targets.push_back(element_of(store));
    call(arguments([&](NodeId load) { return element_of(load); }, axes_.empty() ? "" : axes_.back()), targets);
}

void CudaKernelPrinter::sequential() {
    for (size_t k = 0; k < axes_.size(); ++k) {
        line(fmt::format("for ({0} {1} = 0; {1} < {2}; ++{1}) {{", sizes_.index_type(), axes_[k],
                         sizes_.narrowed(loops_.extents[k], axes_[k] + "_end")));
        ++indent_;
    }
    one_each();
    for (size_t k = 0; k < axes_.size(); ++k) {
        --indent_;
        line("}");
    }
}

void CudaKernelPrinter::threads() {
    const size_t inner = axes_.size() - 1;
    const bool grouped = loops_.lanes != 1;
    std::string width = factor(sizes_.wide(loops_.extents[inner]));
    if (grouped) {
        groups_ = names_.local("groups");
        line(fmt::format("const {} {} = ({} + {}) / {};", sizes_.unsigned_type(), groups_,
                         sizes_.wide(loops_.extents[inner]).text, loops_.lanes - 1, loops_.lanes));
        width = groups_;
    }
    thread_ = names_.local(grouped && inner == 0 ? "group" : "thread");
    if (sizes_.narrow()) {
        line(fmt::format("const unsigned {} = blockIdx.x * {}u + threadIdx.x;", thread_, kCudaThreads));
    } else {
        // More blocks than a grid's x holds stand in rows.
        line(fmt::format("const unsigned long long {} =", thread_));
        line(fmt::format("    (blockIdx.y * (unsigned long long)gridDim.x + blockIdx.x) * {} + threadIdx.x;", kCudaThreads));
    }
    std::string total;
    for (size_t k = 0; k < inner; ++k) total += factor(sizes_.wide(loops_.extents[k])) + " * ";
    line(fmt::format("if ({} >= {}) return;", thread_, total + width));
    outer_axes(inner);
}

/// One division an axis by the flat number: no thread is idle whatever the length of a row, and a division of 32 bits
/// hides behind the thread's 16-byte accesses.
void CudaKernelPrinter::outer_axes(size_t inner) {
    const bool grouped = loops_.lanes != 1;
    std::string rest = thread_;
    for (size_t k = inner; k > 0; --k) {
        const bool group = k == inner && grouped;
        const CudaText wide = sizes_.wide(loops_.extents[k]);
        const std::string extent =
            group ? groups_ : fmt::format("({}){}", sizes_.unsigned_type(), wide.precedence == 0 ? wide.text : "(" + wide.text + ")");
        const std::string index = group ? names_.local("group") : axes_[k];
        const std::string next = k == 1 ? axes_[0] : names_.local("row");
        line(fmt::format("const {} {} = {} / {};", k == 1 ? sizes_.index_type() : sizes_.unsigned_type(), next, rest, extent));
        line(fmt::format("const {} {} = {} % {};", group ? sizes_.unsigned_type() : sizes_.index_type(), index, rest, extent));
        if (group) thread_ = index;
        rest = next;
    }
    if (inner == 0 && !grouped) line(fmt::format("const {} {} = {};", sizes_.index_type(), axes_[0], thread_));
}

}  // namespace fuseline
