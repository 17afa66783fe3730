/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A scene as files of other programs while it runs: what `divan run --export` does. A service of plugins/io.
 *
 * A frame is copied when the host asks for it; a thread of the export's own turns it into bytes and writes it, so that a step waits neither for
 * a compressor nor for a disk, but for the frame before the last if that is not written yet. Files are replaced by whole ones
 * (divan/output.h): a run that is killed leaves those of the frames before.
 */
#ifndef DIVAN_CONTRACTS_SCENE_EXPORT_H
#define DIVAN_CONTRACTS_SCENE_EXPORT_H

#include <divan/node.h>

DV_BEGIN_DECLS

#define DV_SCENE_EXPORT "divan.scene-export/1"

typedef struct DvSceneExport DvSceneExport;

typedef struct DvSceneExportOptions {
    const char *file; /* its ending says the format */
    const char
        *fields;     /* names with commas between; NULL: displacement, velocity and force of formats that hold fields */
    bool numbered;   /* formats of one mesh: a file for each frame, with the step in its name; otherwise one file */
    bool compressed; /* by zlib, in formats that can */
    /* How the host writes: a whole file in the place of an old one, and a folder that may be there already. False with the
     * reason.     write: [any], in another thread; make_folder: [main] */
    bool (*write)(void *context, const char *path, const void *bytes, size_t size, DvText *why);
    bool (*make_folder)(void *context, const char *path, DvText *why);
    void *context;
} DvSceneExportOptions;

typedef struct DvSceneExportOps {
    uint32_t size;
    /* What can be known without a scene: false with the reason. *series: the format holds many frames.     [main] */
    bool (*check)(const DvSceneExportOptions *options, bool *series, DvText *why);
    /* For an initialised scene, which outlives it; NULL with the reason: a field that no state has, a file that cannot be
     * written or that the scene is made from. Copies the options.     [main] */
    DvSceneExport *(*open)(DvScene *scene, const DvSceneExportOptions *options, DvText *why);
    /* The scene as it is. False: this or an earlier frame could not be written, and the rest need not come.     [main] */
    bool (*frame)(DvSceneExport *self, uint64_t step, double time);
    /* Waits until all is written, and frees it. False with the reason, which begins with the name of the file: not all of it
     * is.     [main] NULL is allowed */
    bool (*close)(DvSceneExport *self, DvText *why);
} DvSceneExportOps;

DV_END_DECLS
#endif
