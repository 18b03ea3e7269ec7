// The words of the user's error that a call of the public API ends with.
#pragma once

#include <string>

#include "fuseline/error.h"
#include "tests/catch.h"

namespace fuseline::tests {

/// The message; "" where the call ends well. Any other kind of error is a failure of the test.
template <class Call>
std::string message(Call call) {
    try {
        call();
    } catch (const Error& e) {
        CHECK(e.kind() == Error::Kind::user);
        return e.what();
    }
    return {};
}

}  // namespace fuseline::tests
