/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Responses that are fed by hand: contacts and places on elements are made up here, on points and on frames, many and few; forces, products,
 * matrices, rows and violations are those of their formulas, written down once more the plain way.
 */
#include "detect.h"

#include <divan/contracts/force_field.h>
#include <divan/contracts/lagrangian_constraint.h>
#include <divan/math/rigid.h>
#include <divan/memory.h>

#include "drawing.h"
#include "share.h"

enum { POINTS = 9, ELEMENTS = 211, MOST = 400, NUMBERS = 6 * POINTS };

/* ---- Made-up bodies ---- */

typedef struct Side {
    DvStateRef state;
    DvAttachment at[ELEMENTS];
} Side;

typedef struct Feed {
    DvScene *scene;
    Side side[2];
    DvCollisionBody bodies[5]; /* the pair is of the last but one and of the second */
    DvContact contacts[MOST];
    DvContactPair pair;
    DvContactList list;
} Feed;
static Feed feed;

static const uint32_t body_of[2] = {3, 1};

static void attach(void *self, uint32_t element, const double point[3], DvAttachment *attachment)
{
    const Side *side = self;
    assert_true(element < ELEMENTS);
    bool known = false;
    for (uint32_t i = 0; i < feed.pair.count && !known; i++)
        for (int s = 0; s < 2 && !known; s++)
            known =
                feed.contacts[i].point[s] == point && feed.contacts[i].element[s] == element && side == &feed.side[s];
    assert_true(known);
    *attachment = side->at[element];
}

static const DvCollisionModelOps model_ops = {.size = sizeof model_ops, .attach = attach};

static DvVec3 random_vector(double size)
{
    const double x = random_between(-size, size), y = random_between(-size, size);
    return dv_vec3(x, y, random_between(-size, size));
}

static DvAttachment random_attachment(bool frames)
{
    DvAttachment at = {.count = frames ? 1 : 1 + random_below(8), .radius = random_between(0, 0.02)};
    double sum = 0;
    const uint32_t first = random_below(POINTS);
    for (uint32_t k = 0; k < at.count; k++) {
        at.points[k] = (first + 2 * k) % POINTS;
        sum += at.weights[k] = random_between(0.1, 1);
    }
    for (uint32_t k = 0; k < at.count; k++)
        at.weights[k] /= sum;
    if (frames)
        dv_vec3_store(random_vector(0.3), at.lever);
    return at;
}

static void add_state(DvText *text, const char *name, bool frames)
{
    dv_text_add(text, "<Node name='%s'><MechanicalObject name='x' template='%s' position='", name,
                frames ? "Rigid3d" : "Vec3d");
    for (int i = 0; i < POINTS; i++) {
        const DvVec3 p = random_vector(1);
        dv_text_add(text, "%.17g %.17g %.17g ", p.x, p.y, p.z);
        if (frames) {
            const DvQuat q = dv_quat_from_axis_angle(dv_vec3_normalize(random_vector(1)), random_between(-3, 3));
            dv_text_add(text, "%.17g %.17g %.17g %.17g ", q.x, q.y, q.z, q.w);
        }
    }
    dv_text_add(text, "'/></Node>");
}

/* Between states of points or of frames; responses "one" and "two" of a class are there. */
static void begin_feed(const char *response, const char *fields, bool frames_a, bool frames_b)
{
    DvText text = {0};
    dv_text_add(&text, "<Node><DefaultAnimationLoop/>");
    add_state(&text, "a", frames_a);
    add_state(&text, "b", frames_b);
    dv_text_add(&text, "<%s name='one' %s/><%s name='two' %s/></Node>", response, fields, response, fields);
    memset(&feed, 0, sizeof feed);
    feed.scene = scene_from_text(text.at);
    dv_text_free(&text);
    for (int s = 0; s < 2; s++) {
        Side *side = &feed.side[s];
        side->state = scene_state(feed.scene, s ? "/b/x" : "/a/x");
        for (uint32_t e = 0; e < ELEMENTS; e++)
            side->at[e] = random_attachment(side->state.dof->rotation);
        DvCollisionBody *body = &feed.bodies[body_of[s]];
        *body = (DvCollisionBody){.object = scene_object(feed.scene, "/one"), .ops = &model_ops, .self = side};
        body->traits =
            (DvCollisionTraits){.distance = s ? 0.05 : 0.03, .stiffness = s ? 20 : 7, .friction = s ? 0.6 : 0.25};
        body->version.structure = 4;
    }
    feed.list =
        (DvContactList){.bodies = feed.bodies, .body_count = 5, .pairs = &feed.pair, .pair_count = 1, .distance = 0.1};
}

/* Contacts at random places, some of which have the id of another, some its place. */
static void make_contacts(uint32_t count)
{
    static const int64_t ids[] = {0, -1, 1, (int64_t)1 << 40, -((int64_t)1 << 33), 7};
    for (uint32_t i = 0; i < count; i++) {
        DvContact *c = &feed.contacts[i];
        *c = (DvContact){.element = {(7 * i + 3) % ELEMENTS, (11 * i + 5) % ELEMENTS},
                         .id = i % 4 == 0 ? ids[random_below(6)] + (int64_t)random_below(count / 8 + 1)
                                          : 1000 + (int64_t)i * 37,
                         .gap = 0.01 * (double)random_below(5)};
        for (int s = 0; s < 2; s++)
            dv_vec3_store(random_vector(1), c->point[s]);
        dv_vec3_store(i == 2 ? dv_vec3(1 / sqrt(3.0), 1 / sqrt(3.0), 1 / sqrt(3.0))
                             : dv_vec3_normalize(random_vector(1)),
                      c->normal);
        if (i % 5 == 3) { /* near an earlier one: at its place, or not quite */
            const DvContact *other = &feed.contacts[random_below(i)];
            const double apart = i % 2 ? 0.4e-4 : 0.9e-4;
            for (int s = 0; s < 2; s++)
                dv_vec3_store(dv_vec3_madd(dv_vec3_load(other->point[s]), apart, dv_vec3_normalize(random_vector(1))),
                              c->point[s]);
        }
    }
    feed.pair = (DvContactPair){.body = {body_of[0], body_of[1]}, .contacts = feed.contacts, .count = count};
}

/* ---- Points of elements, the plain way ---- */

static DvVec3 lever_of(int s, const DvAttachment *at, const double *x)
{
    if (!feed.side[s].state.dof->rotation)
        return dv_vec3_zero();
    return dv_quat_rotate(dv_quat_load(x + 7 * (size_t)at->points[0] + 3), dv_vec3_load(at->lever));
}

static DvVec3 place_of(int s, const DvAttachment *at, const double *x)
{
    const uint32_t dim = feed.side[s].state.dof->coord;
    DvVec3 p = lever_of(s, at, x);
    for (uint32_t k = 0; k < at->count; k++)
        for (int axis = 0; axis < 3; axis++)
            (axis == 0 ? &p.x : axis == 1 ? &p.y : &p.z)[0] += at->weights[k] * x[at->points[k] * dim + (uint32_t)axis];
    return p;
}

/* How it moves along a direction when number `n` of the derivatives is 1. */
static double share_of(int s, const DvAttachment *at, const double *x, DvVec3 direction, uint32_t n)
{
    const uint32_t dim = feed.side[s].state.dof->deriv, component = n % dim;
    const DvVec3 unit = dv_vec3(component % 3 == 0, component % 3 == 1, component % 3 == 2);
    double sum = 0;
    for (uint32_t k = 0; k < at->count; k++)
        if (at->points[k] == n / dim)
            sum += component < 3 ? at->weights[k] * dv_vec3_dot(unit, direction)
                                 : dv_vec3_dot(dv_vec3_cross(unit, lever_of(s, at, x)), direction);
    return sum;
}

static double rate_along(int s, const DvAttachment *at, const double *x, const double *v, DvVec3 direction)
{
    double sum = 0;
    for (uint32_t n = 0; n < feed.side[s].state.dof->deriv * POINTS; n++)
        sum += v[n] * share_of(s, at, x, direction, n);
    return sum;
}

static void add_push(int s, const DvAttachment *at, const double *x, DvVec3 force, double *f)
{
    for (uint32_t n = 0; n < feed.side[s].state.dof->deriv * POINTS; n++)
        f[n] += share_of(s, at, x, force, n);
}

static const DvAttachment *end_of(int s, uint32_t contact)
{
    return &feed.side[s].at[feed.contacts[contact].element[s]];
}

static DvVec3 span_of(uint32_t contact, const double *const x[2])
{
    return dv_vec3_sub(place_of(1, end_of(1, contact), x[1]), place_of(0, end_of(0, contact), x[0]));
}

static const DvVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static DvVec3 rate_of(uint32_t contact, const double *const x[2], const double *const v[2])
{
    double rate[3];
    for (int axis = 0; axis < 3; axis++)
        rate[axis] = rate_along(1, end_of(1, contact), x[1], v[1], axes[axis]) -
                     rate_along(0, end_of(0, contact), x[0], v[0], axes[axis]);
    return dv_vec3_load(rate);
}

static void fill(double *at, uint32_t count, double size)
{
    for (uint32_t i = 0; i < count; i++)
        at[i] = random_between(-size, size);
}

static void assert_near(const double *found, const double *expected, uint32_t count, const char *what)
{
    double size = 1;
    for (uint32_t i = 0; i < count; i++)
        size = fmax(size, fabs(expected[i]));
    for (uint32_t i = 0; i < count; i++)
        if (!(fabs(found[i] - expected[i]) <= 1e-11 * size))
            fail_msg("%s: number %u is %.17g, not %.17g", what, i, found[i], expected[i]);
}

/* ---- Forces ---- */

/* Of contacts with one id the nearest counts, of equally near ones the first. */
static bool counts_by_id(uint32_t i)
{
    const DvContact *c = feed.contacts;
    for (uint32_t k = 0; k < i; k++)
        if (c[k].id == c[i].id && c[k].gap <= c[i].gap)
            return false;
    for (uint32_t k = i + 1; k < feed.pair.count; k++)
        if (c[k].id == c[i].id && c[k].gap < c[i].gap)
            return false;
    return true;
}

typedef struct Matrix {
    DvPattern base;
    uint32_t count;
    uint32_t (*at)[4]; /* side and point of the row, of the column */
    double *dense;     /* [2 NUMBERS][2 NUMBERS] */
} Matrix;

static void add_coupling(DvPattern *pattern, uint32_t a, uint32_t row, uint32_t b, uint32_t column)
{
    Matrix *m = (Matrix *)pattern;
    assert_true(a < 2 && b < 2 && row < POINTS && column < POINTS);
    m->at = realloc(m->at, (m->count + 1) * sizeof *m->at);
    memcpy(m->at[m->count++], (uint32_t[]){a, row, b, column}, sizeof *m->at);
}

static void add_dense(const DvMatrixView *view, uint32_t coupling, const double *dense, double factor)
{
    const Matrix *m = view->indirect;
    assert_true(coupling < m->count);
    const uint32_t *at = m->at[coupling];
    const uint32_t rows = feed.side[at[0]].state.dof->deriv, columns = feed.side[at[2]].state.dof->deriv;
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < columns; j++)
            m->dense[(at[0] * NUMBERS + at[1] * rows + i) * 2 * NUMBERS + at[2] * NUMBERS + at[3] * columns + j] +=
                factor * dense[i * columns + j];
}

typedef struct Response {
    DvObject *object;
    void *self;
    const DvForceFieldOps *force;
    const DvContactResponseOps *contact;
    const DvLagrangianConstraintOps *constraint;
    bool sticks;
} Response;

static Response response_at(const char *path)
{
    Response r = {.object = scene_object(feed.scene, path)};
    r.self = dv_object_self(r.object);
    r.force = dv_object_ops(r.object, DV_INTERACTION_FORCE_FIELD);
    r.contact = dv_object_ops(r.object, DV_CONTACT_RESPONSE);
    r.constraint = dv_object_ops(r.object, DV_LAGRANGIAN_CONSTRAINT);
    r.sticks = strncmp(dv_object_class(r.object)->name, "Stick", 5) == 0;
    assert_int_equal(r.contact->set_states(r.self, feed.side[0].state.object, feed.side[1].state.object), DV_OK);
    return r;
}

static void add_force(const Response *r, double *const x[2], double *const v[2], double *const f[2])
{
    DvConstVec xs[2], vs[2];
    DvVec fs[2];
    for (int s = 0; s < 2; s++) {
        const DvDofType *dof = feed.side[s].state.dof;
        xs[s] = (DvConstVec){x[s], POINTS, dof->coord};
        vs[s] = (DvConstVec){v[s], POINTS, dof->deriv};
        fs[s] = (DvVec){f[s], POINTS, dof->deriv};
    }
    r->force->add_force(r->self, &(DvStep){.dt = 0.01}, xs, vs, fs);
}

static void add_dforce(const Response *r, double k, double *const dx[2], double *const df[2])
{
    DvConstVec ds[2];
    DvVec fs[2];
    for (int s = 0; s < 2; s++) {
        const DvDofType *dof = feed.side[s].state.dof;
        ds[s] = (DvConstVec){dx[s], POINTS, dof->deriv};
        fs[s] = (DvVec){df[s], POINTS, dof->deriv};
    }
    r->force->add_dforce(r->self, &(DvStep){.dt = 0.01}, k, 3.0, ds, fs);
}

/* Stiffness and, at the positions, the force on the second. */
static double penalty_of(uint32_t i, const double *const x[2], DvVec3 *force, double *energy)
{
    const DvVec3 n = dv_vec3_load(feed.contacts[i].normal);
    double distance = feed.list.distance, stiffness = 1;
    for (int s = 0; s < 2; s++) {
        distance += feed.bodies[body_of[s]].traits.distance + end_of(s, i)->radius;
        stiffness *= feed.bodies[body_of[s]].traits.stiffness;
    }
    stiffness /= distance == 0 ? 1 : distance;
    const double depth = distance - dv_vec3_dot(span_of(i, x), n);
    *force = depth > 0 ? dv_vec3_scale(n, stiffness * depth) : dv_vec3_zero();
    *energy = depth > 0 ? 0.5 * stiffness * depth * depth : 0;
    return depth > 0 ? stiffness : 0;
}

static double stick_of(uint32_t i, const double *const x[2], const double *const v[2], DvVec3 *force, double *energy)
{
    const DvContact *c = &feed.contacts[i];
    const DvCollisionTraits *a = &feed.bodies[body_of[0]].traits, *b = &feed.bodies[body_of[1]].traits;
    const DvVec3 rest = dv_vec3_sub(dv_vec3_load(c->point[1]), dv_vec3_load(c->point[0]));
    const DvVec3 stretch = dv_vec3_sub(span_of(i, x), rest), rate = rate_of(i, x, v);
    const double stiffness = a->stiffness + b->stiffness, damping = a->friction + b->friction;
    *force = dv_vec3_neg(dv_vec3_madd(dv_vec3_scale(stretch, stiffness), damping, rate));
    *energy = 0.5 * stiffness * dv_vec3_norm_squared(stretch);
    return stiffness;
}

static void check_matrix(const Response *r)
{
    static const DvPatternOps pattern_ops = {.size = sizeof pattern_ops, .add = add_coupling};
    Matrix m = {.base = {&pattern_ops}, .dense = calloc(4 * NUMBERS * NUMBERS, sizeof(double))};
    r->force->reserve(r->self, &m.base);
    const DvMatrixView view = {.block = 3, .indirect = &m, .add = add_dense};
    r->force->assemble(r->self, &(DvStep){.dt = 0.01}, 2.5, 3.0, &view);
    for (uint32_t column = 0; column < 2 * NUMBERS; column++) {
        const uint32_t side = column / NUMBERS;
        double unit[2][NUMBERS] = {{0}}, product[2][NUMBERS] = {{0}}, of_matrix[2][NUMBERS];
        unit[side][column % NUMBERS] = 1;
        if (column % NUMBERS >= POINTS * feed.side[side].state.dof->deriv)
            continue;
        add_dforce(r, 2.5, (double *[]){unit[0], unit[1]}, (double *[]){product[0], product[1]});
        for (uint32_t row = 0; row < 2 * NUMBERS; row++)
            of_matrix[row / NUMBERS][row % NUMBERS] = m.dense[row * 2 * NUMBERS + column];
        assert_near(of_matrix[0], product[0], 2 * NUMBERS, "matrix");
    }
    free(m.at);
    free(m.dense);
}

typedef struct Lines {
    uint32_t count;
    double at[MOST][2][3];
} Lines;

static void keep_lines(void *context, const DrawnBatch *batch)
{
    static const double red[4] = {1, 0, 0, 1};
    Lines *lines = context;
    assert_int_equal(batch->kind, DRAWN_LINES);
    assert_int_equal(batch->numbers, 6 * (size_t)batch->count);
    assert_int_equal(batch->color_count, 1);
    assert_memory_equal(batch->colors, red, sizeof red);
    lines->count = batch->count;
    memcpy(lines->at, batch->points, batch->numbers * sizeof(double));
}

static void check_drawing(const Response *r)
{
    static Lines lines;
    lines.count = 0;
    DrawRecorder recorder = draw_recorder(1u << DV_DISPLAY_INTERACTION_FORCE_FIELDS, keep_lines, &lines);
    record_drawing_of(&recorder, r->object);
    uint32_t drawn = 0;
    for (uint32_t i = 0; i < feed.pair.count; i++) {
        if (!counts_by_id(i))
            continue;
        assert_true(drawn < lines.count);
        for (int s = 0; s < 2; s++) {
            double expected[3];
            dv_vec3_store(place_of(s, end_of(s, i), dv_state_read(feed.side[s].state, DV_POSITION).at), expected);
            assert_near(lines.at[drawn][s], expected, 3, "drawing");
        }
        drawn++;
    }
    assert_int_equal(drawn, lines.count);
    lines.count = 0;
    recorder = draw_recorder(~(1u << DV_DISPLAY_INTERACTION_FORCE_FIELDS), keep_lines, &lines);
    record_drawing_of(&recorder, r->object);
    assert_int_equal(lines.count, 0);
}

/* Everything that it says of the contacts that it was fed with. */
static void check_forces(const Response *r)
{
    double x[2][7 * POINTS], v[2][NUMBERS], f[2][NUMBERS], expected[2][NUMBERS], d[2][NUMBERS], df[2][NUMBERS],
        product[2][NUMBERS] = {{0}};
    const double *const at[2] = {x[0], x[1]}, *const rate[2] = {v[0], v[1]};
    double *const dx[2] = {d[0], d[1]};
    double energy = 0;
    for (int s = 0; s < 2; s++) {
        const DvDofType *dof = feed.side[s].state.dof;
        double move[NUMBERS];
        fill(v[s], NUMBERS, 1);
        fill(d[s], NUMBERS, 1);
        fill(move, NUMBERS, 0.1);
        fill(f[s], NUMBERS, 1);
        memcpy(expected[s], f[s], sizeof f[s]);
        memcpy(df[s], f[s], sizeof f[s]);
        dv_dof_integrate(dof, POINTS, x[s], dv_state_read(feed.side[s].state, DV_POSITION).at, move, 1.0);
    }
    memcpy(product, df, sizeof df);
    add_force(r, (double *[]){x[0], x[1]}, (double *[]){v[0], v[1]}, (double *[]){f[0], f[1]});
    add_dforce(r, 0.7, dx, (double *[]){df[0], df[1]});
    uint32_t acting = 0, listed = 0;
    for (uint32_t i = 0; i < feed.pair.count; i++) {
        double felt[3], of_contact[3] = {0}, stored;
        r->contact->force(r->self, i, felt);
        if (counts_by_id(i)) {
            DvVec3 force;
            const double stiffness =
                r->sticks ? stick_of(i, at, rate, &force, &stored) : penalty_of(i, at, &force, &stored);
            energy += stored;
            listed++;
            acting += stiffness > 0;
            const DvVec3 n = dv_vec3_load(feed.contacts[i].normal), moved = rate_of(i, at, (const double *const *)dx);
            const DvVec3 answer = r->sticks ? dv_vec3_scale(moved, -0.7 * stiffness)
                                            : dv_vec3_scale(n, -0.7 * stiffness * dv_vec3_dot(n, moved));
            for (int s = 0; s < 2; s++) {
                add_push(s, end_of(s, i), x[s], s ? force : dv_vec3_neg(force), expected[s]);
                add_push(s, end_of(s, i), x[s], s ? answer : dv_vec3_neg(answer), product[s]);
            }
            dv_vec3_store(force, of_contact);
        }
        assert_near(felt, of_contact, 3, "force of a contact");
    }
    for (int s = 0; s < 2; s++) {
        assert_near(f[s], expected[s], POINTS * feed.side[s].state.dof->deriv, "force");
        assert_near(df[s], product[s], POINTS * feed.side[s].state.dof->deriv, "product");
    }
    if (!r->sticks && feed.pair.count > 20)
        assert_true(acting > 2 && acting < listed);
    DvConstVec xs[2];
    for (int s = 0; s < 2; s++)
        xs[s] = (DvConstVec){x[s], POINTS, feed.side[s].state.dof->coord};
    const double found = r->force->energy(r->self, &(DvStep){.dt = 0.01}, xs);
    assert_near(&found, &energy, 1, "energy");
    double felt[3] = {1, 1, 1};
    r->contact->force(r->self, 100000, felt);
    assert_true(felt[0] == 0 && felt[1] == 0 && felt[2] == 0);
    check_matrix(r);
    check_drawing(r);
}

static void feed_with(const Response *r, uint32_t count)
{
    make_contacts(count);
    assert_int_equal(r->contact->set_contacts(r->self, &feed.list, &feed.pair), DV_OK);
}

static void forces_are_those_of_their_formulas(void **state)
{
    (void)state;
    static const char *const classes[] = {"PenalityContactForceField", "StickContactForceField"};
    for (int c = 0; c < 2; c++)
        for (int frames = 0; frames < 4; frames++) {
            static const uint32_t counts[] = {1, 40, 41, 2, 333, 17};
            begin_feed(classes[c], "", frames & 1, frames & 2);
            const Response r = response_at("/one");
            DvObject *states[2];
            assert_int_equal(r.force->states(r.self, states), 2);
            assert_true(states[0] == feed.side[0].state.object && states[1] == feed.side[1].state.object);
            for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
                feed_with(&r, counts[k]);
                check_forces(&r);
            }
            dv_scene_free(feed.scene);
        }
}

/* Without any distance the stiffness is the product alone. */
static void a_penalty_without_distance_has_the_product_of_the_stiffnesses(void **state)
{
    (void)state;
    begin_feed("PenalityContactForceField", "", false, true);
    const Response r = response_at("/one");
    feed.list.distance = 0;
    for (int s = 0; s < 2; s++) {
        feed.bodies[body_of[s]].traits.distance = 0;
        for (uint32_t e = 0; e < ELEMENTS; e++)
            feed.side[s].at[e].radius = 0;
    }
    feed_with(&r, 60);
    check_forces(&r);
    dv_scene_free(feed.scene);
}

/* The structure of a matrix is another one when other points are coupled, and only then. */
static void a_structure_lasts_as_long_as_its_points(void **state)
{
    (void)state;
    static const char *const classes[] = {"PenalityContactForceField", "StickContactForceField"};
    for (int c = 0; c < 2; c++) {
        begin_feed(classes[c], "", false, false);
        const Response r = response_at("/one");
        feed_with(&r, 30);
        uint64_t last = r.force->structure(r.self);
        double felt[3];
        for (int round = 0; round < 3; round++) {
            for (uint32_t i = 0; i < 30; i++) /* moved */
                feed.contacts[i].normal[0] *= -1;
            assert_int_equal(r.contact->set_contacts(r.self, &feed.list, &feed.pair), DV_OK);
            assert_int_equal(r.force->structure(r.self), last);
        }
        for (int s = 0; s < 2; s++) { /* another point at the end of one contact: the last one and the first */
            uint32_t contact = s ? 0 : 29;
            while (!counts_by_id(contact))
                contact += s ? 1 : UINT32_MAX;
            DvAttachment *at = &feed.side[s].at[feed.contacts[contact].element[s]];
            at->points[at->count - 1] = (at->points[at->count - 1] + 1) % POINTS;
            assert_int_equal(r.contact->set_contacts(r.self, &feed.list, &feed.pair), DV_OK);
            assert_true(r.force->structure(r.self) != last);
            last = r.force->structure(r.self);
        }
        DvAttachment *at = &feed.side[0].at[feed.contacts[1].element[0]]; /* a point less */
        at->count = at->count == 1 ? 2 : at->count - 1;
        feed.contacts[1].id = 123456789;
        assert_int_equal(r.contact->set_contacts(r.self, &feed.list, &feed.pair), DV_OK);
        assert_true(r.force->structure(r.self) != last);
        last = r.force->structure(r.self);
        feed.contacts[29].id = 987654321;
        feed.contacts[28].id = 987654322;
        assert_int_equal(r.contact->set_contacts(r.self, &feed.list, &feed.pair), DV_OK);
        last = r.force->structure(r.self);
        feed.pair.count = 29; /* a contact less, one more */
        assert_int_equal(r.contact->set_contacts(r.self, &feed.list, &feed.pair), DV_OK);
        assert_true(r.force->structure(r.self) != last);
        last = r.force->structure(r.self);
        r.contact->force(r.self, 29, felt);
        assert_true(felt[0] == 0 && felt[1] == 0 && felt[2] == 0);
        feed.pair.count = 30;
        assert_int_equal(r.contact->set_contacts(r.self, &feed.list, &feed.pair), DV_OK);
        assert_true(r.force->structure(r.self) != last);
        check_forces(&r);
        dv_scene_free(feed.scene);
    }
}

static void sum_of_forces(const Response *r, double *sum)
{
    double zeros[2][7 * POINTS] = {{0}}, f[2][NUMBERS] = {{0}};
    for (int s = 0; s < 2; s++)
        memcpy(zeros[s], dv_state_read(feed.side[s].state, DV_POSITION).at,
               (size_t)POINTS * feed.side[s].state.dof->coord * sizeof(double));
    double still[NUMBERS] = {0};
    add_force(r, (double *[]){zeros[0], zeros[1]}, (double *[]){still, still}, (double *[]){f[0], f[1]});
    *sum = 0;
    for (int i = 0; i < NUMBERS; i++)
        *sum += fabs(f[0][i]) + fabs(f[1][i]);
}

static void sticking_lasts_as_long_as_the_elements(void **state)
{
    (void)state;
    double with, without;
    for (int side = 0; side < 2; side++) {
        begin_feed("StickContactForceField", side ? "keepAlive='0'" : "", true, false);
        const Response r = response_at("/one");
        assert_true(r.contact->keeps_alive(r.self) == (side == 0));
        feed_with(&r, 20);
        sum_of_forces(&r, &with);
        assert_true(with > 1);
        const DvContactPair none = {.body = {body_of[0], body_of[1]}};
        assert_int_equal(r.contact->set_contacts(r.self, &feed.list, &none), DV_OK);
        sum_of_forces(&r, &without);
        assert_true(without == with);
        feed.bodies[body_of[side]].version.structure++;
        assert_int_equal(r.contact->set_contacts(r.self, &feed.list, &none), DV_OK);
        sum_of_forces(&r, &without);
        assert_true(without == 0);
        dv_scene_free(feed.scene);
    }
}

/* Numbers of one are taken up by another, which then does the same; those that are none of its own are refused. */
static void sticking_goes_on_from_its_numbers(void **state)
{
    (void)state;
    enum { HEAD = 6, END = 21, EACH = 2 * END + 3 };
    for (int frames = 0; frames < 4; frames++) {
        begin_feed("StickContactForceField", "", frames & 1, frames & 2);
        const Response one = response_at("/one"), two = response_at("/two");
        size_t count, again;
        double before, after;
        for (uint32_t contacts = 3; contacts < 90; contacts += 43) {
            feed_with(&one, contacts);
            sum_of_forces(&one, &before);
            const double *memory = one.contact->memory(one.self, &count);
            assert_int_equal((count - HEAD) % EACH, 0);
            assert_true(two.contact->recall(two.self, memory, count));
            sum_of_forces(&two, &after);
            assert_true(before == after && before > 0);
            const double *copied = two.contact->memory(two.self, &again);
            assert_int_equal(again, count);
            assert_memory_equal(copied, memory, count * sizeof *memory);
        }
        const DvContactPair none = {.body = {body_of[0], body_of[1]}};
        feed.bodies[1].version.structure = 9; /* whatever number the elements have by now */
        assert_int_equal(two.contact->set_contacts(two.self, &feed.list, &none), DV_OK);
        sum_of_forces(&two, &after);
        assert_true(before == after);
        feed.bodies[1].version.structure = 10;
        assert_int_equal(two.contact->set_contacts(two.self, &feed.list, &none), DV_OK);
        sum_of_forces(&two, &after);
        assert_true(after == 0);

        double *wrong = malloc((count + EACH) * sizeof *wrong);
        const double *memory = one.contact->memory(one.self, &count);
        memcpy(wrong, memory, count * sizeof *wrong);
        assert_false(two.contact->recall(two.self, wrong, count + 1));
        assert_false(two.contact->recall(two.self, wrong, count - 1));
        assert_false(two.contact->recall(two.self, wrong, HEAD - 1));
        const size_t last = (count - HEAD) / EACH - 1;
        for (size_t contact = 0; contact <= last; contact += last)
            for (size_t s = 0; s < 2; s++) {
                double *at = wrong + HEAD + contact * EACH + s * END;
                const double points = at[0], point = at[(size_t)points];
                static const double no_number_of_points[] = {0, 9, -1, NAN};
                for (int k = 0; k < 4; k++) {
                    at[0] = no_number_of_points[k];
                    assert_false(two.contact->recall(two.self, wrong, count));
                }
                at[0] = points;
                static const double no_point[] = {POINTS, -1, NAN};
                for (int k = 0; k < 3; k++) {
                    at[(size_t)points] = no_point[k];
                    assert_false(two.contact->recall(two.self, wrong, count));
                }
                at[(size_t)points] = point;
                assert_true(two.contact->recall(two.self, wrong, count));
            }
        const Response fresh = response_at("/two");
        for (int k = 2; k < 6; k++) { /* other points, another mesh: nothing holds, and nothing is wrong */
            feed.contacts[0].gap += 1;
            wrong[k] += 1;
            assert_int_equal(fresh.contact->set_contacts(fresh.self, &feed.list, &none), DV_OK);
            feed.bodies[3].version.structure++;
            assert_int_equal(fresh.contact->set_contacts(fresh.self, &feed.list, &none), DV_OK);
            assert_true(fresh.contact->recall(fresh.self, wrong, count));
            sum_of_forces(&fresh, &after);
            assert_true(after == 0);
            wrong[k] -= 1;
        }
        free(wrong);
        dv_scene_free(feed.scene);
    }
}

/* ---- Constraints ---- */

/* Contacts whose points are, both together, nearer than 0.1 mm to one that counts, do not. */
static bool counts_by_place(uint32_t i)
{
    static bool counts[MOST];
    for (uint32_t k = 0; k <= i; k++) {
        counts[k] = true;
        for (uint32_t before = 0; before < k; before++) {
            double sum = 0;
            for (int n = 0; n < 6; n++) {
                const double d = feed.contacts[k].point[n / 3][n % 3] - feed.contacts[before].point[n / 3][n % 3];
                sum += d * d;
            }
            counts[k] = counts[k] && !(counts[before] && sum < 1e-8);
        }
    }
    return counts[i];
}

enum { MOST_ROWS = 3 * MOST, MOST_ENTRIES = 8 * MOST_ROWS };

typedef struct Rows {
    DvConstraintRows rows;
    DvRowEntries entries[2];
    uint32_t row[2][MOST_ENTRIES], point[2][MOST_ENTRIES];
    double values[2][MOST_ENTRIES * 6];
    DvConstraintBlock blocks[MOST];
    double dense[MOST_ROWS][2][NUMBERS];
} Rows;
static Rows written;

static void no_more_entries(DvRowEntries *entries)
{
    fail_msg("more than %zu entries", entries->capacity);
}

static void no_more_blocks(DvConstraintRows *rows)
{
    fail_msg("more than %u blocks", rows->block_capacity);
}

enum { FIRST_ROW = 5 };

static void build_rows(const Response *r)
{
    written.rows =
        (DvConstraintRows){.blocks = written.blocks, .block_capacity = MOST, .grow = no_more_blocks, .next = FIRST_ROW};
    for (int s = 0; s < 2; s++) {
        written.entries[s] = (DvRowEntries){.row = written.row[s],
                                            .point = written.point[s],
                                            .values = written.values[s],
                                            .capacity = MOST_ENTRIES,
                                            .width = feed.side[s].state.dof->deriv,
                                            .grow = no_more_entries};
        written.rows.of_state[s] = &written.entries[s];
    }
    const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    assert_int_equal(r->constraint->build(r->self, &step, &written.rows), DV_OK);
    memset(written.dense, 0, sizeof written.dense);
    for (int s = 0; s < 2; s++)
        for (size_t e = 0; e < written.entries[s].count; e++) {
            const uint32_t row = written.row[s][e], width = written.entries[s].width;
            assert_true(row >= FIRST_ROW && row < written.rows.next && written.point[s][e] < POINTS);
            for (uint32_t k = 0; k < width; k++)
                written.dense[row - FIRST_ROW][s][written.point[s][e] * width + k] += written.values[s][e * width + k];
        }
}

/* n, t, s: right angles between them, s = n x (n_z, n_x, n_y) of length 1, t = s x n. */
static void directions_of(uint32_t contact, DvVec3 direction[3])
{
    const DvVec3 n = dv_vec3_load(feed.contacts[contact].normal);
    const DvVec3 other = contact == 2 ? dv_vec3(1, 0, 0) : dv_vec3(n.z, n.x, n.y);
    direction[0] = n;
    direction[2] = dv_vec3_normalize(dv_vec3_cross(n, other));
    direction[1] = dv_vec3_cross(direction[2], n);
}

typedef struct Law {
    const char *cls, *fields;
    uint32_t each;
    DvLaw law;
    double friction, step;
} Law;

static const Law laws[] = {
    {"StickContactConstraint", "", 3, DV_LAW_BILATERAL, 1, 0},
    {"UnilateralLagrangianConstraint", "mu='0' tol='1e-5'", 1, DV_LAW_UNILATERAL, 0, 0},
    {"UnilateralLagrangianConstraint", "", 3, DV_LAW_FRICTION, 0.8, 0},
    {"UnilateralLagrangianConstraint", "mu='0.3' levers='start'", 3, DV_LAW_FRICTION, 0.3, 0},
    {"UnilateralLagrangianConstraint", "frictionRule='product'", 3, DV_LAW_FRICTION, 0.15, 0},
    {"UnilateralLagrangianConstraint", "frictionRule='mean'", 3, DV_LAW_FRICTION, 0.425, 0},
    {"UnilateralLagrangianConstraint", "frictionRule='min'", 3, DV_LAW_FRICTION, 0.25, 0},
    {"UnilateralLagrangianConstraint", "frictionRule='max'", 3, DV_LAW_FRICTION, 0.6, 0},
    {"AugmentedLagrangianConstraint", "epsilon='3'", 1, DV_LAW_UNILATERAL, 0, 0},
    {"AugmentedLagrangianConstraint", "epsilon='3' mu='0.5'", 3, DV_LAW_AUGMENTED, 0.5, 3},
};
enum { LAWS = sizeof laws / sizeof *laws };

static double distance_of(uint32_t contact)
{
    double distance = feed.list.distance;
    for (int s = 0; s < 2; s++)
        distance += feed.bodies[body_of[s]].traits.distance + end_of(s, contact)->radius;
    return distance;
}

/* Rows at positions x, and laws. */
static void check_rows(const Response *r, const Law *law, const double *const x[2])
{
    build_rows(r);
    uint32_t block = 0;
    for (uint32_t i = 0; i < feed.pair.count; i++) {
        if (!counts_by_place(i))
            continue;
        assert_true(block < written.rows.block_count);
        const DvConstraintBlock *b = &written.blocks[block];
        assert_int_equal(b->first, FIRST_ROW + block * law->each);
        assert_int_equal(b->rows, law->each);
        assert_int_equal(b->law, law->law);
        const double *p = b->p;
        assert_near(p, (double[]){law->friction, law->step}, 2, "parameters of the law");
        assert_true(b->tolerance == (strstr(law->fields, "tol") ? 1e-5 : 0));
        DvVec3 direction[3];
        directions_of(i, direction);
        for (uint32_t k = 0; k < law->each; k++)
            for (int s = 0; s < 2; s++) {
                double expected[NUMBERS] = {0};
                const DvVec3 along = r->sticks ? axes[k] : direction[k];
                add_push(s, end_of(s, i), x[s], s ? along : dv_vec3_neg(along), expected);
                assert_near(written.dense[block * law->each + k][s], expected, NUMBERS, "row");
            }
        block++;
    }
    assert_int_equal(block, written.rows.block_count);
    assert_int_equal(written.rows.next, FIRST_ROW + block * law->each);
}

/* From the time on at which the points are as near as they may be; `d`: how near they are in the end. */
static double slide_of(uint32_t i, const DvVec3 now[2], const DvVec3 then[2], double d, DvVec3 along)
{
    const DvVec3 n = dv_vec3_load(feed.contacts[i].normal);
    const double before = dv_vec3_dot(dv_vec3_sub(now[1], now[0]), n) - distance_of(i);
    const DvVec3 way = dv_vec3_sub(dv_vec3_sub(then[1], now[1]), dv_vec3_sub(then[0], now[0]));
    if ((before > 0) == (d > 0)) /* apart all the time, and not at a standstill; or near all the time */
        return before > 0 && fabs(before - d) > 0.001 * before ? 0 : dv_vec3_dot(way, along);
    return (1 - before / (before - d)) * dv_vec3_dot(way, along);
}

static uint32_t crossed; /* contacts that began or ended during the free motion */

static void check_violations(const Response *r, const Law *law)
{
    static double d[MOST_ROWS + 1];
    const bool tangential = strstr(law->fields, "start") != NULL;
    const double *now[2], *then[2];
    double *v[2], dt = 0.02;
    for (int s = 0; s < 2; s++) {
        const DvDofType *dof = feed.side[s].state.dof;
        double move[NUMBERS];
        fill(move, NUMBERS, 0.5);
        now[s] = dv_state_read(feed.side[s].state, DV_POSITION).at;
        dv_dof_integrate(dof, POINTS, dv_state_write(feed.side[s].state, DV_FREE_POSITION, DV_OVERWRITE).at, now[s],
                         move, 1.0);
        then[s] = dv_state_read(feed.side[s].state, DV_FREE_POSITION).at;
        v[s] = dv_state_write(feed.side[s].state, DV_FREE_VELOCITY, DV_OVERWRITE).at;
        fill(v[s], POINTS * dof->deriv, 1);
    }
    const double *const rate[2] = {v[0], v[1]};
    check_rows(r, law, tangential ? now : then);
    const DvStep step = {.dt = dt, .position = DV_FREE_POSITION, .velocity = DV_FREE_VELOCITY};
    const double guard = 1234.5;
    d[written.rows.next - FIRST_ROW] = guard;
    assert_int_equal(r->constraint->violation(r->self, &step, DV_CONSTRAIN_POSITION, d), DV_OK);
    assert_true(d[written.rows.next - FIRST_ROW] == guard);
    const double *at = d;
    for (uint32_t i = 0; i < feed.pair.count; i++) {
        if (!counts_by_place(i))
            continue;
        DvVec3 begin[2], end[2], direction[3];
        double expected[3];
        for (int s = 0; s < 2; s++) {
            begin[s] = place_of(s, end_of(s, i), now[s]);
            end[s] = place_of(s, end_of(s, i), then[s]);
            if (tangential && feed.side[s].state.dof->rotation) { /* moved as the rows say */
                const size_t frame = 7 * (size_t)end_of(s, i)->points[0];
                const DvRigid3Deriv way =
                    dv_rigid3_difference(dv_rigid3_load(then[s] + frame), dv_rigid3_load(now[s] + frame));
                end[s] = dv_vec3_add(dv_vec3_add(begin[s], way.linear),
                                     dv_vec3_cross(way.angular, lever_of(s, end_of(s, i), now[s])));
            }
        }
        directions_of(i, direction);
        const DvVec3 apart = dv_vec3_sub(end[1], end[0]);
        if (r->sticks) {
            dv_vec3_store(dv_vec3_sub(apart, dv_vec3_sub(begin[1], begin[0])), expected);
        } else {
            expected[0] = dv_vec3_dot(apart, direction[0]) - distance_of(i);
            crossed +=
                (expected[0] > 0) != (dv_vec3_dot(dv_vec3_sub(begin[1], begin[0]), direction[0]) > distance_of(i));
            for (uint32_t k = 1; k < law->each; k++)
                expected[k] = slide_of(i, begin, end, expected[0], direction[k]);
        }
        assert_near(at, expected, law->each, "violation of positions");
        at += law->each;
    }

    assert_int_equal(r->constraint->violation(r->self, &step, DV_CONSTRAIN_VELOCITY, d), DV_OK);
    assert_true(d[written.rows.next - FIRST_ROW] == guard);
    at = d;
    for (uint32_t i = 0; i < feed.pair.count; i++) {
        if (!counts_by_place(i))
            continue;
        DvVec3 direction[3];
        double expected[3];
        directions_of(i, direction);
        const DvVec3 apart = rate_of(i, tangential ? now : then, rate), gap = span_of(i, now);
        for (uint32_t k = 0; k < law->each; k++)
            expected[k] = dv_vec3_dot(apart, r->sticks ? axes[k] : direction[k]);
        if (!r->sticks) /* brings the points to their distance by the end of the step */
            expected[0] += (dv_vec3_dot(gap, direction[0]) - distance_of(i)) / dt;
        assert_near(at, expected, law->each, "violation of velocities");
        at += law->each;
    }
}

static void check_felt(const Response *r, const Law *law)
{
    static double lambda[MOST_ROWS];
    const uint32_t rows = written.rows.next - FIRST_ROW;
    fill(lambda, rows, 1);
    r->constraint->store(r->self, &(DvStep){.dt = 0.25}, lambda, rows);
    const double *at = lambda;
    for (uint32_t i = 0; i < feed.pair.count; i++) {
        double felt[3], expected[3] = {0};
        r->contact->force(r->self, i, felt);
        if (counts_by_place(i)) {
            DvVec3 direction[3], sum = dv_vec3_zero();
            directions_of(i, direction);
            for (uint32_t k = 0; k < law->each; k++)
                sum = dv_vec3_madd(sum, at[k] / 0.25, r->sticks ? axes[k] : direction[k]);
            dv_vec3_store(sum, expected);
            at += law->each;
        }
        assert_near(felt, expected, 3, "force of a contact");
    }
    double felt[3] = {1, 1, 1};
    r->contact->force(r->self, 100000, felt);
    assert_true(felt[0] == 0 && felt[1] == 0 && felt[2] == 0);
}

static void constraints_are_those_of_their_formulas(void **state)
{
    (void)state;
    static const uint32_t counts[] = {3, 40, 41, 2, 150, 17};
    for (int l = 0; l < LAWS; l++)
        for (int frames = 0; frames < 4; frames++) {
            begin_feed(laws[l].cls, laws[l].fields, frames & 1, frames & 2);
            const Response r = response_at("/one");
            const double *x[2];
            DvObject *states[3] = {NULL, NULL, NULL};
            for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
                feed_with(&r, counts[k]);
                assert_int_equal(r.constraint->states(r.self, states, 3), 2);
                assert_true(states[0] == feed.side[0].state.object && states[1] == feed.side[1].state.object &&
                            !states[2]);
                for (int s = 0; s < 2; s++)
                    x[s] = dv_state_read(feed.side[s].state, DV_POSITION).at;
                if (k == 0) /* no free positions yet */
                    check_rows(&r, &laws[l], x);
                check_violations(&r, &laws[l]);
                check_felt(&r, &laws[l]);
            }
            r.contact->set_place(r.self, 7, 11);
            assert_int_equal(r.constraint->rank(r.self), 11);
            dv_scene_free(feed.scene);
        }
    assert_true(crossed > 200);
}

/* ---- Where a solution begins ---- */

static const DvConstraintBlock *block_of(uint32_t contact)
{
    uint32_t block = 0;
    for (uint32_t i = 0; i < contact; i++)
        block += counts_by_place(i);
    return &written.blocks[block];
}

static void spread_out(uint32_t count)
{
    make_contacts(count);
    for (uint32_t i = 0; i < count; i++)
        dv_vec3_store(dv_vec3(i, 0, 0), feed.contacts[i].point[0]);
}

enum { COUNT = 100 };

/* Contacts come in another order in each step. */
static uint32_t place_in(uint32_t contact, int step)
{
    return (contact * 37 + (uint32_t)step) % COUNT;
}

static int64_t id_of(uint32_t place)
{
    return (int64_t)place * (place % 3 == 1 ? -((int64_t)5 << 32) : 1);
}

/* From the second step with contacts on forces are found by the ids of the step before; in the first of all only that of id 0. */
static void a_solution_begins_with_the_forces_of_the_same_ids(void **state)
{
    (void)state;
    static double lambda[3 * COUNT];
    for (int number = 0; number < 2; number++) {
        begin_feed("UnilateralLagrangianConstraint", "", false, true);
        const Response r = response_at("/one"), other = response_at("/two");
        r.contact->set_place(r.self, (uint32_t)number, 0);
        for (int step = 0; step < 4; step++) {
            spread_out(COUNT);
            for (uint32_t i = 0; i < COUNT; i++)
                feed.contacts[i].id = id_of(place_in(i, step));
            assert_int_equal(r.contact->set_contacts(r.self, &feed.list, &feed.pair), DV_OK);
            if (step == 3)
                assert_int_equal(other.contact->set_contacts(other.self, &feed.list, &feed.pair), DV_OK);
            for (int again = 0; again < (step == 3 ? 2 : 1); again++) {
                build_rows(again ? &other : &r);
                assert_int_equal(written.rows.block_count, COUNT);
                for (uint32_t i = 0; i < COUNT; i++) {
                    const uint32_t now = place_in(i, step);
                    const bool begins = step > 1 || (step == 1 && number == 0 && now == 0);
                    assert_int_equal(written.blocks[i].has_start, begins);
                    assert_int_equal(written.blocks[i].is_contact, begins);
                    for (int k = 0; k < 3; k++) /* forces of the step before, by id */
                        assert_true(written.blocks[i].start[k] == (begins ? 100.0 * (step - 1) + now + 0.25 * k : 0));
                }
            }
            for (uint32_t i = 0; i < COUNT; i++)
                for (uint32_t k = 0; k < 3; k++)
                    lambda[3 * i + k] = 100.0 * step + place_in(i, step) + 0.25 * k;
            r.constraint->store(r.self, &(DvStep){.dt = 0.25}, lambda, 3 * COUNT);
            if (step == 2) { /* another one goes on from its numbers */
                size_t count, again;
                const double *memory = r.contact->memory(r.self, &count);
                assert_false(other.contact->recall(other.self, memory, count + 1));
                assert_false(other.contact->recall(other.self, memory, count - 1));
                assert_false(other.contact->recall(other.self, memory, 1));
                assert_true(other.contact->recall(other.self, memory, count));
                const double *copied = other.contact->memory(other.self, &again);
                assert_int_equal(again, count);
                assert_memory_equal(copied, memory, count * sizeof *memory);
            }
        }
        dv_scene_free(feed.scene);
    }
}

/* ... of a contact that sticks by its number, with or without ids; what holds on goes on from its numbers. */
static void what_sticks_begins_with_the_forces_of_the_same_numbers(void **state)
{
    (void)state;
    enum { HEAD = 4, END = 21, EACH = 6 + 2 * END };
    for (int frames = 0; frames < 4; frames++) {
        begin_feed("StickContactConstraint", "", frames & 1, frames & 2);
        const Response r = response_at("/one"), other = response_at("/two");
        static double lambda[3 * 40];
        spread_out(30);
        assert_int_equal(r.contact->set_contacts(r.self, &feed.list, &feed.pair), DV_OK);
        build_rows(&r);
        for (uint32_t i = 0; i < 30; i++)
            for (int k = 0; k < 3; k++)
                assert_true(block_of(i)->has_start && block_of(i)->start[k] == 0);
        fill(lambda, 90, 1);
        r.constraint->store(r.self, &(DvStep){.dt = 0.25}, lambda, 90);
        spread_out(40);
        assert_int_equal(r.contact->set_contacts(r.self, &feed.list, &feed.pair), DV_OK);
        build_rows(&r);
        for (uint32_t i = 0; i < 40; i++)
            for (uint32_t k = 0; k < 3; k++)
                assert_true(block_of(i)->start[k] == (i < 30 ? lambda[3 * i + k] : 0));
        size_t count, again;
        const double *memory = r.contact->memory(r.self, &count);
        assert_int_equal(count, HEAD + 40 * EACH);
        assert_true(other.contact->recall(other.self, memory, count));
        const double *copied = other.contact->memory(other.self, &again);
        assert_int_equal(again, count);
        assert_memory_equal(copied, memory, count * sizeof *memory);
        static double of_one[120], of_other[120];
        const DvStep step = {.dt = 0.02, .position = DV_POSITION, .velocity = DV_VELOCITY};
        assert_int_equal(r.constraint->violation(r.self, &step, DV_CONSTRAIN_POSITION, of_one), DV_OK);
        build_rows(&other);
        assert_int_equal(written.rows.block_count, 40);
        for (uint32_t i = 0; i < 40; i++)
            for (uint32_t k = 0; k < 3; k++)
                assert_true(block_of(i)->start[k] == (i < 30 ? lambda[3 * i + k] : 0));
        assert_int_equal(other.constraint->violation(other.self, &step, DV_CONSTRAIN_POSITION, of_other), DV_OK);
        assert_memory_equal(of_one, of_other, sizeof of_one);

        double *wrong = malloc((count + 1) * sizeof *wrong);
        memcpy(wrong, memory, count * sizeof *wrong);
        wrong[count] = 0;
        assert_false(other.contact->recall(other.self, wrong, count + 1));
        assert_false(other.contact->recall(other.self, wrong, count - 1));
        assert_false(other.contact->recall(other.self, wrong, HEAD - 1));
        for (size_t s = 0; s < 2; s++)
            for (size_t contact = 0; contact < 40; contact += 39) {
                double *at = wrong + HEAD + contact * EACH + 6 + s * END;
                const double point = at[1];
                at[1] = POINTS;
                assert_false(other.contact->recall(other.self, wrong, count));
                at[1] = point;
                assert_true(other.contact->recall(other.self, wrong, count));
            }
        free(wrong);
        dv_scene_free(feed.scene);
        for (int k = 0; k < HEAD; k++) { /* of other points, of another mesh: nothing holds, and nothing is wrong */
            begin_feed("StickContactConstraint", "", frames & 1, frames & 2);
            const Response one = response_at("/one"), two = response_at("/two");
            feed_with(&one, 5);
            double *numbers = (double *)one.contact->memory(one.self, &count);
            numbers[k] += 1;
            assert_true(two.contact->recall(two.self, numbers, count));
            build_rows(&two);
            assert_int_equal(written.rows.block_count, 0);
            dv_scene_free(feed.scene);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_those_of_their_formulas),
        cmocka_unit_test(a_penalty_without_distance_has_the_product_of_the_stiffnesses),
        cmocka_unit_test(a_structure_lasts_as_long_as_its_points),
        cmocka_unit_test(sticking_lasts_as_long_as_the_elements),
        cmocka_unit_test(sticking_goes_on_from_its_numbers),
        cmocka_unit_test(constraints_are_those_of_their_formulas),
        cmocka_unit_test(a_solution_begins_with_the_forces_of_the_same_ids),
        cmocka_unit_test(what_sticks_begins_with_the_forces_of_the_same_numbers),
    };
    return share_run_group_tests(tests, NULL, stop_plugins);
}
