/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What data engines have in common: objects whose outputs are computed from their inputs when they are read, once for each change; one
 * whose outputs nobody reads costs nothing. What is wrong with the inputs is an error when that is before the next step, or in
 * dv_engine_run (dv_engine_starting); later a mesh that changes may leave numbers behind, and an engine makes the best of them. `divan check`
 * reads all outputs.
 *
 * DvEngine is the first member of the component's struct. The class has DV_ENGINE_CLASS, DV_ENGINE_LIFE and its own `update`, which
 * writes all outputs; fields are inputs or outputs by the macros here. An engine that needs more at init (inputs that follow from what
 * is in the node) writes its own functions in place of DV_ENGINE_LIFE, and its `update` begins with dv_engine_runs. One that
 * computes at init or at an event, whoever reads it, calls dv_engine_run there, and stands in tests/fields/not_lazy.tsv.
 */
#ifndef DIVAN_KIT_ENGINE_H
#define DIVAN_KIT_ENGINE_H

#include <divan/divan.h>

DV_BEGIN_DECLS

typedef struct DvEngine {
    const DvDofType *dof; /* of the variant; NULL: the class has none */
    bool ready;           /* init has found the inputs */
    bool started;         /* dv_engine_start or dv_engine_run was called */
    bool forced;          /* dv_engine_run computes */
    bool again;           /* it was read before it was started, and could not say all */
    bool not_finite_said; /* that dv_engine_run gave such numbers */
    uint64_t
        first_step; /* that had been made when it was started; UINT64_MAX: what is wrong has been told by dv_engine_run */
} DvEngine;

/* Names of the bases, the nearest first: "BaseROI", "DataEngine". */
#define DV_ENGINE_CLASS(...)                            \
    .family = "engines", .bases = (const char *const[]) \
    {                                                   \
        __VA_ARGS__, NULL                               \
    }
#define DV_ENGINE_LIFE .construct = dv_engine_construct, .bwd_init = dv_engine_start, .reinit = dv_engine_run

/* Entries of a field table. */
#define DV_ENGINE_INPUT(Struct, member, name, type, text, ...) \
    DV_FIELD(Struct, member, name, type, .flags = DV_FIELD_INPUT, .help = text, __VA_ARGS__)
#define DV_ENGINE_OUTPUT(Struct, member, name, type, text, ...) \
    DV_FIELD(Struct, member, name, type, .flags = DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY, .help = text, __VA_ARGS__)
#define DV_ENGINE_SHOWN(Struct, member, name, ...)                                                                 \
    DV_FIELD(Struct, member, name, dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING, .group = "Visualization", \
             .help = "show what is selected", __VA_ARGS__)
#define DV_ENGINE_DRAW_SIZE(Struct, member, name)                                                                 \
    DV_FIELD(Struct, member, name, dv_type_double, .init = "1", .unit = "pixel", .range = &dv_range_not_negative, \
             .flags = DV_FIELD_DRAWING, .group = "Visualization", .help = "size of what is shown")

/* DvClass.construct.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_engine_construct(DvObject *object, void *self);
/* From now on the engine is ready, and computes when it is read; at once, by dv_engine_run, if it was read before in vain, or is
 * started again. DvClass.bwd_init, when all inputs are there, and DvClass.reinit.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_engine_start(DvObject *object, void *self);
/* Computes with the class's `update`, whether somebody reads or not; outputs that `update` leaves alone are up to date too. Of
 * engines that compute at init, at the end of an init on which others rely, or at an event.     [step] */
DV_NODISCARD DV_PUBLIC DvStatus dv_engine_run(DvObject *object, void *self);
/* Whether what is wrong with the inputs is an error, see above. For `update`, where it has found something wrong: before the engine
 * is started inputs may not be there yet, and the question has it compute again when it is.     [step] */
DV_NODISCARD DV_PUBLIC bool dv_engine_starting(DvEngine *engine);

/* For init: an input that the scene does not give follows a field of what is found of a contract, DV_SEARCH_LOCAL: in the node, or
 * DV_SEARCH_UP: as its context; nothing where there is none. DV_OK, or the link was refused, reported.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_engine_follow(DvObject *object, DvData *input, const char *contract, DvSearch where,
                                                 const char *field);
/* Whether `update` has inputs to compute from; outputs that are read before stay as they are.     [step] */
static inline bool dv_engine_runs(const DvObject *object, DvEngine *engine)
{
    engine->again = engine->again || !engine->ready;
    return engine->ready && dv_object_is_valid(object);
}

DV_END_DECLS
#endif
