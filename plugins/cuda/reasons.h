/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Why a card cannot be used, and what helps, in one sentence.
 */
#ifndef DIVAN_CUDA_REASONS_H
#define DIVAN_CUDA_REASONS_H

#include <divan/base.h>

typedef enum CardTrouble {
    CARD_NOT_BUILT, /* the plugin has no kernels of a card */
    CARD_NO_DRIVER,
    CARD_OLD_DRIVER,
    CARD_NONE,      /* the driver finds none */
    CARD_NO_NUMBER, /* there are some, but not this one */
    CARD_TOO_OLD,
    CARD_NO_MEMORY,
    CARD_LOST,
    CARD_OTHER
} CardTrouble;

/* What is known; versions of CUDA as 1000 major + 10 minor. */
typedef struct CardFacts {
    CardTrouble trouble;
    int driver; /* its number, 535; 0: not known */
    int serves, needs;
    int number, count;     /* of cards; number -1: what was asked for is none */
    int capability;        /* of the card, 10 major + minor */
    const char *built_for; /* the architectures, "90, PTX of 75" */
    const char *said;      /* by the runtime */
} CardFacts;

void card_explain(const CardFacts *facts, DvText *out);

#endif
