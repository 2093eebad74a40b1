# What `cmake --install` lays down: headers, both libraries, a pkg-config file and a CMake package.
# The package also works from the build tree (tarry_DIR is the build folder).

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tarry)

install(TARGETS tarry tarry_static EXPORT tarryTargets)
install(DIRECTORY include/tarry DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT tarryTargets NAMESPACE tarry:: DESTINATION ${package_dir})
export(EXPORT tarryTargets NAMESPACE tarry:: FILE ${PROJECT_BINARY_DIR}/tarryTargets.cmake)

configure_package_config_file(cmake/tarryConfig.cmake.in ${PROJECT_BINARY_DIR}/tarryConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tarryConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tarryConfig.cmake
              ${PROJECT_BINARY_DIR}/tarryConfigVersion.cmake
        DESTINATION ${package_dir})

# The pkg-config file finds the prefix from where it lies, so that the tree may be staged and moved.
file(RELATIVE_PATH TARRY_PC_UP ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
foreach(name LIBDIR INCLUDEDIR)
  set(TARRY_PC_${name} "\${prefix}")
  cmake_path(APPEND TARRY_PC_${name} ${CMAKE_INSTALL_${name}})
endforeach()
set(TARRY_PC_LIBS_PRIVATE -pthread)
if(TARRY_JEMALLOC)
  # What a static jemalloc needs comes with it.
  string(PREPEND TARRY_PC_LIBS_PRIVATE "-ljemalloc -lm -lstdc++ ")
endif()
configure_file(tarry.pc.in ${PROJECT_BINARY_DIR}/tarry.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tarry.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
