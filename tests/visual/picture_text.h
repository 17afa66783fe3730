/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A picture as text: all that it has, number by number.
 */
#ifndef DIVAN_TESTS_PICTURE_TEXT_H
#define DIVAN_TESTS_PICTURE_TEXT_H

#include <divan/contracts/picture.h>

void picture_print(const DvPicture *picture, DvText *text);

#endif
