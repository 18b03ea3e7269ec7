// UserError's plain text.
#include "compiler/support/errors.h"

namespace fuseline {
namespace {

std::string joined(const std::vector<Diagnostic>& diagnostics) {
    std::string text;
    for (const Diagnostic& d : diagnostics) {
        if (!text.empty()) text += '\n';
        text += d.message;
    }
    return text;
}

}  // namespace

UserError::UserError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(joined(diagnostics)), diagnostics_(std::move(diagnostics)) {}

std::vector<Diagnostic> UserError::one(const std::string& message) {
    Diagnostic d;
    d.message = message;
    return {d};
}

}  // namespace fuseline
