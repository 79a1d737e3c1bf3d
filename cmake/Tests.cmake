# add_room_test(<name> LABEL unit|device|e2e SOURCES <file>... LINKS <library>...)
# A GoogleTest program whose tests ctest runs one by one. unit: milliseconds, no Poplar; device: runs programs on a
# Poplar device; e2e: runs installed or built programs.
include(GoogleTest)

function(add_room_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL" "SOURCES;LINKS")
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE ${arg_LINKS} GTest::gmock GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 120 PROPERTIES LABELS ${arg_LABEL} TIMEOUT 300)
endfunction()
