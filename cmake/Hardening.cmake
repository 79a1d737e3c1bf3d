# What makes a mistake in reading somebody else's bytes end the program instead of doing more. Not with sanitisers, which
# notice more, and not in Debug builds, as glibc's checks need an optimiser.
include(CheckCXXCompilerFlag)
include(CheckPIESupported)

set(POPSCOPE_HARDENED OFF)
if(NOT POPSCOPE_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(POPSCOPE_HARDENED ON)
  check_pie_supported(LANGUAGES CXX)
  check_cxx_compiler_flag(-fstack-protector-strong POPSCOPE_HAS_STACK_PROTECTOR)
  add_link_options(LINKER:-z,relro LINKER:-z,now)
endif()

# harden(<target>...): overwritten stacks and buffers are noticed.
function(harden)
  if(POPSCOPE_HARDENED)
    foreach(target IN LISTS ARGN)
      target_compile_options(${target} PRIVATE
        $<$<BOOL:${POPSCOPE_HAS_STACK_PROTECTOR}>:-fstack-protector-strong> -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
    endforeach()
  endif()
endfunction()
