/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a file of a finite element program says of a part: points and elements with numbers, in any order, and sets of them. It becomes a
 * mesh when all has been read.
 */
#ifndef DIVAN_IO_MODEL_H
#define DIVAN_IO_MODEL_H

#include "number_map.h"
#include "readers.h"
#include <divan/kit/scanner.h>

enum { MODEL_MOST_NODES = 27, MODEL_DEEPEST = 16 };

typedef struct ModelElement {
    DvMeshKind kind;
    uint32_t first_node, nodes, line;
    bool end_is_third; /* an edge whose second point is in its middle */
} ModelElement;

/* Points or elements by their numbers: first, first + step, ... to last. */
typedef struct ModelRange {
    int64_t first, last, step;
} ModelRange;
typedef struct ModelSet {
    char *name, *instance; /* instance: that it is of alone, of several of its part; or NULL */
    bool of_elements;
    DV_ARRAY(ModelRange) range;
} ModelSet;

typedef struct Model {
    char *name;
    DV_ARRAY(DvPoint3) point;
    NumberMap points, elements;
    DV_ARRAY(int64_t) node; /* of all elements */
    DV_ARRAY(ModelElement) element;
    DV_ARRAY(ModelSet) set;
} Model;

/* How many corners an element of a kind has. */
uint32_t model_corners(DvMeshKind kind);
DV_NODISCARD bool model_add_point(Model *model, int64_t number, const double x[3], uint32_t line, DvMeshReport *report);
/* `nodes` numbers of points, corners first. */
DV_NODISCARD bool model_add_element(Model *model, int64_t number, ModelElement element, const int64_t *nodes,
                                    DvMeshReport *report);
/* The set with this name and kind, new if there is none; of letters, small and capital ones are the same. Valid until another is added. */
ModelSet *model_set(Model *model, DvWord name, DvWord instance, bool of_elements);
/* The set, if it is there; or NULL. */
const ModelSet *model_find_set(const Model *model, DvWord name, bool of_elements);
/* Adds points and elements to a mesh, moved by T (3 x 4, by rows; NULL: as they are). The parts of the mesh, if one is wanted, are looked for
 * among the sets, by their name and by "instance.name". */
DV_NODISCARD bool model_add_to_mesh(const Model *model, const double *T, const char *instance, bool flip, DvMesh *mesh,
                                    DvMeshReport *report);
/* Warns of points that sets name one by one and that are not there. Elements may have been left out, so sets of them may name others. */
void model_check_sets(const Model *model, DvMeshReport *report);
void model_free(Model *model);

/* A number as these programs write it: also 1.5D3, and 1.5+3 without a letter. Nothing else may stand in the word. */
bool model_number(DvWord word, double *value);
bool model_integer(DvWord word, int64_t *value);
/* The next of a line of fields with commas between them, without blanks around it; false at the end of the line. */
bool model_field(DvScanner *line, DvWord *field);
bool word_is_same(DvWord word, const char *text, size_t length); /* small and capital letters are the same */

/* Words that are not read, with how often they are there, for what is said at the end. */
typedef struct Skipped {
    struct SkippedWord {
        char word[16];
        uint32_t count;
    } word[12];
    uint32_t words, others; /* others: that no place is left for */
} Skipped;
void skipped_add(Skipped *skipped, const char *word, size_t length);
void skipped_say(const Skipped *skipped, const char *what, DvMeshReport *report);

#endif
