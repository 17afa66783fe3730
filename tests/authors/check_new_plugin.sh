#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What divan new-plugin writes builds and passes its test at once, against an installation, and runs its scene; a name that is bad or
# taken is refused and nothing is touched.     check_new_plugin.sh [SANITIZERS]
set -eu
sanitize=${1:-none}
build_root=$DIVAN_BUILD_ROOT
unset DIVAN_PLUGIN_PATH DIVAN_DATA_PATH LD_LIBRARY_PATH
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

DESTDIR=$here/root meson install -C "$build_root" --no-rebuild --quiet >"$here/log" 2>&1 || { cat "$here/log"; fail "meson install"; }
pc=$(find "$here/root" -name divan-conformance.pc)
[ -n "$pc" ] || fail "divan-conformance.pc is not installed"
prefix=$(sed -n 's/^prefix=//p' "$pc")
export PKG_CONFIG_PATH="${pc%/*}" PKG_CONFIG_SYSROOT_DIR="$here/root"
divan=$here/root$prefix/bin/divan
cd "$here"

"$divan" new-plugin soft-robots2 --license MIT >out || fail "new-plugin: $(cat out)"
grep -q 'soft-robots2: a plugin with the class SoftRobots2ForceField' out || fail "it says: $(cat out)"
(cd soft-robots2 && ls) >files
printf '%s\n' README.md meson.build plugin.c plugins.conf soft-robots2.scn soft_robots2_force_field.c test_soft_robots2_force_field.c |
    cmp -s files - || fail "other files: $(cat files)"
for file in soft-robots2/*; do
    head -n 3 "$file" | grep -q 'SPDX-License-Identifier: MIT' || fail "$file does not name the licence"
    if grep -n '{{[A-Za-z]*}}\|not-chosen' "$file"; then fail "$file has unfilled places"; fi
done

# Refused, and nothing is touched: taken names, and names that are none.
cp -r soft-robots2 before
if "$divan" new-plugin soft-robots2 2>err; then fail "an existing folder is overwritten"; fi
grep -q 'soft-robots2: is there already' err || fail "it says: $(cat err)"
diff -r soft-robots2 before || fail "an existing folder is changed"
if "$divan" new-plugin constant 2>err; then fail "a class that exists is taken"; fi
grep -q 'there is a class ConstantForceField already, in plugin divan.mechanics' err || fail "it says: $(cat err)"
touch err
listing=$(ls)
for name in '' Robots 2robots soft_robots soft--robots soft- -soft ../robots a/b 'soft robots' röbots \
    a123456789012345678901234567890123456789x; do
    if "$divan" new-plugin -- "$name" 2>err; then fail "the name '$name' is taken"; fi
    grep -q 'cannot be the name of a plugin' err || fail "'$name': it says: $(cat err)"
done
for license in '' 'MIT"' '{{name}}'; do
    if "$divan" new-plugin other --license "$license" 2>err; then fail "the licence '$license' is taken"; fi
    grep -q 'no SPDX licence expression' err || fail "'$license': it says: $(cat err)"
done
if "$divan" new-plugin other --folder "$here/nowhere" 2>err; then fail "a folder that is not there is made"; fi
grep -q 'nowhere/other: No such file' err || fail "it says: $(cat err)"
[ "$(ls)" = "$listing" ] || fail "a refused name leaves something: $(ls)"
mkdir elsewhere
"$divan" new-plugin other --folder elsewhere >out || fail "--folder"
grep -q 'SPDX-License-Identifier: LicenseRef-not-chosen' elsewhere/other/plugin.c || fail "no placeholder for the licence"

# Without a warning, in both of the ways that the template offers.
meson setup soft-robots2/build soft-robots2 --werror -Db_sanitize="$sanitize" -Db_lundef=false >log 2>&1 || { cat log; fail "meson setup"; }
meson test -C soft-robots2/build --print-errorlogs >log 2>&1 || { cat log; fail "meson test"; }
grep -q '^Ok: *1' log || fail "no test ran: $(cat log)"
"$divan" run soft-robots2/soft-robots2.scn --plugin soft-robots2/build/soft-robots2.so --strict -n 1 --quiet || fail "--plugin"
DIVAN_PLUGIN_PATH=soft-robots2/build "$divan" run soft-robots2/soft-robots2.scn --strict -n 1000 --quiet --dump states || fail "its scene"
# Steps of implicit Euler: v' = (v + g dt) / (1 + c dt / m), whose fixed point is m g / c = 6.54 m/s
awk '$1 == "STEP" { step = $2 } $1 == "V" && step == 1000 { exit !(($3 + 6.54)^2 < 1e-10) }' states ||
    fail "the stone sinks at another speed: $(grep ^V states)"
