# add_codelets(<target> OUTPUT <file.gp> SOURCES <codelet>... [DEPENDS <header>...])
# Compiles codelets with the engine's popc, the SDK's or ipumodel's. A float that widens to double is slow on a tile
# and rounds differently, so the compiler is asked to point it out.
function(add_codelets target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OUTPUT" "SOURCES;DEPENDS")
  set(flags -O3 -Wall -Wextra -Wdouble-promotion)
  if(POPSCOPE_WERROR)
    list(APPEND flags -Werror)
  endif()
  get_filename_component(directory "${arg_OUTPUT}" DIRECTORY)
  add_custom_command(OUTPUT "${arg_OUTPUT}"
    COMMAND ${CMAKE_COMMAND} -E make_directory "${directory}"
    COMMAND $<TARGET_FILE:popc_bin> ${flags} -I "${PROJECT_SOURCE_DIR}" -o "${arg_OUTPUT}" ${arg_SOURCES}
    DEPENDS ${arg_SOURCES} ${arg_DEPENDS} popc_bin
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
    COMMENT "popc ${arg_OUTPUT}"
    VERBATIM)
  add_custom_target(${target} ALL DEPENDS "${arg_OUTPUT}")
endfunction()
