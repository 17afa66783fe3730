/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Visual models and debug drawing.
 *
 * A visual model is brought up to date when somebody looks, not in every step. Components draw what they are for
 * debugging through a DvDraw that the viewer (or a recorder) gives them; they never see a graphics library. The rest of
 * what makes a picture (lights, cameras, backgrounds...) are structs that an object fills when it is asked; who asks keeps nothing of
 * them but by copying. contracts/picture.h says what becomes of it.
 *
 * Threads: [main], between steps.
 */
#ifndef DIVAN_CONTRACTS_VISUAL_H
#define DIVAN_CONTRACTS_VISUAL_H

#include <divan/node.h>

DV_BEGIN_DECLS

#define DV_VISUAL_MODEL "divan.visual-model/1"
typedef struct DvVisualModelOps {
    uint32_t size;
    void (*update)(void *self); /* normals and whatever follows from the vertices */
} DvVisualModelOps;

#define DV_VISUAL_LOOP "divan.visual-loop/1"
typedef struct DvVisualLoopOps {
    uint32_t size;
    void (*update)(void *self); /* all visual models below its node */
    bool by_default; /* a root without a loop gets one of this class; of several classes, that of the highest rank */
} DvVisualLoopOps;

/* What is shown below a node. Each flag is on, off or inherited from above; asked, "inherited" counts as off. */
typedef enum DvDisplayFlag {
    DV_DISPLAY_VISUAL_MODELS,
    DV_DISPLAY_BEHAVIOR_MODELS,
    DV_DISPLAY_FORCE_FIELDS,
    DV_DISPLAY_INTERACTION_FORCE_FIELDS,
    DV_DISPLAY_COLLISION_MODELS,
    DV_DISPLAY_BOUNDING_COLLISION_MODELS,
    DV_DISPLAY_DETECTION_OUTPUTS,
    DV_DISPLAY_MAPPINGS,
    DV_DISPLAY_MECHANICAL_MAPPINGS,
    DV_DISPLAY_ADVANCED_RENDERING,
    DV_DISPLAY_WIREFRAME,
    DV_DISPLAY_NORMALS,
    DV_DISPLAY_FLAGS
} DvDisplayFlag;
#define DV_VISUAL_STYLE "divan.visual-style/1"
typedef struct DvVisualStyleOps {
    uint32_t size;
    /* Replaces what the style sets in flags[DV_DISPLAY_FLAGS]: 1 on, -1 off, 0 inherited. */
    void (*merge)(void *self, signed char *flags);
} DvVisualStyleOps;

/* What a list of colours (red green blue alpha each, from 0 to 1) belongs to: each corner or each line or triangle. */
typedef enum DvColorsOf { DV_COLORS_OF_CORNERS, DV_COLORS_OF_ELEMENTS } DvColorsOf;

/* How what follows is drawn, bits; 0, as every object begins: lit, hidden by what is in front, filled. */
typedef enum DvDrawState {
    DV_DRAW_UNLIT = 1u << 0,     /* in its colours, whatever the lights are */
    DV_DRAW_ON_TOP = 1u << 1,    /* nothing hides it */
    DV_DRAW_WIREFRAME = 1u << 2, /* triangles by their edges */
} DvDrawState;

/* A text on the screen: x and y in pixels from the corner to the nearest corner of the text, letters so many pixels high. */
typedef enum DvScreenCorner { DV_TOP_LEFT, DV_TOP_RIGHT, DV_BOTTOM_LEFT, DV_BOTTOM_RIGHT } DvScreenCorner;
typedef struct DvScreenText {
    DvScreenCorner corner;
    double x, y, height;
    double color[4];
    const char *text; /* UTF-8; lines end in \n; read before the call returns */
} DvScreenText;

/* Where primitives go. Points are count x 3 doubles in metres, colours red green blue alpha from 0 to 1; arrays are read
 * before the call returns. One call takes any number of primitives: components batch, they do not call once per element.
 * An alpha below 1 lets through what is behind. All required. */
typedef struct DvDraw DvDraw;
typedef struct DvDrawOps {
    uint32_t size;
    void (*points)(DvDraw *draw, const double *points, uint32_t count, double pixels, const double color[4]);
    void (*lines)(DvDraw *draw, const double *points, uint32_t lines, double pixels,
                  const double color[4]); /* 2 points each */
    void (*triangles)(DvDraw *draw, const double *points, uint32_t triangles,
                      const double color[4]); /* 3 points each, seen from both sides */
    void (*spheres)(DvDraw *draw, const double *centres, const double *radii, uint32_t count, const double color[4]);
    void (*frames)(DvDraw *draw, const double *rigids, uint32_t count, double size); /* 7 doubles each */
    void (*text)(DvDraw *draw, const double point[3], const char *text, double size, const double color[4]);
    /* From the first of 2 points each to the second, where an arrow has its tip; radii in metres, of an arrow's shaft. */
    void (*arrows)(DvDraw *draw, const double *points, const double *radii, uint32_t count, const double color[4]);
    void (*cylinders)(DvDraw *draw, const double *points, const double *radii, uint32_t count, const double color[4]);
    /* As above with 4 doubles of colour for each point, or each corner or element; between corners it blends. */
    void (*colored_points)(DvDraw *draw, const double *points, uint32_t count, double pixels, const double *colors);
    void (*colored_lines)(DvDraw *draw, const double *points, uint32_t lines, double pixels, const double *colors,
                          DvColorsOf of);
    void (*colored_triangles)(DvDraw *draw, const double *points, uint32_t triangles, const double *colors,
                              DvColorsOf of);
    /* Texts in the scene, as `text`: they face the camera, their lower left corner at the point, letters `size` metres high. */
    void (*texts)(DvDraw *draw, const double *points, const char *const *texts, uint32_t count, double size,
                  const double color[4]);
    void (*screen_texts)(DvDraw *draw, const DvScreenText *texts, uint32_t count);
    /* Round spots that face the camera and fade from their centres to their rims; radius in metres, a colour each. */
    void (*splats)(DvDraw *draw, const double *centres, uint32_t count, double radius, const double *colors);
    void (*state)(DvDraw *draw, uint32_t state); /* of what this object draws from here on: bits of DvDrawState */
} DvDrawOps;
struct DvDraw {
    const DvDrawOps *ops;
    uint32_t shown; /* bit 1 << f for each DvDisplayFlag f that is on */
    double view[3]; /* where the camera looks, a unit vector, for what faces it; 0 where nobody knows */
    double body[4]; /* the colour of the body that the object belongs to: dv_palette, grey of what does not move */
};
static inline bool dv_draw_shows(const DvDraw *draw, DvDisplayFlag flag)
{
    return (draw->shown >> flag & 1u) != 0;
}

/* Offered by every class that has something to show. */
#define DV_DRAWABLE "divan.drawable/1"
typedef struct DvDrawableOps {
    uint32_t size;
    void (*draw)(void *self, DvDraw *draw);
} DvDrawableOps;

/* What visual models show: a surface, by arrays that stay theirs.
 *
 * An array is valid until the object changes; its version is another number whenever its content may be another. Absent arrays have
 * `at` NULL. Vertices are those of `positions`; faces of vertices that are not there are left out by whoever draws. */
typedef struct DvSurfaceArray {
    const void *at;
    uint32_t count;
    uint64_t version;
} DvSurfaceArray;

/* Colours are red green blue alpha from 0 to 1, as they are to be used: what the material switches off is black already. */
typedef struct DvMaterial {
    double ambient[4], diffuse[4], specular[4], emissive[4];
    double shininess; /* exponent of the highlight (Blinn 1977), 0 to 128 */
    const char *
        texture; /* file of a picture that the diffuse colour is multiplied by, as it is found on the disk; NULL: none */
} DvMaterial;

/* Elements that have another material than the first; those of no group have materials[0]. */
typedef struct DvSurfaceGroup {
    uint32_t first_triangle, triangles, first_quad, quads, first_edge, edges;
    uint32_t material; /* index in materials */
} DvSurfaceGroup;

typedef enum DvBlend { DV_BLEND_ZERO, DV_BLEND_ONE, DV_BLEND_ALPHA, DV_BLEND_ONE_MINUS_ALPHA } DvBlend;
typedef enum DvBlendEquation { DV_BLEND_ADD, DV_BLEND_SUBTRACT, DV_BLEND_LEAST, DV_BLEND_MOST } DvBlendEquation;
typedef enum DvCull { DV_CULL_NONE, DV_CULL_BACK, DV_CULL_FRONT } DvCull;

/* Zeros are what most surfaces are: lit faces seen from both sides, hidden by what is in front. */
typedef struct DvSurfaceStyle {
    bool as_points;                /* vertices instead of faces, unlit, in the diffuse colour */
    bool unlit;                    /* in the diffuse colour, whatever the lights are */
    bool on_top;                   /* nothing hides it */
    bool casts_no_shadow;          /* light goes through */
    bool repeats_no_texture;       /* beyond its borders a texture has their colour */
    bool srgb_textures;            /* colours of textures are those of a screen and become linear */
    bool blends;                   /* the whole is drawn over what is behind, by the three members below */
    bool adds;                     /* translucent parts: colours are multiplied by alpha already */
    bool hides_when_blended;       /* translucent parts hide what is behind */
    bool blends_not;               /* translucent parts are drawn as if they were opaque */
    DvBlendEquation equation;      /* of `blends` */
    DvBlend source, target;        /* likewise: factors of the new colour and of the one behind */
    DvCull cull;                   /* faces left out */
    double line_width, point_size; /* pixels; 0: 1 */
} DvSurfaceStyle;

typedef struct DvSurfaceView {
    DvSurfaceArray positions; /* count x 3 doubles, m */
    DvSurfaceArray normals;   /* [positions.count] x 3 doubles, of length 1; absent: faces are flat */
    DvSurfaceArray
        texcoords;         /* [positions.count] x 2 doubles, 0 0 the lower left corner; absent: no texture is shown */
    DvSurfaceArray colors; /* [positions.count] x 4 doubles; multiply the material's diffuse colour */
    DvSurfaceArray triangles, quads, edges; /* count x 3, 4, 2 uint32_t; corners against the clock seen from outside */
    const DvMaterial *materials;            /* [material_count]; none: a grey one */
    const DvSurfaceGroup *groups;           /* [group_count] */
    uint32_t material_count, group_count;
    uint64_t materials_version; /* of materials, groups and the names in them */
    DvSurfaceStyle style;
    double crease_angle;  /* degrees: faces that meet at more are drawn with normals of their own; 0: with `normals` */
    DvSurfaceArray shape; /* as positions: where creases are looked for, whatever the present shape; absent: there */
    bool is_plain;        /* nobody has chosen its material: whoever draws it may give it the colour of its body */
} DvSurfaceView;

/* Offered beside DV_VISUAL_MODEL by those that show a surface. */
#define DV_SURFACE "divan.surface/1"
typedef struct DvSurfaceOps {
    uint32_t size;
    /* The surface as the last update left it; *view starts as zeros. False: nothing is shown now. What it points to stays until the
     * object changes. */
    bool (*view)(void *self, DvSurfaceView *view);
} DvSurfaceOps;

/* Where somebody looks from. Functions on it are in contracts/camera.h. */
typedef struct DvCamera {
    double position[3];    /* m */
    double orientation[4]; /* quaternion x y z w, world from camera; it looks along its -z axis, y is up */
    double look_at[3];     /* m, the point it turns about */
    double field_of_view;  /* degrees, vertical */
    double near, far;      /* m, along the axis */
    bool orthographic;
    bool fits_clip; /* near and far follow the bounds of the scene */
    bool by_bounds; /* the place is to be chosen from the bounds of the scene: dv_camera_look_at_box */
} DvCamera;
#define DV_CAMERA "divan.camera/1"
typedef struct DvCameraOps {
    uint32_t size;
    bool (*get)(void *self, DvCamera *camera); /* *camera starts as zeros; false: not activated */
    /* Puts it elsewhere, as a mouse does: fields follow.     [main] */
    void (*set)(void *self, const DvCamera *camera);
} DvCameraOps;

/* A camera that passes places in turn, which somebody may add: those that a viewer looked from. Such an object offers DV_CAMERA too. */
#define DV_CAMERA_PATH "divan.camera-path/1"
typedef struct DvCameraPathOps {
    uint32_t size;
    /* One more place at the end, as DvCamera has them; returns how many there are.     [main] */
    uint32_t (*add_place)(void *self, const double position[3], const double orientation[4]);
    bool (*passes)(void *self); /* its places, as they were turned */
    /* Begins, or ends. After an error, which has been reported, it goes on as before.     [main] */
    DvStatus (*pass)(void *self, bool on);
} DvCameraPathOps;

typedef enum DvLightKind { DV_LIGHT_DIRECTIONAL, DV_LIGHT_POSITIONAL, DV_LIGHT_SPOT } DvLightKind;
typedef struct DvLight {
    DvLightKind kind;
    double color[4];     /* of what it adds to ambient, diffuse and specular light */
    double position[3];  /* m; positional and spot */
    double direction[3]; /* directional: towards the light; spot: the way it shines; any length but 0 */
    double attenuation;  /* 1/m: light is divided by 1 + attenuation x distance */
    double cutoff;       /* degrees, half the angle of the cone; spot */
    double exponent;     /* of the cosine to the axis, by which light fades outwards; spot */
    bool with_camera;    /* position and direction are in the camera's frame */
    bool shows_source;   /* a mark where it stands */
    bool casts_shadows, soft_shadows;
    double shadow_strength;                /* 0 none to 1 black */
    uint32_t shadow_size;                  /* pixels of a side of the shadow map; 0: as the renderer likes */
    double shadow_near, shadow_far;        /* m, depths of the shadow map; 0: from the bounds of the scene */
    double light_bleeding, least_variance; /* of soft shadows (Donnelly and Lauritzen 2006) */
} DvLight;
#define DV_LIGHT "divan.light/1"
typedef struct DvLightOps {
    uint32_t size;
    void (*get)(void *self, DvLight *light); /* *light starts as zeros */
} DvLightOps;

/* What holds for all lights. A scene without it has the renderer's own light: its lights do not count. */
typedef struct DvLighting {
    double ambient[4];
    bool shadows, soft_shadows; /* any light's shadows; all of them soft */
} DvLighting;
#define DV_LIGHTING "divan.lighting/1"
typedef struct DvLightingOps {
    uint32_t size;
    void (*get)(void *self, DvLighting *lighting); /* *lighting starts as zeros */
} DvLightingOps;

/* What is behind the scene. */
typedef struct DvBackground {
    double color[4], top[4]; /* a gradient from `color` at the bottom to `top`; the same for one colour */
    const char *image;       /* file of a picture shown instead, over the whole; NULL: none */
} DvBackground;
#define DV_BACKGROUND "divan.background/1"
typedef struct DvBackgroundOps {
    uint32_t size;
    void (*get)(void *self, DvBackground *background); /* starts as zeros */
} DvBackgroundOps;

/* Cuts away what is on one side of a plane, in the node and below. */
typedef struct DvClipPlane {
    double position[3], normal[3]; /* m; towards the side that is cut away, any length but 0 */
} DvClipPlane;
#define DV_CLIP_PLANE "divan.clip-plane/1"
typedef struct DvClipPlaneOps {
    uint32_t size;
    bool (*get)(void *self, DvClipPlane *plane); /* false: not active */
} DvClipPlaneOps;

/* Moves what visual models show, in the node and below. */
#define DV_VISUAL_TRANSFORM "divan.visual-transform/1"
typedef struct DvVisualTransformOps {
    uint32_t size;
    /* 7 numbers: position, then the quaternion x y z w. Returns whether it holds below the node too; otherwise for the visual models that
     * stand before it in the node. */
    bool (*get)(void *self, double rigid[7]);
} DvVisualTransformOps;

/* The bar that says what colours mean. */
typedef struct DvLegend {
    const double *colors; /* [count] x 4, from the least to the largest value */
    uint32_t count;
    double least, most;
    const char *title; /* NULL: none */
    double x, y;       /* pixels from the upper left corner of the picture */
    double height;     /* pixels, of the letters */
} DvLegend;
#define DV_LEGEND "divan.legend/1"
typedef struct DvLegendOps {
    uint32_t size;
    bool (*get)(void *self, DvLegend *legend); /* *legend starts as zeros; false: not shown */
    /* Optional: who shows values in these colours says from which to which; a legend that has no range of its own shows it. */
    void (*set_range)(void *self, double least, double most);
} DvLegendOps;

/* How translucent things are drawn in the scene: without it, in the same way with the renderer's own depth scale. */
#define DV_TRANSPARENCY "divan.transparency/1"
typedef struct DvTransparencyOps {
    uint32_t size;
    double (*depth_scale)(void *self); /* 1/m, of the weight by depth (McGuire and Bavoil 2013) */
} DvTransparencyOps;

/* Shaders of scenes, in GLSL 3.30. A node's shader draws the visual models of the node and below; of nested ones the nearest, of two
 * in a node the last. Elements (macros, values, attributes, textures) belong to the nearest shader at or above their node. */
typedef enum DvShaderStage {
    DV_SHADER_VERTEX,
    DV_SHADER_FRAGMENT,
    DV_SHADER_GEOMETRY,
    DV_SHADER_CONTROL,    /* of tessellation, as the next: with the latter each triangle is a patch */
    DV_SHADER_EVALUATION, /* GLSL 4.00, where the driver has it */
    DV_SHADER_STAGES
} DvShaderStage;
typedef struct DvShaderView {
    const char *files[DV_SHADER_STAGES]; /* as found on the disk; NULL: not given, or not there: the renderer's own */
    const char *names[DV_SHADER_STAGES]; /* as the scene gives them, for messages; NULL: not given */
    uint64_t version;                    /* of all of that */
    double outer_level,
        inner_level; /* pieces of a patch's sides, and across it: for patches without a control shader */
    bool passive;    /* it draws no visual models: who needs it starts it, as a DvPostProcess does */
} DvShaderView;
#define DV_SHADER "divan.shader/1"
typedef struct DvShaderOps {
    uint32_t size;
    bool (*get)(void *self, DvShaderView *view); /* *view starts as zeros; false: switched off */
} DvShaderOps;

typedef enum DvShaderElementKind {
    DV_SHADER_MACRO,     /* text: #define name text */
    DV_SHADER_FLOATS,    /* a uniform of `rows` numbers, `count` of them */
    DV_SHADER_INTS,      /* likewise of whole numbers */
    DV_SHADER_MATRICES,  /* a uniform of rows x columns numbers, row by row */
    DV_SHADER_ATTRIBUTE, /* `rows` numbers for each vertex */
    DV_SHADER_TEXTURE    /* a sampler */
} DvShaderElementKind;
typedef struct DvShaderElement {
    DvShaderElementKind kind;
    const char *name; /* in the shader */
    const char *text; /* of a macro; of a texture its file, as found on the disk (NULL: `numbers`) */
    const double *
        numbers; /* of a texture without a file: rows x columns x count channels from 0 to 1, from below; NULL: mid-grey */
    uint32_t count, rows, columns;
    uint64_t version;    /* of all of that */
    uint32_t unit;       /* of a texture */
    bool repeats, sharp; /* a texture: beyond its borders it begins anew; nearest point instead of blended ones */
    bool srgb, without_mipmaps;
    /* Of a texture that is a cube: files of its sides +x -x +y -y +z -z, all of them or none; squares of one size, upright as seen from
     * inside (samplerCube). */
    const char *sides[6];
} DvShaderElement;
#define DV_SHADER_ELEMENT "divan.shader-element/1"
typedef struct DvShaderElementOps {
    uint32_t size;
    bool (*get)(void *self, DvShaderElement *element); /* *element starts as zeros; false: it has no effect now */
    /* Optional: further elements of the object, by index from 1 on; false: there are no more. */
    bool (*more)(void *self, uint32_t index, DvShaderElement *element);
} DvShaderElementOps;

/* The directions of the axes, red, green and blue, in a corner of the picture: turned as the camera is, seen from 3 units away with an
 * angle of 60 degrees; each a unit long, 0.05 thick. */
typedef enum DvAxesStyle { DV_AXES_ARROWS, DV_AXES_CYLINDERS, DV_AXES_CUBE } DvAxesStyle; /* a cube with cones */
typedef struct DvSceneAxes {
    DvScreenCorner corner;
    DvAxesStyle style;
    double size; /* pixels, of the square that they take */
} DvSceneAxes;
#define DV_SCENE_AXES "divan.scene-axes/1"
typedef struct DvSceneAxesOps {
    uint32_t size;
    bool (*get)(void *self, DvSceneAxes *axes); /* *axes starts as zeros; false: not shown */
} DvSceneAxesOps;

/* A second view of the scene, drawn over the first. */
typedef struct DvViewport {
    int32_t x, y;           /* pixels from the lower left corner; negative: from the right, from the top */
    uint32_t width, height; /* pixels */
    DvCamera camera;        /* near and far 0: from the bounds of the scene */
    bool swapped;           /* the scene's camera looks here and this one over the whole */
    bool shows_camera;      /* a mark in the first view where this camera stands */
    const char *path;       /* of the object, for messages; the recorder fills it */
} DvViewport;
#define DV_VIEWPORT "divan.viewport/1"
typedef struct DvViewportOps {
    uint32_t size;
    bool (*get)(void *self, DvViewport *viewport); /* *viewport starts as zeros; false: switched off */
} DvViewportOps;

/* What is done with the picture of the scene before it is shown, and before texts and legends are laid over it: the shader of the node
 * (whether it is passive or not) draws it anew over the whole, with the picture as colorTexture, depths as depthTexture and the size of
 * a pixel (1 / width, 1 / height) as pixelSize. */
typedef struct DvPostProcess {
    /* m, between which depths go from 0 to 1 as a depth buffer has them: far (z - near) / (z (far - near)) */
    double near, far;
    const DvObject *shader; /* offers DV_SHADER; NULL: none, nothing is done */
    bool linear_colors;     /* instead: colours are linear and become those of a screen (IEC 61966-2-1) */
} DvPostProcess;
#define DV_POST_PROCESS "divan.post-process/1"
typedef struct DvPostProcessOps {
    uint32_t size;
    bool (*get)(void *self, DvPostProcess *process); /* *process starts as zeros; false: switched off */
} DvPostProcessOps;

/* A picture drawn in steps: each draws the visual models whose tags it has, or the pictures of steps before by a shader over the
 * whole. Where the style at the root shows advanced rendering they take the place of the usual drawing, in the order of the document. */
typedef struct DvRenderPass {
    const char *name; /* of its picture, for shaders of later passes */
    double scale;     /* size of its picture, of the size of the view */
    bool to_screen;   /* it is what is seen */
    DvTags models;    /* of the visual models it draws; none: all */
    DvTags inputs,
        output; /* of a pass over the whole: tags of the passes whose pictures it takes; of those that may take its own */
    const char *fragment_file; /* of a pass over the whole, as found on the disk; NULL: models are drawn */
    const DvObject *shader;    /* instead of a file; offers DV_SHADER; NULL: none */
} DvRenderPass;
#define DV_RENDER_PASS "divan.render-pass/1"
typedef struct DvRenderPassOps {
    uint32_t size;
    bool (*get)(void *self, DvRenderPass *pass); /* *pass starts as zeros; false: switched off */
} DvRenderPassOps;

/* How the window of a viewer begins. */
typedef struct DvViewerLook {
    int32_t width, height; /* pixels */
    bool fullscreen, orthographic;
    bool marks_node_box, marks_box, marks_positions, marks_surfaces, marks_volumes,
        marks_indices; /* of what is selected */
    double mark_size;  /* of the size of the scene */
} DvViewerLook;
#define DV_VIEWER_LOOK "divan.viewer-look/1"
typedef struct DvViewerLookOps {
    uint32_t size;
    void (*get)(void *self, DvViewerLook *look);
} DvViewerLookOps;

/* What a mouse button does with the shift key. */
typedef enum DvMouseButton { DV_MOUSE_LEFT, DV_MOUSE_MIDDLE, DV_MOUSE_RIGHT } DvMouseButton;
typedef enum DvMouseAction {
    DV_MOUSE_PULL,      /* by a spring */
    DV_MOUSE_CONSTRAIN, /* by a constraint */
    DV_MOUSE_FIX,       /* the picked point stays where it is */
    DV_MOUSE_FRAME,     /* adds a frame */
    DV_MOUSE_RECORD,    /* adds a place to a recorded camera */
    DV_MOUSE_NAVIGATE   /* starts a recorded camera */
} DvMouseAction;
typedef struct DvMouseBinding {
    DvMouseButton button;
    DvMouseAction action;
    double stiffness;  /* N/m, of pulling and fixing */
    double arrow_size; /* m, of the arrow that shows the pull; 0: a line */
    double arrow_scale;
} DvMouseBinding;
#define DV_MOUSE_BINDING "divan.mouse-binding/1"
typedef struct DvMouseBindingOps {
    uint32_t size;
    void (*get)(void *self, DvMouseBinding *binding); /* *binding starts as zeros */
} DvMouseBindingOps;

DV_END_DECLS
#endif
