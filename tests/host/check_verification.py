#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# docs/verification.md is what `divan verify --markdown` writes now, and every figure is in its bounds.
#     check_verification.py DIVAN PAGE [--quick]    quick runs only, of the day's share of the problems, and the page is not compared
#
# Texts must be the same; numbers may differ as other machines round: by 1e-3, by 6 % where fewer than four digits are shown, and
# below 1e-8 by all of it.
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from share import share_of

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


def main():
    divan, page, *quick = sys.argv[1:]
    if quick:
        listed = subprocess.run([divan, "verify", "--list"], stdout=subprocess.PIPE, text=True, check=True).stdout
        quick += share_of([line.split()[0] for line in listed.splitlines()], "problems")
    run = subprocess.run([divan, "verify", "--markdown", *quick], stdout=subprocess.PIPE, text=True, check=False)
    if run.returncode != 0:
        subprocess.run([divan, "verify", *quick], check=False)
        print("a figure leaves its bound")
        return 1
    if quick:
        return 0
    new = run.stdout.splitlines()
    with open(page, encoding="utf-8") as file:
        old = file.read().splitlines()
    wrong = [(a, b) for a, b in zip(old, new) if differs(a, b)]
    for a, b in wrong[:20]:
        print(f"- {a}\n+ {b}")
    if not wrong and len(old) == len(new):
        return 0
    print(f"{page} is stale: {len(wrong)} lines of {len(old)} differ from the {len(new)} that `divan verify --markdown` writes")
    return 1


sys.exit(main())
