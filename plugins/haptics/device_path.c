/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "device_path.h"

#include <divan/kit/path_hint.h>
#include <divan/memory.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void device_path_free(DevicePath *path)
{
    dv_free(path->places);
    *path = (DevicePath){0};
}

static PathPlace *add_place(DevicePath *path)
{
    if (path->count == path->capacity) {
        const uint32_t more = 2 * path->capacity + 16;
        path->places = dv_realloc(path->places, path->capacity * sizeof(PathPlace), more * sizeof(PathPlace));
        path->capacity = more;
    }
    PathPlace *place = &path->places[path->count++];
    *place = (PathPlace){.orientation = {0, 0, 0, 1}};
    return place;
}

/* Numbers of a line, blanks or commas between them; how many, or -1: there is something else. */
static int read_numbers(const char *line, double *numbers, int capacity)
{
    int count = 0;
    for (;;) {
        line += strspn(line, " \t\r\n,");
        if (!*line || *line == '#')
            return count;
        char *end;
        const double number = strtod(line, &end);
        if (end == line || count == capacity || !isfinite(number))
            return -1;
        numbers[count++] = number;
        line = end;
    }
}

/* The rotation vector of a place, of all that mean the same the nearest to that of the place before. */
static void choose_turn(const DevicePath *path, PathPlace *place)
{
    DvVec3 turn = dv_quat_to_rotation_vector(dv_quat_load(place->orientation));
    const double angle = dv_vec3_norm(turn);
    if (path->count > 1 && angle > 1e-9) {
        const DvVec3 before = dv_vec3_load(path->places[path->count - 2].turn), axis = dv_vec3_scale(turn, 1.0 / angle);
        const double turns = floor((dv_vec3_dot(before, axis) - angle) / (2.0 * DV_PI) + 0.5);
        turn = dv_vec3_scale(axis, angle + 2.0 * DV_PI * turns);
    }
    dv_vec3_store(turn, place->turn);
}

static const char *set_place(DevicePath *path, const double *numbers, int count, bool with_turn, bool with_buttons)
{
    PathPlace *place = add_place(path);
    place->time = numbers[0];
    if (path->count > 1 && !(place->time > path->places[path->count - 2].time))
        return "its time is not after that of the line above";
    memcpy(place->position, numbers + 1, sizeof place->position);
    if (with_turn) {
        const DvQuat q = dv_quat_load(numbers + 4);
        if (!(dv_quat_norm(q) > 1e-6))
            return "its quaternion has no length";
        dv_quat_store(fabs(dv_quat_norm(q) - 1.0) < 1e-12 ? q : dv_quat_normalize(q), place->orientation);
    }
    if (with_buttons) {
        const double buttons = numbers[count - 1];
        if (!(buttons >= 0.0 && buttons <= UINT32_MAX) || buttons != floor(buttons))
            return "its buttons are no sum of 1, 2, 4...";
        place->buttons = (uint32_t)buttons;
    }
    choose_turn(path, place);
    return NULL;
}

/* NULL, or what is wrong. */
static const char *read_path_line(DevicePath *path, const char *line)
{
    double numbers[9];
    const int count = read_numbers(line, numbers, 9);
    if (count == 0)
        return NULL;
    if (count != 4 && count != 5 && count != 8 && count != 9)
        return "expected a time, x y z, then if need be a quaternion and the sum of the buttons: 4, 5, 8 or 9 numbers";
    return set_place(path, numbers, count, count >= 8, count == 5 || count == 9);
}

static const char *read_log_line(DevicePath *path, const char *line, const char *device)
{
    const size_t length = strlen(device);
    const char *comma = strchr(line, ',');
    double numbers[16];
    if (!comma || (strncmp(line, "device,", 7) == 0 && path->count == 0))
        return comma || !line[strspn(line, " \t\r\n")] ? NULL : "expected device,tick,time,...";
    if ((size_t)(comma - line) != length || strncmp(line, device, length) != 0)
        return NULL;
    if (read_numbers(comma + 1, numbers, 16) != 16)
        return "expected 17 entries, as divan run --haptics-log writes";
    return set_place(path, numbers + 1, 9, true, true);
}

static DvStatus read_lines(DvData *field, FILE *file, const char *device, DevicePath *path)
{
    char *line = NULL;
    size_t room = 0;
    const char *wrong = NULL;
    unsigned number = 0;
    while (!wrong && getline(&line, &room, file) >= 0) {
        number++;
        wrong = device ? read_log_line(path, line, device) : read_path_line(path, line);
    }
    free(line);
    if (wrong)
        return dv_field_error(field, -1, "'%s', line %u: %s", dv_data_string(field), number, wrong);
    if (path->count == 0)
        return dv_field_error(field, -1,
                              device ? "'%s' has no line of a device '%s'" : "'%s' has no place where to go%.0s",
                              dv_data_string(field), device ? device : "");
    return DV_OK;
}

DvStatus device_path_read(DvData *field, const char *device, DevicePath *path)
{
    const char *name = dv_data_file(field);
    FILE *file = name ? fopen(name, "re") : NULL;
    device_path_free(path);
    if (!file) {
        (void)dv_field_error(field, -1, "no file '%s' in the folder of the scene or in DIVAN_DATA_PATH%s",
                             dv_data_string(field), dv_path_hint(dv_data_string(field)));
        return DV_ERROR_NOT_FOUND;
    }
    const DvStatus status = read_lines(field, file, device, path);
    (void)fclose(file);
    return status;
}

uint32_t device_path_find(const DevicePath *path, double time)
{
    uint32_t low = 0, high = path->count;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (path->places[middle].time <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? low - 1 : path->count > 0 ? 0 : UINT32_MAX;
}
