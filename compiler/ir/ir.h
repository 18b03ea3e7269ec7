// The intermediate representation: one arena of typed SSA nodes with regions, in three forms (graph, kernel,
// plan).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "compiler/ir/extent.h"
#include "compiler/ops/op_table.h"
#include "compiler/support/options.h"
#include "compiler/support/source.h"

namespace fuseline::ir {

struct ValueId {
    uint32_t index = UINT32_MAX;
    explicit operator bool() const { return index != UINT32_MAX; }
    auto operator<=>(const ValueId&) const = default;
};
struct NodeId {
    uint32_t index = UINT32_MAX;
    explicit operator bool() const { return index != UINT32_MAX; }
    auto operator<=>(const NodeId&) const = default;
};
struct RegionId {
    uint32_t index = UINT32_MAX;
    explicit operator bool() const { return index != UINT32_MAX; }
    auto operator<=>(const RegionId&) const = default;
};

/// graph: what is computed; kernel: how one launch loops; plan: what the session executes.
enum class Form : uint8_t { graph, kernel, plan };

enum class TypeKind : uint8_t {
    value,         ///< an array (graph, plan) or a scalar (everywhere)
    read_buffer,   ///< kernel parameter: elements that are only read
    write_buffer,  ///< kernel parameter: elements that are written
    index,         ///< parameter of a nest: an index of the kernel's width
    held,          ///< kernel: an element for each index of a row, kept near the processor
};

/// `f32[n, m]`; rank 0 is a scalar. Kernel buffers have no shape: accesses carry linear offsets.
struct Type {
    TypeKind kind = TypeKind::value;
    DType dtype = DType::f32_;
    std::vector<ExtentId> shape;
    bool scalar() const { return kind == TypeKind::value && shape.empty(); }
    size_t rank() const { return shape.size(); }
    bool operator==(const Type&) const = default;
};

/// offset + sum of coefficient * index[axis]; axes ascending, no zero coefficient.
struct Affine {
    struct Term {
        uint32_t axis = 0;
        ExtentId coefficient;
        bool operator==(const Term&) const = default;
    };
    ExtentId offset;
    std::vector<Term> terms;
    bool operator==(const Affine&) const = default;
    /// The coefficient of an axis; the constant 0 where it does not occur.
    ExtentId coefficient(uint32_t axis) const;
};

/// One affine expression per source axis, over the result's axes.
using IndexMap = std::vector<Affine>;

/// How loops run. `grid` axes are independent (all threads and blocks, or all cores and vectors);
/// `sequential` ones run in one thread (of a fold: each thread its own); a `team` of threads or vector lanes
/// shares the axes of a fold, a hold or a nest in a nest.
enum class Mapping : uint8_t { grid, sequential, team };

struct Loops {
    std::vector<ExtentId> extents;
    Mapping mapping = Mapping::grid;
    /// Neighbouring elements of the innermost axis that one CUDA thread takes with one 16-byte access where
    /// aligned.
    int lanes = 1;
    bool operator==(const Loops&) const = default;
};

/// left == right or left >= right.
struct Check {
    ExtentId left, right;
    enum class Relation : uint8_t { equal, greater_equal } relation = Relation::equal;
    std::string message;  ///< the user's or the compiler's sentence, without sizes
    bool operator==(const Check&) const = default;
};

/// The axes of the operands that a reduction removes, ascending.
struct ReducedAxes {
    std::vector<uint32_t> axes;
    bool operator==(const ReducedAxes&) const = default;
};

/// How often a loop over arrays runs. A bounded one counts as Python's range; its counter is the size
/// `symbol` in the loop's region. A conditional one ends before a step when its first carried value, a bool,
/// is false.
struct Iteration {
    std::string symbol;  ///< "" for a loop without bounds
    ExtentId start, stop, step;
    bool conditional = false;
    bool bounded() const { return !symbol.empty(); }
    bool operator==(const Iteration&) const = default;
};

struct Launch {
    std::string kernel;
    /// Kernel size symbol -> size expression of the plan, in the kernel's order.
    std::vector<std::pair<std::string, ExtentId>> sizes;
    bool operator==(const Launch&) const = default;
};

using Attribute = std::variant<std::monostate, Scalar, ExtentId, Affine, IndexMap, std::string, Check, Loops,
                               Launch, ReducedAxes, Iteration>;
/// Names the alternatives of Attribute in order.
enum class AttributeKind : uint8_t {
    none,
    scalar,
    extent,
    affine,
    map,
    text,
    check,
    loops,
    launch,
    axes,
    iteration,
};

enum class Structure : uint8_t {
#define STRUCTURE(name, ...) name##_,
#include "compiler/ir/structure_table.def"
#undef STRUCTURE
};

struct StructureRow {
    Structure id;
    std::string_view name;
    uint32_t forms;  ///< bits of kForm*
    AttributeKind attribute;
    uint32_t operands_min, operands_max;
    uint32_t regions;
    bool pure;  ///< no effect and no state: may be merged, moved and dropped
    std::string_view doc;
};
inline constexpr uint32_t kFormGraph = 1, kFormKernel = 2, kFormPlan = 4, kFormScalar = 8;
const StructureRow& row(Structure s);
std::optional<Structure> structure_named(std::string_view name);
size_t structure_count();
/// The table of structural operations for docs/ir.md.
std::string structures_markdown();

/// An elementwise operator or a structural operation.
class Opcode {
public:
    constexpr Opcode() = default;
    constexpr Opcode(OpId op) : code_(static_cast<uint16_t>(op)) {}  // NOLINT: an op is an opcode
    constexpr Opcode(Structure s) : code_(static_cast<uint16_t>(256 + static_cast<int>(s))) {}  // NOLINT
    bool elementwise() const { return code_ < 256; }
    OpId op() const { return static_cast<OpId>(code_); }
    Structure structure() const { return static_cast<Structure>(code_ - 256); }
    bool is(Structure s) const { return *this == Opcode(s); }
    bool is(OpId op) const { return *this == Opcode(op); }
    std::string_view name() const;
    bool pure() const;
    uint16_t raw() const { return code_; }
    auto operator<=>(const Opcode&) const = default;

private:
    uint16_t code_ = 0;
};

/// A node's lists are ranges of the function's pools.
struct Node {
    Opcode op;
    Attribute attribute;
    uint32_t operands_begin = 0, operands_count = 0;
    uint32_t results_begin = 0, results_count = 0;  ///< consecutive value ids
    uint32_t regions_begin = 0, regions_count = 0;  ///< consecutive region ids
    RegionId parent;
};

/// A straight list of nodes; values defined outside (in enclosing regions) may be used inside.
struct Region {
    std::vector<ValueId> parameters;
    std::vector<NodeId> nodes;
    std::vector<ValueId> yields;
    NodeId owner;  ///< absent for a function's body
};

struct ValueInfo {
    Type type;
    NodeId definition;  ///< absent for a region parameter
    RegionId parameter_of;
    uint32_t position = 0;  ///< among the results or parameters
};

/// A function in one of the forms. Built by Builder; passes read one and build another.
class Function {
public:
    Form form = Form::graph;
    std::string name;
    std::vector<std::string> parameter_names;  ///< aligned with the body's parameters
    std::vector<std::string> result_names;  ///< graph, plan: aligned with the yields; "result" where unnamed
    Options options;
    ExtentPool extents;
    /// Kernel only: its size parameters in order, the schedule's name ("map"), and the width of index
    /// arithmetic (32 or 64).
    std::vector<std::string> sizes;
    std::string schedule;
    int index_bits = 64;

    RegionId body() const { return {0}; }
    const Region& region(RegionId id) const { return regions_[id.index]; }
    const Node& node(NodeId id) const { return nodes_[id.index]; }
    const ValueInfo& value(ValueId id) const { return values_[id.index]; }
    const Type& type(ValueId id) const { return values_[id.index].type; }
    /// The node that defines a value; null for a parameter.
    const Node* definition(ValueId id) const;

    std::span<const ValueId> operands(NodeId id) const { return operands(node(id)); }
    std::span<const ValueId> operands(const Node& n) const {
        return {operand_pool_.data() + n.operands_begin, n.operands_count};
    }
    ValueId result(NodeId id, uint32_t k = 0) const { return {node(id).results_begin + k}; }
    RegionId region_of(const Node& n, uint32_t k) const { return {n.regions_begin + k}; }

    size_t node_count() const { return nodes_.size(); }
    size_t value_count() const { return values_.size(); }
    size_t region_count() const { return regions_.size(); }

    /// Side tables: where a node comes from, and what people call a value ("" when nothing is known).
    Span span(NodeId id) const { return spans_[id.index]; }
    std::string_view value_name(ValueId id) const;

private:
    friend class Builder;
    std::vector<Node> nodes_;
    std::vector<ValueInfo> values_;
    std::vector<Region> regions_;
    std::vector<ValueId> operand_pool_;
    std::vector<Span> spans_;
    std::unordered_map<uint32_t, std::string> names_;
};

/// Appends nodes to a function. Pure nodes without regions are interned: the same operation on the same
/// operands in the same region (or one that encloses it) is one node.
class Builder {
public:
    /// Starts an empty function; extents of another function are re-imported by whoever needs them.
    explicit Builder(Form form, std::string name = {});

    Function& function() { return f_; }
    ExtentPool& extents() { return f_.extents; }
    const Type& type(ValueId v) const { return f_.type(v); }

    ValueId parameter(std::string name, Type type);  ///< of the function
    ValueId region_parameter(RegionId region, Type type, std::string_view name = {});
    void set_yields(RegionId region, std::vector<ValueId> yields);

    /// Regions are made before the node that owns them: fill the region, then give it to `node`.
    RegionId make_region();
    /// Where nodes are appended; starts as the body.
    RegionId insertion() const { return current_; }
    void set_insertion(RegionId region) { current_ = region; }

    /// Whether equal pure nodes become one; the reader of texts turns it off to keep what stands there.
    void set_merging(bool on) { merging_ = on; }

    /// Places for the nodes that follow.
    void set_span(Span span) { span_ = span; }
    Span current_span() const { return span_; }
    /// The first name given to a value stays unless `replace`.
    void name_value(ValueId value, std::string_view name, bool replace = false);

    /// The general form. `regions` must be consecutive ids in the order of making (make all of a node's
    /// regions in a row).
    NodeId node(Opcode op, std::span<const ValueId> operands, std::vector<Type> results,
                Attribute attribute = {}, std::span<const RegionId> regions = {});

    ValueId constant(DType dtype, Scalar value);
    ValueId extent(ExtentId size);
    /// Elementwise: operands of the result's shape or rank 0; result dtype as given.
    ValueId elementwise(OpId op, std::span<const ValueId> operands, DType result);
    ValueId cast(ValueId value, DType to);  ///< the value itself when it has the type
    ValueId view(ValueId source, IndexMap map, std::vector<ExtentId> shape);
    ValueId index(Affine affine, std::vector<ExtentId> shape);
    void check(Check check);

    /// Ends the building: the body's yields and their names.
    Function finish(std::vector<ValueId> yields, std::vector<std::string> result_names);

private:
    std::optional<NodeId> interned(uint64_t key, const Node& node, std::span<const ValueId> operands,
                                   const std::vector<Type>& results) const;
    NodeId append(Node node, std::span<const ValueId> operands, std::vector<Type> results,
                  std::span<const RegionId> regions);
    bool encloses(RegionId outer, RegionId inner) const;

    Function f_;
    bool merging_ = true;
    RegionId current_{0};
    Span span_;
    std::unordered_multimap<uint64_t, NodeId> interned_;
    /// By region: the one it was made in, which its node's region must be or lie in.
    std::vector<RegionId> enclosing_;
};

/// A node whose regions are being copied; `to` are the copies in order.
struct OpenCopy {
    NodeId from;
    RegionId outer;  ///< where the copy will stand
    std::vector<RegionId> to;
    uint32_t region = 0;
    size_t position = 0;
};

/// Copies nodes of one function into the builder of another, with a value map. Extents are imported.
class Cloner {
public:
    Cloner(const Function& from, Builder& to) : from_(&from), to_(&to) {}
    void map(ValueId from, ValueId to) { values_[from.index] = to; }
    bool mapped(ValueId from) const { return values_.count(from.index) != 0; }
    ValueId value(ValueId from) const;
    std::vector<ValueId> values(std::span<const ValueId> from) const;
    ExtentId extent(ExtentId e);
    Type type(const Type& t);
    Affine affine(const Affine& a);
    Attribute attribute(const Attribute& a);
    /// Clones one node with its regions (iteratively) at the builder's insertion point; maps its results,
    /// keeps span and names.
    NodeId node(NodeId id);
    /// For who fills the regions of a copy: starts empty ones with the parameters of the node's, mapped.
    OpenCopy open(NodeId id);
    /// The copy of a node with these operands and regions, its results mapped, its place and names kept.
    NodeId copy(NodeId id, std::span<const ValueId> operands, std::span<const RegionId> regions);
    /// Clones the parameters of the function's body as parameters of the new function.
    void parameters();
    /// Clones a region's contents (parameters already mapped) at the insertion point; returns the mapped
    /// yields.
    std::vector<ValueId> inline_region(RegionId region);

private:
    const Function* from_;
    Builder* to_;
    std::unordered_map<uint32_t, ValueId> values_;
    std::unordered_map<uint32_t, ExtentId> extents_;
};

/// Text of a function: typed, one node a line, names kept (`%d1`) unless canonical. Parsed back by
/// parse_function.
struct PrintOptions {
    /// Text of the cache key: values numbered; sizes renamed d0, d1, .. (a kernel's in their order, others by
    /// first use); no names.
    bool canonical = false;
    const SourceMap* sources = nullptr;  ///< adds `// file:line` comments
};
std::string print(const Function& function, const PrintOptions& options = {});

/// Reads one or several functions. Throws UserError with places in `sources`.
std::vector<Function> parse_functions(const SourceMap& sources, size_t file);

/// The rules of the form, each violated one as "rule: place: what"; empty when the function is sound.
std::vector<std::string> verify(const Function& function);
/// Whether every launch of a plan fits its kernel: it exists, operands and parameters agree, sizes are bound
/// in order.
std::vector<std::string> verify_launches(const Function& plan, std::span<const Function> kernels);
/// Throws InternalError naming `after` (a pass) and the text of the function unless it verifies.
void verify_or_throw(const Function& function, std::string_view after);

}  // namespace fuseline::ir
