# Installs a build into an empty folder and builds and runs tests/package with what lies there.
# Usage: cmake -DBUILD=.. -DSOURCE=.. -DFOLDER=.. -DEXAMPLE=.. -DEXAMPLE_INCLUDES=.. -DCOMPILER=.. -P check_package.cmake
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT code EQUAL 0)
    message("${text}")
    message(FATAL_ERROR "failed with ${code}: ${ARGN}")
  endif()
endfunction()

file(REMOVE_RECURSE "${FOLDER}")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${FOLDER}/prefix")
run("${CMAKE_COMMAND}" -S "${SOURCE}/tests/package" -B "${FOLDER}/build" -G Ninja "-DCMAKE_CXX_COMPILER=${COMPILER}"
    "-DCMAKE_PREFIX_PATH=${FOLDER}/prefix" "-DEXAMPLE=${EXAMPLE}" "-DEXAMPLE_INCLUDES=${EXAMPLE_INCLUDES}")
run("${CMAKE_COMMAND}" --build "${FOLDER}/build")
run("${CMAKE_COMMAND}" -E chdir "${EXAMPLE_INCLUDES}" "${FOLDER}/build/user")
run("${CMAKE_COMMAND}" -E chdir "${EXAMPLE_INCLUDES}" "${FOLDER}/prefix/bin/fuseline" check prices.dsl)
