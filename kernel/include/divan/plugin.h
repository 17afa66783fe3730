/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Plugins: one shared library per component family, one exported symbol, all of it data.
 *
 *   DV_PLUGIN = {.size = sizeof(DvPlugin), .abi = DV_ABI_STAMP, .id = "divan.mechanics", .version = "0.1.0", ...};
 *
 * The loader reads the size and the stamp, decides by them, and only then looks further. Libraries are opened with
 * RTLD_NOW and RTLD_LOCAL, in the order of their names, and never unmapped; so classes and tables are referenced, not
 * copied. A plugin never includes a header of another and never links to one: it reaches the others through contracts.
 */
#ifndef DIVAN_PLUGIN_H
#define DIVAN_PLUGIN_H

#include <divan/object.h>

DV_BEGIN_DECLS

#define DV_ABI_MAJOR 0u
#define DV_ABI_MINOR 42u
/* Version of the ABI, bytes of a real number, bytes of an index. Before 1.0 it must match exactly. */
/* Also the bytes of a DvContract, a DvField and a DvData. */
#define DV_ABI_STAMP                                                                                           \
    ((uint64_t)DV_ABI_MAJOR << 56 | (uint64_t)DV_ABI_MINOR << 48 | (uint64_t)sizeof(double) << 40 |            \
     (uint64_t)sizeof(uint32_t) << 32 | (uint64_t)sizeof(DvContract) << 24 | (uint64_t)sizeof(DvField) << 12 | \
     (uint64_t)sizeof(DvData))

/* Old vocabulary: data that scenes of earlier years need. */
typedef enum DvRenameKind {
    DV_RENAME_END,
    DV_RENAME_CLASS,          /* old class name: another name of `to` */
    DV_RENAME_CLASS_EXPANDED, /* old class name for several objects: `to` is scene text, see docs/scene-files.md */
    DV_RENAME_CLASS_HARMLESS, /* removed, changed nothing: accepted with one warning */
    DV_RENAME_CLASS_REMOVED,  /* removed, changed results: an error that says `to` */
    DV_RENAME_FIELD,          /* old field name of class `of`: another name of field `to` */
    DV_RENAME_FIELD_HARMLESS, /* old field of class `of`: accepted, no effect, one warning that says `to` */
    DV_RENAME_FIELD_REMOVED,  /* old field of class `of`: an error that says `to` */
    DV_RENAME_MODULE,         /* a name that RequiredPlugin may ask for and that this plugin covers */
    DV_RENAME_DOF_TYPE /* a word of templates, "CudaVec3f", for the DOF type `to`, kept otherwise: by a device, in less bits */
} DvRenameKind;

typedef struct DvRename {
    DvRenameKind kind;
    const char *of;   /* class of a field; or NULL */
    const char *from; /* the old name */
    const char *to;   /* NULL only of modules, of classes without effect, and of fields that are gone */
} DvRename;

typedef struct DvPlugin {
    uint32_t size;            /* sizeof(DvPlugin)... */
    uint64_t abi;             /* ... and DV_ABI_STAMP: checked before all else */
    const char *id;           /* "divan.mechanics" */
    const char *version;      /* "0.1.0" */
    const char *license;      /* SPDX expression */
    const char *help;         /* one sentence */
    int32_t rank;             /* of two plugins with the same class and variant the higher wins; a tie is an error */
    const char *const *needs; /* service contracts of other plugins, ended by NULL; or NULL */
    const DvContract *offers; /* services, ended by {0}; or NULL */
    const DvClass *const *classes; /* ended by NULL; or NULL */
    const DvRename *renames;       /* ended by {0}; or NULL */
    const char *const
        *variants;           /* words in the variants of its classes that are no DOF types, ended by NULL; or NULL */
    DvStatus (*start)(void); /* optional, after the providers of needs.     [main] */
    void (*stop)(void);      /* optional, in reverse order, only after a good start.     [main] */
} DvPlugin;

#define DV_PLUGIN_SYMBOL "dv_plugin_entry"
#ifdef __cplusplus
#define DV_PLUGIN                                        \
    extern "C" DV_PUBLIC const DvPlugin dv_plugin_entry; \
    const DvPlugin dv_plugin_entry
#else
#define DV_PLUGIN                                    \
    extern DV_PUBLIC const DvPlugin dv_plugin_entry; \
    const DvPlugin dv_plugin_entry
#endif

/* The functions of a service that a started plugin offers, or NULL.     [any] look up once, at init */
DV_PUBLIC const void *dv_service(const char *contract);
/* All plugins that offer it, in the order of their start; at most `capacity` are stored, the return value counts
 * all. */
DV_PUBLIC size_t dv_services(const char *contract, const void **ops, size_t capacity);

DV_END_DECLS
#endif
