/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Objects and classes: what a component is.
 *
 * A class is a const struct in its plugin: name, fields, contracts (interfaces) and lifecycle functions. The kernel
 * allocates `instance_size` zero bytes for each object, fills its DvData from the field table, and calls the lifecycle
 * in this order:
 *   construct                         the fields hold their defaults
 *   parse                             the scene's attributes are in the fields
 *   init       parents before children, in the order of the document
 *   bwd_init   the reverse order
 *   store_reset_state, then handle_event, reset, reinit... while it runs
 *   cleanup                           it leaves the graph
 *   destroy                           its memory goes; also after a construct that failed
 * All are optional and [main], but handle_event [step].
 *
 * Every object has these fields besides its own: name, printLog, tags, bbox, componentState, listening.
 */
#ifndef DIVAN_OBJECT_H
#define DIVAN_OBJECT_H

#include <divan/data.h>
#include <divan/event.h>
#include <divan/log.h>

DV_BEGIN_DECLS

/* An interface: an id with a revision and a const struct of functions whose first member is its own uint32_t size. */
typedef struct DvContract {
    const char *id; /* "divan.force-field/1"; a list ends with NULL */
    const void *ops;
    bool slot; /* a node has one of these: a later one takes the place of an earlier, with a warning */
    /* found by paths and dv_node_find, but never as the node's own or a component's context (visual models) */
    bool by_path_only;
} DvContract;

/* How the variant (the DOF types of an object) follows from the scene. `path` is what the attribute counts as when
 * absent. */
typedef struct DvVariantSource {
    const char *attribute; /* "mstate", "input", "object1"...; a list ends with NULL */
    const char *path;      /* "" (the node's own, then the ancestors'), "@../", "@./" */
    const char *contract;  /* what it must lead to: an object of this contract; its variant is taken */
} DvVariantSource;

typedef enum DvVariantRule {
    DV_VARIANT_FREE,    /* the attribute `template`, else default_variant, else the first in the order of bytes */
    DV_VARIANT_OF_EACH, /* part i of the variant is that of source i ("Rigid3d,Vec3d") */
    DV_VARIANT_OF_ALL   /* all sources agree and give the whole variant ("Vec3d") */
} DvVariantRule;

/* The attributes of an object as its scene gave them, for `parse` and `accepts`. */
typedef struct DvAttributes DvAttributes;
/* The text of one, or NULL; asking counts as use (unused ones are reported).     [main] */
DV_PUBLIC const char *dv_attribute(const DvAttributes *attributes, const char *name);
/* The number that an attribute of the object is which is no field of its own ("scale" beside "scale3d"), and all of it: of "0,5",
 * "1 2" and "0.5mm" a warning says that it is none, and *value stays, which is the default. Whether the object's scene gives the
 * attribute. Asking counts as use.     [main] in `parse` */
DV_PUBLIC bool dv_attribute_number(const DvObject *object, const char *name, double *value);
DV_PUBLIC bool dv_attribute_integer(const DvObject *object, const char *name, int32_t *value);

struct DvClass {
    uint32_t size;    /* sizeof(DvClass) */
    const char *name; /* "UniformMass" */
    /* DOF types it exists for, blank-separated: "Vec3d Rigid3d", "Rigid3d,Vec3d Vec3d,Vec3d"; NULL: none */
    const char *variants;
    const char *default_variant; /* taken first when the scene names none; or NULL */
    DvVariantRule variant_rule;
    const DvVariantSource *sources; /* of the rule; or NULL */
    const char *const *aliases;     /* other names of the class, ended by NULL; or NULL */
    const char *const *bases;       /* names of its base classes, ended by NULL; or NULL */
    const char *family;             /* heading in `divan list`: "force fields" */
    const char *module;             /* of the reference, that RequiredPlugin names: "Sofa.Component.Mass"; or NULL */
    const char *help;               /* one sentence */
    const char *license;            /* SPDX; NULL: the plugin's */
    size_t instance_size;
    const DvField *fields;       /* ended by {0}; or NULL */
    const DvContract *contracts; /* ended by {0}; or NULL */
    /* Optional: whether an object with these attributes makes sense in `node`; if not, why. Runs before construct. */
    bool (*accepts)(DvNode *node, const char *variant, const DvAttributes *attributes, DvText *reason);
    DvStatus (*construct)(DvObject *object, void *self);
    DvStatus (*parse)(DvObject *object, void *self, const DvAttributes *attributes);
    DvStatus (*init)(DvObject *object, void *self);
    DvStatus (*bwd_init)(DvObject *object, void *self);
    DvStatus (*reinit)(DvObject *object, void *self);
    void (*store_reset_state)(DvObject *object, void *self);
    void (*reset)(DvObject *object, void *self);
    void (*handle_event)(DvObject *object, void *self, DvEvent *event);
    /* Engines: computes the fields marked DV_FIELD_OUTPUT from those marked DV_FIELD_INPUT. */
    DvStatus (*update)(DvObject *object, void *self);
    /* Adds what it occupies to box (6 numbers: smallest, then largest corner). */
    void (*bounding_box)(DvObject *object, void *self, double *box);
    /* State that a snapshot holds was put back (fields are set); rebuild what hangs on it. */
    DvStatus (*restore)(DvObject *object, void *self);
    void (*cleanup)(DvObject *object, void *self);
    void (*destroy)(DvObject *object, void *self);
};

typedef enum DvComponentState {
    DV_COMPONENT_UNDEFINED,
    DV_COMPONENT_LOADING,
    DV_COMPONENT_VALID,
    DV_COMPONENT_DIRTY,
    DV_COMPONENT_BUSY,
    DV_COMPONENT_INVALID
} DvComponentState;

/* The object of a component's struct and the reverse.     [any] */
DV_PUBLIC DvObject *dv_object_of(const void *self);
DV_PUBLIC void *dv_object_self(const DvObject *object);

DV_PUBLIC const DvClass *dv_object_class(const DvObject *object); /* [any] */
DV_PUBLIC const char *dv_object_name(const DvObject *object);     /* [any] */
DV_PUBLIC const char *dv_object_variant(const DvObject *object);  /* [any] "Vec3d", "Rigid3d,Vec3d" or "" */
DV_PUBLIC const char *dv_object_path(const DvObject *object); /* [main] "/Liver/dofs"; valid until the graph changes */
/* The link that leads to it, "@/Liver/dofs", where several things of a node may have one name: "@/Ball[2]/dofs".     [main] */
DV_PUBLIC void dv_object_link_path(const DvObject *object, DvText *out);
DV_PUBLIC DvNode *dv_object_node(const DvObject *object); /* [any] NULL once it has left the graph */
DV_PUBLIC const char *dv_object_file(const DvObject *object, int *line,
                                     int *column);                            /* [any] where it was written; or NULL */
DV_PUBLIC DvComponentState dv_object_state(const DvObject *object);           /* [step] */
DV_PUBLIC void dv_object_set_state(DvObject *object, DvComponentState state); /* [step] */
static inline bool dv_object_is_valid(const DvObject *object)
{
    return dv_object_state(object) != DV_COMPONENT_INVALID;
}

/* The functions it offers under a contract, or NULL.     [any] quick, but look up once at init, not in a loop */
DV_PUBLIC const void *dv_object_ops(const DvObject *object, const char *contract);
/* Whether its class, or a base of it, has this name.     [any] */
DV_PUBLIC bool dv_object_is_a(const DvObject *object, const char *class_name);

/* Fields by name or alias (NULL: no such field), and in order of declaration: the common ones first.     [any] */
DV_PUBLIC DvData *dv_object_field(const DvObject *object, const char *name);
DV_PUBLIC size_t dv_object_field_count(const DvObject *object);
DV_PUBLIC DvData *dv_object_field_at(const DvObject *object, size_t index);
/* Adds a field at run time: the declaration is copied, the DvData belongs to the object.     [main] */
DV_PUBLIC DvData *dv_object_add_field(DvObject *object, const DvField *field);

/* Adds an object of the named class to a node. Attributes are pairs of name and text, ended by NULL:
 *   dv_object_new(node, "UniformMass", &object, "totalMass", "3", NULL)
 * The same rules hold as for a scene file (variant, links, unused attributes). When the scene already runs, the object
 * is initialised too. `object` may be NULL. Errors are reported.     [main], also between and inside steps */
DV_NODISCARD DV_PUBLIC DvStatus dv_object_new(DvNode *node, const char *class_name, DvObject **object, ...);
/* The same with `count` names and as many texts.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_object_new_with(DvNode *node, const char *class_name, const char *const *names,
                                                   const char *const *texts, size_t count, DvObject **object);
/* For init and bwd_init, so that the order in a file decides nothing it need not.     [main]
 * Initialises `other` first, if its turn has not come: what `object` reads of it is then there. DV_ERROR_CYCLE, reported, when `other`
 * is waiting for `object`. */
DV_NODISCARD DV_PUBLIC DvStatus dv_object_initialise_first(DvObject *object, DvObject *other);
/* The same, for what `object` cannot do without, however it was found: `other` is kept alive, and when it leaves the graph `object`
 * becomes invalid at once, says so at the next step, and is initialised again (cleanup, init, bwd_init) before the first step at which
 * something valid is in the lost place again. Holds until `object` is initialised again or leaves. */
DV_NODISCARD DV_PUBLIC DvStatus dv_object_require(DvObject *object, DvObject *other);
/* For bwd_init of what cannot work with `object`: it is out of use as if its init had failed with `status`, which has been reported
 * (DV_OK: with that of another). It and who needs it are cleaned up and not called; a scene goes on without them by keep_going
 * alone.     [main] */
DV_PUBLIC void dv_object_refuse(DvObject *object, DvStatus status);
/* A `reinit` for classes whose init, after cleanup, takes all fields anew: cleanup, init, bwd_init.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_object_initialise_again(DvObject *object, void *self);
/* Lets it take notice of fields that were written since init, where it does not by itself.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_object_reinit(DvObject *object);
/* Takes it out of the graph and gives up the graph's reference. Safe while a visitor runs: it is not called any more,
 * and its memory goes when the last user lets go.     [step] */
DV_PUBLIC void dv_object_remove(DvObject *object);
/* Objects that only exist while a scene runs, such as contacts: what is transient, or in a transient node, is not saved, nor
 * are links to it. None is at first.     [step] */
DV_PUBLIC void dv_object_set_transient(DvObject *object, bool transient);
DV_PUBLIC bool dv_object_is_transient(const DvObject *object); /* it, or a node above */
/* For what comes and goes, as contacts do: takes a ready object out of the graph as it is, and puts it back as the last of a node
 * of the same scene. Nothing of its life cycle is called, its fields and links stay, and neither allocates nor looks anything up;
 * dv_object_new and dv_object_remove make and parse and free. dv_object_detach hands the graph's reference to the caller, who
 * gives it back by dv_object_attach or ends the object by dv_object_unref. Of nodes: dv_node_set_active. DV_ERROR_INVALID: it
 * is not in the graph, is there already, or belongs to another scene.     [step] */
DV_NODISCARD DV_PUBLIC DvStatus dv_object_detach(DvObject *object);
DV_NODISCARD DV_PUBLIC DvStatus dv_object_attach(DvObject *object, DvNode *node);
DV_PUBLIC DvObject *dv_object_ref(DvObject *object); /* [step] */
DV_PUBLIC void dv_object_unref(DvObject *object);    /* [step] */

DV_END_DECLS
#endif
