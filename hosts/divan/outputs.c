/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * divan probe --outputs: what engines and loaders have computed, after initialisation and after the last step.
 */
#include "host.h"

#include <string.h>

#include <divan/contracts/topology.h>

static void add_number(GString *words, const DvType *type, const char *at, size_t index)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    switch (type->scalar) {
    case DV_SCALAR_BOOL:
        g_string_append(words, ((const bool *)at)[index] ? " 1" : " 0");
        break;
    case DV_SCALAR_INT:
        g_string_append_printf(words, " %d", ((const int32_t *)(const void *)at)[index]);
        break;
    case DV_SCALAR_UINT:
        g_string_append_printf(words, " %u", ((const uint32_t *)(const void *)at)[index]);
        break;
    default:
        g_ascii_formatd(digits, sizeof digits, "%.17g", ((const double *)(const void *)at)[index]);
        g_string_append_printf(words, " %s", digits);
    }
}

/* Of a text: lists within brackets lose the outer ones, names that are empty ("_") are no words. */
static void add_text(GString *words, char *text, bool lists)
{
    const size_t length = strlen(text);
    if (lists && length > 1 && text[0] == '[' && text[length - 1] == ']')
        text[0] = text[length - 1] = ' ';
    for (const char *at = text; *at; at++)
        if (lists && strchr("[]", *at))
            g_string_append_printf(words, " %c ", *at);
        else
            g_string_append_c(words, lists && *at == ',' ? ' ' : *at);
}

static void add_words(GString *words, DvData *data)
{
    const DvType *type = data->type;
    const void *value = dv_data_read(data);
    if (type->scalar == DV_SCALAR_STRING) {
        for (size_t i = 0; i < data->count; i++) {
            g_string_append_c(words, ' ');
            g_string_append(words, ((char *const *)value)[i]);
        }
    } else if (type->scalar != DV_SCALAR_OPAQUE) {
        for (size_t i = 0; i < data->count * type->components; i++)
            add_number(words, type, value, i);
    } else {
        DvText text = {0};
        dv_data_print(data, &text);
        if (text.length)
            add_text(words, text.at, text.at[0] == '[');
        dv_text_free(&text);
    }
}

static void print_field(FILE *file, const char *path, DvData *data)
{
    GString *words = g_string_new(NULL);
    add_words(words, data);
    char **word = g_strsplit_set(words->str, " \t\r\n", -1);
    size_t count = 0;
    const bool opaque = data->type->scalar == DV_SCALAR_OPAQUE;
    g_string_truncate(words, 0);
    for (char **at = word; *at; at++) {
        const size_t length = strlen(*at);
        if (length == 0 || (opaque && strcmp(*at, "_") == 0))
            continue;
        if (opaque && (*at)[length - 1] == '\\')
            (*at)[length - 1] = '\0'; /* the word goes on behind a blank */
        count += !(opaque && (strcmp(*at, "[") == 0 || strcmp(*at, "]") == 0));
        g_string_append_printf(words, " %s", *at);
    }
    g_strfreev(word);
    fprintf(file, "DATA %s.%s %zu%s\n", path, data->field->name, count, words->str);
    g_string_free(words, TRUE);
}

/* "/node/object" with %20 for blanks, and "#2" behind the second object of this path. */
static char *printed_path(GHashTable *paths, const DvObject *object)
{
    GString *path = g_string_new(NULL);
    for (const char *at = dv_object_path(object); *at; at++)
        if (*at == '%' || (unsigned char)*at <= ' ' || *at == 0x7f)
            g_string_append_printf(path, "%%%02X", (unsigned)(unsigned char)*at);
        else
            g_string_append_c(path, *at);
    const int rank = GPOINTER_TO_INT(g_hash_table_lookup(paths, path->str)) + 1;
    g_hash_table_insert(paths, g_strdup(path->str), GINT_TO_POINTER(rank));
    if (rank > 1)
        g_string_append_printf(path, "#%d", rank);
    return g_string_free(path, FALSE);
}

static void print_object(FILE *file, GHashTable *paths, DvObject *object)
{
    char *path = printed_path(paths, object);
    const DvClass *cls = dv_object_class(object);
    const char *variant = dv_object_variant(object);
    fprintf(file, "OBJECT %s %s%s%s\n", path, cls->name, *variant ? " " : "", variant);
    for (size_t i = 0; i < dv_object_field_count(object); i++) {
        DvData *data = dv_object_field_at(object, i);
        if (data->field->flags & DV_FIELD_OUTPUT)
            print_field(file, path, data);
    }
    g_free(path);
}

/* Loaders, and what computes fields of its own. */
static bool has_outputs(const DvObject *object)
{
    if (dv_object_ops(object, DV_LOADER))
        return true;
    for (size_t i = 0; dv_object_class(object)->update && i < dv_object_field_count(object); i++)
        if (dv_object_field_at(object, i)->field->flags & DV_FIELD_OUTPUT)
            return true;
    return false;
}

static void print_node(FILE *file, GHashTable *paths, const DvNode *node)
{
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++)
        if (has_outputs(object))
            print_object(file, paths, object);
    const DvNode *child;
    for (size_t i = 0; (child = dv_node_child(node, i)); i++)
        print_node(file, paths, child);
}

void host_dump_outputs(Dump *dump, DvScene *scene)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    GHashTable *paths = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_ascii_formatd(digits, sizeof digits, "%.17g", dv_node_time(dv_scene_root(scene)));
    fprintf(dump->file, "STEP %" G_GUINT64_FORMAT " %s\n", dv_scene_steps(scene), digits);
    print_node(dump->file, paths, dv_scene_root(scene));
    g_hash_table_unref(paths);
}
