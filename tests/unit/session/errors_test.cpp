// What the library throws becomes one error of the API.
#include "runtime/session/errors.h"

#include <vector>

#include "tests/catch.h"

using namespace fuseline;

namespace {

template <class Body>
std::pair<Error::Kind, std::string> error_of(Body body) {
    try {
        translated(nullptr, body);
    } catch (const Error& e) {
        return {e.kind(), e.what()};
    }
    return {Error::Kind::internal, "no error"};
}

}  // namespace

TEST_CASE("errors: too little memory is the user's error, however the library says it", "[session]") {
    const std::pair<Error::Kind, std::string> memory{Error::Kind::user, "out of memory on the host"};
    CHECK(error_of([] { throw std::bad_alloc(); }) == memory);
    CHECK(error_of([] { std::vector<int>().reserve(SIZE_MAX); }) == memory);
    CHECK(error_of([] { throw std::logic_error("x"); }) ==
          std::pair(Error::Kind::internal, std::string("internal error: x")));
}
