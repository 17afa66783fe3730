/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "haptic_client.h"

#include <math.h>
#include <string.h>

const char *const haptic_client_passivities[] = {"off", "observe", "control", NULL};

DvStatus haptic_client_join(DvObject *object, HapticClient *client, DvObject *device)
{
    const DvStatus status = dv_object_require(object, device);
    if (status == DV_OK)
        client->port = haptics_join(device);
    return status;
}

void haptic_client_push(HapticClient *client, HapticUser user)
{
    client->user = user;
    haptics_add_user(client->port, &client->user);
}

void haptic_client_leave(HapticClient *client)
{
    haptics_remove_user(&client->user);
    haptics_leave(client->port);
    client->port = NULL;
}

void haptic_client_reset(HapticClient *client)
{
    client->resumes = client->user.keeps_score = false;
    if (client->port)
        haptics_restart(client->port);
}

bool haptic_client_is_remembered(HapticClient *client)
{
    return dv_data_is_set(&client->resume) || dv_data_is_set(&client->score);
}

static void write_score(HapticClient *client)
{
    const HapticScore score = haptics_score(&client->user);
    memcpy(dv_data_begin_all(&client->score, sizeof score / 4), &score, sizeof score);
    dv_data_end(&client->score);
}

void haptic_client_read_score(HapticClient *client)
{
    size_t count;
    const uint32_t *words = dv_data_uints(&client->score, &count);
    client->user.keeps_score = client->port && 4 * count == sizeof client->user.kept_score;
    if (client->user.keeps_score)
        memcpy(&client->user.kept_score, words, sizeof client->user.kept_score);
}

bool haptic_client_hear(HapticClient *client, const DvEvent *event)
{
    if (!client->port)
        return false;
    haptics_hear(client->port, event);
    if (event->kind != DV_EVENT_ANIMATE_END)
        return false;
    write_score(client);
    if (!haptics_by_clock(client->port))
        return true;
    haptics_forget(&client->resume);
    return false;
}

static double limit_of(DvData *field, double of_device, double force_scale)
{
    if (field && dv_data_is_set(field))
        return dv_data_double(field) > 0.0 ? dv_data_double(field) : INFINITY;
    return of_device > 0.0 && force_scale > 0.0 ? of_device / force_scale : INFINITY;
}

GuardSetting haptic_client_guard(HapticClient *client, DvData *max_torque, double tick)
{
    const DvHapticFacts *facts = haptics_facts(client->port);
    DvHapticPlacement at;
    haptics_placement(client->port, &at);
    const double inertia = facts->inertia > 0.0 ? facts->inertia : 0.05;
    const double angular = facts->angular_inertia > 0.0 ? facts->angular_inertia : 1e-4;
    const double unit = at.scale * at.unit * at.force_scale; /* of the scene for N/m of the device */
    return (GuardSetting){.passivity = (Passivity)dv_data_choice(&client->passivity),
                          .limit = {limit_of(&client->max_force, facts->peak_force, at.force_scale),
                                    limit_of(max_torque, facts->peak_torque, at.force_scale)},
                          .ramp = dv_data_double(&client->ramp),
                          .fade = dv_data_double(&client->fade),
                          .most_damping = {unit > 0.0 ? 0.5 * inertia / tick / unit : 0.0,
                                           at.force_scale > 0.0 ? 0.5 * angular / tick / at.force_scale : 0.0},
                          .resolution = facts->resolution * at.scale * at.unit,
                          .counted = {facts->driven >= 3, facts->driven >= 6}};
}

void haptic_client_show(HapticClient *client, DvRigid3Deriv wrench)
{
    double numbers[3];
    dv_vec3_store(wrench.linear, numbers);
    dv_data_set(&client->force, numbers, 1);
    dv_vec3_store(wrench.angular, numbers);
    dv_data_set(&client->torque, numbers, 1);
}
