// `while` and `for`: names assigned inside become carried values of one node.
#include <fmt/format.h>

#include <utility>

#include "dsl/checker.h"
#include "dsl/loops.h"
#include "dsl/walk.h"
#include "dsl/weak.h"

namespace fuseline::dsl {

namespace {

/// What messages call a carried name; the checker's own hold a space.
std::string title(const std::string& name) {
    return name.find(' ') == std::string::npos ? fmt::format("`{}`", name) : "the value returned";
}

constexpr int kMaxTrials = 6;  ///< runs of a body to find the types of weak names

}  // namespace

Loop::Loop(Checker& c, const ast::Stmt& s)
    : c_(c), s_(s), frame_(*c.frame), arrays_(!c.frame->scalar_region) {
    const ast::Tree& tree = frame_.tree();
    has_break_ = contains_jump(tree, s.body, ast::StmtKind::break_);
    has_return_ = contains_jump(tree, s.body, ast::StmtKind::return_);
    c.builder.set_span(s.span);
    counted_ = s.kind == ast::StmtKind::for_ && !has_break_ && !has_return_;
    conditional_ = arrays_ && !counted_;
    counter_name_ = fmt::format("counter {}", frame_.loop_depth + 1);
}

/// Names that live before the loop and change in it, with the checker's own flags.
void Loop::find_carried() {
    std::set<std::string> assigned = assigned_names(frame_.tree(), s_.body);
    if (s_.kind == ast::StmtKind::for_) assigned.erase(s_.loop.name);
    for (const std::string& name : assigned) {
        const auto at = frame_.names.find(name);
        if (at == frame_.names.end() || !at->second.lost.empty() || at->second.value.is_error()) continue;
        if (at->second.value.number()) {
            carry(name, at->second.value);
        } else {
            c_.error(at->second.span, fmt::format("`{}` changes in a loop and is no number: found {}", name,
                                                  c_.text(at->second.value)))
                .note(s_.span, "the loop");
        }
    }
    if (s_.kind == ast::StmtKind::for_ && !counted_ && !arrays_)
        carry(counter_name_, Value(TypedValue{start_}));
    if (has_break_ && !arrays_) carry(fmt::format("break {}", frame_.loop_depth + 1), Value(false));
    if (!has_return_) return;
    const auto flag = frame_.names.find("return ");
    carry("return ", flag == frame_.names.end() ? Value(false) : flag->second.value);
    for (size_t k = 0; k < c_.result_arity(); ++k) carry(Checker::result_slot(k), Value(NoneValue{}));
}

void Loop::carry(const std::string& name, const Value& initial) {
    Carried carried{name, initial, {}, {}};
    const auto own =
        c_.element_type({initial.as<NoneValue>() ? Value(false) : initial, s_.span, {}, {}}, "this");
    const auto* typed = initial.as<TypedValue>();
    if (typed) carried.type = c_.builder.type(typed->id);
    if (initial.as<bool>()) carried.type = ir::Type{ir::TypeKind::value, *own, {}};
    carried_.push_back(std::move(carried));
}

/// The initial value of a carried name in its type, outside the loop.
std::optional<ir::ValueId> Loop::initial(const Carried& carried) {
    const ir::Type& type = *carried.type;
    if (carried.initial.as<NoneValue>())
        return c_.filled(c_.builder.constant(type.dtype, Scalar{}), type.shape);
    return c_.as_dtype({carried.initial, s_.span, {}, {}}, type.dtype, title(carried.name));
}

std::optional<std::vector<ir::ValueId>> Loop::initial_values() {
    std::vector<ir::ValueId> values;
    for (const Carried& carried : carried_) {
        const auto id = initial(carried);
        if (!id) return std::nullopt;
        values.push_back(*id);
    }
    return values;
}

/// Binds the names to parameters of a region. Without a type yet, a weak name is a weak parameter.
void Loop::bind(ir::RegionId region) {
    for (Carried& carried : carried_) {
        Binding& b = frame_.names[carried.name];
        if (!b.span.known()) b.span = s_.span;
        if (carried.type) {
            b.value = Value(TypedValue{parameter(region, carried, *carried.type)});
        } else if (carried.initial.as<NoneValue>()) {
            frame_.names.erase(carried.name);
        } else {
            const DType weak = *c_.element_type({carried.initial, s_.span, {}, {}}, "this");
            b.value = Value(WeakValue{parameter(region, carried, {ir::TypeKind::value, weak, {}})});
        }
    }
}

ir::ValueId Loop::parameter(ir::RegionId region, const Carried& carried, ir::Type type) {
    return c_.builder.region_parameter(region, std::move(type),
                                       carried.name.substr(0, carried.name.find(' ')));
}

/// The loop's own condition and that no `break` or `return` has been met.
std::optional<ir::ValueId> Loop::condition() {
    const auto argument = [&](Value v) { return Argument{std::move(v), s_.span, {}, {}}; };
    Argument all;
    if (s_.kind == ast::StmtKind::for_ && arrays_) {
        all = argument(Value(true));
    } else if (s_.kind == ast::StmtKind::for_) {
        const Argument counter = argument(frame_.names[counter_name_].value);
        all = argument(c_.apply_op(OpId::lt_, {counter, argument(Value(TypedValue{stop_}))}, s_.span));
    } else {
        all = c_.argument(s_.value);
        const auto id = c_.scalar_condition(all, arrays_ ? "any(c)` or `all(c)" : "where(c, a, b)");
        if (!id) return std::nullopt;
    }
    for (const std::string& flag : {fmt::format("break {}", frame_.loop_depth), std::string("return ")}) {
        if (!(flag == "return " ? has_return_ : has_break_)) continue;
        const Value unset = c_.apply_op(OpId::not_, {argument(frame_.names[flag].value)}, s_.span);
        all = argument(c_.logical(OpId::and_, argument(unset), all, s_.span));
    }
    return c_.typed(all);
}

Value Loop::index_value() {
    if (arrays_) return Value(TypedValue{c_.builder.extent(index_)});
    Value counter(TypedValue{counter_});
    if (!first_) return counter;
    const Argument index{std::move(counter), s_.loop.name_span, {}, {}};
    const Value offset = c_.apply_op(OpId::mul_, {index, *step_}, s_.loop.name_span);
    return c_.apply_op(OpId::add_, {*first_, {offset, s_.loop.name_span, {}, {}}}, s_.loop.name_span);
}

/// Runs the body once in `region`, where the carried names are bound. No flag is set at its start.
void Loop::body(ir::RegionId region) {
    c_.builder.set_insertion(region);
    frame_.names.erase(fmt::format("continue {}", frame_.loop_depth));
    if (has_break_) frame_.names[fmt::format("break {}", frame_.loop_depth)].value = Value(false);
    if (has_return_) frame_.names["return "].value = Value(false);
    if (s_.kind == ast::StmtKind::for_) {
        if (!counted_ && !arrays_) counter_ = frame_.names[counter_name_].value.as<TypedValue>()->id;
        Binding b;
        b.value = index_value();
        b.span = s_.loop.name_span;
        frame_.names[s_.loop.name] = b;
        if (first_) c_.builder.name_value(b.value.as<TypedValue>()->id, s_.loop.name);
    }
    const ir::ValueId counter = counter_;
    const int outer_body = std::exchange(frame_.body_depth, frame_.block_depth + 1);
    c_.run_block(s_.body);
    frame_.body_depth = outer_body;
    if (s_.kind != ast::StmtKind::for_ || counted_ || arrays_) return;
    const Argument old{Value(TypedValue{counter}), s_.span, {}, {}};
    frame_.names[counter_name_].value =
        c_.apply_op(OpId::add_, {old, {Value::integer(1), s_.span, {}, {}}}, s_.span);
}

/// Learns types of untyped names from what the body has given them; true when one was learned.
bool Loop::learn() {
    bool learned = false;
    for (Carried& carried : carried_) {
        const auto at = frame_.names.find(carried.name);
        if (carried.type || at == frame_.names.end()) continue;
        const Value& v = at->second.value;
        returns_tuple_ |= v.as_tuple() != nullptr;
        if (const auto* typed = v.as<TypedValue>()) {
            carried.type = c_.builder.type(typed->id);
            // A number that becomes an array is reported where the body ends.
            if (!carried.initial.as<NoneValue>()) carried.type->shape.clear();
            learned = true;
        } else if (v.as<bool>()) {
            carried.type = ir::Type{ir::TypeKind::value, DType::bool_, {}};
            learned = true;
        } else if (v.weak() || v.as<SizeValue>()) {
            carried.fallback = c_.element_type({v, s_.span, {}, {}}, "this");
        }
    }
    return learned;
}

/// Runs the body on trial, without messages, until every name has a type.
void Loop::find_types() {
    Diagnostics scratch;
    Diagnostics* const real = c_.diagnostics;
    c_.diagnostics = &scratch;
    const bool faulty = frame_.faulty;
    SizeFacts known = c_.facts();
    const auto symbols = c_.loop_symbols;
    ++c_.trials;
    for (int trial = 0; trial < kMaxTrials && untyped(); ++trial) {
        const Environment before = frame_.names;
        const ir::RegionId outer = c_.builder.insertion();
        const ir::RegionId region = c_.builder.make_region();
        if (counted_ && !arrays_)
            counter_ = c_.builder.region_parameter(region, ir::Type{ir::TypeKind::value, DType::i64_, {}},
                                                   s_.loop.name);
        bind(region);
        ++frame_.loop_depth;
        if (steps_.bounded()) c_.counters.push_back({steps_.symbol, low_, high_, region});
        body(region);
        if (steps_.bounded()) c_.counters.pop_back();
        --frame_.loop_depth;
        c_.builder.set_insertion(outer);
        const bool learned = learn();
        frame_.names = before;
        if (!learned) break;
    }
    --c_.trials;
    c_.loop_symbols = symbols;
    c_.restore(std::move(known));
    frame_.faulty = faulty;
    c_.diagnostics = real;
    for (Carried& carried : carried_) {
        if (carried.type) continue;
        const bool none = carried.initial.as<NoneValue>() != nullptr;
        const auto own =
            none ? std::optional(DType::i64_) : c_.element_type({carried.initial, s_.span, {}, {}}, "this");
        const DType dtype =
            carried.fallback && (none || is_float(*carried.fallback)) ? *carried.fallback : *own;
        carried.type = ir::Type{ir::TypeKind::value, dtype, {}};
    }
}

bool Loop::untyped() const {
    for (const Carried& carried : carried_) {
        if (!carried.type) return true;
    }
    return false;
}

/// What the body yields for each carried name; a changed type is reported.
std::optional<std::vector<ir::ValueId>> Loop::next_values() {
    std::vector<ir::ValueId> next;
    bool sound = true;
    for (const Carried& carried : carried_) {
        const auto at = frame_.names.find(carried.name);
        if (at == frame_.names.end() || at->second.value.is_error()) {
            sound = false;
            continue;
        }
        if (!at->second.lost.empty()) {
            c_.error(at->second.span, fmt::format("{} is carried through the loop, and {}",
                                                  title(carried.name), at->second.lost));
            sound = false;
            continue;
        }
        const auto id = next_value(carried, at->second);
        sound &= id.has_value();
        if (id) next.push_back(*id);
    }
    return sound ? std::optional(next) : std::nullopt;
}

std::optional<ir::ValueId> Loop::next_value(const Carried& carried, const Binding& b) {
    const Argument a{b.value, b.span, {}, {}};
    const auto own = c_.element_type(a, title(carried.name));
    if (!own) return std::nullopt;
    const ir::Type& type = *carried.type;
    const auto* typed = b.value.as<TypedValue>();
    if (typed && *own != type.dtype) {
        c_.error(b.span, fmt::format("{} changes its type in the loop: from {} to {}", title(carried.name),
                                     c_.text(type), c_.text(c_.builder.type(typed->id))))
            .help(fmt::format("give it its type before the loop, or cast here: `{}(...)`", name(type.dtype)));
        return std::nullopt;
    }
    const auto id = c_.as_dtype(a, type.dtype, title(carried.name));
    if (!id) return std::nullopt;
    const std::vector<ExtentId> shape = c_.builder.type(*id).shape;
    bool same = shape.size() == type.shape.size();
    for (size_t k = 0; same && k < shape.size(); ++k) same = c_.same_extent(shape[k], type.shape[k]);
    if (same) return c_.broadcast_to(*id, type.shape);
    c_.error(b.span, fmt::format("{} changes its shape in the loop: from {} to {}", title(carried.name),
                                 c_.text(type), c_.text(c_.builder.type(*id))))
        .note(s_.span, "the loop")
        .help("give it its shape before the loop");
    return std::nullopt;
}

/// Fills the regions of the node; the test is absent for a `for`.
bool Loop::build_regions(ir::RegionId test, ir::RegionId region) {
    ir::Builder& b = c_.builder;
    const ir::RegionId outer = b.insertion();
    ++frame_.loop_depth;
    bool sound = true;
    if (!counted_) {
        bind(test);
        b.set_insertion(test);
        const auto go = condition();
        if (go) b.set_yields(test, {*go});
        sound = go.has_value();
    } else {
        counter_ = b.region_parameter(region, ir::Type{ir::TypeKind::value, DType::i64_, {}}, s_.loop.name);
    }
    bind(region);
    body(region);
    const auto next = next_values();
    if (next) b.set_yields(region, *next);
    --frame_.loop_depth;
    b.set_insertion(outer);
    return sound && next.has_value();
}

void Loop::run() {
    if (frame_.loop_depth >= kMaxLoopDepth) {
        c_.error(s_.span, fmt::format("loops nest deeper than {} levels", kMaxLoopDepth));
        return give_up();
    }
    if (s_.kind == ast::StmtKind::for_ && !(arrays_ ? open_sizes() : open_range())) return give_up();
    find_carried();
    find_types();
    if (returns_tuple_) {
        c_.not_yet(s_.span, "a `return` of several values in a loop");
        return give_up();
    }
    arrays_ ? run_arrays() : run_scalar();
}

void Loop::run_scalar() {
    const auto carried = initial_values();
    if (!carried) return give_up();
    std::vector<ir::ValueId> operands;
    if (counted_) operands = {start_, stop_};
    operands.insert(operands.end(), carried->begin(), carried->end());
    const Environment before = frame_.names;
    const ir::RegionId test = counted_ ? ir::RegionId{} : c_.builder.make_region();
    const ir::RegionId region = c_.builder.make_region();
    if (!build_regions(test, region)) return leave(before, std::nullopt);
    std::vector<ir::Type> types;
    for (const Carried& c : carried_) types.push_back(*c.type);
    const std::vector<ir::RegionId> regions = counted_ ? std::vector{region} : std::vector{test, region};
    c_.builder.set_span(s_.span);
    const ir::Structure kind = counted_ ? ir::Structure::for_ : ir::Structure::while_;
    leave(before, c_.builder.node(kind, operands, std::move(types), {}, regions));
}

/// What the loop would have assigned is unknown.
void Loop::give_up() {
    for (const std::string& name : assigned_names(frame_.tree(), s_.body)) {
        Binding& b = frame_.names[name];
        b.value = Value();
        b.lost.clear();
        b.span = s_.span;
    }
}

void Checker::run_loop(const ast::Stmt& s) { Loop(*this, s).run(); }

/// After the loop: carried names hold the results, names first assigned inside have no value.
void Loop::leave(const Environment& before, std::optional<ir::NodeId> node) {
    Environment after = before;
    for (const auto& [name, b] : frame_.names) {
        if (before.count(name) || name.find(' ') != std::string::npos || name == s_.loop.name) continue;
        Binding lost = b;
        lost.lost = "it is first assigned in a loop";
        after[name] = lost;
    }
    for (size_t i = 0; i < carried_.size(); ++i) {
        const std::string& name = carried_[i].name;
        const bool flag = name.find(' ') != std::string::npos;
        if (flag && name.rfind("return", 0) != 0) continue;
        Binding& b = after[name];
        if (!node) {
            b.value = Value();
            continue;
        }
        const auto position = static_cast<uint32_t>(i + (conditional_ ? 1 : 0));
        const ir::ValueId id = c_.builder.function().result(*node, position);
        b.value = Value(TypedValue{id});
        if (!b.span.known()) b.span = s_.span;
        if (!flag) c_.builder.name_value(id, name);
    }
    frame_.names = std::move(after);
}

}  // namespace fuseline::dsl
