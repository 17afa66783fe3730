#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""tools/bench-against on programs that say how long they took: ratios, intervals and failures.     check_bench_against.py BENCH-AGAINST"""
import importlib.machinery
import importlib.util
import math
import os
import random
import subprocess
import sys
import tempfile

FAILED = []

# Takes the next figure of its list each time that it is run; `fails.scn` fails.
PROGRAM = """#!/bin/sh
case $2 in *fails.scn) echo "error: no such scene" >&2; exit 3;; esac
count=$(cat "$0.count" 2>/dev/null || echo 0)
echo $((count + 1)) > "$0.count"
set -- {figures}
shift $((count %% $#))
echo "{{\\"median_us\\": $1, \\"mean_us\\": $1}}"
echo "$0" >> "{order}"
""".replace("%%", "%")


def expect(true, what):
    if not true:
        FAILED.append(what)
        print(what)


def load(path):
    loader = importlib.machinery.SourceFileLoader("bench_against", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench_against", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


def intervals(tool):
    expect(tool.median([3, 1, 2]) == 2 and tool.median([4, 1, 2, 3]) == 2.5, "median")
    # Both signs of five differences: 2 / 2^5 > 5 %; of six: 2 / 2^6 < 5 %. Nine: ranks 2 and 8, outside with 20 / 512.
    expect(tool.interval(range(5)) is None, "five values say nothing")
    expect(tool.interval(range(6)) == (0, 5), "six values: from the least to the greatest")
    expect(tool.interval(range(9)) == (1, 7), "nine values: without the two ends")
    # It holds the true median as often as it says, whatever the noise.
    source, held = random.Random(1), 0
    for _ in range(2000):
        low, high = tool.interval([math.exp(source.gauss(0.0, 1.0)) for _ in range(11)])
        held += low <= 1.0 <= high
    expect(0.95 * 2000 < held < 2000, "the interval held the median in %d of 2000 cases" % held)


def table(path):
    with tempfile.TemporaryDirectory() as folder:
        order = os.path.join(folder, "order")
        for name, figures in (("now", "10 11 10 9 10 10 10"), ("old", "20 22 20 18 20 20 20")):
            with open(os.path.join(folder, name), "w", encoding="ascii") as script:
                script.write(PROGRAM.format(figures=figures, order=order))
            os.chmod(os.path.join(folder, name), 0o755)
        run = subprocess.run([path, "--pairs", "6", "--steps", "7", os.path.join(folder, "now"), os.path.join(folder, "old"), "a.scn", "fails.scn"],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in run.stdout.splitlines()]
        expect(run.returncode == 1 and "exit status 3: error: no such scene" in run.stderr, "the failure is told: %s" % run.stderr)
        expect(len(rows) == 3 and rows[2][0] == "a" and rows[2][1:3] == ["20", "10"], "medians of both: %s" % rows)
        # `now` also made the run that finds how many steps to make: its figures are one further, 11/20 .. in pairs with the other's.
        ratios = sorted(b / a for a, b in zip((11, 10, 9, 10, 10, 10), (20, 22, 20, 18, 20, 20)))
        expect(rows[2][3] == "%.3f" % (0.5 * (ratios[2] + ratios[3])), "ratio: %s" % rows[2])
        expect(rows[2][4] == "%.2f to %.2f" % (ratios[0], ratios[5]), "interval: %s" % rows[2])
        with open(order, encoding="ascii") as lines:
            turns = [os.path.basename(line.strip()) for line in lines][1:]
        expect(turns == ["now", "old", "old", "now"] * 3, "by turns: %s" % turns)
        for wrong in (["x"], ["--pairs", "0", "a", "b", "c"], ["--revision", "no-such-revision", "a.scn"]):
            expect(subprocess.run([path, *wrong], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False).returncode not in (0, -6),
                   "refused: %s" % wrong)


if __name__ == "__main__":
    intervals(load(sys.argv[1]))
    table(sys.argv[1])
    sys.exit(bool(FAILED))
