# Usage: install_test.sh CMAKE BUILD_DIR CXX
# Installs the engine alone into a temporary prefix and uses it in the two ways the SDK is used.
set -euo pipefail
cmake="$1" build="$2" cxx="$3"
here="$(cd "$(dirname "$0")" && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
prefix="$work/prefix"

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
expect_output() { # program arguments...
  local output
  output="$("$@")" || fail "$* exited with $?"
  [[ $output == "2.5 5 7.5 10 " ]] || fail "$* printed '$output'"
}

"$cmake" --install "$build" --prefix "$prefix" --component ipumodel >/dev/null
[[ ! -e $prefix/bin/popscope ]] || fail "the engine alone was asked for, popscope was installed"

# With CMake packages; the libraries must be found without environment variables.
(
  unset LD_LIBRARY_PATH LIBRARY_PATH CPATH POPC
  "$cmake" -S "$here/consumer" -B "$work/consumer" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$cxx" \
    >/dev/null
  "$cmake" --build "$work/consumer"
  expect_output "$work/consumer/program" "$work/consumer/scale.gp"
)

# With enable.sh and plain command lines, after moving the prefix.
mv "$prefix" "$work/moved"
(
  source "$work/moved/enable.sh"
  [[ $POPLAR_SDK_ENABLED == "$work/moved" ]] || fail "enable.sh set POPLAR_SDK_ENABLED=$POPLAR_SDK_ENABLED"
  [[ $(command -v popc) == "$work/moved/bin/popc" ]] || fail "enable.sh does not put popc in PATH"
  mkdir "$work/bare"
  cd "$work/bare"
  popc -O2 "$here/scale.cpp" -o scale.gp
  g++ -std=c++11 "$here/program.cpp" -lpoplar -o program
  expect_output ./program scale.gp
  expect_output ./program "$here/scale.cpp" # compiled while the program runs
  g++ -std=c++11 "$here/program.cpp" -Wl,--no-as-needed -lpoplar -lpoputil -lpopops -lpoplin -lpopnn -lpoprand \
    -lpopsparse -lpopfloat -lgcl -lgcl_ct -lpopdist -lpva -lpvti -ldl -lpthread -o linked
  expect_output ./linked scale.gp
  for gcl in gcl gcl_ct; do
    g++ -std=c++11 "$here/collective.cpp" -l$gcl -lpoplar -o collective
    [[ $(./collective) == "collectives need "*" tiles" ]] || fail "-l$gcl does not link the collectives"
  done
  # The backend and poprun work from the prefix, where Open MPI is.
  if [[ -e $work/moved/lib/libpopdist_mpi.so ]]; then
    g++ -std=c++11 "$here/instances.cpp" -lpopdist -lpoplar -o instances
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    sum="$(timeout 100 poprun --num-instances 2 --num-replicas 2 --only-output-from-instance 1 ./instances)"
    [[ $sum == *"sum 3" ]] || fail "poprun ./instances printed '$sum'"
  fi
)
