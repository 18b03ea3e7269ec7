// Prints a kernel with folds as CUDA C++: which thread works on which output, the code around the folds.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/codegen/cuda_geometry.h"
#include "compiler/codegen/cuda_kernel_printer.h"
#include "compiler/support/errors.h"

namespace fuseline {

using ir::Node;
using ir::NodeId;
using ir::Structure;

namespace {

constexpr int kProduct = 13;
constexpr int kPrefix = 15;

std::string factor(const CudaText& t, int around) {
    return t.precedence != 0 && t.precedence < around ? "(" + t.text + ")" : t.text;
}

}  // namespace

/// Code that folds, holds and inner nests need comes before them, all else after them in the one thread that
/// stores.
void CudaKernelPrinter::fold_nest() {
    shared_ = names_.local("shared");
    size_t bytes = 0;
    for (NodeId id : folds_.folds) bytes = std::max(bytes, cuda_state_bytes(f_, id));
    const size_t places = folds_.team ? kCudaWarp : static_cast<size_t>(folds_.most_threads());
    line(fmt::format("__shared__ unsigned long long {}[{}];", shared_, (places * bytes + 7) / 8));
    if (folds_.rows) declare_room();
    share_out();
    if (folds_.rows) aligned_ = declare_aligned_team(folds_.phases);
    const ir::RegionId region = f_.region_of(f_.node(nest_), 0);
    const auto node = [&](NodeId id) { nest_node(id); };
    statements_.print(region, node, [&](NodeId id) { return folds_.needed.contains(id); });
    if (folds_.shared()) join_blocks();
    if (after_phases()) {
        statements_.line(fmt::format("if (!{}) return;", owner_));
        statements_.print(region, node, [&](NodeId id) { return !folds_.needed.contains(id); });
    }
    body_ += statements_.take();
}

/// Whether one thread of each output has something to do after the folds.
bool CudaKernelPrinter::after_phases() const {
    return std::ranges::any_of(f_.region(f_.region_of(f_.node(nest_), 0)).nodes, [&](NodeId id) {
        return !folds_.needed.contains(id) && !f_.node(id).op.is(Structure::constant_);
    });
}

std::string CudaKernelPrinter::product(std::span<const ExtentId> extents) const {
    if (extents.size() == 1) return sizes_.wide(extents[0]).text;
    std::string text;
    for (ExtentId e : extents) text += (text.empty() ? "" : " * ") + factor(sizes_.wide(e), kProduct);
    return text.empty() ? "1" : text;
}

/// Declarations of the indices of a flat number.
std::vector<std::string> CudaKernelPrinter::divided(const std::string& flat,
                                                    std::span<const std::string> axes,
                                                    std::span<const ExtentId> extents) {
    const std::string type = sizes_.index_type(), flat_type = sizes_.unsigned_type();
    std::vector<std::string> lines;
    std::string rest = flat;
    for (size_t k = axes.size(); k-- > 1;) {
        const std::string next = k == 1 ? axes[0] : names_.local("row");
        const std::string next_type = k == 1 ? type : flat_type;
        const CudaText extent = sizes_.wide(extents[k]);
        if (sizes_.narrow()) {
            const std::string by = "(unsigned)" + factor(extent, kPrefix);
            lines.push_back(fmt::format("const {} {} = {} / {};", next_type, next, rest, by));
            lines.push_back(fmt::format("const {} {} = {} % {};", type, axes[k], rest, by));
        } else {
            const std::string by = factor(extent, kProduct);
            lines.push_back(fmt::format("const {} {} = fl_quotient({}, {});", next_type, next, rest, by));
            lines.push_back(fmt::format("const {} {} = {} - {} * {};", type, axes[k], rest, next, by));
        }
        rest = next;
    }
    if (axes.size() == 1) lines.push_back(fmt::format("const {} {} = {};", type, axes[0], rest));
    return lines;
}

/// Threads without an output help with the last one, as no thread may miss an exchange or a barrier.
void CudaKernelPrinter::share_out() {
    const std::string type = sizes_.unsigned_type(), place = names_.local("place");
    outputs_ = names_.local("outputs");
    output_ = names_.local("output");
    owner_ = names_.local("owner");
    const char* const across = folds_.team ? "y" : "x";
    const std::string wide = sizes_.narrow() ? "" : "(unsigned long long)";
    line(fmt::format("const {} {} = {};", type, outputs_, product(loops_.extents)));
    line(fmt::format("const {0} {1} = {2}blockIdx.x * blockDim.{3} + threadIdx.{3};", type, place, wide,
                     across));
    // A kernel of one output whose blocks leave no parts does not ask which output it is.
    if (!axes_.empty() || folds_.shared()) {
        line("// Threads without an output help with the last one.");
        line(fmt::format("const {0} {1} = {2} < {3} ? {2} : {3} - 1;", type, output_, place, outputs_));
    }
    std::string inside = fmt::format("{} < {}", place, outputs_);
    if (folds_.rows) {
        inside_ = names_.local("inside");
        line(fmt::format("const bool {} = {};", inside_, std::exchange(inside, inside_)));
    }
    if (after_phases()) {
        line(fmt::format("const bool {} = {} && {};", owner_, inside,
                         folds_.team ? "threadIdx.x == 0 && threadIdx.z == 0" : "threadIdx.y == 0"));
    }
    if (axes_.empty()) return;
    for (const std::string& declaration : divided(output_, axes_, loops_.extents)) line(declaration);
}

void CudaKernelPrinter::nest_node(NodeId id) {
    const Node& n = f_.node(id);
    if (n.op.is(Structure::fold_)) return fold(id);
    if (n.op.is(Structure::hold_) || n.op.is(Structure::nest_)) return row_phase(id);
    if (n.op.is(Structure::store_)) return statements_.assign(element_of(id), f_.operands(id)[1]);
    if (cuda_load_stays(f_, id)) {
        const std::string offset =
            n.op.is(Structure::load_) ? offset_of(id, axes_.empty() ? "" : axes_.back()) : "";
        return statements_.result(id, cuda_guarded(f_, id, buffer(id), offset, statements_));
    }
    if (n.op.is(Structure::load_)) {
        return statements_.result(id, {cuda_value(f_.type(f_.result(id)), element_of(id))});
    }
    if (n.op.is(Structure::extent_)) {
        return statements_.result(id, cuda_size_value(f_.extents, std::get<ExtentId>(n.attribute), symbols_));
    }
    require(n.op.is(Structure::index_), "the CUDA emitter does not know an operation of the nest");
    const CudaText at = sizes_.affine(std::get<ir::Affine>(n.attribute), axes_);
    statements_.result(id, {"(long long)" + factor(at, kPrefix), kPrefix});
}

/// Where several blocks share an output, the last one of them goes on with what all have found.
void CudaKernelPrinter::join_blocks() {
    const std::string tickets = names_.local("tickets");
    statements_.line("if (gridDim.y > 1) {");
    statements_.line(
        "    // Blocks share outputs: each leaves its part, the last one goes on with all of them.");
    statements_.line(fmt::format("    unsigned* const {} = fl_room<unsigned>({}, {});", tickets, workspace_,
                                 kCudaTickets));
    for (NodeId id : folds_.folds) {
        CudaFold& fold = fold_texts_.at(id);
        fold.parts = names_.local(fold.variable + "_parts");
        statements_.line(fmt::format("    auto* const {} = fl_room<fl_words<{}>>({}, {} * gridDim.y);",
                                     fold.parts, fold.state, workspace_, outputs_));
        statements_.line(fmt::format("    if ({}) fl_leave({}, {}, {}, {});", owner_, fold.parts, output_,
                                     outputs_, fold.variable));
    }
    statements_.line(fmt::format("    if (!fl_last_block({}, {})) return;", tickets, shared_));
    for (NodeId id : folds_.folds) {
        const CudaFold& fold = fold_texts_.at(id);
        const std::string head =
            fmt::format("    {} = fl_fold_{}_parts(", fold.variable, folds_.team ? "team" : "column");
        statements_.line(cuda_wrapped(
            head, {fold.parts, output_, outputs_, fold.identity, fold.combine, shared_}, ");", 12));
    }
    statements_.line("}");
}

}  // namespace fuseline
