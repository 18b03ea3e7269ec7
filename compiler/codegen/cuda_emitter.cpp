// Prints a kernel as CUDA C++: parameters, scalar code before the nest, the whole.
#include <fmt/format.h>

#include "compiler/codegen/cuda_geometry.h"
#include "compiler/codegen/cuda_kernel_printer.h"
#include "compiler/codegen/emitters.h"
#include "compiler/codegen/prelude_blocks.h"
#include "compiler/support/errors.h"
#include "embedded/cuda_fold.h"
#include "embedded/cuda_lanes.h"
#include "embedded/cuda_prelude.h"
#include "embedded/cuda_rows.h"

namespace fuseline {

using ir::Node;
using ir::NodeId;
using ir::Structure;
using ir::ValueId;

namespace {

/// The function of a hold's or an inner nest's element: named after what it gives.
std::string row_function(const ir::Function& f, NodeId phase) {
    std::string_view own;
    if (f.node(phase).results_count != 0) own = f.value_name(f.result(phase));
    for (NodeId id : f.region(f.region_of(f.node(phase), 0)).nodes) {
        if (own.empty() && f.node(id).op.is(Structure::store_))
            own = f.parameter_names[f.value(f.operands(id)[0]).position];
    }
    return fmt::format("{}_{}_element", f.name, own.empty() ? "row" : own);
}

}  // namespace

CudaKernelPrinter::CudaKernelPrinter(const ir::Function& f, const std::string& symbol,
                                     const SourceMap* sources)
    : f_(f),
      symbol_(symbol),
      nest_(cuda_nest(f)),
      loops_(std::get<ir::Loops>(f.node(nest_).attribute)),
      uses_(cuda_uses(f)),
      statements_(f, uses_, sources, names_),
      sizes_(f, symbols_, names_),
      folds_(cuda_folds(f)) {
    reserve_names();
    if (!folds_.any()) element_ = cuda_element(f_, nest_, uses_, sources, function_);
    for (NodeId id : folds_.phases) {
        if (f_.node(id).op.is(Structure::fold_)) {
            fold_texts_[id] = cuda_fold_functions(f_, id, uses_, sources, names_);
        } else {
            row_elements_[id] = cuda_element(f_, id, uses_, sources, names_.local(row_function(f_, id)));
        }
    }
}

std::string CudaKernelPrinter::print() {
    before_nest();
    const std::string scalars = statements_.take();
    name_axes();
    nest();
    std::string kernel = signature() + scalars;
    for (const std::string& declaration : sizes_.declarations()) kernel += "    " + declaration + "\n";
    std::string functions = element_.copies ? "" : "// One element.\n" + element_.text + "\n";
    for (NodeId id : folds_.phases) {
        const auto row = row_elements_.find(id);
        if (row == row_elements_.end()) {
            functions += fold_texts_[id].text;
        } else if (!row->second.copies) {
            functions += "// One element.\n" + row->second.text + "\n";
        }
    }
    const std::string code = functions + kernel + body_ + "}\n";
    std::string library(embedded::kCudaPrelude);
    library += "\n";
    library += embedded::kCudaLanes;
    library += "\n";
    library += embedded::kCudaFold;
    library += "\n";
    library += embedded::kCudaRows;
    return heading() + select_prelude(library, prelude_names(library, code)) + code;
}

std::string CudaKernelPrinter::heading() const {
    const std::string lanes = loops_.lanes == 1 ? "" : fmt::format(", {} elements a thread", loops_.lanes);
    const std::string shares = !folds_.any() ? lanes
                               : folds_.rows ? ", neighbouring threads share a row"
                               : folds_.team ? ", neighbouring threads share an output"
                                             : ", neighbouring threads have neighbouring outputs";
    return fmt::format("// Kernel {}: {}{}, {}-bit indices.\n\n", names_.identifier(f_.name),
                       names_.identifier(f_.schedule), shares, f_.index_bits);
}

std::string CudaKernelPrinter::signature() const {
    // The 1 keeps ptxas from spilling for an occupancy that nobody asked for.
    const std::string head = fmt::format("extern \"C\" __global__ void __launch_bounds__({}, 1) {}(",
                                         folds_.any() ? folds_.most_threads() : kCudaThreads, symbol_);
    return cuda_wrapped(head, parameters_, ") {", 4) + "\n";
}

std::string CudaKernelPrinter::parameter(ValueId v, const std::string& name) const {
    const std::string_view type = row(f_.type(v).dtype).cuda_storage;
    switch (f_.type(v).kind) {
        case ir::TypeKind::read_buffer: return fmt::format("const {}* __restrict__ {}", type, name);
        case ir::TypeKind::write_buffer: return fmt::format("{}* __restrict__ {}", type, name);
        default: return fmt::format("const {} {}", type, name);
    }
}

void CudaKernelPrinter::reserve_names() {
    names_.take(symbol_);
    function_ = names_.local(f_.name + "_element");
    const ir::Region& body = f_.region(f_.body());
    for (size_t k = 0; k < body.parameters.size(); ++k) {
        const ValueId v = body.parameters[k];
        const std::string name = names_.named(f_.parameter_names[k]);
        parameters_.push_back(parameter(v, name));
        statements_.bind(v, {cuda_value(f_.type(v), name)});
        buffers_.emplace(v.index, name);
    }
    for (const std::string& size : f_.sizes) {
        symbols_[size] = names_.named(size);
        parameters_.push_back("const long long " + symbols_[size]);
    }
    if (folds_.shared()) {
        workspace_ = names_.local("work");
        parameters_.push_back("unsigned char* " + workspace_);
    }
    for (NodeId id : body.nodes) {
        const Node& n = f_.node(id);
        for (uint32_t k = 0; k < n.results_count; ++k) names_.prefer(f_.value_name(f_.result(id, k)));
    }
}

void CudaKernelPrinter::before_nest() {
    statements_.print(f_.body(), [&](NodeId id) {
        const Node& n = f_.node(id);
        if (cuda_load_stays(f_, id)) {
            const std::string offset = n.op.is(Structure::load_) ? offset_of(id, "") : "";
            statements_.result(id, cuda_guarded(f_, id, buffer(id), offset, statements_));
        } else if (n.op.is(Structure::load_)) {
            statements_.result(id, {cuda_value(f_.type(f_.result(id)), element_of(id))});
        } else if (n.op.is(Structure::extent_)) {
            statements_.result(id, cuda_size_value(f_.extents, std::get<ExtentId>(n.attribute), symbols_));
        } else {
            require(n.op.is(Structure::nest_), "the CUDA emitter does not know an operation before the nest");
        }
    });
}

void CudaKernelPrinter::name_axes() {
    for (ValueId p : f_.region(f_.region_of(f_.node(nest_), 0)).parameters) {
        const std::string_view own = f_.value_name(p);
        axes_.push_back(
            names_.local(own.empty() ? std::string(1, "ijkl"[axes_.size() % 4]) : std::string(own)));
    }
}

void CudaKernelPrinter::nest() {
    if (folds_.any()) return fold_nest();
    if (loops_.extents.empty()) return one_each();
    if (loops_.mapping == ir::Mapping::sequential) return sequential();
    if (loops_.lanes != 1) return lanes();
    if (axes_.size() == 1) {
        threads_of_line();
    } else {
        threads_of_rows();
    }
    one_each();
}

void CudaKernelPrinter::line(std::string_view text) {
    body_.append(4 * indent_, ' ');
    body_ += text;
    body_ += '\n';
}

void CudaKernelPrinter::wrapped(const std::string& head, const std::vector<std::string>& items,
                                const std::string& tail) {
    const std::string margin(4 * indent_, ' ');
    body_ += cuda_wrapped(margin + head, items, tail, 4 * indent_ + 4) + "\n";
}

std::string emit_cuda(const ir::Function& kernel, const std::string& symbol, const SourceMap* sources) {
    return CudaKernelPrinter(kernel, symbol, sources).print();
}

}  // namespace fuseline
