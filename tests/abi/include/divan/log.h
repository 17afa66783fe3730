/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Messages: levels, where they come from, and a handler that a host may replace.
 *
 * A message that a user can act on names file, line, component and field, says what is wrong and what would be right:
 *   liver.scn:31: TetrahedronFEMForceField 'FEM': no field 'youngModulu'; did you mean 'youngModulus'?
 * The text of a message holds neither the place nor a final line end; the handler puts the place in front.
 */
#ifndef DIVAN_LOG_H
#define DIVAN_LOG_H

#include <divan/base.h>

DV_BEGIN_DECLS

typedef enum DvLevel {
    DV_LEVEL_DEBUG,
    DV_LEVEL_INFO, /* of a component whose printLog is true, or of any when dv_log_set_level asks for it */
    DV_LEVEL_WARNING,
    DV_LEVEL_ERROR
} DvLevel;

typedef struct DvMessage {
    DvLevel level;
    DvStatus status;       /* kind of error, DV_OK below DV_LEVEL_ERROR */
    const char *file;      /* scene file, or NULL */
    int line, column;      /* from 1; 0: unknown */
    const char *component; /* class name, or NULL */
    const char *name;      /* name of the component, or NULL */
    const char *path;      /* path of the component in the graph, or NULL */
    const char *field;     /* name of the field, or NULL */
    const char *text;
    bool harmless; /* of a warning: no result changes by it, see dv_remark */
} DvMessage;

typedef void (*DvLogHandler)(const DvMessage *message, void *context);

/* Takes the place of the default handler, which prints to standard error: from DV_LEVEL_WARNING on, and the info of components whose
 * printLog is true. NULL restores it. Calls are serialised, whatever threads they come from; what is said during one by its own
 * thread goes to the default handler. `context` belongs to the caller.     [any] */
DV_PUBLIC void dv_log_set_handler(DvLogHandler handler, void *context);
DV_PUBLIC void dv_log_set_level(DvLevel lowest); /* [any] messages below it are dropped by the default handler */
/* The message as one line, place in front, without level and line end: what the default handler prints.     [any] */
DV_PUBLIC void dv_message_print(const DvMessage *message, DvText *out);

/* The last error that the calling thread reported, as one line; "" when there was none. Valid until its next one.     [any] */
DV_PUBLIC const char *dv_last_error(void);

/* Messages about nothing in particular; such a warning is a remark.     [any] */
DV_PUBLIC void dv_log(DvLevel level, const char *format, ...) DV_PRINTF(2, 3);
/* About a place in a file.     [any] */
DV_PUBLIC void dv_log_at(DvLevel level, DvStatus status, const char *file, int line, int column, const char *format,
                         ...) DV_PRINTF(6, 7);

/* About an object, or one of its fields (`index` >= 0 adds which entry). dv_error and dv_field_error return `status`,
 * so that a component writes `return dv_error(...)`.     [any] */
DV_PUBLIC DvStatus dv_error(const DvObject *object, DvStatus status, const char *format, ...) DV_PRINTF(3, 4);
DV_PUBLIC void dv_warning(const DvObject *object, const char *format, ...) DV_PRINTF(2, 3);
/* A warning that changes no result: an old name that is understood, what is only drawn, speed. `divan run --strict` takes every
 * other warning for an error: something of the scene is left out, replaced or doubtful.     [any] */
DV_PUBLIC void dv_remark(const DvObject *object, const char *format, ...) DV_PRINTF(2, 3);
DV_PUBLIC void dv_field_remark(const DvData *field, int64_t index, const char *format, ...) DV_PRINTF(3, 4);
DV_PUBLIC void dv_info(const DvObject *object, const char *format, ...) DV_PRINTF(2, 3);
DV_PUBLIC DvStatus dv_field_error(const DvData *field, int64_t index, const char *format, ...) DV_PRINTF(3, 4);
/* An index of the field beyond the end of a list, said by dv_text_add_missing; it stands among those of the field.     [any] */
DV_PUBLIC DvStatus dv_field_error_missing(const DvData *field, int64_t index, const char *what, uint32_t missing,
                                          const char *owner, size_t count);
DV_PUBLIC void dv_field_warning(const DvData *field, int64_t index, const char *format, ...) DV_PRINTF(3, 4);

DV_END_DECLS
#endif
