// Affine arithmetic on index maps.
#include "compiler/passes/view_rules.h"

#include <algorithm>
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

const ir::Node* node_behind(Builder& b, ValueId value, ir::Structure kind) {
    const ir::Node* n = b.function().definition(value);
    return n != nullptr && n->op.is(kind) ? n : nullptr;
}

const ir::Node* view_behind(Builder& b, ValueId value) { return node_behind(b, value, ir::Structure::view_); }

ValueId window(Builder& b, ValueId source, IndexMap map, const std::vector<ExtentId>& shape, ValueId fill) {
    const ValueId operands[2] = {source, fill};
    ir::Type type{ir::TypeKind::value, b.type(source).dtype, shape};
    return b.function().result(b.node(ir::Structure::window_, operands, {std::move(type)}, std::move(map)));
}

/// Whether indices lie inside the view exactly where the mapped ones lie inside its source: every axis of the
/// view is the whole of one axis of the source, forward or backward; other axes of the source stand still.
bool covers(ExtentPool& pool, const IndexMap& map, const std::vector<ExtentId>& source,
            const std::vector<ExtentId>& shape) {
    std::vector<bool> used(shape.size(), false);
    for (size_t axis = 0; axis < map.size(); ++axis) {
        if (map[axis].terms.empty()) continue;
        const Affine::Term& t = map[axis].terms[0];
        if (map[axis].terms.size() != 1 || used[t.axis] || shape[t.axis] != source[axis]) return false;
        const auto step = pool.constant_value(t.coefficient);
        const ExtentId last = pool.sub(source[axis], pool.constant(1));
        if (!(step == 1 && map[axis].offset == pool.constant(0)) && !(step == -1 && map[axis].offset == last))
            return false;
        used[t.axis] = true;
    }
    return std::find(used.begin(), used.end(), false) == used.end();
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
    if (const ir::Node* index = node_behind(b, source, ir::Structure::index_))
        return b.index(compose(b.extents(), {std::get<Affine>(index->attribute)}, map).front(), shape);
    if (const ir::Node* inner = node_behind(b, source, ir::Structure::window_)) {
        const ValueId origin = b.function().operands(*inner)[0], fill = b.function().operands(*inner)[1];
        return window(b, origin, compose(b.extents(), std::get<IndexMap>(inner->attribute), map), shape,
                      fill);
    }
    const ir::Node* inner = view_behind(b, source);
    if (inner == nullptr) return std::nullopt;
    const ValueId origin = b.function().operands(*inner)[0];
    const IndexMap both = compose(b.extents(), std::get<IndexMap>(inner->attribute), map);
    if (b.type(origin).shape == shape && identity(b.extents(), both)) return origin;
    return b.view(origin, both, shape);
}

std::optional<ValueId> simpler_window(Builder& b, ValueId source, ValueId fill, const IndexMap& map,
                                      const std::vector<ExtentId>& shape) {
    if (b.type(source).shape == shape && identity(b.extents(), map)) return source;
    const ir::Node* inner = view_behind(b, source);
    if (inner == nullptr) return std::nullopt;
    const ValueId origin = b.function().operands(*inner)[0];
    const IndexMap& own = std::get<IndexMap>(inner->attribute);
    if (!covers(b.extents(), own, b.type(origin).shape, b.type(source).shape)) return std::nullopt;
    const IndexMap both = compose(b.extents(), own, map);
    return window(b, origin, both, shape, fill);
}

std::optional<ValueId> simpler_reshape(Builder& b, ValueId source, const std::vector<ExtentId>& shape) {
    if (b.type(source).shape == shape) return source;
    const ir::Node* inner = node_behind(b, source, ir::Structure::reshape_);
    if (inner == nullptr) return std::nullopt;
    const ValueId origin = b.function().operands(*inner)[0];
    if (b.type(origin).shape == shape) return origin;
    ir::Type type{ir::TypeKind::value, b.type(origin).dtype, shape};
    return b.function().result(b.node(ir::Structure::reshape_, {&origin, 1}, {std::move(type)}));
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
