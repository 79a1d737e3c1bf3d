# Sourced by the scripts: strict mode, the repository as working directory, one line on failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '==> %s\n' "$*"; }

# Whether an option is among words: has_option --name words...
has_option() {
  local name=$1 word
  shift
  for word; do
    [[ $word == "$name" || $word == "$name="* ]] && return
  done
  return 1
}

fail() {
  printf 'scripts/%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}
