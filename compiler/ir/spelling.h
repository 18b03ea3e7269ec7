// How the text form spells names, values, axes and sizes.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/ir/ir.h"

namespace fuseline::ir {

/// [A-Za-z_][A-Za-z0-9_]*
bool is_identifier(std::string_view text);
/// The text in double quotes; quote, backslash and control bytes escaped as \" \\ \n \t \xHH.
std::string quoted(std::string_view text);
/// The word before a node's later regions: "else", "do", "combine".
std::string_view region_word(Opcode owner);
/// "grid", "sequential", "team".
std::string_view mapping_name(Mapping mapping);
/// An identifier as it is, anything else quoted.
std::string name_text(std::string_view name);

/// The spelling of every value of a function: "%d1", "%d1.1" for the second d1, "%0", "%1" .. for unnamed
/// ones.
class ValueSpelling {
public:
    /// `canonical`: all values numbered in the order of the text.
    ValueSpelling(const Function& function, bool canonical);
    /// "%?17" for a value that no region or node of the body defines.
    std::string operator()(ValueId v) const;

private:
    void define(ValueId v, std::string_view name);
    void define_nodes();

    const Function* f_;
    bool canonical_;
    std::vector<std::string> spellings_;
    std::unordered_map<std::string, uint32_t> uses_;
    uint32_t unnamed_ = 0;
};

/// The spelling of sizes. Canonical: names become d0, d1, .. (a kernel's sizes first, in their order, then
/// others in the order of first use), so that text depends on structure alone.
class SizeSpelling {
public:
    SizeSpelling(const Function& function, bool canonical);
    const std::string& operator()(ExtentId e);
    /// The text of -e where `e` is one product.
    std::optional<std::string> negated(ExtentId e);
    std::string symbol(const std::string& name) const;
    std::optional<int64_t> constant(ExtentId e) const { return pool_.constant_value(e); }
    /// "n" and "7" stand alone; sums, products and quotients need parentheses as a factor.
    bool simple(ExtentId e) const {
        return pool_.symbol_name(e).has_value() || pool_.constant_value(e).has_value();
    }
    /// Names for `count` axes, none of them a size of the function; `wanted` come first where they are
    /// identifiers.
    std::vector<std::string> axes(size_t count, const std::vector<std::string>& wanted = {}) const;

private:
    ExtentId renamed(ExtentId e);

    bool canonical_;
    ExtentPool pool_;
    std::map<std::string, ExtentId> renamed_;
    std::set<std::string> symbols_;
    std::unordered_map<uint32_t, std::string> texts_;
};

/// "n*i + j - 1" over the given axis names.
std::string affine_text(SizeSpelling& sizes, const Affine& affine, const std::vector<std::string>& axes);
/// "f32[n, m]", "read f32", "index".
std::string type_text(SizeSpelling& sizes, const Type& type);
/// scalar_text where that reads back to the same bits, else "bits(0x7fc00001)".
std::string literal_text(DType dtype, Scalar value);

}  // namespace fuseline::ir
