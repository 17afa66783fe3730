/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * For hosts in other languages: what C offers inline, variadic or as a struct, once more as plain exported functions. Arguments are
 * pointers, sizes, 64-bit floats and texts; numbers are copied in and out. docs/embedding.md has a host in Python.
 *
 * With these, a host needs only: dv_start, dv_stop; dv_scene_load, dv_scene_new, dv_scene_init, dv_scene_step, dv_scene_reset,
 * dv_scene_save, dv_scene_free, dv_scene_steps, dv_scene_root; dv_node_time, dv_node_dt, dv_node_set_dt; dv_object_new_with,
 * dv_object_remove; dv_data_set_text; dv_last_error.
 *
 * Threads: all [main]. A scene belongs to one thread at a time: a call while another thread is inside one for the same scene fails
 * with DV_ERROR_BUSY.
 */
#ifndef DIVAN_EMBED_H
#define DIVAN_EMBED_H

#include <divan/contracts/state.h>
#include <divan/scene.h>

DV_BEGIN_DECLS

/* By path from the root: "/Liver/dofs", "/" for the root node; of a field "/Liver/dofs.position". NULL after an error that was reported.
 */
DV_PUBLIC DvObject *dv_scene_object(DvScene *scene, const char *path);
DV_PUBLIC DvData *dv_scene_field(DvScene *scene, const char *path);

/* The value as text that reads back the same, copied to `text` with a zero byte at its end if it fits `capacity` bytes (else as much as does).
 * Returns the length of the whole without the zero byte. The reverse is dv_data_set_text. */
DV_PUBLIC size_t dv_data_get_text(DvData *field, char *text, size_t capacity);
/* Elements and numbers per element: 12 and 3 for a list of 12 points, 1 and 1 for a number. No numbers: texts and links. */
DV_PUBLIC void dv_data_shape(DvData *field, size_t *elements, size_t *components);
/* Copies elements x components numbers, element after element, true as 1; `count` is how many there is room for or are given.
 * DV_ERROR_INVALID, reported, when that is another number than it takes, or the value is none the field can hold
 * (1.5 for an integer, NaN, a number outside its range unless that is advice); a list takes any number of whole elements. */
DV_NODISCARD DV_PUBLIC DvStatus dv_data_get_numbers(DvData *field, double *numbers, size_t count);
DV_NODISCARD DV_PUBLIC DvStatus dv_data_set_numbers(DvData *field, const double *numbers, size_t count);
/* The value up to date, as it lies in memory: `elements` times type->element_size bytes; dv_data_read for those who cannot inline. */
DV_PUBLIC const void *dv_data_value(DvData *field, size_t *elements);

/* Edits a field of a loaded scene by text, or one of its numbers, and has the component take notice (dv_object_reinit). All or nothing: after
 * an error, and where a component takes another value instead with a warning, the field is what it was, and `reason` (or NULL) gets what
 * was said of it; messages go to the handler as always. A number outside a range that is advice is taken, with a warning. Refused: fields
 * that are computed, or on which others were built at load. */
DV_NODISCARD DV_PUBLIC DvStatus dv_data_edit(DvData *field, const char *text, DvText *reason);
DV_NODISCARD DV_PUBLIC DvStatus dv_data_edit_number(DvData *field, size_t index, double value, DvText *reason);

/* Vectors of a state (an object of contract divan.state/1), points x numbers per point: 3 for Vec3d; 7 (position, quaternion x y z w)
 * and 6 for coordinates and derivatives of Rigid3d. `vector` is a DvVecId: DV_POSITION 1, DV_VELOCITY 8, DV_FORCE 11...
 * Errors: an object that is no state, a vector that it does not have, a wrong `count`, a number that is not finite.
 * After positions or velocities were set in a running scene, constraints hold again and mapped states follow. */
DV_NODISCARD DV_PUBLIC DvStatus dv_state_shape(DvObject *state, DvVecId vector, size_t *points, size_t *components);
DV_NODISCARD DV_PUBLIC DvStatus dv_state_get(DvObject *state, DvVecId vector, double *numbers, size_t count);
DV_NODISCARD DV_PUBLIC DvStatus dv_state_set(DvObject *state, DvVecId vector, const double *numbers, size_t count);

/* Where the components of scenes that are made from now on may write files: below this folder, "/" for anywhere; NULL: below the working
 * directory, as without a call. What the host itself writes (dv_scene_save) is not limited. DV_ERROR_IO, reported: there is no such
 * folder.     [any] */
DV_NODISCARD DV_PUBLIC DvStatus dv_set_output_folder(const char *folder);

/* Messages of which the text is ready: about an object, or one of its fields (index < 0: as a whole), or nothing in particular (both
 * NULL); about a place in a file. Info of an object whose printLog is false is dropped. Return `status`.     [any] */
DV_PUBLIC DvStatus dv_say(DvLevel level, DvStatus status, const DvObject *object, const DvData *field, int64_t index,
                          const char *text);
DV_PUBLIC DvStatus dv_say_at(DvLevel level, DvStatus status, const char *file, int line, int column, const char *text);
DV_PUBLIC void dv_text_append(DvText *text, const char *more); /* [any] */

DV_END_DECLS
#endif
