/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Types of fields that only loaders have. Values are plain bytes without padding, so that the kernel can copy and
 * compare them. Words are printed as they are; one that is empty or holds blanks is printed with underscores.
 */
#include <divan/kit/mesh_types.h>

#include <divan/kit/array.h>
#include <divan/memory.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void dv_mesh_set_name(char *to, size_t size, const char *name)
{
    memset(to, 0, size);
    for (size_t i = 0; i + 1 < size && name[i]; i++)
        to[i] = name[i];
}

/* A growing array of elements as `parse` functions return them. */
typedef struct Elements {
    DV_ARRAY(char) list; /* of `size` bytes each */
    size_t size;
} Elements;

static void *add_element(Elements *elements)
{
    dv_array_grow(&elements->list, elements->size, (uint64_t)elements->list.count + 1);
    return elements->list.data + elements->list.count++ * elements->size;
}

static DvStatus give(Elements *elements, void **out, size_t *count, DvStatus status)
{
    *out = elements->list.data;
    *count = elements->list.count;
    return status;
}

static bool more(const char **text)
{
    while (**text && (strchr(" \t\r\n", **text)))
        (*text)++;
    return **text != 0;
}

/* Lists of lists */

static void skip_separators(const char **text)
{
    while (**text && strchr(" \t\r\n,", **text))
        (*text)++;
}

/* The next number of a list, of int32_t, uint32_t or double, to `to`, which has room for each. */
static bool read_entry(const DvType *type, const char **text, void *to)
{
    if (type == &dv_mesh_type_real_lists)
        return dv_read_double(text, to);
    return type == &dv_mesh_type_index_lists ? dv_read_int(text, to) : dv_read_uint(text, to);
}

static void print_entry(const DvType *type, const void *value, size_t at, DvText *out)
{
    if (type == &dv_mesh_type_real_lists)
        dv_text_add_double(out, ((const double *)value)[at]);
    else if (type == &dv_mesh_type_index_lists)
        dv_text_add(out, "%" PRId32, ((const int32_t *)value)[at]);
    else
        dv_text_add(out, "%" PRIu32, ((const uint32_t *)value)[at]);
}

/* Entries up to the ']' of a list whose '[' has been read; its length goes before them. False: one is no number. */
static bool read_list(const DvType *type, const char **text, Elements *elements, DvText *problem)
{
    const uint32_t head = elements->list.count;
    (void)add_element(elements);
    for (skip_separators(text); **text && **text != ']'; skip_separators(text)) {
        union {
            int32_t i;
            uint32_t u;
            double d;
        } value;
        if (!read_entry(type, text, &value)) {
            dv_text_add(problem, "no number at '%.16s'", *text);
            elements->list.count = head;
            return false;
        }
        memcpy(add_element(elements), &value, elements->size);
    }
    const uint32_t length = elements->list.count - head - 1;
    const double real_length = length;
    memcpy(elements->list.data + head * elements->size,
           type == &dv_mesh_type_real_lists ? (const void *)&real_length : (const void *)&length, elements->size);
    *text += **text == ']';
    return true;
}

/* Whether the lists stand in brackets of their own, "[[1, 2], [3]]" or "[]", instead of "[1, 2] [3]". */
static bool has_outer_brackets(const char *text)
{
    text++;
    skip_separators(&text);
    if (*text == ']') {
        text++;
        skip_separators(&text);
        return !*text;
    }
    return *text == '[';
}

static DvStatus parse_lists(const DvType *type, const char *text, void **out, size_t *count, DvText *problem)
{
    Elements elements = {.size = type->element_size};
    skip_separators(&text);
    if (!*text)
        return give(&elements, out, count, DV_OK);
    if (*text != '[') {
        dv_text_add(problem, "a list of lists starts with '['");
        return give(&elements, out, count, DV_ERROR_INVALID);
    }
    const bool outer = has_outer_brackets(text);
    text += outer;
    for (skip_separators(&text); *text == '['; skip_separators(&text)) {
        text++;
        if (!read_list(type, &text, &elements, problem))
            return give(&elements, out, count, DV_ERROR_INVALID);
    }
    text += outer && *text == ']';
    const DvStatus status = give(&elements, out, count, DV_OK);
    return status == DV_OK ? dv_read_end(text, problem) : status;
}

static void print_lists(const DvType *type, const void *value, size_t count, DvText *out)
{
    const bool real = type == &dv_mesh_type_real_lists;
    dv_text_add(out, "[");
    for (size_t at = 0; at < count;) {
        const size_t head = at++;
        const size_t length = real ? (size_t)((const double *)value)[head] : (size_t)((const uint32_t *)value)[head];
        dv_text_add(out, head ? ", [" : "[");
        for (size_t i = 0; i < length; i++, at++) {
            dv_text_add(out, i ? ", " : "");
            print_entry(type, value, at, out);
        }
        dv_text_add(out, "]");
    }
    dv_text_add(out, "]");
}

#define LISTS(text, of)                                                                                  \
    {                                                                                                    \
        .size = sizeof(DvType), .name = text, .scalar = DV_SCALAR_OPAQUE, .components = 1, .list = true, \
        .element_size = sizeof(of), .parse = parse_lists, .print = print_lists                           \
    }
const DvType dv_mesh_type_index_lists = LISTS("list of lists of indices", int32_t);
const DvType dv_mesh_type_uint_lists = LISTS("list of lists of unsigned integers", uint32_t);
const DvType dv_mesh_type_real_lists = LISTS("list of lists of reals", double);

#define INDICES(n, text)                                                                                 \
    {                                                                                                    \
        .size = sizeof(DvType), .name = text, .scalar = DV_SCALAR_UINT, .components = (n), .list = true, \
        .element_size = (n) * sizeof(uint32_t)                                                           \
    }
const DvType dv_mesh_type_indices_4 = INDICES(4, "list of 4 indices");
const DvType dv_mesh_type_indices_5 = INDICES(5, "list of 5 indices");
const DvType dv_mesh_type_indices_6 = INDICES(6, "list of 6 indices");
const DvType dv_mesh_type_indices_8 = INDICES(8, "list of 8 indices");

/* Matrices: rows may be separated by commas and the whole be put in brackets. */

static DvStatus parse_matrix(const DvType *type, const char *text, void **out, size_t *count, DvText *problem)
{
    double *value = dv_alloc(16, sizeof *value);
    *out = value;
    *count = 1;
    more(&text);
    text += *text == '[';
    for (int i = 0; i < 16; i++) {
        skip_separators(&text);
        if (!dv_read_double(&text, &value[i])) {
            dv_text_add(problem, "%d numbers of the 16 of a %s", i, type->name);
            return DV_ERROR_INVALID;
        }
    }
    return DV_OK;
}

static void print_matrix(const DvType *type, const void *value, size_t count, DvText *out)
{
    (void)type, (void)count;
    const double *m = value;
    dv_text_add(out, "[");
    for (int i = 0; i < 16; i++) {
        dv_text_add(out, i == 0 ? "" : i % 4 ? " " : ",");
        dv_text_add_double(out, m[i]);
    }
    dv_text_add(out, "]");
}

const DvType dv_mesh_type_matrix_4 = {.size = sizeof(DvType),
                                      .name = "4 x 4 matrix",
                                      .scalar = DV_SCALAR_DOUBLE,
                                      .components = 16,
                                      .element_size = 16 * sizeof(double),
                                      .parse = parse_matrix,
                                      .print = print_matrix};

/* Groups and materials */

static void print_word(DvText *out, const char *word)
{
    if (!*word)
        dv_text_add(out, "_");
    for (; *word; word++)
        dv_text_add(out, *word == ' ' || *word == '\\' ? "\\%c" : "%c", strchr("\t\r\n", *word) ? '_' : *word);
}

bool dv_mesh_read_name(const char **text, char *to, size_t size)
{
    const char *at = *text + strspn(*text, " \t\r\n");
    if (!*at)
        return false;
    const bool empty = at[0] == '_' && (!at[1] || strchr(" \t\r\n", at[1]));
    size_t length = 0;
    for (; *at && !strchr(" \t\r\n", *at); at++) {
        at += at[0] == '\\' && at[1];
        if (length + 1 < size)
            to[length++] = *at;
    }
    memset(to + (empty ? 0 : length), 0, size - (empty ? 0 : length));
    *text = at;
    return true;
}

static DvStatus parse_groups(const DvType *type, const char *text, void **out, size_t *count, DvText *problem)
{
    Elements elements = {.size = type->element_size};
    while (more(&text)) {
        DvGroupValue group = {0};
        if (!dv_mesh_read_name(&text, group.name, sizeof group.name) ||
            !dv_mesh_read_name(&text, group.material, sizeof group.material) ||
            !dv_read_int(&text, &group.material_index) || !dv_read_uint(&text, &group.first) ||
            !dv_read_uint(&text, &group.count)) {
            dv_text_add(problem, "a group is 'name material materialIndex first count'");
            return give(&elements, out, count, DV_ERROR_INVALID);
        }
        memcpy(add_element(&elements), &group, sizeof group);
    }
    return give(&elements, out, count, DV_OK);
}

static void print_groups(const DvType *type, const void *value, size_t count, DvText *out)
{
    (void)type;
    const DvGroupValue *group = value;
    for (size_t i = 0; i < count; i++, group++) {
        dv_text_add(out, i ? " " : "");
        print_word(out, group->name);
        dv_text_add(out, " ");
        print_word(out, group->material);
        dv_text_add(out, " %" PRId32 " %" PRIu32 " %" PRIu32, group->material_index, group->first, group->count);
    }
}

const DvType dv_mesh_type_groups = {.size = sizeof(DvType),
                                    .name = "list of groups",
                                    .scalar = DV_SCALAR_OPAQUE,
                                    .components = 1,
                                    .list = true,
                                    .element_size = sizeof(DvGroupValue),
                                    .parse = parse_groups,
                                    .print = print_groups};

static const DvMaterialValue plain = {.diffuse = {0.75, 0.75, 0.75, 1},
                                      .ambient = {0.2, 0.2, 0.2, 1},
                                      .specular = {1, 1, 1, 1},
                                      .emissive = {0, 0, 0, 0},
                                      .shininess = 45,
                                      .use = {1, 1, 0, 0, 0},
                                      .name = "Default"};

static const char *const parts[5] = {"Diffuse", "Ambient", "Specular", "Emissive", "Shininess"};

/* One part's keyword: its number, or -1. The first letter may be small. */
static int part_of(const char *word)
{
    for (int part = 0; part < 5; part++)
        if (*word && (*word | 0x20) == (parts[part][0] | 0x20) && strcmp(word + 1, parts[part] + 1) == 0)
            return part;
    return -1;
}

static bool parse_material_at(const char **text, DvMaterialValue *material)
{
    *material = plain;
    memset(material->name, 0, sizeof material->name);
    if (!dv_read_word(text, material->name, sizeof material->name))
        return false;
    for (int read = 0; read < 5; read++) {
        char word[32];
        int32_t use;
        const int part = dv_read_word(text, word, sizeof word) ? part_of(word) : -1;
        if (part < 0 || !dv_read_int(text, &use))
            return false;
        double *const values[5] = {material->diffuse, material->ambient, material->specular, material->emissive,
                                   &material->shininess};
        material->use[part] = use != 0;
        for (int i = 0; i < (part == 4 ? 1 : 4); i++)
            if (!dv_read_double(text, &values[part][i]))
                return false;
    }
    return true;
}

static DvStatus parse_materials(const DvType *type, const char *text, void **out, size_t *count, DvText *problem)
{
    Elements elements = {.size = type->element_size};
    do {
        DvMaterialValue material;
        if (!more(&text) && type->list)
            break;
        if (!parse_material_at(&text, &material)) {
            dv_text_add(
                problem,
                "a material is a name, then Diffuse, Ambient, Specular, Emissive (0 or 1, red green blue alpha) "
                "and Shininess (0 or 1, value)");
            if (!type->list)
                memcpy(add_element(&elements), &plain, sizeof plain);
            return give(&elements, out, count, DV_ERROR_INVALID);
        }
        memcpy(add_element(&elements), &material, sizeof material);
    } while (type->list);
    return give(&elements, out, count, DV_OK);
}

static void print_materials(const DvType *type, const void *value, size_t count, DvText *out)
{
    (void)type;
    const DvMaterialValue *material = value;
    for (size_t i = 0; i < count; i++, material++) {
        const double *const values[5] = {material->diffuse, material->ambient, material->specular, material->emissive,
                                         &material->shininess};
        dv_text_add(out, i ? " " : "");
        print_word(out, material->name);
        for (int part = 0; part < 5; part++) {
            dv_text_add(out, " %s %d", parts[part], material->use[part] ? 1 : 0);
            for (int k = 0; k < (part == 4 ? 1 : 4); k++) {
                dv_text_add(out, " ");
                dv_text_add_double(out, values[part][k]);
            }
        }
    }
}

const DvType dv_mesh_type_material = {.size = sizeof(DvType),
                                      .name = "material",
                                      .scalar = DV_SCALAR_OPAQUE,
                                      .components = 1,
                                      .element_size = sizeof(DvMaterialValue),
                                      .blank = &plain,
                                      .parse = parse_materials,
                                      .print = print_materials};
const DvType dv_mesh_type_materials = {.size = sizeof(DvType),
                                       .name = "list of materials",
                                       .scalar = DV_SCALAR_OPAQUE,
                                       .components = 1,
                                       .list = true,
                                       .element_size = sizeof(DvMaterialValue),
                                       .blank = &plain,
                                       .parse = parse_materials,
                                       .print = print_materials};
