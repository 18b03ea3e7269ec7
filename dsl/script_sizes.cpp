// What a graph's text says about sizes.
#include "dsl/script_sizes.h"

namespace fuseline::dsl {

namespace {

/// Collects the symbols of whatever alternative an attribute holds.
struct Symbols {
    const ExtentPool& pool;
    std::set<std::string>& names;

    void operator()(ExtentId e) const {
        for (std::string& name : pool.symbols(e)) names.insert(std::move(name));
    }
    void operator()(const ir::Affine& a) const {
        (*this)(a.offset);
        for (const ir::Affine::Term& t : a.terms) (*this)(t.coefficient);
    }
    void operator()(const ir::IndexMap& map) const {
        for (const ir::Affine& a : map) (*this)(a);
    }
    void operator()(const ir::Check& c) const {
        (*this)(c.left);
        (*this)(c.right);
    }
    void operator()(const ir::Iteration& i) const {
        (*this)(i.start);
        (*this)(i.stop);
        (*this)(i.step);
    }
    template <typename Other>
    void operator()(const Other&) const {}
};

}  // namespace

std::set<std::string> symbols_of(const ir::Function& f) {
    std::set<std::string> names;
    const Symbols collect{f.extents, names};
    for (uint32_t i = 0; i < f.node_count(); ++i) std::visit(collect, f.node({i}).attribute);
    for (uint32_t i = 0; i < f.value_count(); ++i) {
        for (ExtentId e : f.type({i}).shape) collect(e);
    }
    // The counter of a loop is a size inside the loop alone.
    for (uint32_t i = 0; i < f.node_count(); ++i) {
        if (const auto* loop = std::get_if<ir::Iteration>(&f.node({i}).attribute)) names.erase(loop->symbol);
    }
    return names;
}

bool has_checks(const ir::Function& f) {
    for (uint32_t i = 0; i < f.node_count(); ++i) {
        const ir::Opcode op = f.node({i}).op;
        if (op.is(ir::Structure::check_) || op.is(ir::Structure::assert_)) return true;
    }
    return false;
}

}  // namespace fuseline::dsl
