// The nodes of a kernel as LLVM text: `if`, `while` and `for` on scalars branch, on vectors they run under
// masks.
#pragma once

#include <string>
#include <vector>

#include "compiler/codegen/llvm_access.h"
#include "compiler/codegen/llvm_writer.h"

namespace fuseline {

/// Lane by lane the bits are those of scalar execution: a vector loop runs while a lane is active, and lanes
/// that are not keep what they carry.
class LlvmRegions {
public:
    LlvmRegions(LlvmWriter& writer, LlvmSizes& sizes, LlvmAccess& access)
        : w_(writer), sizes_(sizes), access_(access) {}

    /// Appends one node with its regions at the writer's place. Nothing recurses.
    void write(ir::NodeId id);

private:
    /// A region that is being written.
    struct Frame {
        ir::NodeId owner;
        uint32_t number = 0;  ///< among the owner's regions
        size_t position = 0;
        std::string outer_mask;
        std::string mask;  ///< of lanes that take this side, or that go on
        std::string stem;  ///< of the labels
        std::string condition;
        bool branches = false;  ///< the side of a vector `if` is jumped over when no lane takes it
        std::string skipped_from;
        std::vector<std::string> phis;    ///< of a loop's carried values
        std::vector<std::string> nexts;   ///< their names in the next round
        std::string index, index_next;    ///< of a `for`
        std::vector<std::string> yields;  ///< of an `if`'s first side
        std::string yield_block;
    };
    void simple(ir::NodeId id);
    void enter(ir::NodeId id);
    void leave();

    void enter_if(Frame f);
    void begin_side(Frame& f);
    void leave_scalar_if(Frame& f);
    void leave_vector_if(Frame& f);
    std::vector<std::string> side_yields(const Frame& f);

    bool masked_loop(const ir::Node& n) const;
    void begin_loop(Frame& f, std::span<const ir::ValueId> initial, uint32_t first_parameter);
    void enter_while(Frame f);
    void leave_while(Frame& f);
    void enter_for(Frame f);
    void leave_for(Frame& f);
    void go_on(Frame& f, const std::string& condition);
    void end_loop(Frame& f, std::span<const ir::ValueId> yields);
    void advance_index(Frame& f);
    void define_results(const ir::Node& n, const std::vector<std::string>& texts);

    LlvmWriter& w_;
    LlvmSizes& sizes_;
    LlvmAccess& access_;
    std::vector<Frame> frames_;
};

}  // namespace fuseline
