/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Copies of a running scene: a part for each state with a mesh, with fields over its points and elements.
 *
 * The states are listed again when the graph has changed, elements copied again when a mesh has.
 */
#include "capture.h"

#include <inttypes.h>
#include <string.h>

#include <divan/contracts/collision.h>
#include <divan/kit/element_stress.h>
#include <divan/memory.h>
#include <divan/scene.h>

typedef enum Field { DISPLACEMENT, VELOCITY, FORCE, STRESS, STRAIN, ENERGY, CONTACTS, FIELDS } Field;
static const char *const field_names[] = {"displacement", "velocity", "force",   "stress",
                                          "strain",       "energy",   "contacts"};

typedef struct Part {
    const char *name, *file; /* interned */
    DvStateRef state;        /* held, with the object below */
    DvObject *mesh;
    const DvTopologyOps *topology;
    uint64_t revision;
    uint32_t meshes; /* so far */
    FrameCells *cells;
    DvObject **solids; /* [solid_count] held: force fields that know stresses of its elements */
    uint32_t solid_count;
} Part;

/* A pipeline with contacts. */
typedef struct Touches {
    const char *name, *file;
    DvObject *pipeline; /* held */
    uint32_t meshes;
} Touches;

struct Capture {
    DvScene *scene;
    uint64_t revision; /* of the graph that the parts are listed from */
    bool wanted[FIELDS];
    Part *part;
    uint32_t parts, capacity;
    Touches *touches; /* [pipelines] */
    uint32_t pipelines;
};

/* ---- Parts ---- */

static void part_free(Part *part)
{
    frame_cells_release(part->cells);
    dv_object_unref(part->state.object);
    dv_object_unref(part->mesh);
    for (uint32_t s = 0; s < part->solid_count; s++)
        dv_object_unref(part->solids[s]);
    dv_free(part->solids);
}

/* "Bar-state" of "/Bar/state", with a number where another part has that name. */
static const char *file_name(const Capture *capture, const char *path)
{
    DvText name = {0};
    for (const char *c = path + (*path == '/'); *c; c++) {
        const bool plain =
            (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_' || *c == '.';
        const char letter = plain ? *c : '-';
        dv_text_add_bytes(&name, &letter, 1);
    }
    const size_t length = name.length;
    uint32_t number = 1;
    for (uint32_t p = 0; p < capture->parts; p++)
        if (strcmp(capture->part[p].file, name.at) == 0) {
            name.at[name.length = length] = '\0';
            dv_text_add(&name, "-%" PRIu32, ++number);
            p = UINT32_MAX; /* from the beginning */
        }
    const char *result = dv_intern(name.at);
    dv_text_free(&name);
    return result;
}

/* The mesh of a state: of its node, or from above where it is one of the same points. */
static DvObject *mesh_of(const DvNode *node, DvStateRef state)
{
    DvObject *found = dv_node_context(node, DV_TOPOLOGY);
    const DvTopologyOps *ops = found ? dv_object_ops(found, DV_TOPOLOGY) : NULL;
    if (!ops || (dv_object_node(found) != node && ops->point_count(dv_object_self(found)) != dv_state_count(state)))
        return NULL;
    return found;
}

static void add_part(Capture *capture, const DvNode *node, DvObject *object)
{
    const DvStateRef state = dv_state_ref(object);
    DvObject *mesh = state.ops && state.dof->spatial ? mesh_of(node, state) : NULL;
    if (!mesh)
        return;
    if (capture->parts == capture->capacity) {
        const uint32_t more = capture->capacity ? 2 * capture->capacity : 8;
        capture->part = dv_realloc(capture->part, capture->capacity * sizeof *capture->part, more * sizeof(Part));
        capture->capacity = more;
    }
    const char *path = dv_object_path(object);
    Part part = {.name = dv_intern(path),
                 .file = file_name(capture, path),
                 .state = state,
                 .mesh = dv_object_ref(mesh),
                 .topology = dv_object_ops(mesh, DV_TOPOLOGY)};
    dv_object_ref(object);
    capture->part[capture->parts++] = part;
}

static void add_parts(Capture *capture, const DvNode *node)
{
    if (!dv_node_is_active(node))
        return;
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++)
        if (dv_object_ops(object, DV_STATE) && !dv_object_ops(object, "divan.visual-model/1"))
            add_part(capture, node, object);
    const DvNode *child;
    for (size_t i = 0; (child = dv_node_child(node, i)); i++)
        if (dv_node_parent(child, 0) == node)
            add_parts(capture, child);
}

/* A node's force fields go to the parts they are about, its pipeline to the list of those. */
static DvVisit take_node(DvNode *node, void *context)
{
    Capture *capture = context;
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++)
        for (uint32_t p = 0; p < capture->parts && dv_object_ops(object, DV_ELEMENT_STRESS); p++) {
            Part *part = &capture->part[p];
            if (!capture_has_stress(object, &part->state, part->mesh))
                continue;
            part->solids = dv_realloc(part->solids, part->solid_count * sizeof(DvObject *),
                                      (part->solid_count + 1) * sizeof(DvObject *));
            part->solids[part->solid_count++] = dv_object_ref(object);
        }
    DvObject *pipeline = dv_node_slot(node, DV_COLLISION_PIPELINE);
    if (!pipeline || !capture->wanted[CONTACTS])
        return DV_VISIT_CONTINUE;
    const char *path = dv_object_path(pipeline);
    capture->touches =
        dv_realloc(capture->touches, capture->pipelines * sizeof(Touches), (capture->pipelines + 1) * sizeof(Touches));
    capture->touches[capture->pipelines++] =
        (Touches){dv_intern(path), file_name(capture, path), dv_object_ref(pipeline), 0};
    return DV_VISIT_CONTINUE;
}

static void clear_parts(Capture *capture)
{
    for (uint32_t t = 0; t < capture->pipelines; t++)
        dv_object_unref(capture->touches[t].pipeline);
    capture->pipelines = 0;
    for (uint32_t p = 0; p < capture->parts; p++)
        part_free(&capture->part[p]);
    capture->parts = 0;
}

/* Parts that stay keep what has been made of their cells. */
static void list_parts(Capture *capture)
{
    const DvNode *root = dv_scene_root(capture->scene);
    if (capture->part && capture->revision == dv_node_revision(root))
        return;
    Capture old = *capture;
    capture->part = NULL;
    capture->parts = capture->capacity = 0;
    capture->touches = NULL;
    capture->pipelines = 0;
    add_parts(capture, root);
    dv_visit(dv_scene_root(capture->scene), &(const DvVisitor){.top_down = take_node, .enters_sleeping = true},
             capture);
    for (uint32_t p = 0; p < capture->parts; p++) {
        Part *part = &capture->part[p];
        for (uint32_t o = 0; o < old.parts; o++)
            if (old.part[o].state.object == part->state.object && old.part[o].mesh == part->mesh) {
                part->cells = old.part[o].cells;
                part->revision = old.part[o].revision;
                part->meshes = old.part[o].meshes;
                part->file = old.part[o].file;
                old.part[o].cells = NULL;
            }
    }
    for (uint32_t t = 0; t < capture->pipelines; t++)
        for (uint32_t o = 0; o < old.pipelines; o++)
            if (old.touches[o].pipeline == capture->touches[t].pipeline)
                capture->touches[t].meshes = old.touches[o].meshes;
    clear_parts(&old);
    dv_free(old.part);
    dv_free(old.touches);
    capture->revision = dv_node_revision(root);
}

/* ---- Elements ---- */

/* Those of the highest dimension that there are; none: the points. What lies on them has been made from them, or is a mesh of its own. */
static void choose_elements(const Part *part, DvElements elements[DV_ELEMENT_KINDS])
{
    static const DvElementKind last[] = {DV_PYRAMIDS, DV_QUADS, DV_EDGES},
                               first[] = {DV_TETRAHEDRA, DV_TRIANGLES, DV_EDGES};
    void *self = dv_object_self(part->mesh);
    uint32_t count = 0;
    for (int d = 0; d < 3 && !count; d++)
        for (uint32_t k = first[d]; k <= last[d]; k++) {
            elements[k] = part->topology->elements(self, (DvElementKind)k);
            count += elements[k].count;
        }
}

static FrameCells *new_cells(const Part *part, uint32_t points)
{
    DvElements elements[DV_ELEMENT_KINDS] = {0};
    choose_elements(part, elements);
    ExportMesh checked = {.point_count = points};
    memcpy(checked.elements, elements, sizeof elements);
    (void)export_mesh_check(&checked); /* a mesh that is larger than its state: that has been told of */
    uint32_t *single = NULL;
    if (!export_mesh_cells(&checked)) {
        single = dv_alloc(points, sizeof *single);
        for (uint32_t i = 0; i < points; i++)
            single[i] = i;
        checked.elements[DV_POINTS] = (DvElements){single, points};
    }
    FrameCells *cells = frame_cells_new(checked.elements, part->meshes);
    export_mesh_free(&checked);
    dv_free(single);
    return cells;
}

static void update_cells(Part *part, uint32_t points)
{
    const uint64_t revision = part->topology->revision(dv_object_self(part->mesh));
    if (part->cells && part->revision == revision)
        return;
    frame_cells_release(part->cells);
    part->cells = new_cells(part, points);
    part->revision = revision;
    part->meshes++;
}

/* ---- Fields ---- */

/* The first three numbers of each entry, less those of `from`. */
static void copy_triples(double *to, DvConstVec vector, uint32_t spatial, const double *from)
{
    const uint32_t dim = vector.dim, used = spatial < dim ? spatial : dim;
    const size_t count = vector.count;
    if (!vector.at) {
        if (count)
            memset(to, 0, count * 3 * sizeof *to);
        return;
    }
    if (dim == 3 && !from) {
        if (count)
            memcpy(to, vector.at, count * 3 * sizeof *to);
        return;
    }
    if (dim == 3) {
        for (size_t i = 0; i < 3 * count; i++)
            to[i] = vector.at[i] - from[i];
        return;
    }
    for (size_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < 3; c++)
            to[3 * i + c] = c < used ? vector.at[i * dim + c] - (from ? from[i * dim + c] : 0.0) : 0.0;
}

static const DvVecId vector_of[] = {DV_POSITION, DV_VELOCITY, DV_FORCE};

static bool has_field(const Part *part, Field field)
{
    if (field >= STRESS)
        return field != CONTACTS && part->solid_count > 0;
    return field != DISPLACEMENT || dv_state_read(part->state, DV_REST_POSITION).at;
}

static void take_part(const Capture *capture, Part *part, Frame *frame)
{
    const uint32_t points = dv_state_count(part->state), spatial = part->state.dof->spatial;
    update_cells(part, points);
    FramePart *to = frame_add_part(frame, part->name, part->file, part->cells, points);
    copy_triples(frame_add_array(to, "points", 3, false, points), dv_state_read(part->state, DV_POSITION), spatial,
                 NULL);
    for (uint32_t f = 0; f < STRESS; f++) {
        if (!capture->wanted[f] || !has_field(part, (Field)f))
            continue;
        const double *from = f == DISPLACEMENT ? dv_state_read(part->state, DV_REST_POSITION).at : NULL;
        copy_triples(frame_add_array(to, field_names[f], 3, false, points), dv_state_read(part->state, vector_of[f]),
                     spatial, from);
    }
    for (uint32_t s = 0; s < part->solid_count; s++)
        capture_take_elements(part->solids[s], &part->state, part->mesh, part->solid_count == 1,
                              &capture->wanted[STRESS], to);
}

void capture_take(Capture *capture, Frame *frame, uint64_t step, double time)
{
    frame_clear(frame);
    list_parts(capture);
    frame->step = step;
    frame->time = time;
    for (uint32_t p = 0; p < capture->parts; p++)
        take_part(capture, &capture->part[p], frame);
    for (uint32_t t = 0; t < capture->pipelines; t++)
        capture_take_contacts(capture->touches[t].pipeline, capture->touches[t].name, capture->touches[t].file,
                              &capture->touches[t].meshes, frame);
}

/* ---- What is asked for ---- */

static bool find_field(const char *word, size_t length, uint32_t *field)
{
    for (*field = 0; *field < FIELDS; ++*field)
        if (strlen(field_names[*field]) == length && strncmp(field_names[*field], word, length) == 0)
            return true;
    return false;
}

static bool read_fields(Capture *capture, const char *fields, DvText *why)
{
    for (const char *word = fields; *word;) {
        const size_t length = strcspn(word, ", ");
        uint32_t field = FIELDS;
        if (length && !find_field(word, length, &field)) {
            char *copy = dv_alloc(length + 1, 1);
            memcpy(copy, word, length);
            const char *closest = dv_closest(copy, field_names, FIELDS);
            dv_text_add(why, "there is no field '%s'", copy);
            if (closest)
                dv_text_add(why, ", did you mean '%s'?", closest);
            dv_text_add(why, "%s there are:", closest ? "" : ";");
            for (uint32_t f = 0; f < FIELDS; f++)
                dv_text_add(why, "%s %s", f ? "," : "", field_names[f]);
            dv_free(copy);
            return false;
        }
        if (length)
            capture->wanted[field] = true;
        word += length + (word[length] != '\0');
    }
    return true;
}

/* Each field that is asked for by name belongs to a part at least. */
static bool check_fields(const Capture *capture, DvText *why)
{
    for (uint32_t f = 0; f < FIELDS; f++) {
        bool found = !capture->wanted[f] || (f == CONTACTS && capture->pipelines > 0);
        for (uint32_t p = 0; p < capture->parts && !found; p++)
            found = has_field(&capture->part[p], (Field)f);
        if (found)
            continue;
        if (f == CONTACTS) {
            dv_text_add(why, "the scene has no 'contacts': it has no CollisionPipeline");
            return false;
        }
        if (f >= STRESS)
            dv_text_add(why,
                        "no force field knows the %s of elements of a state with a mesh; those are:", field_names[f]);
        else
            dv_text_add(why, "no state has the field '%s'; those with a mesh are:", field_names[f]);
        for (uint32_t p = 0; p < capture->parts && p < 3; p++)
            dv_text_add(why, "%s %s", p ? "," : "", capture->part[p].name);
        if (capture->parts > 3)
            dv_text_add(why, " and %" PRIu32 " more", capture->parts - 3);
        return false;
    }
    return true;
}

Capture *capture_new(DvScene *scene, const char *fields, bool holds_fields, DvText *why)
{
    Capture *capture = dv_alloc(1, sizeof *capture);
    capture->scene = scene;
    bool good = read_fields(capture, fields ? fields : holds_fields ? "displacement,velocity,force" : "", why);
    if (good) {
        list_parts(capture);
        good = capture->parts > 0;
        if (!good)
            dv_text_add(why, "no state of the scene has a mesh, such as a TetrahedronSetTopologyContainer in its node");
    }
    good = good && (!fields || check_fields(capture, why));
    if (!good) {
        capture_free(capture);
        return NULL;
    }
    return capture;
}

void capture_free(Capture *capture)
{
    if (!capture)
        return;
    clear_parts(capture);
    dv_free(capture->part);
    dv_free(capture->touches);
    dv_free(capture);
}
