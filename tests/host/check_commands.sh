#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Every command and option of divan does what its help says.     check_commands.sh DIVAN SCENES
# Under the sanitizers only a day's share of the scenes is run: tests/support/share.py.
set -u
divan=$(realpath "$1") scenes=$2 share=$(realpath "$(dirname "$0")/../support/share.py")
LC_ALL=C
DIVAN_DATA_PATH=$scenes # a saved scene looks for meshes there
export LC_ALL DIVAN_DATA_PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

fail()
{
    echo "$*"
    failed=1
}

# status N COMMAND...: runs it into $work/out and $work/err and expects the exit status
status()
{
    wanted=$1
    shift
    "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ "$got" -eq "$wanted" ] || fail "exit status $got instead of $wanted: $* ($(head -n 3 "$work/err"))"
}

# says PATTERN: what the last command printed has a line like it
says()
{
    cat "$work/out" "$work/err" | grep -qE -- "$1" || fail "no line like '$1' from: $last"
}

# run STATUS ARGUMENTS...
run()
{
    wanted_status=$1
    shift
    last="divan $*"
    status "$wanted_status" "$divan" "$@"
}

silent()
{
    if [ -s "$work/out" ] || [ -s "$work/err" ]; then
        fail "not silent: $last"
    fi
}

hashes() # of the steps, without their numbers
{
    awk '{ print $2 }' "$work/out"
}

cat >"$work/ball.scn" <<'END'
<Node name="root" gravity="0 -10 0" dt="0.1">
  <DefaultAnimationLoop/>
  <EulerExplicitSolver/>
  <MechanicalObject name="ball" position="1 2 3"/>
  <UniformMass totalMass="2"/>
</Node>
END
sed 's/<UniformMass.*/<UniformMas totalMass="2"\/>\n  <UniformMass totalMass="2"\/>/' "$work/ball.scn" >"$work/mistake.scn"
ball=$work/ball.scn

# Help and versions
run 0 --help
says '^Usage: divan COMMAND'
run 0 --version
says '^divan [0-9]+\.[0-9]+\.[0-9]+$'
for command in run probe list info check save bench; do
    run 0 $command --help
    says "divan $command"
done
run 2
run 2 walk
run 2 run
run 2 run --no-such-option "$ball"
run 2 run -n few "$ball"
run 2 save "$ball"
run 1 run "$work/nowhere.scn"

# run
run 0 run -n 3 "$ball"
says '^3 steps in .* simulated time 0.3 s, real-time factor'
run 0 run --steps=2 --dt=0.25 "$ball"
says 'simulated time 0.5 s'
run 0 run "$ball"
says '^100 steps in'
run 0 run -n 3 --quiet "$ball"
silent
run 0 run -n 3 --quiet --dump "$work/dump" --dump-topology "$work/topology" "$ball"
[ "$(grep ^STEP "$work/dump")" = "STEP 0 0
STEP 3 0.30000000000000004" ] || fail "--dump: not the first and the last step: $(grep ^STEP "$work/dump")"
[ "$(grep -c ^STEP "$work/topology")" -eq 4 ] || fail "--dump-topology: not every step"
# Symplectic Euler: v = -g t, y falls by g dt^2 (1 + 2 + 3)
[ "$(sed -n '/^STEP 3/,$p' "$work/dump" | grep ^STATE)" = "STATE /ball 1" ] || fail "--dump: no state /ball"
sed -n '/^STEP 3/,$p' "$work/dump" | awk '
    $1 == "X" { good += ($2 == 1 && $3 - 1.4 < 1e-14 && 1.4 - $3 < 1e-14 && $4 == 3) }
    $1 == "V" { good += ($2 == 0 && $3 + 3 < 1e-14 && -3 - $3 < 1e-14 && $4 == 0) }
    END { exit good != 2 }' || fail "--dump: the ball is elsewhere: $(cat "$work/dump")"
run 0 run -n 3 --quiet --dump "$work/dump" --dump-steps 0,2 "$ball"
[ "$(awk '/^STEP/ { print $2 }' "$work/dump" | tr '\n' ' ')" = "0 2 " ] || fail "--dump-steps 0,2"
for list in 2,1 1,1 a 1,,2 -1; do
    run 2 run -n 3 --quiet --dump "$work/dump" "--dump-steps=$list" "$ball"
    says "^divan: --dump-steps $list: expected ascending step numbers"
done
run 1 run -n 1 --dump "$work/nowhere/dump" "$ball"
says 'nowhere/dump: No such file or directory'
run 1 run -n 1 --quiet "$work/mistake.scn"
says "mistake.scn:5:3: no class 'UniformMas'; did you mean 'UniformMass'\?"
run 0 run -n 1 --quiet --keep-going "$work/mistake.scn"
says "no class 'UniformMas'"

# A state that stops being finite
sed 's/position="1 2 3"/position="1 2 3" velocity="1e308 0 0"/; s/dt="0.1"/dt="10"/' "$ball" >"$work/fast.scn"
(cd "$work" && "$divan" run -n 5 --quiet fast.scn >out 2>err)
[ $? -eq 3 ] || fail "a state that is not finite does not end with exit status 3"
grep -q "is not finite after step 1; likely cause: " "$work/err" || fail "no cause: $(cat "$work/err")"
[ -f "$work/fast.scn.last-good.scn" ] || fail "the last good state is not saved"
run 0 run -n 0 --quiet "$work/fast.scn.last-good.scn"
silent

# ...stops a bench too, and leaves the same state
cat >"$work/stiff.scn" <<'END'
<Node dt="1"><DefaultAnimationLoop/><EulerExplicitSolver/><MechanicalObject position="0 0 0 1 0 0"/>
  <UniformMass totalMass="1"/><SpringForceField spring="0 1 1e9 0 0.5"/></Node>
END
for command in run bench; do
    (cd "$work" && "$divan" $command -n 300 stiff.scn >out 2>err)
    [ $? -eq 3 ] || fail "$command: a state that is not finite does not end with exit status 3"
    mv "$work/stiff.scn.last-good.scn" "$work/$command.last" || fail "$command: the last good state is not saved"
done
cmp -s "$work/run.last" "$work/bench.last" || fail "run and bench leave other last good states"

# Ctrl-C: the step is finished, the summary printed. A shell's background jobs ignore the signal, so Python starts it.
python3 - "$divan" "$ball" <<'END' || fail "Ctrl-C does not end a run with its summary and status 130"
import signal, subprocess, sys
run = subprocess.Popen([sys.argv[1], "run", "-n", "2000000000", "--hash", sys.argv[2]], stdout=subprocess.PIPE, text=True,
                       preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
run.stdout.readline() # it makes steps
run.send_signal(signal.SIGINT)
out, _ = run.communicate()
sys.exit(not (run.returncode == 130 and "steps in" in out))
END

# Hashes: of each step, the same in every launch and with any number of threads
for scene in $("$share" "$scenes"/*.scn); do # their names have no blanks
    name=$(basename "$scene" .scn)
    run 0 run -n 4 --quiet --hash "$scene"
    hashes >"$work/one"
    [ "$(wc -l <"$work/one")" -eq 5 ] || fail "$name: $(wc -l <"$work/one") hashes instead of 5"
    [ "$(sort -u "$work/one" | wc -l)" -gt 1 ] || ! grep -q '<MechanicalObject' "$scene" || fail "$name: nothing moves"
    for divisor in 1 64; do # so small chunks that every loop has several
        run 0 run -n 4 --quiet --hash --threads=1 --grain-divisor=$divisor "$scene"
        hashes >"$work/chunks"
        threads=$((divisor == 1 ? 2 : 8))
        run 0 run -n 4 --quiet --hash --threads=$threads --grain-divisor=$divisor "$scene"
        hashes | cmp -s - "$work/chunks" || fail "$name: other hashes with $threads threads, grain divisor $divisor"
        [ $divisor -ne 1 ] || cmp -s "$work/chunks" "$work/one" || fail "$name: other hashes in another launch"
    done
    run 0 save -n 2 --quiet "$scene" "$work/saved.scn"
    run 0 run -n 2 --quiet --hash "$work/saved.scn"
    hashes >"$work/rest"
    tail -n 3 "$work/one" | cmp -s - "$work/rest" || fail "$name: saved after 2 steps and continued, it goes elsewhere"
done
run 0 save --quiet "$ball" "$work/saved.scn"
silent
grep -q 'UniformMass' "$work/saved.scn" || fail "save: the mass is not in the file"
run 1 save -n 1 --quiet "$ball" "$work/nowhere/saved.scn"

# list, info
run 0 list
says '^  divan\.mechanics +[0-9.]+ +LGPL-2\.1-or-later +started '
says '^      States, masses, force fields, '
says '^Masses:$'
says '^  UniformMass  '
run 0 info UniformMass
says '^UniformMass: '
says '^  totalMass  \(double, kg, default 1, above 0\)$'
run 0 info RegularGridTopology
says '^  n  \(Vec3i, default 2 2 2, 1 or more, read at load\)$'
run 0 info MechanicalObject
says '^plugin: divan\.mechanics [0-9.]+, LGPL-2\.1-or-later$'
says '^family: states$'
says '^module: Sofa\.Component\.StateContainer$'
says '^DOF types: Rigid2d Rigid3d Vec1d Vec2d Vec3d Vec6d, default Vec3d$'
says '^bases: MechanicalState BaseMechanicalState State$'
says '^offers: divan\.state/1, kit\.state-points/1, divan\.drawable/1$'
says '^  position  \(list of coordinate, m\)$'
says '^      coordinates of the points$'
run 0 info CGLinearSolver
says '^  iterations  \(unsigned int, default 25, 1 or more, required\)$'
says '^  graph  \(string, output, read-only\)$'
says '^  linearSystem  \(link to divan\.linear-system/1\)$'
run 0 info TetrahedronFEMForceField
says '^      choices: small large polar svd exact$'
run 0 info FixedProjectiveConstraint
says '^      also called: mechanicalStates$'
run 0 info StiffSpringForceField
says '^SpringForceField: '
run 0 info Node
says '^  gravity  '
run 1 info UniformMas
says "did you mean 'UniformMass'"
run 1 list --plugin-set=nowhere
says 'nowhere'
run 1 list --plugin="$work/nowhere.so"
says 'nowhere\.so'

# check
run 0 check "$ball"
says 'no problem found$'
run 1 check "$work/mistake.scn"
says "^error: .*mistake.scn:5:3: no class 'UniformMas'"
says '1 error, 0 warnings$'
for scene in ball mistake; do
    "$divan" check --json "$work/$scene.scn" >"$work/$scene.json" 2>/dev/null
done
python3 - "$work/ball.json" "$work/mistake.json" <<'END' || fail "check --json: not the JSON it should be"
import json, sys
good, bad = (json.load(open(name)) for name in sys.argv[1:])
assert good["errors"] == 0 and good["warnings"] == 0 and good["problems"] == [], good
assert bad["errors"] == 1, bad
problem = bad["problems"][0]
assert problem["level"] == "error" and problem["line"] == 5 and problem["column"] == 3, problem
assert problem["file"].endswith("mistake.scn") and "UniformMas" in problem["text"], problem
END

# bench
run 0 bench -n 20 "$ball"
says 'median'
"$divan" bench -n 20 --json "$ball" >"$work/bench.json" 2>/dev/null
python3 - "$work/bench.json" <<'END' || fail "bench --json: not the JSON it should be"
import json, sys
bench = json.load(open(sys.argv[1]))
assert bench["median_us"] > 0 and bench["p99_us"] >= bench["median_us"], bench
assert bench["allocations_per_step"] == 0, bench
END
# A step is far shorter than the time step of the scene, and far longer than the one that is asked for.
cat >"$work/still.scn" <<'END'
<Node gravity="0 0 0" dt="1e9"><DefaultAnimationLoop/><EulerExplicitSolver/><MechanicalObject position="0 0 0"/>
  <UniformMass totalMass="1"/></Node>
END
for option in "" --dt=1e-9; do
    run 0 bench -n 3 ${option:+"$option"} "$work/still.scn"
    awk -v slow="${option:+1}" '/^real-time factor/ { good = slow ? $3 + 0 < 1 : $3 + 0 > 1 } END { exit !good }' "$work/out" ||
        fail "bench $option: another time step: $(cat "$work/out")"
done
for scene in $("$share" "$scenes"/*.scn); do
    run 0 bench -n 2 "$scene"
    ! grep -q 'begun' "$work/err" "$work/out" || fail "bench $scene: a phase is begun and not ended, or ended and not begun"
done
# Of one step all times are its own; of two the median is the mean, and the 99th percentile the longer one. Phases are those of another
# run, which whatever else the machine does may make longer: but not longer than the whole call.
for steps in 1 2 3; do
    python3 - "$divan" "$ball" "$work/bench.json" $steps <<'END' || fail "bench -n $steps: its statistics do not fit each other"
import json, subprocess, sys, time
divan, ball, file, steps = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
begin = time.monotonic()
with open(file, "w") as out:
    subprocess.run([divan, "bench", "-n", str(steps), "--json", ball], stdout=out, stderr=subprocess.DEVNULL, check=True)
whole = 1e6 * (time.monotonic() - begin)
bench = json.load(open(file))
median, p99, mean = (bench[name] for name in ("median_us", "p99_us", "mean_us"))
rounding = 0.002
assert bench["steps"] == steps, bench
assert steps > 1 or abs(median - p99) < rounding and abs(median - mean) < rounding, bench
assert steps != 2 or abs(median - mean) < rounding and p99 >= mean - rounding, bench
assert median <= p99 + rounding and mean <= p99 + rounding and p99 <= steps * mean + rounding, bench
assert 0 < sum(bench["phases"].values()) <= whole / steps, bench
END
done

# probe: force and mass of the ball at a given state
printf 'DT 0.1\nSTATE /ball 1 free\nX 0 0 0\nV 0 0 0\nDX 1 2 3\n' >"$work/at"
run 0 probe "$ball" --at "$work/at" --out "$work/probe"
grep -q 'UniformMass' "$work/probe" || fail "probe: no mass in $(cat "$work/probe")"
run 2 probe "$ball"
run 1 probe "$ball" --at "$work/nowhere" --out "$work/probe"
exit $failed
