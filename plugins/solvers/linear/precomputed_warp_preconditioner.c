/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PrecomputedWarpPreconditioner: z = R A0^-1 R^T r, with all of the inverse of the first matrix (dense_inverse.h), turned by the rotations R of
 * the bodies since then.
 *
 * The inverse is made by `linearSolver`, by default by a factorization of its own. It is made anew where the number of unknowns or the
 * factors of mass and stiffness change, as with another dt.
 */
#include "linear/dense_inverse.h"
#include "linear/rotated_unknowns.h"

#include <divan/contracts/drawing.h>
#include <divan/divan.h>
#include <divan/math/quat.h>
#include <divan/memory.h>

#include <string.h>

typedef struct PrecomputedWarpPreconditioner {
    DvLinearSolver base;
    DvData use_file, use_rotations, scale;
    DvLink solver_link;
    DvLinearSolverUse solver; /* NULL: a factorization of its own */
    RotatedUnknowns unknowns;
    DenseInverse inverse;
    DvData rotations; /* of the points when it was made */
} PrecomputedWarpPreconditioner;

static const DvField fields[] = {
    DV_LINEAR_SOLVER_FIELDS(PrecomputedWarpPreconditioner, base),
    DENSE_INVERSE_FIELDS(PrecomputedWarpPreconditioner, inverse),
    DV_FIELD(PrecomputedWarpPreconditioner, rotations, "inverseRotations", dv_type_doubles, .flags = DV_FIELD_STATE,
             .help = "rotations of the points when the inverse was made"),
    DV_FIELD_HELD("jmjt_twostep", dv_type_bool, .init = "1",
                  .help = "how the compliance of constraints is computed; it is the same"),
    DV_FIELD(PrecomputedWarpPreconditioner, use_file, "use_file", dv_type_bool, .init = "1",
             .help = "read the inverse from <node>-<unknowns>-<dt>.comp in the working directory, and write it there"),
    DV_FIELD_HELD("share_matrix", dv_type_bool, .init = "1",
                  .help = "each has its own inverse, which is checked against its own matrix"),
    DV_FIELD(PrecomputedWarpPreconditioner, use_rotations, "use_rotations", dv_type_bool, .init = "1",
             .help = "whether the inverse turns with the bodies"),
    DV_FIELD(PrecomputedWarpPreconditioner, scale, "draw_rotations_scale", dv_type_double, .init = "0",
             .range = &dv_range_not_negative, .flags = DV_FIELD_DRAWING,
             .help = "size of the frames that show the rotations; 0: none"),
    DV_LINK(PrecomputedWarpPreconditioner, solver_link, "linearSolver", DV_LINEAR_SOLVER,
            .help = "solver that makes the inverse; default: a factorization of its own"),
    {0},
};

static DvStatus solve_flat(void *self_, double *z, const double *r, size_t n)
{
    PrecomputedWarpPreconditioner *self = self_;
    if (!dv_data_bool(&self->use_rotations)) {
        dense_inverse_apply(&self->inverse, z, r);
        return DV_OK;
    }
    rotated_unknowns_apply(&self->unknowns, true, z, r, n);
    dense_inverse_apply(&self->inverse, z, z);
    rotated_unknowns_apply(&self->unknowns, false, z, z, n);
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    PrecomputedWarpPreconditioner *self = self_;
    DvObject *solver = dv_link_object(&self->solver_link);
    if (dv_link_is_set(&self->solver_link) && solver == NULL)
        return dv_field_error(&self->solver_link.data, -1, "leads to no linear solver");
    if (solver == object)
        return dv_field_error(&self->solver_link.data, -1, "leads to itself");
    if (solver != NULL) {
        const DvStatus status = dv_object_require(object, solver);
        if (status != DV_OK)
            return status;
        self->solver = (DvLinearSolverUse){dv_object_ops(solver, DV_LINEAR_SOLVER), dv_object_self(solver)};
    }
    const DvStatus found = rotated_unknowns_find(&self->unknowns, object, NULL, false);
    if (found != DV_OK)
        return found;
    if (self->unknowns.ops == NULL && dv_data_bool(&self->use_rotations))
        dv_field_warning(&self->use_rotations, -1,
                         "has no effect: nothing around it knows how bodies turn, as TetrahedronFEMForceField and "
                         "HexahedronFEMForceField do");
    return dv_linear_solver_open(object, &self->base, "PrecomputedMatrixSystem", "CompressedRowSparseMatrixd",
                                 solve_flat);
}

static DvStatus make(PrecomputedWarpPreconditioner *self, DvMechanics *m, const DvStep *step, DvFactors factors)
{
    const bool use_file = dv_data_bool(&self->use_file);
    if (self->solver.ops != NULL) {
        const DvStatus status = self->solver.ops->set_system(self->solver.self, m, step, factors);
        if (status != DV_OK)
            return status;
    }
    const DvBlockMatrix *a = dv_linear_solver_assemble(&self->base, m, step, factors);
    if (a == NULL)
        return DV_ERROR_INVALID;
    if (self->solver.ops == NULL)
        return dense_inverse_make_by_factor(&self->inverse, &self->base, a, factors, step->dt, use_file);
    DvText name = {0};
    const InverseFile file = dense_inverse_file(dv_object_of(self), self->base.n, step->dt, use_file, &name);
    const DvStatus status = dense_inverse_make(&self->inverse, dv_object_of(self), a, factors,
                                               (ManySolver){self->solver.ops->solve_many, self->solver.self}, file);
    dv_text_free(&name);
    return status;
}

static DvStatus set_system(void *self_, DvMechanics *m, const DvStep *step, DvFactors factors)
{
    PrecomputedWarpPreconditioner *self = self_;
    dv_linear_solver_take(&self->base, m);
    if (dense_inverse_is_of(&self->inverse, self->base.n, factors)) {
        dv_linear_solver_skip(&self->base);
        rotated_unknowns_turn(&self->unknowns, self->base.ops, m, step);
        return DV_OK;
    }
    dv_phase_begin("factorization");
    const DvStatus status = make(self, m, step, factors);
    dv_phase_end();
    rotated_unknowns_keep(&self->unknowns, self->base.ops, m, step);
    rotated_unknowns_save(&self->unknowns, &self->rotations);
    return status;
}

static void draw(void *self_, DvDraw *draw)
{
    PrecomputedWarpPreconditioner *self = self_;
    const RotatedUnknowns *unknowns = &self->unknowns;
    const double scale = dv_data_double(&self->scale);
    if (scale <= 0.0 || unknowns->dimension != 3 || !dv_draw_shows(draw, DV_DISPLAY_BEHAVIOR_MODELS))
        return;
    const DvConstVec x = dv_state_read(unknowns->state, DV_POSITION);
    const uint32_t count = unknowns->points < x.count ? unknowns->points : x.count;
    double *frames = dv_alloc(count, 7 * sizeof *frames);
    for (uint32_t p = 0; p < count; p++) {
        DvMat3 r;
        memcpy(r.m, unknowns->rotation + 9 * (size_t)p, sizeof r.m);
        const DvQuat q = dv_quat_from_matrix(r);
        memcpy(frames + 7 * (size_t)p, x.at + 3 * (size_t)p, 3 * sizeof *frames);
        memcpy(frames + 7 * (size_t)p + 3, (const double[]){q.x, q.y, q.z, q.w}, 4 * sizeof *frames);
    }
    draw->ops->frames(draw, frames, count, scale);
    dv_free(frames);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

static DvStatus restore(DvObject *object, void *self_)
{
    PrecomputedWarpPreconditioner *self = self_;
    (void)object;
    dense_inverse_restore(&self->inverse);
    rotated_unknowns_restore(&self->unknowns, &self->rotations);
    return DV_OK;
}

static void reset(DvObject *object, void *self)
{
    (void)object;
    dense_inverse_free(&((PrecomputedWarpPreconditioner *)self)->inverse);
}

static void destroy(DvObject *object, void *self)
{
    reset(object, self);
    rotated_unknowns_free(&((PrecomputedWarpPreconditioner *)self)->unknowns);
    dv_linear_solver_destroy(object, self);
}

static const DvLinearSolverOps operations = {DV_LINEAR_SOLVER_OPS, DV_LINEAR_SOLVER_ONE_BY_ONE,
                                             .set_system = set_system, .solve = dv_linear_solver_solve,
                                             .solve_flat = solve_flat};

const DvClass dv_precomputed_warp_preconditioner = {
    .size = sizeof(DvClass),
    .name = "PrecomputedWarpPreconditioner",
    .variants = "CompressedRowSparseMatrixd",
    .family = "preconditioners",
    .bases = (const char *const[]){"MatrixLinearSolver", "LinearSolver", NULL},
    .module = "Sofa.Component.LinearSolver.Preconditioner",
    .help = "The inverse of the first matrix, turned with the bodies.",
    .instance_size = sizeof(PrecomputedWarpPreconditioner),
    .fields = fields,
    .contracts =
        (const DvContract[]){{.id = DV_LINEAR_SOLVER, .ops = &operations}, {.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    .init = init,
    .restore = restore,
    .reset = reset,
    .destroy = destroy,
};
