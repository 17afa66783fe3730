#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# divan verify: what is chosen, what is computed, and that a wrong figure is a failure.     check_verify.sh DIVAN GOLDEN
# GOLDEN: folder with the reports as they are written, see the end.
set -u
divan=$(realpath "$1")
golden=$(realpath "$2")
LC_ALL=C
export LC_ALL
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

fail()
{
    echo "$*"
    failed=1
}

# run STATUS ARGUMENTS...
run()
{
    wanted=$1
    shift
    last="divan verify $*"
    "$divan" verify "$@" >out 2>err
    status=$?
    [ "$status" -eq "$wanted" ] || fail "exit status $status instead of $wanted: $last ($(cat out err))"
}

# says PATTERN
says()
{
    cat out err | grep -qE -- "$1" || fail "no line like '$1' from: $last ($(cat out err))"
}

# A point that falls for 1 s: v = -g, which symplectic Euler makes exactly; y = -g / 2 (1 + dt)
mkdir own
cat >own/fall.problem <<'END'
# SPDX-License-Identifier: 0BSD
title  = Fall
method = EulerExplicitSolver
source = Galileo
quick  = 2
plot   = y, exact_y

[values]
g = 10
steps = round(1 / dt)
size = dt
point = "position='0 0 0'"

[runs]
dt = 0.1, 0.05, 0.025

[case light]
m = 1

[case heavy]
m = 1000

[mesh line]
points = 3, 2, 1
x = 5 * u
y = v

[watch]
y = point 0 of /dofs: y
far = at (4.9, 0.9, 0) of /Line/points: x + 10 * y
largest = largest over /Line/points: x
smallest = smallest over /Line/points: x - 1
sum = sum over /Line/points: x
mean = mean over /Line/points: i
number = entry 1 of /dofs.velocity
px = momentum y
kinetic = kinetic energy
potential = potential energy
energy = energy
exact_y = -g * t ^ 2 / 2
turns = sin(2 * pi * t * 3)

[figure velocity]
value = number
exact = -g
unit = m/s
bound = 1e-12

[figure height]
value = y
exact = exact_y
unit = m
bound = 1.01 * dt
order = 1
order within = 0.01
limit within = 1e-9

[figure mass]
about = a thousand times as much in the second case
value = px / number
exact = m
bound = 1e-12

[figure energies]
value = kinetic + potential - energy + 0.5 * m * number ^ 2 - kinetic
exact = 0
scale = kinetic
bound = 1e-12

[figure mesh]
value = far + 1000 * largest + 1e6 * smallest + 1e9 * sum + 1e12 * mean
exact = 15 + 5000 - 1e6 + 15e9 + 2.5e12
bound = 1e-14

[figure same]
value = number + 0 * y
exact = the first run
bound = 1e-12

[figure period]
value = period(turns)
exact = 1 / 3
bound = 0.02

[figure series]
value = first(y) + 10 * highest(y) + mean(number)
exact = -g / 2
when = m = 1
bound = 1e-12

[scene]
<Node name="root" gravity="0 {-g} 0" dt="{dt}">
  <DefaultAnimationLoop/>
  <Node name="Line"><MechanicalObject name="points" position="{line.position}"/></Node>
  <EulerExplicitSolver/>
  <MechanicalObject name="dofs" {point}/>
  <UniformMass vertexMass="{m}"/>
</Node>
END
run 0 own
says '^fall/light +velocity +-10 +-10 m/s .* holds$'
says '^fall/heavy +height .* 1\.00 of 1 +holds$'
says '^fall/light +series .* holds$'
says '^2 problems, 15 figures: 15 hold, 0 deviate for a known reason, 0 fail$'
grep -q '^fall/heavy *series' out && fail "a figure that is not for the case"
run 0 own/fall.problem --jobs 1
says '^2 problems, 15 figures'
run 0 own fall/heavy
says '^1 problems, 7 figures'
run 0 own --list
says '^fall/light +Fall$'
[ "$(wc -l <out)" -eq 2 ] || fail "--list: $(cat out)"
run 0 own --quick --markdown
says '^### fall$'
says '^\| light \| velocity \| 1 \| -10 m/s \| -10 \| .* \|$'
[ "$(grep -c '| 3 |' out)" -eq 0 ] || fail "--quick makes a third run"
run 0 own --html page.html
[ "$(grep -c '<h2 id="fall">' page.html)" -eq 1 ] || fail "--html: no problem on the page"
python3 - page.html <<'END' || fail "--html: tags that are not closed"
import html.parser, sys
class Page(html.parser.HTMLParser):
    open = []
    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "br"):
            self.open.append(tag)
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
page = Page()
page.feed(open(sys.argv[1]).read())
sys.exit(bool(page.open))
END
if command -v gnuplot >/dev/null; then
    [ "$(grep -c '<svg' page.html)" -eq 3 ] || fail "--html: $(grep -c '<svg' page.html) plots instead of 3"
fi
PATH=/nowhere "$divan" verify own --html plain.html >out 2>err || fail "--html without gnuplot"
grep -q '<svg' plain.html && fail "--html without gnuplot has plots"
run 1 own --html nowhere/page.html
says 'nowhere/page\.html: No such file'

# The scenes as they are run
run 0 own fall/heavy --scenes scenes
[ "$(ls scenes | tr '\n' ' ')" = "fall-heavy-1.scn fall-heavy-2.scn fall-heavy-3.scn " ] || fail "--scenes: $(ls scenes)"
"$divan" run --quiet -n 40 scenes/fall-heavy-3.scn --dump dump || fail "a scene of --scenes does not run"
tail -n 4 dump | awk '$1 == "V" && NF == 4 && $3 < -9.999 && $3 > -10.001 { good = 1 } END { exit !good }' ||
    fail "--scenes: the point does not fall: $(cat dump)"

# With powers of two nothing is rounded: what is exactly at its bound holds
mkdir exact
sed '/^\[watch\]/,/^\[scene\]/d; s/^g = 10/g = 8/; s/^dt = .*/dt = 0.5, 0.25/' own/fall.problem |
    sed '/^plot/d; /^quick/d; /^\[case heavy\]/,$d' >exact/fall.problem
cat >>exact/fall.problem <<'END'
[watch]
y = point 0 of /dofs: y

[figure height]
value = y
exact = -4
bound = dt
order = 1
order within = 0
limit within = 0

[scene]
END
sed '1,/^\[scene\]/d; /name="Line"/d' own/fall.problem >>exact/fall.problem
run 0 exact
says '^fall/light +height +-5 +-4 .* 1\.00 of 1 +holds$'

# What comes with the program
run 0 --list
says '^pendulum/'
says '^elastica/hexahedron-large-5 +Cantilever at large load$'
run 0 --quick pendulum elastica/hexahedron-large-5
says ' 0 fail$'
run 0 pendulum
run 2 pendulun
says "no problem 'pendulun'; did you mean 'pendulum'\?"
run 1 nowhere.problem
says 'nowhere\.problem'
mkdir none
run 1 none
says 'none: no file there ends in \.problem'
run 2 --jobs 0
says '--jobs 0: expected a whole number from 1 to 1024'
run 2 --html=
says 'its name is empty'

# Wrong figures
mkdir wrong
wrong() # NAME SED-SCRIPT: a copy with a fault
{
    sed "$2" own/fall.problem >"wrong/$1.problem"
    cmp -s own/fall.problem "wrong/$1.problem" && fail "$1: nothing is changed"
}
wrong value 's/^exact = -g$/exact = -g * 1.001/'
run 1 wrong/value.problem
says '^value/light +velocity .* FAILS$'
says '^    run 3: error 0\.000999, bound 1e-12$'
wrong order 's/^order = 1/order = 2/'
run 1 wrong/order.problem
says '^    order of convergence 1 instead of 2$'
run 0 wrong/order.problem --quick # the order is that of the finest runs
wrong limit 's/^limit within = 1e-9/limit within = 1e-30/'
run 1 wrong/limit.problem
says 'error of the limit .*, bound 1e-30$'
run 0 wrong/limit.problem --quick
wrong holds 's/^bound = 1.01 \* dt/bound = 1.01 * dt\ndeviates = no reason/'
run 1 wrong/holds.problem
says 'HOLDS NOW$'
wrong known 's/^exact = -g$/exact = -g * 1.001\ndeviates = the moon is {g} near/'
run 0 wrong/known.problem
says '^    the moon is 10 near$'
says '2 deviate for a known reason, 0 fail$'
wrong first 's/^value = number + 0 \* y/value = y/'
run 1 wrong/first.problem
says '^first/light +same .* FAILS$'
wrong never 's/^value = number$/value = sqrt(-number - 11)/' # not a number is in no bound
run 1 wrong/never.problem
wrong crash 's/vertexMass="{m}"/vertexMass="{-m}"/'
run 1 wrong/crash.problem
says '^crash/light +FAILS$'
says '^    run 1: error: wrong/crash\.problem:[0-9]+:'
wrong gap 's/vertexMass="{m}"/vertexMass="{nonsense}"/'
line=$(grep -n nonsense wrong/gap.problem | cut -d : -f 1)
run 1 wrong/gap.problem
says "gap\.problem:$line: \{nonsense\}"
run 1 wrong/gap.problem --scenes unwritten
says "gap\.problem:$line: \{nonsense\}"
wrong warning 's/<UniformMass /<UniformMass totalMas="3" /'
run 1 wrong/warning.problem
says "no field 'totalMas'"
wrong expected 's/<UniformMass /<UniformMass totalMas="3" /; s/^quick/warns = {why}\nquick/; s/^g = 10/g = 10\nwhy = "so it is"/'
run 0 wrong/expected.problem

# Golden reports: of a problem that holds, one that deviates for a reason, one with a wrong order and one that cannot be run. Errors that
# are rounding have no digits. What gnuplot is told stands where its pictures would. Look at a report that differs, and keep it if it
# is what is meant.
mkdir all bin
cp own/fall.problem all
for name in known order crash; do
    sed '/^\[case heavy\]$/,/^$/d' "wrong/$name.problem" >"all/$name.problem"
done
cat >bin/gnuplot <<'END'
#!/bin/sh
echo '<svg>'
cat "$1"
echo '</svg>'
END
chmod +x bin/gnuplot
compare() # NAME: out with golden/verify.NAME
{
    sed -E 's/[0-9.]+e-1[5-9]/tiny/g; s/ +$//' "$2" >"verify.$1"
    diff -u "$golden/verify.$1" "verify.$1" || fail "the report is not golden/verify.$1"
}
run 1 all
compare txt out
run 1 all --markdown
sed -n '/^## Figures/,$p' out >figures
compare md figures
PATH=$work/bin:$PATH "$divan" verify all --html page.html >out 2>err
compare html page.html
exit $failed
