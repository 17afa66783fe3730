/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VirtualCoupling: forces and torques on a tool that is held off its middle, dampers, derivatives, what fields that are not given stand for, limits of
 * torques, the smoothed velocity, and the energies that it tells against those of the log.
 */
#include "coupling_scene.h"

#include <divan/contracts/force_field.h>
#include <divan/math/rigid.h>

static double drawn(uint64_t *seed, double most)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return most * (2.0 * (double)(*seed >> 11) * 0x1p-53 - 1.0);
}

static DvQuat drawn_turn(uint64_t *seed)
{
    const double x = drawn(seed, 1), y = drawn(seed, 1), z = drawn(seed, 1);
    return dv_quat_from_rotation_vector(dv_vec3(x, y, z));
}

static DvVec3 drawn_vector(uint64_t *seed, double most)
{
    const double x = drawn(seed, most), y = drawn(seed, most), z = drawn(seed, most);
    return dv_vec3(x, y, z);
}

/* Two bodies, of which the second is held at a frame of its own, by a device that moves and turns about z at constant speed. */
typedef struct Held {
    DvScene *scene;
    const DvForceFieldOps *ops;
    void *self;
    DvRigid3 offset, device;
    DvRigid3Deriv speed;
} Held;

static const double k = 300, kr = 0.7, c = 2, cr = 0.01;
static const double turn_rate = 0.8; /* rad/s */

static Held hold(double angle)
{
    Held held = {0};
    uint64_t seed = 11;
    DvText text = {0}, way = {0};
    held.offset = dv_rigid3(drawn_vector(&seed, 0.05), drawn_turn(&seed));
    const DvRigid3 o = held.offset;
    dv_text_add(
        &text,
        "<Node name='root' dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/>"
        "<SimulatedHapticDevice name='arm' resolution='0' workspace='0 0 0 0 0 0' filename='way.txt' drivenAxes='6' scale='2' "
        "positionBase='0.1 0.2 0.3' orientationBase='0.5 0.5 0.5 0.5' orientationTool='0 0.6 0 0.8'/>"
        "<Node name='tool'><MechanicalObject name='state' template='Rigid3d' position='0 0 0 0 0 0 1  0 0 0 0 0 0 1'/>"
        "<VirtualCoupling name='coupling' index='1' stiffness='%g' angularStiffness='%g' damping='%g' angularDamping='%g' "
        "velocityCutoff='0' rampTime='0' passivity='off' maxForce='0' maxTorque='0' "
        "toolOffset='%.17g %.17g %.17g %.17g %.17g %.17g %.17g'/></Node></Node>",
        k, kr, c, cr, o.center.x, o.center.y, o.center.z, o.orientation.x, o.orientation.y, o.orientation.z,
        o.orientation.w);
    const double end_angle = 0.5 * (angle + turn_rate);
    dv_text_add(&way, "0 0 0 0 0 0 %.17g %.17g\n1 0.03 -0.02 0.01 0 0 %.17g %.17g\n", sin(0.5 * angle),
                cos(0.5 * angle), sin(end_angle), cos(end_angle));
    write_file("way.txt", way.at);
    assert_int_equal(dv_scene_load_text(text.at, text.length, "scene.scn", folder, NULL, &held.scene), DV_OK);
    dv_text_free(&text);
    dv_text_free(&way);
    steps(held.scene, 11); /* the last tick is at 0.109 s */
    DvObject *object = scene_object(held.scene, "/tool/coupling");
    held.ops = dv_object_ops(object, DV_FORCE_FIELD);
    held.self = dv_object_self(object);
    const DvQuat base = dv_quat(0.5, 0.5, 0.5, 0.5); /* x to y, y to z, z to x */
    const DvVec3 p = dv_vec3(0.00327, -0.00218, 0.00109);
    held.device =
        dv_rigid3(dv_vec3_add(dv_vec3(0.1, 0.2, 0.3), dv_vec3(2 * p.z, 2 * p.x, 2 * p.y)),
                  dv_quat_mul(dv_quat_mul(base, dv_quat_from_axis_angle(dv_vec3(0, 0, 1), angle + 0.109 * turn_rate)),
                              dv_quat(0, 0.6, 0, 0.8)));
    held.speed = dv_rigid3_deriv(dv_vec3(0.02, 0.06, -0.04), dv_vec3(turn_rate, 0, 0));
    return held;
}

static void force_on(const Held *held, const double x[14], const double v[12], double f[12])
{
    const DvConstVec at = {x, 2, 7}, speed = {v, 2, 6};
    const DvVec to = {f, 2, 6};
    const DvStep step = {.position = DV_POSITION, .velocity = DV_VELOCITY};
    memset(f, 0, 12 * sizeof *f);
    held->ops->add_force(held->self, &step, &at, &speed, &to);
}

/* F = k (p_d - p_t) + c (v_d - v_t), T = k_r log(q_d q_t^-1) + c_r (w_d - w_t) at the frame; on the body T + r x F too. */
static void a_tool_is_pushed_at_its_frame(void **state)
{
    (void)state;
    const Held held = hold(0);
    uint64_t seed = 5;
    for (int i = 0; i < 500; i++) {
        double x[14] = {0}, v[12] = {0}, f[12];
        const DvRigid3 body = dv_rigid3(dv_vec3_add(held.device.center, drawn_vector(&seed, 0.1)), drawn_turn(&seed));
        const DvRigid3Deriv moves = dv_rigid3_deriv(drawn_vector(&seed, 0.1), drawn_vector(&seed, 2));
        dv_rigid3_store(dv_rigid3_identity(), x);
        dv_rigid3_store(body, x + 7);
        dv_rigid3_deriv_store(moves, v + 6);
        force_on(&held, x, v, f);
        const DvVec3 lever = dv_quat_rotate(body.orientation, held.offset.center);
        const DvQuat turn = dv_quat_mul(held.device.orientation,
                                        dv_quat_conjugate(dv_quat_mul(body.orientation, held.offset.orientation)));
        const DvVec3 tip = dv_vec3_add(moves.linear, dv_vec3_cross(moves.angular, lever));
        const DvVec3 stretch = dv_vec3_sub(held.device.center, dv_vec3_add(body.center, lever));
        const DvVec3 force = dv_vec3_madd(dv_vec3_scale(stretch, k), c, dv_vec3_sub(held.speed.linear, tip));
        const DvVec3 torque = dv_vec3_madd(dv_vec3_scale(dv_quat_to_rotation_vector(turn), kr), cr,
                                           dv_vec3_sub(held.speed.angular, moves.angular));
        const DvVec3 law[2] = {force, dv_vec3_add(torque, dv_vec3_cross(lever, force))};
        for (int j = 0; j < 6; j++)
            assert_true(f[j] == 0);
        for (int j = 0; j < 2; j++)
            if (dv_vec3_distance(law[j], dv_vec3_load(f + 6 + 3 * j)) > 1e-9)
                fail_msg("place %d: %s", i, j ? "the torque" : "the force");
    }
    dv_scene_free(held.scene);
}

/* Where the spring is not stretched, and the tool moves as the device does: there products are the derivatives of the force, by places and by speeds. */
static void products_are_derivatives_of_the_force(void **state)
{
    (void)state;
    const Held held = hold(0.3);
    const DvStep step = {.position = DV_POSITION, .velocity = DV_VELOCITY};
    const DvQuat turn = dv_quat_mul(held.device.orientation, dv_quat_conjugate(held.offset.orientation));
    const DvRigid3 body = dv_rigid3(dv_vec3_sub(held.device.center, dv_quat_rotate(turn, held.offset.center)), turn);
    static const double h = 1e-6;
    dv_rigid3_store(body, dv_state_write(scene_state(held.scene, "/tool/state"), DV_POSITION, DV_READ_WRITE).at + 7);
    for (int of = 0; of < 2; of++) /* by places, by speeds */
        for (int j = 0; j < 6; j++) {
            double f[2][12], unit[12] = {0}, product[12] = {0};
            unit[6 + j] = 1;
            const DvConstVec dx = {unit, 2, 6};
            const DvVec df = {product, 2, 6};
            held.ops->add_dforce(held.self, &step, of == 0 ? 1 : 0, of == 0 ? 0 : 1, &dx, &df);
            for (int s = 0; s < 2; s++) {
                double x[14] = {0}, v[12] = {0}, way[6];
                for (int i = 0; i < 6; i++)
                    way[i] = (s ? -h : h) * unit[6 + i];
                dv_rigid3_store(of == 0 ? dv_rigid3_integrate(body, dv_rigid3_deriv_load(way)) : body, x + 7);
                dv_vec3_store(held.speed.linear, v + 6);
                for (int i = 0; i < 6 && of == 1; i++)
                    v[6 + i] += way[i];
                force_on(&held, x, v, f[s]);
            }
            for (int i = 0; i < 12; i++) {
                const double slope = (f[0][i] - f[1][i]) / (2 * h);
                if (fabs(slope - product[i]) > 1e-5)
                    fail_msg("%s %d, entry %d: %g instead of %g", of ? "speed" : "place", j, i, product[i], slope);
            }
        }
    dv_scene_free(held.scene);
}

/* The torque on the device is the opposite of that on the tool, to the bit, and keeps its direction where a limit cuts it. */
static void torques_are_opposite_and_limited(void **state)
{
    (void)state;
    write_file("way.txt", "0 0 0 0 0 0 0 1\n0.5 0.02 0.01 0 0.3 0.2 0.1 0.9\n");
    static const char *const limits[] = {"", "maxTorque='0.05'", "maxTorque='0'"};
    for (int l = 0; l < 3; l++) {
        char coupling[300];
        snprintf(coupling, sizeof coupling,
                 "mode='synchronous' stiffness='40' angularStiffness='0.5' damping='0' angularDamping='0' rampTime='0' "
                 "passivity='off' %s",
                 limits[l]);
        DvScene *scene = load(0.01, "filename='way.txt' drivenAxes='6' maxTorque='0.2'", coupling,
                              "<FixedProjectiveConstraint indices='0'/>");
        DvObject *object = scene_object(scene, "/tool/coupling");
        const DvForceFieldOps *ops = dv_object_ops(object, DV_FORCE_FIELD);
        static const double most[] = {0.2, 0.05, INFINITY}; /* of the device, of the field, none */
        double largest = 0;
        for (int i = 0; i < 60; i++) {
            steps(scene, 1);
            const DvStateRef tool = scene_state(scene, "/tool/state");
            const DvConstVec x = dv_state_read(tool, DV_POSITION), v = dv_state_read(tool, DV_VELOCITY);
            double f[6] = {0};
            const DvVec to = {f, 1, 6};
            const DvStep step = {.position = DV_POSITION, .velocity = DV_VELOCITY};
            ops->add_force(dv_object_self(object), &step, &x, &v, &to);
            const DvHapticAbout now = about(scene);
            const double *shown = dv_data_doubles(output(scene, "torque"), NULL);
            const double *q = dv_data_doubles(dv_object_field(scene_object(scene, "/arm"), "positionDevice"), NULL) + 3;
            const DvVec3 law = dv_vec3_scale(dv_quat_to_rotation_vector(dv_quat_load(q)), -0.5);
            const double size = dv_vec3_norm(law), cut = size > most[l] ? most[l] / size : 1;
            assert_true(dv_vec3_distance(dv_vec3_scale(law, cut), dv_vec3_load(shown)) < 1e-12);
            for (int j = 0; j < 3; j++)
                assert_true(shown[j] + f[3 + j] == 0 && (l == 2 || shown[j] == now.torque[j]));
            /* A device never shows more than it can. */
            assert_true(dv_vec3_norm(dv_vec3_load(now.torque)) < 0.2 + 1e-12);
            largest = fmax(largest, size);
        }
        assert_true(largest > 0.25);
        assert_int_equal(about(scene).clamped > 0, l < 2);
        dv_scene_free(scene);
    }
}

/* After a start at a constant speed: v (1 - e^(-2 pi f t)). */
static void the_velocity_of_the_device_is_smoothed(void **state)
{
    (void)state;
    static LogLine lines[400];
    write_file("way.txt", "0 0 0 0\n0.1 0 0 0\n0.4 0.015 0 0\n");
    for (int i = 0; i < 3; i++) {
        static const double cutoffs[] = {100, 7, 0};
        char coupling[200];
        snprintf(coupling, sizeof coupling, "stiffness='0' damping='3' rampTime='0' passivity='off'");
        if (i > 0) /* 100 unless it is given */
            snprintf(coupling + strlen(coupling), 100, " velocityCutoff='%g'", cutoffs[i]);
        DvScene *scene =
            load(0.01, "filename='way.txt' maxForce='0'", coupling, "<FixedProjectiveConstraint indices='0'/>");
        begin_log(scene);
        steps(scene, 30);
        end_log(scene);
        const size_t count = read_log(lines, 400);
        assert_int_equal(count, 300);
        for (size_t l = 0; l < count; l++) {
            const double moving = fmax(0, 1e-3 * round(1e3 * (lines[l].time - 0.1)));
            const double share = cutoffs[i] > 0 ? 1 - exp(-2 * acos(-1) * cutoffs[i] * moving) : moving > 0;
            if (fabs(lines[l].force[0] + 3 * 0.05 * share) > 1e-9)
                fail_msg("cut-off %g, after %g s: %g N", cutoffs[i], moving, lines[l].force[0]);
        }
        dv_scene_free(scene);
    }
}

/* Force and torque on a tool of 0.1 kg and 1e-4 kg m^2 that is 1 mm and 10 mrad away, and that moves: what the coupling has by itself. */
static void own_numbers_beside(const char *device, const char *coupling, const char *more, double found[4])
{
    write_file("way.txt", "0 0 0 0\n");
    char all[300], own[400];
    snprintf(all, sizeof all, "filename='way.txt' drivenAxes='6' %s", device);
    snprintf(own, sizeof own, "passivity='off' rampTime='0' maxForce='0' maxTorque='0' %s", coupling);
    DvScene *scene = load(0.01, all, own, more);
    steps(scene, 2);
    DvObject *object = scene_object(scene, "/tool/coupling");
    const DvForceFieldOps *ops = dv_object_ops(object, DV_FORCE_FIELD);
    const DvStep step = {.position = DV_POSITION, .velocity = DV_VELOCITY};
    for (int which = 0; which < 4; which++) {
        double x[7] = {which == 0 ? -1e-3 : 0, 0, 0, which == 1 ? -sin(5e-3) : 0, 0, 0, which == 1 ? cos(5e-3) : 1};
        double v[6] = {which == 2 ? -1 : 0, 0, 0, which == 3 ? -1 : 0, 0, 0}, f[6] = {0};
        const DvConstVec at = {x, 1, 7}, speed = {v, 1, 6};
        const DvVec to = {f, 1, 6};
        ops->add_force(dv_object_self(object), &step, &at, &speed, &to);
        found[which] = f[which % 2 ? 3 : 0] / (which == 0 ? 1e-3 : which == 1 ? 1e-2 : 1);
    }
    dv_scene_free(scene);
}

static void own_numbers(const char *device, const char *coupling, double found[4])
{
    own_numbers_beside(device, coupling, "<FixedProjectiveConstraint indices='0'/>", found);
}

static void are(const double found[4], double stiffness, double angular, double damping, double angular_damping)
{
    const double law[4] = {stiffness, angular, damping, angular_damping};
    for (int i = 0; i < 4; i++)
        if (fabs(found[i] - law[i]) > 1e-6 * fmax(law[i], 1e-3))
            fail_msg("number %d: %.9g instead of %.9g", i, found[i], law[i]);
}

/* Stiffness: what the device advises, in the units of the scene. Damping: critical for the tool, or what the arm bears, m / 2 over a tick and the time
 * of the smoothing. */
static void fields_that_are_not_given_follow_from_the_device(void **state)
{
    (void)state;
    double found[4];
    const double late = 1e-3 + 1 / (2 * acos(-1) * 100), inertia = 0.1; /* of the tool: kg m^2 */
    own_numbers("stiffness='500' angularStiffness='2' mass='0.06' angularMass='1e-4'", "", found);
    are(found, 500, 2, 0.5 * 0.06 / late, 0.5 * 1e-4 / late);
    own_numbers("stiffness='500' angularStiffness='2' mass='100' angularMass='10'", "", found);
    are(found, 500, 2, 2 * sqrt(500 * 0.1), 2 * sqrt(2 * inertia));
    /* A metre of the scene for a tenth of one of the device, and half of the force: 500 N/m there are 100 here. */
    own_numbers("stiffness='500' angularStiffness='2' mass='0.06' angularMass='1e-4' scale='10' forceScale='0.5'", "",
                found);
    are(found, 100, 4, 0.5 * 0.06 / late / 5, 0.5 * 1e-4 / late / 0.5);
    own_numbers("stiffness='500' angularStiffness='2' mass='0.05' angularMass='1e-4' rate='500'", "velocityCutoff='0'",
                found);
    are(found, 500, 2, 0.5 * 0.05 / 2e-3, 0.5 * 1e-4 / 2e-3);
    /* Another body on the same point, whose axes are not those of its inertia: of the latter a third of the trace counts. */
    own_numbers_beside("stiffness='500' angularStiffness='2' mass='100' angularMass='10'", "",
                       "<UniformMass vertexMass='0.3 1 [0.02 0.01 0.005 0.01 0.03 0.004 0.005 0.004 0.04]'/>"
                       "<FixedProjectiveConstraint indices='0'/>",
                       found);
    are(found, 500, 2, 2 * sqrt(500 * 0.4), 2 * sqrt(2 * (inertia + 0.3 * 0.03)));
    own_numbers("stiffness='500'", "stiffness='7' angularStiffness='0.2' damping='3' angularDamping='0.4'", found);
    are(found, 7, 0.2, 3, 0.4);
}

/* A tool that stands still: what the hand puts in is the work against the forces of the log, what is stored that of the spring. */
static void energies_are_those_of_the_log(void **state)
{
    (void)state;
    static LogLine lines[1000];
    write_file("way.txt", "0 0 0 0\n0.3 0.008 -0.006 0\n0.6 0.002 0.001 0.004\n1 0.002 0.001 0.004\n");
    DvScene *scene =
        load(0.01, "filename='way.txt' maxForce='0'", "stiffness='250' damping='0.3' rampTime='0' passivity='observe'",
             "<FixedProjectiveConstraint indices='0'/>");
    begin_log(scene);
    steps(scene, 45);
    end_log(scene);
    const size_t count = read_log(lines, 1000);
    double in = 0, x = 0;
    assert_int_equal(count, 450);
    for (size_t l = 1; l + 9 < count;
         l++) /* the fields are those of the begin of the last step: nine ticks have come since */
        for (int a = 0; a < 3; a++)
            in -= lines[l - 1].force[a] * (lines[l].position[a] - lines[l - 1].position[a]);
    for (int a = 0; a < 3; a++)
        x += lines[count - 10].position[a] * lines[count - 10].position[a];
    assert_true(in > 1e-4 && fabs(number(scene, "energyIn") - in) < 1e-12);
    assert_true(fabs(number(scene, "energyStored") - 0.5 * 250 * x) < 1e-12);
    assert_true(number(scene, "energyRemoved") == 0 && number(scene, "energyDeficit") >= 0);
    assert_true(number(scene, "ticks") == (double)(count - 9) && number(scene, "missed") == 0);
    assert_true(dv_data_bool(output(scene, "engaged")));
    dv_scene_free(scene);
}

/* A tool that says that it moves: between steps it is thought to, for as long as the last step was and no longer, however late the next one is. */
static void a_tool_moves_on_for_one_step(void **state)
{
    (void)state;
    static LogLine lines[300];
    static const char text[] =
        "<Node name='root' dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/><SimulatedHapticDevice name='arm' maxForce='0'/>"
        "<Node name='tool'><MechanicalObject name='state' template='Rigid3d' velocity='0.1 0 0 0 0 0'/>"
        "<VirtualCoupling name='coupling' stiffness='100' damping='0' angularStiffness='0' angularDamping='0' rampTime='0' "
        "stallTime='1' passivity='off' extrapolate='velocity'/></Node></Node>";
    DvScene *scene = scene_from_text(text);
    steps(scene, 3);
    begin_log(scene);
    steps(scene, 1);
    assert_int_equal(dv_scene_step(scene, 0.05), DV_OK);
    end_log(scene);
    const size_t count = read_log(lines, 300);
    assert_int_equal(count, 60);
    for (size_t l = 0; l < count; l++) {
        const double age = l < 10 ? 1e-3 * (double)l : 1e-3 * (double)(l - 10);
        if (fabs(lines[l].force[0] - 100 * 0.1 * fmin(age, 0.01)) > 1e-9)
            fail_msg("tick %zu: %g N", l, lines[l].force[0]);
    }
    dv_scene_free(scene);
}

/* Way and work of the hand, of forces and of torques: those of the log. */
static void way_and_work_of_the_hand_are_those_of_the_log(void **state)
{
    (void)state;
    write_file(
        "way.txt",
        "0 0 0 0 0 0 0 1\n0.3 0.008 -0.006 0 0 0 0.6 0.8\n0.5 0.002 0.001 0.004 0 0 -0.28 0.96\n1 0 0 0 0 0 0 1\n");
    DvScene *scene = load(0.01, "filename='way.txt' maxForce='0' maxTorque='0' drivenAxes='6' forceScale='2'",
                          "stiffness='250' angularStiffness='0.3' rampTime='0' passivity='off'",
                          "<FixedProjectiveConstraint indices='0'/>");
    begin_log(scene);
    steps(scene, 70);
    end_log(scene);
    FILE *file = fopen(in_folder("log.csv"), "r");
    assert_non_null(file);
    char text[1024];
    double last[16] = {0}, way = 0, work[2] = {0};
    for (int line = -1; fgets(text, sizeof text, file); line++) {
        double n[16];
        char *at = strchr(text, ',');
        for (int i = 0; i < 16 && line >= 0; i++)
            n[i] = strtod(at + 1, &at);
        const double turn = line > 0 ? 2 * (atan2(n[7], n[8]) - atan2(last[7], last[8])) : 0;
        for (int i = 0; i < 3 && line > 0; i++)
            work[0] += last[10 + i] * (n[2 + i] - last[2 + i]);
        way += line > 0 ? sqrt(pow(n[2] - last[2], 2) + pow(n[3] - last[3], 2) + pow(n[4] - last[4], 2)) : 0;
        work[1] += line > 0 ? last[15] * turn : 0;
        if (line >= 0)
            memcpy(last, n, sizeof last);
    }
    fclose(file);
    assert_true(work[0] < -1e-3 && work[1] < -1e-3 && way > 0.015);
    assert_true(fabs(about(scene).work - work[0] - work[1]) < 1e-9 && fabs(about(scene).path - way) < 1e-12);
    dv_scene_free(scene);
}

/* Of both springs, while the force comes slowly: a share of them is there. */
static void a_share_of_the_springs_stores_while_the_force_comes(void **state)
{
    (void)state;
    write_file("way.txt", "0 0.004 -0.003 0 0 0 0.29552020666133955 0.95533648912560598\n"); /* 5 mm, 0.6 rad */
    DvScene *scene =
        load(0.01, "filename='way.txt' drivenAxes='6' maxForce='0'",
             "stiffness='250' angularStiffness='0.5' damping='0' angularDamping='0' rampTime='0.2' fadeTime='0.1'",
             "<FixedProjectiveConstraint indices='0'/>");
    const double whole = 0.5 * 250 * 0.005 * 0.005 + 0.5 * 0.5 * 0.6 * 0.6;
    for (int i = 0; i < 40; i++) {
        steps(scene, 1); /* the fields are of the tick at its begin */
        const double share = fmin(1, 0.01 * i / 0.2);
        assert_true(fabs(number(scene, "energyStored") - share * whole) < 1e-12);
        assert_true(fabs(number(scene, "energyIn") - share * whole) < 1e-12 && number(scene, "energyDeficit") < 1e-12);
        assert_int_equal(dv_data_bool(output(scene, "engaged")), i > 0);
    }
    service()->stop_forces(scene, true);
    for (int i = 1; i < 15; i++) {
        steps(scene, 1);
        assert_true(fabs(number(scene, "energyStored") - fmax(0, 1 - (0.01 * i - 0.009) / 0.1) * whole) < 1e-12);
    }
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tool_is_pushed_at_its_frame),
        cmocka_unit_test(products_are_derivatives_of_the_force),
        cmocka_unit_test(torques_are_opposite_and_limited),
        cmocka_unit_test(the_velocity_of_the_device_is_smoothed),
        cmocka_unit_test(fields_that_are_not_given_follow_from_the_device),
        cmocka_unit_test(energies_are_those_of_the_log),
        cmocka_unit_test(a_tool_moves_on_for_one_step),
        cmocka_unit_test(way_and_work_of_the_hand_are_those_of_the_log),
        cmocka_unit_test(a_share_of_the_springs_stores_while_the_force_comes),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
