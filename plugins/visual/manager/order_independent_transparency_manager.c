/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * OrderIndependentTransparencyManager: translucent things are drawn without sorting, weighted by their depth (McGuire and Bavoil,
 * Weighted blended order-independent transparency, 2013). Renderers do so in any case; this one says how depth counts.
 */
#include <divan/contracts/visual.h>

typedef struct OrderIndependentTransparencyManager {
    DvData depth_scale;
} OrderIndependentTransparencyManager;

static double depth_scale(void *self)
{
    return dv_data_double(&((OrderIndependentTransparencyManager *)self)->depth_scale);
}

static const DvField fields[] = {
    DV_FIELD(OrderIndependentTransparencyManager, depth_scale, "depthScale", dv_type_double, .init = "0.01",
             .unit = "1/m", .range = &dv_range_not_negative, .flags = DV_FIELD_DRAWING,
             .help = "how much more near things count than far ones"),
    {0},
};

static const DvTransparencyOps ops = {.size = sizeof ops, .depth_scale = depth_scale};

const DvClass dv_order_independent_transparency_manager = {
    .size = sizeof(DvClass),
    .name = "OrderIndependentTransparencyManager",
    .bases = (const char *const[]){"VisualManager", NULL},
    .family = "shaders",
    .module = "Sofa.GL.Component.Shader",
    .help = "Says how depth counts where translucent things are drawn without sorting.",
    .instance_size = sizeof(OrderIndependentTransparencyManager),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_TRANSPARENCY, .ops = &ops}, {0}},
};
