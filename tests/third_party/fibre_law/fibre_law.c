/* SPDX-License-Identifier: MIT
 *
 * Fibred: a soft body with stiff fibres along x, W = k / 2 |F - 1|^2 + s / 8 (|F e_x|^2 - 1)^2. An example
 * of a material made outside Divan's tree: three functions of one point, found by name.
 */
#include <divan/kit/material_law.h>
#include <divan/plugin.h>

static double energy(const double *parameters, const double f[9])
{
    double sum = 0.0, stretch = f[0] * f[0] + f[3] * f[3] + f[6] * f[6] - 1.0;
    for (int i = 0; i < 9; i++)
        sum += (f[i] - (i % 4 == 0)) * (f[i] - (i % 4 == 0));
    return 0.5 * parameters[0] * sum + 0.125 * parameters[1] * stretch * stretch;
}

static void stress(const double *parameters, const double f[9], double p[9])
{
    const double stretch = f[0] * f[0] + f[3] * f[3] + f[6] * f[6] - 1.0;
    for (int i = 0; i < 9; i++)
        p[i] = parameters[0] * (f[i] - (i % 4 == 0)) + (i % 3 == 0 ? 0.5 * parameters[1] * stretch * f[i] : 0.0);
}

static void tangent(const double *parameters, const double f[9], const double df[9], double dp[9])
{
    const double stretch = f[0] * f[0] + f[3] * f[3] + f[6] * f[6] - 1.0,
                 change = 2.0 * (f[0] * df[0] + f[3] * df[3] + f[6] * df[6]);
    for (int i = 0; i < 9; i++)
        dp[i] = parameters[0] * df[i] + (i % 3 == 0 ? 0.5 * parameters[1] * (stretch * df[i] + change * f[i]) : 0.0);
}

static const char *const parameters[] = {"stiffness", "fibres", NULL};
static const DvMaterialLaw fibred = {.size = sizeof fibred,
                                     .name = "Fibred",
                                     .parameters = parameters,
                                     .energy = energy,
                                     .stress = stress,
                                     .tangent = tangent};
static const DvMaterialLaw *const list[] = {&fibred, NULL};
static const DvMaterialLawsOps laws = {.size = sizeof laws, .laws = list};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "example.fibre-law",
    .version = "1.0",
    .license = "MIT",
    .help = "A material made outside Divan's tree.",
    .offers = (const DvContract[]){{.id = DV_MATERIAL_LAWS, .ops = &laws}, {0}},
};
