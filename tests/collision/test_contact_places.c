/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where contacts lie: those of boxes and capsules with triangles on the triangle, wherever the corner, edge or face that meets it is; those
 * of edges that are nearly parallel where products with fused additions put them.
 */
#include "share.h"
#include "solid_bodies.h"

/* The triangle has a corner 0 0 0 and unit legs along x and z; how far a point is from it. */
static double beside(DvVec3 p)
{
    const double x = fmax(-p.x, 0), z = fmax(-p.z, 0), slope = fmax(p.x + p.z - 1, 0);
    return fmax(fmax(x, z), slope) + fabs(p.y);
}

static DvScene *box_above_triangle(const char *method, DvRigid3 frame, const char *half)
{
    DvText text = {0};
    add_head(&text, method);
    dv_text_add(&text, "<Node name='B'><MechanicalObject template='Rigid3d' position='");
    add_frames(&text, &frame, 1);
    dv_text_add(&text,
                "'/>%s</Node><Node name='F'><MeshTopology position='0 0 0  1 0 0  0 0 1' triangles='0 2 1'/>"
                "<MechanicalObject/><TriangleCollisionModel moving='0' simulated='0'/></Node></Node>",
                half);
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    return scene;
}

/* A box that stands on its corner, 5 cm above the triangle and 1.4 cm beside its long side: sqrt(0.05^2 + 2 0.01^2) = 0.0519615 m. */
static void the_corner_of_a_box_meets_the_nearest_point_of_a_triangle(void **state)
{
    (void)state;
    const DvQuat upright = dv_quat(0.6279630301995544, 0, -0.6279630301995544, 0.4597008433809829);
    const DvRigid3 frame = dv_rigid3(dv_vec3(0.52, 0.9160254037844386, 0.5), upright);
    DvScene *scene = box_above_triangle("NewProximityIntersection alarmDistance='0.3' contactDistance='0.1'", frame,
                                        "<OBBCollisionModel defaultExtent='0.5'/>");
    const DvContactList *list = detect(scene);
    assert_true(list->pair_count == 1 && list->pairs[0].count == 1);
    const DvContact *c = &list->pairs[0].contacts[0];
    assert_true(dv_vec3_distance(dv_vec3_load(c->point[0]), dv_vec3(0.51, 0, 0.49)) < 1e-12);
    assert_true(dv_vec3_distance(dv_vec3_load(c->point[1]), dv_vec3(0.52, 0.05, 0.5)) < 1e-12);
    assert_true(fabs(c->gap - (sqrt(0.0027) - 0.1)) < 1e-12);
    dv_scene_free(scene);
}

static void contacts_with_a_triangle_are_on_it(void **state)
{
    (void)state;
    static const char *const shapes[] = {"<OBBCollisionModel extents='0.2 0.15 0.3'/>",
                                         "<CapsuleCollisionModel defaultRadius='0.05' defaultHeight='0.5'/>",
                                         "<SphereCollisionModel radius='0.2'/>"};
    for (int kind = 0; kind < 4; kind++) {
        uint32_t checked = 0;
        for (int round = 0; round < 1500; round++) {
            const DvVec3 middle =
                dv_vec3(random_between(-0.4, 1.2), random_between(-0.4, 0.4), random_between(-0.4, 1.2));
            DvScene *scene = box_above_triangle(
                kind == 3 ? "NewProximityIntersection alarmDistance='0.1' contactDistance='0.05' boxManifold='1'"
                          : "NewProximityIntersection alarmDistance='0.1' contactDistance='0.05'",
                dv_rigid3(middle, random_rotation()), shapes[kind % 3]);
            const DvContactList *list = detect(scene);
            for (uint32_t i = 0; list->pair_count > 0 && i < list->pairs[0].count; i++, checked++) {
                const DvContact *c = &list->pairs[0].contacts[i];
                const bool first = strcmp(list->bodies[list->pairs[0].body[0]].shape->kind, DV_SHAPE_TRIANGLES) == 0;
                assert_true(beside(dv_vec3_load(c->point[first ? 0 : 1])) < 1e-9);
            }
            dv_scene_free(scene);
        }
        assert_true(checked > 300);
    }
}

/* a d - b c as a product that is fused with another one, which has been rounded. */
static double minor(double a, double d, double b, double c)
{
    return fma(a, d, -(b * c));
}

static double dot(DvVec3 a, DvVec3 b)
{
    return fma(a.z, b.z, fma(a.x, b.x, a.y * b.y));
}

/* Of edges that are nearly or exactly parallel the determinant is what rounding leaves: where it counts as none is a matter of the
 * method, and so is what comes out of the quotients. */
static void nearly_parallel_edges_meet_where_fused_products_say(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        double least, inside;
    } methods[] = {
        {"LocalMinDistance alarmDistance='5' contactDistance='0.05' filterIntersection='0'", 1e-30, 1e-15},
        {"MinProximityIntersection alarmDistance='5' contactDistance='0.05'", 1e-15, 1e-6},
        {"NewProximityIntersection alarmDistance='5' contactDistance='0.05'", 1e-12, 1e-6},
    };
    uint32_t contacts = 0, none = 0, plain = 0;
    for (int round = 0; round < 1800; round++) {
        const DvVec3 p = random_vector(1), ab = random_vector(1), q = dv_vec3_add(p, random_vector(0.3));
        const DvVec3 cd = dv_vec3_add(ab, round % 4 == 0 ? dv_vec3_zero() : random_vector(pow(10, -5 - round % 6)));
        const DvVec3 points[4] = {p, dv_vec3_add(p, ab), q, dv_vec3_add(q, cd)};
        DvText text = {0};
        add_head(&text, methods[round % 3].method);
        for (int k = 0; k < 2; k++) {
            dv_text_add(&text, "<Node><MeshTopology edges='0 1'/><MechanicalObject position='");
            add_points(&text, points + 2 * k, 2);
            dv_text_add(&text, "'/><LineCollisionModel/></Node>");
        }
        dv_text_add(&text, "</Node>");
        DvScene *scene = scene_from_text(text.at);
        dv_text_free(&text);
        const DvContactList *list = detect(scene);
        const DvVec3 u = dv_vec3_sub(points[3], q), v = dv_vec3_sub(points[1], p), qp = dv_vec3_sub(p, q);
        const double a11 = dot(u, u), a22 = dot(v, v), a12 = -dot(u, v), b1 = dot(u, qp), b2 = -dot(v, qp);
        const double det = minor(a11, a22, a12, a12), inside = methods[round % 3].inside;
        double alpha = 0.5, beta = 0.5;
        bool found = true;
        if (fabs(det) > methods[round % 3].least) {
            alpha = minor(b1, a22, b2, a12) / det;
            beta = minor(b2, a11, b1, a12) / det;
            found = !(alpha < inside || alpha > 1 - inside || beta < inside || beta > 1 - inside);
        }
        plain += det != a11 * a22 - a12 * a12;
        if (found) { /* the model that comes second in the scene is first in the pair */
            const DvVec3 at[2] = {dv_vec3_madd(q, alpha, u), dv_vec3_madd(p, beta, v)};
            assert_true(list->pair_count == 1 && list->pairs[0].count == 1);
            for (int side = 0; side < 2; side++)
                assert_true(dv_vec3_distance(dv_vec3_load(list->pairs[0].contacts[0].point[side]), at[side]) < 1e-14);
            contacts++;
        } else {
            assert_int_equal(list->pair_count, 0);
            none++;
        }
        dv_scene_free(scene);
    }
    assert_true(contacts > 100 && none > 100 && plain > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_corner_of_a_box_meets_the_nearest_point_of_a_triangle),
        cmocka_unit_test(contacts_with_a_triangle_are_on_it),
        cmocka_unit_test(nearly_parallel_edges_meet_where_fused_products_say),
    };
    return share_run_group_tests(tests, NULL, stop_plugins);
}
