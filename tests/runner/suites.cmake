# The suites of fuseline_test.

# fl_suite(name [LABELS labels...] COMMAND arguments...)
function(fl_suite name)
  cmake_parse_arguments(SUITE "" "" "LABELS;COMMAND" ${ARGN})
  add_test(NAME ${name} COMMAND fuseline_test ${SUITE_COMMAND} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties(${name} PROPERTIES LABELS "${SUITE_LABELS}" SKIP_RETURN_CODE 77)
endfunction()

fl_suite(golden LABELS quick asan COMMAND tests/golden)
fl_suite(behaviour LABELS quick asan COMMAND tests/behaviour)
fl_suite(behaviour.threads LABELS tsan COMMAND --device cpu-256 tests/behaviour)
fl_suite(random.quick LABELS quick asan COMMAND --random 12)
fl_suite(tables.quick LABELS quick COMMAND --tables --sample 60)
fl_suite(tables COMMAND --tables --sample 10 --seed 2)
fl_suite(random COMMAND --random 240 --seed 1000)
