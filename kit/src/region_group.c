/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The group that a region is in.
 */
#include <divan/kit/region_group.h>

static const char *const output_of[DV_ELEMENT_KINDS] = {[DV_POINTS] = "indices",
                                                        [DV_EDGES] = "edgeIndices",
                                                        [DV_TRIANGLES] = "triangleIndices",
                                                        [DV_QUADS] = "quadIndices",
                                                        [DV_TETRAHEDRA] = "tetrahedronIndices",
                                                        [DV_HEXAHEDRA] = "hexahedronIndices"};

/* All outputs of the object are computed anew when a list of the group changes. */
static DvStatus follow(DvObject *object, DvData *list)
{
    DvStatus status = DV_OK;
    for (size_t i = 0; i < dv_object_field_count(object) && status == DV_OK; i++) {
        DvData *output = dv_object_field_at(object, i);
        if (output->field->flags & DV_FIELD_OUTPUT)
            status = dv_data_depend(output, list);
    }
    return status;
}

DvStatus dv_region_group_find(DvObject *object, DvRegionGroup *group)
{
    for (int kind = 0; kind < DV_ELEMENT_KINDS; kind++)
        group->indices[kind] = NULL;
    if (!dv_link_is_set(&group->link))
        return DV_OK;
    DvObject *found = dv_link_object(&group->link);
    if (!found || found == object)
        return dv_field_error(&group->link.data, -1, "leads to %s; name a MeshGroup or a region, such as \"@wall\"",
                              found ? "the region itself" : "nothing");
    DvData *points = dv_object_field(found, "indices");
    if (!points || points->type != &dv_type_uints || !(points->field->flags & DV_FIELD_OUTPUT))
        return dv_field_error(&group->link.data, -1, "'%s' is no region: it has no output 'indices'; name a MeshGroup",
                              dv_object_path(found));
    DvStatus status = dv_object_require(object, found);
    for (int kind = 0; kind < DV_ELEMENT_KINDS && status == DV_OK; kind++) {
        DvData *list = output_of[kind] ? dv_object_field(found, output_of[kind]) : NULL;
        if (!list || list->type != &dv_type_uints)
            continue;
        status = follow(object, list);
        group->indices[kind] = list;
    }
    return status;
}

/* Which things a list names: there[count]; NULL without a list. */
typedef struct Named {
    bool *there;
    uint32_t count;
} Named;

/* Of things below `most`. */
static Named named(DvData *list, uint32_t most)
{
    Named named = {0};
    if (!list)
        return named;
    size_t given;
    const uint32_t *index = dv_data_uints(list, &given);
    for (size_t i = 0; i < given; i++)
        if (index[i] < most && index[i] >= named.count)
            named.count = index[i] + 1;
    named.there = dv_alloc(named.count ? named.count : 1, sizeof *named.there);
    for (size_t i = 0; i < given; i++)
        if (index[i] < most)
            named.there[index[i]] = true;
    return named;
}

static bool has(const Named *named, uint32_t index)
{
    return index < named->count && named->there[index];
}

void dv_region_group_keep(DvRegionGroup *group, uint32_t points, bool *inside)
{
    const Named kept = named(group->indices[DV_POINTS], points);
    for (uint32_t i = 0; i < points && kept.there; i++)
        inside[i] = inside[i] && has(&kept, i);
    dv_free(kept.there);
}

void dv_region_group_keep_elements(DvRegionGroup *group, DvElementKind kind, DvElements elements, bool *inside)
{
    const uint32_t nodes = dv_element_nodes(kind);
    const bool by_points = !group->indices[kind];
    const Named kept = named(group->indices[by_points ? DV_POINTS : kind], by_points ? UINT32_MAX : elements.count);
    for (size_t i = 0; i < elements.count && kept.there; i++)
        for (uint32_t j = 0; j < nodes && inside[i]; j++)
            inside[i] = has(&kept, by_points ? elements.at[i * nodes + j] : (uint32_t)i);
    dv_free(kept.there);
}
