/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rows of fields.tsv and their scenes, for tests that go over all engines.
 */
#ifndef DIVAN_TESTS_FIELD_ROWS_H
#define DIVAN_TESTS_FIELD_ROWS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/divan.h>

static char folder[1024]; /* of the tables: tests/fields */

static inline void find_folder(void)
{
    snprintf(folder, sizeof folder, "%s/tests/fields", getenv("DIVAN_TEST_SOURCE_ROOT"));
}

static inline char *contents(const char *name)
{
    char path[2048];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long length = ftell(file);
    rewind(file);
    char *text = calloc((size_t)length + 1, 1);
    assert_int_equal(fread(text, 1, (size_t)length, file), length);
    fclose(file);
    return text;
}

enum { CLASSES, FIELD, SCENE, VALUE, WITH, CELLS };
typedef struct Row {
    char *cell[CELLS];
} Row;
typedef struct Table {
    char *text;
    Row *at;
    size_t count;
} Table;

static inline void read_table(Table *table, const char *name)
{
    static char none[] = "";
    char *rest = table->text = contents(name);
    assert_non_null(rest);
    for (char *line; (line = strsep(&rest, "\n"));) {
        if (!*line || *line == '#')
            continue;
        table->at = realloc(table->at, (table->count + 1) * sizeof *table->at);
        Row *row = &table->at[table->count++];
        for (int i = 0; i < CELLS; i++) {
            char *cell = strsep(&line, "\t");
            row->cell[i] = cell ? cell : none;
        }
    }
}

static inline bool has_name(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += length)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || !at[length]))
            return true;
    return false;
}

/* ---- scenes ---- */

/* Attributes of an element, up to its end, but those that are in `given` already. */
static inline void add_attributes(DvText *all, const char *at, const DvText *given)
{
    while (*at && *at != '>' && *at != '/') {
        const char *equals = strchr(at, '='), *end = equals ? strchr(equals + 2, '"') : NULL;
        if (*at == ' ' || !end) {
            at++;
            continue;
        }
        char attribute[128];
        snprintf(attribute, sizeof attribute, " %.*s=\"", (int)(equals - at), at);
        if (!strstr(given->at, attribute))
            dv_text_add(all, " %.*s", (int)(end + 1 - at), at);
        at = end + 1;
    }
}

/* The scene of a row, where `$class` stands for the class: of the object `it` the attributes `with`, then those of the row, then those
 * of the scene, each once. */
static inline DvStatus try_row(const Row *row, const char *class_name, const char *with, DvScene **scene)
{
    char name[256];
    snprintf(name, sizeof name, "%.*s.scn", (int)strcspn(row->cell[SCENE], "!?"), row->cell[SCENE]);
    char *text = contents(name), *rest = text;
    assert_non_null(text);
    DvText out = {0}, given = {0}, all = {0};
    for (char *found; (found = strstr(rest, "$class")); rest = found + strlen("$class"))
        dv_text_add(&out, "%.*s%s", (int)(found - rest), rest, class_name);
    dv_text_add(&out, "%s", rest);
    free(text);
    char *it = strstr(out.at, "name=\"it\"");
    assert_non_null(it);
    dv_text_add(&given, " %s", with);
    add_attributes(&given, row->cell[WITH], &given);
    dv_text_add(&all, "%.*sname=\"it\"%s", (int)(it - out.at), out.at, given.at);
    add_attributes(&all, it + strlen("name=\"it\""), &given);
    const char *close = strpbrk(it, ">");
    dv_text_add(&all, "%s%s", close[-1] == '/' ? "/" : "", close);
    *scene = NULL;
    const DvStatus status = dv_scene_load_text(all.at, strlen(all.at), "scene.scn", folder, NULL, scene);
    dv_text_free(&out), dv_text_free(&given), dv_text_free(&all);
    return status;
}

static inline DvScene *load_row(const Row *row, const char *class_name, const char *with)
{
    DvScene *scene;
    if (try_row(row, class_name, with, &scene) != DV_OK)
        fail_msg("%s, %s in %s.scn does not load", class_name, row->cell[FIELD], row->cell[SCENE]);
    return scene;
}

static inline DvVisit look_for_it(DvNode *node, void *context)
{
    DvObject **it = context, *object;
    for (size_t i = 0; !*it && (object = dv_node_member(node, i)); i++)
        if (strcmp(dv_object_name(object), "it") == 0)
            *it = object;
    return *it ? DV_VISIT_STOP : DV_VISIT_CONTINUE;
}

static inline DvObject *find_it(DvScene *scene)
{
    DvObject *it = NULL;
    dv_visit(dv_scene_root(scene), &(const DvVisitor){.top_down = look_for_it, .enters_sleeping = true}, &it);
    assert_non_null(it);
    return it;
}

#endif
