// Fuzzer of the parser: any bytes give a tree or errors whose places lie in the file; printing and rendering
// never fail.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "compiler/support/diagnostics.h"
#include "dsl/parser.h"

namespace {

using namespace fuseline;

/// A violated property must stop the fuzzer with the input at hand.
void demand(bool condition) {
    if (!condition) std::abort();
}

void check_span(Span span, Span file) {
    demand(span.begin <= span.end);
    demand(span.begin >= file.begin && span.end <= file.end);
}

void check_diagnostics(const std::vector<Diagnostic>& all, Span file) {
    for (const Diagnostic& d : all) {
        demand(!d.message.empty());
        check_span(d.span, file);
        for (const Note& n : d.notes) check_span(n.span, file);
    }
}

void check_tree(const ast::Tree& tree, Span file) {
    for (uint32_t i = 0; i < tree.exprs.size(); ++i) {
        const ast::Expr& e = tree.exprs[i];
        if (e.span.known()) check_span(e.span, file);
        for (ast::ExprId operand : e.operands) demand(!operand || operand.index < i);
    }
    for (const ast::Stmt& s : tree.statements) check_span(s.span, file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    SourceMap sources;
    sources.add("first.dsl", "x = 1\n");
    const size_t file = sources.add("fuzz.dsl", std::string(reinterpret_cast<const char*>(data), size));
    Diagnostics diagnostics;
    const ast::Tree tree = parse(sources, file, diagnostics);
    const std::vector<Diagnostic> all = diagnostics.sorted();
    check_diagnostics(all, sources.whole(file));
    demand(render(all, sources).empty() == all.empty());
    demand(!render_json(all, sources).empty());
    if (diagnostics.has_errors()) return 0;
    check_tree(tree, sources.whole(file));
    print_ast(tree);
    return 0;
}
