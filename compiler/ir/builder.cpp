// Builder: appends nodes to a function and merges equal pure ones.
#include <algorithm>

#include "compiler/ir/ir.h"
#include "compiler/support/errors.h"

namespace fuseline::ir {

namespace {

/// Accumulates words into a 64-bit hash (splitmix64's finaliser).
class Mixer {
public:
    Mixer& add(uint64_t word) {
        state_ += word + 0x9e3779b97f4a7c15u;
        state_ = (state_ ^ (state_ >> 30)) * 0xbf58476d1ce4e5b9u;
        state_ = (state_ ^ (state_ >> 27)) * 0x94d049bb133111ebu;
        state_ ^= state_ >> 31;
        return *this;
    }
    Mixer& add(std::string_view text) { return add(std::hash<std::string_view>{}(text)); }
    Mixer& add(const Type& type) {
        add(static_cast<uint64_t>(type.kind) << 8 | static_cast<uint64_t>(type.dtype));
        for (ExtentId e : type.shape) add(e.index);
        return add(type.shape.size());
    }
    uint64_t value() const { return state_; }

private:
    uint64_t state_ = 0;
};

/// Adds an attribute's content; one overload for each alternative that a pure node can have.
struct AttributeMixer {
    Mixer& m;
    void operator()(std::monostate) const {}
    void operator()(Scalar s) const { m.add(s.bits); }
    void operator()(ExtentId e) const { m.add(e.index); }
    void operator()(const Affine& a) const {
        m.add(a.offset.index);
        for (const Affine::Term& t : a.terms) m.add(t.axis).add(t.coefficient.index);
    }
    void operator()(const IndexMap& map) const {
        for (const Affine& a : map) (*this)(a);
    }
    void operator()(const std::string& text) const { m.add(text); }
    void operator()(const Check&) const {}
    void operator()(const Loops&) const {}
    void operator()(const Launch&) const {}
    void operator()(const ReducedAxes&) const {}
    void operator()(const Iteration&) const {}
};

/// Hash of what a node says; its region is added by the lookup.
uint64_t content_key(Opcode op, std::span<const ValueId> operands, const std::vector<Type>& results,
                     const Attribute& attribute) {
    Mixer m;
    m.add(op.raw());
    for (ValueId v : operands) m.add(v.index);
    for (const Type& t : results) m.add(t);
    m.add(attribute.index());
    std::visit(AttributeMixer{m}, attribute);
    return m.value();
}

}  // namespace

Builder::Builder(Form form, std::string name) {
    f_.form = form;
    f_.name = std::move(name);
    f_.regions_.emplace_back();
    enclosing_.emplace_back();
}

ValueId Builder::parameter(std::string name, Type type) {
    const ValueId v = region_parameter(f_.body(), std::move(type), name);
    f_.parameter_names.push_back(std::move(name));
    return v;
}

ValueId Builder::region_parameter(RegionId region, Type type, std::string_view name) {
    const ValueId v{static_cast<uint32_t>(f_.values_.size())};
    std::vector<ValueId>& parameters = f_.regions_[region.index].parameters;
    ValueInfo info;
    info.type = std::move(type);
    info.parameter_of = region;
    info.position = static_cast<uint32_t>(parameters.size());
    f_.values_.push_back(std::move(info));
    parameters.push_back(v);
    name_value(v, name);
    return v;
}

void Builder::set_yields(RegionId region, std::vector<ValueId> yields) {
    f_.regions_[region.index].yields = std::move(yields);
}

RegionId Builder::make_region() {
    const RegionId region{static_cast<uint32_t>(f_.regions_.size())};
    f_.regions_.emplace_back();
    enclosing_.push_back(current_);
    return region;
}

void Builder::name_value(ValueId value, std::string_view name, bool replace) {
    if (name.empty()) return;
    const auto [at, added] = f_.names_.try_emplace(value.index, name);
    if (!added && replace) at->second = name;
}

bool Builder::encloses(RegionId outer, RegionId inner) const {
    for (RegionId r = inner; r; r = enclosing_[r.index]) {
        if (r == outer) return true;
    }
    return false;
}

std::optional<NodeId> Builder::interned(uint64_t key, const Node& node, std::span<const ValueId> operands,
                                        const std::vector<Type>& results) const {
    const auto same = [&](NodeId id) {
        const Node& other = f_.node(id);
        if (other.op != node.op || other.parent != node.parent) return false;
        if (other.results_count != results.size() || other.attribute != node.attribute) return false;
        if (!std::ranges::equal(f_.operands(other), operands)) return false;
        for (uint32_t k = 0; k < results.size(); ++k) {
            if (f_.type(f_.result(id, k)) != results[k]) return false;
        }
        return true;
    };
    const auto [first, last] = interned_.equal_range(key);
    for (auto at = first; at != last; ++at) {
        if (same(at->second)) return at->second;
    }
    return std::nullopt;
}

NodeId Builder::node(Opcode op, std::span<const ValueId> operands, std::vector<Type> results,
                     Attribute attribute, std::span<const RegionId> regions) {
    require(!f_.regions_[current_.index].owner, "ir::Builder: a region that has its owner is complete");
    Node n;
    n.op = op;
    n.attribute = std::move(attribute);
    n.parent = current_;
    const bool mergeable = merging_ && regions.empty() && op.pure();
    uint64_t content = 0;
    if (mergeable) {
        content = content_key(op, operands, results, n.attribute);
        for (RegionId r = current_; r; r = enclosing_[r.index]) {
            n.parent = r;
            if (const auto found =
                    interned(Mixer().add(content).add(r.index).value(), n, operands, results)) {
                return *found;
            }
        }
        n.parent = current_;
    }
    const NodeId id = append(std::move(n), operands, std::move(results), regions);
    if (mergeable) interned_.emplace(Mixer().add(content).add(current_.index).value(), id);
    return id;
}

NodeId Builder::append(Node n, std::span<const ValueId> operands, std::vector<Type> results,
                       std::span<const RegionId> regions) {
    const NodeId id{static_cast<uint32_t>(f_.nodes_.size())};
    n.operands_begin = static_cast<uint32_t>(f_.operand_pool_.size());
    n.operands_count = static_cast<uint32_t>(operands.size());
    // The operands may be a view of the pool itself.
    const std::vector<ValueId> copy(operands.begin(), operands.end());
    f_.operand_pool_.insert(f_.operand_pool_.end(), copy.begin(), copy.end());
    n.results_begin = static_cast<uint32_t>(f_.values_.size());
    n.results_count = static_cast<uint32_t>(results.size());
    for (uint32_t k = 0; k < results.size(); ++k) {
        ValueInfo info;
        info.type = std::move(results[k]);
        info.definition = id;
        info.position = k;
        f_.values_.push_back(std::move(info));
    }
    n.regions_begin = regions.empty() ? 0 : regions.front().index;
    n.regions_count = static_cast<uint32_t>(regions.size());
    for (uint32_t k = 0; k < regions.size(); ++k) {
        const RegionId r = regions[k];
        require(r.index == n.regions_begin + k, "ir::Builder: the regions of a node are made in a row");
        require(!f_.regions_[r.index].owner, "ir::Builder: a region has one owner");
        require(encloses(enclosing_[r.index], current_), "ir::Builder: a region is made where its node goes");
        f_.regions_[r.index].owner = id;
        enclosing_[r.index] = current_;
    }
    f_.nodes_.push_back(std::move(n));
    f_.spans_.push_back(span_);
    f_.regions_[current_.index].nodes.push_back(id);
    return id;
}

ValueId Builder::constant(DType dtype, Scalar value) {
    return f_.result(node(Structure::constant_, {}, {Type{TypeKind::value, dtype, {}}}, value));
}

ValueId Builder::extent(ExtentId size) {
    return f_.result(node(Structure::extent_, {}, {Type{TypeKind::value, DType::i64_, {}}}, size));
}

ValueId Builder::elementwise(OpId op, std::span<const ValueId> operands, DType result) {
    Type type{TypeKind::value, result, {}};
    for (ValueId v : operands) {
        if (f_.type(v).rank() != 0) {
            type.shape = f_.type(v).shape;
            break;
        }
    }
    return f_.result(node(op, operands, {std::move(type)}));
}

ValueId Builder::cast(ValueId value, DType to) {
    if (f_.type(value).dtype == to) return value;
    return elementwise(OpId::cast_, {&value, 1}, to);
}

ValueId Builder::view(ValueId source, IndexMap map, std::vector<ExtentId> shape) {
    Type type{TypeKind::value, f_.type(source).dtype, std::move(shape)};
    return f_.result(node(Structure::view_, {&source, 1}, {std::move(type)}, std::move(map)));
}

ValueId Builder::index(Affine affine, std::vector<ExtentId> shape) {
    Type type{TypeKind::value, DType::i64_, std::move(shape)};
    return f_.result(node(Structure::index_, {}, {std::move(type)}, std::move(affine)));
}

void Builder::check(Check check) { node(Structure::check_, {}, {}, std::move(check)); }

Function Builder::finish(std::vector<ValueId> yields, std::vector<std::string> result_names) {
    set_yields(f_.body(), std::move(yields));
    f_.result_names = std::move(result_names);
    return std::move(f_);
}

}  // namespace fuseline::ir
