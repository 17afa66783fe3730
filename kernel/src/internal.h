/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files of the kernel share and nobody else sees: the layout of objects, nodes and scenes.
 *
 *   text.c parse.c type.c          growing text, closest word; values from text; types, printing, conversion
 *   data.c link.c                  values, dependencies; links to objects
 *   object.c                       objects: fields, lifecycle calls, references
 *   contract.c                     what an offer of a contract must hold
 *   registry.c plugin.c            classes, old names; finding, checking, starting plugins
 *   needs.c                        who cannot do without whom
 *   node.c visitor.c schedule.c    the graph, walks, compiled walks
 *   event.c                        events
 *   path.c files.c find.c          "@../dofs" to objects; file names to files; what a component works with
 *   create.c                       an object from class name, attributes and context: variant, fields, links
 *   saved.c                        what a saved scene says of an object, and how it is put back
 *   scene.c                        load, init, step, reset; whose a scene is
 *   embed.c                        plain functions for hosts in other languages
 *   thread.c memory.c parallel.c log.c phase.c
 */
#ifndef DIVAN_KERNEL_INTERNAL_H
#define DIVAN_KERNEL_INTERNAL_H

#include <stdarg.h>

#include <glib.h>

#include <divan/contracts/scene_format.h>
#include <divan/divan.h>

typedef struct Part Part; /* schedule.c: a node in a schedule */

struct DvAttributes {
    GArray *list; /* DvAttribute; those of an object are sorted by name in the order of bytes */
};

/* An object: this header, then the component's struct (self), in one 64-byte aligned block. */
struct DvObject {
    const DvClass *cls;
    void *self;
    DvNode *node;        /* NULL outside the graph */
    const char *variant; /* interned, "" when it has none */
    DvPlace place;
    int references;
    bool initialised;       /* init has run */
    bool removed;           /* has left the graph: schedules skip it */
    DvScene *detached_from; /* where it may come back to; or NULL */
    bool is_node;
    bool transient;                                                 /* never saved */
    char *path;                                                     /* cache of dv_object_path; NULL: stale */
    DvData name, print_log, tags, bbox, component_state, listening; /* common fields */
    DvData **fields;                       /* [field_count] common ones first, then the class's, then added ones */
    size_t field_count, class_field_count; /* all; without the added ones */
    DvAttributes *attributes;              /* as given; NULL: none */
    GPtrArray *initial;                    /* Snapshot of what was set before init, for saving: see saved.c; or NULL */
    DvAttributes *restore;                 /* the state a saved scene holds for it, applied after init; or NULL */
    uint64_t order;   /* when it was made: merges objects and child nodes into the order of the document */
    uint64_t *stamps; /* versions of the fields when it was made, then after init: what changed since is saved */
    size_t stamp_count;
    GPtrArray *referrers;   /* DvLink * that point here; or NULL */
    GPtrArray *needs;       /* DvObject *: what it cannot do without, a reference each; or NULL */
    GPtrArray *users;       /* DvObject *: who needs it; or NULL */
    GPtrArray *lost;        /* char *: paths of what it needed and that has left; or NULL */
    bool lost_said;         /* that has been reported */
    bool initialising;      /* its init runs */
    bool updating;          /* its engine runs */
    DvComponentState state; /* of component_state at state_version */
    uint64_t state_version;
};

/* A node is the self of an object of class "Node". */
struct DvNode {
    DvData gravity, dt, time, animate, activated, sleeping, can_change_sleeping_state;
    DvScene *scene;
    GPtrArray *parents, *children; /* DvNode * */
    GPtrArray *members;            /* DvObject *, in order */
    uint64_t revision;             /* of this node and all below */
    uint64_t own_revision;         /* of this node's members, tags, activity alone */
    GPtrArray *parts;              /* schedule.c: Part of each schedule that comes here; or NULL */
    GPtrArray *schedules;          /* schedule.c: compiled schedules that start here; or NULL */
    uint64_t context_revision;     /* own_revision at which has_context was found */
    bool has_context;              /* holds objects of contract divan.context/1 */
    uint64_t mark;                 /* of the walk that visited it last */
    uint32_t pending;              /* parents not yet visited in that walk */
    uint32_t walk_index;           /* its place in that walk */
    GHashTable *counts;            /* create.c: how many objects of a class got a name from the kernel; or NULL */
    const char *folder;            /* interned: folder of the file it comes from, for relative paths; or NULL */
};

/* memory.c: the scratch of a thread. */
typedef struct Arena {
    char *block;
    size_t capacity, used, peak; /* bytes; peak: the most in use at once, extra blocks included */
    struct ExtraBlock {
        void *at;
        size_t bytes;
    } * extra; /* blocks beyond the capacity */
    size_t extra_count, extra_capacity, extra_bytes;
} Arena;

/* thread.c: what belongs to a thread. */
typedef struct Thread {
    Arena arena;
    struct Phases *phases; /* phase.c; NULL: off */
    DvText last_error;
    unsigned calls;  /* of the host that are in progress: scene.c */
    bool in_chunk;   /* of a loop: parallel.c */
    bool in_handler; /* of messages: log.c */
    bool is_freed_at_end;
} Thread;

struct DvScene {
    DvNode *root;
    _Atomic uint64_t steps;
    _Atomic bool running; /* initialised */
    bool check_only, keep_going;
    bool restored;             /* the file holds the state of a run: State elements */
    unsigned problems, errors; /* reported while loading: all; those that fail the load */
    DvStatus first_error;
    DvStatus unreadable; /* a field that could not be brought up to date since the last step began; or DV_OK */
    const DvSceneFormatOps *format; /* of the file it was read from; NULL: made by code */
    uint64_t created;               /* objects and nodes so far: their order */
    double reset_time;              /* s; where reset goes back to */
    const void *loop_ops;           /* scene.c: the root's animation loop as of loop_revision */
    void *loop;
    uint64_t loop_revision;
    const void *checks[4]; /* DvStepCheckOps of the plugins */
    size_t check_count;
    unsigned orphans;                     /* objects that have lost what they need */
    uint64_t orphan_revision;             /* of the root when they were looked after last */
    unsigned references;                  /* its owner's and its nodes' */
    _Atomic(Thread *) owner;              /* whose call is in progress; NULL: nobody's */
    unsigned calls;                       /* of the host that are in progress: they nest */
    uint64_t last_revision;               /* of its graph; no revision comes twice */
    uint64_t last_mark;                   /* visitor.c: of a pass of a walk */
    struct Frame *innermost;              /* schedule.c: the schedule that is running */
    unsigned depth;                       /* of the kernel's calls to components */
    GPtrArray *leaving;                   /* DvObject: released when depth is back to 0; or NULL */
    uint64_t planned_nodes, compilations; /* schedule.c: parts planned, schedules put together, so far */
    struct Local {                        /* what plugins keep for the scene */
        const void *key;
        void *block;
    } * locals;
    size_t local_count;
};

enum {
    DV_PRIVATE_COMMON_FIELDS = 6, /* of every object, before those of its class */
};

/* The node an object is in; that of a node's object is the node itself. NULL outside the graph. */
static inline DvNode *dv_private_node_of(const DvObject *object)
{
    return object->is_node ? object->self : object->node;
}

static inline DvScene *dv_private_scene_of(const DvObject *object)
{
    const DvNode *node = dv_private_node_of(object);
    return node ? node->scene : NULL;
}

/* object.c */
extern const DvClass dv_node_class;                                       /* node.c */
void dv_private_node_join_scene(DvNode *node, DvScene *scene);            /* once, when it is made */
DvObject *dv_private_object_new(const DvClass *cls, const char *variant); /* construct has not run; one reference */
DvStatus dv_private_object_construct(DvObject *object);
DvStatus dv_private_object_init(DvObject *object);                      /* required fields, then the class's init */
void dv_private_object_forget_path(DvObject *object);                   /* also of everything below a node */
char *dv_private_object_path(const DvObject *object);                   /* new string */
bool dv_private_field_is_named(const DvField *field, const char *name); /* or has it as an alias */

/* contract.c */
/* False with the rest of a sentence that ends in "offers" or "needs": 'id', and what is wrong with it. */
bool dv_private_contract_known(const char *id, DvText *reason);
bool dv_private_contract_complete(const DvContract *offer, DvText *reason);

/* needs.c */
void dv_private_users_lose(DvObject *object);   /* it is about to leave the graph: while its path is still known */
void dv_private_needs_forget(DvObject *object); /* it needs nothing any more, and has lost nothing */
void dv_private_orphans_mend(DvScene *scene);   /* before a step */

/* data.c */
void dv_private_data_construct(DvData *data, const DvField *field, const DvType *type, DvObject *owner);
void dv_private_data_destroy(DvData *data);          /* unlinks both ways, frees */
const void *dv_private_value_ref(const void *value); /* shares it: to keep a snapshot */
void dv_private_value_unref(const DvType *type, const void *value);
char *dv_private_data_path(const DvData *data); /* "@/Liver/dofs.position"; new string */
void dv_private_data_unlink(DvData *data);      /* nothing follows it any more, nor it anything; values stay */
void dv_private_data_set_interned(DvData *data, const char *text); /* one shared value per text: allocates once */
void dv_private_defaults_clear(void);

/* link.c */
void dv_private_link_destroy(DvLink *link);
DvStatus dv_private_link_set_text(DvLink *link, const char *text);
void dv_private_links_forget(DvObject *target); /* links that point to it become unresolved: it leaves the graph */

/* text.c, parse.c, type.c */
int dv_private_compare_words(const void *left, const void *right);               /* of arrays of char *, for sorting */
void dv_private_elements_free(const DvType *type, void *elements, size_t count); /* NULL when there are none */
void dv_private_elements_blank(const DvType *type, void *elements, size_t first, size_t count);
/* The first `count` of the old ones; what is beyond them is blank. */
void *dv_private_elements_copy(const DvType *type, const void *old, size_t old_count, size_t count);
bool dv_private_type_same(const DvType *a, const DvType *b); /* same layout */
const char *dv_private_dof_type_name(size_t index);          /* NULL beyond the end */
bool dv_private_type_converts(const DvType *from, const DvType *to);
const DvType *dv_private_type_for(const DvType *declared, const char *variant); /* fills the places */
double dv_private_get_scalar(DvScalar scalar, const void *values, size_t i);    /* of numbers; true is 1 */
void dv_private_put_scalar(DvScalar scalar, void *values, size_t i, double value);
/* *elements and *count hold the old value at first, which what cannot be read keeps; then the new one. */
DvStatus dv_private_type_parse(const DvField *field, const DvType *type, const char *text, void **elements,
                               size_t *count, DvText *problem);
void dv_private_type_print(const DvType *type, const void *elements, size_t count, DvText *out);
/* to (empty) = from converted, of types that dv_private_type_converts lets pass. */
DvStatus dv_private_type_convert(const DvType *from, const void *value, size_t count, const DvType *to, const void *old,
                                 size_t old_count, void **out, size_t *out_count);

/* registry.c, plugin.c */
bool dv_private_class_is_a(const DvClass *cls, const char *name);           /* it, or a base of it, has this name */
DvStatus dv_private_registry_check(const DvPlugin *plugin, DvText *reason); /* ties with plugins that are in */
void dv_private_registry_add(const DvPlugin *plugin);                       /* after a good check */
void dv_private_registry_clear(void);
/* The first plugin that was found, is not in use, and of which `has` is true; or NULL. */
const DvPluginInfo *dv_private_idle_plugin(bool (*has)(const DvPlugin *plugin, const char *what), const char *what);
char *dv_private_kernel_folder(void); /* of this library; new string or NULL */
/* Of the classes with the name of this one, which several plugins may offer, the first that has the variant. */
const DvClass *dv_private_class_of(const DvClass *cls, const char *variant);

/* create.c */
/* In front of all others, named like its class. */
DvStatus dv_private_create_first(DvNode *node, const char *class_name);
/* What gave a field its value: the attribute of its name or of an alias; NULL: none did. */
DvAttribute *dv_private_attribute_of(const DvObject *object, const DvField *field);
void dv_private_report_links(DvObject *object); /* tries once more, then says what leads nowhere */
/* A problem found while loading: counted; an error also fails the load. Returns the status. */
DvStatus dv_private_problem(DvScene *scene, DvStatus status);
/* A field of the object could not be brought up to date, as has been reported: what was being done with it fails, though
 * whoever read it went on with the old value. */
void dv_private_unreadable(const DvObject *object, DvStatus status);
void dv_private_set_field(DvObject *object, DvData *data,
                          const char *text); /* from an attribute; problems are counted */

/* path.c, files.c */
/* "@dofs.position"; NULL with the reason when it leads to no field. */
DvData *dv_private_resolve_field(const DvNode *node, const DvObject *from, const char *path, DvText *problem);
/* New string; NULL: not found. Places are folders as seen from that of the kernel's library, ended by NULL. */
char *dv_private_find_beside_kernel(const char *name, const char *const *places);

/* find.c: where an object was looked for in vain, and what to do. */
typedef struct Missing {
    const DvNode *node; /* or NULL */
    const char *path;   /* "" is the context of the node */
    const char *contract;
    const char *need; /* what to add; NULL: the class that alone offers the contract */
    const char *link; /* name of the field that can name one; or NULL */
    bool named;       /* the path is the user's */
    bool before;      /* it must come before the object */
} Missing;
void dv_private_say_missing(DvText *text, const Missing *missing);

/* node.c */
void dv_private_warn_of_namesake(DvNode *node, const DvNode *parent);             /* an earlier child has its name */
void dv_private_node_changed(DvNode *node);                                       /* raises the revisions */
void dv_private_node_insert_member(DvNode *node, DvObject *object, size_t index); /* beyond the end: as the last */
bool dv_private_stands_for_node(const DvObject *object, const char *contract);    /* offers it, and not only by path */
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
/* Between enter and leave the kernel calls components: what is removed meanwhile is released when the outermost leaves. */
void dv_private_enter(DvScene *scene);
void dv_private_leave(DvScene *scene);
void dv_private_release_later(DvScene *scene, DvObject *object);
void dv_private_schedules_drop(DvNode *node);               /* everything kept for and in this node */
void dv_private_schedules_node_changed(const DvNode *node); /* its objects, their tags, its activity */
void dv_private_schedules_child_joined(const DvNode *parent, DvNode *child);
void dv_private_schedules_child_left(const DvNode *parent, const DvNode *child);
/* Running schedules skip it from now on. */
void dv_private_schedule_object_gone(DvScene *scene, DvObject *object);

/* scene.c, saved.c */
/* A host's call begins: the scene belongs to the calling thread until it ends. False, with a message, when it belongs to another or
 * the caller is a chunk of a loop. */
typedef struct Call {
    DvScene *scene;
    DvStepMark mark;
} Call;
bool dv_private_call_begin(Call *call, DvScene *scene, const char *function);
void dv_private_call_end(const Call *call);
/* Whether the calling thread may change what belongs to the scene now; a message when not. NULL: nobody's scene. */
bool dv_private_may_change(const DvScene *scene, const char *function);
/* The same for what is called too often to be checked always: builds for debugging only. */
#ifdef DV_CHECK_THREADS
#define dv_private_check_thread(scene, function) ((void)dv_private_may_change(scene, function))
#else
#define dv_private_check_thread(scene, function) ((void)0)
#endif
DvScene *dv_private_scene_ref(DvScene *scene);
void dv_private_scene_unref(DvScene *scene);
void dv_private_stamp(DvObject *object);           /* the versions of all fields, as they are now */
void dv_private_capture(DvObject *object);         /* before init: what code has set since it was made */
void dv_private_restore(DvObject *object);         /* puts the fields of `restore` back */
DvStatus dv_private_init_now(DvObject *object);    /* before its turn, with the context of the nodes above */
DvStatus dv_private_init_anew(DvObject *object);   /* again: cleanup, init, bwd_init */
DvStatus dv_private_init_object(DvObject *object); /* links, init, bwd_init of an object that joins a running scene */

void dv_private_settle(DvScene *scene); /* scene.c: constraints hold and mapped states follow */

/* log.c */
void dv_private_emit(DvMessage *message, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

/* memory.c, parallel.c */
void dv_private_parallel_stop(void);
char *dv_private_strndup(const char *text, size_t length); /* for dv_free */
void dv_private_arena_free(Arena *arena);

/* thread.c */
/* Reached without a call: it is small enough for the room that the C library keeps for libraries opened late. */
extern _Thread_local Thread dv_private_thread __attribute__((tls_model("initial-exec")));
void dv_private_thread_holds(void); /* to be called before the thread comes to hold memory */
void dv_private_thread_free(void);  /* what the calling thread holds */

#endif
