#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Every command and option that the program's own help names stands in the manual page and in the completion, and the manual
# names no long option that no command has.     check_manual.sh DIVAN DIVAN.1 DIVAN.BASH-COMPLETION
set -eu
divan=$1 manual=$2 completion=$3
failed=0

fail()
{
    echo "$*"
    failed=1
}

# The manual page writes `--dump-steps` as `\-\-dump\-steps`.
plain=$(sed 's/\\-/-/g' "$manual")
commands=$("$divan" --help | awk '/^  [a-z]/ { print $1 }')
[ -n "$commands" ] || fail "divan --help names no command"
known=" --version "
for command in $commands; do
    echo "$plain" | grep -qE "\"?divan $command\"?|^\.B[I]? $command" || fail "no command $command in the manual page"
    grep -qw -- "$command" "$completion" || fail "no command $command in the completion"
    options=$("$divan" "$command" --help | grep -oE -- '--[a-z][a-z0-9-]*' | sort -u)
    [ -n "$options" ] || fail "divan $command --help names no option"
    for option in $options; do
        known="$known$option "
        case $option in --help-*) continue ;; esac
        echo "$plain" | grep -qE -- "(^|[ \"])$option([ \",]|\$)" || fail "divan $command $option is not in the manual page"
        grep -qE -- "(^|[ '\"])$option([ '\"]|\$)" "$completion" || fail "divan $command $option is not in the completion"
    done
done
for option in $(echo "$plain" | grep -oE -- '--[a-z][a-z0-9-]*' | sort -u); do
    case $known in *" $option "*) ;; *) fail "the manual page has $option, which no command has" ;; esac
done
exit $failed
