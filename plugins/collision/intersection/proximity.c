/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What methods of proximity share: their two distances.
 */
#include <divan/divan.h>

#include "intersection.h"

DvStatus proximity_init(DvObject *object, Proximity *self)
{
    (void)object;
    const double alarm = dv_data_double(&self->alarm), contact = dv_data_double(&self->contact);
    if (alarm < contact)
        dv_field_warning(&self->alarm, -1,
                         "%g is less than the contactDistance of %g: contacts begin with a jump; make it larger", alarm,
                         contact);
    return DV_OK;
}

double proximity_alarm_distance(void *self)
{
    return dv_data_double(&((Proximity *)self)->alarm);
}

double proximity_contact_distance(void *self)
{
    return dv_data_double(&((Proximity *)self)->contact);
}

double proximity_box_tolerance(void *self, double distance_a, double distance_b)
{
    return proximity_alarm_distance(self) + distance_a + distance_b;
}
