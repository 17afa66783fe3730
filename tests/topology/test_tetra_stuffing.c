/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MeshTetraStuffing on balls: tetrahedra that are turned the right way and meet face to face, whose border is one closed surface on the
 * ball and whose volume goes to the ball's with the square of the cell; their angles have the bounds of Labelle and Shewchuk (2007).
 */
#include "scene_text.h"

#include <divan/divan.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct Body {
    DvScene *scene;
    const double *x;
    const uint32_t *tetrahedra;
    size_t points, count;
} Body;

static Body stuff(double size, int snap, int split, const char *more)
{
    char text[768];
    (void)snprintf(
        text, sizeof text,
        "<Node name='root'><GenerateSphere name='s' platonicSolid='icosahedron' tessellationDegree='24' radius='1'/>"
        "<TransformEngine name='t' input_position='@s.output_TrianglesPosition' scale='-1 1 1'/>" /* so that it looks outwards */
        "<MeshTetraStuffing name='it' size='%g' snapPoints='%d' splitTetrahedra='%d' %s "
        "vbbox='-1.31 -1.17 -1.06 1.11 1.23 1.2' inputPoints='@t.output_position' inputTriangles='@s.triangles'/></Node>",
        size, snap, split, more);
    Body body = {.scene = scene_from_text(text)};
    DvObject *it = scene_object(body.scene, "/it");
    body.x = dv_data_doubles(dv_object_field(it, "outputPoints"), &body.points);
    body.tetrahedra = dv_data_uints(dv_object_field(it, "outputTetrahedra"), &body.count);
    assert_true(body.count > 0);
    return body;
}

static DvVec3 corner(const Body *body, size_t tetrahedron, int k)
{
    const uint32_t i = body->tetrahedra[4 * tetrahedron + (size_t)k];
    assert_true(i < body->points);
    return dv_vec3(body->x[3 * i], body->x[3 * i + 1], body->x[3 * i + 2]);
}

static double volume_of(const Body *body, size_t t)
{
    const DvVec3 a = corner(body, t, 0), b = dv_vec3_sub(corner(body, t, 1), a), c = dv_vec3_sub(corner(body, t, 2), a),
                 d = dv_vec3_sub(corner(body, t, 3), a);
    return dv_vec3_dot(dv_vec3_cross(b, c), d) / 6.0;
}

static double volume(const Body *body)
{
    double sum = 0.0;
    for (size_t t = 0; t < body->count; t++) {
        const double one = volume_of(body, t);
        assert_true(one > 0.0);
        sum += one;
    }
    return sum;
}

/* Between two faces, in degrees. */
static void angles(const Body *body, double *least, double *most)
{
    *least = 180.0;
    *most = 0.0;
    for (size_t t = 0; t < body->count; t++)
        for (int i = 0; i < 4; i++)
            for (int j = i + 1; j < 4; j++) {
                const int k = i == 0 ? (j == 1 ? 2 : 1) : 0, l = 6 - i - j - k;
                const DvVec3 at = corner(body, t, i), along = dv_vec3_normalize(dv_vec3_sub(corner(body, t, j), at));
                DvVec3 a = dv_vec3_sub(corner(body, t, k), at), b = dv_vec3_sub(corner(body, t, l), at);
                a = dv_vec3_sub(a, dv_vec3_scale(along, dv_vec3_dot(a, along)));
                b = dv_vec3_sub(b, dv_vec3_scale(along, dv_vec3_dot(b, along)));
                const double angle = acos(dv_vec3_dot(dv_vec3_normalize(a), dv_vec3_normalize(b))) * 180.0 / M_PI;
                *least = fmin(*least, angle);
                *most = fmax(*most, angle);
            }
}

typedef struct Face {
    uint32_t sorted[3], turned[3];
} Face;

static int compare_faces(const void *a, const void *b)
{
    return memcmp(((const Face *)a)->sorted, ((const Face *)b)->sorted, sizeof((const Face *)a)->sorted);
}

static void sort_three(uint32_t n[3])
{
    static const int pairs[3][2] = {{0, 1}, {1, 2}, {0, 1}};
    for (int p = 0; p < 3; p++)
        if (n[pairs[p][0]] > n[pairs[p][1]]) {
            const uint32_t kept = n[pairs[p][0]];
            n[pairs[p][0]] = n[pairs[p][1]];
            n[pairs[p][1]] = kept;
        }
}

static int compare_edges(const void *a, const void *b)
{
    return memcmp(a, b, 2 * sizeof(uint32_t));
}

/* A closed surface has as many halves of edges one way as the other, each once; a ball's: V - E + F = 2. Gives its faces, to be freed. */
static Face *check_border(const Body *body, size_t *count)
{
    static const int of[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    Face *faces = calloc(4 * body->count, sizeof *faces);
    assert_non_null(faces);
    for (size_t f = 0; f < 4 * body->count; f++) {
        for (int k = 0; k < 3; k++)
            faces[f].sorted[k] = faces[f].turned[k] = body->tetrahedra[f / 4 * 4 + (size_t)of[f % 4][k]];
        sort_three(faces[f].sorted);
    }
    qsort(faces, 4 * body->count, sizeof *faces, compare_faces);
    size_t kept = 0;
    for (size_t f = 0; f < 4 * body->count;) {
        size_t end = f + 1;
        while (end < 4 * body->count && compare_faces(&faces[f], &faces[end]) == 0)
            end++;
        assert_true(end - f <= 2); /* two tetrahedra at most have it */
        if (end - f == 1)
            faces[kept++] = faces[f];
        f = end;
    }
    uint32_t(*half)[2] = calloc(3 * kept, sizeof *half), (*back)[2] = calloc(3 * kept, sizeof *back);
    bool *used = calloc(body->points, sizeof *used);
    size_t points = 0;
    for (size_t h = 0; h < 3 * kept; h++) {
        half[h][0] = back[h][1] = faces[h / 3].turned[h % 3];
        half[h][1] = back[h][0] = faces[h / 3].turned[(h + 1) % 3];
        points += !used[half[h][0]];
        used[half[h][0]] = true;
    }
    qsort(half, 3 * kept, sizeof *half, compare_edges);
    qsort(back, 3 * kept, sizeof *back, compare_edges);
    for (size_t h = 0; h < 3 * kept; h++) {
        assert_memory_equal(half[h], back[h], sizeof *half);
        assert_true(h == 0 || compare_edges(half[h - 1], half[h]) != 0);
    }
    assert_int_equal(2 * points + 2 * kept - 3 * kept, 4);
    free(half);
    free(back);
    free(used);
    *count = kept;
    return faces;
}

/* How far from the ball's surface a point of the border is, at most. */
static double farthest(const Body *body, const Face *border, size_t count)
{
    double most = 0.0;
    for (size_t f = 0; f < count; f++)
        for (int k = 0; k < 3; k++) {
            const double *p = body->x + 3 * (size_t)border[f].turned[k];
            most = fmax(most, fabs(hypot(hypot(p[0], p[1]), p[2]) - 1.0));
        }
    return most;
}

/* What is lost between the ball and its border is a part of the square of the cell. */
static void check_ball(const Body *body, double size)
{
    const double lost = 1.0 - volume(body) / (4.0 / 3.0 * M_PI);
    size_t faces;
    Face *border = check_border(body, &faces);
    assert_true(lost > 0.2 * size * size && lost < 0.35 * size * size);
    assert_true(farthest(body, border, faces) < 5e-4); /* as far as the given triangles are */
    free(border);
}

static void a_ball_that_is_cut_out_has_its_shape(void **state)
{
    (void)state;
    static const double sizes[] = {0.5, 0.4, 0.3, 0.22, 0.15};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const Body body = stuff(sizes[i], 1, 1, "wellShaped='1' alphaShort='0.41189'");
        double least, most;
        check_ball(&body, sizes[i]);
        angles(&body, &least, &most);
        assert_true(least > 10.78 && most < 164.74);
        dv_scene_free(body.scene);
    }
}

/* Points outside stay where they are, however near the surface is. */
static void in_old_scenes_it_has_slivers(void **state)
{
    (void)state;
    static const double sizes[] = {0.5, 0.3};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const Body body = stuff(sizes[i], 1, 1, "");
        double least, most;
        check_ball(&body, sizes[i]);
        angles(&body, &least, &most);
        assert_true(least < 1.0);
        dv_scene_free(body.scene);
    }
}

static void without_cuts_whole_tetrahedra_cover_it(void **state)
{
    (void)state;
    const Body body = stuff(0.3, 0, 0, ""), snapped = stuff(0.3, 1, 0, "wellShaped='1'");
    double least, most, bent;
    angles(&body, &least, &most);
    assert_true(fabs(least - 60.0) < 1e-9 && fabs(most - 90.0) < 1e-9);
    assert_true(volume(&body) > 4.0 / 3.0 * M_PI);
    for (size_t t = 0; t < body.count; t++) /* four of a cell of each axis */
        assert_true(fabs(volume_of(&body, t) - 0.3 * 0.3 * 0.3 / 12.0) < 1e-12);
    angles(&snapped, &bent, &most);
    assert_true(bent > 10.78 && bent < 59.0);
    assert_true(volume(&snapped) < volume(&body));
    dv_scene_free(body.scene);
    dv_scene_free(snapped.scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_that_is_cut_out_has_its_shape),
        cmocka_unit_test(in_old_scenes_it_has_slivers),
        cmocka_unit_test(without_cuts_whole_tetrahedra_cover_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
