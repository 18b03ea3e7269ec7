// `if`: both branches run on copies of the names, and what they assigned is joined by an `if` node.
#include "dsl/branches.h"

#include <fmt/format.h>

#include <algorithm>

#include "dsl/walk.h"
#include "dsl/weak.h"

namespace fuseline::dsl {

namespace {

bool hidden(std::string_view name) { return name.find(' ') != std::string_view::npos; }

/// The scalars and arrays inside a value, tuples opened.
void leaves(const Value& v, std::vector<Value>& out) {
    if (const TupleValue* tuple = v.as_tuple()) {
        for (const Value& item : tuple->items) leaves(item, out);
    } else {
        out.push_back(v);
    }
}

/// The value with its leaves taken from `from` in order.
Value rebuild(const Value& v, const std::vector<Value>& from, size_t& next) {
    const TupleValue* tuple = v.as_tuple();
    if (!tuple) return from[next++];
    std::vector<Value> items;
    for (const Value& item : tuple->items) items.push_back(rebuild(item, from, next));
    return Value::tuple(std::move(items), tuple->names);
}

}  // namespace

/// What is joined: pairs of leaves that become results of one `if` node, and where they go.
class Join {
public:
    Join(Checker& c, ir::ValueId condition, Span span) : c_(c), condition_(condition), span_(span) {}

    ir::RegionId yes, no;

    /// The joined value of two leaves: known at once, or the number of a pending pair.
    struct Outcome {
        std::optional<Value> value;
        size_t pair = 0;
        std::string lost;
    };

    Outcome leaf(const Value& a, const Value& b);
    std::vector<Value> finish();

private:
    Outcome lost(std::string why) { return {std::nullopt, 0, std::move(why)}; }
    std::optional<ir::ValueId> in(ir::RegionId region, const Value& v, DType dtype);
    std::optional<DType> common(const Value& a, const Value& b, std::string& why);

    Checker& c_;
    ir::ValueId condition_;
    Span span_;
    std::vector<ir::ValueId> yes_ids_, no_ids_;
};

std::optional<ir::ValueId> Join::in(ir::RegionId region, const Value& v, DType dtype) {
    c_.builder.set_insertion(region);
    return c_.as_dtype({v, span_, {}, {}}, dtype, "this");
}

/// The type of both; a weak side takes the other's where it converts.
std::optional<DType> Join::common(const Value& a, const Value& b, std::string& why) {
    const auto ta = c_.element_type({a, span_, {}, {}}, "this");
    const auto tb = c_.element_type({b, span_, {}, {}}, "this");
    const auto higher = [](DType x, DType y) {
        return is_float(x) || (is_integer(x) && !is_float(y)) ? x : y;
    };
    if (*ta == *tb) return ta;
    if (a.weak() && b.weak()) return higher(*ta, *tb);
    if (a.weak() && !is_bool(*tb) && (is_float(*tb) || !is_float(*ta))) return tb;
    if (b.weak() && !is_bool(*ta) && (is_float(*ta) || !is_float(*tb))) return ta;
    why = fmt::format("it is {} in one branch and {} in the other", name(*ta), name(*tb));
    return std::nullopt;
}

Join::Outcome Join::leaf(const Value& a, const Value& b) {
    if (a.is_error() || b.is_error()) return {Value(), 0, {}};
    if (same_value(a, b)) return {a, 0, {}};
    if (!a.number() || !b.number()) return lost("the branches give it values that only the compiler knows");
    if (a.as<bool>() && b.as<bool>() && *a.as<bool>()) return {Value(TypedValue{condition_}), 0, {}};
    std::string why;
    const auto dtype = common(a, b, why);
    if (!dtype) return lost(why);
    const ir::RegionId back = c_.builder.insertion();
    const auto x = in(yes, a, *dtype);
    const auto y = in(no, b, *dtype);
    if (!x || !y) return c_.builder.set_insertion(back), Outcome{Value(), 0, {}};
    const std::vector<ExtentId> xs = c_.builder.type(*x).shape;
    const std::vector<ExtentId> ys = c_.builder.type(*y).shape;
    bool same = xs.size() == ys.size();
    for (size_t k = 0; same && k < xs.size(); ++k) same = c_.same_extent(xs[k], ys[k]);
    const ir::ValueId other = same ? c_.broadcast_to(*y, xs) : *y;
    c_.builder.set_insertion(back);
    if (!same) {
        return lost(fmt::format("it is {} in one branch and {} in the other", c_.text(c_.builder.type(*x)),
                                c_.text(c_.builder.type(*y))));
    }
    yes_ids_.push_back(*x);
    no_ids_.push_back(other);
    return {std::nullopt, yes_ids_.size() - 1, {}};
}

/// The values of all pairs.
std::vector<Value> Join::finish() {
    std::vector<Value> values;
    ir::Builder& b = c_.builder;
    b.set_span(span_);
    if (yes_ids_.empty()) return values;
    std::vector<ir::Type> types;
    for (ir::ValueId id : yes_ids_) types.push_back(b.type(id));
    b.set_yields(yes, yes_ids_);
    b.set_yields(no, no_ids_);
    const ir::RegionId both[2] = {yes, no};
    const ir::NodeId node = b.node(ir::Structure::if_, {&condition_, 1}, std::move(types), {}, both);
    for (uint32_t i = 0; i < yes_ids_.size(); ++i)
        values.emplace_back(TypedValue{b.function().result(node, i)});
    return values;
}

Value Checker::join_arms(const RegionPair& pair, const Argument& yes, const Argument& no, Span span) {
    Join join(*this, pair.condition, span);
    join.yes = pair.yes;
    join.no = pair.no;
    const Join::Outcome outcome = join.leaf(yes.value, no.value);
    if (!outcome.lost.empty()) {
        error(span, fmt::format("the arms differ: {} and {}", text(yes.value), text(no.value)))
            .help("both arms of `a if c else b` have one type; cast one of them");
        return {};
    }
    if (outcome.value) return *outcome.value;
    return join.finish().front();
}

/// A value of the other side's type for a name that this side, from which control does not come, has not
/// assigned.
Value Checker::placeholder(const Value& other) {
    if (const TupleValue* tuple = other.as_tuple()) {
        std::vector<Value> items;
        for (const Value& item : tuple->items) items.push_back(placeholder(item));
        return Value::tuple(std::move(items), tuple->names);
    }
    if (const auto* weak = other.as<WeakValue>()) {
        return is_float(builder.type(weak->id).dtype) ? Value(0.0) : Value::integer(0);
    }
    const auto* t = other.as<TypedValue>();
    if (!t) return other;
    const ir::Type type = builder.type(t->id);
    return Value(TypedValue{filled(builder.constant(type.dtype, Scalar{}), type.shape)});
}

/// One name on its way through a join.
struct Pending {
    std::string name;
    Binding binding;
    std::vector<Join::Outcome> outcomes;
};

/// What a side holds under a name that it has not assigned: an unset flag, or anything of the right type.
Value Checker::unassigned(const std::string& name, const Value& other, ir::RegionId region) {
    if (hidden(name) && name.rfind("return value", 0) != 0) return Value(false);
    const ir::RegionId back = builder.insertion();
    builder.set_insertion(region);
    Value v = placeholder(other);
    builder.set_insertion(back);
    return v;
}

void Checker::join_one(Join& join, Pending& p, const Value& yes, const Value& no) {
    std::vector<Value> a, b;
    leaves(yes, a);
    leaves(no, b);
    p.binding.value = yes;
    if (a.size() != b.size()) p.binding.lost = "the branches give it tuples of different lengths";
    for (size_t i = 0; p.binding.lost.empty() && i < a.size(); ++i) {
        p.outcomes.push_back(join.leaf(a[i], b[i]));
        p.binding.lost = p.outcomes.back().lost;
    }
    if (p.binding.lost.empty() || !hidden(p.name)) return;
    error(p.binding.span, fmt::format("the results on two paths differ: {}", p.binding.lost));
    p.binding.lost.clear();
    p.binding.value = Value();
    p.outcomes.clear();
}

/// Whether a function has certainly returned.
bool returned(const Environment& names) {
    const auto at = names.find("return ");
    const bool* flag = at == names.end() ? nullptr : at->second.value.as<bool>();
    return flag && *flag;
}

/// Whether the function's body reads a name at another place than these statements.
bool Checker::read_outside(const std::string& name, Span span) {
    if (frame->reads.empty()) {
        walk_block(frame->tree(), frame->function->ast->body, [&](const ast::Expr& e) {
            if (e.kind == ast::ExprKind::name) frame->reads[e.text].push_back(e.span);
            return true;
        });
        walk_statements(frame->tree(), frame->function->ast->body, [&](const ast::Stmt& s) {
            for (const ast::Target& t : s.targets) {
                const bool changed = s.kind == ast::StmtKind::augment || !t.subscripts.empty();
                if (changed) frame->reads[t.name].push_back(s.span);
            }
        });
        for (const ast::Result& r : frame->function->ast->results)
            frame->reads[r.name].push_back(r.name_span);
    }
    const auto at = frame->reads.find(name);
    if (at == frame->reads.end()) return false;
    return std::any_of(at->second.begin(), at->second.end(),
                       [&](Span s) { return s.begin < span.begin || s.end > span.end; });
}

/// Names first assigned in a branch are joined only where they are read later, and so are flags.
bool Checker::needed(const std::string& name, const Environment& before, const BranchEnds& ends) {
    if (hidden(name)) return !ends.block_ends || name.rfind("continue", 0) != 0;
    if (ends.returns) return false;
    return before.count(name) || read_outside(name, ends.span);
}

std::vector<Pending> Checker::pair_names(Join& join, const Environment& before, const Environment& yes,
                                         const Environment& no, const BranchEnds& ends) {
    std::set<std::string> names;
    for (const auto& [name, b] : yes) names.insert(name);
    for (const auto& [name, b] : no) names.insert(name);
    std::vector<Pending> pending;
    for (const std::string& name : names) {
        if (!needed(name, before, ends)) continue;
        const auto a = yes.find(name);
        const auto b = no.find(name);
        const bool has_a = a != yes.end() && a->second.lost.empty();
        const bool has_b = b != no.end() && b->second.lost.empty();
        Pending p{name, has_a || b == no.end() ? a->second : b->second, {}};
        if (has_a != has_b && !hidden(name) && !(has_a ? ends.no_left : ends.yes_left)) {
            p.binding.lost = "it is assigned in one branch only";
        } else if (has_a || has_b) {
            const Value x = has_a ? a->second.value : unassigned(name, b->second.value, join.yes);
            const Value y = has_b ? b->second.value : unassigned(name, a->second.value, join.no);
            join_one(join, p, x, y);
        }
        pending.push_back(std::move(p));
    }
    return pending;
}

void Checker::join_names(Join& join, std::vector<Pending> pending) {
    const std::vector<Value> values = join.finish();
    for (Pending& p : pending) {
        if (p.binding.lost.empty() && !p.outcomes.empty()) {
            std::vector<Value> from;
            for (const Join::Outcome& o : p.outcomes) from.push_back(o.value ? *o.value : values[o.pair]);
            size_t next = 0;
            p.binding.value = rebuild(p.binding.value, from, next);
            const auto* t = p.binding.value.as<TypedValue>();
            if (t && !hidden(p.name)) name_result(t->id, p.name);
        }
        frame->names[p.name] = std::move(p.binding);
    }
}

void Checker::branch(ir::ValueId condition, const std::function<void()>& yes, const std::function<void()>& no,
                     Span span, std::span<const ast::StmtId> rest) {
    Join join(*this, condition, span);
    const ir::RegionId outer = builder.insertion();
    join.yes = builder.make_region();
    join.no = builder.make_region();
    const Environment before = frame->names;
    const auto run = [&](ir::RegionId region, const std::function<void()>& side, bool& left) {
        builder.set_insertion(region);
        frame->names = before;
        frame->skipped = false;
        // What a side has tested does not hold after it.
        SizeFacts known = facts();
        if (!frame->scalar_region) guards.push_back(region);
        side();
        if (!frame->scalar_region) guards.pop_back();
        restore(std::move(known));
        left = jumped(frame->names) || frame->skipped;
        frame->skipped = false;
        builder.set_insertion(outer);
        return std::move(frame->names);
    };
    BranchEnds ends;
    ends.block_ends = !rest.empty() && frame->block_depth == frame->body_depth;
    ends.span = rest.empty() ? span : cover(span, stmt(rest.back()).span);
    const Environment after_yes = run(join.yes, yes, ends.yes_left);
    const Environment after_no = run(join.no, no, ends.no_left);
    ends.returns = returned(after_yes) && returned(after_no);
    frame->names.clear();
    join_names(join, pair_names(join, before, after_yes, after_no, ends));
}

}  // namespace fuseline::dsl
