// Fuzzes the reader of the IR's text form: no input crashes it, and what it prints it reads back.
#include <cstddef>
#include <cstdint>
#include <string>

#include "compiler/ir/ir.h"
#include "compiler/support/errors.h"

using namespace fuseline;

namespace {

/// The text of all functions, or the canonical text of the sound kernels among them.
std::string printed(const std::string& text, bool canonical) {
    SourceMap sources;
    ir::PrintOptions options;
    options.canonical = canonical;
    std::string out;
    for (const ir::Function& f : ir::parse_functions(sources, sources.add("fuzz.ir", text))) {
        const bool sound = ir::verify(f).empty();
        if (!canonical || (sound && f.form == ir::Form::kernel)) out += ir::print(f, options);
    }
    return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    std::string first, canonical;
    try {
        first = printed(text, false);
        canonical = printed(text, true);
    } catch (const UserError&) {
        return 0;
    }
    // A UserError from here on is a fault of the printer and ends the run.
    if (printed(first, false) != first || printed(canonical, true) != canonical) __builtin_trap();
    return 0;
}
