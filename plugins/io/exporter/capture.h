/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pieces that frames are captured by.
 */
#ifndef DIVAN_IO_CAPTURE_H
#define DIVAN_IO_CAPTURE_H

#include "frame.h"

enum { ELEMENT_STRESS, ELEMENT_STRAIN, ELEMENT_ENERGY, ELEMENT_FIELDS };

/* Whether a force field knows stresses of elements of the mesh of a state. */
bool capture_has_stress(DvObject *object, const DvStateRef *state, const DvObject *mesh);
/* Adds what is wanted of them; alone: no other force field of this mesh does, else arrays bear the name of the object. */
void capture_take_elements(DvObject *object, const DvStateRef *state, const DvObject *mesh, bool alone,
                           const bool wanted[ELEMENT_FIELDS], FramePart *part);
/* A part of points, on the second model of each contact, with the force on it. */
void capture_take_contacts(DvObject *pipeline, const char *name, const char *file, uint32_t *meshes, Frame *frame);

#endif
