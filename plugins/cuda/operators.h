/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the twins of this plugin share: arrays on the device that follow parts of an operator.
 */
#ifndef DIVAN_CUDA_OPERATORS_H
#define DIVAN_CUDA_OPERATORS_H

#include "device.h"

typedef struct DeviceArray {
    DvAddress at;
    size_t bytes;
} DeviceArray;

/* What every twin begins with. */
typedef struct Twin {
    DvTwin base;
    Space *space;
    DvPrecision precision;
    uint32_t points, dim; /* of the state; numbers of a derivative */
} Twin;

_Static_assert((int)COLUMNS_AT_ONCE == (int)DV_MOST_COLUMNS, "kernels take as many columns as products have");
/* NAME(Columns) in arguments of kernels: as many vectors, from dx to r. */
#define COLUMN_AT(columns, vectors, i) ((i) < (columns) ? SPACE_AT((vectors)[i].at) : NULL)
#define COLUMNS_OF(columns, dx, res)                                                              \
    {                                                                                             \
        .d = {COLUMN_AT(columns, dx, 0), COLUMN_AT(columns, dx, 1), COLUMN_AT(columns, dx, 2),    \
              COLUMN_AT(columns, dx, 3)},                                                         \
        .r = {COLUMN_AT(columns, res, 0), COLUMN_AT(columns, res, 1), COLUMN_AT(columns, res, 2), \
              COLUMN_AT(columns, res, 3)},                                                        \
        .count = (columns)                                                                        \
    }

/* mapping_twins.c: DvDeviceOperatorsOps.make_between. */
DvTwin *mapping_twin_make(DvVectorSpace *space, DvPrecision precision, const DvDofType *const dof[2],
                          const uint32_t points[2], const DvOperator *op, DvText *why);

/* At the end of DvTwinOps.free: it holds its space until then. */
void twin_end(Twin *twin);

/* Room for as many bytes, of any content; false: the device has no memory, with a reason. */
bool device_array_room(Space *space, DeviceArray *array, size_t bytes, DvText *why);
/* With more room, if there has to be another one, for what grows little by little. */
bool device_array_ample(Space *space, DeviceArray *array, size_t bytes, DvText *why);
void device_array_free(Space *space, DeviceArray *array);
/* From the host, in the precision given; `by_component`: [count][width] there becomes [width][count] here. */
bool device_array_numbers(Space *space, DvPrecision precision, DeviceArray *array, const DvOperatorPart *part,
                          bool by_component, DvText *why);
bool device_array_indices(Space *space, DeviceArray *array, const DvOperatorPart *part, bool by_component, DvText *why);
/* By component, in an order of the entries. */
bool device_array_numbers_in(Space *space, DvPrecision precision, DeviceArray *array, const DvOperatorPart *part,
                             const uint32_t *order, DvText *why);
bool device_array_indices_in(Space *space, DeviceArray *array, const DvOperatorPart *part, const uint32_t *order,
                             DvText *why);
bool device_array_put(Space *space, DeviceArray *array, const void *from, size_t bytes, DvText *why);

/* Whether the parts are there, with as many numbers each; NULL: why not is in `why`. */
const DvOperatorPart *operator_part(const DvOperator *op, const char *name, size_t count, uint32_t width, DvText *why);

/* Of each row of twins.def: what the twin begins with. false from update: no memory, or parts that do not fit. */
#define TWIN(name, make, dim) Twin *make(void);
#include "twins.def"
#undef TWIN

/* For each of `points` points the places in a list of point numbers where it is named, ascending: begin [points + 1], entry [count].
 * false: a number is too large, or there is no memory, with the reason. */
bool device_array_lists(Space *space, DeviceArray *begin, DeviceArray *entry, uint32_t points, const uint32_t *list,
                        size_t count, DvText *why);

#endif
