# POPSCOPE_JOIN_SOURCES: the sources of a folder are compiled as one, so that common headers are read once per folder instead
# of once per source, which saves more than a third of a first build. Names in anonymous namespaces are then those of the
# folder. A source still includes what it uses: the presets dev, asan and tsan compile each alone.
option(POPSCOPE_JOIN_SOURCES "Compile the sources of a folder as one" OFF)

# Sets a variable to whether a source may be compiled with others: not one of Highway, which includes itself once per
# instruction set.
function(may_join variable source)
  file(STRINGS "${source}" own_loop REGEX "hwy/foreach_target" LIMIT_COUNT 1)
  if(own_loop)
    set(${variable} FALSE PARENT_SCOPE)
  else()
    set(${variable} TRUE PARENT_SCOPE)
  endif()
endfunction()

# join_sources(<target>...): for those of the targets that are built here.
function(join_sources)
  if(NOT POPSCOPE_JOIN_SOURCES OR CMAKE_VERSION VERSION_LESS 3.18)
    return()
  endif()
  foreach(target IN LISTS ARGN)
    set(imported TRUE)
    if(TARGET ${target})
      get_target_property(imported ${target} IMPORTED)
    endif()
    if(imported)
      continue()
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    # What it warns of, in headers, does no harm in a source that another one includes.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
    get_target_property(sources ${target} SOURCES)
    get_target_property(directory ${target} SOURCE_DIR)
    list(FILTER sources INCLUDE REGEX "^[^/].*\\.cpp$") # generated ones, which share names, have absolute paths
    foreach(source IN LISTS sources)
      may_join(joins "${directory}/${source}")
      if(joins)
        get_filename_component(folder "${source}" DIRECTORY)
        string(REPLACE "/" "_" group "${target}_${folder}")
        set_source_files_properties("${directory}/${source}" TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP "${group}")
      endif()
    endforeach()
  endforeach()
endfunction()

# compile_quickly(<target>...): those whose speed nobody notices are hardly optimised.
function(compile_quickly)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>)
  endforeach()
endfunction()
