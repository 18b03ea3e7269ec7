// Random graphs over a few shapes, types and all elementwise operators, with arguments, for differential
// tests.
#pragma once

#include <random>

#include "compiler/interpreter/interpreter.h"
#include "compiler/ir/ir.h"

namespace fuseline::testing {

/// A graph from a seed; equal seeds give equal graphs.
class RandomGraph {
public:
    RandomGraph(uint64_t seed, size_t steps) : random_(seed), steps_(steps) {}

    ir::Function build() {
        shapes();
        parameters();
        for (size_t k = 0; k < steps_; ++k) step();
        std::vector<ir::ValueId> yields;
        std::vector<std::string> names;
        for (size_t k = 0; k < 1 + pick(5); ++k) {
            // Mostly late values, sometimes a parameter or the same one twice.
            const size_t back =
                pick(5) == 0 ? pick(values_.size()) : pick(std::min<size_t>(values_.size(), 12));
            yields.push_back(values_[values_.size() - 1 - back]);
            names.push_back("r" + std::to_string(k));
        }
        return b_.finish(yields, names);
    }

    std::map<std::string, int64_t> sizes() {
        return {{"n", static_cast<int64_t>(pick(6))}, {"m", static_cast<int64_t>(pick(6))}};
    }

    static std::vector<HostArray> arguments(const ir::Function& f,
                                            const std::map<std::string, int64_t>& sizes, uint64_t seed) {
        std::mt19937_64 random(seed);
        std::vector<HostArray> all;
        for (ir::ValueId p : f.region(f.body()).parameters) {
            HostArray a;
            a.dtype = f.type(p).dtype;
            for (ExtentId e : f.type(p).shape) a.shape.push_back(*f.extents.evaluate(e, sizes));
            const auto bytes = static_cast<size_t>(byte_size(a.dtype));
            a.bytes.resize(static_cast<size_t>(a.element_count()) * bytes);
            for (size_t at = 0; at < a.bytes.size(); at += bytes) {
                store_scalar(a.dtype, sample(a.dtype, random), a.bytes.data() + at);
            }
            all.push_back(std::move(a));
        }
        return all;
    }

private:
    using Shape = std::vector<ExtentId>;

    size_t pick(size_t below) { return static_cast<size_t>(random_() % below); }

    static Scalar sample(DType type, std::mt19937_64& random) {
        const double number = static_cast<double>(random() % 2001) / 100.0 - 10.0;
        if (is_bool(type)) return Scalar::of_bool(random() % 2 != 0);
        if (type == DType::f32_) return Scalar::of_f32(static_cast<float>(number));
        if (type == DType::f64_) return Scalar::of_f64(number);
        return Scalar::of_i64(static_cast<int64_t>(number));
    }

    void shapes() {
        ExtentPool& p = b_.extents();
        const ExtentId n = p.symbol("n"), m = p.symbol("m"), one = p.constant(1);
        const ExtentId inner = p.max0(p.sub(m, p.constant(2)));
        shapes_ = {{}, {n}, {m}, {n, m}, {n, m}, {m, n}, {n, one}, {n, inner}, {n, m, p.constant(2)}};
    }

    void parameters() {
        const DType types[] = {DType::f32_, DType::f64_, DType::i64_, DType::bool_};
        for (size_t k = 0; k < 6; ++k) {
            const Shape& shape = shapes_[k < 2 ? 3 : pick(shapes_.size())];
            const DType type = k < 3 ? DType::f32_ : types[pick(4)];
            values_.push_back(b_.parameter("p" + std::to_string(k), {ir::TypeKind::value, type, shape}));
        }
        values_.push_back(b_.constant(DType::f32_, Scalar::of_f32(1.5F)));
        values_.push_back(b_.extent(b_.extents().symbol("n")));
    }

    const ir::Type& type(ir::ValueId v) { return b_.type(v); }

    ir::ValueId any() {
        // Half of the time a recent value, so that chains grow.
        const size_t count = values_.size();
        return pick(2) == 0 ? values_[count - 1 - pick(std::min<size_t>(count, 4))] : values_[pick(count)];
    }

    /// A value of the shape or rank 0, by a view where needed.
    ir::ValueId fitting(const Shape& shape) {
        for (int tries = 0; tries < 20; ++tries) {
            const ir::ValueId v = any();
            if (type(v).shape == shape || type(v).rank() == 0) return v;
            if (const auto seen = view(v, shape)) return *seen;
        }
        return values_[0].index == 0 && shape.empty() ? b_.constant(DType::f32_, Scalar::of_f32(0.5F))
                                                      : b_.constant(DType::i64_, Scalar::of_i64(3));
    }

    /// Each source axis follows an axis of the result with an extent that fits, forward or backward.
    std::optional<ir::ValueId> view(ir::ValueId v, const Shape& shape) {
        ExtentPool& p = b_.extents();
        ir::IndexMap map;
        for (ExtentId source : std::vector<ExtentId>(type(v).shape)) {
            std::vector<ir::Affine> fits;
            if (p.is_one(source)) fits.push_back({p.constant(0), {}});
            for (uint32_t axis = 0; axis < shape.size(); ++axis) {
                const ExtentId less = p.max0(p.sub(source, p.constant(2)));
                if (p.is_one(shape[axis]) || p.is_one(source)) continue;
                if (shape[axis] == source) {
                    fits.push_back({p.constant(0), {{axis, p.constant(1)}}});
                    if (pick(4) == 0)
                        fits.push_back({p.sub(source, p.constant(1)), {{axis, p.constant(-1)}}});
                } else if (shape[axis] == less) {
                    fits.push_back({p.constant(static_cast<int64_t>(pick(3))), {{axis, p.constant(1)}}});
                }
            }
            if (fits.empty()) return std::nullopt;
            map.push_back(fits[pick(fits.size())]);
        }
        return b_.view(v, map, shape);
    }

    void step() {
        const Shape shape = pick(3) == 0 ? shapes_[pick(shapes_.size())] : type(any()).shape;
        const size_t kind = pick(12);
        if (kind == 0 && !shape.empty()) {
            const auto axis = static_cast<uint32_t>(pick(shape.size()));
            ExtentPool& p = b_.extents();
            values_.push_back(b_.index({p.symbol("m"), {{axis, p.constant(3)}}}, shape));
        } else if (kind == 1) {
            apply(shape);
        } else {
            elementwise(shape);
        }
    }

    void elementwise(const Shape& shape) {
        for (int tries = 0; tries < 20; ++tries) {
            const OpRow& op = row(static_cast<OpId>(pick(op_count())));
            if (!op.has(kBuilt) || op.rule == TypeRule::contraction || op.id == OpId::bitcast_) continue;
            std::vector<ir::ValueId> operands;
            std::vector<DType> types;
            for (int k = 0; k < op.arity; ++k) {
                operands.push_back(fitting(shape));
                types.push_back(type(operands.back()).dtype);
            }
            if (op.rule == TypeRule::cast) {
                const DType to[] = {DType::f32_, DType::f64_, DType::i64_, DType::bool_};
                const DType chosen = to[pick(4)];
                if (op.arity != 1 || chosen == types[0]) continue;
                values_.push_back(b_.cast(operands[0], chosen));
                return;
            }
            if (op.rule == TypeRule::select) operands[0] = b_.cast(operands[0], types[0] = DType::bool_);
            const auto typing = op_typing(op.id, types.data(), types.size(), nullptr, nullptr);
            if (!typing) continue;
            for (size_t k = op.rule == TypeRule::select ? 1 : 0; k < operands.size(); ++k) {
                operands[k] = b_.cast(operands[k], typing->operation);
            }
            values_.push_back(b_.elementwise(op.id, operands, typing->result));
            return;
        }
    }

    /// for i in 0..3 { if x < y { x = x + y } }, and a second result.
    void apply(const Shape& shape) {
        const ir::ValueId x = b_.cast(fitting(shape), DType::f32_), y = b_.cast(fitting(shape), DType::f32_);
        const ir::Type scalar{ir::TypeKind::value, DType::f32_, {}};
        ir::Type result = scalar;
        result.shape = type(x).rank() != 0 ? type(x).shape : type(y).shape;
        const ir::RegionId outer = b_.insertion(), body = b_.make_region();
        const ir::ValueId a = b_.region_parameter(body, scalar, "a"),
                          c = b_.region_parameter(body, scalar, "c");
        b_.set_insertion(body);
        const ir::ValueId zero = b_.constant(DType::i64_, Scalar::of_i64(0)),
                          three = b_.constant(DType::i64_, Scalar::of_i64(3));
        const ir::RegionId loop = b_.make_region();
        b_.region_parameter(loop, {ir::TypeKind::value, DType::i64_, {}}, "i");
        const ir::ValueId carried = b_.region_parameter(loop, scalar, "z");
        b_.set_insertion(loop);
        const ir::ValueId compared[] = {carried, c};
        const ir::ValueId less = b_.elementwise(OpId::lt_, compared, DType::bool_);
        const ir::RegionId arms[] = {b_.make_region(), b_.make_region()};
        b_.set_insertion(arms[0]);
        const ir::ValueId sum = b_.elementwise(OpId::add_, compared, DType::f32_);
        b_.set_yields(arms[0], {sum});
        b_.set_yields(arms[1], {carried});
        b_.set_insertion(loop);
        const ir::NodeId branch = b_.node(ir::Structure::if_, {&less, 1}, {scalar}, {}, arms);
        b_.set_yields(loop, {b_.function().result(branch)});
        b_.set_insertion(body);
        const ir::ValueId start[] = {zero, three, a};
        const ir::NodeId repeated = b_.node(ir::Structure::for_, start, {scalar}, {}, {&loop, 1});
        b_.set_yields(body, {b_.function().result(repeated), c});
        b_.set_insertion(outer);
        const ir::ValueId operands[] = {x, y};
        const ir::NodeId node = b_.node(ir::Structure::apply_, operands, {result, result}, {}, {&body, 1});
        values_.push_back(b_.function().result(node, 1));
        values_.push_back(b_.function().result(node, 0));
    }

    std::mt19937_64 random_;
    size_t steps_;
    ir::Builder b_{ir::Form::graph, "random"};
    std::vector<Shape> shapes_;
    std::vector<ir::ValueId> values_;
};

/// Empty when the arrays agree: equal shapes and bits, any NaN equal to any other.
inline std::string difference(const std::vector<HostArray>& a, const std::vector<HostArray>& b) {
    if (a.size() != b.size()) return "numbers of results";
    for (size_t k = 0; k < a.size(); ++k) {
        const std::string where = "result " + std::to_string(k);
        if (a[k].dtype != b[k].dtype || a[k].shape != b[k].shape) return where + ": type or shape";
        const auto size = static_cast<size_t>(byte_size(a[k].dtype));
        for (size_t at = 0; at < a[k].bytes.size(); at += size) {
            const Scalar x = load_scalar(a[k].dtype, a[k].bytes.data() + at),
                         y = load_scalar(b[k].dtype, b[k].bytes.data() + at);
            const auto nan = [&](Scalar s) {
                return a[k].dtype == DType::f32_ ? s.as_f32() != s.as_f32()
                                                 : a[k].dtype == DType::f64_ && s.as_f64() != s.as_f64();
            };
            if (x == y || (nan(x) && nan(y))) continue;
            return where + " at byte " + std::to_string(at) + ": " + scalar_text(a[k].dtype, x) + " and " +
                   scalar_text(b[k].dtype, y);
        }
    }
    return {};
}

}  // namespace fuseline::testing
