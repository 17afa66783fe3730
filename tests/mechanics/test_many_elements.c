/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Many bodies in one mesh are what each of them is alone: force, product, matrix, energy, mass, what is computed for elements and
 * points, and what is drawn. Elements are computed eight at a time and in chunks, with materials of their own: no neighbour in a block
 * may be seen. The bodies may be of very different sizes, since nothing of an element but its shape may decide what is flat.
 */
#include "force_at.h"

#include <divan/contracts/mass.h>
#include <divan/contracts/mechanical_operations.h>
#include <divan/contracts/topology.h>
#include <divan/plugin.h>

#include "drawing.h"

enum { BODIES = 21, MOST_POINTS = 8, MOST_NUMBERS = 3 * MOST_POINTS, MOST_BATCHES = 8 };

/* A few elements at rest. */
typedef struct Body {
    DvElementKind kind;
    const char *family, *list;
    uint32_t points, numbers; /* numbers: of the list */
    double at[MOST_NUMBERS];
    uint32_t element[16];
} Body;

static const Body tetrahedron = {
    DV_TETRAHEDRA, "Tetrahedron", "tetrahedra", 4, 4, {0, 0, 0, 1, 0.1, 0, 0.2, 1.1, 0.1, 0.1, 0.2, 0.9}, {0, 1, 2, 3}};
static const Body tetrahedra = {DV_TETRAHEDRA,
                                "Tetrahedron",
                                "tetrahedra",
                                5,
                                8,
                                {0, 0, 0, 1, 0.1, 0, 0.2, 1.1, 0.1, 0.1, 0.2, 0.9, 1.1, 1, 1.2},
                                {0, 1, 2, 3, 4, 2, 1, 3}};
static const Body triangles = {
    DV_TRIANGLES, "Triangle", "triangles", 4, 6, {0, 0, 0, 1, 0, 0, 0.2, 0.9, 0.1, 1.1, 1, 0.2}, {0, 1, 2, 2, 1, 3}};
static const Body flat_triangles = {
    DV_TRIANGLES, "Triangle", "triangles", 4, 6, {0, 0, 0, 1, 0, 0, 0.2, 0.9, 0, 1.1, 0.9, 0}, {0, 1, 2, 2, 3, 1}};
static const Body quads = {DV_QUADS,
                           "Quad",
                           "quads",
                           6,
                           8,
                           {0, 0, 0, 1, 0.1, 0, 1.1, 1, 0.2, 0, 0.9, 0.1, 2, 0, 0.3, 2.2, 1.1, 0},
                           {0, 1, 2, 3, 1, 4, 5, 2}};
static const Body hexahedron = {
    DV_HEXAHEDRA,
    "Hexahedron",
    "hexahedra",
    8,
    8,
    {0, 0, 0, 1, 0.1, 0, 1.1, 1, 0.1, 0.1, 0.9, 0, 0, 0.1, 1.2, 1.1, 0, 1, 1, 1.2, 1.1, -0.1, 1, 0.9},
    {0, 1, 2, 3, 4, 5, 6, 7}};
static const Body box = {
    DV_HEXAHEDRA,
    "Hexahedron",
    "hexahedra",
    8,
    8,
    {0, 0, 0, 1, 0.1, 0, 1.2, 1, 0.1, 0.2, 0.9, 0.1, 0, 0.2, 1, 1, 0.3, 1, 1.2, 1.2, 1.1, 0.2, 1.1, 1.1},
    {0, 1, 2, 3, 4, 5, 6, 7}};

typedef struct Case {
    const Body *body;
    const char *component; /* class and attributes */
    uint32_t dimension;    /* of what the material fills; 0: all bodies are of one size */
    bool material;         /* youngModulus and poissonRatio of each element */
    bool density;          /* massDensity of each element */
    const char *outputs;   /* "field field": these must be computed at the end of a step */
    bool at_load;          /* and when the bodies have been loaded */
} Case;

static double number_of(uint32_t body, uint32_t i, uint32_t salt)
{
    uint32_t bits = (body * 64 + i) * 2654435761u + salt * 40503u;
    bits = (bits ^ bits >> 15) * 2246822519u;
    return (double)((bits ^ bits >> 13) >> 8) / (double)(1u << 23) - 1.0;
}

/* From a nanometre to a kilometre. */
static double size_of(const Case *c, uint32_t body)
{
    return c->dimension > 0 ? pow(10.0, 3.0 * (body % 5) - 9.0) : 1.0;
}

static double position_of(const Case *c, uint32_t body, uint32_t i)
{
    return size_of(c, body) * (c->body->at[i] + 0.05 * number_of(body, i, 1));
}

static void add_numbers(DvText *text, const Case *c, const char *name, uint32_t first, uint32_t count,
                        double (*number)(const Case *c, uint32_t body, uint32_t i), uint32_t each)
{
    dv_text_add(text, " %s='", name);
    for (uint32_t body = first; body < first + count; body++)
        for (uint32_t i = 0; i < each; i++)
            dv_text_add(text, "%.17g ", number(c, body, i));
    dv_text_add(text, "'");
}

static double rest_of(const Case *c, uint32_t body, uint32_t i)
{
    return size_of(c, body) * c->body->at[i];
}

static double velocity_of(const Case *c, uint32_t body, uint32_t i)
{
    return size_of(c, body) * number_of(body, i, 2);
}

/* So that all bodies have energies of one size. */
static double young_of(const Case *c, uint32_t body, uint32_t i)
{
    return (100.0 + 30.0 * number_of(body, i, 3)) / pow(size_of(c, body), c->dimension);
}

static double poisson_of(const Case *c, uint32_t body, uint32_t i)
{
    (void)c;
    return 0.25 + 0.2 * number_of(body, i, 4);
}

static double density_of(const Case *c, uint32_t body, uint32_t i)
{
    return (5.0 + number_of(body, i, 5)) / pow(size_of(c, body), c->dimension);
}

/* `count` bodies from number `first` on. */
static DvScene *scene_of(const Case *c, uint32_t first, uint32_t count)
{
    const Body *body = c->body;
    const uint32_t each = body->numbers / dv_element_nodes(body->kind);
    DvText text = {0};
    dv_text_add(&text, "<Node dt='0.01' gravity='1 -2 3'><DefaultAnimationLoop/><%sSetTopologyContainer name='topo'",
                body->family);
    add_numbers(&text, c, "position", first, count, rest_of, 3 * body->points);
    dv_text_add(&text, " %s='", body->list);
    for (uint32_t i = 0; i < count * body->numbers; i++)
        dv_text_add(&text, "%u ", i / body->numbers * body->points + body->element[i % body->numbers]);
    dv_text_add(&text, "'/><%sSetTopologyModifier/><MechanicalObject name='dofs' template='Vec3d'", body->family);
    add_numbers(&text, c, "position", first, count, position_of, 3 * body->points);
    add_numbers(&text, c, "rest_position", first, count, rest_of, 3 * body->points);
    add_numbers(&text, c, "velocity", first, count, velocity_of, 3 * body->points);
    dv_text_add(&text, "/><%s name='field'", c->component);
    if (c->material) {
        add_numbers(&text, c, "youngModulus", first, count, young_of, each);
        add_numbers(&text, c, "poissonRatio", first, count, poisson_of, each);
    }
    if (c->density)
        add_numbers(&text, c, "massDensity", first, count, density_of, each);
    dv_text_add(&text, "/></Node>");
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    return scene;
}

/* ---- What is compared ---- */

typedef struct Numbers {
    double *at;
    size_t count;
} Numbers;

enum { FORCE, PRODUCT, MATRIX, MASS_PRODUCT, WEIGHT, VECTORS };

typedef struct Record {
    Numbers vector[VECTORS];             /* by point */
    double energy, kinetic, momentum[6]; /* sums */
    Numbers drawn[MOST_BATCHES];
    uint32_t batches;
    DvText fields[3]; /* names of those recorded at load, after a force and after a step, in the order of `values` */
    Numbers values[3][64];
    uint32_t field_count[3];
} Record;

static void keep(Numbers *numbers, const double *at, size_t count)
{
    if (count == 0)
        return;
    numbers->at = realloc(numbers->at, (numbers->count + count) * sizeof *at);
    memcpy(numbers->at + numbers->count, at, count * sizeof *at);
    numbers->count += count;
}

static void keep_batch(void *context, const DrawnBatch *batch)
{
    Record *record = context;
    assert_true(record->batches < MOST_BATCHES);
    keep(&record->drawn[record->batches++], batch->points, batch->numbers);
}

static void keep_fields(Record *record, int when, DvObject *field)
{
    dv_text_add(&record->fields[when], "lists:");
    for (const DvField *f = dv_object_class(field)->fields; f->name; f++) {
        if (!f->type->list || f->type->scalar != DV_SCALAR_DOUBLE ||
            f->type->element_size != f->type->components * sizeof(double) ||
            strcmp(f->type->name, "list of color") == 0) /* of a palette from the least to the largest of all */
            continue;
        DvData *data = dv_object_field(field, f->name);
        size_t count;
        const double *at = dv_data_doubles(data, &count);
        assert_true(record->field_count[when] < 64);
        keep(&record->values[when][record->field_count[when]++], at, count * f->type->components);
        dv_text_add(&record->fields[when], " %s %zu", f->name, (size_t)f->type->components);
    }
}

static Numbers zeros(size_t count)
{
    return (Numbers){calloc(count + 1, sizeof(double)), count};
}

static void record_force(Record *record, DvScene *scene, DvObject *field, uint32_t points, const double *dx)
{
    const DvForceFieldOps *ops = field_ops(field);
    void *self = dv_object_self(field);
    const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    const DvStateRef state = scene_state(scene, "/dofs");
    const DvConstVec at = dv_state_read(state, DV_POSITION), moving = dv_state_read(state, DV_VELOCITY),
                     d[2] = {{dx, points, 3}, {dx, points, 3}}, x[2] = {at, at}, v[2] = {moving, moving};
    const size_t n = 3 * (size_t)points;
    const bool is_mass = dv_object_ops(field, DV_MASS) != NULL;
    Numbers *force = &record->vector[is_mass ? WEIGHT : FORCE], *product = &record->vector[PRODUCT],
            *through = &record->vector[MATRIX];
    *force = zeros(n);
    ops->add_force(self, &step, x, v, (const DvVec[2]){{force->at, points, 3}, {force->at, points, 3}});
    if (ops->energy)
        record->energy = ops->energy(self, &step, x);
    if (!ops->add_dforce || is_mass)
        return;
    *product = zeros(n);
    ops->add_dforce(self, &step, 0.7, 0.3, d, (const DvVec[2]){{product->at, points, 3}, {product->at, points, 3}});
    const DvMechanicalOperationsOps *mechanics = dv_service(DV_MECHANICAL_OPERATIONS);
    DvMechanics *m = mechanics->open(dv_scene_root(scene));
    mechanics->compute_force(m, &step, DV_FORCE, DV_WALK_WHOLE);
    const DvBlockMatrix *a = mechanics->assemble(m, &step, (DvFactors){.k = 0.7, .b = 0.3}, 0);
    assert_non_null(a);
    assert_int_equal(a->rows * a->block, n);
    *through = zeros(n);
    for (uint32_t row = 0; row < a->rows; row++)
        for (uint32_t e = a->row_start[row]; e < a->row_start[row + 1]; e++)
            for (uint32_t i = 0; i < 3; i++)
                for (uint32_t j = 0; j < 3; j++)
                    through->at[3 * row + i] += a->values[((size_t)e * 3 + i) * 3 + j] * dx[3 * a->columns[e] + j];
    mechanics->close(m);
}

static void record_mass(Record *record, DvScene *scene, DvObject *field, uint32_t points, const double *dx)
{
    const DvMassOps *ops = dv_object_ops(field, DV_MASS);
    if (!ops)
        return;
    const DvStateRef state = scene_state(scene, "/dofs");
    const DvConstVec x = dv_state_read(state, DV_POSITION), v = dv_state_read(state, DV_VELOCITY);
    void *self = dv_object_self(field);
    record->vector[MASS_PRODUCT] = zeros(3 * (size_t)points);
    ops->add_mdx(self, 1.0, (DvConstVec){dx, points, 3}, (DvVec){record->vector[MASS_PRODUCT].at, points, 3});
    record->kinetic = ops->kinetic_energy(self, v);
    ops->momentum(self, x, v, record->momentum);
}

static void record_bodies(Record *record, const Case *c, uint32_t first, uint32_t count)
{
    *record = (Record){0};
    DvScene *scene = scene_of(c, first, count);
    DvObject *field = scene_object(scene, "/field");
    const uint32_t points = count * c->body->points;
    Numbers dx = {0};
    for (uint32_t body = first; body < first + count; body++)
        for (uint32_t i = 0; i < 3 * c->body->points; i++)
            keep(&dx, &(const double){size_of(c, body) * number_of(body, i, 6)}, 1);
    keep_fields(record, 0, field);
    record_force(record, scene, field, points, dx.at);
    record_mass(record, scene, field, points, dx.at);
    keep_fields(record, 1, field);
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    keep_fields(record, 2, field);
    if (dv_object_ops(field, DV_DRAWABLE)) {
        DrawRecorder recorder = draw_recorder(UINT32_MAX, keep_batch, record);
        record_drawing_of(&recorder, field);
    }
    free(dx.at);
    dv_scene_free(scene);
}

static void free_record(Record *record)
{
    for (int i = 0; i < VECTORS; i++)
        free(record->vector[i].at);
    for (int i = 0; i < MOST_BATCHES; i++)
        free(record->drawn[i].at);
    for (int when = 0; when < 3; when++) {
        for (int i = 0; i < 64; i++)
            free(record->values[when][i].at);
        dv_text_free(&record->fields[when]);
    }
}

static void expect_share(const Case *c, const char *what, uint32_t body, const double *whole, const Numbers *alone)
{
    double size = 0.0;
    for (size_t i = 0; i < alone->count; i++)
        size = fmax(size, fabs(alone->at[i]));
    for (size_t i = 0; i < alone->count; i++)
        if (!(fabs(whole[i] - alone->at[i]) <= 1e-11 * size))
            fail_msg("%s: %s of body %u, number %zu: %.17g together, %.17g alone", c->component, what, body, i,
                     whole[i], alone->at[i]);
}

static void expect_sum(const Case *c, const char *what, double whole, double sum, double size)
{
    if (!(fabs(whole - sum) <= 1e-11 * size))
        fail_msg("%s: %s: %.17g together, %.17g in all", c->component, what, whole, sum);
}

/* Lists as long for the bodies together as for all of them; others are options. */
static void compare_fields(const Case *c, const Record *whole, const Record *alone, uint32_t body)
{
    for (int when = 0; when < 3; when++) {
        assert_string_equal(whole->fields[when].at, alone->fields[when].at);
        for (uint32_t f = 0; f < alone->field_count[when]; f++) {
            const Numbers *one = &alone->values[when][f], *all = &whole->values[when][f];
            if (one->count > 0 && all->count == BODIES * one->count)
                expect_share(c, whole->fields[when].at, body, all->at + body * one->count, one);
        }
    }
}

static void expect_outputs(const Case *c, const Record *whole)
{
    char name[64];
    const char *next = c->outputs ? c->outputs : "";
    while (dv_read_word(&next, name, sizeof name)) {
        const char *field = strchr(whole->fields[0].at, ':') + 1;
        char other[64];
        uint32_t number = 0;
        for (; dv_read_word(&field, other, sizeof other) && strcmp(other, name) != 0; number++)
            (void)dv_read_word(&field, other, sizeof other);
        assert_true(number < whole->field_count[0]);
        for (int when = c->at_load ? 0 : 2; when < 3; when++) {
            const Numbers *values = &whole->values[when][number];
            double size = 0.0;
            for (size_t i = 0; i < values->count; i++)
                size = fmax(size, fabs(values->at[i]));
            if (size == 0.0)
                fail_msg("%s: %s is not computed (%d)", c->component, name, when);
        }
    }
}

static void bodies_of_one_mesh_are_those_of_many(void **state)
{
    const Case *c = *state;
    static const char *const names[VECTORS] = {"force", "product", "product with the matrix", "M dx", "weight"};
    static Record whole, alone;
    record_bodies(&whole, c, 0, BODIES);
    expect_outputs(c, &whole);
    double energy = 0.0, energies = 0.0, kinetic = 0.0, momentum[6] = {0}, momenta = 0.0;
    size_t drawn[MOST_BATCHES] = {0};
    for (uint32_t body = 0; body < BODIES; body++) {
        record_bodies(&alone, c, body, 1);
        for (int i = 0; i < VECTORS; i++) {
            assert_int_equal(whole.vector[i].count, BODIES * alone.vector[i].count);
            if (alone.vector[i].count > 0)
                expect_share(c, names[i], body, whole.vector[i].at + body * alone.vector[i].count, &alone.vector[i]);
        }
        if (whole.vector[MATRIX].count > 0) {
            const size_t n = alone.vector[PRODUCT].count;
            expect_share(c, "matrix and product", body, whole.vector[MATRIX].at + body * n, &alone.vector[PRODUCT]);
        }
        compare_fields(c, &whole, &alone, body);
        energy += alone.energy;
        energies += fabs(alone.energy);
        kinetic += alone.kinetic;
        for (int i = 0; i < 6; i++) {
            momentum[i] += alone.momentum[i];
            momenta += fabs(alone.momentum[i]);
        }
        assert_int_equal(whole.batches, alone.batches);
        for (uint32_t b = 0; b < alone.batches; b++) {
            assert_true(drawn[b] + alone.drawn[b].count <= whole.drawn[b].count);
            expect_share(c, "drawing", body, whole.drawn[b].at + drawn[b], &alone.drawn[b]);
            drawn[b] += alone.drawn[b].count;
        }
        free_record(&alone);
    }
    for (uint32_t b = 0; b < whole.batches; b++)
        assert_int_equal(drawn[b], whole.drawn[b].count);
    expect_sum(c, "energy", whole.energy, energy, energies);
    expect_sum(c, "kinetic energy", whole.kinetic, kinetic, kinetic);
    for (int i = 0; i < 6; i++)
        expect_sum(c, "momentum", whole.momentum[i], momentum[i], momenta);
    free_record(&whole);
}

/* ---- The stiffest of them ---- */

static const Body edge = {DV_EDGES, "Edge", "edges", 2, 2, {0, 0, 0, 1, 0.1, 0.2}, {0, 1}};
static const Body triangle = {DV_TRIANGLES, "Triangle", "triangles", 3, 3, {0, 0, 0, 1, 0, 0, 0.2, 0.9, 0}, {0, 1, 2}};

/* At rest no element oscillates faster than by the trace of its stiffness, the sum of all its frequencies squared where each point has
 * 1 kg: steps beyond 2 / w are said to diverge, w of the stiffest. */
static void the_limit_of_the_step_is_that_of_the_stiffest(void **state)
{
    const Case *c = *state;
    DvScene *scene = scene_of(c, 0, BODIES);
    DvObject *field = scene_object(scene, "/field");
    const DvForceFieldOps *ops = field_ops(field);
    const DvFaultCauseOps *cause = dv_object_ops(field, DV_FAULT_CAUSE);
    assert_non_null(cause);
    const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    const DvStateRef dofs = scene_state(scene, "/dofs");
    const DvConstVec rest = dv_state_read(dofs, DV_REST_POSITION), v = dv_state_read(dofs, DV_VELOCITY);
    const uint32_t points = rest.count, each = 3 * c->body->points;
    Numbers f = zeros(3 * (size_t)points), unit = zeros(3 * (size_t)points), df = zeros(3 * (size_t)points);
    const DvConstVec x[2] = {rest, rest}, still[2] = {v, v}, dx[2] = {{unit.at, points, 3}, {unit.at, points, 3}};
    ops->add_force(dv_object_self(field), &step, x, still, (const DvVec[2]){{f.at, points, 3}, {f.at, points, 3}});
    double largest = 0.0;
    for (uint32_t body = 0; body < BODIES; body++) {
        double trace = 0.0;
        for (uint32_t i = body * each; i < (body + 1) * each; i++) {
            memset(df.at, 0, df.count * sizeof *df.at);
            unit.at[i] = 1.0;
            ops->add_dforce(dv_object_self(field), &step, 1.0, 0.0, dx,
                            (const DvVec[2]){{df.at, points, 3}, {df.at, points, 3}});
            unit.at[i] = 0.0;
            trace -= df.at[i];
        }
        largest = fmax(largest, trace);
    }
    DvFault fault = fault_of_all_states();
    fault.explicit_solver = true;
    fault.lightest = 4.0;
    const double frequency = sqrt(largest / fault.lightest);
    static const double parts[] = {0.999, 1.001, 2.0, 10.0};
    for (int i = 0; i < 4; i++) {
        DvText text[2] = {{0}};
        fault.dt = parts[i] * 2.0 / frequency;
        const double likelihood = cause->explain(dv_object_self(field), &fault, &text[0], &text[1]);
        const double expected =
            i == 0 ? 0.0 : DV_FAULT_PROVEN + (DV_FAULT_CERTAIN - DV_FAULT_PROVEN) * (1.0 - 1.0 / parts[i]);
        if (!(fabs(likelihood - expected) < 1e-9))
            fail_msg("%s: %.17g of the limit: %.17g instead of %.17g", c->component, parts[i], likelihood, expected);
        dv_text_free(&text[0]);
        dv_text_free(&text[1]);
    }
    free(f.at), free(unit.at), free(df.at);
    dv_scene_free(scene);
}

#define TETRAHEDRON "TetrahedronFEMForceField "
#define OTHER       "TetrahedralCorotationalFEMForceField "
#define HEXAHEDRON  "HexahedronFEMForceField "
#define HEXAHEDRAL  "HexahedralFEMForceField "
#define TRIANGLE    "TriangleFEMForceField "
#define TRIANGULAR  "TriangularFEMForceField "
#define STRESSES    "vonMisesPerElement vonMisesPerNode"

static const Case cases[] = {
    {.body = &tetrahedron,
     .component = TETRAHEDRON "method='small' computeVonMisesStress='2'",
     .dimension = 3,
     .material = true,
     .outputs = STRESSES,
     .at_load = true},
    {.body = &tetrahedra,
     .component = TETRAHEDRON "method='large' computeVonMisesStress='1'",
     .dimension = 3,
     .material = true,
     .outputs = STRESSES,
     .at_load = true},
    {.body = &tetrahedra,
     .component = TETRAHEDRON "method='polar' computeVonMisesStress='2'",
     .dimension = 3,
     .material = true,
     .outputs = STRESSES,
     .at_load = true},
    {.body = &tetrahedra,
     .component = TETRAHEDRON "method='svd' computeVonMisesStress='1'",
     .dimension = 3,
     .material = true,
     .outputs = STRESSES,
     .at_load = true},
    {.body = &tetrahedra,
     .component = TETRAHEDRON "method='exact' computeVonMisesStress='1'",
     .dimension = 3,
     .material = true,
     .outputs = STRESSES,
     .at_load = true},
    {.body = &tetrahedra, .component = TETRAHEDRON "updateStiffnessMatrix='1'", .dimension = 3, .material = true},
    {.body = &tetrahedra,
     .component = TETRAHEDRON "method='small' plasticMaxThreshold='0.2' plasticYieldThreshold='0.001'",
     .material = true},
    {.body = &tetrahedra,
     .component = TETRAHEDRON "plasticMaxThreshold='0.05' plasticYieldThreshold='0.01' plasticCreep='0.5'",
     .material = true},
    {.body = &tetrahedra,
     .component = OTHER "method='small' computeVonMisesStress='1'",
     .dimension = 3,
     .material = true,
     .outputs = STRESSES},
    {.body = &tetrahedra,
     .component = OTHER "method='large' computeVonMisesStress='1'",
     .dimension = 3,
     .material = true,
     .outputs = STRESSES},
    {.body = &tetrahedra,
     .component = OTHER "method='polar' computeVonMisesStress='1'",
     .dimension = 3,
     .material = true,
     .outputs = STRESSES},
    {.body = &tetrahedra,
     .component = OTHER "method='exact' computeVonMisesStress='1'",
     .dimension = 3,
     .material = true,
     .outputs = STRESSES},
    {.body = &tetrahedra, .component = OTHER "updateStiffnessMatrix='1'", .dimension = 3, .material = true},
    {.body = &hexahedron,
     .component = HEXAHEDRON "method='small'",
     .dimension = 3,
     .material = true,
     .outputs = "stiffnessMatrices initialPoints"},
    {.body = &hexahedron,
     .component = HEXAHEDRON "method='large'",
     .dimension = 3,
     .material = true,
     .outputs = "stiffnessMatrices"},
    {.body = &hexahedron,
     .component = HEXAHEDRON "method='polar'",
     .dimension = 3,
     .material = true,
     .outputs = "stiffnessMatrices"},
    {.body = &hexahedron,
     .component = HEXAHEDRON "method='exact'",
     .dimension = 3,
     .material = true,
     .outputs = "stiffnessMatrices"},
    {.body = &hexahedron, .component = HEXAHEDRON "updateStiffnessMatrix='1'", .dimension = 3, .material = true},
    {.body = &box,
     .component = HEXAHEDRON "method='small'",
     .dimension = 3,
     .material = true,
     .outputs = "stiffnessMatrices"},
    {.body = &box,
     .component = HEXAHEDRON "method='large'",
     .dimension = 3,
     .material = true,
     .outputs = "stiffnessMatrices"},
    {.body = &box,
     .component = HEXAHEDRON "method='polar'",
     .dimension = 3,
     .material = true,
     .outputs = "stiffnessMatrices"},
    {.body = &box,
     .component = HEXAHEDRON "method='exact'",
     .dimension = 3,
     .material = true,
     .outputs = "stiffnessMatrices"},
    {.body = &hexahedron,
     .component = HEXAHEDRAL "method='large'",
     .dimension = 3,
     .material = true,
     .outputs = "hexahedronInfo"},
    {.body = &hexahedron,
     .component = HEXAHEDRAL "method='polar'",
     .dimension = 3,
     .material = true,
     .outputs = "hexahedronInfo"},
    {.body = &box,
     .component = HEXAHEDRAL "method='exact'",
     .dimension = 3,
     .material = true,
     .outputs = "hexahedronInfo"},
    {.body = &box,
     .component = "HexahedronFEMForceFieldAndMass density='3'",
     .material = true,
     .outputs = "massMatrices stiffnessMatrices"},
    {.body = &hexahedron,
     .component = "HexahedronFEMForceFieldAndMass density='3' lumpedMass='1'",
     .material = true,
     .outputs = "massMatrices"},
    {.body = &flat_triangles, .component = TRIANGLE "method='small' thickness='0.5'", .dimension = 2, .material = true},
    {.body = &triangles, .component = TRIANGLE "method='large' thickness='0.5'", .dimension = 2, .material = true},
    {.body = &triangles, .component = TRIANGLE "method='linear' planeStrain='1'", .dimension = 2, .material = true},
    {.body = &triangles, .component = TRIANGLE "method='exact' thickness='2'", .dimension = 2, .material = true},
    {.body = &flat_triangles,
     .component = TRIANGULAR "method='small' computePrincipalStress='1'",
     .dimension = 2,
     .material = true},
    {.body = &triangles,
     .component = TRIANGULAR "method='large' computePrincipalStress='1' hosfordExponant='2'",
     .dimension = 2,
     .material = true},
    {.body = &triangles, .component = "TriangularBendingSprings stiffness='30' damping='2'"},
    {.body = &quads, .component = "QuadularBendingSprings stiffness='30' damping='2'"},
    {.body = &quads, .component = "QuadBendingSprings stiffness='30' damping='2'"},
    {.body = &tetrahedra, .component = "MeshSpringForceField linesStiffness='30' linesDamping='2'"},
    {.body = &tetrahedra, .component = "MeshSpringForceField tetrahedraStiffness='30' tetrahedraDamping='2'"},
    {.body = &triangles,
     .component = "MeshSpringForceField trianglesStiffness='30' trianglesDamping='2' noCompression='1'"},
    {.body = &quads, .component = "MeshSpringForceField quadsStiffness='30' quadsDamping='2'"},
    {.body = &hexahedron, .component = "MeshSpringForceField cubesStiffness='30' cubesDamping='2'"},
    {.body = &triangles, .component = "SurfacePressureForceField pressure='3'"},
    {.body = &quads, .component = "SurfacePressureForceField pressure='3'"},
    {.body = &triangles, .component = "DiagonalMass massDensity='5'", .dimension = 2, .outputs = "vertexMass"},
    {.body = &quads, .component = "DiagonalMass massDensity='5'", .dimension = 2, .outputs = "vertexMass"},
    {.body = &tetrahedra, .component = "DiagonalMass massDensity='5'", .dimension = 3, .outputs = "vertexMass"},
    {.body = &hexahedron, .component = "DiagonalMass massDensity='5'", .dimension = 3, .outputs = "vertexMass"},
    {.body = &triangles,
     .component = "MeshMatrixMass",
     .dimension = 2,
     .density = true,
     .outputs = "vertexMass edgeMass"},
    {.body = &quads, .component = "MeshMatrixMass", .dimension = 2, .density = true, .outputs = "vertexMass edgeMass"},
    {.body = &tetrahedra,
     .component = "MeshMatrixMass",
     .dimension = 3,
     .density = true,
     .outputs = "vertexMass edgeMass"},
    {.body = &hexahedron,
     .component = "MeshMatrixMass",
     .dimension = 3,
     .density = true,
     .outputs = "vertexMass edgeMass"},
    {.body = &hexahedron,
     .component = "MeshMatrixMass lumping='1'",
     .dimension = 3,
     .density = true,
     .outputs = "vertexMass"},
    {.body = &hexahedron,
     .component = "MeshMatrixMass consistent='1'",
     .dimension = 3,
     .density = true,
     .outputs = "vertexMass"},
    {.body = &quads,
     .component = "MeshMatrixMass consistent='1'",
     .dimension = 2,
     .density = true,
     .outputs = "vertexMass"},
};

static const Case limits[] = {
    {.body = &tetrahedron, .component = TETRAHEDRON "method='small'", .material = true},
    {.body = &tetrahedron, .component = TETRAHEDRON "method='exact'", .material = true},
    {.body = &tetrahedron, .component = OTHER "method='polar'", .material = true},
    {.body = &hexahedron, .component = HEXAHEDRON "method='small'", .material = true},
    {.body = &hexahedron, .component = HEXAHEDRON "method='exact'", .material = true},
    {.body = &box, .component = HEXAHEDRON "method='large'", .material = true},
    {.body = &box, .component = HEXAHEDRAL "method='polar'", .material = true},
    {.body = &triangle, .component = TRIANGLE "method='large' thickness='2'", .material = true},
    {.body = &triangle, .component = TRIANGLE "method='linear'", .material = true},
    {.body = &triangle, .component = TRIANGULAR "method='large'", .material = true},
    {.body = &edge, .component = "MeshSpringForceField linesStiffness='30'"},
};

int main(void)
{
    enum { CASES = sizeof cases / sizeof *cases, LIMITS = sizeof limits / sizeof *limits };
    struct CMUnitTest tests[CASES + LIMITS];
    for (size_t i = 0; i < CASES; i++)
        tests[i] = (struct CMUnitTest){cases[i].component, bodies_of_one_mesh_are_those_of_many, NULL, NULL,
                                       (void *)(uintptr_t)&cases[i]};
    for (size_t i = 0; i < LIMITS; i++)
        tests[CASES + i] = (struct CMUnitTest){limits[i].component, the_limit_of_the_step_is_that_of_the_stiffest, NULL,
                                               NULL, (void *)(uintptr_t)&limits[i]};
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
