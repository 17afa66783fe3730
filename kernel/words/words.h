/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files of kernel/words share: from words to objects, and back.
 *
 *   create.c       an object from class name, attributes and context: variant, fields, links
 *   attributes.c   the texts that an object is made from
 *   parse.c print.c values of all types from text and as text
 *   given.c        what is said of what a scene gives, or does not
 *   range.c        which numbers make sense in a field, what is said of others, and of lists linked to nothing
 *   files.c        names of files to files
 *   plugin_files.c plugins from folders and sets: which there are, which may start
 *   path.c         "@../dofs" to objects and fields
 *   circle.c       what to say of fields that would depend on themselves
 *   link.c value.c links and values from text
 *   find.c         what a component works with, and what to say when it is not there
 *   mistakes.c     what to say of likely mistakes: the word that was meant, an index beyond the end
 *   explain.c      what to say of the name of a class that nobody offers
 *   scene_file.c   scenes from files and into files
 *   saved.c        what a saved scene says of an object, and how it is put back
 *   moment.c       the state of a scene in memory
 *   again.c        objects that have left, made again
 *   start.c        the state at the start of a run, which a reset goes back to
 *   checkpoint.c   the state of a scene in a file
 *   plugin_checks.c contract.c what is wrong with the descriptor of a plugin, and with what it offers
 *   library_file.c whether a file can be opened as a library
 *   boxes.c phase.c bounding boxes and visual models for who looks; time per phase of a step
 *   memory.c       whether there is room for what a scene asks for; the end of a process that has no memory
 *   output.c       files that are written: beside their names first, then in place
 *   embed.c        plain functions for hosts in other languages
 */
#ifndef DIVAN_WORDS_H
#define DIVAN_WORDS_H

#include "core.h"

struct DvAttributes {
    DvAttribute *at; /* [count] those of an object are sorted by name in the order of bytes */
    size_t count, room;
};

/* attributes.c */
/* The template that makes an object again: its variant, or a word of a device for it as it was written. */
const char *dv_words_template(const DvObject *object);
DvAttribute *dv_words_attribute_of(const DvObject *object, const DvField *field);

/* create.c */
void dv_words_make_first(DvNode *node, const DvClass *cls);

/* given.c */
DvStatus dv_words_check_required(DvObject *object);
void dv_words_say_unused_context(DvNode *node, const DvNode *parent);

/* range.c */
DvStatus dv_words_check_ranges(DvObject *object, bool follows);
/* What code sets: an error, reported, when a number is outside a range that is no advice. The k-th number, of `count` elements; and
 * all of a value that is not the field's yet. */
bool dv_words_is_within(const DvRange *range, double number);
DvStatus dv_words_check_number(const DvData *data, size_t k, double number, size_t count);
DvStatus dv_words_check_value(const DvData *data, const void *value, size_t count);

/* parse.c */
DvStatus dv_words_parse(const DvField *field, const DvType *type, const char *text, void **elements, size_t *count,
                        DvText *problem);

/* print.c */
void dv_words_print(const DvType *type, const void *elements, size_t count, DvText *out);
DvStatus dv_words_convert(const DvType *from, const void *value, size_t count, const DvType *to, void **elements,
                          size_t *element_count);

/* boxes.c */
void dv_words_update_boxes(DvNode *node);

/* files.c: new strings; NULL: not found. Places are folders as seen from that of the kernel's library, ended by NULL. */
char *dv_words_kernel_folder(void);
char *dv_words_find_beside_kernel(const char *name, const char *const *places);
/* For dv_free; as the scene of the object means it; "": none. */
char *dv_words_find_file_of(const DvObject *object, const char *name);

/* contract.c: false with the rest of a sentence that ends in "offers" or "needs": 'id', and what is wrong with it. */
bool dv_words_contract_known(const char *id, DvText *reason);
bool dv_words_contract_complete(const DvContract *offer, DvText *reason);

/* plugin_checks.c: DV_ERROR_INVALID or DV_ERROR_ABI with the first thing that is wrong. */
DvStatus dv_words_check_plugin(const DvPlugin *plugin, DvText *reason);

/* library_file.c: false with the reason when the system's loader must not meet the file. */
bool dv_words_library_is_sound(const char *name, DvText *reason);

/* memory.c: from now on a process without memory ends by dv_memory_end; what that names. */
void dv_words_watch_memory(void);
void dv_words_note_saved(const char *file);

/* find.c: where an object was looked for in vain, and what to do. */
typedef struct Missing {
    const DvNode *node; /* or NULL */
    const char *path;   /* "" is the context of the node */
    const char *contract;
    const char *need; /* what to add; NULL: the class that alone offers the contract */
    const char *link; /* name of the field that can name one; or NULL */
    bool named;       /* the path is the user's */
    bool before;      /* it must come before the object */
} Missing;
void dv_words_say_missing(DvText *text, const Missing *missing);

/* explain.c: the first plugin that was found, is not in use, and of which `has` is true; or NULL. */
const DvPluginInfo *dv_words_idle_plugin(bool (*has)(const DvPlugin *plugin, const char *what), const char *what);

/* path.c: as dv_node_resolve; also what cannot be used. */
DvObject *dv_words_resolve(const DvNode *node, const DvObject *from, const char *path, const char *contract);
/* "@dofs.position"; NULL with the reason when it leads to no field. */
DvData *dv_words_resolve_field(const DvNode *node, const DvObject *from, const char *path, DvText *problem);

void dv_words_say_namesake(DvNode *node, const DvNode *parent); /* an earlier child has its name */
char *dv_words_data_path(const DvData *data);                   /* "@/Liver/dofs.position"; new string */

/* "; did you mean '@dofs'?" of the first `length` characters of a path that leads nowhere, where a name is close. */
void dv_words_say_closest(DvText *text, const DvNode *node, const DvObject *from, const char *path, size_t length);
/* "nothing is found at '@dof'; did you mean '@dofs'?" of the first `length` characters of a path. */
void dv_words_say_not_found(DvText *text, const DvNode *node, const DvObject *from, const char *path, size_t length);

/* circle.c */
void dv_words_say_circle(const List *circle, bool follows);

/* value.c: from an attribute; problems are counted. */
void dv_words_set_field(DvObject *object, DvData *data, const char *text);

/* link.c */
DvStatus dv_words_link_set_text(DvLink *link, const char *text);
void dv_words_resolve_links(DvObject *object);
void dv_words_report_links(DvObject *object); /* tries once more, then says what leads nowhere */

/* saved.c */
void dv_words_forget(DvObject *object);
void dv_words_capture(DvObject *object);
void dv_words_restore(DvObject *object);
/* Whether a field is state by declaration: what a moment, a checkpoint and a saved scene remember of any run, and a reset puts back. */
bool dv_words_is_state(const DvObject *object, const DvData *data);
/* What a run may change, of which moments are made: all but what follows from other fields, and links. */
bool dv_words_may_change(const DvObject *object, const DvData *data);
/* What of it a file must hold: it is state by declaration, or has changed since the object was initialised. */
bool dv_words_has_changed(const DvObject *object, size_t index);

/* moment.c: each object that is saved, those of a node before what is below it, nodes too. */
void dv_words_each_object(const DvNode *node, void (*visit)(void *context, DvObject *object), void *context);
DvStatus dv_words_rebuild(DvScene *scene); /* `restore` of all: fields were put back */

/* again.c: an object in the place of one that has left, not initialised yet; in front of the index-th of its kind in the node. */
DvStatus dv_words_make_again(DvNode *node, DvObject *lost, size_t index, DvObject **made);
/* All that were made, in the order of the graph, and who needs them. */
DvStatus dv_words_init_again(DvScene *scene, DvObject **lost, DvObject **made, size_t count);

/* files.c: a list of texts that its name says to be names of files: shaders, meshes. */
bool dv_words_names_files(const DvField *field);

/* start.c */
void dv_words_keep_first(DvObject *object);
void dv_words_put_first_back(DvObject *object);
void dv_words_forget_first(DvObject *object);
/* The state at the start of the run is that of an object in whose place the other has come. */
void dv_words_hand_first_on(DvObject *object, DvObject *to);

/* output.c: of dv_set_output_folder; interned; NULL: none */
const char *dv_words_output_folder(void);

/* scene_file.c: what the core asks of this layer. */
extern const Words dv_words;

#endif
