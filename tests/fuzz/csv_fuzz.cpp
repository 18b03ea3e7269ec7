// Fuzzer of the reader of .csv files: any text gives a table or a UserError, and the table that is written
// reads back with the same values. The first byte chooses element type and form.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "compiler/support/errors.h"
#include "runtime/io/csv.h"

using namespace fuseline;

namespace {

HostArray to_host(const LoadedArray& loaded) {
    HostArray array{loaded.dtype, loaded.shape, {}};
    array.bytes.resize(static_cast<size_t>(array.element_count() * byte_size(array.dtype)));
    if (!array.bytes.empty()) std::memcpy(array.bytes.data(), loaded.elements.get(), array.bytes.size());
    return array;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) return 0;
    constexpr std::array<DType, 4> kTypes = {DType::f64_, DType::f32_, DType::i64_, DType::bool_};
    LoadRequest request;
    request.dtype = kTypes[data[0] % kTypes.size()];
    request.extents.resize(1 + data[0] / 4 % 2);
    if (data[0] / 8 % 2 != 0) request.key = "a";
    const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
    HostArray array;
    try {
        array = to_host(parse_csv(text, "fuzz.csv", request));
    } catch (const UserError&) {
        return 0;
    }
    if (array.element_count() == 0) return 0;
    const std::string written = csv_file(array, "fuzz.csv");
    request.key.clear();
    request.extents.resize(array.shape.size());
    const HostArray again = to_host(parse_csv(written, "again.csv", request));
    if (again.shape != array.shape || csv_file(again, "again.csv") != written) std::abort();
    return 0;
}
