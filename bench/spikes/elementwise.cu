// Lane forms of a 20-operator chain and index forms of a broadcast, each against the copy of this process.
// Usage: elementwise <out.json> <label: strict or contract> [log2 of the elements, default 28]
#include <chrono>
#include <cstdlib>

#include "bench.cuh"
#include "elementwise.cuh"

using namespace spikes;

namespace {

/// Elements by which the operands are off a 16-byte boundary, and elements missing at the end.
struct Place {
  const char* name;
  int x, y, tail;
};
constexpr Place kPlaces[] = {
    {"aligned", 0, 0, 0}, {"tail", 0, 0, 3}, {"off by 4", 1, 1, 3}, {"output off", 0, 1, 3}};

using ChainKernel = std::function<void(const float*, float*, long long)>;

/// A launch over n elements, `each` of them a thread.
template <class Index>
ChainKernel chain_launch(void (*kernel)(const float*, float*, Index), int each, int threads) {
  return [=](const float* x, float* y, long long n) {
    kernel<<<blocks_for(size_t(n), unsigned(each * threads)), threads>>>(x, y, Index(n));
    check(cudaGetLastError(), "launch");
  };
}

double chain64(double x) {
  double p = ((((((0.01 * x - 0.02) * x + 0.03) * x - 0.04) * x + 0.05) * x - 0.06) * x + 0.07);
  double s = std::sin(x) * std::exp(-0.5 * x * x);
  return x > 0 ? p + s : p - 0.5 * s;
}

class Run {
 public:
  Run(const char* json, const char* label, size_t n)
      : log_(json), label_(label), n_(n), x_(n + 8), y_(n + 8), r_(n / 2 + 8), c_(n / 2 + 8) {
    unsigned seed = unsigned(std::chrono::steady_clock::now().time_since_epoch().count());
    randomize(x_, -3, 3, seed);
    randomize(r_, -1, 1, seed + 1);
    randomize(c_, -1, 1, seed + 2);
    copy_ = copy_rate(x_.get(), y_.get(), n);
    std::printf("elementwise, %s, copy %.0f GB/s\n", label, copy_ * 1e-6);
    log_.add(Record().text("what", "copy").text("label", label).number("GB/s", copy_ * 1e-6));
  }

  void chains() {
    for (int threads : {128, 256}) {
      chain_case("one element, 32-bit", threads, chain_launch<int>(chain_scalar, 1, threads));
      chain_case("one element, 64-bit", threads, chain_launch<long long>(chain_scalar, 1, threads));
      chain_case("4 strided, 32-bit", threads, chain_launch<int>(chain_strided, 4, threads));
      chain_case("4 unrolled, 32-bit", threads, chain_launch<int>(chain_masked<int, kUnrolled>, 4, threads));
      chain_case("4 unrolled, 64-bit", threads,
                 chain_launch<long long>(chain_masked<long long, kUnrolled>, 4, threads));
      chain_case("4 rotated, 32-bit", threads, chain_launch<int>(chain_masked<int, kRotated>, 4, threads));
      chain_case("4 rotated, 64-bit", threads,
                 chain_launch<long long>(chain_masked<long long, kRotated>, 4, threads));
      chain_case("4 in an array, 32-bit", threads, chain_launch<int>(chain_masked<int, kArray>, 4, threads));
      chain_case("4 unrolled, two bodies", threads, chain_launch<int>(chain_two_bodies, 4, threads));
      exact_ = true;
      auto unrolled = chain_launch<int>(chain_exact<int, kUnrolled>, 4, threads);
      chain_case("4 unrolled, no checks", threads, unrolled);
      auto rotated = chain_launch<int>(chain_exact<int, kRotated>, 4, threads);
      chain_case("4 rotated, no checks", threads, rotated);
      exact_ = false;
    }
  }

  /// The index forms on [rows, cols], about n elements in all.
  void broadcasts(long long cols) {
    long long rows = (long long)n_ / cols;
    unsigned shift = 0;
    while ((1ull << shift) < (unsigned long long)(cols)) ++shift;
    unsigned magic = unsigned(((1ull << 32) * ((1ull << shift) - cols)) / cols + 1);
    Broadcast b = {x_.get(), r_.get(), c_.get(), y_.get(), rows, cols, 1, magic, shift};
    std::printf(" a[i, j] * r[j] + c[i] on %lld x %lld\n", rows, cols);
    flat("flat, 32-bit division", b, flat_div<unsigned>, 1);
    flat("flat, 64-bit division", b, flat_div<long long>, 1);
    flat("flat, multiply for divide", b, flat_magic, 1);
    flat("flat 4, 32-bit division", b, flat_div4<false>, 4);
    flat("flat 4, multiply for divide", b, flat_div4<true>, 4);
    for (int rows_on_x : {0, 1}) {
      if (!rows_on_x && rows > 65535) continue;
      b.rows_on_x = rows_on_x;
      grid("2-D grid, 32-bit", b, grid_2d<unsigned>, 1, 1);
      grid("2-D grid, 64-bit", b, grid_2d<long long>, 1, 1);
      if (cols % 4) continue;
      grid("2-D grid 4, 32-bit", b, grid_2d4<unsigned, 1>, 4, 1);
      grid("2-D grid 4, 64-bit", b, grid_2d4<long long, 1>, 4, 1);
      grid("2-D grid 4 x 4, 32-bit", b, grid_2d4<unsigned, 4>, 4, 4);
    }
    if (cols > 64) return;
    row_case("thread a row", "", b, dim3(blocks_for(size_t(rows), 256)), dim3(256), row_loop<unsigned>);
  }

 private:
  template <class F>
  void guarded(const char* name, F body) {
    try {
      body();
    } catch (const std::exception& error) {
      std::printf("  %-28s failed: %s\n", name, error.what());
      log_.add(Record().text("label", label_).text("variant", name).text("failed", error.what()));
    }
  }

  /// Aligned and whole; with a tail of 3; both operands off by one element; and only the output off.
  void chain_case(const char* name, int threads, const ChainKernel& kernel) {
    for (const Place& p : kPlaces) {
      if (exact_ && p.tail) continue;
      guarded(name, [&] {
        long long n = (long long)n_ - p.tail;
        auto run = [&] { kernel(x_.get() + p.x, y_.get() + p.y, n); };
        poison(y_.get(), y_.size());
        run();
        check(cudaDeviceSynchronize(), "run");
        unsigned bad = not_finite(y_.get() + p.y, size_t(n));
        double error = chain_error(p.x, p.y, n), ms = time_ms(run);
        Record record = Record().text("what", "chain").text("variant", name).text("place", p.name);
        print(record.number("threads", threads), name, p.name, threads, ms, 8.0 * n, error, bad);
      });
    }
  }

  double chain_error(int dx, int dy, long long n) {
    double worst = 0;
    for (long long at : {0LL, n / 2, n - 65536}) {
      std::vector<float> x = to_host(x_.get() + dx + at, 65536), y = to_host(y_.get() + dy + at, 65536);
      for (size_t i = 0; i < x.size(); ++i) {
        double off = std::fabs(y[i] - chain64(x[i]));
        worst = off <= worst ? worst : off;
      }
    }
    return worst;
  }

  void flat(const char* name, const Broadcast& b, void (*kernel)(Broadcast), unsigned each) {
    row_case(name, "", b, dim3(blocks_for(size_t(b.rows * b.cols), 256 * each)), dim3(256), kernel);
  }

  /// Block x is the power of two that covers the columns, at most 256 threads.
  void grid(const char* name, const Broadcast& b, void (*kernel)(Broadcast), unsigned each, unsigned rows) {
    unsigned x = 1;
    while (x < 256 && x * each < b.cols) x *= 2;
    dim3 block(x, 256 / x);
    unsigned down = blocks_for(size_t(b.rows), block.y * rows), across = blocks_for(size_t(b.cols), x * each);
    dim3 blocks = b.rows_on_x ? dim3(down, across) : dim3(across, down);
    row_case(name, b.rows_on_x ? "rows on x" : "rows on y", b, blocks, block, kernel);
  }

  void row_case(const char* name, const char* place, const Broadcast& b, dim3 blocks, dim3 block,
                void (*kernel)(Broadcast)) {
    guarded(name, [&] {
      auto run = [&] {
        kernel<<<blocks, block>>>(b);
        check(cudaGetLastError(), "launch");
      };
      poison(y_.get(), y_.size());
      run();
      check(cudaDeviceSynchronize(), "run");
      size_t n = size_t(b.rows * b.cols);
      unsigned bad = not_finite(y_.get(), n);
      double bytes = 4.0 * (2.0 * n + double(b.rows + b.cols)), error = broadcast_error(b), ms = time_ms(run);
      Record record = Record().text("what", "broadcast").text("variant", name).text("place", place);
      record.number("rows", double(b.rows)).number("columns", double(b.cols));
      print(record, name, place, int(block.x * block.y), ms, bytes, error, bad);
    });
  }

  double broadcast_error(const Broadcast& b) {
    double worst = 0;
    std::vector<float> r = to_host(b.r, size_t(b.cols));
    for (long long row : {0LL, 1LL, b.rows / 3, b.rows / 2, b.rows - 1}) {
      std::vector<float> a = to_host(b.a + row * b.cols, size_t(b.cols));
      std::vector<float> y = to_host(b.y + row * b.cols, size_t(b.cols)), c = to_host(b.c + row, 1);
      for (size_t j = 0; j < y.size(); ++j) {
        double off = std::fabs(y[j] - (double(a[j]) * r[j] + c[0]));
        worst = off <= worst ? worst : off;
      }
    }
    return worst;
  }

  void print(Record record, const char* name, const char* place, int threads, double ms, double bytes,
             double error, unsigned bad) {
    double share = bytes / ms / copy_;
    bool wrong = bad > 0 || !(error < 3e-5);
    std::printf("  %-28s %-10s %4d threads %8.4f ms %6.1f%% of copy  error %.1e%s\n", name, place, threads,
                ms, 100 * share, error, wrong ? "  WRONG" : "");
    log_.add(record.text("label", label_).number("ms", ms).number("of_copy", share).number("error", error)
                 .number("not_written", bad));
  }

  Log log_;
  std::string label_;
  size_t n_;
  Floats x_, y_, r_, c_;
  double copy_ = 0;
  bool exact_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "usage: elementwise <out.json> <label> [log2 elements]\n"), 2;
  try {
    Run run(argv[1], argv[2], size_t(1) << (argc > 3 ? std::atoi(argv[3]) : 28));
    run.chains();
    if (std::string(argv[2]) == "strict")
      for (long long cols : {16384, 3, 33, 64}) run.broadcasts(cols);
  } catch (const std::exception& error) {
    return std::printf("elementwise: %s\n", error.what()), 1;
  }
}
