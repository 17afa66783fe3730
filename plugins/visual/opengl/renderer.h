/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The OpenGL renderer, core profile 3.3.
 *
 *   renderer.c     a picture in passes: shadows, what is opaque, what lets through, what lies on top
 *   surfaces.c     visual models: buffers that stay on the card, a draw for each material
 *   batches.c      primitives: a draw for each batch, solids by instances
 *   depth.c        near and far from what is visible, and how depths are kept
 *   shadows.c      depths seen from the lights
 *   studio.c       the lights of scenes that have none, and the ground with its shadow
 *   smooth.c       edges smoothed in the picture
 *   outline.c      a line around what is selected
 *   passes.c       instead: a picture in steps, as the scene has them
 *   post.c         the picture, drawn once more by shaders of the scene
 *   overlay.c      texts, legends, axes; font.c has the letters
 *   scene_shader.c shaders that scenes bring
 *   shaders.c      shaders of our own; program.c compiles both
 *   targets.c      framebuffers; textures.c images; context.c the context without a window
 *
 * Translucent things are drawn in any order: each adds its colour times alpha times a weight that falls with depth, and the mean is
 * laid over what is opaque (McGuire and Bavoil, Weighted blended order-independent transparency, 2013). Colours and one minus alpha
 * share a target: its colours are added, its alpha is multiplied, so one blend function does for all targets.
 */
#ifndef DIVAN_OPENGL_RENDERER_H
#define DIVAN_OPENGL_RENDERER_H

#include <epoxy/gl.h>

#include <divan/contracts/renderer.h>

#include "list.h"

enum { MOST_LIGHTS = DV_PICTURE_LIGHTS, SHADOW_UNIT = 7, OWN_TEXTURE_UNIT = 0 };

/* Programs */

typedef enum ProgramKind { /* what is drawn */
                           PROGRAM_SURFACE,
                           PROGRAM_VERTICES,
                           PROGRAM_SOLIDS,
                           PROGRAM_KINDS
} ProgramKind;
/* Programs of scenes have one pass more. */
typedef enum Pass { PASS_OPAQUE, PASS_TRANSLUCENT, PASS_SHADOW, PASSES, PASS_POST = PASSES, SCENE_PASSES } Pass;

typedef struct Uniforms {
    GLint view, projection, model, normal_matrix, eye, clip_count, clips;
    GLint ambient, diffuse, specular, emissive, shininess, textured, texture, own_color, colored, lit, flat_normals,
        thin;
    GLint light_count, light_color, light_position, light_direction, light_factors, light_shadow, light_matrix,
        shadow_map;
    GLint key, fill, rim, half_way;
    GLint light_extent, scene_ambient, fog, xray, depth_scale, adds, shape, splats, orthographic, depths, stored;
} Uniforms;
typedef struct Program {
    GLuint name;
    uint64_t looked; /* the look for which it has its uniforms: renderer_look */
    bool patches;    /* it takes patches of three vertices, not triangles */
    Uniforms at;
} Program;

/* What a program of our own can do. A processor that draws pays for all of it at each pixel, used or not, so each thing is drawn by a
 * program that can do no more than it needs. */
enum {
    WITH_LIGHT = 1 << 0,
    WITH_TEXTURE = 1 << 1,
    WITH_FLAT_NORMALS = 1 << 2,
    WITH_SPLATS = 1 << 3,
    WITH_XRAY = 1 << 4,
    WITH_HIGHLIGHTS = 1 << 5,
    WITH_FADING = 1 << 6, /* lights that fade by distance or in a cone */
    WITH_SHADOWS = 1 << 7,
    WITH_FOG = 1 << 8,
    WITH_MANY_LIGHTS = 1 << 9, /* or none */
    WITH_CLIPS = 1 << 10,
    WITH_THIN = 1 << 11,      /* lines and points: they have no sides */
    WITH_COLORS = 1 << 12,    /* of vertices */
    WITH_OWN_COLOR = 1 << 13, /* which are all there is: primitives have no material */
    WITH_STUDIO = 1 << 14,    /* the lights of studio.c instead of all others */
    FEATURES = 15,
    WITH_ALL = WITH_STUDIO - 1
};
typedef struct OwnProgram {
    ProgramKind kind;
    Pass pass;
    uint32_t features;
    Program program;
} OwnProgram;

typedef struct ProgramText {
    const char *stages[DV_SHADER_STAGES]; /* NULL: left out */
    const char *head;                     /* of each stage */
    const char *ends; /* the main of the fragment stage, which calls that of the text as dv_scene_main; NULL: its own */
} ProgramText;
/* Compiles and links. 0: it could not, `why` has what the compiler says, and *failed the stage. */
GLuint program_compile(const ProgramText *text, DvText *why, int *failed);
void program_find_uniforms(Program *program);

/* Programs that cover the screen or lay letters on it. */
typedef struct ScreenProgram {
    GLuint name;
    GLint box, bottom, top, textured, texture, sum, weights, view, projection, depths, stored, range;
} ScreenProgram;
bool program_make_all(DvRenderer *self, DvText *why);
/* In use, with the uniforms of the present look. Another is made when features are asked for the first time together. */
const Program *program_use(DvRenderer *self, ProgramKind kind, Pass pass, uint32_t features);
void program_free_all(DvRenderer *self);

/* Attributes of all programs. */
enum { AT_POSITION, AT_NORMAL, AT_TEXCOORD, AT_COLOR, AT_FROM, AT_TO, OWN_ATTRIBUTES };

extern const char *const shader_vertex[PROGRAM_KINDS];
extern const char *const shader_fragment;
extern const char *const shader_shadow_fragment;
extern const char *const shader_to_patches; /* before our vertex shader, where patches follow */
extern const char *const shader_screen_vertex, *const shader_background_fragment, *const shader_compose_fragment;
extern const char *const shader_ground_vertex, *const shader_ground_fragment, *const shader_soften_fragment;
extern const char *const shader_across_fragment, *const shader_line_fragment;
extern const char *const shader_text_vertex, *const shader_text_fragment, *const shader_depths_fragment;
extern const char *const shader_post_vertex, *const shader_post_fragment, *const shader_translucent_ends;
/* Our text for a file that open scenes name, whatever its folder; NULL: there is none. */
const char *shader_by_name(const char *file);

/* Targets */

typedef struct Behind { /* what a background looks like */
    float bottom[4], top[4];
    uint64_t image; /* 0: none */
} Behind;
typedef struct Targets {
    uint32_t width, height;
    GLsizei samples;
    bool linear;                  /* what is written becomes colours of a screen */
    bool reversed;                /* depths, in floats: depth.c */
    GLuint drawing, color, depth; /* framebuffer and renderbuffers, of many samples; 0 when `picture` is drawn to */
    GLuint picture, picture_texture, picture_depth;
    GLuint mixing, mixing_color, mixing_weight; /* of many samples; share `depth` */
    GLuint mixed, mixed_color, mixed_weight;    /* of one sample, to be read from */
    GLuint behind, behind_texture;              /* a background, painted before */
    Behind behind_is;
    GLuint post, post_color, post_depth; /* a copy of the picture, to be read from */
    GLuint depths, depths_texture;       /* as shaders of scenes get them */
} Targets;
DvStatus targets_fit(Targets *targets, const DvRenderView *view, GLsizei samples, bool linear, bool reversed,
                     DvText *why);
DvStatus targets_fit_mixing(Targets *targets, DvText *why); /* made when something translucent is first seen */
bool targets_fit_behind(Targets *targets);                  /* likewise of a background; false: there is no memory */
DvStatus targets_fit_post(Targets *targets, DvText *why);
void targets_copy(const Targets *targets, GLuint from, GLuint to, GLenum attachment);
void targets_free(Targets *targets);
GLuint targets_drawing(const Targets *targets);

/* Textures of images, by their numbers. */
typedef struct Texture {
    uint64_t id;
    bool cube, repeats, sharp, srgb, mipmaps;
    GLuint name;   /* 0: a cube of sides that do not fit */
    uint64_t used; /* frame */
} Texture;
GLuint texture_of(DvRenderer *self, const DvPictureImage *image, bool repeats, bool sharp, bool srgb, bool mipmaps);
/* A cube of six sides; 0: they are no squares of one size. */
GLuint texture_of_cube(DvRenderer *self, const DvPictureUniform *uniform);

/* What stays on the card of a visual model. */
typedef struct GpuBuffer {
    GLuint name;
    uint64_t id; /* of the array; 0: none */
    size_t bytes;
} GpuBuffer;
typedef struct GpuSurface {
    uint64_t key, used;
    GLuint vertex_array, normal_array;
    GpuBuffer positions, normals, texcoords, colors, faces, wires, edges, arrows;
    uint64_t face_ids[2]; /* triangles, quads that `faces` was made of */
    uint64_t wire_ids[2];
    uint64_t arrow_ids[2]; /* positions, normals */
    uint32_t triangles, quads;
    List extra; /* GpuBuffer: attributes of a scene's shader */
} GpuSurface;
typedef struct GpuBatch {
    uint64_t id, used;
    GLuint vertex_array, buffer;
} GpuBatch;

typedef struct Shape { /* what is drawn for each solid */
    GLuint vertices, indices;
    GLsizei count;
} Shape;
enum { SHAPE_SPHERE, SHAPE_COARSE_SPHERE, SHAPE_CYLINDER, SHAPE_ARROW, SHAPE_SQUARE, SHAPES };

typedef struct SceneProgram SceneProgram;
typedef struct ArrayBox ArrayBox;

typedef struct Letter {
    uint32_t code, pixels;
    int left, top, width, height; /* pixels of the bitmap, and where it sits */
    float advance;
    float u[4]; /* in the atlas: left, top, right, bottom */
} Letter;
typedef struct Font {
    bool opened, present;
    void *library, *face; /* FreeType's */
    List letters;         /* Letter */
    GLuint atlas;
    uint32_t x, y, row; /* where the next letter goes */
} Font;
enum { ATLAS_SIDE = 1024 };
bool font_open(Font *font);
const Letter *font_letter(Font *font, uint32_t code, uint32_t pixels);
/* Before texts of a picture: an atlas that is nearly full is emptied. */
void font_begin_frame(Font *font);
void font_free(Font *font);
/* The next character of UTF-8; 0 at the end. */
uint32_t font_next_code(const char **text);

typedef struct Shadows {
    GLuint framebuffer, texture;
    uint32_t size, layers;
    int32_t layer_of[MOST_LIGHTS];   /* -1: none */
    float matrices[MOST_LIGHTS][16]; /* by rows: from the world to the map, 0 to 1 */
    float texel[MOST_LIGHTS];        /* m, width of a texel where the scene is */
} Shadows;

/* The ground: a square in its plane that shadows fall on, and the map of these. */
typedef struct Studio {
    bool holds;                                          /* the scene has no lights */
    float key[3], fill[3], rim[3], half_way[3];          /* the ways towards the lights, of length 1 */
    bool grounded;                                       /* there is a ground to be drawn */
    float up[3], across[3], along[3], middle[3], radius; /* axes of the plane, and what the map shows of it; m */
    GLuint framebuffers[2], maps[2], depth_framebuffer, depth_map; /* maps: the second one is softened */
    GLuint ground, soften;                                         /* programs */
    GLint ground_view, ground_projection, ground_middle, ground_across, ground_along, soften_box, soften_step,
        soften_raw;
} Studio;

/* A picture whose edges are smoothed, and which of its pixels become others. */
typedef struct Smoothing {
    uint8_t *pixels, *flags; /* of all; of a row */
    size_t bytes, row;
    List changes;
} Smoothing;

/* Where something is drawn, and how far from it the pixels around it are. */
typedef struct Outline {
    uint32_t width, height;
    bool reversed;
    GLuint mask, mask_depths, spread, spread_texture; /* framebuffers, each with its texture */
    GLuint across, line;                              /* programs */
    GLint across_box, across_empty, line_box, line_color;
} Outline;

struct DvRenderer {
    DvRenderContext *context; /* its own; NULL: that which is current */
    char *device, *version;
    GLsizei samples;
    bool smooths; /* edges, in the picture */
    bool has_tessellation;
    bool reversed; /* depths run from 1 at near to 0 at far */
    bool shifts;   /* faces beside lines: depth_of_faces */
    bool lifts;    /* lines and points come before the faces that they lie in */
    bool marks;    /* it is they that are drawn now */
    uint64_t frame;
    List programs; /* OwnProgram * */
    ScreenProgram background, background_image, compose, letters, depths;
    GLuint empty_array, square_array, square_buffer;
    Targets targets, second_targets; /* of the whole, and of viewports */
    List pass_targets;               /* Targets: of each pass of a scene */
    List textures, surfaces, batches, scene_programs;
    List boxes; /* ArrayBox */
    uint32_t box_hint;
    Shape shapes[SHAPES];
    Font font;
    GLuint text_array, text_buffer, grey;
    Shadows shadows;
    Studio studio;
    Smoothing smoothing;
    Outline outline;
    DvRenderStats stats;
    float widest_line, largest_point;
    int clips_enabled;
    /* of the present draw */
    const DvPicture *picture;
    const DvRenderView *view;
    const DvPicturePass *pass;             /* NULL: all is drawn */
    bool is_second;                        /* a viewport, in a part of the picture */
    float view_matrix[16], projection[16]; /* by rows */
    float eye[3];
    uint64_t look; /* of renderer_look */
    float look_view[16], look_projection[16];
    uint32_t features;           /* of all that is drawn: lights and fog */
    DvLight lights[MOST_LIGHTS]; /* in the world */
    float light_ambient[MOST_LIGHTS], light_diffuse[MOST_LIGHTS];
    uint32_t light_count;
    float scene_ambient[3];
    double depth_scale;
};

/* context.c: errors are in `why`. */
DvStatus context_create(DvRenderContext **context, DvText *why); /* it is current then */
DvStatus context_use(const DvRenderContext *context, DvText *why);
void context_destroy(DvRenderContext *context);

void renderer_buffer(DvRenderer *self, GLenum target, GpuBuffer *buffer, const DvPictureArray *array);
/* From here on things are seen so: by the camera, or a light. */
void renderer_look(DvRenderer *self, const float view[16], const float projection[16]);
/* Begins to use a program, with the uniforms of the look; then those of a state. */
void renderer_use(DvRenderer *self, Program *program);
void renderer_set_state(DvRenderer *self, const Program *program, const DvPictureState *state);
void renderer_end_clips(DvRenderer *self); /* what is drawn next is cut by no plane */
const DvPictureState *renderer_plain_state(void);
/* Of programs for what is lit and has this state. */
uint32_t renderer_features(const DvRenderer *self, const DvPictureState *state);

void surfaces_draw(DvRenderer *self, Pass pass, bool on_top, bool blended);
void surfaces_draw_below(DvRenderer *self, const char *path); /* depths of what belongs to it, whatever it looks like */
void surfaces_sweep(DvRenderer *self, bool all);
bool surfaces_translucent(const DvRenderer *self);

void batches_start(DvRenderer *self);
void batches_draw(DvRenderer *self, Pass pass, bool on_top);
void batches_draw_below(DvRenderer *self, const char *path); /* likewise */
void batches_sweep(DvRenderer *self, bool all);
bool batches_translucent(const DvRenderer *self);

/* Whether the driver has what reversed depths take. */
bool depth_is_offered(void);
/* `projection` of the present view. */
void depth_projection(DvRenderer *self);
/* The box of what belongs to the object or is below the node of this path, in the world; false: there is nothing. */
bool depth_box_below(DvRenderer *self, const char *path, float box[6]);
/* Around what is drawn as the camera sees it; shadows and other users of the context have OpenGL's own depths. */
void depth_begin(DvRenderer *self);
void depth_end(DvRenderer *self);
void depth_of_faces(const DvRenderer *self);       /* from then on polygons are shifted as faces beside lines are */
void depth_of_marks(DvRenderer *self, bool marks); /* what is drawn is lines or points, until it is not */
/* Of a program that reads depths which were drawn with this projection. */
void depth_uniforms(const DvRenderer *self, GLint depths, GLint stored, const float projection[16]);

bool outline_make(Outline *outline, DvText *why);
void outline_draw(DvRenderer *self); /* over the picture */
void outline_free(Outline *outline);

void shadows_draw(DvRenderer *self);
void shadows_free(Shadows *shadows);

bool studio_make(Studio *studio, DvText *why);
/* Where its lights are as the camera stands. */
void studio_place(DvRenderer *self);
/* What is given to programs of the present look; a colour of the scene as this light has it, once ambient light. */
void studio_uniforms(const DvRenderer *self, const Program *program);
void studio_color(const float color[4], float linear[4]);
void studio_ambient(const float color[4], float linear[4]);
/* The shadow on the ground, before the scene is drawn; the ground, once all that is opaque is there. */
void studio_draw_shadow(DvRenderer *self);
void studio_draw_ground(DvRenderer *self);
void studio_free(Studio *studio);
/* Bounds of what moves of the picture; false: there is nothing. */
bool depth_moving_box(DvRenderer *self, float box[6]);

/* Of the picture that is there. */
void smooth_draw(DvRenderer *self);
void smooth_free(Smoothing *smoothing);

DvStatus post_draw(DvRenderer *self, DvText *why);
void post_free(DvRenderer *self);

/* The corners of the picture, -1 to 1, by the program in use. */
void post_draw_square(DvRenderer *self);

/* All passes of the picture; what is to be seen is in the targets then. */
DvStatus passes_draw(DvRenderer *self, DvText *why);
void passes_free(DvRenderer *self);

/* What is behind the scene; all that the camera sees of it, ended in the picture of the targets. */
void renderer_draw_background(DvRenderer *self);
DvStatus renderer_draw_scene(DvRenderer *self, DvText *why);

void overlay_draw(DvRenderer *self);

/* A program that the scene brings for a pass, in use; NULL: it has none that works. */
const Program *scene_shader_use(DvRenderer *self, int32_t shader, Pass pass);
/* What the scene gives the program that is in use; attributes of a surface's vertices, if there is one. */
void scene_shader_bind(DvRenderer *self, int32_t shader, const Program *program, GpuSurface *surface,
                       uint32_t vertices);
void scene_shaders_free(DvRenderer *self);

/* Matrices by rows. */
void matrix_multiply(const float a[16], const float b[16], float product[16]);
void matrix_of_doubles(const double from[16], float to[16]);

extern const DvRendererOps renderer_ops;

#endif
