/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VisualStyle: which kinds of things are shown in its node and below.
 *
 * How words go together is in display_flags.h.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <divan/contracts/visual.h>

#include "display_flags.h"

typedef struct VisualStyle {
    DvData display_flags;
    uint64_t version; /* of the words the flags below come from */
    signed char flags[DV_DISPLAY_FLAGS];
} VisualStyle;

/* The branch a word names and whether it shows it; -1 when it names none. Letter case is forgiven with a warning. */
static int branch_of(VisualStyle *self, const char *word, bool *shows)
{
    *shows = strncasecmp(word, "show", 4) == 0;
    const char *rest = word + 4;
    if (*shows || strncasecmp(word, "hide", 4) == 0) {
        if (strcasecmp(rest, "Rendering") == 0) {
            dv_field_remark(&self->display_flags, -1, "'%s' is now called '%.4sAdvancedRendering'", word, word);
            rest = "AdvancedRendering";
        }
        for (int i = 0; i < DISPLAY_BRANCHES; i++) {
            if (strcasecmp(rest, display_branches[i].word) != 0)
                continue;
            if (strcmp(rest, display_branches[i].word) != 0 || !islower((unsigned char)word[0]))
                dv_field_remark(&self->display_flags, -1, "'%s' is written '%s%s'", word, *shows ? "show" : "hide",
                                display_branches[i].word);
            return i;
        }
        if (strcasecmp(rest, "Root") == 0)
            return DISPLAY_BRANCHES; /* known, without effect */
    }
    return -1;
}

static void warn_of_unknown(VisualStyle *self, const char *word)
{
    enum { LENGTH = 40 };
    char words[2 * DISPLAY_BRANCHES][LENGTH];
    const char *candidates[2 * DISPLAY_BRANCHES];
    for (size_t i = 0; i < DISPLAY_BRANCHES; i++)
        for (size_t hide = 0; hide < 2; hide++) {
            char *at = words[2 * i + hide];
            snprintf(at, LENGTH, "%s%s", hide ? "hide" : "show", display_branches[i].word);
            candidates[2 * i + hide] = at;
        }
    const char *closest = dv_closest(word, candidates, 2 * (size_t)DISPLAY_BRANCHES);
    dv_field_remark(&self->display_flags, -1, "no display flag '%s'%s%s%s", word, closest ? "; did you mean '" : "",
                    closest ? closest : "", closest ? "'?" : "");
}

static void read_flags(VisualStyle *self)
{
    size_t count;
    char *const *words = dv_data_strings(&self->display_flags, &count);
    if (self->version == dv_data_version(&self->display_flags))
        return;
    self->version = dv_data_version(&self->display_flags);
    bool show[DISPLAY_BRANCHES] = {false}, hide[DISPLAY_BRANCHES] = {false};
    for (size_t i = 0; i < count; i++) {
        bool shows;
        const int branch = branch_of(self, words[i], &shows);
        if (branch < 0)
            warn_of_unknown(self, words[i]);
        else if (branch < DISPLAY_BRANCHES)
            (shows ? show : hide)[branch] = true;
    }
    display_flags_decide(show, hide, self->flags);
}

static void merge(void *object, signed char *flags)
{
    VisualStyle *self = object;
    read_flags(self);
    for (int i = 0; i < DV_DISPLAY_FLAGS; i++)
        if (self->flags[i])
            flags[i] = self->flags[i];
}

static DvStatus init(DvObject *object, void *self)
{
    (void)object;
    read_flags(self);
    return DV_OK;
}

static const DvField fields[] = {
    DV_FIELD(VisualStyle, display_flags, "displayFlags", dv_type_strings, .flags = DV_FIELD_DRAWING,
             .help = "words such as showVisualModels, hideForceFields, showBehavior, showAll"),
    {0},
};

static const DvVisualStyleOps ops = {.size = sizeof ops, .merge = merge};

const DvClass dv_visual_style = {
    .size = sizeof(DvClass),
    .name = "VisualStyle",
    .family = "visual models",
    .module = "Sofa.Component.Visual",
    .help = "Which kinds of things are shown in its node and below.",
    .instance_size = sizeof(VisualStyle),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_VISUAL_STYLE, .ops = &ops, .slot = true}, {0}},
    .init = init,
};
