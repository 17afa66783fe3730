/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * In the place of card.c where there is no nvcc.
 */
#include "device.h"
#include "reasons.h"

Device *cuda_open(int number, size_t most, DvText *why)
{
    (void)number, (void)most;
    card_explain(&(CardFacts){.trouble = CARD_NOT_BUILT}, why);
    return NULL;
}
