#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files of problems that are none: each fault is said with file and line, and nothing is computed.     check_problem_files.py DIVAN"""
import os
import subprocess
import sys
import tempfile

divan = os.path.realpath(sys.argv[1])

GOOD = """title  = Fall
method = none
source = none
quick  = 1

[values]
g = 10
steps = 2
size = dt
point = "position='0 0 0'"

[runs]
dt = 0.5, 0.25
m = 1, 2

[mesh line]
points = 3, 1, 1
x = u
y = 0

[case one]
k = 1

[watch]
y = point 0 of /dofs: y

[figure fall]
value = y +
  0
exact = 0
scale = 1
bound = 100, 200
order = 1
order within = 9

[scene]
<Node name="root" gravity="0 {-g} 0" dt="{dt}"><DefaultAnimationLoop/><EulerExplicitSolver/>
  <MechanicalObject name="dofs" {point}/><UniformMass totalMass="{m}"/></Node>
"""

# What becomes another, the line that is named (0: none), and words of the message.
FAULTS = [
    ("[values]", "[values", "[values", "a section is a line of its own, as in [values]"),
    ("[values]", "[values] x", "[values] x", "a section is a line of its own"),
    ("[values]", "[valuse]", "[valuse]", "no section 'valuse' is known here; did you mean 'values'?"),
    ("[watch]", "[zebra]", "[zebra]", "no section 'zebra' is known here"),
    ("[mesh line]", "[mesh]", "[mesh]", "[mesh] needs a name, as in [mesh first]"),
    ("[figure fall]", "[figure]", "[figure]", "[figure] needs a name"),
    ("[values]", "[values x]", "[values x]", "[values] has no name"),
    ("[mesh line]", "[mesh 2nd]", "[mesh 2nd]", "'2nd' cannot be the name of a mesh: letters, digits and _"),
    ("[mesh line]", "[mesh a-b]", "[mesh a-b]", "'a-b' cannot be the name of a mesh"),
    ("[watch]", "[runs]", None, "[runs] is there already"),
    ("[case one]", "[case one]\nl = 2\n[case one]", None, "[case one] is there already"),
    ("g = 10", "2g = 10", "2g = 10", "'2g' is no name: letters, digits and _"),
    ("g = 10", "g+ = 10", "g+ = 10", "'g+' is no name"),
    ("g = 10", "g 10", "g 10", "expected 'name = value' or '[section]'"),
    ("g = 10", "g = 10\ng = 11", "g = 11", "'g' is given twice; first in line 7"),
    ("exact = 0", "exat = 0", "exat = 0", "no entry 'exat' is known here; did you mean 'exact'?"),
    ("source", "sauce", "sauce", "no entry 'sauce' is known here"),
    ("quick  = 1", "zebra  = 1", "zebra  = 1", "no entry 'zebra' is known here"),
    ("[values]\n", "[values]\n more\n", " more", "a line that begins with a blank goes on with the one above, but there is none"),
    ("quick  = 1", "quick  = 3", "quick  = 3", "quick = 3: a number of runs, from 0 to 2"),
    ("quick  = 1", "quick  = -1", "quick  = -1", "quick = -1: a number of runs, from 0 to 2"),
    ("quick  = 1", "quick  = few", "quick  = few", "quick = few: a number of runs"),
    ("m = 1, 2", "m = 1, 2, 3", "m = 1, 2, 3", "'m' has 3 numbers, 'dt' 2: one for each run"),
    ("m = 1, 2", "m = 1", "m = 1", "'m' has 1 numbers, 'dt' 2: one for each run"),
    ("m = 1, 2", "m = max(1, 2), min(1, 2), 3", "m = max", "'m' has 3 numbers"),
    ("bound = 100, 200", "bound = 1, 2, 3", "bound = 1", "3 bounds for 2 runs: one for each, or one for all"),
    ("size = dt\n", "", "[figure fall]", "an order needs the 'size' in [values] that runs get smaller by"),
    ("steps = 2\n", "", "[values]", "[values] does not say how many 'steps' a run has"),
    ("title  = Fall\n", "", None, "the problem has no 'title'"),
    ("method = none\n", "", None, "the problem has no 'method'"),
    ("source = none\n", "", None, "the problem has no 'source'"),
    ("points = 3, 1, 1\n", "", "[mesh line]", "mesh line has no 'points'"),
    ("x = u\n", "", "[mesh line]", "mesh line has no 'x'"),
    ("y = 0\n", "", "[mesh line]", "mesh line has no 'y'"),
    ("exact = 0\n", "", "[figure fall]", "figure fall has no 'exact'"),
    ("bound = 100, 200\n", "", "[figure fall]", "figure fall has no 'bound'"),
    ("value = y +\n  0\n", "", "[figure fall]", "figure fall has no 'value'"),
    ("[scene]", "[case two]", None, ""),
    ("[scene]\n", "", None, ""),
    ("scale = 1\n", "", "[figure fall]", "exact is 0: the error needs a 'scale' to be measured by"),
    ("Fall", "Fa\0ll", None, "a zero byte: not a text"),
    ("{-g}", "{-h}", "gravity", "'h' has no value here"),
    ("{-g}", "{-g", "gravity", "{-g"),
    ("{m}", "{point}", None, ""),
    ("position='0 0 0'", "{point}", None, "{point} holds itself"),
    ("g = 10", "g = g", "gravity", "'g' needs its own value"),
    ("g = 10", 'g = "ten"', "gravity", "'g' is a text, not a number"),
    ("value = y +", "value = z +", "value = z", "'z'"),
    ("value = y +", "value = y + *", "value = y", "expected a number at *"),
    ("y = point 0 of /dofs: y", "y = point 1 of /dofs: y", "y = point", "1"),
    ("y = point 0 of /dofs: y", "y = point 0 of /nobody: y", "y = point", "/nobody"),
]


def verify(text):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "own.problem"), "w") as out:
            out.write(text)
        done = subprocess.run([divan, "verify", "own.problem", "--jobs", "1"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", check=False)
        return done.returncode, done.stdout


failures = []
status, said = verify(GOOD)
if status != 0 or "1 figures: 1 hold" not in said:
    failures.append("the good problem does not hold: " + said)
for old, new, at, words in FAULTS:
    if old not in GOOD:
        failures.append("nothing is changed: " + old)
    text = GOOD.replace(old, new, 1)
    status, said = verify(text)
    line = next((i + 1 for i, line in enumerate(text.split("\n")) if at and line.startswith(at) or at and at in line), None)
    place = "own.problem:%d:" % line if line else "own.problem:"
    if status == 0 or place not in said or words not in said:
        failures.append("%s instead of %s: says '%s' instead of '%s %s'" % (repr(new), repr(old), said, place, words))
print("\n".join(failures))
sys.exit(bool(failures))
