// How the text form spells names, values, axes and sizes.
#include "compiler/ir/spelling.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/walk.h"

namespace fuseline::ir {

namespace {

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string default_axis(size_t k) {
    constexpr std::string_view kLetters = "ijkl";
    return k < kLetters.size() ? std::string(1, kLetters[k]) : fmt::format("i{}", k);
}

/// Appends "+ c*axis" to a sum that may be empty.
void append_term(std::string& sum, SizeSpelling& sizes, ExtentId coefficient, const std::string& axis) {
    const std::optional<int64_t> c = sizes.constant(coefficient);
    if (c && *c < 0 && *c != INT64_MIN) {
        sum += sum.empty() ? "-" : " - ";
        sum += *c == -1 ? axis : fmt::format("{}*{}", -*c, axis);
        return;
    }
    if (!sum.empty()) sum += " + ";
    if (c == 1) {
        sum += axis;
    } else if (sizes.simple(coefficient) && c != INT64_MIN) {
        sum += fmt::format("{}*{}", sizes(coefficient), axis);
    } else {
        sum += fmt::format("({})*{}", sizes(coefficient), axis);
    }
}

void append_offset(std::string& sum, SizeSpelling& sizes, ExtentId offset) {
    if (sum.empty()) {
        sum = sizes(offset);
    } else if (offset == ExtentId{}) {
        return;
    } else if (const std::string text = sizes(offset); text[0] != '-') {
        sum += " + " + text;
    } else if (const std::optional<std::string> positive = sizes.negated(offset)) {
        sum += " - " + *positive;
    } else {
        sum += fmt::format(" + ({})", text);
    }
}

}  // namespace

std::string_view region_word(Opcode owner) {
    if (owner.is(Structure::while_)) return "do";
    return owner.is(Structure::fold_) ? "combine" : "else";
}

std::string_view mapping_name(Mapping mapping) {
    constexpr std::string_view kNames[] = {"grid", "sequential", "team"};
    return kNames[static_cast<size_t>(mapping)];
}

bool is_identifier(std::string_view text) {
    return !text.empty() && !(text[0] >= '0' && text[0] <= '9') && std::ranges::all_of(text, is_word);
}

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else if (byte < 0x20 || byte == 0x7f) {
            out += fmt::format("\\x{:02x}", byte);
        } else {
            out += c;
        }
    }
    return out + '"';
}

std::string name_text(std::string_view name) {
    return is_identifier(name) ? std::string(name) : quoted(name);
}

ValueSpelling::ValueSpelling(const Function& function, bool canonical)
    : f_(&function), canonical_(canonical) {
    spellings_.resize(function.value_count());
    const Region& body = function.region(function.body());
    for (size_t k = 0; k < body.parameters.size(); ++k) {
        const ValueId p = body.parameters[k];
        define(p, k < function.parameter_names.size() ? std::string_view(function.parameter_names[k])
                                                      : function.value_name(p));
    }
    define_nodes();
}

void ValueSpelling::define_nodes() {
    struct Open {
        RegionId region;
        size_t position = 0;
    };
    std::vector<Open> open{{f_->body()}};
    while (!open.empty()) {
        const RegionId at = open.back().region;
        const Region& region = f_->region(at);
        if (open.back().position == 0 && at != f_->body()) {
            const bool loops =
                region.owner && std::holds_alternative<Loops>(f_->node(region.owner).attribute);
            // The indices of loops are spelled as axes inside [ ], never as values.
            for (ValueId p : region.parameters)
                if (!loops || f_->type(p).kind != TypeKind::index) define(p, f_->value_name(p));
        }
        if (open.back().position == region.nodes.size()) {
            open.pop_back();
            continue;
        }
        const NodeId id = region.nodes[open.back().position++];
        const Node& n = f_->node(id);
        for (uint32_t k = 0; k < n.results_count; ++k)
            define(f_->result(id, k), f_->value_name(f_->result(id, k)));
        for (uint32_t k = n.regions_count; k-- > 0;) open.push_back({f_->region_of(n, k)});
    }
}

void ValueSpelling::define(ValueId v, std::string_view name) {
    if (canonical_ || name.empty()) {
        spellings_[v.index] = fmt::format("%{}", unnamed_++);
        return;
    }
    std::string spelling = '%' + name_text(name);
    const uint32_t earlier = uses_[spelling]++;
    if (earlier != 0) spelling += fmt::format(".{}", earlier);
    spellings_[v.index] = std::move(spelling);
}

std::string ValueSpelling::operator()(ValueId v) const {
    if (v.index < spellings_.size() && !spellings_[v.index].empty()) return spellings_[v.index];
    return fmt::format("%?{}", v.index);
}

SizeSpelling::SizeSpelling(const Function& function, bool canonical)
    : canonical_(canonical), pool_(function.extents) {
    const auto meet = [&](const std::string& name) {
        symbols_.insert(name);
        if (canonical_ && !renamed_.contains(name)) {
            renamed_.emplace(name, pool_.symbol(fmt::format("d{}", renamed_.size())));
        }
    };
    for (const std::string& size : function.sizes) meet(size);
    std::set<ExtentId> seen;
    for_each_extent(function, [&](ExtentId e) {
        if (!seen.insert(e).second) return;
        for (const std::string& name : function.extents.symbols(e)) meet(name);
    });
}

ExtentId SizeSpelling::renamed(ExtentId e) { return canonical_ ? pool_.substitute(e, renamed_) : e; }

const std::string& SizeSpelling::operator()(ExtentId e) {
    const auto [at, added] = texts_.try_emplace(e.index);
    if (added) at->second = pool_.text(renamed(e));
    return at->second;
}

std::optional<std::string> SizeSpelling::negated(ExtentId e) {
    const ExtentId size = renamed(e);
    if (pool_.terms(size).size() != 1 || pool_.terms(size)[0].coefficient == INT64_MIN) return std::nullopt;
    return pool_.text(pool_.negate(size));
}

std::string SizeSpelling::symbol(const std::string& name) const {
    const auto at = renamed_.find(name);
    return at == renamed_.end() ? name : pool_.text(at->second);
}

std::vector<std::string> SizeSpelling::axes(size_t count, const std::vector<std::string>& wanted) const {
    std::vector<std::string> names;
    std::set<std::string> taken{"min", "max"};
    for (size_t k = 0; k < count; ++k) {
        const bool use = !canonical_ && k < wanted.size() && is_identifier(wanted[k]);
        std::string name = use ? wanted[k] : default_axis(k);
        while (taken.contains(name) || (!canonical_ && symbols_.contains(name))) name += '_';
        taken.insert(name);
        names.push_back(std::move(name));
    }
    return names;
}

std::string affine_text(SizeSpelling& sizes, const Affine& affine, const std::vector<std::string>& axes) {
    std::string sum;
    for (const Affine::Term& t : affine.terms) {
        append_term(sum, sizes, t.coefficient,
                    t.axis < axes.size() ? axes[t.axis] : fmt::format("?{}", t.axis));
    }
    append_offset(sum, sizes, affine.offset);
    return sum;
}

std::string type_text(SizeSpelling& sizes, const Type& type) {
    std::string text;
    switch (type.kind) {
        case TypeKind::value: break;
        case TypeKind::read_buffer: text = "read "; break;
        case TypeKind::write_buffer: text = "write "; break;
        case TypeKind::index: return "index";
        case TypeKind::held: text += "held "; break;
    }
    text += name(type.dtype);
    if (type.shape.empty()) return text;
    for (size_t k = 0; k < type.shape.size(); ++k) {
        text += k == 0 ? "[" : ", ";
        text += sizes(type.shape[k]);
    }
    return text + ']';
}

std::string literal_text(DType dtype, Scalar value) {
    std::string text = scalar_text(dtype, value);
    if (parse_scalar(dtype, text) == value) return text;
    return fmt::format("bits(0x{:x})", value.bits);
}

}  // namespace fuseline::ir
