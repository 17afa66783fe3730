/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * RayContact: the answer to what rays find, which is none. It keeps other responses away from rays.
 */
#include <divan/contracts/collision.h>
#include <divan/divan.h>

static DvStatus set_states(void *self, DvObject *first, DvObject *second)
{
    (void)self, (void)first, (void)second;
    return DV_OK;
}

static DvStatus set_contacts(void *self, const DvContactList *list, const DvContactPair *pair)
{
    (void)self, (void)list, (void)pair;
    return DV_OK;
}

static const DvContactResponseOps ops = {.size = sizeof ops, .set_states = set_states, .set_contacts = set_contacts};

typedef struct RayContact {
    char unused;
} RayContact;

const DvClass dv_ray_contact = {
    .size = sizeof(DvClass),
    .name = "RayContact",
    .family = "contact response",
    .module = "Sofa.Component.Collision.Response.Contact",
    .help = "Lets rays pass through what they find.",
    .instance_size = sizeof(RayContact),
    .contracts = (const DvContract[]){{.id = DV_CONTACT_RESPONSE, .ops = &ops}, {0}},
};
