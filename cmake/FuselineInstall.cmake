# Installation: the command, one shared library with the public headers, and the package that other CMake projects
# find: find_package(Fuseline), then link Fuseline::fuseline.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

if(NOT FUSELINE_BUNDLE)
  # All rooms in one library, so that a user links nothing else.
  add_library(fuseline_library SHARED "${PROJECT_SOURCE_DIR}/cmake/shared_library.cpp")
  add_library(Fuseline::fuseline ALIAS fuseline_library)
  set_target_properties(fuseline_library PROPERTIES OUTPUT_NAME fuseline EXPORT_NAME fuseline
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
  target_compile_features(fuseline_library INTERFACE cxx_std_20)
  target_include_directories(fuseline_library INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(fuseline_library PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,fl_session>)

  set(FUSELINE_PACKAGE_FOLDER "${CMAKE_INSTALL_LIBDIR}/cmake/Fuseline")
  install(TARGETS fuseline_library EXPORT FuselineTargets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(EXPORT FuselineTargets NAMESPACE Fuseline:: DESTINATION "${FUSELINE_PACKAGE_FOLDER}"
    FILE FuselineTargets.cmake)
  configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/FuselineConfig.cmake.in"
    "${CMAKE_BINARY_DIR}/FuselineConfig.cmake" INSTALL_DESTINATION "${FUSELINE_PACKAGE_FOLDER}")
  write_basic_package_version_file("${CMAKE_BINARY_DIR}/FuselineConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion)
  install(FILES "${CMAKE_BINARY_DIR}/FuselineConfig.cmake" "${CMAKE_BINARY_DIR}/FuselineConfigVersion.cmake"
    DESTINATION "${FUSELINE_PACKAGE_FOLDER}")
endif()

if(TARGET fuseline)
  install(TARGETS fuseline RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
install(DIRECTORY include/fuseline DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
