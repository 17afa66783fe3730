#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# docs/verification.md is what `divan verify --markdown` writes now, and every figure is in its bounds.
#     check_verification.py DIVAN PAGE
#
# Texts must be the same; numbers may differ as other machines round: by 1e-3, by 6 % where fewer than four digits are shown, and
# below 1e-8 by all of it.
import re
import subprocess
import sys

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
    divan, page = sys.argv[1:]
    run = subprocess.run([divan, "verify", "--markdown"], stdout=subprocess.PIPE, text=True, check=False)
    new = run.stdout.splitlines()
    with open(page, encoding="utf-8") as file:
        old = file.read().splitlines()
    wrong = [(a, b) for a, b in zip(old, new) if differs(a, b)]
    for a, b in wrong[:20]:
        print(f"- {a}\n+ {b}")
    if wrong or len(old) != len(new):
        print(f"{page} is stale: {len(wrong)} lines of {len(old)} differ from the {len(new)} that "
              "`divan verify --markdown` writes")
    if run.returncode != 0:
        print("a figure leaves its bound:", subprocess.run([divan, "verify"], stdout=subprocess.PIPE, text=True, check=False).stdout)
    return 1 if wrong or len(old) != len(new) or run.returncode != 0 else 0


sys.exit(main())
