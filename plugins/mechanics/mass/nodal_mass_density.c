/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * NodalMassDensity: the mass density at the points of a mesh, for FEMMass.
 *
 * A number for each point; the last one holds for all further points, and without any the density is 1.
 */
#include "nodal_mass_density.h"

#include <divan/node.h>

typedef struct NodalMassDensity {
    DvData property;
} NodalMassDensity;

static const DvField fields[] = {
    DV_FIELD(NodalMassDensity, property, "property", dv_type_doubles, .init = "1", .unit = "kg/m^3",
             .range = &dv_range_not_negative, .flags = DV_FIELD_INPUT,
             .help = "density at each point, per length, area or volume of the elements; the last one is that of all "
                     "further points"),
    {0},
};

static double at(void *self_, uint32_t point)
{
    NodalMassDensity *self = self_;
    size_t count;
    const double *density = dv_data_doubles(&self->property, &count);
    return count == 0 ? 1.0 : density[point < count ? point : count - 1];
}

static uint64_t version(void *self)
{
    return dv_data_version(&((NodalMassDensity *)self)->property);
}

static uint32_t given(void *self)
{
    size_t count;
    (void)dv_data_doubles(&((NodalMassDensity *)self)->property, &count);
    return (uint32_t)count;
}

static const NodalMassDensityOps density_ops = {
    .size = sizeof(NodalMassDensityOps), .at = at, .version = version, .given = given};

static DvStatus init(DvObject *object, void *self_)
{
    NodalMassDensity *self = self_;
    size_t count;
    const double *density = dv_data_doubles(&self->property, &count);
    for (size_t i = 0; i < count; i++)
        if (density[i] > 0.0)
            return DV_OK;
    (void)object;
    return count == 0 ? DV_OK : dv_field_error(&self->property, -1, "all densities are 0; a mass must be above 0");
}

const DvClass dv_nodal_mass_density = {
    .size = sizeof(DvClass),
    .name = "NodalMassDensity",
    .variants = "d f",
    .family = "masses",
    .bases = (const char *const[]){"BaseNodalProperty", NULL},
    .module = "Sofa.Component.Mass",
    .help = "The mass density at the points of a mesh, for FEMMass.",
    .instance_size = sizeof(NodalMassDensity),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = NODAL_MASS_DENSITY, .ops = &density_ops}, {0}},
    .init = init,
};
