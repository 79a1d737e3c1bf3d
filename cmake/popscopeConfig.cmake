# find_package(popscope [COMPONENTS <room>...]): defines popscope::<room> for each, for all that are installed if none
# is named. Each room installs popscope-<room>-dependencies.cmake and popscope-<room>-targets.cmake.
include(CMakeFindDependencyMacro)

if(NOT popscope_FIND_COMPONENTS)
  file(GLOB _popscope_installed RELATIVE "${CMAKE_CURRENT_LIST_DIR}" "${CMAKE_CURRENT_LIST_DIR}/popscope-*-dependencies.cmake")
  list(TRANSFORM _popscope_installed REPLACE "popscope-(.*)-dependencies.cmake" "\\1"
    OUTPUT_VARIABLE popscope_FIND_COMPONENTS)
endif()

foreach(_popscope_room IN LISTS popscope_FIND_COMPONENTS)
  set(_popscope_prefix "${CMAKE_CURRENT_LIST_DIR}/popscope-${_popscope_room}")
  if(EXISTS "${_popscope_prefix}-targets.cmake")
    include("${_popscope_prefix}-dependencies.cmake")
    include("${_popscope_prefix}-targets.cmake")
    set(popscope_${_popscope_room}_FOUND TRUE)
  elseif(popscope_FIND_REQUIRED_${_popscope_room})
    set(popscope_FOUND FALSE)
    set(popscope_NOT_FOUND_MESSAGE "PopScope is installed without the component ${_popscope_room}")
  endif()
endforeach()
