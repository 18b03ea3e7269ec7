// The body of a nest as a device function of one element.
#pragma once

#include <string>
#include <vector>

#include "compiler/codegen/cuda_statements.h"
#include "compiler/codegen/cuda_uses.h"
#include "compiler/ir/ir.h"
#include "compiler/support/source.h"

namespace fuseline {

/// What the kernel hands to one parameter of the function.
struct CudaArgument {
    enum class Kind : uint8_t {
        load,    ///< the element that `node` loads
        buffer,  ///< the buffer of `node`, a load of the function's own
        offset,  ///< where in its buffer `node` loads
        axis,    ///< index number `axis` of the nest, and of the fold behind them
        scalar,  ///< `value`, computed before the nest or a parameter of the kernel
        size,    ///< the kernel's size `symbol`
    } kind = Kind::load;
    ir::NodeId node;
    uint32_t axis = 0;
    ir::ValueId value;
    std::string symbol;
};

/// `static __device__ float f_element(const float x, ...)`: returns the element to store, or gives several
/// through references behind the arguments.
struct CudaElement {
    std::string name;
    std::string text;
    std::vector<CudaArgument> arguments;
    std::vector<ir::NodeId> stores;
    std::vector<ir::ValueId> values;  ///< what it gives: what stands in the stores, or what is held
    /// Elementwise and structural nodes; constants, accesses and sizes count for nothing.
    size_t work = 0;
    bool loops = false;  ///< while or for
    /// Every stored or given value is a loaded one, a constant or one from outside: the function would do
    /// nothing.
    bool copies = true;
};

/// Of a nest, with its stores, or of a hold, whose yields stand in place of them.
CudaElement cuda_element(const ir::Function& kernel, ir::NodeId nest, const std::vector<CudaUse>& uses,
                         const SourceMap* sources, const std::string& name);

/// The first region of a fold: the function returns a `state`.
CudaElement cuda_fold_element(const ir::Function& kernel, ir::NodeId fold, const std::vector<CudaUse>& uses,
                              const SourceMap* sources, const std::string& name, const std::string& state);

/// A load that depends on computed values: it has a guard or a computed offset, and stands where it is used.
bool cuda_load_stays(const ir::Function& kernel, ir::NodeId node);

/// `buffer[offset]` as a value; with a guard, nothing is read where that is false.
CudaText cuda_guarded(const ir::Function& kernel, ir::NodeId load, const std::string& buffer,
                      const std::string& offset, CudaStatements& statements);

/// Lines of `head` + items with `separator` and a blank between + `tail`; further lines begin with `indent`
/// blanks.
std::string cuda_wrapped(const std::string& head, const std::vector<std::string>& items,
                         const std::string& tail, size_t indent, std::string_view separator = ",");

}  // namespace fuseline
