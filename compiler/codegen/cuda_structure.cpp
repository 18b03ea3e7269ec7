// Scalar code of a kernel as C++ statements: if, while and for.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "compiler/codegen/cuda_literals.h"
#include "compiler/codegen/cuda_statements.h"
#include "compiler/support/errors.h"

namespace fuseline {

using ir::Node;
using ir::NodeId;
using ir::Region;
using ir::RegionId;
using ir::Structure;
using ir::ValueId;

namespace {

/// Longest `condition ? a : b` in place of if and else, and nodes in one of its arms.
constexpr size_t kLongChoice = 92;
constexpr size_t kChoiceNodes = 6;

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Calls `visit` with every word of a text.
template <class Visit>
void for_each_word(std::string_view text, Visit visit) {
    for (size_t at = 0; at < text.size();) {
        const size_t begin = at;
        while (at < text.size() && is_word(text[at])) ++at;
        if (at != begin) visit(text.substr(begin, at - begin));
        if (at == begin) ++at;
    }
}

/// Assignments `target = value` that must look as if all happened at once.
struct Assignment {
    ValueId target;
    ValueId value;
    std::set<size_t> reads;  ///< other assignments whose targets the value mentions
    size_t readers = 0;      ///< other assignments left that mention this target
    bool done = false;
};

}  // namespace

bool CudaStatements::unused(const Node& n) const {
    for (uint32_t k = 0; k < n.results_count; ++k) {
        if (uses_[n.results_begin + k].count != 0) return false;
    }
    return true;
}

/// A carried value that nothing reads has no variable.
bool CudaStatements::idle(std::initializer_list<ValueId> names) const {
    return std::ranges::all_of(names, [&](ValueId v) { return uses_[v.index].count == 0; });
}

bool CudaStatements::computes(RegionId region) const {
    return std::ranges::any_of(f_.region(region).nodes,
                               [&](NodeId id) { return !f_.node(id).op.is(Structure::constant_); });
}

std::string CudaStatements::variable(ValueId v, ValueId like, const std::string& initial) {
    const std::string_view own = f_.value_name(v);
    const std::string_view wanted = own.empty() ? f_.value_name(like) : own;
    const std::string name = wanted.empty() ? names_.temporary() : names_.named(wanted);
    const std::string_view type = row(f_.type(v).dtype).cuda;
    line(initial.empty() ? fmt::format("{} {};", type, name)
                         : fmt::format("{} {} = {};", type, name, initial));
    bind(v, {name});
    return name;
}

void CudaStatements::enter(RegionId region, uint32_t number) {
    ++indent_;
    frames_.push_back({region, 0, number, out_.size()});
}

void CudaStatements::leave() {
    const Frame frame = frames_.back();
    const NodeId owner = f_.region(frame.region).owner;
    const Node& n = f_.node(owner);
    frames_.pop_back();
    if (n.op.is(Structure::if_)) return end_branch(frame, owner);
    if (n.op.is(Structure::while_) && frame.number == 0) return end_condition(frame, owner);
    const Region& region = f_.region(frame.region);
    const size_t counters = n.op.is(Structure::for_) ? 1 : 0;
    carry(region.yields, std::span(region.parameters).subspan(counters));
    --indent_;
    line("}");
}

bool CudaStatements::short_expression(RegionId region) const {
    const Region& r = f_.region(region);
    if (r.nodes.size() > kChoiceNodes) return false;
    for (NodeId id : r.nodes) {
        const Node& n = f_.node(id);
        if (n.op.is(Structure::constant_)) continue;
        const CudaUse& use = uses_[n.results_begin];
        if (!n.op.elementwise() || use.count != 1 || use.region != region) return false;
        if (!f_.value_name(f_.result(id)).empty() && !use.assigned) return false;
    }
    return true;
}

std::optional<CudaText> CudaStatements::expression(RegionId region) {
    const size_t before = out_.size();
    const std::string last = last_place_;
    for (NodeId id : f_.region(region).nodes) node(id, {});
    if (out_.size() == before) return use(f_.region(region).yields[0]);
    out_.resize(before);
    last_place_ = last;
    return std::nullopt;
}

bool CudaStatements::as_choice(NodeId id) {
    const Node& n = f_.node(id);
    const RegionId yes = f_.region_of(n, 0), no = f_.region_of(n, 1);
    if (n.results_count != 1 || !short_expression(yes) || !short_expression(no)) return false;
    const CudaText condition = text(f_.operands(n)[0]);
    const auto a = expression(yes);
    if (!a) return false;
    const auto b = expression(no);
    if (!b || condition.text.size() + a->text.size() + b->text.size() > kLongChoice) return false;
    const DType dtype = f_.type(f_.result(id)).dtype;
    const CudaText operands[] = {condition, *a, *b};
    result(id, cuda_expression(OpId::where_, dtype, dtype, operands));
    return true;
}

void CudaStatements::open_if(NodeId id) {
    const Node& n = f_.node(id);
    if (unused(n)) return;
    use(f_.operands(n)[0]);
    if (as_choice(id)) return;
    const std::string condition = use(f_.operands(n)[0]).text;
    const Region& yes = f_.region(f_.region_of(n, 0));
    const Region& no = f_.region(f_.region_of(n, 1));
    const bool starts = !computes(f_.region_of(n, 1));
    place(id);
    for (uint32_t k = 0; k < n.results_count; ++k) {
        if (uses_[n.results_begin + k].count == 0) continue;
        // An arm that computes nothing gives the values with which the results start.
        variable(f_.result(id, k), yes.yields[k], starts ? use(no.yields[k]).text : std::string());
    }
    line(fmt::format("if ({}) {{", condition));
    enter(f_.region_of(n, 0), 0);
}

void CudaStatements::end_branch(const Frame& frame, NodeId owner) {
    const Node& n = f_.node(owner);
    const Region& region = f_.region(frame.region);
    for (uint32_t k = 0; k < n.results_count; ++k) {
        const ValueId result{n.results_begin + k};
        if (uses_[result.index].count != 0) assign(text(result).text, region.yields[k]);
    }
    --indent_;
    const RegionId other = f_.region_of(n, 1);
    if (frame.number == 1 || !computes(other)) return line("}");
    line("} else {");
    enter(other, 1);
}

void CudaStatements::open_while(NodeId id) {
    const Node& n = f_.node(id);
    if (unused(n)) return;
    const auto operands = f_.operands(n);
    const Region& condition = f_.region(f_.region_of(n, 0));
    const Region& body = f_.region(f_.region_of(n, 1));
    std::vector<std::string> initial;
    for (ValueId v : operands) initial.push_back(use(v).text);
    place(id);
    for (uint32_t k = 0; k < n.results_count; ++k) {
        if (idle({f_.result(id, k), condition.parameters[k], body.parameters[k]})) continue;
        const std::string name = variable(f_.result(id, k), body.parameters[k], initial[k]);
        bind(condition.parameters[k], {name});
        bind(body.parameters[k], {name});
    }
    enter(f_.region_of(n, 0), 0);
}

void CudaStatements::end_condition(const Frame& frame, NodeId owner) {
    const CudaText condition = use(f_.region(frame.region).yields[0]);
    const std::string margin(4 * (indent_ - 1), ' ');
    if (out_.size() == frame.begin) {
        out_ += fmt::format("{}while ({}) {{\n", margin, condition.text);
    } else {
        out_.insert(frame.begin, margin + "while (true) {\n");
        line(fmt::format("if (!{}) break;",
                         condition.precedence == 0 ? condition.text : "(" + condition.text + ")"));
    }
    frames_.push_back({f_.region_of(f_.node(owner), 1), 0, 1, out_.size()});
}

void CudaStatements::open_for(NodeId id) {
    const Node& n = f_.node(id);
    if (unused(n)) return;
    const auto operands = f_.operands(n);
    const Region& body = f_.region(f_.region_of(n, 0));
    std::vector<std::string> initial;
    for (ValueId v : operands) initial.push_back(use(v).text);
    place(id);
    for (uint32_t k = 0; k < n.results_count; ++k) {
        if (idle({f_.result(id, k), body.parameters[k + 1]})) continue;
        const std::string name = variable(f_.result(id, k), body.parameters[k + 1], initial[k + 2]);
        bind(body.parameters[k + 1], {name});
    }
    const std::string_view wanted = f_.value_name(body.parameters[0]);
    const std::string i = wanted.empty() ? names_.local("i") : names_.named(wanted);
    bind(body.parameters[0], {i});
    line(fmt::format("for (long long {0} = {1}; {0} < {2}; ++{0}) {{", i, initial[0], initial[1]));
    enter(f_.region_of(n, 0), 0);
}

void CudaStatements::carry(std::span<const ValueId> yields, std::span<const ValueId> parameters) {
    std::vector<Assignment> todo;
    std::map<std::string, size_t, std::less<>> targets;
    for (size_t k = 0; k < parameters.size(); ++k) {
        if (!bound(parameters[k]) || text(yields[k]).text == text(parameters[k]).text) continue;
        targets.emplace(text(parameters[k]).text, todo.size());
        todo.push_back({parameters[k], yields[k], {}, 0, false});
    }
    for (size_t k = 0; k < todo.size(); ++k) {
        for_each_word(text(todo[k].value).text, [&](std::string_view word) {
            const auto found = targets.find(word);
            if (found != targets.end() && found->second != k) todo[k].reads.insert(found->second);
        });
        for (size_t read : todo[k].reads) todo[read].readers++;
    }
    std::vector<std::pair<std::string, std::string>> last;
    for (size_t left = todo.size(); left != 0; --left) {
        // First whatever no other new value still needs; where all are needed one waits under a name of its
        // own.
        auto next = std::ranges::find_if(todo, [](const Assignment& a) { return !a.done && a.readers == 0; });
        const bool waits = next == todo.end();
        if (waits) next = std::ranges::find(todo, false, &Assignment::done);
        std::string target = text(next->target).text;
        if (waits) {
            last.emplace_back(target, names_.local("next_" + target));
            target = fmt::format("const {} {}", row(f_.type(next->target).dtype).cuda, last.back().second);
        }
        assign(target, next->value);
        next->done = true;
        for (size_t read : next->reads) todo[read].readers--;
    }
    for (const auto& [variable, value] : last) line(fmt::format("{} = {};", variable, value));
}

}  // namespace fuseline
