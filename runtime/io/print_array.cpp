// NumPy's array2string with floatmode="unique": common column widths, digits never more than needed to read
// back.
#include "runtime/io/print_array.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "compiler/ops/decimal.h"

namespace fuseline {
namespace {

constexpr int64_t kSummaryThreshold = 1000;
constexpr int64_t kEdge = 3;
constexpr size_t kLineWidth = 75;

/// The shortest decimal laid out as to_chars does.
std::string laid_out(const Decimal& d, std::chars_format format) {
    const auto count = static_cast<int>(d.digits.size());
    std::string text = d.digits;
    if (format == std::chars_format::scientific) {
        if (count > 1) text.insert(1, ".");
        text += fmt::format("e{}{:02}", d.exponent < 0 ? '-' : '+', std::abs(d.exponent));
    } else if (d.exponent < 0) {
        text = "0." + std::string(static_cast<size_t>(-d.exponent - 1), '0') + text;
    } else if (d.exponent + 1 < count) {
        text.insert(static_cast<size_t>(d.exponent + 1), ".");
    } else {
        text += std::string(static_cast<size_t>(d.exponent + 1 - count), '0');
    }
    return d.negative ? "-" + text : text;
}

/// Shortest digits that read back, with a point.
std::string digits(DType dtype, Scalar value, std::chars_format format) {
    std::string text;
    if (is_half(dtype)) {
        text = laid_out(shortest_decimal(dtype, value), format);
    } else {
        char buffer[400];
        char* const last = buffer + sizeof buffer;
        const auto end = dtype == DType::f32_ ? std::to_chars(buffer, last, value.as_f32(), format).ptr
                                              : std::to_chars(buffer, last, value.as_f64(), format).ptr;
        text.assign(buffer, end);
    }
    const size_t exponent = std::min(text.find('e'), text.size());
    if (text.find('.') == std::string::npos) text.insert(exponent, ".");
    return text;
}

std::string with_digits(double number, size_t fraction) {
    char buffer[400];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::scientific,
                                   static_cast<int>(fraction))
                         .ptr;
    return {buffer, end};
}

/// NumPy's bound of numbers without exponent: as many digits as the type is good for, at most 8.
double largest_plain(DType dtype) {
    switch (dtype) {
        case DType::f16_: return 1e3;
        case DType::bf16_: return 1e2;
        default: return dtype == DType::f32_ ? 1e6 : 1e8;
    }
}

/// The common layout of a column of floats.
class FloatLayout {
public:
    FloatLayout(DType dtype, const std::vector<Scalar>& values) : dtype_(dtype) {
        double low = std::numeric_limits<double>::infinity(), high = 0;
        for (Scalar v : values) {
            const double x = std::abs(scalar_to_f64(dtype, v));
            if (!std::isfinite(x) || x == 0) continue;
            low = std::min(low, x);
            high = std::max(high, x);
        }
        scientific_ = high != 0 && (high >= largest_plain(dtype) || low < 1e-4 || high / low > 1000);
        for (Scalar v : values) measure(v);
        right_ = fraction_ + exponent_;
        if (special_ > right_ + 1) left_ = std::max(left_, special_ - right_ - 1);
    }

    std::string text(Scalar value) const {
        const double x = scalar_to_f64(dtype_, value);
        if (!std::isfinite(x)) return padded_left(special(x), left_ + right_ + 1);
        std::string s = digits(dtype_, value, format());
        const size_t exponent = std::min(s.find('e'), s.size());
        const size_t fraction = exponent - s.find('.') - 1;
        if (scientific_) {
            // Digits past the shortest are those of the number, not zeros.
            if (fraction < fraction_) s = with_digits(x, fraction_);
            const size_t mark = s.find('e');
            s.insert(mark + 2, std::string(exponent_ - (s.size() - mark), '0'));
        } else {
            s += std::string(right_ - fraction, ' ');
        }
        return padded_left(s, left_ + right_ + 1);
    }

private:
    std::chars_format format() const {
        return scientific_ ? std::chars_format::scientific : std::chars_format::fixed;
    }
    static std::string special(double x) { return std::isnan(x) ? "nan" : x < 0 ? "-inf" : "inf"; }
    static std::string padded_left(std::string s, size_t width) {
        return s.size() < width ? std::string(width - s.size(), ' ') + s : s;
    }

    void measure(Scalar v) {
        const double x = scalar_to_f64(dtype_, v);
        if (!std::isfinite(x)) {
            special_ = std::max(special_, special(x).size());
        } else {
            const std::string s = digits(dtype_, v, format());
            const size_t point = s.find('.'), exponent = std::min(s.find('e'), s.size());
            left_ = std::max(left_, point);
            fraction_ = std::max(fraction_, exponent - point - 1);
            exponent_ = std::max(exponent_, s.size() - exponent);
        }
    }

    DType dtype_;
    bool scientific_ = false;
    size_t left_ = 0, fraction_ = 0, exponent_ = 0, right_ = 0, special_ = 0;
};

/// One text per shown element, all of one width.
std::vector<std::string> element_texts(DType dtype, const std::vector<Scalar>& values) {
    std::vector<std::string> texts;
    if (is_float(dtype)) {
        const FloatLayout layout(dtype, values);
        for (Scalar v : values) texts.push_back(layout.text(v));
        return texts;
    }
    size_t width = 0;
    for (Scalar v : values) {
        texts.push_back(scalar_text(dtype, v));
        width = std::max(width, texts.back().size());
    }
    for (std::string& t : texts) t.insert(0, width - t.size(), ' ');
    return texts;
}

class Printer {
public:
    explicit Printer(const HostArray& array)
        : array_(array), summarised_(array.element_count() > kSummaryThreshold) {}

    std::string print() {
        collect(0, 0);
        texts_ = element_texts(array_.dtype, values_);
        return block(0, " ", kLineWidth);
    }

private:
    bool cut(size_t axis) const { return summarised_ && array_.shape[axis] > 2 * kEdge; }
    /// The indices of an axis that are shown, in order; -1 stands for the dots.
    std::vector<int64_t> shown(size_t axis) const {
        std::vector<int64_t> indices;
        const int64_t extent = array_.shape[axis];
        for (int64_t i = 0; i < extent; ++i) {
            if (cut(axis) && i == kEdge) {
                indices.push_back(-1);
                i = extent - kEdge;
            }
            indices.push_back(i);
        }
        return indices;
    }

    /// Gathers the shown elements in order. Depth is the rank.
    void collect(size_t axis, int64_t offset) {
        if (axis == array_.shape.size()) {
            values_.push_back(array_.at(offset));
            return;
        }
        for (int64_t i : shown(axis)) {
            if (i >= 0) collect(axis + 1, offset * array_.shape[axis] + i);
        }
    }

    std::string block(size_t axis, const std::string& indent, size_t width) {
        const bool innermost = axis + 1 == array_.shape.size();
        const std::string body =
            innermost ? line_block(axis, indent, width) : nested_block(axis, indent, width);
        return "[" + body.substr(std::min(indent.size(), body.size())) + "]";
    }

    std::string line_block(size_t axis, const std::string& indent, size_t width) {
        std::string done, line = indent;
        const std::vector<int64_t> indices = shown(axis);
        for (size_t k = 0; k < indices.size(); ++k) {
            const std::string word = indices[k] < 0 ? "..." : texts_[next_++];
            if (line.size() + word.size() > width - 1 && line.size() > indent.size()) {
                line.erase(line.find_last_not_of(' ') + 1);
                done += line + "\n";
                line = indent;
            }
            line += word;
            if (k + 1 < indices.size()) line += ' ';
        }
        return done + line;
    }

    std::string nested_block(size_t axis, const std::string& indent, size_t width) {
        const std::string separator(array_.shape.size() - axis - 1, '\n');
        std::string text;
        const std::vector<int64_t> indices = shown(axis);
        for (size_t k = 0; k < indices.size(); ++k) {
            text += indent + (indices[k] < 0 ? "..." : block(axis + 1, indent + ' ', width - 1));
            if (k + 1 < indices.size()) text += separator;
        }
        return text;
    }

    const HostArray& array_;
    bool summarised_;
    std::vector<Scalar> values_;
    std::vector<std::string> texts_;
    size_t next_ = 0;
};

}  // namespace

std::string array_text(const HostArray& array) {
    if (array.shape.empty()) return scalar_text(array.dtype, array.at(0));
    if (array.element_count() == 0) return "[]";
    return Printer(array).print();
}

}  // namespace fuseline
