// The verifier: a list of named rules that every function keeps.
#include <fmt/format.h>

#include "compiler/ir/verify_context.h"
#include "compiler/support/errors.h"

namespace fuseline::ir {

namespace {

/// Every id that a node or region holds exists.
void verify_ids(VerifyContext& c) {
    const auto exists = [&](ValueId v) { return v.index < c.f.value_count(); };
    for (NodeId id : c.order) {
        for (ValueId v : c.f.operands(id)) {
            if (!exists(v)) c.fault(id, "an operand is no value of the function");
        }
        const Node& n = c.f.node(id);
        for (uint32_t k = 0; k < n.regions_count; ++k) {
            for (ValueId v : c.f.region(c.f.region_of(n, k)).yields) {
                if (!exists(v)) c.fault(id, fmt::format("region {} yields no value of the function", k));
            }
        }
    }
    for (ValueId v : c.f.region(c.f.body()).yields) {
        if (!exists(v)) c.fault_of_function("a yield is no value of the function");
    }
}

/// The operations that a region may hold.
struct Place {
    uint32_t forms = 0;    ///< bits of kForm*
    bool nested = false;   ///< in a group, a nest, or a region below them: no further group or nest
    bool effects = false;  ///< checks, stores, allocations and launches
    std::string_view name;
};

constexpr std::string_view kNest = "a nest", kInnerNest = "an inner nest";

Place body_place(Form form) {
    switch (form) {
        case Form::graph: return {kFormGraph, false, true, "a graph"};
        case Form::kernel: return {kFormKernel | kFormScalar, false, false, "a kernel"};
        case Form::plan: return {kFormPlan, false, true, "a plan"};
    }
    return {};
}

Place region_place(const Place& outer, Opcode owner) {
    if (owner.is(Structure::apply_)) return {kFormScalar, true, false, "an apply"};
    if (owner.is(Structure::reduce_)) return {kFormScalar, true, false, "a reduction"};
    if (owner.is(Structure::fold_)) return {kFormKernel | kFormScalar, true, false, "a fold"};
    if (owner.is(Structure::hold_)) return {kFormKernel | kFormScalar, true, false, "a hold"};
    // Loops and branches over arrays hold what the place around them holds.
    if (owner.is(Structure::loop_)) return outer;
    if (owner.is(Structure::if_) && (outer.forms & kFormScalar) == 0) return outer;
    if (owner.is(Structure::group_)) return {kFormGraph, true, false, "a group"};
    if (owner.is(Structure::nest_))
        return {kFormKernel | kFormScalar, true, true, outer.nested ? kInnerNest : kNest};
    return {outer.forms, true, false, "a scalar region"};
}

void check_place(VerifyContext& c, NodeId id, const Place& place) {
    const Opcode op = c.f.node(id).op;
    if (op.elementwise()) return;
    const StructureRow& r = row(op.structure());
    const bool groups = op.is(Structure::group_) || op.is(Structure::nest_);
    const bool fold_below_nest =
        (op.is(Structure::fold_) || op.is(Structure::hold_)) && place.name != kNest;
    const bool inner_nest = op.is(Structure::nest_) && place.name == kNest;
    if ((r.forms & place.forms) == 0) {
        c.fault(id, fmt::format("does not stand in {}", place.name));
    } else if (groups && place.nested && !inner_nest) {
        c.fault(id, fmt::format("does not stand inside {}", place.name));
    } else if (fold_below_nest) {
        c.fault(id, "stands directly in a nest only");
    } else if (!r.pure && !groups && !place.effects) {
        c.fault(id, fmt::format("has an effect, which {} does not have here", place.name));
    }
}

/// Operations stand where the form has them; effects stand in bodies and, stores, directly in nests.
void verify_places(VerifyContext& c) {
    std::vector<Place> places(c.f.region_count());
    places[0] = body_place(c.f.form);
    for (NodeId id : c.order) {
        const Node& n = c.f.node(id);
        check_place(c, id, places[n.parent.index]);
        for (uint32_t k = 0; k < n.regions_count; ++k) {
            places[n.regions_begin + k] = region_place(places[n.parent.index], n.op);
        }
    }
}

uint32_t result_count(const Function& f, const Node& n) {
    if (n.op.elementwise()) return 1;
    const StructureRow& r = row(n.op.structure());
    // Operations with yields have a result for each; rule `types` compares them.
    if (r.regions != 0 && r.pure)
        return static_cast<uint32_t>(f.region(f.region_of(n, r.regions - 1)).yields.size());
    return r.pure || r.id == Structure::alloc_ || r.id == Structure::own_ ? 1 : 0;
}

/// Numbers of operands, regions and results, and the kind of the attribute.
void verify_arity(VerifyContext& c) {
    for (NodeId id : c.order) {
        const Node& n = c.f.node(id);
        uint32_t low = 0, high = 0, regions = 0;
        AttributeKind attribute = AttributeKind::none;
        if (n.op.elementwise()) {
            low = high = static_cast<uint32_t>(row(n.op.op()).arity);
        } else {
            const StructureRow& r = row(n.op.structure());
            low = r.operands_min, high = r.operands_max, regions = r.regions, attribute = r.attribute;
        }
        if (n.operands_count < low || n.operands_count > high) {
            c.fault(id, fmt::format("has {} operands, needs {}{}", n.operands_count, low,
                                    high > low ? " or more" : ""));
        }
        if (n.attribute.index() != static_cast<size_t>(attribute))
            c.fault(id, "has an attribute of the wrong kind");
        if (n.regions_count != regions) {
            c.fault(id, fmt::format("has {} regions, needs {}", n.regions_count, regions));
        } else if (n.results_count != result_count(c.f, n)) {
            c.fault(id, fmt::format("has {} results, needs {}", n.results_count, result_count(c.f, n)));
        }
    }
}

/// Walks regions in the order of the text and knows which values can be seen.
class Dominance {
public:
    explicit Dominance(VerifyContext& c) : c_(c), visible_(c.f.value_count(), false) {}

    void run() {
        enter(c_.f.body(), {});
        while (!open_.empty()) {
            Open& o = open_.back();
            const Region& region = c_.f.region(o.region);
            if (o.position == region.nodes.size()) {
                leave();
                continue;
            }
            const NodeId id = region.nodes[o.position];
            const Node& n = c_.f.node(id);
            if (o.next == 0) use_all(id, c_.f.operands(n), "uses");
            if (o.next < n.regions_count) {
                const RegionId inner = c_.f.region_of(n, o.next++);
                enter(inner, id);
            } else {
                o.next = 0;
                ++o.position;
                for (uint32_t k = 0; k < n.results_count; ++k) define(c_.f.result(id, k));
            }
        }
    }

private:
    struct Open {
        RegionId region;
        NodeId owner;
        size_t position = 0;
        uint32_t next = 0;   ///< region of the node at `position` to enter next
        size_t defined = 0;  ///< defined_.size() when the region was entered
    };

    void define(ValueId v) {
        visible_[v.index] = true;
        defined_.push_back(v);
    }
    void enter(RegionId region, NodeId owner) {
        open_.push_back({region, owner, 0, 0, defined_.size()});
        for (ValueId p : c_.f.region(region).parameters) define(p);
    }
    void leave() {
        const Open o = open_.back();
        use_all(o.owner, c_.f.region(o.region).yields, "yields");
        while (defined_.size() > o.defined) {
            visible_[defined_.back().index] = false;
            defined_.pop_back();
        }
        open_.pop_back();
    }
    void use_all(NodeId place, std::span<const ValueId> values, std::string_view verb) {
        for (ValueId v : values) {
            if (visible_[v.index]) continue;
            const std::string what = fmt::format("{} {}, which is not defined before it", verb, c_.value(v));
            if (place)
                c_.fault(place, what);
            else
                c_.fault_of_function(what);
        }
    }

    VerifyContext& c_;
    std::vector<bool> visible_;
    std::vector<ValueId> defined_;
    std::vector<Open> open_;
};

/// Values are defined before their uses, in the same region or one around it.
void verify_dominance(VerifyContext& c) { Dominance(c).run(); }

/// A group sees values from outside through its parameters only; constants, sizes and indices are the same
/// everywhere.
void verify_captures(VerifyContext& c) {
    std::vector<RegionId> group(c.f.region_count());
    for (NodeId id : c.order) {
        const Node& n = c.f.node(id);
        for (uint32_t k = 0; k < n.regions_count; ++k) {
            const RegionId region = c.f.region_of(n, k);
            group[region.index] = n.op.is(Structure::group_) ? region : group[n.parent.index];
        }
        const RegionId around = group[n.parent.index];
        if (!around) continue;
        for (ValueId v : c.f.operands(n)) {
            const ValueInfo& info = c.f.value(v);
            const Node* definition = c.f.definition(v);
            if (definition != nullptr && definition->operands_count == 0 && definition->regions_count == 0)
                continue;
            const RegionId home = definition != nullptr ? definition->parent : info.parameter_of;
            if (group[home.index] != around) {
                c.fault(id, fmt::format("uses {} of outside its group: it must come in as an operand",
                                        c.value(v)));
            }
        }
    }
}

/// Parameters and results have as many names as there are; a kernel's parameters come in the order of its
/// ABI.
void verify_signature(VerifyContext& c) {
    const Region& body = c.f.region(c.f.body());
    if (c.f.parameter_names.size() != body.parameters.size()) {
        c.fault_of_function(
            fmt::format("{} parameters have {} names", body.parameters.size(), c.f.parameter_names.size()));
    }
    const bool kernel = c.f.form == Form::kernel;
    if (kernel && !body.yields.empty()) c.fault_of_function("a kernel yields nothing: it stores");
    if (!kernel && c.f.result_names.size() != body.yields.size()) {
        c.fault_of_function(
            fmt::format("{} results have {} names", body.yields.size(), c.f.result_names.size()));
    }
    if (kernel && c.f.index_bits != 32 && c.f.index_bits != 64)
        c.fault_of_function("index_bits is neither 32 nor 64");
    int rank_before = 0;
    for (ValueId p : body.parameters) {
        const Type& t = c.f.type(p);
        const bool buffer = t.kind == TypeKind::read_buffer || t.kind == TypeKind::write_buffer;
        if (t.kind == TypeKind::index || t.kind == TypeKind::held || (buffer && !kernel)) {
            c.fault_of_function(
                fmt::format("parameter {} has type {}, which its form lacks", c.value(p), c.type(p)));
        }
        if (!kernel) continue;
        if (!t.shape.empty())
            c.fault_of_function(fmt::format("parameter {} of a kernel has a shape", c.value(p)));
        const int rank = t.kind == TypeKind::read_buffer ? 0 : t.kind == TypeKind::write_buffer ? 1 : 2;
        if (rank < rank_before) {
            c.fault_of_function(fmt::format(
                "parameter {}: read buffers come first, then write buffers, then scalars", c.value(p)));
        }
        rank_before = std::max(rank, rank_before);
    }
}

struct Rule {
    std::string_view name;
    void (*run)(VerifyContext&);
    bool gate;  ///< later rules rely on it
};

constexpr Rule kRules[] = {
    {"ids", verify_ids, true},
    {"place", verify_places, false},
    {"arity", verify_arity, true},
    {"dominance", verify_dominance, false},
    {"captures", verify_captures, false},
    {"signature", verify_signature, false},
    {"types", verify_types, false},
    {"sizes", verify_sizes, false},
};

void run_rules(VerifyContext& c) {
    for (const Rule& rule : kRules) {
        c.start(rule.name);
        rule.run(c);
        if (rule.gate && !c.faults().empty()) break;
    }
}

}  // namespace

std::vector<Fault> find_faults(const Function& function) {
    VerifyContext c(function);
    run_rules(c);
    return c.faults();
}

std::vector<std::string> verify(const Function& function) {
    VerifyContext c(function);
    run_rules(c);
    return c.texts();
}

void verify_or_throw(const Function& function, std::string_view after) {
    const std::vector<std::string> faults = verify(function);
    if (faults.empty()) return;
    std::string text = fmt::format("the IR is not sound after {}:\n", after);
    for (const std::string& fault : faults) text += fmt::format("  {}\n", fault);
    throw InternalError(text + print(function));
}

}  // namespace fuseline::ir
