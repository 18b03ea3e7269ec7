// Puts SLEEF's names together: determinism, function, element, lanes, accuracy, instruction set.
#include "compiler/codegen/sleef_symbols.h"

#include <fmt/format.h>

#include "compiler/support/errors.h"

namespace fuseline {
namespace {

struct InstructionSet {
    int vector_bits;
    std::string_view with_fma, without_fma;
};
constexpr InstructionSet kSets[] = {
    {0, "purecfma", "purec"},
    {128, "avx2128", "sse2"},
    {256, "avx2", "avx"},
    {512, "avx512f", "avx512fnofma"},
};

std::string_view instruction_set(int vector_bits, bool fma) {
    for (const InstructionSet& s : kSets) {
        if (s.vector_bits == vector_bits) return fma ? s.with_fma : s.without_fma;
    }
    throw InternalError(fmt::format("SLEEF has no vectors of {} bits", vector_bits));
}

}  // namespace

std::string sleef_symbol(std::string_view cell, DType dtype, int vector_bits, bool fma) {
    constexpr std::string_view kPrefix = "sleef.";
    const size_t bar = cell.find('_');
    require(cell.starts_with(kPrefix) && bar != std::string_view::npos, "not a cell of SLEEF");
    require(dtype == DType::f32_ || dtype == DType::f64_, "SLEEF computes in f32 and f64");
    const std::string_view function = cell.substr(kPrefix.size(), bar - kPrefix.size());
    const int lanes = vector_bits == 0 ? 1 : vector_bits / row(dtype).bits;
    return fmt::format("Sleef_{}_{}{}{}{}{}", fma ? "finz" : "cinz", function,
                       dtype == DType::f32_ ? "f" : "d", lanes, cell.substr(bar),
                       instruction_set(vector_bits, fma));
}

}  // namespace fuseline
