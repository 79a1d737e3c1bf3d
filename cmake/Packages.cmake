# Debian packages, made by cpack in the build directory; docs/packages.md tells what is in them. One per install component,
# but for the engine, which debian_files.cmake divides into libipumodel, libipumodel-mpi and libipumodel-dev.
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_VENDOR PopScope)
set(CPACK_PACKAGE_CONTACT "PopScope contributors <popscope@localhost>")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_STRIP_FILES ON)
set(CPACK_PROJECT_SOURCE "${PROJECT_SOURCE_DIR}") # for debian_files.cmake
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/debian_files.cmake")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
set(CPACK_COMPONENTS_ALL "")
set(of_this_build "(= ${PROJECT_VERSION})")

# package(<component> <name> SECTION <section> DEPENDS <dependencies> [RECOMMENDS <packages>] [PROGRAMS]
#   ABOUT <line> <more>)
# PROGRAMS: what the package's programs and shared libraries are linked with is added to the dependencies.
macro(package component name)
  cmake_parse_arguments(arg "PROGRAMS" "SECTION" "DEPENDS;RECOMMENDS;ABOUT" ${ARGN})
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  string(TOUPPER ${component} upper)
  string(REPLACE ";" ", " CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${arg_DEPENDS}")
  string(REPLACE ";" ", " CPACK_DEBIAN_${upper}_PACKAGE_RECOMMENDS "${arg_RECOMMENDS}")
  string(REPLACE ";" "\n" CPACK_DEBIAN_${upper}_DESCRIPTION "${arg_ABOUT}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${arg_SECTION})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SHLIBDEPS ${arg_PROGRAMS})
endmacro()

set(libraries zlib1g-dev)
if(DEFLATE_FOUND)
  set(libraries libdeflate-dev)
endif()
if(HWY_FOUND)
  list(APPEND libraries libhwy-dev)
endif()
find_package(Protobuf REQUIRED)
# Code that protoc made needs the library of its own release.
string(REGEX MATCH "^[0-9]+\\.([0-9]+)" release "${Protobuf_VERSION}")
math(EXPR next "${CMAKE_MATCH_1} + 1")
string(REGEX REPLACE "[0-9]+$" "${next}" next_release "${release}")
package(summary libpopscope-summary-dev SECTION libdevel
  DEPENDS "libprotobuf-dev (>= ${release})" "libprotobuf-dev (<< ${next_release})" ${libraries}
  ABOUT "TensorBoard event files in C++" "Writes and reads TensorBoard's logs without Python or TensorFlow.")

if(TARGET ipumodel)
  # clang++ of the release that libclang is of.
  set(clang clang)
  if(LIBCLANG_INCLUDE_DIR MATCHES "llvm-([0-9]+)")
    set(clang clang-${CMAKE_MATCH_1})
  endif()
  package(popscope popscope SECTION science PROGRAMS
    DEPENDS "libipumodel ${of_this_build}"
    ABOUT "oscilloscope for Graphcore IPU programs"
      "Trains models on Poplar, watches tensors inside the running program" "and says which one went bad first.")
  package(libipumodel libipumodel SECTION libs PROGRAMS
    ABOUT "Poplar and PopLibs on the CPU, libraries"
      "An independent implementation of the public Poplar API, not affiliated" "with Graphcore.")
  if(TARGET popdist_mpi) # apart, so that nothing else depends on MPI
    package(libipumodel_mpi libipumodel-mpi SECTION libs PROGRAMS
      DEPENDS "libipumodel ${of_this_build}" openmpi-bin
      ABOUT "Poplar and PopLibs on the CPU, several instances"
        "Connects the instances of a program that poprun starts, by Open MPI.")
  endif()
  package(ipumodel libipumodel-dev SECTION libdevel PROGRAMS
    DEPENDS "libipumodel ${of_this_build}" ${clang}
    RECOMMENDS g++
    ABOUT "Poplar and PopLibs on the CPU, headers and popc"
      "Builds programs that are written for the Poplar SDK, and compiles their" "codelets.")
  package(outfeed libpopscope-dev SECTION libdevel
    DEPENDS "popscope ${of_this_build}" "libpopscope-summary-dev ${of_this_build}" "libipumodel-dev ${of_this_build}" libre2-dev
    ABOUT "taps on the tensors of a Poplar program" "Watches the tensors of any C++ program that is built on Poplar.")
endif()

include(CPack)
