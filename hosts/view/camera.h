/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How the mouse moves the camera. Plain functions on a DvCamera.
 *
 *   left     turns about what is below the mouse, or the pivot, as a ball under the hand (Holroyd's trackball: a sphere that passes into a
 *            hyperbola; Bell 1988)
 *   middle   moves along the line of sight
 *   wheel    moves towards what is below the mouse, which stays below it
 *   right    moves across it
 */
#ifndef DIVAN_VIEW_CAMERA_H
#define DIVAN_VIEW_CAMERA_H

#include <divan/contracts/camera.h>

/* Mouse positions are pixels from the upper left corner of a picture of width x height. */
typedef struct CameraDrag {
    DvCamera begin; /* as it was when the button was pressed */
    double x, y;    /* where */
    bool has_point; /* that it turns about; else the pivot */
    double point[3];
} CameraDrag;

void camera_rotate(DvCamera *camera, const CameraDrag *drag, double x, double y, double width, double height);
void camera_pan(DvCamera *camera, double dx, double dy, double height); /* what is under the mouse stays under it */
void camera_zoom(DvCamera *camera, double factor);                      /* distance to the pivot times factor */
/* Likewise, and to the point as well, which stays at its pixel. */
void camera_zoom_about(DvCamera *camera, double factor, const double point[3]);
/* Below a pixel, as far away as the pivot. */
void camera_point_below(const DvCamera *camera, double width, double height, double x, double y, double point[3]);
/* The box fills the picture, seen from where it looks now. */
void camera_fit(DvCamera *camera, const double box[6], double width, double height);
/* Along an axis of the world, 0 to 5: +x -x +y -y +z -z, at the present distance. */
void camera_face(DvCamera *camera, int axis);
/* To pixels; false: behind the camera. */
bool camera_project(const DvCamera *camera, double width, double height, const double at[3], double pixel[2]);

#endif
