// The one exception of the API.
#pragma once

#include <stdexcept>
#include <string>

namespace fuseline {

/// Every failure of the API. `what()` is the whole message, source lines and carets included.
class Error : public std::runtime_error {
public:
    enum class Kind {
        user,       ///< the program, an argument or a file
        toolchain,  ///< a compiler, library, driver or device is missing or failed
        internal,   ///< a fault of Fuseline
    };
    Error(Kind kind, const std::string& text) : std::runtime_error(text), kind_(kind) {}
    Kind kind() const { return kind_; }

private:
    Kind kind_;
};

}  // namespace fuseline
