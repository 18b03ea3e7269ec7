// The reader of one function's text: what its two parts share.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/ir/parse_sizes.h"

namespace fuseline::ir {

/// A node whose header has been read and whose regions are being read.
struct OpenNode {
    Opcode op;
    std::vector<ValueToken> results;
    std::vector<ValueId> operands;
    std::vector<Type> types;
    Attribute attribute;
    std::vector<RegionId> regions;
    uint32_t region = 0;
    RegionId outer;
    std::vector<std::string> axes;  ///< of a nest
    Span span;
    std::optional<Piece> literal;   ///< of a constant, until its type is known
    std::optional<size_t> binders;  ///< axes that an index map names
};

struct DeclaredResult {
    std::string name;
    Type type;
    Span span;
};

/// Reads one function after its form; open regions are kept in a list, so nothing recurses.
class FunctionParser {
public:
    FunctionParser(TextReader& reader, Form form) : r_(reader), b_(form) { b_.set_merging(false); }
    Function parse();

private:
    void parameters();
    void kernel_header();
    void declared_results();
    void options();
    void body();
    Function finish();

    void statement();
    void close();
    void attribute_before(OpenNode& n);
    void operands(OpenNode& n);
    void attribute_after(OpenNode& n);
    void index_map(OpenNode& n);
    void affine(OpenNode& n);
    void launch_sizes(OpenNode& n);
    void check(OpenNode& n);
    void loops(OpenNode& n);
    void reduced_axes(OpenNode& n);
    void iteration(OpenNode& n);
    void result_types(OpenNode& n);
    void open_region(OpenNode& n);
    void append(OpenNode n);

    std::vector<std::string> axis_names(const std::vector<Piece>& pieces);
    ValueId use();
    void define(const ValueToken& token, ValueId value);
    std::vector<ValueId> value_list();

    TextReader& r_;
    Builder b_;
    std::unordered_map<std::string, ValueId> values_;
    std::vector<OpenNode> open_;
    std::vector<std::vector<std::string>> nests_;  ///< axis names of the nests around the reader
    std::vector<DeclaredResult> declared_;
    std::vector<ValueId> yields_;
    Span header_;
};

}  // namespace fuseline::ir
