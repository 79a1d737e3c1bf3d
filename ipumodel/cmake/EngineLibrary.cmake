# The engine's libraries and CMake packages, with the SDK's names and layout: lib/lib<name>.so, bin/popc,
# lib/cmake/<package>. The layout does not follow the platform's conventions, because programs and popc rely on it.
include(CMakePackageConfigHelpers)

set(IPUMODEL_CMAKE_DIR "${CMAKE_CURRENT_LIST_DIR}")

# The SDK release whose public API the headers follow; find_package(poplar 3.0) compares with it.
set(IPUMODEL_API_VERSION 3.4.0)

# Builds all that cmake --install --component ipumodel needs.
add_custom_target(ipumodel)

set_property(GLOBAL PROPERTY IPUMODEL_PUBLIC_NAMESPACES
  poplar poputil popops poplin popnn poprand popsparse popfloat gcl gccs popdist pva pvti)

# append_exports(<variable> <enclosing namespace or ""> <name>...): appends the symbols of namespaces, classes or functions,
# as patterns of mangled names: functions, then what the compiler adds to a class (typeinfo, tables, thunks).
function(append_exports variable namespace)
  set(patterns "${${variable}}")
  set(prefix "")
  if(namespace)
    string(LENGTH "${namespace}" length)
    set(prefix "${length}${namespace}")
  endif()
  foreach(name IN LISTS ARGN)
    string(LENGTH "${name}" length)
    set(nested "${prefix}${length}${name}*")
    if(name STREQUAL "operator==")
      set(nested "${prefix}eq*")
    endif()
    string(APPEND patterns "    _ZN${nested}; _ZN[KVRO]${nested}; _ZT[ISVTC]N${nested}; _ZTh*_N*${nested}; _ZGVZN*${nested};\n")
  endforeach()
  set(${variable} "${patterns}" PARENT_SCOPE)
endfunction()

# hide_internals(<library> [<name>...]): the library shows the public namespaces only, and those internal classes and
# functions, of namespace ipumodel, that libraries above it use. A name that is missing here is reported as undefined
# when such a library is linked.
function(hide_internals library)
  set(exports "")
  get_property(namespaces GLOBAL PROPERTY IPUMODEL_PUBLIC_NAMESPACES)
  append_exports(exports "" ${namespaces})
  append_exports(exports ipumodel ${ARGN})
  set_property(GLOBAL APPEND PROPERTY IPUMODEL_SHARED_INTERNALS ${ARGN})
  set(script "${CMAKE_CURRENT_BINARY_DIR}/${library}.exports")
  file(WRITE "${script}.new" "{\n  global:\n${exports}    ipumodel_*_version;\n  local: *;\n};\n")
  configure_file("${script}.new" "${script}" COPYONLY)
  target_link_options(${library} PRIVATE "LINKER:--version-script=${script}")
  if(NOT POPSCOPE_SANITIZE) # its runtime is in the program
    target_link_options(${library} PRIVATE LINKER:-z,defs)
  endif()
  set_property(TARGET ${library} APPEND PROPERTY LINK_DEPENDS "${script}")
endfunction()

# install_engine_target(<target> <package>): installs a library or program and exports it without a namespace.
function(install_engine_target target package)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN;$ORIGIN/../lib")
  install(TARGETS ${target} EXPORT ${package}Targets COMPONENT ipumodel
    LIBRARY DESTINATION lib
    RUNTIME DESTINATION bin)
  add_dependencies(ipumodel ${target})
endfunction()

# add_engine_library(<name> PACKAGE <package> [BELOW_POPLAR] [SOURCES <file>...] [LINKS <library>...] [SHARES <name>...])
# A shared library on top of poplar, or one that poplar itself may use. LINKS are libraries whose headers its own
# headers include; SHARES are its internals that other libraries use.
function(add_engine_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "BELOW_POPLAR" "PACKAGE" "SOURCES;LINKS;SHARES")
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
  hide_internals(${name} ${arg_SHARES})
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
