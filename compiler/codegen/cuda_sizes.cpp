// Size expressions and affine offsets as CUDA C++.
#include "compiler/codegen/cuda_sizes.h"

#include <fmt/format.h>

#include <unordered_map>

#include "compiler/codegen/cuda_literals.h"
#include "compiler/support/errors.h"

namespace fuseline {
namespace {

constexpr int kProduct = 13;
constexpr int kSum = 12;

std::string constant_text(int64_t value, bool wide) {
    const bool plain = !wide && value <= INT32_MAX && value >= -INT32_MAX;
    return plain ? std::to_string(value) : cuda_literal(DType::i64_, Scalar::of_i64(value)).text;
}

std::string parenthesised(const CudaText& text, int around) {
    return text.precedence != 0 && text.precedence < around ? "(" + text.text + ")" : text.text;
}

/// Writes the atoms of one size, each before those that need it.
class SizeWriter {
public:
    SizeWriter(const ExtentPool& extents, const std::map<std::string, std::string>& symbols)
        : extents_(extents), symbols_(symbols) {}

    CudaText write(ExtentId size) {
        for (uint32_t a : extents_.atoms_of(size)) atoms_[a] = atom(extents_.atom(a));
        return sum(size, false);
    }

private:
    CudaText sum(ExtentId e, bool wide) const {
        if (const auto value = extents_.constant_value(e))
            return {constant_text(*value, wide), *value < 0 ? 15 : 0};
        CudaSum out;
        for (const ExtentTerm& t : extents_.terms(e)) {
            if (t.factors.empty()) {
                out.add(t.coefficient);
                continue;
            }
            std::string product;
            for (uint32_t a : t.factors)
                product += (product.empty() ? "" : " * ") + parenthesised(atoms_.at(a), kProduct);
            out.add(t.coefficient, product);
        }
        return out.text();
    }

    CudaText atom(const ExtentAtom& a) const {
        if (a.kind == AtomKind::symbol) {
            const auto found = symbols_.find(a.name);
            require(found != symbols_.end(), "a kernel uses a size that it does not declare");
            return {found->second};
        }
        if (a.kind == AtomKind::floordiv)
            return call("fl_floordiv", sum(a.operands[0], true), sum(a.operands[1], true));
        if (a.kind == AtomKind::max0) return call("fl_imax", sum(a.operands[0], true), {"0ll"});
        CudaText least = sum(a.operands[0], true);
        for (size_t k = 1; k < a.operands.size(); ++k)
            least = call("fl_imin", least, sum(a.operands[k], true));
        return least;
    }

    static CudaText call(std::string_view function, const CudaText& x, const CudaText& y) {
        return {fmt::format("{}({}, {})", function, x.text, y.text)};
    }

    const ExtentPool& extents_;
    const std::map<std::string, std::string>& symbols_;
    std::unordered_map<uint32_t, CudaText> atoms_;
};

}  // namespace

CudaText cuda_size(const ExtentPool& extents, ExtentId size,
                   const std::map<std::string, std::string>& symbols) {
    return SizeWriter(extents, symbols).write(size);
}

CudaText cuda_size_value(const ExtentPool& extents, ExtentId size,
                         const std::map<std::string, std::string>& symbols) {
    if (const auto value = extents.constant_value(size))
        return cuda_literal(DType::i64_, Scalar::of_i64(*value));
    return cuda_size(extents, size, symbols);
}

void CudaSum::append(bool negative, const std::string& term, int precedence) {
    if (sum_.empty()) {
        sum_ = negative ? "-" + term : term;
        precedence_ = negative ? kSum : precedence;
        return;
    }
    sum_ += (negative ? " - " : " + ") + term;
    precedence_ = kSum;
}

void CudaSum::add(int64_t constant) {
    constant_ = static_cast<int64_t>(static_cast<uint64_t>(constant_) + static_cast<uint64_t>(constant));
}

void CudaSum::add(const std::string& factor, const std::string& axis) {
    if (axis.empty()) return append(false, factor, 0);
    append(false, axis + " * " + factor, kProduct);
}

void CudaSum::add(int64_t factor, const std::string& axis) {
    if (factor == 1 || factor == -1)
        return append(factor < 0, axis, axis.find('*') == std::string::npos ? 0 : kProduct);
    if (factor == INT64_MIN) return append(false, axis + " * " + constant_text(factor, true), kProduct);
    const std::string magnitude = constant_text(factor < 0 ? -factor : factor, false);
    append(factor < 0, magnitude + " * " + axis, kProduct);
}

CudaText CudaSum::text() const {
    if (sum_.empty()) return {constant_text(constant_, false), constant_ < 0 ? 15 : 0};
    if (constant_ == 0) return {sum_, precedence_};
    if (constant_ == INT64_MIN) return {sum_ + " + " + constant_text(constant_, true), kSum};
    const std::string magnitude = constant_text(constant_ < 0 ? -constant_ : constant_, false);
    // A sum that begins with a minus reads better behind its constant.
    if (sum_[0] == '-' && constant_ > 0) return {magnitude + " - " + sum_.substr(1), kSum};
    return {sum_ + (constant_ < 0 ? " - " : " + ") + magnitude, kSum};
}

std::string CudaIndexSizes::narrowed(ExtentId e, std::string_view wanted) {
    if (const auto value = constant(e)) return constant_text(*value, false);
    const auto symbol = f_->extents.symbol_name(e);
    if (symbol && !narrow()) return wide(e).text;
    if (const auto found = known_.find(e); found != known_.end()) return found->second;
    const CudaText value = wide(e);
    const std::string name = names_->local(symbol ? value.text + "32" : std::string(wanted));
    declarations_.push_back(narrow() ? fmt::format("const int {} = (int){};", name, parenthesised(value, 15))
                                     : fmt::format("const long long {} = {};", name, value.text));
    known_.emplace(e, name);
    return name;
}

CudaText CudaIndexSizes::affine(const ir::Affine& affine, std::span<const std::string> axes, size_t without) {
    CudaSum sum;
    for (const ir::Affine::Term& t : affine.terms) {
        if (t.axis == without) continue;
        const std::string& axis = axes[t.axis];
        if (const auto value = constant(t.coefficient)) {
            sum.add(*value, axis);
        } else {
            sum.add(narrowed(t.coefficient, "stride"), axis);
        }
    }
    if (const auto value = constant(affine.offset)) {
        sum.add(*value);
    } else {
        sum.add(narrowed(affine.offset, "offset"), "");
    }
    return sum.text();
}

}  // namespace fuseline
