/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the parts of BarycentricMapping share: the mapping itself, and what each does for the others. The method is described in
 * barycentric_mapping.c.
 */
#ifndef DIVAN_MECHANICS_BARYCENTRIC_POINTS_H
#define DIVAN_MECHANICS_BARYCENTRIC_POINTS_H

#include <divan/kit/array.h>
#include <divan/kit/mapping.h>
#include <divan/kit/ordered_hexahedra.h>
#include <divan/kit/weighted_rows.h>

#include <divan/element_data.h>
#include <divan/math/mat.h>
#include <divan/worst.h>

#include <divan/kit/barycentric_location.h>

#define NO_POINT UINT32_MAX

/* A rigid body that turns with its tetrahedron. */
typedef struct TurningBody {
    uint32_t nodes[4];
    DvMat3 axes;     /* O: unit columns */
    DvMat3 rotation; /* R of the last apply */
    DvMat3 spin;     /* R G^-1 of the last apply; zero where the rotation is not defined */
} TurningBody;

/* Points that hang elsewhere than on the nearest element. */
typedef struct Elsewhere {
    uint32_t count, worst; /* worst: the one that is farthest from there */
    double farthest;
} Elsewhere;

typedef struct BarycentricMapping {
    DvSingleMapping base;
    DvData use_rest_position; /* bool */
    DvData nearest_element;   /* bool */
    DvLink input_topology, output_topology;
    DvData row_start, row_nodes, row_weights, turning_axes; /* state of a run: DvWeightedRows and O of each body */

    DvOrderedHexahedra order;              /* of the input's elements */
    DvTopologyRef in_mesh, out_mesh;       /* ops NULL: there is none; revision: at the last location */
    uint32_t located, located_in;          /* points of the output and of the input then */
    bool ready;                            /* the rows are valid */
    DvElementData watch[DV_ELEMENT_KINDS]; /* of a mesh that may change; of points: positions before the first change */
    bool changed, copied;      /* the mesh has changed since the last location; the positions were copied then */
    bool replaced;             /* the mesh is another one as a whole: points are located as when the scene started */
    uint32_t *hangs;           /* [located] element of each point; NULL: not all are known, or it does not matter */
    DvElementKind kind;        /* of these */
    uint32_t *rider;           /* [elements] the first point that hangs on each, NO_POINT: none */
    uint32_t *next, *previous; /* [located] others on the same element */
    uint32_t element_capacity, elements, point_capacity;
    DvIndexArray touched; /* points whose rows are not yet those of `hangs` */
    bool renumbered;      /* all are such points */
    uint32_t coming;      /* points of the output behind those located: these come */
    DvElementData output; /* points of the output's mesh, where it is another one that may change */
    Elsewhere elsewhere;  /* when the scene started */
    DvWorst far, jumping; /* likewise */
    DvWeightedRows rows;
    TurningBody *bodies; /* [rows.rows]; NULL unless the bodies turn */
} BarycentricMapping;

/* Elements of the mesh of the input; hexahedra in order. */
DvElements barycentric_elements(const BarycentricMapping *self, DvElementKind kind);
/* What to search in a mesh that may change: the first kind that it has. */
void barycentric_choose_changing_list(const BarycentricMapping *self, DvLocationMesh *mesh);

/* barycentric_placing.c */

/* Locates all points and keeps the rows. `first`: when the scene starts, where mistakes of the scene are errors. */
DvStatus barycentric_locate(BarycentricMapping *self, bool first);
/* Whether the rows may be used; locates anew when a mesh, or a number of points, has changed. */
bool barycentric_is_current(BarycentricMapping *self, uint32_t points_in, uint32_t points_out);
/* Takes the rows from the state fields: after locating, and after a saved run was put back. */
void barycentric_take_rows(BarycentricMapping *self);

/* barycentric_riders.c */

/* Changes of the two meshes are told from then on. */
DvStatus barycentric_watch_mesh(BarycentricMapping *self);
DvStatus barycentric_watch_output(BarycentricMapping *self);
/* What is located is of the meshes as they are now. */
void barycentric_remember_meshes(BarycentricMapping *self);
/* The elements of points that hang on all nodes of one of a mesh that may change. */
void barycentric_find_elements(BarycentricMapping *self);
void barycentric_forget_elements(BarycentricMapping *self);
/* Memory for so many points, and that one of them hangs on an element. */
void barycentric_reserve_points(BarycentricMapping *self, uint32_t points);
void barycentric_hang(BarycentricMapping *self, uint32_t point, uint32_t element);
/* The rows of `hangs`, with the numbers that nodes have now, where something was touched. */
void barycentric_take_new_rows(BarycentricMapping *self);

#endif
