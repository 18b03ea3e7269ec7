// libcublasLt.so opened at run time.
#include "runtime/cuda/cublas.h"

#include <dlfcn.h>

#include <optional>

#include <fmt/format.h>

#include "compiler/support/errors.h"
#include "runtime/cuda/library_search.h"

namespace fuseline::cuda {
namespace {

/// Sonames, newest first.
constexpr const char* kNames[] = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11",
                                  "libcublasLt.so"};

std::optional<CublasTable> table_of(void* library) {
    CublasTable table;
#define CUBLAS(member, symbol, result, parameters)                                 \
    table.member = reinterpret_cast<result(*) parameters>(dlsym(library, symbol)); \
    if (table.member == nullptr) return std::nullopt;
#include "runtime/cuda/cublas_functions.def"
#undef CUBLAS
    return table;
}

std::optional<CublasTable> open_now() {
    for (const std::string& path : library_candidates(kNames)) {
        void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) continue;
        if (auto table = table_of(library)) return table;
        dlclose(library);
    }
    return std::nullopt;
}

}  // namespace

const CublasTable* open_cublas() {
    static const std::optional<CublasTable> opened = open_now();
    return opened ? &*opened : nullptr;
}

void check_cublas(const CublasTable& table, int status, const std::string& what) {
    if (status == 0) return;
    throw ToolchainError(fmt::format("{}: {} (cuBLASLt {}); use --device cpu, or report this", what,
                                     table.status_text(status), table.version()));
}

}  // namespace fuseline::cuda
