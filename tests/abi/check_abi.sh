#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A plugin of an earlier day: built with the headers as they were when the ABI was frozen (tests/abi/include), loaded by the kernel
# as it is, and right to the digits of a closed form. And what any such plugin relies on, sizes, offsets, constants, ids and
# prototypes, is still there: who changes one raises DV_ABI_MINOR and freezes anew, which `./bootstrap freeze-abi` does.
# usage: check_abi.sh SOURCE_ROOT C_COMPILER [DIVAN WORDS_LIBRARY KERNEL_LIBRARY]        without the last three: the tables only
set -eu
root=$1 cc=$2 divan=${3:-} words=${4:-} kernel=${5:-}
frozen=$root/tests/abi now=$root/kernel/include
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

stamp() { sed -n 's/^#define DV_ABI_\(MAJOR\|MINOR\) \([0-9]*\)u$/\2/p' "$1/divan/plugin.h" | paste -sd. ; }

"$root/tools/abi-table" "$frozen/include" "$cc" | sort >"$work/frozen"
"$root/tools/abi-table" "$now" "$cc" | sort >"$work/now"
[ "$(wc -l <"$work/frozen")" -gt 500 ] || { echo "too little in the table of the frozen headers"; exit 1; }
if [ -n "$(comm -23 "$work/frozen" "$work/now")" ]; then
    echo "The ABI $(stamp "$frozen/include") has changed: a plugin built with it would misread the kernel."
    comm -23 "$work/frozen" "$work/now" | sed 's/^/  was: /' | head -n 20
    comm -13 "$work/frozen" "$work/now" | sed 's/^/  now: /' | head -n 20
    echo "If that is meant: ./bootstrap freeze-abi raises DV_ABI_MINOR and freezes the headers anew; commit both."
    exit 1
fi
if [ "$(stamp "$frozen/include")" != "$(stamp "$now")" ]; then
    echo "The frozen headers are of version $(stamp "$frozen/include"), the present ones of $(stamp "$now"): ./bootstrap freeze-abi"
    exit 1
fi
[ -n "$divan" ] || exit 0

"$cc" -std=c11 -O1 -ffp-contract=off -fPIC -shared -fvisibility=hidden -I"$frozen/include" -o "$work/frozen.so" \
    "$frozen/harmonic_well_force_field.c" "$words" "$kernel" -lm
"$divan" run "$frozen/well.scn" --plugin "$work/frozen.so" -n 1000 --quiet --strict --dump "$work/states"
awk '$1 == "STEP" { step = $2 } $1 == "X" && step == 1000 { exit !(($2 - 1.5)^2 + ($3 - 0.2)^2 + $4^2 < 1e-8) }' "$work/states" ||
    { echo "the plugin computes something else: $(grep '^X' "$work/states")"; exit 1; }
