#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Plugins made outside the tree on the kernel alone (those on the kit: tests/authors/check_new_plugin.sh): installs Divan into an empty folder, builds the plugin and its test there with what pkg-config
# says, and runs both: the conformance suite of its family, and a scene whose result has a closed form. A plugin is in use only
# if a plugin set says so: one of its own in the installed plugins.conf, or [default] with a line in a file of its own.
# usage: test_third_party.sh [SANITIZERS]
set -eu
source_root=$DIVAN_TEST_SOURCE_ROOT build_root=$DIVAN_BUILD_ROOT
sanitize=
[ "${1:-none}" = none ] || sanitize=-fsanitize=$1
unset DIVAN_PLUGIN_PATH DIVAN_DATA_PATH LD_LIBRARY_PATH
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
fail() { echo "FAILED: $*"; echo "0 passed, 1 failed"; exit 1; }

DESTDIR=$here/root meson install -C "$build_root" --no-rebuild --quiet >"$here/install.log" 2>&1 || { cat "$here/install.log"; fail "meson install"; }
pc=$(find "$here/root" -name divan-kernel.pc)
[ -n "$pc" ] || fail "divan-kernel.pc is not installed"
prefix=$(sed -n 's/^prefix=//p' "$pc")
export PKG_CONFIG_PATH="${pc%/*}" PKG_CONFIG_SYSROOT_DIR="$here/root"
plugin_folder=$here/root$(PKG_CONFIG_SYSROOT_DIR= pkg-config --variable=plugindir divan-kernel)
divan=$here/root$prefix/bin/divan
for page in README.md LICENSE docs/contracts.md docs/scene-files.md; do
    [ -f "$here/root$prefix/share/doc/divan/$page" ] || fail "$page is not installed"
done
# Plugins round as the kernel does, and find sqrt.
pkg-config --cflags divan-kernel | grep -q -- -ffp-contract=off || fail "divan-kernel.pc lacks -ffp-contract=off"
pkg-config --libs divan-kernel | grep -q -- '-lm$\|-lm ' || fail "divan-kernel.pc lacks -lm"

cp -r "$source_root/tests/third_party/harmonic_well" "$here/outside"
cd "$here/outside"
# shellcheck disable=SC2046
cc -std=c11 -Wall -Wextra -Werror -fPIC -shared -fvisibility=hidden -Wl,-z,defs -o harmonic-well.so harmonic_well_force_field.c \
    $(pkg-config --cflags --libs divan-kernel) || fail "the plugin does not build against the installed headers"
# shellcheck disable=SC2046,SC2086
cc -std=c11 -Wall -Wextra -Werror $sanitize -o test-harmonic-well test_harmonic_well.c $(pkg-config --cflags --libs divan-conformance) ||
    fail "the test does not build against the installed headers"

# A line of its own, beside the plugin, adds to the installed set.
printf '[default]\nexample.harmonic-well = 1.0\n' >plugins.conf
LD_LIBRARY_PATH=${pc%/pkgconfig/*} DIVAN_PLUGIN_PATH=$PWD ./test-harmonic-well || fail "the test of the plugin"
DIVAN_PLUGIN_PATH=$PWD "$divan" run well.scn -n 1 --quiet || fail "a line in a plugins.conf of DIVAN_PLUGIN_PATH does not add to [default]"
rm plugins.conf

cp harmonic-well.so "$plugin_folder/"
printf '\n# a set of its own, with what the scene needs\n[wells]\n' >>"$plugin_folder/plugins.conf"
sed -n '/^\[default\]/,/^\[wells\]/{/=/p}' "$plugin_folder/plugins.conf" >"$here/entries"
cat "$here/entries" >>"$plugin_folder/plugins.conf"
echo 'example.harmonic-well = 1.0' >>"$plugin_folder/plugins.conf"

if "$divan" run well.scn -n 1 --quiet 2>"$here/refused"; then fail "the plugin is used although its set was not asked for"; fi
grep -q HarmonicWellForceField "$here/refused" || fail "the refusal does not name the class: $(cat "$here/refused")"
"$divan" list --plugin-set wells | grep -q 'example.harmonic-well *1.0 *MIT *started' || fail "divan list does not show the plugin"
"$divan" run well.scn --plugin-set wells -n 1000 --quiet --dump states || fail "the scene does not run"
# symplectic Euler: the period is off by O(dt^2), so after 1000 steps of 1 ms the point is within 1e-4 of where it started
awk '$1 == "STEP" { step = $2 } $1 == "X" && step == 1000 { exit !(($2 - 1.5)^2 + ($3 - 0.2)^2 + $4^2 < 1e-8) }' states ||
    fail "not back after a period: $(grep '^X' states)"

# a failed run is explained by the force field, or by its plugin
explained() {
    sed "$1" well.scn >failing.scn
    if "$divan" run failing.scn --plugin-set wells -n 2000 --quiet 2>report; then fail "a step too large goes well"; fi
    grep -q "likely cause: $2" report || fail "expected '$2' but got: $(cat report)"
}
explained 's/dt="[^"]*"/dt="10"/' "well 'well' too steep for the step; make its stiffness smaller than"
explained 's/dt="[^"]*"/dt="2000"/' "wells are made for seconds, not for hours; use a dt below 1000 s"

# A new kind of collision model, with routines of its own: things rest on it, and a check tells what serves which pair.
cp -r "$source_root/tests/third_party/half_space" "$here/half_space"
cd "$here/half_space"
# shellcheck disable=SC2046
cc -std=c11 -Wall -Wextra -Werror -fPIC -shared -fvisibility=hidden -Wl,-z,defs -o half-space.so half_space_collision_model.c \
    $(pkg-config --cflags --libs divan-kernel) || fail "the collision model does not build against the installed headers"
"$divan" run rest.scn --plugin "$PWD/half-space.so" -n 1000 --quiet --dump states --contacts contacts.csv 2>messages ||
    fail "the scene with a half space does not run: $(cat messages)"
awk '$1 == "STEP" { step = $2 } $1 == "STATE" { path = $2 } $1 == "X" && step == 1000 { height[path] = $3 }
    END { exit !((height["/Ball/dofs"] - 0.3465)^2 < 1e-14 && (height["/Point/dofs"] - 0.0495)^2 < 1e-14) }' states ||
    fail "they do not rest where they should: $(grep '^X' states)"
[ "$(grep -c '^1000,/Ground/ground,' contacts.csv)" = 2 ] || fail "not two contacts at rest: $(tail -n 3 contacts.csv)"
if "$divan" check rest.scn --plugin "$PWD/half-space.so" >checked 2>&1; then fail "a pair that nothing serves is no problem"; fi
for line in \
    'note: /pipeline: /Ground/ground and /Ball/ball: org.example.half-spaces on spheres, by a plugin.s routine for MinProximityIntersection$' \
    'note: /pipeline: /Ball/ball and /Point/point: spheres on points, by MinProximityIntersection$' \
    'note: /pipeline: /Box/box and /Ground/ground: nothing serves boxes on org.example.half-spaces: they do not collide$' \
    "^warning: .*MinProximityIntersection 'method': knows no distance of boxes from org.example.half-spaces: such models do not collide$" \
    'rest.scn: 0 errors, 2 warnings$'; do
    grep -q "$line" checked || fail "divan check does not say '$line': $(cat checked)"
done
"$divan" check --json rest.scn --plugin "$PWD/half-space.so" 2>/dev/null |
    python3 -c 'import json, sys; report = json.load(sys.stdin); sys.exit(len(report["notes"]) != 7 or report["warnings"] != 2)' ||
    fail "divan check --json does not hold the notes"
# a Lagrangian constraint with a law of its own
cp -r "$source_root/tests/third_party/dry_brake" "$here/brake"
cd "$here/brake"
# shellcheck disable=SC2046
cc -std=c11 -Wall -Wextra -Werror -fPIC -shared -fvisibility=hidden -Wl,-z,defs -o dry-brake.so dry_brake_constraint.c \
    $(pkg-config --cflags --libs divan-kernel) || fail "the constraint does not build against the installed headers"
# shellcheck disable=SC2046,SC2086
cc -std=c11 -Wall -Wextra -Werror $sanitize -o test-dry-brake test_dry_brake.c $(pkg-config --cflags --libs divan-conformance) ||
    fail "the test of the constraint does not build against the installed headers"
printf '[default]\nexample.dry-brake = 1.0\n' >plugins.conf
LD_LIBRARY_PATH=${pc%/pkgconfig/*} DIVAN_PLUGIN_PATH=$PWD ./test-dry-brake || fail "the test of the constraint"
DIVAN_PLUGIN_PATH=$PWD "$divan" run brake.scn -n 100 --quiet --dump states || fail "the scene of the brake does not run"
# backward Euler: v = n h a, x = h^2 a n (n + 1) / 2
awk '$1 == "STEP" { step = $2 } $1 == "X" && step == 100 { exit !($2^2 < 1e-18 && ($3 - 10.505)^2 < 1e-18) }' states ||
    fail "the brake does not hold, or holds too much: $(grep '^X' states)"
# a device of its own: memory that the host cannot follow, an operator, and its twin
cp -r "$source_root/tests/third_party/ramp_device" "$here/ramp"
cd "$here/ramp"
# shellcheck disable=SC2046
cc -std=c11 -Wall -Wextra -Werror -fPIC -shared -fvisibility=hidden -Wl,-z,defs -o ramp-device.so ramp_device.c ramp_twins.c ramp_force_field.c \
    $(pkg-config --cflags --libs divan-kernel) || fail "the device does not build against the installed headers"
# shellcheck disable=SC2046,SC2086
cc -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror $sanitize -o test-ramp-device test_ramp_device.c $(pkg-config --cflags --libs divan-conformance) ||
    fail "the test of the device does not build against the installed headers"
printf '[default]\nexample.ramp-device = 1.0\n' >plugins.conf
LD_LIBRARY_PATH=${pc%/pkgconfig/*} DIVAN_PLUGIN_PATH=$PWD ./test-ramp-device || fail "the test of the device"
DIVAN_PLUGIN_PATH=$PWD "$divan" list | grep -q '^  ramp  *can be used' || fail "divan list does not show the device"
for device in "--device ramp" --no-gpu; do
    # shellcheck disable=SC2086
    DIVAN_PLUGIN_PATH=$PWD "$divan" run ramp.scn $device -n 2000 --quiet --dump states || fail "the scene of the device does not run with $device"
    awk '$1 == "STEP" { step = $2 } $1 == "X" && step == 2000 { exit !(($3 + 0.5)^2 < 1e-16) }' states || fail "not at rest with $device: $(grep '^X' states)"
done
# a haptic device around a library that calls from a thread of its own
if "$divan" list | grep -q '^ *divan\.haptics '; then
    cp -r "$source_root/tests/third_party/arm" "$here/arm"
    cd "$here/arm"
    # shellcheck disable=SC2046
    cc -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror -fPIC -shared -fvisibility=hidden -Wl,-z,defs -o maker-arm.so maker_arm.c maker.c \
        $(pkg-config --cflags --libs divan-kernel) -lpthread || fail "the device does not build against the installed headers"
    # shellcheck disable=SC2046,SC2086
    cc -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror $sanitize -o test-arm test_arm.c $(pkg-config --cflags --libs divan-conformance) ||
        fail "the test of the device does not build against the installed headers"
    printf '[default]\nexample.maker-arm = 1.0\n' >plugins.conf
    LD_LIBRARY_PATH=${pc%/pkgconfig/*} DIVAN_PLUGIN_PATH=$PWD ./test-arm || fail "the test of the device"
    DIVAN_PLUGIN_PATH=$PWD "$divan" run arm.scn -n 20 --haptics >told || fail "the scene of the device does not run"
    grep -q '^/arm: ' told || fail "divan run --haptics does not tell of the device: $(cat told)"
fi
echo "1 passed, 0 failed"
