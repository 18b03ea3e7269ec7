// A checked program with its entries made callable.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "dsl/program.h"
#include "fuseline/fuseline.h"
#include "runtime/session/callable.h"

namespace fuseline {

class Module::Impl {
public:
    explicit Impl(std::shared_ptr<SessionImpl> s) : session(std::move(s)) {}

    /// Parses and checks. Throws UserError with all diagnostics.
    void load(const std::string& path, const std::string& text);
    /// Throws UserError with a suggestion for a name that is no entry.
    const Entry& entry(const std::string& name) const;
    /// Made at the first use.
    Callable& callable(const Entry& entry);
    /// The values of a call in the order of the parameters. `named` or `positional` is given.
    std::vector<PlanValue> arguments(const Entry& entry, const std::map<std::string, Argument>& named) const;

    std::shared_ptr<SessionImpl> session;
    SourceMap sources;
    Program program;
    std::string path;
    std::vector<Diagnostic> warnings;

private:
    std::mutex mutex_;
    std::map<std::string, std::unique_ptr<Callable>> callables_;
};

/// An argument as a value of the parameter's type. Throws UserError that names the parameter, its type and
/// what was found.
PlanValue argument_value(const std::string& name, DType dtype, bool scalar, const Argument& argument,
                         const Device* device);

}  // namespace fuseline
