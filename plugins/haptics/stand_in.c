/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stand_in.h"

#include <divan/contracts/haptic_device.h>
#include <divan/memory.h>
#include <divan/registry.h>

#include <string.h>

static const char simulated[] = "SimulatedHapticDevice", driver[] = "GeomagicDriver";

static bool is_driver(const DvClass *cls)
{
    bool found = strcmp(cls->name, driver) == 0;
    for (const char *const *base = cls->bases; base && *base; base++)
        found = found || strcmp(*base, driver) == 0;
    return found;
}

static bool is_device(const DvClass *cls)
{
    for (const DvContract *contract = cls->contracts; contract && contract->id; contract++)
        if (strcmp(contract->id, DV_HAPTIC_DEVICE) == 0)
            return !is_driver(cls);
    return false;
}

/* The class that the first word names; what is wrong goes to `reason`. */
static const DvClass *class_of(const char *name, DvText *reason)
{
    enum { MOST = 64 };
    const char *known[MOST], *text = name;
    size_t count = 0;
    DvText word = {0};
    while (*text && *text != ' ')
        dv_text_add(&word, "%c", *text++);
    const DvClass *cls = word.at ? dv_class_find(word.at) : NULL;
    if (cls && is_device(cls) && !text[strcspn(text, "<>")]) {
        dv_text_free(&word);
        return cls;
    }
    if (cls && is_device(cls)) {
        dv_text_add(reason, "'%s': behind the class there are fields of it, as index=\"1\"", name);
        dv_text_free(&word);
        return NULL;
    }
    dv_text_add(reason, "there is no haptic device '%s'; known are", word.at ? word.at : "");
    for (size_t i = 0; i < dv_class_count() && count < MOST; i++)
        if (is_device(dv_class_at(i))) {
            dv_text_add(reason, "%s %s", count ? "," : "", dv_class_at(i)->name);
            known[count++] = dv_class_at(i)->name;
        }
    const char *closest = word.at ? dv_closest(word.at, known, count) : NULL;
    if (closest)
        dv_text_add(reason, "; did you mean '%s'?", closest);
    dv_text_free(&word);
    return NULL;
}

DvStatus stand_in_make(DvData *field, DvScene **scene)
{
    const char *name = dv_data_string(field);
    *scene = NULL;
    if (!*name)
        return DV_OK;
    DvText text = {0};
    const DvClass *cls = class_of(name, &text);
    if (!cls) {
        const DvStatus status = dv_field_error(field, -1, "%s", text.at);
        dv_text_free(&text);
        return status;
    }
    if (strcmp(name, simulated) == 0)
        return DV_OK;
    dv_text_add(&text, "<Node name='root'><DefaultAnimationLoop/><%s/></Node>", name);
    const DvStatus status = dv_scene_load_text(text.at, text.length, dv_object_path(field->owner), NULL, NULL, scene);
    dv_text_free(&text);
    return status;
}

/* Each names one that is there. */
static DvStatus check_names(const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        DvText reason = {0};
        const bool good = class_of(names[i], &reason) != NULL;
        if (!good)
            dv_log(DV_LEVEL_ERROR, "%s", reason.at);
        dv_text_free(&reason);
        if (!good)
            return DV_ERROR_NOT_FOUND;
    }
    return DV_OK;
}

DvStatus stand_in_use_devices(DvScene *scene, const char *const *names, size_t count)
{
    const DvNode *root = dv_scene_root(scene);
    const size_t all = dv_node_find_all(root, DV_HAPTIC_DEVICE, DV_SEARCH_ROOT, NULL, 0);
    DvStatus status = check_names(names, count);
    if (status != DV_OK)
        return status;
    DvObject **devices = dv_alloc(all, sizeof(DvObject *));
    size_t drivers = 0;
    (void)dv_node_find_all(root, DV_HAPTIC_DEVICE, DV_SEARCH_ROOT, devices, all);
    for (size_t i = 0; i < all && status == DV_OK && count > 0; i++)
        if (is_driver(dv_object_class(devices[i]))) {
            status =
                dv_data_set_text(dv_object_field(devices[i], "device"), names[drivers < count ? drivers : count - 1]);
            drivers++;
        }
    dv_free(devices);
    if (status == DV_OK && drivers < count) {
        dv_log(
            DV_LEVEL_ERROR,
            "%zu haptic device%s asked for; the scene has %zu driver%s (GeomagicDriver, GeomagicEmulator) that could "
            "act on one",
            count, count == 1 ? " is" : "s are", drivers, drivers == 1 ? "" : "s");
        status = DV_ERROR_MISSING;
    }
    return status;
}
