/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Names that scenes of earlier years use for classes and modules of this plugin.
 */
#include <divan/plugin.h>

extern const DvRename collision_renames[];
const DvRename collision_renames[] = {
    {DV_RENAME_CLASS, NULL, "DefaultPipeline", "CollisionPipeline"},
    {DV_RENAME_CLASS, NULL, "DefaultContactManager", "CollisionResponse"},
    {DV_RENAME_CLASS, NULL, "ProximityIntersection", "MinProximityIntersection"},
    {DV_RENAME_CLASS, NULL, "PointModel", "PointCollisionModel"},
    {DV_RENAME_CLASS, NULL, "Point", "PointCollisionModel"},
    {DV_RENAME_CLASS, NULL, "LineModel", "LineCollisionModel"},
    {DV_RENAME_CLASS, NULL, "Line", "LineCollisionModel"},
    {DV_RENAME_CLASS, NULL, "TriangleModel", "TriangleCollisionModel"},
    {DV_RENAME_CLASS, NULL, "TTriangleModel", "TriangleCollisionModel"},
    {DV_RENAME_CLASS, NULL, "TriangleSet", "TriangleCollisionModel"},
    {DV_RENAME_CLASS, NULL, "Triangle", "TriangleCollisionModel"},
    {DV_RENAME_CLASS, NULL, "SphereModel", "SphereCollisionModel"},
    {DV_RENAME_CLASS, NULL, "TSphereModel", "SphereCollisionModel"},
    {DV_RENAME_CLASS, NULL, "Sphere", "SphereCollisionModel"},
    {DV_RENAME_CLASS_EXPANDED, NULL, "BruteForceDetection", "<BruteForceBroadPhase/><BVHNarrowPhase/>"},
    {DV_RENAME_CLASS_HARMLESS, NULL, "DefaultCollisionGroupManager",
     "contacts do not join the solvers of the bodies that touch"},
    {DV_RENAME_CLASS_HARMLESS, NULL, "CollisionGroupManager",
     "contacts do not join the solvers of the bodies that touch"},
    {DV_RENAME_CLASS_HARMLESS, NULL, "CollisionGroup", "contacts do not join the solvers of the bodies that touch"},
    {DV_RENAME_CLASS_HARMLESS, NULL, "TreeCollisionGroupManager",
     "contacts do not join the solvers of the bodies that touch"},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.Collision", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.Collision.Detection.Algorithm", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.Collision.Detection.Intersection", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.Collision.Geometry", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.Collision.Response.Contact", NULL},
    {DV_RENAME_MODULE, NULL, "SofaBaseCollision", NULL},
    {DV_RENAME_MODULE, NULL, "SofaMeshCollision", NULL},
    {DV_RENAME_MODULE, NULL, "SofaObjectInteraction", NULL},
    {0},
};
