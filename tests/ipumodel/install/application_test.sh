# Usage: application_test.sh CMAKE BUILD_DIR CXX SOURCE_DIR
# Builds PopScope with -DPOPSCOPE_ENGINE=sdk against an installed prefix, as a build on the SDK does.
set -euo pipefail
cmake="$1" build="$2" cxx="$3" source="$4"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

"$cmake" --install "$build" --prefix "$work/prefix" --component ipumodel >/dev/null
"$cmake" -S "$source" -B "$work/build" -G Ninja -DPOPSCOPE_ENGINE=sdk -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 \
  -DPOPSCOPE_BUILD_TESTS=OFF -DPOPSCOPE_BUILD_BENCHMARKS=OFF -DPOPSCOPE_JOIN_SOURCES=ON \
  >"$work/configure.log"
grep -q "PopScope engine: the Poplar SDK in $work/prefix" "$work/configure.log" || {
  echo "FAILED: the installed engine was not chosen" >&2
  cat "$work/configure.log" >&2
  exit 1
}
"$cmake" --build "$work/build" --target popscope popscope_gp
train=(train --preset mlp --data "$source/data/mnist" --epochs 1 --steps-per-epoch 40 --logdir "$work/logs")
"$work/build/bin/popscope" "${train[@]}" --run built

# The application, installed into the prefix of the engine, runs from there.
"$cmake" --install "$work/build" --prefix "$work/prefix" >/dev/null
(cd / && "$work/prefix/bin/popscope" "${train[@]}" --run installed)
