/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The device that a command line asks for, and those that are there. A plugin starts without its device: whether it can be used shows when
 * a space is opened on it.
 */
#include "host.h"
#include "states.h"

#include <divan/contracts/vector_space.h>
#include <divan/embed.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static size_t spaces(const void **services)
{
    return MIN(dv_services(DV_VECTOR_SPACE, services, DV_MOST_SPACES), DV_MOST_SPACES);
}

static bool opens(const DvVectorSpaceOps *ops, DvText *why)
{
    DvScene *scene = dv_scene_new();
    DvVectorSpace *space = ops->open(scene, 1, why);
    if (space)
        ops->close(space);
    else if (!why->at)
        dv_text_add(why, "it cannot be used");
    dv_scene_free(scene);
    return space != NULL;
}

/* "cuda:1" is a device of the space "cuda". */
static bool is_device_of(const DvVectorSpaceOps *ops, const char *device)
{
    const size_t length = strlen(ops->name);
    return strncmp(ops->name, device, length) == 0 && (device[length] == '\0' || device[length] == ':');
}

/* Whether a plugin has it and it can be used; `asked`: what has asked. */
static bool can_be_used(const char *device, const char *asked)
{
    const void *services[DV_MOST_SPACES];
    const size_t count = spaces(services);
    DvText names = {0}, why = {0};
    const DvVectorSpaceOps *found = NULL;
    for (size_t i = 0; i < count; i++) {
        const DvVectorSpaceOps *ops = services[i];
        found = found || !is_device_of(ops, device) ? found : ops;
        dv_text_add(&names, "%s%s", i ? ", " : "", ops->name);
    }
    const bool usable = found && opens(found, &why);
    if (!found)
        fprintf(stderr, "divan: there is no device '%s' here; there is %s\n", device,
                names.at ? names.at : "none: the plugin divan.cuda is not loaded");
    else if (!usable)
        fprintf(stderr, "divan: %s %s: %s; without it: --no-gpu, or --device emulated\n", asked, device, why.at);
    dv_text_free(&names);
    dv_text_free(&why);
    return usable;
}

bool host_use_device(const Options *options)
{
    const char *number = g_getenv("CUDA_DEVICE");
    if (options->host_copy > 0) {
        char *every = g_strdup_printf("%d", options->host_copy);
        (void)g_setenv("DIVAN_HOST_COPY", every, TRUE);
        g_free(every);
    }
    if (options->no_gpu)
        return g_setenv("DIVAN_DEVICE", "", TRUE);
    if (!options->device && (!number || !*number))
        return true;
    char *device = options->device ? g_strdup(options->device) : g_strdup_printf("cuda:%s", number);
    const bool usable = g_setenv("DIVAN_DEVICE", device, TRUE) &&
                        can_be_used(device, options->device ? "--device" : "CUDA_DEVICE asks for");
    g_free(device);
    return usable;
}

bool host_device_failed(DvScene *scene)
{
    GPtrArray *states = host_states(scene);
    DvStatus fault = DV_OK;
    for (guint i = 0; i < states->len && fault == DV_OK; i++)
        fault = dv_space_fault(dv_state_storage(dv_state_ref(g_ptr_array_index(states, i))).space);
    g_ptr_array_unref(states);
    return fault != DV_OK;
}

/* The spaces of the states, each once. */
static GPtrArray *spaces_of(DvScene *scene)
{
    GPtrArray *states = host_states(scene), *found = g_ptr_array_new();
    for (guint i = 0; i < states->len; i++) {
        DvVectorSpace *space = dv_state_storage(dv_state_ref(g_ptr_array_index(states, i))).space;
        if (space && !g_ptr_array_find(found, space, NULL))
            g_ptr_array_add(found, space);
    }
    g_ptr_array_unref(states);
    return found;
}

/* Free with g_free. */
static DvDeviceShare *shares_of(DvScene *scene, uint32_t *count)
{
    const DvDeviceUseOps *ops = dv_service(DV_DEVICE_USE);
    *count = ops ? ops->shares(scene, NULL, 0) : 0;
    DvDeviceShare *shares = g_new0(DvDeviceShare, *count + 1);
    if (*count)
        (void)ops->shares(scene, shares, *count);
    return shares;
}

void host_print_device_use(DvScene *scene)
{
    GPtrArray *spaces = spaces_of(scene);
    for (guint i = 0; i < spaces->len; i++) {
        const DvVectorSpace *space = g_ptr_array_index(spaces, i);
        const DvSpaceCounts *counts = space->ops->counts(space);
        printf("device %s: %" G_GUINT64_FORMAT " launches, %" G_GUINT64_FORMAT " waits, %" G_GUINT64_FORMAT
               " bytes to it, %" G_GUINT64_FORMAT " from it, %" G_GUINT64_FORMAT " allocations, %" G_GUINT64_FORMAT
               " bytes held\n",
               space->ops->name, counts->launches, counts->waits, counts->bytes_put, counts->bytes_got,
               counts->allocations, counts->bytes_held);
    }
    uint32_t count;
    DvDeviceShare *shares = shares_of(scene, &count);
    for (uint32_t i = 0; i < count; i++)
        if (shares[i].bytes_put || shares[i].bytes_got || shares[i].waits)
            printf("  %s%s: %" G_GUINT64_FORMAT " bytes to it, %" G_GUINT64_FORMAT " from it, %" G_GUINT64_FORMAT
                   " waits\n",
                   dv_object_path(shares[i].object), shares[i].acts_there ? "" : " (on the host)", shares[i].bytes_put,
                   shares[i].bytes_got, shares[i].waits);
    g_free(shares);
    g_ptr_array_unref(spaces);
}

/* Bytes a second that copies of long vectors read and write there; 0: they could not be made. */
static double copies_of(const DvVectorSpaceOps *ops)
{
    enum { BYTES = 128 << 20, TIMES = 8 };
    const size_t numbers = BYTES / sizeof(double);
    DvText why = {0};
    DvScene *scene = dv_scene_new();
    DvVectorSpace *space = ops->open(scene, 1, &why);
    const DvAddress from = space ? ops->take(space, BYTES) : 0, to = from ? ops->take(space, BYTES) : 0;
    double seconds = 0;
    for (int i = 0; to && i <= TIMES; i++) {
        const double begin = host_now();
        ops->combine(space, to, from, 0, DV_DOUBLE, numbers, 0);
        ops->wait(space);
        seconds += i > 0 ? host_now() - begin : 0; /* the first one finds its memory */
    }
    const bool done = to && dv_space_fault(space) == DV_OK && seconds > 0;
    if (space)
        ops->close(space);
    dv_scene_free(scene);
    dv_text_free(&why);
    return done ? 2.0 * BYTES * TIMES / seconds : 0;
}

double host_copies_of_device(DvScene *scene)
{
    GPtrArray *spaces = spaces_of(scene);
    const DvVectorSpace *space = spaces->len ? g_ptr_array_index(spaces, 0) : NULL;
    const double bytes = space ? copies_of(space->ops) : 0;
    g_ptr_array_unref(spaces);
    return bytes;
}

void host_print_device_use_json(DvScene *scene)
{
    GPtrArray *spaces = spaces_of(scene);
    for (guint i = 0; i < spaces->len && i < 1; i++) {
        const DvVectorSpace *space = g_ptr_array_index(spaces, i);
        const DvSpaceCounts *counts = space->ops->counts(space);
        printf(", \"device\": {\"name\": \"%s\", \"launches\": %" G_GUINT64_FORMAT ", \"waits\": %" G_GUINT64_FORMAT
               ", \"bytes_to\": %" G_GUINT64_FORMAT ", \"bytes_from\": %" G_GUINT64_FORMAT
               ", \"bytes_held\": %" G_GUINT64_FORMAT ", \"components\": {",
               space->ops->name, counts->launches, counts->waits, counts->bytes_put, counts->bytes_got,
               counts->bytes_held);
        uint32_t count;
        DvDeviceShare *shares = shares_of(scene, &count);
        for (uint32_t k = 0; k < count; k++)
            printf("%s\"%s\": {\"bytes_to\": %" G_GUINT64_FORMAT ", \"bytes_from\": %" G_GUINT64_FORMAT "}",
                   k ? ", " : "", dv_object_path(shares[k].object), shares[k].bytes_put, shares[k].bytes_got);
        fputs("}}", stdout);
        g_free(shares);
    }
    g_ptr_array_unref(spaces);
}

void host_only_count_device(void)
{
    (void)g_setenv("DIVAN_DEVICE_DRY", "1", TRUE);
}

bool host_uses_device(DvScene *scene)
{
    GPtrArray *spaces = spaces_of(scene);
    const bool any = spaces->len > 0;
    g_ptr_array_unref(spaces);
    return any;
}

enum { COPY_EVERY = 4 }; /* so that the last of the steps makes a copy for the host */

static bool count_steps(DvScene *scene, DvText *line)
{
    GPtrArray *spaces = spaces_of(scene);
    const DvVectorSpace *space = spaces->len ? g_ptr_array_index(spaces, 0) : NULL;
    DvSpaceCounts counts[COPY_EVERY];
    DvStatus status = space ? DV_OK : DV_ERROR_MISSING;
    for (int i = 0; i < COPY_EVERY && status == DV_OK; i++) {
        status = dv_scene_step(scene, 0);
        counts[i] = *space->ops->counts(space);
    }
    if (status == DV_OK) {
        const DvSpaceCounts *before = &counts[COPY_EVERY - 3], *after = before + 1, *copied = before + 2;
        const uint64_t put = after->bytes_put - before->bytes_put, got = after->bytes_got - before->bytes_got;
        dv_text_add(line,
                    "device %s: %" G_GUINT64_FORMAT " bytes of memory; a step moves %" G_GUINT64_FORMAT
                    " bytes to it and %" G_GUINT64_FORMAT " from it, in %" G_GUINT64_FORMAT
                    " waits, and more where solvers iterate on the host; a copy of --host-copy takes %" G_GUINT64_FORMAT
                    " bytes",
                    space->ops->name, copied->bytes_held, put, got, after->waits - before->waits,
                    copied->bytes_got - after->bytes_got - got);
    }
    g_ptr_array_unref(spaces);
    return status == DV_OK;
}

bool host_predict_device_use(const Options *options, DvText *line)
{
    const DvLoadOptions load = {.keep_going = true};
    DvScene *scene = NULL;
    char *every = g_strdup_printf("%d", COPY_EVERY), *folder = g_dir_make_tmp(NULL, NULL);
    bool known = folder && dv_set_output_folder(folder) == DV_OK && g_setenv("DIVAN_HOST_COPY", every, TRUE);
    known = known && host_read_scene(options, &load, &scene) == DV_OK && count_steps(scene, line);
    dv_scene_free(scene);
    known = dv_set_output_folder(NULL) == DV_OK && known;
    if (folder)
        (void)rmdir(folder);
    g_free(folder);
    g_free(every);
    return known;
}

void host_print_devices(void)
{
    const void *services[DV_MOST_SPACES];
    const size_t count = spaces(services);
    if (count)
        puts("Devices:");
    for (size_t i = 0; i < count; i++) {
        const DvVectorSpaceOps *ops = services[i];
        DvText why = {0};
        printf("  %-20s %s\n", ops->name, opens(ops, &why) ? "can be used" : why.at);
        dv_text_free(&why);
    }
}
