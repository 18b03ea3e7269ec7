// Names and what they stand for while one function's body is checked.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "dsl/module.h"
#include "dsl/value.h"

namespace fuseline::dsl {

/// What a name stands for. The checker's own names (flags of `break`, `return`) hold a space, so no program
/// has them.
struct Binding {
    Value value;
    Span span;               ///< of the name where it was bound
    bool dimension = false;  ///< a size bound by a parameter's type
    bool parameter = false;
    std::string lost;   ///< why the name has no value here ("" when it has one)
    Span value_span{};  ///< of the expression that was assigned, where it is known
};

using Environment = std::map<std::string, Binding, std::less<>>;

/// One call that is being inlined, or the entry or script itself.
struct Frame {
    const Module* module = nullptr;
    const FunctionDefinition* function = nullptr;  ///< null for the script
    Environment names;
    std::map<std::string, DType, std::less<>> type_variables;
    Frame* caller = nullptr;
    Span call;  ///< in the caller
    bool scalar_region =
        false;  ///< the body stands in an `apply`: all values are scalars, control flow becomes regions
    bool lifted = false;      ///< a straight elemental function on whole arrays: its types name elements only
    bool faulty = false;      ///< an error was reported in it or in a call below it
    bool skipped = false;     ///< set by a branch that stands for "the rest was skipped"
    size_t result_arity = 0;  ///< 0: not counted yet
    int loop_depth = 0;
    int block_depth = 0;
    int body_depth = 1;  ///< block_depth inside the body of the function or of the innermost loop
    int call_depth = 0;

    std::map<std::string, std::vector<Span>>
        reads;  ///< where the function's body reads each name; made at need

    const ast::Tree& tree() const { return module->tree; }
};

}  // namespace fuseline::dsl
