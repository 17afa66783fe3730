/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files of MeshMatrixMass share: fields, operations and life (mesh_matrix_mass.c), its values (mesh_matrix_values.c), and how
 * they follow the mesh (mesh_matrix_edits.c).
 */
#ifndef DIVAN_MECHANICS_MESH_MATRIX_MASS_H
#define DIVAN_MECHANICS_MESH_MATRIX_MASS_H

#include <divan/element_data.h>
#include <divan/kit/followed_values.h>
#include <divan/kit/mass.h>
#include <divan/kit/start_values.h>

#include "consistent_mass.h"
#include "mass_operator.h"
#include "row_mass.h"

typedef enum Given { GIVEN_TOTAL_MASS, GIVEN_DENSITY, GIVEN_MASSES } Given;

typedef struct MeshMatrixMass {
    DvMass base;
    DvData density, total_mass, point_masses, edge_masses, compute_on_rest, lumping, consistent, print_mass, graph;
    DvKeptPairs kept;
    DvLink topology_link, geometry_link;

    MassMesh mesh;
    Given given;
    bool lumped;                    /* `lumping` as it was at the start */
    bool asked;                     /* `consistent`, likewise */
    bool warned;                    /* that one of them has changed */
    bool exact;                     /* `consistent`, of quads and hexahedra */
    ConsistentMass matrix;          /* then */
    double to_point, to_edge, lump; /* 1/cv, 1/ce, L of the elements */
    uint32_t count, edge_count;
    HalfEdges half; /* of edges; with `exact` of all pairs of points that share an element, with their entries */
    uint64_t point_version, edge_version, density_version, total_version; /* of the fields as last seen */
    DvElementData point_data, edge_data; /* follow the mesh, and the fields with them */
    DvElementData element_data;          /* double: density of each element; with `exact` ElementMass */
    DvMeshEdits edits;                   /* of edges, or of elements with `exact`, since the half edges were made */
    double change;                       /* kg, of the edit that is being told */
    DvStartValues first_points, first_edges, first_density, first_total;
    MassOperator described;
} MeshMatrixMass;

/* Of the diagonal, before they are multiplied by L where the matrix is lumped. */
const double *mesh_matrix_points(MeshMatrixMass *self);
/* Of each edge of a half edge. */
const double *mesh_matrix_edges(MeshMatrixMass *self);
/* Masses that gravity acts on, before they are multiplied by L. */
const double *mesh_matrix_weights(MeshMatrixMass *self);
void mesh_matrix_choose_coefficients(MeshMatrixMass *self);
DvElements mesh_matrix_mesh_edges(const MeshMatrixMass *self);
double *mesh_matrix_kept_density(const MeshMatrixMass *self, uint32_t element);
ElementMass *mesh_matrix_exact_element(const MeshMatrixMass *self, uint32_t element);
void mesh_matrix_make_units(MeshMatrixMass *self, uint32_t first, uint32_t count);
void mesh_matrix_find_half_edges(MeshMatrixMass *self);
/* Adds what elements [first, first + count) of a density give, times `sign`; the sum of the matrix of what was added. */
double mesh_matrix_spread(MeshMatrixMass *self, uint32_t first, uint32_t count, bool unit_density, double sign,
                          double *point, double *edge);
void mesh_matrix_seen(MeshMatrixMass *self);
void mesh_matrix_tell(MeshMatrixMass *self);
/* All masses from the field that was given. */
void mesh_matrix_complete(MeshMatrixMass *self);
/* The densities of a mesh that may change are with its elements: the field shows them, or gives them. */
void mesh_matrix_keep_densities(MeshMatrixMass *self, bool from_field);
/* Follows changes of the fields; at the start of each operation. */
void mesh_matrix_update(MeshMatrixMass *self);
void mesh_matrix_store_reset_state(DvObject *object, void *self_);
DvStatus mesh_matrix_attach(MeshMatrixMass *self);

#endif
