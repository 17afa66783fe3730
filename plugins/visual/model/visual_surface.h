/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The surface that visual models show: vertices that a mapping or a loader places, polygons, and what follows from them (normals).
 *
 * It is a state of type Vec3d that can only be reached by path, so mappings may write its positions while no component takes it for
 * the state of its node. Vertices that carry several texture coordinates are split: `position` holds the points, `vertices` what is
 * drawn, `vertPosIdx` the point of each vertex, `vertNormIdx` which vertices share a normal.
 */
#ifndef DIVAN_VISUAL_SURFACE_H
#define DIVAN_VISUAL_SURFACE_H

#include "visual_points.h"

#include <divan/contracts/topology.h>
#include <divan/kit/mesh_edits.h>
#include <divan/types/color.h>

#include "surface_look.h"

/* Polygons of a kind that are those of the topology. */
typedef struct FollowedFaces {
    uint64_t version;  /* of the field when they were taken; another one: somebody else has written it */
    DvMeshEdits edits; /* since then */
} FollowedFaces;

typedef struct VisualSurface {
    union { /* first: the state's functions take it */
        VisualPoints points;
        struct {
            VISUAL_POINTS_MEMBERS;
        };
    };
    DvData enable;
    DvData normal, vertices, texcoords, tangents, bitangents, edges, triangles, quads;
    DvData vert_pos_idx, vert_norm_idx;
    DvData filename, texturename, translation, rotation, scale3d, scale_tex, translation_tex, color, material,
        materials, groups;
    DvData crease_angle, init_rest_positions, use_normals, update_normals, compute_tangents, update_tangents,
        compute_texture_coordinates;
    DvData handle_dynamic_topology, fix_merged_uv_seams, keep_lines, put_only_texcoords, srgb_texturing, cast_shadow;
    DvLink topology;
    SurfaceLook look;
    DvTopologyRef followed; /* the topology the polygons were taken from; ops NULL: none */
    FollowedFaces followed_triangles, followed_quads;
    uint64_t placed_version;                /* of position, when it was taken from there */
    uint64_t updated_version;               /* of position, when normals and vertices were computed */
    bool gives_normals, gives_crease_angle; /* the scene does */
    bool file_has_normals;
    double *shape; /* [shape_count] x 3: what is drawn, as it was at init */
    size_t shape_count;
    uint64_t shapes; /* that there were */
} VisualSurface;

#define VISUAL_SURFACE_FIELDS(Struct) VISUAL_SURFACE_FIELDS_OF(Struct, surface)
#define VISUAL_SURFACE_FIELDS_OF(Struct, surface_)                                                                     \
    DV_FIELD(Struct, surface_.enable, "enable", dv_type_bool, .init = "1", .flags = DV_FIELD_DRAWING,                  \
             .aliases = (const char *const[]){"isEnabled", NULL}, .help = "whether it is shown"),                      \
        DV_FIELD(Struct, surface_.position, "position", dv_type_vec3s, .unit = "m", .help = "points"),                 \
        DV_FIELD(Struct, surface_.rest_position, "restPosition", dv_type_vec3s, .unit = "m",                           \
                 .help = "points at rest"),                                                                            \
        DV_FIELD(Struct, surface_.normal, "normal", dv_type_vec3s, .help = "normal of each vertex"),                   \
        DV_FIELD(Struct, surface_.vertices, "vertices", dv_type_vec3s, .unit = "m", .flags = DV_FIELD_AT_LOAD,         \
                 .help = "what is drawn, when points are split"),                                                      \
        DV_FIELD(Struct, surface_.texcoords, "texcoords", dv_type_vec2s,                                               \
                 .help = "texture coordinates of each vertex"),                                                        \
        DV_FIELD(Struct, surface_.tangents, "tangents", dv_type_vec3s, .flags = DV_FIELD_DRAWING,                      \
                 .help = "along u of the texture"),                                                                    \
        DV_FIELD(Struct, surface_.bitangents, "bitangents", dv_type_vec3s, .flags = DV_FIELD_DRAWING,                  \
                 .help = "along v of the texture"),                                                                    \
        DV_FIELD(Struct, surface_.edges, "edges", dv_type_edges, .flags = DV_FIELD_NOT_LINKED, .help = "lines"),       \
        DV_FIELD(Struct, surface_.triangles, "triangles", dv_type_triangles, .flags = DV_FIELD_AT_LOAD,                \
                 .help = "triangles"),                                                                                 \
        DV_FIELD(Struct, surface_.quads, "quads", dv_type_quads, .flags = DV_FIELD_AT_LOAD, .help = "quads"),          \
        DV_FIELD(Struct, surface_.vert_pos_idx, "vertPosIdx", dv_type_uints, .flags = DV_FIELD_AT_LOAD,                \
                 .help = "point of each vertex"),                                                                      \
        DV_FIELD(Struct, surface_.vert_norm_idx, "vertNormIdx", dv_type_uints, .flags = DV_FIELD_AT_LOAD,              \
                 .help = "vertices with one number share a normal"),                                                   \
        DV_FIELD(Struct, surface_.filename, "filename", dv_type_file, .flags = DV_FIELD_NOT_LINKED | DV_FIELD_AT_LOAD, \
                 .aliases = (const char *const[]){"fileMesh", NULL}, .help = "mesh file, read without a loader"),      \
        DV_FIELD(Struct, surface_.texturename, "texturename", dv_type_file,                                            \
                 .flags = DV_FIELD_DRAWING | DV_FIELD_NOT_LINKED, .help = "picture laid on the surface"),              \
        DV_FIELD(Struct, surface_.translation, "translation", dv_type_vec3d,                                           \
                 .flags = DV_FIELD_NOT_LINKED | DV_FIELD_AT_LOAD, .unit = "m",                                         \
                 .help = "moved by this at init, then zero again"),                                                    \
        DV_FIELD(Struct, surface_.rotation, "rotation", dv_type_vec3d,                                                 \
                 .flags = DV_FIELD_NOT_LINKED | DV_FIELD_AT_LOAD, .unit = "degrees",                                   \
                 .help = "turned by this at init (about x, then y, then z), then zero again"),                         \
        DV_FIELD(Struct, surface_.scale3d, "scale3d", dv_type_vec3d, .flags = DV_FIELD_NOT_LINKED | DV_FIELD_AT_LOAD,  \
                 .init = "1 1 1", .help = "scaled by this at init, then one again"),                                   \
        DV_FIELD(Struct, surface_.scale_tex, "scaleTex", dv_type_vec2d,                                                \
                 .flags = DV_FIELD_NOT_LINKED | DV_FIELD_AT_LOAD, .init = "1 1",                                       \
                 .help = "texture coordinates are scaled by this at init"),                                            \
        DV_FIELD(Struct, surface_.translation_tex, "translationTex", dv_type_vec2d,                                    \
                 .flags = DV_FIELD_NOT_LINKED | DV_FIELD_AT_LOAD,                                                      \
                 .help = "texture coordinates are moved by this at init"),                                             \
        DV_FIELD(Struct, surface_.color, "color", dv_type_color, .flags = DV_FIELD_DRAWING | DV_FIELD_NOT_LINKED,      \
                 .init = "0.75 0.75 0.75 1", .help = "colour; when given it makes the material"),                      \
        DV_FIELD(                                                                                                      \
            Struct, surface_.material, "material", dv_type_string, .flags = DV_FIELD_DRAWING,                          \
            .init = "Default Diffuse 1 0.75 0.75 0.75 1 Ambient 1 0.2 0.2 0.2 1 Specular 0 1 1 1 1 "                   \
                    "Emissive 0 0 0 0 0 Shininess 0 45",                                                               \
            .help =                                                                                                    \
                "name, then Diffuse, Ambient, Specular, Emissive: use (0 or 1) and colour, Shininess: use and value"), \
        DV_FIELD(Struct, surface_.materials, "materials", dv_type_strings, .flags = DV_FIELD_DRAWING,                  \
                 .help = "further materials, named by groups"),                                                        \
        DV_FIELD(Struct, surface_.groups, "groups", dv_type_strings, .flags = DV_FIELD_DRAWING,                        \
                 .help = "faces that have a material of their own"),                                                   \
        DV_FIELD(Struct, surface_.crease_angle, "creaseAngle", dv_type_double, .init = "40", .unit = "degrees",        \
                 .range = &(const DvRange){.least = 0, .most = 180}, .flags = DV_FIELD_DRAWING | DV_FIELD_NOT_LINKED,  \
                 .help = "faces that meet at more are drawn with an edge between them; a surface that has normals of " \
                         "its own keeps those unless it is given"),                                                    \
        DV_FIELD(Struct, surface_.init_rest_positions, "initRestPositions", dv_type_bool, .init = "0",                 \
                 .flags = DV_FIELD_AT_LOAD, .help = "restPosition becomes the initial position"),                      \
        DV_FIELD(Struct, surface_.use_normals, "useNormals", dv_type_bool, .init = "1", .flags = DV_FIELD_AT_LOAD,     \
                 .help = "normals of the file count"),                                                                 \
        DV_FIELD(Struct, surface_.update_normals, "updateNormals", dv_type_bool, .init = "1",                          \
                 .flags = DV_FIELD_AT_LOAD, .help = "normals follow the surface"),                                     \
        DV_FIELD(Struct, surface_.compute_tangents, "computeTangents", dv_type_bool, .init = "0",                      \
                 .flags = DV_FIELD_DRAWING, .help = "compute tangents at init"),                                       \
        DV_FIELD(Struct, surface_.update_tangents, "updateTangents", dv_type_bool, .init = "1",                        \
                 .flags = DV_FIELD_DRAWING, .help = "tangents follow the surface"),                                    \
        DV_FIELD(Struct, surface_.compute_texture_coordinates, "computeTextureCoordinates", dv_type_bool, .init = "0", \
                 .flags = DV_FIELD_AT_LOAD, .help = "texture coordinates of a sphere around the surface"),             \
        DV_FIELD(Struct, surface_.handle_dynamic_topology, "handleDynamicTopology", dv_type_bool, .init = "1",         \
                 .help = "polygons follow changes of the topology"),                                                   \
        DV_FIELD(Struct, surface_.fix_merged_uv_seams, "fixMergedUVSeams", dv_type_bool, .init = "1",                  \
                 .flags = DV_FIELD_DRAWING,                                                                            \
                 .help = "mend texture coordinates that jump by a whole texture within a face"),                       \
        DV_FIELD(Struct, surface_.keep_lines, "keepLines", dv_type_bool, .init = "0", .flags = DV_FIELD_AT_LOAD,       \
                 .help = "lines of the file count"),                                                                   \
        DV_FIELD(Struct, surface_.put_only_texcoords, "putOnlyTexCoords", dv_type_bool, .init = "0",                   \
                 .flags = DV_FIELD_DRAWING, .help = "give shaders texture coordinates alone"),                         \
        DV_FIELD(Struct, surface_.srgb_texturing, "srgbTexturing", dv_type_bool, .init = "0",                          \
                 .flags = DV_FIELD_DRAWING, .help = "textures are in sRGB"),                                           \
        DV_FIELD(Struct, surface_.cast_shadow, "castshadow", dv_type_bool, .init = "1", .flags = DV_FIELD_DRAWING,     \
                 .help = "whether it casts a shadow"),                                                                 \
        DV_LINK(Struct, surface_.topology, "topology", DV_TOPOLOGY,                                                    \
                .help = "where polygons come from when none are given")

extern const DvVisualModelOps visual_surface_model_ops; /* self: a struct that begins with the VisualSurface */
/* All of the view but the style. False: it is not enabled. */
bool visual_surface_view(VisualSurface *surface, DvSurfaceView *view);

/* Normals of [vertices] x 3 points, by the faces and by which vertices share one; of length 1, or 0 where no face is. */
void visual_surface_normals(VisualSurface *surface, const double *at, size_t vertices, double *normal);

DvStatus visual_surface_parse(DvObject *object, VisualSurface *surface, const DvAttributes *attributes);
DvStatus visual_surface_init(DvObject *object, VisualSurface *surface);
void visual_surface_destroy(VisualSurface *surface);

#endif
