/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The class of a loader that has the fields of all mesh loaders and no others: `read` as DvMeshLoader has it, then name and help.
 */
#ifndef DIVAN_IO_PLAIN_LOADER_H
#define DIVAN_IO_PLAIN_LOADER_H

#include <divan/kit/mesh_loader.h>

#define PLAIN_LOADER(symbol, read_, ...)                                                                     \
    static DvStatus construct(DvObject *object, void *self)                                                  \
    {                                                                                                        \
        ((DvMeshLoader *)self)->read = read_;                                                                \
        return dv_mesh_loader_construct(object, self);                                                       \
    }                                                                                                        \
    static const DvField fields[] = {DV_MESH_LOADER_FIELDS(DvMeshLoader, ), {0}};                            \
    const DvClass symbol = {DV_MESH_LOADER_CLASS,   .instance_size = sizeof(DvMeshLoader), .fields = fields, \
                            .construct = construct, .parse = dv_mesh_loader_parse,         __VA_ARGS__}

#endif
