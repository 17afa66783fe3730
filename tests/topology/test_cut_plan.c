/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Plans of cuts, on meshes and ways of the blade of all sorts: pieces fill what they were made from, none is inside out, neighbours
 * fit, and just what the plan says comes apart.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cutting/cut_plan.h"
#include "cutting/key_table.h"

#include <divan/math/vec.h>

enum { CELLS = 5, SIDE = CELLS + 1, MOST_SECTIONS = 5 };

/* Knuth's 64-bit linear congruential generator, in [-1/2, 1/2). */
static double random_number(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53 - 0.5;
}

/* ---- Meshes ---- */

typedef struct Mesh {
    DvRealArray positions;
    DvIndexArray elements, begin, end, items;
    uint32_t corners;
    CutMesh view;
} Mesh;

static void finish(Mesh *mesh)
{
    const uint32_t points = mesh->positions.count / 3, count = mesh->elements.count / mesh->corners;
    dv_array_resize(&mesh->begin, points);
    dv_array_resize(&mesh->end, points);
    for (uint32_t point = 0; point < points; point++) {
        mesh->begin.data[point] = mesh->items.count;
        for (uint32_t i = 0; i < mesh->elements.count; i++)
            if (mesh->elements.data[i] == point)
                dv_array_push(&mesh->items, i / mesh->corners);
        mesh->end.data[point] = mesh->items.count;
    }
    mesh->view = (CutMesh){.positions = mesh->positions.data,
                           .points = points,
                           .elements = mesh->elements.data,
                           .count = count,
                           .corners = mesh->corners,
                           .around = {mesh->begin.data, mesh->end.data, mesh->items.data, points}};
}

static void mesh_free(Mesh *mesh)
{
    dv_array_free(&mesh->positions);
    dv_array_free(&mesh->elements);
    dv_array_free(&mesh->begin);
    dv_array_free(&mesh->end);
    dv_array_free(&mesh->items);
}

/* The unit cube in tetrahedra; points inside are moved by up to `rough` of a cell. */
static Mesh cube(double rough, uint64_t *seed)
{
    Mesh mesh = {.corners = 4};
    for (uint32_t i = 0; i < SIDE * SIDE * SIDE; i++) {
        const uint32_t at[3] = {i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE)};
        bool inside = true;
        for (int c = 0; c < 3; c++)
            inside = inside && at[c] > 0 && at[c] < CELLS;
        for (int c = 0; c < 3; c++)
            dv_array_push(&mesh.positions, (at[c] + (inside ? 2.0 * rough * random_number(seed) : 0.0)) / CELLS);
    }
    for (uint32_t cell = 0; cell < CELLS * CELLS * CELLS; cell++) {
        const uint32_t x = cell % CELLS, y = cell / CELLS % CELLS, z = cell / (CELLS * CELLS);
        const uint32_t o = x + SIDE * (y + SIDE * z), up = SIDE * SIDE;
        const uint32_t hexahedron[8] = {o,      o + 1,      o + SIDE + 1,      o + SIDE,
                                        o + up, o + up + 1, o + up + SIDE + 1, o + up + SIDE};
        uint32_t tetrahedra[6][4];
        dv_cut_hexahedron(hexahedron, dv_grid_mirrors(cell, CELLS, CELLS), true, tetrahedra);
        dv_array_append(&mesh.elements, tetrahedra[0], 24);
    }
    finish(&mesh);
    return mesh;
}

/* A wavy sheet over the unit square in triangles. */
static Mesh sheet(double rough, uint64_t *seed)
{
    Mesh mesh = {.corners = 3};
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        const uint32_t at[2] = {i % SIDE, i / SIDE};
        const bool inside = at[0] > 0 && at[0] < CELLS && at[1] > 0 && at[1] < CELLS;
        double x[3];
        for (int c = 0; c < 2; c++)
            x[c] = (at[c] + (inside ? 2.0 * rough * random_number(seed) : 0.0)) / CELLS;
        x[2] = 0.5 + 0.1 * sin(5.0 * x[0]) * cos(4.0 * x[1]);
        dv_array_append(&mesh.positions, x, 3);
    }
    for (uint32_t cell = 0; cell < CELLS * CELLS; cell++) {
        const uint32_t o = cell % CELLS + SIDE * (cell / CELLS);
        const uint32_t triangles[2][6] = {{o, o + 1, o + SIDE, o + 1, o + SIDE + 1, o + SIDE},
                                          {o, o + 1, o + SIDE + 1, o, o + SIDE + 1, o + SIDE}};
        dv_array_append(&mesh.elements, triangles[(cell + cell / CELLS) % 2], 6);
    }
    finish(&mesh);
    return mesh;
}

/* ---- A mesh after its cut ---- */

typedef struct After {
    DvRealArray positions;
    DvIndexArray elements;
    DvIndexArray same; /* of each point the first one made in its place */
    uint32_t points, count;
} After;

static After carry_out(const CutMesh *mesh, const CutPlan *plan)
{
    After after = {0};
    dv_array_append(&after.positions, mesh->positions, 3 * mesh->points);
    for (uint32_t i = 0; i < mesh->points; i++)
        dv_array_push(&after.same, i);
    for (uint32_t i = 0; i < plan->points.count; i++) {
        const CutPoint *point = &plan->points.data[i];
        assert_true(point->from[0] < mesh->points && point->from[1] < mesh->points);
        for (size_t c = 0; c < 3; c++)
            dv_array_push(&after.positions, (1.0 - point->where) * mesh->positions[3 * (size_t)point->from[0] + c] +
                                                point->where * mesh->positions[3 * (size_t)point->from[1] + c]);
        uint32_t same = point->where == 0.0 ? point->from[0] : mesh->points + i;
        for (uint32_t j = 0; j < i && point->where != 0.0; j++)
            if (memcmp(&plan->points.data[j], point, sizeof *point) == 0 && same == mesh->points + i)
                same = mesh->points + j;
        dv_array_push(&after.same, same);
    }
    uint32_t next = 0;
    for (uint32_t e = 0; e < mesh->count; e++) {
        if (next < plan->replaced.count && plan->replaced.data[next] == e)
            next++;
        else
            dv_array_append(&after.elements, mesh->elements + (size_t)e * mesh->corners, mesh->corners);
    }
    assert_int_equal(next, plan->replaced.count); /* ascending, each once */
    dv_array_append(&after.elements, plan->elements.data, plan->elements.count);
    after.points = after.same.count;
    after.count = after.elements.count / mesh->corners;
    return after;
}

static void after_free(After *after)
{
    dv_array_free(&after->positions);
    dv_array_free(&after->elements);
    dv_array_free(&after->same);
}

static DvVec3 place(const double *positions, uint32_t point)
{
    return dv_vec3_load(positions + 3 * (size_t)point);
}

/* Volume with its sign; of triangles the area as a vector. */
static DvVec3 size_of(const double *positions, const uint32_t *points, uint32_t corners)
{
    const DvVec3 a = place(positions, points[0]), u = dv_vec3_sub(place(positions, points[1]), a),
                 v = dv_vec3_sub(place(positions, points[2]), a), area = dv_vec3_cross(u, v);
    if (corners == 3)
        return dv_vec3_scale(area, 0.5);
    return dv_vec3(dv_vec3_dot(area, dv_vec3_sub(place(positions, points[3]), a)) / 6.0, 0.0, 0.0);
}

/* Each piece is upright, and all of a parent fill it. */
static void check_sizes(const CutMesh *mesh, const CutPlan *plan, const After *after)
{
    DvVec3 *filled = calloc(mesh->count, sizeof *filled);
    for (uint32_t p = 0; p < plan->parents.count; p++) {
        const uint32_t parent = plan->parents.data[p];
        const DvVec3 piece =
            size_of(after->positions.data, plan->elements.data + (size_t)p * mesh->corners, mesh->corners);
        const DvVec3 whole = size_of(mesh->positions, mesh->elements + (size_t)parent * mesh->corners, mesh->corners);
        assert_true(dv_vec3_dot(piece, whole) > 0.0);
        filled[parent] = dv_vec3_add(filled[parent], piece);
    }
    for (uint32_t i = 0; i < plan->replaced.count; i++) {
        const uint32_t e = plan->replaced.data[i];
        const DvVec3 whole = size_of(mesh->positions, mesh->elements + (size_t)e * mesh->corners, mesh->corners);
        assert_true(dv_vec3_distance(filled[e], whole) < 1e-14 * dv_vec3_norm(whole) + 1e-17);
    }
    free(filled);
}

/* The other corners of an element, by numbers or by places. */
static Key face_of(const uint32_t *points, uint32_t corners, uint32_t across, const uint32_t *same)
{
    uint32_t face[3] = {0}, count = 0;
    for (uint32_t c = 0; c < corners; c++)
        if (c != across)
            face[count++] = same ? same[points[c]] : points[c];
    return key_of(face, corners - 1);
}

static double size_of_face(const double *positions, const uint32_t *points, uint32_t corners, uint32_t across)
{
    DvVec3 at[3] = {{0, 0, 0}};
    uint32_t count = 0;
    for (uint32_t c = 0; c < corners; c++)
        if (c != across)
            at[count++] = place(positions, points[c]);
    return corners == 3 ? dv_vec3_distance(at[0], at[1])
                        : 0.5 * dv_vec3_norm(dv_vec3_cross(dv_vec3_sub(at[1], at[0]), dv_vec3_sub(at[2], at[0])));
}

/* Faces that only one element has: how many, and their size. No face has three. */
static uint32_t border(const uint32_t *elements, uint32_t count, uint32_t corners, const double *positions,
                       const uint32_t *same, double *size)
{
    KeyTable users = {0};
    uint32_t single = 0;
    *size = 0.0;
    for (uint32_t i = 0; i < count * corners; i++) {
        uint32_t *number =
            key_table_at(&users, face_of(elements + (size_t)(i / corners) * corners, corners, i % corners, same));
        ++*number;
        assert_true(*number <= 2);
    }
    for (uint32_t i = 0; i < count * corners; i++) {
        const uint32_t *points = elements + (size_t)(i / corners) * corners;
        if (key_table_get(&users, face_of(points, corners, i % corners, same)) != 1)
            continue;
        single++;
        *size += size_of_face(positions, points, corners, i % corners);
    }
    key_table_free(&users);
    return single;
}

/* With points of one place taken as one, the mesh has the border of the old one and no other; apart, two faces more for each that the
 * plan counts. */
static void check_faces(const CutMesh *mesh, const CutPlan *plan, const After *after)
{
    double old, closed, opened;
    border(mesh->elements, mesh->count, mesh->corners, mesh->positions, NULL, &old);
    const uint32_t single =
        border(after->elements.data, after->count, mesh->corners, after->positions.data, after->same.data, &closed);
    assert_true(fabs(closed - old) < 1e-12 * old);
    const uint32_t apart =
        border(after->elements.data, after->count, mesh->corners, after->positions.data, NULL, &opened);
    assert_int_equal(apart, single + 2 * plan->faces);
    assert_true(opened >= closed);
}

/* How many parts hang together by faces; sizes of the first two, as far as there are. */
static uint32_t parts(const After *after, uint32_t corners, double sizes[2])
{
    uint32_t *group = malloc(after->count * sizeof *group), count = 0;
    KeyTable first = {0};
    for (uint32_t e = 0; e < after->count; e++)
        group[e] = e;
    for (uint32_t i = 0; i < after->count * corners; i++) {
        const uint32_t e = i / corners;
        uint32_t *other =
            key_table_at(&first, face_of(after->elements.data + (size_t)e * corners, corners, i % corners, NULL));
        if (*other == 0) {
            *other = e + 1;
            continue;
        }
        uint32_t a = e, b = *other - 1;
        while (group[a] != a)
            a = group[a] = group[group[a]];
        while (group[b] != b)
            b = group[b] = group[group[b]];
        group[a < b ? b : a] = a < b ? a : b;
    }
    uint32_t roots[2] = {UINT32_MAX, UINT32_MAX};
    sizes[0] = sizes[1] = 0.0;
    for (uint32_t e = 0; e < after->count; e++) {
        uint32_t root = e;
        while (group[root] != root)
            root = group[root];
        if (root == e && count++ < 2)
            roots[count - 1] = e;
        for (int k = 0; k < 2; k++)
            if (root == roots[k])
                sizes[k] +=
                    dv_vec3_norm(size_of(after->positions.data, after->elements.data + (size_t)e * corners, corners));
    }
    key_table_free(&first);
    free(group);
    return count;
}

/* The smallest angle around an edge of a tetrahedron, or at a corner of a triangle, from what is left of the sides across it. */
static double smallest_angle(const CutMesh *mesh, const CutPlan *plan, const After *after)
{
    double least = DV_PI;
    for (uint32_t p = 0; p < plan->parents.count; p++) {
        const uint32_t *points = plan->elements.data + (size_t)p * mesh->corners;
        for (uint32_t i = 0; i < mesh->corners; i++)
            for (uint32_t j = mesh->corners == 3 ? i : i + 1; j < (mesh->corners == 3 ? i + 1 : 4); j++) {
                const DvVec3 a = place(after->positions.data, points[i]);
                DvVec3 side[2] = {{0, 0, 0}};
                uint32_t count = 0;
                for (uint32_t k = 0; k < mesh->corners; k++)
                    if (k != i && k != j)
                        side[count++] = dv_vec3_sub(place(after->positions.data, points[k]), a);
                if (j != i) {
                    const DvVec3 edge = dv_vec3_sub(place(after->positions.data, points[j]), a);
                    for (int k = 0; k < 2; k++)
                        side[k] = dv_vec3_madd(side[k], -dv_vec3_dot(side[k], edge) / dv_vec3_dot(edge, edge), edge);
                }
                least =
                    fmin(least, atan2(dv_vec3_norm(dv_vec3_cross(side[0], side[1])), dv_vec3_dot(side[0], side[1])));
            }
    }
    return plan->parents.count ? least : 0.0;
}

/* ---- Cuts ---- */

static CutPlan plan_of(const CutMesh *mesh, const double *sections, uint32_t count, double snap)
{
    const DvBlade blade = {sections, count, snap};
    BladeSurface surface = blade_surface(&blade);
    const CutPlan plan = cut_plan(mesh, &surface, snap);
    blade_surface_free(&surface);
    return plan;
}

/* All that must hold of any cut; returns how many parts there are. */
static uint32_t check_cut(const CutMesh *mesh, const double *sections, uint32_t count, double snap, double sizes[2],
                          CutPlan *kept)
{
    CutPlan plan = plan_of(mesh, sections, count, snap);
    After after = carry_out(mesh, &plan);
    check_sizes(mesh, &plan, &after);
    check_faces(mesh, &plan, &after);
    const double angle = smallest_angle(mesh, &plan, &after);
    assert_true(fabs(cut_plan_smallest_angle(&plan, mesh) - angle) < 1e-9);
    assert_true((plan.faces > 0) == (plan.parents.count > 0));
    const uint32_t found = parts(&after, mesh->corners, sizes);
    after_free(&after);
    if (kept)
        *kept = plan;
    else
        cut_plan_free(&plan);
    return found;
}

/* A plane through the middle, x = 1/2 + a (y - 1/2) + b (z - 1/2), from one y to another, over all z. */
static void plane(double a, double b, double from, double to, double sections[12])
{
    const double z[2] = {-0.5, 1.5}, y[2] = {from, to};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            double *at = sections + 6 * (size_t)i + 3 * (size_t)k;
            at[0] = 0.5 + a * (y[i] - 0.5) + b * (z[k] - 0.5);
            at[1] = y[i];
            at[2] = z[k];
        }
}

/* What was along x is along another axis. */
static void turn(double *at, uint32_t count, int axis)
{
    for (uint32_t i = 0; i < count; i++) {
        const double x[3] = {at[3 * i], at[3 * i + 1], at[3 * i + 2]};
        for (int c = 0; c < 3; c++)
            at[3 * (size_t)i + (size_t)((c + axis) % 3)] = x[c];
    }
}

/* Points are hardly ever moved onto the cut with this snap, so that the cut is the plane: it halves the cube. The first planes have no
 * slope: the box around them is flat. */
static void a_plane_halves_a_cube(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int trial = 0; trial < 30; trial++) {
        Mesh mesh = cube(0.2, &seed);
        double sections[12], sizes[2];
        CutPlan plan;
        const double steep = trial < 6 ? 0.0 : 0.4;
        plane(steep * random_number(&seed), steep * random_number(&seed), -0.5, 1.5, sections);
        const int axis = trial % 3;
        turn(sections, 4, axis);
        assert_int_equal(check_cut(&mesh.view, sections, 2, 1e-7, sizes, &plan), 2);
        assert_true(fabs(sizes[0] - 0.5) < 1e-12 && fabs(sizes[1] - 0.5) < 1e-12);
        turn(sections, 4, 3 - axis);
        turn(mesh.positions.data, mesh.view.points, 3 - axis);
        /* Every new point lies on the plane. */
        for (uint32_t i = 0; i < plan.points.count; i++) {
            const CutPoint *point = &plan.points.data[i];
            const DvVec3 from = place(mesh.view.positions, point->from[0]),
                         to = place(mesh.view.positions, point->from[1]);
            const DvVec3 at = dv_vec3_madd(from, point->where, dv_vec3_sub(to, from));
            const double slope = (sections[9] - sections[3]) / 2.0, rise = (sections[3] - sections[0]) / 2.0;
            assert_true(fabs(at.x - 0.5 - slope * (at.y - 0.5) - rise * (at.z - 0.5)) < 1e-12);
        }
        cut_plan_free(&plan);
        mesh_free(&mesh);
    }
}

/* From however far points are taken onto the cut, no element is left that is on neither side: there are two parts. */
static void a_plane_parts_a_mesh_in_two(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int trial = 0; trial < 120; trial++) {
        Mesh mesh = trial % 2 ? sheet(0.3, &seed) : cube(0.3, &seed);
        double sections[12], sizes[2], whole[2];
        const double snap = 0.1 + 0.1 * (trial % 4);
        plane(1.2 * random_number(&seed), 1.2 * random_number(&seed), -0.5, 1.5, sections);
        check_cut(&mesh.view, (const double[12]){2, 0, 0, 2, 1, 0, 2, 0, 1, 2, 1, 1}, 2, snap, whole, NULL);
        assert_int_equal(check_cut(&mesh.view, sections, 2, snap, sizes, NULL), 2);
        assert_true(fabs(sizes[0] + sizes[1] - whole[0]) < 1e-12);
        assert_true(fabs(sizes[0] - sizes[1]) < 0.45 * whole[0]);
        mesh_free(&mesh);
    }
}

/* The plane lies on points and faces of the mesh: nothing is split, faces come apart. */
static void a_plane_through_points_splits_no_element(void **state)
{
    (void)state;
    uint64_t seed = 2;
    Mesh mesh = cube(0.0, &seed);
    double sections[12], sizes[2];
    CutPlan plan;
    plane(0.0, 0.0, -0.5, 1.5, sections);
    for (int i = 0; i < 4; i++)
        sections[3 * i] = 0.4;
    assert_int_equal(check_cut(&mesh.view, sections, 2, 0.2, sizes, &plan), 2);
    assert_int_equal(plan.points.count, SIDE * SIDE);
    assert_int_equal(plan.doubled, SIDE * SIDE);
    assert_int_equal(plan.faces, 2 * CELLS * CELLS);
    assert_int_equal(plan.parents.count, plan.replaced.count);
    assert_true(fabs(sizes[0] - 0.4) < 1e-12);
    cut_plan_free(&plan);
    mesh_free(&mesh);
}

/* A blade that stops inside: the mesh stays one, its front is not doubled, and going on from there ends with two parts. */
static void a_cut_goes_on_where_it_ended(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int trial = 0; trial < 20; trial++) {
        Mesh mesh = cube(0.2, &seed);
        double sections[18], sizes[2];
        CutPlan plan;
        const double a = 0.4 * random_number(&seed), b = 0.4 * random_number(&seed),
                     stop = 0.5 + 0.5 * random_number(&seed);
        plane(a, b, -0.5, stop, sections);
        assert_int_equal(check_cut(&mesh.view, sections, 2, 0.2, sizes, &plan), 1);
        assert_true(plan.faces > 0 && plan.doubled < plan.points.count + plan.faces);
        After after = carry_out(&mesh.view, &plan);
        Mesh next = {.corners = 4};
        dv_array_append(&next.positions, after.positions.data, after.positions.count);
        dv_array_append(&next.elements, after.elements.data, after.elements.count);
        finish(&next);
        plane(a, b, stop, 1.5, sections + 6);
        assert_int_equal(check_cut(&next.view, sections, 3, 0.2, sizes, NULL), 2);
        mesh_free(&next);
        after_free(&after);
        cut_plan_free(&plan);
        mesh_free(&mesh);
    }
}

/* In the middle of one element, or beside the mesh. */
static void a_blade_that_separates_nothing_changes_nothing(void **state)
{
    (void)state;
    uint64_t seed = 4;
    Mesh mesh = cube(0.0, &seed);
    const double inside[12] = {0.5, 0.5, 0.5, 0.5, 0.52, 0.5, 0.52, 0.5, 0.51, 0.52, 0.52, 0.51};
    const double beside[12] = {2, 0, 0, 2, 1, 0, 2, 0, 1, 2, 1, 1};
    const double still[12] = {0.5, 0, 0.5, 0.5, 1, 0.5, 0.5, 0, 0.5, 0.5, 1, 0.5};
    const double *ways[] = {inside, beside, still};
    for (int i = 0; i < 3; i++) {
        CutPlan plan = plan_of(&mesh.view, ways[i], 2, 0.2);
        assert_true(plan.faces == 0 && plan.points.count == 0 && plan.parents.count == 0 && plan.replaced.count == 0);
        cut_plan_free(&plan);
    }
    mesh_free(&mesh);
}

static void any_way_of_a_blade_is_a_cut(void **state)
{
    (void)state;
    uint64_t seed = 5;
    uint32_t cuts = 0, curved = 0;
    for (int trial = 0; trial < 400; trial++) {
        Mesh mesh = trial % 2 ? sheet(0.2, &seed) : cube(trial % 8 ? 0.2 : 0.0, &seed);
        double sections[6 * MOST_SECTIONS], sizes[2];
        const uint32_t count = 2 + (uint32_t)((random_number(&seed) + 0.5) * (MOST_SECTIONS - 1));
        for (uint32_t i = 0; i < 6 * count; i++)
            sections[i] = 0.5 + 1.6 * random_number(&seed);
        CutPlan plan;
        check_cut(&mesh.view, sections, count, 0.05 + 0.3 * (random_number(&seed) + 0.5), sizes, &plan);
        cuts += plan.faces > 0;
        curved += plan.faces > 0 && count > 2;
        cut_plan_free(&plan);
        mesh_free(&mesh);
    }
    assert_true(cuts > 300 && curved > 200);
}

/* What docs/topology.md says of pieces of a grid. */
static void pieces_are_not_thin(void **state)
{
    (void)state;
    uint64_t seed = 6;
    double least = DV_PI, least_flat = DV_PI;
    for (int trial = 0; trial < 200; trial++) {
        Mesh mesh = trial % 2 ? sheet(0.0, &seed) : cube(0.0, &seed);
        double sections[12], sizes[2];
        CutPlan plan;
        plane(2.0 * random_number(&seed), 2.0 * random_number(&seed), -0.5, 1.5, sections);
        check_cut(&mesh.view, sections, 2, dv_blade_snap, sizes, &plan);
        const double angle = cut_plan_smallest_angle(&plan, &mesh.view);
        if (plan.faces && trial % 2)
            least_flat = fmin(least_flat, angle);
        else if (plan.faces)
            least = fmin(least, angle);
        cut_plan_free(&plan);
        mesh_free(&mesh);
    }
    print_message("least %g, of triangles %g degrees\n", least * 180 / DV_PI, least_flat * 180 / DV_PI);
    assert_true(least > 7.0 * DV_PI / 180);
    assert_true(least_flat > 8.0 * DV_PI / 180);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plane_halves_a_cube),
        cmocka_unit_test(a_plane_parts_a_mesh_in_two),
        cmocka_unit_test(a_plane_through_points_splits_no_element),
        cmocka_unit_test(a_cut_goes_on_where_it_ended),
        cmocka_unit_test(a_blade_that_separates_nothing_changes_nothing),
        cmocka_unit_test(any_way_of_a_blade_is_a_cut),
        cmocka_unit_test(pieces_are_not_thin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
