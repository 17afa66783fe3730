/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Incisions of surfaces: what is cut comes apart and nothing else, area and orientation stay, and what is attached is
 * interpolated.
 */
#include "scene_text.h"
#include "topology_conformance.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <divan/element_data.h>
#include <divan/plugin.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed;

static double random_part(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (double)(seed >> 24 & 0xffffff) / 0x1000000;
}

typedef struct Sheet {
    DvScene *scene;
    DvObject *object;
    const DvTopologyOps *ops;
    void *self;
    const DvSurfaceCuttingOps *cutting;
    DvStateRef x;
} Sheet;

/* n x n squares of two triangles each, of side 1; with what hangs on it. */
static Sheet sheet_of(unsigned n, const char *children)
{
    DvText text = {0};
    dv_text_add(
        &text,
        "<Node name='root' dt='0.01'><DefaultAnimationLoop/><RegularGridTopology name='g' n='%u %u 1' min='0 0 0' "
        "max='%u %u 0'/><Node name='s'><MechanicalObject name='x' position='@/g.position'/>"
        "<TriangleSetTopologyContainer name='c' position='@/g.position' triangles='@/g.triangles'/>"
        "<TriangleSetTopologyModifier name='m'/>%s</Node></Node>",
        n + 1, n + 1, n, n, children);
    Sheet sheet = {.scene = scene_from_text(text.at)};
    dv_text_free(&text);
    sheet.object = scene_object(sheet.scene, "/s/c");
    sheet.ops = dv_object_ops(sheet.object, DV_TOPOLOGY);
    sheet.self = dv_object_self(sheet.object);
    sheet.cutting = dv_service(DV_SURFACE_CUTTING);
    sheet.x = scene_state(sheet.scene, "/s/x");
    assert_non_null(sheet.cutting);
    return sheet;
}

static double twice_area(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* All triangles look up, and cover as much as before. */
static void check_sheet(const Sheet *sheet, double area)
{
    const DvElements triangles = sheet->ops->elements(sheet->self, DV_TRIANGLES);
    const DvConstVec x = dv_state_read(sheet->x, DV_POSITION);
    double sum = 0;
    assert_int_equal(x.count, sheet->ops->point_count(sheet->self));
    for (uint32_t i = 0; i < triangles.count; i++) {
        const uint32_t *t = triangles.at + 3 * (size_t)i;
        const double twice = twice_area(x.at + 3 * (size_t)t[0], x.at + 3 * (size_t)t[1], x.at + 3 * (size_t)t[2]);
        assert_true(twice > 0);
        sum += twice / 2;
    }
    assert_true(fabs(sum - area) < 1e-12 * area);
    check_topology(sheet->object, false);
}

static uint32_t count_border(const Sheet *sheet)
{
    const DvAdjacency around = sheet->ops->adjacency(sheet->self, DV_EDGES, DV_TRIANGLES);
    uint32_t border = 0;
    for (uint32_t i = 0; i < around.count; i++) {
        assert_in_range(around.end[i] - around.begin[i], 1, 2);
        border += around.end[i] - around.begin[i] == 1;
    }
    return border;
}

/* Pieces that no edge joins. */
static uint32_t count_pieces(const Sheet *sheet)
{
    const DvElements edges = sheet->ops->elements(sheet->self, DV_EDGES);
    const uint32_t points = sheet->ops->point_count(sheet->self);
    uint32_t *root = malloc(sizeof *root * points), pieces = points;
    for (uint32_t i = 0; i < points; i++)
        root[i] = i;
    for (uint32_t e = 0; e < edges.count; e++) {
        uint32_t a = edges.at[2 * (size_t)e], b = edges.at[2 * (size_t)e + 1];
        while (root[a] != a)
            a = root[a];
        while (root[b] != b)
            b = root[b];
        pieces -= a != b;
        root[a] = b;
    }
    free(root);
    return pieces;
}

static DvStatus cut(const Sheet *sheet, const double *path, uint32_t count, uint32_t *opened)
{
    DvCutPoint points[8];
    for (uint32_t i = 0; i < count; i++)
        points[i] = (DvCutPoint){{path[2 * i], path[2 * i + 1], 0}, UINT32_MAX};
    return sheet->cutting->incise(sheet->object, points, count, 0.1, 0.25, opened);
}

static void a_cut_from_border_to_border_makes_two_pieces(void **state)
{
    (void)state;
    static const double paths[][4] = {{0, 1.5, 4, 2.2}, {2.3, 0, 1.7, 4}, {0.4, 0, 4, 3.3}, {0, 2, 4, 2}, {0, 0, 4, 4}};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const Sheet sheet = sheet_of(4, "");
        uint32_t opened;
        assert_int_equal(count_pieces(&sheet), 1);
        assert_int_equal(cut(&sheet, paths[i], 2, &opened), DV_OK);
        check_sheet(&sheet, 16);
        assert_int_equal(count_pieces(&sheet), 2);
        assert_true(opened >= 5);
        dv_scene_free(sheet.scene);
    }
}

static void a_cut_inside_opens_a_slit(void **state)
{
    (void)state;
    const Sheet sheet = sheet_of(4, "");
    uint32_t opened;
    const uint32_t before = count_border(&sheet);
    assert_int_equal(cut(&sheet, (const double[]){1.3, 1.2, 2.8, 2.6}, 2, &opened), DV_OK);
    check_sheet(&sheet, 16);
    assert_int_equal(count_pieces(&sheet), 1);
    /* a chain of edges between two ends that stay whole: one more edge than inner points, each on both sides */
    assert_int_equal(count_border(&sheet), before + 2 * (opened + 1));
    /* the surface has a hole more: V - E + F goes from 1 to 0 */
    const int euler = (int)sheet.ops->point_count(sheet.self) - (int)sheet.ops->elements(sheet.self, DV_EDGES).count +
                      (int)sheet.ops->elements(sheet.self, DV_TRIANGLES).count;
    assert_int_equal(euler, 0);
    dv_scene_free(sheet.scene);
}

static void doubled_points_lie_on_each_other_until_they_move(void **state)
{
    (void)state;
    const Sheet sheet = sheet_of(4, "");
    uint32_t opened;
    assert_int_equal(cut(&sheet, (const double[]){0, 2, 4, 2}, 2, &opened), DV_OK);
    const DvConstVec x = dv_state_read(sheet.x, DV_POSITION);
    assert_int_equal(opened, 5);
    assert_int_equal(x.count, 30);
    for (uint32_t i = 25; i < 30; i++) {
        uint32_t same = 0;
        for (uint32_t j = 0; j < 25; j++)
            same += memcmp(x.at + 3 * (size_t)i, x.at + 3 * (size_t)j, 3 * sizeof(double)) == 0;
        assert_int_equal(same, 1);
    }
    dv_scene_free(sheet.scene);
}

static void a_second_cut_goes_on_where_the_first_ended(void **state)
{
    (void)state;
    const Sheet sheet = sheet_of(4, "");
    uint32_t opened;
    assert_int_equal(cut(&sheet, (const double[]){0, 1.5, 2.2, 1.6}, 2, &opened), DV_OK);
    assert_int_equal(count_pieces(&sheet), 1);
    assert_int_equal(cut(&sheet, (const double[]){2.2, 1.6, 4, 2.4}, 2, &opened), DV_OK);
    check_sheet(&sheet, 16);
    assert_int_equal(count_pieces(&sheet), 2);
    dv_scene_free(sheet.scene);
}

/* The lips of the first cut lie on each other, or have come apart. */
static void a_cut_across_an_older_one_goes_on_behind_it(void **state)
{
    (void)state;
    for (int apart = 0; apart < 2; apart++)
        for (int aside = 0; aside < 3; aside++) { /* through the mesh as it is, and through what has to be split */
            const Sheet sheet = sheet_of(6, "");
            const double at = 3 + 0.2 * aside;
            uint32_t opened;
            assert_int_equal(cut(&sheet, (const double[]){1, 3, 5, 3}, 2, &opened), DV_OK);
            assert_int_equal(opened, 3);
            assert_int_equal(count_pieces(&sheet), 1);
            const uint32_t points = sheet.ops->point_count(sheet.self);
            const DvVec x = dv_state_write(sheet.x, DV_POSITION, DV_READ_WRITE);
            for (uint32_t i = points - opened; apart && i < points; i++)
                x.at[3 * (size_t)i + 1] += 0.3; /* one lip is drawn up, and the sheet before it thinner */
            assert_int_equal(cut(&sheet, (const double[]){at, 0, at, 6}, 2, &opened), DV_OK);
            check_sheet(&sheet, apart ? 36 - 0.3 * 3 : 36);
            assert_int_equal(count_pieces(&sheet), 2);
            dv_scene_free(sheet.scene);
        }
}

static void a_path_may_have_corners(void **state)
{
    (void)state;
    const Sheet sheet = sheet_of(4, "");
    uint32_t opened;
    assert_int_equal(cut(&sheet, (const double[]){0, 1.4, 1.6, 1.3, 1.7, 3.2, 4, 3.3}, 4, &opened), DV_OK);
    check_sheet(&sheet, 16);
    assert_int_equal(count_pieces(&sheet), 2);
    dv_scene_free(sheet.scene);
}

/* A quantity that is linear in space stays so at the points, one per area stays that of the triangles it came from. */
typedef struct Attached {
    DvElementData points, triangles;
} Attached;

static void attached_data_are_interpolated(void **state)
{
    (void)state;
    const Sheet sheet = sheet_of(4, "");
    Attached a = {.points = {.kind = DV_POINTS, .entry_size = sizeof(double), .interpolate = true},
                  .triangles = {.kind = DV_TRIANGLES, .entry_size = sizeof(double), .interpolate = true}};
    uint32_t opened;
    assert_int_equal(dv_element_data_attach(&a.points, sheet.object), DV_OK);
    assert_int_equal(dv_element_data_attach(&a.triangles, sheet.object), DV_OK);
    DvConstVec x = dv_state_read(sheet.x, DV_POSITION);
    for (uint32_t i = 0; i < a.points.count; i++)
        ((double *)a.points.entries)[i] = 3 * x.at[3 * (size_t)i] - x.at[3 * (size_t)i + 1] + 0.5;
    for (uint32_t i = 0; i < a.triangles.count; i++) {
        const uint32_t square = i / 2; /* that it lies in */
        ((double *)a.triangles.entries)[i] = square;
    }
    assert_int_equal(cut(&sheet, (const double[]){0, 1.5, 2.7, 2.35}, 2, &opened), DV_OK);
    x = dv_state_read(sheet.x, DV_POSITION);
    assert_int_equal(a.points.count, x.count);
    for (uint32_t i = 0; i < a.points.count; i++)
        assert_true(fabs(((double *)a.points.entries)[i] - (3 * x.at[3 * (size_t)i] - x.at[3 * (size_t)i + 1] + 0.5)) <
                    1e-12);
    const DvElements triangles = sheet.ops->elements(sheet.self, DV_TRIANGLES);
    assert_int_equal(a.triangles.count, triangles.count);
    for (uint32_t i = 0; i < triangles.count; i++) {
        double middle[2] = {0, 0};
        for (int j = 0; j < 3; j++)
            for (int c = 0; c < 2; c++)
                middle[c] += x.at[3 * (size_t)triangles.at[3 * (size_t)i + (size_t)j] + (size_t)c] / 3;
        assert_true(((double *)a.triangles.entries)[i] == floor(middle[0]) + 4 * floor(middle[1]));
    }
    dv_element_data_detach(&a.points);
    dv_element_data_detach(&a.triangles);
    dv_scene_free(sheet.scene);
}

static void many_cuts_leave_a_sound_surface(void **state)
{
    (void)state;
    for (uint64_t start = 1; start <= 10; start++) {
        const Sheet sheet = sheet_of(6, "<Node name='e'><EdgeSetTopologyContainer name='c'/><EdgeSetTopologyModifier/>"
                                        "<Triangle2EdgeTopologicalMapping/></Node>");
        seed = start * 88172645463325252u;
        for (int i = 0; i < 12; i++) {
            double path[4];
            uint32_t opened;
            for (int j = 0; j < 4; j++)
                path[j] = 0.01 + 5.98 * random_part();
            assert_int_equal(cut(&sheet, path, 2, &opened), DV_OK);
            check_sheet(&sheet, 36);
            DvObject *border = scene_object(sheet.scene, "/s/e/c");
            const DvTopologyOps *ops = dv_object_ops(border, DV_TOPOLOGY);
            assert_int_equal(ops->elements(dv_object_self(border), DV_EDGES).count, count_border(&sheet));
        }
        dv_scene_free(sheet.scene);
    }
}

/* Whether a point lies there; what is near but not there is counted. */
static bool has_point_at(const Sheet *sheet, double px, double py, double z, uint32_t *near)
{
    const DvConstVec x = dv_state_read(sheet->x, DV_POSITION);
    bool found = false;
    *near = 0;
    for (uint32_t i = 0; i < x.count; i++) {
        const double *at = x.at + 3 * (size_t)i, away = hypot(hypot(at[0] - px, at[1] - py), at[2] - z);
        found = found || away < 1e-12;
        *near += away >= 1e-12 && away < 0.2;
    }
    return found;
}

/* An end becomes a corner whose weight is over 1 - 0.25, a point of an edge of the border where the weight of the third corner is below
 * 0.25, or of any edge that it lies on; else a point where it lies. Each row: the weights of the corners, in both triangles of squares inside and at each border. */
static void an_end_is_moved_to_what_is_near(void **state)
{
    (void)state;
    static const int triangle[2][3][2] = {{{0, 0}, {1, 0}, {1, 1}}, {{0, 0}, {1, 1}, {0, 1}}};
    static const struct {
        double weights[3];
    } cases[] = {
        {{0.76, 0.12, 0.12}},   {{0.12, 0.76, 0.12}},   {{0.12, 0.12, 0.76}},   {{0.75, 0.125, 0.125}},
        {{0.125, 0.75, 0.125}}, {{0.125, 0.125, 0.75}}, {{0.74, 0.13, 0.13}},   {{0.13, 0.74, 0.13}},
        {{0.13, 0.13, 0.74}},   {{0.4, 0.5, 0.1}},      {{0.1, 0.4, 0.5}},      {{0.5, 0.1, 0.4}},
        {{0.25, 0.375, 0.375}}, {{0.375, 0.25, 0.375}}, {{0.375, 0.375, 0.25}}, {{0.3, 0.7, 0}},
        {{0, 0.3, 0.7}},        {{0.7, 0, 0.3}},
    };
    static const int squares[5][2] = {{1, 1}, {1, 0}, {3, 1}, {1, 3}, {0, 1}};
    for (size_t s = 0; s < 5; s++)
        for (int upper = 0; upper < 2; upper++)
            for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
                double corner[3][2], at[2] = {0, 0}, to[2] = {0, 0}, w[3];
                memcpy(w, cases[c].weights, sizeof w);
                for (int i = 0; i < 3; i++)
                    for (int k = 0; k < 2; k++)
                        corner[i][k] = squares[s][k] + triangle[upper][i][k];
                for (int i = 0; i < 3; i++)
                    for (int k = 0; k < 2; k++)
                        at[k] += w[i] * corner[i][k];
                memcpy(to, at, sizeof to);
                for (int i = 0; i < 3; i++) {
                    const double *a = corner[(i + 1) % 3], *b = corner[(i + 2) % 3];
                    const bool border =
                        (a[0] == b[0] && (a[0] == 0 || a[0] == 4)) || (a[1] == b[1] && (a[1] == 0 || a[1] == 4));
                    if (w[i] > 0.75)
                        memcpy(to, corner[i], sizeof to);
                    else if (border && w[i] < 0.25 && w[(i + 1) % 3] <= 0.75 && w[(i + 2) % 3] <= 0.75)
                        for (int k = 0; k < 2; k++)
                            to[k] = (w[(i + 1) % 3] * a[k] + w[(i + 2) % 3] * b[k]) / (w[(i + 1) % 3] + w[(i + 2) % 3]);
                }
                const Sheet sheet = sheet_of(4, "");
                uint32_t opened, near;
                assert_int_equal(cut(&sheet, (const double[]){at[0], at[1], 2.4, 2.3}, 2, &opened), DV_OK);
                if (!has_point_at(&sheet, to[0], to[1], 0, &near))
                    fail_msg("square %zu, case %zu: no point at %g %g", s, c, to[0], to[1]);
                if (hypot(to[0] - at[0], to[1] - at[1]) > 1e-12 && has_point_at(&sheet, at[0], at[1], 0, &near))
                    fail_msg("square %zu, case %zu: a point at %g %g too", s, c, at[0], at[1]);
                check_sheet(&sheet, 16);
                dv_scene_free(sheet.scene);
            }
}

/* Of two sheets, a larger one above the other, the nearer one is cut, unless the end names a triangle of the other that it is above. */
static void an_end_lies_on_the_nearest_triangle(void **state)
{
    (void)state;
    enum { NO_HINT, BELOW, ABOVE, ASIDE, BEYOND };
    static const struct {
        double height;
        int hint, layer;
    } cases[] = {{0.45, NO_HINT, 0}, {0.55, NO_HINT, 1}, {0.3, NO_HINT, 0}, {0.7, NO_HINT, 1}, {-5, NO_HINT, 0},
                 {9, NO_HINT, 1},    {0.3, BELOW, 0},    {0.7, BELOW, 0},   {0.3, ABOVE, 1},   {0.7, ABOVE, 1},
                 {0.3, ASIDE, 0},    {0.7, ASIDE, 1},    {0.3, BEYOND, 0},  {0.7, BEYOND, 1}};
    for (uint32_t turned = 0; turned < 2; turned++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            const uint32_t lower = turned ? 2 : 0,
                           upper = 2 - lower; /* their triangles below y < x; behind them, those above y > x */
            const uint32_t hints[] = {UINT32_MAX, lower, upper, lower + 1, 4};
            DvText text = {0};
            dv_text_add(&text,
                        "<Node name='root' dt='0.01'><DefaultAnimationLoop/><MechanicalObject name='x' position='");
            for (uint32_t i = 0; i < 2; i++) {
                const int layer = (int)(i ^ turned), low = layer ? -4 : 0, high = layer ? 6 : 2;
                dv_text_add(&text, "%d %d %d %d %d %d %d %d %d %d %d %d ", low, low, layer, high, low, layer, high,
                            high, layer, low, high, layer);
            }
            dv_text_add(&text,
                        "'/><TriangleSetTopologyContainer name='c' position='@x.position' triangles='0 1 2 0 2 3 4 5 6 "
                        "4 6 7'/><TriangleSetTopologyModifier/></Node>");
            DvScene *scene = scene_from_text(text.at);
            const DvSurfaceCuttingOps *cutting = dv_service(DV_SURFACE_CUTTING);
            const DvCutPoint path[2] = {{{0.7, 0.2, cases[c].height}, hints[cases[c].hint]},
                                        {{1.6, 0.7, cases[c].layer}, UINT32_MAX}};
            uint32_t opened;
            assert_int_equal(cutting->incise(scene_object(scene, "/c"), path, 2, 0.01, 0.01, &opened), DV_OK);
            const DvConstVec x = dv_state_read(scene_state(scene, "/x"), DV_POSITION);
            assert_true(x.count >= 10);
            for (uint32_t i = 8; i < x.count; i++)
                assert_true(fabs(x.at[3 * (size_t)i + 2] - cases[c].layer) < 1e-12);
            assert_true(fabs(x.at[24] - 0.7) < 1e-12 && fabs(x.at[25] - 0.2) < 1e-12);
            dv_scene_free(scene);
            dv_text_free(&text);
        }
}

static void an_edge_is_split_into_two(void **state)
{
    (void)state;
    const Sheet sheet = sheet_of(2, "");
    const DvElements edges = sheet.ops->elements(sheet.self, DV_EDGES);
    const uint32_t before = edges.count, triangles = sheet.ops->elements(sheet.self, DV_TRIANGLES).count;
    const uint32_t a = edges.at[0], b = edges.at[1];
    const DvAdjacency around = sheet.ops->adjacency(sheet.self, DV_EDGES, DV_TRIANGLES);
    const uint32_t faces = around.end[0] - around.begin[0];
    uint32_t point;
    assert_int_equal(sheet.cutting->split_edge(sheet.object, 0, 0.25, &point), DV_OK);
    assert_int_equal(point, 9);
    check_sheet(&sheet, 4);
    assert_int_equal(sheet.ops->elements(sheet.self, DV_TRIANGLES).count, triangles + faces);
    assert_int_equal(sheet.ops->elements(sheet.self, DV_EDGES).count, before + 1 + faces);
    const double *x = dv_state_read(sheet.x, DV_POSITION).at;
    for (int c = 0; c < 3; c++)
        assert_true(fabs(x[27 + c] - (0.75 * x[3 * a + (uint32_t)c] + 0.25 * x[3 * b + (uint32_t)c])) < 1e-15);
    assert_int_equal(sheet.cutting->split_edge(sheet.object, 1000, 0.25, &point), DV_ERROR_INVALID);
    assert_int_equal(sheet.cutting->split_edge(sheet.object, 0, 1.0, &point), DV_ERROR_INVALID);
    dv_scene_free(sheet.scene);
}

static void an_edge_is_swapped_and_back(void **state)
{
    (void)state;
    const Sheet sheet = sheet_of(1, ""); /* two triangles, 0 1 3 and 0 3 2 */
    for (int times = 0; times < 2; times++) {
        const DvAdjacency around = sheet.ops->adjacency(sheet.self, DV_EDGES, DV_TRIANGLES);
        uint32_t inner = 0, outer = 0;
        for (uint32_t i = 0; i < around.count; i++)
            *(around.end[i] - around.begin[i] == 2 ? &inner : &outer) = i;
        const uint32_t *edge = sheet.ops->elements(sheet.self, DV_EDGES).at + 2 * (size_t)inner;
        assert_int_equal(edge[0] + edge[1], 3);
        assert_int_equal(edge[0] * edge[1], times == 0 ? 0 : 2); /* 0 3, then 1 2 */
        assert_int_equal(sheet.cutting->swap_edge(sheet.object, outer), DV_ERROR_INVALID);
        assert_int_equal(sheet.cutting->swap_edge(sheet.object, inner), DV_OK);
        check_sheet(&sheet, 1);
        assert_int_equal(sheet.ops->elements(sheet.self, DV_EDGES).count, 5);
    }
    dv_scene_free(sheet.scene);
}

/* Each row: a path, after an older one where there is one, and the pieces there are then. */
static void paths_of_all_kinds_cut(void **state)
{
    (void)state;
    static const struct {
        const char *kind;
        uint32_t old_count, count;
        double old[12], path[12];
        uint32_t pieces, old_pieces;
    } rows[] = {
        {"through points, along edges", 0, 3, {0}, {0, 1, 2, 1, 4, 3}, 2, 1},
        {"from one point to the next", 0, 2, {0}, {0, 0, 1, 1}, 1, 1},
        {"closed, on points", 0, 5, {0}, {1, 1, 3, 1, 3, 3, 1, 3, 1, 1}, 2, 1},
        {"closed, elsewhere", 0, 4, {0}, {1.2, 1.1, 3.3, 1.4, 2.1, 3.2, 1.2, 1.1}, 2, 1},
        {"across itself, on points", 0, 4, {0}, {0, 1, 3, 1, 3, 3, 0, 0}, 3, 1},
        {"across itself, elsewhere", 0, 4, {0}, {0, 1.3, 3.1, 1.6, 2.2, 3.1, 1.7, 0}, 3, 1},
        {"to an older cut", 2, 2, {0, 2, 4, 2}, {2.1, 0, 2.1, 2}, 3, 2},
        {"from an older cut", 2, 2, {0, 1.4, 4, 2.7}, {2, 2.05, 1.1, 4}, 3, 2},
        {"to a point of an older cut", 2, 2, {0, 2, 4, 2}, {2, 0, 2, 2}, 3, 2},
        {"across an older cut, at a point of it", 2, 2, {0, 2, 4, 2}, {1, 0, 1, 4}, 4, 2},
        {"along an older cut", 2, 2, {0, 2, 4, 2}, {0, 2, 4, 2}, 2, 2},
        {"along a part of an older cut and beyond it", 2, 2, {0, 2, 2, 2}, {1, 2, 4, 2}, 2, 1},
        {"across a corner of an older cut", 3, 2, {0, 2, 2, 2, 2, 4}, {0.5, 0, 3.5, 3.7}, 2, 2},
        {"from without to within", 0, 2, {0}, {-1, 1.5, 2.2, 1.7}, 1, 1},
        {"from within to without", 0, 2, {0}, {2.2, 1.7, 5, 3}, 1, 1},
        {"from without to without", 0, 2, {0}, {-1, 1.5, 5, 2.2}, 2, 1},
        {"out and in again", 0, 4, {0}, {1, 0, 1.2, 5, 2.6, 5, 3, 0}, 3, 1},
        {"from without, through a corner", 0, 2, {0}, {-1, -1, 5, 5}, 2, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const Sheet sheet = sheet_of(4, "");
        uint32_t opened;
        if (rows[i].old_count)
            assert_int_equal(cut(&sheet, rows[i].old, rows[i].old_count, &opened), DV_OK);
        assert_int_equal(count_pieces(&sheet), rows[i].old_pieces);
        const DvStatus status = cut(&sheet, rows[i].path, rows[i].count, &opened);
        check_sheet(&sheet, 16);
        if (status != DV_OK || count_pieces(&sheet) != rows[i].pieces)
            fail_msg("%s: status %d, %u pieces instead of %u", rows[i].kind, (int)status, count_pieces(&sheet),
                     rows[i].pieces);
        dv_scene_free(sheet.scene);
    }
}

/* Points and ways on corners, edges, borders and older cuts: each of them cuts, and what is left is sound. */
static void random_paths_cut(void **state)
{
    (void)state;
    for (uint64_t start = 1; start <= 40; start++) {
        const Sheet sheet = sheet_of(6, "");
        seed = start * 88172645463325252u;
        for (int i = 0; i < 6; i++) {
            double path[10];
            uint32_t opened;
            const uint32_t count = 2 + (uint32_t)(4 * random_part());
            for (uint32_t j = 0; j < 2 * count; j++) {
                const double at = random_part(), kind = 3 * random_part();
                path[j] = kind < 1 ? 6 * at : kind < 2 ? floor(6.99 * at) : floor(12.99 * at) / 2;
            }
            if (count > 3 && random_part() < 0.3)
                memcpy(path + 2 * count - 2, path, 2 * sizeof *path);
            assert_int_equal(cut(&sheet, path, count, &opened), DV_OK);
            check_sheet(&sheet, 36);
        }
        dv_scene_free(sheet.scene);
    }
}

static void what_cannot_be_cut_is_refused(void **state)
{
    (void)state;
    const Sheet sheet = sheet_of(2, "");
    uint32_t opened;
    assert_int_equal(cut(&sheet, (const double[]){5, 0.5, 7, 7}, 2, &opened), DV_ERROR_NOT_FOUND);
    assert_int_equal(cut(&sheet, (const double[]){0.5, 0.5, 7, 7, 8, 7}, 3, &opened), DV_ERROR_NOT_FOUND);
    assert_int_equal(sheet.ops->point_count(sheet.self), 9); /* nothing has been done */
    const DvCutPoint alone[2] = {{{0, 0, 0}, UINT32_MAX}, {{1, 1, 0}, UINT32_MAX}};
    assert_int_equal(sheet.cutting->incise(scene_object(sheet.scene, "/g"), alone, 2, 0.1, 0.25, &opened),
                     DV_ERROR_INVALID);
    /* within one triangle nothing parts */
    assert_int_equal(cut(&sheet, (const double[]){0.6, 0.3, 0.7, 0.35}, 2, &opened), DV_OK);
    assert_int_equal(opened, 0);
    check_sheet(&sheet, 4);
    dv_scene_free(sheet.scene);
}

/* A file of changes cuts a sheet that has moved; with saveIndicesAtInit where the material was at the start. */
static void a_file_may_incise(void **state)
{
    (void)state;
    for (int of_start = 0; of_start < 2; of_start++) {
        FILE *file = fopen("incision.txt", "w");
        assert_non_null(file);
        fputs("T= 0.01\n INCISE= 2\n 0 0 1.5 0  7 4 1.5 0\n", file);
        assert_int_equal(fclose(file), 0);
        char children[200];
        snprintf(children, sizeof children,
                 "<TopologicalChangeProcessor filename='incision.txt' saveIndicesAtInit='%d'/>", of_start);
        const Sheet sheet = sheet_of(4, children);
        const DvVec x = dv_state_write(sheet.x, DV_POSITION, DV_READ_WRITE);
        for (uint32_t i = 0; i < x.count; i++)
            x.at[3 * (size_t)i + 1] += 1; /* the line lies at 0.5 of the material now */
        assert_int_equal(dv_scene_step(sheet.scene, 0), DV_OK);
        assert_int_equal(count_pieces(&sheet), 1);
        assert_int_equal(dv_scene_step(sheet.scene, 0), DV_OK);
        check_sheet(&sheet, 16);
        assert_int_equal(count_pieces(&sheet), 2);
        const DvConstVec y = dv_state_read(sheet.x, DV_POSITION);
        const double *last = y.at + 3 * (size_t)(y.count - 1); /* a doubled point, on the line */
        assert_true(fabs(last[1] - (of_start ? 2.5 : 1.5)) < 0.3);
        dv_scene_free(sheet.scene);
        (void)remove("incision.txt");
    }
}

static void a_file_may_swap_edges(void **state)
{
    (void)state;
    FILE *file = fopen("swap.txt", "w");
    assert_non_null(file);
    fputs("T= 0\n SWAP= 1\n 3 0\nT= 0.01\n SWAP= 2\n 0 3  1 2\n", file);
    assert_int_equal(fclose(file), 0);
    const Sheet sheet = sheet_of(1, "<TopologicalChangeProcessor filename='swap.txt'/>");
    for (int times = 0; times < 2; times++) { /* 1 2 for 0 3; then 0 3 is not there, and comes for 1 2 */
        assert_int_equal(dv_scene_step(sheet.scene, 0), DV_OK);
        const DvAdjacency around = sheet.ops->adjacency(sheet.self, DV_EDGES, DV_TRIANGLES);
        uint32_t inner = 0;
        for (uint32_t i = 0; i < around.count; i++)
            inner = around.end[i] - around.begin[i] == 2 ? i : inner;
        const uint32_t *edge = sheet.ops->elements(sheet.self, DV_EDGES).at + 2 * (size_t)inner;
        assert_int_equal(edge[0] * edge[1], times == 0 ? 2 : 0);
        check_sheet(&sheet, 1);
    }
    dv_scene_free(sheet.scene);
    (void)remove("swap.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cut_from_border_to_border_makes_two_pieces),
        cmocka_unit_test(a_cut_inside_opens_a_slit),
        cmocka_unit_test(doubled_points_lie_on_each_other_until_they_move),
        cmocka_unit_test(a_second_cut_goes_on_where_the_first_ended),
        cmocka_unit_test(a_cut_across_an_older_one_goes_on_behind_it),
        cmocka_unit_test(a_path_may_have_corners),
        cmocka_unit_test(attached_data_are_interpolated),
        cmocka_unit_test(many_cuts_leave_a_sound_surface),
        cmocka_unit_test(an_end_is_moved_to_what_is_near),
        cmocka_unit_test(an_end_lies_on_the_nearest_triangle),
        cmocka_unit_test(an_edge_is_split_into_two),
        cmocka_unit_test(an_edge_is_swapped_and_back),
        cmocka_unit_test(paths_of_all_kinds_cut),
        cmocka_unit_test(random_paths_cut),
        cmocka_unit_test(what_cannot_be_cut_is_refused),
        cmocka_unit_test(a_file_may_incise),
        cmocka_unit_test(a_file_may_swap_edges),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
