# Installs the engine and the library of taps from the build tree, then builds the example against them as a user would:
# the tapped program computes what the untapped one does, writes event files, names a planted fault, and is hardly
# longer. The controlled one obeys popscope control, makes checks, and runs the update with the fault again.
#   cmake -DBUILD=<build> -DSOURCE=<source> -DWORK=<scratch> -DCOMPILER=<c++> -DPOPSCOPE=<popscope> -P install_test.cmake
function(run output)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE errors)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nfailed with ${result}:\n${text}${errors}")
  endif()
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${WORK}")
foreach(component ipumodel summary outfeed)
  run(ignored "${CMAKE_COMMAND}" --install "${BUILD}" --component ${component} --prefix "${WORK}/prefix")
endforeach()
run(ignored "${CMAKE_COMMAND}" -S "${SOURCE}/examples/tap_program" -B "${WORK}/example"
  "-DCMAKE_PREFIX_PATH=${WORK}/prefix" "-DCMAKE_CXX_COMPILER=${COMPILER}")
run(ignored "${CMAKE_COMMAND}" --build "${WORK}/example")
run(untapped "${WORK}/example/untapped")
run(tapped "${WORK}/example/tapped" "${WORK}/log")
if(NOT untapped STREQUAL tapped)
  message(FATAL_ERROR "watching changed the result:\n${untapped}became\n${tapped}")
endif()
file(GLOB logs "${WORK}/log/events.out.tfevents.*")
list(LENGTH logs count)
if(NOT count EQUAL 1)
  message(FATAL_ERROR "the log has ${count} event files")
endif()

execute_process(COMMAND "${WORK}/example/tapped" "${WORK}/faulty" "nan:w_grad@update=20,index=3"
  OUTPUT_QUIET ERROR_VARIABLE verdict)
if(NOT verdict MATCHES "first not finite: update 20, w_grad_per_micro_batch .*: 1 of 16 are NaN, first at .3,0.; "
    OR NOT verdict MATCHES "its inputs were finite .error up to .*injected by nan:w_grad")
  message(FATAL_ERROR "the planted fault was not named:\n${verdict}")
endif()

foreach(fault nonsense nan:v@update=1 nan:w@update=1,replica=1)
  execute_process(COMMAND "${WORK}/example/tapped" "${WORK}/refused" ${fault}
    RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE message)
  if(NOT result EQUAL 2 OR NOT message MATCHES "^.outfeed. fault '${fault}'")
    message(FATAL_ERROR "the fault ${fault} ended with ${result}:\n${message}")
  endif()
endforeach()

file(STRINGS "${SOURCE}/examples/tap_program/untapped.cpp" before)
file(STRINGS "${SOURCE}/examples/tap_program/tapped.cpp" after)
list(LENGTH before lengthBefore)
list(LENGTH after lengthAfter)
math(EXPR added "${lengthAfter} - ${lengthBefore}")
if(NOT added LESS 45)
  message(FATAL_ERROR "tapping the example takes ${added} lines")
endif()

execute_process(COMMAND "${WORK}/example/controlled" "${WORK}/replayed" 50 "nan:w_grad@update=20,index=3"
  RESULT_VARIABLE result OUTPUT_VARIABLE replayed)
if(NOT result EQUAL 3 OR NOT replayed MATCHES "update 20 again: error up to [0-9.e-]+, 0 not finite
update 20 again: w_grad up to [0-9.e-]+, 1 not finite
update 20 again: w up to [0-9.e-]+, 1 not finite")
  message(FATAL_ERROR "the update with the fault was not run again: ${result}\n${replayed}")
endif()
run(checked "${WORK}/example/controlled" "${WORK}/checked" 80) # the regression settles before
if(NOT checked MATCHES "frozen_weight: update [0-9]+, w: has not changed")
  message(FATAL_ERROR "no check found that the weight has settled:\n${checked}")
endif()

# It has more updates than any machine makes while this runs, and ends when a tensor is no longer finite.
file(WRITE "${WORK}/control.sh" "set -e
'${WORK}/example/controlled' '${WORK}/live' 1000000000 & pid=$!
until '${POPSCOPE}' control '${WORK}/live' --enable name:w --every 10 2>'${WORK}/refusal'; do kill -0 $pid; sleep 0.1; done
'${POPSCOPE}' control '${WORK}/live' --zero name:w
'${POPSCOPE}' control '${WORK}/live' --noise name:w=3e38
wait $pid || test $? -eq 3
")
run(live sh "${WORK}/control.sh")
if(NOT live MATCHES "update [0-9]+: turned on w every 10" OR NOT live MATCHES "intervention at update [0-9]+: w set to 0"
    OR NOT live MATCHES "intervened: given noise of 3e.38")
  message(FATAL_ERROR "popscope control did not change the program:\n${live}")
endif()
