/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files of changes of a mesh: times, and what happens then.
 *
 *   T= 0.2
 *     ADD= Triangles 2
 *   0 1 4  1 2 4
 *   T= 0.4
 *     ADD= Triangles 1 Ancestors 0
 *   0 4 3
 *     ADD= PointsInTriangle 1
 *   0 0.3 0.3
 *     REMOVE= 3
 *   0 1 2
 *   T= 0.5
 *     INCISE= 2
 *   0 0.5 0  1 0.5 0
 *     SWAP= 1
 *   1 2
 *
 * The line after a command holds its numbers. Numbers that are announced and not there count as 0, as scenes of the reference
 * rely on; those beyond are not read. Points of an incision have three numbers, or
 * four with the triangle first. Swapped are edges between two triangles, by their points: the triangles take the other diagonal. Lines that are no command are passed over.
 */
#ifndef DIVAN_TOPOLOGY_CHANGE_SCRIPT_H
#define DIVAN_TOPOLOGY_CHANGE_SCRIPT_H

#include <divan/contracts/topology.h>
#include <divan/kit/mesh.h>

typedef enum ChangeAction {
    CHANGE_ADD,              /* elements of a kind, by their points */
    CHANGE_ADD_IN_TRIANGLES, /* points: triangle, u, v each, at u p0 + v p1 + (1 - u - v) p2 */
    CHANGE_REMOVE,           /* elements of the mesh's own kind */
    CHANGE_SWAP,             /* edges of a surface, by their points */
    CHANGE_INCISE            /* the surface along a path: triangle, or -1, and place of each point */
} ChangeAction;

typedef struct ScriptedChange {
    ChangeAction action;
    DvElementKind kind; /* of what is added */
    uint32_t count;     /* elements */
    uint32_t line;
    uint32_t first_number;   /* among the script's */
    uint32_t first_ancestor; /* [count] of the script's, when has_ancestors */
    bool has_ancestors;
} ScriptedChange;

/* What happens at one time. */
typedef struct ScriptedMoment {
    double time;
    uint32_t first, count; /* changes */
} ScriptedMoment;

typedef struct ChangeScript {
    DV_ARRAY(ScriptedMoment) moments;
    DV_ARRAY(ScriptedChange) changes;
    DvRealArray numbers;
    DvIndexArray ancestors;
} ChangeScript;

/* Reads a file; what was read is to be freed in any case. */
DV_NODISCARD bool change_script_read(const void *bytes, size_t size, ChangeScript *script, DvMeshReport *report);
void change_script_free(ChangeScript *script);

#endif
