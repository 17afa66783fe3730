/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A material as text is its name, then five parts in any order: Diffuse, Ambient, Specular, Emissive with use (0 or 1) and red green
 * blue alpha, Shininess with use and value. A group is nine words: name, material, its number, then first and count of edges,
 * triangles and quads; the number -1 is the surface's own material.
 */
#include "surface_look.h"

#include <math.h>
#include <string.h>

#include <divan/kit/path_hint.h>
#include <divan/memory.h>
#include <divan/type.h>

enum { MATERIAL_PARTS = 5, GROUP_WORDS = 9, MOST_SHININESS = 128 };

static const char *const part_names[MATERIAL_PARTS] = {"Diffuse", "Ambient", "Specular", "Emissive", "Shininess"};

/* Words one after the other, of one text or of a list. */
typedef struct Words {
    char *const *at;
    size_t count, next;
    const char *text; /* instead of the list, when not NULL */
    char word[256];
} Words;

static const char *next_word(Words *words)
{
    if (words->text)
        return dv_read_word(&words->text, words->word, sizeof words->word) ? words->word : NULL;
    return words->next < words->count ? words->at[words->next++] : NULL;
}

static bool next_number(Words *words, double *number)
{
    const char *word = next_word(words);
    return word && dv_read_double(&word, number) && !*word;
}

/* Its number, or -1. The first letter may be small. */
static int part_of(const char *word)
{
    for (int part = 0; part < MATERIAL_PARTS; part++)
        if ((word[0] | 0x20) == (part_names[part][0] | 0x20) && word[0] && strcmp(word + 1, part_names[part] + 1) == 0)
            return part;
    return -1;
}

static bool read_part(Words *words, DvMaterial *material, bool *dull)
{
    const char *word = next_word(words);
    const int part = word ? part_of(word) : -1;
    double *const colors[] = {material->diffuse, material->ambient, material->specular, material->emissive}, use,
                  value[4];
    if (part < 0 || !next_number(words, &use))
        return false;
    const size_t numbers = part == 4 ? 1 : 4;
    for (size_t i = 0; i < numbers; i++)
        if (!next_number(words, &value[i]))
            return false;
    if (part == 4) {
        material->shininess = use != 0 ? fmin(value[0], MOST_SHININESS) : 45;
        *dull = material->shininess <= 0;
    } else {
        for (int i = 0; i < 4; i++)
            colors[part][i] = use != 0 ? value[i] : i == 3;
    }
    return true;
}

/* As far as it can be read; false: not to its end. `name` takes the name. */
static bool read_material(Words *words, DvMaterial *material, char **name)
{
    bool dull = false, good = true;
    *material = (DvMaterial){.diffuse = {0.75, 0.75, 0.75, 1},
                             .ambient = {0.2, 0.2, 0.2, 1},
                             .specular = {0, 0, 0, 1},
                             .emissive = {0, 0, 0, 1},
                             .shininess = 45};
    *name = dv_strdup(next_word(words));
    for (int i = 0; good && *name && i < MATERIAL_PARTS; i++)
        good = read_part(words, material, &dull);
    if (dull) { /* no shininess is no highlight */
        memcpy(material->specular, (const double[4]){0, 0, 0, 1}, sizeof material->specular);
        material->shininess = 1;
    }
    return good && *name;
}

static void free_parts(LookPart *parts, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        dv_free(parts[i].name);
        dv_free(parts[i].texture);
    }
    dv_free(parts);
}

/* Number of the material among all, the surface's own being 0. */
static uint32_t number_of(const SurfaceLook *look, const char *material)
{
    for (uint32_t i = 0; *material && i < look->file_count; i++)
        if (strcmp(look->file[i].name, material) == 0)
            return i + 1;
    return 0;
}

void surface_look_take_mesh(SurfaceLook *look, const DvMeshView *mesh)
{
    if (!mesh->material_count)
        return;
    free_parts(look->file, look->file_count);
    dv_free(look->file_groups);
    look->file = dv_alloc(mesh->material_count, sizeof *look->file);
    look->file_count = mesh->material_count;
    look->file_groups = dv_alloc(mesh->group_count, sizeof *look->file_groups);
    look->file_group_count = 0;
    look->version = 0;
    for (uint32_t i = 0; i < mesh->material_count; i++) {
        const DvMeshMaterial *from = &mesh->materials[i];
        LookPart *part = &look->file[i];
        *part = (LookPart){.name = dv_strdup(from->name), .texture = dv_strdup(from->texture)};
        memcpy(part->material.ambient, from->ambient, sizeof from->ambient);
        memcpy(part->material.diffuse, from->diffuse, sizeof from->diffuse);
        memcpy(part->material.specular, from->specular, sizeof from->specular);
        memcpy(part->material.emissive, from->emissive, sizeof from->emissive);
        part->material.shininess = from->shininess;
    }
    for (uint32_t i = 0; i < mesh->group_count; i++) {
        const DvMeshGroup *from = &mesh->groups[i];
        DvSurfaceGroup group = {.material = number_of(look, from->material)};
        if (from->kind == DV_TRIANGLES)
            group.first_triangle = from->first, group.triangles = from->count;
        else if (from->kind == DV_QUADS)
            group.first_quad = from->first, group.quads = from->count;
        else if (from->kind == DV_EDGES)
            group.first_edge = from->first, group.edges = from->count;
        else
            continue;
        look->file_groups[look->file_group_count++] = group;
    }
}

static LookPart *add_part(SurfaceLook *look)
{
    look->parts = dv_realloc(look->parts, look->count * sizeof *look->parts, (look->count + 1) * sizeof *look->parts);
    return &look->parts[look->count++];
}

/* The materials and groups that the scene writes, if it writes groups. */
static bool read_groups(SurfaceLook *look, const LookFields *fields)
{
    Words materials = {0}, words = {0};
    words.at = dv_data_strings(fields->groups, &words.count);
    if (!words.count)
        return false;
    materials.at = dv_data_strings(fields->materials, &materials.count);
    while (materials.next < materials.count) {
        LookPart *part = add_part(look);
        if (read_material(&materials, &part->material, &part->name))
            continue;
        dv_field_remark(fields->materials, -1, "material %u, '%s', is not to be read: %s", look->count - 2,
                        part->name ? part->name : "",
                        "name, then Diffuse, Ambient, Specular, Emissive: use and colour, Shininess: use and value");
        break;
    }
    look->groups = dv_alloc(words.count / GROUP_WORDS + 1, sizeof *look->groups);
    for (; words.next + GROUP_WORDS <= words.count; look->group_count++) {
        uint32_t number[7] = {0};
        words.next += 2; /* its names */
        for (int i = 0; i < 7; i++) {
            double value = -1;
            if (!next_number(&words, &value))
                dv_field_remark(fields->groups, -1, "'%s' is no number: 0 counts", words.at[words.next - 1]);
            else if (value >= 0 && value < UINT32_MAX)
                number[i] = (uint32_t)value + (i == 0);
        }
        look->groups[look->group_count] = (DvSurfaceGroup){
            .material = number[0] < look->count ? number[0] : 0,
            .first_edge = number[1],
            .edges = number[2],
            .first_triangle = number[3],
            .triangles = number[4],
            .first_quad = number[5],
            .quads = number[6],
        };
    }
    return true;
}

/* The materials and groups of the file; the first that is used is the surface's own when it has none. */
static void take_file(SurfaceLook *look, const LookFields *fields)
{
    for (uint32_t i = 0; i < look->file_count; i++) {
        LookPart *part = add_part(look);
        *part = (LookPart){.material = look->file[i].material,
                           .name = dv_strdup(look->file[i].name),
                           .texture = dv_strdup(look->file[i].texture)};
    }
    look->groups = dv_alloc(look->file_group_count, sizeof *look->groups);
    look->group_count = look->file_group_count;
    if (look->group_count)
        memcpy(look->groups, look->file_groups, look->group_count * sizeof *look->groups);
    for (uint32_t i = 0; i < look->group_count && !dv_data_is_set(fields->material); i++) {
        const uint32_t first = look->groups[i].material;
        if (!first)
            continue;
        look->parts[0].material = look->parts[first].material;
        if (!look->parts[0].texture)
            look->parts[0].texture = dv_strdup(look->parts[first].texture);
        break;
    }
}

static void make(SurfaceLook *look, const LookFields *fields)
{
    free_parts(look->parts, look->count);
    dv_free(look->groups);
    dv_free(look->materials);
    look->parts = NULL;
    look->groups = NULL;
    look->count = look->group_count = 0;
    LookPart *own = add_part(look);
    Words words = {.text = dv_data_string(fields->material)};
    if (!read_material(&words, &own->material, &own->name))
        dv_field_remark(fields->material, -1, "is not to be read to its end: %s",
                        "name, then Diffuse, Ambient, Specular, Emissive: use and colour, Shininess: use and value");
    own->texture = *dv_data_string(fields->texture) ? dv_strdup(dv_data_file(fields->texture)) : NULL;
    if (*dv_data_string(fields->texture) && !own->texture)
        dv_field_remark(fields->texture, -1, "no file '%s' in the folder of the scene or in DIVAN_DATA_PATH%s",
                        dv_data_string(fields->texture), dv_path_hint(dv_data_string(fields->texture)));
    if (!read_groups(look, fields))
        take_file(look, fields);
    look->materials = dv_alloc(look->count, sizeof *look->materials);
    for (uint32_t i = 0; i < look->count; i++) {
        look->materials[i] = look->parts[i].material;
        look->materials[i].texture = look->parts[i].texture;
    }
}

void surface_look_view(SurfaceLook *look, const LookFields *fields, DvSurfaceView *view)
{
    const uint64_t now[4] = {dv_data_version(fields->material), dv_data_version(fields->materials),
                             dv_data_version(fields->groups), dv_data_version(fields->texture)};
    if (look->version == 0 || memcmp(now, look->seen, sizeof now) != 0) {
        make(look, fields);
        memcpy(look->seen, now, sizeof now);
        look->version++;
    }
    view->materials = look->materials;
    view->material_count = look->count;
    view->groups = look->groups;
    view->group_count = look->group_count;
    view->materials_version = look->version;
}

void surface_look_free(SurfaceLook *look)
{
    free_parts(look->file, look->file_count);
    free_parts(look->parts, look->count);
    dv_free(look->file_groups);
    dv_free(look->groups);
    dv_free(look->materials);
}
