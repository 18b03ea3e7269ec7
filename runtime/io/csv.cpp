// CSV: which columns are wanted, then their values row by row.
#include "runtime/io/csv.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "compiler/support/diagnostics.h"
#include "runtime/io/csv_records.h"
#include "runtime/io/fault.h"
#include "runtime/io/files.h"

namespace fuseline {
namespace {

std::optional<Scalar> bool_value(std::string_view text) {
    for (const std::string_view word : {"true", "True", "TRUE", "1"}) {
        if (text == word) return Scalar::of_bool(true);
    }
    for (const std::string_view word : {"false", "False", "FALSE", "0"}) {
        if (text == word) return Scalar::of_bool(false);
    }
    return std::nullopt;
}

/// 1e999 is infinity and 1e-999 zero, as in NumPy.
std::optional<double> out_of_range(std::string_view text) {
    long double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return static_cast<double>(value);
}

std::optional<Scalar> value_of(DType dtype, std::string_view text) {
    if (is_bool(dtype)) return bool_value(text);
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    if (const auto value = parse_scalar(dtype, text)) return value;
    if (dtype != DType::f32_ && dtype != DType::f64_) return std::nullopt;
    const auto wide = out_of_range(text);
    if (!wide) return std::nullopt;
    return dtype == DType::f64_ ? Scalar::of_f64(*wide) : Scalar::of_f32(static_cast<float>(*wide));
}

bool numeric(std::string_view text) {
    return text.empty() || value_of(DType::f64_, text) || bool_value(text);
}

std::optional<Scalar> missing_value(DType dtype) {
    if (is_float(dtype)) return parse_scalar(dtype, "nan");
    return std::nullopt;
}

class CsvLoader {
public:
    CsvLoader(std::string_view text, const std::string& path, const LoadRequest& request)
        : records_(text, path), path_(path), request_(request), missing_(missing_value(request.dtype)) {}

    LoadedArray load() {
        bool more = records_.next();
        if (!more) file_fault(path_, "the table is empty");
        width_ = records_.fields().size();
        read_header();
        choose_columns();
        if (!header_.empty()) more = records_.next();
        int64_t rows = 0;
        for (; more; more = records_.next()) {
            read_row();
            ++rows;
        }
        HostArray array{request_.dtype, {rows}, std::move(bytes_)};
        if (!single_) array.shape.push_back(static_cast<int64_t>(chosen_.size()));
        return LoadedArray(std::move(array));
    }

private:
    void read_header() {
        const auto& fields = records_.fields();
        if (std::all_of(fields.begin(), fields.end(), numeric)) return;
        for (const std::string_view field : fields) header_.emplace_back(field);
    }

    void choose_columns() {
        if (!request_.key.empty()) {
            chosen_ = {column(request_.key)};
            single_ = true;
        } else if (!request_.columns.empty()) {
            for (const std::string& name : request_.columns) chosen_.push_back(column(name));
        } else {
            for (size_t k = 0; k < width_; ++k) chosen_.push_back(k);
            single_ = request_.extents.size() == 1;
            if (single_ && width_ > 1) {
                file_fault(path_, fmt::format("the table has {} columns, and one axis is declared", width_),
                           {fmt::format("name a column, as in load(\"{}\", \"{}\")", path_,
                                        header_.empty() ? "name" : header_.back())});
            }
        }
    }

    size_t column(const std::string& name) const {
        if (header_.empty())
            file_fault(path_, fmt::format("there is no column `{}`: the table has no header", name),
                       {"without a name, load gives the whole table"});
        const auto first = std::find(header_.begin(), header_.end(), name);
        if (first == header_.end()) {
            const std::string near = nearest_name(name, header_);
            file_fault(path_, fmt::format("there is no column `{}`", name),
                       {near.empty() ? fmt::format("columns are `{}`", fmt::join(header_, "`, `"))
                                     : fmt::format("did you mean `{}`?", near)});
        }
        if (std::find(first + 1, header_.end(), name) != header_.end())
            file_fault(path_, fmt::format("two columns are called `{}`", name));
        return static_cast<size_t>(first - header_.begin());
    }

    void read_row() {
        const auto& fields = records_.fields();
        if (fields.size() != width_) {
            file_fault(path_, fmt::format("line {} has {} fields; the first row has {}", records_.line(),
                                          fields.size(), width_));
        }
        const auto size = static_cast<size_t>(byte_size(request_.dtype));
        for (const size_t k : chosen_) {
            bytes_.resize(bytes_.size() + size);
            store_scalar(request_.dtype, field_value(k), bytes_.data() + bytes_.size() - size);
        }
    }

    Scalar field_value(size_t k) const {
        const std::string_view text = records_.fields()[k];
        const std::string_view type = name(request_.dtype);
        if (text.empty()) {
            if (missing_) return *missing_;
            fault(k, fmt::format("the field is empty, and {} has no NaN", type), {"declare a float type"});
        }
        if (const auto value = value_of(request_.dtype, text)) return *value;
        std::vector<std::string> help;
        if (value_of(DType::f64_, text))
            help.emplace_back(is_float(request_.dtype) ? "declare f64"
                                                       : "declare a type that holds it, as f64");
        else if (request_.columns.empty() && request_.key.empty() && !header_.empty())
            help.emplace_back("choose the columns of numbers: columns=[\"a\", \"b\"]");
        fault(k, fmt::format("`{}` is not a value of {}", text.substr(0, kShownBytes), type),
              std::move(help));
    }

    [[noreturn]] void fault(size_t k, const std::string& what, std::vector<std::string> help) const {
        const std::string name = header_.empty() ? "" : fmt::format(" (`{}`)", header_[k]);
        file_fault(path_, fmt::format("line {}, column {}{}: {}", records_.line(), k + 1, name, what),
                   std::move(help));
    }

    /// Of a wrong field; one without end would bury the message.
    static constexpr size_t kShownBytes = 40;

    CsvRecords records_;
    const std::string& path_;
    const LoadRequest& request_;
    const std::optional<Scalar> missing_;
    size_t width_ = 0;
    std::vector<std::string> header_;
    std::vector<size_t> chosen_;
    bool single_ = false;  ///< one column gives one axis
    std::vector<std::byte> bytes_;
};

}  // namespace

LoadedArray parse_csv(std::string_view text, const std::string& path, const LoadRequest& request) {
    return CsvLoader(text, path, request).load();
}

LoadedArray load_csv(const std::string& path, const LoadRequest& request) {
    const std::string text = read_file(path);
    return parse_csv(text, path, request);
}

void test_table(const KnownType& type, const std::string& path) {
    if (type.extents.size() <= 2) return;
    file_fault(path, fmt::format("a table has at most two axes: found {}", type.text),
               {"reshape it, or save it as .npy"});
}

std::string csv_file(const HostArray& array, const std::string& path) {
    test_table(known_type(array), path);
    const int64_t columns = array.shape.size() == 2 ? array.shape[1] : 1;
    const int64_t count = array.element_count();
    std::string text;
    for (int64_t k = 0; k < count; ++k) {
        text += scalar_text(array.dtype, array.at(k));
        text += (k + 1) % columns == 0 ? '\n' : ',';
    }
    return text;
}

}  // namespace fuseline
