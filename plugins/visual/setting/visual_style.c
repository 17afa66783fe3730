/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VisualStyle: which kinds of things are shown in its node and below.
 *
 * The words form a tree (all; visual, behavior, collision, mapping; leaves). They are applied from the root of the tree down: a word
 * decides its whole branch, and nothing below a branch that is decided is looked at; so `showAll hideVisualModels` hides nothing.
 * Of the two words of one branch, show wins. The order of the words does not matter.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <divan/contracts/visual.h>

typedef struct VisualStyle {
    DvData display_flags;
    uint64_t version; /* of the words the flags below come from */
    signed char flags[DV_DISPLAY_FLAGS];
} VisualStyle;

/* The tree, parents before children; `leaf` is -1 for a branch. */
static const struct Branch {
    const char *word;
    int parent, leaf;
} branches[] = {
    {"All", -1, -1},
    {"Visual", 0, -1},
    {"VisualModels", 1, DV_DISPLAY_VISUAL_MODELS},
    {"Behavior", 0, -1},
    {"BehaviorModels", 3, DV_DISPLAY_BEHAVIOR_MODELS},
    {"ForceFields", 3, DV_DISPLAY_FORCE_FIELDS},
    {"InteractionForceFields", 3, DV_DISPLAY_INTERACTION_FORCE_FIELDS},
    {"Collision", 0, -1},
    {"CollisionModels", 7, DV_DISPLAY_COLLISION_MODELS},
    {"BoundingCollisionModels", 7, DV_DISPLAY_BOUNDING_COLLISION_MODELS},
    {"DetectionOutputs", 7, DV_DISPLAY_DETECTION_OUTPUTS},
    {"Mapping", 0, -1},
    {"Mappings", 11, DV_DISPLAY_MAPPINGS},
    {"MechanicalMappings", 11, DV_DISPLAY_MECHANICAL_MAPPINGS},
    {"Options", -1, -1},
    {"AdvancedRendering", 14, DV_DISPLAY_ADVANCED_RENDERING},
    {"Wireframe", 14, DV_DISPLAY_WIREFRAME},
    {"Normals", 14, DV_DISPLAY_NORMALS},
};
enum { BRANCHES = sizeof branches / sizeof branches[0] };

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
        for (int i = 0; i < BRANCHES; i++) {
            if (strcasecmp(rest, branches[i].word) != 0)
                continue;
            if (strcmp(rest, branches[i].word) != 0 || !islower((unsigned char)word[0]))
                dv_field_remark(&self->display_flags, -1, "'%s' is written '%s%s'", word, *shows ? "show" : "hide",
                                branches[i].word);
            return i;
        }
        if (strcasecmp(rest, "Root") == 0)
            return BRANCHES; /* known, without effect */
    }
    return -1;
}

static void warn_of_unknown(VisualStyle *self, const char *word)
{
    enum { LENGTH = 40 };
    char words[2 * BRANCHES][LENGTH];
    const char *candidates[2 * BRANCHES];
    for (size_t i = 0; i < BRANCHES; i++)
        for (size_t hide = 0; hide < 2; hide++) {
            char *at = words[2 * i + hide];
            snprintf(at, LENGTH, "%s%s", hide ? "hide" : "show", branches[i].word);
            candidates[2 * i + hide] = at;
        }
    const char *closest = dv_closest(word, candidates, 2 * (size_t)BRANCHES);
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
    bool show[BRANCHES] = {false}, hide[BRANCHES] = {false};
    for (size_t i = 0; i < count; i++) {
        bool shows;
        const int branch = branch_of(self, words[i], &shows);
        if (branch < 0)
            warn_of_unknown(self, words[i]);
        else if (branch < BRANCHES)
            (shows ? show : hide)[branch] = true;
    }
    signed char decided[BRANCHES] = {0};
    for (int i = 0; i < BRANCHES; i++) { /* a decided parent decides its children */
        const int parent = branches[i].parent;
        decided[i] = parent >= 0 && decided[parent] ? decided[parent] : show[i] ? 1 : hide[i] ? -1 : 0;
        if (branches[i].leaf >= 0)
            self->flags[branches[i].leaf] = decided[i];
    }
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
