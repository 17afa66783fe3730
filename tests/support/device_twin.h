/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The space as a parameter of the conformance suites: where a scene keeps the states of a component in the space of a device, its twin
 * there does what the suite asks of the component. Vectors of the test are sent and fetched for each call. The component does the same on
 * the host, so that what it alone has (matrices, energies, J) is that of the same positions.
 */
#ifndef DIVAN_TESTS_DEVICE_TWIN_H
#define DIVAN_TESTS_DEVICE_TWIN_H

#include <divan/contracts/operator.h>

enum { DEVICE_TWIN_VECTORS = 32 };

typedef struct DeviceTwin {
    DvTwin *twin; /* NULL: the states are on the host */
    DvVectorSpace *space;
    DvPrecision precision;
    void *self;
    const DvOperatorOps *ops;
    uint64_t version;
    uint32_t sent; /* vectors that are there, in the order of the calls */
    DvAddress at[DEVICE_TWIN_VECTORS];
} DeviceTwin;

/* The twin of what acts on states, or maps them to another one (`to`). All are in one space, or none is in any. The test fails, with the
 * reason, where states of a space have no twin. */
DeviceTwin device_twin_of(DvObject *object, const DvStateRef *states, uint32_t count, const DvStateRef *to);
/* Before its scene is freed. */
void device_twin_free(DeviceTwin *t);
/* The twin as its component is now. */
DvTwin *device_twin_now(DeviceTwin *t);

/* Vectors of the host, as they are, in the space: addresses in `there`. */
void device_twin_send(DeviceTwin *t, const DvConstVec *from, uint32_t count, DvConstVec *there);
void device_twin_send_sum(DeviceTwin *t, const DvVec *from, uint32_t count, DvVec *there);
/* What has become of vectors there replaces those of the host. `name`: these must have been the same, to 1e-12 of the largest number. */
void device_twin_take(DeviceTwin *t, const char *name, const DvVec *there, uint32_t count, const DvVec *here);
/* Gives back the room of all that was sent. */
void device_twin_release(DeviceTwin *t);

#endif
