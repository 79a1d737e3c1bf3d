# clang, which popc is made of: libclang finds the vertex classes of a codelet (LIBCLANG_INCLUDE_DIR, LIBCLANG_LIBRARY),
# clang++ compiles it (IPUMODEL_CLANG). Both are of one version, so that they read a source alike.

# Debian has a directory per version; the newest is taken.
file(GLOB llvm_dirs "/usr/lib/llvm-*")
list(SORT llvm_dirs COMPARE NATURAL ORDER DESCENDING)
find_path(LIBCLANG_INCLUDE_DIR clang-c/Index.h HINTS ${llvm_dirs} PATH_SUFFIXES include)
find_library(LIBCLANG_LIBRARY NAMES clang libclang HINTS ${llvm_dirs} PATH_SUFFIXES lib)
if(NOT LIBCLANG_INCLUDE_DIR OR NOT LIBCLANG_LIBRARY)
  message(FATAL_ERROR "popc needs libclang: install libclang-14-dev, or set LIBCLANG_INCLUDE_DIR and LIBCLANG_LIBRARY")
endif()

get_filename_component(llvm_dir "${LIBCLANG_INCLUDE_DIR}" DIRECTORY)
find_program(IPUMODEL_CLANG NAMES clang++ clang++-14 HINTS "${llvm_dir}/bin")
if(NOT IPUMODEL_CLANG)
  message(FATAL_ERROR "popc compiles codelets with clang++: install clang-14, or set IPUMODEL_CLANG")
endif()
