// run_opt: parse, run, verify, print.
#include "compiler/pipeline/opt.h"

#include <fmt/format.h>

#include "compiler/ir/ir.h"
#include "compiler/passes/pass.h"
#include "compiler/schedule/schedule.h"
#include "compiler/support/diagnostics.h"
#include "compiler/support/errors.h"

namespace fuseline {
namespace {

constexpr std::string_view kSchedule = "schedule";

std::string run_one(ir::Function function, const std::vector<std::string>& passes, const Target& target) {
    const Options options = function.options;
    std::vector<Remark> remarks;
    PassContext context{target, options, remarks};
    if (const auto faults = ir::verify(function); !faults.empty())
        throw UserError(fmt::format("{} is not sound:\n  {}", function.name, fmt::join(faults, "\n  ")));
    for (const std::string& name : passes) {
        if (name == kSchedule) {
            const Scheduled s = schedule(function, context);
            std::string text;
            for (const ir::Function& kernel : s.kernels) {
                ir::verify_or_throw(kernel, name);
                text += ir::print(kernel) + "\n";
            }
            ir::verify_or_throw(s.plan, name);
            return text + ir::print(s.plan);
        }
        if (auto changed = pass_named(name)->run(function, context)) function = std::move(*changed);
        ir::verify_or_throw(function, name);
    }
    return ir::print(function);
}

}  // namespace

void check_pass_names(const std::vector<std::string>& passes) {
    for (size_t k = 0; k < passes.size(); ++k) {
        if (passes[k] == kSchedule) {
            if (k + 1 != passes.size()) throw UserError("`schedule` must be the last pass");
            continue;
        }
        if (pass_named(passes[k]) != nullptr) continue;
        std::vector<std::string> names{std::string(kSchedule)};
        for (const PassRow& row : pass_table()) names.emplace_back(row.name);
        const std::string near = nearest_name(passes[k], names);
        throw UserError(fmt::format("there is no pass `{}`{}", passes[k],
                                    near.empty() ? "" : fmt::format("; did you mean `{}`?", near)));
    }
}

std::string run_opt(const SourceMap& sources, size_t file, const std::vector<std::string>& passes,
                    const Target& target) {
    check_pass_names(passes);
    std::string text;
    for (ir::Function& function : ir::parse_functions(sources, file)) {
        if (!text.empty()) text += "\n";
        text += run_one(std::move(function), passes, target);
    }
    return text;
}

}  // namespace fuseline
