/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Linear elastic material of the FEM force fields: Young's modulus and Poisson's ratio, one value for all elements or one each.
 *
 * The fields count elements as they were numbered when the fields were written. Values are taken from there once and then belong to
 * the elements: they stay with them when the mesh changes, since a removal gives numbers away.
 */
#ifndef DIVAN_KIT_ELASTIC_MATERIAL_H
#define DIVAN_KIT_ELASTIC_MATERIAL_H

#include <divan/divan.h>
#include <divan/element_data.h>

DV_BEGIN_DECLS

typedef struct DvElasticMaterial {
    DvData young_modulus, poisson_ratio;
    DvData present; /* state of a run: DvElementMaterials of a mesh that has changed, where elements differ */
} DvElasticMaterial;

/* `more`: further flags of both fields. */
#define DV_MATERIAL_FIELDS(Struct, material, more)                                                          \
    DV_FIELD(Struct, material.young_modulus, "youngModulus", dv_type_doubles, .init = "5000", .unit = "Pa", \
             .flags = DV_FIELD_REQUIRED | (more), .group = "material",                                      \
             .help = "Young's modulus: one value, or one for each element"),                                \
        DV_FIELD(Struct, material.poisson_ratio, "poissonRatio", dv_type_doubles, .init = "0.45",           \
                 .flags = DV_FIELD_REQUIRED | (more), .group = "material",                                  \
                 .help = "Poisson's ratio, from 0 to below 0.5: one value, or one for each element"),       \
        DV_FIELD(Struct, material.present, "elementMaterials", dv_type_doubles,                             \
                 .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN,                                                 \
                 .help = "Young's modulus and Poisson's ratio of each element, once the mesh has changed")

typedef struct DvElementMaterial {
    double young, poisson; /* Pa, - */
} DvElementMaterial;

typedef struct DvElementMaterials {
    DvElementData data; /* `parts` DvElementMaterial for each element of the mesh */
    uint32_t parts;     /* elements that each one of the mesh is cut into */
    uint32_t
        named; /* numbers below were given to elements when the fields were read: new ones do not take their values */
    DvElasticMaterial *material;
    DvData *factors;  /* of Young's modulus, spread evenly over the elements; or NULL */
    uint64_t version; /* of the fields, when they were read */
} DvElementMaterials;

/* Follows the elements of one kind; materials are zero until read. `factors` may be NULL.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_element_materials_attach(DvElementMaterials *materials, DvElasticMaterial *material,
                                                            DvData *factors, DvObject *topology, DvElementKind kind,
                                                            uint32_t parts);
DV_PUBLIC void dv_element_materials_detach(DvElementMaterials *materials);
/* Takes the fields if they were written since the last call; entries outside the physical range are replaced by the defaults, with a
 * warning. An element without a value of its own takes the first, one that was made from others the mean of theirs. */
DV_PUBLIC void dv_element_materials_read(DvElementMaterials *materials);
/* Before a shape of `elements` elements (parts counted) is made. Where the mesh did not change by steps but was written anew, the fields
 * are taken by number again. */
DV_NODISCARD DV_PUBLIC DvStatus dv_element_materials_agree(DvElementMaterials *materials, uint32_t elements);
static inline DvElementMaterial dv_element_material(const DvElementMaterials *materials, uint32_t element)
{
    return ((const DvElementMaterial *)materials->data.entries)[element];
}

/* Lame's parameters in space.     Pa */
static inline double dv_lame_lambda(double young, double poisson)
{
    return young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
}
static inline double dv_lame_lambda_plane_stress(double young, double poisson)
{
    return young * poisson / (1.0 - poisson * poisson);
}
static inline double dv_lame_mu(double young, double poisson)
{
    return young / (2.0 * (1.0 + poisson));
}

DV_END_DECLS
#endif
