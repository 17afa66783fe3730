/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scene files with the templates of their states turned to others, and how far the states of two scenes are apart.
 */
#ifndef TESTS_CUDA_TURNED_SCENES_H
#define TESTS_CUDA_TURNED_SCENES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <divan/embed.h>
#include <divan/log.h>

#include "scene_text.h"

/* The text of a file, with `prefix` before the template of each state; before those of bodies that turn only if `bodies`. Returns how many
 * of those there are. */
static inline uint32_t turned_scene_read(DvText *text, const char *file, const char *prefix, bool bodies)
{
    static const char tag[] = "<MechanicalObject", attribute[] = "template=\"";
    char line[8192];
    uint32_t turning = 0;
    FILE *from = fopen(file, "r");
    assert_non_null(from);
    while (fgets(line, sizeof line, from)) {
        const char *begin = strstr(line, tag), *word = begin ? strstr(begin, attribute) : NULL;
        const char *end = word ? word + sizeof attribute - 1 : begin ? begin + sizeof tag - 1 : line;
        const bool turns = word && strncmp(end, "Rigid", 5) == 0;
        turning += turns;
        dv_text_add(text, "%.*s", (int)(end - line), line);
        if (begin && !word)
            dv_text_add(text, " template=\"%sVec3d\"", prefix);
        else if (word && (bodies || !turns))
            dv_text_add(text, "%s", prefix);
        dv_text_add(text, "%s", end);
    }
    (void)fclose(from);
    return turning;
}

enum { TURNED_STATES = 64 };

/* Vectors of a state as dv_state_get gives them; freed by the caller. */
static inline double *numbers_of(DvObject *state, DvVecId vector, size_t *count)
{
    size_t points, components;
    assert_int_equal(dv_state_shape(state, vector, &points, &components), DV_OK);
    *count = points * components;
    double *numbers = calloc(*count + 1, sizeof *numbers);
    assert_non_null(numbers);
    assert_int_equal(dv_state_get(state, vector, numbers, *count), DV_OK);
    return numbers;
}

/* Whether it has positions and velocities: pictures have positions alone, which follow others. */
static inline bool moves(DvObject *state)
{
    return strcmp(dv_object_class(state)->name, "MechanicalObject") == 0;
}

/* A device keeps vectors of all that move and are points, bodies. */
static inline void expect_elsewhere(const DvScene *scene, bool points, bool bodies)
{
    DvObject *states[TURNED_STATES];
    const size_t count = dv_node_find_all(dv_scene_root(scene), DV_STATE, DV_SEARCH_DOWN, states, TURNED_STATES);
    assert_true(count <= TURNED_STATES);
    for (size_t i = 0; i < count; i++) {
        const DvStateRef s = dv_state_ref(states[i]);
        if (moves(states[i]))
            assert_int_equal(dv_state_storage(s).space != NULL, s.dof->rotation ? bodies : points);
    }
}

/* Each number of each position by as much, up or down. `random`: which way each. */
static inline void move_starts(const DvScene *scene, double by, uint32_t random)
{
    DvObject *states[TURNED_STATES];
    const size_t count = dv_node_find_all(dv_scene_root(scene), DV_STATE, DV_SEARCH_DOWN, states, TURNED_STATES);
    assert_true(count <= TURNED_STATES);
    for (size_t i = 0; i < count; i++) {
        size_t n;
        if (!moves(states[i]))
            continue;
        double *x = numbers_of(states[i], DV_POSITION, &n);
        for (size_t k = 0; k < n; k++) {
            random = random * 1664525u + 1013904223u;
            x[k] += random >> 31 ? by : -by;
        }
        assert_int_equal(dv_state_set(states[i], DV_POSITION, x, n), DV_OK);
        free(x);
    }
}

/* The largest difference of positions and velocities of a state, relative to its largest number; of all states the largest. */
static inline double states_apart(const DvScene *a, const DvScene *b)
{
    DvObject *states[TURNED_STATES];
    const size_t count = dv_node_find_all(dv_scene_root(a), DV_STATE, DV_SEARCH_DOWN, states, TURNED_STATES);
    double most = 0.0;
    assert_true(count <= TURNED_STATES);
    for (size_t i = 0; i < count; i++) {
        double largest = 0.0, size = 1e-300;
        for (int k = 0; k < 2 && moves(states[i]); k++) {
            size_t n, m;
            DvObject *other = scene_object(b, dv_object_path(states[i]));
            double *x = numbers_of(states[i], k ? DV_VELOCITY : DV_POSITION, &n),
                   *y = numbers_of(other, k ? DV_VELOCITY : DV_POSITION, &m);
            if (n != m)
                largest = INFINITY;
            for (size_t j = 0; j < n && n == m; j++) {
                largest = fmax(largest, isfinite(y[j]) ? fabs(x[j] - y[j]) : INFINITY);
                size = fmax(size, fabs(x[j]));
            }
            free(x);
            free(y);
        }
        most = fmax(most, largest / size);
    }
    return most;
}

#endif
