/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VisualModelImpl: a surface with material and texture that is kept up to date but not drawn.
 */
#include "visual_surface.h"

typedef struct VisualModelImpl {
    VisualSurface surface; /* first: the contracts' functions take it */
} VisualModelImpl;

static DvStatus parse(DvObject *object, void *self, const DvAttributes *attributes)
{
    return visual_surface_parse(object, self, attributes);
}

static DvStatus init(DvObject *object, void *self)
{
    return visual_surface_init(object, self);
}

static void bounding_box(DvObject *object, void *self, double *box)
{
    (void)object;
    visual_points_bounding_box(self, box);
}

static void destroy(DvObject *object, void *self)
{
    (void)object;
    visual_surface_destroy(self);
}

static const DvField fields[] = {
    VISUAL_SURFACE_FIELDS(VisualModelImpl),
    {0},
};

const DvClass dv_visual_model_impl = {
    .size = sizeof(DvClass),
    .name = "VisualModelImpl",
    .variants = "Vec3d",
    .bases = (const char *const[]){"VisualModel", NULL},
    .aliases = (const char *const[]){"VisualModel", NULL},
    .family = "visual models",
    .module = "Sofa.Component.Visual",
    .help = "A surface that is kept up to date and not drawn.",
    .instance_size = sizeof(VisualModelImpl),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_STATE, .ops = &visual_points_state_ops, .by_path_only = true},
                                      {.id = DV_VISUAL_MODEL, .ops = &visual_surface_model_ops},
                                      {0}},
    .parse = parse,
    .init = init,
    .bounding_box = bounding_box,
    .destroy = destroy,
};
