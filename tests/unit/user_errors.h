// The words of the error that a call ends with.
#pragma once

#include <string>

#include "compiler/support/errors.h"

namespace fuseline::tests {

/// Message and help lines of the call's UserError, joined by " | "; "no error" where it ends well.
template <class Call>
std::string message_and_help(Call&& call) {
    try {
        call();
    } catch (const UserError& e) {
        std::string all = e.diagnostics()[0].message;
        for (const std::string& line : e.diagnostics()[0].help) all += " | " + line;
        return all;
    }
    return "no error";
}

}  // namespace fuseline::tests
