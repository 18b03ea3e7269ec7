# fuseline_bench: the workloads of bench/programs, on any device; bench/peers/run.py puts it beside other libraries.
file(GLOB workload_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/gpu/*.cpp")
add_executable(fuseline_bench ${workload_sources})
target_link_libraries(fuseline_bench PRIVATE fl_script CLI11::CLI11)

# fl_bench: every bench/*.cpp in one Google Benchmark program.
find_package(benchmark REQUIRED)
file(GLOB bench_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/*.cpp")
if(bench_sources)
  add_executable(fl_bench ${bench_sources})
  target_link_libraries(fl_bench PRIVATE fl_script benchmark::benchmark_main)
  # Loops by hand get what a programmer would ask for.
  set_source_files_properties("${PROJECT_SOURCE_DIR}/bench/cpu_by_hand.cpp" PROPERTIES COMPILE_OPTIONS
                              "-O3;-march=native")
endif()
