// Matmul: the library's matrices have their columns in a row, so it is asked for c^T = b^T a^T.
#include "runtime/cuda/matmul.h"

#include <algorithm>
#include <array>

#include "compiler/support/errors.h"

namespace fuseline::cuda {
namespace {

/// Scratch memory that the library may use; NVIDIA's recommendation for its newer GPUs.
constexpr uint64_t kWorkspaceBytes = uint64_t{32} << 20;
/// Choices that are remembered.
constexpr size_t kPlans = 512;
constexpr uint32_t kMostAlignment = 256;

struct TypeRow {
    DType dtype;
    int type, compute, scale;
};
constexpr TypeRow kTypes[] = {
    {DType::f32_, kTypeF32, kComputeF32, kTypeF32},
    {DType::f64_, kTypeF64, kComputeF64, kTypeF64},
    {DType::f16_, kTypeF16, kComputeF32, kTypeF32},
    {DType::bf16_, kTypeBf16, kComputeF32, kTypeF32},
};

const TypeRow& types_of(DType dtype) {
    const auto* row = std::ranges::find(kTypes, dtype, &TypeRow::dtype);
    require(row != std::end(kTypes), "cuBLASLt is asked for products of another type");
    return *row;
}

uint32_t alignment_of(const void* pointer) {
    const auto address = reinterpret_cast<uintptr_t>(pointer);
    const uintptr_t low = address & (~address + 1);
    return static_cast<uint32_t>(std::min<uintptr_t>(address == 0 ? kMostAlignment : low, kMostAlignment));
}

/// Owns one of the library's descriptions.
template <class Raw, int (*CublasTable::*destroy)(Raw)>
class Owned {
public:
    explicit Owned(const CublasTable& table) : table_(&table) {}
    ~Owned() {
        if (raw != nullptr) (table_->*destroy)(raw);
    }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    Raw raw = nullptr;

private:
    const CublasTable* table_;
};

using Product = Owned<ProductHandle, &CublasTable::product_destroy>;
using Layout = Owned<LayoutHandle, &CublasTable::layout_destroy>;
using Preference = Owned<PreferenceHandle, &CublasTable::preference_destroy>;

constexpr const char* kFailed = "a product of matrices cannot be set up";

template <class Value>
void set(const CublasTable& t, int (*set)(PreferenceHandle, int, const void*, size_t),
         PreferenceHandle handle, int attribute, Value value) {
    check_cublas(t, set(handle, attribute, &value, sizeof value), kFailed);
}

/// A matrix that is stored with `rows` rows of `columns` elements.
void describe(const CublasTable& t, Layout& layout, int type, int64_t rows, int64_t columns, int64_t batch,
              int64_t stride) {
    check_cublas(t,
                 t.layout_create(&layout.raw, type, static_cast<uint64_t>(columns),
                                 static_cast<uint64_t>(rows), columns),
                 kFailed);
    const auto count = static_cast<int32_t>(batch);
    check_cublas(t, t.layout_set(layout.raw, kBatchCountAttribute, &count, sizeof count), kFailed);
    check_cublas(t, t.layout_set(layout.raw, kBatchStrideAttribute, &stride, sizeof stride), kFailed);
}

}  // namespace

struct Matmul::Plan {
    explicit Plan(const CublasTable& t) : product(t), a(t), b(t), c(t) {}
    Product product;
    Layout a, b, c;
    CublasChoice choice{};
};

Matmul::Matmul(std::shared_ptr<GpuState> gpu, const CublasTable& table)
    : gpu_(std::move(gpu)), table_(table) {
    check_cublas(table_, table_.create(&handle_), "cuBLASLt cannot start");
}

Matmul::~Matmul() {
    plans_.clear();
    if (!gpu_->forked()) table_.destroy(handle_);
}

Matmul::Key Matmul::key_of(const MatmulCall& c) const {
    return {static_cast<int64_t>(c.dtype),
            c.m,
            c.n,
            c.k,
            c.batch,
            c.stride_a,
            c.stride_b,
            c.stride_c,
            (c.transpose_a ? 1 : 0) + (c.transpose_b ? 2 : 0) + (c.tf32 ? 4 : 0),
            alignment_of(c.a),
            alignment_of(c.b),
            alignment_of(c.c)};
}

std::shared_ptr<const Matmul::Plan> Matmul::plan(const MatmulCall& call) {
    const std::lock_guard lock(mutex_);
    Key key = key_of(call);
    if (const auto found = plans_.find(key); found != plans_.end()) return found->second;
    const CublasTable& t = table_;
    const TypeRow& types = types_of(call.dtype);
    auto made = std::make_shared<Plan>(t);
    const int compute = call.tf32 && call.dtype == DType::f32_ ? kComputeTf32 : types.compute;
    check_cublas(t, t.product_create(&made->product.raw, compute, types.scale), kFailed);
    // The library's first factor is our second one.
    const int32_t first = call.transpose_b ? 1 : 0, second = call.transpose_a ? 1 : 0;
    check_cublas(t, t.product_set(made->product.raw, kTransposeAttributeA, &first, sizeof first), kFailed);
    check_cublas(t, t.product_set(made->product.raw, kTransposeAttributeB, &second, sizeof second), kFailed);
    const auto describe_operand = [&](Layout& layout, bool transposed, int64_t rows, int64_t columns,
                                      int64_t stride) {
        if (transposed) std::swap(rows, columns);
        describe(t, layout, types.type, rows, columns, call.batch, stride);
    };
    describe_operand(made->a, call.transpose_a, call.m, call.k, call.stride_a);
    describe_operand(made->b, call.transpose_b, call.k, call.n, call.stride_b);
    describe_operand(made->c, false, call.m, call.n, call.stride_c);

    Preference preference(t);
    check_cublas(t, t.preference_create(&preference.raw), kFailed);
    const auto prefer = [&](int attribute, auto value) {
        set(t, t.preference_set, preference.raw, attribute, value);
    };
    prefer(kWorkspacePreference, kWorkspaceBytes);
    prefer(kReductionPreference, kReductionInComputeType);
    prefer(kAlignmentPreferenceA, alignment_of(call.b));
    prefer(kAlignmentPreferenceB, alignment_of(call.a));
    prefer(kAlignmentPreferenceC, alignment_of(call.c));
    prefer(kAlignmentPreferenceD, alignment_of(call.c));
    int found = 0;
    check_cublas(t,
                 t.choose(handle_, made->product.raw, made->b.raw, made->a.raw, made->c.raw, made->c.raw,
                          preference.raw, 1, &made->choice, &found),
                 "cuBLASLt knows no way to multiply these matrices");
    if (found == 0)
        throw ToolchainError("cuBLASLt knows no way to multiply these matrices; use --device cpu");
    if (plans_.size() >= kPlans) plans_.clear();
    plans_.emplace(std::move(key), made);
    return made;
}

std::shared_ptr<Allocation> Matmul::run(const MatmulCall& call, StreamHandle stream) {
    const std::shared_ptr<const Plan> p = plan(call);
    const size_t bytes = p->choice.workspace_bytes;
    std::shared_ptr<Allocation> workspace = bytes != 0 ? gpu_->allocate(bytes, stream) : nullptr;
    const float one32 = 1, zero32 = 0;
    const double one64 = 1, zero64 = 0;
    const bool wide = call.dtype == DType::f64_;
    const void* const one = wide ? static_cast<const void*>(&one64) : &one32;
    const void* const zero = wide ? static_cast<const void*>(&zero64) : &zero32;
    check_cublas(table_,
                 table_.multiply(handle_, p->product.raw, one, call.b, p->b.raw, call.a, p->a.raw, zero,
                                 call.c, p->c.raw, call.c, p->c.raw, &p->choice.algorithm,
                                 workspace != nullptr ? workspace->pointer : nullptr, bytes, stream),
                 "a product of matrices failed");
    return workspace;
}

}  // namespace fuseline::cuda
