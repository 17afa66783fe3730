/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The reader of .rigid files. After a first line that is skipped, keywords with numbers:
 *   inrt 9   inertia per unit of mass, by rows        vertexMass 1   mass
 *   volm 1, center 3 (cntr), frme 4, grav 3, visc, stck, step, prec 1: read and not used        # comment
 */
#include "rigid_file.h"

#include <stdio.h>
#include <string.h>

#include <divan/kit/path_hint.h>
#include <divan/memory.h>

/* The whole file with a zero behind it, or NULL. Such files hold a few lines: more than 1 MiB is refused. */
static char *read_text(const char *file)
{
    FILE *in = fopen(file, "rb");
    if (!in)
        return NULL;
    const size_t limit = 1u << 20;
    char *text = dv_alloc(limit + 1, 1);
    const size_t length = fread(text, 1, limit, in);
    text[length] = '\0';
    (void)fclose(in);
    return text;
}

static void skip_line(const char **text)
{
    *text += strcspn(*text, "\n");
}

static bool read_numbers(const char **text, double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!dv_read_double(text, &numbers[i]))
            return false;
    return true;
}

DvStatus rigid_file_read(DvData *field, const DvDofType *dof, DvBodyMass *body, bool *has_mass, bool *has_inertia)
{
    static const struct {
        const char *word;
        size_t numbers;
    } keywords[] = {{"inrt", 9}, {"vertexMass", 1}, {"cntr", 3}, {"center", 3}, {"volm", 1}, {"frme", 4},
                    {"grav", 3}, {"visc", 1},       {"stck", 1}, {"step", 1},   {"prec", 1}};
    *has_mass = *has_inertia = false;
    const char *file = dv_data_file(field);
    char *content = file ? read_text(file) : NULL;
    if (!content)
        return dv_field_error(field, -1, "no file '%s' in the folder of the scene or in DIVAN_DATA_PATH%s",
                              dv_data_string(field), dv_path_hint(dv_data_string(field)));
    const char *text = content;
    char word[32];
    double mass = body->mass;
    bool used = false;
    DvStatus status = DV_OK;
    skip_line(&text);
    while (status == DV_OK && dv_read_word(&text, word, sizeof word)) {
        size_t k = 0;
        while (k < sizeof keywords / sizeof *keywords && strcmp(word, keywords[k].word) != 0)
            k++;
        double numbers[9];
        if (word[0] == '#') {
            skip_line(&text);
        } else if (k == sizeof keywords / sizeof *keywords) {
            dv_field_warning(field, -1, "file '%s': '%s' is not a line of a .rigid file and is skipped", file, word);
            skip_line(&text);
        } else if (!read_numbers(&text, numbers, keywords[k].numbers)) {
            status = dv_field_error(field, -1, "file '%s': %zu number%s must follow '%s'", file, keywords[k].numbers,
                                    keywords[k].numbers == 1 ? "" : "s", word);
        } else if (k == 0) {
            memcpy(body->inertia, numbers, sizeof numbers);
            *has_inertia = used = true;
        } else if (k == 1) {
            mass = numbers[0];
            *has_mass = used = true;
        }
    }
    dv_free(content);
    if (status == DV_OK && !used)
        status =
            dv_field_error(field, -1, "file '%s' is no .rigid file: neither 'inrt' nor 'vertexMass' is in it", file);
    if (status == DV_OK)
        dv_body_mass_set(dof, body, mass);
    return status;
}
