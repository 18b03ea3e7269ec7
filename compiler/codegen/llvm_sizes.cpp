// Size expressions as i64 arithmetic over the launch's sizes.
#include <algorithm>

#include "compiler/codegen/llvm_access.h"
#include "compiler/support/errors.h"

namespace fuseline {

std::string LlvmSizes::operand(ExtentId e) {
    const ExtentPool& pool = w_.kernel().extents;
    if (const auto value = pool.constant_value(e)) return fmt::format("{}", *value);
    const uint32_t here = w_.place();
    w_.enter_head(0);
    for (uint32_t index : pool.atoms_of(e)) {
        if (!atoms_.contains(index)) atoms_.emplace(index, atom(index));
    }
    std::string text = sum(e);
    w_.return_to(here);
    return text;
}

std::string LlvmSizes::sum(ExtentId e) {
    const ExtentPool& pool = w_.kernel().extents;
    if (const auto value = pool.constant_value(e)) return fmt::format("{}", *value);
    if (const auto known = sums_.find(e.index); known != sums_.end()) return known->second;
    std::string total;
    for (const ExtentTerm& term : pool.terms(e)) {
        std::string product;
        for (uint32_t factor : term.factors) {
            const std::string& value = atoms_.at(factor);
            if (product.empty()) {
                product = value;
                continue;
            }
            const std::string next = w_.name("size");
            w_.line("{} = mul i64 {}, {}", next, product, value);
            product = next;
        }
        if (product.empty()) {
            product = fmt::format("{}", term.coefficient);
        } else if (term.coefficient != 1) {
            const std::string next = w_.name("size");
            w_.line("{} = mul i64 {}, {}", next, product, term.coefficient);
            product = next;
        }
        if (total.empty()) {
            total = product;
            continue;
        }
        const std::string next = w_.name("size");
        w_.line("{} = add i64 {}, {}", next, total, product);
        total = next;
    }
    sums_.emplace(e.index, total);
    return total;
}

std::string LlvmSizes::atom(uint32_t index) {
    const ExtentAtom& a = w_.kernel().extents.atom(index);
    switch (a.kind) {
        case AtomKind::symbol: return symbol(a.name);
        case AtomKind::floordiv: return quotient(a);
        case AtomKind::min:
        case AtomKind::max0: return bounded(a);
    }
    throw InternalError("an unknown kind of size");
}

std::string LlvmSizes::symbol(const std::string& name) {
    const auto& sizes = w_.kernel().sizes;
    const auto at = std::find(sizes.begin(), sizes.end(), name);
    require(at != sizes.end(), "a size that is no parameter of the kernel");
    const std::string address = w_.name(name + ".at");
    const std::string value = w_.name(name);
    w_.line("{} = getelementptr i64, ptr %sizes, i64 {}", address, at - sizes.begin());
    w_.line("{} = load i64, ptr {}, align 8", value, address);
    return value;
}

std::string LlvmSizes::quotient(const ExtentAtom& a) {
    // The prelude's division: a denominator of 0 must not trap.
    const PreludeInstance divide{"fl.floordiv", DType::i64_, DType::i64_, 1};
    w_.instances.insert(divide);
    const std::string left = sum(a.operands[0]), right = sum(a.operands[1]);
    const std::string value = w_.name("size");
    w_.line("{} = call i64 @{}(i64 {}, i64 {})", value, llvm_prelude_name(divide), left, right);
    return value;
}

std::string LlvmSizes::bounded(const ExtentAtom& a) {
    const bool least = a.kind == AtomKind::min;
    std::string value = least ? sum(a.operands[0]) : "0";
    for (size_t k = least ? 1 : 0; k < a.operands.size(); ++k) {
        const std::string other = sum(a.operands[k]);
        const std::string next = w_.name("size");
        w_.line("{} = call i64 @llvm.{}.i64(i64 {}, i64 {})", next, least ? "smin" : "smax", value, other);
        value = next;
    }
    return value;
}

}  // namespace fuseline
