/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Golden contacts: of random bodies of all kinds each method finds what tests/collision/golden/contacts.txt has written down, in the same order.
 * That what is found is right is the task of other tests; this one notices that it has changed. With DIVAN_WRITE_GOLDEN=1 it writes down what is
 * found now.
 *
 *   method, first model, second model: contacts   sums of their numbers of elements and ids, points, normals, gaps
 *
 * Each number of each contact has a weight of its own in its sum, so that one cannot make up for another.
 */
#include "golden_lines.h"
#include "solid_bodies.h"

static const char *const golden_methods[] = {
    "NewProximityIntersection alarmDistance='0.125' contactDistance='0.0625' useLineLine='1'",
    "NewProximityIntersection alarmDistance='0.25' contactDistance='0.0625' boxManifold='1'",
    "MinProximityIntersection alarmDistance='0.125' contactDistance='0.0625'",
    "MinProximityIntersection alarmDistance='0.125' contactDistance='0.0625' useSurfaceNormals='1' useLineLine='0'",
    ("MinProximityIntersection alarmDistance='0.125' contactDistance='0.0625' usePointPoint='0' useLinePoint='0' "
     "useSphereTriangle='0'"),
    "LocalMinDistance alarmDistance='0.125' contactDistance='0.0625'",
    "LocalMinDistance alarmDistance='0.125' contactDistance='0.0625' filterIntersection='0'",
    "LocalMinDistance alarmDistance='0.125' contactDistance='0.0625' angleCone='0.1' coneFactor='0.8'",
    "DiscreteIntersection",
    "DiscreteIntersection boxManifold='1'",
};

enum { SUMS = 4 };

static void add_up(const DvContactPair *pair, double sums[SUMS])
{
    memset(sums, 0, SUMS * sizeof *sums);
    for (uint32_t i = 0; i < pair->count; i++) {
        const DvContact *c = &pair->contacts[i];
        const uint64_t first = 12 * (uint64_t)i;
        for (uint32_t side = 0; side < 2; side++) {
            sums[0] += golden_weight(first + side) * c->element[side];
            for (uint32_t axis = 0; axis < 3; axis++)
                sums[1] += golden_weight(first + 3 + 3 * side + axis) * c->point[side][axis];
        }
        sums[0] += golden_weight(first + 2) * (double)(c->id & 0xffff);
        for (uint32_t axis = 0; axis < 3; axis++)
            sums[2] += golden_weight(first + 9 + axis) * c->normal[axis];
        sums[3] += golden_weight(first) * c->gap;
    }
}

/* Sheets that lie on each other in waves, with balls, capsules and boxes on top: surfaces whose neighbours are known. */
static void add_sheet(DvText *text, const char *name, double height, double turn)
{
    enum { SIDE = 14 };
    DvText triangles = {0};
    dv_text_add(text, "<Node name='%s'><MechanicalObject name='dofs' position='", name);
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        const uint32_t row = i / SIDE;
        const double x = 0.2 * (i % SIDE), y = 0.2 * row;
        dv_text_add(text, "%.17g %.17g %.17g ", cos(turn) * x - sin(turn) * y, sin(turn) * x + cos(turn) * y,
                    height + random_between(-0.08, 0.08));
        if (i % SIDE + 1 < SIDE && i / SIDE + 1 < SIDE)
            dv_text_add(&triangles, "%u %u %u  %u %u %u  ", i, i + 1, i + SIDE, i + 1, i + SIDE + 1, i + SIDE);
    }
    dv_text_add(
        text,
        "'/><MeshTopology triangles='%s'/><TriangleCollisionModel bothSide='%d'/><LineCollisionModel bothSide='%d'/>"
        "<PointCollisionModel bothSide='%d'/></Node>",
        triangles.at, height > 0, height > 0, height > 0);
    dv_text_free(&triangles);
}

static DvScene *load_sheets(const char *method)
{
    DvText text = {0};
    add_head(&text, method);
    add_sheet(&text, "Lower", 0, 0);
    add_sheet(&text, "Upper", 0.12, 0.3);
    add_rigid_body(&text, "Above", false);
    dv_text_add(&text, "</Node>");
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    return scene;
}

/* Everything in eighths of a metre, turned by right angles or not at all: of many things that are equally near one has to be chosen. */
static double eighths(uint32_t least, uint32_t most)
{
    return 0.125 * (least + random_below(most - least + 1));
}

static void add_level_frames(DvText *text, const char *name)
{
    static const char *const turns[] = {"0 0 0 1", "1 0 0 0", "0 1 0 0", "0.5 0.5 0.5 0.5", "-0.5 0.5 0.5 0.5"};
    DvText sizes = {0};
    dv_text_add(text, "<Node name='%s'><MechanicalObject template='Rigid3d' position='", name);
    for (int i = 0; i < 16; i++) {
        dv_text_add(text, "%g %g %g %s ", eighths(0, 10), eighths(0, 10), eighths(0, 10), turns[random_below(5)]);
        dv_text_add(&sizes, "%g %g %g ", eighths(1, 3), eighths(1, 3), eighths(1, 3));
    }
    dv_text_add(text,
                "'/><OBBCollisionModel extents='%s'/><CapsuleCollisionModel heights='%s' defaultRadius='0.125'/>"
                "<SphereCollisionModel radius='0.125' listRadius='%s'/></Node>",
                sizes.at, sizes.at, sizes.at);
    dv_text_free(&sizes);
}

static void add_level_points(DvText *text, const char *name)
{
    enum { SIDE = 5 };
    DvText triangles = {0}, tetrahedra = {0};
    dv_text_add(text, "<Node name='%s'><MechanicalObject position='", name);
    for (uint32_t i = 0; i < 2 * SIDE * SIDE; i++) { /* two levels, one above the other */
        const uint32_t x = i % SIDE, y = i / SIDE % SIDE, level = i / (SIDE * SIDE);
        dv_text_add(text, "%g %g %g ", 0.25 * x + eighths(0, 1), 0.25 * y + eighths(0, 1), 0.5 * level + eighths(0, 4));
        if (level > 0 || x + 1 == SIDE || y + 1 == SIDE)
            continue;
        dv_text_add(&triangles, "%u %u %u  %u %u %u  ", i, i + 1, i + SIDE, i + 1, i + SIDE + 1, i + SIDE);
        if (random_below(3) == 0)
            dv_text_add(&tetrahedra, "%u %u %u %u ", i, i + 1, i + SIDE, i + SIDE * SIDE);
    }
    dv_text_add(
        text,
        "'/><MeshTopology name='all' triangles='%s' tetrahedra='%s'/><TetrahedronCollisionModel/><TriangleCollisionModel/>"
        "<LineCollisionModel/><PointCollisionModel computeNormals='1'/><SphereCollisionModel radius='0.125'/>"
        "<RayCollisionModel defaultLength='2' directions='0 0 1  1 0 0  0 -1 0'/></Node>",
        triangles.at, tetrahedra.at);
    dv_text_free(&triangles);
    dv_text_free(&tetrahedra);
}

static DvScene *load_level(const char *method)
{
    DvText text = {0};
    add_head(&text, method);
    add_level_frames(&text, "One");
    add_level_frames(&text, "Two");
    add_level_points(&text, "Three");
    add_level_points(&text, "Four");
    dv_text_add(&text, "</Node>");
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    return scene;
}

/* A line for each pair of models that touch. */
static void write_contacts(DvText *text)
{
    static const char *const variants[] = {"", " degenerate", " sheets", " level"};
    for (size_t m = 0; m < sizeof golden_methods / sizeof *golden_methods; m++)
        for (int variant = 0; variant < 4; variant++) {
            seed = 1000 * m + 10 * (uint64_t)variant + 7;
            scale = 2;
            DvScene *scene = variant == 3   ? load_level(golden_methods[m])
                             : variant == 2 ? load_sheets(golden_methods[m])
                                            : load_bodies(golden_methods[m], variant == 1);
            const DvContactList *list = detect(scene);
            for (uint32_t p = 0; p < list->pair_count; p++) {
                double sums[SUMS];
                const DvContactPair *pair = &list->pairs[p];
                add_up(pair, sums);
                dv_text_add(text, "%zu%s", m, variants[variant]);
                for (int side = 0; side < 2; side++) {
                    const DvCollisionBody *body = &list->bodies[pair->body[side]];
                    dv_text_add(text, " %s/%s", dv_node_name(body->node), dv_object_class(body->object)->name);
                }
                dv_text_add(text, ": %u  ", pair->count);
                for (int i = 0; i < SUMS; i++)
                    dv_text_add(text, " %.9g", sums[i]);
                dv_text_add(text, "\n");
            }
            dv_scene_free(scene);
        }
}

static void contacts_are_as_they_were(void **state)
{
    (void)state;
    DvText text = {0};
    write_contacts(&text);
    expect_golden_lines("collision/golden/contacts.txt", text.at, 1e-7);
    dv_text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(contacts_are_as_they_were)};
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
