#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# What divan says about mistakes, word by word.     check_errors.sh DIVAN FOLDER [--show]
#
# Each FOLDER/*.expected is a transcript: `$ divan ARGUMENTS`, what comes out (both streams), `exit status N`. The commands run
# in a copy of the folder, so that names of files have no folder in front; it is called HERE. A .scn that no transcript names is a failure.
# --show prints the transcripts as they are now instead, to be read before they are believed. Under the sanitizers a day's share of them is
# compared: tests/support/share.py.
set -eu
divan=$(realpath "$1") folder=$2 show=${3:-} share=$(realpath "$(dirname "$0")/../support/share.py")
LC_ALL=C
export LC_ALL
built=$(cd "$(dirname "$divan")/../.." && pwd) # its place is left out of the texts
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
find "$folder" -maxdepth 1 -type f -exec cp {} "$work" \;
cd "$work"
failed=0
for expected in $("$share" *.expected); do
    IFS= read -r first <"$expected" || first=
    command=${first#"\$ divan "}
    if [ -z "$command" ] || [ "$command" = "$first" ]; then
        echo "$expected: the first line must be '\$ divan ARGUMENTS'"
        failed=1
        continue
    fi
    {
        echo "\$ divan $command"
        status=0
        # shellcheck disable=SC2086 # words of the command
        "$divan" $command 2>&1 || status=$?
        echo "exit status $status"
    } | sed "s|$work/||g; s|$work|HERE|g; s|$built/||g" >actual
    if [ -n "$show" ]; then
        cat actual
    elif ! cmp -s "$expected" actual; then
        echo "== $expected"
        diff -u "$expected" actual | tail -n +3
        failed=1
    fi
done
for scene in *.scn; do
    case $scene in *.last-good.scn) continue ;; esac
    grep -qlF -- "$scene" ./*.expected || {
        echo "$scene is in no transcript"
        failed=1
    }
done
exit $failed
