// Text of one LLVM function under construction: sections, fresh names, and the spelling of values as scalars
// and vectors.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/codegen/llvm_levels.h"
#include "compiler/codegen/llvm_prelude.h"
#include "compiler/ir/ir.h"

namespace fuseline {

/// Literal of one element as its bits: "0x3FF8000000000000", "-1", "true".
std::string llvm_literal(DType dtype, Scalar value);

/// Section k < rank is the code before the loop over axis k; section `rank` is the body of the innermost
/// loop. Sections of outer loops stay open while the body is written, so that code which does not vary moves
/// out. Each has a head, a straight line of offsets that stands first; the head of section 0 is the
/// function's prologue.
class LlvmWriter {
public:
    LlvmWriter(const ir::Function& kernel, const LlvmLevels& levels, int lanes);

    const ir::Function& kernel() const { return f_; }
    const LlvmLevels& levels() const { return levels_; }
    /// Lanes of the vectors that are written now, and of one value.
    int vector_lanes() const { return lanes_; }
    void set_lanes(int lanes) { lanes_ = lanes; }
    int lanes(ir::ValueId v) const { return levels_.varies(v) ? lanes_ : 1; }

    /// A local name that was not given before, "%x", and a label of the same space, without the sign.
    std::string name(std::string_view wanted);
    std::string name(ir::ValueId v);
    std::string label(std::string_view wanted);

    /// Where lines go.
    void enter(uint32_t section) { current_ = 2 * section + 1; }
    void enter_head(uint32_t section) { current_ = 2 * section; }
    uint32_t place() const { return current_; }
    void return_to(uint32_t place) { current_ = place; }
    template <typename... Args>
    void line(fmt::format_string<Args...> text, Args&&... args) {
        std::string& out = sections_[current_].text;
        out += "  ";
        fmt::format_to(std::back_inserter(out), text, std::forward<Args>(args)...);
        out += '\n';
    }
    /// The name, made unique, of what the text computes: one line.
    template <typename... Args>
    std::string value(std::string_view wanted, fmt::format_string<Args...> text, Args&&... args) {
        const std::string result = name(wanted);
        line("{} = {}", result, fmt::format(text, std::forward<Args>(args)...));
        return result;
    }
    /// Starts a basic block; the one before it must have been ended.
    void block(std::string_view label);
    /// The label of the open block.
    const std::string& open_block() const { return sections_[current_].block; }
    /// Ends the open block with a jump.
    void jump(std::string_view label) { line("br label %{}", label); }
    /// Lines go to a section of their own until it is closed and joins the one that was open. Vectors of
    /// scalars that stand before it are made before it: loops and branches may stand in it.
    void open_inner();
    void close_inner();
    /// Takes the text of a section, without its head, or of the head.
    std::string take(uint32_t section) { return std::exchange(sections_[2 * section + 1].text, {}); }
    std::string take_head(uint32_t section) { return std::exchange(sections_[2 * section].text, {}); }

    /// Says how a value is spelled: an operand of as many lanes as `lanes(v)`.
    void define(ir::ValueId v, std::string text);
    void define_constant(ir::ValueId v, Scalar value);
    void alias(ir::ValueId v, ir::ValueId same);
    /// The value as an operand without its type; a vector is made of a scalar where `lanes` asks for one.
    std::string operand(ir::ValueId v, int lanes);
    std::string type(ir::ValueId v, int lanes) const { return llvm_type(f_.type(v).dtype, lanes); }

    /// A vector whose lanes are the scalar `text`, computed in the current section.
    std::string splat(std::string_view type, std::string_view text, int lanes, std::string_view name);

    /// Mask of the lanes that compute now; empty where all do.
    std::string mask;
    /// The mask as an operand of type <lanes x i1>.
    std::string mask_operand() const;
    std::string mask_type() const { return llvm_type(DType::bool_, lanes_); }
    /// mask and `condition`, a vector of bools.
    std::string masked_by(std::string_view condition, bool inverted);
    /// An i1: whether some lane of a mask is set.
    std::string any(std::string_view mask);
    /// The mask of lanes 0 .. left - 1; `left` is at most as many as there are lanes.
    std::string first_lanes(std::string_view left, int vector_bits);

    /// Functions of the prelude that the text calls.
    std::set<PreludeInstance> instances;

private:
    struct Section {
        std::string text;
        std::string block;
    };
    struct Value {
        std::string text;
        /// By lanes, of a scalar that stands in a section's straight line.
        std::vector<std::pair<int, std::string>> splats;
        uint32_t home = kInRegion;  ///< the place where it stands
        bool constant = false;
    };
    static constexpr uint32_t kInRegion = UINT32_MAX;
    bool in_region(ir::ValueId v) const;

    const ir::Function& f_;
    const LlvmLevels& levels_;
    int lanes_;
    uint32_t current_ = 0;
    std::vector<Section> sections_;  ///< head and rest of each; then inner ones
    std::vector<uint32_t> around_;   ///< inner ones: where they join
    std::vector<Value> values_;
    std::set<std::string, std::less<>> names_;
    std::unordered_map<std::string, uint32_t> next_number_;
};

}  // namespace fuseline
