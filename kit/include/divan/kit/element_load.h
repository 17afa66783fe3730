/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What pressures on edges, triangles and quads share: a state, a mesh, the elements that are loaded, and when they are chosen anew. A
 * struct of theirs begins with a DvElementLoad. `show_forces` and `info` need no field.
 */
#ifndef DIVAN_KIT_ELEMENT_LOAD_H
#define DIVAN_KIT_ELEMENT_LOAD_H

#include <divan/kit/element_set.h>
#include <divan/math/vec.h>

DV_BEGIN_DECLS

/* How a class chooses its elements. */
typedef struct DvElementLoadKind {
    DvElementKind elements;
    const char *need;                /* what to add where there is no mesh: "a container of edges" */
    uint64_t (*version)(void *self); /* of the fields that say which */
    DvStatus (*select)(void *self);  /* into the set, which is empty */
} DvElementLoadKind;

typedef struct DvElementLoad {
    DvSingleState base;
    DvLink topology_link;
    DvData pressure, show_forces, info, kept;
    const DvElementLoadKind *kind;
    DvTopologyRef topology;
    DvElementSet set;
    uint64_t version;
} DvElementLoad;

#define DV_ELEMENT_LOAD_TOPOLOGY(Struct)                                                                       \
    DV_LINK(Struct, load.topology_link, "topology", DV_TOPOLOGY, .help = "mesh; that of the node by default"), \
        DV_ELEMENT_SET_FIELD(Struct, load.kept, "loadedElements")

/* Of a list, for `version`. What a link gives may change as the mesh does or the region moves: loaded are those of the start. */
DV_PUBLIC uint64_t dv_element_load_list_version(DvData *list);
/* Finds state and mesh, chooses and measures the elements, and tells the sizes in `info`. After an error the load has no state. */
DV_NODISCARD DV_PUBLIC DvStatus dv_element_load_init(DvObject *object, DvElementLoad *load,
                                                     const DvElementLoadKind *kind);
/* The elements as the fields and the mesh have them now. false: there is an error, which is reported. */
DV_PUBLIC bool dv_element_load_update(DvElementLoad *load);
/* A class's update. */
DV_PUBLIC DvStatus dv_element_load_keep(DvObject *object, void *self);
/* Those of a mesh that is put back are chosen before it changes again. */
DV_NODISCARD DV_PUBLIC DvStatus dv_element_load_restore(DvObject *object, void *self);
DV_PUBLIC void dv_element_load_cleanup(DvObject *object, void *self);
DV_PUBLIC void dv_element_load_destroy(DvObject *object, void *self);
extern DV_PUBLIC const DvDrawableOps dv_element_load_drawable;

/* f += force at each point of element `i` of the set; points beyond f are left out.     [step] */
DV_PUBLIC void dv_element_load_add(const DvElementLoad *load, uint32_t i, DvVec3 force, const DvVec *f);

/* Loads have no derivative: the force is as implicit as it can be. */
#define DV_ELEMENT_LOAD_OPS(add_force_)                                                               \
    {                                                                                                 \
        .size = sizeof(DvForceFieldOps), .states = dv_single_state_states, .add_force = (add_force_), \
        .add_dforce = dv_load_add_dforce, .reserve = dv_load_reserve, .assemble = dv_load_assemble,   \
        .structure = dv_load_structure,                                                               \
    }

/* What the classes have alike; `operations` of DV_ELEMENT_LOAD_OPS. A class that does more when it ends lists its own functions instead. */
#define DV_ELEMENT_LOAD_CLASS(operations, ...)                                                                  \
    DV_FORCE_FIELD_CLASS(__VA_ARGS__),                                                                          \
        .contracts = (const DvContract[]){{.id = DV_FORCE_FIELD, .ops = &(operations)},                         \
                                          {.id = DV_DRAWABLE, .ops = &dv_element_load_drawable},                \
                                          {0}},                                                                 \
        .update = dv_element_load_keep, .restore = dv_element_load_restore, .cleanup = dv_element_load_cleanup, \
        .destroy = dv_element_load_destroy

DV_END_DECLS
#endif
