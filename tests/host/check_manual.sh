#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Every command and option that the program's own help names stands in the manual page and in the completion, and the manual
# names no long option that no command has; the viewer and its page too.
#     check_manual.sh DIVAN DIVAN.1 DIVAN.BASH-COMPLETION [DIVAN-VIEW DIVAN-VIEW.1]
set -eu
divan=$1 manual=$2 completion=$3
failed=0

fail()
{
    echo "$*"
    failed=1
}

# A manual page writes `--dump-steps` as `\-\-dump\-steps`.
read_page() { sed 's/\\-/-/g' "$1"; }

long_options() { grep -oE -- '--[a-z][a-z0-9-]*' | sort -u; }

# Those that a help lists, each at the beginning of a line.
listed_options() { sed -nE 's/^  (-[a-z], )?(--[a-z][a-z0-9-]*).*/\2/p' | sort -u; }

plain=$(read_page "$manual")
commands=$("$divan" --help | awk '/^  [a-z]/ { print $1 }')
[ -n "$commands" ] || fail "divan --help names no command"
known=" --version "
for command in $commands; do
    echo "$plain" | grep -qE "\"?divan $command\"?|^\.B[I]? $command" || fail "no command $command in the manual page"
    grep -qw -- "$command" "$completion" || fail "no command $command in the completion"
    options=$("$divan" "$command" --help | listed_options)
    [ -n "$options" ] || fail "divan $command --help names no option"
    for option in $options; do
        known="$known$option "
        case $option in --help-*) continue ;; esac
        echo "$plain" | grep -qE -- "(^|[ \"])$option([ \",]|\$)" || fail "divan $command $option is not in the manual page"
        grep -qE -- "(^|[ '\"])$option([ '\"]|\$)" "$completion" || fail "divan $command $option is not in the completion"
    done
done
for option in $(echo "$plain" | long_options); do
    case $known in *" $option "*) ;; *) fail "the manual page has $option, which no command has" ;; esac
done

if [ $# -gt 3 ]; then
    said=$("$4" --help | listed_options | grep -v -- '--help-') written=$(read_page "$5" | long_options)
    [ "$said" = "$written" ] || fail "divan-view --help says" $said "and its manual page" $written
fi
exit $failed
