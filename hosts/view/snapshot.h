/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the simulation thread publishes: a moment of the scene that never changes once it is out, so that the window reads it while the
 * next step is made. Trees are shared by snapshots until the graph changes.
 */
#ifndef DIVAN_VIEW_SNAPSHOT_H
#define DIVAN_VIEW_SNAPSHOT_H

#include <glib.h>

#include <divan/contracts/haptic_device.h>
#include <divan/contracts/picture.h>
#include <divan/contracts/visual.h>
#include <divan/embed.h>

#include "plots.h"

/* Nodes and objects, depth first. */
typedef struct TreeItem {
    char *path;  /* by which messages name it: "/Liver[2]/dofs" */
    char *plain; /* as the log names it: "/Liver/dofs" */
    char *name;
    const char *type;   /* class; of the process, as family */
    const char *family; /* NULL of nodes */
    char *variant;
    char *place;  /* "liver.scn:12", or NULL */
    guint parent; /* G_MAXUINT of the root */
    guint end;    /* behind the last item below it */
    guint depth;
    bool is_node, is_active, is_valid;
} TreeItem;

typedef struct Tree {
    gint references;
    GArray *items; /* TreeItem */
    uint64_t revision;
    guint invalid; /* objects not in use */
} Tree;

Tree *tree_new(DvScene *scene);
Tree *tree_ref(Tree *tree);
void tree_unref(Tree *tree);
const TreeItem *tree_find(const Tree *tree, const char *path); /* or plain path; NULL: none */
guint tree_count_invalid(DvScene *scene);

enum { FIELD_ROWS = 64 }; /* elements of a list that are shown at once */

typedef struct FieldView {
    char *name, *type, *unit, *help, *group, *range; /* texts, or NULL */
    char **choices;                                  /* or NULL */
    char *text;                                      /* the value as text; of a long list NULL */
    char *parent;                                    /* the field that it follows, or NULL */
    double *numbers; /* [rows x components] of numeric fields, from element `first` on; else NULL */
    DvScalar scalar;
    uint32_t components, flags; /* DV_FIELD_* */
    size_t count, first, rows;
    bool list, is_set, is_link, is_color, is_file;
    double least, most; /* of the range; not finite: no bound */
} FieldView;

/* What is shown of the selected object. */
typedef struct ObjectView {
    char *path, *name, *type, *variant, *family, *help, *plugin, *license, *place;
    bool is_node, is_valid, is_active, is_transient;
    GArray *fields; /* FieldView */
} ObjectView;

ObjectView *object_view_new(DvObject *object, const char *path, size_t first);
void object_view_free(ObjectView *view);

typedef struct PhaseTime {
    const char *name; /* of the process */
    double seconds;   /* a step */
    double calls;     /* a step */
} PhaseTime;

/* An edit as it went. */
typedef struct EditResult {
    uint64_t number; /* + 1 with each edit */
    char *path;      /* of the field; "" : none yet */
    char *error;     /* NULL: applied */
} EditResult;

/* The mouse in the scene. */
typedef struct GrabView {
    bool active;
    char *what;            /* "/Liver/dofs, point 17" */
    double from[3], to[3]; /* m: what is held; where it is pulled to */
    double force;          /* N, of a spring */
} GrabView;

/* What the last ray met that was asked for. */
typedef struct PickView {
    uint64_t number; /* + 1 with each */
    char *path;      /* of the state, as the log names it; NULL: there was nothing */
} PickView;

/* A haptic device, and what pushes through it. */
typedef struct DeviceView {
    char *path, *reason; /* of its state; or NULL */
    DvHapticState state;
    unsigned users;
    double rate;     /* ticks a second */
    double strength; /* N on the hand */
    bool has_place;
    double place[3], force[3];               /* m, N in the scene: where the tool is, and what the hand feels there */
    double work;                             /* J on the hand */
    double put_in, stored, removed, deficit; /* J of what pushes, together */
} DeviceView;

/* What the scene says of its viewer. */
typedef struct SceneSettings {
    DvViewerLook look;          /* zeros: nothing */
    DvMouseBinding bindings[3]; /* by DvMouseButton */
    bool binds[3];
} SceneSettings;

typedef struct Snapshot {
    gint references;
    uint64_t number; /* + 1 with each */
    uint64_t opened; /* + 1 with each scene that is opened */
    char *file;      /* "": no scene */
    bool has_scene, animates, real_time, failed, loading;
    uint64_t steps;                          /* made since it was opened */
    uint64_t scene_steps;                    /* since it was opened or reset */
    double time, dt;                         /* s */
    double step_seconds;                     /* of one, mean of the last half second of steps */
    double steps_a_second, real_time_factor; /* as it runs: pauses between steps count */
    double box[6];                           /* m */
    double gravity[3];
    uint64_t hash;      /* of all states; only while paused, else 0 */
    Tree *tree;         /* NULL: no scene */
    GPtrArray *reads;   /* paths of files that the scene is made from, its own first; NULL: no scene */
    ObjectView *object; /* NULL: none selected */
    GArray *phases;     /* PhaseTime */
    GPtrArray *plots;   /* PlotView */
    EditResult edit;
    GrabView grab;
    PickView pick;
    GArray *devices;     /* DeviceView */
    bool forces_stopped; /* of all devices, by the user */
    SceneSettings settings;
    char *recording;       /* the file it goes to, or NULL */
    uint64_t replay_steps; /* of a recording that is replayed; 0: none */
    DvPicture *picture;    /* NULL: no scene, or nobody records pictures here */
} Snapshot;

/* Number `place` of a value, counted through all elements; NaN of types that hold none. */
double view_number(const DvType *type, const void *value, size_t place);

Snapshot *snapshot_ref(Snapshot *snapshot);
void snapshot_unref(Snapshot *snapshot); /* [any] NULL is allowed */

#endif
