/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How fast mesh files are read: a ball of 200,000 triangles, or a block of 162,000 tetrahedra, in MB a second of one core's time, the
 * best of five.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <divan/divan.h>

#include "readers.h"

enum { ROUND = 500, ALONG = 200 };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* `digits` of a coordinate; with normals and texture coordinates, or as bare triangles. */
static void write_obj(DvText *text, int digits, bool bare)
{
    for (int j = 0; j <= ALONG; j++)
        for (int i = 0; i < ROUND; i++) {
            const double u = 6.283185 * i / ROUND, v = 3.141592 * j / ALONG;
            const double x = cos(u) * sin(v), y = sin(u) * sin(v), z = cos(v);
            dv_text_add(text, "v %.*g %.*g %.*g\n", digits, x, digits, y, digits, z);
            if (!bare)
                dv_text_add(text, "vn %.4f %.4f %.4f\nvt %.4f %.4f\n", x, y, z, (double)i / ROUND, (double)j / ALONG);
        }
    for (int j = 0; j < ALONG; j++)
        for (int i = 0; i < ROUND; i++) {
            const int a = j * ROUND + i + 1, b = j * ROUND + (i + 1) % ROUND + 1, c = a + ROUND, d = b + ROUND;
            const int corner[2][3] = {{a, b, d}, {a, d, c}};
            for (int k = 0; k < 2; k++) {
                const int *n = corner[k];
                if (bare)
                    dv_text_add(text, "f %d %d %d\n", n[0], n[1], n[2]);
                else
                    dv_text_add(text, "f %d/%d/%d %d/%d/%d %d/%d/%d\n", n[0], n[0], n[0], n[1], n[1], n[1], n[2], n[2],
                                n[2]);
            }
        }
}

static bool opens_nothing(void *context, const char *name, char **bytes, size_t *size)
{
    (void)context, (void)name, (void)bytes, (void)size;
    return false;
}

static int measure(const char *name, int digits, bool bare, bool seams)
{
    DvText text = {0};
    write_obj(&text, digits, bare);
    double best = INFINITY;
    for (int i = 0; i < 5; i++) {
        DvMesh mesh = {0};
        DvMeshReport report = {0};
        const DvMeshOptions options = {.open = opens_nothing, .handle_seams = seams};
        const double begin = seconds();
        if (!dv_mesh_read_obj(text.at, text.length, &options, &mesh, &report))
            return 1;
        best = fmin(best, seconds() - begin);
        dv_mesh_free(&mesh);
    }
    printf("OBJ, %s: %.0f MB/s\n", name, (double)text.length / best * 1e-6);
    dv_text_free(&text);
    return 0;
}

/* ---- Other formats ---- */

typedef struct Sample {
    double (*point)[3];
    uint32_t (*element)[4]; /* triangles: three of them */
    uint32_t points, elements;
} Sample;

static Sample ball(void)
{
    Sample s = {.points = ROUND * (ALONG + 1), .elements = 2 * ROUND * ALONG};
    s.point = dv_alloc(s.points, sizeof *s.point);
    s.element = dv_alloc(s.elements, sizeof *s.element);
    for (uint32_t p = 0; p < s.points; p++) {
        const uint32_t ring = p / ROUND;
        const double u = 6.283185 * (p % ROUND) / ROUND, v = 3.141592 * (0.1 + 0.8 * ring / ALONG);
        s.point[p][0] = cos(u) * sin(v);
        s.point[p][1] = sin(u) * sin(v);
        s.point[p][2] = cos(v);
    }
    for (uint32_t q = 0; q < ROUND * ALONG; q++) {
        const uint32_t a = q, b = q / ROUND * ROUND + (q + 1) % ROUND, c = a + ROUND, d = b + ROUND;
        memcpy(s.element[2 * q], ((uint32_t[4]){a, b, d, 0}), sizeof s.element[0]);
        memcpy(s.element[2 * q + 1], ((uint32_t[4]){a, d, c, 0}), sizeof s.element[0]);
    }
    return s;
}

static Sample block(void)
{
    enum { N = 31 };
    static const uint8_t cut[6][4] = {{0, 5, 1, 7}, {0, 1, 3, 7}, {0, 3, 2, 7},
                                      {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}};
    Sample s = {.points = N * N * N, .elements = 6 * (N - 1) * (N - 1) * (N - 1)};
    s.point = dv_alloc(s.points, sizeof *s.point);
    s.element = dv_alloc(s.elements, sizeof *s.element);
    for (uint32_t p = 0; p < s.points; p++) {
        const uint32_t layer = p / N / N;
        s.point[p][0] = 0.0317 * (p % N);
        s.point[p][1] = 0.0291 * (p / N % N);
        s.point[p][2] = 0.0353 * layer;
    }
    for (uint32_t e = 0; e < s.elements; e++) {
        const uint32_t cell = e / 6, x = cell % (N - 1), y = cell / (N - 1) % (N - 1), z = cell / (N - 1) / (N - 1);
        for (int k = 0; k < 4; k++) {
            const uint32_t c = cut[e % 6][k];
            s.element[e][k] = x + (c & 1) + N * (y + (c >> 1 & 1)) + N * N * (z + (c >> 2));
        }
    }
    return s;
}

static void add_points(DvText *text, const Sample *s, const char *form, bool numbered)
{
    for (uint32_t p = 0; p < s->points; p++) {
        const double *x = s->point[p];
        if (numbered)
            dv_text_add(text, "%u%s", p + 1, *form == '*' ? ", " : " ");
        dv_text_add(text, *form == '*' ? "%.6f, %.6f, %.6f\n" : form, x[0], x[1], x[2]);
    }
}

static void add_bytes(DvText *text, const void *at, size_t size)
{
    dv_text_add_bytes(text, at, size);
}

static void stl_text(DvText *text, const Sample *s)
{
    dv_text_add(text, "solid ball\n");
    for (uint32_t e = 0; e < s->elements; e++) {
        dv_text_add(text, "  facet normal 0 0 1\n    outer loop\n");
        for (int k = 0; k < 3; k++) {
            const double *x = s->point[s->element[e][k]];
            dv_text_add(text, "      vertex %.6g %.6g %.6g\n", x[0], x[1], x[2]);
        }
        dv_text_add(text, "    endloop\n  endfacet\n");
    }
    dv_text_add(text, "endsolid ball\n");
}

static void stl_bytes(DvText *text, const Sample *s)
{
    const char head[80] = "ball";
    add_bytes(text, head, sizeof head);
    add_bytes(text, &s->elements, sizeof s->elements);
    for (uint32_t e = 0; e < s->elements; e++) {
        float facet[12] = {0, 0, 1};
        for (int k = 0; k < 9; k++)
            facet[3 + k] = (float)s->point[s->element[e][k / 3]][k % 3];
        add_bytes(text, facet, sizeof facet);
        add_bytes(text, "\0\0", 2);
    }
}

static void ply(DvText *text, const Sample *s, bool binary)
{
    dv_text_add(text,
                "ply\nformat %s 1.0\nelement vertex %u\nproperty float x\nproperty float y\nproperty float z\n"
                "element face %u\nproperty list uchar int vertex_indices\nend_header\n",
                binary ? "binary_little_endian" : "ascii", s->points, s->elements);
    for (uint32_t p = 0; p < s->points && binary; p++) {
        const float x[3] = {(float)s->point[p][0], (float)s->point[p][1], (float)s->point[p][2]};
        add_bytes(text, x, sizeof x);
    }
    if (!binary)
        add_points(text, s, "%.6g %.6g %.6g\n", false);
    for (uint32_t e = 0; e < s->elements; e++) {
        const uint32_t *n = s->element[e];
        if (binary) {
            add_bytes(text, "\3", 1);
            add_bytes(text, n, 3 * sizeof *n);
        } else {
            dv_text_add(text, "3 %u %u %u\n", n[0], n[1], n[2]);
        }
    }
}

static void ply_text(DvText *text, const Sample *s)
{
    ply(text, s, false);
}

static void ply_bytes(DvText *text, const Sample *s)
{
    ply(text, s, true);
}

static void off_text(DvText *text, const Sample *s)
{
    dv_text_add(text, "OFF\n%u %u 0\n", s->points, s->elements);
    add_points(text, s, "%.6g %.6g %.6g\n", false);
    for (uint32_t e = 0; e < s->elements; e++)
        dv_text_add(text, "3 %u %u %u\n", s->element[e][0], s->element[e][1], s->element[e][2]);
}

static void gmsh_text(DvText *text, const Sample *s)
{
    dv_text_add(text, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%u\n", s->points);
    add_points(text, s, "%.6g %.6g %.6g\n", true);
    dv_text_add(text, "$EndNodes\n$Elements\n%u\n", s->elements);
    for (uint32_t e = 0; e < s->elements; e++) {
        const uint32_t *n = s->element[e];
        dv_text_add(text, "%u 4 2 0 1 %u %u %u %u\n", e + 1, n[0] + 1, n[1] + 1, n[2] + 1, n[3] + 1);
    }
    dv_text_add(text, "$EndElements\n");
}

static void vtk_text(DvText *text, const Sample *s)
{
    dv_text_add(text, "# vtk DataFile Version 3.0\nblock\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS %u double\n",
                s->points);
    add_points(text, s, "%.6g %.6g %.6g\n", false);
    dv_text_add(text, "CELLS %u %u\n", s->elements, 5 * s->elements);
    for (uint32_t e = 0; e < s->elements; e++)
        dv_text_add(text, "4 %u %u %u %u\n", s->element[e][0], s->element[e][1], s->element[e][2], s->element[e][3]);
    dv_text_add(text, "CELL_TYPES %u\n", s->elements);
    for (uint32_t e = 0; e < s->elements; e++)
        dv_text_add(text, "10\n");
}

static void abaqus_text(DvText *text, const Sample *s)
{
    dv_text_add(text, "*NODE\n");
    add_points(text, s, "*", true);
    dv_text_add(text, "*ELEMENT, TYPE=C3D4\n");
    for (uint32_t e = 0; e < s->elements; e++) {
        const uint32_t *n = s->element[e];
        dv_text_add(text, "%u, %u, %u, %u, %u\n", e + 1, n[0] + 1, n[1] + 1, n[2] + 1, n[3] + 1);
    }
}

static void nastran_text(DvText *text, const Sample *s)
{
    dv_text_add(text, "BEGIN BULK\n");
    for (uint32_t p = 0; p < s->points; p++)
        dv_text_add(text, "GRID    %8u        %8.5f%8.5f%8.5f\n", p + 1, s->point[p][0], s->point[p][1],
                    s->point[p][2]);
    for (uint32_t e = 0; e < s->elements; e++) {
        const uint32_t *n = s->element[e];
        dv_text_add(text, "CTETRA  %8u       1%8u%8u%8u%8u\n", e + 1, n[0] + 1, n[1] + 1, n[2] + 1, n[3] + 1);
    }
    dv_text_add(text, "ENDDATA\n");
}

static bool read_stl(const void *bytes, size_t size, const DvMeshOptions *options, DvMesh *mesh, DvMeshReport *report)
{
    (void)options;
    return mesh_read_stl(bytes, size, &(StlOptions){.head = STL_HEAD}, mesh, report);
}

static bool read_gmsh(const void *bytes, size_t size, const DvMeshOptions *options, DvMesh *mesh, DvMeshReport *report)
{
    (void)options;
    return dv_mesh_read_gmsh(bytes, size, mesh, report);
}

static const struct {
    const char *name;
    bool solid;
    void (*write)(DvText *text, const Sample *sample);
    bool (*read)(const void *bytes, size_t size, const DvMeshOptions *options, DvMesh *mesh, DvMeshReport *report);
} formats[] = {
    {"STL, text", false, stl_text, read_stl},
    {"STL, binary", false, stl_bytes, read_stl},
    {"PLY, text", false, ply_text, mesh_read_ply},
    {"PLY, binary", false, ply_bytes, mesh_read_ply},
    {"OFF", false, off_text, mesh_read_off},
    {"Gmsh 2.2, text", true, gmsh_text, read_gmsh},
    {"VTK, legacy text", true, vtk_text, mesh_read_vtk},
    {"Abaqus", true, abaqus_text, mesh_read_abaqus},
    {"Nastran, short fields", true, nastran_text, mesh_read_nastran},
};

static int measure_others(void)
{
    Sample samples[2] = {ball(), block()};
    int failed = 0;
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        DvText text = {0};
        formats[f].write(&text, &samples[formats[f].solid]);
        double best = INFINITY;
        for (int i = 0; i < 5; i++) {
            DvMesh mesh = {0};
            DvMeshReport report = {0};
            const DvMeshOptions options = {.open = opens_nothing};
            const double begin = seconds();
            if (!formats[f].read(text.at, text.length, &options, &mesh, &report)) {
                printf("%s: %s\n", formats[f].name, report.error);
                failed++;
                i = 5;
            }
            best = fmin(best, seconds() - begin);
            dv_mesh_free(&mesh);
        }
        printf("%s: %.1f MB, %.0f MB/s\n", formats[f].name, (double)text.length * 1e-6,
               (double)text.length / best * 1e-6);
        dv_text_free(&text);
    }
    for (int k = 0; k < 2; k++) {
        dv_free(samples[k].point);
        dv_free(samples[k].element);
    }
    return failed;
}

int main(void)
{
    return measure("triangles with normals and texture coordinates", 6, false, false) +
           measure("triangles alone", 6, true, false) + measure("triangles alone, 17 digits", 17, true, false) +
           measure("a vertex for each seam", 6, false, true) + measure_others();
}
