/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Changes of set containers, for modifiers and for topological mappings that follow changes of their input.
 */
#ifndef DIVAN_TOPOLOGY_MODIFIER_H
#define DIVAN_TOPOLOGY_MODIFIER_H

#include "topology.h"

/* What else goes when elements go. */
typedef struct Cascade {
    bool elements; /* lower elements that nothing of the container's own kind uses any more */
    bool points;   /* points likewise */
    bool without_states;
} Cascade;

/* Whether an object is a modifier of this plugin. */
bool is_modifier(const DvObject *object);
/* The container that one changes; the kind of elements that it is made for. NULL before its init. */
Topology *modifier_topology(const DvObject *modifier);
DvElementKind modifier_kind(const DvObject *modifier);

/* All report out-of-range numbers and change nothing then. Numbers may come in any order; repeated ones count once.
 * Elements are removed in descending order, the last element taking the free number each time. */
DV_NODISCARD DvStatus topology_add_points(Topology *topology, uint32_t count, const DvElementChange *ancestors,
                                          bool without_states);
DV_NODISCARD DvStatus topology_remove_points(Topology *topology, uint32_t count, const uint32_t *points,
                                             bool without_states);
DV_NODISCARD DvStatus topology_renumber_points(Topology *topology, const uint32_t *order, bool without_states);
DV_NODISCARD DvStatus topology_add_elements(Topology *topology, DvElementKind kind, uint32_t count,
                                            const uint32_t *elements, const DvElementChange *ancestors);
DV_NODISCARD DvStatus topology_remove_elements(Topology *topology, DvElementKind kind, uint32_t count,
                                               const uint32_t *elements, Cascade cascade);

#endif
