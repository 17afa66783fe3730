/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A body that is cut, split, carved and grown at random, with a state, masses, elastic elements, a border, collision, a picture and points that hang on it:
 * for tests of many edits, and for the fuzzer. Each edit is made from a few bytes, and any bytes are one. Nothing moves in its scene.
 */
#ifndef DIVAN_TESTS_CUT_SCRIPT_H
#define DIVAN_TESTS_CUT_SCRIPT_H

#include <divan/contracts/topology.h>

enum { CUT_BYTES = 8 };

typedef struct CutCounts {
    uint32_t cuts, split, removed, added, reset;
} CutCounts;

typedef struct CutScript CutScript;

/* Of tetrahedra or of triangles. `field`: its elastic elements; NULL: TetrahedronFEMForceField or TriangleFEMForceField. */
CutScript *cut_script_new(DvElementKind kind, const char *field);
void cut_script_free(CutScript *script);
/* Volume or area and mass are checked at once: cuts and splits keep them. */
void cut_script_run(CutScript *script, const uint8_t bytes[CUT_BYTES]);
/* Tables, forces, products and drawn faces against those of a scene that is loaded like this, the border, masses of points, and that
 * mapped points are where they were. The program ends with a message (abort) when anything is not as it should be. */
void cut_script_check(CutScript *script);
CutCounts cut_script_counts(const CutScript *script);

#endif
