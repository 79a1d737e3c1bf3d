# add_codelets(<target> OUTPUT <file.gp> SOURCES <codelet>...)
# Compiles codelets with popc, the SDK's or ipumodel's, again whenever a source or a header it includes has changed. The
# C++ compiler lists those headers, because the SDK does not say whether its popc can. A float that widens to double is
# slow on a tile and rounds differently, so the compiler warns of it.
if(POLICY CMP0116)
  cmake_policy(SET CMP0116 NEW) # absolute paths in a DEPFILE
endif()

function(add_codelets target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OUTPUT" "SOURCES")
  set(flags -O3 -Wall -Wextra -Wdouble-promotion)
  if(POPSCOPE_WERROR)
    list(APPEND flags -Werror)
  endif()
  get_filename_component(directory "${arg_OUTPUT}" DIRECTORY)

  # One list for all sources needs one file that includes them all.
  set(all "${CMAKE_CURRENT_BINARY_DIR}/${target}_sources.cpp")
  set(includes "")
  foreach(source IN LISTS arg_SOURCES)
    string(APPEND includes "#include \"${CMAKE_CURRENT_SOURCE_DIR}/${source}\"\n")
  endforeach()
  file(GENERATE OUTPUT "${all}" CONTENT "${includes}")
  set(rule_name "${arg_OUTPUT}")
  if(NOT POLICY CMP0116)
    file(RELATIVE_PATH rule_name "${CMAKE_BINARY_DIR}" "${arg_OUTPUT}")
  endif()
  set(poplar_includes "$<TARGET_PROPERTY:poplar,INTERFACE_INCLUDE_DIRECTORIES>")

  add_custom_command(OUTPUT "${arg_OUTPUT}"
    COMMAND ${CMAKE_COMMAND} -E make_directory "${directory}"
    COMMAND ${CMAKE_CXX_COMPILER} -std=c++17 -D__POPC__ -I "${PROJECT_SOURCE_DIR}"
      "$<$<BOOL:${poplar_includes}>:-I;$<JOIN:${poplar_includes},;-I;>>" -MM -MT "${rule_name}" -MF "${all}.d" "${all}"
    COMMAND $<TARGET_FILE:popc_bin> ${flags} -I "${PROJECT_SOURCE_DIR}" -o "${arg_OUTPUT}" ${arg_SOURCES}
    DEPENDS ${arg_SOURCES} popc_bin
    DEPFILE "${all}.d"
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
    COMMENT "popc ${arg_OUTPUT}"
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(${target} ALL DEPENDS "${arg_OUTPUT}")
endfunction()
