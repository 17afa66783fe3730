/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cut_script.h"

#include "edit_script.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <divan/contracts/cutting.h>
#include <divan/contracts/mechanical_operations.h>
#include <divan/contracts/state.h>
#include <divan/divan.h>
#include <divan/math/decompose.h>
#include <divan/math/vec.h>

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
            abort();                                                                      \
        }                                                                                 \
    } while (0)

enum { SIDE = 4, FEWEST = 8, MOST = 700, HUNG = 24, MOST_NODES = 4, MOST_AROUND = 64 };

static const double MOST_ERROR = 1e-11; /* of the largest force: pieces of pieces are thin, and stiff */

struct CutScript {
    DvScene *scene;
    DvObject *mesh, *modifier, *mass, *border; /* border: of tetrahedra; else NULL */
    const DvTopologyOps *ops;
    const DvTopologyModifierOps *edit;
    const DvCuttingOps *cutting;
    DvStateRef state, hung;
    DvElementKind kind;
    const char *field;
    uint32_t nodes;
    double first[3 * HUNG]; /* where the hung points are */
    CutCounts counts;
};

/* ---- The scene ---- */

static void mesh_text(DvText *text, DvElementKind kind)
{
    const bool solid = kind == DV_TETRAHEDRA;
    const uint32_t cells = SIDE - 1, up = SIDE * SIDE;
    dv_text_add(text, "position='");
    for (uint32_t i = 0; i < (solid ? up * SIDE : up); i++)
        dv_text_add(text, "%u %u %u ", i % SIDE, i / SIDE % SIDE, i / up);
    dv_text_add(text, "' %s='", solid ? "tetrahedra" : "triangles");
    for (uint32_t c = 0; c < cells * cells * (solid ? cells : 1); c++) {
        const uint32_t p = c % cells + SIDE * (c / cells % cells) + up * (c / (cells * cells));
        const uint32_t corner[8] = {p,      p + 1,      p + SIDE + 1,      p + SIDE,
                                    p + up, p + up + 1, p + up + SIDE + 1, p + up + SIDE};
        uint32_t cut[6][4];
        dv_cut_hexahedron(corner, 0, true, cut);
        for (int i = 0; solid && i < 24; i++)
            dv_text_add(text, "%u ", cut[i / 4][i % 4]);
        for (int i = 0; !solid && i < 6; i++)
            dv_text_add(text, "%u ", corner[i < 3 ? i : i == 3 ? 0 : i - 2]);
    }
    dv_text_add(text, "'");
}

static void scene_text_of(DvText *text, DvElementKind kind, const char *field, const char *mesh)
{
    const bool solid = kind == DV_TETRAHEDRA;
    const char *family = solid ? "Tetrahedron" : "Triangle";
    dv_text_add(text,
                "<Node gravity='0 0 0'><DefaultAnimationLoop/><%sSetTopologyContainer name='mesh' %s/>"
                "<%sSetTopologyModifier name='modifier'/><MechanicalObject name='state'/>"
                "<DiagonalMass name='mass' massDensity='2'/>%s"
                "<Node name='hung'><MechanicalObject name='state' position='",
                family, mesh, family, field);
    for (int i = 0; i < HUNG; i++)
        dv_text_add(text, "%.17g %.17g %.17g ", 0.1 + 0.117 * i, 1.5 + 1.3 * sin(i),
                    solid ? 1.5 + 1.3 * cos(3 * i) : 0.0);
    dv_text_add(text, "'/><BarycentricMapping/></Node>");
    if (solid)
        dv_text_add(text,
                    "<Node name='border'><TriangleSetTopologyContainer name='mesh'/><TriangleSetTopologyModifier/>"
                    "<Tetra2TriangleTopologicalMapping input='@../mesh' output='@mesh'/><MechanicalObject/>"
                    "<IdentityMapping/><TriangleCollisionModel/><LineCollisionModel/><PointCollisionModel/>"
                    "<Node name='seen'><OglModel name='picture'/><IdentityMapping/></Node></Node>");
    else
        dv_text_add(text,
                    "<TriangleCollisionModel/><LineCollisionModel/><PointCollisionModel/><OglModel name='picture'/>");
    dv_text_add(text, "</Node>");
}

static DvObject *object_in(const DvScene *scene, const char *path)
{
    return dv_node_resolve(dv_scene_root(scene), NULL, path, NULL);
}

static DvObject *object_at(const CutScript *s, const char *path)
{
    return object_in(s->scene, path);
}

CutScript *cut_script_new(DvElementKind kind, const char *field)
{
    CutScript *s = calloc(1, sizeof *s);
    DvText text = {0}, mesh = {0};
    s->field = field ? field
               : kind == DV_TETRAHEDRA
                   ? "<TetrahedronFEMForceField method='large' youngModulus='300' poissonRatio='0.3'/>"
                   : "<TriangleFEMForceField youngModulus='300' poissonRatio='0.3'/>";
    mesh_text(&mesh, kind);
    scene_text_of(&text, kind, s->field, mesh.at);
    s->scene = edit_script_load(&text);
    dv_text_free(&mesh);
    dv_text_free(&text);
    s->mesh = object_at(s, "@/mesh");
    s->modifier = object_at(s, "@/modifier");
    s->mass = object_at(s, "@/mass");
    s->border = kind == DV_TETRAHEDRA ? object_at(s, "@/border/mesh") : NULL;
    s->state = dv_state_ref(object_at(s, "@/state"));
    s->hung = dv_state_ref(object_at(s, "@/hung/state"));
    s->ops = dv_object_ops(s->mesh, DV_TOPOLOGY);
    s->edit = dv_object_ops(s->modifier, DV_TOPOLOGY_MODIFIER);
    s->cutting = dv_service(DV_CUTTING);
    s->kind = kind;
    s->nodes = dv_element_nodes(kind);
    CHECK(dv_scene_step(s->scene, 0) == DV_OK);
    CHECK(dv_state_count(s->hung) == HUNG);
    memcpy(s->first, dv_state_read(s->hung, DV_POSITION).at, sizeof s->first);
    return s;
}

void cut_script_free(CutScript *s)
{
    dv_scene_free(s->scene);
    free(s);
}

/* ---- Measures ---- */

static DvElements elements_of(const CutScript *s)
{
    return s->ops->elements(dv_object_self(s->mesh), s->kind);
}

/* Volume of a tetrahedron, with its sign, or area of a triangle of the sheet, likewise. */
static double measure_of(const CutScript *s, const uint32_t *element)
{
    const double *at = dv_state_read(s->state, DV_POSITION).at;
    DvVec3 p[MOST_NODES];
    for (uint32_t i = 0; i < s->nodes; i++)
        p[i] = dv_vec3_load(at + 3 * (size_t)element[i]);
    return s->nodes == 4 ? dv_tetrahedron_volume(p[0], p[1], p[2], p[3])
                         : 0.5 * dv_vec3_cross(dv_vec3_sub(p[1], p[0]), dv_vec3_sub(p[2], p[0])).z;
}

static double measure_of_all(const CutScript *s)
{
    const DvElements list = elements_of(s);
    double sum = 0.0;
    for (uint32_t e = 0; e < list.count; e++)
        sum += measure_of(s, list.at + (size_t)e * s->nodes);
    return sum;
}

static double mass_of_all(const CutScript *s)
{
    size_t count;
    const double *mass = dv_data_doubles(dv_object_field(s->mass, "vertexMass"), &count);
    double sum = 0.0;
    CHECK(count == s->ops->point_count(dv_object_self(s->mesh)));
    for (size_t i = 0; i < count; i++)
        sum += mass[i];
    return sum;
}

/* ---- Edits ---- */

static double of_byte(uint8_t byte)
{
    return -0.5 + byte * (SIDE / 256.0);
}

/* A plane along one axis, tilted, over a part of the body or beyond it. */
static void cut(CutScript *s, const uint8_t *b)
{
    const int along = b[6] % 2, across = 1 - along;
    double section[12] = {0};
    for (int i = 0; i < 4; i++) {
        double *at = section + 3 * i;
        at[across] = of_byte(b[i / 2]) + (i % 2 ? 0.001 * (b[2] - 128) : 0.0);
        at[along] = i < 2 ? of_byte(b[3]) - 1.0 : of_byte(b[4]) + 1.0;
        at[2] = i % 2 ? SIDE : s->kind == DV_TETRAHEDRA ? of_byte(b[5]) - 0.6 : -1.0;
    }
    const double before = measure_of_all(s), mass = mass_of_all(s);
    DvCut result;
    CHECK(s->cutting->cut(s->mesh, &(DvBlade){section, 2, dv_blade_snap}, &result) == DV_OK);
    CHECK(fabs(measure_of_all(s) - before) <= 1e-12 * before);
    CHECK(fabs(mass_of_all(s) - mass) <= 1e-11 * mass);
    CHECK(result.pieces == 0 || result.smallest_angle > 0.0);
    s->counts.cuts += result.faces > 0;
}

/* A new point on an edge of an element: all that have both ends become two. */
static void split(CutScript *s, const uint8_t *b)
{
    const DvElements list = elements_of(s);
    const uint32_t *chosen = list.at + (size_t)((b[0] + 256u * b[1]) % list.count) * s->nodes;
    const uint32_t ends[2] = {chosen[b[2] % s->nodes], chosen[(b[2] + 1u) % s->nodes]}, start[2] = {0, 2};
    const uint32_t point = s->ops->point_count(dv_object_self(s->mesh));
    const double where = 0.3 + 0.4 * b[3] / 255.0, weights[2] = {1.0 - where, where}, before = measure_of_all(s);
    uint32_t pieces[2 * MOST_AROUND * MOST_NODES], parents[2 * MOST_AROUND], first[2 * MOST_AROUND + 1],
        numbers[MOST_AROUND], count = 0, around = 0;
    for (uint32_t e = 0; e < list.count; e++) {
        const uint32_t *element = list.at + (size_t)e * s->nodes;
        uint32_t at[2] = {s->nodes, s->nodes};
        for (uint32_t j = 0; j < s->nodes; j++)
            for (int k = 0; k < 2; k++)
                at[k] = element[j] == ends[k] ? j : at[k];
        if (at[0] == s->nodes || at[1] == s->nodes)
            continue;
        if (++around > MOST_AROUND)
            return;
        for (uint32_t k = 0; k < 2; k++) {
            uint32_t *piece = pieces + (2 * (size_t)count + k) * s->nodes;
            memcpy(piece, element, s->nodes * sizeof *piece);
            piece[at[k]] = point;
            parents[2 * count + k] = e;
        }
        numbers[count++] = e;
    }
    for (uint32_t i = 0; i <= 2 * count; i++)
        first[i] = i;
    void *by = dv_object_self(s->modifier);
    const DvElementChange middle = {.ancestors = ends, .weights = weights, .ancestor_start = start};
    const DvElementChange descent = {.ancestors = parents, .ancestor_start = first};
    CHECK(s->edit->add_points(by, 1, &middle) == DV_OK);
    CHECK(s->edit->add_elements(by, s->kind, 2 * count, pieces, &descent) == DV_OK);
    CHECK(s->edit->remove_elements(by, s->kind, count, numbers, true) == DV_OK);
    CHECK(fabs(measure_of_all(s) - before) <= 1e-12 * before);
    s->counts.split++;
}

static void remove_some(CutScript *s, const uint8_t *b)
{
    const uint32_t elements = elements_of(s).count, count = 1 + b[0] % 5;
    uint32_t numbers[5];
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = (b[1 + i] + 256u * b[6]) % elements;
    CHECK(s->edit->remove_elements(dv_object_self(s->modifier), s->kind, count, numbers, true) == DV_OK);
    s->counts.removed++;
}

/* On a face or edge of the border: a copy of its element, mirrored at the middle of that. */
static void add_neighbour(CutScript *s, const uint8_t *b)
{
    const DvElementKind face = s->kind == DV_TETRAHEDRA ? DV_TRIANGLES : DV_EDGES;
    const DvElements list = elements_of(s);
    const DvAdjacency faces = s->ops->adjacency(dv_object_self(s->mesh), s->kind, face),
                      around = s->ops->adjacency(dv_object_self(s->mesh), face, s->kind);
    const uint32_t e = (b[0] + 256u * b[1]) % list.count;
    uint32_t element[MOST_NODES], across = b[2] % s->nodes;
    memcpy(element, list.at + (size_t)e * s->nodes, s->nodes * sizeof *element);
    bool border = false;
    for (uint32_t i = 0; i < faces.end[e] - faces.begin[e]; i++) {
        const uint32_t f = faces.items[faces.begin[e] + i];
        const uint32_t *points =
            s->ops->elements(dv_object_self(s->mesh), face).at + (size_t)f * dv_element_nodes(face);
        bool has = false;
        for (uint32_t j = 0; j < dv_element_nodes(face); j++)
            has = has || points[j] == element[across];
        border = border || (!has && around.end[f] - around.begin[f] == 1);
    }
    if (!border)
        return;
    double weights[MOST_NODES];
    for (uint32_t j = 0; j < s->nodes; j++)
        weights[j] = j == across ? -1.0 : 2.0 / (s->nodes - 1);
    const uint32_t start[2] = {0, s->nodes}, first[2] = {0, 1};
    void *by = dv_object_self(s->modifier);
    const DvElementChange mirrored = {.ancestors = element, .weights = weights, .ancestor_start = start};
    const DvElementChange descent = {.ancestors = &e, .ancestor_start = first};
    CHECK(s->edit->add_points(by, 1, &mirrored) == DV_OK);
    element[across] = s->ops->point_count(dv_object_self(s->mesh)) - 1;
    const uint32_t left = (across + 1) % s->nodes, right = (across + 2) % s->nodes, kept = element[left];
    element[left] = element[right], element[right] = kept; /* or it would be inside out */
    CHECK(s->edit->add_elements(by, s->kind, 1, element, &descent) == DV_OK);
    s->counts.added++;
}

void cut_script_run(CutScript *s, const uint8_t bytes[CUT_BYTES])
{
    const uint8_t choice = bytes[7] % 16;
    const uint32_t count = elements_of(s).count;
    if (count < FEWEST || count > MOST) {
        dv_scene_reset(s->scene);
        s->counts.reset++;
    } else if (choice < 3) {
        cut(s, bytes);
    } else if (choice < 6) {
        split(s, bytes);
    } else if (choice < 12) {
        remove_some(s, bytes);
    } else {
        add_neighbour(s, bytes);
    }
    CHECK(fabs(mass_of_all(s) - 2.0 * measure_of_all(s)) <= 1e-9 * mass_of_all(s) + 1e-12);
}

/* ---- Checks ---- */

/* Nothing is inside out, and a point has the mass that the elements around it give. */
static void check_elements(const CutScript *s)
{
    const DvElements list = elements_of(s);
    const uint32_t points = s->ops->point_count(dv_object_self(s->mesh));
    const double *mass = dv_data_doubles(dv_object_field(s->mass, "vertexMass"), NULL);
    double *sum = calloc(points + 1, sizeof *sum);
    CHECK(dv_state_count(s->state) == points);
    for (uint32_t e = 0; e < list.count; e++) {
        const double measure = measure_of(s, list.at + (size_t)e * s->nodes);
        CHECK(measure > 0.0);
        for (uint32_t j = 0; j < s->nodes; j++)
            sum[list.at[(size_t)e * s->nodes + j]] += 2.0 * measure / s->nodes;
    }
    for (uint32_t i = 0; i < points; i++)
        CHECK(fabs(sum[i] - mass[i]) <= 1e-11);
    free(sum);
}

/* ---- Against a scene that is loaded with what there is now */

/* Forces and a product at a deformation that follows from the positions, which are those of rest, and back. [6 x points] */
static double *evaluate(DvScene *scene)
{
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    const DvStateRef state = dv_state_ref(object_in(scene, "@/state"));
    DvMechanics *m = ops->open(dv_scene_root(scene));
    const size_t n = ops->unknowns(m);
    double *values = calloc(2 * n + 1, sizeof *values), *rest = calloc(n + 1, sizeof *rest),
           *dx = calloc(n + 1, sizeof *dx);
    CHECK(n == 3 * (size_t)dv_state_count(state));
    double *x = dv_state_write(state, DV_POSITION, DV_READ_WRITE).at;
    memcpy(rest, x, n * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        const double *at = rest + i / 3 * 3;
        x[i] += 0.02 * sin(3.0 * at[0] + 2.0 * at[1] + 5.0 * at[2] + (double)(i % 3));
        dx[i] = cos(2.0 * at[0] + 3.0 * at[1] + at[2] + (double)(i % 3));
    }
    const DvVecId d = ops->allocate(m, DV_DERIVS), r = ops->allocate(m, DV_DERIVS);
    ops->propagate_position(m, &step, DV_POSITION);
    ops->compute_force(m, &step, DV_FORCE, DV_WALK_WHOLE);
    ops->gather(m, values, DV_FORCE);
    ops->scatter(m, d, dx);
    ops->add_mbk(m, &step, (DvFactors){1.3, -0.02, -0.7}, r, d, DV_WALK_WHOLE);
    ops->gather(m, values + n, r);
    ops->release(m, d);
    ops->release(m, r);
    memcpy(dv_state_write(state, DV_POSITION, DV_READ_WRITE).at, rest, n * sizeof *rest);
    ops->propagate_position(m, &step, DV_POSITION);
    ops->close(m);
    free(rest);
    free(dx);
    return values;
}

/* How many drawn triangles there are at each point. */
static uint32_t *faces_of(const CutScript *s, DvScene *scene)
{
    DvObject *picture = object_in(scene, s->kind == DV_TETRAHEDRA ? "@/border/seen/picture" : "@/picture");
    const uint32_t points = s->ops->point_count(dv_object_self(s->mesh));
    uint32_t *at = calloc(points + 1, sizeof *at);
    size_t faces;
    dv_scene_update_visual(scene);
    const uint32_t *corner = dv_data_uints(dv_object_field(picture, "triangles"), &faces);
    for (size_t i = 0; i < 3 * faces; i++) {
        CHECK(corner[i] < points);
        at[corner[i]]++;
    }
    return at;
}

static void check_anew(CutScript *s)
{
    DvText text = {0}, mesh = {0};
    const DvConstVec x = dv_state_read(s->state, DV_POSITION);
    const DvElements list = elements_of(s);
    dv_text_add(&mesh, "position='");
    for (uint32_t i = 0; i < 3 * x.count; i++)
        dv_text_add(&mesh, "%.17g ", x.at[i]);
    dv_text_add(&mesh, "' %s='", s->kind == DV_TETRAHEDRA ? "tetrahedra" : "triangles");
    for (uint32_t i = 0; i < list.count * s->nodes; i++)
        dv_text_add(&mesh, "%u ", list.at[i]);
    dv_text_add(&mesh, "'");
    scene_text_of(&text, s->kind, s->field, mesh.at);
    DvScene *fresh = edit_script_load(&text);
    dv_text_free(&mesh);
    dv_text_free(&text);
    double *edited = evaluate(s->scene), *anew = evaluate(fresh), largest = 1e-300;
    for (uint32_t i = 0; i < 6 * x.count; i++)
        largest = fmax(largest, fabs(anew[i]));
    for (uint32_t i = 0; i < 6 * x.count; i++)
        CHECK(fabs(edited[i] - anew[i]) <= MOST_ERROR * largest);
    uint32_t *faces = faces_of(s, s->scene), *faces_anew = faces_of(s, fresh);
    CHECK(memcmp(faces, faces_anew, x.count * sizeof *faces) == 0);
    free(faces);
    free(faces_anew);
    free(edited);
    free(anew);
    dv_scene_free(fresh);
}

void cut_script_check(CutScript *s)
{
    check_elements(s);
    check_anew(s);
    if (s->border)
        edit_script_check_border(s->mesh, s->border);
    edit_script_check_tables(s->mesh, s->kind);
    CHECK(dv_scene_step(s->scene, 0) == DV_OK);
    dv_scene_update_visual(s->scene);
    const double *now = dv_state_read(s->hung, DV_POSITION).at;
    for (int i = 0; i < 3 * HUNG; i++)
        CHECK(fabs(now[i] - s->first[i]) <= 1e-6); /* a point may hang far outside a thin element */
}

CutCounts cut_script_counts(const CutScript *s)
{
    return s->counts;
}
