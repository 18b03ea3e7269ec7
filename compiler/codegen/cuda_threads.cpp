// Prints a map kernel as CUDA C++: which thread has which indices, and its call of the element's function.
#include <fmt/format.h>

#include "compiler/codegen/cuda_geometry.h"
#include "compiler/codegen/cuda_kernel_printer.h"

namespace fuseline {

using ir::NodeId;

namespace {

constexpr int kProduct = 13;

std::string factor(const CudaText& t) {
    return t.precedence != 0 && t.precedence < kProduct ? "(" + t.text + ")" : t.text;
}

}  // namespace

std::string CudaKernelPrinter::element_of(NodeId access) {
    if (held(access)) return fmt::format("{}[{}]", buffer(access), flat_);
    const auto& affine = std::get<ir::Affine>(f_.node(access).attribute);
    return fmt::format("{}[{}]", buffer(access), sizes_.affine(affine, axes_).text);
}

std::string CudaKernelPrinter::offset_of(NodeId access, const std::string& inner) {
    std::vector<std::string> axes = axes_;
    if (!axes.empty()) axes.back() = inner;
    return sizes_.affine(std::get<ir::Affine>(f_.node(access).attribute), axes).text;
}

std::vector<std::string> CudaKernelPrinter::arguments(const CudaElement& element, const Loaded& loaded,
                                                      const std::string& inner) {
    std::vector<std::string> list;
    for (const CudaArgument& a : element.arguments) {
        switch (a.kind) {
            case CudaArgument::Kind::load: list.push_back(loaded(a.node)); break;
            case CudaArgument::Kind::buffer: list.push_back(buffer(a.node)); break;
            case CudaArgument::Kind::offset: list.push_back(offset_of(a.node, inner)); break;
            case CudaArgument::Kind::axis:
                list.push_back(a.axis + 1 == axes_.size() ? inner : axes_[a.axis]);
                break;
            case CudaArgument::Kind::scalar: list.push_back(statements_.use(a.value).text); break;
            case CudaArgument::Kind::size: list.push_back(symbols_.at(a.symbol)); break;
        }
    }
    return list;
}

void CudaKernelPrinter::copy(const Loaded& loaded, const std::vector<std::string>& targets) {
    for (size_t k = 0; k < targets.size(); ++k) {
        const ir::ValueId v = f_.operands(element_.stores[k])[1];
        const NodeId from = f_.value(v).definition;
        const bool load =
            from && f_.node(from).op.is(ir::Structure::load_) && f_.node(from).parent != f_.body();
        line(fmt::format("{} = {};", targets[k], load ? loaded(from) : statements_.use(v).text));
    }
}

void CudaKernelPrinter::compute(const Loaded& loaded, const std::string& inner,
                                const std::vector<std::string>& targets) {
    if (element_.copies) return copy(loaded, targets);
    std::vector<std::string> list = arguments(element_, loaded, inner);
    if (targets.size() == 1) return wrapped(fmt::format("{} = {}(", targets[0], element_.name), list, ");");
    list.insert(list.end(), targets.begin(), targets.end());
    wrapped(element_.name + "(", list, ");");
}

void CudaKernelPrinter::one_each() {
    std::vector<std::string> targets;
    for (NodeId store : element_.stores) targets.push_back(element_of(store));
    compute([&](NodeId load) { return element_of(load); }, axes_.empty() ? "" : axes_.back(), targets);
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

/// The number of the block, where a grid of more blocks than its x holds stands in rows.
std::string CudaKernelPrinter::block() const {
    return sizes_.narrow() ? "blockIdx.x" : "(blockIdx.y * (unsigned long long)gridDim.x + blockIdx.x)";
}

/// One axis: neighbouring threads have neighbouring elements; lanes as `first_element` says.
void CudaKernelPrinter::threads_of_line() {
    const std::string type = sizes_.unsigned_type();
    thread_ = names_.local("first");
    const std::string bits = sizes_.narrow() ? "u" : "ull";
    const bool neighbours = loops_.lanes != 1 && !aligned_.empty();
    const std::string own =
        neighbours ? fmt::format("threadIdx.x * ({} ? {} : 1)", aligned_, loops_.lanes) : "threadIdx.x";
    line(fmt::format("const {} {} = {} * {}{} + {};", type, thread_, block(), kCudaThreads * loops_.lanes,
                     bits, own));
    line(fmt::format("if ({} >= {}) return;", thread_, sizes_.wide(loops_.extents[0]).text));
    line(fmt::format("const {} {} = {};", sizes_.index_type(), axes_[0], thread_));
}

/// Several axes: the flat number of the thread is divided by the lengths of the axes, so that no thread is
/// idle whatever the length of a row; a division of 32 bits hides behind the thread's 16-byte accesses.
void CudaKernelPrinter::threads_of_rows() {
    const size_t inner = axes_.size() - 1;
    std::string width = factor(sizes_.wide(loops_.extents[inner]));
    if (loops_.lanes != 1) {
        groups_ = names_.local("groups");
        line(fmt::format("const {} {} = ({} + {}) / {};", sizes_.unsigned_type(), groups_,
                         sizes_.wide(loops_.extents[inner]).text, loops_.lanes - 1, loops_.lanes));
        width = groups_;
    }
    thread_ = names_.local("thread");
    line(fmt::format("const {} {} = {} * {} + threadIdx.x;", sizes_.unsigned_type(), thread_, block(),
                     kCudaThreads));
    std::string total;
    for (size_t k = 0; k < inner; ++k) total += factor(sizes_.wide(loops_.extents[k])) + " * ";
    line(fmt::format("if ({} >= {}) return;", thread_, total + width));
    std::string rest = thread_;
    for (size_t k = inner; k > 0; --k) {
        const std::string next = k == 1 ? axes_[0] : names_.local("row");
        divide(rest, k, next);
        rest = next;
    }
}

/// `next = rest / extent` and the index of axis `k`, or its group of lanes, as the remainder.
void CudaKernelPrinter::divide(const std::string& rest, size_t k, const std::string& next) {
    const bool group = k + 1 == axes_.size() && loops_.lanes != 1;
    const CudaText wide = sizes_.wide(loops_.extents[k]);
    const std::string extent = group ? groups_
                               : sizes_.narrow()
                                   ? "(unsigned)" + (wide.precedence == 0 ? wide.text : "(" + wide.text + ")")
                                   : factor(wide);
    const std::string index = group ? names_.local("group") : axes_[k];
    const std::string type = k == 1 ? sizes_.index_type() : sizes_.unsigned_type();
    const std::string index_type = group ? sizes_.unsigned_type() : sizes_.index_type();
    if (sizes_.narrow()) {
        line(fmt::format("const {} {} = {} / {};", type, next, rest, extent));
        line(fmt::format("const {} {} = {} % {};", index_type, index, rest, extent));
    } else {
        line(fmt::format("const {} {} = fl_quotient({}, {});", type, next, rest, extent));
        line(fmt::format("const {} {} = {} - {} * {};", index_type, index, rest, next, extent));
    }
    if (group) thread_ = index;
}

}  // namespace fuseline
