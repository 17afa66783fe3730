#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What a plugin that is built relies on, sizes, offsets, constants, ids and prototypes of the public headers, is still what abi.txt has: who
# changes it raises DV_ABI_MINOR and writes the table anew, which `./bootstrap freeze-abi` does. What is added needs neither.
# usage: check_abi.sh SOURCE_ROOT C_COMPILER
set -eu
root=$1 cc=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
frozen=$(sed -n 's/^# ABI //p' "$root/tests/authors/abi.txt")
version=$(sed -n 's/^#define DV_ABI_\(MAJOR\|MINOR\) \([0-9]*\)u$/\2/p' "$root/kernel/include/divan/plugin.h" | paste -sd.)
grep -v '^#' "$root/tests/authors/abi.txt" | LC_ALL=C sort >"$work/frozen"
"$root/tools/abi-table" "$cc" "$root/kernel/include" "$root/kit/include" | LC_ALL=C sort >"$work/now"
[ "$(wc -l <"$work/frozen")" -gt 500 ] || { echo "too little in the table of the ABI"; exit 1; }
if [ -n "$(LC_ALL=C comm -23 "$work/frozen" "$work/now")" ]; then
    echo "The ABI $frozen has changed: a plugin built with it would misread the kernel."
    LC_ALL=C comm -23 "$work/frozen" "$work/now" | sed 's/^/  was: /' | head -n 20
    LC_ALL=C comm -13 "$work/frozen" "$work/now" | sed 's/^/  now: /' | head -n 20
    echo "If that is meant: ./bootstrap freeze-abi raises DV_ABI_MINOR and writes the table anew; commit both."
    exit 1
fi
if [ "$frozen" != "$version" ]; then
    echo "The table of the ABI is of version $frozen, the headers are of $version: ./bootstrap freeze-abi"
    exit 1
fi
