#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Plugins in C++20 and C++17 compile without a warning, are loaded, and compute what the closed form says.
# usage: check_cxx.sh DIVAN INCLUDE_DIRECTORY WORDS_LIBRARY KERNEL_LIBRARY SOURCES CXX_COMPILER
set -eu
divan=$1 include=$2 words=$3 kernel=$4 sources=$5 cxx=$6
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
for standard in 17 20; do
    "$cxx" -std=c++$standard -pedantic -Wall -Wextra -Wconversion -Wno-missing-field-initializers -Werror -O1 -ffp-contract=off \
        -fPIC -shared -fvisibility=hidden -I"$include" -o "$work/drag$standard.so" "$sources/drag_cxx$standard.cpp" "$words" "$kernel"
    # What the loader reads must be there before any constructor runs.
    symbols=$(nm -D --defined-only "$work/drag$standard.so" | awk '{ print $2, $3 }')
    case $symbols in
    [DR]' dv_plugin_entry') ;;
    *) echo "C++$standard: not one constant symbol dv_plugin_entry: $symbols"; failed=1 ;;
    esac
    sed "s/DRAG/DragCxx$standard/" "$sources/drag.scn" >"$work/drag.scn"
    "$divan" info "DragCxx$standard" --plugin "$work/drag$standard.so" | grep -q '^  coefficient  (double, N s/m, default 1)$' ||
        { echo "C++$standard: divan info does not show the field"; failed=1; }
    "$divan" run "$work/drag.scn" --plugin "$work/drag$standard.so" -n 100 --quiet --dump "$work/states"
    # v = v0 (1 - c dt / m)^100, up to the rounding of 100 products
    awk 'function near(a, b) { return a - b < 1e-13 && b - a < 1e-13 }
        $1 == "STEP" { step = $2 } $1 == "STATE" { state = $2 }
        $1 == "V" && step == 100 {
            f = state == "/slowed/dofs" ? exp(100 * log(1 - 3 * 0.01 / 2)) : 1
            good += near($2, 8 * f) && near($3, -4 * f) && near($4, 2 * f)
        }
        END { exit good != 2 }' "$work/states" || { echo "C++$standard: other velocities: $(cat "$work/states")"; failed=1; }
done
exit $failed
