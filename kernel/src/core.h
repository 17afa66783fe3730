/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The layout of objects, nodes and scenes, and what the core does for kernel/words, the layer above it that makes objects from words.
 *
 * Functions called dv_core_* are exported for that layer alone and belong to no version of the ABI: both libraries are built together.
 * The core includes nothing of kernel/words, and asks it by way of `Words` only.
 */
#ifndef DIVAN_CORE_H
#define DIVAN_CORE_H

#include "ground.h"

#include <string.h>

#include <divan/contracts/scene_format.h>
#include <divan/divan.h>

typedef struct Part Part;   /* schedule.c: a node in a schedule */
typedef struct Words Words; /* below */

/* An object: this header, then the component's struct (self), in one 64-byte aligned block. */
struct DvObject {
    const DvClass *cls;
    const Words *words;
    void *self;
    DvNode *node;        /* NULL outside the graph */
    const char *variant; /* interned, "" when it has none */
    DvPlace place;
    int references;
    bool initialised;       /* init has run */
    bool bwd_initialised;   /* bwd_init runs or has run */
    bool failed;            /* parse, init or bwd_init has, or what it needs: nothing but destroy is called */
    bool failed_with;       /* for no fault of its own: with what it needs, which has been told */
    bool removed;           /* has left the graph: schedules skip it */
    DvScene *detached_from; /* where it may come back to; or NULL */
    bool is_node;
    bool transient;                                                 /* never saved */
    char *path;                                                     /* cache of dv_object_path; NULL: stale */
    DvData name, print_log, tags, bbox, component_state, listening; /* common fields */
    DvData **fields;                       /* [field_count] common ones first, then the class's, then added ones */
    size_t field_count, class_field_count; /* all; without the added ones */
    DvAttributes *attributes;              /* as given; NULL: none */
    GPtrArray *initial;                    /* of words: what was set before init, for saving; or NULL */
    struct First *first;                   /* of words: its state at the start, for a reset; or NULL */
    DvAttributes *restore;                 /* the state a saved scene holds for it, applied after init; or NULL */
    uint64_t order;   /* when it was made: merges objects and child nodes into the order of the document */
    uint64_t *stamps; /* versions of the fields when it was made, then after init: what changed since is saved */
    size_t stamp_count;
    List referrers;         /* DvLink * that point here */
    List needs;             /* DvObject *: what it cannot do without, a reference each */
    List users;             /* DvObject *: who needs it */
    List lost;              /* char *: paths of what it needed and that has left */
    bool lost_said;         /* that has been reported */
    bool initialising;      /* its init runs */
    bool updating;          /* its engine runs */
    bool not_finite_said;   /* that it computed such numbers */
    DvComponentState state; /* of component_state at state_version */
    uint64_t state_version;
};

/* A node is the self of an object of class "Node". */
struct DvNode {
    DvData gravity, dt, time, animate, activated, sleeping, can_change_sleeping_state;
    DvScene *scene;
    List parents, children;    /* DvNode * */
    List members;              /* DvObject *, in order */
    uint64_t revision;         /* of this node and all below */
    uint64_t own_revision;     /* of this node's members, tags, activity alone */
    List parts;                /* schedule.c: Part of each schedule that comes here */
    GPtrArray *schedules;      /* schedule.c: compiled schedules that start here; or NULL */
    DvSchedule *recent[8];     /* of them, found by their plans */
    uint64_t unheard;          /* event.c: revision at which nobody at or below it listened */
    uint64_t context_revision; /* own_revision at which has_context was found */
    bool has_context;          /* holds objects of contract divan.context/1 */
    uint64_t mark;             /* of the walk that visited it last */
    uint32_t pending;          /* parents not yet visited in that walk */
    uint32_t walk_index;       /* its place in that walk */
    struct Named {             /* words/create.c */
        const DvClass *cls;
        unsigned objects; /* that got a name from it */
    } * named;
    size_t named_count;
    const char *folder; /* interned: folder of the file it comes from, for relative paths; or NULL */
};

/* What the layer of words does for the core: it reads texts, and it knows what an object was made from. */
struct Words {
    /* *elements and *count hold the old value at first, which what cannot be read keeps; then the new one. */
    DvStatus (*parse)(const DvField *field, const DvType *type, const char *text, void **elements, size_t *count,
                      DvText *problem);
    char *(*find_file)(const DvObject *, const char *name); /* as its scene means it; new string; NULL: not found */
    DvAttribute *(*attribute_of)(const DvObject *, const DvField *); /* what gave a field its value; NULL: none did */
    void (*make_first)(DvNode *node, const DvClass *cls);            /* an object in front of all others of the node */
    void (*forget)(DvObject *object);                                /* frees the texts that it was made from */
    DvStatus (*check_required)(DvObject *object); /* says which fields a scene must give and has not given */
    /* Says which numbers are outside the ranges of their fields: of those that follow others, or of all else. */
    DvStatus (*check_ranges)(DvObject *object, bool follows);
    void (*capture)(DvObject *object);                   /* before init: keeps what code has set since it was made */
    void (*keep_first)(DvObject *object);                /* the run begins: what a reset puts back */
    void (*put_first_back)(DvObject *object);            /* before the resets of all classes */
    void (*restore)(DvObject *object);                   /* after init: puts the fields of `restore` back */
    void (*field_added)(DvObject *object, DvData *data); /* its attributes may have a value for it */
    void (*resolve_links)(DvObject *object);             /* tries once more to follow those that lead nowhere */
    void (*report_links)(DvObject *object);              /* the same, and says what leads nowhere */
    DvObject *(*object_at)(DvScene *scene, const char *path); /* "/Liver/dofs"; or NULL */
    /* Says which fields would depend on themselves if the first of these followed the last, or else were computed from it; each other
     * depends on the one before. */
    void (*say_circle)(const List *circle, bool follows);
    void (*say_unused_context)(DvNode *node, const DvNode *parent); /* what it gives and its parent decides */
    void (*say_namesake)(DvNode *node, const DvNode *parent);       /* when an earlier child has the node's name */
    /* Between types of which one is text, or is known to a plugin: *elements and *element_count as for `parse`. */
    DvStatus (*convert)(const DvType *from, const void *value, size_t count, const DvType *to, void **elements,
                        size_t *element_count);
    void (*update_boxes)(DvNode *node); /* bounding boxes of it and what is below */
};

struct DvScene {
    DvNode *root;
    const Words *words;
    _Atomic uint64_t steps;
    _Atomic bool running; /* initialised */
    bool check_only, keep_going;
    bool words_told;           /* that no device keeps what a template gives to one */
    bool restored;             /* the file holds the state of a run: State elements */
    unsigned problems, errors; /* reported while loading: all; those that fail the load */
    DvStatus first_error;
    _Atomic DvStatus fault;         /* the error last told of an object since the last step began; or DV_OK */
    const DvSceneFormatOps *format; /* of the file it was read from; NULL: made by code */
    uint64_t created;               /* objects and nodes so far: their order */
    double reset_time;              /* s; where reset goes back to */
    const void *loop_ops;           /* scene.c: the root's animation loop as of loop_revision */
    void *loop;
    uint64_t loop_revision;
    const void **checks; /* DvStepCheckOps of the plugins */
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
    List leaving;                         /* DvObject: released when depth is back to 0 */
    uint64_t planned_nodes, compilations; /* schedule.c: parts planned, schedules put together, so far */
    const char *output_folder;            /* interned: where its components may write; NULL: the working directory */
    unsigned lost_outputs;                /* files that they could not write */
    List data_folders;                    /* char *: where files of its fields are looked for last */
    struct Local {                        /* what plugins keep for the scene */
        const void *key;
        void *block;
    } * locals;
    size_t local_count;
    Hearers hearers; /* who listens to what is said of the scene */
};

enum {
    DV_PRIVATE_COMMON_FIELDS = 6, /* of every object, before those of its class */
};

/* Whether it may be called. What has set itself invalid may, by who asks whether it is valid again. */
static inline bool dv_private_is_usable(const DvObject *object)
{
    return !object->failed && !object->lost.len;
}

static inline void *dv_private_at(const List *list, size_t index)
{
    return list->at[index];
}

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

/* What a node holds, in the order in which names are looked up: child nodes before objects. NULL: the end. */
static inline DvObject *dv_private_held(const DvNode *node, unsigned index)
{
    const uint32_t children = node->children.len;
    if (index < children)
        return dv_object_of(dv_private_at(&node->children, index));
    return index - children < node->members.len ? dv_private_at(&node->members, index - children) : NULL;
}

/* Without a call: a node may have thousands of children to compare. */
static inline bool dv_private_is_called(const DvObject *object, const char *name, size_t length)
{
    const char *own = *(char *const *)object->name.value;
    size_t same = 0;
    while (same < length && own[same] == name[same] && own[same])
        same++;
    return same == length && own[same] == '\0';
}

/* Or has it as an alias. */
static inline bool dv_private_field_is_named(const DvField *field, const char *name)
{
    if (strcmp(field->name, name) == 0)
        return true;
    for (const char *const *alias = field->aliases; alias && *alias; alias++)
        if (strcmp(*alias, name) == 0)
            return true;
    return false;
}

/* object.c */
/* Its class offers the contract, whether or not it can be used: what it is, and for finding it. */
DV_PUBLIC const void *dv_core_object_offer(const DvObject *object, const char *contract);
DV_PUBLIC DvObject *dv_core_object_new(const Words *words, const DvClass *cls,
                                       const char *variant); /* construct has not run; one reference */
DV_PUBLIC DvStatus dv_core_object_construct(DvObject *object);
DV_PUBLIC void dv_core_stamp(DvObject *object); /* the versions of all fields, as they are now */

/* data.c, type.c, text.c */
DV_PUBLIC void dv_core_data_take(DvData *data, void *elements,
                                 size_t count); /* its new value: made with dv_alloc, now the data's */
/* The first `count` of the old ones; what is beyond them is blank. */
DV_PUBLIC void *dv_core_elements_copy(const DvType *type, const void *old, size_t old_count, size_t count);
DV_PUBLIC void dv_core_elements_free(const DvType *type, void *elements, size_t count); /* NULL when there are none */
DV_PUBLIC const void *dv_core_value_ref(const void *value); /* shares it: to keep a snapshot */
DV_PUBLIC void dv_core_value_unref(const DvType *type, const void *value);
DV_PUBLIC double dv_core_get_scalar(DvScalar scalar, const void *values, size_t i); /* of numbers; true is 1 */
DV_PUBLIC void dv_core_put_scalar(DvScalar scalar, void *values, size_t i, double value);

DV_PUBLIC const char *dv_core_dof_type_name(size_t index); /* NULL beyond the end */

/* link.c */
DV_PUBLIC void dv_core_link_clear(DvLink *link, size_t count); /* has `count` places, which lead nowhere */
DV_PUBLIC void dv_core_link_point(DvLink *link, size_t index, DvObject *target);

/* registry.c */
/* Of registered classes. Of those with the name of this one, which several plugins may offer, the first that has the variant ("": has none); failing
 * that the first of all. */
DV_PUBLIC const DvClass *dv_core_class_with(const DvClass *cls, const char *variant);
/* The DOF type that a word of templates stands for, as a plugin says; NULL: none says so. */
DV_PUBLIC const char *dv_core_dof_type_of_word(const char *word, size_t length);
DV_PUBLIC const char *const *dv_core_class_variants(
    const DvClass *cls); /* interned, in the order of bytes, ended by NULL */

/* needs.c */
/* It cannot be used: it is cleaned up and invalid, and so is who needs it, which is told as a remark. */
DV_PUBLIC void dv_core_object_fail(DvObject *object);
DV_PUBLIC DvStatus dv_core_fails_with(DvObject *object, const DvObject *other); /* the remark, for an init that fails */

/* node.c */
DV_PUBLIC DvObject *dv_core_node_context(const DvNode *node, const char *contract); /* also one that cannot be used */
/* It offers the contract, and not only by path. */
DV_PUBLIC bool dv_core_stands_for_node(const DvObject *object, const char *contract);
DV_PUBLIC void dv_core_node_join_scene(DvNode *node, DvScene *scene); /* once, when it is made */
DV_PUBLIC void dv_core_node_insert_member(DvNode *node, DvObject *object,
                                          size_t index); /* beyond the end: as the last */
/* To another place in its node. */
DV_PUBLIC void dv_core_node_move_member(DvNode *node, DvObject *object, size_t index);
DV_PUBLIC void dv_core_node_move_child(DvNode *node, DvNode *child, size_t index);

/* call.c */
/* A host's call begins: the scene belongs to the calling thread until it ends. False, with a message, when it belongs to another or
 * the caller is a chunk of a loop. */
typedef struct Call {
    DvScene *scene;
    DvStepMark mark;
    const Hearers *outer; /* of the scene of the call around it; or NULL */
} Call;
DV_PUBLIC bool dv_core_call_begin(Call *call, DvScene *scene, const char *function);
DV_PUBLIC void dv_core_call_end(const Call *call);
/* Whether the calling thread may change what belongs to the scene now; a message when not. NULL: nobody's scene. */
DV_PUBLIC bool dv_core_may_change(const DvScene *scene, const char *function);

/* scene.c */
DV_PUBLIC DvScene *dv_core_scene_new(const Words *words); /* without a root */
DV_PUBLIC DvStatus
dv_core_init_object(DvObject *object); /* links, init, bwd_init of an object that joins a running scene */
/* The same of several, in the order of the graph: all are initialised before the first bwd_init. */
DV_PUBLIC DvStatus dv_core_init_objects(DvScene *scene, DvObject **objects, size_t count);
/* Before a step: those that have lost what they need are initialised again where it has come back, and else say so once. */
DV_PUBLIC void dv_core_orphans_mend(DvScene *scene);
DV_PUBLIC void dv_core_settle(DvScene *scene); /* constraints hold and mapped states follow */

/* plugin.c */
typedef struct FoundPlugin {
    DvPluginInfo info; /* owns its file and reason */
    bool named;        /* by file, or in the plugin set: it must work */
} FoundPlugin;
DV_PUBLIC bool dv_core_plugins_begin(void); /* with none found; false: plugins run already */
/* And has its descriptor checked; again: once. With a reason the file cannot be a library, and is not touched. */
DV_PUBLIC void dv_core_plugin_open(const char *file, bool named, const char *reason,
                                   DvStatus (*check)(const DvPlugin *plugin, DvText *reason));
DV_PUBLIC FoundPlugin *dv_core_plugin_find(const char *id); /* NULL: none */
DV_PUBLIC FoundPlugin *dv_core_plugin_at(size_t index);     /* in the order of opening; NULL beyond the end */
/* It is not to start, for this reason: though nothing is wrong with it, or since it cannot be used. */
DV_PUBLIC void dv_core_plugin_leave_out(FoundPlugin *found, const char *format, ...) DV_PRINTF(2, 3);
DV_PUBLIC void dv_core_plugin_reject(FoundPlugin *found, DvStatus status, const char *format, ...) DV_PRINTF(3, 4);
/* Starts what may start. What must work and does not is an error, the first is returned; what was only found, a warning. */
DV_PUBLIC DvStatus dv_core_plugins_start(void);

/* report.c */
/* A problem found while loading: counted; an error also fails the load. Returns the status. */
DV_PUBLIC DvStatus dv_core_problem(DvScene *scene, DvStatus status);
/* About a scene; NULL: the one of the call that is in progress, if any. */
DV_PUBLIC void dv_core_emit(DvMessage *message, const DvScene *scene, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
/* About a field, else an object, else nothing; `index` >= 0: an entry of the field. */
DV_PUBLIC void dv_core_say(DvLevel level, DvStatus status, const DvObject *object, const DvData *field, int64_t index,
                           const char *format, ...) DV_PRINTF(6, 7);

#endif
