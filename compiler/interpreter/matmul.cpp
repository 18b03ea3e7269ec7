// The interpreter's matrix products: products rounded to the element type, summed in the order of reductions.
#include "compiler/interpreter/graph_machine.h"
#include "compiler/ir/reduction_order.h"
#include "compiler/ops/op_table.h"

namespace fuseline {

namespace {

Scalar binary(OpId op, DType dtype, Scalar a, Scalar b) {
    const Scalar operands[2] = {a, b};
    return evaluate(op, dtype, dtype, operands);
}

/// Sums in the order of reduction_order.h, and +0.0 at the end: the sum of nothing or of negative zeros is
/// +0.0.
class Sum {
public:
    explicit Sum(DType dtype) : dtype_(dtype) {}

    Scalar of(const std::vector<Scalar>& elements) {
        std::vector<Scalar> chunks;
        const auto chunk = static_cast<size_t>(ir::kReduceChunk);
        for (size_t first = 0; first < elements.size(); first += chunk) {
            const size_t end = std::min(first + chunk, elements.size());
            chunks.push_back(lanes(std::span(elements).subspan(first, end - first)));
        }
        const Scalar zero{};
        return chunks.empty() ? zero : binary(OpId::add_, dtype_, tree(chunks), zero);
    }

private:
    Scalar lanes(std::span<const Scalar> elements) const {
        const auto count = static_cast<size_t>(ir::kReduceLanes);
        std::vector<Scalar> lane(elements.begin(),
                                 elements.begin() + static_cast<ptrdiff_t>(std::min(count, elements.size())));
        for (size_t r = count; r < elements.size(); ++r)
            lane[r % count] = binary(OpId::add_, dtype_, lane[r % count], elements[r]);
        return tree(lane);
    }
    Scalar tree(std::vector<Scalar>& parts) const {
        for (size_t s = 1; s < parts.size(); s *= 2) {
            for (size_t l = 0; l + s < parts.size(); l += 2 * s)
                parts[l] = binary(OpId::add_, dtype_, parts[l], parts[l + s]);
        }
        return parts.front();
    }

    DType dtype_;
};

}  // namespace

void run_matmul(GraphMachine& m, ir::NodeId id) {
    const auto operands = m.f.operands(m.f.node(id));
    HostArray& result = m.make(m.f.result(id));
    const HostArray& a = m.array(operands[0]);
    const HostArray& b = m.array(operands[1]);
    const size_t rank = result.shape.size();
    const int64_t rows = result.shape[rank - 2], columns = result.shape[rank - 1];
    const int64_t inner = a.shape[rank - 1];
    const int64_t count = result.element_count();
    Sum sum(result.dtype);
    // Without results the inner axis may be longer than the memory.
    std::vector<Scalar> products(count == 0 ? 0 : static_cast<size_t>(inner));
    for (int64_t i = 0; i < count; ++i) {
        const int64_t column = i % columns, row = i / columns, batch = row / rows;
        for (int64_t k = 0; k < inner; ++k) {
            products[static_cast<size_t>(k)] = binary(OpId::mul_, result.dtype, element(a, row * inner + k),
                                                      element(b, (batch * inner + k) * columns + column));
        }
        store(result, i, sum.of(products));
    }
}

}  // namespace fuseline
