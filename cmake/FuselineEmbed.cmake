# fl_embed(target symbol file): makes the text of `file` a constant of `target`.
#
# fl_embed(fl_codegen cuda_prelude compiler/codegen/cuda_prelude.cuh) gives the header
# "embedded/cuda_prelude.h" with `fuseline::embedded::kCudaPrelude`, a std::string_view.

set(FUSELINE_EMBED_DIR "${CMAKE_BINARY_DIR}/generated")
set(FUSELINE_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/embed_text.cmake")

# `cuda_prelude` -> `kCudaPrelude`.
function(fl_constant_name symbol result)
  string(REPLACE "_" ";" words "${symbol}")
  set(name "k")
  foreach(word IN LISTS words)
    string(SUBSTRING "${word}" 0 1 head)
    string(SUBSTRING "${word}" 1 -1 tail)
    string(TOUPPER "${head}" head)
    string(APPEND name "${head}${tail}")
  endforeach()
  set(${result} "${name}" PARENT_SCOPE)
endfunction()

function(fl_embed target symbol file)
  get_filename_component(path "${file}" ABSOLUTE BASE_DIR "${PROJECT_SOURCE_DIR}")
  get_target_property(kind ${target} TYPE)
  file(GLOB found CONFIGURE_DEPENDS "${path}")
  if(kind STREQUAL "INTERFACE_LIBRARY" OR NOT found)
    message(STATUS "Not embedded: ${file} (the file or its room is absent)")
    return()
  endif()
  fl_constant_name("${symbol}" constant)
  set(base "${FUSELINE_EMBED_DIR}/embedded/${symbol}")
  add_custom_command(
    OUTPUT "${base}.cpp" "${base}.h"
    COMMAND "${CMAKE_COMMAND}" "-DINPUT=${path}" "-DBASE=${base}" "-DSYMBOL=${symbol}" "-DCONSTANT=${constant}"
            -P "${FUSELINE_EMBED_SCRIPT}"
    DEPENDS "${path}" "${FUSELINE_EMBED_SCRIPT}"
    COMMENT "Embedding ${file}"
    VERBATIM)
  target_sources(${target} PRIVATE "${base}.cpp" "${base}.h")
  target_include_directories(${target} PUBLIC "${FUSELINE_EMBED_DIR}")
endfunction()
