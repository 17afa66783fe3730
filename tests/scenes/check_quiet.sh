#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Nothing is wrong with the scenes that come with the program: none of them says a word, not of its solves either.
#                                                                                  check_quiet.sh DIVAN FOLDER
set -eu
divan=$(realpath "$1") folder=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0
for scene in "$folder"/*.scn "$folder"/*/*.scn; do
    if ! timeout 120 "$divan" run "$scene" -n 20 --quiet --strict >said 2>&1 || [ -s said ]; then
        echo "== $scene"
        cat said
        failed=1
    fi
done
exit $failed
