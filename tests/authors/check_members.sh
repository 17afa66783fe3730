#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A field table takes a DvData for a field and a DvLink for a link; anything else does not compile, in C and in C++.
# usage: check_members.sh INCLUDE_DIRECTORY C_COMPILER [CXX_COMPILER]
set -eu
include=$1 cc=$2 cxx=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# table ENTRY: a component with members of all sorts, and this entry in its table
table()
{
    cat <<END
#include <divan/cxx.h>
typedef struct Base { DvData inner; DvLink inner_link; } Base;
typedef struct Thing { double first; DvData data; DvLink link; DvData *pointer; double number; const char *text; Base base; } Thing;
extern const DvField fields[];
const DvField fields[] = {$1};
END
}

# expect OUTCOME COMPILER LANGUAGE STANDARD ENTRY
expect()
{
    table "$5" >"$work/table"
    if "$2" -x "$3" -std="$4" -pedantic -Wall -Wextra -Werror -Wno-missing-field-initializers -fsyntax-only -I"$include" "$work/table" \
        >"$work/out" 2>&1; then outcome=compiles; else outcome=refused; fi
    if [ "$outcome" != "$1" ]; then
        echo "$4: $5: $outcome instead of $1"
        cat "$work/out"
        failed=1
    fi
}

# both LANGUAGE STANDARD COMPILER FIELD LINK TAIL: how tables are written there
both()
{
    for member in data base.inner; do
        expect compiles "$3" "$1" "$2" "$4(Thing, $member, \"name\", dv_type_double$6"
    done
    for member in link base.inner_link; do
        expect compiles "$3" "$1" "$2" "$5(Thing, $member, \"name\", \"divan.state/1\"$6"
    done
    for member in link pointer number text first base base.inner_link; do
        expect refused "$3" "$1" "$2" "$4(Thing, $member, \"name\", dv_type_double$6"
    done
    for member in data pointer number text first base base.inner; do
        expect refused "$3" "$1" "$2" "$5(Thing, $member, \"name\", \"divan.state/1\"$6"
    done
}

both c c11 "$cc" DV_FIELD DV_LINK ', .init = "0", .help = "help")'
both c c17 "$cc" DV_FIELD DV_LINK ', .init = "0", .help = "help")'
if [ -n "$cxx" ]; then
    both c++ c++20 "$cxx" DV_FIELD DV_LINK ', .init = "0", .unit = "m", .flags = DV_FIELD_REQUIRED, .help = "help")'
    both c++ c++17 "$cxx" DV_CXX_FIELD DV_CXX_LINK ').init("0").unit("m").flags(DV_FIELD_REQUIRED).help("help")'
fi
exit $failed
