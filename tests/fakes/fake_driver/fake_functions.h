// The functions that a FakeDriver's table points to.
#pragma once

#include "tests/fakes/fake_driver/fake_driver.h"

namespace fuseline::testing {

inline constexpr cuda::Result kInvalidValue = 1, kInvalidDevice = 101, kInvalidContext = 201,
                              kInvalidHandle = 400, kNotFound = 500;

/// The one that the functions act on.
FakeDriver*& current_fake();
/// The function of an exported symbol; null for one that is not in driver_functions.def.
void* fake_function(const char* symbol);

}  // namespace fuseline::testing
