# add_room_test(<name> LABEL unit|device|e2e [THREADS] SOURCES <file>... LINKS <library>...)
# A GoogleTest program whose tests ctest runs one by one. unit: milliseconds, no Poplar; device: runs programs on a
# Poplar device; e2e: runs installed or built programs. THREADS: some of its subjects have threads.
# The targets unit_tests and thread_tests build all tests that are of the label unit, or have threads.
include(GoogleTest)

add_custom_target(unit_tests)
add_custom_target(thread_tests)

function(add_room_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "THREADS" "LABEL" "SOURCES;LINKS")
  set(labels ${arg_LABEL})
  if(arg_LABEL STREQUAL "unit")
    add_dependencies(unit_tests ${name})
  endif()
  if(arg_THREADS)
    list(APPEND labels threads)
    add_dependencies(thread_tests ${name})
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE ${arg_LINKS} GTest::gmock GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 120 PROPERTIES LABELS "${labels}" TIMEOUT 300)
endfunction()
