/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How fast the reader of OBJ is: a ball of 200,000 triangles in MB a second of one core's time, the
 * best of five.
 */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include <divan/divan.h>
#include <divan/kit/mesh.h>

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

int main(void)
{
    return measure("triangles with normals and texture coordinates", 6, false, false) +
           measure("triangles alone", 6, true, false) + measure("triangles alone, 17 digits", 17, true, false) +
           measure("a vertex for each seam", 6, false, true);
}
