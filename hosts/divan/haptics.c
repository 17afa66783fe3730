/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * --haptics, --haptics-log and --haptic-device of divan run: what became of the haptic devices of a scene, a line for each of their ticks, and which
 * devices old drivers act on. With --real-time the ticks go by the clock.
 */
#include "host.h"

#include <divan/contracts/collision.h>
#include <divan/contracts/haptic_device.h>
#include <divan/plugin.h>

#include <math.h>
#include <string.h>

static const DvHapticsOps *service(const Options *options, DvScene *scene)
{
    const DvHapticsOps *haptics = dv_service(DV_HAPTICS);
    if (haptics && haptics->count(scene) > 0)
        return haptics;
    fprintf(stderr, "divan: %s: %s\n", options->haptics ? "--haptics" : "--haptics-log",
            haptics ? "the scene has no haptic device; add a SimulatedHapticDevice" : "no plugin runs haptic devices");
    return NULL;
}

bool host_haptics_choose(const Options *options, DvScene *scene)
{
    const DvHapticsOps *haptics = options->haptic_devices ? dv_service(DV_HAPTICS) : NULL;
    if (!options->haptic_devices)
        return true;
    if (!haptics || !haptics->use_devices) {
        fputs("divan: --haptic-device: no plugin runs haptic devices\n", stderr);
        return false;
    }
    return haptics->use_devices(scene, (const char *const *)options->haptic_devices,
                                g_strv_length(options->haptic_devices)) == DV_OK;
}

bool host_haptics_begin(const Options *options, DvScene *scene, FILE *log)
{
    const DvHapticsOps *clock = options->real_time ? dv_service(DV_HAPTICS) : NULL;
    if (clock && clock->run_by_clock && clock->count(scene) > 0 && clock->run_by_clock(scene, true) != DV_OK)
        return false;
    if (!options->haptics && !options->haptics_log)
        return true;
    const DvHapticsOps *haptics = service(options, scene);
    if (!haptics || (log && haptics->set_log(scene, log) != DV_OK))
        return false;
    if (options->haptics)
        dv_phase_enable(true); /* for the dearest */
    return !options->haptics || !options->real_time || !haptics->compare || haptics->compare(scene, true) == DV_OK;
}

/* ---- What has become of it ---- */

static void print_periods(const double period[4], const char *of, FILE *file)
{
    fprintf(file, "  %-10s %.4g ms in the middle, 99 %% below %.4g, 99.9 %% below %.4g, %.4g at worst\n", of,
            1e3 * period[0], 1e3 * period[1], 1e3 * period[2], 1e3 * period[3]);
}

static void print_device(const DvHapticAbout *about, FILE *file)
{
    static const char *const states[] = {"absent", "ready", "running", "lost", "failed"};
    fprintf(file, "%s: %s%s%s; %u user%s\n", dv_object_path(about->device), states[about->state],
            about->reason ? ": " : "", about->reason ? about->reason : "", about->users, about->users == 1 ? "" : "s");
    fprintf(file, "  ticks      %" G_GUINT64_FORMAT " in %.4g s, %.5g a second; %" G_GUINT64_FORMAT " missed\n",
            about->ticks, about->time, about->time > 0 ? (double)about->ticks / about->time : 0.0, about->missed);
    if (about->period[3] > 0)
        print_periods(about->period, "periods", file);
    else
        fputs("  periods    of virtual time, as the schedule says; --real-time runs the ticks by the clock\n", file);
    if (about->bare[3] > 0)
        print_periods(about->bare, "bare", file);
    fprintf(file, "  states     %" G_GUINT64_FORMAT " seen, %.4g ms old on the mean, from the begin of their step\n",
            about->snapshots, 1e3 * about->age);
    fprintf(file, "  force      %.4g N on the mean, %.4g N at most; cut in %" G_GUINT64_FORMAT " ticks\n",
            about->mean_force, about->peak_force, about->clamped);
    fprintf(file, "  hand       %.4g m in %.4g s; the device has done %.4g J on it\n", about->path, about->time,
            about->work);
}

static void print_tool(const DvHapticTool *tool, FILE *file)
{
    fprintf(file, "  tool       %s: %.4g m in %.4g s, %.4g m at most in a step; %.4g N on the mean, %.4g N at most\n",
            tool->state ? dv_object_path(tool->state) : dv_object_path(tool->object), tool->path, tool->time,
            tool->longest_step, tool->mean_force, tool->peak_force);
    fprintf(file, "  energy     %.4g J put in, %.4g J stored, %.4g J taken away, %.4g J from nowhere still\n",
            tool->energy_in, tool->energy_stored, tool->energy_removed, fmax(0, tool->energy_deficit) + 0.0);
}

/* Of the first intersection method that has one; 0: none. */
static double alarm_distance(DvScene *scene)
{
    DvObject *method = dv_node_find(dv_scene_root(scene), DV_INTERSECTION_METHOD, DV_SEARCH_ROOT);
    DvData *field = method ? dv_object_field(method, "alarmDistance") : NULL;
    return field && field->type == &dv_type_double ? dv_data_double(field) : 0.0;
}

static void print_verdict(double simulated, double passed, double longest_step, double alarm, FILE *file)
{
    const char *dearest = NULL;
    double most = 0, all = 0, seconds;
    for (size_t i = 0; i < dv_phase_count(); i++) {
        const char *name = dv_phase_at(i, &seconds, NULL);
        all += seconds;
        if (strcmp(name, "haptic ticks") == 0) { /* of virtual time, in the steps: no part of the scene */
            passed -= seconds;
            all -= seconds;
        } else if (seconds > most) {
            most = seconds;
            dearest = name;
        }
    }
    if (passed > 0)
        fprintf(file, "verdict: %s: real-time factor %.3g",
                simulated > passed ? "the scene keeps up with a hand" : "the scene is too heavy for a hand",
                simulated / passed);
    if (passed > 0 && dearest)
        fprintf(file, "; dearest phase %s, %.0f %%", dearest, 100 * most / fmax(passed, all));
    if (passed > 0)
        fputc('\n', file);
    if (alarm > 0 && longest_step > 0)
        fprintf(file, "verdict: %s: the tool goes %.3g m at most in a step, the alarm distance is %.3g m\n",
                longest_step < alarm ? "walls are seen in time" : "walls may be seen too late", longest_step, alarm);
}

void host_haptics_end(const Options *options, DvScene *scene, double simulated, double passed, FILE *file)
{
    const DvHapticsOps *haptics = options->haptics || options->haptics_log ? dv_service(DV_HAPTICS) : NULL;
    DvHapticAbout about;
    DvHapticTool tool;
    double longest_step = 0;
    if (!haptics)
        return;
    for (uint32_t i = 0; options->haptics && haptics->about(scene, i, &about); i++) {
        print_device(&about, file);
        for (uint32_t t = 0; haptics->tool && haptics->tool(scene, i, t, &tool); t++) {
            print_tool(&tool, file);
            longest_step = fmax(longest_step, tool.longest_step);
        }
    }
    if (options->haptics)
        print_verdict(simulated, passed, longest_step, alarm_distance(scene), file);
    if (options->haptics && haptics->compare)
        (void)haptics->compare(scene, false);
    if (options->haptics_log)
        (void)haptics->set_log(scene, NULL);
}
