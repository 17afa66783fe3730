/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The registry: which plugins are there and what they offer. For hosts and tests.
 */
#ifndef DIVAN_REGISTRY_H
#define DIVAN_REGISTRY_H

#include <divan/plugin.h>

DV_BEGIN_DECLS

typedef struct DvStartOptions {
    const char *plugin_set;     /* group of plugins.conf; NULL: "default" if the file has it, else every plugin found */
    const char *const *plugins; /* further library files, ended by NULL; or NULL */
    const char *const *plugin_path; /* folders searched before all others, ended by NULL; or NULL */
    bool only_given;                /* search nothing but `plugins` and `plugin_path` */
} DvStartOptions;

/* Finds, checks, orders and starts the plugins; `options` may be NULL. Search order: options, DIVAN_PLUGIN_PATH, the
 * build tree or install folder of the program. A plugin that cannot be used is listed with its reason and does not stop
 * the others; a library named in `plugins` or in the plugin set that cannot be used is an error.     [main], once */
DV_NODISCARD DV_PUBLIC DvStatus dv_start(const DvStartOptions *options);
DV_PUBLIC void dv_stop(void); /* [main] scenes must be gone; stops plugins in reverse order, does not unmap */

typedef enum DvPluginState { DV_PLUGIN_REJECTED, DV_PLUGIN_READY, DV_PLUGIN_STARTED, DV_PLUGIN_STOPPED } DvPluginState;
typedef struct DvPluginInfo {
    const char *file;
    const char *id, *version, *license, *help; /* NULL while unknown */
    DvPluginState state;
    DvStatus status;        /* kind of the reason */
    const char *reason;     /* why it was rejected; or NULL */
    const DvPlugin *plugin; /* NULL when rejected before its descriptor could be trusted */
} DvPluginInfo;
DV_PUBLIC size_t dv_plugin_count(void);                     /* [main] */
DV_PUBLIC const DvPluginInfo *dv_plugin_info(size_t index); /* [main] in the order of search; NULL beyond the end */

/* Classes, in the order of their names.     [main] */
DV_PUBLIC size_t dv_class_count(void);
DV_PUBLIC const DvClass *dv_class_at(size_t index);
DV_PUBLIC const DvPlugin *dv_class_plugin(const DvClass *cls);
/* By name or any old name; NULL when there is none. */
DV_PUBLIC const DvClass *dv_class_find(const char *name);
/* Says of an unknown class name whether it is a slip, a class of the reference that is not here yet, or in a plugin
 * that is not loaded. */
DV_PUBLIC void dv_class_explain(const char *name, DvText *out);
/* The fields every object has, ended by {0}. */
DV_PUBLIC const DvField *dv_common_fields(void);

DV_END_DECLS
#endif
