// What the verifier's rules on types share: one node under test, and comparisons of types.
#pragma once

#include "compiler/ir/verify_context.h"

namespace fuseline::ir {

/// One node under test.
struct Subject {
    VerifyContext& c;
    NodeId id;
    const Node& n;
    uint32_t nest_rank = 0;  ///< axes of the loops around it
    NodeId loops;            ///< the innermost of these

    void fault(const std::string& what) const { c.fault(id, what); }
    const Type& operand(size_t k) const { return c.f.type(c.f.operands(n)[k]); }
    const Type& result(uint32_t k = 0) const { return c.f.type(c.f.result(id, k)); }
    const Region& region(uint32_t k) const { return c.f.region(c.f.region_of(n, k)); }
    template <typename T>
    const T& attribute() const {
        return std::get<T>(n.attribute);
    }
    std::vector<Type> operand_types(size_t first = 0) const {
        std::vector<Type> types;
        for (ValueId v : c.f.operands(n).subspan(first)) types.push_back(c.f.type(v));
        return types;
    }
    std::vector<Type> result_types() const {
        std::vector<Type> types;
        for (uint32_t k = 0; k < n.results_count; ++k) types.push_back(result(k));
        return types;
    }
    std::vector<Type> types(std::span<const ValueId> values) const {
        std::vector<Type> types;
        for (ValueId v : values) types.push_back(c.f.type(v));
        return types;
    }
    /// Faults unless the lists agree; `what` names the pair ("yields and results").
    void same(const std::vector<Type>& found, const std::vector<Type>& wanted, std::string_view what) const {
        if (found == wanted) return;
        const auto list = [&](const std::vector<Type>& all) {
            std::string text;
            for (const Type& t : all) text += (text.empty() ? "" : ", ") + c.type(t);
            return text;
        };
        fault(fmt::format("{} differ: ({}) and ({})", what, list(found), list(wanted)));
    }
};

Type scalar_type(DType dtype);
void check_affine(const Subject& s, const Affine& affine, size_t rank);
/// The region combines two states: it has twice as many scalars as it yields.
void check_combine(const Subject& s, const Region& region, const std::vector<Type>& state);

/// Rules of the operations of kernels.
void check_nest(const Subject& s);
void check_fold(const Subject& s);
void check_hold(const Subject& s);
void check_load(const Subject& s);
void check_load_at(const Subject& s);
void check_store(const Subject& s);

}  // namespace fuseline::ir
