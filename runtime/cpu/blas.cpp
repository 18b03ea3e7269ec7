// libopenblas.so.0 through its C interface; no header of it is needed to build.
#include "runtime/cpu/blas.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <mutex>

#include <fmt/format.h>

#include "compiler/support/errors.h"

namespace fuseline {
namespace {

constexpr int kRowMajor = 101, kPlain = 111, kTransposed = 112;

/// Matrices of fewer products than this, in a batch, are not worth threads of their own.
constexpr int64_t kSmallProduct = int64_t{1} << 21;

/// The sanitizer of threads, for which kernels run on plain threads, does not see how the library's own meet.
#if defined(FUSELINE_PLAIN_THREADS)
constexpr bool kOwnThreads = false;
#else
constexpr bool kOwnThreads = true;
#endif

/// The library's functions by its ABI.
struct Blas {
    void (*f32)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float* a,
                int lda, const float* b, int ldb, float beta, float* c, int ldc) = nullptr;
    void (*f64)(int order, int transpose_a, int transpose_b, int m, int n, int k, double alpha,
                const double* a, int lda, const double* b, int ldb, double beta, double* c,
                int ldc) = nullptr;
    void (*set_threads)(int threads) = nullptr;
    bool there() const { return f32 != nullptr && f64 != nullptr && set_threads != nullptr; }
};

/// The kernels to ask for: an OpenBLAS that is older than the processor takes its slowest ones.
const char* core_type() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    if (avx512) return "SkylakeX";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return __builtin_cpu_is("amd") ? "Zen" : "Haswell";
#endif
    return nullptr;
}

template <class Function>
void take(void* library, const char* symbol, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, symbol));
}

Blas open_blas() {
    constexpr const char* kVariable = "OPENBLAS_CORETYPE";
    // The library reads the variable while it is loaded; afterwards the environment is as it was.
    const char* const core = std::getenv(kVariable) == nullptr ? core_type() : nullptr;
    if (core != nullptr) setenv(kVariable, core, 1);
    void* library = nullptr;
    for (const char* name : {"libopenblas.so.0", "libopenblas.so"}) {
        if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    if (core != nullptr) unsetenv(kVariable);
    Blas blas;
    if (library == nullptr) return blas;
    take(library, "cblas_sgemm", blas.f32);
    take(library, "cblas_dgemm", blas.f64);
    take(library, "openblas_set_num_threads", blas.set_threads);
    return blas;
}

const Blas& blas() {
    static const Blas opened = open_blas();
    return opened;
}

/// The number of threads is the library's, not the call's: whoever multiplies holds this.
std::mutex& library_mutex() {
    static std::mutex mutex;
    return mutex;
}

int narrow(int64_t extent) {
    if (extent <= INT32_MAX) return static_cast<int>(extent);
    throw UserError(fmt::format("a matrix with an extent of {} is too large for the BLAS library", extent));
}

template <class Float, class Function>
void multiply(Function gemm, const MatmulCall& call, int64_t first, int64_t last) {
    const int m = narrow(call.m), n = narrow(call.n), k = narrow(call.k);
    for (int64_t i = first; i < last; ++i) {
        gemm(kRowMajor, call.transpose_a ? kTransposed : kPlain, call.transpose_b ? kTransposed : kPlain, m,
             n, k, Float{1}, static_cast<const Float*>(call.a) + i * call.stride_a, call.transpose_a ? m : k,
             static_cast<const Float*>(call.b) + i * call.stride_b, call.transpose_b ? k : n, Float{0},
             static_cast<Float*>(call.c) + i * call.stride_c, n);
    }
}

void multiply(const MatmulCall& call, int64_t first, int64_t last) {
    if (call.dtype == DType::f32_) return multiply<float>(blas().f32, call, first, last);
    require(call.dtype == DType::f64_, "the BLAS library is asked for products of another type");
    multiply<double>(blas().f64, call, first, last);
}

}  // namespace

bool blas_available() { return blas().there(); }

void blas_matmul(const MatmulCall& call, ParallelFor& workers) {
    if (call.batch == 0 || call.m == 0 || call.n == 0) return;
    if (call.k == 0) {
        const int64_t elements = call.batch * call.m * call.n;
        std::memset(call.c, 0, static_cast<size_t>(elements * byte_size(call.dtype)));
        return;
    }
    const int64_t products = call.m * call.n * call.k;
    const bool small = call.batch > 1 && products < kSmallProduct;
    const std::lock_guard lock(library_mutex());
    blas().set_threads(small || !kOwnThreads ? 1 : workers.threads());
    if (!small) return multiply(call, 0, call.batch);
    workers.run(call.batch, call.m * call.n, call.k,
                [&](int64_t first, int64_t last) { multiply(call, first, last); });
}

}  // namespace fuseline
