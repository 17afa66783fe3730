/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * States along topological mappings; see divan/kit/points_of_mesh.h.
 */
#include <divan/kit/points_of_mesh.h>

#include <string.h>

enum { MOST_PARENTS = 8 };

/* ---- Weights ---- */

static void rows(void *self_, DvMappingRows *to)
{
    DvPointsOfMesh *self = self_;
    const uint32_t points = dv_state_count(self->linear.base.out), parents = dv_state_count(self->linear.base.in);
    dv_free(self->offset);
    self->offset = dv_alloc((size_t)points * 3, sizeof *self->offset);
    for (uint32_t i = 0; i < points; i++) {
        uint32_t on[MOST_PARENTS];
        double weight[MOST_PARENTS];
        const uint32_t count =
            self->topological->point(self->topological_self, i, on, weight, self->offset + 3 * (size_t)i);
        for (uint32_t k = 0; k < count && on[k] < parents; k++)
            dv_mapping_rows_add(to, 0, on[k], weight[k]);
        dv_mapping_rows_end(to);
    }
}

static uint64_t version(void *self_)
{
    const DvPointsOfMesh *self = self_;
    return self->in_mesh.ops->revision(self->in_mesh.self) + self->out_mesh.ops->revision(self->out_mesh.self);
}

static void add_offsets(void *self_, const DvVec *out)
{
    const DvPointsOfMesh *self = self_;
    for (uint32_t i = 0; i < self->linear.points; i++)
        for (uint32_t c = 0; c < 3; c++)
            if (self->offset[3 * (size_t)i + c] != 0.0)
                out->at[(size_t)i * out->dim + c] += self->offset[3 * (size_t)i + c];
}

const DvLinearMappingOps dv_points_of_mesh_ops = {
    .ops = {DV_LINEAR_MAPPING_OPS}, .rows = rows, .version = version, .add_offsets = add_offsets};

/* ---- Life ---- */

/* Whether an object says where the points of the mesh in the output's node come from. */
static bool suits(const DvPointsOfMesh *self, const DvObject *found, const char *class_name)
{
    const DvTopologicalMappingOps *ops = found ? dv_object_ops(found, DV_TOPOLOGICAL_MAPPING) : NULL;
    const DvNode *node = dv_object_node(self->linear.base.out.object);
    return ops && ops->point && (!class_name || strcmp(dv_object_class(found)->name, class_name) == 0) &&
           dv_object_node(ops->output(dv_object_self(found))) == node;
}

static DvObject *find_topological(const DvPointsOfMesh *self, DvObject *object, const char *class_name)
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

static DvStatus find_meshes(DvPointsOfMesh *self, DvObject *object, const char *class_name)
{
    DvObject *found = find_topological(self, object, class_name);
    if (!found)
        return dv_error(object, DV_ERROR_MISSING, "a %s must stand before it, that fills the mesh in the node of '%s'",
                        class_name, dv_object_path(self->linear.base.out.object));
    DvStatus status = dv_object_require(object, found);
    if (status != DV_OK)
        return status;
    if (!dv_object_is_valid(found) || !suits(self, found, NULL))
        return dv_error(object, DV_ERROR_INVALID, "'%s' does not say where the points of '%s' are",
                        dv_object_path(found), dv_object_path(self->linear.base.out.object));
    self->topological = dv_object_ops(found, DV_TOPOLOGICAL_MAPPING);
    self->topological_self = dv_object_self(found);
    status = dv_topology_take(object, self->topological->input(self->topological_self), &self->in_mesh);
    return status == DV_OK
               ? dv_topology_take(object, self->topological->output(self->topological_self), &self->out_mesh)
               : status;
}

DvStatus dv_points_of_mesh_init(DvObject *object, DvPointsOfMesh *self, const char *class_name)
{
    DvStatus status = dv_linear_mapping_init(object, &self->linear, &dv_points_of_mesh_ops);
    if (status == DV_OK)
        status = find_meshes(self, object, class_name);
    if (status != DV_OK)
        return status;
    const uint32_t points = self->out_mesh.ops->point_count(self->out_mesh.self);
    if (dv_state_count(self->linear.base.out) != points)
        self->linear.base.out.ops->resize(self->linear.base.out.self, points);
    dv_linear_mapping_start(&self->linear);
    return DV_OK;
}

void dv_points_of_mesh_cleanup(DvObject *object, void *self_)
{
    DvPointsOfMesh *self = self_;
    dv_linear_mapping_cleanup(object, self_);
    dv_topology_release(&self->in_mesh);
    dv_topology_release(&self->out_mesh);
}

void dv_points_of_mesh_destroy(DvObject *object, void *self_)
{
    dv_linear_mapping_destroy(object, self_);
    dv_free(((DvPointsOfMesh *)self_)->offset);
}
