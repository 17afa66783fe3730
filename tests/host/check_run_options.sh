#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# divan run --verbose, --strict, --real-time; compressed states of divan probe; wrong versions in plugin sets.
# usage: check_run_options.sh DIVAN [ZLIB: 0 or 1]
set -u
divan=$(realpath "$1") zlib=${2:-1}
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

# run STATUS ARGUMENTS...: into out and err
run()
{
    wanted=$1
    shift
    last="divan $*"
    "$divan" "$@" >out 2>err
    got=$?
    [ "$got" -eq "$wanted" ] || fail "exit status $got instead of $wanted: $last ($(head -n 5 err))"
}

says() { cat out err | grep -qE -- "$1" || fail "no line like '$1' from: $last: $(cat out err)"; }
does_not_say() { cat out err | grep -E -- "$1" && fail "a line like '$1' from: $last"; }

cat >ball.scn <<'END'
<Node name="root" gravity="0 -10 0" dt="0.1">
  <DefaultAnimationLoop/>
  <EulerExplicitSolver/>
  <MechanicalObject name="ball" position="1 2 3  4 5 6"/>
  <UniformMass totalMass="2"/>
</Node>
END

# --input: a mouse, keys and edits after the steps that they name
cat >led.scn <<'END'
<Node name="root" dt="0.01" gravity="0 0 0">
  <DefaultAnimationLoop/>
  <MechanicalObject name="body" template="Rigid3d" position="1 2 3 0 0 0 1"/>
  <MechanicalStateController name="hand" listening="1" onlyTranslation="1"/>
</Node>
END
cat >led.session <<'END'
divan-session 1
# the left button moves along x, the right one along y
2 mouse pressed left 0 0
2 mouse moved left 7 100
3 mouse released none 0 0
4 key 1 52
4 edit "/hand.onlyTranslation" "1"
4 mouse pressed right 0 0
5 mouse moved right 100 -3
6 mouse moved right 100 -2
END
run 0 run led.scn --input led.session -n 8 --quiet --record 'x=/body.position[0]'
cat >wanted <<'END'
3 8 2 3
5 8 2 3
6 8 -1 3
7 8 -3 3
END
tr ',' ' ' <out | awk '$1 == 3 || $1 == 5 || $1 == 6 || $1 == 7 {print $1, $3, $4, $5}' >seen
cmp -s seen wanted || fail "--input: not where the mouse has led it: $(cat out)"
run 0 run led.scn --input led.session -n 8 --hash --quiet
cp out once
run 0 run led.scn --input led.session -n 4 --quiet --checkpoint led.checkpoint
run 0 run led.scn --input led.session -n 4 --hash --quiet --restart led.checkpoint
[ "$(tail -n 1 out | cut -d' ' -f2)" = "$(tail -n 1 once | cut -d' ' -f2)" ] || fail "--input: a restart leads elsewhere"
hash=$(tail -n 1 once | cut -d' ' -f2)
echo "8 end $hash" >>led.session
run 0 run led.scn --input led.session -n 8
says '^led.session: the same bits as recorded after 8 steps$'
sed -i "s/ moved left 7 / moved left 8 /" led.session
run 1 run led.scn --input led.session -n 8
says '^divan: --input: led.session:11: the states are others than recorded$'
# A device of the scene, led and pressed: after 30 steps it is there
cat >arm.scn <<'END'
<Node name="root" dt="0.01" gravity="0 0 0">
  <DefaultAnimationLoop/>
  <SimulatedHapticDevice name="arm" handDamping="20" friction="0" resolution="0"/>
  <MechanicalObject name="body" template="Rigid3d" position="@arm.positionDevice"/>
</Node>
END
cat >arm.session <<'END'
divan-session 1
2 device "/arm" 0.01 0 -0.02
3 button "/arm" 1 1
200 button "/arm" 0 1
END
run 0 run arm.scn --input arm.session -n 150 --quiet --record 'x=/arm.positionDevice[0]' --record 'b=/arm.buttons'
[ "$(tail -n 1 out | tr ',' ' ' | awk '{printf "%.6f %.6f %.6f %d", $3, $4, $5, $NF}')" = '0.010000 0.000000 -0.020000 2' ] ||
    fail "--input: the device is not where it was led: $(tail -n 1 out)"
run 0 run arm.scn --input arm.session -n 60 --hash --quiet
cp out once
run 0 run arm.scn --input arm.session -n 30 --quiet --checkpoint arm.checkpoint
run 0 run arm.scn --input arm.session -n 30 --hash --quiet --restart arm.checkpoint
[ "$(tail -n 1 out | cut -d' ' -f2)" = "$(tail -n 1 once | cut -d' ' -f2)" ] || fail "--input: a restart leads the device elsewhere"
printf 'divan-session 1\n2 device "/nobody" 0 0 0\n' >wrong.session
run 1 run arm.scn --input wrong.session -n 8
says "^divan: --input: wrong.session:2: there is no haptic device '/nobody'"
# --haptic-device
cat >driver.scn <<'END'
<Node name="root" dt="0.01" gravity="0 0 0">
  <DefaultAnimationLoop/>
  <GeomagicDriver name="arm"/>
</Node>
END
run 0 run driver.scn --haptic-device 'SimulatedHapticDevice motion="hand" rate="500"' --haptics -n 10
says '50 in 0.098 s'
says '  periods    of virtual time'
says 'verdict: the scene keeps up with a hand: real-time factor .*; dearest phase'
# --haptics: a hand that goes 30 mm in 0.3 s, on 100 N/m to a tool that stands still, and a tool that follows
cat >hand.txt <<'END'
0 0 0 0
0.3 0.03 0 0
1 0.03 0 0
END
cat >hand.scn <<'END'
<Node name="root" dt="0.01" gravity="0 0 0">
  <DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/><CollisionResponse response="PenalityContactForceField"/>
  <LocalMinDistance alarmDistance="0.01" contactDistance="0.001"/>
  <SimulatedHapticDevice name="arm" filename="hand.txt" resolution="0" maxForce="2.5" continuousForce="1"/>
  <Node name="tool">
    <MechanicalObject name="state" template="Rigid3d"/><UniformMass totalMass="1"/><FixedProjectiveConstraint/>
    <VirtualCoupling stiffness="100" damping="0" rampTime="0" passivity="off"/>
  </Node>
</Node>
END
run 0 run hand.scn --haptics -n 50
says '^/arm: running; 1 user$'
says '^  ticks      500 in 0.499 s, 1002 a second; 0 missed$'
says '^  states     50 seen, 14.3 ms old on the mean, from the begin of their step$'
# 100 N/m times x up to 2.5 N; the work is its integral, but for what a tick is late
says '^  force      1.87[0-9]* N on the mean, 2.5 N at most; cut in 249 ticks$'
says '^  hand       0.03 m in 0.499 s; the device has done -0.0436[0-9]* J on it$'
says '^  tool       /tool/state: 0 m in 0.5 s, 0 m at most in a step; 1.87[0-9]* N on the mean, 2.5 N at most$'
says '^  energy     0.0436[0-9]* J put in, 0.04375 J stored, 0 J taken away, 0.000125 J from nowhere still$'
sed -i 's|<FixedProjectiveConstraint/>|<RungeKutta4Solver/>|' hand.scn
run 0 run hand.scn --haptics -n 50
says '^verdict: walls are seen in time: the tool goes 0.00.* m at most in a step, the alarm distance is 0.01 m$'
sed -i 's|alarmDistance="0.01" contactDistance="0.001"|alarmDistance="0.0001" contactDistance="0.00001"|; s|dt="0.01"|dt="0.0100001"|' hand.scn
run 0 run hand.scn --haptics -n 50
says '^verdict: walls may be seen too late: the tool goes 0.00.* m at most in a step, the alarm distance is 0.0001 m$'
sed -i 's|dt="0.0100001"|dt="1e-7"|' hand.scn
run 0 run hand.scn --haptics -n 5
says '^verdict: the scene is too heavy for a hand: real-time factor .*; dearest phase .*, .* %$'
run 1 run driver.scn --haptic-device SimulatedHapticDevise -n 8
says "did you mean 'SimulatedHapticDevice'"
run 1 run arm.scn --haptic-device SimulatedHapticDevice -n 8
says 'the scene has 0 drivers'
# what cannot be made does not keep the rest from being initialised; a device that cannot be had ends the run
sed 's|<GeomagicDriver|<NoSuchClass/>&|' driver.scn >odd.scn
run 0 run odd.scn --haptic-device 'SimulatedHapticDevice motion="hand" rate="500"' --haptics -n 10 --keep-going
says '50 in 0.098 s'
run 1 run driver.scn --haptic-device SimulatedHapticDevise -n 8 --keep-going
says "did you mean 'SimulatedHapticDevice'"

# wrong LINE WORDS: what is said of it
wrong()
{
    printf 'divan-session 1\n%s\n' "$1" >wrong.session
    run 1 run led.scn --input wrong.session -n 8
    says "^divan: --input: wrong.session:2: $2"
}
wrong '2 mouse pushed left 0 0' 'expected mouse, then moved'
wrong '2 mouse moved left 1e99 0' 'expected mouse, then moved'
wrong '2 mouse moved left 1 0 3' 'there is more than belongs to it'
wrong '2 grab 0 0 0 1 0 0 -1 1000' 'this needs a window: `divan-view --replay`'
wrong '2 turn 3' 'expected edit, element'
wrong 'turn' 'expected the number of a step'
wrong '2 edit "/hand.onlyTranslations" "1"' "there is no field '/hand.onlyTranslations'"
wrong '2 edit "/hand.onlyTranslation" "perhaps"' '.*perhaps'
wrong '2 delete "/nobody"' "there is no object '/nobody'"
wrong '2 key 1 18 9' 'expected what is held'
wrong '2 device "/hand" 1 2' 'expected x y z'
wrong '2 device "/hand" 1 2 3 0 0 0 0' 'expected x y z'
wrong '2 button "/hand" 2 0' 'expected 1 .pressed. or 0'
wrong '2 button "/hand" 1 32' 'expected 1 .pressed. or 0'
wrong '2 key 1 -4' 'there is no key'
printf 'divan-session 1\nstart 00000000000000aa\n' >wrong.session
run 1 run led.scn --input wrong.session -n 8
says 'the scene is not the one that was recorded'
run 1 run led.scn --input nowhere.session -n 8
says '^divan: --input: .*nowhere.session'

# --verbose: plugins, objects, a line for each tenth of the steps
run 0 run --verbose -n 50 ball.scn
says '^info: plugin divan\.mechanics [0-9.]+: .*divan-mechanics\.so$'
says '^info: /ball: MechanicalObject Vec3d, 2 points$'
says '^info: /UniformMass: UniformMass Vec3d$|^info: /.*: UniformMass Vec3d$'
says '^info: step 5 of 50, time 0\.5 s, '
says '^info: step 50 of 50, time 5 s, '
[ "$(grep -c '^info: step ' err)" -eq 10 ] || fail "--verbose: $(grep -c '^info: step ' err) lines of progress instead of 10"
run 0 run --verbose -n 3 ball.scn
[ "$(grep -c '^info: step ' err)" -eq 3 ] || fail "--verbose: not a line for each of three steps"
run 0 run -n 50 --quiet ball.scn
does_not_say .
# What components have to say is said of all of them, printLog or not.
cat >sheet.scn <<'END'
<Node dt="0.1">
  <DefaultAnimationLoop/>
  <EulerExplicitSolver/>
  <MeshTopology position="0 0 0 1 0 0 0 1 0" triangles="0 1 2"/>
  <MechanicalObject/>
  <MeshMatrixMass massDensity="1" lumping="1" printMass="1"/>
</Node>
END
run 0 run --verbose -n 0 sheet.scn
says '^info: .*MeshMatrixMass.*: total mass: 0\.5 kg$'
run 0 run -n 0 --quiet sheet.scn
does_not_say 'total mass'

# --strict: a warning that changes results is an error, before the first step; another is not
sed 's/totalMass="2"/totalMass="2" totalMas="3"/' ball.scn >slip.scn
run 0 run -n 3 slip.scn
says "^warning: .*no field 'totalMas'; did you mean 'totalMass'"
run 1 run --strict -n 3 --hash slip.scn
says "^error: .*no field 'totalMas'; did you mean 'totalMass'"
says '^divan: --strict: 1 warning that changes results'
does_not_say '^[0-9]+ [0-9a-f]{16}$'
run 1 save --strict slip.scn saved.scn
[ ! -e saved.scn ] || fail "save --strict writes a scene that has warnings"
run 0 run --strict -n 3 ball.scn
says '^3 steps in '
sed 's|<UniformMass|<RequiredPlugin name="Nowhere"/>\n  <VisualStyle displayFlags="showVisul"/>\n  <UniformMass|' ball.scn >harmless.scn
run 0 run --strict -n 3 harmless.scn
says '^warning: .*RequiredPlugin .Nowhere.: name: no plugin that runs covers'
says "^warning: .*no display flag 'showVisul'"
says '^3 steps in '
run 1 check --json harmless.scn
[ "$(grep -c '"changes_results": "no"' out)" -eq 2 ] || fail "check --json: not two harmless warnings: $(cat out)"
run 1 check --json slip.scn
says '"changes_results": "yes"'
# ... also when it comes in a step: the matrix of a solver whose points have neither mass nor stiffness has no effect
cat >late.scn <<'END'
<Node dt="0.1" gravity="0 0 0">
  <DefaultAnimationLoop/>
  <EulerImplicitSolver/>
  <CGLinearSolver/>
  <MechanicalObject name="ball" position="0 0 0"/>
  <ConstantForceField forces="1 0 0"/>
</Node>
END
"$divan" run -n 5 --hash late.scn >out 2>err
if grep -q '^warning: ' err; then
    run 1 run --strict -n 5 --hash late.scn
    says '^error: '
    [ "$(grep -cE '^[0-9]+ [0-9a-f]{16}$' out)" -le 2 ] || fail "--strict goes on after a warning in a step"
else
    fail "the scene that should warn in a step does not: $(cat err)"
fi

# --real-time: no faster than the clock; steps that cannot keep up are said. Only bounds that hold on a busy machine, too.
before=$(date +%s%N)
run 0 run --real-time -n 4 --dt 0.1 ball.scn
elapsed=$((($(date +%s%N) - before) / 1000000))
[ $elapsed -ge 400 ] || fail "--real-time: 0.4 s of simulated time took $elapsed ms"
says '^[0-4] steps ended late, [0-9.e-]+ s lost$'
says '^4 steps in [0-9.]+ s, [0-9.e-]+ s of them computing; simulated time 0.4 s, real-time factor (1|0)[.0-9]*$'
run 0 run --real-time -n 20 --dt 1e-12 ball.scn
says '^divan: --real-time: step 1 ends .* s late; the run does not keep up with the clock$'
says '^20 steps ended late, '
[ "$(grep -c 'does not keep up' err)" -eq 1 ] || fail "--real-time says more than once that it does not keep up"

# probe: a state compressed by gzip is the same state; a damaged one is an error
printf 'DT 0.1\nSTATE /ball 2 free\nX 0 0 0 1 2 3\nV 0 0 0 1 1 1\nDX 1 2 3 4 5 6\n' >at
run 0 probe ball.scn --at at --out plain
gzip -k at
if [ "$zlib" = 1 ]; then
    run 0 probe ball.scn --at at.gz --out unpacked
    cmp plain unpacked || fail "probe --at: another result from the compressed state"
    head -c $(($(wc -c <at.gz) - 12)) at.gz >cut.gz
    run 1 probe ball.scn --at cut.gz --out unpacked
    says '^divan: cut\.gz: '
    run 1 probe ball.scn --at nowhere.gz --out unpacked
    says '^divan: nowhere\.gz: No such file'
    run 1 probe ball.scn --at . --out unpacked
    says '^divan: \.: Is a directory'
else
    run 1 probe ball.scn --at at.gz --out unpacked
    says 'without zlib'
fi

# What a step came to: one ball rests on a floor, another is far above it.
cat >two.scn <<'END'
<Node name="root" gravity="0 -9 0" dt="0.01">
  <FreeMotionAnimationLoop/>
  <BlockGaussSeidelConstraintSolver name="solver" tolerance="1e-9" maxIterations="100"/>
  <MinProximityIntersection alarmDistance="0.2" contactDistance="0.1"/>
  <BruteForceBroadPhase/>
  <BVHNarrowPhase/>
  <CollisionResponse response="FrictionContactConstraint"/>
  <CollisionPipeline/>
  <Node name="Balls">
    <EulerImplicitSolver/>
    <CGLinearSolver iterations="60" tolerance="1e-12" threshold="1e-24"/>
    <MechanicalObject position="0 0.05 0  1 3 0"/>
    <UniformMass totalMass="2"/>
    <UncoupledConstraintCorrection defaultCompliance="1"/>
    <PointCollisionModel/>
  </Node>
  <Node name="Floor">
    <MeshTopology triangles="0 2 1"/>
    <MechanicalObject position="-3 0 -2  4 0 -3  0.5 0 5"/>
    <TriangleCollisionModel simulated="0"/>
  </Node>
</Node>
END
run 0 run -n 2 --quiet --stats two.scn
says '^step 1: 1 contacts of 1 pairs; solver: 3 rows, [1-9][0-9]* sweeps, error [0-9.e-]+ of 3e-09; CGLinearSolver1: left [0-9.e-]+ of 1e-12$'
says '^step 2: 1 contacts of 1 pairs; '

# Names in the table of contacts: those with commas or quotes are in quotes, and quotes are doubled.
sed 's/<Node name="Floor">/<Node name="Flo,\&quot;or">/' two.scn >named.scn
run 0 run -n 1 --quiet --contacts contacts.csv named.scn
grep -qF '"/Flo,""or/TriangleCollisionModel1"' contacts.csv || fail "no name in quotes in $(cat contacts.csv)"
grep -qF '/Balls/PointCollisionModel1' contacts.csv || fail "no plain name in $(cat contacts.csv)"

# A plugin set with a wrong version: list and check say it and go on.
mkdir set
cat >set/plugins.conf <<'END'
[default]
divan.solvers = 77.0
[old]
divan.mechanics = 0.0.1
END
DIVAN_PLUGIN_PATH=$work/set:${DIVAN_PLUGIN_PATH-}
export DIVAN_PLUGIN_PATH
run 1 list
says "^error: .*divan-solvers\.so: plugin set \[default\] of .*set/plugins\.conf asks for version 77\.0 of plugin 'divan\.solvers', this is [0-9.]+$"
says '^  divan\.solvers +[0-9.]+ +LGPL-2\.1-or-later +rejected '
says "^ +plugin set \[default\] of .*set/plugins\.conf asks for version 77\.0"
says '^  divan\.mechanics +[0-9.]+ +LGPL-2\.1-or-later +started '
run 1 check ball.scn
says "asks for version 77\.0 of plugin 'divan\.solvers'"
run 1 check --json ball.scn
says '"text": "plugin set \[default\].* asks for version 77\.0'
run 1 run -n 1 ball.scn
says "asks for version 77\.0 of plugin 'divan\.solvers'"
run 1 list --plugin-set old
says "asks for version 0\.0\.1 of plugin 'divan\.mechanics'"
exit $failed
