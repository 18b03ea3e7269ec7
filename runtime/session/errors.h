// From the compiler's three error kinds to the API's one.
#pragma once

#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "compiler/support/diagnostics.h"
#include "compiler/support/errors.h"
#include "fuseline/error.h"

namespace fuseline {

/// Calls `body` and turns what it throws into Error; places are rendered from `sources` where it is given.
template <class Body>
decltype(auto) translated(const SourceMap* sources, Body&& body) {
    try {
        return std::forward<Body>(body)();
    } catch (const Error&) {
        throw;
    } catch (const UserError& e) {
        const SourceMap none;
        throw Error(Error::Kind::user, render(e.diagnostics(), sources != nullptr ? *sources : none));
    } catch (const ToolchainError& e) {
        throw Error(Error::Kind::toolchain, std::string(e.what()) + (e.log().empty() ? "" : "\n" + e.log()));
    } catch (const InternalError& e) {
        throw Error(Error::Kind::internal, std::string("internal error: ") + e.what());
    } catch (const std::bad_alloc&) {
        throw Error(Error::Kind::user, "out of memory on the host");
    } catch (const std::length_error&) {
        throw Error(Error::Kind::user, "out of memory on the host");
    } catch (const std::exception& e) {
        throw Error(Error::Kind::internal, std::string("internal error: ") + e.what());
    }
}

}  // namespace fuseline
