/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Marks of what a user has selected.
 */
#ifndef DIVAN_VISUAL_MARKS_H
#define DIVAN_VISUAL_MARKS_H

#include <divan/contracts/visual.h>

/* `size` of the scene, m; nothing hides the marks. */
void marks_draw(DvDraw *draw, DvObject *object, const DvViewerLook *look, double size);

#endif
