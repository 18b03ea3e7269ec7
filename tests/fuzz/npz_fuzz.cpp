// Fuzzer of the reader of .npz files: any bytes give an array or a UserError. The first byte chooses the key.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "compiler/support/errors.h"
#include "runtime/io/npz.h"

using namespace fuseline;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) return 0;
    const std::string bytes(reinterpret_cast<const char*>(data + 1), size - 1);
    LoadRequest request;
    if (data[0] != 0) request.key = std::string(1, static_cast<char>(data[0]));
    try {
        const LoadedArray array = parse_npz(bytes, "fuzz.npz", request);
        if (array.elements == nullptr && array.shape.empty()) std::abort();
    } catch (const UserError&) {
        return 0;
    }
    return 0;
}
