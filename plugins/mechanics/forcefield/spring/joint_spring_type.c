/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The text of joint springs: "BEGIN_SPRING m1 m2 [TAG values]... END_SPRING", again and again.
 *
 * In a list, KS_T, KS_R and KD that a spring does not give are those of the spring before; all other tags start from their
 * defaults.
 */
#include "forcefield/spring/joint_spring.h"

#include <string.h>

#define WORD 32

typedef struct Tag {
    const char *name;
    size_t offset; /* of doubles in JointSpring */
    int count;
} Tag;

static const Tag tags[] = {
    {"KS_T", offsetof(JointSpring, soft_translation), 2},
    {"KS_R", offsetof(JointSpring, soft_rotation), 2},
    {"KS_B", offsetof(JointSpring, bloc), 1},
    {"KD", offsetof(JointSpring, damping), 1},
    {"R_LIM_X", offsetof(JointSpring, limit[0]), 2},
    {"R_LIM_Y", offsetof(JointSpring, limit[1]), 2},
    {"R_LIM_Z", offsetof(JointSpring, limit[2]), 2},
    {"REST_T", offsetof(JointSpring, rest_translation), 3},
    {"REST_R", offsetof(JointSpring, rest_rotation), 4},
};

static const JointSpring blank = {
    .free_axis = {0, 0, 0, 1, 1, 1},
    .hard_translation = 10000.0,
    .hard_rotation = 10000.0,
    .limit = {{-100000.0, 100000.0}, {-100000.0, 100000.0}, {-100000.0, 100000.0}},
    .rest_rotation = {0.0, 0.0, 0.0, 1.0},
};

static bool read_tag(JointSpring *s, const char *word, const char **text)
{
    if (strcmp(word, "FREE_AXIS") == 0) {
        for (int axis = 0; axis < 6; axis++)
            if (!dv_read_uint(text, &s->free_axis[axis]))
                return false;
        return true;
    }
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        if (strcmp(word, tags[i].name) != 0)
            continue;
        double *values = (double *)(void *)((char *)s + tags[i].offset);
        for (int k = 0; k < tags[i].count; k++)
            if (!dv_read_double(text, &values[k]))
                return false;
        if (strcmp(word, "REST_T") == 0)
            s->measured = 1;
        return true;
    }
    return false;
}

static bool read_spring(JointSpring *s, const char **text, size_t number, DvText *problem)
{
    char word[WORD];
    if (!dv_read_word(text, word, sizeof word))
        return false;
    if (strcmp(word, "BEGIN_SPRING") != 0) {
        dv_text_add(problem, "spring %zu: 'BEGIN_SPRING' expected, not '%s'", number, word);
        return false;
    }
    if (!dv_read_uint(text, &s->a) || !dv_read_uint(text, &s->b)) {
        dv_text_add(problem, "spring %zu: the numbers of two bodies follow BEGIN_SPRING", number);
        return false;
    }
    for (;;) {
        if (!dv_read_word(text, word, sizeof word)) {
            dv_text_add(problem, "spring %zu: END_SPRING is missing", number);
            return false;
        }
        if (strcmp(word, "END_SPRING") == 0)
            break;
        if (!read_tag(s, word, text)) {
            dv_text_add(
                problem,
                "spring %zu: '%s' is no tag, or its values are missing; tags are FREE_AXIS KS_T KS_R KS_B KD R_LIM_X "
                "R_LIM_Y R_LIM_Z REST_T REST_R",
                number, word);
            return false;
        }
    }
    if (s->bloc == 0.0)
        s->bloc = s->hard_rotation / 100.0;
    for (int axis = 0; axis < 3; axis++)
        if (s->limit[axis][0] == s->limit[axis][1])
            s->free_axis[3 + axis] = 0;
    return true;
}

static DvStatus parse(const DvType *type, const char *text, void **elements, size_t *count, DvText *problem)
{
    (void)type;
    JointSpring *list = NULL, previous = blank;
    size_t capacity = 0;
    for (;;) {
        JointSpring s = blank;
        s.soft_translation = previous.soft_translation;
        s.hard_translation = previous.hard_translation;
        s.soft_rotation = previous.soft_rotation;
        s.hard_rotation = previous.hard_rotation;
        s.damping = previous.damping;
        if (!read_spring(&s, &text, *count, problem))
            break;
        if (!list || *count == capacity) {
            const size_t larger = capacity > 0 ? 2 * capacity : 8;
            list = dv_realloc(list, capacity * sizeof *list, larger * sizeof *list);
            capacity = larger;
        }
        list[(*count)++] = previous = s;
    }
    *elements = list;
    return problem->length > 0 ? DV_ERROR_INVALID : DV_OK;
}

static void print(const DvType *type, const void *elements, size_t count, DvText *out)
{
    (void)type;
    const JointSpring *list = elements;
    for (size_t i = 0; i < count; i++) {
        dv_text_add(out, "%sBEGIN_SPRING %u %u FREE_AXIS", i > 0 ? " " : "", list[i].a, list[i].b);
        for (int axis = 0; axis < 6; axis++)
            dv_text_add(out, " %u", list[i].free_axis[axis]);
        for (size_t t = 0; t < sizeof tags / sizeof *tags; t++) {
            if (strcmp(tags[t].name, "REST_T") == 0 && !list[i].measured)
                continue;
            dv_text_add(out, " %s", tags[t].name);
            const double *values = (const double *)(const void *)((const char *)&list[i] + tags[t].offset);
            for (int k = 0; k < tags[t].count; k++) {
                dv_text_add(out, " ");
                dv_text_add_double(out, values[k]);
            }
        }
        dv_text_add(out, " END_SPRING");
    }
}

const DvType dv_type_joint_springs = {
    .size = sizeof(DvType),
    .name = "list of joint springs",
    .scalar = DV_SCALAR_OPAQUE,
    .components = 1,
    .list = true,
    .element_size = sizeof(JointSpring),
    .blank = &blank,
    .parse = parse,
    .print = print,
};
