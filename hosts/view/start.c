/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is seen while no scene is open: files that were open lately, and the scenes that come with Divan, each with its picture
 * (pictures/NAME.png beside NAME.scn).
 */
#include "view.h"

#include <divan/build.h>
#include <divan/contracts/image.h>

#include <epoxy/gl.h>

enum { CARD_WIDTH = 210, CARD_HEIGHT = 140, RECENT_SHOWN = 5 };

typedef struct Card {
    char *file, *name;
    GLuint picture; /* 0: none */
} Card;

struct Start {
    GArray *cards; /* Card, in the order of their names */
};

static GLuint load_picture(const char *path)
{
    const DvImagesOps *images = dv_service(DV_IMAGES);
    DvImage image = {0};
    DvText why = {0};
    GLuint texture = 0;
    if (images && images->read(path, &image, &why) == DV_OK) {
        glGenTextures(1, &texture);
        glBindTexture(GL_TEXTURE_2D, texture);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, (GLsizei)image.width, (GLsizei)image.height, 0, GL_RGBA,
                     GL_UNSIGNED_BYTE, image.pixels);
        glGenerateMipmap(GL_TEXTURE_2D);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
        images->free(&image);
    }
    dv_text_free(&why);
    return texture;
}

static void add_card(GArray *cards, const char *folder, const char *entry)
{
    char *name = g_strndup(entry, strlen(entry) - strlen(".scn"));
    char *picture = g_strdup_printf("%s/pictures/%s.png", folder, name);
    const Card card = {g_build_filename(folder, entry, NULL), g_strdelimit(name, "_", ' '), load_picture(picture)};
    g_array_append_val(cards, card);
    g_free(picture);
}

static gint by_name(gconstpointer a, gconstpointer b)
{
    return g_strcmp0(((const Card *)a)->name, ((const Card *)b)->name);
}

static Start *start_new(void)
{
    Start *start = g_new0(Start, 1);
    start->cards = g_array_new(FALSE, FALSE, sizeof(Card));
    /* Scenes of this name may lie anywhere, pictures of it only beside ours. */
    char *found = dv_find_file("pictures/pendulum.png", NULL);
    char *path = found ? g_strconcat(found, "/../..", NULL) : NULL;
    char *folder = path ? g_canonicalize_filename(path, NULL) : NULL;
    GDir *directory = folder ? g_dir_open(folder, 0, NULL) : NULL;
    for (const char *entry; directory && (entry = g_dir_read_name(directory));)
        if (g_str_has_suffix(entry, ".scn"))
            add_card(start->cards, folder, entry);
    g_array_sort(start->cards, by_name);
    if (directory)
        g_dir_close(directory);
    g_free(folder);
    g_free(path);
    dv_free(found);
    return start;
}

void start_close(View *view)
{
    for (guint i = 0; view->start && i < view->start->cards->len; i++) {
        Card *card = &g_array_index(view->start->cards, Card, i);
        glDeleteTextures(1, &card->picture);
        g_free(card->file);
        g_free(card->name);
    }
    if (view->start)
        g_array_free(view->start->cards, TRUE);
    g_free(view->start);
    view->start = NULL;
}

/* A copy: opening a file changes the list. */
static char *draw_recent(const View *view)
{
    char *chosen = NULL;
    if (view->recent[0])
        ui_heading("Recent");
    for (int i = 0; i < RECENT_SHOWN && view->recent[i]; i++)
        if (ui_selectable(view->recent[i], false))
            chosen = g_strdup(view->recent[i]);
    return chosen;
}

static char *draw_cards(const View *view, float width)
{
    const GArray *cards = view->start->cards;
    const guint columns = (guint)fmaxf(1, floorf(width / (CARD_WIDTH + 12)));
    char *chosen = NULL;
    if (cards->len)
        ui_heading("Scenes that come with Divan");
    for (guint i = 0; i < cards->len; i++) {
        const Card *card = &g_array_index(cards, Card, i);
        if (i % columns)
            ui_same_line(0);
        if (ui_card(card->file, card->picture, CARD_WIDTH, CARD_HEIGHT, card->name))
            chosen = g_strdup(card->file);
        ui_tooltip(card->file);
    }
    return chosen;
}

void start_draw(View *view, UiBox box)
{
    if (!view->start)
        view->start = start_new();
    char *chosen = NULL;
    if (ui_panel_begin("##start", box, true, true)) {
        if (ui_button("Open a scene..."))
            dialogs_files(view, FILE_OPEN);
        ui_same_line(0);
        ui_text(UI_DIM, "or drop one here. F1 lists all shortcuts.");
        chosen = draw_recent(view);
        char *card = draw_cards(view, ui_width_left());
        chosen = chosen ? chosen : card;
    }
    ui_panel_end();
    if (chosen)
        view_open(view, chosen);
    g_free(chosen);
}
