/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elements of a mesh that a load acts on: a list that stays with its elements when the mesh changes.
 *
 * An element that goes leaves the list, one that gets another number keeps its place. One that is made from others (a split) is
 * loaded as these are, in the mean, so that nothing of a load is lost; other new elements are not taken.
 *
 * After a reset they are to be chosen anew, as at the start. A saved scene has them in a field, once the mesh was changed: it is
 * computed when it is read.
 */
#ifndef DIVAN_KIT_ELEMENT_SET_H
#define DIVAN_KIT_ELEMENT_SET_H

#include <divan/kit/force_field.h>

#include <divan/element_data.h>

DV_BEGIN_DECLS

typedef struct DvLoadedElement {
    uint32_t element, rank; /* rank: where it stood in the list that named it first */
    double share;           /* how often it is loaded: 1, or more when a list names it again */
    double size;            /* of the rest shape, m or m^2; negative: not measured yet */
} DvLoadedElement;

typedef struct DvElementSet {
    DvElementKind kind;
    DvLoadedElement *at; /* [count] */
    uint32_t count, capacity;
    DvElementData place; /* + 1 of each element of the mesh; 0: not loaded */
    bool anew;           /* there is another mesh: they are to be chosen again */
    bool edited;         /* the mesh has changed since they were chosen */
    DvData *kept;        /* [1 + count x 4] how many, then their numbers; empty: as they were chosen */
    DvData *trigger;     /* that `kept` depends on */
} DvElementSet;

#define DV_ELEMENT_SET_FIELD(Struct, member, name)                                             \
    DV_FIELD(Struct, member, name, dv_type_doubles, .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN, \
             .help =                                                                           \
                 "what is loaded once the mesh has changed: how many, then each one's number, place, share and size")

/* Before the set is started: where a saved scene has it, and a field to mark as written when that is to be computed by
 * dv_element_set_keep.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_element_set_keep_in(DvElementSet *set, DvData *kept, DvData *trigger);
/* Writes that field: for a class's update. */
DV_PUBLIC void dv_element_set_keep(DvElementSet *set);
/* Empty; follows the elements of this kind from now on.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_element_set_start(DvElementSet *set, DvObject *topology, DvElementKind kind);
DV_PUBLIC void dv_element_set_free(DvElementSet *set);
DV_PUBLIC void dv_element_set_leave(DvElementSet *set);
/* `again`: a second time counts. */
DV_PUBLIC void dv_element_set_add(DvElementSet *set, uint32_t element, uint32_t rank, bool again);
/* Those that a list of numbers names; one that the mesh does not have is an error of the field. */
DV_NODISCARD DV_PUBLIC DvStatus dv_element_set_add_list(DvElementSet *set, DvData *list, const char *what, bool again);
/* Those with all points between two planes: dmin < x . normal < dmax. */
DV_PUBLIC void dv_element_set_add_between(DvElementSet *set, const DvTopologyRef *topology, const DvConstVec *x,
                                          const double normal[3], double dmin, double dmax);
/* Lengths and areas of those that have none yet. */
DV_PUBLIC void dv_element_set_measure(DvElementSet *set, const DvTopologyRef *topology, const DvConstVec *rest);

/* Loads without a derivative: the force is as implicit as it can be. */
DV_PUBLIC void dv_load_add_dforce(void *self, const DvStep *step, double k, double b, const DvConstVec *dx,
                                  const DvVec *df);
DV_PUBLIC void dv_load_reserve(void *self, DvPattern *pattern);
DV_PUBLIC void dv_load_assemble(void *self, const DvStep *step, double k, double b, const DvMatrixView *view);
DV_PUBLIC uint64_t dv_load_structure(void *self);

/* The outlines of the loaded elements. */
DV_PUBLIC void dv_element_set_draw(const DvElementSet *set, const DvTopologyRef *topology, DvDraw *draw,
                                   const DvConstVec *x);

DV_END_DECLS
#endif
