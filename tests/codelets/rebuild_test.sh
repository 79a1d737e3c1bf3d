# Usage: rebuild_test.sh CMAKE SOURCE_DIR POPC INCLUDE_DIR CXX
# add_codelets compiles again when a header of a codelet has changed, and only then.
set -euo pipefail
cmake="$1" source="$2" popc="$3" include="$4" cxx="$5"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

mkdir "$work/inner"
cat >"$work/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.16)
project(rebuild LANGUAGES CXX)
add_executable(popc_bin IMPORTED)
set_target_properties(popc_bin PROPERTIES IMPORTED_LOCATION "$popc")
add_library(poplar INTERFACE)
target_include_directories(poplar INTERFACE "$include")
include("$source/cmake/Codelets.cmake")
add_codelets(codelets OUTPUT "\${CMAKE_BINARY_DIR}/lib/codelets.gp" SOURCES first.cpp second.cpp)
EOF
echo '#include "inner/value.hpp"' >"$work/outer.hpp"
echo 'constexpr int value = 1;' >"$work/inner/value.hpp"
cat >"$work/first.cpp" <<'EOF'
#include <poplar/Vertex.hpp>
#include "outer.hpp"
struct First : poplar::Vertex {
  poplar::Output<int> out;
  void compute() { out = value; }
};
EOF
echo 'int second = 2;' >"$work/second.cpp"

"$cmake" -S "$work" -B "$work/build" -G Ninja -DCMAKE_CXX_COMPILER="$cxx" >/dev/null
archive="$work/build/lib/codelets.gp"
build() { "$cmake" --build "$work/build" >"$work/log" || fail "$(cat "$work/log")"; }

build
cp "$archive" "$work/first.gp"
build
grep -q 'no work to do' "$work/log" || fail "compiled again although nothing changed"
echo 'constexpr int value = 3;' >"$work/inner/value.hpp"
build
! cmp -s "$archive" "$work/first.gp" || fail "a header has changed, the archive has not"
