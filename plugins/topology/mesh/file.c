/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whole files in memory. The size is taken from the open file, so that a file that is exchanged meanwhile does no harm.
 */
#include "file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* By its byte order mark. */
static bool is_utf16(const char *bytes, size_t size)
{
    return size >= 2 && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0);
}

bool file_read(const char *path, char **bytes, size_t *size, char reason[128])
{
    FILE *file = fopen(path, "rb");
    struct stat status;
    *bytes = NULL;
    *size = 0;
    if (!file || fstat(fileno(file), &status) != 0) {
        snprintf(reason, 128, "%s", strerror(errno));
    } else if (!S_ISREG(status.st_mode)) {
        snprintf(reason, 128, "it is no file");
    } else if (status.st_size == 0) {
        snprintf(reason, 128, "it is empty");
    } else if ((uint64_t)status.st_size > MESH_LARGEST_FILE) {
        snprintf(reason, 128, "it is larger than 2 GiB");
    } else {
        *bytes = dv_alloc((size_t)status.st_size, 1);
        *size = fread(*bytes, 1, (size_t)status.st_size, file);
        if (*size == 0) {
            snprintf(reason, 128, "it cannot be read");
            dv_free(*bytes);
            *bytes = NULL;
        } else if (is_utf16(*bytes, *size)) {
            snprintf(reason, 128, "it is text in UTF-16; save it in UTF-8");
            dv_free(*bytes);
            *bytes = NULL;
        }
    }
    if (file)
        fclose(file);
    return *bytes != NULL;
}

char *file_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    char *folder = dv_alloc(length + 1, 1);
    memcpy(folder, path, length);
    return folder;
}

bool file_open_beside(void *path, const char *name, char **bytes, size_t *size)
{
    char *folder = file_folder(name[0] == '/' ? "" : path), reason[128];
    const size_t length = strlen(folder) + strlen(name) + 1;
    char *beside = dv_alloc(length, 1);
    snprintf(beside, length, "%s%s", folder, name);
    const bool found = file_read(beside, bytes, size, reason);
    dv_free(beside);
    dv_free(folder);
    return found;
}
