// Sizes from the arguments of a call: extent symbols are bound, solved for and tested.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"

namespace fuseline {

/// What an argument tells about sizes.
struct ArgumentShape {
    std::vector<int64_t> shape;
    std::optional<int64_t> integer;  ///< the value of a rank-0 integer
};

/// A graph's parameters as the rules of binding see them.
struct SizeBinder {
    explicit SizeBinder(const ir::Function& graph);

    /// An integer parameter named like a size gives that size; then a plain dimension name binds; then c*n +
    /// d with one unknown is solved; every dimension is tested. Throws UserError that names parameter,
    /// dimension, expected and found.
    std::map<std::string, int64_t> bind(const std::vector<ArgumentShape>& arguments) const;

private:
    struct Dimension {
        size_t parameter;
        size_t axis;
        ExtentId extent;
        std::optional<std::string> symbol;  ///< when it is a plain name
    };
    std::string type_text(size_t parameter) const;
    void solve(const std::vector<ArgumentShape>& arguments, std::map<std::string, int64_t>& sizes) const;
    void test(const std::vector<ArgumentShape>& arguments, const std::map<std::string, int64_t>& sizes) const;

    ExtentPool extents_;
    std::vector<std::string> names_;
    std::vector<ir::Type> types_;
    std::vector<Dimension> dimensions_;
    std::set<std::string> used_;  ///< symbols that the graph uses anywhere
};

/// "f32[n, m]" over a pool; "f32[3, 4]" for actual extents.
std::string type_text(const ExtentPool& extents, const ir::Type& type);
std::string type_text(DType dtype, const std::vector<int64_t>& shape);

}  // namespace fuseline
