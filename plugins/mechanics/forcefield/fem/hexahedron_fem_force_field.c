/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * HexahedronFEMForceField: linear elastic hexahedra with large rotations.
 *
 * Each element has a frame R (world to local) from the means of its edges,
 *   large   x along the first mean edge, z normal to the first two
 *   polar   the polar factor of the three of them
 *   small   none
 *   exact   the rotation of its deformation, with all of the energy's gradient: hexahedron_exact.h
 * and the displacement D = rest - R x of its nodes in it:  f = R^T K D,  stiffness -R^T K R. The derivative of R is left out of the
 * first two, as is usual, of the force too: it is no gradient, and has a torque of second order in the strains. Nesme, Payan and Faure, Efficient, physically plausible finite elements, Eurographics 2005.
 *
 * Eight elements in a row that are parallelepipeds at rest are handled at once, mode by mode (hexahedron_box.h). For others a product
 * with K takes the eight nodes of an element as the lanes of one vector. Elements of the same rest shape and material share one K
 * (hexahedron_shapes.h). Cells of a sparse grid are as stiff as they are filled. When the mesh changes, blocks of eight with a touched
 * element are made again, with the next force.
 */
#include "forcefield/fem/hexahedron_modes.h"
#include "forcefield/fem/hexahedron_stiffness.h"

#include <string.h>

const DvType dv_type_stiffness_matrices = {
    .size = sizeof(DvType),
    .name = "list of Mat24x24d",
    .scalar = DV_SCALAR_DOUBLE,
    .components = COLUMNS * COLUMNS,
    .list = true,
    .element_size = sizeof(double[COLUMNS][COLUMNS]),
};

const char *const hexahedron_methods[] = {"large", "polar", "small", "exact", NULL}; /* as HexahedronMethod */

static const DvField fields[] = {HEXAHEDRON_FEM_FIELDS, {0}};

static void free_elements(HexahedronFEMForceField *self)
{
    dv_element_blocks_free(&self->mesh);
    dv_free(self->corner);
    dv_free(self->rest);
    dv_free(self->frame);
    dv_free(self->is_box);
    dv_free(self->box);
    dv_free(self->turned);
    dv_free(self->exact);
    dv_free(self->shape);
    hexahedron_shapes_free(&self->shapes);
    dv_free(self->lame);
    self->corner = self->shape = NULL;
    self->rest = NULL;
    self->frame = NULL;
    self->is_box = NULL;
    self->box = NULL;
    self->turned = NULL;
    self->exact = NULL;
    self->lame = NULL;
    self->room = 0;
}

void hexahedron_store_stiffness(Stiffness *out, const double k[COLUMNS][COLUMNS])
{
    for (int j = 0; j < NODES; j++)
        for (int c = 0; c < 3; c++)
            for (int r = 0; r < 3; r++)
                for (int i = 0; i < NODES; i++)
                    out->column[NODES * c + j][r][i] = k[3 * i + r][3 * j + c];
}

void hexahedron_nodes(const DvReal8 position[3], double node[NODES][3])
{
    for (int n = 0; n < NODES; n++)
        for (int c = 0; c < 3; c++)
            node[n][c] = position[c][n];
}

static void world_nodes(const HexahedronFEMForceField *self, uint32_t element, double node[NODES][3])
{
    for (int n = 0; n < NODES; n++)
        for (int c = 0; c < 3; c++)
            node[n][c] = self->mesh.point[self->corner[(size_t)element * NODES + (size_t)n]][c];
}

/* Whether its edges from node 0 run along x, y and z, of one direction each. The closed form takes them to; it is wrong of others, and of
 * boxes along the axes which are numbered in another way, or as in a mirror, it is right in their frames. */
static bool is_numbered_otherwise(const double node[NODES][3])
{
    static const int ends[3] = {1, 3, 4};
    bool otherwise = false, aligned = true;
    DvVec3 edge[3];
    for (int k = 0; k < 3; k++) {
        edge[k] = dv_vec3_sub(dv_vec3_load(node[ends[k]]), dv_vec3_load(node[0]));
        const double along[3] = {edge[k].x, edge[k].y, edge[k].z}, length = dv_vec3_norm(edge[k]);
        const double longest = fmax(fabs(along[0]), fmax(fabs(along[1]), fabs(along[2])));
        aligned = aligned && longest > 0.999999 * length;
        otherwise = otherwise || along[k] < 0.999999 * length;
    }
    return (aligned && otherwise) || dv_vec3_dot(dv_vec3_cross(edge[0], edge[1]), edge[2]) < 0.0;
}

/* The closed form of a box along the axes whose nodes are numbered in any way: that of proper numbers, with rows and columns exchanged. */
static void closed_stiffness_of_any(const double node[NODES][3], double lambda, double mu, double k[COLUMNS][COLUMNS])
{
    static const int places[2][2][2] = {{{0, 4}, {3, 7}}, {{1, 5}, {2, 6}}}; /* by the side of x, y and z */
    double proper[NODES][3], of_proper[COLUMNS][COLUMNS];
    int place[NODES];
    memcpy(proper, node, sizeof proper);
    for (int n = 0; n < NODES; n++) {
        bool upper[3];
        for (int c = 0; c < 3; c++)
            upper[c] = 2.0 * node[n][c] > node[0][c] + node[6][c];
        place[n] = places[upper[0]][upper[1]][upper[2]];
        memcpy(proper[place[n]], node[n], sizeof proper[0]);
    }
    hexahedron_closed_stiffness((const double(*)[3])proper, lambda, mu, of_proper);
    for (int r = 0; r < COLUMNS; r++)
        for (int c = 0; c < COLUMNS; c++)
            k[r][c] = of_proper[3 * place[r / 3] + r % 3][3 * place[c / 3] + c % 3];
}

/* Of an element whose rest shape and material are set, and which has none. */
static DvStatus take_stiffness(HexahedronFEMForceField *self, uint32_t element)
{
    double node[NODES][3], k[COLUMNS][COLUMNS];
    hexahedron_nodes(self->rest[element], node);
    double world[NODES][3];
    world_nodes(self, element, world);
    const bool otherwise = self->closed_form && is_numbered_otherwise((const double(*)[3])world);
    if (self->closed_form && !otherwise)
        memcpy(node, world, sizeof node);
    const HexahedronShape shape =
        hexahedron_shape((const double(*)[3])node, self->lame[element][0], self->lame[element][1]);
    bool made;
    self->shape[element] = hexahedron_shapes_take(&self->shapes, &shape, !self->updates, &made);
    if (!made)
        return DV_OK;
    const double volume = hexahedron_volume((const double(*)[3])node);
    if (!isfinite(volume) || volume == 0.0)
        return dv_error(dv_object_of(self), DV_ERROR_INVALID,
                        "hexahedron %u has no volume at rest; remove it from the mesh", element);
    (otherwise           ? closed_stiffness_of_any
     : self->closed_form ? hexahedron_closed_stiffness
                         : hexahedron_stiffness)(shape.node, shape.lame[0], shape.lame[1], k);
    hexahedron_store_stiffness(&self->shapes.stiffness[self->shape[element]], (const double(*)[COLUMNS])k);
    return DV_OK;
}

static void make_box(HexahedronFEMForceField *self, uint32_t block, const DvReal8 mode[MODES][3])
{
    Box *box = &self->box[block];
    TurnedBox *axes = &self->turned[block];
    const DvReal8(*frame)[3] = (const DvReal8(*)[3])self->frame[block];
    bool usable = !self->updates && !self->closed_form && !self->exact;
    for (uint32_t lane = 0; lane < DV_LANES; lane++) {
        const uint32_t e =
            block * DV_LANES + lane < self->mesh.elements ? block * DV_LANES + lane : self->mesh.elements - 1;
        double node[NODES][3];
        hexahedron_nodes(self->rest[e], node);
        usable = usable && hexahedron_is_parallelepiped((const double(*)[3])node);
        const DvVec3 origin = dv_vec3_load(node[0]);
        const DvMat3 jacobian = dv_mat3_scale(dv_mat3_from_columns(dv_vec3_sub(dv_vec3_load(node[1]), origin),
                                                                   dv_vec3_sub(dv_vec3_load(node[3]), origin),
                                                                   dv_vec3_sub(dv_vec3_load(node[4]), origin)),
                                              0.5);
        DvMat3 inverse = dv_mat3_identity();
        const double scale = dv_mat3_inverse(jacobian, &inverse) / 8.0;
        for (int i = 0; i < 9; i++)
            box->inverse[i / 3][i % 3][lane] = inverse.m[i / 3][i % 3];
        const bool used = block * DV_LANES + lane < self->mesh.elements;
        axes->lambda[lane] = used ? self->lame[e][0] * scale : 0.0;
        axes->mu[lane] = used ? self->lame[e][1] * scale : 0.0;
    }
    self->is_box[block] = usable;
    for (int m = 0; m < MODES; m++)
        dv_real8_mul(frame, mode[m], box->rest[m]);
    for (int k = 0; k < 3; k++)
        dv_real8_transposed_mul(frame, box->inverse[k], axes->inverse[k]);
}

/* Whether all points of each element are in one place. */
static bool have_no_size(DvElements hexahedra, DvConstVec rest)
{
    for (size_t i = 0; i < (size_t)hexahedra.count * NODES; i++) {
        const uint32_t point = hexahedra.at[i], first = hexahedra.at[i - i % NODES];
        if (point >= rest.count || first >= rest.count ||
            memcmp(rest.at + (size_t)point * rest.dim, rest.at + (size_t)first * rest.dim, 3 * sizeof *rest.at) != 0)
            return false;
    }
    return hexahedra.count > 0;
}

/* From the rest shape, which gets its frame too. */
static void start_exact(HexahedronFEMForceField *self, uint32_t element, DvReal8 x[3])
{
    HexahedronExact *exact = &self->exact[element];
    double node[NODES][3];
    hexahedron_nodes(x, node);
    exact_gradients((const double(*)[3])node, exact->gradient); /* where there are none, the volume is told of */
    exact_frame_of(exact, element % DV_LANES, x, self->frame[element / DV_LANES]);
    turn((const DvReal8(*)[3])self->frame[element / DV_LANES], element % DV_LANES, x, exact->local);
}

static HexahedronMethod chosen_method(HexahedronFEMForceField *self)
{
    static const HexahedronMethod of_boxes[] = {HEXAHEDRON_LARGE, HEXAHEDRON_POLAR, HEXAHEDRON_EXACT};
    const uint32_t choice = (uint32_t)dv_data_choice(&self->method);
    return self->closed_form ? of_boxes[choice] : (HexahedronMethod)choice;
}

static void set_material(HexahedronFEMForceField *self, uint32_t element, const float *filled)
{
    const DvElementMaterial material = dv_element_material(&self->field.materials, element);
    self->lame[element][0] = dv_lame_lambda(material.young, material.poisson);
    self->lame[element][1] = dv_lame_mu(material.young, material.poisson);
    for (int i = 0; filled && i < 2; i++)
        self->lame[element][i] *= (double)filled[element];
}

/* Its nodes are numbered as in a mirror, in its frame: that of method polar can be a mirror too. The closed form needs no sign. */
static bool is_left_handed(const HexahedronFEMForceField *self, uint32_t element)
{
    double node[NODES][3];
    DvMat3 middle = dv_mat3_zero();
    if (self->closed_form)
        return false;
    for (int c = 0; c < 3; c++) {
        const DvReal8 x = self->rest[element][c];
        middle.m[c][0] = x[1] - x[0] + x[2] - x[3] + x[5] - x[4] + x[6] - x[7];
        middle.m[c][1] = x[3] - x[0] + x[2] - x[1] + x[7] - x[4] + x[6] - x[5];
        middle.m[c][2] = x[4] - x[0] + x[5] - x[1] + x[6] - x[2] + x[7] - x[3];
    }
    if (dv_mat3_det(middle) > 0.0)
        return false;
    hexahedron_nodes(self->rest[element], node);
    return hexahedron_volume((const double(*)[3])node) < 0.0;
}

/* What the elements of a block are from their rest positions, which are loaded, and their materials. */
static void set_block(HexahedronFEMForceField *self, uint32_t block, const float *filled)
{
    DvReal8 mode[MODES][3];
    block_modes(self, block, mode);
    block_frames(self, (const DvReal8(*)[3])mode, self->frame[block]);
    for (uint32_t e = block * DV_LANES; e < (block + 1) * DV_LANES && e < self->mesh.elements; e++) {
        DvReal8 x[3];
        set_material(self, e, filled);
        dv_real8_gather_rows(self->mesh.point, self->corner + (size_t)e * NODES, x);
        if (self->exact)
            start_exact(self, e, x);
        turn((const DvReal8(*)[3])self->frame[block], e % DV_LANES, x, self->rest[e]);
        if (is_left_handed(self, e)) /* then so is each determinant that they are multiplied with */
            self->lame[e][0] = -self->lame[e][0], self->lame[e][1] = -self->lame[e][1];
    }
    make_box(self, block, (const DvReal8(*)[3])mode);
}

static void *enlarge(void *array, size_t old, size_t room, size_t size)
{
    return dv_realloc(array, old * size, room * size);
}

static void make_room(HexahedronFEMForceField *self)
{
    const size_t old = self->room, room = self->mesh.block_room;
    if (self->corner && room <= old)
        return;
    self->corner = enlarge(self->corner, old * DV_LANES, room * DV_LANES, NODES * sizeof *self->corner);
    self->rest = enlarge(self->rest, old * DV_LANES, room * DV_LANES, sizeof *self->rest);
    self->shape = enlarge(self->shape, old * DV_LANES, room * DV_LANES, sizeof *self->shape);
    self->lame = enlarge(self->lame, old * DV_LANES, room * DV_LANES, sizeof *self->lame);
    if (self->chosen == HEXAHEDRON_EXACT)
        self->exact = enlarge(self->exact, old * DV_LANES, room * DV_LANES, sizeof *self->exact);
    self->frame = enlarge(self->frame, old, room, sizeof *self->frame);
    self->is_box = enlarge(self->is_box, old, room, sizeof *self->is_box);
    self->box = enlarge(self->box, old, room, sizeof *self->box);
    self->turned = enlarge(self->turned, old, room, sizeof *self->turned);
    self->room = self->mesh.block_room;
}

static const float *filled_cells(const HexahedronFEMForceField *self)
{
    const DvSparseGridOps *grid = self->closed_form ? NULL : dv_object_ops(self->field.topology.object, DV_SPARSE_GRID);
    return grid ? grid->filled(self->field.topology.self) : NULL;
}

static DvStatus build(void *self_, const DvElementSource *source)
{
    HexahedronFEMForceField *self = self_;
    DvElements hexahedra = source->elements;
    const DvConstVec rest = source->rest;
    free_elements(self);
    if (have_no_size(hexahedra, rest)) { /* scenes run like this: a body without stiffness */
        dv_warning(
            dv_object_of(self),
            "has no effect: the points of each of its %u hexahedra are in one place at rest; give '%s' its positions",
            hexahedra.count, dv_object_path(self->field.base.state.object));
        hexahedra.count = 0;
    }
    hexahedra = dv_ordered_hexahedra_mend(&self->order, dv_object_of(self), hexahedra, rest);
    DvStatus status = dv_element_blocks_build(&self->mesh, dv_object_of(self), "hexahedron", rest.count, NODES,
                                              hexahedra.count, hexahedra.at);
    if (status != DV_OK)
        return status;
    self->chosen = chosen_method(self);
    self->updates = !self->closed_form && dv_data_bool(&self->update_stiffness_matrix);
    make_room(self);
    if (hexahedra.count > 0)
        memcpy(self->corner, hexahedra.at, (size_t)hexahedra.count * NODES * sizeof *self->corner);
    dv_element_blocks_load(&self->mesh, rest.at);
    const float *filled = filled_cells(self);
    for (uint32_t block = 0; block < self->mesh.blocks; block++)
        set_block(self, block, filled);
    for (uint32_t e = 0; e < hexahedra.count && status == DV_OK; e++)
        status = take_stiffness(self, e);
    if (status == DV_OK && !self->closed_form)
        dv_data_set(&self->initial_points, rest.at, rest.count);
    return status;
}

/* Elements that are touched, or no more, let go of their stiffness. */
static void release_stiffness(HexahedronFEMForceField *self, const DvMeshEdits *edits, uint32_t before, uint32_t now)
{
    for (uint32_t i = 0; i < edits->elements.count; i++)
        if (edits->elements.data[i] < before)
            hexahedron_shapes_release(&self->shapes, self->shape[edits->elements.data[i]]);
    for (uint32_t e = now; e < before; e++)
        hexahedron_shapes_release(&self->shapes, self->shape[e]);
}

/* Blocks of touched elements, and the last one, whose lanes may have lost theirs; then the stiffness of the touched. */
static DvStatus set_touched(HexahedronFEMForceField *self, const DvMeshEdits *edits, const double *rest,
                            const uint32_t *list)
{
    const float *filled = filled_cells(self);
    const DvIndexArray *touched = &edits->elements;
    uint32_t done = UINT32_MAX; /* they are ascending */
    for (uint32_t i = 0; i < touched->count; i++)
        memcpy(self->corner + (size_t)touched->data[i] * NODES, list + (size_t)touched->data[i] * NODES,
               NODES * sizeof *list);
    for (uint32_t i = 0; i <= touched->count && self->mesh.blocks > 0; i++) {
        const uint32_t block = i < touched->count ? touched->data[i] / DV_LANES : self->mesh.blocks - 1;
        if (block == done)
            continue;
        dv_element_blocks_load_block(&self->mesh, rest, block);
        set_block(self, block, filled);
        done = block;
    }
    DvStatus status = DV_OK;
    for (uint32_t i = 0; i < touched->count && status == DV_OK; i++)
        status = take_stiffness(self, touched->data[i]);
    return status;
}

/* The elements in proper order; where none had another one, those that were touched decide whether all are looked at. */
static DvElements elements_in_order(HexahedronFEMForceField *self, DvElements given, DvConstVec rest)
{
    const DvIndexArray *touched = &self->field.edits.elements;
    if (!self->order.nodes && dv_hexahedra_are_in_order(given, touched->data, touched->count, rest))
        return given;
    return dv_ordered_hexahedra_mend(&self->order, dv_object_of(self), given, rest);
}

static DvStatus update(void *self_, const DvElementSource *source, const DvMeshEdits *edits, bool *paired)
{
    HexahedronFEMForceField *self = self_;
    const DvConstVec rest = source->rest;
    const uint32_t before = self->mesh.elements;
    const DvElements hexahedra = elements_in_order(self, source->elements, rest);
    DvStatus status =
        dv_element_blocks_update(&self->mesh, dv_object_of(self), "hexahedron", edits, &self->field.topology,
                                 rest.count, hexahedra.count, hexahedra.at, paired);
    if (status != DV_OK)
        return status;
    make_room(self);
    release_stiffness(self, edits, before, hexahedra.count);
    status = set_touched(self, edits, rest.at, hexahedra.at);
    if (status == DV_OK && !self->closed_form)
        dv_mesh_edits_copy_points(edits, &self->initial_points, &rest);
    return status;
}

static void clear(void *self)
{
    free_elements(self);
}

bool hexahedron_turns(const void *self)
{
    return ((const HexahedronFEMForceField *)self)->chosen != HEXAHEDRON_SMALL;
}

/* Four diagonals inside each, and two on each face, which two share at most. */
enum { PAIRS_INSIDE = 4, PAIRS_ON_FACES = 6 };

static const DvMeshForceFieldKind kind = {.need = "a container of hexahedra",
                                          .elements = DV_HEXAHEDRA,
                                          .pairs = PAIRS_INSIDE + PAIRS_ON_FACES,
                                          .must_have = true,
                                          .build = build,
                                          .update = update,
                                          .clear = clear,
                                          .turns = hexahedron_turns};

DvStatus hexahedron_fem_reinit(DvObject *object, void *self_)
{
    (void)object;
    HexahedronFEMForceField *self = self_;
    dv_element_materials_read(&self->field.materials);
    return dv_mesh_force_field_build(&self->field);
}

DvStatus hexahedron_fem_init(DvObject *object, void *self_)
{
    HexahedronFEMForceField *self = self_;
    DvStatus status = dv_mesh_force_field_begin(object, &self->field, &kind, &self->mesh, &self->material, NULL);
    if (status != DV_OK)
        return status;
    if (chosen_method(self) == HEXAHEDRON_EXACT && !self->closed_form && dv_data_bool(&self->update_stiffness_matrix)) {
        dv_single_state_release(&self->field.base);
        return dv_field_error(&self->update_stiffness_matrix, -1,
                              "method 'exact' has the stiffness of the rest shape; use another method, or 0");
    }
    status = hexahedron_fem_reinit(object, self);
    if (status == DV_OK)
        dv_mesh_force_field_report(&self->field);
    return status;
}

/* stiffnessMatrices, when somebody reads them. */
DvStatus hexahedron_fem_update(DvObject *object, void *self_)
{
    (void)object;
    HexahedronFEMForceField *self = self_;
    double(*out)[COLUMNS][COLUMNS] = dv_data_begin_all(&self->stiffness_matrices, self->mesh.elements);
    for (uint32_t e = 0; e < self->mesh.elements; e++) {
        const Stiffness *k = &self->shapes.stiffness[self->shape[e]];
        for (int row = 0; row < COLUMNS; row++)
            for (int column = 0; column < COLUMNS; column++)
                out[e][row][column] = k->column[NODES * (column % 3) + column / 3][row % 3][row / 3];
    }
    dv_data_end(&self->stiffness_matrices);
    return DV_OK;
}

void hexahedron_fem_destroy(DvObject *object, void *self_)
{
    (void)object;
    free_elements(self_);
    dv_element_operator_free(&((HexahedronFEMForceField *)self_)->described);
    dv_ordered_hexahedra_free(&((HexahedronFEMForceField *)self_)->order);
}

void hexahedron_fem_draw(HexahedronFEMForceField *self, DvDraw *draw, double gap)
{
    static const uint8_t faces[12][3] = {{0, 3, 2}, {0, 2, 1}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5}, {0, 5, 4},
                                         {2, 3, 7}, {2, 7, 6}, {1, 2, 6}, {1, 6, 5}, {0, 4, 7}, {0, 7, 3}};
    static const double colors[3][4] = {{0.7, 0.7, 0.1, 1.0}, {0.7, 0.0, 0.0, 1.0}, {0.0, 0.7, 0.0, 1.0}};
    if (!dv_draw_shows(draw, DV_DISPLAY_FORCE_FIELDS) || !self->field.base.state.ops)
        return;
    const DvConstVec x = dv_state_read(self->field.base.state, DV_POSITION);
    if (x.count == self->mesh.points)
        dv_element_blocks_draw(&self->mesh, draw, x.at, faces, 12, gap, colors, 3);
}

static void draw(void *self_, DvDraw *target)
{
    HexahedronFEMForceField *self = self_;
    if (dv_data_bool(&self->drawing))
        hexahedron_fem_draw(self, target, dv_data_double(&self->gap));
}

const DvDrawableOps hexahedron_fem_drawable = {.size = sizeof hexahedron_fem_drawable, .draw = draw};

const DvClass dv_hexahedron_fem_force_field = {
    .size = sizeof(DvClass),
    .name = "HexahedronFEMForceField",
    .variants = "Vec3d",
    DV_FORCE_FIELD_CLASS("ForceField", "BaseLinearElasticityFEMForceField"),
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .help = "Linear elastic hexahedra with large rotations.",
    .instance_size = sizeof(HexahedronFEMForceField),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_FORCE_FIELD, .ops = &hexahedron_fem_ops},
                                      {.id = DV_FAULT_CAUSE, .ops = &hexahedron_fem_cause},
                                      {.id = DV_COUPLED_PAIRS, .ops = &dv_mesh_force_field_pairs},
                                      {.id = DV_ROTATIONS, .ops = &dv_mesh_force_field_rotations},
                                      {.id = DV_DRAWABLE, .ops = &hexahedron_fem_drawable},
                                      {.id = DV_ELEMENT_STRESS, .ops = &hexahedron_fem_stress},
                                      {.id = DV_OPERATOR, .ops = &hexahedron_fem_operator},
                                      {0}},
    .init = hexahedron_fem_init,
    .reinit = hexahedron_fem_reinit,
    .update = hexahedron_fem_update,
    .cleanup = dv_mesh_force_field_cleanup,
    .destroy = hexahedron_fem_destroy,
};
