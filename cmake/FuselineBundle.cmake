# The one program of the GPU bundle: the command, the test runner and the benchmark in one file, so that LLVM is
# there once. It is the command, or what its first argument names, --as-test-runner or --as-bench
# (see cmake/bundle_main.cpp).

file(GLOB_RECURSE bundle_cli CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cli/*.cpp")
file(GLOB_RECURSE bundle_runner CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/runner/*.cpp")
file(GLOB bundle_bench CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/gpu/*.cpp")
set(cli_main "${PROJECT_SOURCE_DIR}/cli/main.cpp")
set(runner_main "${PROJECT_SOURCE_DIR}/tests/runner/main.cpp")
set(bench_main "${PROJECT_SOURCE_DIR}/bench/gpu/fuseline_bench.cpp")
set_source_files_properties("${cli_main}" PROPERTIES COMPILE_DEFINITIONS main=fuseline_cli_main)
set_source_files_properties("${runner_main}" PROPERTIES COMPILE_DEFINITIONS main=fuseline_test_main)
set_source_files_properties("${bench_main}" PROPERTIES COMPILE_DEFINITIONS main=fuseline_bench_main)

add_executable(fuseline_bundle cmake/bundle_main.cpp ${bundle_cli} ${bundle_runner} ${bundle_bench})
target_link_libraries(fuseline_bundle PRIVATE fl_fakes fl_script fl_headers fl::mpfr CLI11::CLI11)
# The old kind of run path also serves the libraries that a carried library needs in turn.
target_compile_options(fuseline_bundle PRIVATE -Wno-error)
target_link_options(fuseline_bundle PRIVATE -Wl,--strip-all -Wl,--disable-new-dtags)
set_target_properties(fuseline_bundle PROPERTIES OUTPUT_NAME fuseline BUILD_RPATH "$ORIGIN/../lib")
