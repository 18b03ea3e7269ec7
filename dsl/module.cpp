// Loads the files of a program and finds what calls itself.
#include "dsl/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "compiler/ops/dtype.h"
#include "compiler/support/errors.h"
#include "dsl/builtins.h"
#include "dsl/cycles.h"
#include "dsl/parser.h"
#include "dsl/walk.h"
#include "embedded/dsl_prelude.h"

namespace fuseline::dsl {

bool is_generic(const ast::Function& function) {
    return std::any_of(function.parameters.begin(), function.parameters.end(), [](const ast::Parameter& p) {
        return !p.type || !dtype_named(p.type->name) || (p.is_const && !p.default_value);
    });
}

FunctionDefinition* Modules::find(std::string_view name) {
    if (const auto at = functions.find(name); at != functions.end()) return &at->second;
    const auto at = prelude.find(name);
    return at == prelude.end() ? nullptr : &at->second;
}

const FunctionDefinition* Modules::find(std::string_view name) const {
    return const_cast<Modules*>(this)->find(name);
}

namespace {

/// Elemental functions without control flow need no region of their own.
bool is_straight_line(const ast::Tree& tree, const ast::Function& f) {
    bool straight = true;
    walk_statements(tree, f.body, [&](const ast::Stmt& s) {
        straight &= s.kind == ast::StmtKind::assign || s.kind == ast::StmtKind::augment ||
                    s.kind == ast::StmtKind::expression || s.kind == ast::StmtKind::return_;
    });
    walk_block(tree, f.body, [&](const ast::Expr& e) {
        straight &= e.kind != ast::ExprKind::conditional;
        return straight;
    });
    return straight;
}

class Loader {
public:
    Loader(SourceMap& sources, const ImportReader& reader, Diagnostics& diagnostics)
        : sources_(sources), reader_(reader), diagnostics_(diagnostics) {}

    Modules run(const std::string& path, std::string text) {
        add(path, std::move(text), false);
        for (size_t i = 0; i < modules_.files.size(); ++i) read_imports(i);
        report_cycles();
        add("prelude.dsl", std::string(embedded::kDslPrelude), true);
        for (const auto& file : modules_.files) enter_functions(*file);
        modules_.sources = &sources_;
        return std::move(modules_);
    }

private:
    size_t add(const std::string& path, std::string text, bool prelude) {
        auto module = std::make_unique<Module>();
        module->path = path;
        module->prelude = prelude;
        const size_t before = diagnostics_.error_count();
        module->tree = parse(sources_, sources_.add(path, std::move(text)), diagnostics_);
        module->parsed = diagnostics_.error_count() == before;
        if (!module->parsed) module->tree = {};
        modules_.files.push_back(std::move(module));
        imports_.emplace_back();
        return modules_.files.size() - 1;
    }

    std::optional<size_t> loaded(const std::string& path) const {
        for (size_t i = 0; i < modules_.files.size(); ++i) {
            if (normal(modules_.files[i]->path) == normal(path)) return i;
        }
        return std::nullopt;
    }

    static std::string normal(const std::string& path) {
        return std::filesystem::path(path).lexically_normal().generic_string();
    }

    void read_imports(size_t importer) {
        const std::vector<ast::Import> imports = modules_.files[importer]->tree.imports;
        for (const ast::Import& import : imports) {
            const auto folder = std::filesystem::path(modules_.files[importer]->path).parent_path();
            const std::string path = normal((folder / import.path).generic_string());
            auto index = loaded(path);
            if (!index) {
                auto text = imported(import, path);
                if (!text) continue;
                index = add(path, std::move(*text), false);
                check_imported(*modules_.files[*index]);
            }
            imports_[importer].push_back({*index, import.span});
        }
    }

    /// nullopt, with a message, where the file is not there or cannot be read.
    std::optional<std::string> imported(const ast::Import& import, const std::string& path) {
        try {
            auto text = reader_ ? reader_(path) : std::nullopt;
            if (!text)
                diagnostics_.error(import.path_span, fmt::format("there is no file \"{}\"", path))
                    .help("the path is relative to the file that imports");
            return text;
        } catch (const UserError& e) {
            diagnostics_.error(import.path_span, e.diagnostics().at(0).message);
            return std::nullopt;
        }
    }

    void check_imported(const Module& module) {
        const ast::Tree& tree = module.tree;
        Span span;
        if (!tree.script.empty()) span = tree[tree.script.front()].span;
        if (!tree.params.empty()) span = tree.params.front().span;
        if (!span.known()) return;
        diagnostics_
            .error(span, "an imported file holds functions only: its script statements would never run")
            .help("move them to a file of their own");
    }

    void report_cycles() {
        for (const Cycle& cycle : find_cycles(imports_)) {
            std::string text;
            for (size_t node : cycle.nodes) text += modules_.files[node]->path + " -> ";
            text += modules_.files[cycle.nodes.front()]->path;
            diagnostics_.error(cycle.closing, fmt::format("the files import each other: {}", text));
        }
    }

    void enter_functions(const Module& module) {
        for (const ast::Function& f : module.tree.functions) {
            if (!module.prelude && builtin_kind(f.name)) {
                diagnostics_.error(f.name_span, fmt::format("`{}` is {}; a function needs another name",
                                                            f.name, *builtin_kind(f.name)));
                continue;
            }
            auto& table = module.prelude ? modules_.prelude : modules_.functions;
            FunctionDefinition definition{&module, &f};
            definition.straight_line = definition.elemental() && is_straight_line(module.tree, f);
            const auto [at, added] = table.emplace(f.name, definition);
            if (!added) {
                diagnostics_.error(f.name_span, fmt::format("the function `{}` is defined twice", f.name))
                    .note(at->second.ast->name_span, "first defined here");
            } else if (!module.prelude) {
                modules_.in_order.push_back(&at->second);
            }
            test_parameters(f);
            test_results(f);
        }
    }

    void test_parameters(const ast::Function& f) {
        std::map<std::string_view, Span> first;
        for (const ast::Parameter& p : f.parameters) {
            const auto [at, added] = first.emplace(p.name, p.name_span);
            if (added) continue;
            diagnostics_.error(p.name_span, fmt::format("the parameter `{}` is named twice", p.name))
                .note(at->second, "first named here");
        }
    }

    void test_results(const ast::Function& f) {
        for (size_t k = 0; k < f.results.size(); ++k) {
            for (size_t i = 0; i < k && !f.results[k].name.empty(); ++i) {
                if (f.results[i].name != f.results[k].name) continue;
                diagnostics_
                    .error(f.results[k].name_span,
                           fmt::format("the result `{}` is named twice", f.results[k].name))
                    .note(f.results[i].name_span, "first named here");
                break;
            }
        }
    }

    SourceMap& sources_;
    const ImportReader& reader_;
    Diagnostics& diagnostics_;
    Modules modules_;
    Edges imports_;
};

/// Functions that the body names, other than its own parameters and locals; calls see through locals.
std::vector<Edge> called(const FunctionDefinition& f,
                         const std::map<const FunctionDefinition*, size_t>& numbers, const Modules& modules) {
    const ast::Tree& tree = f.module->tree;
    std::set<std::string> parameters;
    for (const ast::Parameter& p : f.ast->parameters) parameters.insert(p.name);
    const std::set<std::string> locals = assigned_names(tree, f.ast->body);
    std::vector<Edge> edges;
    const auto visit = [&](const ast::Expr& e) {
        const bool call = e.kind == ast::ExprKind::call && tree[e.operands[0]].kind == ast::ExprKind::name;
        const ast::Expr& callee = call ? tree[e.operands[0]] : e;
        if (callee.kind != ast::ExprKind::name || parameters.count(callee.text)) return true;
        if (!call && locals.count(callee.text)) return true;
        const auto at = modules.functions.find(callee.text);
        if (at != modules.functions.end()) edges.push_back({numbers.at(&at->second), callee.span});
        return true;
    };
    walk_block(tree, f.ast->body, visit);
    for (const ast::Parameter& p : f.ast->parameters) {
        if (p.default_value) walk_expression(tree, p.default_value, visit);
    }
    return edges;
}

}  // namespace

Modules load_modules(SourceMap& sources, const std::string& path, std::string text,
                     const ImportReader& reader, Diagnostics& diagnostics) {
    return Loader(sources, reader, diagnostics).run(path, std::move(text));
}

namespace {

Edges call_edges(const Modules& modules) {
    std::map<const FunctionDefinition*, size_t> numbers;
    for (size_t i = 0; i < modules.in_order.size(); ++i) numbers[modules.in_order[i]] = i;
    Edges edges;
    for (const FunctionDefinition* f : modules.in_order) edges.push_back(called(*f, numbers, modules));
    return edges;
}

}  // namespace

std::vector<FunctionDefinition*> call_order(const Modules& modules) {
    std::vector<FunctionDefinition*> order;
    for (size_t node : post_order(call_edges(modules))) order.push_back(modules.in_order[node]);
    return order;
}

void mark_recursion(Modules& modules, Diagnostics& diagnostics) {
    const Edges edges = call_edges(modules);
    for (const Cycle& cycle : find_cycles(edges)) {
        std::string text;
        for (size_t node : cycle.nodes) {
            modules.in_order[node]->recursive = true;
            text += modules.in_order[node]->name() + " -> ";
        }
        const std::string& first = modules.in_order[cycle.nodes.front()]->name();
        diagnostics
            .error(cycle.closing,
                   cycle.nodes.size() == 1
                       ? fmt::format("`{}` calls itself", first)
                       : fmt::format("functions call each other in a circle: {}{}", text, first))
            .help("functions are inlined, so calls may not form a circle; use a loop");
    }
}

}  // namespace fuseline::dsl
