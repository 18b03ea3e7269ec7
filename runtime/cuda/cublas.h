// cuBLASLt: own declarations, a table filled when the first product of matrices is computed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "runtime/cuda/driver.h"

namespace fuseline::cuda {

// The library's handles, structures and codes by its ABI; tests/unit/cuda compares them with cublasLt.h.
using CublasHandle = struct CublasTag*;
using ProductHandle = struct ProductTag*;
using LayoutHandle = struct LayoutTag*;
using PreferenceHandle = struct PreferenceTag*;

struct CublasAlgorithm {
    uint64_t data[8];
};
struct CublasChoice {
    CublasAlgorithm algorithm;
    size_t workspace_bytes;
    int status;
    float waves;
    int reserved[4];
};

inline constexpr int kTypeF32 = 0, kTypeF64 = 1, kTypeF16 = 2, kTypeBf16 = 14;
inline constexpr int kComputeF32 = 68, kComputeF64 = 70, kComputeTf32 = 77;
inline constexpr int kTransposeAttributeA = 3, kTransposeAttributeB = 4;
inline constexpr int kBatchCountAttribute = 5, kBatchStrideAttribute = 6;
inline constexpr int kWorkspacePreference = 1, kReductionPreference = 3, kAlignmentPreferenceA = 5,
                     kAlignmentPreferenceB = 6, kAlignmentPreferenceC = 7, kAlignmentPreferenceD = 8;
/// Parts of a long sum are added in the type in which it is computed, in a fixed order.
inline constexpr uint32_t kReductionInComputeType = 2;

struct CublasTable {
#define CUBLAS(member, symbol, result, parameters) result(*member) parameters = nullptr;
#include "runtime/cuda/cublas_functions.def"
#undef CUBLAS
};

/// The table of libcublasLt, opened once for the process. Null where there is no such library, or one that
/// lacks a function.
const CublasTable* open_cublas();

/// Throws ToolchainError "what: status" unless the status is success.
void check_cublas(const CublasTable& table, int status, const std::string& what);

}  // namespace fuseline::cuda
