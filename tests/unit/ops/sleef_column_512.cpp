// SLEEF's functions of vectors of 512 bits. Compiled for AVX-512; called where the processor has it.
#include <immintrin.h>

#include "tests/unit/ops/sleef_column.h"

namespace fuseline::testing {

void call_sleef_512(const SleefColumn& column) { call_sleef<__m512, __m512d>(column); }

}  // namespace fuseline::testing
