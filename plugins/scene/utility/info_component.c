/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * InfoComponent: a name in a scene, for who reads it.
 */
#include <divan/object.h>

static const DvField fields[] = {{0}};

const DvClass dv_info_component = {
    .size = sizeof(DvClass),
    .name = "InfoComponent",
    .family = "settings",
    .module = "Sofa.Component.SceneUtility",
    .help = "A name in a scene, for who reads it.",
    .fields = fields,
};
