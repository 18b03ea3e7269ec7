// Fuzzer of the reader of .npy files: any bytes give an array or a UserError; what was read is written and
// read back the same.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "compiler/support/errors.h"
#include "runtime/io/npy.h"

using namespace fuseline;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    HostArray array;
    try {
        array = parse_npy(bytes, "fuzz.npy");
    } catch (const UserError&) {
        return 0;
    }
    const HostArray again = parse_npy(npy_bytes(array), "again.npy", array.dtype);
    if (again.dtype != array.dtype || again.shape != array.shape) std::abort();
    if (npy_bytes(again) != npy_bytes(array)) std::abort();
    return 0;
}
