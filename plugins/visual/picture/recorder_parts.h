/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files of the recorder share: recorder.c (pictures), recorder_list.c, recorder_state.c, recorder_shader.c, recorder_object.c,
 * recorder_pass.c.
 */
#ifndef DIVAN_VISUAL_RECORDER_PARTS_H
#define DIVAN_VISUAL_RECORDER_PARTS_H

#include "recorder.h"

#include <divan/contracts/collision.h>
#include <divan/contracts/drawing.h>
#include <divan/contracts/force_field.h>

#include "bodies.h"
#include "drawing.h"
#include "ground.h"
#include "recorded_surface.h"
#include "setting/display_flags.h"

enum { MOST_ELEMENTS = 4 }; /* that a shader is given by one object */

/* What an object can be asked; NULL: not that. */
/* A path that leads to one object alone, "/Liver[2]/dofs"; as long as its plain path is what it was: names change. */
typedef struct ShownPath {
    char *plain, *path; /* NULL: not asked for yet */
} ShownPath;

typedef struct Entry {
    DvObject *object;
    ShownPath path;
    void *self;
    const DvSurfaceOps *surface;
    const DvDrawableOps *drawable;
    const DvVisualStyleOps *style;
    const DvVisualTransformOps *transform;
    const DvClipPlaneOps *clip;
    const DvShaderOps *shader;
    const DvShaderElementOps *element;
    const DvLightOps *light;
    const DvLightingOps *lighting;
    const DvCameraOps *camera;
    const DvBackgroundOps *background;
    const DvLegendOps *legend;
    const DvTransparencyOps *transparency;
    const DvSceneAxesOps *axes;
    const DvViewportOps *viewport;
    const DvPostProcessOps *post;
    const DvRenderPassOps *pass;
    RecordedSurface *recorded;               /* of a surface */
    RecordedArray attributes[MOST_ELEMENTS]; /* of elements */
    RecordedImage image;                     /* of an element whose picture is numbers */
    int32_t shader_index;                    /* of the present picture; -1: it is not in it */
    RecordedArray sources[DV_SHADER_STAGES];
    bool told;     /* that it has no effect */
    bool collides; /* it is a collision model */
} Entry;

typedef struct Level {
    DvNode *node;
    ShownPath path;
    uint32_t parent;                     /* index; NO_LEVEL: the root */
    uint32_t first, count;               /* entries */
    signed char flags[DV_DISPLAY_FLAGS]; /* of the present picture */
    uint32_t state;                      /* likewise: index in states */
    uint32_t first_shader, shaders;      /* likewise: of the nearest node at or above that has some */
    int32_t body;                        /* number of the body that moves and that it belongs to; -1: none */
    bool has_surface;                    /* of the present picture: some surface of the body is shown */
    bool skinned, covered;               /* of a picture of bodies: it has a skin; it, or one above */
} Level;
enum { NO_LEVEL = UINT32_MAX };

typedef struct ShaderPart {
    uint32_t shader;
    DvPictureUniform uniform;
} ShaderPart;

struct DvRecorder {
    DvScene *scene;
    uint64_t revision;
    bool listed, told_of_lights;
    DvObject *marked; /* in the next picture; NULL: nothing */
    DvViewerLook marks;
    List levels, entries, moving; /* DvNode *: what moves */
    List surfaced;                /* bytes: of nobody, then of each body: some surface is shown */
    uint32_t bodies;              /* that move */
    Images images;
    Drawing drawing;
    Bodies skins;
    bool probed, nothing_else; /* is shown by this list: pictures that may are of bodies */
    bool draws_bodies;         /* the present picture is */
    Ground ground;
    List states, surfaces, legends, cameras, shaders, parts, lights, axes, viewports, posts, passes, pass_entries,
        drawn; /* of the present picture; drawn: DvObject * of each surface */
};

/* Listing */
Entry *recorder_find_entry(List *entries, const DvObject *object, uint32_t hint);
void recorder_forget_entry(Entry *entry);
void recorder_forget_levels(DvRecorder *self);
const char *recorder_path_of(ShownPath *shown, const DvObject *object);
void recorder_list_scene(DvRecorder *self);
/* States */
void identity_map(float m[12]);
/* Index of an equal state, or of a new one. Equal ones follow each other in most scenes. */
uint32_t recorder_add_state(DvRecorder *self, const DvPictureState *state);
/* What holds in a node: that of its parent, changed by its own objects. */
void recorder_merge_flags(Level *level, const Level *parent, const Entry *entries, const DvRecordOptions *options);
void recorder_merge_state(DvRecorder *self, Recording *recording, Level *level, const Level *parent, Entry *entries);
/* With the transforms that hold for the visual models before them in the node: those that come after entry `index`. */
uint32_t recorder_state_before(DvRecorder *self, const Level *level, const Entry *entries, uint32_t index);
/* The text of a stage, read when the version is another. */
void recorder_take_source(Recording *recording, Entry *entry, DvPictureShader *shader, int stage, const char *file,
                          uint64_t version);
void recorder_add_shader(DvRecorder *self, Recording *recording, Entry *entry, DvPictureState *state);
void recorder_add_elements(DvRecorder *self, Recording *recording, Entry *entry, const Level *level);
void recorder_keep_shaders(DvRecorder *self, Recording *recording);
void recorder_add_surface(DvRecorder *self, Recording *recording, const Level *level, Entry *entry, uint32_t state);
void recorder_draw_object(DvRecorder *self, const Level *level, Entry *entry, uint32_t state);
/* What hangs on a body with a skin is within it. */
void recorder_draw_body(DvRecorder *self, Level *level, const Level *parent);
void recorder_add_axes(DvRecorder *self, const Level *level, const Entry *entry);
void recorder_add_setting(DvRecorder *self, Recording *recording, const Entry *entry);
/* Once all surfaces and shaders are known. */
void recorder_add_passes(DvRecorder *self, Recording *recording);

#endif
