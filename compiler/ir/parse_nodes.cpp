// Reads the nodes of a function's text: operands, attributes, types and regions.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/function_parser.h"
#include "compiler/ir/spelling.h"

namespace fuseline::ir {

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
    // `matmul` is an operator of the language and a structural operation here.
    if (const auto structure = structure_named(word.text)) {
        n.op = *structure;
    } else if (const auto op = op_named(word.text)) {
        n.op = *op;
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
    if (std::holds_alternative<Loops>(n.attribute)) {
        std::vector<std::string> axes = nests_.empty() ? std::vector<std::string>{} : nests_.back();
        axes.insert(axes.end(), n.axes.begin(), n.axes.end());
        nests_.push_back(std::move(axes));
    }
    open_.push_back(std::move(n));
}

void FunctionParser::open_region(OpenNode& n) {
    const RegionId region = n.regions[n.region];
    if (n.region == 0) {
        for (const std::string& axis : n.axes)
            b_.region_parameter(region, {TypeKind::index, DType::i64_, {}}, axis);
    }
    // The indices of loops stand in the header; their region has no other parameters.
    const bool indices = n.region == 0 && std::holds_alternative<Loops>(n.attribute);
    if (!indices && r_.accept("(")) {
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
    // The axes of a nest or a fold are seen in the first region only.
    if (n.region == 0 && std::holds_alternative<Loops>(n.attribute)) nests_.pop_back();
    if (++n.region < n.regions.size()) {
        const std::string_view word = region_word(n.op);
        if (!r_.accept_word(word)) fail(r_.here(), fmt::format("expected `{}` and the next region", word));
        open_region(n);
        return;
    }
    OpenNode done = std::move(n);
    open_.pop_back();
    append(std::move(done));
}

void FunctionParser::append(OpenNode n) {
    if (n.literal) {
        if (n.types.size() != 1) fail(n.span, "a constant has one result");
        n.attribute = parse_literal(n.types[0].dtype, *n.literal);
    }
    if (n.binders) {
        const bool update = n.op.is(Structure::update_);
        const bool known = update ? n.operands.size() == 2 : n.types.size() == 1;
        const size_t rank = !known ? 0 : update ? b_.type(n.operands[1]).rank() : n.types[0].rank();
        if (!known || rank != *n.binders) {
            fail(n.span, fmt::format("the map names {} axes; the {} has another rank", *n.binders,
                                     update ? "second operand" : "result"));
        }
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
        case AttributeKind::axes: reduced_axes(n); break;
        case AttributeKind::iteration: iteration(n); break;
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

void FunctionParser::reduced_axes(OpenNode& n) {
    ReducedAxes reduced;
    r_.expect("[");
    do {
        reduced.axes.push_back(static_cast<uint32_t>(r_.number("an axis", 0, 1 << 10)));
    } while (r_.accept(","));
    r_.expect("]");
    n.attribute = std::move(reduced);
}

void FunctionParser::iteration(OpenNode& n) {
    Iteration steps;
    r_.expect("(");
    if (!r_.peek(")")) {
        const Span at = r_.here();
        steps.symbol = r_.name("the loop's counter");
        if (steps.symbol.empty()) fail(at, "the counter of a loop has a name");
        r_.expect("=");
        steps.start = parse_extent(b_.extents(), r_.raw(","));
        r_.expect(",");
        steps.stop = parse_extent(b_.extents(), r_.raw(","));
        r_.expect(",");
        steps.step = parse_extent(b_.extents(), r_.raw(")"));
    }
    r_.expect(")");
    steps.conditional = r_.accept_word("while");
    n.attribute = std::move(steps);
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
    constexpr Mapping kMappings[] = {Mapping::grid, Mapping::sequential, Mapping::team};
    const auto found =
        std::ranges::find_if(kMappings, [&](Mapping m) { return r_.accept_word(mapping_name(m)); });
    if (found == std::end(kMappings)) fail(r_.here(), "expected `grid`, `sequential` or `team`");
    loops.mapping = *found;
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

}  // namespace fuseline::ir
