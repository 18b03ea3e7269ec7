// Which argument goes to which parameter: by position, by name, by default.
#include <fmt/format.h>

#include <algorithm>

#include "dsl/builtins.h"
#include "dsl/checker.h"

namespace fuseline::dsl {

namespace {

std::string plural(size_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// The parameter names, without marks.
std::vector<std::string> plain(const std::vector<std::string>& parameters) {
    std::vector<std::string> names;
    for (const std::string& p : parameters) names.push_back(p.back() == '?' ? p.substr(0, p.size() - 1) : p);
    return names;
}

/// The slot of a keyword; nullopt after a report.
std::optional<size_t> keyword_slot(Checker& c, const Call& call, const Argument& a,
                                   const std::vector<std::string>& names) {
    for (size_t i = 0; i < names.size(); ++i) {
        if (names[i] == a.name) return i;
    }
    auto d = c.error(a.name_span, fmt::format("`{}` has no parameter `{}`", call.name, a.name));
    const std::string near = nearest_name(a.name, names);
    if (!near.empty()) d.help(fmt::format("did you mean `{}`?", near));
    return std::nullopt;
}

}  // namespace

std::vector<std::string> parameter_list(std::string_view parameters) {
    std::vector<std::string> list;
    std::string word;
    bool skip = false;
    for (const char ch : parameters) {
        if (ch == ',') {
            list.push_back(std::exchange(word, {}));
            skip = false;
        } else if (ch == '=') {
            word += '?';
            skip = true;
        } else if (ch != ' ' && !skip) {
            word += ch;
        }
    }
    if (!word.empty()) list.push_back(word);
    return list;
}

namespace {

void report_too_many(Checker& c, const Call& call, const Argument& first, size_t limit,
                     const std::vector<std::string>& names) {
    if (limit == names.size()) {
        c.error(first.span, fmt::format("`{}` takes {}: found {}", call.name, plural(limit, "argument"),
                                        call.arguments.size()));
        return;
    }
    c.error(first.span, fmt::format("`{}` takes {} by position", call.name, plural(limit, "argument")))
        .help(fmt::format("name it: `{}=...`", names[limit]));
}

}  // namespace

bool match_slots(Checker& c, const Call& call, std::vector<std::string> parameters, Slots& slots) {
    const auto star = std::find(parameters.begin(), parameters.end(), "*");
    const auto limit = static_cast<size_t>(star - parameters.begin());
    if (star != parameters.end()) parameters.erase(star);
    const std::vector<std::string> names = plain(parameters);
    slots.assign(names.size(), std::nullopt);
    size_t position = 0;
    for (const Argument& a : call.arguments) {
        const bool positional = a.name.empty();
        if (positional && position >= limit) {
            report_too_many(c, call, a, limit, names);
            return false;
        }
        const auto slot = positional ? std::optional(position++) : keyword_slot(c, call, a, names);
        if (!slot) return false;
        if (slots[*slot]) {
            c.error(positional ? a.span : a.name_span, fmt::format("`{}` is given twice", names[*slot]));
            return false;
        }
        slots[*slot] = a;
    }
    for (size_t i = 0; i < slots.size(); ++i) {
        if (slots[i] || parameters[i].back() == '?') continue;
        c.error(call.span, fmt::format("`{}` needs the argument `{}`", call.name, names[i]));
        return false;
    }
    for (const auto& slot : slots) {
        if (slot && slot->value.is_error()) return false;
    }
    return true;
}

bool Checker::match_arguments(const FunctionDefinition& f, Call& call,
                              std::vector<std::optional<Argument>>& slots) {
    std::vector<std::string> parameters;
    for (const ast::Parameter& p : f.ast->parameters)
        parameters.push_back(p.default_value ? p.name + "?" : p.name);
    call.name = f.name();
    return match_slots(*this, call, parameters, slots);
}

}  // namespace fuseline::dsl
