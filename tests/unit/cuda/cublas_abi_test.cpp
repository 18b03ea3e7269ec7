// Our declarations of cuBLASLt against the toolkit's header, where that is there; compared by the compiler.
#include "runtime/cuda/cublas.h"
#include "tests/catch.h"

#if __has_include(<cublasLt.h>)

#include <cublasLt.h>

#include <type_traits>

namespace {

using namespace fuseline;

static_assert(sizeof(cuda::CublasAlgorithm) == sizeof(cublasLtMatmulAlgo_t));
static_assert(sizeof(cuda::CublasChoice) == sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(cuda::CublasChoice, workspace_bytes) ==
              offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
static_assert(offsetof(cuda::CublasChoice, status) == offsetof(cublasLtMatmulHeuristicResult_t, state));
static_assert(CUBLAS_STATUS_SUCCESS == 0 && CUBLAS_OP_N == 0 && CUBLAS_OP_T == 1);
static_assert(cuda::kTypeF32 == CUDA_R_32F && cuda::kTypeF64 == CUDA_R_64F);
static_assert(cuda::kTypeF16 == CUDA_R_16F && cuda::kTypeBf16 == CUDA_R_16BF);
static_assert(cuda::kComputeF32 == CUBLAS_COMPUTE_32F && cuda::kComputeF64 == CUBLAS_COMPUTE_64F);
static_assert(cuda::kComputeTf32 == CUBLAS_COMPUTE_32F_FAST_TF32);
static_assert(cuda::kTransposeAttributeA == CUBLASLT_MATMUL_DESC_TRANSA);
static_assert(cuda::kTransposeAttributeB == CUBLASLT_MATMUL_DESC_TRANSB);
static_assert(cuda::kBatchCountAttribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
static_assert(cuda::kBatchStrideAttribute == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
static_assert(cuda::kWorkspacePreference == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
static_assert(cuda::kReductionPreference == CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK);
static_assert(cuda::kReductionInComputeType == CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
static_assert(cuda::kAlignmentPreferenceA == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
static_assert(cuda::kAlignmentPreferenceB == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES);
static_assert(cuda::kAlignmentPreferenceC == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES);
static_assert(cuda::kAlignmentPreferenceD == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);

/// A parameter as the calling convention sees it.
template <class A, class B>
constexpr bool kPassedAlike = sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B>;

template <class Ours, class Theirs>
struct Alike : std::false_type {};
template <class R, class... P, class S, class... Q>
    requires(sizeof...(P) == sizeof...(Q))
struct Alike<R (*)(P...), S (*)(Q...)>
    : std::bool_constant<kPassedAlike<R, S> && (kPassedAlike<P, Q> && ...)> {};

#define CHECK_ROW(member, symbol) \
    static_assert(Alike<decltype(cuda::CublasTable::member), decltype(&symbol)>::value, #symbol)
CHECK_ROW(create, cublasLtCreate);
CHECK_ROW(destroy, cublasLtDestroy);
CHECK_ROW(status_text, cublasLtGetStatusString);
CHECK_ROW(version, cublasLtGetVersion);
CHECK_ROW(product_create, cublasLtMatmulDescCreate);
CHECK_ROW(product_destroy, cublasLtMatmulDescDestroy);
CHECK_ROW(product_set, cublasLtMatmulDescSetAttribute);
CHECK_ROW(layout_create, cublasLtMatrixLayoutCreate);
CHECK_ROW(layout_destroy, cublasLtMatrixLayoutDestroy);
CHECK_ROW(layout_set, cublasLtMatrixLayoutSetAttribute);
CHECK_ROW(preference_create, cublasLtMatmulPreferenceCreate);
CHECK_ROW(preference_destroy, cublasLtMatmulPreferenceDestroy);
CHECK_ROW(preference_set, cublasLtMatmulPreferenceSetAttribute);
CHECK_ROW(choose, cublasLtMatmulAlgoGetHeuristic);
CHECK_ROW(multiply, cublasLtMatmul);
#undef CHECK_ROW

}  // namespace

TEST_CASE("cuBLASLt's declarations are the toolkit's", "[cuda]") {
    SUCCEED("compared when this file was compiled");
}

#else

TEST_CASE("cuBLASLt's declarations are the toolkit's", "[cuda]") { WARN("not run: no cublasLt.h"); }

#endif
