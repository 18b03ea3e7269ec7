// The functions behind the pass table.
#pragma once

#include "compiler/passes/pass.h"

namespace fuseline {

#define PASS(name, form, required, doc) \
    std::optional<ir::Function> pass_##name(const ir::Function&, PassContext&);
#include "compiler/passes/pass_table.def"
#undef PASS

}  // namespace fuseline
