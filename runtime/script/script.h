// Runs the script statements of a module from top to bottom.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "fuseline/fuseline.h"

namespace fuseline {

struct ScriptSettings {
    /// Values of `param` by name, as texts of the language ("0.02", "true").
    std::map<std::string, std::string> params;
    /// Receives each line that `print` writes, without its newline.
    std::function<void(const std::string&)> print;
    /// Receives what the user should know, as a diagnostic's lines: something in a file was left out.
    std::function<void(const std::string&)> note;
};

/// Throws Error. Paths in the script are relative to its file.
void run_script(const Module& module, const ScriptSettings& settings);

/// Whether the module has script statements.
bool has_script(const Module& module);

}  // namespace fuseline
