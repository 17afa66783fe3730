#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Taking 100 tetrahedra out of a mesh eight times as large costs at most half as much again (rows and lists lie farther apart), alone and
# with masses, and with mapped points: in instructions, which do not depend on what else the machine does. Skipped where valgrind
# is not. A step after the points of some elements have gone costs at most half as much again as an ordinary one, of a mass alone, where
# nothing else hides that the structure of its matrix is made from nothing: of tetrahedra (1.41) and the exact one of hexahedra (1.47;
# valgrind counts an instruction for each byte that is cleared, 0.13 and 0.15 of these).
# Four cuts through 105,456 tetrahedra, each of some 1,900, take at most 85 million instructions each (80).
# usage: check_topology_edits.sh BENCH-TOPOLOGY_EDITS BENCH-CUTTING
set -eu
command -v valgrind >/dev/null || { echo "skipped: no valgrind to count instructions"; exit 77; }
bench=$1 cutting=$2
unset MALLOC_PERTURB_ # it fills each block that comes or goes, byte by byte

# count FUNCTION PROGRAM [ARGUMENTS]: instructions in a function and what it calls
count() {
    function=$1
    shift
    valgrind --tool=callgrind --collect-atstart=no --toggle-collect="$function" --callgrind-out-file=/dev/null "$@" 2>&1 |
        sed -n 's/.*Collected : \([0-9]*\)$/\1/p'
}

# instructions CASE CELLS REMOVED [FUNCTION]: of all measured removals
instructions() {
    count "${4:-measure}" "$bench" "$1" "$2" "$3" 4
}

for what in bare:100 bare:0 diagonal:100 diagonal:0 matrix:100 mapped:100; do
    case=${what%:*} removed=${what#*:}
    small=$(instructions "$case" 6 "$removed") large=$(instructions "$case" 12 "$removed")
    awk -v small="$small" -v large="$large" -v name="$case, $removed" 'BEGIN {
        if (small < 10000) { print "FAILED: nothing was measured"; exit 1 }
        printf "%s removed: %d instructions of 1,296 tetrahedra, %d of 10,368\n", name, small, large
        exit !(large <= 1.5 * small)
    }' || { echo "FAILED: removals cost more in a larger mesh"; exit 1; }
done

for case in matrix exact; do
    quiet=$(instructions "$case" 12 0 step_quiet) edited=$(instructions "$case" 12 0 step_edited)
    awk -v quiet="$quiet" -v edited="$edited" -v name="$case" 'BEGIN {
        if (quiet < 1000000) { print "FAILED: nothing was measured"; exit 1 }
        printf "%s: a step after points have gone: %.3f ordinary ones\n", name, edited / quiet
        exit !(edited <= 1.5 * quiet)
    }' || { echo "FAILED: a step after points have gone costs more than 1.5 ordinary ones"; exit 1; }
done

awk -v cuts="$(count measure "$cutting" 105000)" 'BEGIN {
    if (cuts < 1000000) { print "FAILED: nothing was measured"; exit 1 }
    printf "a cut: %.1f million instructions\n", cuts / 4e6
    exit !(cuts <= 4 * 85e6)
}' || { echo "FAILED: a cut costs more than 85 million instructions"; exit 1; }
