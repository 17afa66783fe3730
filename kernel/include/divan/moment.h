/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Moments: the whole state of a scene in memory, to go back to; and checkpoints, the same in a file.
 *
 *   DvMoment *moment = dv_moment_new(scene);
 *   if (dv_moment_take(moment) == DV_OK) {
 *       ... steps ...
 *       (void)dv_moment_restore(moment);    the same steps give the same bits again
 *   }
 *   dv_moment_free(moment);
 *
 * What is remembered is what dv_scene_save writes: fields that are state by declaration (DV_FIELD_STATE) and those that have changed.
 * What hangs on them is made anew by `reset` and `restore` of the classes. So a class that remembers something declares a field for it.
 */
#ifndef DIVAN_MOMENT_H
#define DIVAN_MOMENT_H

#include <divan/scene.h>

DV_BEGIN_DECLS

typedef struct DvMoment DvMoment;

/* Of a scene that runs; holds nothing yet. It keeps the scene's objects in memory.     [main] */
DV_PUBLIC DvMoment *dv_moment_new(DvScene *scene);
DV_PUBLIC void dv_moment_free(DvMoment *moment); /* [main] also after the scene has gone; NULL is allowed */

/* The scene as it is now takes the place of what the moment held. What has not been written since is not copied again, and nothing is
 * allocated when all has the size it had. DV_ERROR_INVALID: the scene does not run.     [main], between steps */
DV_NODISCARD DV_PUBLIC DvStatus dv_moment_take(DvMoment *moment);

/* Puts it back, as often as is wanted: fields, the number of steps, links; objects that have come since are removed, those that have left are made
 * again, as other objects with the same paths, and what was detached is attached. DV_ERROR_INVALID, reported: nothing has been taken, and
 * nothing has changed. An error of a component that cannot go on from it is reported too.     [main], between steps */
DV_NODISCARD DV_PUBLIC DvStatus dv_moment_restore(DvMoment *moment);

DV_PUBLIC size_t dv_moment_bytes(const DvMoment *moment); /* [main] of memory that its values take */

/* Writes the state of a scene, without the scene itself: read into the same scene, on any number of threads, the run continues bit for
 * bit. The old file stays until the new one is whole and on the disk, and what processes that were killed left beside it goes. An
 * error is reported.     [main], between steps */
DV_NODISCARD DV_PUBLIC DvStatus dv_checkpoint_write(DvScene *scene, const char *file);
/* Whether a file is a whole checkpoint of a version that can be read, and the plugins are in use that its classes come from;
 * what is wrong is reported. To be called before its scene is loaded, as that may fail for the same reason.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_checkpoint_check(const char *file);
/* Puts the state in a file into a scene that has just been loaded. Errors are reported: what dv_checkpoint_check finds, and that it is
 * of another scene. A warning says of what components the scene has changed since.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_checkpoint_read(DvScene *scene, const char *file);

DV_END_DECLS
#endif
