#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# LocalMinDistance, whose filters look around each contact, costs in proportion to contacts: of meshes of four and of sixteen times as many
# it takes at most a fifth more instructions than that, which do not depend on what else the machine does. Skipped where valgrind is not.
# usage: check_contacts.sh BENCH-CONTACTS
set -eu
command -v valgrind >/dev/null || { echo "skipped: no valgrind to count instructions"; exit 77; }
bench=$1

# counted SIDE: contacts, and instructions of a detection
counted() {
    valgrind --tool=callgrind --collect-atstart=no --toggle-collect=measure --callgrind-out-file=/dev/null "$bench" "$1" LocalMinDistance 1 2>&1 |
        sed -n 's/.*: *\([0-9]*\) contacts.*/\1/p; s/.*Collected : \([0-9]*\)$/\1/p' | tr '\n' ' '
}

{ counted 12; counted 24; counted 48; } | awk '{
    if (NF != 6 || $1 < 50) { print "FAILED: nothing was measured"; exit 1 }
    printf "%d, %d, %d contacts; %.2f and %.2f times the instructions\n", $1, $3, $5, $4 / $2, $6 / $2
    if ($3 < 3 * $1 || $5 < 10 * $1 || $4 > 4.8 * $2 || $6 > 19.2 * $2) { print "FAILED"; exit 1 }
}'
