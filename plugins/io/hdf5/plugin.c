/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin of HDF5 files: offers them, and loads what makes them (arrays.c) when the first one is asked for.
 */
#include "arrays.h"

#include <divan/plugin.h>
#include <dlfcn.h>
#include <string.h>

typedef bool (*Encode)(const DvFileArray *arrays, uint32_t count, bool compressed, DvText *out, DvText *why);

extern const DvPlugin dv_plugin_entry;

/* From the library beside this one, which stays loaded. NULL with the reason. */
static Encode load(DvText *why)
{
    Dl_info self;
    DvText path = {0};
    if (dladdr(&dv_plugin_entry, &self) && self.dli_fname && strrchr(self.dli_fname, '/'))
        dv_text_add(&path, "%.*s/", (int)(strrchr(self.dli_fname, '/') - self.dli_fname), self.dli_fname);
    dv_text_add(&path, HDF5_ARRAYS);
    void *library = dlopen(path.at, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, HDF5_ENCODE) : NULL;
    if (!symbol) {
        const char *reason = dlerror();
        dv_text_add(why, "HDF5 cannot be loaded: %s", reason ? reason : path.at);
    }
    dv_text_free(&path);
    Encode encode = NULL;
    memcpy(&encode, &symbol, sizeof encode);
    return encode;
}

static bool encode(const DvFileArray *arrays, uint32_t count, bool compressed, DvText *out, DvText *why)
{
    const Encode encode_arrays = load(why); /* from the second time on a look-up */
    return encode_arrays && encode_arrays(arrays, count, compressed, out, why);
}

static const DvArrayFileOps ops = {.size = sizeof ops, .encode = encode};
static const DvContract offers[] = {{.id = DV_ARRAY_FILE, .ops = &ops}, {0}};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "divan.hdf5",
    .version = DV_VERSION,
    .license = "LGPL-2.1-or-later",
    .help = "Files of HDF5 (BSD), for exported series.",
    .offers = offers,
};
