/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "target.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct Kind {
    const char *endings[6]; /* the first is the one that is added */
    const char *suggested;
} kinds[TARGET_KINDS] = {
    [TARGET_SCENE] = {{".scn", ".xml"}, ".saved"},
    [TARGET_RECORDING] = {{".session"}, ""},
    [TARGET_TABLE] = {{".csv"}, ""},
    [TARGET_LOG] = {{".log", ".txt"}, ""},
    [TARGET_FILM] = {{".mp4"}, ""},
    [TARGET_PICTURE] = {{".png", ".jpg", ".jpeg"}, ""},
    [TARGET_VIEW] = {{".view"}, ""},
};

bool target_fits(TargetKind kind, const char *name)
{
    const char *const *endings = kinds[kind].endings;
    const size_t length = strlen(name);
    for (int i = 0; endings[i]; i++) {
        const size_t own = strlen(endings[i]);
        if (length > own && g_ascii_strcasecmp(name + length - own, endings[i]) == 0 && name[length - own - 1] != '/')
            return true;
    }
    return false;
}

char *target_name(TargetKind kind, const char *name)
{
    return target_fits(kind, name) ? g_strdup(name) : g_strconcat(name, kinds[kind].endings[0], NULL);
}

/* A link that leads nowhere has its name too. */
static bool is_taken(const char *path)
{
    struct stat found;
    return lstat(path, &found) == 0;
}

char *target_suggest(TargetKind kind, const char *folder, const char *scene)
{
    const struct Kind *of = &kinds[kind];
    char *base = g_path_get_basename(scene && *scene ? scene : "scene"), *name = NULL, *path = NULL;
    char *dot = strrchr(base, '.');
    if (dot && dot != base)
        *dot = '\0';
    for (int i = 1; i == 1 || is_taken(path); i++) {
        g_free(name);
        g_free(path);
        name = i == 1 ? g_strconcat(base, of->suggested, of->endings[0], NULL)
                      : g_strdup_printf("%s%s-%d%s", base, of->suggested, i, of->endings[0]);
        path = g_build_filename(folder, name, NULL);
    }
    g_free(path);
    g_free(base);
    return name;
}

static bool is_same_name(const char *a, const char *b)
{
    char *left = realpath(a, NULL), *right = realpath(b, NULL);
    const bool same = left && right && strcmp(left, right) == 0;
    free(left);
    free(right);
    return same;
}

TargetState target_look(TargetKind kind, const char *path, const GPtrArray *reads, DvText *why)
{
    struct stat wanted, found;
    if (stat(path, &wanted) != 0)
        return TARGET_NEW;
    if (S_ISDIR(wanted.st_mode)) {
        dv_text_add(why, "is a folder");
        return TARGET_REFUSED;
    }
    for (guint i = 0; reads && i < reads->len; i++) {
        const char *read = g_ptr_array_index(reads, i);
        if (stat(read, &found) != 0 || found.st_dev != wanted.st_dev || found.st_ino != wanted.st_ino)
            continue;
        if (i == 0 && kind == TARGET_SCENE && is_same_name(path, read))
            return TARGET_EXISTS;
        dv_text_add(why, "is a file that the open scene is made from; choose another name");
        return TARGET_REFUSED;
    }
    return S_ISREG(wanted.st_mode) ? TARGET_EXISTS : TARGET_NEW; /* a FIFO or a device is written through */
}
