/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What models say of their elements: boxes hold them and nothing more, a place on an element is the combination of points that it says,
 * triangles share out their corners and edges, lists of sizes are completed. For all kinds of models alike, each against its geometry.
 */
#include "detect.h"

#include <divan/math/rigid.h>

enum { POINTS = 12, FRAMES = 7 };

static DvVec3 random_vector(double size)
{
    const double x = random_between(-size, size), y = random_between(-size, size);
    return dv_vec3(x, y, random_between(-size, size));
}

#define SIZES_GIVEN 4 /* the others have the default */
static const double given_sizes[] = {0.05, 0.3, 0.1, 0.2};

static const char *const on_points[] = {
    "<PointCollisionModel name='model' contactDistance='0.02' %s/>",
    "<LineCollisionModel name='model' contactDistance='0.02' %s/>",
    "<TriangleCollisionModel name='model' contactDistance='0.02' %s/>",
    "<TetrahedronCollisionModel name='model' contactDistance='0.02' %s/>",
    "<SphereCollisionModel name='model' contactDistance='0.02' listRadius='0.05 0.3 0.1 0.2' radius='0.15' %s/>",
    "<CapsuleCollisionModel name='model' contactDistance='0.02' listCapsuleRadii='0.05 0.3 0.1 0.2' defaultRadius='0.15' %s/>",
    "<RayCollisionModel name='model' contactDistance='0.02' defaultLength='2' directions='1 2 -2  0 0 0  0 0.5 0' %s/>",
};
static const char *const on_frames[] = {
    "<SphereCollisionModel name='model' contactDistance='0.02' listRadius='0.05 0.3 0.1 0.2' radius='0.15' %s/>",
    "<CapsuleCollisionModel name='model' contactDistance='0.02' radii='0.05 0.3 0.1 0.2' defaultRadius='0.15' "
    "heights='0.05 0.3 0.1 0.2' defaultHeight='0.7' %s/>",
    "<OBBCollisionModel name='model' contactDistance='0.02' extents='0.1 0.2 0.3  0.5 0 0.2  0.05 0.1 0.02  0.2 0.2 0.1' "
    "defaultExtent='0.15' %s/>",
};
enum { ON_POINTS = sizeof on_points / sizeof *on_points, ON_FRAMES = sizeof on_frames / sizeof *on_frames };

#define LINES "<MeshTopology name='mesh' edges='0 1  2 5  3 4  7 8  6 11  10 9'/>"
#define MESH                                                                                        \
    "<MeshTopology name='mesh' triangles='0 1 2  3 5 4  2 1 6  11 10 9' quads='0 3 7 8  2 9 11 1' " \
    "tetrahedra='0 1 2 3  4 5 6 7  9 8 10 11'/>"

static DvScene *load_model(int number, const char *more)
{
    DvText text = {0};
    const bool frames = number >= ON_POINTS;
    dv_text_add(&text, "<Node>%s<MechanicalObject name='x' template='%s' position='",
                frames                       ? ""
                : number == 1 || number == 5 ? LINES
                                             : MESH,
                frames ? "Rigid3d" : "Vec3d");
    for (int i = 0; i < (frames ? FRAMES : POINTS); i++) {
        const DvVec3 p = random_vector(1);
        dv_text_add(&text, "%.17g %.17g %.17g ", p.x, p.y, p.z);
        if (frames) {
            const DvQuat q = dv_quat_from_axis_angle(dv_vec3_normalize(random_vector(1)), random_between(-3, 3));
            dv_text_add(&text, "%.17g %.17g %.17g %.17g ", q.x, q.y, q.z, q.w);
        }
    }
    dv_text_add(&text, "'/>");
    dv_text_add(&text, number < ON_POINTS ? on_points[number] : on_frames[number - ON_POINTS], more);
    dv_text_add(&text, "</Node>");
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    return scene;
}

typedef struct Model {
    DvObject *object;
    const DvCollisionModelOps *ops;
    void *self;
    const DvShape *shape;
    DvBoxes boxes;
    DvShapeVersion version;
} Model;

static void update(Model *m)
{
    assert_int_equal(m->ops->update(m->self, &m->version), DV_OK);
    m->shape = m->ops->shape(m->self);
    m->boxes = m->ops->boxes(m->self);
}

static Model model_of(DvScene *scene)
{
    Model m = {.object = scene_object(scene, "/model")};
    m.ops = dv_object_ops(m.object, DV_COLLISION_MODEL);
    m.self = dv_object_self(m.object);
    update(&m);
    return m;
}

/* ---- Boxes ---- */

static const uint32_t edges[][2] = {{0, 1}, {2, 5}, {3, 4}, {7, 8}, {6, 11}, {10, 9}};
static const uint32_t triangles[][3] = {{0, 1, 2}, {3, 5, 4}, {2, 1, 6}, {11, 10, 9}};
static const uint32_t quads[][4] = {{0, 3, 7, 8}, {2, 9, 11, 1}};
static const uint32_t tetrahedra[][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}, {9, 8, 10, 11}};

static double size_of(uint32_t element, double otherwise)
{
    return element < SIZES_GIVEN ? given_sizes[element] : otherwise;
}

/* Points whose hull the element is, but for a radius; their number. */
static uint32_t hull_of(int number, const double *x, uint32_t element, DvVec3 hull[8], double *radius)
{
    *radius = 0;
    if (number >= ON_POINTS) {
        const DvRigid3 frame = dv_rigid3_load(x + 7 * (size_t)element);
        static const double half[4][3] = {{0.1, 0.2, 0.3}, {0.5, 0, 0.2}, {0.05, 0.1, 0.02}, {0.2, 0.2, 0.1}};
        static const double other[3] = {0.15, 0.15, 0.15};
        const double *h = element < 4 ? half[element] : other, along = 0.5 * size_of(element, 0.7);
        *radius = number == ON_POINTS + 2 ? 0 : size_of(element, 0.15);
        hull[0] = frame.center;
        if (number == ON_POINTS)
            return 1;
        if (number == ON_POINTS + 1) {
            hull[0] = dv_rigid3_to_world(frame, dv_vec3(0, along, 0));
            hull[1] = dv_rigid3_to_world(frame, dv_vec3(0, -along, 0));
            return 2;
        }
        for (int k = 0; k < 8; k++)
            hull[k] =
                dv_rigid3_to_world(frame, dv_vec3(k & 1 ? h[0] : -h[0], k & 2 ? h[1] : -h[1], k & 4 ? h[2] : -h[2]));
        return 8;
    }
    uint32_t corner[4] = {element}, count = 1;
    switch (number) {
    case 1:
    case 5:
        count = 2;
        memcpy(corner, edges[element], sizeof edges[element]);
        *radius = number == 5 ? size_of(element, 0.15) : 0;
        break;
    case 2:
        count = 3;
        if (element < 4) {
            memcpy(corner, triangles[element], sizeof triangles[element]);
        } else { /* two halves of each quad, along the diagonal from its first corner */
            const uint32_t *quad = quads[(element - 4) / 2];
            memcpy(corner,
                   element % 2 ? (uint32_t[]){quad[3], quad[0], quad[2]} : (uint32_t[]){quad[1], quad[2], quad[0]},
                   3 * sizeof *corner);
        }
        break;
    case 3:
        count = 4;
        memcpy(corner, tetrahedra[element], sizeof tetrahedra[element]);
        break;
    case 4:
        *radius = size_of(element, 0.15);
        break;
    default:
        break;
    }
    for (uint32_t k = 0; k < count; k++)
        hull[k] = dv_vec3_load(x + 3 * (size_t)corner[k]);
    if (number == 6) {
        static const DvVec3 way[3] = {{2.0 / 3, 4.0 / 3, -4.0 / 3}, {0, 0, 0}, {0, 2, 0}};
        hull[count++] = dv_vec3_add(hull[0], way[element < 2 ? element : 2]);
    }
    return count;
}

static uint32_t elements_of(int number)
{
    static const uint32_t counts[] = {POINTS, 6, 4 + 2 * 2, 3, POINTS, 6, POINTS};
    return number < ON_POINTS ? counts[number] : FRAMES;
}

static void assert_bounds(int number, const Model *m, const double *x)
{
    assert_int_equal(m->shape->count, elements_of(number));
    assert_int_equal(m->boxes.count, m->shape->count);
    assert_true(m->shape->distance == 0.02);
    for (uint32_t i = 0; i < m->shape->count; i++) {
        DvVec3 hull[8];
        double radius, lower[3] = {1e9, 1e9, 1e9}, upper[3] = {-1e9, -1e9, -1e9};
        const uint32_t count = hull_of(number, x, i, hull, &radius);
        for (uint32_t k = 0; k < count; k++) {
            double p[3];
            dv_vec3_store(hull[k], p);
            for (int axis = 0; axis < 3; axis++) {
                lower[axis] = fmin(lower[axis], p[axis] - radius - 0.02);
                upper[axis] = fmax(upper[axis], p[axis] + radius + 0.02);
            }
        }
        for (int axis = 0; axis < 3; axis++)
            if (!(fabs(m->boxes.lower[axis][i] - lower[axis]) < 1e-12 &&
                  fabs(m->boxes.upper[axis][i] - upper[axis]) < 1e-12))
                fail_msg("model %d: element %u: axis %d: [%g, %g], not [%g, %g]", number, i, axis,
                         m->boxes.lower[axis][i], m->boxes.upper[axis][i], lower[axis], upper[axis]);
    }
}

static void boxes_hold_elements_and_nothing_more(void **state)
{
    (void)state;
    for (int number = 0; number < ON_POINTS + ON_FRAMES; number++)
        for (int moving = 0; moving < 2; moving++) {
            DvScene *scene = load_model(number, moving ? "" : "moving='0'");
            Model m = model_of(scene);
            const DvStateRef x = scene_state(scene, "/x");
            double before[7 * POINTS];
            const DvConstVec at = dv_state_read(x, DV_POSITION);
            memcpy(before, at.at, (size_t)at.count * at.dim * sizeof *before);
            assert_bounds(number, &m, before);
            const DvShapeVersion first = m.version;
            assert_true(first.structure > 0 && first.boxes > 0);
            DvVec now = dv_state_write(x, DV_POSITION, DV_READ_WRITE);
            for (uint32_t i = 0; i < now.count; i++)
                for (uint32_t axis = 0; axis < 3; axis++)
                    now.at[i * now.dim + axis] += random_between(-1, 1);
            update(&m);
            assert_bounds(number, &m, moving ? dv_state_read(x, DV_POSITION).at : before);
            assert_int_equal(m.version.structure, first.structure);
            assert_int_equal(m.version.boxes, first.boxes + (uint64_t)moving);
            dv_scene_free(scene);
        }
}

/* A model whose state has more points by now has boxes for these too; sizes that nobody gave are the default. */
static void elements_that_come_have_boxes(void **state)
{
    (void)state;
    static const int numbers[] = {0, 4, 6, ON_POINTS, ON_POINTS + 1, ON_POINTS + 2};
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
        DvScene *scene = load_model(numbers[n], "");
        Model m = model_of(scene);
        const DvStateRef x = scene_state(scene, "/x");
        for (uint32_t count = m.shape->count + 1; count < 200; count *= 3) {
            const DvShapeVersion before = m.version;
            x.ops->resize(x.self, count);
            DvVec now = dv_state_write(x, DV_POSITION, DV_READ_WRITE);
            for (uint32_t i = 0; i < count; i++) {
                dv_vec3_store(random_vector(1), now.at + (size_t)i * now.dim);
                if (now.dim == 7)
                    dv_quat_store(dv_quat_from_axis_angle(dv_vec3_normalize(random_vector(1)), 1 + i),
                                  now.at + 7 * (size_t)i + 3);
            }
            update(&m);
            assert_int_equal(m.shape->count, count);
            assert_true(m.version.structure != before.structure);
            assert_true(m.version.boxes != before.boxes);
            for (uint32_t i = 0; i < count; i++) {
                DvVec3 hull[8];
                double radius, lower = 1e9, upper = -1e9;
                const uint32_t corners = hull_of(numbers[n], now.at, i, hull, &radius);
                for (uint32_t k = 0; k < corners; k++) {
                    lower = fmin(lower, hull[k].y - radius - 0.02);
                    upper = fmax(upper, hull[k].y + radius + 0.02);
                }
                assert_true(fabs(m.boxes.lower[1][i] - lower) < 1e-12 && fabs(m.boxes.upper[1][i] - upper) < 1e-12);
            }
        }
        dv_scene_free(scene);
    }
}

/* ---- What solids say ---- */

static void solids_know_their_axes_and_velocities(void **state)
{
    (void)state;
    for (int number = 0; number < ON_POINTS + ON_FRAMES; number++) {
        DvScene *scene = load_model(number, "");
        const DvStateRef x = scene_state(scene, "/x");
        DvVec v = dv_state_write(x, DV_VELOCITY, DV_OVERWRITE);
        for (uint32_t i = 0; i < v.count * v.dim; i++)
            v.at[i] = random_between(-1, 1);
        Model m = model_of(scene);
        const DvSolids *solids = m.shape->more;
        const double *at = dv_state_read(x, DV_POSITION).at;
        for (uint32_t i = 0; solids && i < m.shape->count; i++) {
            double expected[3];
            for (uint32_t axis = 0; axis < 3; axis++)
                expected[axis] = number == 5 ? 0.5 * (v.at[3 * edges[i][0] + axis] + v.at[3 * edges[i][1] + axis])
                                             : v.at[6 * i + axis];
            for (int axis = 0; axis < 3; axis++) {
                assert_true(fabs(solids->velocities[3 * i + (uint32_t)axis] - expected[axis]) < 1e-15);
                if (number != ON_POINTS + 2)
                    continue;
                const DvVec3 unit = dv_vec3(axis == 0, axis == 1, axis == 2);
                const DvVec3 turned = dv_quat_rotate(dv_quat_load(at + 7 * i + 3), unit);
                assert_true(dv_vec3_distance(turned, dv_vec3_load(solids->axes + 9 * i + 3 * axis)) < 1e-14);
            }
        }
        assert_int_equal(solids != NULL, number == 5 || number == ON_POINTS + 1 || number == ON_POINTS + 2);
        dv_scene_free(scene);
    }
}

/* ---- Places on elements ---- */

static DvVec3 place_of(const DvAttachment *at, DvConstVec x)
{
    DvVec3 p = dv_vec3_zero();
    double sum = 0;
    for (uint32_t k = 0; k < at->count; k++) {
        assert_true(at->points[k] < x.count);
        sum += at->weights[k];
        p = dv_vec3_madd(p, at->weights[k], dv_vec3_load(x.at + (size_t)at->points[k] * x.dim));
    }
    assert_true(fabs(sum - 1) < 1e-12);
    if (x.dim == 7)
        p = dv_vec3_add(p, dv_quat_rotate(dv_quat_load(x.at + 7 * (size_t)at->points[0] + 3), dv_vec3_load(at->lever)));
    return p;
}

static void a_place_on_an_element_is_a_combination_of_its_points(void **state)
{
    (void)state;
    for (int number = 0; number < ON_POINTS + ON_FRAMES; number++) {
        DvScene *scene = load_model(number, "");
        const Model m = model_of(scene);
        const DvConstVec x = dv_state_read(scene_state(scene, "/x"), DV_POSITION);
        for (uint32_t i = 0; i < 20 * m.shape->count; i++) {
            const uint32_t element = i % m.shape->count;
            DvVec3 hull[8], p = dv_vec3_zero();
            double radius, weight[8], sum = 0, point[3];
            const uint32_t corners = hull_of(number, x.at, element, hull, &radius);
            for (uint32_t k = 0; k < corners; k++)
                sum += weight[k] = i < 10 * m.shape->count ? random_between(0, 1) : random_below(2);
            if (sum == 0)
                sum = weight[0] = 1;
            for (uint32_t k = 0; k < corners; k++)
                p = dv_vec3_madd(p, weight[k] / sum, hull[k]);
            if (number >= ON_POINTS) /* all places move with a frame */
                p = dv_vec3_add(p, random_vector(0.5));
            const bool of_quad = number == 2 && element >= 4, ray = number == 6, sphere = number == 4;
            dv_vec3_store(p, point);
            DvAttachment at;
            memset(&at, 0xff, sizeof at);
            m.ops->attach(m.self, element, point, &at);
            assert_true(fabs(at.radius - (number == 4 || number == 5 || number == ON_POINTS ? radius : 0)) < 1e-15);
            const DvVec3 found = place_of(&at, x);
            if (ray || sphere) /* of their points, wherever the place is */
                assert_true(at.count == 1 && at.points[0] == element && dv_vec3_distance(found, hull[0]) < 1e-14);
            else if (!of_quad)
                assert_true(dv_vec3_distance(found, p) < 1e-12);
            if (number == 1 || number == 5) { /* in line with an edge: beyond it, or its end where there is a radius */
                const DvVec3 along = dv_vec3_sub(hull[1], hull[0]);
                for (int end = 0; end < 2; end++) {
                    const DvVec3 beyond = dv_vec3_madd(hull[end], end ? 0.3 : -0.3, along);
                    dv_vec3_store(beyond, point);
                    m.ops->attach(m.self, element, point, &at);
                    assert_true(dv_vec3_distance(place_of(&at, x), number == 1 ? beyond : hull[end]) < 1e-12);
                }
            }
            if (number == 2 && !of_quad) {
                const DvVec3 n = dv_vec3_cross(dv_vec3_sub(hull[1], hull[0]), dv_vec3_sub(hull[2], hull[0]));
                dv_vec3_store(dv_vec3_madd(p, 0.7, n), point);
                m.ops->attach(m.self, element, point, &at);
                assert_true(dv_vec3_distance(place_of(&at, x), p) < 1e-11);
            }
            if (number == 3) { /* outside too */
                dv_vec3_store(dv_vec3_madd(p, -1.5, dv_vec3_sub(hull[3], hull[1])), point);
                m.ops->attach(m.self, element, point, &at);
                assert_true(dv_vec3_distance(place_of(&at, x), dv_vec3_load(point)) < 1e-9);
            }
        }
        dv_scene_free(scene);
    }
}

/* A parallelogram p0 + a u + b v: bilinear weights of a and b, on either half. */
static void places_on_a_quad_are_bilinear(void **state)
{
    (void)state;
    for (int round = 0; round < 20; round++) {
        const DvVec3 p0 = random_vector(1), u = random_vector(1), v = random_vector(1);
        char text[1024];
        const DvVec3 p1 = dv_vec3_add(p0, u), p2 = dv_vec3_add(p1, v), p3 = dv_vec3_add(p0, v);
        snprintf(
            text, sizeof text,
            "<Node><MeshTopology triangles='4 5 6' quads='4 5 6 4  0 1 2 3'/><MechanicalObject name='x' position='%.17g %.17g %.17g "
            "%.17g %.17g %.17g  %.17g %.17g %.17g  %.17g %.17g %.17g  8 8 8  9 8 8  8 9 8'/>"
            "<TriangleCollisionModel name='model'/></Node>",
            p0.x, p0.y, p0.z, p1.x, p1.y, p1.z, p2.x, p2.y, p2.z, p3.x, p3.y, p3.z);
        DvScene *scene = scene_from_text(text);
        const Model m = model_of(scene);
        assert_int_equal(m.shape->count, 5);
        for (int k = 0; k < 10; k++) {
            const double a = random_between(-0.2, 1.2), b = random_between(-0.2, 1.2);
            double point[3];
            dv_vec3_store(dv_vec3_madd(dv_vec3_madd(dv_vec3_madd(p0, a, u), b, v), 0.1, dv_vec3_cross(u, v)), point);
            const double expected[4] = {(1 - a) * (1 - b), a * (1 - b), a * b, (1 - a) * b};
            for (uint32_t half = 3; half < 5; half++) {
                DvAttachment at;
                m.ops->attach(m.self, half, point, &at);
                assert_int_equal(at.count, 4);
                for (uint32_t n = 0; n < 4; n++) {
                    assert_int_equal(at.points[n], n);
                    assert_true(fabs(at.weights[n] - expected[n]) < 1e-9);
                }
            }
        }
        const DvVec3 n = dv_vec3_normalize(dv_vec3_cross(u, v)); /* both halves look where the quad does */
        for (uint32_t half = 3; half < 5; half++)
            assert_true(dv_vec3_distance(dv_vec3_load(m.shape->normals + 3 * half), n) < 1e-12);
        dv_scene_free(scene);
    }
}

/* ---- Triangles share out what they have in common ---- */

static bool has_edge(const uint32_t *triangle, uint32_t a, uint32_t b)
{
    bool first = false, second = false;
    for (int k = 0; k < 3; k++) {
        first = first || triangle[k] == a;
        second = second || triangle[k] == b;
    }
    return first && second;
}

static void corners_and_edges_belong_to_one_triangle_each(void **state)
{
    (void)state;
    enum { SIDE = 6, MOST = 2 * SIDE * SIDE };
    for (int round = 0; round < 10; round++) {
        DvText text = {0}, positions = {0};
        dv_text_add(&text, "<Node><MeshTopology quads='%s' triangles='", round % 2 ? "0 1 8 7" : "");
        uint32_t count = 0;
        for (uint32_t q = 0; q < SIDE * SIDE; q++) { /* a sheet with holes */
            const uint32_t a = q / SIDE * (SIDE + 1) + q % SIDE, b = a + 1, c = a + SIDE + 2, d = a + SIDE + 1;
            if (random_below(5) > 0) {
                dv_text_add(&text, "%u %u %u ", c, a, b);
                count++;
            }
            if (random_below(5) > 0) {
                dv_text_add(&text, "%u %u %u ", a, c, d);
                count++;
            }
        }
        for (uint32_t p = 0; p < (SIDE + 1) * (SIDE + 1); p++)
            dv_text_add(&positions, "%u %u %g ", p % (SIDE + 1), p / (SIDE + 1), random_between(0, 0.3));
        dv_text_add(&text, "'/><MechanicalObject name='x' position='%s'/><TriangleCollisionModel name='model'/></Node>",
                    positions.at);
        DvScene *scene = scene_from_text(text.at);
        const Model m = model_of(scene);
        assert_int_equal(m.shape->count, count + (round % 2 ? 2 : 0));
        for (uint32_t t = count; t < m.shape->count; t++)
            assert_int_equal(m.shape->owns[t], 0); /* halves of quads answer for their inside alone */
        for (uint32_t t = 0; t < count; t++) {
            const uint32_t *corner = m.shape->vertices + 3 * t;
            for (unsigned k = 0; k < 3; k++) {
                uint32_t owners = 0, of_edge = 0, edge_owners = 0, borders = 0;
                const uint32_t a = corner[(k + 1) % 3], b = corner[(k + 2) % 3];
                for (uint32_t other = 0; other < count; other++)
                    for (unsigned n = 0; n < 3; n++) {
                        const uint32_t *there = m.shape->vertices + 3 * other;
                        if (there[n] == corner[k])
                            owners += (m.shape->owns[other] & DV_OWNS_CORNER_0 << n) != 0;
                        if (there[n] == a || there[n] == b || !has_edge(there, a, b))
                            continue;
                        of_edge++; /* opposite to its corner n */
                        edge_owners += (m.shape->owns[other] & DV_OWNS_EDGE_0 << n) != 0;
                        borders += (m.shape->owns[other] & DV_ON_BORDER_0 << n) != 0;
                    }
                assert_int_equal(owners, 1);
                assert_int_equal(edge_owners, 1);
                assert_int_equal(borders, of_edge == 1);
            }
        }
        dv_text_free(&text);
        dv_text_free(&positions);
        dv_scene_free(scene);
    }
}

/* ---- Neighbours ---- */

static const uint32_t net[][3] = {{0, 1, 3}, {1, 4, 3}, {1, 2, 4}, {5, 6, 7}, {2, 5, 8}};
enum { NET_TRIANGLES = sizeof net / sizeof *net };

static bool are_ends(uint32_t a, uint32_t b)
{
    for (size_t t = 0; t < NET_TRIANGLES; t++)
        if (a != b && has_edge(net[t], a, b))
            return true;
    return false;
}

/* A point is near a line when it is an end, or joined to one by an edge. */
static bool is_near_line(const uint32_t line[2], uint32_t point)
{
    return line[0] == point || line[1] == point || are_ends(line[0], point) || are_ends(line[1], point);
}

static void neighbours_do_not_collide(void **state)
{
    (void)state;
    char nodes[2][1024];
    for (int n = 0; n < 2; n++)
        snprintf(
            nodes[n], sizeof nodes[n],
            "<Node name='%s'><MeshTopology triangles='0 1 3  1 4 3  1 2 4  5 6 7  2 5 8'/><MechanicalObject name='x' "
            "position='0 0 0  1 0 0  2 0 0  0 1 0  1 1 0  3 0 0  4 0 0  3 1 0  2 -1 0  9 9 9'/>"
            "<PointCollisionModel name='points' selfCollision='%d'/><LineCollisionModel name='lines' selfCollision='%d'/>"
            "<TriangleCollisionModel name='triangles' selfCollision='%d'/></Node>",
            n ? "B" : "A", !n, !n, !n);
    DvText text = {0};
    dv_text_add(&text, "<Node>%s%s</Node>", nodes[0], nodes[1]);
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    static const char *const names[2][3] = {{"/A/points", "/A/lines", "/A/triangles"},
                                            {"/B/points", "/B/lines", "/B/triangles"}};
    Model model[2][3];
    for (int n = 0; n < 2; n++)
        for (int k = 0; k < 3; k++) {
            model[n][k] = (Model){.object = scene_object(scene, names[n][k])};
            model[n][k].ops = dv_object_ops(model[n][k].object, DV_COLLISION_MODEL);
            model[n][k].self = dv_object_self(model[n][k].object);
            update(&model[n][k]);
        }
    uint32_t kept_apart = 0;
    for (int n = 0; n < 2; n++)
        for (int one = 0; one < 3; one++)
            for (int two = 0; two < 3; two++)
                for (uint32_t a = 0; a < model[0][one].shape->count; a++)
                    for (uint32_t b = 0; b < model[n][two].shape->count; b++) {
                        const int lesser = one < two ? one : two, greater = one < two ? two : one;
                        const uint32_t of_lesser = one < two ? a : b, of_greater = one < two ? b : a;
                        const uint32_t *corner = model[0][greater].shape->vertices + (size_t)(greater + 1) * of_greater;
                        bool expected = true;
                        if (n == 1)
                            expected = true; /* of another node */
                        else if (lesser == 0 && greater == 0)
                            expected = false;
                        else if (lesser == 0 && greater == 1)
                            expected = !is_near_line(corner, of_lesser);
                        else if (lesser == 0)
                            expected = corner[0] != of_lesser && corner[1] != of_lesser && corner[2] != of_lesser;
                        else if (lesser == 1 && greater == 1) {
                            const uint32_t *other = model[0][1].shape->vertices + 2 * (size_t)of_lesser;
                            expected = !is_near_line(corner, other[0]) && !is_near_line(corner, other[1]);
                        }
                        kept_apart += !expected;
                        const Model *m = &model[0][one];
                        if (m->ops->can_collide(m->self, a, model[n][two].object, b) != expected)
                            fail_msg("%s %u, %s %u", names[0][one], a, names[n][two], b);
                    }
    assert_int_equal(model[0][1].shape->count, 13); /* edges of the triangles, once each */
    assert_true(kept_apart > 100);
    for (int k = 0; k < 3; k++) /* of a body that does not collide with itself nobody asks: all may */
        assert_true(model[1][k].ops->can_collide(model[1][k].self, 0, model[1][0].object, 0));
    dv_scene_free(scene);
}

/* ---- What the pipeline tells and asks ---- */

static void traits_are_the_fields(void **state)
{
    (void)state;
    for (int number = 0; number < ON_POINTS + ON_FRAMES; number++) {
        DvScene *scene =
            load_model(number, "active='0' moving='0' simulated='0' selfCollision='1' contactStiffness='3' "
                               "contactFriction='0.5' contactResponse='PenalityContactForceField' group='3 9'");
        Model m = model_of(scene);
        DvCollisionTraits traits;
        memset(&traits, 0xff, sizeof traits);
        m.ops->traits(m.self, &traits);
        assert_true(!traits.active && !traits.moving && !traits.simulated && traits.self_collision);
        assert_true(traits.distance == 0.02 && traits.stiffness == 3 && traits.friction == 0.5);
        assert_string_equal(traits.response, "PenalityContactForceField");
        assert_true(traits.group_count == 2 && traits.groups[0] == 3 && traits.groups[1] == 9);
        m.ops->set_contact_count(m.self, 17);
        assert_int_equal(dv_data_uint(dv_object_field(m.object, "numberOfContacts")), 17);
        m.ops->set_contact_count(m.self, 0);
        assert_int_equal(dv_data_uint(dv_object_field(m.object, "numberOfContacts")), 0);
        assert_true(m.ops->state(m.self) == scene_object(scene, "/x"));
        dv_scene_free(scene);
        scene = load_model(number, "");
        m = model_of(scene);
        m.ops->traits(m.self, &traits);
        assert_true(traits.active && traits.moving && traits.simulated && !traits.self_collision);
        assert_true(traits.group_count == 0 && traits.stiffness == 10 && traits.friction == 0);
        assert_string_equal(traits.response, number == 6 ? "RayContact" : "");
        dv_scene_free(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_hold_elements_and_nothing_more),
        cmocka_unit_test(elements_that_come_have_boxes),
        cmocka_unit_test(solids_know_their_axes_and_velocities),
        cmocka_unit_test(a_place_on_an_element_is_a_combination_of_its_points),
        cmocka_unit_test(places_on_a_quad_are_bilinear),
        cmocka_unit_test(corners_and_edges_belong_to_one_triangle_each),
        cmocka_unit_test(neighbours_do_not_collide),
        cmocka_unit_test(traits_are_the_fields),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
