#!/usr/bin/env bash
# missing_headers_test.sh COMPILER INCLUDE_DIR HEADER...: each HEADER must be refused with one error, which names it.
set -euo pipefail
compiler=$1 include=$2
shift 2

fail() {
  echo "missing_headers_test: $*" >&2
  exit 1
}

# A program may include any of these families.
for family in poplin/Cholesky poplin/TriangularSolve popnn/CTCInference popnn/CTCLoss popsparse/MatMul popsparse/codelets \
  popfloat/experimental/CastToGfloat popfloat/experimental/codelets; do
  [[ " $* " == *" $family.hpp "* ]] || fail "there is no <$family.hpp>"
done

for header in "$@"; do
  if output=$(echo "#include <$header>" |
    LC_ALL=C "$compiler" -std=c++11 -I"$include" -fsyntax-only -x c++ - 2>&1); then
    fail "<$header> compiles"
  fi
  [[ $(grep -c 'error:' <<<"$output") == 1 ]] || fail "<$header> has more than one error: $output"
  grep -q "error:.*<$header> is not implemented" <<<"$output" || fail "the error of <$header> does not say so: $output"
done
