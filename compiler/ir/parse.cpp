// Reads the text form of functions back: headers, bodies and names.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/function_parser.h"

namespace fuseline::ir {

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
            fail(header_,
                 fmt::format("{} results are declared, {} are yielded", declared_.size(), yields_.size()));
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
