/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Linear elastic material: which value an element takes, and what is done about impossible ones;
 * and how the values stay with the elements.
 */
#include <divan/kit/elastic_material.h>

#include <divan/worst.h>

#include <string.h>

enum { MOST_WARNINGS = 3 };

static const double default_young = 5000.0, default_poisson = 0.45;

static void replace_impossible(DvData *field, bool (*possible)(double), double replacement, const char *range)
{
    size_t count, bad = 0;
    const double *values = dv_data_doubles(field, &count);
    for (size_t i = 0; i < count; i++)
        bad += !possible(values[i]);
    if (bad == 0)
        return;
    double *repaired = dv_data_begin(field, count);
    size_t warned = 0;
    for (size_t i = 0; i < count; i++) {
        if (possible(repaired[i]))
            continue;
        if (warned++ < MOST_WARNINGS)
            dv_field_warning(field, (int64_t)i, "%g is not %s; %g is taken", repaired[i], range, replacement);
        repaired[i] = replacement;
    }
    if (bad > MOST_WARNINGS)
        dv_field_warning(field, -1, "%zu values are not %s; %g is taken for each", bad, range, replacement);
    dv_data_end(field);
}

static bool young_possible(double young)
{
    return young >= 0.0;
}

static bool poisson_possible(double poisson)
{
    return poisson >= 0.0 && poisson < 0.5;
}

/* Values per element, read once per operation. */
typedef struct MaterialValues {
    const double *young, *poisson;
    size_t young_count, poisson_count;
} MaterialValues;

static MaterialValues read_values(DvElasticMaterial *material)
{
    MaterialValues values;
    values.young = dv_data_doubles(&material->young_modulus, &values.young_count);
    values.poisson = dv_data_doubles(&material->poisson_ratio, &values.poisson_count);
    return values;
}

/* One value for all, or one for each; of an empty mesh nothing can be said yet. */
static void warn_of_count(DvData *field, uint32_t elements)
{
    const size_t count = field->count;
    if (count <= 1 || count == elements || elements == 0)
        return;
    dv_field_warning(field, -1, "holds %zu values for %u element%s; give one for all, or one for each; %s", count,
                     elements, elements == 1 ? "" : "s",
                     count < elements ? "the first is taken for those without one" : "the rest is left out");
}

/* Zero is possible, and hardly meant: nothing but inertia holds such elements. */
static void warn_of_none(DvData *field)
{
    size_t count;
    const double *values = dv_data_doubles(field, &count);
    DvWorst none = {0};
    char numbers[DV_WORST_TEXT];
    for (size_t i = 0; i < count; i++)
        if (values[i] == 0.0)
            dv_worst_add(&none, (uint32_t)i, 0.0);
    if (none.count > 0 && count == 1)
        dv_field_warning(field, -1, "is 0: the elements have no stiffness");
    else if (none.count > 0)
        dv_field_warning(field, -1, "%u of %zu values are 0 (%s): these elements have no stiffness", none.count, count,
                         dv_worst_text(&none, numbers));
}

static void repair(DvElasticMaterial *material, uint32_t elements)
{
    replace_impossible(&material->young_modulus, young_possible, default_young, "zero or more");
    replace_impossible(&material->poisson_ratio, poisson_possible, default_poisson, "in [0, 0.5)");
    warn_of_none(&material->young_modulus);
    const MaterialValues values = read_values(material);
    if (values.young_count == 0)
        dv_field_warning(&material->young_modulus, -1, "is empty; %g is taken", default_young);
    if (values.poisson_count == 0)
        dv_field_warning(&material->poisson_ratio, -1, "is empty; %g is taken", default_poisson);
    warn_of_count(&material->young_modulus, elements);
    warn_of_count(&material->poisson_ratio, elements);
}

static double value_of(const double *values, size_t count, uint32_t element, double otherwise)
{
    return element < count ? values[element] : count > 0 ? values[0] : otherwise;
}

/* Materials of elements [first, first + count) of `total`, by their numbers in the fields. */
static void take_values(DvElementMaterials *m, uint32_t first, uint32_t count, uint32_t total)
{
    const MaterialValues values = read_values(m->material);
    size_t factors = 0;
    const double *factor = m->factors ? dv_data_doubles(m->factors, &factors) : NULL;
    DvElementMaterial *material = m->data.entries;
    for (uint32_t i = first; i < first + count; i++) {
        const uint32_t named = i >= m->named ? i : UINT32_MAX;
        const double scale = factors > 0 ? factor[(size_t)i * factors / total] : 1.0;
        material[i].young = value_of(values.young, values.young_count, named, default_young) * scale;
        material[i].poisson = value_of(values.poisson, values.poisson_count, named, default_poisson);
    }
}

static void added(DvElementData *data, const DvElementChange *change, uint32_t first)
{
    DvElementMaterials *m = data->owner;
    for (uint32_t i = 0; i < change->count; i++) {
        const bool mixed = change->ancestor_start && change->ancestor_start[i] < change->ancestor_start[i + 1];
        if (!mixed)
            take_values(m, (first + i) * m->parts, m->parts, change->total * m->parts);
    }
    if (m->named < change->total * m->parts)
        m->named = change->total * m->parts;
}

/* What a saved scene needs where elements differ: they have other numbers than in the fields. */
static void changed(DvElementData *data, const DvElementChange *change)
{
    DvElementMaterials *m = data->owner;
    const MaterialValues values = read_values(m->material);
    if (values.young_count < 2 && values.poisson_count < 2 && (!m->factors || m->factors->count == 0))
        return;
    const bool removed = change->change == DV_ELEMENTS_REMOVED;
    const size_t numbers = 2 * (size_t)m->parts, kept = removed ? data->count : data->count - change->count;
    const double *entry = data->entries;
    DvData *present = &m->material->present;
    const bool listed = present->count == numbers * (removed ? data->count + (size_t)change->count : kept);
    double *to = dv_data_begin(present, numbers * data->count);
    for (uint32_t i = 0; removed && listed && i < change->count; i++)
        if (change->indices[i] < data->count)
            memcpy(to + change->indices[i] * numbers, entry + change->indices[i] * numbers, numbers * sizeof *to);
    for (size_t i = listed ? numbers * kept : 0; i < numbers * data->count; i++)
        to[i] = entry[i];
    dv_data_end(present);
}

static void replaced(DvElementData *data, DvMeshReplacement why)
{
    DvElementMaterials *m = data->owner;
    const uint32_t count = data->count * m->parts;
    size_t numbers;
    const double *present = dv_data_doubles(&m->material->present, &numbers);
    m->named = 0;
    take_values(m, 0, count, count);
    m->named = count;
    if (why == DV_MESH_RESTORED && count > 0 && numbers == 2 * (size_t)count)
        memcpy(data->entries, present, numbers * sizeof *present);
    if (why == DV_MESH_RESET)
        dv_data_set(&m->material->present, NULL, 0);
}

static uint64_t version_of(DvElementMaterials *m)
{
    return dv_data_version(&m->material->young_modulus) + dv_data_version(&m->material->poisson_ratio) +
           (m->factors ? dv_data_version(m->factors) : 0);
}

void dv_element_materials_read(DvElementMaterials *m)
{
    if (m->version == version_of(m))
        return;
    const uint32_t count = m->data.count * m->parts;
    repair(m->material, count);
    m->named = 0;
    take_values(m, 0, count, count);
    m->named = count;
    m->version = version_of(m); /* after repairs */
}

DvStatus dv_element_materials_attach(DvElementMaterials *m, DvElasticMaterial *material, DvData *factors,
                                     DvObject *topology, DvElementKind kind, uint32_t parts)
{
    dv_element_data_detach(&m->data);
    *m = (DvElementMaterials){.data = {.kind = kind,
                                       .entry_size = parts * sizeof(DvElementMaterial),
                                       .owner = m,
                                       .added = added,
                                       .changed = changed,
                                       .replaced = replaced,
                                       .interpolate = true},
                              .parts = parts,
                              .material = material,
                              .factors = factors,
                              .version = UINT64_MAX};
    return dv_element_data_attach(&m->data, topology);
}

DvStatus dv_element_materials_agree(DvElementMaterials *m, uint32_t elements)
{
    if (m->data.count * m->parts == elements)
        return DV_OK;
    const DvStatus status =
        dv_element_materials_attach(m, m->material, m->factors, m->data.topology, m->data.kind, m->parts);
    if (status == DV_OK)
        dv_element_materials_read(m);
    return status;
}

void dv_element_materials_detach(DvElementMaterials *m)
{
    dv_element_data_detach(&m->data);
}
