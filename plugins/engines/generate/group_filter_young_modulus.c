/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GroupFilterYoungModulus: a stiffness for each element by the group it is in: groups of a mesh file, named ("name value;" in
 * mapGroupModulus) or in order (groupModulus), or the number of a group for each element (elementsGroup, "number value;").
 */
#include <inttypes.h>
#include <stdlib.h>

#include <divan/kit/array.h>
#include <divan/kit/engine.h>
#include <divan/kit/mesh_types.h>

typedef struct GroupFilter {
    DvEngine engine;
    DvData groups, primitives, of_element, modulus, by_name, preset, in_order;
} GroupFilter;

enum { NAME_BYTES = 128 };
typedef struct Group {
    char name[NAME_BYTES];
    uint32_t first, count;
} Group;
typedef struct Entry {
    char name[NAME_BYTES];
    double value;
} Entry;
typedef DV_ARRAY(Group) Groups;
typedef DV_ARRAY(Entry) Entries;

/* "name material materialIndex first count", again and again, as loaders write it. */
static DvStatus read_groups(GroupFilter *self, Groups *groups)
{
    const char *text = dv_data_string(&self->groups);
    for (;;) {
        Group group = {{0}, 0, 0};
        char material[NAME_BYTES];
        int32_t index;
        if (!dv_mesh_read_name(&text, group.name, sizeof group.name))
            return DV_OK;
        if (!dv_mesh_read_name(&text, material, sizeof material) || !dv_read_int(&text, &index) ||
            !dv_read_uint(&text, &group.first) || !dv_read_uint(&text, &group.count))
            return dv_field_error(&self->groups, groups->count, "a group is 'name material materialIndex first count'");
        dv_array_push(groups, group);
    }
}

static DvStatus read_entries(GroupFilter *self, Entries *entries)
{
    const char *text = dv_data_string(&self->by_name);
    for (;;) {
        Entry entry = {{0}, 0.0};
        text += strspn(text, " \t\r\n;");
        if (!*text)
            return DV_OK;
        const size_t length = strcspn(text, " \t\r\n;");
        memcpy(entry.name, text, length < NAME_BYTES - 1 ? length : NAME_BYTES - 1);
        text += length;
        if (!dv_read_double(&text, &entry.value) ||
            (text[strspn(text, " \t\r\n")] && text[strspn(text, " \t\r\n")] != ';'))
            return dv_field_error(&self->by_name, entries->count,
                                  "'%s' has no number: give \"name value;\" for each group", entry.name);
        dv_array_push(entries, entry);
    }
}

/* A blank in the name of a group is '_' in an entry. */
static bool is_name(const char *entry, const char *group)
{
    while (*entry && (*entry == *group || (*entry == '_' && *group == ' '))) {
        entry++;
        group++;
    }
    return *entry == *group;
}

static const Entry *find(const Entries *entries, const char *name)
{
    for (uint32_t i = 0; i < entries->count; i++)
        if (is_name(entries->data[i].name, name))
            return &entries->data[i];
    return NULL;
}

/* By the number of a group for each element. */
static DvStatus fill_by_number(GroupFilter *self, const Entries *entries)
{
    size_t count;
    const int32_t *group = dv_data_ints(&self->of_element, &count);
    const double preset = dv_data_double(&self->preset);
    double *modulus = dv_data_begin_all(&self->modulus, count);
    DvStatus status = DV_OK;
    for (size_t i = 0; i < count; i++) {
        modulus[i] = preset;
        bool found = false;
        for (uint32_t k = 0; k < entries->count && !found; k++) {
            char *end;
            found = strtol(entries->data[k].name, &end, 10) == group[i] && !*end;
            if (found)
                modulus[i] = entries->data[k].value;
        }
        if (!found && status == DV_OK)
            status = dv_field_error(&self->of_element, (int64_t)i, "group %" PRId32 " has no value in mapGroupModulus",
                                    group[i]);
    }
    dv_data_end(&self->modulus);
    return status;
}

static void fill_by_group(GroupFilter *self, const Groups *groups, const Entries *entries)
{
    size_t total, ordered;
    const double *in_order = dv_data_doubles(&self->in_order, &ordered), preset = dv_data_double(&self->preset);
    (void)dv_data_uints(&self->primitives, &total);
    for (uint32_t i = 0; i < groups->count && self->primitives.count == 0; i++) {
        const size_t end = (size_t)groups->data[i].first + groups->data[i].count;
        total = total > end ? total : end;
    }
    double *modulus = dv_data_begin_all(&self->modulus, total);
    for (size_t i = 0; i < total; i++)
        modulus[i] = preset;
    for (uint32_t i = 0; i < groups->count; i++) {
        const Group *group = &groups->data[i];
        const Entry *entry = find(entries, group->name);
        const double value = ordered ? (i < ordered ? in_order[i] : preset) : entry ? entry->value : preset;
        for (size_t k = group->first; k < (size_t)group->first + group->count && k < total; k++)
            modulus[k] = value;
    }
    dv_data_end(&self->modulus);
}

static DvStatus update(DvObject *object, void *self_)
{
    GroupFilter *self = self_;
    Groups groups = {0};
    Entries entries = {0};
    size_t numbered;
    DvStatus status = read_groups(self, &groups);
    if (status == DV_OK)
        status = read_entries(self, &entries);
    double largest = 0.0;
    for (uint32_t i = 0; i < groups.count; i++)
        largest = largest > (double)groups.data[i].first + groups.data[i].count
                      ? largest
                      : (double)groups.data[i].first + groups.data[i].count;
    if (status == DV_OK)
        status = dv_memory_ask(object, 8.0 * largest, "%.0f elements of groups", largest);
    (void)dv_data_ints(&self->of_element, &numbered);
    if (status != DV_OK)
        dv_data_set(&self->modulus, NULL, 0);
    else if (numbered > 0)
        status = fill_by_number(self, &entries);
    else
        fill_by_group(self, &groups, &entries);
    dv_array_free(&groups);
    dv_array_free(&entries);
    return status;
}

static const DvField fields[] = {
    DV_ENGINE_INPUT(GroupFilter, groups, "groups", dv_type_string,
                    "groups of elements: name material materialIndex first count"),
    DV_ENGINE_INPUT(GroupFilter, primitives, "primitives", dv_type_uints,
                    "the elements; how many there are (default: as the groups say)"),
    DV_ENGINE_INPUT(GroupFilter, of_element, "elementsGroup", dv_type_ints, "the group of each element, by number"),
    DV_ENGINE_OUTPUT(GroupFilter, modulus, "youngModulus", dv_type_doubles, "Young's modulus of each element",
                     .unit = "Pa"),
    DV_ENGINE_INPUT(GroupFilter, by_name, "mapGroupModulus", dv_type_string, "\"name value;\" for each group"),
    DV_ENGINE_INPUT(GroupFilter, preset, "defaultYoungModulus", dv_type_double, "of elements of no group",
                    .init = "10000", .unit = "Pa"),
    DV_ENGINE_INPUT(GroupFilter, in_order, "groupModulus", dv_type_doubles, "of each group, in order; instead of names",
                    .unit = "Pa"),
    {0},
};

const DvClass dv_group_filter_young_modulus = {
    .size = sizeof(DvClass),
    .name = "GroupFilterYoungModulus",
    .variants = "Vec3d",
    .default_variant = "Vec3d",
    .module = "Sofa.Component.Engine.Generate",
    .help = "Gives each element the stiffness of its group.",
    .instance_size = sizeof(GroupFilter),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    DV_ENGINE_LIFE,
    .update = update,
};
