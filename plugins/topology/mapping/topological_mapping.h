/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What all topological mappings share: the two topologies, the maps between the numbers of their elements, and changes of the
 * output. Every mapping has this struct first in its own.
 *
 * `input` is a path to a topology, by default that of the parent node or of those above it; `output` by default that
 * of the node.
 *
 * Each element of the output comes from one of the input, its source; each of the input has at most `images` in the output.
 * Both maps are kept while elements come and go, in proportion to what changes; after a saved scene or a reset has put both
 * topologies back they are found again when first needed, from the points.
 */
#ifndef DIVAN_TOPOLOGY_TOPOLOGICAL_MAPPING_H
#define DIVAN_TOPOLOGY_TOPOLOGICAL_MAPPING_H

#include "container/modifier.h"

typedef struct TopologicalMapping TopologicalMapping;
struct TopologicalMapping {
    DvObject *object;
    DvLink input, output;
    Topology *from, *to;
    DvElementKind source_kind, image_kind;
    uint32_t images;
    uint32_t circle; /* points of the output for each of the input, side by side; 0: they have the same points */
    /* Optional: points of the output are its own; the points of the input that one hangs on, at most 8. */
    uint32_t (*parents)(TopologicalMapping *, uint32_t point, uint32_t parents[8]);
    DvIndexArray source;         /* [elements of the output] */
    DvIndexArray image;          /* [elements of the input x images], INVALID_INDEX where there is none */
    bool stale;                  /* both are to be found again */
    const DvElementChange *told; /* of the input, while it is followed */
    uint64_t seen;               /* revision of an output that is changed by others, as its input never changes */
    DvElementData followed[DV_ELEMENT_KINDS];
    void (*changed[DV_ELEMENT_KINDS])(TopologicalMapping *, const DvElementChange *);
};

/* A class's `sources`: the two paths, so that those of old scenes are understood. */
extern const DvVariantSource topological_mapping_sources[];
/* A class's `accepts`: both topologies are there and differ. */
bool topological_mapping_accepts(DvNode *node, const char *variant, const DvAttributes *attributes, DvText *reason);
DvStatus topological_mapping_construct(DvObject *object, void *self);
void topological_mapping_cleanup(DvObject *object, void *self);
void topological_mapping_destroy(DvObject *object, void *self);
/* Finds both topologies. */
DV_NODISCARD DvStatus topological_mapping_find(TopologicalMapping *mapping);
/* An error unless the output has a list of the images' kind, called `what`. */
DV_NODISCARD DvStatus topological_mapping_needs_list(TopologicalMapping *mapping, const char *what);
/* Whether a modifier of the images' kind stands in the output's node or above. */
bool topological_mapping_has_modifier(const TopologicalMapping *mapping);

/* Starts filling the output, with maps that are empty, and ends it: `elements` [sources joined] is its list. */
void topological_mapping_begin(TopologicalMapping *mapping);
DV_NODISCARD DvStatus topological_mapping_end(TopologicalMapping *mapping, const DvIndexArray *elements);
/* What was attached to the output before it was filled has an entry for each element from then on; the end does it. */
void topological_mapping_settle(TopologicalMapping *mapping);
/* The next element of the output comes from `source`. */
void topological_mapping_join(TopologicalMapping *mapping, uint32_t source);

/* Calls `changed` for changes of one kind of elements of the input, once it runs; those of a saved scene that is put back
 * excepted. */
DV_NODISCARD DvStatus topological_mapping_follow(TopologicalMapping *mapping, DvElementKind kind,
                                                 void (*changed)(TopologicalMapping *, const DvElementChange *));

/* Changes of the output. Elements are joined to their sources before they are added. What fails has been reported, and makes
 * the mapping invalid. Removals take numbers in any order, and the elements that only they had. */
void topological_mapping_add(TopologicalMapping *mapping, const DvIndexArray *elements,
                             const DvElementChange *ancestors);
void topological_mapping_remove(TopologicalMapping *mapping, uint32_t count, const uint32_t *images);
/* Points of the output, which are those of the input; states know it from there. */
void topological_mapping_points(TopologicalMapping *mapping, const DvElementChange *change);
/* Points that are the output's own come or go: states follow.     change: count, total, and of those that go indices, descending */
void topological_mapping_own_points(TopologicalMapping *mapping, const DvElementChange *change);
/* The maps are those of the lists as they are. */
void topological_mapping_update(TopologicalMapping *mapping);
/* Images have gone, or are about to, in the order given. */
void topological_mapping_removed(TopologicalMapping *mapping, uint32_t count, const uint32_t *images);
/* Sources have come, or are about to go, without images left: the maps follow. */
void topological_mapping_count_sources(TopologicalMapping *mapping, const DvElementChange *change);

/* The images of a source, INVALID_INDEX where there are fewer. [images] */
static inline uint32_t *images_of(TopologicalMapping *mapping, uint32_t source)
{
    return mapping->image.data + (size_t)source * mapping->images;
}
static inline bool has_image(TopologicalMapping *mapping, uint32_t source)
{
    return images_of(mapping, source)[0] != INVALID_INDEX;
}

/* A row of a table. */
static inline const uint32_t *row_of(const DvRows *table, uint32_t row, uint32_t *length)
{
    *length = row < table->count ? dv_rows_length(table, row) : 0;
    return row < table->count ? table->items + table->begin[row] : NULL;
}

/* The contract, of mappings of elements. */
extern const DvTopologicalMappingOps topological_mapping_ops;
#define TOPOLOGICAL_MAPPING_CONTRACT                                     \
    .contracts = (const DvContract[])                                    \
    {                                                                    \
        {.id = DV_TOPOLOGICAL_MAPPING, .ops = &topological_mapping_ops}, \
        {                                                                \
            0                                                            \
        }                                                                \
    }

#define TOPOLOGICAL_MAPPING_FIELDS(Struct, in)                                                         \
    DV_LINK(Struct, in input, "input", DV_TOPOLOGY, .help = "topology to start from (default: @../)"), \
        DV_LINK(Struct, in output, "output", DV_TOPOLOGY, .help = "topology to fill (default: @./)")

/* What the classes have in common. */
#define TOPOLOGICAL_MAPPING_CLASS                                                                 \
    .bases = (const char *const[]){"TopologicalMapping", NULL}, .family = "topological mappings", \
    .sources = topological_mapping_sources, .module = "Sofa.Component.Topology.Mapping",          \
    .accepts = topological_mapping_accepts, .construct = topological_mapping_construct,           \
    .cleanup = topological_mapping_cleanup, .destroy = topological_mapping_destroy

#endif
