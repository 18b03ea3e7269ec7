// Scalar code of a kernel as C++ statements: straight code.
#include "compiler/codegen/cuda_statements.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/codegen/cuda_literals.h"
#include "compiler/support/errors.h"

namespace fuseline {

using ir::Node;
using ir::NodeId;
using ir::Structure;
using ir::ValueId;

namespace {

/// An expression that is longer gets its longest operands as named values first.
constexpr size_t kLongExpression = 84;

bool is_word(std::string_view text) {
    return std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
}

/// Text for a `//` comment: printable ASCII, no backslash at the end.
std::string comment_text(std::string_view text) {
    std::string out;
    for (char c : text) out += c >= ' ' && c <= '~' ? c : c == '\t' ? ' ' : '?';
    const size_t begin = out.find_first_not_of(' ');
    out.erase(0, begin == std::string::npos ? out.size() : begin);
    while (out.ends_with(' ') || out.ends_with('\\')) out.pop_back();
    return out;
}

}  // namespace

std::string cuda_value(const ir::Type& type, const std::string& text) {
    return is_half(type.dtype) && type.kind == ir::TypeKind::value ? "float(" + text + ")" : text;
}

DType cuda_operation_dtype(const ir::Function& function, const Node& node) {
    const auto operands = function.operands(node);
    const bool select = row(node.op.op()).rule == TypeRule::select;
    return function.type(select ? operands.back() : operands.front()).dtype;
}

CudaStatements::CudaStatements(const ir::Function& function, const std::vector<CudaUse>& uses,
                               const SourceMap* sources, CudaNames& names)
    : f_(function), uses_(uses), sources_(sources), names_(names), values_(function.value_count()) {}

void CudaStatements::bind(ValueId v, CudaText text) { values_[v.index] = {std::move(text), true, false, {}}; }

const CudaText& CudaStatements::text(ValueId v) {
    if (!values_[v.index].known) {
        // A constant may stand outside the code that is printed.
        const Node* n = f_.definition(v);
        require(n != nullptr && n->op.is(Structure::constant_),
                "emitted code uses a value before its definition");
        bind(v, cuda_literal(f_.type(v).dtype, std::get<Scalar>(n->attribute)));
    }
    return values_[v.index].text;
}

CudaText CudaStatements::use(ValueId v) {
    const CudaText& used = text(v);
    values_[v.index].pending = false;
    return used;
}

void CudaStatements::line(std::string_view text) {
    out_.append(4 * indent_, ' ');
    out_ += text;
    out_ += '\n';
}

void CudaStatements::place(NodeId node) {
    if (sources_ == nullptr || !f_.span(node).known()) return;
    const Location at = sources_->locate(f_.span(node).begin);
    if (at.file == nullptr) return;
    std::string text =
        fmt::format("{}:{}: {}", at.file->name, at.line, comment_text(sources_->line_text(at)));
    text = comment_text(text);
    if (text == last_place_) return;
    line("// " + text);
    last_place_ = std::move(text);
}

std::string CudaStatements::declare(ValueId v, const std::string& text) {
    const std::string_view wanted = f_.value_name(v);
    const std::string name = wanted.empty() ? names_.temporary() : names_.named(wanted);
    line(fmt::format("const {} {} = {};", row(f_.type(v).dtype).cuda, name, text));
    bind(v, {name});
    return name;
}

void CudaStatements::materialise(ValueId v) {
    place(values_[v.index].node);
    declare(v, use(v).text);
}

bool CudaStatements::inlined(ValueId v, const CudaText& text) const {
    const CudaUse& use = uses_[v.index];
    const Node& n = *f_.definition(v);
    if (use.count != 1 || use.region != n.parent || text.text.size() > kLongExpression) return false;
    return f_.value_name(v).empty() || use.assigned;
}

void CudaStatements::result(NodeId node, CudaText text) {
    const ValueId v = f_.result(node);
    if (uses_[v.index].count == 0) return;
    // Another name for a value that has one: names do not change before the end of the region.
    if (is_word(text.text)) return bind(v, std::move(text));
    if (inlined(v, text)) {
        values_[v.index] = {std::move(text), true, true, node};
        return;
    }
    place(node);
    declare(v, text.text);
}

void CudaStatements::assign(const std::string& target, ValueId value) {
    if (values_[value.index].pending) place(values_[value.index].node);
    line(fmt::format("{} = {};", target, use(value).text));
}

void CudaStatements::give_back(ValueId value) {
    if (values_[value.index].pending) place(values_[value.index].node);
    line(fmt::format("return {};", use(value).text));
}

void CudaStatements::give_back(std::span<const ValueId> values) {
    if (values.size() == 1) return give_back(values[0]);
    std::vector<std::string> texts;
    for (ValueId v : values) {
        if (values_[v.index].pending) place(values_[v.index].node);
        texts.push_back(use(v).text);
    }
    line(fmt::format("return {{{}}};", fmt::join(texts, ", ")));
}

void CudaStatements::elementwise(NodeId id) {
    const Node& n = f_.node(id);
    const auto operands = f_.operands(n);
    if (uses_[n.results_begin].count == 0) return;
    const auto length = [&] {
        size_t total = 0;
        for (ValueId v : operands) total += text(v).text.size();
        return total;
    };
    while (length() > kLongExpression) {
        const auto pending_length = [&](ValueId v) {
            return values_[v.index].pending ? values_[v.index].text.text.size() : 0;
        };
        const ValueId longest = *std::ranges::max_element(operands, {}, pending_length);
        if (pending_length(longest) == 0) break;
        materialise(longest);
    }
    std::vector<CudaText> texts;
    for (ValueId v : operands) texts.push_back(use(v));
    result(id, cuda_expression(n.op.op(), cuda_operation_dtype(f_, n), f_.type(f_.result(id)).dtype, texts));
}

void CudaStatements::print(ir::RegionId region, const Access& access) {
    print(region, access, [](NodeId) { return true; });
}

void CudaStatements::print(ir::RegionId region, const Access& access, const Wanted& wanted) {
    frames_.push_back({region, 0, 0, out_.size()});
    for (;;) {
        Frame& frame = frames_.back();
        const std::vector<NodeId>& nodes = f_.region(frame.region).nodes;
        if (frame.position < nodes.size()) {
            const NodeId next = nodes[frame.position++];
            if (frames_.size() > 1 || wanted(next)) node(next, access);
        } else if (frames_.size() == 1) {
            frames_.pop_back();
            return;
        } else {
            leave();
        }
    }
}

void CudaStatements::node(NodeId id, const Access& access) {
    const Node& n = f_.node(id);
    if (n.op.elementwise()) return elementwise(id);
    if (n.op.is(Structure::constant_)) {
        const ValueId v = f_.result(id);
        return bind(v, cuda_literal(f_.type(v).dtype, std::get<Scalar>(n.attribute)));
    }
    if (n.op.is(Structure::if_)) return open_if(id);
    if (n.op.is(Structure::while_)) return open_while(id);
    if (n.op.is(Structure::for_)) return open_for(id);
    access(id);
}

}  // namespace fuseline
