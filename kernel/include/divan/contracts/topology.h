/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Topologies: the connectivity of a mesh, and how it changes.
 *
 * Elements are lists of point numbers, local numbering as in DvElementKind's families: tetrahedron edges
 * (0,1)(0,2)(0,3)(1,2)(1,3)(2,3); edge j of a triangle is opposite to its point j. A topology may have no positions:
 * then those of the node's state count. Adjacency is made when first asked for and kept until the topology changes.
 *
 * Threads: [step].
 */
#ifndef DIVAN_CONTRACTS_TOPOLOGY_H
#define DIVAN_CONTRACTS_TOPOLOGY_H

#include <divan/node.h>

DV_BEGIN_DECLS

typedef enum DvElementKind {
    DV_POINTS,
    DV_EDGES,
    DV_TRIANGLES,
    DV_QUADS,
    DV_TETRAHEDRA,
    DV_HEXAHEDRA,
    DV_PRISMS,
    DV_PYRAMIDS,
    DV_ELEMENT_KINDS
} DvElementKind;

/* Nodes per element: 1 2 3 4 4 8 6 5; 0 of what is no kind.     [any] */
static inline uint32_t dv_element_nodes(DvElementKind kind)
{
    static const uint32_t nodes[DV_ELEMENT_KINDS] = {1, 2, 3, 4, 4, 8, 6, 5};
    return kind < DV_ELEMENT_KINDS ? nodes[kind] : 0;
}

/* Six tetrahedra that fill a hexahedron, all around its diagonal from corner 0 to 6. Neighbours fit when they are mirror
 * images of each other: bit a of `mirrors` mirrors the hexahedron along axis a before it is cut. An odd number of
 * mirrors turns tetrahedra inside out; with `upright` these are turned back.     [any] */
static inline void dv_cut_hexahedron(const uint32_t hexahedron[8], uint32_t mirrors, bool upright,
                                     uint32_t tetrahedra[6][4])
{
    static const uint8_t pairs[3][4][2] = {/* of corners that a mirror along x, y or z exchanges */
                                           {{0, 1}, {4, 5}, {3, 2}, {7, 6}},
                                           {{4, 7}, {5, 6}, {1, 2}, {0, 3}},
                                           {{4, 0}, {5, 1}, {6, 2}, {7, 3}}};
    static const uint8_t cut[6][4] = {{0, 5, 1, 6}, {0, 1, 3, 6}, {1, 3, 6, 2},
                                      {6, 3, 0, 7}, {6, 7, 0, 5}, {7, 5, 4, 0}};
    uint32_t corner[8], odd = 0;
    for (int n = 0; n < 8; n++)
        corner[n] = hexahedron[n];
    for (uint32_t axis = 0; axis < 3; axis++) {
        if (!(mirrors >> axis & 1u))
            continue;
        odd ^= 1u;
        for (int i = 0; i < 4; i++) {
            const uint8_t *pair = pairs[axis][i];
            const uint32_t kept = corner[pair[0]];
            corner[pair[0]] = corner[pair[1]];
            corner[pair[1]] = kept;
        }
    }
    const bool turn = upright && odd;
    for (int t = 0; t < 6; t++)
        for (int n = 0; n < 4; n++)
            tetrahedra[t][n] = corner[cut[t][turn && n > 1 ? 5 - n : n]];
}
/* The mirrors of cell `cell` of a grid, numbered along x, then y, then z: x in even columns, y in odd rows, z in odd
 * layers.     [any] */
static inline uint32_t dv_grid_mirrors(uint32_t cell, uint32_t columns, uint32_t rows)
{
    return (cell % columns % 2 == 0 ? 1u : 0u) | (cell / columns % rows % 2 == 1 ? 2u : 0u) |
           (cell / (columns * rows) % 2 == 1 ? 4u : 0u);
}

typedef enum DvElementChangeKind {
    DV_ELEMENTS_ADDED,
    DV_ELEMENTS_REMOVED,
    DV_ELEMENTS_RENUMBERED,
    DV_POINTS_MOVED
} DvElementChangeKind;

/* One change of one kind of elements. Added and renumbered: told after the topology changed; removed: before it
 * does. */
typedef struct DvElementChange {
    DvElementChangeKind change;
    DvElementKind kind;
    uint32_t count; /* elements added, removed, moved; of a renumbering: all */
    uint32_t total; /* elements of the kind after the change */
    /* [count] removed, in order of removal; moved points; renumbering: order[i] = old number; added: NULL */
    const uint32_t *indices;
    const uint32_t *ancestors;      /* [ancestor_start[count]] elements that added ones come from; or NULL */
    const double *weights;          /* of the ancestors; NULL: equal */
    const uint32_t *ancestor_start; /* [count + 1]; NULL: no ancestors */
    bool without_states;            /* of points: states keep theirs (another topology of the same points tells them) */
    bool replaced;                  /* one of many that tell of another mesh as a whole: see DvElementData.replaced */
} DvElementChange;

/* Why a mesh has become another one as a whole. */
typedef enum DvMeshReplacement {
    DV_MESH_RESET,   /* it is again what it was at the start */
    DV_MESH_RESTORED /* a saved scene goes on: the fields of components hold what belongs to it */
} DvMeshReplacement;

/* An array with an entry for each element, which follows the changes: see element_data.h. */
typedef struct DvElementData DvElementData;
struct DvElementData {
    DvElementKind kind;
    size_t entry_size; /* bytes */
    void *entries;     /* [count] x entry_size, 64-byte aligned */
    uint32_t count;
    void *owner; /* given to the functions below */
    /* All optional. added: fills entries [first, first + change->count), which start zero (or as the weighted mean of
     * the ancestors when `interpolate` is set); removed: entry `index` is about to go (the mesh still has it); changed:
     * all is done. */
    void (*added)(DvElementData *data, const DvElementChange *change, uint32_t first);
    void (*removed)(DvElementData *data, uint32_t index);
    void (*changed)(DvElementData *data, const DvElementChange *change);
    bool interpolate;   /* entries are doubles: new ones are mixed from their ancestors */
    DvObject *topology; /* of the functions of element_data.h */
    uint32_t capacity;  /* likewise */
    /* Optional: the mesh has become another one as a whole; there are as many entries as it has elements, all zero. Points come first.
     * Without it that is told as all elements removed, then all added. */
    void (*replaced)(DvElementData *data, DvMeshReplacement why);
};

/* What is attached to a topology, in the order of attachment. It starts as zeros; the functions of element_data.h do the rest. */
typedef struct DvElementDataList {
    DvElementData **at;
    uint32_t count, capacity;
} DvElementDataList;

#define DV_TOPOLOGY "divan.topology/1"

typedef struct DvElements {
    const uint32_t *at; /* [count] x dv_element_nodes(kind) */
    uint32_t count;
} DvElements;

/* For item i: items[begin[i]] .. items[end[i] - 1]. Rows may lie anywhere: one does not end where the next begins. Valid until
 * the topology changes. */
typedef struct DvAdjacency {
    const uint32_t *begin, *end; /* [count] */
    const uint32_t *items;
    uint32_t count;
} DvAdjacency;

typedef struct DvGridShape {
    uint32_t n[3];                  /* points in x, y, z */
    double min[3], max[3], step[3]; /* m; of a regular grid, before any transformation of the state */
} DvGridShape;

typedef struct DvTopologyOps {
    uint32_t size;
    uint32_t (*point_count)(void *self);
    const double *(*positions)(void *self); /* [point_count] x 3, m; NULL: has none */
    DvElements (*elements)(void *self, DvElementKind kind);
    /* For each element of kind `of` (DV_POINTS: each point) the elements of kind `to`: of its own parts when `to` is
     * lower (edges of a triangle, in local order), around it when `to` is higher (tetrahedra around a point,
     * ascending). Makes what is missing (edges of a tetrahedral mesh). An empty adjacency when there is none. The order does
     * not depend on changes before: it is that of a table made from the lists as they are. */
    DvAdjacency (*adjacency)(void *self, DvElementKind of, DvElementKind to);
    uint64_t (*revision)(void *self); /* + 1 with each change of connectivity */
    /* Optional: whether it is a regular grid, and which. A bent grid is not one, but sets n; others leave shape alone. */
    bool (*grid)(void *self, DvGridShape *shape);
    bool (*is_dynamic)(void *self);             /* may change while it runs */
    DvElementDataList *(*attached)(void *self); /* its list, which it keeps: see element_data.h */
    /* Optional: + 1 when lists became others in a way that attached data are not told of: a field was written. Without
     * it every revision counts as such. */
    uint64_t (*rewritten)(void *self);
} DvTopologyOps;

/* A topology with its functions at hand: what components keep. */
typedef struct DvTopologyRef {
    const DvTopologyOps *ops; /* NULL: none */
    void *self;
    DvObject *object;
    uint64_t revision;  /* of the last dv_topology_changed, or from when it was found */
    uint64_t rewritten; /* likewise of dv_topology_rewritten */
} DvTopologyRef;
static inline uint64_t dv_topology_rewritings(const DvTopologyRef *topology)
{
    const DvTopologyOps *ops = topology->ops;
    return ops->rewritten ? ops->rewritten(topology->self) : ops->revision(topology->self);
}
/* Lets go of a topology that is held: back to zeros; zeros stay.     [step] */
static inline void dv_topology_release(DvTopologyRef *topology)
{
    DvTopologyRef none = {NULL, NULL, NULL, 0, 0};
    if (topology->object)
        dv_object_unref(topology->object);
    *topology = none;
}
/* Requires (dv_object_require) a topology and holds it until dv_topology_release. What *topology held before is let go;
 * start with zeros.     [main] */
DV_NODISCARD static inline DvStatus dv_topology_take(DvObject *object, DvObject *found, DvTopologyRef *topology)
{
    dv_topology_release(topology);
    const DvStatus status = dv_object_require(object, found);
    if (status != DV_OK)
        return status;
    topology->ops = (const DvTopologyOps *)dv_object_ops(found, DV_TOPOLOGY);
    topology->self = dv_object_self(found);
    topology->object = dv_object_ref(found);
    topology->revision = topology->ops->revision(topology->self);
    topology->rewritten = dv_topology_rewritings(topology);
    return DV_OK;
}
/* The same with the one that dv_object_find finds, the link's or the context's. When there is none: with `need`, what to
 * add ("a container of tetrahedra"), an error is reported that says so; with NULL the result is DV_OK, and zeros.
 * [main] */
DV_NODISCARD static inline DvStatus dv_topology_require(DvObject *object, const DvLink *link, const char *need,
                                                        DvTopologyRef *topology)
{
    DvObject *found = dv_object_find(object, link, DV_TOPOLOGY);
    dv_topology_release(topology);
    DvStatus status = DV_OK;
    if (!found && need)
        status = dv_object_find_required(object, link, DV_TOPOLOGY, need, &found);
    return found ? dv_topology_take(object, found, topology) : status;
}
/* Whether connectivity is another one than at the last call (or from when it was found). */
static inline bool dv_topology_changed(DvTopologyRef *topology)
{
    const uint64_t revision = topology->ops ? topology->ops->revision(topology->self) : topology->revision;
    const bool changed = revision != topology->revision;
    topology->revision = revision;
    return changed;
}
/* The same of changes that attached data are not told of: what follows by element data makes itself anew for these only. */
static inline bool dv_topology_rewritten(DvTopologyRef *topology)
{
    const uint64_t rewritten = topology->ops ? dv_topology_rewritings(topology) : topology->rewritten;
    const bool changed = rewritten != topology->rewritten;
    topology->rewritten = rewritten;
    return changed;
}
static inline DvElements dv_topology_elements(const DvTopologyRef *topology, DvElementKind kind)
{
    DvElements none = {NULL, 0};
    return topology->ops ? topology->ops->elements(topology->self, kind) : none;
}

/* A topology whose mesh comes from a scene or a file offers this beside DV_TOPOLOGY: what has been told of its faults, so that each is told
 * once, whoever tells of it. */
#define DV_MESH_FAULTS "divan.mesh-faults/1"
typedef enum DvMeshFault {
    DV_POINTS_IN_ONE_PLACE = 1,
    DV_POINTS_WITHOUT_FORCE = 2,
    DV_POINTS_WITHOUT_MASS = 4,
    DV_ELEMENTS_TWICE = 8 /* << the kind of elements */
} DvMeshFault;
typedef struct DvMeshFaultsOps {
    uint32_t size;
    uint32_t *(*told)(void *self); /* bits of DvMeshFault; one place for all topologies of a loader. Never NULL. */
} DvMeshFaultsOps;
/* Whether a fault is to be told: nobody has. From then on somebody has.     [main] */
static inline bool dv_topology_tell(const DvTopologyRef *topology, uint32_t fault)
{
    const DvMeshFaultsOps *ops =
        topology->object ? (const DvMeshFaultsOps *)dv_object_ops(topology->object, DV_MESH_FAULTS) : NULL;
    uint32_t *told = ops ? ops->told(topology->self) : NULL, before = told ? *told : 0;
    if (told)
        *told |= fault;
    return (before & fault) == 0;
}

/* A topology whose hexahedra are cells of a regular grid offers this beside DV_TOPOLOGY. */
#define DV_SPARSE_GRID "divan.sparse-grid/1"
typedef struct DvSparseGridOps {
    uint32_t size;
    /* The hexahedron that a point (m) lies in when the grid stands where it was made, else the one to hang it on, and where in
     * it: 0..1 per axis inside. False before init. */
    bool (*locate)(void *self, const double point[3], uint32_t *hexahedron, double fraction[3]);
    const float *(*filled)(void *self); /* [hexahedra] 0..1: how much of it is matter */
} DvSparseGridOps;

/* Changes, by number. Each is whole when it returns: everything attached has followed. DV_ERROR_INVALID for numbers
 * out of range. */
#define DV_TOPOLOGY_MODIFIER "divan.topology-modifier/1"
typedef struct DvTopologyModifierOps {
    uint32_t size;
    DvStatus (*add_points)(void *self, uint32_t count, const DvElementChange *ancestors);
    DvStatus (*remove_points)(void *self, uint32_t count, const uint32_t *points);
    DvStatus (*renumber_points)(void *self, const uint32_t *order); /* order[new] = old */
    DvStatus (*add_elements)(void *self, DvElementKind kind, uint32_t count, const uint32_t *elements,
                             const DvElementChange *ancestors);
    /* With what only they used when `isolated` is true (lower elements, points). */
    DvStatus (*remove_elements)(void *self, DvElementKind kind, uint32_t count, const uint32_t *elements,
                                bool isolated);
} DvTopologyModifierOps;

/* A component that fills one topology from another and lets changes follow: which elements stand for which. A border's elements
 * stand for the faces or edges of the input that they are; pieces of a cut element for that element. */
#define DV_TOPOLOGICAL_MAPPING "divan.topological-mapping/1"
typedef struct DvTopologicalMappingOps {
    uint32_t size;
    DvObject *(*input)(void *self);
    DvObject *(*output)(void *self);
    /* What an element of the output comes from, by kind and number in the input; false: from nothing, or it is no element
     * that this mapping makes. */
    bool (*source)(void *self, DvElementKind kind, uint32_t element, DvElementKind *source_kind, uint32_t *source);
    /* The elements of the output that come from one of the input: how many; *images belongs to the mapping, valid until a
     * change. */
    uint32_t (*images)(void *self, DvElementKind kind, uint32_t source, const uint32_t **images);
    /* Optional, where the output has points of its own: a point as the weighted sum of at most 8 of the input's, plus an offset
     * in m. Returns how many. */
    uint32_t (*point)(void *self, uint32_t point, uint32_t points[8], double weights[8], double offset[3]);
} DvTopologicalMappingOps;

/* Cutting triangulated surfaces: a service of the topology plugin. The topology is a container of triangles with a modifier and a
 * state of points in space. New points and triangles name what they come from, so that attached data are interpolated. Errors
 * have been reported; what was done before one stays, and the mesh is sound.     [step] */
#define DV_SURFACE_CUTTING "divan.surface-cutting/1"
typedef struct DvCutPoint {
    double at[3];      /* m, on the surface or above it */
    uint32_t triangle; /* that it lies in; UINT32_MAX, or another than it lies in: it is looked for in the whole mesh */
} DvCutPoint;
typedef struct DvSurfaceCuttingOps {
    uint32_t size;
    /* Cuts along the straight ways between the points of a path. Where the way crosses an edge nearer to an end than the part
     * `snap_path` of it (0 to 0.5), it goes through that end; ends of the path with a weight beyond 1 - snap_border become that corner
     * of their triangle, those with one below it at an edge of the border move onto it. *opened: points that are there twice
     * now; 0: the path does not part the surface anywhere. A point above no triangle stands for where the ways to its neighbours cross
     * the border; DV_ERROR_NOT_FOUND, without any change: they do not. */
    DvStatus (*incise)(DvObject *topology, const DvCutPoint *path, uint32_t count, double snap_path, double snap_border,
                       uint32_t *opened);
    /* Puts a new point, *point, on an edge, at `weight` (between 0 and 1) of its second end. */
    DvStatus (*split_edge)(DvObject *topology, uint32_t edge, double weight, uint32_t *point);
    /* Two triangles become those on both sides of the other diagonal. */
    DvStatus (*swap_edge)(DvObject *topology, uint32_t edge);
} DvSurfaceCuttingOps;

/* A mesh for reading only: what a loader, or a file, has. Absent arrays are NULL. */
typedef struct DvMeshGroup {
    DvElementKind kind;
    uint32_t first, count;       /* elements first .. first + count - 1 */
    const char *name, *material; /* "": none */
} DvMeshGroup;
/* Colours are red green blue alpha from 0 to 1, as they are to be used: what the file switches off is black. */
typedef struct DvMeshMaterial {
    const char *name;
    double ambient[4], diffuse[4], specular[4], emissive[4], shininess;
    const char *texture; /* file of a picture, as it is found on the disk; NULL: none */
} DvMeshMaterial;
typedef struct DvMeshView {
    uint32_t point_count;
    const double *positions; /* [point_count] x 3, m */
    const double *normals;   /* [point_count] x 3 */
    const double *texcoords; /* [point_count] x 2 */
    const double *radii;     /* [point_count] m: the points are centres of spheres */
    /* [point_count] of a file whose seams are split: the number of the point before, and one that points with the same
     * normal share */
    const uint32_t *point_of_vertex, *normal_of_vertex;
    DvElements elements[DV_ELEMENT_KINDS]; /* none of DV_POINTS */
    const DvMeshGroup *groups;
    uint32_t group_count;
    const DvMeshMaterial *materials; /* [material_count] of the libraries that the file names; groups name them */
    uint32_t material_count;
} DvMeshView;

#define DV_LOADER "divan.loader/1"

/* Whether the points of a topology come from a loader, directly or through other components.     [main] */
static inline bool dv_topology_is_loaded(const DvObject *topology)
{
    const DvData *data = topology ? dv_object_field(topology, "position") : NULL;
    while (data && !dv_object_ops(data->owner, DV_LOADER))
        data = dv_data_parent(data);
    return data != NULL;
}

/* How points that no element uses are got rid of.     [main] */
static inline const char *dv_topology_unused_points_remedy(const DvObject *topology)
{
    return dv_topology_is_loaded(topology) ? "onlyAttachedPoints=\"1\" of the loader drops such points"
                                           : "such points can be left out of position";
}
typedef struct DvLoaderOps {
    uint32_t size;
    DvStatus (*load)(void *self); /* reads the file named by `filename` into the fields */
    /* What is in the fields, brought up to date, as a mesh. Valid until it loads again or one of its options changes. */
    void (*view)(void *self, DvMeshView *view);
} DvLoaderOps;

/* Mesh files without a loader. A service; dv_service(DV_MESH_FILES) is NULL when no plugin reads meshes.     [main]
 *
 *   DvMeshFile *file;
 *   DvMeshView mesh;
 *   status = files->open(&self->filename, NULL, &file, &mesh);     ... mesh.positions ...
 *   files->close(file);
 */
#define DV_MESH_FILES "divan.mesh-files/1"
typedef struct DvMeshFile DvMeshFile;
typedef struct DvMeshFileOptions {
    bool flip_normals; /* faces in reverse order */
    bool triangulate;  /* quads become triangles */
    bool split_seams;  /* a point for each pair of texture coordinate and normal */
    bool materials;    /* read the libraries of materials that the file names */
} DvMeshFileOptions;
typedef struct DvMeshFilesOps {
    uint32_t size;
    bool (*knows)(const char *name); /* whether files with this ending can be read */
    /* Opens the file that a field of type dv_type_file names; the reader follows from the ending of the name. Errors are
     * reported as that field's: no such file, of an unknown kind, broken. `options` NULL: none. The view belongs to
     * *file, which the caller closes; NULL after an error. */
    DvStatus (*open)(DvData *field, const DvMeshFileOptions *options, DvMeshFile **file, DvMeshView *view);
    void (*close)(DvMeshFile *file); /* NULL is allowed */
} DvMeshFilesOps;

DV_END_DECLS
#endif
