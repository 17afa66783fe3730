/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "compliance_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers of files are written as they are in memory");

enum { TILE = 32 };

/* In place, tile by tile, so that both sides of a swap stay in the cache. */
static void transpose(size_t n, double *a)
{
    for (size_t rows = 0; rows < n; rows += TILE)
        for (size_t columns = 0; columns <= rows; columns += TILE)
            for (size_t i = rows; i < n && i < rows + TILE; i++)
                for (size_t j = columns; j < i && j < columns + TILE; j++) {
                    const double swapped = a[i * n + j];
                    a[i * n + j] = a[j * n + i];
                    a[j * n + i] = swapped;
                }
}

static DvStatus check_numbers(const DvObject *object, const char *path, size_t n, const double *c)
{
    for (size_t i = 0; i < n * n; i++)
        if (!isfinite(c[i]))
            return dv_error(object, DV_ERROR_INVALID,
                            "'%s': the number in row %zu, column %zu is not finite; make it anew with recompute=\"1\"",
                            path, i / n, i % n);
    for (size_t i = 0; i < n; i++)
        if (c[i * n + i] < 0.0)
            return dv_error(
                object, DV_ERROR_INVALID,
                "'%s' is no compliance: a force on unknown %zu would move it backwards (%g); make it anew with "
                "recompute=\"1\"",
                path, i, c[i * n + i]);
    return DV_OK;
}

static DvStatus read_from(const DvObject *object, const char *path, FILE *file, size_t n, double *columns)
{
    const uint64_t wanted = (uint64_t)n * n * sizeof *columns;
    struct stat info;
    if (fstat(fileno(file), &info) != 0)
        return dv_error(object, DV_ERROR_IO, "cannot read '%s': %s", path, strerror(errno));
    if ((uint64_t)info.st_size != wanted)
        return dv_error(
            object, DV_ERROR_INVALID,
            "'%s' is of another body: it has %llu bytes, the compliance of %zu unknowns has %llu; make it anew "
            "with recompute=\"1\"",
            path, (unsigned long long)info.st_size, n, (unsigned long long)wanted);
    if (fread(columns, sizeof *columns, n * n, file) != n * n)
        return dv_error(object, DV_ERROR_IO, "cannot read '%s' to its end", path);
    const DvStatus status = check_numbers(object, path, n, columns);
    transpose(n, columns);
    return status;
}

DvStatus compliance_file_read(const DvObject *object, const char *path, size_t n, double *columns)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return dv_error(object, DV_ERROR_IO, "cannot read '%s': %s", path, strerror(errno));
    const DvStatus status = read_from(object, path, file, n, columns);
    fclose(file);
    return status;
}

DvStatus compliance_file_write(DvScene *scene, const char *path, size_t n, double *columns, DvText *why)
{
    transpose(n, columns);
    const DvStatus status = dv_scene_output_update(scene, path, columns, n * n * sizeof *columns, why);
    transpose(n, columns);
    return status;
}
