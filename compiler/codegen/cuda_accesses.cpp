// How the threads of a map kernel reach the elements of its loads and stores.
#include "compiler/codegen/cuda_accesses.h"

#include <algorithm>

#include "compiler/codegen/cuda_element.h"
#include "compiler/support/errors.h"

namespace fuseline {
namespace {

CudaAccess classify(const ir::Function& f, ir::NodeId id, uint32_t innermost, int lanes) {
    const auto& affine = std::get<ir::Affine>(f.node(id).attribute);
    CudaAccess a;
    a.node = id;
    a.innermost = innermost;
    if (f.type(f.operands(id)[0]).kind == ir::TypeKind::held) {
        a.wide = a.held = true;
        return a;
    }
    a.stride = affine.coefficient(innermost);
    if (f.extents.constant_value(a.stride) == 0) {
        a.kind = CudaAccess::Kind::repeated;
        return a;
    }
    if (!f.extents.is_one(a.stride)) {
        a.kind = CudaAccess::Kind::strided;
        return a;
    }
    const int size = byte_size(f.type(f.operands(id)[0]).dtype);
    a.bytes = std::min(16, lanes * size);
    a.modulus = std::max(1, a.bytes / size);
    const auto may_align = [&](ExtentId e) {
        const auto value = f.extents.constant_value(e);
        return !value || *value % a.modulus == 0;
    };
    // A distance known to break the alignment, as in x[i + 1], would forbid wide accesses to every other
    // array too.
    a.wide = may_align(affine.offset) && std::ranges::all_of(affine.terms, [&](const ir::Affine::Term& t) {
                 return t.axis == innermost || may_align(t.coefficient);
             });
    return a;
}

}  // namespace

std::vector<CudaAccess> cuda_accesses(const ir::Function& kernel, ir::NodeId loops, int lanes) {
    const ir::Node& n = kernel.node(loops);
    const ir::Region& region = kernel.region(kernel.region_of(n, 0));
    require(!region.parameters.empty(), "a nest without axes has no lanes");
    size_t axes = region.parameters.size();
    if (n.parent != kernel.body()) axes += kernel.region(n.parent).parameters.size();
    const auto innermost = static_cast<uint32_t>(axes - 1);
    std::vector<CudaAccess> accesses;
    for (ir::NodeId id : region.nodes) {
        const ir::Opcode op = kernel.node(id).op;
        if (cuda_load_stays(kernel, id)) continue;
        if (op.is(ir::Structure::load_) || op.is(ir::Structure::store_)) {
            accesses.push_back(classify(kernel, id, innermost, lanes));
        }
    }
    return accesses;
}

}  // namespace fuseline
