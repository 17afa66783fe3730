#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# docs/verification.md is what `divan verify --markdown` writes now, and every figure is in its bounds.
#     check_verification.py DIVAN PAGE [--quick]    quick runs only, of the day's share of the problems, and the page is not compared
#
# Long tests compute the whole page. Otherwise the quick runs are made, each row of which is one of the page, but for the last two columns,
# which are about all runs of a figure, as limits are; and the page has nothing more but rows of other runs.
#
# Texts must be the same; numbers may differ as other machines round: by 1e-3, by 6 % where fewer than four digits are shown, and
# below 1e-8 by all of it.
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from share import is_long, share_of

NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?$")


def numbers_of(row):
    """The row with a gap for each number, and the numbers as they are written."""
    words, numbers = [], []
    for word in row.split():
        if NUMBER.match(word) and row.startswith("|"):
            numbers.append(word)
            word = "#"
        words.append(word)
    return " ".join(words), numbers


def is_near(old, new):
    a, b = float(old), float(new)
    digits = len(re.sub(r"e.*|[-.]", "", new).lstrip("0"))
    largest = max(abs(a), abs(b))
    return largest <= 1e-8 or abs(a - b) <= (1e-3 if digits > 3 else 0.06) * largest


def differs(old, new):
    (old_words, old_numbers), (new_words, new_numbers) = numbers_of(old), numbers_of(new)
    return old_words != new_words or not all(map(is_near, old_numbers, new_numbers))


def figures_of(line):
    return line.rsplit("|", 3)[0] + "|" if line.startswith("|") else line


def lines_that_differ(old, new):
    """Those of the page as it is written now, and then those that are too many in it."""
    if is_long():
        return [(a, b) for a, b in zip(old, new) if differs(a, b)] + [(line, "") for line in old[len(new):]] + [("", line) for line in new[len(old):]]
    wrong, at = [], 0
    for line in (line for line in new if "| limit |" not in line):
        found = at
        while found < len(old) and differs(figures_of(old[found]), figures_of(line)) and old[found].startswith("|"):
            found += 1
        if found == len(old) or differs(figures_of(old[found]), figures_of(line)):
            wrong.append((old[at] if at < len(old) else "", line))
        else:
            at = found + 1
    return wrong + [(line, "") for line in old[at:] if not line.startswith("|")]


def main():
    divan, page, *quick = sys.argv[1:]
    if quick:
        listed = subprocess.run([divan, "verify", "--list"], stdout=subprocess.PIPE, text=True, check=True).stdout
        quick += share_of([line.split()[0] for line in listed.splitlines()], "problems")
    words = quick or ([] if is_long() else ["--quick"])
    run = subprocess.run([divan, "verify", "--markdown", *words], stdout=subprocess.PIPE, text=True, check=False)
    if run.returncode != 0:
        subprocess.run([divan, "verify", *words], check=False)
        print("a figure leaves its bound")
        return 1
    if quick:
        return 0
    with open(page, encoding="utf-8") as file:
        wrong = lines_that_differ(file.read().splitlines(), run.stdout.splitlines())
    for a, b in wrong[:20]:
        print(f"- {a}\n+ {b}")
    if not wrong:
        return 0
    print(f"{page} is stale: {len(wrong)} lines differ from those that `divan verify --markdown` writes")
    return 1


sys.exit(main())
