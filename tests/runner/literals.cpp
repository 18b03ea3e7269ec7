// Arrays as literals of test files.
#include "tests/runner/literals.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "runtime/io/npy.h"

namespace fuseline::testing {
namespace {

/// Differing elements that a message shows.
constexpr int kShown = 5;

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\n";
    const size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const size_t end = std::min(text.find_first_of(separators), text.size());
        const std::string_view part = trimmed(text.substr(0, end));
        if (!part.empty()) parts.push_back(part);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

int64_t integer(std::string_view text) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        throw UserError(fmt::format("`{}` is not an integer", text));
    return value;
}

double number(std::string_view text) {
    const auto value = parse_scalar(DType::f64_, text);
    if (!value) throw UserError(fmt::format("`{}` is not a number", text));
    return value->as_f64();
}

/// "f32[2, 3]" as an array without elements yet.
HostArray parse_type(std::string_view text) {
    HostArray array;
    const size_t bracket = std::min(text.find('['), text.size());
    const auto dtype = dtype_named(trimmed(text.substr(0, bracket)));
    if (!dtype) throw UserError(fmt::format("`{}` is not a type", text));
    array.dtype = *dtype;
    for (std::string_view extent : split(text.substr(bracket), "[], "))
        array.shape.push_back(integer(extent));
    array.bytes.resize(static_cast<size_t>(array.element_count() * byte_size(array.dtype)));
    return array;
}

void set(HostArray& array, int64_t position, Scalar value) {
    store_scalar(array.dtype, value, array.bytes.data() + position * byte_size(array.dtype));
}

Scalar element(DType dtype, std::string_view text) {
    const auto value = parse_scalar(dtype, text);
    if (!value) throw UserError(fmt::format("`{}` is not a value of {}", text, name(dtype)));
    return *value;
}

void fill_from_list(HostArray& array, std::string_view text) {
    const auto parts = split(text, "[], \n");
    const int64_t count = array.element_count();
    if (static_cast<int64_t>(parts.size()) != count) {
        throw UserError(fmt::format("{} values are given for {} elements", parts.size(), count));
    }
    for (size_t k = 0; k < parts.size(); ++k)
        set(array, static_cast<int64_t>(k), element(array.dtype, parts[k]));
}

/// `iota(1, 2)`, `linspace(0, 1)`, `full(7)`.
void fill_by_rule(HostArray& array, std::string_view text) {
    const size_t paren = std::min(text.find('('), text.size());
    const std::string_view rule = text.substr(0, paren);
    const auto given = split(text.substr(paren), "(), ");
    const int64_t count = array.element_count();
    for (int64_t k = 0; k < count; ++k) {
        const auto at = static_cast<double>(k);
        if (rule == "iota" && given.empty()) {
            set(array, k, scalar_from_f64(array.dtype, at));
        } else if (rule == "iota" && given.size() == 2) {
            set(array, k, scalar_from_f64(array.dtype, number(given[0]) + number(given[1]) * at));
        } else if (rule == "linspace" && given.size() == 2) {
            const double step =
                count > 1 ? (number(given[1]) - number(given[0])) / static_cast<double>(count - 1) : 0;
            set(array, k, scalar_from_f64(array.dtype, number(given[0]) + step * at));
        } else if (rule == "full" && given.size() == 1) {
            set(array, k, element(array.dtype, given[0]));
        } else {
            throw UserError(fmt::format("`{}` is not a value of an array", text));
        }
    }
}

HostArray load(const HostArray& declared, std::string_view text, const std::string& folder) {
    const auto parts = split(text.substr(text.find('(')), "()\" ");
    if (parts.size() != 1) throw UserError("write load(\"file.npy\")");
    HostArray array = read_npy(folder + "/" + std::string(parts[0]), declared.dtype);
    if (array.dtype != declared.dtype || array.shape != declared.shape) {
        throw UserError(fmt::format("{} does not hold the declared type", parts[0]));
    }
    return array;
}

/// Order of floats as integers: neighbours differ by one, both zeros are 0.
int64_t place(DType dtype, Scalar s) {
    const int unused = 64 - row(dtype).bits;
    const int64_t bits = static_cast<int64_t>(s.bits << unused) >> unused;
    return bits < 0 ? (INT64_MIN >> unused) - bits : bits;
}

bool agrees(DType dtype, Scalar expected, Scalar found, const Tolerance& tolerance) {
    if (same_element(dtype, expected, found)) return true;
    if (!is_float(dtype) || tolerance.kind == Tolerance::Kind::exact) return false;
    const double e = scalar_to_f64(dtype, expected), f = scalar_to_f64(dtype, found);
    if (!std::isfinite(e) || !std::isfinite(f)) return false;
    if (tolerance.kind == Tolerance::Kind::abs) return std::abs(e - f) <= tolerance.limit;
    if (tolerance.kind == Tolerance::Kind::rel) return std::abs(e - f) <= tolerance.limit * std::abs(e);
    int64_t apart = 0;
    const bool far = __builtin_sub_overflow(place(dtype, expected), place(dtype, found), &apart);
    return !far && std::abs(static_cast<double>(apart)) <= tolerance.limit;
}

std::string index_text(const std::vector<int64_t>& shape, int64_t position) {
    std::vector<int64_t> index(shape.size());
    for (size_t axis = shape.size(); axis-- > 0;) {
        index[axis] = position % shape[axis];
        position /= shape[axis];
    }
    return fmt::format("[{}]", fmt::join(index, ", "));
}

std::string type_of(const HostArray& array) {
    return array.shape.empty() ? std::string(name(array.dtype))
                               : fmt::format("{}[{}]", name(array.dtype), fmt::join(array.shape, ", "));
}

}  // namespace

HostArray parse_array(std::string_view text, const std::string& folder) {
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos) throw UserError("a value is written TYPE = LITERAL");
    HostArray array = parse_type(trimmed(text.substr(0, equals)));
    const std::string_view value = trimmed(text.substr(equals + 1));
    if (value.starts_with("load(")) return load(array, value, folder);
    if (value.starts_with("[")) {
        fill_from_list(array, value);
    } else if (array.shape.empty()) {
        set(array, 0, element(array.dtype, value));
    } else {
        fill_by_rule(array, value);
    }
    return array;
}

Tolerance parse_tolerance(std::string_view text) {
    const auto parts = split(text, " ");
    if (parts.size() == 1 && parts[0] == "exact") return {};
    constexpr std::pair<std::string_view, Tolerance::Kind> kKinds[] = {
        {"ulp", Tolerance::Kind::ulp}, {"rel", Tolerance::Kind::rel}, {"abs", Tolerance::Kind::abs}};
    for (const auto& [name, kind] : kKinds) {
        if (parts.size() == 2 && parts[0] == name) return {kind, number(parts[1])};
    }
    throw UserError(fmt::format("`{}` is not a tolerance: exact, ulp N, rel X or abs X", text));
}

bool same_element(DType dtype, Scalar a, Scalar b) {
    if (a == b) return true;
    return is_float(dtype) && std::isnan(scalar_to_f64(dtype, a)) && std::isnan(scalar_to_f64(dtype, b));
}

std::string difference(const HostArray& expected, const HostArray& found, const Tolerance& tolerance) {
    if (expected.dtype != found.dtype || expected.shape != found.shape) {
        return fmt::format("expected {}, found {}\n", type_of(expected), type_of(found));
    }
    return difference_where(expected, found, [&](int64_t k) {
        return !agrees(expected.dtype, expected.at(k), found.at(k), tolerance);
    });
}

std::string difference_where(const HostArray& expected, const HostArray& found,
                             const std::function<bool(int64_t position)>& differs) {
    std::string text;
    int64_t wrong = 0;
    const int64_t count = expected.element_count();
    for (int64_t k = 0; k < count; ++k) {
        if (!differs(k)) continue;
        if (wrong++ >= kShown) continue;
        text +=
            fmt::format("  at {}: expected {}, found {}\n", index_text(expected.shape, k),
                        scalar_text(expected.dtype, expected.at(k)), scalar_text(found.dtype, found.at(k)));
    }
    if (wrong > kShown) text += fmt::format("  and {} more of {}\n", wrong - kShown, count);
    return text;
}

std::string array_literal(const HostArray& array) {
    std::vector<std::string> values;
    const int64_t count = array.element_count();
    for (int64_t k = 0; k < count; ++k) values.push_back(scalar_text(array.dtype, array.at(k)));
    const std::string list = array.shape.empty() ? values[0] : fmt::format("[{}]", fmt::join(values, ", "));
    return fmt::format("{} = {}", type_of(array), list);
}

}  // namespace fuseline::testing
