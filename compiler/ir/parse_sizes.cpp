// Reads sizes, affine expressions and types of the IR's text form.
#include "compiler/ir/parse_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace fuseline::ir {

namespace {

std::string_view trimmed(std::string_view text) {
    const size_t begin = text.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// One summand: its factors outside parentheses, and whether // or % stands among them.
struct Summand {
    bool negative = false;
    std::string_view text;
    std::vector<std::string_view> factors;
    bool quotient = false;
};

/// Splits at + and - between summands and at * between factors, both outside parentheses.
class Splitter {
public:
    explicit Splitter(std::string_view text) : text_(text) {}

    std::vector<Summand> run() {
        for (; at_ < text_.size(); ++at_) step(text_[at_]);
        end_summand();
        return std::move(summands_);
    }

private:
    void step(char c) {
        if (c == '(') ++depth_;
        if (c == ')') --depth_;
        if (depth_ != 0) return;
        if (c == '*') {
            end_factor();
        } else if (c == '/' || c == '%') {
            current_.quotient = true;
        } else if (c == '+' || c == '-') {
            if (trimmed(text_.substr(begin_, at_ - begin_)).empty()) {
                // A sign in front: it belongs to the summand.
                if (c == '-') current_.negative = !current_.negative;
                begin_ = factor_ = at_ + 1;
                return;
            }
            end_summand();
            current_.negative = c == '-';
        }
    }
    void end_factor() {
        current_.factors.push_back(trimmed(text_.substr(factor_, at_ - factor_)));
        factor_ = at_ + 1;
    }
    void end_summand() {
        end_factor();
        current_.text = trimmed(text_.substr(begin_, at_ - begin_));
        summands_.push_back(std::move(current_));
        current_ = {};
        begin_ = factor_ = at_ + 1;
    }

    std::string_view text_;
    size_t at_ = 0, begin_ = 0, factor_ = 0;
    int depth_ = 0;
    Summand current_;
    std::vector<Summand> summands_;
};

class AffineParser {
public:
    AffineParser(ExtentPool& pool, const Piece& piece, const std::vector<std::string>& axes)
        : pool_(pool), piece_(piece), axes_(axes), coefficients_(axes.size()) {}

    Affine run() {
        for (const Summand& s : Splitter(piece_.text).run()) add(s);
        Affine result{offset_, {}};
        for (uint32_t k = 0; k < axes_.size(); ++k) {
            if (coefficients_[k] != ExtentId{}) result.terms.push_back({k, coefficients_[k]});
        }
        return result;
    }

private:
    size_t axis(std::string_view name) const {
        return static_cast<size_t>(std::ranges::find(axes_, name) - axes_.begin());
    }

    /// A factor without axes.
    ExtentId size(std::string_view text) {
        const std::optional<ExtentId> e = pool_.parse(text);
        if (!e) fail(piece_.span, fmt::format("`{}` is not a size expression", text));
        for (const std::string& name : pool_.symbols(*e)) {
            if (axis(name) != axes_.size())
                fail(piece_.span, fmt::format("`{}` is not affine in {}", text, name));
        }
        return *e;
    }

    void add(const Summand& s) {
        size_t found = axes_.size();
        ExtentId product = pool_.constant(1);
        if (s.quotient) {
            product = size(s.text);
        } else {
            for (std::string_view factor : s.factors) {
                const size_t k = axis(factor);
                if (k == axes_.size()) {
                    product = pool_.mul(product, size(factor));
                } else if (found != axes_.size()) {
                    fail(piece_.span, fmt::format("`{}` multiplies two axes", s.text));
                } else {
                    found = k;
                }
            }
        }
        if (s.negative) product = pool_.negate(product);
        ExtentId& sum = found == axes_.size() ? offset_ : coefficients_[found];
        sum = pool_.add(sum, product);
    }

    ExtentPool& pool_;
    const Piece& piece_;
    const std::vector<std::string>& axes_;
    std::vector<ExtentId> coefficients_;
    ExtentId offset_;
};

}  // namespace

ExtentId parse_extent(ExtentPool& pool, const Piece& piece) {
    const std::optional<ExtentId> e = pool.parse(piece.text);
    if (!e) fail(piece.span, fmt::format("`{}` is not a size expression", piece.text));
    return *e;
}

Affine parse_affine(ExtentPool& pool, const Piece& piece, const std::vector<std::string>& axes) {
    return AffineParser(pool, piece, axes).run();
}

Type parse_type(TextReader& reader, ExtentPool& pool) {
    Type type;
    if (reader.accept_word("index")) return {TypeKind::index, DType::i64_, {}};
    if (reader.accept_word("read")) type.kind = TypeKind::read_buffer;
    if (reader.accept_word("write")) type.kind = TypeKind::write_buffer;
    if (reader.accept_word("held")) type.kind = TypeKind::held;
    const Piece word = reader.word("a type");
    const std::optional<DType> dtype = dtype_named(word.text);
    if (!dtype) fail(word.span, fmt::format("there is no element type `{}`", word.text));
    type.dtype = *dtype;
    if (!reader.peek("[")) return type;
    for (const Piece& piece : reader.bracket_list()) type.shape.push_back(parse_extent(pool, piece));
    return type;
}

Scalar parse_literal(DType dtype, const Piece& piece) {
    constexpr std::string_view kBits = "bits(0x";
    if (piece.text.starts_with(kBits) && piece.text.ends_with(')')) {
        Scalar value;
        const char* begin = piece.text.data() + kBits.size();
        const char* end = piece.text.data() + piece.text.size() - 1;
        const auto [stop, code] = std::from_chars(begin, end, value.bits, 16);
        if (code == std::errc() && stop == end) return value;
    } else if (const std::optional<Scalar> value = parse_scalar(dtype, piece.text)) {
        return *value;
    }
    fail(piece.span, fmt::format("`{}` is not a literal of type {}", piece.text, name(dtype)));
}

}  // namespace fuseline::ir
