/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A report of all pairs of models that a pipeline may find in contact.
 */
#ifndef DIVAN_COLLISION_PAIR_REPORT_H
#define DIVAN_COLLISION_PAIR_REPORT_H

#include <divan/contracts/report.h>

/* A line for each pair of models below the pipeline that may meet, with the routine that serves it; a warning for each two kinds that
 * nothing serves, one where elements that share points touch, one of surfaces that show their back, and one of penalties that are too
 * stiff for a step. */
void report_pairs(const DvObject *pipeline, DvObject *method, DvObject *manager, DvReportLine line, void *context);
/* The classes that would answer contacts of these pairs, each once: at most `capacity`. Changes nothing. */
uint32_t responses_of_pairs(const DvObject *pipeline, const DvObject *manager, const DvClass **classes,
                            uint32_t capacity);

#endif
