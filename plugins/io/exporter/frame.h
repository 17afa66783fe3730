/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A scene as it was after a step, copied, so that another thread can write it while the scene goes on.
 */
#ifndef DIVAN_IO_FRAME_H
#define DIVAN_IO_FRAME_H

#include "export_mesh.h"

#include <divan/contracts/scene_export.h>

/* The elements of a part from one change to the next. The thread that writes keeps here what it has made of them. */
typedef struct FrameCells {
    uint32_t users;  /* frames and the part; counted by the scene's thread alone */
    uint32_t number; /* 0 is the first mesh of its part */
    DvElements elements[DV_ELEMENT_KINDS];
    bool is_surface, written; /* no solids; in a file, of formats where meshes have files of their own */
    VtkCells vtk;
    bool has_border;
    DvElements border[DV_ELEMENT_KINDS]; /* of solids: the faces outside, else the faces themselves */
} FrameCells;

/* Numbers over the points or cells of a part. */
typedef struct FrameArray {
    const char *name; /* interned, as all names here */
    uint32_t components;
    bool of_cells;
    size_t tuples, capacity; /* capacity: doubles at `at` */
    double *at;
} FrameArray;

typedef struct FramePart {
    const char *name, *file; /* the path in the scene, and that as part of the name of a file */
    FrameCells *cells;
    uint32_t points;
    FrameArray *array; /* [0]: where the points are */
    uint32_t arrays, capacity;
} FramePart;

typedef struct Frame {
    uint64_t step;
    double time;
    FramePart *part;
    uint32_t parts, capacity;
} Frame;

/* The next part of a frame, and the next array of a part, with memory of earlier ones.     components x tuples doubles */
FramePart *frame_add_part(Frame *frame, const char *name, const char *file, FrameCells *cells, uint32_t points);
double *frame_add_array(FramePart *part, const char *name, uint32_t components, bool of_cells, size_t tuples);
void frame_clear(Frame *frame); /* gives the cells back, keeps the memory */
void frame_free(Frame *frame);

FrameCells *frame_cells_new(const DvElements elements[DV_ELEMENT_KINDS], uint32_t number);
void frame_cells_release(FrameCells *cells); /* NULL is allowed */
/* The part as a mesh, with the elements or with their border; it owns nothing. */
ExportMesh frame_mesh(const FramePart *part, const DvElements elements[DV_ELEMENT_KINDS]);
/* Makes `border`. */
void frame_cells_find_border(FrameCells *cells);

/* ---- What is written of a frame (frame_files.c) ---- */

typedef struct FrameFiles FrameFiles;
struct FrameFiles {
    DvSceneExportOptions options;
    const char *file; /* of the options */
    VtkEncoding encoding;
    DvText stem, folder, name; /* the file without its ending; that of the frames; its last part, in their names */
    DvText index, bytes;       /* the entries of a series so far; scratch */
    bool (*write)(FrameFiles *files, const Frame *frame, DvText *why);
};

/* A format by the ending of a name; NULL: there is none. */
typedef struct FrameFormat {
    const char *ending;
    bool series; /* many frames, with fields */
    bool arrays; /* it needs DV_ARRAY_FILE */
    bool (*write)(FrameFiles *files, const Frame *frame, DvText *why);
} FrameFormat;
extern const FrameFormat frame_formats[]; /* a name of NULL at the end */
const FrameFormat *frame_format_of(const char *file);
bool frame_format_is_there(const FrameFormat *format); /* what it needs */
bool frame_write_bytes(const FrameFiles *files, const char *path, const DvText *bytes, DvText *why);
bool write_xdmf(FrameFiles *files, const Frame *frame, DvText *why);
void xdmf_path_of_frame(const FrameFiles *files, const Frame *frame, DvText *path);

bool frame_files_begin(FrameFiles *files, const DvSceneExportOptions *options, DvText *why);
void frame_files_free(FrameFiles *files);
/* Every file that a frame would be written to, for whoever must know before.     `visit` false: the end */
bool frame_files_each(FrameFiles *files, const Frame *frame, bool (*visit)(void *context, const char *path),
                      void *context);

/* ---- Where frames come from (capture.c) ---- */

typedef struct Capture Capture;
/* What `fields` names, of the states of a scene that have a mesh; NULL with the reason. */
Capture *capture_new(DvScene *scene, const char *fields, bool holds_fields, DvText *why);
void capture_take(Capture *capture, Frame *frame, uint64_t step, double time);
void capture_free(Capture *capture);

#endif
