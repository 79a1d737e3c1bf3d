# The engine's libraries and CMake packages, with the SDK's names and layout: lib/lib<name>.so, bin/popc,
# lib/cmake/<package>. The layout does not follow the platform's conventions, because programs and popc rely on it.
include(CMakePackageConfigHelpers)

set(IPUMODEL_CMAKE_DIR "${CMAKE_CURRENT_LIST_DIR}")

# The SDK release whose public API the headers follow; find_package(poplar 3.0) compares with it.
set(IPUMODEL_API_VERSION 3.4.0)

# Builds all that cmake --install --component ipumodel needs.
add_custom_target(ipumodel)

# install_engine_target(<target> <package>): installs a library or program and exports it without a namespace.
function(install_engine_target target package)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN;$ORIGIN/../lib")
  install(TARGETS ${target} EXPORT ${package}Targets COMPONENT ipumodel
    LIBRARY DESTINATION lib
    RUNTIME DESTINATION bin)
  add_dependencies(ipumodel ${target})
endfunction()

# add_engine_library(<name> PACKAGE <package> [BELOW_POPLAR] [SOURCES <file>...] [LINKS <library>...])
# A shared library on top of poplar, or one that poplar itself may use. LINKS are libraries whose headers its own
# headers include.
function(add_engine_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "BELOW_POPLAR" "PACKAGE" "SOURCES;LINKS")
  configure_file("${IPUMODEL_CMAKE_DIR}/identity.cpp.in" "${CMAKE_CURRENT_BINARY_DIR}/${name}_identity.cpp" @ONLY)
  add_library(${name} SHARED ${arg_SOURCES} "${CMAKE_CURRENT_BINARY_DIR}/${name}_identity.cpp")
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/ipumodel")
  if(arg_BELOW_POPLAR)
    target_include_directories(${name} PUBLIC
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/ipumodel/include>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  else()
    target_link_libraries(${name} PUBLIC poplar ${arg_LINKS})
  endif()
  install_engine_target(${name} ${arg_PACKAGE})
endfunction()

# install_engine_package(<package> [<package it needs>...]): makes find_package(<package>) work in the prefix.
function(install_engine_package package)
  set(dependencies "")
  foreach(dependency IN LISTS ARGN)
    string(APPEND dependencies "find_dependency(${dependency})\n")
  endforeach()
  set(dir "${CMAKE_CURRENT_BINARY_DIR}/packages")
  configure_file("${IPUMODEL_CMAKE_DIR}/PackageConfig.cmake.in" "${dir}/${package}Config.cmake" @ONLY)
  write_basic_package_version_file("${dir}/${package}ConfigVersion.cmake"
    VERSION ${IPUMODEL_API_VERSION} COMPATIBILITY AnyNewerVersion)
  install(FILES "${dir}/${package}Config.cmake" "${dir}/${package}ConfigVersion.cmake"
    DESTINATION lib/cmake/${package} COMPONENT ipumodel)
  install(EXPORT ${package}Targets DESTINATION lib/cmake/${package} COMPONENT ipumodel)
endfunction()
