/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pictures: all that is needed to draw one moment of a scene, apart from the scene.
 *
 * A picture never changes once it is recorded, so any thread may draw it while the scene goes on. Arrays belong to pictures by
 * reference: what has not changed since the picture before is the same array, with the same number, and is neither copied nor
 * uploaded again. Numbers are those of graphics cards: float for coordinates (m), bytes for colours.
 *
 *   const DvPictureRecorderOps *ops = dv_service(DV_PICTURE_RECORDER);
 *   DvRecorder *recorder = ops->create(scene);
 *   DvPicture *picture = ops->record(recorder, NULL);     ... hand it to whoever draws; he says ops->unref(picture) ...
 *   ops->destroy(recorder);
 */
#ifndef DIVAN_CONTRACTS_PICTURE_H
#define DIVAN_CONTRACTS_PICTURE_H

#include <divan/contracts/camera.h>
#include <divan/contracts/visual.h>
#include <divan/scene.h>

DV_BEGIN_DECLS

typedef struct DvPictureArray {
    uint64_t id; /* another for each array of the process; never 0 */
    const void *at;
    uint32_t count; /* elements */
    uint32_t bytes; /* of an element */
} DvPictureArray;

/* Pixels of a texture, read once for all pictures. */
typedef struct DvPictureImage {
    uint64_t id; /* likewise */
    uint32_t width, height;
    const uint8_t *pixels; /* height x width x 4: red green blue alpha; the first row is the lowest */
    bool opaque;
} DvPictureImage;

typedef struct DvPictureMaterial {
    float ambient[4], diffuse[4], specular[4], emissive[4], shininess;
    const DvPictureImage *texture; /* NULL: none */
} DvPictureMaterial;

enum {
    DV_PICTURE_CLIPS = 8, /* planes that can act on one thing */
    DV_PICTURE_LIGHTS = 8 /* that count; more are told and left out */
};

/* What holds for a node, and so for what it shows. */
typedef struct DvPictureState {
    float transform[12];              /* world from object: 3 rows of 4 */
    float clips[DV_PICTURE_CLIPS][4]; /* kept is where a x + b y + c z + d >= 0, in the world */
    uint32_t clip_count;
    bool moved;     /* transform is not the identity */
    int32_t shader; /* index in shaders; -1: none */
} DvPictureState;

typedef struct DvPictureSurface {
    uint64_t key;                       /* of the object, the same in each picture */
    const char *path;                   /* of the object, for messages and for picking */
    const DvPictureArray *positions;    /* 3 floats each; never NULL */
    const DvPictureArray *normals;      /* 3 floats, or NULL */
    const DvPictureArray *texcoords;    /* 2 floats, or NULL */
    const DvPictureArray *colors;       /* 4 bytes, or NULL */
    const DvPictureArray *triangles;    /* 3 uint32_t, all of them below positions->count; or NULL */
    const DvPictureArray *quads;        /* 4, likewise */
    const DvPictureArray *edges;        /* 2, likewise */
    const DvPictureMaterial *materials; /* [material_count], at least one */
    const DvSurfaceGroup *groups;       /* [group_count] */
    uint32_t material_count, group_count;
    uint64_t materials_id; /* another when materials or groups are others */
    uint32_t state;        /* index in states */
    DvSurfaceStyle style;
    bool translucent; /* some part of it lets through what is behind: its blending is style's */
    bool wireframe, shows_normals;
    bool moves; /* it belongs to what has a mass or forces and is stepped, or follows it */
} DvPictureSurface;

/* Primitives of one kind that are drawn in one call. */
typedef enum DvBatchKind {
    DV_BATCH_POINTS,    /* a vertex each */
    DV_BATCH_LINES,     /* 2 */
    DV_BATCH_TRIANGLES, /* 3 */
    DV_BATCH_SPHERES,   /* solids from here on */
    DV_BATCH_CYLINDERS,
    DV_BATCH_ARROWS,
    DV_BATCH_SPLATS /* round spots that face the camera and fade outwards */
} DvBatchKind;
typedef struct DvBatchVertex {
    float at[3];
    uint8_t color[4];
} DvBatchVertex;
typedef struct DvBatchSolid {
    float from[3], radius; /* spheres and splats: centre */
    float to[3];           /* of cylinders and arrows */
    uint8_t color[4];
} DvBatchSolid;
typedef struct DvPictureBatch {
    DvBatchKind kind;
    uint32_t state;              /* index in states */
    uint32_t draw_state;         /* bits of DvDrawState */
    float pixels;                /* size of points, width of lines */
    bool translucent;            /* some colour lets through what is behind */
    const DvPictureArray *array; /* DvBatchVertex (points, lines, triangles) or DvBatchSolid */
} DvPictureBatch;

/* Whose the primitives of a batch are: those from `first` on, up to the next owner of the same batch. */
typedef struct DvPictureOwner {
    uint32_t batch, first; /* index in batches; element of its array */
    const char *path;      /* of the object or node; NULL: nobody's */
} DvPictureOwner;

typedef struct DvPictureText {
    const char *text; /* UTF-8; lines end in \n */
    float color[4];
    float height; /* of letters: m in the scene, pixels on the screen */
    bool on_screen;
    float at[3];           /* m, in the scene: the lower left corner; it faces the camera */
    DvScreenCorner corner; /* on the screen */
    float x, y;            /* pixels from that corner */
    uint32_t state;
} DvPictureText;

typedef struct DvPictureLegend {
    const uint8_t *colors; /* [count] x 4 */
    uint32_t count;
    double least, most;
    const char *title; /* "" : none */
    float x, y, height;
} DvPictureLegend;

typedef struct DvPictureCamera {
    const char *name, *path;
    DvCamera camera;
} DvPictureCamera;

typedef struct DvPictureUniform {
    DvShaderElementKind kind;
    const char *name, *text, *owner; /* owner: path of the object, for messages */
    const float *numbers;            /* [count x rows x columns], row by row */
    uint32_t count, rows, columns, unit;
    const DvPictureArray *array; /* of an attribute: count x rows floats */
    const DvPictureImage *image; /* of a texture; NULL: mid-grey */
    bool repeats, sharp, srgb, without_mipmaps;
    const DvPictureImage *sides[6]; /* of a cube, as DvShaderElement has them; NULL: it is none */
} DvPictureUniform;
typedef struct DvPictureShader {
    uint64_t key;     /* of the object */
    uint64_t version; /* another when it has to be compiled again: files or macros are others */
    const char *owner;
    const char *names[DV_SHADER_STAGES];   /* as the scene gives them; NULL: not given */
    const char *sources[DV_SHADER_STAGES]; /* text of the files; NULL: the renderer's own */
    float outer_level, inner_level;        /* as DvShaderView has them */
    const DvPictureUniform *uniforms;
    uint32_t uniform_count;
} DvPictureShader;

/* The picture is drawn once more, over the whole, by a shader: DvPostProcess. */
typedef struct DvPicturePost {
    double near, far;
    uint32_t shader;  /* index in shaders */
    const char *path; /* of the object, for messages */
} DvPicturePost;

/* A step of a picture that is drawn in steps, each from those before it: DvRenderPass. */
typedef struct DvPicturePass {
    const char *name;       /* of its picture, a sampler2D in shaders of later steps */
    float scale;            /* size of its picture, of that of the view */
    bool to_screen;         /* it is what is seen, of several the last; where none is, the last of all */
    const uint8_t *draws;   /* [surface_count] not 0: it draws that surface; NULL: by `shader` over the whole */
    bool draws_batches;     /* primitives too */
    const uint32_t *inputs; /* [input_count] steps before it whose pictures `shader` is given */
    uint32_t input_count;
    uint32_t shader; /* index in shaders */
} DvPicturePass;

typedef struct DvPicture {
    double time; /* s, of the scene */
    uint64_t step;
    bool has_box;
    double box[6]; /* m: smallest, then largest corner of all that has bounds */
    double gravity[3];
    const DvPictureState *states;
    const DvPictureSurface *surfaces; /* in the order in which the scene is drawn */
    const DvPictureBatch *batches;
    const DvPictureText *texts;
    const DvPictureLegend *legends;
    const DvPictureCamera *cameras;
    const DvPictureShader *shaders;
    const DvLight *lights;
    uint32_t state_count, surface_count, batch_count, text_count, legend_count, camera_count, shader_count, light_count;
    bool has_lighting; /* else the renderer's own light holds, and `lights` is empty */
    DvLighting lighting;
    bool has_background;
    DvBackground background; /* its `image` is NULL */
    const DvPictureImage *background_image;
    double depth_scale;    /* of translucent things; 0: the renderer's own */
    uint64_t bytes_copied; /* into new arrays; what is shared with the picture before does not count */
    const DvSceneAxes *axes;
    const DvViewport *viewports;
    uint32_t axes_count, viewport_count;
    const DvPicturePost *posts; /* one after the other */
    uint32_t post_count;
    const DvPicturePass *passes; /* one after the other, instead of all at once and of `posts` */
    uint32_t pass_count;
    bool linear_colors; /* those of materials, lights and the background are; the picture has those of a screen */
    bool has_moving_box;
    double moving_box[6]; /* m: as `box`, of what has a mass or forces and is stepped, and of what follows it */
    /* Something moves, and nothing that does not lies below it: a renderer may show a ground in the plane where the product of a point
     * with the way up (against gravity, without any y) is `ground`. It never rises. */
    bool has_ground;
    double ground; /* m */
    bool has_moving_marks;
    float moving_marks[6];        /* m: bounds of all primitives that were drawn of what moves */
    bool shows_bodies;            /* of a scene that shows nothing by itself: see DvRecordOptions */
    const DvPictureOwner *owners; /* by batch, then by first; each batch has one from element 0 on */
    uint32_t owner_count;
} DvPicture;

/* What a view of the scene should have in its middle: all that has bounds or, where the rest is many times as wide (a floor, a room), what
 * moves, as a box of 6 numbers in `box`. NULL: nothing has bounds.     [any] */
static inline const double *dv_picture_view_box(const DvPicture *picture, double box[6])
{
    enum { TIMES = 4, MOST = 500 };
    const double *all = picture->box, *moving = picture->moving_box;
    double whole = 0, part = 0;
    for (int c = 0; c < 3; c++) {
        const double wide = all[3 + c] - all[c], moves = moving[3 + c] - moving[c];
        whole = wide > whole ? wide : whole;
        part = moves > part ? moves : part;
    }
    const bool is_part = picture->has_box && picture->has_moving_box && whole > TIMES * part;
    for (int c = 0; c < 3; c++) {
        /* One point has no size. */
        const double more = is_part && part * MOST < whole ? (whole / MOST - part) / 2 : 0;
        box[c] = (is_part ? moving : all)[c] - more;
        box[3 + c] = (is_part ? moving : all)[3 + c] + more;
    }
    return picture->has_box ? box : NULL;
}

static inline DvVec3 dv_picture_place(const DvPictureState *state, const float at[3])
{
    const float *m = state->transform;
    double to[3];
    for (int row = 0; row < 3; row++)
        to[row] = (double)(m[4 * row] * at[0] + m[4 * row + 1] * at[1] + m[4 * row + 2] * at[2] + m[4 * row + 3]);
    return dv_vec3_load(to);
}

/* Whether it is the path of that object or node, or of something below that node.     [any] */
static inline bool dv_picture_is_below(const char *path, const char *of)
{
    const size_t length = strlen(of);
    return path && strncmp(path, of, length) == 0 &&
           (path[length] == 0 || path[length] == '/' || (length && of[length - 1] == '/'));
}

/* Behind the last element of the batch that belongs to owner number `owner`.     [any] */
static inline uint32_t dv_picture_owner_end(const DvPicture *picture, uint32_t owner)
{
    const DvPictureOwner *here = &picture->owners[owner];
    return owner + 1 < picture->owner_count && here[1].batch == here->batch
               ? here[1].first
               : picture->batches[here->batch].array->count;
}

/* Elements [first, end) of the batch are told to `fit`.     [any] */
static inline void dv_picture_fit_batch(const DvPictureBatch *batch, const DvPictureState *state, uint32_t first,
                                        uint32_t end, DvCameraFit *fit)
{
    for (uint32_t i = first; i < end; i++) {
        if (batch->kind < DV_BATCH_SPHERES) {
            dv_camera_fit_add(fit, dv_picture_place(state, ((const DvBatchVertex *)batch->array->at)[i].at), 0);
            continue;
        }
        const DvBatchSolid *solid = (const DvBatchSolid *)batch->array->at + i;
        const double radius = (double)solid->radius;
        dv_camera_fit_add(fit, dv_picture_place(state, solid->from), radius);
        if (batch->kind == DV_BATCH_CYLINDERS || batch->kind == DV_BATCH_ARROWS)
            dv_camera_fit_add(fit, dv_picture_place(state, solid->to), radius);
    }
}

/* All that the picture shows, or what moves of it, is told to `fit`; `path` not NULL: what belongs to that object alone, or is below that
 * node.     [any] */
static inline void dv_picture_fit(const DvPicture *picture, bool moving, const char *path, DvCameraFit *fit)
{
    for (uint32_t i = 0; i < picture->surface_count; i++) {
        const DvPictureSurface *surface = &picture->surfaces[i];
        const float *at = (const float *)surface->positions->at;
        const bool is_below = !path || dv_picture_is_below(surface->path, path);
        for (uint32_t p = 0; is_below && (surface->moves || !moving) && p < surface->positions->count; p++)
            dv_camera_fit_add(fit, dv_picture_place(&picture->states[surface->state], at + 3 * (size_t)p), 0);
    }
    const float *box = picture->moving_marks;
    for (uint32_t i = 0; !path && !moving && i < picture->batch_count; i++)
        dv_picture_fit_batch(&picture->batches[i], &picture->states[picture->batches[i].state], 0,
                             picture->batches[i].array->count, fit);
    for (uint32_t i = 0; path && !moving && i < picture->owner_count; i++) {
        const DvPictureOwner *owner = &picture->owners[i];
        const DvPictureBatch *batch = &picture->batches[owner->batch];
        if (dv_picture_is_below(owner->path, path))
            dv_picture_fit_batch(batch, &picture->states[batch->state], owner->first, dv_picture_owner_end(picture, i),
                                 fit);
    }
    for (int i = 0; !path && moving && picture->has_moving_marks && i < 8; i++)
        dv_camera_fit_add(
            fit, dv_vec3((double)box[i & 1 ? 3 : 0], (double)box[i & 2 ? 4 : 1], (double)box[i & 4 ? 5 : 2]), 0);
}

/* The view of a scene whose maker gave none: three quarters from above, so far away that what moves of what is seen (else all that is
 * seen, else the bounds) takes 75 % of the width or height of a picture `aspect` times as wide as high. Orientation and place of the
 * camera change.     [any] */
static inline void dv_picture_frame(const DvPicture *picture, double aspect, DvCamera *camera)
{
    static const double share = 0.75;
    dv_quat_store(dv_camera_orientation_towards(dv_quat_identity(), dv_camera_up(picture->gravity),
                                                dv_camera_quarter(picture->gravity), dv_vec3(0, 0, 0)),
                  camera->orientation);
    for (int attempt = 0; attempt < 3; attempt++) {
        DvCameraFit fit = dv_camera_fit_begin(camera, aspect, share);
        double box[6];
        if (attempt < 2)
            dv_picture_fit(picture, attempt == 0, NULL, &fit);
        else
            dv_camera_sound_box(picture->has_box ? picture->box : NULL, box);
        for (int corner = 0; attempt == 2 && corner < 8; corner++)
            dv_camera_fit_add(&fit, dv_vec3(box[corner & 1 ? 3 : 0], box[corner & 2 ? 4 : 1], box[corner & 4 ? 5 : 2]),
                              0);
        if (dv_camera_fit_end(&fit, camera))
            return;
    }
}

/* How a scene is recorded. Zeros are what a scene is shown like. */
typedef struct DvRecordOptions {
    /* 1 on, -1 off: holds everywhere, whatever styles say; 0: as the scene has it. */
    signed char flags[DV_DISPLAY_FLAGS];
    double view[3]; /* where the camera looks, for drawables that face it; 0: nobody knows */
    /* Where a scene shows nothing by itself, and no flag above says otherwise: its bodies are drawn, meshes as closed skins with the edges of
     * their elements, rigid frames with the boxes of their inertia, points, and what force fields and collision models draw. */
    bool bodies;
} DvRecordOptions;

/* Flags begin as the root's style has them; a root without one shows visual models. A style holds in its node and below. */
#define DV_PICTURE_RECORDER "divan.picture-recorder/1"
typedef struct DvRecorder DvRecorder; /* of one scene; it knows what the last picture had */
typedef struct DvPictureRecorderOps {
    uint32_t size;
    DvRecorder *(*create)(DvScene *scene); /* [main] never NULL */
    /* The scene as it is now, brought up to date (dv_scene_update_visual); what has not changed since the last picture is shared with it.
     * Never NULL; whoever got it gives it back by unref. Files of textures and shaders that cannot be read are told once, as remarks of
     * their objects. `options` may be NULL.     [main] */
    DvPicture *(*record)(DvRecorder *recorder, const DvRecordOptions *options);
    void (*destroy)(DvRecorder *recorder); /* [main] before the scene goes; NULL is allowed. Pictures stay. */
    DvPicture *(*ref)(DvPicture *picture); /* [any] */
    void (*unref)(DvPicture *picture);     /* [any] NULL is allowed */
    /* The next picture has marks of `object`, what a user has selected, as `look` says, over all else; later ones do not unless it is said
     * again. Of an object without points they are those of its node: of its state, else of its mesh. NULL: none.     [main] */
    void (*mark)(DvRecorder *recorder, DvObject *object, const DvViewerLook *look);
    /* Words of displayFlags of a VisualStyle, between blanks or commas, with or without "show", into `flags`, where words stay that are not
     * named. An error with the reason in `why` where a word is none of them.     [any] */
    DvStatus (*read_flags)(const char *words, signed char flags[DV_DISPLAY_FLAGS], DvText *why);
} DvPictureRecorderOps;

DV_END_DECLS
#endif
