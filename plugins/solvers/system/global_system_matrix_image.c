/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GlobalSystemMatrixImage: shows where the assembled matrix of a linear system is not zero.
 *
 * The matrix is laid on at most CELLS x CELLS cells; one that holds an entry other than zero is dark. Told at each assembly, it only looks
 * on: a solver that does without the matrix does so here too, and then there is no image. With behaviour models it is drawn as a sheet in
 * the plane z, row 0 on top: where `position` says, else to the right of the scene, as high as that.
 */
#include "system/linear_system.h"

#include <divan/contracts/drawing.h>
#include <divan/memory.h>

#include <math.h>
#include <string.h>

enum { CELLS = 64 };

typedef struct GlobalSystemMatrixImage {
    DvLink system_link;
    DvData seen, bitmap, position, size;
    MatrixWatcher watcher;
    DvObject *system;                                   /* that it watches; NULL: none */
    bool told;                                          /* that there is no matrix */
    uint32_t side;                                      /* cells of a side; 0: no matrix has been seen */
    uint8_t cells[CELLS * CELLS], fresh[CELLS * CELLS]; /* [side x side] of the last matrix; scratch */
} GlobalSystemMatrixImage;

static const DvField fields[] = {
    DV_LINK(GlobalSystemMatrixImage, system_link, "linearSystem", DV_LINEAR_SYSTEM,
            .help = "whose matrix is shown; by default the first in the node or above"),
    DV_FIELD(GlobalSystemMatrixImage, seen, "seen", dv_type_bool, .init = "0",
             .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN | DV_FIELD_INPUT, .help = "touched by another image"),
    DV_FIELD(GlobalSystemMatrixImage, bitmap, "bitmap", dv_type_string, .flags = DV_FIELD_READ_ONLY | DV_FIELD_OUTPUT,
             .help = "the image as a portable bitmap (P1): 1 where an entry is not zero"),
    DV_FIELD(GlobalSystemMatrixImage, position, "position", dv_type_vec3d, .unit = "m", .flags = DV_FIELD_DRAWING,
             .help = "lower left corner of the sheet; by default to the right of the scene"),
    DV_FIELD(GlobalSystemMatrixImage, size, "size", dv_type_double, .init = "0", .unit = "m",
             .range = &dv_range_not_negative, .flags = DV_FIELD_DRAWING,
             .help = "length of a side of the sheet; 0: the height of the scene"),
    {0},
};

static uint32_t cell_of(uint32_t number, uint32_t numbers, uint32_t side)
{
    return (uint32_t)((uint64_t)number * side / numbers);
}

static void darken(GlobalSystemMatrixImage *self, const DvBlockMatrix *a, uint32_t side)
{
    const uint32_t b = a->block, numbers = a->rows * b;
    memset(self->fresh, 0, (size_t)side * side);
    for (uint32_t row = 0; row < a->rows; row++)
        for (uint32_t e = a->row_start[row]; e < a->row_start[row + 1]; e++)
            for (uint32_t k = 0; k < b * b; k++)
                if (a->values[(size_t)e * b * b + k] != 0.0)
                    self->fresh[cell_of(row * b + k / b, numbers, side) * side +
                                cell_of(a->columns[e] * b + k % b, numbers, side)] = 1;
}

/* The text is made for who reads it: a step only counts. */
static DvStatus update(DvObject *object, void *self_)
{
    GlobalSystemMatrixImage *self = self_;
    DvText text = {0};
    (void)object;
    if (self->side > 0)
        dv_text_add(&text, "P1 %u %u\n", self->side, self->side);
    for (uint32_t i = 0; i < self->side * self->side; i++)
        dv_text_add(&text, "%d%s", self->cells[i], (i + 1) % self->side ? " " : "\n");
    dv_data_set_string(&self->bitmap, text.at ? text.at : "");
    dv_text_free(&text);
    return DV_OK;
}

static void look(void *self_, const DvBlockMatrix *matrix)
{
    GlobalSystemMatrixImage *self = self_;
    const uint32_t numbers = matrix->rows * matrix->block, side = numbers < CELLS ? numbers : CELLS;
    const size_t cells = (size_t)side * side;
    darken(self, matrix, side);
    if (side == self->side && memcmp(self->cells, self->fresh, cells) == 0)
        return;
    self->side = side;
    memcpy(self->cells, self->fresh, cells);
    dv_data_touch(&self->seen);
}

static void skipped(void *self_)
{
    GlobalSystemMatrixImage *self = self_;
    if (self->side == 0 && !self->told)
        dv_remark(dv_object_of(self),
                  "the solver does without the matrix of '%s', so there is none to show; a direct one "
                  "(SparseLDLSolver) has it",
                  dv_object_path(self->system));
    self->told = true;
}

/* ---- Showing ---- */

/* Lower left corner and side of the sheet. */
static double place(GlobalSystemMatrixImage *self, double corner[3])
{
    DvData *bounds = dv_object_field(dv_node_object(dv_node_root(dv_object_node(dv_object_of(self)))), "bbox");
    const double *box = dv_data_doubles(bounds, NULL);
    double height = box[4] - box[1];
    if (!(height > 0.0 && isfinite(height)))
        height = 1.0;
    const double side = dv_data_double(&self->size) > 0.0 ? dv_data_double(&self->size) : height;
    if (dv_data_is_set(&self->position)) {
        memcpy(corner, dv_data_doubles(&self->position, NULL), 3 * sizeof *corner);
        return side;
    }
    const bool good = isfinite(box[0]) && isfinite(box[3]) && box[3] >= box[0];
    corner[0] = good ? box[3] + 0.1 * side : 0.0;
    corner[1] = good ? box[1] : 0.0;
    corner[2] = good ? (box[2] + box[5]) / 2 : 0.0;
    return side;
}

static void draw(void *self_, DvDraw *draw)
{
    static const double dark[4] = {0.1, 0.1, 0.3, 1.0}, light[4] = {1.0, 1.0, 1.0, 1.0};
    static const uint8_t corners[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
    GlobalSystemMatrixImage *self = self_;
    if (!dv_draw_shows(draw, DV_DISPLAY_BEHAVIOR_MODELS) || self->side == 0)
        return;
    const uint32_t n = self->side, cells = n * n;
    double corner[3];
    const double cell = place(self, corner) / n;
    double *at = dv_alloc(cells, 26 * sizeof *at), *colors = at + 18 * (size_t)cells;
    for (uint32_t i = 0; i < cells; i++) {
        const uint32_t row = i / n, column = i % n;
        for (uint32_t k = 0; k < 6; k++) {
            double *point = at + 18 * (size_t)i + 3 * (size_t)k;
            point[0] = corner[0] + cell * (column + corners[k][0]);
            point[1] = corner[1] + cell * (n - 1 - row + corners[k][1]);
            point[2] = corner[2];
        }
        for (uint32_t k = 0; k < 2; k++)
            memcpy(colors + 8 * (size_t)i + 4 * (size_t)k, self->cells[i] ? dark : light, sizeof dark);
    }
    draw->ops->state(draw, DV_DRAW_UNLIT);
    draw->ops->colored_triangles(draw, at, 2 * cells, colors, DV_COLORS_OF_ELEMENTS);
    draw->ops->state(draw, 0);
    dv_free(at);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

/* ---- Life ---- */

static void cleanup(DvObject *object, void *self_)
{
    GlobalSystemMatrixImage *self = self_;
    (void)object;
    if (self->system) {
        dv_matrix_linear_system_forget(self->system, &self->watcher);
        dv_object_unref(self->system);
    }
    self->system = NULL;
    self->side = 0;
}

/* Once solvers have found their systems, or made them. */
static DvStatus bwd_init(DvObject *object, void *self_)
{
    GlobalSystemMatrixImage *self = self_;
    DvObject *system = dv_link_object(&self->system_link);
    if (!system)
        system = dv_node_find(dv_object_node(object), DV_LINEAR_SYSTEM, DV_SEARCH_UP);
    if (!system)
        return dv_error(
            object, DV_ERROR_MISSING,
            "no linear system in its node or above: add a solver that assembles, such as SparseLDLSolver, or name "
            "a system by linearSystem");
    const DvStatus status = dv_object_require(object, system);
    if (status != DV_OK)
        return status;
    self->watcher = (MatrixWatcher){.look = look, .skipped = skipped, .self = self};
    if (!dv_matrix_linear_system_watch(system, &self->watcher))
        return dv_error(object, DV_ERROR_INVALID, "'%s' assembles no matrix; a MatrixLinearSystem does",
                        dv_object_path(system));
    self->system = dv_object_ref(system);
    return DV_OK;
}

const DvClass dv_global_system_matrix_image = {
    .size = sizeof(DvClass),
    .name = "GlobalSystemMatrixImage",
    .family = "linear systems",
    .module = "SofaMatrix",
    .help = "Shows where the matrix of a linear system is not zero.",
    .instance_size = sizeof(GlobalSystemMatrixImage),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    .bwd_init = bwd_init,
    .update = update,
    .reinit = dv_object_initialise_again,
    .cleanup = cleanup,
};
