/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Topological mappings whose output has points of its own: each stands at a place of an element of the input (a point, the middle
 * of an edge, ...), its source. Each element of a kind has `entries` such points.
 *
 * Points come and go with the elements that they stand for; those whose image somebody else has removed from the output come
 * again when a new element needs them. The state in the output's node gets new points where they stand on the state in the
 * input's node; what else becomes of them is left to a mapping of the states.
 */
#ifndef DIVAN_TOPOLOGY_OWN_POINTS_H
#define DIVAN_TOPOLOGY_OWN_POINTS_H

#include "topological_mapping.h"

typedef struct OwnPoints OwnPoints;

typedef struct OwnPointsRule {
    /* A place as the weighted sum of the points of an element, and an offset, m.     weights: [nodes] */
    void (*weigh)(const OwnPoints *mapping, DvElementKind kind, uint32_t entry, double *weights, double offset[3]);
    /* Elements of the output for element `index` of base.source_kind are pushed, and joined; NULL: none. */
    void (*push)(OwnPoints *mapping, uint32_t index, DvIndexArray *to);
    void (*fill_lower)(OwnPoints *mapping); /* optional: gives the output lists of lower elements, at the start */
    /* Optional: elements of the input have come; instead of pushing each. */
    void (*come)(OwnPoints *mapping, const DvElementChange *change);
} OwnPointsRule;

struct OwnPoints {
    TopologicalMapping base;
    const OwnPointsRule *rule;
    DvData sources; /* [points of the output] x 2: kind and entry, element; declared by OWN_POINTS_FIELDS */
    uint32_t entries[DV_ELEMENT_KINDS];
    DvIndexArray image[DV_ELEMENT_KINDS]; /* [elements x entries] points of the output; INVALID_INDEX: none */
    DvIndexArray first;                   /* the sources at the start, which a reset puts back */
    DvElementData watched[2];             /* points and elements of the output */
    bool same_points;                     /* the output has the points of the input, by number: no table is kept */
    bool on_demand;                       /* new places get a point when somebody asks for it */
    bool stale;                           /* images are to be found from the sources */
    bool working;                         /* changes of the output are this mapping's own */
    bool upward;                          /* elements of the input go once all their images have gone */
    DvIndexArray emptied;                 /* elements of the input without images, until they go */
    DvIndexArray asked;                   /* images that were asked for last */
};

#define OWN_POINTS_FIELDS(Struct, in)                                                             \
    TOPOLOGICAL_MAPPING_FIELDS(Struct, in base.),                                                 \
        DV_FIELD(Struct, in sources, "sourcesOfPoints", dv_type_uints,                            \
                 .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN | DV_FIELD_INPUT | DV_FIELD_NOT_RESET, \
                 .help = "what each point of the output stands for")

/* A class's init, once base has both meshes and kinds, and rule and entries are set. */
DV_NODISCARD DvStatus own_points_start(OwnPoints *mapping);
/* Where sources and elements are there already: follows both meshes from now on. */
DV_NODISCARD DvStatus own_points_follow(OwnPoints *mapping);
/* What a point of the output stands for; false: for nothing. */
bool own_points_source(OwnPoints *mapping, uint32_t point, DvElementKind *kind, uint32_t *element, uint32_t *entry);
/* The point of the output for a place; it is made when there is none, once the mapping runs. */
uint32_t own_points_image(OwnPoints *mapping, DvElementKind kind, uint32_t element, uint32_t entry);

/* Members of the class; .destroy is own_points_destroy, or calls it. */
#define OWN_POINTS_CLASS                                                                                          \
    .bases = (const char *const[]){"TopologicalMapping", NULL}, .family = "topological mappings",                 \
    .sources = topological_mapping_sources, .accepts = topological_mapping_accepts,                               \
    .construct = topological_mapping_construct, .store_reset_state = own_points_store, .reset = own_points_reset, \
    .restore = own_points_restore, .cleanup = own_points_cleanup, .contracts = (const DvContract[])               \
    {                                                                                                             \
        {.id = DV_TOPOLOGICAL_MAPPING, .ops = &own_points_ops},                                                   \
        {                                                                                                         \
            0                                                                                                     \
        }                                                                                                         \
    }
extern const DvTopologicalMappingOps own_points_ops;
void own_points_store(DvObject *object, void *self);
void own_points_reset(DvObject *object, void *self);
DvStatus own_points_restore(DvObject *object, void *self);
void own_points_cleanup(DvObject *object, void *self);
void own_points_destroy(DvObject *object, void *self);

#endif
