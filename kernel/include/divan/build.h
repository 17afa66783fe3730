/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Building: what a scene format (contracts/scene_format.h) needs of the kernel, to make the graph that a file describes and to
 * write a file that continues a run.
 *
 * Reading. A format gives class names and attributes with the place of each, in the order in which they are to be made: an object
 * sees what was made before it. The kernel finds the variant, fills the fields, follows the links, and reports what is
 * wrong at that place. Old names of classes are known to it (dv_class_find); all other old vocabulary is up to the format.
 *
 *   DvNode *root;
 *   dv_build_node(scene, NULL, NULL, place, folder, &root);
 *   DvAttributes *attributes = dv_attributes_new();
 *   dv_attributes_add(attributes, "totalMass", "3", 12, 8);
 *   dv_build_object(root, "UniformMass", attributes, place, NULL);
 *
 * Writing. An object is what it was made from (dv_saved_attributes) and what has changed since it was initialised
 * (dv_saved_state). A scene that is built from the first, and is given the second by dv_build_state, continues with the same bits.
 *
 * Threads: all [main].
 */
#ifndef DIVAN_BUILD_H
#define DIVAN_BUILD_H

#include <divan/node.h>
#include <divan/plugin.h>

DV_BEGIN_DECLS

/* Where something is written. */
typedef struct DvPlace {
    const char *file; /* of dv_intern; NULL: made by code */
    int line, column; /* from 1; 0: unknown */
} DvPlace;

/* Attributes */

typedef struct DvAttribute {
    char *name, *text; /* of dv_strdup: may be replaced */
    int line, column;  /* where it stands; 0: where its object does */
    bool used;         /* has a meaning: those without one are reported, and not saved */
} DvAttribute;

DV_PUBLIC DvAttributes *dv_attributes_new(void);
DV_PUBLIC void dv_attributes_free(DvAttributes *attributes); /* NULL is allowed */
/* Adds one at the end; set: in place of the one of this name, if there is one. Copies. */
DV_PUBLIC void dv_attributes_add(DvAttributes *attributes, const char *name, const char *text, int line, int column);
DV_PUBLIC void dv_attributes_set(DvAttributes *attributes, const char *name, const char *text, int line, int column);
DV_PUBLIC void dv_attributes_drop(DvAttributes *attributes, const char *name);
DV_PUBLIC void dv_attributes_sort(DvAttributes *attributes); /* by name, in the order of bytes */
/* By name and in order; NULL: there is none. They hold until one is added or dropped. */
DV_PUBLIC DvAttribute *dv_attributes_find(const DvAttributes *attributes, const char *name);
DV_PUBLIC DvAttribute *dv_attributes_at(const DvAttributes *attributes, size_t index);

/* Making. Both take the attributes, after an error too, and report what is wrong, which is then counted. */

/* `object` is NULL when none could be made; it may have been made and be invalid. `object` itself may be NULL. */
DV_PUBLIC DvStatus dv_build_object(DvNode *node, const char *class_name, DvAttributes *attributes, DvPlace place,
                                   DvObject **object);
/* A child of `parent`, or the root of the scene when that is NULL. Files that its objects name are looked for in `folder` (NULL:
 * that of the parent). */
DV_PUBLIC DvStatus dv_build_node(DvScene *scene, DvNode *parent, DvAttributes *attributes, DvPlace place,
                                 const char *folder, DvNode **node);
/* A field's value in the run that a saved scene continues: put back after the initialisation. */
DV_PUBLIC void dv_build_state(DvObject *object, const char *field, const char *text, int line, int column);

/* Problems */

/* Logs and counts a problem: a warning when the status is DV_OK, else an error, which fails the load. `component` and `name` are
 * what it is about, or NULL. Returns the status. */
DV_PUBLIC DvStatus dv_build_problem(DvScene *scene, DvStatus status, DvPlace place, const char *component,
                                    const char *name, const char *format, ...) DV_PRINTF(6, 7);
/* The same of a warning that changes no result (dv_remark). */
DV_PUBLIC void dv_build_remark(DvScene *scene, DvPlace place, const char *component, const char *name,
                               const char *format, ...) DV_PRINTF(5, 6);
/* So many problems were found (200 errors, 10,000 in all) that the rest of the file is not worth reading. */
DV_PUBLIC bool dv_build_has_enough(const DvScene *scene);

/* Vocabulary */

/* What the plugins that run say of an old name; NULL: nothing. The field's is sought for the class and its bases. */
DV_PUBLIC const DvRename *dv_rename_of_class(const char *name);
DV_PUBLIC const DvRename *dv_rename_of_field(const DvClass *cls, const char *name);
DV_PUBLIC bool dv_module_is_known(const char *name); /* a plugin that runs has this module, or covers it */
/* Whether it, or every object, has a field of this name or alias. */
DV_PUBLIC bool dv_class_takes(const DvClass *cls, const char *name);
DV_PUBLIC const DvClass *dv_class_of_nodes(void);

/* The regular file that a scene in `folder` means by `name`: there (NULL: where the program runs), then in the folders of DIVAN_DATA_PATH, then
 * among the scenes that came with the program. For dv_free; NULL: there is none. */
DV_PUBLIC char *dv_find_file(const char *name, const char *folder);

/* Saving */

typedef void (*DvSavedText)(void *context, const char *name, const char *text);
/* What the object was made from, name and template first. Names of files lead to the same files from `folder`. */
DV_PUBLIC void dv_saved_attributes(DvObject *object, const char *folder, DvSavedText say, void *context);
/* Its state, for dv_build_state: nothing for most. */
DV_PUBLIC void dv_saved_state(DvObject *object, DvSavedText say, void *context);
/* Objects and child nodes of a node in the order in which they were made, one a call; both counters start at 0. NULL: the end. */
DV_PUBLIC DvObject *dv_saved_content(const DvNode *node, size_t *member, size_t *child);

DV_END_DECLS
#endif
