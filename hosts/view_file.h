/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Views that are kept in files: XML, `<scene>.view`, with position, orientation, fieldOfView, distance, zNear, zFar and
 * projectionType as attributes `value` of elements in a Camera.
 */
#ifndef DIVAN_VIEW_FILE_H
#define DIVAN_VIEW_FILE_H

#include <divan/contracts/camera.h>

/* Errors are added to `why`; a file that is none leaves the camera as it is. */
bool view_file_read(DvCamera *camera, const char *file, DvText *why);
bool view_file_write(const DvCamera *camera, const char *file, DvText *why);

#endif
