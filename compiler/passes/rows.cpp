// rows: what reductions of rows give and what the elements of the rows do with it become one group. Where a
// row may be too long to be kept near the processor, or there may be too few, a branch on sizes chooses
// between the group and the steps as they were.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/passes/fusion_groups.h"
#include "compiler/passes/passes.h"
#include "compiler/passes/rebuild.h"
#include "compiler/passes/rows_order.h"
#include "compiler/passes/rows_phases.h"
#include "compiler/passes/rows_sets.h"

namespace fuseline {
namespace {

using fusion::RowsSet;
using ir::NodeId;
using ir::Structure;
using ir::ValueId;

/// Bytes of kernel parameters: buffers, scalars, and sizes that strides may need.
uint64_t parameter_bytes(const ir::Function& f, const RowsSet& set) {
    constexpr uint64_t kSlot = 8, kReserved = 128;
    uint64_t bytes = kReserved + kSlot * set.outputs.size();
    for (ValueId v : set.inputs) bytes += kSlot * (1 + f.type(v).rank());
    return bytes;
}

std::vector<NodeId> nodes_of(const fusion::Graph& graph, const RowsSet& set) {
    std::vector<NodeId> nodes;
    for (uint32_t step : set.members) nodes.push_back(graph.node(step));
    return nodes;
}

/// Whether a group over rows runs, as far as sizes are known.
enum class Answer : uint8_t { no, yes, ask };

class RowsBuilder {
public:
    RowsBuilder(const ir::Function& from, PassContext& context)
        : from_(from), context_(context), to_(ir::Form::graph, from.name), cloner_(from, to_) {}

    std::optional<ir::Function> run();

private:
    /// What must hold for a group to run: a row is kept, is worth a loop, and many rows or short ones give
    /// workers enough to do.
    struct Terms {
        ExtentId row, count;
        int64_t most = INT64_MAX;
        Answer kept = Answer::yes, worth = Answer::yes, shared = Answer::yes;
        Answer all() const {
            if (kept == Answer::no || worth == Answer::no || shared == Answer::no) return Answer::no;
            const bool known = kept == Answer::yes && worth == Answer::yes && shared == Answer::yes;
            return known ? Answer::yes : Answer::ask;
        }
    };
    void region(ir::RegionId id);
    std::vector<RowsSet> sets_of(const fusion::Graph& graph);
    bool refused(const fusion::Graph& graph, const RowsSet& set);
    Terms terms(const fusion::Graph& graph, const RowsSet& set);
    void node(NodeId id);
    void set(const fusion::Graph& graph, const RowsSet& set);
    void steps(const fusion::Graph& graph, const RowsSet& set, ir::Cloner& cloner);
    std::vector<ValueId> group(const fusion::Graph& graph, const RowsSet& set);
    std::vector<ValueId> branch(const fusion::Graph& graph, const RowsSet& set, const Terms& terms);
    ValueId condition(const Terms& terms);
    ValueId compare(OpId op, ExtentId size, int64_t number);
    void remark(const fusion::Graph& graph, const RowsSet& set, std::string reason);
    std::vector<ir::Type> types(const RowsSet& set);

    const ir::Function& from_;
    PassContext& context_;
    ExtentPool pool_ = from_.extents;
    ir::Builder to_;
    ir::Cloner cloner_;
    bool changed_ = false;
};

bool RowsBuilder::refused(const fusion::Graph& graph, const RowsSet& set) {
    uint64_t weight = 0;
    for (uint32_t step : set.members) weight += graph.weight(step);
    const bool large = weight > fusion::Budget{}.nodes ||
                       parameter_bytes(from_, set) > static_cast<uint64_t>(context_.target.parameter_bytes);
    const bool never = !large && terms(graph, set).all() == Answer::no;
    if (large) remark(graph, set, "too large for one kernel");
    if (never) remark(graph, set, "the rows are too long or too short for one kernel, or too few");
    return large || never;
}

std::vector<RowsSet> RowsBuilder::sets_of(const fusion::Graph& graph) {
    std::vector<RowsSet> sets = fusion::find_rows(graph);
    std::erase_if(sets, [&](const RowsSet& set) { return refused(graph, set); });
    return sets;
}

RowsBuilder::Terms RowsBuilder::terms(const fusion::Graph& graph, const RowsSet& set) {
    const Target& target = context_.target;
    const auto product = [&](size_t begin, size_t end) {
        ExtentId all = pool_.constant(1);
        for (size_t k = begin; k < end; ++k) all = pool_.mul(all, set.shape[k]);
        return all;
    };
    Terms t;
    t.count = product(0, set.outer);
    t.row = product(set.outer, set.shape.size());
    int64_t bytes = 0;
    for (ValueId v : fusion::held_in_rows(from_, nodes_of(graph, set), set.outputs, target)) {
        bytes += byte_size(from_.type(v).dtype);
    }
    const auto row = pool_.constant_value(t.row), count = pool_.constant_value(t.count);
    if (bytes != 0) {
        t.most = target.row_bytes / bytes;
        t.kept = !row ? Answer::ask : *row <= t.most ? Answer::yes : Answer::no;
    }
    if (target.short_row != 0)
        t.worth = !row ? Answer::ask : *row >= target.short_row ? Answer::yes : Answer::no;
    const bool enough = target.few_rows == 0 || (count && *count >= target.few_rows);
    if (!enough && !(row && *row <= target.long_row)) t.shared = row && count ? Answer::no : Answer::ask;
    return t;
}

void RowsBuilder::remark(const fusion::Graph& graph, const RowsSet& set, std::string reason) {
    const std::vector<ExtentId> row(set.shape.begin() + set.outer, set.shape.end());
    context_.remarks.push_back({"rows", from_.span(graph.node(set.members.back())),
                                fmt::format("{} steps on rows {}", set.members.size(), graph.shape_text(row)),
                                std::move(reason)});
}

std::vector<ir::Type> RowsBuilder::types(const RowsSet& set) {
    std::vector<ir::Type> all;
    for (ValueId v : set.outputs) all.push_back(cloner_.type(from_.type(v)));
    return all;
}

/// Copies of a set's steps that share nothing with equal steps around them: these would be computed for it.
void RowsBuilder::steps(const fusion::Graph& graph, const RowsSet& set, ir::Cloner& cloner) {
    to_.set_merging(false);
    for (NodeId id : nodes_of(graph, set)) cloner.node(id);
    to_.set_merging(true);
}

/// The group of a set where the builder stands; gives its results.
std::vector<ValueId> RowsBuilder::group(const fusion::Graph& graph, const RowsSet& set) {
    const ir::RegionId around = to_.insertion(), region = to_.make_region();
    ir::Cloner inner = cloner_;
    for (ValueId v : set.inputs) {
        inner.map(v, to_.region_parameter(region, to_.type(cloner_.value(v)), from_.value_name(v)));
    }
    to_.set_insertion(region);
    steps(graph, set, inner);
    to_.set_yields(region, inner.values(set.outputs));
    to_.set_insertion(around);
    const NodeId made = to_.node(Structure::group_, cloner_.values(set.inputs), types(set),
                                 std::string("rows"), {&region, 1});
    std::vector<ValueId> results;
    for (uint32_t k = 0; k < set.outputs.size(); ++k) {
        results.push_back(to_.function().result(made, k));
        to_.name_value(results.back(), from_.value_name(set.outputs[k]));
    }
    return results;
}

ValueId RowsBuilder::compare(OpId op, ExtentId size, int64_t number) {
    const ValueId operands[] = {to_.extent(to_.extents().import(pool_, size)),
                                to_.constant(DType::i64_, Scalar::of_i64(number))};
    return to_.elementwise(op, operands, DType::bool_);
}

ValueId RowsBuilder::condition(const Terms& terms) {
    const Target& target = context_.target;
    ValueId all;
    const auto also = [&](ValueId one) {
        const ValueId both[] = {all, one};
        all = all ? to_.elementwise(OpId::and_, both, DType::bool_) : one;
    };
    if (terms.kept == Answer::ask) also(compare(OpId::le_, terms.row, terms.most));
    if (terms.worth == Answer::ask) also(compare(OpId::ge_, terms.row, target.short_row));
    if (terms.shared == Answer::ask) {
        const ValueId either[] = {compare(OpId::ge_, terms.count, target.few_rows),
                                  compare(OpId::le_, terms.row, target.long_row)};
        also(to_.elementwise(OpId::or_, either, DType::bool_));
    }
    return all;
}

/// The group where the terms hold, else the steps, which are fused as they are.
std::vector<ValueId> RowsBuilder::branch(const fusion::Graph& graph, const RowsSet& set, const Terms& terms) {
    const ValueId runs = condition(terms);
    const ir::RegionId around = to_.insertion();
    const ir::RegionId regions[] = {to_.make_region(), to_.make_region()};
    to_.set_insertion(regions[0]);
    to_.set_yields(regions[0], group(graph, set));
    to_.set_insertion(regions[1]);
    ir::Cloner side = cloner_;
    steps(graph, set, side);
    to_.set_yields(regions[1], side.values(set.outputs));
    to_.set_insertion(around);
    const NodeId made = to_.node(Structure::if_, {&runs, 1}, types(set), {}, regions);
    std::vector<ValueId> results;
    for (uint32_t k = 0; k < set.outputs.size(); ++k) results.push_back(to_.function().result(made, k));
    return results;
}

void RowsBuilder::set(const fusion::Graph& graph, const RowsSet& set) {
    changed_ = true;
    Span span;
    for (ValueId v : set.outputs) span = cover(span, from_.span(from_.value(v).definition));
    to_.set_span(span);
    const Terms t = terms(graph, set);
    const bool asks = t.all() == Answer::ask;
    const std::string up_to = t.kept == Answer::ask ? fmt::format(" of up to {} elements", t.most) : "";
    remark(graph, set, asks ? fmt::format("one kernel{}, chosen by sizes at launch", up_to) : "one kernel");
    const std::vector<ValueId> results = asks ? branch(graph, set, t) : group(graph, set);
    for (size_t k = 0; k < results.size(); ++k) {
        cloner_.map(set.outputs[k], results[k]);
        to_.name_value(results[k], from_.value_name(set.outputs[k]));
    }
}

/// Loops and branches over arrays hold rows of their own.
void RowsBuilder::node(NodeId id) {
    const ir::Node& n = from_.node(id);
    if (!n.op.is(Structure::loop_) && !n.op.is(Structure::if_)) {
        cloner_.node(id);
        return;
    }
    const ir::OpenCopy open = cloner_.open(id);
    for (uint32_t k = 0; k < n.regions_count; ++k) {
        to_.set_insertion(open.to[k]);
        region(from_.region_of(n, k));
        to_.set_yields(open.to[k], cloner_.values(from_.region(from_.region_of(n, k)).yields));
    }
    to_.set_insertion(open.outer);
    cloner_.copy(id, cloner_.values(from_.operands(n)), open.to);
}

void RowsBuilder::region(ir::RegionId id) {
    const fusion::Graph graph(from_, id);
    const std::vector<RowsSet> sets = sets_of(graph);
    for (const fusion::RowsUnit& unit : fusion::units_in_order(graph, sets)) {
        unit.set != nullptr ? set(graph, *unit.set) : node(unit.node);
    }
}

std::optional<ir::Function> RowsBuilder::run() {
    cloner_.parameters();
    region(from_.body());
    if (!changed_) return std::nullopt;
    ir::Function result = to_.finish(cloner_.values(from_.region(from_.body()).yields), from_.result_names);
    copy_header(from_, result);
    return result;
}

}  // namespace

std::optional<ir::Function> pass_rows(const ir::Function& graph, PassContext& context) {
    if (!context.target.fuse) return std::nullopt;
    for (NodeId id : graph.region(graph.body()).nodes) {
        if (graph.node(id).op.is(Structure::group_)) return std::nullopt;
    }
    return RowsBuilder(graph, context).run();
}

}  // namespace fuseline
