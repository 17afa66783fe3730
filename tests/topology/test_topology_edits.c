/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * 100,000 random edits of containers, twenty thousand of each kind. Every hundred of them: the adjacency, changed in place, is that of a container
 * loaded with the same lists, to the order of the entries; the border of tetrahedra holds what it should; data attached to points and elements have gone along; and the lists hold what
 * a model of the mesh holds, which keeps a label for each point and each element and is edited by the simplest code.
 *
 * The same with cuts among them, of tetrahedra and of triangles with all that hangs on them: each tenth of 300, of 1,000 in long tests; with DIVAN_EDITS=100000 each
 * hundredth of as many, which takes some minutes (many, with the address sanitizer: meson test -C build-sanitize -t 0 topology-topology_edits).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <divan/contracts/topology.h>
#include <divan/divan.h>
#include <divan/element_data.h>

#include "cut_script.h"
#include "edit_script.h"
#include "scene_text.h"
#include "share.h"

enum { EDITS = 20000, CHECK_EVERY = 100 };

static void edits_of(DvElementKind kind)
{
    EditScript *script = edit_script_new(kind);
    uint64_t seed = 5 + kind;
    for (uint32_t i = 1; i <= EDITS; i++) {
        uint8_t bytes[EDIT_BYTES];
        for (uint32_t k = 0; k < EDIT_BYTES; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            bytes[k] = (uint8_t)(seed >> 40);
        }
        edit_script_run(script, bytes);
        if (i % CHECK_EVERY == 0)
            edit_script_check(script);
    }
    assert_true(edit_script_counts(script).removed > EDITS / 4 && edit_script_counts(script).added > EDITS / 4);
    assert_true(edit_script_counts(script).split > EDITS / 50 || (kind != DV_TETRAHEDRA && kind != DV_TRIANGLES));
    edit_script_free(script);
}

static void tetrahedra(void **state)
{
    (void)state;
    edits_of(DV_TETRAHEDRA);
}

static void triangles(void **state)
{
    (void)state;
    edits_of(DV_TRIANGLES);
}

static void hexahedra(void **state)
{
    (void)state;
    edits_of(DV_HEXAHEDRA);
}

static void quads(void **state)
{
    (void)state;
    edits_of(DV_QUADS);
}

static void edges(void **state)
{
    (void)state;
    edits_of(DV_EDGES);
}

/* ---- Cuts, with a state, masses, a border and mapped points ---- */

enum { CUT_EDITS = 1000, FEW_CUT_EDITS = 300, CHECK_CUTS_EVERY = 10 };

static uint32_t cut_edits(void)
{
    const char *given = getenv("DIVAN_EDITS");
    const uint32_t edits = given ? (uint32_t)strtoul(given, NULL, 10) : 0;
    return edits > CUT_EDITS ? edits : share_is_long() ? CUT_EDITS : FEW_CUT_EDITS;
}

static void cuts_of(DvElementKind kind, const char *field)
{
    CutScript *script = cut_script_new(kind, field);
    uint64_t seed = 11 + kind;
    const uint32_t edits = field ? cut_edits() / 4 : cut_edits(),
                   every = edits > CUT_EDITS ? CHECK_EVERY : CHECK_CUTS_EVERY;
    for (uint32_t i = 1; i <= edits; i++) {
        uint8_t bytes[CUT_BYTES];
        for (uint32_t k = 0; k < CUT_BYTES; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            bytes[k] = (uint8_t)(seed >> 40);
        }
        cut_script_run(script, bytes);
        if (i % every == 0)
            cut_script_check(script);
    }
    const CutCounts counts = cut_script_counts(script);
    assert_true(counts.cuts > edits / 50 && counts.split > edits / 20 && counts.removed > edits / 10 &&
                counts.added > edits / 50);
    print_message("%u edits: %u cuts, %u splits, %u removals, %u additions, %u resets\n", edits, counts.cuts,
                  counts.split, counts.removed, counts.added, counts.reset);
    cut_script_free(script);
}

static void cut_tetrahedra(void **state)
{
    (void)state;
    cuts_of(DV_TETRAHEDRA, NULL);
}

static void cut_triangles(void **state)
{
    (void)state;
    cuts_of(DV_TRIANGLES, NULL);
}

/* Elements by element and law: those of every kinematics, and of a law that keeps the deformation of each point. */
static void cut_solids(void **state)
{
    (void)state;
    cuts_of(DV_TETRAHEDRA,
            "<LinearSmallStrainFEMForceField template='Vec3d,Tetrahedron' youngModulus='300' poissonRatio='0.3'/>");
    cuts_of(DV_TETRAHEDRA,
            "<CorotationalFEMForceField template='Vec3d,Tetrahedron' youngModulus='300' poissonRatio='0.3'/>");
    cuts_of(DV_TETRAHEDRA,
            "<CorotationalFEMForceField template='Vec3d,Tetrahedron' youngModulus='300' poissonRatio='0.3' "
            "rotationMethod='polar'/>");
    cuts_of(DV_TETRAHEDRA,
            "<SolidFEMForceField template='Vec3d,Tetrahedron' material='StVenantKirchhoff' parameters='170 115'/>");
}

static void cut_surfaces(void **state)
{
    (void)state;
    cuts_of(DV_TRIANGLES,
            "<LinearSmallStrainFEMForceField template='Vec3d,Triangle' youngModulus='300' poissonRatio='0.3'/>");
    cuts_of(DV_TRIANGLES, "<CorotationalFEMForceField template='Vec3d,Triangle' youngModulus='300' poissonRatio='0.3' "
                          "rotationMethod='stable_polar'/>");
}

/* ---- Reset ---- */

static void expect_same_lists(DvObject *mesh, uint32_t *const *lists, const uint32_t *counts)
{
    const DvTopologyOps *ops = dv_object_ops(mesh, DV_TOPOLOGY);
    for (DvElementKind kind = DV_EDGES; kind <= DV_HEXAHEDRA; kind++) {
        const DvElements list = ops->elements(dv_object_self(mesh), kind);
        assert_int_equal(list.count, counts[kind]);
        if (list.count)
            assert_memory_equal(list.at, lists[kind], (size_t)list.count * dv_element_nodes(kind) * sizeof *list.at);
    }
}

static void a_reset_brings_the_first_mesh_back(void **state)
{
    (void)state;
    EditScript *script = edit_script_new(DV_TETRAHEDRA);
    DvObject *mesh = edit_script_mesh(script);
    const DvTopologyOps *ops = dv_object_ops(mesh, DV_TOPOLOGY);
    uint32_t *lists[DV_ELEMENT_KINDS] = {0}, counts[DV_ELEMENT_KINDS] = {0};
    const uint32_t points = ops->point_count(dv_object_self(mesh));
    for (DvElementKind kind = DV_EDGES; kind <= DV_HEXAHEDRA; kind++) {
        const DvElements list = ops->elements(dv_object_self(mesh), kind);
        const size_t bytes = (size_t)list.count * dv_element_nodes(kind) * sizeof *list.at;
        counts[kind] = list.count;
        lists[kind] = malloc(bytes + 1);
        if (bytes)
            memcpy(lists[kind], list.at, bytes);
    }
    for (int round = 0; round < 3; round++) {
        for (uint8_t i = 0; i < 50; i++)
            edit_script_run(script, (uint8_t[EDIT_BYTES]){i, (uint8_t)(7 * i), (uint8_t)(11 * i), 3, i, 9, 0, 1});
        edit_script_reset(script);
        assert_int_equal(ops->point_count(dv_object_self(mesh)), points);
        expect_same_lists(mesh, lists, counts);
        edit_script_check(script);
    }
    for (DvElementKind kind = DV_EDGES; kind <= DV_HEXAHEDRA; kind++)
        free(lists[kind]);
    edit_script_free(script);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tetrahedra),    cmocka_unit_test(triangles),
        cmocka_unit_test(hexahedra),     cmocka_unit_test(quads),
        cmocka_unit_test(edges),         cmocka_unit_test(cut_tetrahedra),
        cmocka_unit_test(cut_triangles), cmocka_unit_test(cut_solids),
        cmocka_unit_test(cut_surfaces),  cmocka_unit_test(a_reset_brings_the_first_mesh_back),
    };
    return share_run_group_tests(tests, NULL, stop_plugins);
}
