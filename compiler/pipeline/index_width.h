// The width of index arithmetic that a launch needs: 32 bits where no byte offset reaches 2^31.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/ir/size_program.h"

namespace fuseline {

/// The loops and accesses of a kernel, made ready to be measured at each launch.
class IndexWidth {
public:
    explicit IndexWidth(const ir::Function& kernel);
    /// 32 or 64 for one value for each size of the kernel, in order.
    int bits(std::span<const int64_t> sizes) const;

private:
    struct Access {
        SizeHandle offset;
        std::vector<std::pair<uint32_t, SizeHandle>> terms;  ///< axis, coefficient
        int64_t element_bytes = 1;
    };
    /// A nest, or a fold with the axes of its nest before its own.
    struct Space {
        size_t first_own = 0;  ///< axes from here on are walked by one counter
        std::vector<SizeHandle> extents;
        std::vector<Access> accesses;
    };
    void add_space(const ir::Function& kernel, ir::NodeId owner, std::vector<SizeHandle> outer);
    bool narrow(const Space& space, std::span<const int64_t> sizes) const;
    bool narrow(const Access& access, std::span<const int64_t> last, std::span<const int64_t> sizes) const;

    SizeProgram program_;
    size_t size_count_ = 0;
    std::vector<Space> spaces_;
};

}  // namespace fuseline
