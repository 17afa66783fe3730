/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Spring files: text that starts with "Xsp 3.0" or "Xsp 4.0" (mass-spring files of the 1990s). Of its lines only the springs matter,
 *   lspg index m1 m2 ks kd rest [rx ry rz in 4.0]
 * with masses counted from 1. A rest length of -1 stands for the distance of the two masses in the file; ks and kd are then divided
 * by it. Known lines about masses, gravity, viscosity and steps are passed over; anything else is an error with its line.
 */
#include "forcefield/spring/springs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 1024 };

typedef struct Reader {
    DvData *field;
    const char *path;
    int line;
    double version;
    double (*mass)[3];
    size_t masses, mass_capacity;
    LinearSpring *list;
    size_t count, capacity;
} Reader;

static DvStatus fault(const Reader *r, const char *what)
{
    return dv_field_error(r->field, -1, "%s:%d: %s", r->path, r->line, what);
}

static DvStatus read_mass(Reader *r, const char *text)
{
    uint32_t index;
    char kind[8];
    double p[3];
    if (!dv_read_uint(&text, &index) || !dv_read_word(&text, kind, sizeof kind) || !dv_read_double(&text, &p[0]) ||
        !dv_read_double(&text, &p[1]) || !dv_read_double(&text, &p[2]))
        return fault(r, "a mass is 'mass index s|v px py pz ...'");
    if (r->masses == r->mass_capacity) {
        const size_t larger = r->mass_capacity > 0 ? 2 * r->mass_capacity : 64;
        r->mass = dv_realloc(r->mass, r->mass_capacity * sizeof *r->mass, larger * sizeof *r->mass);
        r->mass_capacity = larger;
    }
    memcpy(r->mass[r->masses++], p, sizeof p);
    return DV_OK;
}

static DvStatus read_spring(Reader *r, const char *text)
{
    uint32_t index, a, b;
    LinearSpring s = {.enabled = 1};
    if (!dv_read_uint(&text, &index) || !dv_read_uint(&text, &a) || !dv_read_uint(&text, &b) ||
        !dv_read_double(&text, &s.stiffness) || !dv_read_double(&text, &s.damping) ||
        !dv_read_double(&text, &s.rest_length))
        return fault(r, "a spring is 'lspg index m1 m2 ks kd rest'");
    if (a == 0 || b == 0)
        return fault(r, "masses are counted from 1");
    s.a = a - 1;
    s.b = b - 1;
    if (s.rest_length == -1.0) {
        if (s.a >= r->masses || s.b >= r->masses)
            return fault(r, "a rest length of -1 needs both masses before the spring");
        const double length = springs_length(r->mass[s.a], r->mass[s.b], 3);
        if (!(length > 0.0))
            return fault(r, "the masses of a spring are at the same place");
        s.rest_length = length;
        s.stiffness /= length;
        s.damping /= length;
    }
    if (r->count == r->capacity) {
        const size_t larger = r->capacity > 0 ? 2 * r->capacity : 64;
        r->list = dv_realloc(r->list, r->capacity * sizeof *r->list, larger * sizeof *r->list);
        r->capacity = larger;
    }
    r->list[r->count++] = s;
    return DV_OK;
}

static DvStatus read_line(Reader *r, const char *text)
{
    static const char *const passed_over[] = {"numm", "nums", "grav", "visc", "step", "frce"};
    char word[16];
    if (!dv_read_word(&text, word, sizeof word) || word[0] == '#')
        return DV_OK;
    if (r->version == 0.0) {
        if (strcmp(word, "Xsp") != 0 || !dv_read_double(&text, &r->version) || (r->version != 3.0 && r->version != 4.0))
            return fault(r, "a spring file starts with 'Xsp 3.0' or 'Xsp 4.0'");
        return DV_OK;
    }
    if (strcmp(word, "mass") == 0)
        return read_mass(r, text);
    if (strcmp(word, "lspg") == 0)
        return read_spring(r, text);
    for (size_t i = 0; i < sizeof passed_over / sizeof *passed_over; i++)
        if (strcmp(word, passed_over[i]) == 0)
            return DV_OK;
    return fault(r, "unknown keyword; mass, lspg, numm, nums, grav, visc, step, frce and # are known");
}

LinearSpring *springs_read_file(DvData *field, const LinearSpring *list, size_t count, size_t *out_count)
{
    Reader r = {.field = field, .path = dv_data_file(field)};
    FILE *file = r.path ? fopen(r.path, "r") : NULL;
    if (!file) {
        dv_field_error(field, -1, "cannot read the file '%s'", dv_data_string(field));
        return NULL;
    }
    r.list = dv_alloc(count + 64, sizeof *r.list);
    r.capacity = count + 64;
    r.count = count;
    if (count > 0)
        memcpy(r.list, list, count * sizeof *list);
    char line[LINE];
    DvStatus status = DV_OK;
    while (status == DV_OK && fgets(line, sizeof line, file)) {
        r.line++;
        if (!strchr(line, '\n') && strlen(line) == sizeof line - 1)
            status = fault(&r, "the line is too long");
        else
            status = read_line(&r, line);
    }
    if (status == DV_OK && r.version == 0.0)
        status = fault(&r, "a spring file starts with 'Xsp 3.0' or 'Xsp 4.0'");
    fclose(file);
    dv_free(r.mass);
    if (status != DV_OK) {
        dv_free(r.list);
        return NULL;
    }
    *out_count = r.count;
    return r.list;
}
