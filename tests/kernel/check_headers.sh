#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Every public header compiles alone, as C11, and all of them together as C17 and C++17, without a warning.
# usage: check_headers.sh C_COMPILER CXX_COMPILER INCLUDE_DIRECTORY...
set -eu
cc=$1 cxx=$2
shift 2
include=$(printf -- '-I%s ' "$@")
failed=0

check() { # language, standard, compiler, header
    # shellcheck disable=SC2086 # one option a folder
    if ! "$3" -x "$1" -std="$2" -pedantic -Wall -Wextra -Wconversion -Werror -fsyntax-only $include "$4"; then
        echo "$4 does not compile as $2" >&2
        failed=1
    fi
}

headers=$(find "$@" -name '*.h' | sort)
test -n "$headers"
all=$(mktemp)
trap 'rm -f "$all"' EXIT
for header in $headers; do
    check c c11 "$cc" "$header"
    echo "#include \"$(realpath "$header")\""
done >"$all"
check c c17 "$cc" "$all"
check c++ c++17 "$cxx" "$all"
exit $failed
