#!/usr/bin/env bash
# A program that includes a header of something the engine does not have is told so by the compiler, in one line.
#   missing_headers_test.sh COMPILER INCLUDE_DIRECTORY HEADER...
set -euo pipefail
compiler=$1 include=$2
shift 2
for header in "$@"; do
  if output=$("$compiler" -std=c++11 -fsyntax-only -I"$include" -x c++ - <<<"#include <$header>" 2>&1); then
    echo "$header compiles" >&2
    exit 1
  fi
  if [[ $(grep -c 'error' <<<"$output") -lt 1 || $output != *"ipumodel has no "*"<$header> is not implemented"* ]]; then
    printf '%s:\n%s\n' "$header" "$output" >&2
    exit 1
  fi
done
