// Prints a function as text.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/ir/spelling.h"

namespace fuseline::ir {

namespace {

/// A region that is being printed.
struct OpenRegion {
    RegionId region;
    uint32_t number = 0;  ///< among its owner's regions
    size_t position = 0;
};

class Printer {
public:
    Printer(const Function& f, const PrintOptions& options)
        : f_(f), options_(options), value_(f, options.canonical), size_(f, options.canonical) {}

    std::string print() {
        header();
        open({f_.body()});
        while (!open_.empty()) {
            OpenRegion& o = open_.back();
            const Region& region = f_.region(o.region);
            if (o.position < region.nodes.size()) {
                statement(region.nodes[o.position++]);
            } else {
                close();
            }
        }
        return std::move(out_);
    }

private:
    void header();
    void kernel_header();
    void open(OpenRegion o);
    void close();
    void statement(NodeId id);
    void nest(NodeId id);
    void attribute_before(NodeId id);
    void iteration(const Iteration& steps);
    void attribute_after(const Node& n);
    void operands(const Node& n);
    void result_types(NodeId id);
    void parameters(RegionId region);
    void place(NodeId id);
    std::string values(std::span<const ValueId> list) const;
    std::string index_map(const IndexMap& map, size_t rank);

    /// Bounded, so that deep nesting does not square the text.
    void indent() { out_.append(2 * std::min<size_t>(open_.size(), 40), ' '); }

    const Function& f_;
    const PrintOptions& options_;
    ValueSpelling value_;
    SizeSpelling size_;
    std::vector<OpenRegion> open_;
    std::vector<std::vector<std::string>> nest_axes_;
    std::string out_;
};

std::string_view form_name(Form form) {
    constexpr std::string_view kNames[] = {"graph", "kernel", "plan"};
    return kNames[static_cast<size_t>(form)];
}

void Printer::header() {
    out_ += fmt::format("{} {}(", form_name(f_.form), options_.canonical ? "_" : name_text(f_.name));
    const Region& body = f_.region(f_.body());
    for (size_t k = 0; k < body.parameters.size(); ++k) {
        const ValueId p = body.parameters[k];
        out_ += fmt::format("{}{}: {}", k == 0 ? "" : ", ", value_(p), type_text(size_, f_.type(p)));
    }
    out_ += ')';
    if (f_.form == Form::kernel) {
        kernel_header();
    } else {
        out_ += " -> (";
        for (size_t k = 0; k < body.yields.size(); ++k) {
            if (k != 0) out_ += ", ";
            if (!options_.canonical && k < f_.result_names.size())
                out_ += name_text(f_.result_names[k]) + ": ";
            out_ += type_text(size_, f_.type(body.yields[k]));
        }
        out_ += ')';
    }
    std::string options = key_text(f_.options);
    if (!options.empty()) out_ += fmt::format(" options({})", options);
}

void Printer::kernel_header() {
    out_ += " sizes(";
    for (size_t k = 0; k < f_.sizes.size(); ++k) {
        if (k != 0) out_ += ", ";
        out_ += name_text(size_.symbol(f_.sizes[k]));
    }
    out_ += fmt::format(") schedule({}) index({})", name_text(f_.schedule), f_.index_bits);
}

void Printer::open(OpenRegion o) {
    open_.push_back(o);
    out_ += " {";
    if (const NodeId owner = f_.region(o.region).owner; owner && o.number == 0) place(owner);
    out_ += '\n';
}

void Printer::close() {
    const OpenRegion closed = open_.back();
    const Region& region = f_.region(closed.region);
    if (!region.yields.empty()) {
        indent();
        out_ += fmt::format("yield {}\n", values(region.yields));
    }
    open_.pop_back();
    indent();
    out_ += '}';
    if (region.owner) {
        const Node& owner = f_.node(region.owner);
        // The axes of a nest or a fold are seen in the first region only.
        if (closed.number == 0 && std::holds_alternative<Loops>(owner.attribute)) nest_axes_.pop_back();
        if (closed.number + 1 < owner.regions_count) {
            out_ += fmt::format(" {}", region_word(owner.op));
            const RegionId next = f_.region_of(owner, closed.number + 1);
            parameters(next);
            open({next, closed.number + 1});
            return;
        }
    }
    out_ += '\n';
}

void Printer::statement(NodeId id) {
    const Node& n = f_.node(id);
    indent();
    for (uint32_t k = 0; k < n.results_count; ++k) {
        out_ += fmt::format("{}{}", k == 0 ? "" : ", ", value_(f_.result(id, k)));
    }
    if (n.results_count != 0) out_ += " = ";
    out_ += n.op.name();
    if (std::holds_alternative<Loops>(n.attribute)) {
        nest(id);
    } else {
        attribute_before(id);
    }
    operands(n);
    result_types(id);
    if (n.regions_count != 0) {
        if (!std::holds_alternative<Loops>(n.attribute)) parameters(f_.region_of(n, 0));
        open({f_.region_of(n, 0)});
    } else {
        place(id);
        out_ += '\n';
    }
}

void Printer::nest(NodeId id) {
    const Node& n = f_.node(id);
    const Loops* loops = std::get_if<Loops>(&n.attribute);
    const size_t count = loops != nullptr ? loops->extents.size() : 0;
    std::vector<std::string> wanted;
    if (n.regions_count != 0) {
        for (ValueId p : f_.region(f_.region_of(n, 0)).parameters) wanted.emplace_back(f_.value_name(p));
    }
    // The axes of a fold come after those of the nest around it.
    const std::vector<std::string> outer =
        nest_axes_.empty() ? std::vector<std::string>{} : nest_axes_.back();
    wanted.insert(wanted.begin(), outer.begin(), outer.end());
    std::vector<std::string> axes = size_.axes(outer.size() + count, wanted);
    out_ += " (";
    for (size_t k = 0; k < count; ++k) {
        out_ += fmt::format("{}{}: {}", k == 0 ? "" : ", ", axes[outer.size() + k], size_(loops->extents[k]));
    }
    out_ += ')';
    if (loops != nullptr) {
        out_ += fmt::format(" {}", mapping_name(loops->mapping));
        if (loops->lanes != 1) out_ += fmt::format(" lanes({})", loops->lanes);
    }
    if (n.regions_count != 0) nest_axes_.push_back(std::move(axes));
}

void Printer::attribute_before(NodeId id) {
    const Node& n = f_.node(id);
    if (const auto* text = std::get_if<std::string>(&n.attribute)) out_ += ' ' + quoted(*text);
    if (const auto* launch = std::get_if<Launch>(&n.attribute)) out_ += " @" + name_text(launch->kernel);
    if (const auto* reduced = std::get_if<ReducedAxes>(&n.attribute)) {
        out_ += fmt::format(" [{}]", fmt::join(reduced->axes, ", "));
    }
    if (const auto* steps = std::get_if<Iteration>(&n.attribute)) iteration(*steps);
    if (const auto* e = std::get_if<ExtentId>(&n.attribute)) out_ += ' ' + size_(*e);
    if (const auto* s = std::get_if<Scalar>(&n.attribute)) {
        out_ += ' ' + literal_text(n.results_count != 0 ? f_.type(f_.result(id)).dtype : DType::u64_, *s);
    }
    if (const auto* check = std::get_if<Check>(&n.attribute)) {
        const std::string_view relation = check->relation == Check::Relation::equal ? "==" : ">=";
        const std::string left = size_(check->left);
        out_ += fmt::format(" {} {} {}, {}", left, relation, size_(check->right), quoted(check->message));
    }
}

void Printer::iteration(const Iteration& steps) {
    out_ += " (";
    if (steps.bounded()) {
        out_ += fmt::format("{} = {}, {}, {}", name_text(size_.symbol(steps.symbol)), size_(steps.start),
                            size_(steps.stop), size_(steps.step));
    }
    out_ += steps.conditional ? ") while" : ")";
}

void Printer::attribute_after(const Node& n) {
    size_t rank = n.results_count != 0 ? f_.type({n.results_begin}).rank() : 0;
    // The map of an update runs over the elements that it writes.
    if (n.op.is(Structure::update_) && n.operands_count > 1) rank = f_.type(f_.operands(n)[1]).rank();
    if (const auto* map = std::get_if<IndexMap>(&n.attribute)) out_ += ' ' + index_map(*map, rank);
    if (const auto* affine = std::get_if<Affine>(&n.attribute)) {
        if (n.op.is(Structure::index_) && nest_axes_.empty()) {
            out_ += ' ' + index_map({*affine}, rank);
        } else {
            const std::vector<std::string> none;
            const std::vector<std::string>& axes = nest_axes_.empty() ? none : nest_axes_.back();
            out_ += fmt::format(" [{}]", affine_text(size_, *affine, axes));
        }
    }
    if (const auto* launch = std::get_if<Launch>(&n.attribute)) {
        out_ += " sizes(";
        for (size_t k = 0; k < launch->sizes.size(); ++k) {
            const auto& [symbol, size] = launch->sizes[k];
            out_ += fmt::format("{}{} = {}", k == 0 ? "" : ", ", name_text(symbol), size_(size));
        }
        out_ += ')';
    }
}

std::string Printer::index_map(const IndexMap& map, size_t rank) {
    const std::vector<std::string> axes = size_.axes(rank);
    std::string text = "[";
    for (size_t k = 0; k < rank; ++k) text += (k == 0 ? "" : ", ") + axes[k];
    text += "] -> [";
    for (size_t k = 0; k < map.size(); ++k) text += (k == 0 ? "" : ", ") + affine_text(size_, map[k], axes);
    return text + ']';
}

void Printer::operands(const Node& n) {
    const std::span<const ValueId> list = f_.operands(n);
    if (std::holds_alternative<Launch>(n.attribute)) {
        out_ += fmt::format("({})", values(list));
        attribute_after(n);
        return;
    }
    if (!list.empty()) out_ += ' ' + value_(list[0]);
    attribute_after(n);
    if (list.size() > 1) out_ += ", " + values(list.subspan(1));
}

void Printer::result_types(NodeId id) {
    for (uint32_t k = 0; k < f_.node(id).results_count; ++k) {
        out_ += (k == 0 ? " : " : ", ") + type_text(size_, f_.type(f_.result(id, k)));
    }
}

void Printer::parameters(RegionId region) {
    const std::vector<ValueId>& list = f_.region(region).parameters;
    if (list.empty()) return;
    for (size_t k = 0; k < list.size(); ++k) {
        out_ += fmt::format("{}{}: {}", k == 0 ? " (" : ", ", value_(list[k]),
                            type_text(size_, f_.type(list[k])));
    }
    out_ += ')';
}

void Printer::place(NodeId id) {
    if (options_.canonical || options_.sources == nullptr || !f_.span(id).known()) return;
    const Location at = options_.sources->locate(f_.span(id).begin);
    if (at.file != nullptr) out_ += fmt::format("  // {}:{}", at.file->name, at.line);
}

std::string Printer::values(std::span<const ValueId> list) const {
    std::string text;
    for (size_t k = 0; k < list.size(); ++k) text += (k == 0 ? "" : ", ") + value_(list[k]);
    return text;
}

}  // namespace

std::string print(const Function& function, const PrintOptions& options) {
    return Printer(function, options).print();
}

}  // namespace fuseline::ir
