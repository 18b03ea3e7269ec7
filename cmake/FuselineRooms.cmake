# The rooms and what each may see. tests/structure/check_includes.py holds the same arrows for #include lines.

# fl_room(name folder LINKS targets... PRIVATE targets...): the library `fl_<name>` of all sources under `folder`.
# A room without sources yet becomes an interface library, so that the tree configures from the first file on.
function(fl_room name folder)
  cmake_parse_arguments(ROOM "" "" "LINKS;PRIVATE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${folder}/*.cpp")
  if(sources)
    add_library(fl_${name} STATIC ${sources})
    target_link_libraries(fl_${name} PUBLIC ${ROOM_LINKS} PRIVATE ${ROOM_PRIVATE})
    set(scope PUBLIC)
  else()
    add_library(fl_${name} INTERFACE)
    target_link_libraries(fl_${name} INTERFACE ${ROOM_LINKS})
    set(scope INTERFACE)
  endif()
  target_include_directories(fl_${name} ${scope} "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/include")
endfunction()

fl_room(support compiler/support LINKS fmt::fmt fl::xxhash nlohmann_json::nlohmann_json)
fl_room(ops compiler/ops LINKS fl_support fl::gmpxx)
fl_room(ir compiler/ir LINKS fl_ops)
fl_room(passes compiler/passes LINKS fl_ir)
fl_room(schedule compiler/schedule LINKS fl_passes)
fl_room(codegen compiler/codegen LINKS fl_ir)
fl_room(interpreter compiler/interpreter LINKS fl_ir)
fl_room(dsl dsl LINKS fl_ir)
fl_room(pipeline compiler/pipeline LINKS fl_schedule fl_codegen fl_interpreter fl_dsl)

fl_room(io runtime/io LINKS fl_ops PRIVATE fl::png fl::zlib)
fl_room(device runtime/device LINKS fl_codegen)
fl_room(cache runtime/cache LINKS fl_device)
fl_room(cuda runtime/cuda LINKS fl_device PRIVATE ${CMAKE_DL_LIBS} Threads::Threads)
fl_room(cpu runtime/cpu LINKS fl_device PRIVATE fl_llvm fl::sleef ${CMAKE_DL_LIBS} Threads::Threads)
fl_room(session runtime/session LINKS fl_pipeline fl_io fl_cache fl_cuda fl_cpu PRIVATE Threads::Threads)
fl_room(script runtime/script LINKS fl_session)

get_target_property(cpu_kind fl_cpu TYPE)
if(NOT cpu_kind STREQUAL "INTERFACE_LIBRARY")
  if(FUSELINE_PLAIN_THREADS)
    target_compile_definitions(fl_cpu PRIVATE FUSELINE_PLAIN_THREADS)
  else()
    target_link_libraries(fl_cpu PRIVATE TBB::tbb)
  endif()
endif()

# Device-side text of the emitters: every *.cuh and *.ll of the room, under its own stem.
file(GLOB device_texts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/compiler/codegen/*.cuh"
     "${PROJECT_SOURCE_DIR}/compiler/codegen/*.ll")
foreach(text IN LISTS device_texts)
  get_filename_component(stem "${text}" NAME_WE)
  fl_embed(fl_codegen ${stem} "${text}")
endforeach()
fl_embed(fl_dsl dsl_prelude dsl/prelude.dsl)

# The headers of every library, whose versions `fuseline --version` tells.
add_library(fl_headers INTERFACE)
target_link_libraries(fl_headers INTERFACE fl::gmpxx fl::png fl::zlib fl::xxhash nlohmann_json::nlohmann_json)
if(FUSELINE_PLAIN_THREADS)
  target_compile_definitions(fl_headers INTERFACE FUSELINE_PLAIN_THREADS)
else()
  target_link_libraries(fl_headers INTERFACE TBB::tbb)
endif()

# The command: a library of all but main.cpp, which tests may link, and the program.
file(GLOB_RECURSE cli_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cli/*.cpp")
set(cli_main "${PROJECT_SOURCE_DIR}/cli/main.cpp")
list(REMOVE_ITEM cli_sources "${cli_main}")
if(EXISTS "${cli_main}" AND NOT FUSELINE_BUNDLE)
  add_executable(fuseline "${cli_main}" ${cli_sources})
  target_link_libraries(fuseline PRIVATE fl_script fl_headers CLI11::CLI11)
endif()
