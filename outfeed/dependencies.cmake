# What popscope::outfeed needs.
find_dependency(poplar)
find_dependency(poplibs)
find_dependency(gcl)
if(NOT TARGET popscope::summary)
  include("${CMAKE_CURRENT_LIST_DIR}/popscope-summary-dependencies.cmake")
  include("${CMAKE_CURRENT_LIST_DIR}/popscope-summary-targets.cmake")
endif()
