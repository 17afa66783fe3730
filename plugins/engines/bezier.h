/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Bezier elements of generators: control points that follow the corners, their weights, and which elements are rational.
 *
 * An edge that is an arc of a circle is a rational quadratic one; faces and cells have the degree 2 or more, to which all is raised.
 */
#ifndef DIVAN_ENGINES_BEZIER_H
#define DIVAN_ENGINES_BEZIER_H

#include "mesh_inputs.h"

enum { BEZIER_TRIANGLES, BEZIER_TETRAHEDRA, BEZIER_KINDS };

typedef struct BezierFields {
    DvData degree[BEZIER_KINDS], weights[BEZIER_KINDS], rational[BEZIER_KINDS];
} BezierFields;

typedef struct BezierShape {
    const void *self;
    /* Whether the edge from a to b is an arc; then its control point and its weight.     [step] */
    bool (*arc)(const void *self, DvVec3 a, DvVec3 b, DvVec3 *control, double *weight);
    bool straight_z; /* from degree 3 on z is linear over the elements, so that surfaces of cylinders are exact */
} BezierShape;

/* After points and elements are written: adds control points to `points` if the degree is above 1, and writes weights and flags. An
 * error: there is not the memory.     [step] */
DV_NODISCARD DvStatus bezier_write(DvObject *object, BezierFields *fields, int kind, const BezierShape *shape,
                                   DvData *points, DvData *elements);

extern const DvRange bezier_degrees;

#define BEZIER_FIELDS_OF(Struct, member, kind, Name, what)                                                  \
    DV_ENGINE_INPUT(Struct, member.degree[kind], "Bezier" Name "Degree", dv_type_uint,                      \
                    "degree of " what " whose control points follow the corners (0, 1: none)", .init = "0", \
                    .range = &bezier_degrees),                                                              \
        DV_ENGINE_OUTPUT(Struct, member.weights[kind], "Bezier" Name "Weights", dv_type_doubles,            \
                         "weight of each point, with a degree above 1"),                                    \
        DV_ENGINE_OUTPUT(Struct, member.rational[kind], "isBezier" Name "Rational", dv_type_bools,          \
                         "whether an element has weights that are not 1, with a degree above 1")
#define BEZIER_FIELDS(Struct, member)                                                   \
    BEZIER_FIELDS_OF(Struct, member, BEZIER_TRIANGLES, "Triangle", "Bezier triangles"), \
        BEZIER_FIELDS_OF(Struct, member, BEZIER_TETRAHEDRA, "Tetrahedron", "Bezier tetrahedra")

#endif
