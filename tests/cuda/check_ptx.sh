#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: check_ptx.sh NVCC FOLDER: what a GPU would run rounds as the emulated device does. In the PTX of the kernels there is no fused
# multiply-add, nothing approximate, nothing flushed to zero, and each sum, product, quotient and root is rounded to nearest.
set -eu
nvcc=$1 folder=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$nvcc" -ptx -O3 -std=c++17 -fmad=false -prec-div=true -prec-sqrt=true -ftz=false -arch=sm_75 -I"$folder" "$folder/kernels.cu" -o "$work/ptx"
kernels=$(grep -c '\.entry' "$work/ptx")
[ "$kernels" -eq $((2 * $(grep -c '^KERNEL(' "$folder/bodies/list.def"))) ] || { echo "$kernels kernels are not two for each body"; exit 1; }
if grep -nE 'fma\.|\.approx|\.ftz|\.full|atom\.' "$work/ptx"; then
    echo "these do not round as the emulated device does"
    exit 1
fi
if grep -nE '[[:space:]](add|sub|mul|div|sqrt)\.f(32|64)' "$work/ptx"; then
    echo "these may be contracted: they have no .rn"
    exit 1
fi
