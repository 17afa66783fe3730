/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The scenes of scenes/: each loads and runs without a message, stays finite, and does what its bodies would do.
 *
 * Numbers come from statics (beam theory, weight against stiffness), from geometry that a mapping or a constraint must
 * keep, and from energy, which implicit integration may only lose.
 */
#include <divan/contracts/collision.h>
#include <divan/contracts/force_field.h>
#include <divan/contracts/mass.h>
#include <divan/contracts/topology.h>
#include <divan/math/quat.h>
#include <divan/registry.h>
#include <divan/scene.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "share.h"

static const double gravity = 9.81;

static void count_message(const DvMessage *message, void *context)
{
    if (message->level < DV_LEVEL_WARNING)
        return;
    DvText text = {0};
    dv_message_print(message, &text);
    print_error("%s\n", text.at);
    dv_text_free(&text);
    ++*(unsigned *)context;
}

/* A scene of scenes/, initialised; what it has to say while it loads is a failure. */
static DvScene *load_own_scene(const char *name)
{
    char file[4096];
    const char *root = getenv("DIVAN_TEST_SOURCE_ROOT");
    assert_non_null(root);
    snprintf(file, sizeof file, "%s/scenes/%s", root, name);
    unsigned messages = 0;
    DvScene *scene = NULL;
    dv_log_set_handler(count_message, &messages);
    const DvStatus status = dv_scene_load(file, NULL, &scene);
    dv_log_set_handler(NULL, NULL);
    assert_int_equal(status, DV_OK);
    assert_int_equal(messages, 0);
    return scene;
}

static DvStateRef state_at(DvScene *scene, const char *path)
{
    DvObject *object = dv_node_resolve(dv_scene_root(scene), NULL, path, DV_STATE);
    assert_non_null(object);
    return dv_state_ref(object);
}

static void step(DvScene *scene, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

static double *copy_of(DvConstVec v)
{
    const size_t bytes = sizeof(double) * v.count * v.dim;
    double *copy = malloc(bytes);
    assert_non_null(copy);
    memcpy(copy, v.at, bytes);
    return copy;
}

/* The largest distance between a point and where it was, over the points for which `chosen` holds. */
static double largest_motion(DvConstVec now, const double *before, bool (*chosen)(const double *before))
{
    double largest = 0;
    uint32_t points = 0;
    for (uint32_t i = 0; i < now.count; i++) {
        const double *p = now.at + 3 * (size_t)i, *q = before + 3 * (size_t)i;
        if (!chosen(q))
            continue;
        points++;
        const double distance =
            sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]));
        largest = fmax(largest, distance);
    }
    assert_true(points > 0);
    return largest;
}

static double largest_speed(DvConstVec v)
{
    double most = 0;
    for (size_t i = 0; i < (size_t)v.count * v.dim; i++)
        most = fmax(most, fabs(v.at[i]));
    return most;
}

static double mean_height(DvConstVec x)
{
    double sum = 0;
    for (uint32_t i = 0; i < x.count; i++)
        sum += x.at[3 * (size_t)i + 1];
    return sum / x.count;
}

/* ---- liver ---- */

static bool in_ligament(const double *p)
{
    return p[0] >= -0.06 && p[0] <= 0.02 && p[1] >= 0.062 && p[1] <= 0.1 && p[2] >= -0.03 && p[2] <= 0.03;
}

static bool anywhere(const double *p)
{
    (void)p;
    return true;
}

/* How many steps it takes until the body rests. */
enum { STEPS_OF_LIVER = 60, STEPS_OF_CELLS = 80 };

static double height_of_surface(DvScene *scene)
{
    DvObject *model = dv_node_resolve(dv_scene_root(scene), NULL, "@/Liver/Surface/model", NULL);
    assert_non_null(model);
    DvData *field = dv_object_field(model, "position");
    assert_non_null(field);
    dv_scene_update_visual(scene);
    size_t count = 0;
    const double *at = dv_data_doubles(field, &count);
    assert_int_equal(count, 10242);
    return mean_height((DvConstVec){at, (uint32_t)count, 3});
}

/* How far the surface sinks, on average, once the body has come to rest. */
static double sag_of_surface(DvScene *scene, unsigned steps)
{
    const double before = height_of_surface(scene);
    step(scene, steps);
    assert_true(largest_speed(dv_state_read(state_at(scene, "@/Liver/state"), DV_VELOCITY)) < 5e-3);
    return before - height_of_surface(scene);
}

/* The body hangs from its ligament and sags by centimetres; its fine surface, a fixed weighted mean of the nodes, follows when somebody
 * looks. Cells cover more than the body but are half as stiff at its surface: half to twice the sag. */
static void the_liver_hangs_and_so_does_that_of_cells(void **context)
{
    (void)context;
    DvScene *scene = load_own_scene("liver.scn");
    const DvStateRef s = state_at(scene, "@/Liver/state");
    assert_in_range(dv_state_count(s), 1500, 3000);
    double *rest = copy_of(dv_state_read(s, DV_POSITION));
    const double body_before = mean_height(dv_state_read(s, DV_POSITION));
    const double sag = sag_of_surface(scene, STEPS_OF_LIVER);

    const DvConstVec x = dv_state_read(s, DV_POSITION);
    assert_true(largest_motion(x, rest, in_ligament) == 0);
    /* A column under its own weight stretches by rho g L^2 / (2 E): 1 cm for the 10 cm below the ligament; the lobes, which
     * bend, go further. */
    const double motion = largest_motion(x, rest, anywhere), body_sag = body_before - mean_height(x);
    assert_true(motion > 0.005 && motion < 0.08);
    assert_true(body_sag > 0.001 && sag > 0.002);
    assert_true(sag > 0.5 * body_sag && sag < 2 * body_sag);
    free(rest);
    dv_scene_free(scene);

    scene = load_own_scene("cells.scn");
    const double of_cells = sag_of_surface(scene, STEPS_OF_CELLS);
    assert_true(of_cells > 0.5 * sag && of_cells < 2 * sag);
    dv_scene_free(scene);
}

/* ---- pendulum ---- */

static double kinetic_energy_of_body(const double *frame, const double *twist)
{
    static const double mass = 1, inertia[3] = {0.2, 0.4, 0.4};
    const DvVec3 spin = dv_quat_inverse_rotate(dv_quat_load(frame + 3), dv_vec3(twist[3], twist[4], twist[5]));
    return 0.5 * mass * (twist[0] * twist[0] + twist[1] * twist[1] + twist[2] * twist[2]) +
           0.5 * (inertia[0] * spin.x * spin.x + inertia[1] * spin.y * spin.y + inertia[2] * spin.z * spin.z);
}

static double spring_energy(const double *a, const double *b)
{
    static const double stiffness = 500, rest_length = 1;
    const double length =
        sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]) + (b[2] - a[2]) * (b[2] - a[2]));
    return 0.5 * stiffness * (length - rest_length) * (length - rest_length);
}

static double pendulum_energy(DvStateRef string, DvStateRef body, DvStateRef hook)
{
    const double *x = dv_state_read(string, DV_POSITION).at, *v = dv_state_read(string, DV_VELOCITY).at;
    const double *frame = dv_state_read(body, DV_POSITION).at, *twist = dv_state_read(body, DV_VELOCITY).at;
    double energy = kinetic_energy_of_body(frame, twist) + 1.0 * gravity * frame[1];
    for (int i = 0; i < 5; i++) {
        const double *p = x + 3 * i, *w = v + 3 * i;
        energy += 0.1 * (gravity * p[1] + 0.5 * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]));
        energy += spring_energy(p, i < 4 ? p + 3 : dv_state_read(hook, DV_POSITION).at);
    }
    return energy;
}

static void the_pendulum_swings_and_only_loses_energy(void **context)
{
    (void)context;
    DvScene *scene = load_own_scene("pendulum.scn");
    const DvStateRef string = state_at(scene, "@/String/particles"), body = state_at(scene, "@/Body/frame");
    const DvStateRef hook = state_at(scene, "@/Body/Hook/point");
    const double start = pendulum_energy(string, body, hook);
    double lowest = 0;
    for (unsigned i = 0; i < 500; i++) {
        step(scene, 1);
        assert_true(pendulum_energy(string, body, hook) <= start + 1e-6);
        lowest = fmin(lowest, dv_state_read(body, DV_POSITION).at[1]);
    }
    /* It is six metres long: it has swung through its lowest point. */
    assert_true(lowest < -4 && lowest > -7);
    dv_scene_free(scene);
}

static void the_hook_stays_on_the_rigid_body(void **context)
{
    (void)context;
    DvScene *scene = load_own_scene("pendulum.scn");
    const DvStateRef body = state_at(scene, "@/Body/frame"), hook = state_at(scene, "@/Body/Hook/point");
    for (unsigned i = 0; i < 200; i++) {
        step(scene, 1);
        const double *c = dv_state_read(body, DV_POSITION).at, *p = dv_state_read(hook, DV_POSITION).at;
        const DvVec3 arm = dv_quat_rotate(dv_quat_load(c + 3), dv_vec3(-1, 0, 0));
        assert_true(fabs(c[0] + arm.x - p[0]) < 1e-12);
        assert_true(fabs(c[1] + arm.y - p[1]) < 1e-12);
        assert_true(fabs(c[2] + arm.z - p[2]) < 1e-12);
    }
    dv_scene_free(scene);
}

static void the_pendulum_through_the_c_api_moves_as_the_scene_file(void **context)
{
    (void)context;
    char command[4096];
    snprintf(command, sizeof command, "%s/scenes/pendulum 50", getenv("DIVAN_BUILD_ROOT"));
    FILE *program = popen(command, "r");
    assert_non_null(program);
    DvScene *scene = load_own_scene("pendulum.scn");
    const DvStateRef hook = state_at(scene, "@/Body/Hook/point");
    char line[256];
    unsigned lines = 0;
    while (fgets(line, sizeof line, program)) {
        step(scene, 1);
        lines++;
        char *end = line;
        assert_true(strtod(end, &end) == dv_node_time(dv_scene_root(scene)));
        for (int i = 0; i < 3; i++)
            assert_true(strtod(end, &end) == dv_state_read(hook, DV_POSITION).at[i]);
    }
    assert_int_equal(pclose(program), 0);
    assert_int_equal(lines, 50);
    dv_scene_free(scene);
}

/* ---- beam ---- */

static bool on_clamp(const double *p)
{
    return p[0] < 1e-9;
}

static double tip_height(DvConstVec x, const double *rest)
{
    double sum = 0;
    uint32_t points = 0;
    for (uint32_t i = 0; i < x.count; i++)
        if (rest[3 * (size_t)i] > 1 - 1e-9) {
            sum += x.at[3 * (size_t)i + 1];
            points++;
        }
    assert_int_equal(points, 25);
    return sum / points;
}

static void the_beam_settles_where_beam_theory_says(void **context)
{
    (void)context;
    DvScene *scene = load_own_scene("beam.scn");
    const DvStateRef s = state_at(scene, "@/Beam/state");
    double *rest = copy_of(dv_state_read(s, DV_POSITION));
    const double before = tip_height(dv_state_read(s, DV_POSITION), rest);
    step(scene, 300);

    /* Timoshenko: bending w L^4 / (8 E I) and shear w L^2 / (2 k G A), with k = 5/6. */
    const double young = 1e7, poisson = 0.3, side = 0.2, length = 1, density = 1000;
    const double area = side * side, weight = density * gravity * area, inertia = side * area * side / 12;
    const double shear_modulus = young / (2 * (1 + poisson));
    const double deflection = weight * pow(length, 4) / (8 * young * inertia) +
                              weight * length * length / (2 * 5.0 / 6 * shear_modulus * area);
    const double found = before - tip_height(dv_state_read(s, DV_POSITION), rest);
    /* Four elements over the height: full integration makes them a few per cent too stiff in bending. */
    assert_true(found > 0.94 * deflection && found < 1.02 * deflection);
    assert_true(largest_motion(dv_state_read(s, DV_POSITION), rest, on_clamp) == 0);
    free(rest);
    dv_scene_free(scene);
}

/* ---- cloth ---- */

static bool at_held_corner(const double *p)
{
    return fabs(p[0]) > 0.499 && p[2] < -0.499;
}

static void the_cloth_swings_down_from_two_corners_and_hardly_stretches(void **context)
{
    (void)context;
    DvScene *scene = load_own_scene("cloth.scn");
    const DvStateRef s = state_at(scene, "@/Cloth/state");
    double *rest = copy_of(dv_state_read(s, DV_POSITION));
    step(scene, 200);
    const DvConstVec x = dv_state_read(s, DV_POSITION);
    assert_true(largest_motion(x, rest, at_held_corner) == 0);
    assert_true(mean_height(x) < -0.2);
    /* No point is further from a held corner than the cloth is long between them, but for a tenth of stretch. */
    for (uint32_t i = 0; i < x.count; i++) {
        const double *p = x.at + 3 * (size_t)i, *q = rest + 3 * (size_t)i;
        const double now = sqrt((p[0] + 0.5) * (p[0] + 0.5) + p[1] * p[1] + (p[2] + 0.5) * (p[2] + 0.5));
        const double along = fabs(q[0] + 0.5) + fabs(q[2] + 0.5);
        assert_true(now <= 1.1 * along + 1e-9);
    }
    free(rest);
    dv_scene_free(scene);
}

/* ---- scenes with contacts ---- */

/* 1,000 steps without a word, all contacts solved. */
static void run_contacts(DvScene *scene, unsigned steps)
{
    unsigned messages = 0;
    dv_log_set_handler(count_message, &messages);
    step(scene, steps);
    dv_log_set_handler(NULL, NULL);
    assert_int_equal(messages, 0);
    DvObject *solver = dv_node_resolve(dv_scene_root(scene), NULL, "@/contacts", NULL);
    assert_non_null(solver);
    assert_int_equal(dv_data_int(dv_object_field(solver, "unconvergedSteps")), 0);
}

/* N, what all contacts do to the models below a node; no gap may be less than `least` m. */
static void sum_contacts(DvScene *scene, const char *node, double least, double sum[3])
{
    DvObject *pipeline = dv_node_slot(dv_scene_root(scene), DV_COLLISION_PIPELINE);
    assert_non_null(pipeline);
    const DvCollisionPipelineOps *ops = dv_object_ops(pipeline, DV_COLLISION_PIPELINE);
    const DvContactList *list = ops->contacts(dv_object_self(pipeline));
    sum[0] = sum[1] = sum[2] = 0;
    for (uint32_t i = 0; i < list->pair_count; i++)
        for (uint32_t k = 0; k < list->pairs[i].count; k++) {
            double force[3];
            ops->force(dv_object_self(pipeline), i, k, force);
            assert_true(list->pairs[i].contacts[k].gap > least);
            for (int side = 0; side < 2; side++)
                if (strstr(dv_object_path(list->bodies[list->pairs[i].body[side]].object), node))
                    for (int axis = 0; axis < 3; axis++)
                        sum[axis] += side == 1 ? force[axis] : -force[axis];
        }
}

static void wood_holds_on_the_incline_and_ice_slides(void **context)
{
    (void)context;
    DvScene *scene = load_own_scene("incline.scn");
    const DvStateRef wood = state_at(scene, "@/Wood/frame"), ice = state_at(scene, "@/Ice/frame");
    double *wood_before = copy_of(dv_state_read(wood, DV_POSITION)),
           *ice_before = copy_of(dv_state_read(ice, DV_POSITION));
    run_contacts(scene, 1000);
    const double slope = 20 * acos(-1.0) / 180, time = 1000 * 0.005;
    const double acceleration = gravity * (sin(slope) - 0.2 * 0.7 * cos(slope));
    const double *now = dv_state_read(wood, DV_POSITION).at;
    for (int axis = 0; axis < 3; axis++)
        assert_true(fabs(now[axis] - wood_before[axis]) < 1e-3);
    now = dv_state_read(ice, DV_POSITION).at;
    const double expected = acceleration * time * (time + 0.005) / 2;
    const double along = (now[0] - ice_before[0]) * cos(slope) - (now[1] - ice_before[1]) * sin(slope);
    const double across = (now[0] - ice_before[0]) * sin(slope) + (now[1] - ice_before[1]) * cos(slope);
    assert_true(fabs(along - expected) < 0.01 * expected);
    assert_true(fabs(across) < 1e-5 && fabs(now[2] - ice_before[2]) < 1e-3);
    free(wood_before);
    free(ice_before);
    dv_scene_free(scene);
}

static void the_stack_of_boxes_stands(void **context)
{
    (void)context;
    static const char *const boxes[] = {"@/First/frame", "@/Second/frame", "@/Third/frame", "@/Fourth/frame",
                                        "@/Fifth/frame"};
    DvScene *scene = load_own_scene("stack.scn");
    double before[5][7], force[3], weight = 0;
    for (int i = 0; i < 5; i++) {
        memcpy(before[i], dv_state_read(state_at(scene, boxes[i]), DV_POSITION).at, sizeof before[i]);
        weight += gravity * 8 * pow(0.85, 3 * i);
    }
    run_contacts(scene, 1000);
    for (int i = 0; i < 5; i++)
        for (int axis = 0; axis < 7; axis++) {
            const double now = dv_state_read(state_at(scene, boxes[i]), DV_POSITION).at[axis];
            assert_true(fabs(now - before[i][axis]) < 1e-4);
        }
    sum_contacts(scene, "/Floor", -1e-5, force);
    assert_true(fabs(force[1] + weight) < 0.01 * weight);
    dv_scene_free(scene);
}

static void the_beam_lies_on_the_spheres(void **context)
{
    (void)context;
    DvScene *scene = load_own_scene("beam_on_spheres.scn");
    const DvStateRef beam = state_at(scene, "@/Beam/state"), bed = state_at(scene, "@/Bed/centres");
    run_contacts(scene, 300);
    double force[3];
    sum_contacts(scene, "/Beam", -1e-4, force);
    assert_true(fabs(force[1] - 16 * gravity) < 0.01 * 16 * gravity);
    assert_true(fabs(force[0]) < 1 && fabs(force[2]) < 1);
    const DvConstVec x = dv_state_read(beam, DV_POSITION), centres = dv_state_read(bed, DV_POSITION);
    assert_true(largest_speed(dv_state_read(beam, DV_VELOCITY)) < 5e-3);
    assert_true(mean_height(x) > 0.05 && mean_height(x) < 0.12);
    for (uint32_t i = 0; i < x.count; i++)
        for (uint32_t k = 0; k < centres.count; k++) {
            const double *p = x.at + 3 * (size_t)i, *q = centres.at + 3 * (size_t)k;
            assert_true(hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]) > 0.05);
        }
    dv_scene_free(scene);
}

/* The hand pulls with 50 N/m times how far it is from its place; contacts push as much. */
static void the_liver_pushes_back_the_tool(void **context)
{
    (void)context;
    DvScene *scene = load_own_scene("liver_tool.scn");
    run_contacts(scene, 150);
    const double *tool = dv_state_read(state_at(scene, "@/Tool/frame"), DV_POSITION).at;
    const double pull[3] = {50 * (tool[0] + 0.02), 50 * tool[1], 50 * (tool[2] - 0.05)};
    double force[3];
    sum_contacts(scene, "/Tool", -1e-4, force);
    assert_true(pull[2] > 0.5 && pull[2] < 2);
    for (int axis = 0; axis < 3; axis++)
        assert_true(fabs(force[axis] - pull[axis]) < 0.001 * pull[2]);
    dv_scene_free(scene);
}

static void the_snake_comes_to_rest_in_the_bowl(void **context)
{
    (void)context;
    DvScene *scene = load_own_scene("snake.scn");
    run_contacts(scene, 400);
    double force[3];
    sum_contacts(scene, "/Snake", -1e-4, force);
    assert_true(fabs(force[1] - 0.5 * gravity) < 0.005 * gravity && fabs(force[0]) < 0.01 && fabs(force[2]) < 0.01);
    assert_true(largest_speed(dv_state_read(state_at(scene, "@/Snake/state"), DV_VELOCITY)) < 1e-3);
    const DvConstVec x = dv_state_read(state_at(scene, "@/Snake/Skin/centres"), DV_POSITION);
    for (uint32_t i = 0; i < x.count; i++) {
        const double *p = x.at + 3 * (size_t)i;
        assert_true(p[1] < -0.05); /* deep in it, and not through it */
        assert_true((p[0] * p[0] + p[2] * p[2]) / (0.3 * 0.3) + p[1] * p[1] / (0.24 * 0.24) < 1);
    }
    dv_scene_free(scene);
}

/* The rod has the curvature and torsion of a helix of two turns in a length of 1 m that rises by 20 degrees, everywhere: its radius and its
 * elastic energy are those of the closed form. */
static void the_rod_is_wound_into_a_helix(void **context)
{
    (void)context;
    const double rise = 20.0 * DV_PI / 180.0, curvature = 4.0 * DV_PI * cos(rise), torsion = 4.0 * DV_PI * sin(rise);
    const double bending = 1e9 * DV_PI / 4.0 * pow(0.003, 4), twisting = bending / 1.3;
    const double radius = cos(rise) / (4.0 * DV_PI);
    DvScene *scene = load_own_scene("helix.scn");
    step(scene, 400);
    const DvConstVec x = dv_state_read(state_at(scene, "@/Rod/frames"), DV_POSITION);
    const DvVec3 axis = dv_vec3(sin(rise), 0, cos(rise)), middle = dv_vec3(0, radius, 0); /* where it starts along x */
    for (uint32_t i = 0; i < x.count; i++) {
        const DvVec3 from = dv_vec3_sub(dv_vec3_load(x.at + 7 * (size_t)i), middle);
        const double along = dv_vec3_dot(from, axis), length = (double)i / (x.count - 1);
        const double distance = dv_vec3_norm(dv_vec3_madd(from, -along, axis));
        assert_true(fabs(distance - radius) < 0.01 * radius);
        assert_true(fabs(along - length * sin(rise)) < 0.001);
    }
    const DvForceFieldOps *ops =
        dv_object_ops(dv_node_resolve(dv_scene_root(scene), NULL, "@/Rod/beams", DV_FORCE_FIELD), DV_FORCE_FIELD);
    const DvStep now = {.dt = 0.02, .position = DV_POSITION, .velocity = DV_VELOCITY};
    const double energy = ops->energy(
        dv_object_self(dv_node_resolve(dv_scene_root(scene), NULL, "@/Rod/beams", DV_FORCE_FIELD)), &now, &x);
    const double exact = (bending * curvature * curvature + twisting * torsion * torsion) / 2.0;
    assert_true(fabs(energy - exact) < 0.02 * exact);
    assert_true(largest_speed(dv_state_read(state_at(scene, "@/Rod/frames"), DV_VELOCITY)) < 1e-4);
    dv_scene_free(scene);
}

static const double *static_field(DvScene *scene, const char *path, const char *field, size_t *count)
{
    DvObject *object = dv_node_resolve(dv_scene_root(scene), NULL, path, NULL);
    assert_non_null(object);
    return dv_data_doubles(dv_object_field(object, field), count);
}

/* The elastica at a load of five times E I / L^2 (Mattiasson 1981); three elements across are 1 % from it. Near the end the residual of an
 * iteration is like the square of the one before. */
static void the_static_cantilever_hangs_as_the_elastica(void **context)
{
    (void)context;
    DvScene *scene = load_own_scene("static_cantilever.scn");
    step(scene, 1);
    const DvStateRef state = state_at(scene, "@/Beam/state");
    const DvConstVec x = dv_state_read(state, DV_POSITION), rest = dv_state_read(state, DV_REST_POSITION);
    double down = 0.0, back = 0.0;
    unsigned ends = 0;
    for (uint32_t i = 0; i < x.count; i++) {
        if (rest.at[3 * (size_t)i] < 0.9999)
            continue;
        down += rest.at[3 * (size_t)i + 1] - x.at[3 * (size_t)i + 1];
        back += 1.0 - x.at[3 * (size_t)i];
        ends++;
    }
    assert_int_equal(ends, 16);
    assert_true(fabs(down / ends - 0.71379) < 0.012 * 0.71379);
    assert_true(fabs(back / ends - 0.38763) < 0.035 * 0.38763);
    size_t count;
    const double *r = static_field(scene, "@/Beam/newton", "residuals", &count);
    assert_true(count > 4 && r[count - 1] < 1e-9);
    assert_true(r[count - 2] < 0.2 * r[count - 3] * r[count - 3]);
    const double *held = static_field(scene, "@/Beam/statics", "totalReaction", NULL);
    assert_true(fabs(held[0]) < 1e-7 && fabs(held[1] - 2.6041667) < 1e-7 && fabs(held[2]) < 1e-7);
    dv_scene_free(scene);
}

/* The air in the closed chamber bends the finger and pushes nowhere: the base carries the weight, which is that of the silicone. */
static void the_finger_bends_and_its_base_carries_the_weight(void **context)
{
    (void)context;
    const double volume = 0.1 * 0.018 * 0.016 - 23 * 0.004 * 2 * 0.003 * 4 * 0.016 / 6,
                 weight = 1070 * volume * gravity;
    DvScene *scene = load_own_scene("finger.scn");
    step(scene, 2);
    const DvStateRef state = state_at(scene, "@/Finger/state");
    const DvConstVec x = dv_state_read(state, DV_POSITION), rest = dv_state_read(state, DV_REST_POSITION);
    double way = 0.0;
    unsigned ends = 0;
    for (uint32_t i = 0; i < x.count; i++)
        if (rest.at[3 * (size_t)i + 1] < -0.0999) {
            way += x.at[3 * (size_t)i] - rest.at[3 * (size_t)i];
            ends++;
        }
    assert_true(ends == 49 && fabs(way / ends + 0.0148) < 0.001);
    const double *held = static_field(scene, "@/Finger/statics", "totalReaction", NULL);
    assert_true(fabs(held[0]) < 1e-8 && fabs(held[1] - weight) < 1e-8 * weight + 1e-8 && fabs(held[2]) < 1e-8);
    dv_scene_free(scene);
}

static int start(void **context)
{
    (void)context;
    return dv_start(NULL) == DV_OK ? 0 : -1;
}

static int stop(void **context)
{
    (void)context;
    dv_stop();
    return 0;
}

typedef struct OwnMesh {
    const DvTopologyOps *ops;
    void *self;
} OwnMesh;

static OwnMesh mesh_of(DvScene *scene, const char *path)
{
    DvObject *object = dv_node_resolve(dv_scene_root(scene), NULL, path, DV_TOPOLOGY);
    assert_non_null(object);
    return (OwnMesh){dv_object_ops(object, DV_TOPOLOGY), dv_object_self(object)};
}

static uint32_t count_elements(OwnMesh mesh, DvElementKind kind)
{
    return mesh.ops->elements(mesh.self, kind).count;
}

/* A surface that closes a volume: an even number of triangles meet at each edge, and each belongs to one tetrahedron alone. */
static void expect_closed(OwnMesh surface, OwnMesh volume)
{
    const DvAdjacency at_edge = surface.ops->adjacency(surface.self, DV_EDGES, DV_TRIANGLES);
    const DvElements triangles = surface.ops->elements(surface.self, DV_TRIANGLES),
                     tetrahedra = volume.ops->elements(volume.self, DV_TETRAHEDRA);
    for (uint32_t e = 0; e < at_edge.count; e++)
        assert_true((at_edge.end[e] - at_edge.begin[e]) % 2 == 0);
    for (uint32_t i = 0; i < triangles.count; i++) {
        uint32_t owners = 0;
        for (uint32_t t = 0; t < tetrahedra.count; t++) {
            uint32_t common = 0;
            for (uint32_t k = 0; k < 12; k++)
                common += triangles.at[3 * i + k % 3] == tetrahedra.at[4 * t + k / 3];
            owners += common == 3;
        }
        assert_int_equal(owners, 1);
    }
}

/* The last of eight layers goes at 0.2 s: 432 tetrahedra become 378, and their skin loses its 24 triangles around that layer. */
static void a_cylinder_in_a_skin_loses_its_tip(void **state)
{
    (void)state;
    DvScene *scene = load_own_scene("cylinder.scn");
    const OwnMesh volume = mesh_of(scene, "@/Cylinder/volume"), skin = mesh_of(scene, "@/Cylinder/Skin/surface");
    const DvStateRef x = state_at(scene, "@/Cylinder/state");
    assert_int_equal(count_elements(volume, DV_TETRAHEDRA), 432);
    assert_int_equal(count_elements(skin, DV_TRIANGLES), 228);
    expect_closed(skin, volume);
    step(scene, 10);
    assert_int_equal(count_elements(volume, DV_TETRAHEDRA), 432);
    step(scene, 2);
    assert_int_equal(count_elements(volume, DV_TETRAHEDRA), 378);
    assert_int_equal(count_elements(skin, DV_TRIANGLES), 204);
    expect_closed(skin, volume);
    assert_int_equal(dv_state_count(x), 8 * 16);
    step(scene, 100);
    const DvConstVec now = dv_state_read(x, DV_POSITION), rest = dv_state_read(x, DV_REST_POSITION);
    double lowest = 0;
    for (uint32_t i = 0; i < now.count; i++)
        for (uint32_t c = 0; c < 3; c++) {
            const double moved = now.at[3 * i + c] - rest.at[3 * i + c];
            if (rest.at[3 * i + 2] == 0)
                assert_true(moved == 0); /* held */
            lowest = c == 1 && moved < lowest ? moved : lowest;
        }
    /* sags, by less than a beam without skin: 1.5 rho g L^4 / (E h^2) */
    assert_true(lowest < -1e-3 && lowest > -1.5 * 1000 * gravity * pow(0.525, 4) / (1e5 * 0.04));
    dv_scene_free(scene);
}

static void a_heavy_ball_carves_its_way_through_a_block(void **state)
{
    (void)state;
    DvScene *scene = load_own_scene("carving.scn");
    const OwnMesh volume = mesh_of(scene, "@/Block/volume"), surface = mesh_of(scene, "@/Block/Surface/surface");
    const uint32_t before = count_elements(volume, DV_TETRAHEDRA);
    step(scene, 2);
    assert_int_equal(count_elements(volume, DV_TETRAHEDRA), before); /* not there yet */
    for (int i = 0; i < 6; i++) {
        step(scene, 10);
        expect_closed(surface, volume);
    }
    const DvConstVec ball = dv_state_read(state_at(scene, "@/Ball/centre"), DV_POSITION);
    const uint32_t left = count_elements(volume, DV_TETRAHEDRA);
    /* a hole of the width of one to four cells of six, through four layers, at most */
    assert_true(ball.at[2] < -0.1);
    assert_in_range(before - left, 4 * 2, 4 * 4 * 6);
    dv_scene_free(scene);
}

/* Where points of one place at rest are now: the largest distance between two such. */
static double widest_gap(DvConstVec rest, DvConstVec now, uint32_t *pairs)
{
    double widest = 0;
    *pairs = 0;
    for (uint32_t i = 0; i < rest.count; i++)
        for (uint32_t k = 0; k < i; k++) {
            const double *a = rest.at + 3 * (size_t)i, *b = rest.at + 3 * (size_t)k;
            if (dv_vec3_distance(dv_vec3_load(a), dv_vec3_load(b)) > 1e-12)
                continue;
            assert_true(fabs(a[2] - 0.17) < 0.06 &&
                        a[1] > -0.05); /* the beam hangs when it is cut: at rest the cut leans */
            const double gap =
                dv_vec3_distance(dv_vec3_load(now.at + 3 * (size_t)i), dv_vec3_load(now.at + 3 * (size_t)k));
            widest = gap > widest ? gap : widest;
            ++*pairs;
        }
    return widest;
}

static void a_blade_opens_a_beam(void **state)
{
    (void)state;
    DvScene *scene = load_own_scene("cut.scn");
    const OwnMesh volume = mesh_of(scene, "@/Block/volume"), surface = mesh_of(scene, "@/Block/Surface/surface");
    const DvStateRef x = state_at(scene, "@/Block/state");
    DvObject *mass = dv_node_resolve(dv_scene_root(scene), NULL, "@/Block/mass", DV_MASS);
    const uint32_t before = count_elements(volume, DV_TETRAHEDRA);
    uint32_t pairs;
    step(scene, 20); /* the blade arrives */
    assert_int_equal(count_elements(volume, DV_TETRAHEDRA), before);
    step(scene, 60);
    assert_true(count_elements(volume, DV_TETRAHEDRA) > before);
    expect_closed(surface, volume);
    const DvConstVec rest = dv_state_read(x, DV_REST_POSITION), now = dv_state_read(x, DV_POSITION);
    const double widest = widest_gap(rest, now, &pairs);
    assert_in_range(pairs, 5, 5 * 5); /* five points across the beam, in each layer that is cut through */
    assert_true(widest > 0.01 && widest < 0.1);
    const DvElements tetrahedra = volume.ops->elements(volume.self, DV_TETRAHEDRA);
    double sum = 0, filled = 0;
    for (uint32_t t = 0; t < tetrahedra.count; t++) {
        DvVec3 corner[4];
        for (int k = 0; k < 4; k++)
            corner[k] = dv_vec3_load(rest.at + 3 * (size_t)tetrahedra.at[4 * (size_t)t + (size_t)k]);
        const double six =
            dv_vec3_dot(dv_vec3_cross(dv_vec3_sub(corner[1], corner[0]), dv_vec3_sub(corner[2], corner[0])),
                        dv_vec3_sub(corner[3], corner[0]));
        assert_true(six > 0);
        filled += six / 6;
    }
    for (uint32_t i = 0; i < rest.count; i++)
        sum += ((const DvMassOps *)dv_object_ops(mass, DV_MASS))->point_mass(dv_object_self(mass), i);
    assert_true(fabs(filled - 0.2 * 0.2 * 0.6) < 1e-12); /* nothing is lost */
    assert_true(fabs(sum - 1000 * 0.2 * 0.2 * 0.6) < 1e-10);
    dv_scene_free(scene);
}

/* Nothing in it moves: visual models alone load and run without a message. */
static void a_gallery_of_visual_models_runs(void **state)
{
    (void)state;
    DvScene *scene = load_own_scene("visual/gallery.scn");
    step(scene, 3);
    assert_true(dv_scene_steps(scene) == 3);
    dv_scene_free(scene);
    dv_scene_free(load_own_scene("visual/patches.scn"));
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(the_liver_hangs_and_so_does_that_of_cells),
        cmocka_unit_test(the_pendulum_swings_and_only_loses_energy),
        cmocka_unit_test(the_hook_stays_on_the_rigid_body),
        cmocka_unit_test(the_pendulum_through_the_c_api_moves_as_the_scene_file),
        cmocka_unit_test(the_beam_settles_where_beam_theory_says),
        cmocka_unit_test(the_cloth_swings_down_from_two_corners_and_hardly_stretches),
        cmocka_unit_test(wood_holds_on_the_incline_and_ice_slides),
        cmocka_unit_test(the_stack_of_boxes_stands),
        cmocka_unit_test(the_beam_lies_on_the_spheres),
        cmocka_unit_test(the_liver_pushes_back_the_tool),
        cmocka_unit_test(the_snake_comes_to_rest_in_the_bowl),
        cmocka_unit_test(the_rod_is_wound_into_a_helix),
        cmocka_unit_test(the_static_cantilever_hangs_as_the_elastica),
        cmocka_unit_test(the_finger_bends_and_its_base_carries_the_weight),
        cmocka_unit_test(a_cylinder_in_a_skin_loses_its_tip),
        cmocka_unit_test(a_heavy_ball_carves_its_way_through_a_block),
        cmocka_unit_test(a_blade_opens_a_beam),
        cmocka_unit_test(a_gallery_of_visual_models_runs),
    };
    return share_run_group_tests(cases, start, stop);
}
