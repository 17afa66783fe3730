/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Random edits of a container, each made from a few bytes: for tests of many edits, and for the fuzzer. Any bytes are an edit; numbers
 * that do not exist are refused by the container, which changes nothing then.
 */
#ifndef DIVAN_TESTS_EDIT_SCRIPT_H
#define DIVAN_TESTS_EDIT_SCRIPT_H

#include <divan/base.h>
#include <divan/contracts/topology.h>
#include <divan/scene.h>

enum { EDIT_BYTES = 8 };

typedef struct EditCounts {
    uint32_t added, removed, renumbered, refused, split;
} EditCounts;

typedef struct EditScript EditScript;

/* A scene, with all plugins. */
DvScene *edit_script_load(const DvText *text);

/* A small mesh of elements of this kind, in a container that may change; one of tetrahedra with its border in another. */
EditScript *edit_script_new(DvElementKind kind);
void edit_script_free(EditScript *script);
void edit_script_run(EditScript *script, const uint8_t bytes[EDIT_BYTES]);
/* The program ends with a message (abort) when anything is not as it should be. */
void edit_script_check(EditScript *script);
/* The same of any container: its tables are those of one loaded with the same lists. */
void edit_script_check_tables(DvObject *mesh, DvElementKind own);
/* Of a container of tetrahedra and what a Tetra2TriangleTopologicalMapping fills: the triangles of one tetrahedron alone, each once, and nothing
 * else. */
void edit_script_check_border(DvObject *mesh, DvObject *border);
/* Resets the scene. */
void edit_script_reset(EditScript *script);
EditCounts edit_script_counts(const EditScript *script);
DvObject *edit_script_mesh(const EditScript *script);

#endif
