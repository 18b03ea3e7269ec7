# Compiler settings shared by every target: standard, warnings, arithmetic, sanitizers, cache, linker.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")

# Assertions stay on: a broken internal invariant must not become a wrong number. Debug data is limited to
# line tables, which backtraces need and which halve link time.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1")

add_compile_options(-Wall -Wextra)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 sees uninitialised members in every moved std::variant.
  add_compile_options(-Wno-maybe-uninitialized)
endif()
# Debian 12's compiler decides what is an error; other versions warn about other things.
if(FUSELINE_WERROR AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options(-Werror)
endif()

# Host arithmetic is the reference for every back end: the compiler must not fuse a multiply with an add.
add_compile_options(-ffp-contract=off)

if(FUSELINE_SANITIZE)
  add_compile_options(-fsanitize=${FUSELINE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  # Kernels made at run time do not carry the type that clang reads before a call through a pointer.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND FUSELINE_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize=function)
  endif()
  add_link_options(-fsanitize=${FUSELINE_SANITIZE})
endif()

find_program(FUSELINE_CCACHE ccache)
if(FUSELINE_CCACHE AND (NOT CMAKE_CXX_COMPILER_LAUNCHER OR CMAKE_CXX_COMPILER_LAUNCHER STREQUAL "ccache"))
  # Precompiled headers carry time stamps, which ccache must be told to overlook.
  set(CMAKE_CXX_COMPILER_LAUNCHER env "CCACHE_SLOPPINESS=pch_defines,time_macros" "${FUSELINE_CCACHE}")
endif()

find_program(FUSELINE_LLD NAMES ld.lld-19 ld.lld)
if(FUSELINE_LLD)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_link_options("--ld-path=${FUSELINE_LLD}")
  else()
    # g++ finds only a linker that is named ld.lld, so a folder with that one name is put first.
    file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/linker")
    file(CREATE_LINK "${FUSELINE_LLD}" "${CMAKE_BINARY_DIR}/linker/ld.lld" SYMBOLIC)
    add_link_options("-B${CMAKE_BINARY_DIR}/linker" -fuse-ld=lld)
  endif()
endif()
add_link_options(-Wl,--as-needed)
