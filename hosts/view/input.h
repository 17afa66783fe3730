/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a browser says, as the events that SDL gives of a window. serve.h has the words.
 */
#ifndef DIVAN_VIEW_INPUT_H
#define DIVAN_VIEW_INPUT_H

#include <SDL_events.h>
#include <stdbool.h>

enum {
    INPUT_SIDE_LEAST = 16,
    INPUT_SIDE_MOST = 8192,
    INPUT_KEYS = 16,
    INPUT_SCALE_ONE = 1000,
    INPUT_SCALE_MOST = 4000
};

typedef struct Input {
    void (*give)(void *context, const SDL_Event *event);
    void *context;
    int modifiers; /* as the browser counts them */
    unsigned buttons;
    int x, y;
    SDL_Keycode keys[INPUT_KEYS]; /* that are down; 0: a free place */
    int scale;                    /* last said, in thousandths; 0: not yet, which counts as one */
} Input;

bool input_take(Input *input, const char *line); /* false: nothing that a browser says */
void input_release(Input *input);                /* all keys and buttons */

#endif
