/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What pressures on edges, triangles and quads share: a state, a mesh, the elements that are loaded, and when they are chosen anew. A
 * struct of theirs begins with an ElementLoad.
 */
#ifndef DIVAN_MECHANICS_ELEMENT_LOAD_H
#define DIVAN_MECHANICS_ELEMENT_LOAD_H

#include "forcefield/load/element_set.h"

/* How a class chooses its elements. */
typedef struct ElementLoadKind {
    DvElementKind elements;
    const char *need;                /* what to add where there is no mesh: "a container of edges" */
    uint64_t (*version)(void *self); /* of the fields that say which */
    DvStatus (*select)(void *self);  /* into the set, which is empty */
} ElementLoadKind;

typedef struct ElementLoad {
    DvSingleState base;
    DvLink topology_link;
    DvData pressure, show_forces, info, kept;
    const ElementLoadKind *kind;
    DvTopologyRef topology;
    ElementSet set;
    uint64_t version;
} ElementLoad;

#define ELEMENT_LOAD_TOPOLOGY(Struct)                                                                          \
    DV_LINK(Struct, load.topology_link, "topology", DV_TOPOLOGY, .help = "mesh; that of the node by default"), \
        ELEMENT_SET_FIELD(Struct, load.kept, "loadedElements")

/* Of a list, for `version`. What a link gives may change as the mesh does or the region moves: loaded are those of the start. */
uint64_t element_load_list_version(DvData *list);
/* Finds state and mesh, chooses and measures the elements, and tells the sizes in `info`. After an error the load has no state. */
DV_NODISCARD DvStatus element_load_init(DvObject *object, ElementLoad *load, const ElementLoadKind *kind);
/* The elements as the fields and the mesh have them now. false: there is an error, which is reported. */
bool element_load_update(ElementLoad *load);
/* A class's update. */
DvStatus element_load_keep(DvObject *object, void *self);
void element_load_cleanup(DvObject *object, void *self);
void element_load_destroy(DvObject *object, void *self);
extern const DvDrawableOps element_load_drawable;

/* Loads have no derivative: the force is as implicit as it can be. */
#define ELEMENT_LOAD_OPS(add_force_)                                                                  \
    {                                                                                                 \
        .size = sizeof(DvForceFieldOps), .states = dv_single_state_states, .add_force = (add_force_), \
        .add_dforce = load_add_dforce, .reserve = load_reserve, .assemble = load_assemble,            \
        .structure = load_structure,                                                                  \
    }

#endif
