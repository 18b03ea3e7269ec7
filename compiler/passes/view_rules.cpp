// Affine arithmetic on index maps.
#include "compiler/passes/view_rules.h"

#include <map>

namespace fuseline {

using ir::Affine;
using ir::Builder;
using ir::IndexMap;
using ir::ValueId;

namespace {

bool identity(ExtentPool& pool, const IndexMap& map) {
    for (uint32_t axis = 0; axis < map.size(); ++axis) {
        if (map[axis] != Affine{pool.constant(0), {{axis, pool.constant(1)}}}) return false;
    }
    return true;
}

const ir::Node* view_behind(Builder& b, ValueId value) {
    const ir::Node* n = b.function().definition(value);
    return n != nullptr && n->op.is(ir::Structure::view_) ? n : nullptr;
}

}  // namespace

IndexMap compose(ExtentPool& pool, const IndexMap& outer, const IndexMap& inner) {
    IndexMap all;
    for (const Affine& a : outer) {
        ExtentId offset = a.offset;
        std::map<uint32_t, ExtentId> coefficients;
        for (const Affine::Term& t : a.terms) {
            const Affine& index = inner[t.axis];
            offset = pool.add(offset, pool.mul(t.coefficient, index.offset));
            for (const Affine::Term& s : index.terms) {
                ExtentId& c = coefficients.try_emplace(s.axis, pool.constant(0)).first->second;
                c = pool.add(c, pool.mul(t.coefficient, s.coefficient));
            }
        }
        Affine one{offset, {}};
        for (const auto& [axis, c] : coefficients) {
            if (pool.constant_value(c) != 0) one.terms.push_back({axis, c});
        }
        all.push_back(std::move(one));
    }
    return all;
}

std::optional<ValueId> simpler_view(Builder& b, ValueId source, const IndexMap& map,
                                    const std::vector<ExtentId>& shape) {
    if (b.type(source).shape == shape && identity(b.extents(), map)) return source;
    const ir::Node* inner = view_behind(b, source);
    if (inner == nullptr) return std::nullopt;
    const ValueId origin = b.function().operands(*inner)[0];
    const IndexMap both = compose(b.extents(), std::get<IndexMap>(inner->attribute), map);
    if (b.type(origin).shape == shape && identity(b.extents(), both)) return origin;
    return b.view(origin, both, shape);
}

ValueId spread(Builder& b, ValueId value, const std::vector<ExtentId>& shape) {
    if (b.type(value).shape == shape) return value;
    return b.view(value, {}, shape);
}

std::optional<ValueId> spread_scalar(Builder& b, ValueId value) {
    const ir::Node* view = view_behind(b, value);
    if (view == nullptr) return std::nullopt;
    const ValueId source = b.function().operands(*view)[0];
    if (b.type(source).rank() != 0) return std::nullopt;
    return source;
}

}  // namespace fuseline
