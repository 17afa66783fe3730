/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * HDF5 files of named arrays, made in memory: who asks for one writes its bytes, so that files are replaced by whole ones. A library of its own,
 * which the plugin loads when the first file is asked for: HDF5 and the forty libraries below it take 12 ms to load.
 *
 * The library is not made for several threads: one call at a time, for all scenes.
 */
#include "arrays.h"

#include <divan/memory.h>

#include <hdf5.h>
#include <pthread.h>

static pthread_mutex_t hdf5_mutex = PTHREAD_MUTEX_INITIALIZER;

enum { GROWTH = 1 << 20, ROWS_PER_CHUNK = 8192, LEVEL = 1 };

static hid_t type_of(DvScalar scalar)
{
    return scalar == DV_SCALAR_DOUBLE ? H5T_NATIVE_DOUBLE
           : scalar == DV_SCALAR_UINT ? H5T_NATIVE_UINT32
                                      : H5T_NATIVE_INT32;
}

static bool add_array(hid_t file, const DvFileArray *array, bool compressed)
{
    const hsize_t size[2] = {array->rows, array->columns},
                  chunk[2] = {array->rows < ROWS_PER_CHUNK ? array->rows : ROWS_PER_CHUNK, array->columns};
    const int rank = array->columns > 1 ? 2 : 1;
    const hid_t space = H5Screate_simple(rank, size, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
    if (compressed && array->rows)
        (void)(H5Pset_chunk(how, rank, chunk) >= 0 && H5Pset_deflate(how, LEVEL) >= 0);
    const hid_t set = H5Dcreate2(file, array->name, type_of(array->scalar), space, H5P_DEFAULT, how, H5P_DEFAULT);
    const bool good = set >= 0 && (!array->rows || H5Dwrite(set, type_of(array->scalar), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                                                            array->at) >= 0);
    if (set >= 0)
        H5Dclose(set);
    H5Pclose(how);
    H5Sclose(space);
    return good;
}

static bool take_image(hid_t file, DvText *out)
{
    const ssize_t size = H5Fflush(file, H5F_SCOPE_GLOBAL) < 0 ? -1 : H5Fget_file_image(file, NULL, 0);
    if (size <= 0)
        return false;
    char *bytes = dv_alloc((size_t)size, 1);
    const bool good = H5Fget_file_image(file, bytes, (size_t)size) == size;
    if (good)
        dv_text_add_bytes(out, bytes, (size_t)size);
    dv_free(bytes);
    return good;
}

bool dv_hdf5_encode(const DvFileArray *arrays, uint32_t count, bool compressed, DvText *out, DvText *why)
{
    pthread_mutex_lock(&hdf5_mutex);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* its own messages go to standard error */
    const hid_t how = H5Pcreate(H5P_FILE_ACCESS);
    bool good = H5Pset_fapl_core(how, GROWTH, false) >= 0;
    const hid_t file = good ? H5Fcreate("memory", H5F_ACC_TRUNC, H5P_DEFAULT, how) : -1;
    good = file >= 0;
    for (uint32_t a = 0; a < count && good; a++)
        good = add_array(file, &arrays[a], compressed);
    good = good && take_image(file, out);
    if (file >= 0)
        H5Fclose(file);
    H5Pclose(how);
    pthread_mutex_unlock(&hdf5_mutex);
    if (!good)
        dv_text_add(why, "HDF5 could not make the file");
    return good;
}
