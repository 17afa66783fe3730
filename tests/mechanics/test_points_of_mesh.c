/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Mesh2PointMechanicalMapping and SimpleTesselatedTetraMechanicalMapping as mappings; how they follow a mesh that changes is in
 * tests/topology/test_own_points.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "mapping_conformance.h"
#include "scene_text.h"

#define REASON .geometric_stiffness = GEOMETRIC_LEFT_OUT, .reason = "the mapping is linear"
#define POINTS "0 0 0  1 0 0.1  1.1 1 0  0 1 0.2  0 0 1  1 0.1 1  1 1 1  0.1 1 1.2"
#define SCENE(mesh, below)                                                 \
    "<Node name='root'><MeshTopology name='c' position='" POINTS "' " mesh \
    "/><MechanicalObject name='x' position='" POINTS "'/><Node name='a'>" below "</Node></Node>"
#define ON(places)                                                                                                \
    "<PointSetTopologyContainer name='c'/><Mesh2PointTopologicalMapping " places "/><MechanicalObject name='x'/>" \
    "<Mesh2PointMechanicalMapping name='map'/>"

MAPPING_CONFORMANCE(on_points_and_edges,
                    .scene = SCENE("edges='0 1  1 6'",
                                   ON("pointBaryCoords='0 0 0  0.5 -1 2' edgeBaryCoords='0.3 0 0'")),
                    REASON)
MAPPING_CONFORMANCE(on_faces,
                    .scene = SCENE("triangles='0 1 2  4 5 6' quads='0 1 5 4  3 2 6 7'",
                                   ON("triangleBaryCoords='0.2 0.3 0' quadBaryCoords='0.25 0.6 0  1 0 0'")),
                    REASON)
MAPPING_CONFORMANCE(in_bodies,
                    .scene = SCENE("tetrahedra='0 1 3 4  6 5 2 7' hexahedra='0 1 2 3 4 5 6 7'",
                                   ON("tetraBaryCoords='0.25 0.25 0.25' hexaBaryCoords='0.1 0.7 0.4  0 1 1'")),
                    REASON)
MAPPING_CONFORMANCE(
    eight_of_one,
    .scene = SCENE("tetrahedra='0 1 3 4  6 5 2 7'",
                   "<MeshTopology name='c'/><SimpleTesselatedTetraTopologicalMapping/><MechanicalObject name='x'/>"
                   "<SimpleTesselatedTetraMechanicalMapping name='map'/>"),
    REASON)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_points_and_edges),
        cmocka_unit_test(on_faces),
        cmocka_unit_test(in_bodies),
        cmocka_unit_test(eight_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
