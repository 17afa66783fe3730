/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Why damaged mesh files are refused: small files of each format that end at every place, and that have a wrong letter at every place, with what
 * is said of them then, in tests/topology/golden/mesh_reasons.txt. Where that differs, what is said now is written to the working
 * folder, to look at, and to be kept if it is what is meant.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mesh_text.h"
#include <divan/memory.h>

typedef enum Format { GMSH, OBJ, VTK } Format;

static void ignore_warning(void *context, const char *text)
{
    (void)context, (void)text;
}

static void add_reason(Format format, const char *bytes, size_t size, DvText *reason)
{
    DvMesh mesh = {0};
    DvMeshReport report = {.warn = ignore_warning};
    const DvMeshOptions options = {0};
    char *copy = dv_alloc(size, 1); /* without a zero behind it */
    if (size > 0)
        memcpy(copy, bytes, size);
    const bool good = format == GMSH  ? dv_mesh_read_gmsh(copy, size, &mesh, &report)
                      : format == OBJ ? dv_mesh_read_obj(copy, size, &options, &mesh, &report)
                                      : mesh_read_vtk(copy, size, &options, &mesh, &report);
    dv_text_add(reason, "%s", good ? "is read" : report.error);
    dv_mesh_free(&mesh);
    dv_free(copy);
}

/* Places in a row of which the same is said are one line. */
static void tell(DvText *all, size_t first, size_t last, const char *reason)
{
    dv_text_add(all, "  %zu", first);
    if (last > first)
        dv_text_add(all, "-%zu", last);
    dv_text_add(all, ": %s\n", reason);
}

static void tell_damages(DvText *all, const char *name, Format format, const char *bytes, size_t size)
{
    static const char *const damages[] = {"ends", "x", "9"};
    char damaged[2048];
    assert_true(size <= sizeof damaged);
    for (int wrong = 0; wrong < 3; wrong++) {
        DvText before = {0};
        size_t first = 0;
        dv_text_add(all, "%s, %s at\n", name, damages[wrong]);
        for (size_t at = 0; at < size; at++) {
            DvText now = {0};
            memcpy(damaged, bytes, size);
            damaged[at] = wrong == 1 ? 'x' : '9';
            add_reason(format, damaged, wrong ? size : at, &now);
            if (before.at && strcmp(before.at, now.at) != 0) {
                tell(all, first, at - 1, before.at);
                first = at;
            }
            dv_text_free(&before);
            before = now;
        }
        tell(all, first, size - 1, before.at);
        dv_text_free(&before);
    }
}

static size_t binary_gmsh(char *bytes)
{
    size_t size = 0;
    const int32_t one = 1, blocks[] = {4, 1, 2, 1, 0, 5, 1, 2, 3, 4, 2, 2, 1, 2, 9, 2, 3, 4, 3, 8, 4, 3, 1};
    size += (size_t)sprintf(bytes, "$MeshFormat\n2.2 1 8\n");
    memcpy(bytes + size, &one, sizeof one);
    size += sizeof one;
    size += (size_t)sprintf(bytes + size, "\n$EndMeshFormat\n$Nodes\n4\n");
    for (int32_t i = 1; i <= 4; i++) {
        const double place[3] = {i, 0.25 * i, 7};
        memcpy(bytes + size, &i, sizeof i);
        memcpy(bytes + size + sizeof i, place, sizeof place);
        size += sizeof i + sizeof place;
    }
    size += (size_t)sprintf(bytes + size, "\n$EndNodes\n$Elements\n3\n");
    memcpy(bytes + size, blocks, sizeof blocks);
    size += sizeof blocks;
    return size + (size_t)sprintf(bytes + size, "\n$EndElements\n");
}

static char *contents_of(const char *path)
{
    FILE *file = fopen(path, "r");
    enum { ROOM = 1 << 20 };
    char *text = dv_alloc(ROOM, 1);
    if (file) {
        assert_true(fread(text, 1, ROOM - 1, file) < ROOM - 1);
        fclose(file);
    }
    return text;
}

static void damaged_files_are_refused_for_the_reasons_that_were_kept(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
        Format format;
    } files[] = {
        {"Gmsh 1", "$NOD\n3\n3 0 0 0\n1 1 0 0\n5 0 1 0\n$ENDNOD\n$ELM\n2\n1 2 7 3 3 3 1 5\n2 1 7 5 2 1 3\n$ENDELM\n",
         GMSH},
        {"Gmsh 2",
         "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 2 0 0\n$EndNodes\n$Elements\n2\n"
         "1 1 2 1 7 1 2\n2 2 0 1 2 3\n$EndElements\n",
         GMSH},
        {"Gmsh 4",
         "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n2 4 1 9\n2 1 0 3\n7\n8\n9\n0 0 0\n1 0 0\n0 1 0\n3 2 1 1\n1\n"
         "0 0 1 .1 .2 .3\n$EndNodes\n$Elements\n1 1 1 1\n3 2 4 1\n1 7 8 9 1\n$EndElements\n",
         GMSH},
        {"OBJ", "v 0 0 0\nv 1 0 0\nv 0 1 0 # last\nvt .5 .5\nvn 0 0 1\ng a b\nf 1/1/1 2//1 3\nl 1 2 -1\np 3\n", OBJ},
        {"VTK",
         "# vtk DataFile Version 3.0\nname\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\n"
         "CELLS 2 9\n4 0 1 2 3\n3 0 1 2\nCELL_TYPES 2\n10 5\nPOINT_DATA 4\nSCALARS s int 1\nLOOKUP_TABLE default\n1 2 3 4\n"
         "CELL_DATA 2\nVECTORS v double\n1 2 3 4 5 6\n",
         VTK},
    };
    DvText all = {0};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        tell_damages(&all, files[i].name, files[i].format, files[i].text, strlen(files[i].text));
    char bytes[1024], path[512];
    const size_t size = binary_gmsh(bytes);
    tell_damages(&all, "Gmsh 2, binary", GMSH, bytes, size);
    snprintf(path, sizeof path, "%s/tests/topology/golden/mesh_reasons.txt", getenv("DIVAN_TEST_SOURCE_ROOT"));
    char *kept = contents_of(path);
    if (strcmp(kept, all.at) != 0) {
        FILE *file = fopen("mesh_reasons.txt", "w");
        if (file) {
            fputs(all.at, file);
            fclose(file);
        }
        fail_msg("%s differs from what is said now, see mesh_reasons.txt", path);
    }
    dv_free(kept);
    dv_text_free(&all);
}

static void versions_of_gmsh_have_bounds(void **state)
{
    (void)state;
    static const struct {
        const char *version;
        bool good;
    } cases[] = {{"1.9", false}, {"2", true},     {"2.0", true}, {"2.999", true}, {"3", false}, {"3.9", false},
                 {"4", false},   {"4.09", false}, {"4.1", true}, {"4.99", true},  {"5", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        DvText file = {0}, reason = {0}, expected = {0};
        dv_text_add(&file, "$MeshFormat\n%s 0 8\n$EndMeshFormat\n", cases[i].version);
        add_reason(GMSH, file.at, file.length, &reason);
        if (cases[i].good)
            dv_text_add(&expected, "line 4: the file ends without a list of nodes");
        else
            dv_text_add(&expected,
                        "line 2: format '%s' is not read; save the mesh with 'gmsh -format msh41' or 'msh22'",
                        cases[i].version);
        assert_string_equal(reason.at, expected.at);
        dv_text_free(&file);
        dv_text_free(&reason);
        dv_text_free(&expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(damaged_files_are_refused_for_the_reasons_that_were_kept),
                                       cmocka_unit_test(versions_of_gmsh_have_bounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
