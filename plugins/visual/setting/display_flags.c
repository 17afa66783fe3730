/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "display_flags.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <divan/log.h>

const DisplayBranch display_branches[DISPLAY_BRANCHES] = {
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

void display_flags_decide(const bool show[DISPLAY_BRANCHES], const bool hide[DISPLAY_BRANCHES],
                          signed char flags[DV_DISPLAY_FLAGS])
{
    signed char decided[DISPLAY_BRANCHES] = {0};
    for (int i = 0; i < DISPLAY_BRANCHES; i++) { /* a decided parent decides its children */
        const int parent = display_branches[i].parent;
        decided[i] = parent >= 0 && decided[parent] ? decided[parent] : show[i] ? 1 : hide[i] ? -1 : 0;
        if (display_branches[i].leaf >= 0)
            flags[display_branches[i].leaf] = decided[i];
    }
}

enum { WORD_MOST = 40 };

static DvStatus no_flag(const char *word, DvText *why)
{
    const char *candidates[DISPLAY_BRANCHES];
    for (int i = 0; i < DISPLAY_BRANCHES; i++)
        candidates[i] = display_branches[i].word;
    const char *closest = dv_closest(word, candidates, DISPLAY_BRANCHES);
    dv_text_add(why, "no display flag '%s'", word);
    if (closest)
        dv_text_add(why, "; did you mean '%s'?", closest);
    else
        dv_text_add(why, "; those are");
    for (int i = 0; i < DISPLAY_BRANCHES && !closest; i++)
        dv_text_add(why, "%s %s", i ? "," : "", display_branches[i].word);
    return DV_ERROR_INVALID;
}

DvStatus display_flags_read(const char *words, signed char flags[DV_DISPLAY_FLAGS], DvText *why)
{
    static const char between[] = " ,\t\n";
    bool show[DISPLAY_BRANCHES] = {false}, hide[DISPLAY_BRANCHES] = {false};
    signed char decided[DV_DISPLAY_FLAGS] = {0};
    for (const char *at = words + strspn(words, between); *at; at += strspn(at, between)) {
        char word[WORD_MOST];
        const size_t length = strcspn(at, between);
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), at);
        const bool hides = strncasecmp(word, "hide", 4) == 0;
        const char *rest = hides || strncasecmp(word, "show", 4) == 0 ? word + 4 : word;
        int found = 0;
        while (found < DISPLAY_BRANCHES && strcasecmp(rest, display_branches[found].word) != 0)
            found++;
        if (found == DISPLAY_BRANCHES)
            return no_flag(word, why);
        (hides ? hide : show)[found] = true;
        at += length;
    }
    display_flags_decide(show, hide, decided);
    for (int i = 0; i < DV_DISPLAY_FLAGS; i++)
        if (decided[i])
            flags[i] = decided[i];
    return DV_OK;
}
