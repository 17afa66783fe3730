/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * RotationMatrixSystem: the linear system of a WarpPreconditioner. It says how often the preconditioner's own solver gets the matrix of the
 * present positions, the first time and then every assemblingRate times; the other times that of the last one is turned with the bodies.
 */
#include "system/rotation_matrix_system.h"
#include "system/linear_system.h"

#include <divan/plugin.h>

typedef struct RotationMatrixSystem {
    DvData matrix_size, assembling_rate;
    DvLink main_link, finder_link;
    RotatedUnknowns unknowns;
    const DvMechanicalOperationsOps *ops;
    DvLinearSystemUse main; /* NULL: not known yet */
    DvData buildings;       /* since the last matrix, and that one; 0: there was none */
    DvData kept, turned;    /* rotations of the points when it was made; since then, where another system asks for it */
    uint32_t since;         /* buildings since the last matrix */
    bool built, fresh;      /* there is one since init or reset; in the last building */
    bool resumes, resuming; /* it was one of a run that goes on, and is to be made again; in this building */
    bool keeps, gives;      /* this building is kept for such a run; it is that which was kept */
} RotationMatrixSystem;

static const DvField fields[] = {
    DV_FIELD(RotationMatrixSystem, matrix_size, "matrixSize", dv_type_vec2u, .init = "0 0", .flags = DV_FIELD_READ_ONLY,
             .help = "rows and columns of the last matrix"),
    DV_FIELD_HELD("enableAssembly", dv_type_bool, .init = "1", .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN,
                  .help = "internal"),
    DV_FIELD_HELD("factorizationInvalidation", dv_type_bool, .init = "0", .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN,
                  .help = "internal"),
    DV_FIELD(RotationMatrixSystem, assembling_rate, "assemblingRate", dv_type_uint, .init = "1",
             .range = &dv_range_count, .flags = DV_FIELD_LENIENT,
             .help = "the matrix is made anew every so many times, and turned in between"),
    DV_LINK(RotationMatrixSystem, main_link, "mainSystem", DV_LINEAR_SYSTEM,
            .help = "system whose matrix is turned: that of the preconditioner's solver"),
    DV_LINK(RotationMatrixSystem, finder_link, "rotationFinder", DV_ROTATIONS,
            .help = "what knows how far bodies have turned; default: the first in the node or above, else below"),
    DV_FIELD(RotationMatrixSystem, buildings, "buildings", dv_type_uint, .init = "0",
             .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN, .help = "of the system since the matrix was made"),
    DV_FIELD(RotationMatrixSystem, kept, "keptRotations", dv_type_doubles, .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN,
             .help = "rotations of the points when the matrix was made"),
    DV_FIELD(RotationMatrixSystem, turned, "turnedRotations", dv_type_doubles,
             .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN,
             .help = "rotations of the points from then to the last building"),
    {0},
};

static DvStatus init(DvObject *object, void *self_)
{
    RotationMatrixSystem *self = self_;
    self->ops = dv_service(DV_MECHANICAL_OPERATIONS);
    if (self->ops == NULL)
        return dv_error(object, DV_ERROR_MISSING, "needs the plugin divan.mechanics");
    return rotated_unknowns_find(&self->unknowns, object, &self->finder_link, true);
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    RotationMatrixSystem *self = self_;
    rotated_unknowns_free(&self->unknowns);
    self->built = self->fresh = false;
}

static void say(RotationMatrixSystem *self, uint32_t buildings)
{
    if (dv_data_uint(&self->buildings) != buildings)
        dv_data_set_uint(&self->buildings, buildings);
}

static void reset(DvObject *object, void *self_)
{
    (void)object;
    RotationMatrixSystem *self = self_;
    self->built = self->resumes = self->resuming = self->keeps = self->gives = false;
    say(self, 0);
}

static DvStatus restore(DvObject *object, void *self_)
{
    (void)object;
    RotationMatrixSystem *self = self_;
    const uint32_t buildings = dv_data_uint(&self->buildings);
    self->built = self->resumes = buildings > 0;
    self->since = buildings > 0 ? buildings - 1 : 0;
    if (self->built)
        rotated_unknowns_restore(&self->unknowns, &self->kept);
    return DV_OK;
}

static bool is_matrix_free(void *self)
{
    (void)self;
    return false;
}

static const DvBlockMatrix *assemble(void *self_, DvMechanics *m, const DvStep *step, DvFactors factors)
{
    const RotationMatrixSystem *self = self_;
    return self->main.ops ? self->main.ops->assemble(self->main.self, m, step, factors) : NULL;
}

static const DvBlockMatrix *whole(void *self_)
{
    const RotationMatrixSystem *self = self_;
    return self->main.ops && self->fresh ? dv_linear_system_whole(self->main) : NULL;
}

static bool may_be_skipped(void *self)
{
    (void)self;
    return false;
}

static void skip(void *self, size_t unknowns)
{
    (void)self;
    (void)unknowns;
}

static const DvLinearSystemOps ops = {
    .size = sizeof(DvLinearSystemOps),
    .is_matrix_free = is_matrix_free,
    .assemble = assemble,
    .whole = whole,
    .may_be_skipped = may_be_skipped,
    .skip = skip,
};

const DvClass dv_rotation_matrix_system = {
    .size = sizeof(DvClass),
    .name = "RotationMatrixSystem",
    .variants = "RotationMatrixd",
    .bases = (const char *const[]){"TypedMatrixLinearSystem", NULL},
    .family = "linear systems",
    .module = "Sofa.Component.LinearSolver.Preconditioner",
    .help = "The matrix of an earlier step, turned with the bodies.",
    .instance_size = sizeof(RotationMatrixSystem),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_LINEAR_SYSTEM, .ops = &ops}, {0}},
    .init = init,
    .reset = reset,
    .restore = restore,
    .reinit = dv_object_initialise_again,
    .cleanup = cleanup,
};

DvStatus dv_rotation_matrix_system_set_main(DvObject *system, DvObject *main)
{
    RotationMatrixSystem *self = dv_object_self(system);
    DvObject *named = dv_link_object(&self->main_link);
    if (dv_link_is_set(&self->main_link) && named == NULL)
        return dv_field_error(&self->main_link.data, -1, "leads to no linear system");
    if (named != NULL && named != main)
        return dv_field_error(&self->main_link.data, -1,
                              "'%s' is not the linear system of the preconditioner's solver, which is '%s'",
                              dv_object_name(named), dv_object_name(main));
    dv_link_set(&self->main_link, main);
    self->main = (DvLinearSystemUse){dv_object_ops(main, DV_LINEAR_SYSTEM), dv_object_self(main), main};
    return DV_OK;
}

void dv_rotation_matrix_system_keep(DvObject *system)
{
    ((RotationMatrixSystem *)dv_object_self(system))->keeps = true;
}

void dv_rotation_matrix_system_give(DvObject *system)
{
    ((RotationMatrixSystem *)dv_object_self(system))->gives = true;
}

bool dv_rotation_matrix_system_is_due(DvObject *system, bool another)
{
    RotationMatrixSystem *self = dv_object_self(system);
    const uint32_t rate = dv_data_uint(&self->assembling_rate);
    const bool resumes = self->resumes;
    self->resumes = false;
    if (self->gives) {
        dv_linear_system_give(self->main.object);
        return true;
    }
    self->since++;
    if (self->built && self->since < rate && (resumes || !another)) {
        self->resuming = resumes;
        if (resumes)
            dv_linear_system_give(self->main.object);
        return resumes;
    }
    if (rate > 1 || self->keeps)
        dv_linear_system_keep(self->main.object);
    return true;
}

/* The building of a run that goes on is made again; false: another one is to be made. */
static bool make_again(RotationMatrixSystem *self, DvMechanics *m, const DvStep *step)
{
    const bool gives = self->gives, again = gives || self->resuming;
    self->gives = self->resuming = false;
    if (!again || !dv_matrix_linear_system_gave(self->main.object))
        return false;
    if (gives)
        rotated_unknowns_resume(&self->unknowns, self->ops, m, &self->turned);
    else
        rotated_unknowns_turn(&self->unknowns, self->ops, m, step);
    return true;
}

/* What a run goes on with. */
static void remember(RotationMatrixSystem *self, bool fresh)
{
    const bool stays = dv_data_uint(&self->assembling_rate) > 1 || self->keeps;
    if (fresh && stays)
        rotated_unknowns_save(&self->unknowns, &self->kept);
    if (self->keeps)
        rotated_unknowns_save_turned(&self->unknowns, &self->turned);
    say(self, stays ? self->since + 1 : 0);
    self->keeps = false;
}

void dv_rotation_matrix_system_update(DvObject *system, DvMechanics *m, const DvStep *step, bool fresh)
{
    RotationMatrixSystem *self = dv_object_self(system);
    if (make_again(self, m, step)) {
        fresh = false;
    } else if (fresh) {
        self->since = 0;
        rotated_unknowns_keep(&self->unknowns, self->ops, m, step);
    } else {
        rotated_unknowns_turn(&self->unknowns, self->ops, m, step);
    }
    self->fresh = fresh;
    self->built = true;
    remember(self, fresh);
    const uint32_t *size = dv_data_uints(&self->matrix_size, NULL), n = (uint32_t)self->ops->unknowns(m);
    if (size[0] != n)
        dv_data_set(&self->matrix_size, (const uint32_t[]){n, n}, 1);
}

const RotatedUnknowns *dv_rotation_matrix_system_unknowns(DvObject *system)
{
    return &((RotationMatrixSystem *)dv_object_self(system))->unknowns;
}
