/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "device_front.h"

#include <divan/input.h>

#include <string.h>

void device_front_placement(void *front_, DvHapticPlacement *placement)
{
    DeviceFront *front = front_;
    memcpy(placement->base, dv_data_read(&front->position_base), sizeof placement->base);
    dv_quat_store(dv_quat_normalize(dv_quat_load(dv_data_doubles(&front->orientation_base, NULL))),
                  placement->orientation_base);
    dv_quat_store(dv_quat_normalize(dv_quat_load(dv_data_doubles(&front->orientation_tool, NULL))),
                  placement->orientation_tool);
    placement->scale = dv_data_double(&front->scale);
    placement->unit = front->unit;
    placement->force_scale = dv_data_double(&front->force_scale);
    placement->clutch = front->clutch.field ? dv_data_int(&front->clutch) : -1;
}

void device_front_show(DeviceFront *front, DvRigid3 pose, uint32_t buttons)
{
    double coordinates[7];
    dv_rigid3_store(pose, coordinates);
    dv_data_set(&front->position, coordinates, 1);
    if (dv_data_uint(&front->buttons) == buttons)
        return;
    dv_data_set_uint(&front->buttons, buttons);
    for (uint32_t b = 0; b < 2; b++)
        dv_data_set_bool(&front->button[b], (buttons >> b & 1u) != 0);
}

void device_front_tell(DeviceFront *front)
{
    const HapticSample *sample = haptics_sample(front->port);
    if (!sample->valid)
        return;
    device_front_show(front, sample->pose, sample->buttons);
    DvHapticEvent about = {
        .device = dv_object_of(front), .buttons = sample->buttons, .changed = sample->buttons ^ front->told};
    dv_vec3_store(sample->pose.center, about.position);
    dv_quat_store(sample->pose.orientation, about.orientation);
    front->told = sample->buttons;
    DvEvent event = {.kind = DV_EVENT_HAPTIC_DEVICE, .data = &about};
    dv_event_send(dv_node_root(dv_object_node(dv_object_of(front))), &event);
}
