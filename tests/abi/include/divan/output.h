/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files that are written: dumps, tables, saved scenes, what components keep from run to run.
 *
 * Nothing that was there is lost. A regular file is written beside its name, as NAME.<process>.part, and takes the place of the old one
 * when it is whole: who reads meanwhile, or after a run that failed, has the old one. Links are followed; the mode stays, and the owner
 * where the system lets it. A FIFO, a character device, and what is open already (`-` and /dev/stdout, /dev/stderr, /dev/fd/N) are
 * written through.
 *
 * Other names of the old file (hard links) keep it.
 *
 * What the user names, on the command line or in a window, may lie anywhere. What a scene names, in a field of a component, lies below one
 * folder, with all links and ".." resolved, and whatever is exchanged meanwhile: the working directory, unless the host has given
 * another (dv_set_output_folder in divan/embed.h; --write-anywhere of `divan`). Components write by dv_scene_output_* alone.
 *
 * Refused is a file whose mode has no permission to write (also for root), folders, block devices and sockets, what this process is
 * writing already, standard output and error included, plugins, and what the scene reads.
 */
#ifndef DIVAN_OUTPUT_H
#define DIVAN_OUTPUT_H

#include <stdio.h>

#include <divan/base.h>

DV_BEGIN_DECLS

/* Begins to write `path`, seen from the current folder, of a run of `scene` (NULL: its files are no matter). NULL: the reason is added to
 * `why`, without the path. To be ended by dv_output_close, never by fclose. A FIFO waits for its reader.     [step] */
DV_NODISCARD DV_PUBLIC FILE *dv_output_open(const char *path, DvScene *scene, DvText *why);

typedef enum DvOutputEnd {
    DV_OUTPUT_WHOLE, /* takes the place of the old file */
    DV_OUTPUT_PART, /* the old file stays; what was written stays beside it, and `text` says where, unless it is nothing */
    DV_OUTPUT_NONE /* the old file stays, the new one goes */
} DvOutputEnd;

/* Ends what dv_output_open began. DV_ERROR_IO: not everything could be written; `text` says why, and what there is stays beside the old
 * file, as with DV_OUTPUT_PART.     [any] */
DV_NODISCARD DV_PUBLIC DvStatus dv_output_close(FILE *file, DvOutputEnd end, DvText *text);

/* A whole file at once; on an error nothing has changed, and `why` has the reason.     [step] */
DV_NODISCARD DV_PUBLIC DvStatus dv_output_write(const char *path, DvScene *scene, const void *bytes, size_t size,
                                                DvText *why);

/* The same for a component: `path` comes from the scene, and must lie below the folder where it may write.     [step] */
DV_NODISCARD DV_PUBLIC FILE *dv_scene_output_open(DvScene *scene, const char *path, DvText *why);
DV_NODISCARD DV_PUBLIC DvStatus dv_scene_output_write(DvScene *scene, const char *path, const void *bytes, size_t size,
                                                      DvText *why);
/* For what a component keeps from run to run: it may be a file that the scene has read.     [step] */
DV_NODISCARD DV_PUBLIC DvStatus dv_scene_output_update(DvScene *scene, const char *path, const void *bytes, size_t size,
                                                       DvText *why);
/* Makes the folders that `path` goes through, as far as they are not there; each below the folder where the scene may write.     [step] */
DV_NODISCARD DV_PUBLIC DvStatus dv_scene_output_folders(DvScene *scene, const char *path, DvText *why);
/* A component could not write the file that `field` names, `why`: a warning, and dv_scene_end fails. The run goes on.     [step] */
DV_PUBLIC void dv_scene_output_lost(DvData *field, const char *path, const DvText *why);

/* Before a signal ends the process: what is being written goes, the old files stay. It does nothing but take names away, and nothing may
 * be written afterwards.     [any, and in handlers of signals] */
DV_PUBLIC void dv_output_abandon(void);

/* Whether the scene was made from this file, by whatever name: the scene file, what it includes, and what fields of type dv_type_file
 * and lists of names of files name.     [step] */
DV_PUBLIC bool dv_scene_reads(DvScene *scene, const char *path);
/* Calls `visit` with the path of each of these files, some more than once; it must not change the scene.     [step] */
DV_PUBLIC void dv_scene_files(DvScene *scene, void (*visit)(void *context, const char *path), void *context);

DV_END_DECLS
#endif
