// The files of a program and the table of their functions.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/support/diagnostics.h"
#include "dsl/ast.h"
#include "dsl/program.h"

namespace fuseline::dsl {

struct Module {
    std::string path;
    ast::Tree tree;
    bool prelude = false;
    bool parsed = false;  ///< false: it had syntax errors and its tree is not used
};

struct FunctionDefinition {
    const Module* module = nullptr;
    const ast::Function* ast = nullptr;
    bool recursive = false;      ///< lies on a cycle of calls; reported once
    bool failed = false;         ///< its own graph has an error; calls of it say nothing more
    bool elaborated = false;     ///< its body was checked, alone or in a call
    bool straight_line = false;  ///< an elemental function without loops, branches and conditionals
    const std::string& name() const { return ast->name; }
    bool elemental() const { return ast->kind == ast::FunctionKind::elemental; }
};

/// A parameter without a type, a `const` one without a default, or a type variable makes a function generic.
bool is_generic(const ast::Function& function);

/// All files of a program, the root first, the prelude last.
struct Modules {
    std::vector<std::unique_ptr<Module>> files;
    std::map<std::string, FunctionDefinition, std::less<>> functions;  ///< of the user's files
    std::map<std::string, FunctionDefinition, std::less<>> prelude;
    const SourceMap* sources = nullptr;
    std::vector<FunctionDefinition*> in_order;  ///< user's functions as they stand in the files

    /// A user's function, else the prelude's.
    FunctionDefinition* find(std::string_view name);
    const FunctionDefinition* find(std::string_view name) const;
    const Module* root() const { return files.front().get(); }
};

/// Reads and parses the root, its imports (each file once) and the prelude, and enters their functions.
/// Missing files, import cycles and doubly defined functions are reported.
Modules load_modules(SourceMap& sources, const std::string& path, std::string text,
                     const ImportReader& reader, Diagnostics& diagnostics);

/// The user's functions, each after those that it calls.
std::vector<FunctionDefinition*> call_order(const Modules& modules);

/// Marks and reports the functions that call themselves, directly or through others.
void mark_recursion(Modules& modules, Diagnostics& diagnostics);

}  // namespace fuseline::dsl
