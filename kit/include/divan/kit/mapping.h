/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What every mapping from one state to one state has: its fields, how it finds its two states, and its first application.
 *
 * A mapping's struct starts with a DvSingleMapping, its field table with DV_SINGLE_MAPPING_FIELDS, its class with DV_MAPPING_CLASS, its table of
 * functions with DV_SINGLE_MAPPING_OPS, and its loops in the memory space that it states. Linear mappings: divan/kit/linear_mapping.h.
 */
#ifndef DIVAN_KIT_MAPPING_H
#define DIVAN_KIT_MAPPING_H

#include <divan/contracts/mapping.h>
#include <divan/contracts/visual.h>

DV_BEGIN_DECLS

typedef struct DvSingleMapping {
    DvData map_forces, map_constraints, map_masses; /* bool: all false once the output is a visual model */
    DvData apply_rest_position;                     /* bool */
    DvLink input_link, output_link;
    DvStateRef in, out; /* ops is NULL until they are found */
} DvSingleMapping;

/* All but the links. Of a struct that has the DvSingleMapping in its member `in`, with a dot. */
#define DV_MAPPING_FLAGS_IN(Struct, in)                                                                     \
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
/* Of one input. */
#define DV_SINGLE_MAPPING_FIELDS_IN(Struct, in)                               \
    DV_LINK(Struct, in base.input_link, "input", DV_STATE,                    \
            .help = "state to map from; by default that of the parent node"), \
        DV_LINK(Struct, in base.output_link, "output", DV_STATE,              \
                .help = "state to compute; by default that of the node"),     \
        DV_MAPPING_FLAGS_IN(Struct, in)
#define DV_SINGLE_MAPPING_FIELDS(Struct) DV_SINGLE_MAPPING_FIELDS_IN(Struct, )

/* Of several inputs, of which `in` is the first. */
#define DV_MULTI_MAPPING_FIELDS_IN(Struct, in_)                                             \
    DV_LINK(Struct, in_ base.input_link, "input", DV_STATE, .many = true,                   \
            .help = "states to map from, of one type; by default that of the parent node"), \
        DV_LINK(Struct, in_ base.output_link, "output", DV_STATE,                           \
                .help = "state to compute; by default that of the node"),                   \
        DV_MAPPING_FLAGS_IN(Struct, in_)

/* What the functions below are of the table of a mapping. */
#define DV_SINGLE_MAPPING_OPS                                                                               \
    .size = sizeof(DvMappingOps), .inputs = dv_single_mapping_inputs, .outputs = dv_single_mapping_outputs, \
    .maps_forces = dv_single_mapping_maps_forces, .maps_constraints = dv_single_mapping_maps_constraints,   \
    .is_mechanical = dv_single_mapping_is_mechanical

/* What the classes have alike. */
#define DV_MAPPING_CLASS                                                                            \
    .variant_rule = DV_VARIANT_OF_EACH, .sources = dv_single_mapping_sources, .family = "mappings", \
    .parse = dv_mapping_parse

extern DV_PUBLIC const DvVariantSource dv_single_mapping_sources[];
/* DvClass.parse: `isMechanical` sets the three flags together.     [main] */
DV_PUBLIC DvStatus dv_mapping_parse(DvObject *object, void *self, const DvAttributes *attributes);

/* Finds both states, keeps them alive, and clears the flags when the output is a visual model; reports what is missing.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_single_mapping_init(DvObject *object, DvSingleMapping *base);
/* Lets go of the states.     [main] */
DV_PUBLIC void dv_single_mapping_release(DvSingleMapping *base);
/* Positions, velocities, and if asked for rest positions of the output, from those of all inputs that ops->inputs names, by ops->apply and
 * apply_j.     [main] */
DV_PUBLIC void dv_mapping_apply_all(DvSingleMapping *base, const DvMappingOps *ops);
/* The topology whose points are those of a state: of its node, or above it through mappings that keep the topology; or NULL.     [main] */
DV_PUBLIC DvObject *dv_mapping_topology_of(DvStateRef state);

/* Members of DvMappingOps.     [step] */
DV_PUBLIC uint32_t dv_single_mapping_inputs(void *self, DvObject **states, uint32_t capacity);
DV_PUBLIC uint32_t dv_single_mapping_outputs(void *self, DvObject **states, uint32_t capacity);
DV_PUBLIC uint32_t dv_single_mapping_output_points(void *self, uint32_t output); /* all: it follows its output */
DV_PUBLIC bool dv_single_mapping_maps_forces(void *self);
DV_PUBLIC bool dv_single_mapping_maps_constraints(void *self);
DV_PUBLIC bool dv_single_mapping_is_mechanical(void *self);
DV_PUBLIC bool dv_mapping_yes(void *self);
DV_PUBLIC bool dv_mapping_no(void *self);

/* ---- J ---- */

/* Arrays of J for at most `entries` blocks of `area` numbers, zero; what it had before is freed. The caller fills them.     [step] */
typedef struct DvJacobianArrays {
    uint32_t *row_start, *columns;
    double *values;
} DvJacobianArrays;
DV_PUBLIC DvJacobianArrays dv_jacobian_new(DvJacobian *j, uint32_t rows, uint32_t columns, uint32_t entries,
                                           uint32_t area);
/* J of copies, with a new number for its structure: row i is the identity on point[i], of the components that both have; rows beyond
 * `count`, and those of points that the input does not have, are empty. `point` NULL: i itself. Derivatives of deriv_out and deriv_in
 * components.     [step] */
DV_PUBLIC void dv_jacobian_set_copies(DvJacobian *j, uint32_t rows, uint32_t columns, const uint32_t *point,
                                      size_t count, uint32_t deriv_out, uint32_t deriv_in);
DV_PUBLIC void dv_jacobian_free(DvJacobian *j); /* and all of it is zero */

/* ---- Drawing ---- */

/* Its output, where mappings of its kind (mechanical or not) are shown and both states are there: points in space, dv_free; NULL: not
 * drawn. Those that show more than the points begin so.     [main] */
DV_PUBLIC double *dv_single_mapping_points_to_draw(DvSingleMapping *base, const DvDraw *draw);
extern DV_PUBLIC const DvDrawableOps dv_single_mapping_drawable; /* the points that it computes */
extern DV_PUBLIC const double dv_mapping_color[4];

DV_END_DECLS
#endif
