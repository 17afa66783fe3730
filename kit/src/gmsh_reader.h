/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files that read Gmsh meshes share: the file as it is read, its nodes by number, the part of it that is wanted.
 */
#ifndef DIVAN_GMSH_READER_H
#define DIVAN_GMSH_READER_H

#include <divan/kit/mesh.h>
#include <divan/kit/scanner.h>
#include <divan/kit/tuples.h>

#include <inttypes.h>

enum { UNKNOWN_TYPES = 140 };

typedef struct NodeNumber {
    int64_t number;
    uint32_t index;
} NodeNumber;

/* A tag in two halves, as dv_tuples_find_first compares them. */
typedef struct GroupTag {
    uint32_t half[2];
} GroupTag;

/* A physical group, or an entity, by its dimension (-1: any) and number. */
typedef struct Physical {
    int64_t dimension, tag;
} Physical;

typedef struct GmshFile {
    DvScanner text;
    DvMesh *mesh;
    DvMeshReport *report;
    int version; /* 1, 2 or 4 */
    bool binary, swapped;
    DV_ARRAY(NodeNumber) node;             /* sorted by number once all are read */
    DV_ARRAY(GroupTag) tag[DV_MESH_KINDS]; /* of each element */
    DV_ARRAY(Physical) wanted;             /* what the part that is wanted is; entities of format 4 that are in it */
    DV_ARRAY(Physical) member;
    int64_t physical; /* of the element that is read; 0: none */
    bool in_part;     /* format 4: so is the block that is read */
    uint32_t skipped[UNKNOWN_TYPES + 1];
    bool nodes_read, elements_read;
} GmshFile;

bool gmsh_expected(GmshFile *file, const char *what);
bool gmsh_read_integer(GmshFile *file, int64_t *value, const char *what);
/* A number of things, each of at least `bytes` bytes in the rest of the file. */
bool gmsh_read_count(GmshFile *file, int64_t *count, size_t bytes, const char *what);
bool gmsh_take_int(GmshFile *file, int32_t *value);
/* Binary data start after the end of the line. */
void gmsh_skip_line(GmshFile *file);
bool gmsh_find_node(const GmshFile *file, int64_t number, uint32_t *index);
bool gmsh_is_wanted(const GmshFile *file, int64_t dimension, int64_t tag);
bool gmsh_is_member(const GmshFile *file, int64_t dimension, int64_t entity);
/* One group for each tag, in the order in which the tags appear; elements of a group need not follow one another, the
 * first number of a group is the sum of the counts before it. */
void gmsh_make_groups(GmshFile *file, DvMeshKind kind);
bool gmsh_read_elements_text(GmshFile *file);
/* Blocks of a header (type, how many follow, tags) and the elements. */
bool gmsh_read_elements_binary(GmshFile *file);
bool gmsh_read_elements_4(GmshFile *file);
/* Edges that quadratic elements share appear once in format 4; formats 1 and 2 keep one for each element. */
void gmsh_join_edges(GmshFile *file);

#endif
