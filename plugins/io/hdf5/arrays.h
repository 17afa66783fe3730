/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the plugin divan.hdf5 finds in the library beside it.
 */
#ifndef DIVAN_HDF5_ARRAYS_H
#define DIVAN_HDF5_ARRAYS_H

#include <divan/contracts/array_file.h>

#define HDF5_ENCODE "dv_hdf5_encode"

/* encode of DvArrayFileOps.     [any] */
DV_PUBLIC bool dv_hdf5_encode(const DvFileArray *arrays, uint32_t count, bool compressed, DvText *out, DvText *why);

#endif
