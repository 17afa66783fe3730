/* SPDX-License-Identifier: MIT
 *
 * Components made outside the tree on the bases of Divan's kit: a force field, a region of interest, a linear mapping and a preconditioner.
 */
#include <divan/kit/force_field.h>
#include <divan/kit/linear_mapping.h>
#include <divan/kit/preconditioner.h>
#include <divan/kit/region.h>
#include <divan/plugin.h>

#include <math.h>

/* ---- HomeForceField: f_i = -k x_i ---- */

typedef struct HomeForceField {
    DvSingleState base;
    DvData stiffness;
} HomeForceField;

static const DvField home_fields[] = {
    DV_SINGLE_STATE_FIELDS(HomeForceField, base),
    DV_FIELD(HomeForceField, stiffness, "stiffness", dv_type_double, .init = "1", .unit = "N/m",
             .help = "force per distance"),
    {0},
};

static DvStatus home_init(DvObject *object, void *self)
{
    return dv_single_state_init(object, self);
}

static void home_cleanup(DvObject *object, void *self)
{
    (void)object;
    dv_single_state_release(self);
}

static void subtract(HomeForceField *self, double factor, const DvConstVec *x, const DvVec *f)
{
    const double k = factor * dv_data_double(&self->stiffness);
    for (uint32_t i = 0; i < 3 * x->count; i++)
        f->at[i] -= k * x->at[i];
}

static void home_force(void *self, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    (void)step, (void)v;
    subtract(self, 1, x, f);
}

static void home_product(void *self, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    (void)step, (void)b;
    subtract(self, k, dx, df);
}

static void home_reserve(void *self, DvPattern *pattern)
{
    const uint32_t points = dv_state_count(((HomeForceField *)self)->base.state);
    for (uint32_t i = 0; i < points; i++)
        dv_pattern_add(pattern, i, i);
}

static void home_assemble(void *self, const DvStep *step, double k, double b, const DvMatrixView *view)
{
    const double s = -dv_data_double(&((HomeForceField *)self)->stiffness), block[9] = {s, 0, 0, 0, s, 0, 0, 0, s};
    const uint32_t points = dv_state_count(((HomeForceField *)self)->base.state);
    (void)step, (void)b;
    for (uint32_t i = 0; i < points; i++)
        dv_view_add3(view, i, block, k);
}

static uint64_t home_structure(void *self)
{
    return dv_state_count(((HomeForceField *)self)->base.state);
}

static const DvForceFieldOps home_ops = {
    .size = sizeof home_ops,
    .states = dv_single_state_states,
    .add_force = home_force,
    .add_dforce = home_product,
    .reserve = home_reserve,
    .assemble = home_assemble,
    .structure = home_structure,
};

static const DvClass home_class = {
    .size = sizeof(DvClass),
    .name = "HomeForceField",
    .variants = "Vec3d",
    DV_FORCE_FIELD_CLASS("ForceField"),
    .help = "Draws every point to the origin.",
    .instance_size = sizeof(HomeForceField),
    .fields = home_fields,
    .contracts = (const DvContract[]){{.id = DV_FORCE_FIELD, .ops = &home_ops}, {0}},
    .init = home_init,
    .cleanup = home_cleanup,
};

/* ---- BeyondROI: points whose x is at least `from` ---- */

typedef struct BeyondROI {
    DvRegion region;
    DvData from;
} BeyondROI;

static const DvField beyond_fields[] = {
    DV_REGION_FIELDS(BeyondROI, region, , , ),
    DV_ENGINE_INPUT(BeyondROI, from, "from", dv_type_double, "least x", .unit = "m"),
    {0},
};

static bool beyond_select(void *self, DvRegionPoints points, bool *inside)
{
    const double from = dv_data_double(&((BeyondROI *)self)->from);
    for (uint32_t i = 0; i < points.count; i++)
        inside[i] = points.at[(size_t)i * points.stride] >= from;
    return true;
}

static const DvRegionOps beyond_ops = DV_REGION_OPS(.select = beyond_select);

static const DvClass beyond_class = {
    .size = sizeof(DvClass),
    .name = "BeyondROI",
    .variants = "Vec3d",
    .help = "Points and elements beyond a plane across x.",
    .instance_size = sizeof(BeyondROI),
    .fields = beyond_fields,
    DV_REGION_CLASS(beyond_ops, "DataEngine"),
};

/* ---- BackwardMapping: the points in the opposite order ---- */

static const DvField backward_fields[] = {DV_SINGLE_MAPPING_FIELDS(DvLinearMapping), {0}};

static void backward_rows(void *self_, DvMappingRows *rows)
{
    DvLinearMapping *self = self_;
    for (uint32_t i = dv_state_count(self->base.in); i-- > 0;) {
        dv_mapping_rows_add(rows, 0, i, 1);
        dv_mapping_rows_end(rows);
    }
}

static const DvLinearMappingOps backward_ops = {.ops = {DV_LINEAR_MAPPING_OPS, .space = DV_HOST},
                                                .rows = backward_rows};

static DvStatus backward_init(DvObject *object, void *self)
{
    const DvStatus status = dv_linear_mapping_init(object, self, &backward_ops);
    if (status == DV_OK)
        dv_linear_mapping_start(self);
    return status;
}

static const DvClass backward_class = {
    .size = sizeof(DvClass),
    .name = "BackwardMapping",
    .variants = "Vec3d,Vec3d",
    .help = "The points of the input, the last one first.",
    .instance_size = sizeof(DvLinearMapping),
    .fields = backward_fields,
    .init = backward_init,
    DV_LINEAR_MAPPING_CLASS(backward_ops),
};

/* ---- RowSumPreconditioner: z_i = r_i / sum_j |A_ij| ---- */

static const DvField sum_fields[] = {DV_LINEAR_SOLVER_FIELDS(DvPreconditioner, base), {0}};

static DvStatus sum_build(void *self_, const DvBlockMatrix *a)
{
    DvPreconditioner *self = self_;
    double *sum = dv_preconditioner_reserve(self, self->base.n);
    const uint32_t b = a->block;
    for (uint32_t row = 0; row < a->rows; row++)
        for (uint32_t c = 0; c < b; c++) {
            sum[row * b + c] = 0;
            for (uint32_t k = a->row_start[row]; k < a->row_start[row + 1]; k++)
                for (uint32_t j = 0; j < b; j++)
                    sum[row * b + c] += fabs(a->values[(size_t)b * b * k + b * c + j]);
            if (!(sum[row * b + c] > 0))
                return dv_linear_solver_refuse_singular(&self->base, a, row * b + c);
        }
    return DV_OK;
}

static DvStatus sum_apply(void *self, double *z, const double *r, size_t n)
{
    const double *sum = ((const DvPreconditioner *)self)->numbers;
    for (size_t i = 0; i < n; i++)
        z[i] = r[i] / sum[i];
    return DV_OK;
}

static const DvPreconditionerOps sum_ops = {.solver = DV_PRECONDITIONER_OPS(sum_apply), .build = sum_build};

static const DvClass sum_class = {
    .size = sizeof(DvClass),
    .name = "RowSumPreconditioner",
    .variants = "DiagonalMatrix",
    .help = "Divides by the sum of the sizes of a row.",
    .instance_size = sizeof(DvPreconditioner),
    .fields = sum_fields,
    DV_PRECONDITIONER_LIFE,
    DV_PRECONDITIONER_CLASS(sum_ops, "MatrixLinearSolver", "LinearSolver"),
};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "example.kit-parts",
    .version = "1.0",
    .license = "MIT",
    .help = "Components made outside Divan's tree on the bases of its kit.",
    .variants = (const char *const[]){"DiagonalMatrix", NULL},
    .classes = (const DvClass *const[]){&home_class, &beyond_class, &backward_class, &sum_class, NULL},
};
