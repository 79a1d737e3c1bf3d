# popscope::sdk is Poplar and PopLibs, from the installed SDK or from ipumodel/; no room can tell which.
if(NOT POPSCOPE_ENGINE MATCHES "^(auto|sdk|ipumodel)$")
  message(FATAL_ERROR "POPSCOPE_ENGINE is '${POPSCOPE_ENGINE}'; use auto, sdk or ipumodel")
endif()

add_library(popscope_sdk INTERFACE)
add_library(popscope::sdk ALIAS popscope_sdk)

if(POPSCOPE_ENGINE STREQUAL "auto")
  find_package(poplar QUIET)
  find_package(poplibs QUIET)
elseif(POPSCOPE_ENGINE STREQUAL "sdk")
  find_package(poplar REQUIRED)
  find_package(poplibs REQUIRED)
endif()

if(NOT POPSCOPE_ENGINE STREQUAL "ipumodel" AND poplar_FOUND AND poplibs_FOUND)
  set(POPSCOPE_ENGINE_USED sdk)
else()
  set(POPSCOPE_ENGINE_USED ipumodel)
  add_subdirectory(ipumodel)
endif()
target_link_libraries(popscope_sdk INTERFACE poplar)
message(STATUS "PopScope engine: ${POPSCOPE_ENGINE_USED}")
