/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Linear elastic material of the FEM force fields: Young's modulus and Poisson's ratio, one value for all elements or one each.
 *
 * The fields count elements as they were numbered when the fields were written. Values are taken from there once and then belong to
 * the elements: they stay with them when the mesh changes, since a removal gives numbers away.
 */
#ifndef DIVAN_MECHANICS_MATERIAL_H
#define DIVAN_MECHANICS_MATERIAL_H

#include <divan/divan.h>
#include <divan/element_data.h>

typedef struct Material {
    DvData young_modulus, poisson_ratio;
    DvData present; /* state of a run: ElementMaterials of a mesh that has changed, where elements differ */
} Material;

/* `more`: further flags of both fields. */
#define MATERIAL_FIELDS(Struct, material, more)                                                             \
    DV_FIELD(Struct, material.young_modulus, "youngModulus", dv_type_doubles, .init = "5000", .unit = "Pa", \
             .flags = DV_FIELD_REQUIRED | (more), .group = "material",                                      \
             .help = "Young's modulus: one value, or one for each element"),                                \
        DV_FIELD(Struct, material.poisson_ratio, "poissonRatio", dv_type_doubles, .init = "0.45",           \
                 .flags = DV_FIELD_REQUIRED | (more), .group = "material",                                  \
                 .help = "Poisson's ratio, from 0 to below 0.5: one value, or one for each element"),       \
        DV_FIELD(Struct, material.present, "elementMaterials", dv_type_doubles,                             \
                 .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN,                                                 \
                 .help = "Young's modulus and Poisson's ratio of each element, once the mesh has changed")

typedef struct ElementMaterial {
    double young, poisson; /* Pa, - */
} ElementMaterial;

typedef struct ElementMaterials {
    DvElementData data; /* `parts` ElementMaterial for each element of the mesh */
    uint32_t parts;     /* elements that each one of the mesh is cut into */
    uint32_t
        named; /* numbers below were given to elements when the fields were read: new ones do not take their values */
    Material *material;
    DvData *factors;  /* of Young's modulus, spread evenly over the elements; or NULL */
    uint64_t version; /* of the fields, when they were read */
} ElementMaterials;

/* Follows the elements of one kind; materials are zero until read. `factors` may be NULL.     [main] */
DV_NODISCARD DvStatus element_materials_attach(ElementMaterials *materials, Material *material, DvData *factors,
                                               DvObject *topology, DvElementKind kind, uint32_t parts);
void element_materials_detach(ElementMaterials *materials);
/* Takes the fields if they were written since the last call; entries outside the physical range are replaced by the defaults, with a
 * warning. An element without a value of its own takes the first, one that was made from others the mean of theirs. */
void element_materials_read(ElementMaterials *materials);
/* Before a shape of `elements` elements (parts counted) is made. Where the mesh did not change by steps but was written anew, the fields
 * are taken by number again. */
DV_NODISCARD DvStatus element_materials_agree(ElementMaterials *materials, uint32_t elements);
static inline ElementMaterial element_material(const ElementMaterials *materials, uint32_t element)
{
    return ((const ElementMaterial *)materials->data.entries)[element];
}

/* Lame's parameters in space.     Pa */
static inline double lame_lambda(double young, double poisson)
{
    return young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
}
static inline double lame_lambda_plane_stress(double young, double poisson)
{
    return young * poisson / (1.0 - poisson * poisson);
}
static inline double lame_mu(double young, double poisson)
{
    return young / (2.0 * (1.0 + poisson));
}

#endif
