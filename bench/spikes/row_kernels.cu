// Softmax over rows: launch-time geometry against compile-time row classes, one column count a process.
// Usage: row_kernels <out.json> <columns> [log2 of the total elements, default 28]
#include <chrono>
#include <cstdlib>
#include <set>
#include <tuple>

#include "bench.cuh"
#include "softmax.cuh"

using namespace spikes;

namespace {

struct Geometry {
  int lanes, rows, cluster;  ///< threads a row and block, rows a block, blocks a row
  auto key() const { return std::tuple(lanes, rows, cluster); }
};

/// Dynamic shared bytes for a row of `span` elements (columns, and 3 where rows are not 16-byte aligned);
/// -1 when the row does not fit.
using Fit = int (*)(int span, Geometry);

struct Kernel {
  const char* name;
  const void* entry;
  Fit fit;
  std::vector<int> modes;
  Geometry fixed;  ///< lanes 0: any geometry
};

struct Case {
  const Kernel* kernel;
  Geometry geometry;
  int mode;
  double ms;
};

int items_of(int span, Geometry g) {
  int stride = 4 * g.lanes * g.cluster;
  return (span + stride - 1) / stride;
}

template <int kItems>
int fits_regs(int span, Geometry g) {
  return items_of(span, g) <= kItems ? 0 : -1;
}
int fits_shared(int span, Geometry g) {
  int bytes = 16 * items_of(span, g) * g.lanes * g.rows;
  return bytes <= 200 * 1024 ? bytes : -1;
}
int fits_staged(int span, Geometry g) {
  int bytes = g.rows * (((span + g.cluster - 1) / g.cluster + 3) / 4 * 4 + 8) * 4;
  return bytes <= 200 * 1024 ? bytes : -1;
}
int fits_always(int, Geometry g) { return g.cluster == 1 ? 0 : -1; }

std::vector<Kernel> any_kernels() {
  std::vector<int> all = {kFrame, kStrided, kOwned}, frame = {kFrame};
  auto regs8 = reinterpret_cast<const void*>(softmax_regs<8, 0, 0, 0, kRunTime>);
  auto regs4 = reinterpret_cast<const void*>(softmax_regs<4, 0, 0, 0, kRunTime>);
  auto plain = reinterpret_cast<const void*>(softmax_shared<false>);
  auto async = reinterpret_cast<const void*>(softmax_shared<true>);
  auto staged = reinterpret_cast<const void*>(softmax_staged);
  auto reread = reinterpret_cast<const void*>(softmax_reread);
  return {{"any: registers, 8 vectors", regs8, fits_regs<8>, all, {}},
          {"any: registers, 4 vectors", regs4, fits_regs<4>, all, {}},
          {"any: shared", plain, fits_shared, all, {}},
          {"any: shared, cp.async", async, fits_shared, frame, {}},
          {"any: staged, by index", staged, fits_staged, frame, {}},
          {"any: read again", reread, fits_always, frame, {}}};
}

/// A row class (items, lanes, cluster compiled in) and the same with the column count compiled in too.
template <int kCols, int kItems, int kLanes, int kCluster>
void add_class(int cols, std::vector<Kernel>& out) {
  if (cols != kCols) return;
  Geometry g = {kLanes, threads_for(kLanes) / kLanes, kCluster};
  auto row_class = softmax_regs<kItems, kLanes, kCluster, 0, kRunTime>;
  auto exact = softmax_regs<kItems, kLanes, kCluster, kCols, kFrame>;
  out.push_back(
      {"class", reinterpret_cast<const void*>(row_class), fits_regs<kItems>, {kFrame, kStrided}, g});
  out.push_back({"exact columns", reinterpret_cast<const void*>(exact), fits_regs<kItems>, {kFrame}, g});
}

std::vector<Kernel> class_kernels(int cols) {
  std::vector<Kernel> out;
  add_class<33, 1, 16, 1>(cols, out), add_class<33, 2, 8, 1>(cols, out);
  add_class<100, 1, 32, 1>(cols, out), add_class<100, 4, 8, 1>(cols, out);
  add_class<1000, 8, 32, 1>(cols, out), add_class<1000, 2, 128, 1>(cols, out);
  add_class<1024, 8, 32, 1>(cols, out), add_class<1024, 2, 128, 1>(cols, out);
  add_class<1025, 9, 32, 1>(cols, out), add_class<1025, 3, 128, 1>(cols, out);
  add_class<4096, 8, 128, 1>(cols, out), add_class<4096, 4, 256, 1>(cols, out);
  add_class<8192, 8, 256, 1>(cols, out), add_class<8192, 2, 1024, 1>(cols, out);
  add_class<12345, 8, 416, 1>(cols, out), add_class<12345, 4, 800, 1>(cols, out);
  add_class<32768, 8, 1024, 1>(cols, out), add_class<32768, 4, 256, 8>(cols, out);
  add_class<131072, 4, 1024, 8>(cols, out), add_class<131072, 8, 512, 8>(cols, out);
  return out;
}

/// Threads a row so that each holds at most `items` vectors: a power of two below a warp, else whole warps.
int lanes_for(int span, int items, int cluster) {
  int share = ((span + 3) / 4 + items * cluster - 1) / (items * cluster), lanes = 1;
  while (lanes < 32 && lanes < share) lanes *= 2;
  return lanes < share ? (share + 31) / 32 * 32 : lanes;
}

std::vector<Geometry> geometries(int span) {
  std::vector<Geometry> out;
  std::set<std::tuple<int, int, int>> seen;
  for (int cluster = 1; cluster <= (span >= 8192 ? 8 : 1); cluster *= 2) {
    for (int items : {1, 2, 4, 8, 16}) {
      int lanes = lanes_for(span, items, cluster);
      for (int threads : {128, 256, 512}) {
        Geometry g = {lanes, std::max(1, threads / lanes), cluster};
        bool possible = lanes <= 1024 && (cluster == 1 || g.rows == 1);
        if (possible && seen.insert(g.key()).second) out.push_back(g);
      }
    }
  }
  return out;
}

class Run {
 public:
  Run(const char* json, int cols, size_t total)
      : log_(json), cols_(cols), rows_((long long)(total / cols)), x_(total + 4), y_(total + 4) {
    seed_ = unsigned(std::chrono::steady_clock::now().time_since_epoch().count());
    randomize(x_, -4, 4, seed_);
    copy_ = copy_rate(x_.get(), y_.get(), total);
    std::printf("softmax %lld x %d, copy %.0f GB/s\n", rows_, cols_, copy_ * 1e-6);
  }

  void all() {
    for (const Kernel& kernel : any_kernels()) guarded(kernel, [&] { any(kernel); });
    for (const Kernel& kernel : class_kernels(cols_))
      for (int mode : kernel.modes) guarded(kernel, [&] { report({&kernel, kernel.fixed, mode, 0}, 0); });
    // The same bases one element off: every row starts at 4 bytes past a 16-byte boundary.
    std::vector<Kernel> any = any_kernels();
    if (cols_ % 4 == 0)
      for (size_t k : {0, 3, 4})
        guarded(any[k], [&] { report(best(any[k], kFrame, geometries(span(1)), 1).front(), 1); });
    double again = copy_rate(x_.get(), y_.get(), x_.size() / 512 * 512);
    std::printf("  copy at the end %.0f GB/s\n", again * 1e-6);
    log_.add(Record().text("what", "copy").number("columns", cols_).number("GB/s", copy_ * 1e-6)
                 .number("GB/s at end", again * 1e-6));
  }

 private:
  template <class F>
  void guarded(const Kernel& kernel, F body) {
    try {
      body();
    } catch (const std::exception& error) {
      std::printf("  %-28s failed: %s\n", kernel.name, error.what());
      log_.add(Record().text("what", "softmax").text("variant", kernel.name).number("columns", cols_)
                   .text("failed", error.what()));
    }
  }

  int span(int shift) const { return cols_ + (shift || cols_ % 4 ? 3 : 0); }

  void launch(const Case& c, int shift) {
    Rows a = {x_.get() + shift, y_.get() + shift, rows_, cols_, c.mode};
    int bytes = c.kernel->fit(span(shift), c.geometry);
    if (bytes < 0) throw std::runtime_error("the row does not fit");
    if (bytes > 48 * 1024) {
      auto limit = cudaFuncAttributeMaxDynamicSharedMemorySize;
      check(cudaFuncSetAttribute(c.kernel->entry, limit, bytes), "shared size");
    }
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {unsigned(c.geometry.cluster), 1, 1};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(unsigned((rows_ + c.geometry.rows - 1) / c.geometry.rows * c.geometry.cluster));
    config.blockDim = dim3(unsigned(c.geometry.lanes), unsigned(c.geometry.rows));
    config.dynamicSmemBytes = size_t(bytes);
    config.attrs = &cluster;
    config.numAttrs = c.geometry.cluster > 1;
    void* args[] = {&a};
    check(cudaLaunchKernelExC(&config, c.kernel->entry, args), "launch");
  }

  /// All geometries that fit, in the order of their time (two runs each).
  std::vector<Case> best(const Kernel& kernel, int mode, const std::vector<Geometry>& tries, int shift = 0) {
    std::vector<Case> out;
    std::string refused = "no geometry fits";
    for (const Geometry& g : tries) {
      if (kernel.fit(span(shift), g) < 0) continue;
      Case c = {&kernel, g, mode, 0};
      try {
        c.ms = time_ms([&] { launch(c, shift); }, 2, 1);
        out.push_back(c);
      } catch (const std::exception& error) {
        refused = error.what();
      }
    }
    if (out.empty()) throw std::runtime_error(refused);
    std::sort(out.begin(), out.end(), [](const Case& a, const Case& b) { return a.ms < b.ms; });
    return out;
  }

  void any(const Kernel& kernel) {
    std::vector<Case> order = best(kernel, kFrame, geometries(span(0)));
    std::vector<Geometry> top;
    for (size_t i = 0; i < order.size() && i < 6; ++i) top.push_back(order[i].geometry);
    for (int mode : kernel.modes) report(mode == kFrame ? order.front() : best(kernel, mode, top).front(), 0);
  }

  void report(Case c, int shift) {
    poison(y_.get(), y_.size());
    launch(c, shift);
    check(cudaDeviceSynchronize(), "run");
    double error = worst_error(shift);
    unsigned bad = not_finite(y_.get() + shift, size_t(rows_) * cols_);
    c.ms = time_ms([&] { launch(c, shift); });
    double share = 2.0 * rows_ * cols_ * sizeof(float) / c.ms / copy_;
    bool wrong = bad > 0 || !(error < 1e-5);
    const char* mode = c.mode == kFrame ? "16-byte" : c.mode == kStrided ? "strided" : "owned";
    std::printf("  %-28s %-8s %s %4d lanes x %3d rows, cluster %d  %8.4f ms %6.1f%% of copy  error %.1e%s\n",
                c.kernel->name, mode, shift ? "off by 4" : "        ", c.geometry.lanes, c.geometry.rows,
                c.geometry.cluster, c.ms, 100 * share, error, wrong ? "  WRONG" : "");
    log_.add(Record().text("what", "softmax").text("variant", c.kernel->name).text("mode", mode)
                 .number("columns", cols_).number("rows", double(rows_)).number("shift", shift)
                 .number("lanes", c.geometry.lanes).number("rows_per_block", c.geometry.rows)
                 .number("cluster", c.geometry.cluster).number("ms", c.ms).number("of_copy", share)
                 .number("error", error).number("not_written", bad));
  }

  /// The largest relative error in five rows against a float64 softmax.
  double worst_error(int shift) {
    double worst = 0;
    for (long long row : {0LL, 1LL, rows_ / 3, rows_ / 2 + 1, rows_ - 1}) {
      size_t at = size_t(row) * cols_ + shift;
      std::vector<float> x = to_host(x_.get() + at, cols_), y = to_host(y_.get() + at, cols_);
      double top = *std::max_element(x.begin(), x.end()), sum = 0;
      for (float v : x) sum += std::exp(v - top);
      for (int i = 0; i < cols_; ++i) {
        double want = std::exp(x[i] - top) / sum, off = std::fabs(y[i] - want) / want;
        worst = off <= worst ? worst : off;
      }
    }
    return worst;
  }

  Log log_;
  int cols_;
  long long rows_;
  Floats x_, y_;
  unsigned seed_ = 0;
  double copy_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "usage: row_kernels <out.json> <columns> [log2 total]\n"), 2;
  try {
    size_t total = size_t(1) << (argc > 3 ? std::atoi(argv[3]) : 28);
    Run(argv[1], std::atoi(argv[2]), total).all();
  } catch (const std::exception& error) {
    return std::printf("row_kernels %s: %s\n", argv[2], error.what()), 1;
  }
}
