/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scene formats: files in, graphs out, and back.
 *
 * A format is a service. dv_scene_load asks the one whose extension the file has; where no format has it, the first that
 * recognises the text. What a format makes and writes goes through <divan/build.h>.
 *
 * Threads: all [main].
 */
#ifndef DIVAN_CONTRACTS_SCENE_FORMAT_H
#define DIVAN_CONTRACTS_SCENE_FORMAT_H

#include <divan/build.h>

DV_BEGIN_DECLS

enum { DV_MAX_SCENE_BYTES = 256 << 20 }; /* of a file that is read or written, and of all files of a scene together */

#define DV_SCENE_FORMAT "divan.scene-format/1"
typedef struct DvSceneFormatOps {
    uint32_t size;
    const char *const *extensions; /* ".scn", ".xml"; compared without case; ended by NULL */
    /* Whether a text, of which nothing else is known, is of this format: from its first bytes. */
    bool (*recognise)(const char *text, size_t length);
    /* Makes the graph of the text: one root by dv_build_node, then what is below it. `name` stands for the file in messages,
     * relative paths start at `folder`. Problems are reported by dv_build_problem, which also counts them: an error fails the
     * load, after everything has been read. Texts are untrusted and end with a zero byte behind `length`. */
    void (*read)(DvScene *scene, const char *text, size_t length, const char *name, const char *folder);
    /* Optional. Adds the scene with its present state to `out`, as a file in `folder`; an error has been reported. */
    DvStatus (*write)(DvNode *root, const char *folder, DvText *out);
} DvSceneFormatOps;

DV_END_DECLS
#endif
