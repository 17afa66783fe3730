/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files of this plugin share.
 *
 *   reader.c    XML, includes and macros; elements to objects and nodes
 *   repair.c    what strict XML refuses, before the parser sees it
 *   dialect.c   the vocabulary of 2007 to 2026 as today's
 *   writer.c    a graph as XML
 */
#ifndef DIVAN_SCENE_XML_H
#define DIVAN_SCENE_XML_H

#include <divan/contracts/scene_format.h>

enum { MAX_ATTRIBUTES = 256 }; /* of an element */

/* reader.c */
bool recognise_xml(const char *text, size_t length);
void read_xml(DvScene *scene, const char *text, size_t length, const char *name, const char *folder);
/* An old class that stands for several: `rename` has them as XML. `object` is the first. Takes the attributes. */
void make_expanded(DvNode *node, const DvRename *rename, DvAttributes *attributes, DvPlace place, DvObject **object);

/* repair.c */
/* New text for dv_text_free, warnings with the line; `file` is of dv_intern. False after an error that has been reported. */
bool mend(DvScene *scene, const char *text, size_t length, const char *file, DvText *mended);
bool is_utf16(const char *text, size_t length);

/* dialect.c: dv_build_object and dv_build_node for words of any year; `object` is not NULL. */
void make_object(DvNode *node, const char *class_name, DvAttributes *attributes, DvPlace place, DvObject **object);
DvStatus make_node(DvScene *scene, DvNode *parent, DvAttributes *attributes, DvPlace place, const char *folder,
                   DvNode **node);

/* writer.c */
DvStatus write_xml(DvNode *root, const char *folder, DvText *out);

#endif
