/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Topologies in scenes: the order of lists that are derived, numbers of points, grids, changes by modifiers,
 * topological mappings, and what wrong ones are told.
 */
#include "scene_text.h"
#include "topology_conformance.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <divan/contracts/state.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SCENE(...) "<Node name='root'><DefaultAnimationLoop/>" __VA_ARGS__ "</Node>"

typedef struct Mesh {
    DvScene *scene;
    const DvTopologyOps *ops;
    void *self;
    DvObject *object;
} Mesh;

static Mesh load(const char *text, const char *path)
{
    Mesh mesh = {.scene = scene_from_text(text)};
    mesh.object = scene_object(mesh.scene, path);
    mesh.ops = dv_object_ops(mesh.object, DV_TOPOLOGY);
    mesh.self = dv_object_self(mesh.object);
    assert_non_null(mesh.ops);
    return mesh;
}

static Mesh at(const Mesh *other, const char *path)
{
    Mesh mesh = {.scene = other->scene, .object = scene_object(other->scene, path)};
    mesh.ops = dv_object_ops(mesh.object, DV_TOPOLOGY);
    mesh.self = dv_object_self(mesh.object);
    return mesh;
}

/* The value of a field, as a scene would hold it. */
static void expect_field(DvObject *object, const char *field, const char *expected)
{
    DvText text = {0};
    DvData *data = dv_object_field(object, field);
    if (!data)
        fail_msg("no field %s", field);
    dv_data_print(data, &text);
    assert_string_equal(text.at ? text.at : "", expected);
    dv_text_free(&text);
}

static uint32_t count_of(const Mesh *mesh, DvElementKind kind)
{
    return mesh->ops->elements(mesh->self, kind).count;
}

/* MeshTopology */

static void edges_of_tetrahedra_are_sorted_and_follow_their_table(void **state)
{
    (void)state;
    Mesh mesh = load(SCENE("<MeshTopology name='m' tetrahedra='3 1 2 0  1 3 2 4'/>"), "/m");
    assert_int_equal(mesh.ops->point_count(mesh.self), 5);
    expect_field(mesh.object, "edges", "1 3 2 3 0 3 1 2 0 1 0 2 1 4 3 4 2 4");
    expect_field(mesh.object, "triangles", "0 1 2 0 2 3 0 3 1 1 3 2 2 4 3 1 4 2 1 3 4");
    dv_scene_free(mesh.scene);
}

static void edges_of_triangles_keep_the_direction_of_the_first(void **state)
{
    (void)state;
    Mesh mesh = load(SCENE("<MeshTopology name='m' triangles='0 1 2  0 2 3' quads='3 2 4 5'/>"), "/m");
    expect_field(mesh.object, "edges", "1 2 2 0 0 1 2 3 3 0 2 4 4 5 3 5");
    const DvAdjacency around = mesh.ops->adjacency(mesh.self, DV_EDGES, DV_TRIANGLES);
    assert_int_equal(around.end[1] - around.begin[1],
                     2); /* edge 2 0: triangle 0 runs along it, triangle 1 against it */
    assert_int_equal(around.items[around.begin[1]], 0);
    dv_scene_free(mesh.scene);
}

static void derived_lists_follow_when_a_field_is_written(void **state)
{
    (void)state;
    Mesh mesh = load(SCENE("<MeshTopology name='m' triangles='0 1 2  0 2 3'/>"), "/m");
    assert_int_equal(mesh.ops->adjacency(mesh.self, DV_POINTS, DV_TRIANGLES).count, 4);
    const uint64_t revision = mesh.ops->revision(mesh.self);
    assert_int_equal(dv_data_set_text(dv_object_field(mesh.object, "triangles"), "2 1 0"), DV_OK);
    expect_field(mesh.object, "edges", "1 0 0 2 2 1");
    assert_true(mesh.ops->revision(mesh.self) > revision);
    const DvAdjacency around = mesh.ops->adjacency(mesh.self, DV_POINTS, DV_TRIANGLES);
    assert_int_equal(around.begin[3], 3);
    dv_scene_free(mesh.scene);
}

static void positions_alone_make_no_points(void **state)
{
    (void)state;
    Mesh mesh = load(SCENE("<MeshTopology name='m' position='0 0 0 1 0 0'/>"), "/m");
    assert_int_equal(mesh.ops->point_count(mesh.self), 0);
    assert_null(mesh.ops->grid(mesh.self, &(DvGridShape){0}) ? &mesh : NULL);
    dv_scene_free(mesh.scene);
}

/* What a mapping fills has elements and no positions: whoever copies both has as many points as its elements need. */
static void a_copy_of_a_border_has_the_points_of_its_elements(void **state)
{
    (void)state;
    Mesh mesh = load(
        SCENE("<TetrahedronSetTopologyContainer name='t' position='0 0 0  1 0 0  0 1 0  0 0 1' tetrahedra='0 1 2 3'/>"
              "<Node name='border'><TriangleSetTopologyContainer name='c'/><TriangleSetTopologyModifier/>"
              "<Tetra2TriangleTopologicalMapping input='@../t' output='@c'/>"
              "<Node name='copy'><TriangleSetTopologyContainer name='c' src='@../c'/></Node></Node>"),
        "/border/copy/c");
    assert_int_equal(mesh.ops->elements(mesh.self, DV_TRIANGLES).count, 4);
    assert_int_equal(mesh.ops->point_count(mesh.self), 4);
    dv_scene_free(mesh.scene);
}

/* The tables of two tetrahedra are there once the last of their seven faces is. */
static void a_face_that_was_missing_is_found_by_its_tetrahedron(void **state)
{
    (void)state;
    Mesh mesh = load(SCENE("<TetrahedronSetTopologyContainer name='t' position='0 0 0  1 0 0  0 1 0  0 0 1  1 1 1' "
                           "tetrahedra='0 1 2 3  1 2 3 4' triangles='1 2 3  0 1 3  0 2 3  1 2 4  1 3 4  2 3 4'/>"
                           "<TetrahedronSetTopologyModifier name='m'/>"),
                     "/t");
    DvObject *modifier = scene_object(mesh.scene, "/m");
    const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    assert_int_equal(mesh.ops->adjacency(mesh.self, DV_TETRAHEDRA, DV_TRIANGLES).count, 0);
    assert_int_equal(mesh.ops->adjacency(mesh.self, DV_TRIANGLES, DV_TETRAHEDRA).count, 6);
    assert_int_equal(ops->add_elements(dv_object_self(modifier), DV_TRIANGLES, 1, (const uint32_t[3]){0, 1, 2}, NULL),
                     DV_OK);
    const DvAdjacency faces = mesh.ops->adjacency(mesh.self, DV_TETRAHEDRA, DV_TRIANGLES),
                      around = mesh.ops->adjacency(mesh.self, DV_TRIANGLES, DV_TETRAHEDRA);
    assert_int_equal(faces.count, 2);
    assert_int_equal(around.count, 7);
    static const uint32_t expected[2] = {1 << 0 | 1 << 1 | 1 << 2 | 1 << 6, 1 << 0 | 1 << 3 | 1 << 4 | 1 << 5};
    for (uint32_t t = 0; t < 2; t++) {
        uint32_t found = 0;
        for (uint32_t at = faces.begin[t]; at < faces.end[t]; at++)
            found |= 1u << faces.items[at];
        assert_int_equal(found, expected[t]);
    }
    for (uint32_t f = 0; f < 7; f++) {
        uint32_t found = 0;
        for (uint32_t at = around.begin[f]; at < around.end[f]; at++)
            found |= 1u << around.items[at];
        assert_int_equal(found, (expected[0] >> f & 1) | (expected[1] >> f & 1) << 1);
    }
    dv_scene_free(mesh.scene);
}

static void wrong_meshes_are_named(void **state)
{
    (void)state;
    expect_load_error(
        "<Node>\n<MeshTopology name='m' triangles='0 1 400000000'/></Node>",
        "scene.scn:2:24: MeshTopology 'm': triangles[0]: point 400000000 is beyond the largest number of points");
    expect_load_error(
        "<Node>\n<TetrahedronSetTopologyContainer name='c' position='0 0 0 1 0 0' tetrahedra='0 1 0 1 0 1 2 0'/></Node>",
        "TetrahedronSetTopologyContainer 'c': tetrahedra[1]: no point 2: the topology has 2, counted from 0");
    expect_load_error("<Node>\n<MeshTopology name='m' filename='no.obj'/></Node>", "filename: no file 'no.obj'");
    expect_load_error("<Node>\n<RegularGridTopology n='2000 2000 2000'/></Node>",
                      "2000 x 2000 x 2000 points are more than");
    expect_load_error("<Node>\n<MeshTopology name='a'/><Hexa2TetraTopologicalMapping input='@a' output='@a'/></Node>",
                      "input and output are the same topology");
    expect_load_error(
        "<Node>\n<MeshTopology name='a' hexahedra='0 1 2 3 4 5 6 7'/><Node name='s'><QuadSetTopologyContainer/>"
        "<Hexa2QuadTopologicalMapping/></Node></Node>",
        "needs a QuadSetTopologyModifier");
}

/* Set containers */

/* Each corner of each of three elements in turn is of no point, of a negative one, or of one beyond all that there may be. */
static void points_that_are_not_there_are_named_wherever_they_are(void **state)
{
    (void)state;
    static const struct {
        const char *family, *list;
        uint32_t nodes;
    } kinds[] = {{"Edge", "edges", 2},
                 {"Triangle", "triangles", 3},
                 {"Quad", "quads", 4},
                 {"Tetrahedron", "tetrahedra", 4},
                 {"Hexahedron", "hexahedra", 8}};
    static const struct {
        const char *point, *said;
    } wrong[] = {{"10", "no point 10: the topology has 10"},
                 {"-1", "point -1 is negative; points count from 0"},
                 {"2147483647", "point 2147483647 is beyond the largest number of points, "}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (uint32_t at = 0; at < 3 * kinds[k].nodes; at++)
            for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
                if (w == 0 && kinds[k].nodes == 8)
                    continue; /* hexahedra bring the points that they name */
                DvText text = {0}, said = {0};
                dv_text_add(
                    &text,
                    "<Node><%sSetTopologyContainer position='0 0 0 1 0 0 2 0 0 3 0 0 4 0 0 5 0 0 6 0 0 7 0 0 8 0 0 9 0 0' %s='",
                    kinds[k].family, kinds[k].list);
                for (uint32_t i = 0; i < 3 * kinds[k].nodes; i++)
                    if (i == at)
                        dv_text_add(&text, "%s ", wrong[w].point);
                    else
                        dv_text_add(&text, "%u ", (i + i / kinds[k].nodes) % 10);
                dv_text_add(&text, "'/></Node>");
                dv_text_add(&said, "%s[%u]: %s", kinds[k].list, at / kinds[k].nodes, wrong[w].said);
                expect_load_error(text.at, said.at);
                dv_text_free(&text);
                dv_text_free(&said);
            }
}

static void containers_make_the_lists_that_are_missing(void **state)
{
    (void)state;
    Mesh mesh = load(
        SCENE(
            "<Node name='t'><TetrahedronSetTopologyContainer name='c' tetrahedra='3 1 2 0  1 3 2 4'/></Node>"
            "<Node name='f'><TriangleSetTopologyContainer name='c' triangles='0 1 2  0 2 3'/></Node>"
            "<Node name='q'><QuadSetTopologyContainer name='c' quads='0 3 2 1'/></Node>"
            "<Node name='h'><HexahedronSetTopologyContainer name='c' hexahedra='0 1 2 3 4 5 6 7' position='0 0 0'/></Node>"
            "<Node name='e'><EdgeSetTopologyContainer name='c' edges='0 1 1 7'/></Node>"
            "<Node name='p'><PointSetTopologyContainer name='c' nbPoints='4'/></Node>"),
        "/t/c");
    expect_field(mesh.object, "edges", "1 3 2 3 0 3 1 2 0 1 0 2 1 4 3 4 2 4");
    expect_field(mesh.object, "triangles", "0 1 2 0 2 3 0 3 1 1 3 2 2 4 3 1 4 2 1 3 4");
    expect_field(mesh.object, "nbPoints", "5");
    expect_field(scene_object(mesh.scene, "/f/c"), "edges", "1 2 2 0 0 1 2 3 3 0");
    expect_field(scene_object(mesh.scene, "/q/c"), "edges", "2 3 1 2 0 1 0 3");
    expect_field(scene_object(mesh.scene, "/h/c"), "quads", "0 3 2 1 4 5 6 7 0 1 5 4 1 2 6 5 2 3 7 6 0 4 7 3");
    expect_field(scene_object(mesh.scene, "/h/c"), "nbPoints", "8");
    expect_field(scene_object(mesh.scene, "/e/c"), "nbPoints", "8");
    expect_field(scene_object(mesh.scene, "/p/c"), "nbPoints", "4");
    static const char *const paths[] = {"/t/c", "/f/c", "/q/c", "/h/c", "/e/c", "/p/c"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        check_topology(scene_object(mesh.scene, paths[i]), false);
    dv_scene_free(mesh.scene);
}

static void given_lower_lists_stay_and_lacking_edges_are_appended(void **state)
{
    (void)state;
    Mesh mesh = load(
        SCENE("<TetrahedronSetTopologyContainer name='c' tetrahedra='0 1 2 3' triangles='1 2 3' edges='3 0  1 0'/>"),
        "/c");
    expect_field(mesh.object, "edges", "3 0 1 0 0 2 1 2 1 3 2 3");
    expect_field(mesh.object, "triangles", "1 2 3");
    assert_int_equal(mesh.ops->adjacency(mesh.self, DV_TETRAHEDRA, DV_TRIANGLES).count,
                     0); /* three faces are in no list */
    const DvAdjacency around = mesh.ops->adjacency(mesh.self, DV_TRIANGLES, DV_TETRAHEDRA);
    assert_int_equal(around.end[0], 1);
    dv_scene_free(mesh.scene);
}

/* Grids */

static void a_grid_takes_its_box_from_attributes_of_old(void **state)
{
    (void)state;
    Mesh mesh = load(
        SCENE(
            "<RegularGridTopology name='g' nx='3' ny='1' nz='1' xmin='-1' xmax='2' ymin='0' ymax='1' zmin='4' zmax='5' "
            "scale='2'/>"),
        "/g");
    expect_field(mesh.object, "position", "-2 1 8 1 1 8 4 1 8");
    DvGridShape shape;
    assert_true(mesh.ops->grid(mesh.self, &shape));
    assert_true(shape.n[0] == 3 && shape.n[2] == 1 && shape.step[0] == 3 && shape.min[1] == 1 && shape.max[0] == 4);
    dv_scene_free(mesh.scene);
}

static void positions_of_a_grid_are_rounded_once(void **state)
{
    (void)state;
    Mesh mesh = load(SCENE("<RegularGridTopology name='g' n='2 2 20' min='0 0 -12' max='1 1 12'/>"), "/g");
    const double *x = mesh.ops->positions(mesh.self);
    assert_true(x[3 * 79 + 2] == 11.999999999999998); /* 19 (24 / 19) - 12, exactly computed, is nearest to this */
    assert_true(x[3 * 4 + 2] == fma(24.0 / 19, 1, -12.0));
    dv_scene_free(mesh.scene);
}

static void a_grid_makes_the_lists_it_is_asked_for(void **state)
{
    (void)state;
    Mesh mesh = load(
        SCENE(
            "<RegularGridTopology name='all' n='2 2 2'/>"
            "<Node name='a'><RegularGridTopology name='g' n='3 3 3' computeTriangleList='0'/></Node>"
            "<Node name='b'><RegularGridTopology name='g' n='3 3 3' computeEdgeList='0' computeQuadList='0' "
            "computeTriangleList='0'/></Node>"
            "<Node name='c'><RegularGridTopology name='g' n='3 3 3' computeHexaList='0' computePointList='0'/></Node>"
            "<Node name='d'><RegularGridTopology name='g' n='2 2 1' createTexCoords='1' p0='5 0 0' cellWidth='0.5'/></Node>"
            "<Node name='e'><RegularGridTopology name='g' min='1 -2 3' max='3 -0.8 4' cellWidth='0.5'/></Node>"),
        "/all");
    expect_field(mesh.object, "edges", "1 3 3 0 0 1 3 2 2 0 5 7 7 4 4 5 7 6 6 4 1 5 5 0 4 0 3 7 7 2 6 2 6 0 7 1");
    expect_field(mesh.object, "quads", "0 1 3 2 4 5 7 6 0 1 5 4 2 3 7 6 0 2 6 4 1 3 7 5");
    expect_field(mesh.object, "triangles", "0 1 3 0 3 2 4 5 7 4 7 6 0 1 5 0 5 4 2 3 7 2 7 6 0 2 6 0 6 4 1 3 7 1 7 5");
    const Mesh a = at(&mesh, "/a/g"), b = at(&mesh, "/b/g"), c = at(&mesh, "/c/g"), d = at(&mesh, "/d/g");
    assert_int_equal(count_of(&a, DV_EDGES), 3 * 2 * 9); /* along the axes only */
    assert_int_equal(count_of(&a, DV_TRIANGLES), 0);
    assert_int_equal(count_of(&b, DV_QUADS), 36); /* of the hexahedra, as MeshTopology makes them */
    assert_int_equal(count_of(&b, DV_EDGES), 54);
    const uint32_t *quad = b.ops->elements(b.self, DV_QUADS).at;
    assert_true(quad[0] == 0 && quad[1] == 3 && quad[2] == 4 && quad[3] == 1);
    assert_int_equal(count_of(&c, DV_HEXAHEDRA), 0);
    assert_null(c.ops->positions(c.self));
    assert_int_equal(c.ops->point_count(c.self), 27);
    /* cellWidth: more points, at the spacing of the n before */
    expect_field(d.object, "n", "3 3 3");
    assert_true(d.ops->positions(d.self)[3 * 2] == 7.0);
    assert_true(dv_object_field(d.object, "uv")->count == 27);
    expect_field(at(&mesh, "/e/g").object, "n", "5 4 3"); /* as many as cover the box */
    check_topology(b.object, false);
    dv_scene_free(mesh.scene);
}

/* The points of a round grid, numbered as those of a cube, lie at the heights and distances of its shells. */
static void expect_round(const Mesh *mesh, bool ball, double radius, double length)
{
    static const double center[3] = {1, -2, 3}, axis[3] = {2.0 / 3, -1.0 / 3, 2.0 / 3};
    static const uint32_t n[3] = {5, 4, 3};
    const double *x = mesh->ops->positions(mesh->self);
    assert_int_equal(mesh->ops->point_count(mesh->self), 60);
    for (uint32_t i = 0; i < 60; i++, x += 3) {
        const uint32_t at[3] = {i % 5, i / 5 % 4, i / 20};
        double shell = 0.0, height = 0.0, square = 0.0;
        for (int c = 0; c < 3; c++) {
            const double away = fabs(2.0 * at[c] / (n[c] - 1) - 1.0) * radius;
            shell = c < 2 || ball ? fmax(shell, away) : shell;
            height += (x[c] - center[c]) * axis[c];
            square += (x[c] - center[c]) * (x[c] - center[c]);
        }
        if (!ball) {
            assert_true(fabs(height - at[2] * length / 2) < 1e-14);
            square -= height * height;
        }
        assert_true(fabs(square - shell * shell) < 1e-13);
    }
    /* points, edges, faces and cells of a body without holes */
    const int64_t euler = 60 - (int64_t)count_of(mesh, DV_EDGES) + count_of(mesh, DV_QUADS);
    assert_int_equal(euler - count_of(mesh, DV_HEXAHEDRA), 1);
    assert_int_equal(count_of(mesh, DV_HEXAHEDRA), 24);
    DvGridShape shape = {0};
    assert_false(mesh->ops->grid(mesh->self, &shape));
    assert_true(shape.n[0] == 5 && shape.n[1] == 4 && shape.n[2] == 3);
}

static void round_grids_are_round(void **state)
{
    (void)state;
#define PLACE "name='g' nx='5' ny='4' nz='3' center='1 -2 3' axis='4 -2 4' computeTriangleList='0' radius='2.5'"
    Mesh mesh = load(SCENE("<Node name='a'><CylinderGridTopology " PLACE " length='7'/></Node>"
                           "<Node name='b'><SphereGrid " PLACE "/></Node>"
                           "<Node name='c'><CylinderGridTopology name='g' n='3 3 2' axis='0 1 0'/></Node>"
                           "<Node name='d'><SphereGridTopology name='g' n='3 1 1' axis='5 0 0'/></Node>"),
                     "/a/g");
    const Mesh ball = at(&mesh, "/b/g"), upright = at(&mesh, "/c/g");
    expect_round(&mesh, false, 2.5, 7);
    expect_round(&ball, true, 2.5, 0);
    /* x along (1, 0, 0) and y = z x x, or x along (0, 1, 0) */
    const double *x = upright.ops->positions(upright.self);
    assert_true(x[3 * 5] == 1 && x[3 * 5 + 1] == 0 && x[3 * 5 + 2] == 0);
    assert_true(x[3 * 7] == 0 && x[3 * 7 + 1] == 0 && x[3 * 7 + 2] == -1);
    assert_true(x[3 * 13] == 0 && x[3 * 13 + 1] == 1 && x[3 * 13 + 2] == 0);
    expect_field(scene_object(mesh.scene, "/d/g"), "position", "0 -1 0 0 0 0 0 1 0");
    dv_scene_free(mesh.scene);
}

static void cells_of_a_round_grid_are_cut_so_that_faces_fit(void **state)
{
    (void)state;
    Mesh mesh = load(SCENE("<CylinderGridTopology name='g' n='4 3 3'/><Node name='n'><TetrahedronSetTopologyContainer "
                           "name='c'/><TetrahedronSetTopologyModifier/><Hexa2TetraTopologicalMapping input='@/g' "
                           "output='@c' swapping='1'/></Node>"),
                     "/n/c");
    assert_int_equal(count_of(&mesh, DV_TETRAHEDRA), 12 * 6);
    assert_int_equal(count_of(&mesh, DV_TRIANGLES), (72 * 4 + 32 * 2) / 2); /* two for each of the 32 quads outside */
    dv_scene_free(mesh.scene);
}

/* Each quad looks away from the middle and is flat or, on a sphere, nearly so. */
static void expect_quads_look_outward(const Mesh *mesh, const double middle[3])
{
    const double *x = mesh->ops->positions(mesh->self);
    const DvElements quads = mesh->ops->elements(mesh->self, DV_QUADS);
    for (uint32_t i = 0; i < quads.count; i++) {
        const double *corner[4];
        double u[3], v[3], outward = 0.0;
        for (int j = 0; j < 4; j++)
            corner[j] = x + 3 * (size_t)quads.at[4 * i + (uint32_t)j];
        for (int c = 0; c < 3; c++) {
            u[c] = corner[2][c] - corner[0][c];
            v[c] = corner[3][c] - corner[1][c];
        }
        for (int c = 0; c < 3; c++)
            outward += (u[(c + 1) % 3] * v[(c + 2) % 3] - u[(c + 2) % 3] * v[(c + 1) % 3]) * (corner[0][c] - middle[c]);
        assert_true(outward > 0.0);
    }
}

static void a_box_surface_is_closed(void **state)
{
    (void)state;
    Mesh mesh =
        load(SCENE("<CubeTopology name='c' nx='4' ny='3' nz='5' xmin='-1' xmax='1' ymin='0' ymax='1' zmin='2' "
                   "zmax='3' scale='2'/>"
                   "<Node name='all'><CubeTopology name='c' nx='4' ny='3' nz='5' internalPoints='1'/></Node>"
                   "<Node name='s'><SphereQuadTopology name='c' nx='4' ny='3' nz='5' center='1 2 3' radius='2'/>"
                   "</Node>"),
             "/c");
    const Mesh all = at(&mesh, "/all/c"), sphere = at(&mesh, "/s/c");
    const Mesh *const each[3] = {&mesh, &all, &sphere};
    static const double middle[3][3] = {{0, 1, 5}, {0.5, 0.5, 0.5}, {1, 2, 3}};
    assert_int_equal(mesh.ops->point_count(mesh.self), 60 - 2 * 1 * 3);
    assert_int_equal(all.ops->point_count(all.self), 60);
    for (int i = 0; i < 3; i++) {
        const uint32_t quads = count_of(each[i], DV_QUADS), edges = count_of(each[i], DV_EDGES);
        assert_int_equal(quads, 2 * (3 * 2 + 3 * 4 + 2 * 4));
        assert_int_equal(54 + quads, 2 + edges);
        const DvAdjacency around = each[i]->ops->adjacency(each[i]->self, DV_EDGES, DV_QUADS);
        for (uint32_t edge = 0; edge < edges; edge++)
            assert_int_equal(around.end[edge] - around.begin[edge], 2);
        expect_quads_look_outward(each[i], middle[i]);
    }
    const double *x = mesh.ops->positions(mesh.self), *s = sphere.ops->positions(sphere.self);
    for (uint32_t i = 0; i < 54; i++, x += 3, s += 3) {
        double square = 0.0;
        for (int c = 0; c < 3; c++)
            square += (s[c] - middle[2][c]) * (s[c] - middle[2][c]);
        assert_true(fabs(square - 4.0) < 1e-13);
        assert_true(fmin(fmin(fabs(fabs(x[0]) - 2), fabs(fabs(x[1] - 1) - 1)), fabs(fabs(x[2] - 5) - 1)) < 1e-15);
    }
    /* layer z = 0, the last layer, then rims */
    x = mesh.ops->positions(mesh.self);
    assert_true(x[3 * 4] == -2 && x[3 * 4 + 1] == 1 && x[3 * 4 + 2] == 4);
    assert_true(x[3 * 12 + 2] == 6 && x[3 * 24 + 2] == 4.5 && x[3 * 28 + 1] == 2 && x[3 * 32 + 1] == 1 &&
                fabs(x[3 * 33] - 2) < 1e-15);
    dv_scene_free(mesh.scene);
}

static void faces_of_a_split_box_share_no_points(void **state)
{
    (void)state;
    Mesh mesh = load(SCENE("<CubeTopology name='c' nx='4' ny='3' nz='5' splitNormals='1' internalPoints='1'/>"), "/c");
    const double *x = mesh.ops->positions(mesh.self);
    static const uint32_t block[7] = {0, 15, 35, 47, 62, 82, 94}; /* x, y, z at 0, then at 1 */
    assert_int_equal(mesh.ops->point_count(mesh.self), 94);
    for (int face = 0; face < 6; face++)
        for (uint32_t i = block[face]; i < block[face + 1]; i++)
            assert_true(x[3 * i + (uint32_t)face % 3] == (face < 3 ? 0 : 1));
    const DvElements quads = mesh.ops->elements(mesh.self, DV_QUADS), edges = mesh.ops->elements(mesh.self, DV_EDGES);
    assert_int_equal(quads.count, 52);
    for (uint32_t i = 0; i < 52; i++)
        for (int face = 0; face < 6; face++)
            for (int j = 1; j < 4; j++)
                assert_int_equal(quads.at[4 * i] < block[face], quads.at[4 * i + (uint32_t)j] < block[face]);
    assert_int_equal(edges.count, 104);
    for (uint32_t i = 0; i < 104; i++) { /* as long as a step of the grid along one axis */
        const double *a = x + 3 * (size_t)edges.at[2 * i], *b = x + 3 * (size_t)edges.at[2 * i + 1];
        const double way[3] = {3 * (b[0] - a[0]), 2 * (b[1] - a[1]), 4 * (b[2] - a[2])};
        assert_true(fabs(way[0] + way[1] + way[2] - 1) < 1e-14 && fmin(fmin(way[0], way[1]), way[2]) > -1e-14);
    }
    expect_quads_look_outward(&mesh, (const double[3]){0.5, 0.5, 0.5});
    dv_scene_free(mesh.scene);
}

static void a_state_before_its_grid_takes_its_points(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE("<MechanicalObject name='x'/><RegularGridTopology n='3 1 1' max='2 0 0'/>"));
    const DvStateRef x = scene_state(scene, "/x");
    assert_int_equal(dv_state_count(x), 3);
    assert_true(dv_state_read(x, DV_POSITION).at[6] == 2.0);
    dv_scene_free(scene);
}

/* Topological mappings */

static void hexahedra_become_six_tetrahedra_that_fill_them(void **state)
{
    (void)state;
    for (int swapping = 0; swapping < 2; swapping++) {
        char text[512];
        snprintf(text, sizeof text,
                 SCENE("<RegularGridTopology name='g' n='4 3 3'/><TetrahedronSetTopologyContainer name='t'/>"
                       "<Hexa2TetraTopologicalMapping name='m' input='@g' output='@t' swapping='%d'/>"),
                 swapping);
        Mesh mesh = load(text, "/t");
        const Mesh grid = at(&mesh, "/g");
        const double *x = grid.ops->positions(grid.self);
        const DvElements tetrahedra = mesh.ops->elements(mesh.self, DV_TETRAHEDRA);
        assert_int_equal(tetrahedra.count, 6 * 12);
        double volume = 0;
        for (uint32_t i = 0; i < tetrahedra.count; i++) {
            const uint32_t *t = tetrahedra.at + 4 * (size_t)i;
            double e[3][3];
            for (int j = 0; j < 3; j++)
                for (int c = 0; c < 3; c++)
                    e[j][c] = x[3 * t[j + 1] + (uint32_t)c] - x[3 * t[0] + (uint32_t)c];
            const double sixth = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                                 e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                                 e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
            assert_true(sixth > 0);
            volume += sixth / 6;
        }
        assert_true(fabs(volume - 1.0) < 1e-12);
        /* with swapping neighbours cut a common face alike: every inner triangle has two tetrahedra */
        const DvAdjacency around = mesh.ops->adjacency(mesh.self, DV_TRIANGLES, DV_TETRAHEDRA);
        uint32_t border = 0;
        for (uint32_t i = 0; i < around.count; i++)
            border += around.end[i] - around.begin[i] == 1;
        assert_int_equal(border, 2 * 2 * (3 * 2 + 3 * 2 + 2 * 2));
        dv_scene_free(mesh.scene);
    }
}

#define HEXAHEDRA_AND_QUADS                                                                                            \
    SCENE(                                                                                                             \
        "<RegularGridTopology name='grid' n='3 3 3' computeEdgeList='0' computeTriangleList='0' computeQuadList='0'/>" \
        "<Node name='h'><HexahedronSetTopologyContainer name='c' hexahedra='@/grid.hexahedra'/>"                       \
        "<HexahedronSetTopologyModifier name='m'/><Node name='q'><QuadSetTopologyContainer name='c'/>"                 \
        "<QuadSetTopologyModifier name='m'/><Hexa2QuadTopologicalMapping name='map' input='@../c' output='@c'/></Node></Node>")

/* The border of a hexahedral mesh by comparing all faces, as sums of its quads' sorted points. */
static uint32_t count_border(const Mesh *hexahedra, const Mesh *quads)
{
    const DvAdjacency around = hexahedra->ops->adjacency(hexahedra->self, DV_QUADS, DV_HEXAHEDRA);
    const DvElements all = hexahedra->ops->elements(hexahedra->self, DV_QUADS),
                     out = quads->ops->elements(quads->self, DV_QUADS);
    uint32_t border = 0;
    for (uint32_t i = 0; i < around.count; i++) {
        if (around.end[i] - around.begin[i] != 1)
            continue;
        border++;
        uint32_t matches = 0;
        for (uint32_t j = 0; j < out.count; j++) {
            uint32_t common = 0;
            for (int a = 0; a < 4; a++)
                for (int b = 0; b < 4; b++)
                    common += all.at[4 * i + (uint32_t)a] == out.at[4 * j + (uint32_t)b];
            matches += common == 4;
        }
        assert_int_equal(matches, 1);
    }
    return border;
}

static void border_quads_follow_removed_hexahedra(void **state)
{
    (void)state;
    Mesh hexahedra = load(HEXAHEDRA_AND_QUADS, "/h/c");
    const Mesh quads = at(&hexahedra, "/h/q/c");
    const DvTopologyModifierOps *modifier = dv_object_ops(scene_object(hexahedra.scene, "/h/m"), DV_TOPOLOGY_MODIFIER);
    void *by = dv_object_self(scene_object(hexahedra.scene, "/h/m"));
    assert_int_equal(count_of(&quads, DV_QUADS), 24);
    static const uint32_t removals[] = {0, 5, 3, 2, 1};
    for (size_t i = 0; i < sizeof removals / sizeof *removals; i++) {
        assert_int_equal(modifier->remove_elements(by, DV_HEXAHEDRA, 1, &removals[i], true), DV_OK);
        assert_int_equal(count_border(&hexahedra, &quads), count_of(&quads, DV_QUADS));
        assert_int_equal(quads.ops->point_count(quads.self), hexahedra.ops->point_count(hexahedra.self));
        check_topology(hexahedra.object, false);
        check_topology(quads.object, false);
    }
    dv_scene_free(hexahedra.scene);
}

static void border_quads_look_outward_or_with_flip_inward(void **state)
{
    (void)state;
    Mesh mesh = load(
        SCENE(
            "<MeshTopology name='h' hexahedra='0 1 2 3 4 5 6 7'/>"
            "<Node name='a'><QuadSetTopologyContainer name='c'/><QuadSetTopologyModifier/><Hexa2QuadTopologicalMapping/></Node>"
            "<Node name='b'><QuadSetTopologyContainer name='c'/><QuadSetTopologyModifier/>"
            "<Hexa2QuadTopologicalMapping flipNormals='1'/></Node>"),
        "/a/c");
    expect_field(mesh.object, "quads", "0 3 2 1 4 5 6 7 0 1 5 4 1 2 6 5 2 3 7 6 0 4 7 3");
    expect_field(scene_object(mesh.scene, "/b/c"), "quads", "1 2 3 0 7 6 5 4 4 5 1 0 5 6 2 1 6 7 3 2 3 7 4 0");
    dv_scene_free(mesh.scene);
}

/* Modifiers */

static void elements_of_another_kind_are_refused(void **state)
{
    (void)state;
    Mesh mesh =
        load(SCENE("<TriangleSetTopologyContainer name='c' triangles='0 1 2'/><TriangleSetTopologyModifier name='m'/>"),
             "/c");
    DvObject *by = scene_object(mesh.scene, "/m");
    const DvTopologyModifierOps *modifier = dv_object_ops(by, DV_TOPOLOGY_MODIFIER);
    const uint32_t first = 0;
    assert_int_equal(modifier->remove_elements(dv_object_self(by), DV_TETRAHEDRA, 1, &first, true),
                     DV_ERROR_UNSUPPORTED);
    assert_int_equal(count_of(&mesh, DV_TRIANGLES), 1);
    dv_scene_free(mesh.scene);
}

static void points_left_alone_go_with_their_elements_unless_told_not_to(void **state)
{
    (void)state;
    Mesh mesh = load(SCENE("<Node name='a'><TetrahedronSetTopologyContainer name='c' tetrahedra='0 1 2 3  1 2 3 4'/>"
                           "<TetrahedronSetTopologyModifier name='m'/></Node>"
                           "<Node name='b'><TetrahedronSetTopologyContainer name='c' tetrahedra='0 1 2 3  1 2 3 4'/>"
                           "<TetrahedronSetTopologyModifier name='m' removeIsolated='0'/></Node>"),
                     "/a/c");
    const uint32_t first = 0;
    DvObject *a = scene_object(mesh.scene, "/a/m"), *b = scene_object(mesh.scene, "/b/m");
    const DvTopologyModifierOps *modifier = dv_object_ops(a, DV_TOPOLOGY_MODIFIER);
    assert_int_equal(modifier->remove_elements(dv_object_self(a), DV_TETRAHEDRA, 1, &first, true), DV_OK);
    expect_field(mesh.object, "tetrahedra", "1 2 3 0"); /* point 4 took the number of point 0 */
    expect_field(mesh.object, "nbPoints", "4");
    assert_int_equal(count_of(&mesh, DV_EDGES), 6);
    assert_int_equal(count_of(&mesh, DV_TRIANGLES), 4);
    const Mesh other = at(&mesh, "/b/c");
    assert_int_equal(modifier->remove_elements(dv_object_self(b), DV_TETRAHEDRA, 1, &first, true), DV_OK);
    expect_field(other.object, "tetrahedra", "1 2 3 4");
    expect_field(other.object, "nbPoints", "5");
    assert_int_equal(count_of(&other, DV_EDGES), 6);
    dv_scene_free(mesh.scene);
}

static void edges_without_elements_keep_their_removed_points(void **state)
{
    (void)state;
    /* the diagonal 0 2 belongs to no hexahedron; point 8 takes the number of a removed one, but not in the diagonal */
    Mesh mesh = load(
        SCENE(
            "<HexahedronSetTopologyContainer name='c' hexahedra='0 1 2 3 4 5 6 7  4 5 6 7 8 9 10 11' edges='0 2  5 11'/>"
            "<HexahedronSetTopologyModifier name='m'/>"),
        "/c");
    DvObject *object = scene_object(mesh.scene, "/m");
    const DvTopologyModifierOps *modifier = dv_object_ops(object, DV_TOPOLOGY_MODIFIER);
    const uint32_t first = 0;
    assert_int_equal(modifier->remove_elements(dv_object_self(object), DV_HEXAHEDRA, 1, &first, true), DV_OK);
    assert_int_equal(mesh.ops->point_count(mesh.self), 8);
    const DvElements edges = mesh.ops->elements(mesh.self, DV_EDGES);
    assert_true(edges.at[0] == 0 && edges.at[1] == 2); /* dangling: as they were */
    assert_true(edges.at[2] == 5 && edges.at[3] == 3); /* 11 became 3 */
    const DvAdjacency around = mesh.ops->adjacency(mesh.self, DV_POINTS, DV_EDGES);
    for (uint32_t i = around.begin[0]; i < around.end[0]; i++)
        assert_int_not_equal(around.items[i], 0);
    dv_scene_free(mesh.scene);
}

static void new_tetrahedra_bring_their_faces_and_edges(void **state)
{
    (void)state;
    Mesh mesh = load(
        SCENE(
            "<TetrahedronSetTopologyContainer name='c' tetrahedra='0 1 2 3'/><TetrahedronSetTopologyModifier name='m'/>"),
        "/c");
    DvObject *object = scene_object(mesh.scene, "/m");
    const DvTopologyModifierOps *modifier = dv_object_ops(object, DV_TOPOLOGY_MODIFIER);
    const uint32_t tetrahedron[4] = {1, 2, 3, 4};
    assert_int_equal(modifier->add_points(dv_object_self(object), 1, NULL), DV_OK);
    assert_int_equal(modifier->add_elements(dv_object_self(object), DV_TETRAHEDRA, 1, tetrahedron, NULL), DV_OK);
    expect_field(mesh.object, "tetrahedra", "0 1 2 3 1 2 3 4");
    /* new faces as the table orients them: (2,3,4) (1,4,3) (2,4,1); the shared one is there */
    expect_field(mesh.object, "triangles", "1 2 3 0 3 2 0 1 3 0 2 1 2 3 4 1 4 3 2 4 1");
    expect_field(mesh.object, "edges", "0 1 0 2 0 3 1 2 1 3 2 3 3 4 4 2 1 4");
    dv_scene_free(mesh.scene);
}

/* The same two triangles far from the origin, the first one starting with its last point: the second looks down and is turned. */
static void triangles_are_turned_wherever_they_are(void **state)
{
    (void)state;
    Mesh mesh = load(
        "<Node><TriangleSetTopologyContainer name='c' position='5 6 7  6 6 7  6 7 7  5 7 7  5 8 7' triangles='3 0 1  3 2 1'/>"
        "<MechanicalObject/><TriangleSetGeometryAlgorithms recomputeTrianglesOrientation='1'/></Node>",
        "/c");
    const uint32_t *at = dv_data_uints(dv_object_field(mesh.object, "triangles"), NULL);
    static const double points[4][2] = {{5, 6}, {6, 6}, {6, 7}, {5, 7}};
    for (size_t t = 0; t < 2; t++) {
        const double *a = points[at[3 * t]], *b = points[at[3 * t + 1]], *c = points[at[3 * t + 2]];
        assert_true((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0.0);
    }
    dv_scene_free(mesh.scene);
}

static void collect(const DvMessage *message, void *context)
{
    dv_message_print(message, context);
    dv_text_add(context, "\n");
}

/* What a table lacks is told once, and not at all of lists that are empty. */
static void a_table_that_lacks_parts_is_told_once(void **state)
{
    (void)state;
    static const char *const scenes[] = {
        SCENE("<TetrahedronSetTopologyContainer name='c' tetrahedra='0 1 2 3' triangles='1 2 3'/>"),
        SCENE("<MeshTopology name='c' position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/>")};
    for (int i = 0; i < 2; i++) {
        Mesh mesh = load(scenes[i], "/c");
        DvText said = {0};
        dv_log_set_handler(collect, &said);
        for (int k = 0; k < 3; k++)
            (void)mesh.ops->adjacency(mesh.self, DV_TETRAHEDRA, i == 0 ? DV_TRIANGLES : DV_QUADS);
        dv_log_set_handler(NULL, NULL);
        const char *first = said.length ? strstr(said.at, "are in no list") : NULL;
        assert_int_equal(first != NULL, i == 0);
        assert_true(i > 0 || !strstr(first + 1, "are in no list"));
        dv_text_free(&said);
        dv_scene_free(mesh.scene);
    }
}

static void elements_that_are_not_there_are_told_by_kind(void **state)
{
    (void)state;
    Mesh mesh =
        load(SCENE("<TriangleSetTopologyContainer name='c' triangles='0 1 2'/><TriangleSetTopologyModifier name='m'/>"),
             "/c");
    DvObject *object = scene_object(mesh.scene, "/m");
    const DvTopologyModifierOps *modifier = dv_object_ops(object, DV_TOPOLOGY_MODIFIER);
    const uint32_t used = 1, absent = 7;
    DvText said = {0};
    dv_log_set_handler(collect, &said);
    assert_int_equal(modifier->remove_elements(dv_object_self(object), DV_TRIANGLES, 1, &absent, true),
                     DV_ERROR_INVALID);
    assert_int_equal(modifier->remove_points(dv_object_self(object), 1, &absent), DV_ERROR_INVALID);
    assert_int_equal(modifier->remove_points(dv_object_self(object), 1, &used), DV_ERROR_INVALID);
    dv_log_set_handler(NULL, NULL);
    assert_non_null(said.at);
    assert_non_null(strstr(said.at, "cannot change number 7 of 1 triangles\n"));
    assert_non_null(strstr(said.at, "cannot change number 7 of "));
    assert_non_null(strstr(said.at, " points\n"));
    const char *last = strstr(said.at, "point 1 ");
    assert_non_null(last);
    assert_non_null(strstr(last, "triangles"));
    expect_field(mesh.object, "triangles", "0 1 2");
    dv_text_free(&said);
    dv_scene_free(mesh.scene);
}

static void a_used_point_cannot_be_removed(void **state)
{
    (void)state;
    Mesh mesh =
        load(SCENE("<TriangleSetTopologyContainer name='c' triangles='0 1 2'/><TriangleSetTopologyModifier name='m'/>"),
             "/c");
    DvObject *object = scene_object(mesh.scene, "/m");
    const DvTopologyModifierOps *modifier = dv_object_ops(object, DV_TOPOLOGY_MODIFIER);
    const uint32_t point = 1, order[3] = {0, 0, 1};
    assert_int_equal(modifier->remove_points(dv_object_self(object), 1, &point), DV_ERROR_INVALID);
    assert_int_equal(modifier->renumber_points(dv_object_self(object), order), DV_ERROR_INVALID);
    expect_field(mesh.object, "triangles", "0 1 2");
    dv_scene_free(mesh.scene);
}

static void states_follow_changes_of_points_unless_told_not_to(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE(
        "<Node name='a'><TetrahedronSetTopologyContainer name='c' position='0 0 0 1 0 0 2 0 0 3 0 0 4 0 0' "
        "tetrahedra='0 1 2 3  1 2 3 4'/><TetrahedronSetTopologyModifier name='m'/><MechanicalObject name='x'/></Node>"
        "<Node name='b'><TetrahedronSetTopologyContainer name='c' position='0 0 0 1 0 0 2 0 0 3 0 0 4 0 0' "
        "tetrahedra='0 1 2 3  1 2 3 4'/><TetrahedronSetTopologyModifier name='m' propagateToDOF='0'/>"
        "<MechanicalObject name='x'/></Node>"));
    const uint32_t first = 0, start[2] = {0, 2}, ancestors[2] = {0, 1}, order[5] = {4, 0, 1, 2, 3};
    const double weights[2] = {0.25, 0.75};
    const DvElementChange middle = {.ancestors = ancestors, .ancestor_start = start, .weights = weights};
    for (int i = 0; i < 2; i++) {
        DvObject *object = scene_object(scene, i ? "/b/m" : "/a/m");
        const DvTopologyModifierOps *modifier = dv_object_ops(object, DV_TOPOLOGY_MODIFIER);
        assert_int_equal(modifier->remove_elements(dv_object_self(object), DV_TETRAHEDRA, 1, &first, true), DV_OK);
        assert_int_equal(modifier->add_points(dv_object_self(object), 1, &middle), DV_OK);
        assert_int_equal(modifier->renumber_points(dv_object_self(object), order), DV_OK);
    }
    const DvConstVec a = dv_state_read(scene_state(scene, "/a/x"), DV_POSITION);
    const DvConstVec b = dv_state_read(scene_state(scene, "/b/x"), DV_POSITION);
    /* point 4 took the place of 0, then one between 0 and 1 came, then all moved up by one */
    static const double expected[5] = {1.75, 4, 1, 2, 3};
    assert_int_equal(a.count, 5);
    assert_int_equal(b.count, 5);
    for (int i = 0; i < 5; i++) {
        assert_true(a.at[3 * i] == expected[i]);
        assert_true(b.at[3 * i] == i);
    }
    dv_scene_free(scene);
}

static void changed_meshes_are_saved_and_go_on(void **state)
{
    (void)state;
    Mesh mesh = load(HEXAHEDRA_AND_QUADS, "/h/c");
    const DvTopologyModifierOps *modifier = dv_object_ops(scene_object(mesh.scene, "/h/m"), DV_TOPOLOGY_MODIFIER);
    const uint32_t removed[2] = {5, 0}, next = 3;
    assert_int_equal(
        modifier->remove_elements(dv_object_self(scene_object(mesh.scene, "/h/m")), DV_HEXAHEDRA, 2, removed, true),
        DV_OK);
    char name[] = P_tmpdir "/divan-topologies-XXXXXX.scn";
    const int file = mkstemps(name, 4);
    assert_true(file >= 0);
    assert_int_equal(dv_scene_save(mesh.scene, name), DV_OK);
    DvScene *again;
    assert_int_equal(dv_scene_load(name, NULL, &again), DV_OK);
    (void)close(file);
    (void)remove(name);
    DvScene *scenes[2] = {mesh.scene, again};
    for (int i = 0; i < 2; i++) /* both go on in the same way */
        assert_int_equal(
            modifier->remove_elements(dv_object_self(scene_object(scenes[i], "/h/m")), DV_HEXAHEDRA, 1, &next, true),
            DV_OK);
    static const char *const paths[2] = {"/h/c", "/h/q/c"};
    for (int i = 0; i < 2; i++) {
        const Mesh here = at(&mesh, paths[i]), there = at(&(Mesh){.scene = again}, paths[i]);
        assert_int_equal(here.ops->point_count(here.self), there.ops->point_count(there.self));
        for (int kind = DV_EDGES; kind < DV_ELEMENT_KINDS; kind++) {
            const DvElements a = here.ops->elements(here.self, (DvElementKind)kind),
                             b = there.ops->elements(there.self, (DvElementKind)kind);
            assert_int_equal(a.count, b.count);
            if (a.count)
                assert_memory_equal(a.at, b.at, a.count * dv_element_nodes((DvElementKind)kind) * sizeof *a.at);
        }
        check_topology(there.object, false);
    }
    dv_scene_free(again);
    dv_scene_free(mesh.scene);
}

static void keep_warnings(const DvMessage *message, void *context)
{
    dv_text_add(context, "%s\n", message->text);
}

static void checks_that_a_scene_asks_for_report(void **state)
{
    (void)state;
    DvText said = {0};
    DvScene *scene = scene_from_text(SCENE("")); /* starts the plugins */
    dv_scene_free(scene);
    dv_log_set_handler(keep_warnings, &said);
    scene = scene_from_text(
        SCENE("<Node name='a'><EdgeSetTopologyContainer edges='0 0 1 2' checkTopology='1' checkConnexity='1'/></Node>"
              "<Node name='b'><EdgeSetTopologyContainer edges='0 0 1 2'/></Node>"));
    dv_log_set_handler(NULL, NULL);
    assert_string_equal(said.at, "point 0 appears twice\nthe mesh is in 2 pieces that no edge joins\n");
    dv_text_free(&said);
    dv_scene_free(scene);
}

/* Geometry */

static void a_tag_chooses_the_state_to_look_at(void **state)
{
    (void)state;
    Mesh mesh =
        load(SCENE("<MechanicalObject name='other' tags='flat' position='0 0 0 1 0 0 1 1 0 0 1 0'/>"
                   "<Node name='a'><MechanicalObject position='0 0 0 0 0 0 0 0 0 0 0 0'/>"
                   "<TriangleSetTopologyContainer name='c' triangles='0 1 2  0 3 2'/>"
                   "<TriangleSetGeometryAlgorithms recomputeTrianglesOrientation='1' tagMechanics='flat'/></Node>"
                   "<Node name='b'><MechanicalObject position='0 0 0 1 0 0 1 1 0 0 1 0'/>"
                   "<TriangleSetTopologyContainer name='d' triangles='0 1 2  0 3 2'/>"
                   "<TriangleSetGeometryAlgorithms topology='@/a/c'/></Node>"),
             "/a/c");
    expect_field(mesh.object, "triangles", "0 1 2 0 2 3");
    expect_field(scene_object(mesh.scene, "/b/d"), "triangles", "0 1 2 0 3 2");
    dv_scene_free(mesh.scene);
}

static void triangles_are_turned_to_look_like_the_first(void **state)
{
    (void)state;
    Mesh mesh = load(SCENE("<Node name='a'><MechanicalObject position='0 0 0 1 0 0 1 1 0 0 1 0'/>"
                           "<TriangleSetTopologyContainer name='c' triangles='0 1 2  0 3 2'/>"
                           "<TriangleSetGeometryAlgorithms recomputeTrianglesOrientation='1'/></Node>"
                           "<Node name='b'><MechanicalObject position='0 0 0 1 0 0 1 1 0 0 1 0'/>"
                           "<TriangleSetTopologyContainer name='c' triangles='0 1 2  0 3 2'/>"
                           "<TriangleSetGeometryAlgorithms recomputeTrianglesOrientation='1' flipNormals='1'/></Node>"),
                     "/a/c");
    expect_field(mesh.object, "triangles", "0 1 2 0 2 3");
    expect_field(scene_object(mesh.scene, "/b/c"), "triangles", "0 2 1 0 3 2");
    dv_scene_free(mesh.scene);
}

TOPOLOGY_CONFORMANCE(
    a_mesh_of_everything_is_a_topology,
    .scene = SCENE(
        "<MeshTopology name='m' tetrahedra='0 1 2 3 1 2 3 4' hexahedra='5 6 7 8 9 10 11 12' prisms='0 1 2 5 6 7' "
        "pyramids='5 6 7 8 0' computeAllBuffers='1'/>"),
    .topology = "/m")
TOPOLOGY_CONFORMANCE(a_grid_is_a_topology, .scene = SCENE("<RegularGridTopology name='g' n='4 3 3'/>"),
                     .topology = "/g")
#define PLACED "<GridTopology name='g' n='2 2 2' position='0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1'/>"
TOPOLOGY_CONFORMANCE(a_grid_by_numbers_is_a_topology, .scene = SCENE(PLACED), .topology = "/g")
TOPOLOGY_CONFORMANCE(a_cylinder_is_a_topology, .scene = SCENE("<CylinderGridTopology name='g' n='4 3 3'/>"),
                     .topology = "/g")
TOPOLOGY_CONFORMANCE(a_ball_is_a_topology, .scene = SCENE("<SphereGridTopology name='g' n='3 4 3'/>"), .topology = "/g")
TOPOLOGY_CONFORMANCE(a_box_surface_is_a_topology, .scene = SCENE("<CubeTopology name='g' nx='3' ny='4' nz='3'/>"),
                     .topology = "/g")
TOPOLOGY_CONFORMANCE(a_sphere_of_quads_is_a_topology, .topology = "/g",
                     .scene = SCENE("<SphereQuadTopology name='g' nx='3' ny='2' nz='4' radius='1'/>"))

#define GRID "<RegularGridTopology name='g' n='4 3 3'/>"
TOPOLOGY_CONFORMANCE(
    tetrahedra_are_edited,
    .scene = SCENE(
        GRID "<Node name='n'><TetrahedronSetTopologyContainer name='c'/><TetrahedronSetTopologyModifier name='m'/>"
             "<Hexa2TetraTopologicalMapping input='@/g' output='@c' swapping='1'/></Node>"),
    .topology = "/n/c", .modifier = "/n/m", .own = DV_TETRAHEDRA)
TOPOLOGY_CONFORMANCE(
    hexahedra_are_edited,
    .scene = SCENE(GRID "<Node name='n'><HexahedronSetTopologyContainer name='c' hexahedra='@/g.hexahedra'/>"
                        "<HexahedronSetTopologyModifier name='m'/></Node>"),
    .topology = "/n/c", .modifier = "/n/m", .own = DV_HEXAHEDRA)
TOPOLOGY_CONFORMANCE(triangles_are_edited,
                     .scene = SCENE(GRID
                                    "<Node name='n'><TriangleSetTopologyContainer name='c' triangles='@/g.triangles'/>"
                                    "<TriangleSetTopologyModifier name='m'/></Node>"),
                     .topology = "/n/c", .modifier = "/n/m", .own = DV_TRIANGLES)
TOPOLOGY_CONFORMANCE(quads_are_edited,
                     .scene = SCENE(GRID "<Node name='n'><QuadSetTopologyContainer name='c' quads='@/g.quads'/>"
                                         "<QuadSetTopologyModifier name='m'/></Node>"),
                     .topology = "/n/c", .modifier = "/n/m", .own = DV_QUADS)
TOPOLOGY_CONFORMANCE(edges_are_edited,
                     .scene = SCENE(GRID "<Node name='n'><EdgeSetTopologyContainer name='c' edges='@/g.edges'/>"
                                         "<EdgeSetTopologyModifier name='m'/></Node>"),
                     .topology = "/n/c", .modifier = "/n/m", .own = DV_EDGES)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_of_tetrahedra_are_sorted_and_follow_their_table),
        cmocka_unit_test(edges_of_triangles_keep_the_direction_of_the_first),
        cmocka_unit_test(derived_lists_follow_when_a_field_is_written),
        cmocka_unit_test(positions_alone_make_no_points),
        cmocka_unit_test(a_copy_of_a_border_has_the_points_of_its_elements),
        cmocka_unit_test(a_face_that_was_missing_is_found_by_its_tetrahedron),
        cmocka_unit_test(wrong_meshes_are_named),
        cmocka_unit_test(points_that_are_not_there_are_named_wherever_they_are),
        cmocka_unit_test(containers_make_the_lists_that_are_missing),
        cmocka_unit_test(given_lower_lists_stay_and_lacking_edges_are_appended),
        cmocka_unit_test(a_grid_takes_its_box_from_attributes_of_old),
        cmocka_unit_test(positions_of_a_grid_are_rounded_once),
        cmocka_unit_test(a_grid_makes_the_lists_it_is_asked_for),
        cmocka_unit_test(round_grids_are_round),
        cmocka_unit_test(cells_of_a_round_grid_are_cut_so_that_faces_fit),
        cmocka_unit_test(a_box_surface_is_closed),
        cmocka_unit_test(faces_of_a_split_box_share_no_points),
        cmocka_unit_test(a_state_before_its_grid_takes_its_points),
        cmocka_unit_test(hexahedra_become_six_tetrahedra_that_fill_them),
        cmocka_unit_test(border_quads_follow_removed_hexahedra),
        cmocka_unit_test(border_quads_look_outward_or_with_flip_inward),
        cmocka_unit_test(elements_of_another_kind_are_refused),
        cmocka_unit_test(points_left_alone_go_with_their_elements_unless_told_not_to),
        cmocka_unit_test(edges_without_elements_keep_their_removed_points),
        cmocka_unit_test(new_tetrahedra_bring_their_faces_and_edges),
        cmocka_unit_test(triangles_are_turned_wherever_they_are),
        cmocka_unit_test(a_table_that_lacks_parts_is_told_once),
        cmocka_unit_test(elements_that_are_not_there_are_told_by_kind),
        cmocka_unit_test(a_used_point_cannot_be_removed),
        cmocka_unit_test(states_follow_changes_of_points_unless_told_not_to),
        cmocka_unit_test(changed_meshes_are_saved_and_go_on),
        cmocka_unit_test(checks_that_a_scene_asks_for_report),
        cmocka_unit_test(a_tag_chooses_the_state_to_look_at),
        cmocka_unit_test(triangles_are_turned_to_look_like_the_first),
        cmocka_unit_test(a_mesh_of_everything_is_a_topology),
        cmocka_unit_test(a_grid_is_a_topology),
        cmocka_unit_test(a_grid_by_numbers_is_a_topology),
        cmocka_unit_test(a_cylinder_is_a_topology),
        cmocka_unit_test(a_ball_is_a_topology),
        cmocka_unit_test(a_box_surface_is_a_topology),
        cmocka_unit_test(a_sphere_of_quads_is_a_topology),
        cmocka_unit_test(tetrahedra_are_edited),
        cmocka_unit_test(hexahedra_are_edited),
        cmocka_unit_test(triangles_are_edited),
        cmocka_unit_test(quads_are_edited),
        cmocka_unit_test(edges_are_edited),
    };
    return cmocka_run_group_tests_name("topologies", tests, NULL, stop_plugins);
}
