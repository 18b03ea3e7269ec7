# Installation: the command, the public headers, and the name that other CMake projects link.
include(GNUInstallDirs)
add_library(fuseline_library INTERFACE)
add_library(fuseline::fuseline ALIAS fuseline_library)
target_link_libraries(fuseline_library INTERFACE fl_session)

if(TARGET fuseline)
  install(TARGETS fuseline RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
install(DIRECTORY include/fuseline DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" OPTIONAL)
