# Sourced by the scripts: strict mode, the repository as working directory, one line on failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '==> %s\n' "$*"; }

fail() {
  printf 'scripts/%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}
