// The body of a nest as a device function of one element.
#include "compiler/codegen/cuda_element.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/codegen/cuda_sizes.h"
#include "compiler/codegen/cuda_statements.h"
#include "compiler/ir/walk.h"
#include "compiler/support/errors.h"

namespace fuseline {

using ir::Node;
using ir::NodeId;
using ir::RegionId;
using ir::Structure;
using ir::ValueId;

namespace {

constexpr size_t kColumns = 108;

class ElementPrinter {
public:
    ElementPrinter(const ir::Function& f, NodeId owner, const std::vector<CudaUse>& uses,
                   const SourceMap* sources)
        : f_(f),
          owner_(owner),
          region_(f.region_of(f.node(owner), 0)),
          uses_(uses),
          statements_(f, uses, sources, names_) {
        // The axes of a fold, a hold or an inner nest come after those of the nest around it.
        if (f.node(owner).parent != f.body()) axes_ = f.region(f.node(owner).parent).parameters;
        const std::vector<ValueId>& own = f.region(region_).parameters;
        axes_.insert(axes_.end(), own.begin(), own.end());
        axis_names_.resize(axes_.size());
    }

    CudaElement print(const std::string& name) {
        names_.take(name);
        out_.name = name;
        arguments();
        outputs();
        statements_.print(region_, [&](NodeId id) { access(id); });
        if (out_.values.size() == 1) {
            statements_.give_back(out_.values[0]);
            return whole(type_of(out_.values[0]));
        }
        // What is held is given at the end, what is stored where its store stands.
        for (size_t k = 0; k < out_.values.size() && out_.stores.empty(); ++k)
            statements_.assign(outputs_[k], out_.values[k]);
        return whole("void");
    }

    CudaElement print_state(const std::string& name, const std::string& state) {
        names_.take(name);
        names_.take(state);
        out_.name = name;
        arguments();
        statements_.print(region_, [&](NodeId id) { access(id); });
        statements_.give_back(f_.region(region_).yields);
        return whole(state);
    }

private:
    CudaElement whole(const std::string& type) {
        const std::string head = fmt::format("static __device__ __forceinline__ {} {}(", type, out_.name);
        out_.text = cuda_wrapped(head, parameters_, ") {", 4) + "\n" + statements_.take() + "}\n";
        return std::move(out_);
    }

    std::string type_of(ValueId v) const { return std::string(row(f_.type(v).dtype).cuda); }

    std::string parameter(const std::string& type, std::string_view wanted, CudaArgument argument) {
        const std::string name = wanted.empty() ? names_.temporary() : names_.named(wanted);
        parameters_.push_back(fmt::format("const {} {}", type, name));
        out_.arguments.push_back(std::move(argument));
        return name;
    }

    std::string_view buffer_name(ValueId buffer) const {
        if (f_.type(buffer).kind != ir::TypeKind::held) return f_.parameter_names[f_.value(buffer).position];
        return f_.value_name(buffer);
    }

    void arguments() {
        const std::vector<NodeId> nodes = ir::nodes_in_order(f_, region_);
        std::set<uint32_t> axes;
        for (NodeId id : nodes) {
            const Node& n = f_.node(id);
            for (uint32_t k = 0; k < n.results_count; ++k) names_.prefer(f_.value_name(f_.result(id, k)));
            if (cuda_load_stays(f_, id)) {
                own_load(id);
            } else if (n.op.is(Structure::load_)) {
                load(id);
            }
            if (n.op.is(Structure::index_)) {
                for (const ir::Affine::Term& t : std::get<ir::Affine>(n.attribute).terms) axes.insert(t.axis);
            }
            if (n.op.elementwise() || n.regions_count != 0) ++out_.work;
            if (n.op.is(Structure::while_) || n.op.is(Structure::for_)) out_.loops = true;
            const bool access = n.op.is(Structure::load_) || n.op.is(Structure::store_);
            if (cuda_load_stays(f_, id) || (!access && !n.op.is(Structure::constant_))) out_.copies = false;
        }
        for (uint32_t axis : axes) index(axis);
        inner_ = {nodes.begin(), nodes.end()};
        for (NodeId id : nodes) {
            for (ValueId v : f_.operands(id)) outer(v);
            const Node& n = f_.node(id);
            for (uint32_t k = 0; k < n.regions_count; ++k) {
                for (ValueId v : f_.region(f_.region_of(n, k)).yields) outer(v);
            }
        }
        // A fold over an axis along which its operand was stretched gives a value of the nest itself.
        for (ValueId v : f_.region(region_).yields) {
            const NodeId from = f_.value(v).definition;
            if (!from || !inner_.contains(from)) out_.copies = false;
            outer(v);
        }
        for (NodeId id : nodes) {
            ir::for_each_extent(f_.node(id).attribute, [&](ExtentId e) {
                if (f_.node(id).op.is(Structure::extent_) || f_.node(id).op.is(Structure::index_)) size(e);
            });
        }
    }

    void load(NodeId id) {
        const ValueId v = f_.result(id);
        if (uses_[v.index].count == 0) return;
        const std::string_view own = f_.value_name(v);
        const std::string_view wanted = own.empty() ? buffer_name(f_.operands(id)[0]) : own;
        statements_.bind(v, {parameter(type_of(v), wanted, {CudaArgument::Kind::load, id, 0, {}, {}})});
    }

    void own_load(NodeId id) {
        if (uses_[f_.node(id).results_begin].count == 0) return;
        const ValueId buffer = f_.operands(id)[0];
        std::string& name = buffers_[buffer.index];
        if (name.empty()) {
            const std::string type = fmt::format("{}*", row(f_.type(buffer).dtype).cuda_storage);
            name = parameter(type, buffer_name(buffer), {CudaArgument::Kind::buffer, id, 0, {}, {}});
        }
        if (!f_.node(id).op.is(Structure::load_)) return;
        const std::string type = f_.index_bits == 32 ? "int" : "long long";
        offsets_[id] = parameter(type, name + "_at", {CudaArgument::Kind::offset, id, 0, {}, {}});
    }

    void index(uint32_t axis) {
        const std::string_view own = f_.value_name(axes_[axis]);
        const std::string wanted =
            own.empty() ? std::string(1, static_cast<char>('i' + axis % 4)) : std::string(own);
        axis_names_[axis] = parameter("long long", wanted, {CudaArgument::Kind::axis, {}, axis, {}, {}});
    }

    /// A value from outside the nest becomes a parameter; constants are written where they are used.
    void outer(ValueId v) {
        const ir::ValueInfo& info = f_.value(v);
        if (info.type.kind != ir::TypeKind::value || statements_.bound(v)) return;
        const bool inside =
            info.definition ? inner_.contains(info.definition) : info.parameter_of != f_.body();
        if (inside || (info.definition && f_.node(info.definition).op.is(Structure::constant_))) return;
        std::string wanted(f_.value_name(v));
        if (!info.definition && wanted.empty()) wanted = f_.parameter_names[info.position];
        statements_.bind(v, {parameter(type_of(v), wanted, {CudaArgument::Kind::scalar, {}, 0, v, {}})});
    }

    void size(ExtentId e) {
        for (const std::string& symbol : f_.extents.symbols(e)) {
            if (symbols_.contains(symbol)) continue;
            symbols_[symbol] = parameter("long long", symbol, {CudaArgument::Kind::size, {}, 0, {}, symbol});
        }
    }

    void outputs() {
        std::vector<ValueId> buffers;
        for (NodeId id : f_.region(region_).nodes) {
            if (!f_.node(id).op.is(Structure::store_)) continue;
            out_.stores.push_back(id);
            out_.values.push_back(f_.operands(id)[1]);
            buffers.push_back(f_.operands(id)[0]);
        }
        const std::vector<ValueId>& yields = f_.region(region_).yields;
        for (uint32_t k = 0; k < yields.size(); ++k) {
            out_.values.push_back(yields[k]);
            buffers.push_back(f_.result(owner_, k));
        }
        for (size_t k = 0; k < buffers.size() && buffers.size() != 1; ++k) {
            // A value that is used elsewhere too keeps its name as a local.
            const bool local = uses_[out_.values[k].index].count > 1;
            const std::string_view own = buffer_name(buffers[k]);
            outputs_.push_back(names_.named(std::string(own.empty() ? "held" : own) + (local ? "_out" : "")));
            const std::string_view type = row(f_.type(buffers[k]).dtype).cuda_storage;
            parameters_.push_back(fmt::format("{}& {}", type, outputs_.back()));
        }
    }

    void access(NodeId id) {
        const Node& n = f_.node(id);
        if (cuda_load_stays(f_, id)) {
            const ValueId buffer = f_.operands(n)[0];
            if (uses_[n.results_begin].count == 0) return;
            const std::string offset = n.op.is(Structure::load_) ? offsets_.at(id) : "";
            statements_.result(id, cuda_guarded(f_, id, buffers_.at(buffer.index), offset, statements_));
        } else if (n.op.is(Structure::load_)) {
            return;
        } else if (n.op.is(Structure::store_)) {
            if (out_.stores.size() == 1) return;
            const auto at = std::ranges::find(out_.stores, id) - out_.stores.begin();
            statements_.assign(outputs_[static_cast<size_t>(at)], f_.operands(id)[1]);
        } else if (n.op.is(Structure::extent_)) {
            statements_.result(id, cuda_size_value(f_.extents, std::get<ExtentId>(n.attribute), symbols_));
        } else {
            require(n.op.is(Structure::index_), "the CUDA emitter does not know an operation of the nest");
            statements_.result(id, index_value(std::get<ir::Affine>(n.attribute)));
        }
    }

    CudaText index_value(const ir::Affine& affine) const {
        CudaSum sum;
        for (const ir::Affine::Term& t : affine.terms) {
            if (const auto value = f_.extents.constant_value(t.coefficient)) {
                sum.add(*value, axis_names_[t.axis]);
            } else {
                sum.add(factor(t.coefficient), axis_names_[t.axis]);
            }
        }
        if (const auto value = f_.extents.constant_value(affine.offset)) {
            if (affine.terms.empty()) return cuda_size_value(f_.extents, affine.offset, symbols_);
            sum.add(*value);
        } else {
            sum.add(factor(affine.offset), "");
        }
        return sum.text();
    }

    std::string factor(ExtentId e) const {
        const CudaText text = cuda_size(f_.extents, e, symbols_);
        return text.precedence == 0 ? text.text : "(" + text.text + ")";
    }

    const ir::Function& f_;
    NodeId owner_;
    RegionId region_;
    const std::vector<CudaUse>& uses_;
    CudaNames names_;
    CudaStatements statements_;
    std::set<NodeId> inner_;
    std::vector<ValueId> axes_;
    std::map<uint32_t, std::string> buffers_;
    std::map<NodeId, std::string> offsets_;
    std::vector<std::string> parameters_;
    std::vector<std::string> axis_names_;
    std::vector<std::string> outputs_;
    std::map<std::string, std::string> symbols_;
    CudaElement out_;
};

}  // namespace

CudaElement cuda_element(const ir::Function& kernel, NodeId nest, const std::vector<CudaUse>& uses,
                         const SourceMap* sources, const std::string& name) {
    return ElementPrinter(kernel, nest, uses, sources).print(name);
}

CudaElement cuda_fold_element(const ir::Function& kernel, NodeId fold, const std::vector<CudaUse>& uses,
                              const SourceMap* sources, const std::string& name, const std::string& state) {
    return ElementPrinter(kernel, fold, uses, sources).print_state(name, state);
}

bool cuda_load_stays(const ir::Function& kernel, NodeId node) {
    const Node& n = kernel.node(node);
    return n.op.is(Structure::load_at_) || (n.op.is(Structure::load_) && n.operands_count > 1);
}

CudaText cuda_guarded(const ir::Function& kernel, NodeId load, const std::string& buffer,
                      const std::string& offset, CudaStatements& statements) {
    const Node& n = kernel.node(load);
    const auto operands = kernel.operands(n);
    const size_t guard = n.op.is(Structure::load_at_) ? 2 : 1;
    const ir::Type& type = kernel.type(kernel.result(load));
    const std::string at = guard == 2 ? statements.use(operands[1]).text : offset;
    const CudaText element{cuda_value(type, fmt::format("{}[{}]", buffer, at))};
    if (operands.size() == guard) return element;
    const CudaText choice[] = {statements.use(operands[guard]), element, statements.use(operands[guard + 1])};
    return cuda_expression(OpId::where_, type.dtype, type.dtype, choice);
}

std::string cuda_wrapped(const std::string& head, const std::vector<std::string>& items,
                         const std::string& tail, size_t indent, std::string_view separator) {
    std::string text = head;
    size_t column = head.size() - (head.rfind('\n') == std::string::npos ? 0 : head.rfind('\n') + 1);
    for (size_t k = 0; k < items.size(); ++k) {
        const bool last = k + 1 == items.size();
        const size_t width = items[k].size() + (last ? tail.size() : separator.size());
        if (k != 0 && column + 1 + width > kColumns) {
            text += "\n" + std::string(indent, ' ');
            column = indent;
        } else if (k != 0) {
            text += ' ';
            ++column;
        }
        text += items[k];
        if (!last) text += separator;
        column += items[k].size() + separator.size();
    }
    return text + tail;
}

}  // namespace fuseline
