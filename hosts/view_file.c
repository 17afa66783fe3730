/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view_file.h"

#include <glib.h>

#include <divan/output.h>
#include <divan/type.h>

/* From the camera to the point that it looks at. */
static double distance_of(const DvCamera *camera)
{
    return dv_vec3_distance(dv_vec3_load(camera->position), dv_vec3_load(camera->look_at));
}

typedef struct ViewFile {
    DvCamera camera;
    double distance;
    bool is_view, has_position;
    const char *wrong; /* name of the element that is not right */
} ViewFile;

static bool read_numbers(const char *text, double *numbers, int count)
{
    double read[4] = {0};
    for (int i = 0; i < count; i++)
        if (!dv_read_double(&text, &read[i]) || !isfinite(read[i]))
            return false;
    memcpy(numbers, read, (size_t)count * sizeof *numbers);
    return true;
}

static void begin_element(GMarkupParseContext *context, const char *name, const char **keys, const char **values,
                          gpointer data, GError **error)
{
    ViewFile *file = data;
    const char *value = NULL;
    (void)context, (void)error;
    for (int i = 0; keys[i]; i++)
        if (strcmp(keys[i], "value") == 0)
            value = values[i];
    file->is_view |= strcmp(name, "Camera") == 0;
    const struct {
        const char *name;
        double *at;
        int count;
    } known[] = {{"position", file->camera.position, 3}, {"orientation", file->camera.orientation, 4},
                 {"lookAt", file->camera.look_at, 3},    {"fieldOfView", &file->camera.field_of_view, 1},
                 {"distance", &file->distance, 1},       {"zNear", &file->camera.near, 1},
                 {"zFar", &file->camera.far, 1}};
    for (size_t i = 0; value && i < G_N_ELEMENTS(known); i++)
        if (strcmp(name, known[i].name) == 0 && !read_numbers(value, known[i].at, known[i].count) && !file->wrong)
            file->wrong = known[i].name;
    file->has_position |= value && strcmp(name, "position") == 0;
    if (value && strcmp(name, "projectionType") == 0)
        file->camera.orthographic = strcmp(value, "1") == 0 || strcmp(value, "Orthographic") == 0;
}

bool view_file_read(DvCamera *camera, const char *name, DvText *why)
{
    static const GMarkupParser parser = {.start_element = begin_element};
    ViewFile file = {.camera = *camera, .distance = distance_of(camera)};
    GError *error = NULL;
    char *text = NULL;
    gsize length = 0;
    if (g_file_get_contents(name, &text, &length, &error)) {
        GMarkupParseContext *context = g_markup_parse_context_new(&parser, 0, &file, NULL);
        if (g_markup_parse_context_parse(context, text, (gssize)length, &error))
            (void)g_markup_parse_context_end_parse(context, &error);
        g_markup_parse_context_free(context);
    }
    const bool turned = dv_quat_norm(dv_quat_load(file.camera.orientation)) > 1e-6;
    if (error)
        dv_text_add(why, "%s: %s", name, error->message);
    else if (file.wrong || !file.is_view || !file.has_position || !turned || !(file.distance > 0))
        dv_text_add(why, "%s: this is no view: %s", name,
                    file.wrong ? file.wrong : "it takes a Camera with position and orientation");
    const bool good = !error && !file.wrong && file.is_view && file.has_position && turned && file.distance > 0;
    g_clear_error(&error);
    g_free(text);
    if (!good)
        return false;
    *camera = file.camera;
    camera->by_bounds = false;
    camera->fits_clip = true;
    const DvQuat q = dv_quat_normalize(dv_quat_load(file.camera.orientation));
    dv_quat_store(q, camera->orientation);
    dv_vec3_store(dv_vec3_add(dv_vec3_load(camera->position), dv_quat_rotate(q, dv_vec3(0, 0, -file.distance))),
                  camera->look_at);
    return true;
}

static void add_value(DvText *out, const char *name, const double *numbers, int count)
{
    dv_text_add(out, "  <%s value=\"", name);
    for (int i = 0; i < count; i++) {
        dv_text_add(out, i ? " " : "");
        dv_text_add_double(out, numbers[i]);
    }
    dv_text_add(out, "\"/>\n");
}

bool view_file_write(const DvCamera *camera, const char *file, DvText *why)
{
    const double distance = distance_of(camera);
    DvText text = {0}, reason = {0};
    dv_text_add(&text, "<?xml version=\"1.0\"?>\n<Camera version=\"1.0\">\n");
    add_value(&text, "position", camera->position, 3);
    add_value(&text, "orientation", camera->orientation, 4);
    add_value(&text, "fieldOfView", &camera->field_of_view, 1);
    add_value(&text, "distance", &distance, 1);
    add_value(&text, "zNear", &camera->near, 1);
    add_value(&text, "zFar", &camera->far, 1);
    dv_text_add(&text, "  <projectionType value=\"%d\"/>\n</Camera>\n", camera->orthographic);
    const bool good = dv_output_write(file, NULL, text.at, text.length, &reason) == DV_OK;
    if (!good)
        dv_text_add(why, "%s: %s", file, reason.at ? reason.at : "it cannot be written");
    dv_text_free(&reason);
    dv_text_free(&text);
    return good;
}
