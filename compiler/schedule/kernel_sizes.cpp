// name_sizes: collects the size expressions in text order, then copies the kernel with names in their place.
#include "compiler/schedule/kernel_sizes.h"

#include <fmt/format.h>

#include <cctype>
#include <unordered_map>

#include "compiler/ir/walk.h"
#include "compiler/passes/rebuild.h"

namespace fuseline::schedule_map {
namespace {

/// "n*m" -> "n_m": letters and digits of the text, anything between as one underscore.
std::string identifier(const std::string& text) {
    std::string name;
    for (char c : text) {
        if (std::isalnum(static_cast<unsigned char>(c))) {
            name += c;
        } else if (!name.empty() && name.back() != '_') {
            name += '_';
        }
    }
    while (!name.empty() && name.back() == '_') name.pop_back();
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front()))) name = "size_" + name;
    constexpr size_t kLongest = 24;
    return name.size() > kLongest ? std::string("size") : name;
}

class Renaming : public NodeRewrite {
public:
    Renaming(const ir::Function& kernel, std::set<std::string>& taken) : kernel_(kernel), taken_(taken) {}

    void see(ExtentId e) {
        if (kernel_.extents.constant_value(e) || names_.count(e.index)) return;
        const std::string wanted =
            kernel_.extents.symbol_name(e).value_or(identifier(kernel_.extents.text(e)));
        std::string name = wanted;
        for (int k = 1; !taken_.insert(name).second; ++k) name = fmt::format("{}_{}", wanted, k);
        names_[e.index] = name;
        order_.push_back(e);
    }

    /// The copied attribute holds sizes of the copy's pool, which are mapped by their text.
    void change(ir::Builder& to, ir::Attribute& attribute) override {
        const auto rename = [&](ExtentId& e) {
            if (to.extents().constant_value(e)) return;
            e = to.extents().symbol(by_text_.at(to.extents().text(e)));
        };
        const auto affine = [&](ir::Affine& a) {
            for (auto& t : a.terms) rename(t.coefficient);
            rename(a.offset);
        };
        if (auto* e = std::get_if<ExtentId>(&attribute)) rename(*e);
        if (auto* a = std::get_if<ir::Affine>(&attribute)) affine(*a);
        if (auto* loops = std::get_if<ir::Loops>(&attribute)) {
            for (ExtentId& e : loops->extents) rename(e);
        }
    }

    void index() {
        for (ExtentId e : order_) by_text_[kernel_.extents.text(e)] = names_[e.index];
    }
    const std::vector<ExtentId>& order() const { return order_; }
    const std::string& name(ExtentId e) const { return names_.at(e.index); }

private:
    const ir::Function& kernel_;
    std::set<std::string>& taken_;
    std::unordered_map<uint32_t, std::string> names_;
    std::unordered_map<std::string, std::string> by_text_;
    std::vector<ExtentId> order_;
};

}  // namespace

ir::Function name_sizes(const ir::Function& kernel, std::set<std::string>& taken, ExtentPool& pool,
                        std::vector<std::pair<std::string, ExtentId>>& sizes) {
    Renaming renaming(kernel, taken);
    for (ir::NodeId id : ir::nodes_in_order(kernel, kernel.body())) {
        ir::for_each_extent(kernel.node(id).attribute, [&](ExtentId e) { renaming.see(e); });
    }
    renaming.index();
    ir::Function named = rebuild_always(kernel, renaming);
    for (ExtentId e : renaming.order()) {
        named.sizes.push_back(renaming.name(e));
        sizes.emplace_back(renaming.name(e), pool.import(kernel.extents, e));
    }
    return named;
}

}  // namespace fuseline::schedule_map
