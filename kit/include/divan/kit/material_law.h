/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Materials: an energy of the deformation gradient F and its derivatives, found by name.
 *
 * A law has per volume an energy W(F) (J/m^3), the stress P = dW/dF (first Piola-Kirchhoff, Pa) and the change of that stress when F
 * changes. It knows nothing of elements: solid_elements.h joins both.
 *
 * A plugin brings laws under the service DV_MATERIAL_LAWS:
 *
 *   static const char *const names[] = {"stiffness", NULL};
 *   static const DvMaterialLaw spring = {.size = sizeof spring, .name = "Springy", .parameters = names, .energy = ..., .stress = ...,
 *                                        .tangent = ...};
 *   static const DvMaterialLawsOps laws = {.size = sizeof laws, .laws = (const DvMaterialLaw *const[]){&spring, NULL}};
 *   ... .offers = (const DvContract[]){{.id = DV_MATERIAL_LAWS, .ops = &laws}, {0}}
 *
 * Functions of one point are enough; a law that has those of eight at a time, which cost little more than one, may leave them out.
 * Where such a function has no value (a logarithm of a negative volume) it gives NaN, which the step reports.
 *
 * Threads: [worker], several at once.
 */
#ifndef DIVAN_KIT_MATERIAL_LAW_H
#define DIVAN_KIT_MATERIAL_LAW_H

#include <divan/data.h>
#include <divan/math/simd.h>

DV_BEGIN_DECLS

enum { DV_LAW_PARAMETERS = 8 }; /* at most */

typedef struct DvMaterialLaw {
    uint32_t size;
    const char *name;              /* as scenes give it */
    const char *const *parameters; /* their names, ended by NULL */
    bool linear;                   /* the stress is linear in F: its derivative is the same everywhere */
    /* At one point. F, dF, P and dP: row by row, F[3 i + j] = dx_i / dX_j.     parameters: one number each */
    double (*energy)(const double *parameters, const double f[9]);
    void (*stress)(const double *parameters, const double f[9], double p[9]);
    void (*tangent)(const double *parameters, const double f[9], const double df[9], double dp[9]); /* dP of dF at F */
    /* At eight, one in each lane, or NULL; all three or none. */
    void (*energy8)(const DvReal8 *parameters, const DvReal8 f[3][3], DvReal8 *w);
    void (*stress8)(const DvReal8 *parameters, const DvReal8 f[3][3], DvReal8 p[3][3]);
    void (*tangent8)(const DvReal8 *parameters, const DvReal8 f[3][3], const DvReal8 df[3][3], DvReal8 dp[3][3]);
} DvMaterialLaw;

#define DV_MATERIAL_LAWS "kit.material-laws/1"
typedef struct DvMaterialLawsOps {
    uint32_t size;
    const DvMaterialLaw *const *laws; /* ended by NULL */
} DvMaterialLawsOps;

/* W = lambda / 2 (tr e)^2 + mu e : e with e = (F + F^T) / 2 - 1: for small strains.     parameters: lambda, mu, Pa */
extern DV_PUBLIC const DvMaterialLaw dv_hooke_law;

/* The kit's laws, ended by NULL: Hooke; StVenantKirchhoff, NeoHookean, StableNeoHookean (mu lambda); MooneyRivlin, VerondaWestman (c1 c2
 * k0); ArrudaBoyce (mu k0). */
extern DV_PUBLIC const DvMaterialLaw *const dv_material_laws[];

/* A law of the kit or of a plugin; NULL: there is none of this name.     [main] */
DV_PUBLIC const DvMaterialLaw *dv_material_law_find(const char *name);
/* The names of all, "Hooke, NeoHookean".     [main] */
DV_PUBLIC void dv_material_law_names(DvText *out);
/* The error of a field that names a law that there is not; it lists those that there are.     [main] */
DV_PUBLIC DvStatus dv_material_law_unknown(DvData *field);
DV_PUBLIC uint32_t dv_material_law_parameters(const DvMaterialLaw *law);

/* Of any law, eight points at a time. */
DV_PUBLIC void dv_material_law_energy(const DvMaterialLaw *law, const DvReal8 *parameters, const DvReal8 f[3][3],
                                      DvReal8 *w);
DV_PUBLIC void dv_material_law_stress(const DvMaterialLaw *law, const DvReal8 *parameters, const DvReal8 f[3][3],
                                      DvReal8 p[3][3]);
DV_PUBLIC void dv_material_law_tangent(const DvMaterialLaw *law, const DvReal8 *parameters, const DvReal8 f[3][3],
                                       const DvReal8 df[3][3], DvReal8 dp[3][3]);

DV_END_DECLS
#endif
