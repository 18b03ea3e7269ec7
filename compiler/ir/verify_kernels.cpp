// The verifier's rules on types of the operations of kernels: nests, folds, holds and accesses.
#include "compiler/ir/verify_subject.h"

namespace fuseline::ir {

namespace {

/// A held element is read where it was written: at the row-major number of the loops' own indices. Strides of
/// several axes are sizes of the kernel by then, so that they cannot be compared.
void check_held_load(const Subject& s) {
    s.same(s.result_types(), {scalar_type(s.operand(0).dtype)}, "the result and the held element");
    if (s.n.operands_count != 1) s.fault("a held element has no guard");
    const Node* hold = s.c.f.definition(s.c.f.operands(s.n)[0]);
    if (hold == nullptr || !s.loops) return s.fault("reads what no hold gives");
    const auto& extents = std::get<Loops>(s.c.f.node(s.loops).attribute).extents;
    const bool around = s.c.f.region(hold->parent).owner == s.loops;
    if (around || extents != std::get<Loops>(hold->attribute).extents)
        return s.fault("runs over other extents than the hold");
    const Affine& at = s.attribute<Affine>();
    bool own = at.offset == ExtentId{} && at.terms.size() == extents.size();
    for (size_t k = 0; own && k < extents.size(); ++k)
        own = at.terms[k].axis == s.nest_rank - extents.size() + k;
    own = own && s.c.f.extents.is_one(at.terms.back().coefficient);
    if (!own) s.fault("is not at the element of its own index");
}

/// Operand `mask` and the one after it: a bool and an element, or nothing.
void check_guarded_load(const Subject& s, size_t mask) {
    const Type element = scalar_type(s.operand(0).dtype);
    if (s.operand(0).kind != TypeKind::read_buffer) s.fault("loads from a read buffer only");
    s.same(s.result_types(), {element}, "the result and the buffer's element");
    if (s.n.operands_count == mask) return;
    s.same(s.operand_types(mask), {scalar_type(DType::bool_), element},
           "the guard and a bool with an element");
}

/// Axes of a fold or hold: at least one, each with an index in the first region.
void check_own_axes(const Subject& s) {
    const Loops& loops = s.attribute<Loops>();
    const Region& elements = s.region(0);
    if (elements.parameters.size() != loops.extents.size() || loops.extents.empty()) {
        s.fault(
            fmt::format("has {} extents and {} indices", loops.extents.size(), elements.parameters.size()));
    }
    for (ValueId p : elements.parameters) {
        if (s.c.f.type(p).kind != TypeKind::index) s.fault("a parameter of its first region is an index");
    }
    if (loops.mapping == Mapping::grid) s.fault("runs in sequence or as a team");
}

}  // namespace

void check_nest(const Subject& s) {
    const Loops& loops = s.attribute<Loops>();
    const Region& region = s.region(0);
    if (region.parameters.size() != loops.extents.size()) {
        s.fault(fmt::format("has {} extents and {} indices", loops.extents.size(), region.parameters.size()));
    }
    for (ValueId p : region.parameters) {
        if (s.c.f.type(p).kind != TypeKind::index) s.fault("a parameter of a nest is an index");
    }
    if (!region.yields.empty()) s.fault("a nest yields nothing: it stores");
    if (loops.lanes < 1) s.fault("lanes are at least 1");
    if (loops.mapping == (s.loops ? Mapping::grid : Mapping::team))
        s.fault("a grid is no inner nest, a team no outer one");
    if (s.loops && loops.extents.empty()) s.fault("has no axis of its own");
}

void check_load(const Subject& s) {
    if (s.operand(0).kind == TypeKind::held) return check_held_load(s);
    check_guarded_load(s, 1);
    check_affine(s, s.attribute<Affine>(), s.nest_rank);
}

void check_load_at(const Subject& s) {
    check_guarded_load(s, 2);
    s.same({s.operand(1)}, {scalar_type(DType::i64_)}, "the offset and an i64");
}

void check_hold(const Subject& s) {
    check_own_axes(s);
    std::vector<Type> held = s.types(s.region(0).yields);
    for (Type& t : held) {
        if (t.kind != TypeKind::value) s.fault("keeps what is no value");
        t.kind = TypeKind::held;
    }
    s.same(s.result_types(), held, "the results and what is held");
}

void check_fold(const Subject& s) {
    check_own_axes(s);
    const Region& elements = s.region(0);
    const std::vector<Type> state = s.operand_types();
    s.same(s.types(elements.yields), state, "the elements and the identities");
    s.same(s.result_types(), state, "the results and the identities");
    check_combine(s, s.region(1), state);
}

void check_store(const Subject& s) {
    if (s.operand(0).kind != TypeKind::write_buffer) s.fault("stores to a write buffer only");
    s.same({s.operand(1)}, {scalar_type(s.operand(0).dtype)}, "the value and the buffer's element");
    check_affine(s, s.attribute<Affine>(), s.nest_rank);
}

}  // namespace fuseline::ir
