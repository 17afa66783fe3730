/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ValuesFromPositions: a number for each point and each element, by how far along a direction it lies: from the first of a list of
 * numbers to the last, linear between them. Or the same vector for each.
 *
 * How far is 0 at the least x and 1 at the greatest x of the box of the root node, whatever the direction, as in old scenes;
 * `ownBounds` takes the positions themselves, along the direction.
 */
#include <divan/contracts/drawing.h>
#include <divan/contracts/state.h>
#include <divan/kit/array.h>
#include <divan/math/vec.h>

#include "mesh_inputs.h"

#include <math.h>

typedef struct ValuesFromPositions {
    DvEngine engine;
    DvData input, direction, position, elements[DV_ELEMENT_KINDS], type, own_bounds;
    DvData values[DV_ELEMENT_KINDS], vectors[DV_ELEMENT_KINDS]; /* of points and of elements */
    DvData draw_vectors, draw_length;
} ValuesFromPositions;

static const DvElementKind kinds[] = {DV_POINTS, DV_EDGES, DV_TRIANGLES, DV_TETRAHEDRA};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* What is looked up: `count` numbers, the first at `from`, the last `length` farther along the direction. */
typedef struct Table {
    const double *value;
    size_t count;
    DvVec3 direction;
    double from, length;
} Table;

static double look_up(const Table *table, DvVec3 at)
{
    const double t = table->length > 0 ? (dv_vec3_dot(at, table->direction) - table->from) / table->length : 0;
    if (table->count < 2 || !(t > 0))
        return table->count ? table->value[0] : 0;
    if (t >= 1)
        return table->value[table->count - 1];
    const double place = t * (double)(table->count - 1), below = floor(place);
    const double *value = table->value + (size_t)below;
    return value[0] + (place - below) * (value[1] - value[0]);
}

static void find_bounds(ValuesFromPositions *self, DvNode *root, Table *table)
{
    size_t points;
    const double *x = dv_data_doubles(&self->position, &points);
    const uint32_t dim = self->engine.dof->coord;
    if (!dv_data_bool(&self->own_bounds)) {
        const double *box = dv_data_doubles(dv_object_field(dv_node_object(root), "bbox"), NULL);
        table->from = box[0];
        table->length = box[3] - box[0];
        return;
    }
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < points; i++) {
        const double along = dv_vec3_dot(dv_vec3_load(x + dim * i), table->direction);
        least = fmin(least, along);
        most = fmax(most, along);
    }
    table->from = points ? least : 0;
    table->length = points ? most - least : 0;
}

static void warn_of_bounds(ValuesFromPositions *self, DvObject *object, const Table *table)
{
    if (dv_data_bool(&self->own_bounds) || table->count < 2)
        return;
    const bool turned = table->direction.x != 1;
    if ((table->length > 0 && !turned) || !dv_engine_starting(&self->engine))
        return;
    if (!(table->length > 0))
        dv_warning(object, "the root node has no 'bbox' along x, so that the first of 'inputValues' counts everywhere; "
                           "give it one, or ownBounds=\"1\" for the bounds of 'position'");
    else
        dv_field_warning(&self->direction, -1,
                         "how far along it is measured between the x bounds of the root node's "
                         "'bbox'; ownBounds=\"1\" takes those of 'position' along it");
}

/* The middle of an element, all of whose points are there. */
static DvVec3 middle(const double *x, uint32_t dim, const uint32_t *node, uint32_t nodes)
{
    DvVec3 sum = dv_vec3_zero();
    for (uint32_t j = 0; j < nodes; j++)
        sum = dv_vec3_add(sum, dv_vec3_load(x + (size_t)dim * node[j]));
    return dv_vec3_scale(sum, 1.0 / nodes);
}

/* Points, or elements whose points are there. */
static DvStatus items_of(ValuesFromPositions *self, DvElementKind kind, DvElements *items)
{
    size_t points;
    (void)dv_data_doubles(&self->position, &points);
    *items = (DvElements){.at = NULL, .count = (uint32_t)points};
    return kind == DV_POINTS ? DV_OK : mesh_input(&self->elements[kind], kind, points, items);
}

static DvVec3 place_of(ValuesFromPositions *self, DvElementKind kind, DvElements items, uint32_t i)
{
    const double *x = dv_data_doubles(&self->position, NULL);
    const uint32_t dim = self->engine.dof->coord, nodes = dv_element_nodes(kind);
    return items.at ? middle(x, dim, items.at + (size_t)nodes * i, nodes) : dv_vec3_load(x + (size_t)dim * i);
}

static DvStatus update(DvObject *object, void *self_)
{
    ValuesFromPositions *self = self_;
    if (!dv_engine_runs(object, &self->engine))
        return DV_OK;
    const bool vectors = dv_data_choice(&self->type) == 1;
    Table table = {.direction = dv_vec3_load(dv_data_doubles(&self->direction, NULL))};
    table.value = dv_data_doubles(&self->input, &table.count);
    find_bounds(self, dv_node_root(dv_object_node(object)), &table);
    if (!vectors)
        warn_of_bounds(self, object, &table);
    DvStatus status = DV_OK;
    for (int k = 0; k < KINDS; k++) {
        const DvElementKind kind = kinds[k];
        DvElements items;
        status = mesh_first(status, items_of(self, kind, &items));
        double *value = dv_data_begin_all(&self->values[kind], vectors ? 0 : items.count);
        double *vector = dv_data_begin_all(&self->vectors[kind], vectors ? items.count : 0);
        for (uint32_t i = 0; i < items.count; i++)
            if (vectors)
                dv_vec3_store(table.direction, vector + 3 * (size_t)i);
            else
                value[i] = look_up(&table, place_of(self, kind, items, i));
        dv_data_end(&self->values[kind]);
        dv_data_end(&self->vectors[kind]);
    }
    return status;
}

static DvStatus init(DvObject *object, void *self_)
{
    ValuesFromPositions *self = self_;
    static const char *const lists[DV_ELEMENT_KINDS] = {
        [DV_EDGES] = "edges", [DV_TRIANGLES] = "triangles", [DV_TETRAHEDRA] = "tetrahedra"};
    DvStatus status = dv_engine_follow(object, &self->position, DV_STATE, DV_SEARCH_UP, "rest_position");
    if (status == DV_OK)
        status = dv_engine_follow(object, &self->position, DV_LOADER, DV_SEARCH_LOCAL, "position");
    for (int k = 1; k < KINDS && status == DV_OK; k++)
        status = dv_engine_follow(object, &self->elements[kinds[k]], DV_TOPOLOGY, DV_SEARCH_UP, lists[kinds[k]]);
    return status;
}

static void draw(void *self_, DvDraw *draw)
{
    static const double blue[4] = {0.4, 0.4, 1.0, 1.0};
    ValuesFromPositions *self = self_;
    if (!self->engine.ready || !dv_draw_shows(draw, DV_DISPLAY_BEHAVIOR_MODELS) || !dv_data_bool(&self->draw_vectors))
        return;
    const double length = dv_data_double(&self->draw_length);
    for (int k = 0; k < KINDS; k++) {
        size_t count;
        DvElements items;
        const double *vector = dv_data_doubles(&self->vectors[kinds[k]], &count);
        if (count == 0 || items_of(self, kinds[k], &items) != DV_OK || items.count != count)
            continue;
        double *ends = dv_alloc(6 * count, sizeof *ends);
        for (uint32_t i = 0; i < items.count; i++) {
            const DvVec3 from = place_of(self, kinds[k], items, i);
            dv_vec3_store(from, ends + 6 * (size_t)i);
            dv_vec3_store(dv_vec3_madd(from, length, dv_vec3_load(vector + 3 * (size_t)i)), ends + 6 * (size_t)i + 3);
        }
        draw->ops->lines(draw, ends, items.count, 1, blue);
        dv_free(ends);
    }
}

static const char *const types[] = {"Scalar", "Vector", NULL};
#define IN(member, name, type, text, ...) DV_ENGINE_INPUT(ValuesFromPositions, member, name, type, text, __VA_ARGS__)
#define OUT(member, name, type, text)     DV_ENGINE_OUTPUT(ValuesFromPositions, member, name, type, text)
static const DvField fields[] = {
    IN(input, "inputValues", dv_type_doubles, "numbers at equal distances along the direction"),
    IN(direction, "direction", dv_type_vec3d, "along which they lie; or the vector", .init = "0 1 0"),
    IN(position, "position", dv_type_coords, "the points (default: the rest shape)", .unit = "m",
       .aliases = (const char *const[]){"rest_position", NULL}),
    IN(elements[DV_EDGES], "edges", dv_type_edges, "edges (default: of the mesh)"),
    IN(elements[DV_TRIANGLES], "triangles", dv_type_triangles, "triangles (default: of the mesh)"),
    IN(elements[DV_TETRAHEDRA], "tetrahedra", dv_type_tetrahedra, "tetrahedra (default: of the mesh)"),
    OUT(values[DV_POINTS], "values", dv_type_doubles, "number of each point"),
    OUT(values[DV_EDGES], "edgeValues", dv_type_doubles, "of the middle of each edge"),
    OUT(values[DV_TRIANGLES], "triangleValues", dv_type_doubles, "of the middle of each triangle"),
    OUT(values[DV_TETRAHEDRA], "tetrahedronValues", dv_type_doubles, "of the middle of each tetrahedron"),
    OUT(vectors[DV_POINTS], "pointVectors", dv_type_vec3s, "the vector for each point"),
    OUT(vectors[DV_EDGES], "edgeVectors", dv_type_vec3s, "for each edge"),
    OUT(vectors[DV_TRIANGLES], "triangleVectors", dv_type_vec3s, "for each triangle"),
    OUT(vectors[DV_TETRAHEDRA], "tetrahedronVectors", dv_type_vec3s, "for each tetrahedron"),
    IN(type, "fieldType", dv_type_choice, "numbers, or the vector", .init = "Scalar", .choices = types),
    IN(own_bounds, "ownBounds", dv_type_bool,
       "the numbers lie between the bounds of the positions along the direction, not the x bounds of the root node's box",
       .init = "0"),
    DV_ENGINE_SHOWN(ValuesFromPositions, draw_vectors, "drawVectors"),
    DV_FIELD(ValuesFromPositions, draw_length, "drawVectorLength", dv_type_double, .init = "10",
             .flags = DV_FIELD_DRAWING, .group = "Visualization", .help = "times the vector: length of what is shown"),
    {0},
};

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_values_from_positions = {
    .size = sizeof(DvClass),
    .name = "ValuesFromPositions",
    .variants = "Vec3d Rigid3d",
    .default_variant = "Vec3d",
    .module = "Sofa.Component.Engine.Select",
    .help = "Gives points and elements numbers by where they are along a direction.",
    .instance_size = sizeof(ValuesFromPositions),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    DV_ENGINE_CLASS("DataEngine"),
    DV_ENGINE_LIFE,
    .init = init,
    .update = update,
};
