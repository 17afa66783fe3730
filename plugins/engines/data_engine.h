/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What classes of engines have in common: those with an init and a cleanup, and those whose fields follow from what is written.
 */
#ifndef DIVAN_ENGINES_DATA_ENGINE_H
#define DIVAN_ENGINES_DATA_ENGINE_H

#include <divan/kit/engine.h>

#define DATA_ENGINE_CLASS(init_of_class, update_of_class, cleanup_of_class)                                          \
    .size = sizeof(DvClass), .default_variant = "Vec3d", DV_ENGINE_CLASS("DataEngine"),                              \
    .construct = dv_engine_construct, .init = (init_of_class), .bwd_init = dv_engine_start, .reinit = dv_engine_run, \
    .update = (update_of_class), .cleanup = (cleanup_of_class)

#define PARSED_ENGINE_CLASS(construct_of_class, parse_of_class, update_of_class, destroy_of_class)                \
    .size = sizeof(DvClass), DV_ENGINE_CLASS("DataEngine"), .construct = (construct_of_class),                    \
    .parse = (parse_of_class), .bwd_init = dv_engine_start, .reinit = dv_engine_run, .update = (update_of_class), \
    .destroy = (destroy_of_class)

#endif
