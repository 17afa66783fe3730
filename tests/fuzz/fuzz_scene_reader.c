/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scene files of any bytes, read by the format of plugins/scene and made as far as they go.
 */
#include <stdlib.h>

#include <divan/contracts/scene_format.h>
#include <divan/registry.h>
#include <divan/scene.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void say_nothing(const DvMessage *message, void *context)
{
    (void)context;
    DvText text = {0};
    dv_message_print(message, &text); /* reads every part of it */
    dv_text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool started;
    if (!started) {
        dv_log_set_handler(say_nothing, NULL);
        if (dv_start(NULL) != DV_OK || !dv_service(DV_SCENE_FORMAT))
            abort();
        started = true;
        (void)atexit(dv_stop);
    }
    /* Reading and making alone: what the components of plugins do at init has targets of its own. */
    const DvLoadOptions options = {.keep_going = true, .no_init = true};
    DvScene *scene;
    const DvStatus status = dv_scene_load_text((const char *)data, size, "fuzz.scn", "/nonexistent", &options, &scene);
    if (status == DV_OK && !scene)
        abort();
    dv_scene_free(scene);
    return 0;
}
