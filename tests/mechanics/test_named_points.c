/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Components that name points of a mesh which changes: whatever points go, together or one after the other, and however those that are left
 * are numbered, the same points are named as before, pairs lose those of which one has gone, and a reset names all of them again. The label of
 * a point is its first coordinate, which no edit changes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/contracts/topology.h>
#include <divan/divan.h>

#include "scene_text.h"

enum { POINTS = 7, MOST = 64 };

typedef enum Form { LIST, NUMBER, SPRINGS, JOINTS } Form;

typedef struct Named {
    const char *dofs, *component;
    Form form;
    const char *of_first, *of_second; /* fields that name points of a mesh; NULL: none, or one field names both */
    const char *values;               /* numbers that go along, for each entry, in the order of the entries */
} Named;

#define ON_BOTH(text) "object1='@A/x' object2='@B/x' " text
#define ON_ONE(text)  "object1='@A/x' object2='@A/x' " text
#define ALL_SPRINGS                                                                                                   \
    "spring='0 1 1 0 1  0 6 2 0 1  6 5 3 0 1  5 4 4 0 1  4 0 5 0 1  1 2 6 0 1  3 5 7 0 1  2 6 8 0 1  4 1 9 0 1  6 3 " \
    "10 0 1'"
#define JOINT(a, b) "BEGIN_SPRING " #a " " #b " KS_T 3 100 END_SPRING "
#define ALL_JOINTS  "spring='" JOINT(0, 1) JOINT(6, 0) JOINT(5, 6) JOINT(4, 5) JOINT(2, 3) JOINT(6, 1) JOINT(1, 5) "'"
#define FIVE        "1 6 4 0 5"
#define FIVE_MORE   "6 0 3 2 1"

static const Named rows[] = {
    {"Vec3d", "FixedProjectiveConstraint indices='" FIVE "'", LIST, "indices", NULL, NULL},
    {"Rigid3d", "FixedProjectiveConstraint indices='" FIVE "'", LIST, "indices", NULL, NULL},
    {"Vec3d", "FixedPlaneProjectiveConstraint indices='" FIVE "' direction='0 0 1'", LIST, "indices", NULL, NULL},
    {"Vec3d", "PlaneProjectiveConstraint indices='" FIVE "' normal='0 0 1'", LIST, "indices", NULL, NULL},
    {"Vec3d", "LinearMovementProjectiveConstraint indices='" FIVE "' keyTimes='0 1' movements='0 0 0 1 0 0'", LIST,
     "indices", NULL, NULL},
    {"Vec3d", "AffineMovementProjectiveConstraint indices='" FIVE "'", LIST, "indices", NULL, NULL},
    {"Vec3d", "ConstantForceField indices='" FIVE "' forces='1 0 0  2 0 0  3 0 0  4 0 0  5 0 0'", LIST, "indices", NULL,
     "forces"},
    {"Vec3d", "RestShapeSpringsForceField points='" FIVE "' stiffness='1 2 3 4 5'", LIST, "points", NULL, "stiffness"},
    {"Vec3d", "FixedLagrangianConstraint indices='" FIVE "'", LIST, "indices", NULL, NULL},
    {"Vec3d",
     "BilateralLagrangianConstraint " ON_BOTH("first_point='" FIVE "' second_point='" FIVE_MORE
                                              "' rest_vector='1 0 0  2 0 0  3 0 0  4 0 0  5 0 0'"),
     LIST, "first_point", "second_point", "rest_vector"},
    {"Vec3d",
     "BilateralLagrangianConstraint " ON_ONE("first_point='" FIVE "' second_point='" FIVE_MORE
                                             "' rest_vector='1 0 0  2 0 0  3 0 0  4 0 0  5 0 0'"),
     LIST, "first_point", "second_point", "rest_vector"},
    {"Vec3d", "SlidingLagrangianConstraint " ON_BOTH("sliding_point='5' axis_1='6' axis_2='1'"), NUMBER,
     "sliding_point", "axis_1", NULL},
    {"Vec3d", "SlidingLagrangianConstraint " ON_BOTH("sliding_point='0' axis_1='3' axis_2='6'"), NUMBER,
     "sliding_point", "axis_2", NULL},
    {"Vec1d", "StopperLagrangianConstraint index='6'", NUMBER, "index", NULL, NULL},
    {"Vec3d", "SpringForceField " ON_ONE(ALL_SPRINGS), SPRINGS, "spring", NULL, NULL},
    {"Vec3d", "SpringForceField " ON_BOTH(ALL_SPRINGS), SPRINGS, "spring", NULL, NULL},
    {"Rigid3d", "JointSpringForceField " ON_ONE(ALL_JOINTS), JOINTS, "spring", NULL, "restFrames"},
    {"Rigid3d", "JointSpringForceField " ON_BOTH(ALL_JOINTS), JOINTS, "spring", NULL, "restFrames"},
};

/* By labels; -1: names none. */
typedef struct Entry {
    int end[2];
    double value;
} Entry;

typedef struct Body {
    DvScene *scene;
    const Named *row;
    DvObject *component;
    DvStateRef state[2];
    const DvTopologyModifierOps *modifier[2];
    void *self[2];
    bool one; /* both ends are of the first mesh */
} Body;

static void add_mesh(DvText *text, const char *name, const Named *row, const char *component)
{
    static const char *const turned[] = {"0 0 0 1",     "0 0 0.6 0.8", "0 1 0 0", "0.6 0 0 0.8",
                                         "0 0.8 0.6 0", "0.8 0 0 0.6", "0 0 1 0"};
    dv_text_add(text, "<Node name='%s'><PointSetTopologyContainer name='mesh' position='", name);
    for (int i = 0; i < POINTS; i++)
        dv_text_add(text, "%d 0 0 ", i);
    dv_text_add(text,
                "'/><PointSetTopologyModifier name='modifier'/><MechanicalObject name='x' template='%s' position='",
                row->dofs);
    for (int i = 0; i < POINTS; i++)
        dv_text_add(text, "%d %s%s ", i, strcmp(row->dofs, "Vec1d") == 0 ? "" : "0 0 ",
                    strcmp(row->dofs, "Rigid3d") == 0 ? turned[i] : "");
    dv_text_add(text, "'/>%s</Node>", component);
}

static Body body_of(const Named *row)
{
    const bool pair = strstr(row->component, "object1") != NULL;
    DvText text = {0}, component = {0};
    const char *space = strchr(row->component, ' ');
    dv_text_add(&component, "<%.*s name='it'%s/>", (int)(space - row->component), row->component, space);
    dv_text_add(&text, "<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/>");
    add_mesh(&text, "A", row, pair ? "" : component.at);
    add_mesh(&text, "B", row, "");
    dv_text_add(&text, "%s</Node>", pair ? component.at : "");
    Body body = {
        .scene = scene_from_text(text.at), .row = row, .one = !pair || strstr(row->component, "object2='@A/x'")};
    body.component = scene_object(body.scene, pair ? "/it" : "/A/it");
    static const char *const states[] = {"/A/x", "/B/x"}, *const modifiers[] = {"/A/modifier", "/B/modifier"};
    for (int side = 0; side < 2; side++) {
        DvObject *modifier = scene_object(body.scene, modifiers[side]);
        body.state[side] = scene_state(body.scene, states[side]);
        body.modifier[side] = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
        body.self[side] = dv_object_self(modifier);
    }
    dv_text_free(&text);
    dv_text_free(&component);
    return body;
}

static int label_of(const Body *body, int side, uint32_t point)
{
    const DvConstVec x = dv_state_read(body->state[side], DV_POSITION);
    if (point == UINT32_MAX)
        return -1;
    assert_in_range(point, 0, x.count - 1);
    return (int)x.at[(size_t)point * x.dim];
}

static size_t numbers_of(const Body *body, const char *field, uint32_t *numbers)
{
    DvData *data = dv_object_field(body->component, field);
    if (body->row->form == NUMBER) {
        numbers[0] = (uint32_t)dv_data_int(data);
        return 1;
    }
    size_t count;
    const uint32_t *list = dv_data_uints(data, &count);
    assert_in_range(count, 0, MOST);
    if (count > 0)
        memcpy(numbers, list, count * sizeof *numbers);
    return count;
}

static const double *field_doubles(const Body *body, const char *field, size_t *count)
{
    return dv_data_doubles(dv_object_field(body->component, field), count);
}

/* Springs and joints as they are printed. */
static size_t read_pairs(const Body *body, Entry *entries)
{
    static const char begin[] = "BEGIN_SPRING";
    DvText text = {0};
    dv_data_print(dv_object_field(body->component, body->row->of_first), &text);
    const int second = body->one ? 0 : 1;
    size_t count = 0, frames = 0;
    const double *frame = body->row->values ? field_doubles(body, body->row->values, &frames) : NULL;
    unsigned a, b;
    int used = 0;
    const char *at = text.at ? text.at : "";
    double value = 0;
    while (body->row->form == JOINTS
               ? (at = strstr(at, begin)) && sscanf(at += strlen(begin), "%u %u%n", &a, &b, &used) == 2
               : sscanf(at, "%u %u %lf %*f %*f%n", &a, &b, &value, &used) == 3) {
        assert_in_range(count, 0, MOST - 1);
        entries[count++] = (Entry){{label_of(body, 0, a), label_of(body, second, b)}, value};
        if (frame)
            entries[count - 1].value = frame[7 * count - 7] + 100 * frame[7 * count - 1]; /* of both bodies */
        at += used;
    }
    dv_text_free(&text);
    assert_int_equal(frames, frame ? 7 * count : 0);
    return count;
}

static size_t read_entries(const Body *body, Entry *entries)
{
    const Named *row = body->row;
    if (row->form == SPRINGS || row->form == JOINTS)
        return read_pairs(body, entries);
    uint32_t numbers[2][MOST];
    const size_t count = numbers_of(body, row->of_first, numbers[0]);
    if (row->of_second)
        assert_int_equal(numbers_of(body, row->of_second, numbers[1]), count);
    size_t given = 0;
    const DvData *field = row->values ? dv_object_field(body->component, row->values) : NULL;
    const double *values = field ? field_doubles(body, row->values, &given) : NULL;
    if (values && count > 0)
        assert_int_equal(given, count);
    for (size_t i = 0; i < count; i++) {
        const int first = label_of(body, 0, numbers[0][i]);
        entries[i] = (Entry){{first, row->of_second ? label_of(body, body->one ? 0 : 1, numbers[1][i]) : first},
                             values ? values[i * field->type->components] : 0};
    }
    return count;
}

static int by_ends(const void *a_, const void *b_)
{
    const Entry *a = a_, *b = b_;
    return a->end[0] != b->end[0] ? a->end[0] - b->end[0] : a->end[1] - b->end[1];
}

/* What is expected of the entries of the start, once points have gone: lists lose entries, a number names none. */
static size_t expect(const Body *body, const Entry *start, size_t count, const bool gone[2][POINTS], Entry *expected)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        Entry entry = start[i];
        const bool lost[2] = {gone[0][entry.end[0]], gone[body->one ? 0 : 1][entry.end[1]]};
        if (body->row->form != NUMBER && (lost[0] || lost[1]))
            continue;
        for (int k = 0; k < 2; k++)
            entry.end[k] = lost[k] ? -1 : entry.end[k];
        if (!body->row->of_second && body->row->form == NUMBER)
            entry.end[1] = entry.end[0];
        expected[kept++] = entry;
    }
    return kept;
}

static void check(const Body *body, const Entry *start, size_t count, const bool gone[2][POINTS])
{
    Entry expected[MOST], now[MOST];
    const size_t wanted = expect(body, start, count, gone, expected), found = read_entries(body, now);
    if (found > 1) {
        qsort(now, found, sizeof *now, by_ends);
        qsort(expected, wanted, sizeof *expected, by_ends);
    }
    bool same = found == wanted;
    for (size_t i = 0; i < found && same; i++)
        same = by_ends(&now[i], &expected[i]) == 0 && now[i].value == expected[i].value;
    if (!same)
        print_error("%s: %zu entries instead of %zu, or others\n", body->row->component, found, wanted);
    assert_true(same);
}

/* The points of `set` that are still there go at once, in the order in which they are named here. */
static void remove_points(Body *body, int side, unsigned set, bool gone[2][POINTS])
{
    uint32_t numbers[POINTS], count = 0;
    const uint32_t points = dv_state_count(body->state[side]);
    for (uint32_t i = 0; i < points; i++) {
        const uint32_t point = set & 1 ? points - 1 - i : i;
        const int label = label_of(body, side, point);
        if (set >> label & 1) {
            numbers[count++] = point;
            gone[side][label] = true;
        }
    }
    assert_int_equal(body->modifier[side]->remove_points(body->self[side], count, numbers), DV_OK);
}

/* The n-th order of the points that are left. */
static void renumber_points(Body *body, int side, unsigned n)
{
    uint32_t order[POINTS];
    const uint32_t points = dv_state_count(body->state[side]);
    for (uint32_t i = 0; i < points; i++)
        order[i] = i;
    for (uint32_t i = points; i > 1; n = n * 1103515245u + 12345u, i--) {
        const uint32_t other = (n >> 16) % i, kept = order[i - 1];
        order[i - 1] = order[other];
        order[other] = kept;
    }
    assert_int_equal(body->modifier[side]->renumber_points(body->self[side], order), DV_OK);
}

static void named_points_are_the_same_after_any_change(void **state)
{
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        Body body = body_of(&rows[r]);
        Entry start[MOST];
        const size_t count = read_entries(&body, start);
        assert_true(count > 0);
        for (unsigned set = 1; set < 1u << POINTS; set++)
            for (int side = 0; side < (body.one ? 1 : 2); side++) {
                bool gone[2][POINTS] = {{false}};
                remove_points(&body, side, set, gone);
                check(&body, start, count, gone);
                renumber_points(&body, side, 7919 * set);
                check(&body, start, count, gone);
                remove_points(&body, side, 1u << set % POINTS, gone);
                check(&body, start, count, gone);
                if (!body.one) {
                    remove_points(&body, 1 - side, set * 37 % 128, gone);
                    check(&body, start, count, gone);
                }
                dv_scene_reset(body.scene);
                check(&body, start, count, (const bool[2][POINTS]){{false}});
            }
        dv_scene_free(body.scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(named_points_are_the_same_after_any_change)};
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
