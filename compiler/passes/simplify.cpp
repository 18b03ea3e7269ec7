// simplify
#include "compiler/passes/passes.h"
namespace fuseline {
std::optional<ir::Function> pass_simplify(const ir::Function&, PassContext&) { return std::nullopt; }
}  // namespace fuseline
