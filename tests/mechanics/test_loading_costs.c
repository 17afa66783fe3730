/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a large mesh asks of the heap, in bytes: loading it in proportion to its elements, and the first step no more than the vectors of
 * its solver. A matrix that nobody multiplies with is not laid out.
 */
#include "force_at.h"

#include "block_count.h"

typedef struct Case {
    const char *name, *elements;
    uint32_t cut;          /* elements of a cell */
    uint32_t most_of_load; /* bytes of an element, copies that are given back included */
} Case;

#define MATERIAL " youngModulus='300' poissonRatio='0.3'"
#define CUT                                                                \
    "<Node name='cut'><TetrahedronSetTopologyContainer name='mesh'/>"      \
    "<TetrahedronSetTopologyModifier/><TetrahedronSetGeometryAlgorithms/>" \
    "<Hexa2TetraTopologicalMapping input='@../grid' output='@mesh'/>"

static const Case cases[] = {
    {"tetrahedra", CUT "<TetrahedronFEMForceField" MATERIAL "/></Node>", 6, 2150},
    {"corotational tetrahedra", CUT "<TetrahedralCorotationalFEMForceField" MATERIAL "/></Node>", 6, 2150},
    {"hexahedra", "<HexahedronFEMForceField" MATERIAL "/>", 1, 3300},
};

/* A matrix of tetrahedra has 15 blocks of 72 bytes a point, one of hexahedra 27; vectors of a step are ten or so of 24. */
enum { SIDE = 17, LENGTH = 45, MOST_OF_STEP = 400 };

static void a_large_mesh_asks_for_what_it_needs(void **state)
{
    (void)state;
    DvScene *first = scene_from_text("<Node/>"); /* starts the plugins */
    for (size_t i = 0; i < sizeof cases / sizeof *cases && BLOCK_COUNT_IS_OF_HEAP; i++) {
        const uint32_t points = SIDE * SIDE * LENGTH, cells = (SIDE - 1) * (SIDE - 1) * (LENGTH - 1);
        DvText text = {0};
        dv_text_add(
            &text,
            "<Node gravity='0 -1 0'><DefaultAnimationLoop/><EulerImplicitSolver/><CGLinearSolver iterations='25' "
            "tolerance='1e-9' threshold='1e-9'/><RegularGridTopology name='grid' n='%d %d %d' min='0 0 0' max='1 1 3'/>"
            "<MechanicalObject name='dofs' template='Vec3d'/><UniformMass totalMass='20'/>%s</Node>",
            SIDE, SIDE, LENGTH, cases[i].elements);
        uint64_t before = byte_count();
        DvScene *scene = scene_from_text(text.at);
        const uint64_t load = (byte_count() - before) / (cells * cases[i].cut);
        before = byte_count();
        assert_int_equal(dv_scene_step(scene, 0.01), DV_OK);
        const uint64_t step = (byte_count() - before) / points;
        if (load > cases[i].most_of_load || step > MOST_OF_STEP)
            fail_msg("%s: %zu bytes an element for loading, %zu a point for the first step", cases[i].name,
                     (size_t)load, (size_t)step);
        dv_scene_free(scene);
        dv_text_free(&text);
    }
    dv_scene_free(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_large_mesh_asks_for_what_it_needs)};
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
