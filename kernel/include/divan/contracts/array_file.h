/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files of named arrays, as bytes: HDF5. A service of a plugin of its own (divan.hdf5), since it needs a library.
 */
#ifndef DIVAN_CONTRACTS_ARRAY_FILE_H
#define DIVAN_CONTRACTS_ARRAY_FILE_H

#include <divan/base.h>
#include <divan/type.h>

DV_BEGIN_DECLS

#define DV_ARRAY_FILE "divan.array-file/1"

/* rows x columns numbers, row by row. */
typedef struct DvFileArray {
    const char *name; /* without a slash */
    DvScalar scalar;  /* DV_SCALAR_DOUBLE, DV_SCALAR_INT or DV_SCALAR_UINT */
    size_t rows, columns;
    const void *at;
} DvFileArray;

typedef struct DvArrayFileOps {
    uint32_t size;
    /* Adds a whole file with these arrays to `out`; compressed: where that is worth it. False with the reason. Calls wait for
     * one another, whatever scene they are for.     [any] */
    bool (*encode)(const DvFileArray *arrays, uint32_t count, bool compressed, DvText *out, DvText *why);
} DvArrayFileOps;

DV_END_DECLS
#endif
