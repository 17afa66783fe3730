/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "penalty_watch.h"

#include "mobility.h"

#include <divan/contracts/collision.h>
#include <divan/memory.h>
#include <divan/scene.h>

#include <math.h>
#include <stdio.h>

enum { REMEDY_TEXT = 192 };

static PenaltyWords *words_of(const DvNode *node)
{
    static const char key;
    return dv_scene_local(dv_node_scene(node), &key, sizeof(PenaltyWords));
}

void penalty_watch_forget(const DvNode *node)
{
    PenaltyWords *words = words_of(node);
    words->stiffness = words->energy = false;
    words->judged = 0;
}

void penalty_watch_begin(PenaltyWatch *watch, const DvObject *response, const DvObject *const states[2])
{
    DvNode *node = dv_object_node(response);
    if (!node || watch->words)
        return;
    watch->words = words_of(node);
    PairWork *work = watch->words->pairs;
    while (work && !(work->state[0] == states[0] && work->state[1] == states[1]) &&
           !(work->state[0] == states[1] && work->state[1] == states[0]))
        work = work->next;
    if (!work) {
        work = dv_alloc(1, sizeof *work);
        *work = (PairWork){.state = {states[0], states[1]}, .time = dv_node_time(node), .next = watch->words->pairs};
        watch->words->pairs = work;
    }
    work->responses++;
    watch->work = work;
    watch->state = states[0];
}

static void leave_work(PenaltyWatch *watch)
{
    if (!watch->work || --watch->work->responses > 0)
        return;
    PairWork **at = &watch->words->pairs;
    while (*at != watch->work)
        at = &(*at)->next;
    *at = watch->work->next;
    dv_free(watch->work);
}

void penalty_watch_hold(PenaltyWatch *watch, DvObject *first, DvObject *second)
{
    DvObject *models[2] = {first, second};
    for (int side = 0; side < 2; side++)
        if (watch->model[side] != models[side]) {
            DvObject *before = watch->model[side];
            watch->model[side] = dv_object_ref(models[side]);
            if (before)
                dv_object_unref(before);
        }
}

void penalty_watch_end(PenaltyWatch *watch)
{
    leave_work(watch);
    for (int side = 0; side < 2; side++)
        if (watch->model[side])
            dv_object_unref(watch->model[side]);
    *watch = (PenaltyWatch){0};
}

/* dt and contactStiffness that are advised. */
static const char *remedy_for(const StepLoad *load, char text[REMEDY_TEXT])
{
    static const char *const formats[] = {
        [HOLDS_PERHAPS] = "take a dt of %.2g s, or contactStiffness=\"%.2g\" on both models if that stops the bodies",
        [HOLDS] = "take a dt of %.2g s, or contactStiffness=\"%.2g\" on both models",
        [HOLDS_NOT] = ("take a dt of %.2g s; contactStiffness=\"%.2g\" on both models is stable too, but too soft to "
                       "stop the bodies")};
    (void)snprintf(text, REMEDY_TEXT, formats[load->holds], load->carried,
                   sqrt(load->product * STEP_TAKES / step_load(load)));
    return text;
}

/* Responses between bodies that move stand in the node of the pipeline: a solver there has them in its system. */
static void add_common_solver(DvText *text, const DvObject *model, const DvObject *other)
{
    DvNode *first = dv_object_node(model), *second = dv_object_node(other);
    const DvObject *pipeline = first ? dv_node_find(dv_node_root(first), DV_COLLISION_PIPELINE, DV_SEARCH_DOWN) : NULL;
    if (pipeline && solvers_are_apart(first, second))
        dv_text_add(text,
                    "put one solver for both bodies in node '%s', that of the pipeline, in the place of their own: its "
                    "system then has the springs in it; or ",
                    dv_node_path(dv_object_node(pipeline)));
}

void say_stiffness(const DvObject *model, const DvObject *other, const StepLoad *load, bool would, uint32_t others)
{
    char remedy[REMEDY_TEXT], more[64] = "";
    if (others > 0)
        (void)snprintf(more, sizeof more, " (so do %u pairs of models more)", others);
    DvText together = {0};
    add_common_solver(&together, model, other);
    dv_warning(
        model,
        "%s '%s' with a spring of %.3g N/m that acts on %.3g kg, as it is at the beginning of each step%s: a step of %g s "
        "carries %.3g N/m there, %.3g times less, and bodies are thrown back faster than they came; %s%s",
        would ? "would touch" : "touches", dv_object_path(other), load->stiffness, load->mass, more, load->dt,
        STEP_CARRIES * load->mass / (load->dt * load->dt), step_load(load) / STEP_CARRIES,
        together.length > 0 ? together.at : "", remedy_for(load, remedy));
    dv_text_free(&together);
}

void warn_of_stiffness(PenaltyWatch *watch, const StepLoad *load)
{
    StepLoad *known = &watch->work->load;
    if (!(known->mass > 0.0) || load->carried < known->carried)
        *known = *load;
    if (!watch->words->stiffness)
        say_stiffness(watch->model[0], watch->model[1], load, false, 0);
    watch->words->stiffness = true;
}

void warn_of_energy(PenaltyWatch *watch)
{
    char remedy[REMEDY_TEXT];
    if (watch->words->energy)
        return;
    watch->words->energy = true;
    dv_warning(watch->model[0],
               "its springs against '%s' have taken %.3g J from the bodies and given them %.3g J: they jump; %s",
               dv_object_path(watch->model[1]), watch->work->taken, watch->work->given,
               watch->work->load.mass > 0.0 ? remedy_for(&watch->work->load, remedy)
                                            : "take a smaller dt, or a smaller contactStiffness");
}
