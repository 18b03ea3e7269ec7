// SLEEF's functions of vectors of 256 bits. Compiled for AVX2; called where the processor has it.
#include <immintrin.h>

#include "tests/unit/ops/sleef_column.h"

namespace fuseline::testing {

void call_sleef_256(const SleefColumn& column) { call_sleef<__m256, __m256d>(column); }

}  // namespace fuseline::testing
