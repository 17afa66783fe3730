#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Every public header compiles alone, as C11, C17 and C++17, without a warning.
# usage: check_headers.sh INCLUDE_DIRECTORY [C_COMPILER [CXX_COMPILER]]
set -eu
include=$1
cc=${2:-cc}
cxx=${3:-c++}
failed=0

check() { # language, standard, compiler, header
    if ! "$3" -x "$1" -std="$2" -pedantic -Wall -Wextra -Wconversion -Werror -fsyntax-only -I"$include" "$4"; then
        echo "$4 does not compile alone as $2" >&2
        failed=1
    fi
}

headers=$(find "$include" -name '*.h' | sort)
test -n "$headers"
for header in $headers; do
    check c c11 "$cc" "$header"
    check c c17 "$cc" "$header"
    check c++ c++17 "$cxx" "$header"
done
exit $failed
