# fl_bench: every bench/*.cpp in one Google Benchmark program.
find_package(benchmark REQUIRED)
file(GLOB bench_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/*.cpp")
if(bench_sources)
  add_executable(fl_bench ${bench_sources})
  target_link_libraries(fl_bench PRIVATE fl_script benchmark::benchmark_main)
endif()
