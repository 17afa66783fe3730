#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A scene that is watched makes its steps with at most 5 % more instructions than one that nobody watches, in the thread that makes them:
# snapshots, pictures, plots and rates are in these. Of two runs of which one makes more steps the difference counts, so that loading does
# not. Skipped where valgrind is not.
# usage: check_watched.sh BENCH-WATCHED SCENE STEPS
set -eu
command -v valgrind >/dev/null || { echo "skipped: no valgrind to count instructions"; exit 77; }
bench=$(realpath "$1") scene=$2 few=$3 many=$(($3 * 4))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# count STEPS HOW: the steps, and the instructions of the thread that makes them: the first one, or the one that has the most beside it
count() {
    rm -f "$work"/out*
    valgrind --tool=callgrind --fair-sched=try --separate-threads=yes --callgrind-out-file="$work/out" "$bench" "$scene" "$1" "$2" >"$work/said" 2>&1 ||
        { cat "$work/said" >&2; exit 1; }
    sed -n 's/^\([0-9]*\) steps.*/\1/p' "$work/said"
    for file in "$work"/out-*; do
        case $2,$file in alone,*-01 | watched,*-0[!1] | watched,*-[!0]*) sed -n 's/^totals: //p' "$file" ;; esac
    done | sort -n | tail -n 1
}
# of_a_step HOW: instructions
of_a_step() {
    { count "$few" "$1"; count "$many" "$1"; } | xargs | awk '$3 > $1 { printf "%.0f\n", ($4 - $2) / ($3 - $1) }'
}
alone=$(of_a_step alone)
watched=$(of_a_step watched)
awk -v alone="$alone" -v watched="$watched" 'BEGIN {
    if (alone < 10000) { print "FAILED: nothing was measured"; exit 1 }
    printf "instructions of a step: %d, watched %d, %.4f of that\n", alone, watched, watched / alone
    exit !(watched >= alone && watched <= 1.05 * alone)
}' || { echo "FAILED: being watched costs more than 5 %, or nothing at all"; exit 1; }
