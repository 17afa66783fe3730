/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reports: what a component will do with a scene, for whoever wants to know before the first step (`divan check`).
 *
 * A class offers this contract when what its objects do follows from other parts of the scene and cannot be seen in it: which
 * routine serves which pair of models, say. What is wrong is no report but a warning.
 */
#ifndef DIVAN_CONTRACTS_REPORT_H
#define DIVAN_CONTRACTS_REPORT_H

#include <divan/object.h>

DV_BEGIN_DECLS

#define DV_REPORT "divan.report/1"

/* Takes a line without its end; `text` is the caller's. */
typedef void (*DvReportLine)(void *context, const char *text);

typedef struct DvReportOps {
    uint32_t size;
    /* Once the scene has been initialised; changes no state. The lines need not name the object.     [main] */
    void (*report)(void *self, DvReportLine line, void *context);
} DvReportOps;

DV_END_DECLS
#endif
