/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A libspnav whose events are what a test says.
 */
#ifndef DIVAN_TEST_FAKE_SPNAV_H
#define DIVAN_TEST_FAKE_SPNAV_H

typedef struct FakeSpnav {
    int daemon, open;      /* it runs; somebody is connected */
    int events[64][7];     /* 1 x y z rx ry rz, or 2 pressed number */
    unsigned count, taken; /* events to come from `taken` on */
    int endless;           /* the same again and again */
    int line[2];           /* sockets: the library's, the daemon's */
} FakeSpnav;

FakeSpnav *fake_spnav(void);
int spnav_open(void);
int spnav_close(void);
int spnav_poll_event(void *event);
int spnav_fd(void);

#endif
