/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A plugin for tests of linear solvers: the class GivenMatrix, a force field whose stiffness is what the test gives, symmetric or not.
 */
#include "given_matrix.h"

#include <divan/contracts/force_field.h>
#include <divan/plugin.h>

typedef struct GivenMatrix {
    DvStateRef state;
    const DvBlockMatrix *matrix;
    uint64_t structure;
} GivenMatrix;

static DvStatus init(DvObject *object, void *self)
{
    return dv_state_require(object, NULL, &((GivenMatrix *)self)->state);
}

static void cleanup(DvObject *object, void *self)
{
    (void)object;
    dv_state_release(&((GivenMatrix *)self)->state);
}

static uint32_t states(void *self, DvObject *states[2])
{
    states[0] = ((GivenMatrix *)self)->state.object;
    return states[0] ? 1 : 0;
}

static void add_force(void *self, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    (void)self, (void)step, (void)x, (void)v, (void)f;
}

static void add_dforce(void *self_, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    (void)step, (void)b;
    const DvBlockMatrix *a = ((GivenMatrix *)self_)->matrix;
    const uint32_t size = a ? a->block : 0;
    for (uint32_t row = 0; a && row < a->rows; row++)
        for (uint32_t e = a->row_start[row]; e < a->row_start[row + 1]; e++)
            for (uint32_t r = 0; r < size; r++)
                for (uint32_t c = 0; c < size; c++)
                    df->at[row * size + r] +=
                        k * a->values[(e * size + r) * size + c] * dx->at[a->columns[e] * size + c];
}

static void reserve(void *self, DvPattern *pattern)
{
    const DvBlockMatrix *a = ((GivenMatrix *)self)->matrix;
    for (uint32_t row = 0; a && row < a->rows; row++)
        for (uint32_t e = a->row_start[row]; e < a->row_start[row + 1]; e++)
            dv_pattern_add(pattern, row, a->columns[e]);
}

static void assemble(void *self, const DvStep *step, double k, double b, const DvMatrixView *view)
{
    (void)step, (void)b;
    const DvBlockMatrix *a = ((GivenMatrix *)self)->matrix;
    for (uint32_t e = 0; a && e < a->row_start[a->rows]; e++)
        dv_view_add(view, e, a->values + (size_t)a->block * a->block * e, k);
}

static uint64_t structure(void *self)
{
    return ((GivenMatrix *)self)->structure;
}

static DvSymmetry symmetry(void *self)
{
    (void)self;
    return DV_SYMMETRIC_WITHOUT;
}

static void set(void *self_, const DvBlockMatrix *matrix)
{
    GivenMatrix *self = self_;
    self->matrix = matrix;
    self->structure++;
}

static const DvForceFieldOps ops = {.size = sizeof(DvForceFieldOps),
                                    .states = states,
                                    .add_force = add_force,
                                    .add_dforce = add_dforce,
                                    .reserve = reserve,
                                    .assemble = assemble,
                                    .structure = structure,
                                    .symmetry = symmetry};
static const GivenMatrixOps given = {.size = sizeof given, .set = set};

static const DvClass given_matrix = {
    .size = sizeof(DvClass),
    .name = "GivenMatrix",
    .family = "tests",
    .help = "A stiffness that a test gives.",
    .instance_size = sizeof(GivenMatrix),
    .contracts =
        (const DvContract[]){{.id = DV_FORCE_FIELD, .ops = &ops}, {.id = TEST_GIVEN_MATRIX, .ops = &given}, {0}},
    .init = init,
    .cleanup = cleanup,
};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "divan.test-given-matrix",
    .version = "0.1.0",
    .license = "LGPL-2.1-or-later",
    .help = "For tests.",
    .classes = (const DvClass *const[]){&given_matrix, NULL},
};
