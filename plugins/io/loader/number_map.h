/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Places by the numbers that a file gives its points and elements. Numbers that follow each other from the first on, as in most files,
 * take no table.
 */
#ifndef DIVAN_IO_NUMBER_MAP_H
#define DIVAN_IO_NUMBER_MAP_H

#include <divan/kit/array.h>
#include <divan/memory.h>

typedef struct NumberMap {
    DV_ARRAY(int64_t) number; /* of each place */
    uint32_t *slot, mask;     /* open addressing: place + 1, or 0; NULL while the numbers follow each other */
} NumberMap;

/* The next place has this number. False: another has it already. */
DV_NODISCARD bool number_map_add(NumberMap *map, int64_t number);
/* UINT32_MAX: there is none. */
uint32_t number_map_find(const NumberMap *map, int64_t number);
void number_map_free(NumberMap *map);

#endif
