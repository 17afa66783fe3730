/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The service divan.picture-recorder/1.
 */
#ifndef DIVAN_VISUAL_RECORDER_H
#define DIVAN_VISUAL_RECORDER_H

#include <divan/contracts/picture.h>

extern const DvPictureRecorderOps picture_recorder_ops;

#endif
