/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * --haptics, --haptics-log and --haptic-device of divan run: what became of the haptic devices of a scene, a line for each of their ticks, and which
 * devices old drivers act on. With --real-time the ticks go by the clock.
 */
#include "host.h"

#include <divan/contracts/haptic_device.h>
#include <divan/plugin.h>

#include <math.h>

static const DvHapticsOps *service(DvScene *scene)
{
    const DvHapticsOps *haptics = dv_service(DV_HAPTICS);
    if (haptics && haptics->count(scene) > 0)
        return haptics;
    fprintf(stderr, "divan: --haptics: %s\n",
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
    const DvHapticsOps *haptics = service(scene);
    return haptics && (!log || haptics->set_log(scene, log) == DV_OK);
}

static void print_device(const DvHapticAbout *about, double simulated, double passed, FILE *file)
{
    static const char *const states[] = {"absent", "ready", "running", "lost", "failed"};
    fprintf(file, "%s: %s%s%s; %u user%s\n", dv_object_path(about->device), states[about->state],
            about->reason ? ": " : "", about->reason ? about->reason : "", about->users, about->users == 1 ? "" : "s");
    fprintf(file, "  ticks      %" G_GUINT64_FORMAT " in %.4g s, %.5g a second; %" G_GUINT64_FORMAT " missed\n",
            about->ticks, about->time, about->time > 0 ? (double)about->ticks / about->time : 0.0, about->missed);
    fprintf(file, "  states     %" G_GUINT64_FORMAT " seen, %.4g ms old on the mean, from the begin of their step\n",
            about->snapshots, 1e3 * about->age);
    fprintf(file, "  force      %.4g N on the mean, %.4g N at most; cut in %" G_GUINT64_FORMAT " ticks\n",
            about->mean_force, about->peak_force, about->clamped);
    fprintf(file, "  hand       %.4g m in %.4g s; the device has done %.4g J on it\n", about->path, about->time,
            about->work);
    if (passed > 0)
        fprintf(file, "  verdict    %s: real-time factor %.3g\n",
                simulated > passed ? "the scene keeps up with a hand" : "the scene is too heavy for a hand",
                simulated / passed);
}

void host_haptics_end(const Options *options, DvScene *scene, double simulated, double passed, FILE *file)
{
    const DvHapticsOps *haptics = options->haptics || options->haptics_log ? dv_service(DV_HAPTICS) : NULL;
    DvHapticAbout about;
    if (!haptics)
        return;
    for (uint32_t i = 0; options->haptics && haptics->about(scene, i, &about); i++)
        print_device(&about, simulated, passed, file);
    if (options->haptics_log)
        (void)haptics->set_log(scene, NULL);
}
