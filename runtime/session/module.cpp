// Module: entries, signatures, calls.
#include <algorithm>

#include <fmt/format.h>

#include "runtime/io/program_file.h"
#include "runtime/session/errors.h"
#include "runtime/session/module_impl.h"

namespace fuseline {
namespace {

OutputPlace place_of(const Output& output) {
    if (const auto* host = std::get_if<MutableHostSpan>(&output))
        return {false, host->data, host->dtype, host->shape};
    const auto& device = std::get<DeviceSpan>(output);
    return {true, reinterpret_cast<void*>(device.pointer), device.dtype, device.shape};
}

std::vector<std::optional<OutputPlace>> output_places(const ir::Function& graph,
                                                      const std::map<std::string, Output>& outputs,
                                                      const Device* device) {
    std::vector<std::optional<OutputPlace>> places(graph.result_names.size());
    for (const auto& [name, output] : outputs) {
        const auto it = std::find(graph.result_names.begin(), graph.result_names.end(), name);
        if (it == graph.result_names.end()) {
            throw UserError(fmt::format("there is no result `{}`; results are {}", name,
                                        fmt::join(graph.result_names, ", ")));
        }
        OutputPlace place = place_of(output);
        if (place.on_device && (device == nullptr || device->shares_host_memory())) {
            throw UserError(
                fmt::format("the memory for result `{}` is device memory, and the session has no GPU: "
                            "give host memory, or open the session with device `cuda`",
                            name));
        }
        if (place.pointer == nullptr && Array::element_count(place.shape) != 0) {
            throw UserError(fmt::format("the memory for result `{}` is a null pointer", name));
        }
        places[static_cast<size_t>(it - graph.result_names.begin())] = std::move(place);
    }
    return places;
}

struct Range {
    const char* begin;
    const char* end;
    bool overlaps(const Range& other) const { return begin < other.end && other.begin < end; }
};

Range range_of(const void* pointer, DType dtype, const std::vector<int64_t>& shape) {
    const auto* begin = static_cast<const char*>(pointer);
    return {begin, begin + Array::element_count(shape) * byte_size(dtype)};
}

/// A kernel may read an element after another thread wrote it: results need memory of their own.
void test_overlap(const ir::Function& graph, const std::vector<PlanValue>& arguments,
                  const std::vector<std::optional<OutputPlace>>& places) {
    for (size_t i = 0; i < places.size(); ++i) {
        if (!places[i]) continue;
        const Range out = range_of(places[i]->pointer, places[i]->dtype, places[i]->shape);
        const auto fail = [&](const char* kind, const std::string& other) {
            throw UserError(
                fmt::format("the memory for result `{}` overlaps {} `{}`; give it memory of its own",
                            graph.result_names[i], kind, other));
        };
        for (size_t k = 0; k < arguments.size(); ++k) {
            const PlanValue& v = arguments[k];
            if (v.scalar) continue;
            const void* pointer = places[i]->on_device ? v.pointer : v.host;
            if (pointer != nullptr && out.overlaps(range_of(pointer, v.dtype, v.shape)))
                fail("argument", graph.parameter_names[k]);
        }
        for (size_t k = 0; k < i; ++k) {
            if (!places[k] || places[k]->on_device != places[i]->on_device) continue;
            if (out.overlaps(range_of(places[k]->pointer, places[k]->dtype, places[k]->shape)))
                fail("result", graph.result_names[k]);
        }
    }
}

}  // namespace

void Module::Impl::load(const std::string& name, const std::string& text) {
    path = name;
    Diagnostics diagnostics;
    const OptionOverrides overrides(session->settings.options.begin(), session->settings.options.end());
    program = check_program(sources, name, text, read_imported, diagnostics, overrides);
    diagnostics.throw_if_errors();
    warnings = diagnostics.sorted();
}

const Entry& Module::Impl::entry(const std::string& name) const {
    if (const Entry* found = program.entry(name)) return *found;
    std::vector<std::string> names;
    for (const Entry& e : program.entries) names.push_back(e.name);
    Diagnostic unknown;
    unknown.message = fmt::format("there is no entry function `{}` in {}", name, path);
    const std::string near = nearest_name(name, names);
    if (!near.empty()) {
        unknown.help.push_back(fmt::format("did you mean `{}`?", near));
    } else {
        unknown.help.push_back(names.empty() ? "no function has a type on each of its parameters"
                                             : fmt::format("entries are {}", fmt::join(names, ", ")));
    }
    throw UserError({unknown});
}

Callable& Module::Impl::callable(const Entry& entry) {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Callable>& slot = callables_[entry.name];
    if (slot == nullptr) slot = std::make_unique<Callable>(session, entry.graph, sources);
    return *slot;
}

std::vector<PlanValue> Module::Impl::arguments(const Entry& entry,
                                               const std::map<std::string, Argument>& named) const {
    const auto known = [&](const std::string& name) {
        return std::any_of(entry.parameters.begin(), entry.parameters.end(),
                           [&](const auto& p) { return p.name == name; });
    };
    for (const auto& [name, value] : named) {
        if (known(name)) continue;
        std::vector<std::string> names;
        for (const EntryParameter& p : entry.parameters) names.push_back(p.name);
        throw UserError(fmt::format("`{}` has no parameter `{}`; parameters are {}", entry.name, name,
                                    fmt::join(names, ", ")));
    }
    std::vector<PlanValue> values;
    for (const EntryParameter& p : entry.parameters) {
        const auto it = named.find(p.name);
        if (it != named.end()) {
            values.push_back(
                argument_value(p.name, p.type.dtype, p.type.scalar(), it->second, session->device.get()));
        } else if (p.has_default) {
            PlanValue v;
            v.dtype = p.type.dtype;
            v.scalar = p.default_value;
            values.push_back(std::move(v));
        } else {
            throw UserError(fmt::format("argument `{}: {}` of `{}` is missing", p.name,
                                        type_text(entry.graph.extents, p.type), entry.name));
        }
    }
    return values;
}

const Array& Results::operator[](const std::string& name) const {
    for (const auto& [known, array] : values_) {
        if (known == name) return array;
    }
    throw Error(Error::Kind::user, fmt::format("there is no result `{}`", name));
}

const Array& Results::operator[](size_t position) const {
    if (position < values_.size()) return values_[position].second;
    throw Error(Error::Kind::user,
                fmt::format("there is no result at position {}; the call has {}", position, values_.size()));
}

std::vector<std::string> Module::functions() const {
    std::vector<std::string> names;
    for (const Entry& e : impl_->program.entries) names.push_back(e.name);
    return names;
}

std::vector<Signature> Module::parameters(const std::string& function) const {
    const Entry& entry =
        translated(&impl_->sources, [&]() -> const Entry& { return impl_->entry(function); });
    std::vector<Signature> list;
    for (const EntryParameter& p : entry.parameters)
        list.push_back({p.name, type_text(entry.graph.extents, p.type), p.has_default});
    return list;
}

std::vector<Signature> Module::results(const std::string& function) const {
    const Entry& entry =
        translated(&impl_->sources, [&]() -> const Entry& { return impl_->entry(function); });
    const std::vector<ir::ValueId>& yields = entry.graph.region(entry.graph.body()).yields;
    std::vector<Signature> list;
    for (size_t i = 0; i < yields.size(); ++i) {
        list.push_back({entry.graph.result_names[i],
                        type_text(entry.graph.extents, entry.graph.type(yields[i])), false});
    }
    return list;
}

Results Module::call(const std::string& function, const std::map<std::string, Argument>& arguments,
                     const CallSettings& settings) const {
    return translated(&impl_->sources, [&] {
        const Entry& entry = impl_->entry(function);
        std::vector<PlanValue> values = impl_->arguments(entry, arguments);
        const auto places = output_places(entry.graph, settings.outputs, impl_->session->device.get());
        test_overlap(entry.graph, values, places);
        const auto arrays = impl_->callable(entry).call(std::move(values), places, settings.stream);
        std::vector<std::pair<std::string, Array>> results;
        for (size_t i = 0; i < arrays.size(); ++i) {
            if (arrays[i]) results.emplace_back(entry.graph.result_names[i], *arrays[i]);
        }
        return Results(std::move(results));
    });
}

Results Module::call(const std::string& function, const std::vector<Argument>& arguments,
                     const CallSettings& settings) const {
    const std::vector<Signature> signature = parameters(function);
    if (arguments.size() > signature.size()) {
        throw Error(Error::Kind::user, fmt::format("`{}` takes {} arguments: found {}", function,
                                                   signature.size(), arguments.size()));
    }
    std::map<std::string, Argument> named;
    for (size_t i = 0; i < arguments.size(); ++i) named.emplace(signature[i].name, arguments[i]);
    return call(function, named, settings);
}

}  // namespace fuseline
