// Fuzzes the reader of the IR's text form: no input crashes it, and what it prints it reads back.
#include <cstddef>
#include <cstdint>
#include <string>

#include "compiler/ir/ir.h"
#include "compiler/support/errors.h"

using namespace fuseline;

namespace {

std::string printed(const std::string& text, bool canonical) {
    SourceMap sources;
    ir::PrintOptions options;
    options.canonical = canonical;
    std::string out;
    for (const ir::Function& f : ir::parse_functions(sources, sources.add("fuzz.ir", text))) {
        out += ir::print(f, options);
        ir::verify(f);
    }
    return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    std::string first[2];
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        first[0] = printed(text, false);
        first[1] = printed(text, true);
    } catch (const UserError&) {
        return 0;
    }
    // A UserError from here on is a fault of the printer and ends the run.
    for (const bool canonical : {false, true}) {
        if (printed(first[canonical ? 1 : 0], canonical) != first[canonical ? 1 : 0]) __builtin_trap();
    }
    return 0;
}
