/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A state whose vectors live in other memory, as on a GPU, made to catch whoever bypasses the contract.
 *
 * Each vector has a host and a device copy, and knows which are up to date. Asking for it in a space where it is not moves it and counts
 * the transfer; a copy that has become stale is filled with NaN at once, so a component that kept a pointer, or that writes without
 * saying so, cannot give the right result. Arithmetic runs on the device copies.
 */
#ifndef DIVAN_TESTS_FAKE_DEVICE_H
#define DIVAN_TESTS_FAKE_DEVICE_H

#include <divan/contracts/state.h>

#define TEST_FAKE_DEVICE "test.fake-device/1"
typedef struct FakeDeviceOps {
    uint32_t size;
    uint64_t (*transfers)(const void *self); /* vectors moved so far, either way */
} FakeDeviceOps;

#endif
