// Prints one kernel: its parts, shared by the files that print them.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "compiler/codegen/cuda_accesses.h"
#include "compiler/codegen/cuda_element.h"
#include "compiler/codegen/cuda_fold_functions.h"
#include "compiler/codegen/cuda_folds.h"
#include "compiler/codegen/cuda_sizes.h"
#include "compiler/codegen/cuda_statements.h"

namespace fuseline {

/// Helpers, the function of one element, and the kernel that runs it over its nest.
class CudaKernelPrinter {
public:
    /// The arguments outlive the printer.
    CudaKernelPrinter(const ir::Function& f, const std::string& symbol, const SourceMap* sources);
    std::string print();

private:
    // cuda_emitter.cpp: parameters, scalar code, the whole.
    void reserve_names();
    std::string parameter(ir::ValueId v, const std::string& name) const;
    void before_nest();
    void name_axes();
    void nest();
    std::string signature() const;
    std::string heading() const;

    // cuda_threads.cpp: which thread has which indices.
    void sequential();
    std::string block() const;
    void threads_of_line();
    void threads_of_rows();
    void divide(const std::string& rest, size_t k, const std::string& next);
    void one_each();
    std::string element_of(ir::NodeId access);
    /// How a loaded element is written.
    using Loaded = std::function<std::string(ir::NodeId load)>;
    std::vector<std::string> arguments(const CudaElement& element, const Loaded& loaded,
                                       const std::string& inner);
    /// The offset of a load; `inner` is the innermost index.
    std::string offset_of(ir::NodeId access, const std::string& inner);
    void copy(const Loaded& loaded, const std::vector<std::string>& targets);
    /// Computes one element of each target; `inner` is the innermost index.
    void compute(const Loaded& loaded, const std::string& inner, const std::vector<std::string>& targets);

    // cuda_fold_nest.cpp: nests with folds, what stands outside the folds.
    void fold_nest();
    void share_out();
    void nest_node(ir::NodeId id);
    void join_blocks();
    bool after_phases() const;
    std::string product(std::span<const ExtentId> extents) const;
    std::vector<std::string> divided(const std::string& flat, std::span<const std::string> axes,
                                     std::span<const ExtentId> extents);

    // cuda_fold_call.cpp: one fold.
    void fold(ir::NodeId id);
    std::string inner_name(const std::string& wanted);
    void enter_loops(ir::NodeId id);
    void leave_loops(ir::NodeId id);
    bool takes_four(ir::NodeId id, const std::vector<CudaAccess>& accesses) const;
    std::string declare_aligned_team(const std::vector<ir::NodeId>& phases);
    void one_element(CudaFold& fold);
    void four_elements(CudaFold& fold, const std::vector<CudaAccess>& accesses);
    std::map<ir::NodeId, std::string> load_four(const std::vector<CudaAccess>& accesses,
                                                const std::string& lane, const std::string& pack_lane,
                                                std::vector<std::string>* packs = nullptr);
    std::vector<std::string> own_axes(ir::NodeId id);
    std::string count_of(ir::NodeId id) const;
    std::string state_of(const CudaFold& fold, const Loaded& loaded, const std::string& inner);
    void fold_call(CudaFold& fold);

    // cuda_rows.cpp: holds and nests in the nest.
    void declare_room();
    void row_phase(ir::NodeId id);
    std::string phase_name(ir::NodeId id, const char* what) const;
    std::vector<std::string> row_values(ir::NodeId id, const Loaded& loaded, const std::string& inner,
                                        const std::vector<std::string>& targets);
    std::string one_of_row(ir::NodeId id);
    std::string four_of_row(ir::NodeId id, const std::vector<CudaAccess>& accesses);
    bool held(ir::NodeId access) const { return f_.type(f_.operands(access)[0]).kind == ir::TypeKind::held; }

    // cuda_lane_loop.cpp: several elements a thread.
    void lanes();
    size_t single_loads() const;
    std::vector<std::string> alignment(const std::vector<CudaAccess>& accesses);
    void declare_aligned(const std::vector<std::string>& alignment);
    /// The choice as an expression; the second where no access can ever be wide.
    std::string if_aligned(const std::string& yes, const std::string& no) const;
    void first_element();
    std::string access_arguments(const CudaAccess& access);
    void load_lanes(const std::vector<CudaAccess>& accesses);
    void loop_over_lanes();
    void store_lanes(const std::vector<CudaAccess>& accesses);
    std::string address(const CudaAccess& access);

    void line(std::string_view text);
    void wrapped(const std::string& head, const std::vector<std::string>& items, const std::string& tail);
    const std::string& buffer(ir::NodeId access) const { return buffers_.at(f_.operands(access)[0].index); }

    const ir::Function& f_;
    const std::string& symbol_;
    ir::NodeId nest_;
    const ir::Loops& loops_;
    std::vector<CudaUse> uses_;
    CudaNames names_;
    CudaStatements statements_;
    std::map<std::string, std::string> symbols_;
    CudaIndexSizes sizes_;
    CudaFolds folds_;
    std::string function_;
    CudaElement element_;
    std::map<ir::NodeId, CudaFold> fold_texts_;
    std::map<ir::NodeId, CudaElement> row_elements_;
    /// Variables of nests with folds: how many outputs there are, which one a thread works on, whether there
    /// is one, whether the thread stores it, shared memory, the workspace.
    std::string outputs_, output_, inside_, owner_, shared_, workspace_;
    /// In a fold, hold or inner nest: the number of an element, which is the index or is divided into
    /// several.
    std::string flat_, flat_type_;
    std::vector<std::string> lambda_names_;
    std::map<uint32_t, std::string> buffers_;
    std::vector<std::string> parameters_;
    std::vector<std::string> axes_;
    /// Variables of the kernel: whether wide accesses are aligned, the number of the thread (of its group of
    /// lanes in the row), groups in a row, elements from one lane to the next, elements from the first one to
    /// the end, whether wide accesses are made, the number of the lane.
    std::string aligned_, thread_, groups_, step_, left_, whole_, lane_;
    /// What stands for each access: the lanes of a thread, or one value for all of them.
    std::map<ir::NodeId, std::string> packs_, repeated_;
    std::string body_;
    size_t indent_ = 1;
};

}  // namespace fuseline
