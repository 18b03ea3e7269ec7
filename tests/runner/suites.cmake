# The suites of fuseline_test.
set(suite_folder "${PROJECT_SOURCE_DIR}/tests")

# fl_suite(name LABELS labels... COMMAND arguments...)
function(fl_suite name)
  cmake_parse_arguments(SUITE "" "TIMEOUT" "LABELS;COMMAND" ${ARGN})
  add_test(NAME ${name} COMMAND fuseline_test ${SUITE_COMMAND} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties(${name} PROPERTIES LABELS "${SUITE_LABELS}" SKIP_RETURN_CODE 77)
endfunction()

fl_suite(golden LABELS quick asan COMMAND tests/golden)
fl_suite(behaviour LABELS quick asan tsan COMMAND tests/behaviour)
