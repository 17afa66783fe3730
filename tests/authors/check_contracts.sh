#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Every contract of the public headers is in the table that the loader compares offers with.
# usage: check_contracts.sh INCLUDE_DIRECTORY
set -eu
include=$1/divan
failed=0
found=0
for header in "$include"/*.h "$include"/contracts/*.h; do
    for name in $(sed -n 's/^#define \(DV_[A-Z_]*\) "divan\.[a-z-]*\/[0-9]*"$/\1/p' "$header"); do
        found=$((found + 1))
        grep -q "^DV_CONTRACT($name, " "$include/contracts/required.def" ||
            { echo "$header: no plugin can offer $name: contracts/required.def has no row for it"; failed=1; }
    done
done
[ "$found" -gt 20 ] || { echo "only $found contracts found"; failed=1; }
exit $failed
