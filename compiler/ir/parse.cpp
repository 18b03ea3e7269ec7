// Reads the text form of functions back.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/parse_sizes.h"

namespace fuseline::ir {

namespace {

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

Function FunctionParser::parse() {
    const size_t begin = r_.position();
    b_.function().name = r_.name("the function's name");
    parameters();
    if (b_.function().form == Form::kernel) {
        kernel_header();
    } else {
        declared_results();
    }
    options();
    header_ = r_.since(begin);
    r_.expect("{");
    body();
    return finish();
}

void FunctionParser::parameters() {
    r_.expect("(");
    if (r_.accept(")")) return;
    do {
        const ValueToken token = r_.value();
        r_.expect(":");
        define(token, b_.parameter(token.name, parse_type(r_, b_.extents())));
    } while (r_.accept(","));
    r_.expect(")");
}

void FunctionParser::kernel_header() {
    Function& f = b_.function();
    if (r_.accept_word("sizes")) {
        r_.expect("(");
        while (!r_.peek(")")) {
            f.sizes.push_back(r_.name("a size"));
            if (!r_.accept(",")) break;
        }
        r_.expect(")");
    }
    if (r_.accept_word("schedule")) {
        r_.expect("(");
        f.schedule = r_.name("a schedule");
        r_.expect(")");
    }
    if (r_.accept_word("index")) {
        r_.expect("(");
        f.index_bits = r_.number("the width of indices", 32, 64);
        r_.expect(")");
    }
}

void FunctionParser::declared_results() {
    r_.expect("->");
    r_.expect("(");
    while (!r_.peek(")")) {
        const size_t begin = r_.position();
        DeclaredResult result{"result", {}, {}};
        std::string name = r_.name("a result");
        if (r_.accept(":")) {
            result.name = std::move(name);
        } else {
            r_.rewind(begin);
        }
        result.type = parse_type(r_, b_.extents());
        result.span = r_.since(begin);
        declared_.push_back(std::move(result));
        if (!r_.accept(",")) break;
    }
    r_.expect(")");
}

void FunctionParser::options() {
    if (!r_.accept_word("options")) return;
    r_.expect("(");
    while (!r_.accept(")")) {
        const Piece word = r_.word("an option");
        const auto* row = std::ranges::find(kOptionTable, word.text, &OptionRow::name);
        if (row == std::end(kOptionTable)) fail(word.span, fmt::format("there is no option `{}`", word.text));
        set_option(b_.function().options, row->name, !row->default_value);
    }
}

void FunctionParser::body() {
    for (;;) {
        if (r_.accept("}")) {
            if (open_.empty()) return;
            close();
        } else if (r_.accept_word("yield")) {
            std::vector<ValueId> list = value_list();
            if (!r_.peek("}")) fail(r_.here(), "`yield` is the last line of a region");
            if (open_.empty()) {
                yields_ = std::move(list);
            } else {
                b_.set_yields(open_.back().regions[open_.back().region], std::move(list));
            }
        } else {
            statement();
        }
    }
}

Function FunctionParser::finish() {
    std::vector<std::string> names;
    if (b_.function().form != Form::kernel) {
        if (declared_.size() != yields_.size()) {
            fail(header_, fmt::format("{} results are declared, {} are yielded", declared_.size(), yields_.size()));
        }
        for (size_t k = 0; k < declared_.size(); ++k) {
            if (declared_[k].type != b_.type(yields_[k])) {
                fail(declared_[k].span, "the declared type differs from that of the yielded value");
            }
            names.push_back(declared_[k].name);
        }
    }
    return b_.finish(std::move(yields_), std::move(names));
}

void FunctionParser::statement() {
    OpenNode n;
    n.span = r_.here();
    const size_t begin = r_.position();
    if (r_.peek("%")) {
        do {
            n.results.push_back(r_.value());
        } while (r_.accept(","));
        r_.expect("=");
    }
    const Piece word = r_.word("an operation");
    if (const auto op = op_named(word.text)) {
        n.op = *op;
    } else if (const auto structure = structure_named(word.text)) {
        n.op = *structure;
    } else {
        fail(word.span, fmt::format("there is no operation `{}`", word.text));
    }
    n.outer = b_.insertion();
    attribute_before(n);
    operands(n);
    result_types(n);
    n.span = r_.since(begin);
    const uint32_t regions = n.op.elementwise() ? 0 : row(n.op.structure()).regions;
    if (regions == 0) {
        append(std::move(n));
        return;
    }
    for (uint32_t k = 0; k < regions; ++k) n.regions.push_back(b_.make_region());
    open_region(n);
    if (n.op.is(Structure::nest_)) nests_.push_back(n.axes);
    open_.push_back(std::move(n));
}

void FunctionParser::open_region(OpenNode& n) {
    const RegionId region = n.regions[n.region];
    for (const std::string& axis : n.axes) b_.region_parameter(region, {TypeKind::index, DType::i64_, {}}, axis);
    if (r_.accept("(")) {
        do {
            const ValueToken token = r_.value();
            r_.expect(":");
            const Type type = parse_type(r_, b_.extents());
            define(token, b_.region_parameter(region, type, token.name));
        } while (r_.accept(","));
        r_.expect(")");
    }
    r_.expect("{");
    b_.set_insertion(region);
}

void FunctionParser::close() {
    OpenNode& n = open_.back();
    b_.set_insertion(n.outer);
    if (++n.region < n.regions.size()) {
        if (!r_.accept_word(n.op.is(Structure::while_) ? "do" : "else")) fail(r_.here(), "expected the next region");
        open_region(n);
        return;
    }
    if (n.op.is(Structure::nest_)) nests_.pop_back();
    OpenNode done = std::move(n);
    open_.pop_back();
    append(std::move(done));
}

void FunctionParser::append(OpenNode n) {
    if (n.literal) {
        if (n.types.size() != 1) fail(n.span, "a constant has one result");
        n.attribute = parse_literal(n.types[0].dtype, *n.literal);
    }
    if (n.binders && (n.types.size() != 1 || n.types[0].rank() != *n.binders)) {
        fail(n.span, fmt::format("the map names {} axes; the result has another rank", *n.binders));
    }
    b_.set_span(n.span);
    const NodeId id = b_.node(n.op, n.operands, std::move(n.types), std::move(n.attribute), n.regions);
    for (uint32_t k = 0; k < n.results.size(); ++k) {
        const ValueId result = b_.function().result(id, k);
        define(n.results[k], result);
        b_.name_value(result, n.results[k].name);
    }
}

void FunctionParser::attribute_before(OpenNode& n) {
    if (n.op.elementwise()) return;
    switch (row(n.op.structure()).attribute) {
        case AttributeKind::text: n.attribute = r_.quoted(); break;
        case AttributeKind::extent: n.attribute = parse_extent(b_.extents(), r_.raw(":")); break;
        case AttributeKind::scalar: n.literal = r_.raw(":"); break;
        case AttributeKind::check: check(n); break;
        case AttributeKind::loops: loops(n); break;
        case AttributeKind::launch: {
            r_.expect("@");
            Launch launch;
            launch.kernel = r_.name("a kernel's name");
            n.attribute = std::move(launch);
            break;
        }
        case AttributeKind::none:
        case AttributeKind::affine:
        case AttributeKind::map: break;
    }
}

void FunctionParser::check(OpenNode& n) {
    Check check;
    check.left = parse_extent(b_.extents(), r_.raw("=>"));
    if (r_.accept(">=")) {
        check.relation = Check::Relation::greater_equal;
    } else {
        r_.expect("==");
    }
    check.right = parse_extent(b_.extents(), r_.raw(","));
    r_.expect(",");
    check.message = r_.quoted();
    n.attribute = std::move(check);
}

void FunctionParser::loops(OpenNode& n) {
    Loops loops;
    r_.expect("(");
    std::vector<Piece> names;
    while (!r_.peek(")")) {
        names.push_back(r_.word("an axis"));
        r_.expect(":");
        loops.extents.push_back(parse_extent(b_.extents(), r_.raw(",)")));
        if (!r_.accept(",")) break;
    }
    r_.expect(")");
    n.axes = axis_names(names);
    if (r_.accept_word("sequential")) {
        loops.mapping = Mapping::sequential;
    } else if (!r_.accept_word("grid")) {
        fail(r_.here(), "expected `grid` or `sequential`");
    }
    if (r_.accept_word("lanes")) {
        r_.expect("(");
        loops.lanes = r_.number("lanes", 1, 1 << 20);
        r_.expect(")");
    }
    n.attribute = std::move(loops);
}

void FunctionParser::operands(OpenNode& n) {
    if (n.op.is(Structure::launch_)) {
        r_.expect("(");
        if (!r_.peek(")")) n.operands = value_list();
        r_.expect(")");
        launch_sizes(n);
        return;
    }
    // A region's last line may be a node without operands before a line that starts with a value.
    const uint32_t most = n.op.elementwise() ? UINT32_MAX : row(n.op.structure()).operands_max;
    if (most != 0 && r_.peek("%")) n.operands.push_back(use());
    attribute_after(n);
    while (!n.operands.empty() && r_.accept(",")) n.operands.push_back(use());
}

void FunctionParser::attribute_after(OpenNode& n) {
    if (n.op.elementwise()) return;
    const AttributeKind kind = row(n.op.structure()).attribute;
    if (kind == AttributeKind::map) index_map(n);
    if (kind == AttributeKind::affine) affine(n);
}

void FunctionParser::index_map(OpenNode& n) {
    const std::vector<std::string> axes = axis_names(r_.bracket_list());
    r_.expect("->");
    IndexMap map;
    for (const Piece& piece : r_.bracket_list()) map.push_back(parse_affine(b_.extents(), piece, axes));
    n.binders = axes.size();
    n.attribute = std::move(map);
}

void FunctionParser::affine(OpenNode& n) {
    std::vector<std::string> axes;
    if (!nests_.empty()) axes = nests_.back();
    const Span place = r_.here();
    std::vector<Piece> pieces = r_.bracket_list();
    if (n.op.is(Structure::index_) && nests_.empty()) {
        axes = axis_names(pieces);
        n.binders = axes.size();
        r_.expect("->");
        pieces = r_.bracket_list();
    }
    if (pieces.size() != 1) fail(place, "expected one affine expression in [ ]");
    n.attribute = parse_affine(b_.extents(), pieces[0], axes);
}

void FunctionParser::launch_sizes(OpenNode& n) {
    Launch& launch = std::get<Launch>(n.attribute);
    if (!r_.accept_word("sizes")) return;
    r_.expect("(");
    while (!r_.peek(")")) {
        std::string name = r_.name("a size of the kernel");
        r_.expect("=");
        launch.sizes.emplace_back(std::move(name), parse_extent(b_.extents(), r_.raw(",)")));
        if (!r_.accept(",")) break;
    }
    r_.expect(")");
}

void FunctionParser::result_types(OpenNode& n) {
    if (r_.accept(":")) {
        do {
            n.types.push_back(parse_type(r_, b_.extents()));
        } while (r_.accept(","));
    }
    if (n.types.size() != n.results.size()) {
        fail(n.span, fmt::format("{} results have {} types", n.results.size(), n.types.size()));
    }
}

std::vector<std::string> FunctionParser::axis_names(const std::vector<Piece>& pieces) {
    std::vector<std::string> names;
    for (const Piece& piece : pieces) {
        TextReader word(piece.text, piece.span.begin);
        const bool whole = word.word("an axis").text.size() == piece.text.size();
        if (!whole || std::ranges::find(names, piece.text) != names.end()) {
            fail(piece.span, fmt::format("`{}` is not the name of a new axis", piece.text));
        }
        names.emplace_back(piece.text);
    }
    return names;
}

ValueId FunctionParser::use() {
    const ValueToken token = r_.value();
    const auto found = values_.find(token.spelling);
    if (found == values_.end()) fail(token.span, fmt::format("{} is not defined", token.spelling));
    return found->second;
}

void FunctionParser::define(const ValueToken& token, ValueId value) {
    if (!values_.emplace(token.spelling, value).second) {
        fail(token.span, fmt::format("{} is defined twice", token.spelling));
    }
}

std::vector<ValueId> FunctionParser::value_list() {
    std::vector<ValueId> list;
    do {
        list.push_back(use());
    } while (r_.accept(","));
    return list;
}

}  // namespace

std::vector<Function> parse_functions(const SourceMap& sources, size_t file) {
    const SourceFile& source = sources.file(file);
    TextReader reader(source.text, source.base);
    std::vector<Function> functions;
    while (!reader.at_end()) {
        const Piece word = reader.word("`graph`, `kernel` or `plan`");
        constexpr std::string_view kForms[] = {"graph", "kernel", "plan"};
        const auto* form = std::ranges::find(kForms, word.text);
        if (form == std::end(kForms)) fail(word.span, "expected `graph`, `kernel` or `plan`");
        functions.push_back(FunctionParser(reader, static_cast<Form>(form - kForms)).parse());
    }
    return functions;
}

}  // namespace fuseline::ir
