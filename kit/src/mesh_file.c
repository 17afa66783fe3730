/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whole files in memory. The size is taken from the open file, so that a file that is exchanged meanwhile does no harm. Before a large one
 * is read as a mesh, what the mesh may take is asked for.
 */
#include <divan/kit/mesh_file.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* By its byte order mark. */
static bool is_utf16(const char *bytes, size_t size)
{
    return size >= 2 && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0);
}

static const double mebi = 1 << 20;

/* Bytes of text behind a blank. They are counted in bytes, 255 at once, so that a compiler takes many in one operation. */
static size_t words_in(const unsigned char *text, size_t size)
{
    enum { AT_ONCE = 255 };
    size_t words = 0;
    for (size_t from = 1; from < size; from += AT_ONCE) {
        const size_t end = size - from < AT_ONCE ? size : from + AT_ONCE;
        uint8_t some = 0;
        for (size_t i = from; i < end; i++)
            some = (uint8_t)(some + (uint8_t)((text[i - 1] <= ' ') & (text[i] > ' ')));
        words += some;
    }
    return words;
}

/* What is made of a file at most, while it is read and as long as its mesh is there: arrays that grow take twice what they hold, and half
 * of that once more while they do. */
static double bytes_of_mesh(const char *bytes, size_t size)
{
    const double of_word = 48.0, of_byte = 6.0; /* of text and of binary files, as measured over all formats */
    const double text = of_word * (double)words_in((const unsigned char *)bytes, size), binary = of_byte * (double)size;
    return text > binary ? text : binary;
}

static bool has_room(const char *bytes, size_t size, char reason[128])
{
    const double needed = size < (size_t)mebi ? 0.0 : bytes_of_mesh(bytes, size);
    if (dv_memory_has_room(needed))
        return true;
    snprintf(reason, 128,
             "there is no room in memory for its mesh: up to %.0f MiB are needed; cut it into smaller ones",
             needed / mebi);
    return false;
}

static void forget(char **bytes)
{
    dv_free(*bytes);
    *bytes = NULL;
}

bool dv_mesh_file_read(const char *path, char **bytes, size_t *size, char reason[128])
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
    } else if ((uint64_t)status.st_size > DV_MESH_LARGEST_FILE) {
        snprintf(reason, 128, "it is larger than 2 GiB");
    } else {
        *bytes = dv_try_alloc((size_t)status.st_size, 1);
        *size = *bytes ? fread(*bytes, 1, (size_t)status.st_size, file) : 0;
        if (!*bytes) {
            snprintf(reason, 128, "there is no room in memory for its %.0f MiB; cut it into smaller ones",
                     (double)status.st_size / mebi);
        } else if (*size == 0) {
            snprintf(reason, 128, "it cannot be read");
            forget(bytes);
        } else if (is_utf16(*bytes, *size)) {
            snprintf(reason, 128, "it is text in UTF-16; save it in UTF-8");
            forget(bytes);
        } else if (!has_room(*bytes, *size, reason)) {
            forget(bytes);
        }
    }
    if (file)
        fclose(file);
    return *bytes != NULL;
}

char *dv_mesh_file_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    char *folder = dv_alloc(length + 1, 1);
    memcpy(folder, path, length);
    return folder;
}

bool dv_mesh_file_open_beside(void *path, const char *name, char **bytes, size_t *size)
{
    char *folder = dv_mesh_file_folder(name[0] == '/' ? "" : path), reason[128];
    const size_t length = strlen(folder) + strlen(name) + 1;
    char *beside = dv_alloc(length, 1);
    snprintf(beside, length, "%s%s", folder, name);
    const bool found = dv_mesh_file_read(beside, bytes, size, reason);
    dv_free(beside);
    dv_free(folder);
    return found;
}
