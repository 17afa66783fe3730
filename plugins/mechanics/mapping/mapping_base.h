/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What every mapping from one state to one state has: its fields, how it finds its two states, and its first application.
 *
 * A mapping's struct starts with a MappingBase, its field table with MAPPING_FIELDS, its class with MAPPING_CLASS, its table of
 * functions with MAPPING_OPS.
 */
#ifndef DIVAN_MECHANICS_MAPPING_BASE_H
#define DIVAN_MECHANICS_MAPPING_BASE_H

#include <divan/contracts/mapping.h>
#include <divan/contracts/visual.h>

typedef struct MappingBase {
    DvData map_forces, map_constraints, map_masses; /* bool: all false once the output is a visual model */
    DvData apply_rest_position;                     /* bool */
    DvLink input_link, output_link;
    DvStateRef in, out; /* ops is NULL until they are found */
} MappingBase;

/* All but the links. Of a struct that has the MappingBase in its member `in`, with a dot. */
#define MAPPING_FLAGS_IN(Struct, in)                                                                        \
    DV_FIELD(Struct, in base.map_forces, "mapForces", dv_type_bool, .init = "1",                            \
             .help = "forces on the output act on the input"),                                              \
        DV_FIELD(Struct, in base.map_constraints, "mapConstraints", dv_type_bool, .init = "1",              \
                 .help = "constraints on the output act on the input, where a constraint solver heeds it"), \
        DV_FIELD(Struct, in base.map_masses, "mapMasses", dv_type_bool, .init = "1",                        \
                 .help = "masses on the output act on the input"),                                          \
        DV_FIELD_HELD("mapMatrices", dv_type_bool, .init = "0",                                             \
                      .help = "kept for old scenes: assembled systems take every mapping into account"),    \
        DV_FIELD(Struct, in base.apply_rest_position, "applyRestPosition", dv_type_bool, .init = "0",       \
                 .flags = DV_FIELD_AT_LOAD,                                                                 \
                 .help = "also compute the rest positions of the output when the scene starts")
#define MAPPING_FIELDS_IN(Struct, in)                                         \
    DV_LINK(Struct, in base.input_link, "input", DV_STATE,                    \
            .help = "state to map from; by default that of the parent node"), \
        DV_LINK(Struct, in base.output_link, "output", DV_STATE,              \
                .help = "state to compute; by default that of the node"),     \
        MAPPING_FLAGS_IN(Struct, in)
#define MAPPING_FIELDS(Struct) MAPPING_FIELDS_IN(Struct, )

/* What the functions below are of the table of a mapping of the host. */
#define MAPPING_OPS                                                                                       \
    .size = sizeof(DvMappingOps), .space = DV_HOST, .inputs = mapping_inputs, .outputs = mapping_outputs, \
    .maps_forces = mapping_maps_forces, .maps_constraints = mapping_maps_constraints,                     \
    .is_mechanical = mapping_is_mechanical

#define MAPPING_CLASS \
    .variant_rule = DV_VARIANT_OF_EACH, .sources = mapping_variant_sources, .family = "mappings", .parse = mapping_parse

extern const DvVariantSource mapping_variant_sources[];
/* `isMechanical` sets the three flags together. */
DvStatus mapping_parse(DvObject *object, void *self, const DvAttributes *attributes);

/* Finds both states, keeps them alive, and clears the flags when the output is a visual model. */
DvStatus mapping_resolve(DvObject *object, MappingBase *base);
/* Its output, where mappings of its kind (mechanical or not) are shown and both states are there: points in space, dv_free; NULL: not
 * drawn. Those that show more than the points begin so. */
double *mapping_points_to_draw(MappingBase *base, const DvDraw *draw);
extern const DvDrawableOps mapping_drawable; /* the points that it computes */
extern const double mapping_color[4];
/* Lets go of the states. */
void mapping_release(MappingBase *base);
/* Positions, velocities, and if asked for rest positions of the output, from those of the input. */
void mapping_apply_all(MappingBase *base, const DvMappingOps *ops);

/* Arrays of J for at most `entries` blocks of `area` numbers, zero; what it had before is freed. The caller fills them. */
typedef struct JacobianArrays {
    uint32_t *row_start, *columns;
    double *values;
} JacobianArrays;
JacobianArrays mapping_new_jacobian(DvJacobian *j, uint32_t rows, uint32_t columns, uint32_t entries, uint32_t area);
void mapping_free_jacobian(DvJacobian *j); /* and all of it is zero */

/* The topology whose points are those of a state: of its node, or above it through mappings that keep the topology. */
DvObject *mapping_topology_of(DvStateRef state);

/* Members of DvMappingOps. */
uint32_t mapping_inputs(void *self, DvObject **states, uint32_t capacity);
uint32_t mapping_outputs(void *self, DvObject **states, uint32_t capacity);
uint32_t mapping_output_points(void *self, uint32_t output); /* all that there are: it follows its output */
bool mapping_maps_forces(void *self);
bool mapping_maps_constraints(void *self);
bool mapping_is_mechanical(void *self);
bool mapping_yes(void *self);
bool mapping_no(void *self);

#endif
