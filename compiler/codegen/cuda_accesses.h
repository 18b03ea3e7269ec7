// How the threads of a map kernel reach the elements of its loads and stores.
#pragma once

#include <vector>

#include "compiler/ir/ir.h"

namespace fuseline {

struct CudaAccess {
    enum class Kind : uint8_t {
        neighbours,  ///< the innermost axis moves by one element
        strided,     ///< the innermost axis moves by `stride` elements
        repeated,    ///< the innermost axis does not occur: one element for all lanes
    } kind = Kind::neighbours;
    ir::NodeId node;
    ExtentId stride;
    /// One access may take all lanes, or 16 bytes of them, where the pointer and the strides of outer axes
    /// allow it.
    bool wide = false;
    bool held = false;       ///< an element of the row on chip, always aligned
    uint32_t innermost = 0;  ///< the axis along which lanes lie
    int bytes = 0;           ///< alignment that a wide access asks of its address
    int modulus = 1;         ///< elements in so many bytes
};

/// Loads and stores of the first region of a nest, fold or hold in their order, for `lanes` elements a
/// thread. Loads that stay where they stand (cuda_load_stays) are not among them.
std::vector<CudaAccess> cuda_accesses(const ir::Function& kernel, ir::NodeId loops, int lanes);

}  // namespace fuseline
