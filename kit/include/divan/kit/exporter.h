/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What exporters have in common: components that write files as the scene runs, when it begins, after each so many steps, when it ends.
 *
 * DvExporter is the first member of the component's struct. The class has DV_EXPORTER_FIELDS in its table, DV_EXPORTER_CLASS, a `cleanup` that begins with dv_exporter_cleanup, and a
 * `construct` that calls dv_exporter_construct with the function that writes. Files are written whole or not at all, where a
 * scene may write (divan/output.h); `divan check` writes nothing.
 *
 * Threads: [main] but where it says otherwise.
 */
#ifndef DIVAN_KIT_EXPORTER_H
#define DIVAN_KIT_EXPORTER_H

#include <divan/divan.h>

DV_BEGIN_DECLS

/* Which of its files an exporter is to write. */
typedef struct DvExport {
    uint64_t number; /* of this one: steps that have been counted, in units of exportEveryNumberOfSteps */
    bool numbered;   /* exportEveryNumberOfSteps is set */
    bool first;      /* the run begins */
} DvExport;

typedef struct DvExporter {
    DvData filename, every, at_begin, at_end, enable, counted;
    void (*write)(void *self, const DvExport *which); /* of the component; [step] */
    bool begun, told;
} DvExporter;

/* Entries of a field table; `path` leads from the struct to its DvExporter: `base.` */
#define DV_EXPORTER_FIELDS(Struct, path)                                                                              \
    DV_FIELD(Struct, path filename, "filename", dv_type_string,                                                       \
             .help = "the files, without ending, or a folder; the name of this object by default"),                   \
        DV_FIELD(Struct, path every, "exportEveryNumberOfSteps", dv_type_uint, .init = "0", .unit = "steps",          \
                 .help = "written after each so many steps, with a number in the name; 0: not in the run"),           \
        DV_FIELD(Struct, path at_begin, "exportAtBegin", dv_type_bool, .init = "0",                                   \
                 .help = "written when the run begins"),                                                              \
        DV_FIELD(Struct, path at_end, "exportAtEnd", dv_type_bool, .init = "0", .help = "written when the run ends"), \
        DV_FIELD(Struct, path enable, "enable", dv_type_bool, .init = "1", .help = "whether it writes"),              \
        DV_FIELD(Struct, path counted, "stepsCounted", dv_type_uint, .init = "0", .flags = DV_FIELD_STATE,            \
                 .help = "steps made while it was enabled")

#define DV_EXPORTER_CLASS                                                                  \
    .bases = (const char *const[]){"BaseSimulationExporter", NULL}, .family = "exporters", \
    .module = "Sofa.Component.IO.Mesh", .handle_event = dv_exporter_handle_event,          \
    .store_reset_state = dv_exporter_begin, .reset = dv_exporter_reset

/* DvClass.construct ends with it: the exporter listens. */
DV_NODISCARD DV_PUBLIC DvStatus dv_exporter_construct(DvObject *object, DvExporter *exporter,
                                                      void (*write)(void *self, const DvExport *which));
/* Of DvClass; `self` begins with a DvExporter.     handle_event [step] */
DV_PUBLIC void dv_exporter_handle_event(DvObject *object, void *self, DvEvent *event);
DV_PUBLIC void dv_exporter_begin(DvObject *object, void *self);
DV_PUBLIC void dv_exporter_reset(DvObject *object, void *self);
DV_PUBLIC void dv_exporter_cleanup(DvObject *object, void *self);

/* The name of a file without ending: that of the field, in a folder the name of the object, then the number on five digits.     [step] */
DV_PUBLIC void dv_exporter_stem(DvExporter *exporter, const DvExport *which, DvText *stem);
/* A whole file at `path`, where a scene may write; folders are made. False: it could not be written, which has been reported, once for
 * each exporter, and the run ends with that status.     [step] */
DV_PUBLIC bool dv_exporter_write(DvExporter *exporter, const char *path, const void *bytes, size_t size);

DV_END_DECLS
#endif
