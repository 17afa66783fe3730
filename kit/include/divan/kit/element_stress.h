/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Stress, strain and energy of the elements of a force field, for whoever shows or writes them: from rest and present positions with the law of
 * the class. Nothing of it is kept, and no step computes it.
 *
 * With the deformation gradient F at each point of quadrature,
 *   small         strain e = sym(F) - 1, stress of the law at 1 + e
 *   corotational  with the rotation R of the element's mean F: e = R (sym(R^T F) - 1) R^T, and the stress turned likewise
 *   finite        strain of Green, (F^T F - 1) / 2; Cauchy's stress P F^T / det F
 * and of an element the mean of its points. Surfaces in space have those of their plane. Methods of classes that take another rotation (of
 * an edge, say) differ from this in the second order of the strain.
 */
#ifndef DIVAN_KIT_ELEMENT_STRESS_H
#define DIVAN_KIT_ELEMENT_STRESS_H

#include <divan/kit/mesh_force_field.h>
#include <divan/kit/solid_elements.h>

DV_BEGIN_DECLS

typedef struct DvElementStressModel {
    DvMeshForceField *field;
    DvKinematics kinematics;
    const DvMaterialLaw *law;
    bool plane_stress; /* nothing presses across surfaces */
    double thickness;  /* m, of surfaces; of others 1 */
    void (*parameters)(void *context, uint32_t element,
                       double *out); /* of the law; number of the field's own element */
    void *context;
} DvElementStressModel;

#define DV_ELEMENT_STRESS "kit.element-stress/1"
typedef struct DvElementStressOps {
    uint32_t size;
    /* Fills the model, which holds until the component is called again; false: its elements have no such stress.     [step] */
    bool (*model)(void *self, DvElementStressModel *model);
} DvElementStressOps;

/* The elements of the mesh that it is about.     [step] */
DV_PUBLIC DvElementKind dv_element_stress_kind(const DvElementStressModel *model);
/* Of `count` elements of that kind at x; where the field computes with parts of them, means of stress and strain, and the sum of
 * energies. Components xx yy zz xy yz xz; J. Any may be NULL. False: there are not so many.     [step] */
DV_NODISCARD DV_PUBLIC bool dv_element_stress_compute(const DvElementStressModel *model, const DvConstVec *x,
                                                      uint32_t count, double (*stress)[6], double (*strain)[6],
                                                      double *energy);

DV_END_DECLS
#endif
