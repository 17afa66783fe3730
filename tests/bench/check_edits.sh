#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# An interaction that is added and removed in a step between two of 1,000 bodies costs at most a tenth of a quiet step, with a state
# and a mapping of its own too: in instructions, which do not depend on what else the machine does. Skipped where valgrind is not.
# usage: check_edits.sh BENCH-EDITS
set -eu
command -v valgrind >/dev/null || { echo "skipped: no valgrind to count instructions"; exit 77; }
bench=$1 steps=4

# instructions EDIT: of all measured steps
instructions() {
    valgrind --tool=callgrind --collect-atstart=no --toggle-collect=measure --callgrind-out-file=/dev/null "$bench" 1000 cg "$1" $steps 2>&1 |
        sed -n 's/.*Collected : \([0-9]*\)$/\1/p'
}

# at_most EDIT QUIET: the same scene, with and without the edit
at_most() {
    edited=$(instructions "$1") quiet=$(instructions "$2")
    awk -v edited="$edited" -v quiet="$quiet" -v name="$1" 'BEGIN {
        if (quiet < 1000000) { print "FAILED: nothing was measured"; exit 1 }
        printf "%s: %.3f quiet steps\n", name, edited / quiet
        exit !(edited <= 1.1 * quiet)
    }' || { echo "FAILED: $1 costs more than 1.1 quiet steps"; exit 1; }
}
at_most spring quiet
at_most contact held
