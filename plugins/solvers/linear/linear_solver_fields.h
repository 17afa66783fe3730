/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The fields that every linear solver has. Threads are the program's task pool, whatever a scene asks for: the results
 * would be the same.
 */
#ifndef DV_SOLVERS_LINEAR_SOLVER_FIELDS_H
#define DV_SOLVERS_LINEAR_SOLVER_FIELDS_H

#include "system/linear_system.h"

typedef struct DvLinearSolverFields {
    DvLink linear_system;
} DvLinearSolverFields;

/* For a struct whose member `common` is a DvLinearSolverFields. */
#define DV_LINEAR_SOLVER_FIELDS(Struct)                                                                              \
    DV_FIELD_HELD("nbThreads", dv_type_int, .init = "0",                                                             \
                  .help = "threads asked for; the program's own number counts, results do not depend on it"),        \
        DV_FIELD_HELD("taskSchedulerType", dv_type_string, .init = "_default",                                       \
                      .help = "task scheduler asked for; there is one, the program's"),                              \
        DV_FIELD_HELD("parallelInverseProduct", dv_type_bool, .init = "0",                                           \
                      .help =                                                                                        \
                          "whether products with the inverse may use several threads; results do not depend on it"), \
        DV_FIELD_HELD("factorizationInvalidation", dv_type_bool, .init = "0",                                        \
                      .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN, .help = "internal"),                            \
        DV_LINK(Struct, common.linear_system, "linearSystem", DV_LINEAR_SYSTEM,                                      \
                .help = "linear system to solve; default: one of the same type in the node or above, else a new one")

#endif
