/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The functions that a class offers, for bases whose operations begin with those of a contract.
 */
#ifndef DIVAN_KIT_CLASS_OPS_H
#define DIVAN_KIT_CLASS_OPS_H

#include <divan/object.h>

#include <string.h>

/* Those of `contract`, which the class of the object has: also while the object is not valid.     [any] */
static inline const void *dv_class_ops(const DvObject *object, const char *contract)
{
    const DvContract *at = dv_object_class(object)->contracts;
    while (strcmp(at->id, contract) != 0)
        at++;
    return at->ops;
}

#endif
