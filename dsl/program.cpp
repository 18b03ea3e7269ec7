// check_program: files, options, entries, script, and the names of functions that nobody calls.
#include "dsl/program.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/ops/op_table.h"
#include "dsl/builtins.h"
#include "dsl/entries.h"
#include "dsl/module.h"
#include "dsl/reductions.h"
#include "dsl/script.h"
#include "dsl/unused.h"

namespace fuseline {

const Entry* Program::entry(std::string_view name) const {
    const auto at =
        std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.name == name; });
    return at == entries.end() ? nullptr : &*at;
}

std::vector<std::string> builtin_names() {
    std::vector<std::string> names;
    for (size_t i = 0; i < op_count(); ++i) {
        const OpRow& r = row(static_cast<OpId>(i));
        if (dsl::elementwise_function(r.name)) names.emplace_back(r.name);
    }
    for (const dsl::Builtin& b : dsl::builtin_table()) names.emplace_back(b.name);
    for (const dsl::Reduction& r : dsl::reduction_table()) names.emplace_back(r.builtin.name);
    for (const dsl::Feature& f : dsl::feature_table()) names.emplace_back(f.name);
    for (const std::string& name : dsl::prelude_names()) names.push_back(name);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

namespace dsl {

namespace {

void apply_options(const ast::Tree& tree, Options& options, Diagnostics& diagnostics) {
    for (const ast::OptionStatement& o : tree.options) {
        const OptionRow* row = find_option(o.name);
        if (row != nullptr && row->built) {
            set_option(options, o.name, true);
        } else if (row != nullptr) {
            diagnostics.not_yet(o.name_span, fmt::format("`option {}`", o.name));
        } else {
            const std::string near = nearest_name(o.name, option_names());
            diagnostics.error(o.name_span, fmt::format("there is no option `{}`", o.name))
                .help(near.empty() ? fmt::format("options are {}", fmt::join(option_names(), ", "))
                                   : fmt::format("did you mean `{}`?", near));
        }
    }
}

/// Elaborates in the order of calls, so that a faulty function is reported by itself and not again by its
/// callers.
std::vector<Entry> build_entries(Modules& modules, const std::set<std::string, std::less<>>& script_names,
                                 const Options& options, Diagnostics& diagnostics) {
    std::map<const FunctionDefinition*, Entry> built;
    for (FunctionDefinition* f : call_order(modules)) {
        if (f->recursive || is_generic(*f->ast)) continue;
        f->elaborated = true;
        if (f->ast->kind == ast::FunctionKind::external) continue;
        Checker checker(modules, diagnostics, f->name());
        checker.script_names = script_names;
        checker.builder.function().options = options;
        auto entry = EntryBuilder(checker, *f).run();
        f->failed = !entry;
        if (entry) built.emplace(f, std::move(*entry));
    }
    std::vector<Entry> entries;
    for (const FunctionDefinition* f : modules.in_order) {
        const auto at = built.find(f);
        if (at != built.end()) entries.push_back(std::move(at->second));
    }
    return entries;
}

}  // namespace

}  // namespace dsl

Program check_program(SourceMap& sources, const std::string& path, std::string text,
                      const ImportReader& reader, Diagnostics& diagnostics,
                      const OptionOverrides& overrides) {
    Program program;
    dsl::Modules modules = dsl::load_modules(sources, path, std::move(text), reader, diagnostics);
    for (const auto& file : modules.files) {
        if (!file->parsed) return program;
    }
    const ast::Tree& tree = modules.root()->tree;
    dsl::apply_options(tree, program.options, diagnostics);
    for (const auto& [name, value] : overrides) {
        if (!set_option(program.options, name, value)) {
            throw UserError(fmt::format("there is no option `{}`", name));
        }
    }
    dsl::mark_recursion(modules, diagnostics);
    const auto script_names = dsl::names_of_script(tree);
    program.entries = dsl::build_entries(modules, script_names, program.options, diagnostics);
    dsl::build_script(modules, program, diagnostics);
    dsl::check_unused(modules, script_names, diagnostics);
    return program;
}

}  // namespace fuseline
