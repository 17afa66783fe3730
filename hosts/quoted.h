/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Words in quotes, as the lines of session files have them.
 */
#ifndef DIVAN_HOSTS_QUOTED_H
#define DIVAN_HOSTS_QUOTED_H

#include <glib.h>
#include <string.h>

/* A new string of what stands in quotes; *at moves behind it. NULL: nothing does. */
static inline char *read_quoted(const char **at)
{
    const char *begin = *at + strspn(*at, " ");
    if (*begin != '"')
        return NULL;
    const char *end = ++begin;
    while (*end && *end != '"')
        end += *end == '\\' && end[1] ? 2 : 1;
    if (!*end)
        return NULL;
    char *escaped = g_strndup(begin, (gsize)(end - begin)), *text = g_strcompress(escaped);
    g_free(escaped);
    *at = end + 1;
    return text;
}

#endif
