/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * NullForceFeedback, NullForceFeedbackT: devices that they are given to push nobody.
 */
#include <divan/divan.h>

typedef struct NullForceFeedback {
    DvData unused;
} NullForceFeedback;

#define FIELDS                                                                                    \
    DV_FIELD_HELD("activate", dv_type_bool, .init = "0", .help = "no effect: there is no force"), \
        DV_FIELD_HELD("indice", dv_type_int, .init = "0", .help = "of the device, which is not pushed")
static const DvField fields[] = {FIELDS, {0}};

const DvClass dv_null_force_feedback = {
    .size = sizeof(DvClass),
    .name = "NullForceFeedback",
    .bases = (const char *const[]){"ForceFeedback", NULL},
    .family = "haptics",
    .module = "Sofa.Component.Haptics",
    .help = "No force on a haptic device.",
    .instance_size = sizeof(NullForceFeedback),
    .fields = fields,
};

const DvClass dv_null_force_feedback_t = {
    .size = sizeof(DvClass),
    .name = "NullForceFeedbackT",
    .variants = "Rigid3d Vec1d",
    .bases = (const char *const[]){"MechanicalStateForceFeedback", "ForceFeedback", NULL},
    .family = "haptics",
    .module = "Sofa.Component.Haptics",
    .help = "No force on a haptic device, of a state.",
    .instance_size = sizeof(NullForceFeedback),
    .fields = fields,
};
