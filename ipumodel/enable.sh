# Source this file to use ipumodel like the Poplar SDK:
#   source <prefix>/enable.sh
#   g++ -std=c++11 prog.cpp -lpoplar -o prog
_ipumodel_prefix="$(cd "$(dirname "${BASH_SOURCE:-$0}")" && pwd)"

# An empty entry in these variables means the current directory, so no empty entry is added.
export PATH="$_ipumodel_prefix/bin${PATH:+:$PATH}"
export CPATH="$_ipumodel_prefix/include${CPATH:+:$CPATH}"
export LIBRARY_PATH="$_ipumodel_prefix/lib${LIBRARY_PATH:+:$LIBRARY_PATH}"
export LD_LIBRARY_PATH="$_ipumodel_prefix/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export CMAKE_PREFIX_PATH="$_ipumodel_prefix${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}"
export PKG_CONFIG_PATH="$_ipumodel_prefix/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
export POPLAR_SDK_ENABLED="$_ipumodel_prefix"
unset _ipumodel_prefix
