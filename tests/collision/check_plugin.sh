#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Without the plugin exactly its classes are gone, and who needs them is told where they are; names of earlier years are known.
#                                                             check_plugin.sh DIVAN CLASSES.DEF SCENES
set -u
divan=$(realpath "$1") classes=$2 scenes=$3 share=$(realpath "$(dirname "$0")/../support/share.py")
LC_ALL=C
export LC_ALL
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

fail()
{
    echo "$*"
    failed=1
}

# A set of all plugins but that, and one with it.
version=$("$divan" --version | cut -d' ' -f2)
{
    for set in all few; do
        echo "[$set]"
        for id in scene mechanics solvers topology visual; do echo "divan.$id = $version"; done
        [ $set = few ] || echo "divan.collision = $version"
    done
} >"$work/plugins.conf"
DIVAN_PLUGIN_PATH="$work:${DIVAN_PLUGIN_PATH:-}"
export DIVAN_PLUGIN_PATH

list()
{
    "$divan" list --plugin-set "$1" >"$work/list" || fail "divan list --plugin-set $1 fails"
    sed -n 's/^  \([A-Z][A-Za-z0-9]*\)  .*/\1/p' "$work/list" | sort
}

list all >"$work/all"
list few >"$work/few"
comm -23 "$work/all" "$work/few" >"$work/gone"
comm -13 "$work/all" "$work/few" >"$work/new"
[ -s "$work/few" ] || fail "no class is left: $(cat "$work/list")"
[ -s "$work/new" ] && fail "there only without the plugin: $(cat "$work/new")"
wanted=$(grep -c '^DV_CLASS(' "$classes")
[ "$(wc -l <"$work/gone")" -eq "$wanted" ] || fail "the plugin has $wanted classes, these went: $(cat "$work/gone")"
for name in $("$share" $(cat "$work/gone")); do
    "$divan" info "$name" --plugin-set all 2>&1 | grep -q '^plugin: divan\.collision ' || fail "$name is not of the plugin"
    "$divan" info "$name" --plugin-set few 2>&1 | grep -q "it is in the plugin 'divan.collision'.*not in the plugin set \[few\]" ||
        fail "$name: it is not said where it is"
done

# A scene that needs some of them; one that does not.
"$divan" run "$scenes/incline.scn" -n 1 --quiet --plugin-set few >"$work/log" 2>&1 && fail "incline.scn runs without the plugin"
for name in $(sed -n 's/^ *<\([A-Za-z]*\).*/\1/p' "$scenes/incline.scn" | sort -u); do
    grep -qx "$name" "$work/gone" || continue
    grep -q "no class '$name': it is in the plugin 'divan.collision'" "$work/log" ||
        fail "incline.scn: nothing about $name: $(cat "$work/log")"
done
grep -c "divan.collision" "$work/log" >/dev/null || fail "incline.scn needs nothing of the plugin"
"$divan" run "$scenes/pendulum.scn" -n 1 --quiet --plugin-set few >"$work/log" 2>&1 || fail "pendulum.scn: $(cat "$work/log")"

# Names that scenes of earlier years use, and what they stand for.
while read -r name stands; do
    for old in $("$share" $stands 2>/dev/null); do
        "$divan" info "$old" --plugin-set all 2>/dev/null | grep -q "^$name: " || fail "$old does not stand for $name"
    done
done <<'NAMES'
CollisionPipeline DefaultPipeline
CollisionResponse DefaultContactManager
RuleBasedContactManager RuleBasedCollisionResponse
MinProximityIntersection ProximityIntersection
PointCollisionModel Point PointMesh PointModel PointSet TPointModel
LineCollisionModel Line LineMesh LineMeshModel LineModel LineSet LineSetModel TLineModel
TriangleCollisionModel TTriangleModel Triangle TriangleMesh TriangleMeshModel TriangleModel TriangleSet TriangleSetModel
SphereCollisionModel Sphere SphereModel TSphereModel
TetrahedronCollisionModel Tetrahedron TetrahedronModel
RayCollisionModel Ray RayModel
OBBCollisionModel OBB OBBModel TOBBModel
CapsuleCollisionModel Capsule CapsuleModel RigidCapsule RigidCapsuleCollisionModel RigidCapsuleModel TCapsuleModel
UnilateralLagrangianConstraint UnilateralInteractionConstraint
BilateralLagrangianConstraint BilateralInteractionConstraint
SlidingLagrangianConstraint SlidingConstraint
StopperLagrangianConstraint StopperConstraint
UniformLagrangianConstraint UniformConstraint
BlockGaussSeidelConstraintSolver GenericConstraintSolver
FreeMotionAnimationLoop FreeMotionMasterSolver
ConstraintAnimationLoop MasterConstraintSolver
MultiStepAnimationLoop MultiStepMasterSolver
SubsetMapping SurfaceIdentityMapping
SparseGridTopology SparseGrid
SparseGridMultipleTopology SparseGridMultiple
SparseGridRamificationTopology SparseGridRamification
SphereQuadTopology SphereQuad
NAMES
cat >"$work/old.scn" <<'OLD'
<Node name="root">
  <DefaultPipeline/><BruteForceDetection/><ProximityIntersection/>
  <DefaultContactManager response="default"/><DefaultCollisionGroupManager/>
  <Node name="Ball"><MechanicalObject position="0 0 0"/><Sphere radius="1"/></Node>
</Node>
OLD
"$divan" run "$work/old.scn" -n 2 --quiet --plugin-set all >"$work/log" 2>&1 || fail "old.scn: $(cat "$work/log")"
grep -q "DefaultCollisionGroupManager" "$work/log" || fail "nothing about DefaultCollisionGroupManager: $(cat "$work/log")"

exit $failed
