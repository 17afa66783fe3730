/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Linear elastic material: which value an element takes, and what is done about impossible ones.
 */
#include "forcefield/fem/material.h"

enum { MOST_WARNINGS = 3 };

static const double default_young = 5000.0, default_poisson = 0.45;

static void replace_impossible(DvData *field, bool (*possible)(double), double replacement, const char *range)
{
    size_t count, bad = 0;
    const double *values = dv_data_doubles(field, &count);
    for (size_t i = 0; i < count; i++)
        bad += !possible(values[i]);
    if (bad == 0)
        return;
    double *repaired = dv_data_begin(field, count);
    size_t warned = 0;
    for (size_t i = 0; i < count; i++) {
        if (possible(repaired[i]))
            continue;
        if (warned++ < MOST_WARNINGS)
            dv_field_warning(field, (int64_t)i, "%g is not %s; %g is taken", repaired[i], range, replacement);
        repaired[i] = replacement;
    }
    if (bad > MOST_WARNINGS)
        dv_field_warning(field, -1, "%zu values are not %s; %g is taken for each", bad, range, replacement);
    dv_data_end(field);
}

static bool young_possible(double young)
{
    return young >= 0.0;
}

static bool poisson_possible(double poisson)
{
    return poisson >= 0.0 && poisson < 0.5;
}

MaterialValues material_read(Material *material)
{
    replace_impossible(&material->young_modulus, young_possible, default_young, "zero or more");
    replace_impossible(&material->poisson_ratio, poisson_possible, default_poisson, "in [0, 0.5)");
    MaterialValues values;
    values.young = dv_data_doubles(&material->young_modulus, &values.young_count);
    values.poisson = dv_data_doubles(&material->poisson_ratio, &values.poisson_count);
    if (values.young_count == 0)
        dv_field_warning(&material->young_modulus, -1, "is empty; %g is taken", default_young);
    if (values.poisson_count == 0)
        dv_field_warning(&material->poisson_ratio, -1, "is empty; %g is taken", default_poisson);
    return values;
}

static double value_of(const double *values, size_t count, uint32_t element, double otherwise)
{
    return element < count ? values[element] : count > 0 ? values[0] : otherwise;
}

double material_young(const MaterialValues *values, uint32_t element)
{
    return value_of(values->young, values->young_count, element, default_young);
}

double material_poisson(const MaterialValues *values, uint32_t element)
{
    return value_of(values->poisson, values->poisson_count, element, default_poisson);
}
