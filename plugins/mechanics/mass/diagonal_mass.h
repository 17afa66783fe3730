/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files of DiagonalMass share: fields, operations and life (diagonal_mass.c), its values and how they follow the mesh
 * (diagonal_mass_values.c).
 */
#ifndef DIVAN_MECHANICS_DIAGONAL_MASS_H
#define DIVAN_MECHANICS_DIAGONAL_MASS_H

#include <float.h>
#include <stdio.h>
#include <string.h>

#include <divan/element_data.h>
#include <divan/given.h>
#include <divan/kit/start_values.h>
#include <divan/memory.h>
#include <divan/parallel.h>

#include "body_shape.h"
#include "mass_check.h"
#include "mass_mesh.h"
#include "mass_operator.h"
#include <divan/kit/followed_values.h>
#include <divan/kit/mass.h>
#include <divan/kit/mesh_edits.h>
#include <divan/kit/path_hint.h>
#include <divan/kit/turning_inertia.h>

typedef enum Given { GIVEN_TOTAL_MASS, GIVEN_DENSITY, GIVEN_POINT_MASSES } Given;

typedef struct DiagonalMass {
    DvMass base;
    DvData point_masses, density, total_mass, compute_on_rest, file;
    DvData unsummed; /* state of a run: points in `edits` */
    DvLink topology_link, geometry_link;

    MassMesh mesh; /* topology is NULL when the masses come from a file or of rigid bodies */
    Given given;
    uint32_t count;           /* points that have a mass */
    DvBodyMass *bodies;       /* [count] of rigid bodies; NULL otherwise */
    DvTurningInertia turning; /* count 0: not up to date */
    uint32_t no_inertia;      /* bodies that were given none at init */
    uint64_t point_masses_version, density_version, total_mass_version;
    uint64_t structure;
    DvElementData point_data;   /* follows the points */
    DvElementData element_data; /* double: what each element gave to each of its points */
    DvMeshEdits edits;          /* since masses were summed up */
    double change;              /* kg, of the edit that is being told */
    DvStartValues first_masses, first_total, first_density;
    MassOperator operator;
} DiagonalMass;

const double *diagonal_mass_masses(DiagonalMass *self);
/* The other fields follow from the one that was given. */
void diagonal_mass_complete(DiagonalMass *self);
void diagonal_mass_read_bodies(DiagonalMass *self);
void diagonal_mass_points_changed(DvElementData *data, const DvElementChange *change);
void diagonal_mass_elements_added(DvElementData *data, const DvElementChange *change, uint32_t first);
void diagonal_mass_element_removed(DvElementData *data, uint32_t index);
void diagonal_mass_elements_changed(DvElementData *data, const DvElementChange *change);
/* The first masses are put back, or a saved scene has put its own back. */
void diagonal_mass_elements_replaced(DvElementData *data, DvMeshReplacement why);
void diagonal_mass_store_reset_state(DvObject *object, void *self_);
void diagonal_mass_points_replaced(DvElementData *data, DvMeshReplacement why);
/* The sums of touched points, in the order of the elements as they are now. */
void diagonal_mass_sum_up(DiagonalMass *self);

#endif
