/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elements of a mesh that a load acts on.
 */
#include <divan/kit/element_set.h>

#include <divan/math/decompose.h>

static uint32_t *place_of(DvElementSet *set, uint32_t element)
{
    return dv_element_data_entry(&set->place, element);
}

static DvLoadedElement *append(DvElementSet *set, DvLoadedElement one)
{
    if (set->count == set->capacity) {
        const uint32_t larger = set->capacity > 0 ? 2 * set->capacity : 16;
        set->at = dv_realloc(set->at, set->capacity * sizeof *set->at, larger * sizeof *set->at);
        set->capacity = larger;
    }
    set->at[set->count++] = one;
    *place_of(set, one.element) = set->count;
    return &set->at[set->count - 1];
}

/* The others keep their order but for the last, which takes the place. */
static void drop(DvElementSet *set, uint32_t place)
{
    set->at[place] = set->at[--set->count];
    if (place < set->count)
        *place_of(set, set->at[place].element) = place + 1;
}

static void element_removed(DvElementData *data, uint32_t index)
{
    DvElementSet *set = data->owner;
    const uint32_t last = data->count - 1;
    if (*place_of(set, index) > 0)
        drop(set, *place_of(set, index) - 1);
    *place_of(set, index) = 0;
    if (*place_of(set, last) > 0)
        set->at[*place_of(set, last) - 1].element = index;
}

static void elements_added(DvElementData *data, const DvElementChange *change, uint32_t first)
{
    DvElementSet *set = data->owner;
    for (uint32_t i = 0; change->ancestor_start && i < change->count; i++) {
        const uint32_t begin = change->ancestor_start[i], end = change->ancestor_start[i + 1];
        DvLoadedElement one = {.element = first + i, .size = -1.0};
        for (uint32_t a = begin; a < end; a++) {
            const uint32_t place = change->ancestors[a] < first ? *place_of(set, change->ancestors[a]) : 0;
            if (place == 0)
                continue;
            one.rank = set->at[place - 1].rank;
            one.share += set->at[place - 1].share * (change->weights ? change->weights[a] : 1.0 / (end - begin));
        }
        if (one.share > 0.0)
            (void)append(set, one);
    }
}

static void elements_changed(DvElementData *data, const DvElementChange *change)
{
    DvElementSet *set = data->owner;
    (void)change;
    set->edited = true;
    if (set->kept)
        dv_data_touch(set->trigger);
}

enum { KEPT_NUMBERS = 4 };

static bool put(DvElementSet *set, DvLoadedElement one)
{
    if (one.element >= set->place.count || *place_of(set, one.element) > 0)
        return false;
    (void)append(set, one);
    return true;
}

/* Those of a saved scene, as it has put them back. false: they are not of this mesh. */
static bool take_kept(DvElementSet *set, const double *at, size_t numbers)
{
    const size_t count = (numbers - 1) / KEPT_NUMBERS;
    set->count = 0;
    if (at[0] != (double)count || (numbers - 1) % KEPT_NUMBERS != 0)
        return false;
    for (const double *one = at + 1; one < at + numbers; one += KEPT_NUMBERS) {
        const bool whole = one[0] >= 0.0 && one[0] < UINT32_MAX && one[1] >= 0.0 && one[1] < UINT32_MAX;
        if (!whole || !put(set, (DvLoadedElement){(uint32_t)one[0], (uint32_t)one[1], one[2], one[3]}))
            return false;
    }
    return true;
}

/* Elements of this kind have not changed since they were chosen. */
static bool keep_chosen(DvElementSet *set)
{
    const uint32_t count = set->count;
    set->count = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!put(set, set->at[i]))
            return false;
    return true;
}

static void replaced(DvElementData *data, DvMeshReplacement why)
{
    DvElementSet *set = data->owner;
    /* what the field depends on may have been put back after it: its value is read as it is */
    const bool kept = why == DV_MESH_RESTORED && set->kept && set->kept->count > 0;
    set->edited = kept && take_kept(set, set->kept->value, set->kept->count);
    set->anew = why == DV_MESH_RESET || (kept ? !set->edited : !keep_chosen(set));
    if (set->kept)
        dv_data_touch(set->trigger);
}

DvStatus dv_element_set_keep_in(DvElementSet *set, DvData *kept, DvData *trigger)
{
    set->kept = kept;
    set->trigger = trigger;
    return dv_data_depend(kept, trigger);
}

void dv_element_set_keep(DvElementSet *set)
{
    double *to = dv_data_begin_all(set->kept, set->edited ? 1 + KEPT_NUMBERS * (size_t)set->count : 0);
    if (set->edited)
        *to++ = set->count;
    for (uint32_t i = 0; i < set->count && set->edited; i++, to += KEPT_NUMBERS) {
        to[0] = set->at[i].element;
        to[1] = set->at[i].rank;
        to[2] = set->at[i].share;
        to[3] = set->at[i].size;
    }
    dv_data_end(set->kept);
}

DvStatus dv_element_set_start(DvElementSet *set, DvObject *topology, DvElementKind kind)
{
    dv_element_set_leave(set);
    set->kind = kind;
    set->count = 0;
    set->anew = set->edited = false;
    set->place = (DvElementData){.kind = kind,
                                 .entry_size = sizeof(uint32_t),
                                 .owner = set,
                                 .added = elements_added,
                                 .removed = element_removed,
                                 .changed = elements_changed,
                                 .replaced = replaced};
    return dv_element_data_attach(&set->place, topology);
}

void dv_element_set_leave(DvElementSet *set)
{
    dv_element_data_detach(&set->place);
}

void dv_element_set_free(DvElementSet *set)
{
    dv_free(set->at);
    set->at = NULL;
    set->count = set->capacity = 0;
}

void dv_element_set_add(DvElementSet *set, uint32_t element, uint32_t rank, bool again)
{
    const uint32_t place = *place_of(set, element);
    if (place == 0)
        (void)append(set, (DvLoadedElement){element, rank, 1.0, -1.0});
    else if (again)
        set->at[place - 1].share += 1.0;
}

DvStatus dv_element_set_add_list(DvElementSet *set, DvData *list, const char *what, bool again)
{
    size_t count;
    const uint32_t *index = dv_data_uints(list, &count);
    for (size_t i = 0; i < count; i++)
        if (index[i] >= set->place.count)
            return dv_field_error(list, (int64_t)i, "no %s %u: the mesh has %u, counted from 0", what, index[i],
                                  set->place.count);
    for (size_t i = 0; i < count; i++)
        dv_element_set_add(set, index[i], (uint32_t)i, again);
    return DV_OK;
}

void dv_element_set_add_between(DvElementSet *set, const DvTopologyRef *topology, const DvConstVec *x,
                                const double normal[3], double dmin, double dmax)
{
    const DvElements elements = dv_topology_elements(topology, set->kind);
    const uint32_t nodes = dv_element_nodes(set->kind);
    for (uint32_t i = 0; i < elements.count; i++) {
        bool between = true;
        for (uint32_t n = 0; n < nodes && between; n++) {
            const uint32_t point = elements.at[i * (size_t)nodes + n];
            const double *at = x->at + (size_t)point * x->dim;
            const double distance = point < x->count ? normal[0] * at[0] + normal[1] * at[1] + normal[2] * at[2] : dmax;
            between = dmin < distance && distance < dmax;
        }
        if (between)
            dv_element_set_add(set, i, set->count, false);
    }
}

static double size_of(const uint32_t *element, uint32_t nodes, const DvConstVec *rest)
{
    DvVec3 p[4];
    for (uint32_t n = 0; n < nodes; n++) {
        if (element[n] >= rest->count)
            return 0.0;
        p[n] = dv_vec3_load(rest->at + (size_t)element[n] * rest->dim);
    }
    if (nodes == 2)
        return dv_vec3_norm(dv_vec3_sub(p[1], p[0]));
    const double area = dv_triangle_area(p[0], p[1], p[2]);
    return nodes == 3 ? area : area + dv_triangle_area(p[0], p[2], p[3]);
}

void dv_element_set_measure(DvElementSet *set, const DvTopologyRef *topology, const DvConstVec *rest)
{
    const uint32_t nodes = dv_element_nodes(set->kind);
    const DvElements elements = dv_topology_elements(topology, set->kind);
    for (uint32_t i = 0; i < set->count; i++)
        if (set->at[i].size < 0.0)
            set->at[i].size = size_of(elements.at + (size_t)set->at[i].element * nodes, nodes, rest);
}

void dv_load_add_dforce(void *self, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    (void)self;
    (void)step;
    (void)k;
    (void)b;
    (void)dx;
    (void)df;
}

void dv_load_reserve(void *self, DvPattern *pattern)
{
    (void)self;
    (void)pattern;
}

void dv_load_assemble(void *self, const DvStep *step, double k, double b, const DvMatrixView *view)
{
    (void)self;
    (void)step;
    (void)k;
    (void)b;
    (void)view;
}

uint64_t dv_load_structure(void *self)
{
    (void)self;
    return 1;
}

void dv_element_set_draw(const DvElementSet *set, const DvTopologyRef *topology, DvDraw *draw, const DvConstVec *x)
{
    static const double green[4] = {0.0, 1.0, 0.0, 1.0};
    const uint32_t nodes = dv_element_nodes(set->kind);
    const DvElements elements = dv_topology_elements(topology, set->kind);
    double *ends = dv_alloc((size_t)set->count * nodes, 6 * sizeof *ends);
    uint32_t lines = 0;
    for (uint32_t i = 0; i < set->count; i++)
        for (uint32_t n = 0; n < nodes - (nodes == 2); n++, lines++)
            for (uint32_t side = 0; side < 2; side++) {
                const uint32_t point = elements.at[(size_t)set->at[i].element * nodes + (n + side) % nodes];
                for (uint32_t c = 0; c < 3; c++)
                    ends[6 * (size_t)lines + 3 * side + c] = point < x->count ? x->at[(size_t)point * x->dim + c] : 0.0;
            }
    draw->ops->lines(draw, ends, lines, 2.0, green);
    dv_free(ends);
}
