/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Mappings: states that follow from other states. Child = f(parents); J is the derivative of f at the positions of the
 * last apply.
 *
 * A node holds one mapping, which computes the state of that node; its parents are usually one (link `input`), or
 * several (multi-mappings: `inputs` gives more than one object). Parents and children are objects of contract DV_STATE.
 *
 * Who resizes. The mapping: in `init` it gives its outputs the number of points that it computes (DvStateOps.resize). One whose
 * input may gain or lose points later attaches a DvElementData to the input's topology and resizes in its `changed`. apply never
 * does: its vectors have been given already.
 *
 * Who applies first. The scene: once all objects are initialised (after INIT_DONE) and constraints have projected the independent
 * states, each mapping is asked for positions, then each for velocities, parents before children. `init` need not apply; one that
 * does lets the `init` of what comes later see its positions. From then on the animation loop applies at the end of each step,
 * and solvers in between, whenever they ask for forces elsewhere. So apply has always been called before apply_j, apply_jt,
 * apply_djt, jacobian and assemble_stiffness, and these mean the positions of the last apply. Mappings that are not mechanical
 * are applied when somebody looks (dv_scene_update_visual), never in a step.
 *
 * Threads: all [step]; they may call dv_parallel_for. Arrays hold one vector per input, or per output, in the order of
 * inputs/outputs.
 */
#ifndef DIVAN_CONTRACTS_MAPPING_H
#define DIVAN_CONTRACTS_MAPPING_H

#include <divan/contracts/block_matrix.h>
#include <divan/contracts/state.h>

DV_BEGIN_DECLS

#define DV_MAPPING "divan.mapping/1"

/* J of one output by one input as rows of dense blocks: block e of output point i couples it to input point columns[e]
 * by a deriv_out x deriv_in row-major matrix. Belongs to the mapping; valid until the next call. */
typedef struct DvJacobian {
    uint32_t rows, columns_count; /* points of the output, of the input */
    const uint32_t *row_start;    /* [rows + 1] */
    const uint32_t *columns;      /* [row_start[rows]] ascending within a row */
    const double *values;         /* [row_start[rows]] x deriv_out x deriv_in */
    uint64_t structure;           /* another number when rows or columns changed */
    uint64_t version;             /* another number when values changed; 0: they change each time */
} DvJacobian;

typedef struct DvMappingOps {
    uint32_t size;
    DvSpace space;
    uint32_t (*inputs)(void *self, DvObject **states,
                       uint32_t capacity); /* stores at most capacity, returns how many there are */
    uint32_t (*outputs)(void *self, DvObject **states, uint32_t capacity);
    bool (*maps_forces)(void *self); /* false: visitors for forces stop here */
    /* Optional (absent: true); false: rows of constraints on the outputs stay there, where DV_ROWS_HEED_MAPPINGS is asked for. */
    bool (*maps_constraints)(void *self);
    bool (*is_mechanical)(
        void *self); /* any of mapForces, mapConstraints, mapMasses; false: it only feeds visual models */
    bool (*keeps_topology)(void *self); /* look-ups of a topology may pass it (identity) */
    void (*apply)(void *self, const DvStep *step, const DvConstVec *in, const DvVec *out); /* coordinates; overwrites */
    void (*apply_j)(void *self, const DvStep *step, const DvConstVec *in,
                    const DvVec *out); /* derivatives; overwrites */
    void (*apply_jt)(void *self, const DvStep *step, const DvConstVec *out, const DvVec *in); /* in += J^T out */
    /* Optional (absent: zero): df += k d(J^T f)/dx dx, f: forces on the outputs, dx and df: of the inputs. */
    void (*apply_djt)(void *self, const DvStep *step, double k, const DvConstVec *f, const DvConstVec *dx,
                      const DvVec *df);
    /* Optional (absent: false): f of apply_djt is what apply_jt pulls up in the same product (K dx of the outputs)
     * instead of their forces. */
    bool (*djt_of_product)(void *self);
    /* J by blocks, for assembly and for constraints. */
    const DvJacobian *(*jacobian)(void *self, uint32_t output, uint32_t input);
    /* Optional: how many points of an output it computes, the rows of its J; absent: J is asked. Who applies a mapping gives it no output
     * of fewer points. */
    uint32_t (*output_points)(void *self, uint32_t output);
    /* Optional, both or none: geometric stiffness as couplings between inputs (a, b: which input), as in
     * DvForceFieldOps. */
    void (*reserve_stiffness)(void *self, DvPattern *pattern);
    void (*assemble_stiffness)(void *self, double k, const DvConstVec *f, const DvMatrixView *view);
    /* Optional (absent: DV_SYMMETRIC): of the geometric stiffness, as in DvForceFieldOps; apply_djt heeds its step,
     * assemble_stiffness its view. */
    DvSymmetry (*symmetry)(void *self);
} DvMappingOps;

/* Points of an output that a mapping computes; 0 when it does not tell.     [step] */
static inline uint32_t dv_mapping_output_points(const DvMappingOps *ops, void *self, uint32_t output)
{
    if (ops->output_points)
        return ops->output_points(self, output);
    const DvJacobian *j = ops->jacobian ? ops->jacobian(self, output, 0) : NULL;
    return j ? j->rows : 0;
}

DV_END_DECLS
#endif
