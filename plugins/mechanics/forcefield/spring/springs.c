/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Damped linear springs: lists, forces, stiffness. The equations are in the header.
 *
 * `spring` and the lists (points, stiffness...) describe the same springs. What was given at the start fills the other; later
 * changes of either are noticed by their versions when a force is asked for.
 */
#include "forcefield/spring/springs.h"

#include "costs.h"

#include <divan/element_data.h>

#include <string.h>

enum {
    BLOCKS_PER_CHUNK = 64, /* of eight springs */
    POINTS_PER_CHUNK = 512,
    PARALLEL_FROM = 512 /* springs, below which points need no lists of their springs */
};

static DvStatus parse_springs(const DvType *type, const char *text, void **elements, size_t *count, DvText *problem)
{
    (void)type;
    LinearSpring *list = NULL;
    size_t capacity = 0;
    DvStatus status = DV_OK;
    for (;;) {
        LinearSpring s = {.enabled = 1};
        const char *before = text;
        if (!dv_read_uint(&text, &s.a))
            break;
        if (!dv_read_uint(&text, &s.b) || !dv_read_double(&text, &s.stiffness) || !dv_read_double(&text, &s.damping) ||
            !dv_read_double(&text, &s.rest_length)) {
            dv_text_add(
                problem,
                "spring %zu is incomplete: five numbers are needed (point, point, stiffness, damping, rest length)",
                *count);
            text = before;
            break;
        }
        char word[16];
        for (const char *next = text; dv_read_word(&next, word, sizeof word); text = next) {
            if (strcmp(word, "elongationOnly") == 0)
                s.elongation_only = 1;
            else if (strcmp(word, "disabled") == 0)
                s.enabled = 0;
            else
                break;
        }
        if (*count == capacity) {
            const size_t larger = capacity > 0 ? 2 * capacity : 16;
            list = dv_realloc(list, capacity * sizeof *list, larger * sizeof *list);
            capacity = larger;
        }
        list[(*count)++] = s;
    }
    char rest[16];
    if (!problem->length && dv_read_word(&text, rest, sizeof rest)) {
        dv_text_add(problem, "'%s' is not a number", rest);
        status = DV_ERROR_INVALID;
    }
    *elements = list;
    return status;
}

static void print_springs(const DvType *type, const void *elements, size_t count, DvText *out)
{
    (void)type;
    const LinearSpring *list = elements;
    for (size_t i = 0; i < count; i++) {
        dv_text_add(out, "%s%u %u ", i > 0 ? " " : "", list[i].a, list[i].b);
        dv_text_add_double(out, list[i].stiffness);
        dv_text_add(out, " ");
        dv_text_add_double(out, list[i].damping);
        dv_text_add(out, " ");
        dv_text_add_double(out, list[i].rest_length);
        dv_text_add(out, "%s%s", list[i].elongation_only ? " elongationOnly" : "", list[i].enabled ? "" : " disabled");
    }
}

static const LinearSpring blank_spring = {.enabled = 1};

const DvType dv_type_linear_springs = {
    .size = sizeof(DvType),
    .name = "list of springs",
    .scalar = DV_SCALAR_OPAQUE,
    .components = 1,
    .list = true,
    .element_size = sizeof(LinearSpring),
    .blank = &blank_spring,
    .parse = parse_springs,
    .print = print_springs,
};

static uint64_t list_version(Springs *self)
{
    return dv_data_version(&self->indices1) + dv_data_version(&self->indices2) + dv_data_version(&self->lengths) +
           dv_data_version(&self->stiffness) + dv_data_version(&self->damping) +
           dv_data_version(&self->elongation_only) + dv_data_version(&self->enabled);
}

static void free_compiled(Springs *self)
{
    dv_free(self->block);
    dv_free(self->tangent);
    dv_free(self->value);
    self->block = NULL;
    self->tangent = self->value = NULL;
    for (int side = 0; side < 2; side++) {
        dv_free(self->start[side]);
        dv_free(self->entry[side]);
        self->start[side] = self->entry[side] = NULL;
    }
    self->count = self->blocks = 0;
}

static DvStatus check_spring(Springs *self, const LinearSpring *s, uint32_t number, const uint32_t points[2])
{
    if (s->a < points[0] && s->b < points[1])
        return DV_OK;
    const bool first = s->a >= points[0];
    return dv_field_error(&self->spring, number, "no point %u: the state has %u, counted from 0", first ? s->a : s->b,
                          points[first ? 0 : 1]);
}

/* The springs of the field and those the class adds, in blocks of eight. Lanes beyond the last spring are switched off. */
static DvStatus compile(Springs *self)
{
    free_compiled(self);
    self->structure++;
    size_t count = (dv_data_read(&self->spring), self->spring.count);
    const LinearSpring *list = dv_data_read(&self->spring);
    const uint32_t points[2] = {dv_state_count(self->base.state[0]), dv_state_count(self->base.state[1])};
    self->points[0] = points[0];
    self->points[1] = points[1];
    if (count + self->extra_count > UINT32_MAX / 2)
        return dv_field_error(&self->spring, -1, "too many springs (%zu)", count);
    const uint32_t total = (uint32_t)count + self->extra_count;
    for (uint32_t i = 0; i < total; i++) {
        const DvStatus status = check_spring(self, i < count ? &list[i] : &self->extra[i - count], i, points);
        if (status != DV_OK)
            return status;
    }
    self->count = total;
    self->blocks = (total + DV_LANES - 1) / DV_LANES;
    const uint32_t spatial = springs_spatial(self);
    self->block = dv_alloc(self->blocks, sizeof *self->block);
    self->tangent = dv_alloc((size_t)self->blocks * (spatial + 2), sizeof *self->tangent);
    self->value = dv_alloc((size_t)self->blocks * spatial, sizeof *self->value);
    for (uint32_t i = 0; i < self->blocks * DV_LANES; i++) {
        const uint32_t number = i < total ? i : total - 1;
        const LinearSpring *s = number < count ? &list[number] : &self->extra[number - count];
        SpringBlock *block = &self->block[i / DV_LANES];
        const uint32_t lane = i % DV_LANES;
        block->a[lane] = s->a;
        block->b[lane] = s->b;
        block->stiffness[lane] = s->stiffness;
        block->damping[lane] = s->damping;
        block->rest_length[lane] = s->rest_length;
        block->enabled[lane] = s->enabled && i < total ? -1 : 0;
        block->elongation_only[lane] = s->elongation_only ? -1 : 0;
    }
    return DV_OK;
}

/* Which springs touch each point. */
static void find_springs_of_points(Springs *self)
{
    const bool one = pair_state_is_one(&self->base);
    for (uint32_t state = 0; state < (one ? 1 : 2); state++) {
        const uint32_t points = self->points[state];
        uint32_t *start = dv_alloc((size_t)points + 1, sizeof *start), *next = dv_alloc(points, sizeof *next);
        uint32_t *entry = dv_alloc(2 * (size_t)self->count, sizeof *entry);
        for (int pass = 0; pass < 2; pass++) {
            for (uint32_t i = 0; i < self->count; i++)
                for (uint32_t side = one ? 0 : state; side < (one ? 2 : state + 1); side++) {
                    const SpringBlock *block = &self->block[i / DV_LANES];
                    const uint32_t p = side == 0 ? block->a[i % DV_LANES] : block->b[i % DV_LANES];
                    if (pass == 0)
                        start[p + 1]++;
                    else
                        entry[next[p]++] = i << 1 | side;
                }
            for (uint32_t p = 0; pass == 0 && p < points; p++) {
                start[p + 1] += start[p];
                next[p] = start[p];
            }
        }
        dv_free(next);
        self->start[state] = start;
        self->entry[state] = entry;
    }
}

/* A list of `count` values from a field: its last value is repeated when it is too short. */
static void fit_list(DvData *field, size_t count)
{
    const size_t had = (dv_data_read(field), field->count);
    if (had == count)
        return;
    if (had > 1)
        dv_field_warning(field, -1, "holds %zu values for %zu springs; %s", had, count,
                         had > count ? "the rest is dropped" : "the last one is repeated");
    const bool flags = field->type->scalar == DV_SCALAR_BOOL;
    void *values = dv_data_begin(field, count);
    for (size_t i = had; had > 0 && i < count; i++) {
        if (flags)
            ((bool *)values)[i] = ((bool *)values)[had - 1];
        else
            ((double *)values)[i] = ((double *)values)[had - 1];
    }
    dv_data_end(field);
}

static void lists_from_springs(Springs *self)
{
    const LinearSpring *list = dv_data_read(&self->spring);
    const size_t count = self->spring.count;
    uint32_t *a = dv_data_begin_all(&self->indices1, count), *b = dv_data_begin_all(&self->indices2, count);
    double *length = dv_data_begin_all(&self->lengths, count), *stiffness = dv_data_begin_all(&self->stiffness, count);
    double *damping = dv_data_begin_all(&self->damping, count);
    bool *elongation = dv_data_begin_all(&self->elongation_only, count),
         *enabled = dv_data_begin_all(&self->enabled, count);
    for (size_t i = 0; i < count; i++) {
        a[i] = list[i].a;
        b[i] = list[i].b;
        length[i] = list[i].rest_length;
        stiffness[i] = list[i].stiffness;
        damping[i] = list[i].damping;
        elongation[i] = list[i].elongation_only != 0;
        enabled[i] = list[i].enabled != 0;
    }
    DvData *const all[] = {&self->indices1, &self->indices2,        &self->lengths, &self->stiffness,
                           &self->damping,  &self->elongation_only, &self->enabled};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        dv_data_end(all[i]);
}

static DvStatus springs_from_lists(Springs *self)
{
    size_t count, second;
    dv_data_uints(&self->indices1, &count);
    dv_data_uints(&self->indices2, &second);
    if (count != second)
        return dv_field_error(&self->indices2, -1,
                              "holds %zu points, springsIndices1 holds %zu: each spring needs both", second, count);
    if (count > 0) {
        const double zero = 0.0;
        if ((dv_data_read(&self->lengths), self->lengths.count) == 0)
            dv_data_set(&self->lengths, &zero, 1);
        DvData *const lists[] = {&self->lengths, &self->stiffness, &self->damping, &self->elongation_only,
                                 &self->enabled};
        for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
            fit_list(lists[i], count);
    }
    const uint32_t *a = dv_data_uints(&self->indices1, NULL), *b = dv_data_uints(&self->indices2, NULL);
    const double *length = dv_data_doubles(&self->lengths, NULL), *stiffness = dv_data_doubles(&self->stiffness, NULL);
    const double *damping = dv_data_doubles(&self->damping, NULL);
    const bool *elongation = dv_data_bools(&self->elongation_only, NULL),
               *enabled = dv_data_bools(&self->enabled, NULL);
    LinearSpring *list = dv_data_begin_all(&self->spring, count);
    for (size_t i = 0; i < count; i++)
        list[i] = (LinearSpring){a[i], b[i], stiffness[i], damping[i], length[i], elongation[i], enabled[i]};
    dv_data_end(&self->spring);
    return DV_OK;
}

static void remember_versions(Springs *self)
{
    self->spring_version = dv_data_version(&self->spring);
    self->list_version = list_version(self);
}

/* Takes up what was changed since the last time; false: there are no usable springs. */
static bool update(Springs *self)
{
    const bool spring_changed = dv_data_version(&self->spring) != self->spring_version;
    const bool lists_changed = list_version(self) != self->list_version;
    if (spring_changed || lists_changed) {
        DvStatus status = DV_OK;
        if (spring_changed || self->lists_ignored)
            lists_from_springs(self);
        else
            status = springs_from_lists(self);
        remember_versions(self);
        if (status != DV_OK || compile(self) != DV_OK)
            free_compiled(self);
    } else if (dv_state_count(self->base.state[0]) != self->points[0] ||
               dv_state_count(self->base.state[1]) != self->points[1]) {
        if (compile(self) != DV_OK)
            free_compiled(self);
    }
    return self->count > 0;
}

static void erase_springs(Springs *self, uint32_t side, uint32_t point, uint32_t last)
{
    const bool one = pair_state_is_one(&self->base);
    size_t count = (dv_data_read(&self->spring), self->spring.count), kept = 0;
    LinearSpring *list = dv_data_begin(&self->spring, count);
    for (size_t i = 0; i < count; i++) {
        LinearSpring s = list[i];
        const bool gone = (one || side == 0 ? s.a == point : false) || (one || side == 1 ? s.b == point : false);
        if (gone)
            continue;
        if ((one || side == 0) && s.a == last)
            s.a = point;
        if ((one || side == 1) && s.b == last)
            s.b = point;
        list[kept++] = s;
    }
    dv_data_end(&self->spring);
    (void)dv_data_begin(&self->spring, kept);
    dv_data_end(&self->spring);
}

static void point_removed(DvElementData *data, uint32_t index)
{
    Springs *self = data->owner;
    erase_springs(self, data == &self->attached[1] ? 1 : 0, index, data->count - 1);
}

static void points_changed(DvElementData *data, const DvElementChange *change)
{
    if (change->change != DV_ELEMENTS_RENUMBERED)
        return;
    Springs *self = data->owner;
    const bool one = pair_state_is_one(&self->base), first = data != &self->attached[1];
    uint32_t *now = dv_alloc(change->count, sizeof *now);
    for (uint32_t i = 0; i < change->count; i++)
        now[change->indices[i]] = i;
    LinearSpring *list = dv_data_begin(&self->spring, self->spring.count);
    for (size_t i = 0; i < self->spring.count; i++) {
        if ((one || first) && list[i].a < change->count)
            list[i].a = now[list[i].a];
        if ((one || !first) && list[i].b < change->count)
            list[i].b = now[list[i].b];
    }
    dv_data_end(&self->spring);
    dv_free(now);
}

static void edge_removed(DvElementData *data, uint32_t index)
{
    Springs *self = data->owner;
    const DvTopologyOps *topology = dv_object_ops(data->topology, DV_TOPOLOGY);
    const DvElements edges = topology->elements(dv_object_self(data->topology), DV_EDGES);
    if (index >= edges.count)
        return;
    const uint32_t a = edges.at[2 * (size_t)index], b = edges.at[2 * (size_t)index + 1];
    size_t count = (dv_data_read(&self->spring), self->spring.count), kept = 0;
    LinearSpring *list = dv_data_begin(&self->spring, count);
    for (size_t i = 0; i < count; i++)
        if (!((list[i].a == a && list[i].b == b) || (list[i].a == b && list[i].b == a)))
            list[kept++] = list[i];
    dv_data_end(&self->spring);
    (void)dv_data_begin(&self->spring, kept);
    dv_data_end(&self->spring);
}

/* Springs go with the points and edges of meshes that change. */
static DvStatus follow_topologies(Springs *self)
{
    const bool one = pair_state_is_one(&self->base);
    for (int i = 0; i < 3; i++)
        dv_element_data_detach(&self->attached[i]);
    for (int i = 0; i < 3; i++) {
        const bool edges = i == 2;
        if ((i == 1 && one) || (edges && !one))
            continue;
        DvObject *topology = dv_node_slot(dv_object_node(self->base.state[edges ? 0 : i].object), DV_TOPOLOGY);
        const DvTopologyOps *topology_ops = topology ? dv_object_ops(topology, DV_TOPOLOGY) : NULL;
        if (!topology_ops || !topology_ops->is_dynamic(dv_object_self(topology)))
            continue;
        self->attached[i] = (DvElementData){.kind = edges ? DV_EDGES : DV_POINTS,
                                            .entry_size = 1,
                                            .owner = self,
                                            .removed = edges ? edge_removed : point_removed,
                                            .changed = edges ? NULL : points_changed};
        const DvStatus status = dv_element_data_attach(&self->attached[i], topology);
        if (status != DV_OK)
            return status;
    }
    return DV_OK;
}

DvStatus springs_init_states(DvObject *object, Springs *self)
{
    return pair_state_init(object, &self->base);
}

DvStatus springs_init_lists(DvObject *object, Springs *self)
{
    (void)object;
    DvStatus status = DV_OK;
    if (*dv_data_string(&self->file) != '\0') {
        size_t count;
        const LinearSpring *list = dv_data_read(&self->spring);
        LinearSpring *all = springs_read_file(&self->file, list, self->spring.count, &count);
        if (all)
            dv_data_set(&self->spring, all, count);
        else
            status = DV_ERROR_INVALID;
        dv_free(all);
    }
    if (status == DV_OK) {
        if (self->lists_ignored || dv_data_is_set(&self->spring))
            lists_from_springs(self);
        else
            status = springs_from_lists(self);
    }
    if (status == DV_OK)
        status = compile(self);
    if (status == DV_OK)
        status = follow_topologies(self);
    if (status != DV_OK) {
        free_compiled(self);
        pair_state_release(&self->base);
    }
    remember_versions(self);
    return status;
}

void springs_cleanup(DvObject *object, void *self_)
{
    (void)object;
    Springs *self = self_;
    for (int i = 0; i < 3; i++)
        dv_element_data_detach(&self->attached[i]);
    pair_state_release(&self->base);
}

void springs_destroy(DvObject *object, void *self_)
{
    (void)object;
    Springs *self = self_;
    free_compiled(self);
    dv_free(self->extra);
}

typedef struct SpringWork {
    Springs *self;
    const double *x[2], *v[2]; /* v: velocities, or displacements of a product */
    double *f[2];
    double k;
    uint32_t state;           /* of the points that gather */
    const DvMatrixView *view; /* of an assembly */
} SpringWork;

/* d[c] = component c of b - a, lane by lane. */
DV_SIMD_INLINE void gather_difference(const SpringBlock *block, const double *const at[2], uint32_t stride, int spatial,
                                      DvReal8 *d)
{
    const double *a[DV_LANES], *b[DV_LANES];
    DV_EACH (lane, DV_LANES) {
        a[lane] = at[0] + (size_t)block->a[lane] * stride;
        b[lane] = at[1] + (size_t)block->b[lane] * stride;
    }
    DV_EACH (c, spatial) {
        const DvReal8 pa = {a[0][c], a[1][c], a[2][c], a[3][c], a[4][c], a[5][c], a[6][c], a[7][c]};
        const DvReal8 pb = {b[0][c], b[1][c], b[2][c], b[3][c], b[4][c], b[5][c], b[6][c], b[7][c]};
        d[c] = pb - pa;
    }
}

/* One body for every DOF type: callers pass constants, the compiler unrolls. */
DV_SIMD_INLINE void force_body(SpringWork *work, uint32_t begin, uint32_t end, int spatial, uint32_t coord,
                               uint32_t deriv)
{
    Springs *self = work->self;
    for (uint32_t i = begin; i < end; i++) {
        const SpringBlock *block = &self->block[i];
        DvReal8 *tangent = self->tangent + (size_t)i * (uint32_t)(spatial + 2),
                *value = self->value + (size_t)i * (uint32_t)spatial;
        DvReal8 u[6] = {{0}}, dv[6] = {{0}}, speed = {0};
        gather_difference(block, work->x, coord, spatial, u);
        gather_difference(block, work->v, deriv, spatial, dv);
        const DvReal8 d = dv_real8_sqrt(springs_square8(u, spatial));
        const DvMask8 active = block->enabled & (d > 1e-9) & (~block->elongation_only | (d > block->rest_length));
        const DvReal8 length = dv_real8_select(active, d, dv_real8(1.0));
        DV_EACH (c, spatial) {
            u[c] /= length;
            speed += u[c] * dv[c];
        }
        const DvReal8 none = {0}, s = block->stiffness * (d - block->rest_length) + block->damping * speed,
                      slope = s / length;
        const DvReal8 tension = dv_real8_select(active, s, none);
        DV_EACH (c, spatial) {
            tangent[c] = u[c];
            value[c] = tension * u[c];
        }
        tangent[spatial] = dv_real8_select(active, block->stiffness - slope, none);
        tangent[spatial + 1] = dv_real8_select(active, slope, none);
    }
}

DV_SIMD_INLINE void dforce_body(SpringWork *work, uint32_t begin, uint32_t end, int spatial, uint32_t coord,
                                uint32_t deriv)
{
    (void)coord;
    Springs *self = work->self;
    for (uint32_t i = begin; i < end; i++) {
        const DvReal8 *tangent = self->tangent + (size_t)i * (uint32_t)(spatial + 2);
        DvReal8 *value = self->value + (size_t)i * (uint32_t)spatial;
        DvReal8 d[6] = {{0}}, along = {0};
        gather_difference(&self->block[i], work->v, deriv, spatial, d);
        DV_EACH (c, spatial)
            along += tangent[c] * d[c];
        const DvReal8 axial = work->k * (tangent[spatial] * along), all = work->k * tangent[spatial + 1];
        DV_EACH (c, spatial)
            value[c] = axial * tangent[c] + all * d[c];
    }
}

/* f_a += value, f_b -= value: spring after spring. */
DV_SIMD_INLINE void scatter_body(SpringWork *work, uint32_t begin, uint32_t end, int spatial, uint32_t coord,
                                 uint32_t deriv)
{
    (void)coord;
    const Springs *self = work->self;
    for (uint32_t i = begin; i < end; i++) {
        const SpringBlock *block = &self->block[i / DV_LANES];
        const double *value = (const double *)(self->value + (size_t)(i / DV_LANES) * (uint32_t)spatial) + i % DV_LANES;
        double *a = work->f[0] + (size_t)block->a[i % DV_LANES] * deriv,
               *b = work->f[1] + (size_t)block->b[i % DV_LANES] * deriv;
        DV_EACH (c, spatial) {
            a[c] += value[DV_LANES * c];
            b[c] -= value[DV_LANES * c];
        }
    }
}

/* The same sums, point after point. */
DV_SIMD_INLINE void gather_body(SpringWork *work, uint32_t begin, uint32_t end, int spatial, uint32_t coord,
                                uint32_t deriv)
{
    (void)coord;
    const Springs *self = work->self;
    const uint32_t *start = self->start[work->state], *entry = self->entry[work->state];
    for (uint32_t p = begin; p < end; p++) {
        double *f = work->f[work->state] + (size_t)p * deriv;
        for (uint32_t e = start[p]; e < start[p + 1]; e++) {
            const uint32_t i = entry[e] >> 1;
            const double *value =
                (const double *)(self->value + (size_t)(i / DV_LANES) * (uint32_t)spatial) + i % DV_LANES;
            const double sign = entry[e] & 1 ? -1.0 : 1.0;
            DV_EACH (c, spatial)
                f[c] += sign * value[DV_LANES * c];
        }
    }
}

DV_SIMD_INLINE void assemble_body(SpringWork *work, uint32_t begin, uint32_t end, int spatial, uint32_t coord,
                                  uint32_t deriv)
{
    (void)coord;
    const Springs *self = work->self;
    const DvMatrixView *view = work->view;
    const double k = work->k;
    const bool direct = view->direct && view->block == deriv;
    double u[6], dense[36] = {0.0};
    for (uint32_t i = begin; i < end; i++) {
        const DvReal8 *tangent = self->tangent + (size_t)(i / DV_LANES) * (uint32_t)(spatial + 2);
        const uint32_t lane = i % DV_LANES;
        const double axial = k * tangent[spatial][lane], all = k * tangent[spatial + 1][lane];
        DV_EACH (c, spatial)
            u[c] = tangent[c][lane];
        DV_EACH (r, spatial)
            DV_EACH (c, spatial)
                dense[(uint32_t)r * deriv + (uint32_t)c] = axial * u[r] * u[c] + (r == c ? all : 0.0);
        for (uint32_t pair = 0; pair < 4; pair++) {
            const double sign = pair == 0 || pair == 3 ? -1.0 : 1.0;
            if (direct) {
                double *at = view->values + (size_t)view->slot[4 * i + pair] * (deriv * deriv);
                DV_EACH (r, spatial)
                    DV_EACH (c, spatial)
                        at[(uint32_t)r * deriv + (uint32_t)c] += sign * dense[(uint32_t)r * deriv + (uint32_t)c];
            } else {
                dv_view_add(view, 4 * i + pair, dense, sign);
            }
        }
    }
}

/* Calls a body with the numbers of the DOF type as constants, so that its loops over components are written out. */
typedef void SpringBody(SpringWork *work, uint32_t begin, uint32_t end, int spatial, uint32_t coord, uint32_t deriv);
DV_SIMD_INLINE void with_dof_type(SpringBody *body, void *context, uint32_t begin, uint32_t end)
{
    SpringWork *work = context;
    const DvDofType *dof = work->self->base.state[0].dof;
    if (dof == &dv_vec3d)
        body(work, begin, end, 3, 3, 3);
    else if (dof == &dv_rigid3d)
        body(work, begin, end, 3, 7, 6);
    else if (dof == &dv_vec1d)
        body(work, begin, end, 1, 1, 1);
    else if (dof == &dv_vec2d)
        body(work, begin, end, 2, 2, 2);
    else
        body(work, begin, end, 6, 6, 6);
}

DV_SIMD_CLONES static void force(void *work, uint32_t begin, uint32_t end)
{
    with_dof_type(force_body, work, begin, end);
}

DV_SIMD_CLONES static void dforce(void *work, uint32_t begin, uint32_t end)
{
    with_dof_type(dforce_body, work, begin, end);
}

static void gather(void *work, uint32_t begin, uint32_t end)
{
    with_dof_type(gather_body, work, begin, end);
}

static void scatter(void *work, uint32_t begin, uint32_t end)
{
    with_dof_type(scatter_body, work, begin, end);
}

static void assemble_springs(void *work, uint32_t begin, uint32_t end)
{
    with_dof_type(assemble_body, work, begin, end);
}

static void add_values(SpringWork *work)
{
    Springs *self = work->self;
    if (self->count < PARALLEL_FROM || dv_parallel_threads() == 1) {
        scatter(work, 0, self->count);
        return;
    }
    if (!self->start[0])
        find_springs_of_points(self);
    const uint32_t states = pair_state_is_one(&self->base) ? 1 : 2;
    for (work->state = 0; work->state < states; work->state++)
        dv_parallel_for(self->points[work->state], POINTS_PER_CHUNK, gather, work);
}

static void add_force(void *self_, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    (void)step;
    Springs *self = self_;
    if (!update(self))
        return;
    SpringWork work = {.self = self, .x = {x[0].at, x[1].at}, .v = {v[0].at, v[1].at}, .f = {f[0].at, f[1].at}};
    if (self->blocks == 1)
        force(&work, 0, 1);
    else
        dv_parallel_for(self->blocks, BLOCKS_PER_CHUNK, force, &work);
    add_values(&work);
}

static void add_dforce(void *self_, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    (void)step;
    (void)b;
    Springs *self = self_;
    if (self->count == 0)
        return;
    SpringWork work = {.self = self, .v = {dx[0].at, dx[1].at}, .f = {df[0].at, df[1].at}, .k = k};
    if (self->blocks == 1)
        dforce(&work, 0, 1);
    else
        dv_parallel_for(self->blocks, BLOCKS_PER_CHUNK, dforce, &work);
    add_values(&work);
}

/* Spring i: couplings 4 i (first, first), + 1 (first, second), + 2 (second, first), + 3 (second, second). */
static void reserve(void *self_, DvPattern *pattern)
{
    Springs *self = self_;
    const uint32_t other = pair_state_is_one(&self->base) ? 0 : 1;
    for (uint32_t i = 0; i < self->count; i++) {
        const uint32_t a = self->block[i / DV_LANES].a[i % DV_LANES], b = self->block[i / DV_LANES].b[i % DV_LANES];
        pattern->ops->add(pattern, 0, a, 0, a);
        pattern->ops->add(pattern, 0, a, other, b);
        pattern->ops->add(pattern, other, b, 0, a);
        pattern->ops->add(pattern, other, b, other, b);
    }
}

/* In order of the springs: several may share a slot. */
static void assemble(void *self_, const DvStep *step, double k, double b, const DvMatrixView *view)
{
    (void)step;
    (void)b;
    Springs *self = self_;
    SpringWork work = {.self = self, .k = k, .view = view};
    if (self->count > 0)
        assemble_springs(&work, 0, self->count);
}

static uint64_t structure(void *self_)
{
    Springs *self = self_;
    (void)update(self);
    return self->structure;
}

static double energy(void *self_, const DvStep *step, const DvConstVec *x)
{
    (void)step;
    Springs *self = self_;
    if (!update(self))
        return 0.0;
    const uint32_t spatial = springs_spatial(self), coord = self->base.state[0].dof->coord;
    double sum = 0.0;
    for (uint32_t i = 0; i < self->count; i++) {
        const SpringBlock *block = &self->block[i / DV_LANES];
        const uint32_t lane = i % DV_LANES;
        const double *a = x[0].at + (size_t)block->a[lane] * coord, *b = x[1].at + (size_t)block->b[lane] * coord;
        const double stretch = springs_length(a, b, spatial) - block->rest_length[lane];
        if (block->enabled[lane] && (!block->elongation_only[lane] || stretch > 0.0))
            sum += 0.5 * block->stiffness[lane] * stretch * stretch;
    }
    return sum;
}

static double stiffness_bound(const Springs *self)
{
    double largest = 0.0;
    for (uint32_t i = 0; i < self->count; i++)
        largest = fmax(largest, self->block[i / DV_LANES].stiffness[i % DV_LANES]);
    return sqrt(2.0 * largest);
}

static double explain(void *self_, const DvFault *fault, DvText *cause, DvText *remedy)
{
    const Springs *self = self_;
    return pair_state_is_concerned(&self->base, fault)
               ? explain_elements(self, fault, stiffness_bound(self), UINT32_MAX, cause, remedy)
               : 0.0;
}

const DvFaultCauseOps springs_cause = {.size = sizeof springs_cause, .explain = explain};

static void cost(void *self_, double *product, double *assembly)
{
    const Springs *self = self_;
    *product = cost_spring_product * self->count;
    *assembly = cost_spring_assembly * self->count;
}

const DvForceFieldOps springs_ops = {
    .size = sizeof springs_ops,
    .states = pair_state_states,
    .add_force = add_force,
    .add_dforce = add_dforce,
    .reserve = reserve,
    .assemble = assemble,
    .structure = structure,
    .energy = energy,
    .cost = cost,
};

static void draw(void *self_, DvDraw *target)
{
    Springs *self = self_;
    const DvDisplayFlag flag =
        pair_state_is_one(&self->base) ? DV_DISPLAY_FORCE_FIELDS : DV_DISPLAY_INTERACTION_FORCE_FIELDS;
    if (!dv_draw_shows(target, flag) || !self->base.state[0].ops || self->count == 0)
        return;
    static const double color[4] = {1.0, 0.5, 0.0, 1.0};
    const DvConstVec x[2] = {dv_state_read(self->base.state[0], DV_POSITION),
                             dv_state_read(self->base.state[1], DV_POSITION)};
    const uint32_t spatial = springs_spatial(self) < 3 ? springs_spatial(self) : 3;
    double *ends = dv_alloc(self->count, 6 * sizeof *ends);
    for (uint32_t i = 0; i < self->count; i++) {
        const SpringBlock *block = &self->block[i / DV_LANES];
        for (uint32_t c = 0; c < spatial; c++) {
            ends[6 * (size_t)i + c] = x[0].at[(size_t)block->a[i % DV_LANES] * x[0].dim + c];
            ends[6 * (size_t)i + 3 + c] = x[1].at[(size_t)block->b[i % DV_LANES] * x[1].dim + c];
        }
    }
    target->ops->lines(target, ends, self->count, 1.0, color);
    dv_free(ends);
}

const DvDrawableOps springs_drawable = {.size = sizeof springs_drawable, .draw = draw};
