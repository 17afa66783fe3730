/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files of the core share and nobody else sees.
 *
 *   thread.c memory.c text.c list.c log.c parallel.c   what all stand on: ground.h
 *   report.c                       what is said of objects and fields
 *   type.c                         types and their conversion
 *   data.c dependency.c link.c     values; who depends on whom; links to objects
 *   object.c                       objects: fields, lifecycle calls, references
 *   registry.c plugin.c            classes, old names; opening, ordering, starting plugins
 *   needs.c                        who cannot do without whom
 *   node.c visitor.c               the graph, walks
 *   schedule.c parts.c             compiled walks, and how they follow edits
 *   event.c                        events
 *   call.c scene.c                 whose a scene is; init, step, reset
 */
#ifndef DIVAN_INTERNAL_H
#define DIVAN_INTERNAL_H

#include "core.h"

/* object.c */
extern const DvClass dv_node_class;                   /* node.c */
DvStatus dv_private_object_init(DvObject *object);    /* required fields, then the class's init */
void dv_private_object_forget_path(DvObject *object); /* also of everything below a node */
char *dv_private_object_path(const DvObject *object); /* new string, for dv_free */

/* needs.c */
void dv_private_users_lose(DvObject *object);   /* it is about to leave the graph: while its path is still known */
void dv_private_needs_forget(DvObject *object); /* it needs nothing any more, and has lost nothing */

/* data.c */
void dv_private_data_construct(DvData *data, const DvField *field, const DvType *type, DvObject *owner);
void dv_private_data_destroy(DvData *data); /* unlinks both ways, frees */
void dv_private_data_unlink(DvData *data);  /* nothing follows it any more, nor it anything; values stay */
void dv_private_data_set_interned(DvData *data, const char *text); /* one shared value per text: allocates once */
void dv_private_defaults_clear(void);

/* link.c */
void dv_private_link_destroy(DvLink *link);
void dv_private_links_forget(DvObject *target); /* links that point to it become unresolved: it leaves the graph */

/* type.c */
void dv_private_elements_blank(const DvType *type, void *elements, size_t first, size_t count);
bool dv_private_type_same(const DvType *a, const DvType *b); /* same layout */
bool dv_private_type_converts(const DvType *from, const DvType *to);
const DvType *dv_private_type_for(const DvType *declared, const char *variant); /* fills the places */
/* to (empty) = from converted, of types that dv_private_type_converts lets pass. */
DvStatus dv_private_type_convert(const Words *words, const DvType *from, const void *value, size_t count,
                                 const DvType *to, const void *old, size_t old_count, void **out, size_t *out_count);

/* registry.c, plugin.c */
bool dv_private_class_is_a(const DvClass *cls, const char *name);           /* it, or a base of it, has this name */
DvStatus dv_private_registry_check(const DvPlugin *plugin, DvText *reason); /* ties with plugins that are in */
void dv_private_registry_add(const DvPlugin *plugin);                       /* after a good check */
void dv_private_registry_clear(void);

/* report.c */
/* A field of the object could not be brought up to date, as has been reported: what was being done with it fails, though
 * whoever read it went on with the old value. */
void dv_private_unreadable(const DvObject *object, DvStatus status);

/* node.c */
void dv_private_node_changed(DvNode *node); /* raises the revisions */
/* A field of a node, or the tags of an object, were written: what the graph's schedules depend on may have changed. */
void dv_private_graph_data_changed(DvObject *object, const DvData *data);

/* visitor.c */
bool dv_private_enterable(const DvNode *node, bool enters_sleeping); /* takes part in walks */
typedef struct Walk { /* a subgraph in graph order, taken before anything is called */
    struct WalkEntry {
        DvNode *node;
        uint32_t first_parent, parents; /* in parent_index: entries above it */
        bool skipped;                   /* by pruning, so far */
    } * entries;
    uint32_t count;
    uint32_t *parent_index;
} Walk;
Walk dv_private_walk(DvNode *root, bool enters_sleeping);
void dv_private_walk_free(Walk *walk);
bool dv_private_walk_skips(const Walk *walk, uint32_t index); /* all its parents were pruned or skipped */

/* schedule.c */
void dv_private_schedules_drop(DvNode *node);               /* everything kept for and in this node */
void dv_private_schedules_node_changed(const DvNode *node); /* its objects, their tags, its activity */
void dv_private_schedules_child_joined(const DvNode *parent, DvNode *child);
void dv_private_schedules_child_left(const DvNode *parent, const DvNode *child);
/* Running schedules skip it from now on. */
void dv_private_schedule_object_gone(DvScene *scene, DvObject *object);

/* call.c */
/* Between enter and leave the kernel calls components: what is removed meanwhile is released when the outermost leaves. */
void dv_private_enter(DvScene *scene);
void dv_private_leave(DvScene *scene);
void dv_private_release_later(DvScene *scene, DvObject *object);
/* dv_core_may_change for what is called too often to be checked always: builds for debugging only. */
#ifdef DV_CHECK_THREADS
#define dv_private_check_thread(scene, function) ((void)dv_core_may_change(scene, function))
#else
#define dv_private_check_thread(scene, function) ((void)0)
#endif
/* Begins a call that makes no sense while the kernel calls components of the scene. */
DvStatus dv_private_begin_outermost(Call *call, DvScene *scene, const char *function);

/* scene.c */
DvScene *dv_private_scene_ref(DvScene *scene);
void dv_private_scene_unref(DvScene *scene);
DvStatus dv_private_init_now(DvObject *object); /* before its turn, with the context of the nodes above */
DvStatus dv_private_bwd_init_now(DvObject *object);
DvStatus dv_private_init_anew(DvObject *object); /* again: cleanup, init, bwd_init */

#endif
