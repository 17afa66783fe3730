/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which number an element of a changing mesh had before: for whoever keeps a list by number, in a field say, and moves its entries when
 * it next looks instead of with each change.
 */
#ifndef DIVAN_MECHANICS_FORMER_NUMBER_H
#define DIVAN_MECHANICS_FORMER_NUMBER_H

#include <divan/element_data.h>

/* From now on the present numbers are the former ones. */
static inline void former_number_start(DvElementData *data)
{
    uint32_t *number = data->entries;
    for (uint32_t i = 0; i < data->count; i++)
        number[i] = i + 1; /* new elements have 0 */
}

/* `data` keeps its address; its owner, kind and callbacks other than what is needed here may be set afterwards.     [main] */
DV_NODISCARD static inline DvStatus former_number_attach(DvElementData *data, DvObject *topology, DvElementKind kind)
{
    dv_element_data_detach(data);
    *data = (DvElementData){.kind = kind, .entry_size = sizeof(uint32_t)};
    const DvStatus status = dv_element_data_attach(data, topology);
    if (status == DV_OK)
        former_number_start(data);
    return status;
}

/* UINT32_MAX: the element is new. */
static inline uint32_t former_number(const DvElementData *data, uint32_t element)
{
    return ((const uint32_t *)data->entries)[element] - 1;
}

#endif
