# Usage: exports_test.sh CMAKE BUILD_DIR NM NAMESPACES INTERNALS
# The installed libraries show the namespaces of the public API and, of namespace ipumodel, only what one library uses of
# another. Both lists are separated by semicolons.
set -euo pipefail
cmake="$1" build="$2" nm="$3" namespaces="${4//;/|}" internals="${5//;/|}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

"$cmake" --install "$build" --prefix "$work" --component ipumodel >/dev/null
added='((typeinfo|typeinfo name|vtable|VTT|guard variable) for |(non-)?virtual thunk to )?'
returned='(.* )?' # of templates
public="^$added$returned($namespaces)::"
internal="^$added$returned"'ipumodel::('"$internals"')\b|^ipumodel::operator=='
string='std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >'
version='^ipumodel_([a-z]+_version|popdist_backend)$'
status=0
every_symbol=
for library in "$work"/lib/lib*.so; do
  symbols="$("$nm" -DC --defined-only "$library" | cut -d' ' -f3-)"
  [[ -n $symbols ]] || { echo "FAILED: $library shows no symbol" >&2; status=1; }
  every_symbol+="$symbols"$'\n'
  others="$(grep -Ev "$version|$internal|$public" <<<"$symbols" || true)"
  # What a template of the standard library made of public types is not the API; a public template that returns a string is.
  others+="$(grep -E '^(std|__gnu_cxx)::' <<<"$symbols" | grep -Ev "^$string ($namespaces)::" || true)"
  [[ -z $others ]] || { printf 'FAILED: %s shows\n%s\n' "$(basename "$library")" "$others" >&2; status=1; }
done
for name in ${5//;/ }; do
  grep -q "ipumodel::$name" <<<"$every_symbol" || { echo "FAILED: no library has ipumodel::$name" >&2; status=1; }
done
exit $status
