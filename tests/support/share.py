#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A day's share of long loops, for scripts; tests/support/share.h is the same for C.

DIVAN_TEST_SHARE, which `./bootstrap sanitize` sets, is "TURN/DAYS": of DAYS cases one is run, another one each day, so that after DAYS
days all have been. Without it all are. Shells ask `share.py CASE...`, which prints the cases of today, one a line.
"""
import os
import sys


def turn_and_days():
    turn, _, days = os.environ.get("DIVAN_TEST_SHARE", "").partition("/")
    return (int(turn), int(days)) if turn.isdigit() and days.isdigit() and int(days) > 0 else (0, 1)


def is_long():
    """Whether long tests run at full length, `./bootstrap test --long`."""
    return "DIVAN_LONG" in os.environ


def share_of(cases, what="cases"):
    """Those of today, at least one, with a line that says so."""
    turn, days = turn_and_days()
    cases = list(cases)
    every = max(1, min(days, len(cases)))
    share = cases[turn % every::every]
    if days > 1:
        print("share %d of %d: %d of %d %s (DIVAN_TEST_SHARE)" % (turn % days + 1, days, len(share), len(cases), what), file=sys.stderr, flush=True)
    return share


if __name__ == "__main__":
    print("\n".join(share_of(sys.argv[1:])))
