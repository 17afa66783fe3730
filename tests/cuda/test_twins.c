/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each twin against its component, by rows: forces and products at random, turned-out and flat places, of none, one, some and 10^4
 * elements (10^5 in long runs). A row is a mesh and what acts on it; `$` stands for the word of the states.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <divan/contracts/mechanical_operations.h>
#include <divan/contracts/operator.h>
#include <divan/divan.h>

#include "scene_text.h"
#include "share.h"

/* ---- Meshes ---- */

typedef struct Text {
    char *at;
    size_t used, room;
} Text;

__attribute__((format(printf, 2, 3))) static void add(Text *text, const char *format, ...)
{
    enum { LINE = 4096 };
    if (text->used + LINE > text->room) {
        text->room = 2 * text->room + 4 * (size_t)LINE;
        text->at = realloc(text->at, text->room);
        assert_non_null(text->at);
    }
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text->at + text->used, LINE, format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && length < LINE);
    text->used += (size_t)length;
}

typedef struct Mesh {
    const char *name;     /* of the attribute; NULL: a grid, of n x n x n points */
    uint32_t nodes, each; /* of an element; elements of a cell */
    uint8_t node[6][8];   /* corners of the cell, as those of a hexahedron */
} Mesh;

static const Mesh grid = {0};
static const Mesh edges = {"edges", 2, 3, {{0, 1}, {0, 3}, {0, 4}}};
static const Mesh triangles = {"triangles", 3, 4, {{0, 1, 2}, {0, 2, 3}, {0, 1, 5}, {0, 5, 4}}};
static const Mesh quads = {"quads", 4, 2, {{0, 1, 2, 3}, {0, 1, 5, 4}}};
static const Mesh tetrahedra = {
    "tetrahedra", 4, 6, {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6}, {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}}};
static const Mesh hexahedra = {"hexahedra", 8, 1, {{0, 1, 2, 3, 4, 5, 6, 7}}};
static const Mesh prisms = {"prisms", 6, 2, {{0, 1, 2, 4, 5, 6}, {0, 2, 3, 4, 6, 7}}};
static const Mesh pyramids = {"pyramids", 5, 3, {{0, 1, 2, 3, 6}, {0, 4, 5, 1, 6}, {0, 3, 7, 4, 6}}};

/* Points of a lattice n x n x n, of which none is where it would be in a box; at most so many elements. `flat`: all in one plane. */
static void add_mesh(Text *text, const Mesh *mesh, uint32_t n, uint32_t most, uint32_t dim)
{
    const uint32_t layers = dim == 3 ? n : 1;
    if (!mesh->name) {
        add(text, "<RegularGridTopology name='mesh' n='%u %u %u' min='0 0 0' max='%u %u %u'/>", n, n, n, n - 1, n - 1,
            n - 1);
        return;
    }
    add(text, "<MeshTopology name='mesh' position='");
    for (uint32_t i = 0; i < layers * n * n; i++) {
        const uint32_t layer = i / (n * n);
        const double x = i % n, y = i / n % n, z = layer;
        add(text, "%.3f %.3f %.3f ", x + 0.1 * sin(3.0 * i), y + 0.1 * sin(5.0 * i + 1.0),
            dim == 3 ? z + 0.1 * sin(7.0 * i + 2.0) : 0.0);
    }
    add(text, "' %s='", mesh->name);
    for (uint32_t i = 0, count = 0; i < layers * n * n; i++) {
        const uint32_t x = i % n, y = i / n % n, z = i / (n * n);
        const uint32_t corner[8] = {i,         i + 1,         i + n + 1,         i + n,
                                    i + n * n, i + n * n + 1, i + n * n + n + 1, i + n * n + n};
        for (uint32_t e = 0; x + 1 < n && y + 1 < n && (dim < 3 || z + 1 < n) && e < mesh->each && count < most; e++) {
            bool inside = true;
            for (uint32_t k = 0; k < mesh->nodes; k++)
                inside = inside && (dim == 3 || mesh->node[e][k] < 4);
            for (uint32_t k = 0; inside && k < mesh->nodes; k++)
                add(text, "%u ", corner[mesh->node[e][k]]);
            count += inside;
        }
    }
    add(text, "'/>");
}

/* ---- Rows ---- */

typedef struct Row {
    const char *acts;
    const Mesh *mesh;
    const char *kind; /* of the states: Vec3, Vec2 */
    bool alone;       /* also of none, where the class takes a mesh without elements */
} Row;

#define SOLID(Class, Kind, More) \
    "<" Class "FEMForceField template='$," Kind "' youngModulus='1000' poissonRatio='0.3' topology='@mesh' " More "/>"
#define FEM_MASS(Kind) \
    "<NodalMassDensity property='2'/><FEMMass template='$," Kind "' topology='@mesh' consistent='1'/>"
static const Row rows[] = {
#include "twin_rows.h"
};
enum { ROWS = sizeof rows / sizeof *rows };

static void add_part(Text *text, const char *part, const char *word)
{
    for (; *part; part++)
        if (*part == '$')
            add(text, "%s", word);
        else
            add(text, "%c", *part);
}

/* As many as a grid has points, each turned in its own way. */
static void add_bodies(Text *text, const char *word, uint32_t n, bool in_space)
{
    add(text, "<MechanicalObject name='dofs' template='%s' position='", word);
    for (uint32_t i = 0; i < n * n * n; i++)
        if (in_space)
            add(text, "%u %u %u 0.5 %.2f %.2f 0.5 ", i % n, i / n % n, i / (n * n), sin(i), cos(i));
        else
            add(text, "%u %u %.2f ", i % n, i / n, sin(i));
    add(text, "'/>");
}

/* With everything in node Body; a second state for what is between two. */
static DvScene *scene_of(const Row *row, const char *word, uint32_t n, uint32_t most)
{
    Text text = {0};
    add(&text,
        "<Node name='root' dt='0.01' gravity='0 -9 0'><DefaultAnimationLoop/><Node name='Body'><EulerImplicitSolver "
        "rayleighStiffness='0.05' rayleighMass='0.05'/><CGLinearSolver iterations='100' tolerance='%s' threshold='1e-40'/>",
        strchr(word, 'f') ? "1e-6" : "1e-13");
    add_mesh(&text, row->mesh, n, most, row->kind[strlen(row->kind) - 1] == '3' ? 3 : 2);
    if (strncmp(row->kind, "Rigid", 5) == 0)
        add_bodies(&text, word, n, row->kind[5] == '3');
    else
        add(&text, "<MechanicalObject name='dofs' template='%s' position='@mesh.position'/>", word);
    if (strstr(row->acts, "Mass") == NULL)
        add(&text, "<UniformMass vertexMass='0.5'/>");
    add_part(&text, row->acts, word);
    add(&text, "</Node></Node>");
    DvScene *scene = scene_from_text(text.at);
    free(text.at);
    return scene;
}

typedef enum Shape { RANDOM, INVERTED, FLAT } Shape;

/* The same numbers for all, which floats can hold: near rest, turned inside out or in one plane; velocities and displacements. */
static void place(const DvStateRef s, Shape shape)
{
    uint32_t random = 1;
    for (int vector = 0; vector < 3; vector++) {
        const DvConstVec rest = dv_state_read(s, DV_REST_POSITION);
        const DvVec at = dv_state_write(s, ((const DvVecId[]){DV_POSITION, DV_VELOCITY, DV_DX})[vector], DV_OVERWRITE);
        for (uint32_t i = 0; i < at.count * at.dim; i++) {
            random = random * 1664525u + 1013904223u;
            const double moved = (vector ? 0.0 : rest.at[i]) + 0.3 * ((double)random / 4294967296.0 - 0.5);
            const bool turned = shape != RANDOM && vector == 0 && i % at.dim == at.dim - 1;
            at.at[i] = (double)(float)(turned ? (shape == FLAT ? 0.0 : -moved) : moved);
        }
    }
}

/* What does not hold is said of all rows before a test fails. */
static int faults;
__attribute__((format(printf, 1, 2))) static void fault(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vfprintf(stderr, format, arguments);
    va_end(arguments);
    faults++;
}

enum { FORCE, PRODUCT, DIAGONAL, RESULTS };

typedef struct Result {
    double *at[RESULTS];
    size_t count;
    uint64_t fetched; /* bytes */
} Result;

static uint64_t fetched(const DvStateRef s)
{
    const DvStorage storage = dv_state_storage(s);
    return storage.space ? storage.space->ops->counts(storage.space)->bytes_got : 0;
}

/* The vectors of both states, one behind the other. */
static void append(Result *result, const DvStateRef s)
{
    const size_t count = (size_t)dv_state_count(s) * s.dof->deriv;
    for (int k = 0; k < 2; k++) {
        const DvConstVec at = dv_state_read(s, k ? DV_DFORCE : DV_FORCE);
        result->at[k] = realloc(result->at[k], (result->count + count + 1) * sizeof(double));
        assert_non_null(result->at[k]);
        if (count)
            memcpy(result->at[k] + result->count, at.at, count * sizeof(double));
    }
    result->count += count;
}

/* Of m M + k K: by the twins where there are any, by the matrix on the host. NULL: twins do not know it. */
static double *diagonal_of(const DvMechanicalOperationsOps *ops, DvMechanics *m, const DvStep *step, DvFactors factors)
{
    const size_t n = ops->unknowns(m);
    double *diagonal = calloc(n + 1, sizeof *diagonal);
    assert_non_null(diagonal);
    if (ops->storage(m).space) {
        const DvVecId d = ops->allocate(m, DV_DERIVS);
        const bool known = ops->add_diagonal(m, step, factors, d);
        ops->gather(m, diagonal, d);
        ops->release(m, d);
        if (known)
            return diagonal;
        free(diagonal);
        return NULL;
    }
    const DvBlockMatrix *a = ops->assemble(m, step, factors, 0);
    assert_non_null(a);
    assert_int_equal(a->rows * a->block, n);
    for (uint32_t row = 0; row < a->rows; row++)
        for (uint32_t c = 0; c < a->block; c++)
            diagonal[row * a->block + c] = a->values[((size_t)a->diagonal[row] * a->block + c) * a->block + c];
    return diagonal;
}

static uint64_t read_there(const DvStateRef s)
{
    const DvStorage storage = dv_state_storage(s);
    return storage.space ? storage.space->ops->counts(storage.space)->bytes_read : 0;
}

/* Whether all columns of a product read its operator once. Not where Jacobians differ within an element, nor between two states, nor of
 * bodies that turn, whose products say nothing of what they read. */
static bool reads_once(const Row *row)
{
    const bool curved =
        row->mesh == &quads || row->mesh == &hexahedra || row->mesh == &prisms || row->mesh == &pyramids;
    const bool solid = strstr(row->acts, "SmallStrain") || strstr(row->acts, "Corotational") ||
                       strstr(row->acts, "Hexahedron") || strstr(row->acts, "SolidFEM");
    return !strstr(row->acts, "'Other'") && !(solid && curved);
}

/* A product of several columns has the bits of one after the other, and reads its operator less often. */
static void multiply_columns(const DvMechanicalOperationsOps *ops, DvMechanics *m, const Row *row, const DvStateRef s)
{
    enum { COLUMNS = DV_MOST_COLUMNS + 1 };
    const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    const DvFactors factors = {.m = 0.7, .k = -0.3};
    const size_t bytes = (size_t)dv_state_count(s) * s.dof->deriv * sizeof(double);
    DvVecId id[2 * COLUMNS];
    (void)ops->scratch(m, DV_DERIVS, DV_SCRATCH_LINEAR, 2 * COLUMNS, id);
    double *one[COLUMNS];
    for (int i = 0; i < COLUMNS; i++)
        ops->combine(m, id[i], DV_DX, DV_VELOCITY, 0.5 * i);
    uint64_t read = read_there(s);
    for (int i = 0; i < COLUMNS; i++) {
        ops->combine(m, id[COLUMNS + i], DV_VELOCITY, DV_NO_VEC, 0.0);
        ops->add_mbk(m, &step, factors, id[COLUMNS + i], id[i], DV_WALK_WHOLE);
        one[i] = malloc(bytes + 1);
        assert_non_null(one[i]);
        if (bytes)
            memcpy(one[i], dv_state_read(s, id[COLUMNS + i]).at, bytes);
        ops->combine(m, id[COLUMNS + i], DV_VELOCITY, DV_NO_VEC, 0.0);
    }
    const uint64_t singly = read_there(s) - read;
    read = read_there(s);
    ops->add_mbk_columns(m, &step, factors, COLUMNS, id + COLUMNS, id, DV_WALK_WHOLE);
    const uint64_t together = read_there(s) - read;
    for (int i = 0; i < COLUMNS; i++) {
        if (bytes && memcmp(one[i], dv_state_read(s, id[COLUMNS + i]).at, bytes) != 0)
            fault("%s of %s: column %d has other bits than by itself\n", row->acts, s.dof->name, i);
        free(one[i]);
    }
    if (reads_once(row) ? 5 * together != 2 * singly : together > singly)
        fault("%s of %s: reads %llu bytes for %d columns, %llu one by one\n", row->acts, s.dof->name,
              (unsigned long long)together, COLUMNS, (unsigned long long)singly);
}

static Result act(const DvScene *scene, const Row *row, Shape shape)
{
    const DvStateRef s = scene_state(scene, "/Body/dofs");
    const bool two = strstr(row->acts, "'Other'") != NULL;
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    DvMechanics *m = ops->open(dv_object_node(s.object));
    Result result = {0};
    place(s, shape);
    if (two)
        place(scene_state(scene, "/Body/Other/dofs"), shape);
    const uint64_t before = fetched(s);
    ops->compute_force(m, &step, DV_FORCE, DV_WALK_WHOLE);
    ops->clear(m, DV_DFORCE);
    const DvFactors factors = {.m = 0.7, .k = -0.3};
    ops->add_mbk(m, &step, factors, DV_DFORCE, DV_DX, DV_WALK_WHOLE);
    result.fetched = fetched(s) - before;
    append(&result, s);
    if (two)
        append(&result, scene_state(scene, "/Body/Other/dofs"));
    if (result.count < 100000)
        result.at[DIAGONAL] = diagonal_of(ops, m, &step, factors);
    multiply_columns(ops, m, row, s);
    ops->close(m);
    return result;
}

static void forget(Result *result)
{
    for (int k = 0; k < RESULTS; k++)
        free(result->at[k]);
}

/* Where frames are not defined both are finite, and that is all. */
static void compare(const Row *row, const char *word, Shape shape, const Result *host, const Result *device,
                    double limit)
{
    /* The rotation of what is nearly flat is found from squares (dv_polar_stable), which lose digits. */
    const double loss = row->mesh == &quads && strstr(row->acts, "Corotational") ? 10.0 : 1.0;
    assert_int_equal(host->count, device->count);
    if (device->fetched)
        fault("%s of %s: acts on the host\n", row->acts, word);
    if (host->at[DIAGONAL] && !device->at[DIAGONAL])
        fault("%s of %s: its twin does not know the diagonal\n", row->acts, word);
    for (int k = 0; k < (device->at[DIAGONAL] ? RESULTS : DIAGONAL); k++) {
        static const char *const names[RESULTS] = {"force", "product", "diagonal"};
        double largest = 0.0, off = 0.0;
        for (size_t i = 0; i < host->count; i++) {
            largest = fmax(largest, fabs(host->at[k][i]));
            off = fmax(off, fabs(host->at[k][i] - device->at[k][i]));
            if (!isfinite(device->at[k][i]))
                off = INFINITY;
        }
        if (off == INFINITY)
            fault("%s of %s, shape %d: not finite\n", row->acts, word, (int)shape);
        else if (shape != FLAT && !(off <= limit * loss * largest))
            fault("%s of %s, shape %d, %s: %g of %g\n", row->acts, word, (int)shape, names[k], off, largest);
    }
}

static void expect_like_host(const Row *row, uint32_t n, uint32_t most, Shape last, int precisions_tried)
{
    static const char *const precisions[] = {"d", "f"};
    for (int k = 0; k < precisions_tried; k++) {
        char here[32], there[32];
        (void)snprintf(here, sizeof here, "%sd", row->kind);
        (void)snprintf(there, sizeof there, "Cuda%s%s", row->kind, precisions[k]);
        DvScene *host = scene_of(row, here, n, most), *device = scene_of(row, there, n, most);
        for (int shape = RANDOM; shape <= (int)last; shape++) {
            Result a = act(host, row, (Shape)shape), b = act(device, row, (Shape)shape);
            compare(row, there, (Shape)shape, &a, &b, k ? 1e-5 : 1e-12);
            forget(&a);
            forget(&b);
        }
        dv_scene_free(device);
        dv_scene_free(host);
    }
}

static void test_some(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++)
        expect_like_host(&rows[i], 4, UINT32_MAX, FLAT, 2);
    assert_int_equal(faults, 0);
}

static void test_one(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++)
        if (rows[i].mesh->name)
            expect_like_host(&rows[i], 2, 1, INVERTED, 2);
    assert_int_equal(faults, 0);
}

static void test_none(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++)
        if (rows[i].alone)
            expect_like_host(&rows[i], 2, 0, RANDOM, 2);
    assert_int_equal(faults, 0);
}

/* This run takes every `parts`-th of the rows with many elements, from `part` on; the first one the other tests too. */
static int part, parts = 1;

/* More than blocks have lanes, many times. */
static void test_many(void **state)
{
    (void)state;
    static const struct {
        Row row;
        uint32_t n;
    } many[] = {
        {{"<HexahedronFEMForceField youngModulus='1000' poissonRatio='0.3'/>", &grid, "Vec3", false}, 48},
        {{"<TetrahedronFEMForceField youngModulus='1000' poissonRatio='0.3'/>", &grid, "Vec3", false}, 28},
        {{"<MeshSpringForceField linesStiffness='50' linesDamping='0.1'/>", &grid, "Vec3", false}, 34},
        {{"<UniformMass turningInertia='1' vertexMass='2 1 0.5 0.1 0 0.1 1 0 0 0 1.5'/>", &grid, "Rigid3", false}, 47},
        {{SOLID("Corotational", "Hexahedron", ""), &hexahedra, "Vec3", false}, 48},
        {{SOLID("Corotational", "Tetrahedron", ""), &tetrahedra, "Vec3", false}, 27},
        {{SOLID("LinearSmallStrain", "Prism", ""), &prisms, "Vec3", false}, 38},
        {{"<UniformMass totalMass='5'/>", &grid, "Vec3", false}, 47},
        {{"<DiagonalMass totalMass='5'/>", &grid, "Vec3", false}, 47},
        {{"<MeshMatrixMass totalMass='5'/>", &grid, "Vec3", false}, 48},
        {{FEM_MASS("Tetrahedron"), &tetrahedra, "Vec3", false}, 27},
    };
    for (int i = part; i < (int)(sizeof many / sizeof *many); i += parts)
        expect_like_host(&many[i].row, share_is_long() ? many[i].n : (many[i].n + 1) / 2, UINT32_MAX, RANDOM, 1);
    assert_int_equal(faults, 0);
}

/* ---- Scenes ---- */

#define HELD "<FixedProjectiveConstraint indices='0 3 6'/>"
#define SOFT "youngModulus='2000' poissonRatio='0.3'"
static const Row scenes[] = {
    {"<HexahedronFEMForceField method='large' " SOFT "/>" HELD, &grid, "Vec3", false},
    {"<HexahedronFEMForceField method='polar' " SOFT "/>" HELD, &hexahedra, "Vec3", false},
    {"<TetrahedronFEMForceField method='svd' " SOFT "/>" HELD, &tetrahedra, "Vec3", false},
    {"<TetrahedronFEMForceField method='exact' " SOFT "/>" HELD, &tetrahedra, "Vec3", false},
    {"<CorotationalFEMForceField template='$,Prism' " SOFT "/>" HELD
     "<NodalMassDensity property='2'/><FEMMass template='$,Prism' topology='@mesh' consistent='1'/>",
     &prisms, "Vec3", false},
    {"<LinearSmallStrainFEMForceField template='$,Tetrahedron' " SOFT "/>" HELD "<MeshMatrixMass totalMass='5'/>",
     &tetrahedra, "Vec3", false},
    {"<MeshSpringForceField linesStiffness='200' linesDamping='1'/><QuadularBendingSprings stiffness='20' damping='0.1'/>" HELD
     "<RestShapeSpringsForceField points='5 8' stiffness='30'/>",
     &quads, "Vec3", false},
};

static double apart(const DvScene *a, const DvScene *b)
{
    const DvStateRef s = scene_state(a, "/Body/dofs"), t = scene_state(b, "/Body/dofs");
    double largest = 0.0, size = 1e-300;
    for (int k = 0; k < 2; k++) {
        const DvConstVec x = dv_state_read(s, k ? DV_VELOCITY : DV_POSITION),
                         y = dv_state_read(t, k ? DV_VELOCITY : DV_POSITION);
        assert_int_equal(x.count, y.count);
        for (size_t i = 0; i < (size_t)x.count * x.dim; i++) {
            largest = fmax(largest, fabs(x.at[i] - y.at[i]));
            size = fmax(size, fabs(x.at[i]));
        }
    }
    return largest / size;
}

/* Energies of both, in proportion to their sum, and momenta, to theirs and 1 kg m/s: how far they are apart. */
static double sums_apart(const DvScene *a, const DvScene *b)
{
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    double energy[2][2], momentum[2][6] = {{0}}, all = 0.0, most = 1.0, off[2] = {0.0, 0.0};
    for (int k = 0; k < 2; k++) {
        DvMechanics *m = ops->open(dv_object_node(scene_state(k ? b : a, "/Body/dofs").object));
        energy[k][0] = ops->kinetic_energy(m);
        energy[k][1] = ops->potential_energy(m);
        ops->momentum(m, momentum[k]);
        ops->close(m);
    }
    for (int i = 0; i < 2; i++) {
        all += fabs(energy[0][i]);
        off[0] = fmax(off[0], isfinite(energy[1][i]) ? fabs(energy[0][i] - energy[1][i]) : INFINITY);
    }
    for (int i = 0; i < 6; i++) {
        most = fmax(most, fabs(momentum[0][i]));
        off[1] = fmax(off[1], isfinite(momentum[1][i]) ? fabs(momentum[0][i] - momentum[1][i]) : INFINITY);
    }
    assert_true(all > 0.0);
    return fmax(off[0] / all, off[1] / most);
}

/* The last steps take no memory, and nothing comes home but slots, sums of the check and what a look at them needs. */
static void make_counted_steps(DvScene *scene, int steps)
{
    const DvStorage storage = dv_state_storage(scene_state(scene, "/Body/dofs"));
    assert_non_null(storage.space);
    DvSpaceCounts before = {0};
    for (int i = 0; i < steps; i++) {
        if (i == 5)
            before = *storage.space->ops->counts(storage.space);
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    }
    const DvSpaceCounts after = *storage.space->ops->counts(storage.space);
    const uint64_t waits = after.waits - before.waits, got = after.bytes_got - before.bytes_got,
                   counted = (uint64_t)steps - 5;
    assert_int_equal(after.allocations, before.allocations);
    assert_true(waits <= 3 * counted);
    assert_true(got <= waits * (DV_SLOTS * sizeof(double) + 64));
    assert_true(after.bytes_put - before.bytes_put <= 1024 * counted);
}

static void test_scenes_are_those_of_the_host(void **state)
{
    (void)state;
    enum { STEPS = 100, POINTS = 3 };
    static const char *const words[] = {"CudaVec3d", "CudaVec3f"};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        DvScene *host = scene_of(&scenes[i], "Vec3d", POINTS, UINT32_MAX);
        for (int step = 0; step < STEPS; step++)
            assert_int_equal(dv_scene_step(host, 0), DV_OK);
        for (int k = 0; k < 2; k++) {
            DvScene *device = scene_of(&scenes[i], words[k], POINTS, UINT32_MAX);
            make_counted_steps(device, STEPS);
            const double off = fmax(apart(host, device), sums_apart(host, device));
            if (!(off <= (k ? 1e-3 : 1e-9)))
                fault("%s of %s: after %d steps %g\n", scenes[i].acts, words[k], (int)STEPS, off);
            dv_scene_free(device);
        }
        dv_scene_free(host);
    }
    assert_int_equal(faults, 0);
}

static int start_with_device(void **state)
{
    return setenv("DIVAN_DEVICE", "emulated", 1) == 0 ? start_plugins(state) : -1;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_some),
        cmocka_unit_test(test_one),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_scenes_are_those_of_the_host),
    };
    const struct CMUnitTest rest[] = {cmocka_unit_test(test_many)};
    if (argc == 3) {
        part = (int)strtol(argv[1], NULL, 10);
        parts = (int)strtol(argv[2], NULL, 10);
    }
    return part == 0 ? cmocka_run_group_tests(tests, start_with_device, stop_plugins)
                     : cmocka_run_group_tests(rest, start_with_device, stop_plugins);
}
