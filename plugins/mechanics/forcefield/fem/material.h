/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Linear elastic material of the FEM force fields: Young's modulus and Poisson's ratio, one value for all elements or one each.
 */
#ifndef DIVAN_MECHANICS_MATERIAL_H
#define DIVAN_MECHANICS_MATERIAL_H

#include <divan/divan.h>

typedef struct Material {
    DvData young_modulus, poisson_ratio;
} Material;

/* `more`: further flags of both fields. */
#define MATERIAL_FIELDS(Struct, material, more)                                                             \
    DV_FIELD(Struct, material.young_modulus, "youngModulus", dv_type_doubles, .init = "5000", .unit = "Pa", \
             .flags = DV_FIELD_REQUIRED | (more), .group = "material",                                      \
             .help = "Young's modulus: one value, or one for each element"),                                \
        DV_FIELD(Struct, material.poisson_ratio, "poissonRatio", dv_type_doubles, .init = "0.45",           \
                 .flags = DV_FIELD_REQUIRED | (more), .group = "material",                                  \
                 .help = "Poisson's ratio, from 0 to below 0.5: one value, or one for each element")

/* Values per element, read once per operation. */
typedef struct MaterialValues {
    const double *young, *poisson;
    size_t young_count, poisson_count;
} MaterialValues;

/* Reads the fields; entries outside the physical range are replaced by the defaults, with a warning. */
MaterialValues material_read(Material *material);

/* Of element i: its own value, else the first, else the default. */
double material_young(const MaterialValues *values, uint32_t element);
double material_poisson(const MaterialValues *values, uint32_t element);

/* Lame's parameters in space.     Pa */
static inline double lame_lambda(double young, double poisson)
{
    return young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
}
static inline double lame_mu(double young, double poisson)
{
    return young / (2.0 * (1.0 + poisson));
}

#endif
