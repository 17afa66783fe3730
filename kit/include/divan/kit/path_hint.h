/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What may be wrong with the name of a file that is not found.
 */
#ifndef DIVAN_KIT_PATH_HINT_H
#define DIVAN_KIT_PATH_HINT_H

#include <divan/base.h>

#include <string.h>

DV_BEGIN_DECLS

/* For the end of a message: what to do about a name, or "".     [any] */
static inline const char *dv_path_hint(const char *name)
{
    return strchr(name, '\\') ? "; folders are parted by '/', not by '\\'" : "";
}

DV_END_DECLS
#endif
