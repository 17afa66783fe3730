#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What divan new-plugin writes, of every kind, builds without a warning against an installation, on the kit alone; it passes its test and
# runs its scene. It is as short as the kit allows. A name that is bad or taken is refused and nothing is touched.
#     check_new_plugin.sh [SANITIZERS]
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
grep -q 'soft-robots2: a plugin with the force field SoftRobots2ForceField' out || fail "it says: $(cat out)"
(cd soft-robots2 && ls) >files
printf '%s\n' README.md meson.build plugin.c plugins.conf soft-robots2.scn soft_robots2_force_field.c test_soft_robots2_force_field.c |
    cmp -s files - || fail "other files: $(cat files)"

# Refused, and nothing is touched: taken names, names that are none, kinds that are none.
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
status=0
"$divan" new-plugin other --kind nonsense 2>err || status=$?
[ $status = 2 ] || fail "the kind 'nonsense' ends with status $status"
kinds='force-field load material mapping region engine preconditioner integrator linear-solver'
{ echo "divan: there is no kind 'nonsense' of plugins; there are"; for kind in $kinds; do echo "  $kind"; done; } >expected
sed 's/^\(  [^ ]*\) *[a-z].*/\1/' err | diff expected - || fail "--kind nonsense says: $(cat err)"
rm expected
[ "$(ls)" = "$listing" ] || fail "a refused name leaves something: $(ls)"
mkdir elsewhere
"$divan" new-plugin other --folder elsewhere >out || fail "--folder"
grep -q 'SPDX-License-Identifier: LicenseRef-not-chosen' elsewhere/other/plugin.c || fail "no placeholder for the licence"

# Lines of C without comments and blank ones.
lines()
{
    awk '{ gsub(/\/\*[^*]*\*+([^\/*][^*]*\*+)*\//, "") }
        inside { if (!match($0, /\*\//)) next; $0 = substr($0, RSTART + 2); inside = 0 }
        match($0, /\/\*/) { $0 = substr($0, 1, RSTART - 1); inside = 1 }
        /[^ \t]/ { n++ }
        END { print n + 0 }' "$1"
}

# The installed kit and the C library: nothing of a plugin of this tree.
compile="cc -std=c11 -O1 -Wall -Wextra -Werror -fvisibility=hidden"
kit=$(pkg-config --cflags --libs divan-kit)
conformance=$(pkg-config --cflags --libs divan-kit divan-conformance)
instrument='' defs=-Wl,-z,defs
[ "$sanitize" = none ] || instrument=-fsanitize=$sanitize defs=
libraries=${pc%/pkgconfig/*}
check_kind()
{
    kind=$1 most=$2 name=made-$1
    "$divan" new-plugin "$name" --kind "$kind" --license MIT >"$kind.out" || fail "$kind: $(cat "$kind.out")"
    cd "$name"
    for file in *; do
        head -n 3 "$file" | grep -q 'SPDX-License-Identifier: MIT' || fail "$file does not name the licence"
        if grep -n '{{[A-Za-z ]*}}\|not-chosen' "$file"; then fail "$kind: $file has unfilled places"; fi
    done
    test=$(ls test_*.c) component=${test#test_}
    count=$(lines "$component")
    [ "$count" -le "$most" ] || fail "$kind: $count lines, more than $most"
    # shellcheck disable=SC2086
    $compile $instrument -fPIC -c "$component" $kit || fail "$kind: $component does not compile"
    # shellcheck disable=SC2086
    $compile $instrument -fPIC -shared $defs -o "$name.so" plugin.c "${component%.c}.o" $kit || fail "$kind: its plugin does not build"
    # shellcheck disable=SC2086
    $compile $instrument -o run-test "$test" $conformance || fail "$kind: its test does not build"
    LD_LIBRARY_PATH=$libraries DIVAN_PLUGIN_PATH=$PWD ./run-test >log 2>&1 || fail "$kind: $(cat log)"
    DIVAN_PLUGIN_PATH=$PWD "$divan" run "$name.scn" --strict -n 200 --quiet --dump states || fail "$kind: its scene"
    echo "$kind: $count lines of at most $most"
    cd "$here"
}
bounds='force-field 35 load 60 material 60 mapping 70 region 40 engine 45 preconditioner 50 integrator 90 linear-solver 90'
# shellcheck disable=SC2086
set -- $bounds
while [ $# -gt 0 ]; do
    check_kind "$1" "$2"
    shift 2
done

# Without its plugin a material is not there, nor does its scene run.
if "$divan" run made-material/made-material.scn -n 1 --quiet 2>refused; then fail "a material is there without its plugin"; fi
grep -q "there is no material 'MadeMaterialMaterial'" refused || fail "the refusal does not name the material: $(cat refused)"

# One plugin of all of them.
mkdir together
{
    cat <<'END'
#include <divan/kit/material_law.h>
#include <divan/plugin.h>
END
    classes=$(sed -n 's/^const DvClass \([a-z_]*\) = {/\1/p' made-*/made_*.c)
    for class in $classes; do echo "extern const DvClass $class;"; done
    cat <<'END'
extern const DvMaterialLaw made_material_material;
static const DvMaterialLawsOps laws = {sizeof laws, (const DvMaterialLaw *const[]){&made_material_material, NULL}};
DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "example.together",
    .version = "1.0",
    .license = "MIT",
    .help = "All kinds.",
    .variants = (const char *const[]){"DiagonalMatrix", "CompressedRowSparseMatrixMat3x3d", "GraphScattered", NULL},
    .offers = (const DvContract[]){{.id = DV_MATERIAL_LAWS, .ops = &laws}, {0}},
END
    # shellcheck disable=SC2086
    echo "    .classes = (const DvClass *const[]){$(printf '&%s, ' $classes)NULL}};"
} >together/plugin.c
# shellcheck disable=SC2086
$compile $instrument -fPIC -shared $defs -o together/together.so together/plugin.c made-*/made_*.o $kit || fail "they do not make one plugin"
for scene in made-*/*.scn; do
    "$divan" run "$scene" --plugin "$PWD/together/together.so" --strict -n 1 --quiet || fail "$scene: not with one plugin of all"
done

# The way of the README, by meson, in both of the ways to load it.
meson setup soft-robots2/build soft-robots2 --werror -Db_sanitize="$sanitize" -Db_lundef=false >log 2>&1 || { cat log; fail "meson setup"; }
meson test -C soft-robots2/build --print-errorlogs >log 2>&1 || { cat log; fail "meson test"; }
grep -q '^Ok: *1' log || fail "no test ran: $(cat log)"
"$divan" run soft-robots2/soft-robots2.scn --plugin soft-robots2/build/soft-robots2.so --strict -n 1 --quiet || fail "--plugin"
DIVAN_PLUGIN_PATH=soft-robots2/build "$divan" run soft-robots2/soft-robots2.scn --strict -n 1000 --quiet --dump states || fail "its scene"
# Steps of implicit Euler: v' = (v + g dt) / (1 + c dt / m), whose fixed point is m g / c = 6.54 m/s
awk '$1 == "STEP" { step = $2 } $1 == "V" && step == 1000 { exit !(($3 + 6.54)^2 < 1e-10) }' states ||
    fail "the stone sinks at another speed: $(grep ^V states)"

# The same against the build tree, without an installation.
unset PKG_CONFIG_SYSROOT_DIR
export PKG_CONFIG_PATH="$build_root/meson-uninstalled"
# shellcheck disable=SC2046
$compile $instrument -o from-the-tree made-force-field/test_*.c $(pkg-config --cflags --libs divan-kit divan-conformance) ||
    fail "its test does not build against the build tree"
