/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Force fields of one state on the elements of a mesh that changes: the life of the elements. A class says how all of them are made and how
 * those that edits have touched are; the base finds the state and the mesh, follows the edits, gives materials to elements and keeps the
 * pattern of the matrix.
 *
 * A class's struct begins with a DvMeshForceField, its field table with DV_MESH_FORCE_FIELD_FIELDS; its elements are a DvElementBlocks.
 * `init` is dv_mesh_force_field_begin, what it checks by itself, its reinit, and dv_mesh_force_field_report; `reinit` is
 * dv_mesh_force_field_build after what its own fields need; each force begins with dv_mesh_force_field_follow.
 */
#ifndef DIVAN_KIT_MESH_FORCE_FIELD_H
#define DIVAN_KIT_MESH_FORCE_FIELD_H

#include <divan/contracts/rotations.h>
#include <divan/kit/coupled_pairs.h>
#include <divan/kit/elastic_material.h>
#include <divan/kit/element_blocks.h>
#include <divan/kit/force_field.h>
#include <divan/kit/kept_pairs.h>
#include <divan/kit/mesh_edits.h>

DV_BEGIN_DECLS

/* What elements are made of, now: shapes at rest, and lists of points. Both live until the call returns. */
typedef struct DvElementSource {
    DvConstVec rest;
    DvElements elements;
} DvElementSource;

typedef struct DvMeshForceFieldKind {
    const char *need;       /* what to add where there is no mesh: "a container of tetrahedra" */
    DvElementKind elements; /* that it computes with */
    DvElementKind coarse;   /* taken where the mesh has none of these: each is cut into `parts`... */
    uint32_t parts;         /* 0: no others are taken */
    /* ...as this says.     given: of the mesh; list: [given.count x parts x nodes of an element] to be filled */
    void (*cut)(void *self, DvElements given, DvConstVec rest, uint32_t *list);
    uint32_t pairs; /* of different points that a mesh has at least for each element: DV_COUPLED_PAIRS */
    bool must_have; /* a mesh without elements is an error, else a warning */
    /* Optional: points x 3, where the points of a state of `points` are at rest; NULL: where the state says. */
    const double *(*shape)(void *self, uint32_t points);
    DvStatus (*build)(void *self, const DvElementSource *source); /* all elements anew */
    /* Those that `edits` names, sorted; *paired: dv_element_blocks_update. */
    DvStatus (*update)(void *self, const DvElementSource *source, const DvMeshEdits *edits, bool *paired);
    void (*clear)(void *self); /* no elements, after an error */
    /* Optional, for DV_ROTATIONS: whether forces follow the rotation of elements; absent: they do. */
    bool (*turns)(const void *self);
} DvMeshForceFieldKind;

typedef struct DvMeshForceField {
    DvSingleState base;
    DvLink topology_link;
    DvTopologyRef topology;
    DvElementMaterials materials; /* of the elements of the mesh, where the class has some */
    DvKeptPairs kept_pairs;
    DvMeshEdits edits; /* since the elements were brought up to date */
    const DvMeshForceFieldKind *kind;
    DvElementBlocks *blocks; /* the class's */
    bool is_cut;             /* its elements are parts of those of the mesh */
    uint64_t structure;      /* + 1 when couplings have become others */
    uint64_t changed;        /* + 1 when numbers of its matrix may have, other than by a new structure */
} DvMeshForceField;

#define DV_MESH_FORCE_FIELD_FIELDS(Struct, field)                                              \
    DV_SINGLE_STATE_FIELDS(Struct, field.base), DV_KEPT_PAIRS_FIELD(Struct, field.kept_pairs), \
        DV_LINK(Struct, field.topology_link, "topology", DV_TOPOLOGY, .help = "mesh; that of the node by default")

/* Finds state and mesh and follows both. `material` NULL: elements have none; `factors`: dv_element_materials_attach. After an error it
 * has let go of the state.     [main] in init */
DV_NODISCARD DV_PUBLIC DvStatus dv_mesh_force_field_begin(DvObject *object, DvMeshForceField *self,
                                                          const DvMeshForceFieldKind *kind, DvElementBlocks *blocks,
                                                          DvElasticMaterial *material, DvData *factors);
/* All elements from the fields and the mesh as they are. An error leaves neither elements nor the state.     [main] in init and reinit */
DV_NODISCARD DV_PUBLIC DvStatus dv_mesh_force_field_build(DvMeshForceField *self);
/* What its mesh has of faults, as warnings, at the end of init.     [main] */
DV_PUBLIC void dv_mesh_force_field_report(DvMeshForceField *self);
/* The elements are those of the mesh and of a state of `points` points.     [step] */
DV_NODISCARD DV_PUBLIC DvStatus dv_mesh_force_field_follow(DvMeshForceField *self, uint32_t points);
/* What begin has taken.     [main] in cleanup */
DV_PUBLIC void dv_mesh_force_field_release(DvMeshForceField *self);
/* The kind of the mesh's own elements that it takes. */
static inline DvElementKind dv_mesh_force_field_source(const DvMeshForceField *self)
{
    return self->is_cut ? self->kind->coarse : self->kind->elements;
}

/* DvClass.cleanup, DvForceFieldOps.reserve and .structure */
DV_PUBLIC void dv_mesh_force_field_cleanup(DvObject *object, void *self);
DV_PUBLIC void dv_mesh_force_field_reserve(void *self, DvPattern *pattern);
DV_PUBLIC uint64_t dv_mesh_force_field_structure(void *self);
extern DV_PUBLIC const DvCoupledPairsOps dv_mesh_force_field_pairs;
/* DV_ROTATIONS: of a point, the rotation nearest to the mean of those of its elements; of an element, the polar factor of
 * sum (x - c) (X - C)^T over its nodes, a proper rotation in any case. */
extern DV_PUBLIC const DvRotationsOps dv_mesh_force_field_rotations;

DV_END_DECLS
#endif
