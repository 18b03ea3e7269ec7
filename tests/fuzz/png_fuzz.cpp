// Fuzzer of the readers of images: any bytes give an image or a UserError, and an image that is written reads
// back the same. Bytes that are no PNG are tried as Netpbm.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "compiler/support/errors.h"
#include "runtime/io/png_image.h"
#include "runtime/io/pnm.h"

using namespace fuseline;

namespace {

HostArray to_host(const LoadedArray& loaded) {
    HostArray array{loaded.dtype, loaded.shape, {}};
    array.bytes.resize(static_cast<size_t>(array.element_count()));
    if (!array.bytes.empty()) std::memcpy(array.bytes.data(), loaded.elements.get(), array.bytes.size());
    return array;
}

void check_again(const HostArray& image) {
    if (image.bytes.empty()) return;
    const HostArray png = to_host(parse_png(png_file(image, "again.png"), "again.png"));
    if (png.shape != image.shape || png.bytes != image.bytes) std::abort();
    const bool grey = image.shape.size() == 2;
    const std::string file = grey ? pgm_file(image, "again.pgm") : ppm_file(image, "again.ppm");
    const HostArray pnm = to_host(parse_pnm(file, "again.ppm"));
    if (pnm.shape != image.shape || pnm.bytes != image.bytes) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    HostArray image;
    try {
        image = to_host(bytes.starts_with("P") ? parse_pnm(bytes, "fuzz.ppm") : parse_png(bytes, "fuzz.png"));
        if (static_cast<uint64_t>(image.shape[0]) > 1000000 || image.shape[1] > 1000000) return 0;
    } catch (const UserError&) {
        return 0;
    }
    check_again(image);
    return 0;
}
