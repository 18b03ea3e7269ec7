// Products of matrices on a GPU, through a cuBLASLt that computes on the host from what it is told.
#include <algorithm>
#include <memory>
#include <set>

#include "runtime/cuda/gpu_state.h"
#include "runtime/cuda/matmul.h"
#include "tests/catch.h"
#include "tests/fakes/fake_driver/fake_driver.h"

using namespace fuseline;
using namespace fuseline::testing;

namespace {

/// What the fake hands out as handles.
struct FakeObject {
    int compute = 0, transpose[2] = {};
    uint64_t rows = 0, columns = 0;
    int64_t leading = 0, stride = 0;
    int32_t batch = 1;
};

struct FakeLibrary {
    std::set<FakeObject*> alive;
    int choices = 0;

    template <class Handle>
    int make(Handle* handle, FakeObject object) {
        auto owned = std::make_unique<FakeObject>(object);
        alive.insert(owned.get());
        *handle = reinterpret_cast<Handle>(owned.release());
        return 0;
    }
    template <class Handle>
    int drop(Handle handle) {
        auto* object = reinterpret_cast<FakeObject*>(handle);
        const std::unique_ptr<FakeObject> owned(object);
        return alive.erase(object) == 1 ? 0 : 7;
    }
};

FakeLibrary& library() {
    static FakeLibrary fake;
    return fake;
}

template <class Handle>
const FakeObject& of(Handle handle) {
    return *reinterpret_cast<FakeObject*>(handle);
}

/// Element (row, column) of a matrix that lies column by column, or of its transpose.
float at(const float* data, const FakeObject& layout, bool transposed, int64_t row, int64_t column) {
    if (transposed) std::swap(row, column);
    REQUIRE(static_cast<uint64_t>(row) < layout.rows);
    REQUIRE(static_cast<uint64_t>(column) < layout.columns);
    return data[column * layout.leading + row];
}

int fake_multiply(cuda::CublasHandle, cuda::ProductHandle product, const void* alpha, const void* a,
                  cuda::LayoutHandle a_layout, const void* b, cuda::LayoutHandle b_layout, const void* beta,
                  const void*, cuda::LayoutHandle, void* d, cuda::LayoutHandle d_layout,
                  const cuda::CublasAlgorithm*, void*, size_t, cuda::StreamHandle) {
    CHECK(*static_cast<const float*>(alpha) == 1);
    CHECK(*static_cast<const float*>(beta) == 0);
    const FakeObject &p = of(product), &la = of(a_layout), &lb = of(b_layout), &ld = of(d_layout);
    const auto inner = static_cast<int64_t>(p.transpose[0] != 0 ? la.rows : la.columns);
    for (int64_t batch = 0; batch < ld.batch; ++batch) {
        const float* x = static_cast<const float*>(a) + batch * la.stride;
        const float* y = static_cast<const float*>(b) + batch * lb.stride;
        float* out = static_cast<float*>(d) + batch * ld.stride;
        for (int64_t row = 0; row < static_cast<int64_t>(ld.rows); ++row) {
            for (int64_t column = 0; column < static_cast<int64_t>(ld.columns); ++column) {
                float sum = 0;
                for (int64_t k = 0; k < inner; ++k) {
                    sum += at(x, la, p.transpose[0] != 0, row, k) * at(y, lb, p.transpose[1] != 0, k, column);
                }
                out[column * ld.leading + row] = sum;
            }
        }
    }
    return 0;
}

cuda::CublasTable fake_table() {
    cuda::CublasTable t;
    t.create = [](cuda::CublasHandle* h) { return library().make(h, {}); };
    t.destroy = [](cuda::CublasHandle h) { return library().drop(h); };
    t.status_text = [](int) { return "a fault"; };
    t.version = []() -> size_t { return 130000; };
    t.product_create = [](cuda::ProductHandle* p, int compute, int) {
        FakeObject object;
        object.compute = compute;
        return library().make(p, object);
    };
    t.product_destroy = [](cuda::ProductHandle p) { return library().drop(p); };
    t.product_set = [](cuda::ProductHandle p, int attribute, const void* value, size_t) {
        auto* object = reinterpret_cast<FakeObject*>(p);
        object->transpose[attribute == cuda::kTransposeAttributeA ? 0 : 1] =
            *static_cast<const int32_t*>(value);
        return 0;
    };
    t.layout_create = [](cuda::LayoutHandle* l, int, uint64_t rows, uint64_t columns, int64_t leading) {
        FakeObject object;
        object.rows = rows, object.columns = columns, object.leading = leading;
        return library().make(l, object);
    };
    t.layout_destroy = [](cuda::LayoutHandle l) { return library().drop(l); };
    t.layout_set = [](cuda::LayoutHandle l, int attribute, const void* value, size_t) {
        auto* object = reinterpret_cast<FakeObject*>(l);
        if (attribute == cuda::kBatchCountAttribute) object->batch = *static_cast<const int32_t*>(value);
        if (attribute == cuda::kBatchStrideAttribute) object->stride = *static_cast<const int64_t*>(value);
        return 0;
    };
    t.preference_create = [](cuda::PreferenceHandle* p) { return library().make(p, {}); };
    t.preference_destroy = [](cuda::PreferenceHandle p) { return library().drop(p); };
    t.preference_set = [](cuda::PreferenceHandle, int, const void*, size_t) { return 0; };
    t.choose = [](cuda::CublasHandle, cuda::ProductHandle, cuda::LayoutHandle, cuda::LayoutHandle,
                  cuda::LayoutHandle, cuda::LayoutHandle, cuda::PreferenceHandle, int,
                  cuda::CublasChoice* choices, int* found) {
        ++library().choices;
        choices->workspace_bytes = 64;
        return *found = 1, 0;
    };
    t.multiply = fake_multiply;
    return t;
}

/// A [rows, columns] matrix in row-major order whose element (i, j) is 10 i + j + first; transposed in memory
/// where asked.
std::vector<float> matrix(int64_t rows, int64_t columns, bool transposed, float first) {
    std::vector<float> m(static_cast<size_t>(rows * columns));
    for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < columns; ++j)
            m[static_cast<size_t>(transposed ? j * rows + i : i * columns + j)] =
                first + static_cast<float>(10 * i + j);
    }
    return m;
}

}  // namespace

TEST_CASE("products reach cuBLASLt with the right layouts", "[cuda]") {
    FakeDriver fake;
    const cuda::CublasTable table = fake_table();
    const auto gpu = std::make_shared<cuda::GpuState>(fake.table(), 0);
    {
        const cuda::ContextScope scope(gpu->driver(), gpu->context());
        cuda::Matmul matmul(gpu, table);
        // [2, 3] x [3, 4], with i, k and k, j as above: the sum over k of (10 i + k)(10 k + j + 1).
        std::vector<float> expected;
        for (int i = 0; i < 2; ++i) {
            for (int j = 0; j < 4; ++j) {
                float sum = 0;
                for (int k = 0; k < 3; ++k) sum += static_cast<float>((10 * i + k) * (10 * k + j + 1));
                expected.push_back(sum);
            }
        }
        for (const bool ta : {false, true}) {
            for (const bool tb : {false, true}) {
                const std::vector<float> a = matrix(2, 3, ta, 0), b = matrix(3, 4, tb, 1);
                std::vector<float> c(8, -1);
                MatmulCall call{DType::f32_, 2,  4,  3, 1,  a.data(), b.data(),
                                c.data(),    ta, tb, 6, 12, 8,        false};
                matmul.run(call, gpu->stream());
                CHECK(c == expected);
            }
        }
        // The first matrix serves both products of a batch; the second time nothing is chosen.
        const std::vector<float> a = matrix(2, 3, false, 0);
        std::vector<float> b = matrix(3, 4, false, 1), c(16, -1);
        b.insert(b.end(), b.begin(), b.begin() + 12);
        MatmulCall call{DType::f32_, 2, 4, 3, 2, a.data(), b.data(), c.data(), false, false, 0, 12, 8, false};
        matmul.run(call, gpu->stream());
        const int choices = library().choices;
        matmul.run(call, gpu->stream());
        CHECK(library().choices == choices);
        CHECK(std::vector<float>(c.begin(), c.begin() + 8) == expected);
        CHECK(std::vector<float>(c.begin() + 8, c.end()) == expected);
    }
    CHECK(library().alive.empty());
}
