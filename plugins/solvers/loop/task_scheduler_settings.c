/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * TaskSchedulerSettings: how many threads a scene wants. The host says how many there are, for all scenes of the process, and results
 * do not depend on it.
 */
#include <divan/divan.h>

static const DvField fields[] = {
    DV_FIELD_HELD("nbThreads", dv_type_int, .init = "0",
                  .help = "no effect: the host says how many threads there are (--threads)"),
    DV_FIELD_HELD("taskSchedulerType", dv_type_string, .init = "_default", .help = "no effect: there is one"),
    {0},
};

typedef struct TaskSchedulerSettings {
    char unused;
} TaskSchedulerSettings;

const DvClass dv_task_scheduler_settings = {
    .size = sizeof(DvClass),
    .name = "TaskSchedulerSettings",
    .bases = (const char *const[]){"BaseComponent", "Base", NULL},
    .family = "utilities",
    .module = "Sofa.Simulation.Core",
    .help = "Says how many threads a scene wants; the host decides.",
    .instance_size = sizeof(TaskSchedulerSettings),
    .fields = fields,
};
