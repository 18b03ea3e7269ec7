// Loops over arrays: the counter is a size, so that shapes and offsets may use it.
#include <fmt/format.h>

#include <algorithm>

#include "dsl/checker.h"
#include "dsl/loops.h"
#include "dsl/walk.h"

namespace fuseline::dsl {

/// The bounds of the range as sizes; nullopt after a report.
std::optional<Loop::Range> Loop::size_range() {
    const ast::Expr* range = &c_.expr(s_.loop.range);
    Range sizes;
    sizes.reversed = range->kind == ast::ExprKind::reversed;
    if (sizes.reversed) range = &c_.expr(range->operands[0]);
    const bool stepped = range->operands.size() > 2 && range->operands[2];
    const auto size = [&](ast::ExprId id) { return c_.as_size(integer_bound(id), "a bound of a range"); };
    const auto first = size(range->operands[0]);
    const auto stop = size(range->operands[1]);
    const auto step = stepped ? size(range->operands[2]) : std::optional(c_.extents().constant(1));
    if (!first || !stop || !step) return std::nullopt;
    sizes.first = *first, sizes.stop = *stop, sizes.step = *step;
    const auto known = c_.extents().constant_value(*step);
    if (known == 0) {
        c_.error(c_.expr(range->operands[2]).span, "the step of a range is 0");
        return std::nullopt;
    }
    const bool sound =
        known || c_.require_extent(*step, ir::Check::Relation::greater_equal, c_.extents().constant(1),
                                   "the step of a range is positive", c_.expr(range->operands[2]).span);
    return sound ? std::optional(sizes) : std::nullopt;
}

/// A name for the counter that no other size of the graph has.
std::string Loop::unique_symbol() const {
    const ir::Function& f = c_.builder.function();
    std::set<std::string> sizes(f.parameter_names.begin(), f.parameter_names.end());
    for (ir::ValueId p : f.region(f.body()).parameters) {
        for (ExtentId e : f.type(p).shape) {
            for (std::string& name : f.extents.symbols(e)) sizes.insert(std::move(name));
        }
    }
    const auto taken = [&](const std::string& name) {
        return c_.loop_symbols.contains(name) || c_.symbol_spans.contains(name) || sizes.contains(name);
    };
    std::string name = s_.loop.name;
    for (int k = 1; taken(name); ++k) name = fmt::format("{}_{}", s_.loop.name, k);
    return name;
}

/// Where all values of the range are known to be sizes (at least 0), they are the counter's.
bool Loop::count_directly(const Range& r, std::optional<int64_t> step) {
    ExtentPool& pool = c_.extents();
    const ExtentId one = pool.constant(1);
    if (!step || (r.reversed && *step != 1)) return false;
    const bool down = r.reversed || *step < 0;
    const ExtentId least = r.reversed || !down ? r.first : pool.add(r.stop, one);
    if (!pool.provably_nonnegative(c_.canonical(least))) return false;
    if (r.reversed) {
        steps_.start = pool.sub(r.stop, one), steps_.stop = pool.sub(r.first, one);
        steps_.step = pool.constant(-1);
    } else {
        steps_.start = r.first, steps_.stop = r.stop, steps_.step = r.step;
    }
    low_ = down ? pool.add(steps_.stop, one) : steps_.start;
    high_ = down ? steps_.start : pool.sub(steps_.stop, one);
    index_ = pool.symbol(steps_.symbol);
    return true;
}

/// Otherwise the counter counts the steps, and the loop variable is computed from it.
void Loop::count_steps(const Range& r, std::optional<int64_t> step) {
    ExtentPool& pool = c_.extents();
    const ExtentId one = pool.constant(1);
    const ExtentId count =
        step == 1 ? pool.sub(r.stop, r.first) : pool.negate(pool.floordiv(pool.sub(r.first, r.stop), r.step));
    steps_.start = pool.constant(0), steps_.stop = count, steps_.step = one;
    low_ = steps_.start, high_ = pool.sub(count, one);
    const ExtentId counter = pool.symbol(steps_.symbol);
    const ExtentId place = r.reversed ? pool.sub(pool.sub(count, one), counter) : counter;
    index_ = pool.add(r.first, pool.mul(place, r.step));
}

bool Loop::open_sizes() {
    const auto range = size_range();
    if (!range) return false;
    steps_.symbol = unique_symbol();
    c_.loop_symbols.insert(steps_.symbol);
    const auto step = c_.extents().constant_value(range->step);
    if (!count_directly(*range, step)) count_steps(*range, step);
    return true;
}

/// Runs the body in its region; the values of the next step, the flag first.
std::vector<ir::ValueId> Loop::run_region(ir::RegionId region, bool& sound) {
    ir::Builder& b = c_.builder;
    const ir::RegionId outer = b.insertion();
    std::vector<ir::ValueId> yields;
    if (conditional_) b.region_parameter(region, {ir::TypeKind::value, DType::bool_, {}}, "go");
    SizeFacts known = c_.facts();
    ++frame_.loop_depth;
    bind(region);
    if (steps_.bounded()) c_.counters.push_back({steps_.symbol, low_, high_, region});
    body(region);
    const auto next = next_values();
    const auto go = conditional_ && next ? condition() : std::nullopt;
    sound = next && (go || !conditional_);
    if (steps_.bounded()) c_.counters.pop_back();
    --frame_.loop_depth;
    c_.restore_after(region, std::move(known));
    b.set_insertion(outer);
    if (go) yields.push_back(*go);
    if (next) yields.insert(yields.end(), next->begin(), next->end());
    return yields;
}

void Loop::run_arrays() {
    ir::Builder& b = c_.builder;
    auto operands = initial_values();
    if (!operands) return give_up();
    std::vector<ir::Type> types;
    for (const Carried& carried : carried_) types.push_back(*carried.type);
    if (conditional_) {
        const Argument first =
            s_.kind == ast::StmtKind::while_ ? c_.argument(s_.value) : Argument{Value(true), s_.span, {}, {}};
        const auto go = c_.scalar_condition(first, "any(c)` or `all(c)");
        if (!go) return give_up();
        operands->insert(operands->begin(), *go);
        types.insert(types.begin(), {ir::TypeKind::value, DType::bool_, {}});
    }
    const Environment before = frame_.names;
    const ir::RegionId region = b.make_region();
    bool sound = true;
    std::vector<ir::ValueId> yields = run_region(region, sound);
    if (!sound) return leave(before, std::nullopt);
    b.set_yields(region, std::move(yields));
    b.set_span(s_.span);
    steps_.conditional = conditional_;
    leave(before, b.node(ir::Structure::loop_, *operands, std::move(types), steps_, {&region, 1}));
}

}  // namespace fuseline::dsl
