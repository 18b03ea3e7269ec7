// Scalar code of a kernel as C++ statements: straight code, if, while and for.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/codegen/cuda_names.h"
#include "compiler/codegen/cuda_uses.h"
#include "compiler/ir/ir.h"
#include "compiler/support/source.h"

namespace fuseline {

/// Prints the nodes of a region in their order. A value that the program names becomes `const float d1 =
/// ...;`, a value used once and without a name stands inside the expression that uses it, other values become
/// v1, v2, .. Carried values of loops are variables. Where the program is known its lines stand as comments
/// above the code that they became.
class CudaStatements {
public:
    /// `uses` and `sources` outlive the printer; `sources` may be null.
    CudaStatements(const ir::Function& function, const std::vector<CudaUse>& uses, const SourceMap* sources,
                   CudaNames& names);

    /// What stands for a value that is defined outside the printed code.
    void bind(ir::ValueId v, CudaText text);
    bool bound(ir::ValueId v) const { return values_[v.index].known; }
    /// The text of a value, for a look.
    const CudaText& text(ir::ValueId v);
    /// The text of a value for its use; a pending expression is used up.
    CudaText use(ir::ValueId v);

    /// Called for nodes that are neither elementwise nor scalar structure (load, store, index, extent, nest).
    using Access = std::function<void(ir::NodeId)>;
    void print(ir::RegionId region, const Access& access);
    /// Only those nodes of the region itself that `wanted` names.
    using Wanted = std::function<bool(ir::NodeId)>;
    void print(ir::RegionId region, const Access& access, const Wanted& wanted);

    /// Offers an expression as the value of a node's result: inlined or declared.
    void result(ir::NodeId node, CudaText text);
    /// `target = value;`
    void assign(const std::string& target, ir::ValueId value);
    /// `return value;`
    void give_back(ir::ValueId value);
    /// `return {a, b};` for several, a struct.
    void give_back(std::span<const ir::ValueId> values);
    void line(std::string_view text);
    /// A line at the margin.
    void raw(std::string_view text) { out_.append(text).append("\n"); }
    /// The comment of a node's source line unless it is the one above.
    void place(ir::NodeId node);

    std::string take() { return std::exchange(out_, {}); }

private:
    struct Value {
        CudaText text;
        bool known = false;
        bool pending = false;  ///< an expression that no statement holds yet
        ir::NodeId node;       ///< of a pending one
    };
    struct Frame {
        ir::RegionId region;
        size_t position = 0;
        uint32_t number = 0;  ///< among its owner's regions
        size_t begin = 0;     ///< length of the output where the region's text begins
    };

    void node(ir::NodeId id, const Access& access);
    void elementwise(ir::NodeId id);
    bool inlined(ir::ValueId v, const CudaText& text) const;
    void materialise(ir::ValueId v);
    std::string declare(ir::ValueId v, const std::string& text);
    std::string variable(ir::ValueId v, ir::ValueId like, const std::string& initial);
    bool unused(const ir::Node& n) const;
    bool idle(std::initializer_list<ir::ValueId> names) const;
    bool computes(ir::RegionId region) const;

    void open_if(ir::NodeId id);
    bool as_choice(ir::NodeId id);
    bool short_expression(ir::RegionId region) const;
    std::optional<CudaText> expression(ir::RegionId region);
    void open_while(ir::NodeId id);
    void open_for(ir::NodeId id);
    void enter(ir::RegionId region, uint32_t number);
    void leave();
    void end_branch(const Frame& frame, ir::NodeId owner);
    void end_condition(const Frame& frame, ir::NodeId owner);
    void carry(std::span<const ir::ValueId> yields, std::span<const ir::ValueId> parameters);

    const ir::Function& f_;
    const std::vector<CudaUse>& uses_;
    const SourceMap* sources_;
    CudaNames& names_;
    std::vector<Value> values_;
    std::vector<Frame> frames_;
    std::string out_;
    size_t indent_ = 1;
    std::string last_place_;
};

/// What stands in memory, as a value: a 16-bit float becomes a float.
std::string cuda_value(const ir::Type& type, const std::string& text);

/// The type in which an elementwise node computes: that of its operands (of the last one for `where`).
DType cuda_operation_dtype(const ir::Function& function, const ir::Node& node);

}  // namespace fuseline
