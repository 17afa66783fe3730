/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Regions within a group: `group="@wall"` names a MeshGroup, or another region, whose points and elements alone count.
 *
 * The object has an output `indices`, and may have those of elements (edgeIndices, triangleIndices, quadIndices, tetrahedronIndices,
 * hexahedronIndices); elements of a kind that it does not know are in the group when their points are. The numbers are those of the lists
 * that the region selects from. When they change, the region selects again.
 */
#ifndef DIVAN_KIT_REGION_GROUP_H
#define DIVAN_KIT_REGION_GROUP_H

#include <divan/contracts/topology.h>
#include <divan/node.h>

DV_BEGIN_DECLS

typedef struct DvRegionGroup {
    DvLink link;
    DvData *indices[DV_ELEMENT_KINDS]; /* of the group, by kind; of points at DV_POINTS; NULL: none */
} DvRegionGroup;

/* Its entry in a field table. */
#define DV_REGION_GROUP(Struct, member)         \
    DV_LINK(Struct, member.link, "group", NULL, \
            .help = "a MeshGroup or another region: its points and elements alone count")

/* For init: finds what the link names, which is initialised first and kept, and has the outputs follow it. DV_OK also without a link;
 * else what is wrong has been reported.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_region_group_find(DvObject *object, DvRegionGroup *group);
/* Takes out of inside[points] the points that are not in the group; all stay where there is none.     [step] */
DV_PUBLIC void dv_region_group_keep(DvRegionGroup *group, uint32_t points, bool *inside);
/* The same of inside[elements.count].     [step] */
DV_PUBLIC void dv_region_group_keep_elements(DvRegionGroup *group, DvElementKind kind, DvElements elements,
                                             bool *inside);

DV_END_DECLS

#endif
