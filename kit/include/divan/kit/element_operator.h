/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The operator "linear elements" (divan/contracts/operator.h) of classes whose elements have Hooke's law: begin, fill what each element is
 * made of, describe. Arrays stay until the next begin.
 *
 * Threads: [step].
 */
#ifndef DIVAN_KIT_ELEMENT_OPERATOR_H
#define DIVAN_KIT_ELEMENT_OPERATOR_H

#include <divan/contracts/operator.h>
#include <divan/contracts/topology.h>
#include <divan/math/mat.h>

DV_BEGIN_DECLS

/* How an element's frame (world to local) follows from where its nodes are: none; rows along edge 0 1 and normal to face 0 1 2; the same of
 * the first two mean edges of a hexahedron; the polar factor of its three mean edges; of sum x X^T, X at rest, both seen from the middle; of
 * that, but never a reflection. */
typedef enum DvElementFrame {
    DV_FRAME_NONE,
    DV_FRAME_OF_NODES,
    DV_FRAME_OF_MEAN_EDGES,
    DV_FRAME_POLAR_OF_MEAN_EDGES,
    DV_FRAME_POLAR,
    DV_FRAME_STABLE_POLAR
} DvElementFrame;

typedef struct DvElementOperator {
    uint32_t *element; /* [elements][nodes] */
    double *rest;      /* [elements][nodes][3] in the frame of the element at rest */
    double *map;       /* [elements][points][9] */
    double *material;  /* [elements][2][points] */
    double *slope;     /* [points][nodes][3] */
    uint32_t nodes, points, elements, frame;
    size_t element_room, rest_room, map_room, material_room, slope_room;
} DvElementOperator;

/* Room for elements of a kind with the first rule of its quadrature, and derivatives of their shape functions. */
DV_PUBLIC void dv_element_operator_begin(DvElementOperator *op, DvElementKind kind, DvElementFrame frame,
                                         uint32_t elements);
/* Of an element at a point: the inverse Jacobian in its frame, by coordinates of the reference element and then axes; Lame's parameters times the
 * weight. */
static inline void dv_element_operator_set_point(DvElementOperator *op, uint32_t element, uint32_t point,
                                                 const DvMat3 *inverse, double lambda, double mu)
{
    double *map = op->map + ((size_t)element * op->points + point) * 9,
           *material = op->material + (size_t)element * 2 * op->points + point;
    for (int i = 0; i < 9; i++)
        map[i] = inverse->m[i / 3][i % 3];
    material[0] = lambda;
    material[op->points] = mu;
}
/* Its rest positions, which have to be. */
DV_PUBLIC void dv_element_operator_see_from_middle(DvElementOperator *op, uint32_t element);
/* Maps that are alike at all points of each element become one each. */
DV_PUBLIC void dv_element_operator_describe(DvElementOperator *op, uint64_t version, DvOperator *out);
DV_PUBLIC void dv_element_operator_free(DvElementOperator *op);

DV_END_DECLS
#endif
