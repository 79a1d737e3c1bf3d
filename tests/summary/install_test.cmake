# Installs summary/ from the build tree, then builds and runs the example against it, as a user would.
#   cmake -DBUILD=<build> -DSOURCE=<source> -DWORK=<scratch> -DCOMPILER=<c++> -P install_test.cmake
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGV}\nfailed with ${result}:\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")
run("${CMAKE_COMMAND}" --install "${BUILD}" --component summary --prefix "${WORK}/prefix")
run("${CMAKE_COMMAND}" -S "${SOURCE}/examples/write_log" -B "${WORK}/example" "-DCMAKE_PREFIX_PATH=${WORK}/prefix"
  "-DCMAKE_CXX_COMPILER=${COMPILER}")
run("${CMAKE_COMMAND}" --build "${WORK}/example")
run("${WORK}/example/write_log" "${WORK}/log")
file(GLOB logs "${WORK}/log/events.out.tfevents.*")
list(LENGTH logs count)
if(NOT count EQUAL 1)
  message(FATAL_ERROR "the example wrote ${count} event files")
endif()
file(SIZE "${logs}" size)
if(size LESS 10000)
  message(FATAL_ERROR "the example wrote only ${size} bytes")
endif()

file(STRINGS "${SOURCE}/examples/write_log/write_log.cpp" lines)
list(LENGTH lines length)
if(NOT length LESS 30)
  message(FATAL_ERROR "the example has grown to ${length} lines")
endif()

# The room is a project of its own, without any engine.
run("${CMAKE_COMMAND}" -S "${SOURCE}/summary" -B "${WORK}/alone" "-DCMAKE_CXX_COMPILER=${COMPILER}")
