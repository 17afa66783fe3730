/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Nodes: the graph of a scene.
 *
 * Nodes form a directed acyclic graph: a node holds objects and child nodes, and may have several parents. It carries
 * the context of its objects: gravity, time, step size. A node is itself an object (class "Node"), so its fields can be
 * linked.
 *
 * The graph may be edited while it runs, between and inside steps. Each edit, and each initialisation of an object, raises
 * the revision of the node and of its ancestors; schedules compiled over them follow when next used, at a cost in proportion to what changed. What comes and goes
 * in a running scene is best kept: an object by dv_object_detach and dv_object_attach, a node with what is in it by
 * dv_node_set_active. Then an edit that repeats allocates nothing. A node is planned anew as a whole, so things that come and
 * go are best put in nodes with few objects.
 */
#ifndef DIVAN_NODE_H
#define DIVAN_NODE_H

#include <divan/object.h>

DV_BEGIN_DECLS

typedef enum DvSearch {
    DV_SEARCH_LOCAL,   /* the node itself */
    DV_SEARCH_UP,      /* the node, then its parents and theirs */
    DV_SEARCH_PARENTS, /* the same without the node */
    DV_SEARCH_DOWN,    /* the node, then its children, depth first */
    DV_SEARCH_ROOT     /* down from the root */
} DvSearch;

DV_PUBLIC const char *dv_node_name(const DvNode *node); /* [any] */
DV_PUBLIC const char *dv_node_path(const DvNode *node); /* [main] "/" for the root, "/Liver/Visu" */
DV_PUBLIC DvObject *dv_node_object(const DvNode *node); /* [any] the node as an object */
DV_PUBLIC DvNode *dv_object_as_node(DvObject *object);  /* [any] NULL when it is not a node */
DV_PUBLIC DvScene *dv_node_scene(const DvNode *node);   /* [any] */
DV_PUBLIC DvNode *dv_node_root(const DvNode *node);     /* [any] */

/* Contents, in order. Index beyond the end gives NULL.     [any] while nobody edits */
DV_PUBLIC DvNode *dv_node_child(const DvNode *node, size_t index);
DV_PUBLIC DvNode *dv_node_parent(const DvNode *node, size_t index);
DV_PUBLIC DvObject *dv_node_member(const DvNode *node, size_t index);
DV_PUBLIC uint64_t dv_node_revision(const DvNode *node); /* + 1 with each edit in it or below */
/* Where that number is, as long as the node lives: for who looks at it many times a step. */
DV_PUBLIC const uint64_t *dv_node_revision_at(const DvNode *node);

/* Look-ups by contract, in the order of the document; NULL when there is none.     [step] */
DV_PUBLIC DvObject *dv_node_find(const DvNode *node, const char *contract, DvSearch search);
/* The holder of the node's slot (the last added object that offers the contract), or NULL. */
DV_PUBLIC DvObject *dv_node_slot(const DvNode *node, const char *contract);
/* What a component takes as "its" state, topology...: the slot of the node, else the first in the ancestors. */
DV_PUBLIC DvObject *dv_node_context(const DvNode *node, const char *contract);
/* All, in the order of the document (up: ancestors from the root downwards last). At most `capacity` are stored, the
 * return value counts all. */
DV_PUBLIC size_t dv_node_find_all(const DvNode *node, const char *contract, DvSearch search, DvObject **objects,
                                  size_t capacity);
/* By path, as in scene files ("@../dofs", "@/Liver/dofs", "@[-1]"), seen from `node`, or from `from` when it is not
 * NULL. `contract` NULL: anything; else a path to a node means its object of that contract.     [main] */
DV_PUBLIC DvObject *dv_node_resolve(const DvNode *node, const DvObject *from, const char *path, const char *contract);

/* What a component works with: the object its link names; when the link is not set, what the class's variant source
 * for that link leads to, else (or with link NULL) what the context of its node holds. NULL when that is no object of
 * the contract. Nothing is required or held by it: see dv_state_require, dv_topology_require, dv_object_require.     [main] */
DV_PUBLIC DvObject *dv_object_find(const DvObject *object, const DvLink *link, const char *contract);
/* The same where there must be one: DV_ERROR_MISSING is reported with the place where it was looked for and
 * `need`, what to add: "a MechanicalObject". */
DV_NODISCARD DV_PUBLIC DvStatus dv_object_find_required(DvObject *object, const DvLink *link, const char *contract,
                                                        const char *need, DvObject **found);

/* Context.     [step] */
DV_PUBLIC const double *dv_node_gravity(const DvNode *node); /* [3] m/s^2 */
DV_PUBLIC double dv_node_time(const DvNode *node);           /* s */
DV_PUBLIC double dv_node_dt(const DvNode *node);             /* s */
DV_PUBLIC void dv_node_set_gravity(DvNode *node, const double *gravity);
DV_PUBLIC void dv_node_set_time(DvNode *node, double time);
DV_PUBLIC void dv_node_set_dt(DvNode *node, double dt);
/* Copies gravity, time, dt and animate of `node` to all nodes below (from the first parent each) and lets the context
 * objects on the way (contract "divan.context/1") act again. */
DV_PUBLIC void dv_node_propagate_context(DvNode *node);
DV_PUBLIC bool dv_node_is_active(const DvNode *node);
DV_PUBLIC bool dv_node_is_sleeping(const DvNode *node);
DV_PUBLIC void dv_node_set_active(DvNode *node, bool active); /* an edit */

/* Objects that change the context of their node, such as Gravity. */
#define DV_CONTEXT "divan.context/1"
typedef struct DvContextOps {
    uint32_t size;
    void (*apply)(void *self, DvNode *node);
} DvContextOps;

/* Edits. A new node added to a running scene starts empty; objects added to it are initialised as they come. Links to an object that
 * leaves read NULL from then on; who cannot do without it (dv_object_require) is invalid and not called any more, says so once, and is
 * initialised again when something is at the same place.
 * [step] */
DV_PUBLIC DvNode *dv_node_new(DvNode *parent, const char *name); /* NULL when DV_ERROR_BUSY was reported */
DV_NODISCARD DV_PUBLIC DvStatus dv_node_attach(DvNode *parent,
                                               DvNode *child); /* one more parent; refused if that closes a cycle */
DV_PUBLIC void dv_node_detach(DvNode *parent, DvNode *child);
/* Takes it out from under all its parents, with all that is only below it. */
DV_PUBLIC void dv_node_remove(DvNode *node);
DV_PUBLIC void dv_object_move(DvObject *object, DvNode *to);

/* Tags: whether an object passes a filter (a list of words, "!word" must be absent); an empty filter lets all pass.
 *    [any] */
typedef struct DvTags {
    char *const *words;
    size_t count;
} DvTags;
DV_PUBLIC bool dv_object_has_tags(const DvObject *object, DvTags filter);
DV_PUBLIC DvTags dv_node_tags(const DvNode *node); /* [step] */

DV_END_DECLS
#endif
