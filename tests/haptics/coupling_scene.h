/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A device with a tool below it, and the log of its ticks, for the tests of the coupling.
 */
#ifndef DIVAN_TEST_COUPLING_SCENE_H
#define DIVAN_TEST_COUPLING_SCENE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <divan/contracts/haptic_device.h>
#include <divan/divan.h>
#include <divan/plugin.h>

#include "folder.h"
#include "scene_text.h"

/* A device and, below it, a tool of 0.1 kg that an implicit solver moves; `more` beside the tool. */
static inline DvScene *load(double dt, const char *device, const char *coupling, const char *more)
{
    DvText text = {0};
    dv_text_add(
        &text,
        "<Node name='root' dt='%.17g' gravity='0 0 0'><DefaultAnimationLoop/>"
        "<SimulatedHapticDevice name='arm' resolution='0' friction='0' workspace='0 0 0 0 0 0' %s/>"
        "<Node name='tool'><EulerImplicitSolver rayleighStiffness='0' rayleighMass='0'/>"
        "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"
        "<MechanicalObject name='state' template='Rigid3d'/><UniformMass vertexMass='0.1 1e-3 1 0 0 0 1 0 0 0 1'/>"
        "<VirtualCoupling name='coupling' %s/>%s</Node></Node>",
        dt, device, coupling, more);
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load_text(text.at, text.length, "scene.scn", folder, NULL, &scene), DV_OK);
    dv_text_free(&text);
    return scene;
}

static inline void steps(DvScene *scene, int count)
{
    for (int i = 0; i < count; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

static inline const DvHapticsOps *service(void)
{
    const DvHapticsOps *haptics = dv_service(DV_HAPTICS);
    assert_non_null(haptics);
    return haptics;
}

static inline DvHapticAbout about(DvScene *scene)
{
    DvHapticAbout about;
    assert_true(service()->about(scene, 0, &about));
    return about;
}

static inline DvData *output(DvScene *scene, const char *name)
{
    DvData *field = dv_object_field(scene_object(scene, "/tool/coupling"), name);
    assert_non_null(field);
    return field;
}

static inline double number(DvScene *scene, const char *name)
{
    return dv_data_double(output(scene, name));
}

/* Sums, by lines of the log: mean force against the motion along x over [from, to). */
typedef struct LogLine {
    double time, position[3], force[3];
} LogLine;
static inline size_t read_log(LogLine *lines, size_t capacity)
{
    FILE *file = fopen(in_folder("log.csv"), "r");
    assert_non_null(file);
    char text[1024];
    size_t count = 0;
    while (fgets(text, sizeof text, file)) {
        double n[16];
        char *at = strchr(text, ',');
        if (!at || strncmp(text, "device", 6) == 0)
            continue;
        for (int i = 0; i < 16; i++) {
            assert_int_equal(*at, ',');
            n[i] = strtod(at + 1, &at);
        }
        if (count < capacity)
            lines[count++] = (LogLine){n[1], {n[2], n[3], n[4]}, {n[10], n[11], n[12]}};
    }
    fclose(file);
    return count;
}

static FILE *log_file;

static inline void begin_log(DvScene *scene)
{
    log_file = fopen(in_folder("log.csv"), "w");
    assert_non_null(log_file);
    assert_int_equal(service()->set_log(scene, log_file), DV_OK);
}

static inline void end_log(DvScene *scene)
{
    assert_int_equal(service()->set_log(scene, NULL), DV_OK);
    fclose(log_file);
}

#endif
