/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * States along topological mappings; see points_of_mesh.h.
 */
#include "points_of_mesh.h"

#include <divan/memory.h>

#include <string.h>

enum { MOST_PARENTS = 8 };

/* ---- Weights ---- */

static void make_rows(PointsOfMesh *self)
{
    const uint32_t points = dv_state_count(self->base.out), parents = dv_state_count(self->base.in);
    uint32_t *start = dv_alloc((size_t)points + 1, sizeof *start),
             *column = dv_alloc((size_t)points * MOST_PARENTS, sizeof *column);
    double *weight = dv_alloc((size_t)points * MOST_PARENTS, sizeof *weight);
    dv_free(self->offset);
    self->offset = dv_alloc((size_t)points * 3, sizeof *self->offset);
    for (uint32_t i = 0; i < points; i++) {
        uint32_t on[MOST_PARENTS], at = start[i];
        double weights[MOST_PARENTS];
        const uint32_t count =
            self->topological->point(self->topological_self, i, on, weights, self->offset + 3 * (size_t)i);
        for (uint32_t k = 0; k < count && on[k] < parents; k++, at++) {
            column[at] = on[k];
            weight[at] = weights[k];
        }
        start[i + 1] = at;
    }
    weighted_rows_set(&self->rows, points, start, column, weight);
    dv_free(start);
    dv_free(column);
    dv_free(weight);
    self->made = true;
}

static void update_rows(PointsOfMesh *self)
{
    const bool in_changed = dv_topology_changed(&self->in_mesh), out_changed = dv_topology_changed(&self->out_mesh);
    if (!self->made || in_changed || out_changed || self->rows.rows != dv_state_count(self->base.out))
        make_rows(self);
}

/* ---- The contract ---- */

static void apply(void *self_, const DvStep *step, const DvConstVec *in, const DvVec *out)
{
    PointsOfMesh *self = self_;
    (void)step;
    update_rows(self);
    if (in->count < self->rows.columns || out->count < self->rows.rows)
        return;
    weighted_rows_gather(&self->rows, in, out, false);
    for (uint32_t i = 0; i < self->rows.rows; i++)
        for (uint32_t c = 0; c < 3; c++)
            if (self->offset[3 * (size_t)i + c] != 0.0)
                out->at[(size_t)i * out->dim + c] += self->offset[3 * (size_t)i + c];
}

static void apply_j(void *self_, const DvStep *step, const DvConstVec *in, const DvVec *out)
{
    PointsOfMesh *self = self_;
    (void)step;
    update_rows(self);
    if (in->count >= self->rows.columns && out->count >= self->rows.rows)
        weighted_rows_gather(&self->rows, in, out, false);
}

static void apply_jt(void *self_, const DvStep *step, const DvConstVec *out, const DvVec *in)
{
    PointsOfMesh *self = self_;
    (void)step;
    update_rows(self);
    if (in->count >= self->rows.columns && out->count >= self->rows.rows)
        weighted_rows_scatter(&self->rows, out, in);
}

static const DvJacobian *jacobian(void *self_, uint32_t output, uint32_t input)
{
    PointsOfMesh *self = self_;
    (void)output, (void)input;
    update_rows(self);
    return weighted_rows_jacobian(&self->rows, 3, dv_state_count(self->base.in));
}

const DvMappingOps points_of_mesh_ops = {
    MAPPING_OPS,
    .keeps_topology = mapping_no,
    .apply = apply,
    .apply_j = apply_j,
    .apply_jt = apply_jt,
    .jacobian = jacobian,
    .output_points = mapping_output_points,
};

/* ---- Life ---- */

/* Whether an object says where the points of the mesh in the output's node come from. */
static bool suits(const PointsOfMesh *self, const DvObject *found, const char *class_name)
{
    const DvTopologicalMappingOps *ops = found ? dv_object_ops(found, DV_TOPOLOGICAL_MAPPING) : NULL;
    const DvNode *node = dv_object_node(self->base.out.object);
    return ops && ops->point && (!class_name || strcmp(dv_object_class(found)->name, class_name) == 0) &&
           dv_object_node(ops->output(dv_object_self(found))) == node;
}

static DvObject *find_topological(const PointsOfMesh *self, DvObject *object, const char *class_name)
{
    enum { MOST = 16 };
    DvObject *found[MOST];
    if (self->mapping_link.data.field && dv_link_is_set(&self->mapping_link))
        return dv_link_object(&self->mapping_link);
    const size_t count = dv_node_find_all(dv_object_node(object), DV_TOPOLOGICAL_MAPPING, DV_SEARCH_UP, found, MOST);
    for (size_t i = 0; i < count && i < MOST; i++)
        if (suits(self, found[i], class_name))
            return found[i];
    return NULL;
}

static DvStatus find_meshes(PointsOfMesh *self, DvObject *object, const char *class_name)
{
    DvObject *found = find_topological(self, object, class_name);
    if (!found)
        return dv_error(object, DV_ERROR_MISSING, "a %s must stand before it, that fills the mesh in the node of '%s'",
                        class_name, dv_object_path(self->base.out.object));
    DvStatus status = dv_object_require(object, found);
    if (status != DV_OK)
        return status;
    if (!dv_object_is_valid(found) || !suits(self, found, NULL))
        return dv_error(object, DV_ERROR_INVALID, "'%s' does not say where the points of '%s' are",
                        dv_object_path(found), dv_object_path(self->base.out.object));
    self->topological = dv_object_ops(found, DV_TOPOLOGICAL_MAPPING);
    self->topological_self = dv_object_self(found);
    status = dv_topology_take(object, self->topological->input(self->topological_self), &self->in_mesh);
    return status == DV_OK
               ? dv_topology_take(object, self->topological->output(self->topological_self), &self->out_mesh)
               : status;
}

DvStatus points_of_mesh_start(DvObject *object, PointsOfMesh *self, const char *class_name)
{
    DvStatus status = mapping_resolve(object, &self->base);
    if (status == DV_OK)
        status = find_meshes(self, object, class_name);
    if (status != DV_OK)
        return status;
    const uint32_t points = self->out_mesh.ops->point_count(self->out_mesh.self);
    if (dv_state_count(self->base.out) != points)
        self->base.out.ops->resize(self->base.out.self, points);
    self->made = false;
    mapping_apply_all(&self->base, &points_of_mesh_ops);
    return DV_OK;
}

void points_of_mesh_cleanup(DvObject *object, void *self_)
{
    (void)object;
    PointsOfMesh *self = self_;
    dv_topology_release(&self->in_mesh);
    dv_topology_release(&self->out_mesh);
    mapping_release(&self->base);
}

void points_of_mesh_destroy(DvObject *object, void *self_)
{
    (void)object;
    PointsOfMesh *self = self_;
    weighted_rows_free(&self->rows);
    dv_free(self->offset);
}
