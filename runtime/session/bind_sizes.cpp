// Binding in the order of the language: integer parameters, plain names, one unknown, tests.
#include "runtime/session/bind_sizes.h"

#include <fmt/format.h>

#include "compiler/ir/walk.h"
#include "compiler/support/errors.h"

namespace fuseline {

std::string type_text(const ExtentPool& extents, const ir::Type& type) {
    std::string dims;
    for (ExtentId e : type.shape) dims += (dims.empty() ? "" : ", ") + extents.text(e);
    return std::string(name(type.dtype)) + (type.shape.empty() ? "" : "[" + dims + "]");
}

std::string type_text(DType dtype, const std::vector<int64_t>& shape) {
    return std::string(name(dtype)) + (shape.empty() ? "" : fmt::format("[{}]", fmt::join(shape, ", ")));
}

SizeBinder::SizeBinder(const ir::Function& graph) : extents_(graph.extents), names_(graph.parameter_names) {
    for (ir::ValueId v : graph.region(graph.body()).parameters) {
        const ir::Type& type = graph.type(v);
        for (size_t axis = 0; axis < type.rank(); ++axis) {
            dimensions_.push_back(
                {types_.size(), axis, type.shape[axis], extents_.symbol_name(type.shape[axis])});
        }
        types_.push_back(type);
    }
    std::set<uint32_t> seen;
    ir::for_each_extent(graph, [&](ExtentId e) {
        if (!seen.insert(e.index).second) return;
        for (std::string& symbol : extents_.symbols(e)) used_.insert(std::move(symbol));
    });
}

std::string SizeBinder::type_text(size_t parameter) const {
    return fuseline::type_text(extents_, types_[parameter]);
}

std::map<std::string, int64_t> SizeBinder::bind(const std::vector<ArgumentShape>& arguments) const {
    std::map<std::string, int64_t> sizes;
    for (size_t p = 0; p < types_.size(); ++p) {
        if (arguments[p].shape.size() != types_[p].rank()) {
            throw UserError(fmt::format("argument `{}` must be {}: found {}", names_[p], type_text(p),
                                        fuseline::type_text(types_[p].dtype, arguments[p].shape)));
        }
        if (!arguments[p].integer || used_.count(names_[p]) == 0) continue;
        if (*arguments[p].integer < 0) {
            throw UserError(fmt::format("argument `{}` is a size and must be at least 0: found {}", names_[p],
                                        *arguments[p].integer));
        }
        sizes.emplace(names_[p], *arguments[p].integer);
    }
    for (const Dimension& d : dimensions_) {
        if (d.symbol) sizes.emplace(*d.symbol, arguments[d.parameter].shape[d.axis]);
    }
    solve(arguments, sizes);
    test(arguments, sizes);
    return sizes;
}

void SizeBinder::solve(const std::vector<ArgumentShape>& arguments,
                       std::map<std::string, int64_t>& sizes) const {
    // A solved name can leave one unknown in another dimension: repeat until nothing new is found.
    for (bool found = true; found;) {
        found = false;
        for (const Dimension& d : dimensions_) {
            std::optional<std::string> unknown;
            size_t count = 0;
            for (const std::string& symbol : extents_.symbols(d.extent)) {
                if (sizes.count(symbol) != 0) continue;
                unknown = symbol;
                ++count;
            }
            if (count != 1) continue;
            const int64_t actual = arguments[d.parameter].shape[d.axis];
            const auto value = extents_.solve(d.extent, *unknown, actual, sizes);
            if (!value) {
                throw UserError(fmt::format(
                    "argument `{}` must be {}: no {} >= 0 makes {} equal to its extent {} of axis {}",
                    names_[d.parameter], type_text(d.parameter), *unknown, extents_.text(d.extent), actual,
                    d.axis));
            }
            sizes.emplace(*unknown, *value);
            found = true;
        }
    }
}

void SizeBinder::test(const std::vector<ArgumentShape>& arguments,
                      const std::map<std::string, int64_t>& sizes) const {
    for (const Dimension& d : dimensions_) {
        const int64_t actual = arguments[d.parameter].shape[d.axis];
        std::string why;
        const auto expected = extents_.evaluate(d.extent, sizes, &why);
        if (expected && *expected == actual) continue;
        const std::string extent = extents_.text(d.extent);
        const std::string value = expected ? std::to_string(*expected) : why;
        throw UserError(fmt::format("argument `{}` must be {}: axis {} has extent {}, but {} is {}",
                                    names_[d.parameter], type_text(d.parameter), d.axis, actual, extent,
                                    value));
    }
}

}  // namespace fuseline
