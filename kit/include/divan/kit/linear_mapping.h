/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Linear mappings by rows and weights: each point of the output is a weighted sum of points of the inputs.
 *
 *   out_i = sum_j w_ij in_j (+ c_i),   v_out_i = sum_j w_ij v_j,   f_j += sum_i w_ij f_i
 *
 * A class supplies the rows; products, J and their making anew come from here. Of points with different components the first ones that
 * both have are mapped: of bodies, to points, the centre; between bodies all, and each row is then to be a copy: one entry of weight 1.
 * Points whose row is empty are left where they are.
 *
 * DvLinearMapping is the first member of the component's struct. Its field table has DV_SINGLE_MAPPING_FIELDS_IN or
 * DV_MULTI_MAPPING_FIELDS_IN, its table of functions is a DvLinearMappingOps with DV_LINEAR_MAPPING_OPS, its class has
 * DV_LINEAR_MAPPING_CLASS, and its init is dv_linear_mapping_begin, or one that calls dv_linear_mapping_init and then
 * dv_linear_mapping_start.
 */
#ifndef DIVAN_KIT_LINEAR_MAPPING_H
#define DIVAN_KIT_LINEAR_MAPPING_H

#include <divan/kit/mapping.h>
#include <divan/kit/weighted_rows.h>

DV_BEGIN_DECLS

/* Rows as a class says them: the entries of a row, then its end, point by point of the output. */
typedef struct DvMappingRows DvMappingRows;
DV_PUBLIC void dv_mapping_rows_add(DvMappingRows *rows, uint32_t input, uint32_t point, double weight);
DV_PUBLIC void dv_mapping_rows_end(DvMappingRows *rows);

typedef struct DvLinearMappingOps {
    DvMappingOps ops; /* first: it is what the class offers as DV_MAPPING */
    /* All rows.     [step] */
    void (*rows)(void *self, DvMappingRows *rows);
    /* Optional: another number when the rows are others. They are also said again when a state has another number of points.     [step] */
    uint64_t (*version)(void *self);
    /* Optional: adds the c_i to coordinates that were mapped.     [step] */
    void (*add_offsets)(void *self, const DvVec *out);
} DvLinearMappingOps;

typedef struct DvLinearInput {
    DvStateRef state;
    uint32_t points; /* when the rows were said */
    DvWeightedRows rows;
} DvLinearInput;

typedef struct DvLinearMapping {
    DvSingleMapping base; /* its input: the first */
    const DvLinearMappingOps *ops;
    DvLinearInput *inputs; /* [input_count] */
    uint32_t input_count;
    uint32_t points; /* of the output, when the rows were said */
    uint64_t version;
    bool made;
    struct DvMergedRows *merged; /* of several inputs, as the operator says them */
} DvLinearMapping;

/* What the tables have alike, in .ops. */
#define DV_LINEAR_MAPPING_OPS                                                                                       \
    .size = sizeof(DvMappingOps), .inputs = dv_linear_mapping_inputs, .outputs = dv_single_mapping_outputs,         \
    .maps_forces = dv_single_mapping_maps_forces, .maps_constraints = dv_single_mapping_maps_constraints,           \
    .is_mechanical = dv_single_mapping_is_mechanical, .keeps_topology = dv_mapping_no,                              \
    .apply = dv_linear_mapping_apply, .apply_j = dv_linear_mapping_apply_j, .apply_jt = dv_linear_mapping_apply_jt, \
    .jacobian = dv_linear_mapping_jacobian, .output_points = dv_single_mapping_output_points

/* What the classes have alike; `table`: the DvLinearMappingOps. */
#define DV_LINEAR_MAPPING_CONTRACTS(table)                                                                 \
    (const DvContract[])                                                                                   \
    {                                                                                                      \
        {DV_MAPPING, &(table).ops, .slot = true}, {.id = DV_DRAWABLE, .ops = &dv_single_mapping_drawable}, \
            {.id = DV_OPERATOR, .ops = &dv_linear_mapping_operator},                                       \
        {                                                                                                  \
            0                                                                                              \
        }                                                                                                  \
    }
#define DV_LINEAR_MAPPING_CLASS(table)                                                            \
    DV_MAPPING_CLASS, .cleanup = dv_linear_mapping_cleanup, .destroy = dv_linear_mapping_destroy, \
                      .contracts = DV_LINEAR_MAPPING_CONTRACTS(table)

/* DV_OPERATOR: the rows, without offsets. */
extern DV_PUBLIC const DvOperatorOps dv_linear_mapping_operator;

/* Finds the states, keeps them alive; reports what is missing, and inputs of another type than the first.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_linear_mapping_init(DvObject *object, DvLinearMapping *self,
                                                       const DvLinearMappingOps *ops);
/* Has the rows said, gives the output as many points as there are rows, and applies the mapping.     [main] */
DV_PUBLIC void dv_linear_mapping_start(DvLinearMapping *self);
/* Members of DvClass. begin, an init: both, with the functions that the class offers. */
DV_NODISCARD DV_PUBLIC DvStatus dv_linear_mapping_begin(DvObject *object, void *self);
DV_PUBLIC void dv_linear_mapping_cleanup(DvObject *object, void *self);
DV_PUBLIC void dv_linear_mapping_destroy(DvObject *object, void *self);

/* Members of DvMappingOps.     [step] */
DV_PUBLIC uint32_t dv_linear_mapping_inputs(void *self, DvObject **states, uint32_t capacity);
DV_PUBLIC void dv_linear_mapping_apply(void *self, const DvStep *step, const DvConstVec *in, const DvVec *out);
DV_PUBLIC void dv_linear_mapping_apply_j(void *self, const DvStep *step, const DvConstVec *in, const DvVec *out);
DV_PUBLIC void dv_linear_mapping_apply_jt(void *self, const DvStep *step, const DvConstVec *out, const DvVec *in);
DV_PUBLIC const DvJacobian *dv_linear_mapping_jacobian(void *self, uint32_t output, uint32_t input);

DV_END_DECLS
#endif
