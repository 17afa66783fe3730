/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What to say of fields that would depend on themselves: all of them, in order, and where the circle can be opened.
 */
#include "words.h"

enum { MANY = 24 }; /* members: of more, those in the middle are counted */

static void add_field(DvText *text, const DvData *data)
{
    char *path = dv_words_data_path(data);
    dv_text_add(text, "'%s' (%s)", path, data->owner->cls->name);
    g_free(path);
}

static void add_members(DvText *text, const List *circle)
{
    for (uint32_t i = 0; i < circle->len; i++) {
        if (circle->len > MANY && i == MANY / 2) {
            i = circle->len - MANY / 2;
            dv_text_add(text, "... %u more ... -> ", circle->len - MANY);
        }
        add_field(text, dv_private_at(circle, i));
        dv_text_add(text, " -> ");
    }
    add_field(text, dv_private_at(circle, 0));
}

/* A field that takes the value of another can take another one; what is computed within a component cannot. */
static void add_remedy(DvText *text, const List *circle, bool follows)
{
    unsigned links = 0;
    for (uint32_t i = 0; i < circle->len; i++) {
        const DvData *data = dv_private_at(circle, i);
        const bool is_link = i ? dv_data_parent(data) == dv_private_at(circle, i - 1) : follows;
        if (!is_link || ++links > MANY)
            continue;
        char *path = dv_words_data_path(data);
        dv_text_add(text, "%s'%s'", links == 1 ? "; the cycle ends when " : " or ", path);
        g_free(path);
    }
    dv_text_add(text, links ? " is given another value" : "; the cycle ends when one of these components goes");
}

void dv_words_say_circle(const List *circle, bool follows)
{
    const DvData *child = dv_private_at(circle, 0), *parent = dv_private_at(circle, circle->len - 1);
    char *from = dv_words_data_path(child), *to = dv_words_data_path(parent);
    DvText text = {0};
    dv_text_add(&text, "'%s' cannot %s '%s', which itself depends on it: ", from,
                follows ? "follow" : "be computed from", to);
    add_members(&text, circle);
    add_remedy(&text, circle, follows);
    dv_field_error(child, -1, "%s", text.at);
    dv_text_free(&text);
    g_free(from);
    g_free(to);
}
