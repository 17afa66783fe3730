/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scenes: loading, running, saving. A scene owns a graph.
 *
 *   DvScene *scene;
 *   if (dv_scene_load("liver.scn", NULL, &scene) == DV_OK) {
 *       while (steps-- && dv_scene_step(scene, 0) == DV_OK) {}
 *       dv_scene_free(scene);
 *   }
 */
#ifndef DIVAN_SCENE_H
#define DIVAN_SCENE_H

#include <divan/log.h>
#include <divan/node.h>

DV_BEGIN_DECLS

typedef struct DvLoadOptions {
    bool keep_going; /* load the rest when a component cannot be made */
    /* report every problem at once: unused attributes, dead links and unknown names count as problems */
    bool check_only;
    bool no_init; /* construct only */
} DvLoadOptions;

/* Reads, constructs and initialises a scene file. Every problem is reported; `scene` is NULL unless the result is
 * DV_OK, or keep_going or check_only was asked for and a graph could be built. `options` may be NULL.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_scene_load(const char *file, const DvLoadOptions *options, DvScene **scene);
/* The same from text; `name` stands for the file in messages, relative paths start at `folder` (NULL: the current
 * one). */
DV_NODISCARD DV_PUBLIC DvStatus dv_scene_load_text(const char *text, size_t length, const char *name,
                                                   const char *folder, const DvLoadOptions *options, DvScene **scene);
/* An empty scene to be filled through the API, then dv_scene_init.     [main] */
DV_PUBLIC DvScene *dv_scene_new(void);
DV_NODISCARD DV_PUBLIC DvStatus dv_scene_init(DvScene *scene);
DV_PUBLIC void dv_scene_free(DvScene *scene); /* [main] NULL is allowed */
/* The same, with what has become of the run: DV_ERROR_IO when a component could not write a file that the scene asks for, at any time
 * and while it was taken down (some write at the end); that has been said.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_scene_end(DvScene *scene);

DV_PUBLIC DvNode *dv_scene_root(const DvScene *scene);    /* [any] */
DV_PUBLIC uint64_t dv_scene_steps(const DvScene *scene);  /* [any] steps made since init */
DV_PUBLIC bool dv_scene_is_running(const DvScene *scene); /* [any] initialised */

/* One time step of the root's animation loop; dt 0: the root's. Stops at a state that is no longer finite:
 * DV_ERROR_NOT_FINITE, reported with component, point, step, likely cause and remedy; see dv_scene_fault.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_scene_step(DvScene *scene, double dt);
/* Whether it is only looked at for what is wrong with it: its components write nothing.     [any] */
DV_PUBLIC bool dv_scene_is_checked(const DvScene *scene);
/* What is said of the scene from now on is told to `hear` too, after the handler of the host (divan/log.h), one message at a time; until
 * dv_scene_unlisten with the same `context`. What is said from `hear` is not told. For components that keep what is said.     [main] */
DV_PUBLIC void dv_scene_listen(DvScene *scene, DvLogHandler hear, void *context);
DV_PUBLIC void dv_scene_unlisten(DvScene *scene, const void *context);
DV_PUBLIC void dv_scene_reset(DvScene *scene); /* [main] back to the stored initial state */
DV_PUBLIC void dv_scene_update_visual(
    DvScene *scene); /* [main] brings visual models up to date: call before somebody looks */

/* What a plugin keeps for a scene: a block of `size` bytes, zero after the first call, the same for the same `key` (the address of
 * something constant in the plugin). It is freed as it is when the last node of the scene has gone.     [step] */
DV_PUBLIC void *dv_scene_local(DvScene *scene, const void *key, size_t size);

/* One folder more in which the files are looked for that fields of the scene name: after all others.     [main] copies */
DV_PUBLIC void dv_scene_add_data_folder(DvScene *scene, const char *folder);

/* Writes the scene with its present state; loading it continues with identical states, bit for bit. The old file is replaced as
 * divan/output.h says: by a whole one or not at all. It may be the file of the scene itself, no other that the scene was made
 * from.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_scene_save(DvScene *scene, const char *file);

/* A step is checked, and a run explained, by whoever offers this service (plugins/mechanics). */
#define DV_STEP_CHECK "divan.step-check/1"
typedef struct DvStepCheckOps {
    uint32_t size;
    /* After a step (or init, step 0): DV_OK, or DV_ERROR_NOT_FINITE after reporting where, why and what to do.
     * [step] */
    DvStatus (*check)(DvNode *root, uint64_t step);
    /* Puts the last good state back, so that it can be saved; false when there is none.     [main] */
    bool (*restore_last_good)(DvNode *root);
    /* Adds problems that can be known before the first step (states without solver or mass...) as warnings; counts
     * them. */
    size_t (*lint)(DvNode *root);
    void (*forget)(DvNode *root); /* the scene goes */
} DvStepCheckOps;

/* Time spent in named phases of the steps that the calling thread makes, summed; for `divan bench`. Off until switched on, then about
 * 50 ns a pair. */
DV_PUBLIC void dv_phase_enable(bool on); /* [main] also clears */
DV_PUBLIC void dv_phase_begin(
    const char *name); /* [step] static text; nests, inner time counts for the inner phase only */
DV_PUBLIC void dv_phase_end(void);
DV_PUBLIC size_t dv_phase_count(void);
DV_PUBLIC const char *dv_phase_at(size_t index, double *seconds, uint64_t *calls); /* [main] NULL beyond the end */

DV_END_DECLS
#endif
