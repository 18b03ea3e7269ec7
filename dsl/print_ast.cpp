// The syntax tree as indented text, one node a line. Walks with a list of its own, so depth costs no stack.
#include <fmt/format.h>

#include "compiler/support/utf8.h"
#include "dsl/parser.h"

namespace fuseline {
namespace {

using namespace ast;

/// Deeper lines are not indented further but tell their depth, which keeps the text of a long chain linear.
constexpr int kDeepestIndent = 40;

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : printable(text)) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

/// Newlines and tabs as escapes, before other control characters are replaced.
std::string text_literal(std::string_view text) {
    std::string out;
    for (size_t at = 0; at < text.size();) {
        const size_t stop = std::min(text.find_first_of("\n\t\r", at), text.size());
        const std::string part = quoted(text.substr(at, stop - at));
        out += part.substr(1, part.size() - 2);
        if (stop < text.size()) out += text[stop] == '\n' ? "\\n" : text[stop] == '\t' ? "\\t" : "\\r";
        at = stop + 1;
    }
    return '"' + out + '"';
}

/// A line to print: a label, then a fixed text or a node with what is below it.
struct Item {
    int depth = 0;
    std::string label;
    ExprId expr;
    StmtId stmt;
};

class AstPrinter {
public:
    explicit AstPrinter(const Tree& tree) : tree_(tree) {}

    std::string run() {
        for (const Import& i : tree_.imports) line(0, "import " + text_literal(i.path));
        for (const OptionStatement& o : tree_.options) line(0, "option " + o.name);
        for (const Param& p : tree_.params) param(p);
        for (const Function& f : tree_.functions) function(f);
        if (!tree_.script.empty()) line(0, "script");
        for (StmtId id : tree_.script) walk({1, {}, {}, id});
        return std::move(out_);
    }

private:
    void line(int depth, std::string_view text) {
        if (depth > kDeepestIndent) {
            out_ += fmt::format("{}({}) {}\n", std::string(2 * kDeepestIndent, ' '), depth, text);
        } else {
            out_ += fmt::format("{}{}\n", std::string(2 * depth, ' '), text);
        }
    }

    void param(const Param& p) {
        line(0, "param " + p.name);
        type(1, p.type);
        walk({1, "default: ", p.default_value, {}});
    }

    void type(int depth, const TypeExpr& t) {
        line(depth, "type " + t.name);
        for (ExprId dim : t.dims) walk({depth + 1, {}, dim, {}});
    }

    void function(const Function& f);
    void statement(const Item& item);
    void expression(const Item& item);
    void call(const Item& item, const Expr& e);
    void subscripts(const std::vector<Subscript>& list, int depth);
    void comprehension(const Item& item, const Expr& e);
    std::string head(const Expr& e) const;

    void push(int depth, std::string label, ExprId id) {
        if (id) pending_.push_back({depth, std::move(label), id, {}});
    }
    void push_line(int depth, std::string text) { pending_.push_back({depth, std::move(text), {}, {}}); }
    void push_block(int depth, const char* title, const std::vector<StmtId>& list) {
        if (list.empty()) return;
        push_line(depth, title);
        for (StmtId id : list) pending_.push_back({depth + 1, {}, {}, id});
    }

    /// Prints an item and all below it. A node's children are collected in order, then stacked in reverse.
    void walk(Item first) {
        std::vector<Item> stack{std::move(first)};
        while (!stack.empty()) {
            const Item item = std::move(stack.back());
            stack.pop_back();
            pending_.clear();
            if (item.stmt) {
                statement(item);
            } else if (item.expr) {
                expression(item);
            } else {
                line(item.depth, item.label);
            }
            stack.insert(stack.end(), std::make_move_iterator(pending_.rbegin()),
                         std::make_move_iterator(pending_.rend()));
        }
    }

    const Tree& tree_;
    std::string out_;
    std::vector<Item> pending_;
};

void AstPrinter::function(const Function& f) {
    const char* kind = f.kind == FunctionKind::array       ? "function "
                       : f.kind == FunctionKind::elemental ? "elemental function "
                                                           : "extern function ";
    line(0, kind + f.name);
    for (const Parameter& p : f.parameters) {
        line(1, fmt::format("{}parameter {}", p.is_const ? "const " : "", p.name));
        if (p.type) type(2, *p.type);
        if (p.default_value) walk({2, "default: ", p.default_value, {}});
    }
    for (const Result& r : f.results) {
        line(1, r.name.empty() ? "result" : "result " + r.name);
        type(2, r.type);
    }
    for (const Function::ExternItem& i : f.extern_items) {
        line(1, fmt::format("code {} {}", i.key, text_literal(i.code)));
    }
    if (!f.body.empty()) line(1, "body");
    for (StmtId id : f.body) walk({2, {}, {}, id});
}

void AstPrinter::statement(const Item& item) {
    static constexpr const char* kHeads[] = {"assign", "update", "expression", "if",     "while",
                                             "for",    "break",  "continue",   "return", "assert"};
    const Stmt& s = tree_[item.stmt];
    std::string text = kHeads[static_cast<size_t>(s.kind)];
    if (s.kind == StmtKind::augment) text += fmt::format(" {}", name(s.op));
    if (s.kind == StmtKind::for_) text += " " + s.loop.name;
    line(item.depth, text);
    const int below = item.depth + 1;
    for (const Target& t : s.targets) {
        push_line(below, "target " + t.name);
        subscripts(t.subscripts, below + 1);
    }
    if (s.type) {
        push_line(below, "type " + s.type->name);
        for (ExprId dim : s.type->dims) push(below + 1, {}, dim);
    }
    if (s.kind == StmtKind::for_) push(below, {}, s.loop.range);
    push(below, {}, s.value);
    push(below, "message: ", s.message);
    push_block(below, s.kind == StmtKind::if_ ? "then" : "body", s.body);
    push_block(below, "else", s.otherwise);
}

std::string AstPrinter::head(const Expr& e) const {
    switch (e.kind) {
        case ExprKind::integer: return "integer " + e.text;
        case ExprKind::floating: return "floating " + e.text;
        case ExprKind::imaginary: return "imaginary " + e.text;
        case ExprKind::boolean: return "boolean " + e.text;
        case ExprKind::string: return "string " + text_literal(e.text);
        case ExprKind::none: return "none";
        case ExprKind::name: return "name " + e.text;
        case ExprKind::unary: return fmt::format("unary {}", name(e.op));
        case ExprKind::binary: return fmt::format("binary {}", name(e.op));
        case ExprKind::compare: {
            std::string out = "compare";
            for (OpId op : e.ops) out += fmt::format(" {}", name(op));
            return out;
        }
        case ExprKind::conditional: return "conditional";
        case ExprKind::call: return "call";
        case ExprKind::subscript: return "subscript";
        case ExprKind::field: return "field " + e.text;
        case ExprKind::array: return "array";
        case ExprKind::tuple: return "tuple";
        case ExprKind::comprehension: return "comprehension";
        case ExprKind::range: return "range";
        case ExprKind::reversed: return "reversed";
    }
    return {};
}

void AstPrinter::expression(const Item& item) {
    static constexpr const char* kConditional[] = {"then: ", "if: ", "else: "};
    static constexpr const char* kRange[] = {"from: ", "to: ", "by: "};
    const Expr& e = tree_[item.expr];
    line(item.depth, item.label + head(e) + (e.parenthesised ? " parenthesised" : ""));
    const int below = item.depth + 1;
    if (e.kind == ExprKind::call) return call(item, e);
    if (e.kind == ExprKind::comprehension) return comprehension(item, e);
    for (size_t i = 0; i < e.operands.size(); ++i) {
        const char* label = e.kind == ExprKind::conditional ? kConditional[i]
                            : e.kind == ExprKind::range     ? kRange[i]
                            : e.kind == ExprKind::subscript ? "of: "
                                                            : "";
        push(below, label, e.operands[i]);
    }
    subscripts(e.subscripts, below);
}

void AstPrinter::call(const Item& item, const Expr& e) {
    push(item.depth + 1, "callee: ", e.operands[0]);
    for (size_t i = 1; i < e.operands.size(); ++i) {
        const std::string& keyword = e.names[i - 1];
        push(item.depth + 1, keyword.empty() ? "" : keyword + "= ", e.operands[i]);
    }
}

void AstPrinter::subscripts(const std::vector<Subscript>& list, int depth) {
    for (const Subscript& s : list) {
        switch (s.kind) {
            case Subscript::Kind::index: push(depth, "index: ", s.value); break;
            case Subscript::Kind::ellipsis: push_line(depth, "ellipsis"); break;
            case Subscript::Kind::newaxis: push_line(depth, "newaxis"); break;
            case Subscript::Kind::slice:
                push_line(depth, "slice");
                push(depth + 1, "start: ", s.start);
                push(depth + 1, "stop: ", s.stop);
                push(depth + 1, "step: ", s.step);
        }
    }
}

void AstPrinter::comprehension(const Item& item, const Expr& e) {
    push(item.depth + 1, "body: ", e.operands[0]);
    for (const Clause& c : e.clauses) push(item.depth + 1, fmt::format("for {}: ", c.name), c.range);
    push(item.depth + 1, "if: ", e.filter);
}

}  // namespace

std::string print_ast(const Tree& tree) { return AstPrinter(tree).run(); }

}  // namespace fuseline
