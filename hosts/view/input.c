/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Words of a browser become events. It is not trusted: numbers have limits, and what is let go has been pressed.
 */
#include "input.h"

#include <glib.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include <divan/type.h>

enum { SHIFT = 1, CONTROL = 2, ALT = 4, ALL = 7 };

static const struct Modifier {
    int bit;
    SDL_Keycode key;
    Uint16 of_sdl;
} modifiers[] = {{SHIFT, SDLK_LSHIFT, KMOD_LSHIFT}, {CONTROL, SDLK_LCTRL, KMOD_LCTRL}, {ALT, SDLK_LALT, KMOD_LALT}};

static Uint16 modifiers_of_sdl(int bits)
{
    Uint16 sum = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(modifiers); i++)
        sum = (Uint16)(sum | (bits & modifiers[i].bit ? modifiers[i].of_sdl : 0));
    return sum;
}

static void give(Input *input, const SDL_Event *event)
{
    input->give(input->context, event);
}

static void give_key(Input *input, bool down, bool repeat, SDL_Keycode key)
{
    const SDL_Event event = {.key = {.type = down ? SDL_KEYDOWN : SDL_KEYUP,
                                     .state = down ? SDL_PRESSED : SDL_RELEASED,
                                     .repeat = repeat,
                                     .keysym = {.sym = key, .mod = modifiers_of_sdl(input->modifiers)}}};
    give(input, &event);
}

static void set_modifiers(Input *input, int now)
{
    const int changed = input->modifiers ^ (now & ALL);
    input->modifiers = now & ALL;
    for (size_t i = 0; i < G_N_ELEMENTS(modifiers); i++)
        if (changed & modifiers[i].bit)
            give_key(input, (now & modifiers[i].bit) != 0, false, modifiers[i].key);
}

static void give_window(Input *input, SDL_WindowEventID what, int width, int height)
{
    const SDL_Event event = {
        .window = {.type = SDL_WINDOWEVENT, .event = (Uint8)what, .data1 = width, .data2 = height}};
    give(input, &event);
}

/* So many numbers, each of at most that size; *rest goes behind them. */
static bool read_numbers(const char **rest, double *numbers, int count, double most)
{
    for (int i = 0; i < count; i++)
        if (!dv_read_double(rest, &numbers[i]) || !(fabs(numbers[i]) <= most))
            return false;
    return true;
}

/* The mouse */

static void take_place(Input *input, const double *numbers)
{
    set_modifiers(input, (int)numbers[2]);
    input->x = (int)numbers[0];
    input->y = (int)numbers[1];
    const SDL_Event event = {.motion = {.type = SDL_MOUSEMOTION, .x = input->x, .y = input->y}};
    give(input, &event);
}

static void give_button(Input *input, int button, bool down)
{
    const SDL_Event event = {.button = {.type = down ? SDL_MOUSEBUTTONDOWN : SDL_MOUSEBUTTONUP,
                                        .button = (Uint8)button,
                                        .state = down ? SDL_PRESSED : SDL_RELEASED,
                                        .clicks = 1,
                                        .x = input->x,
                                        .y = input->y}};
    input->buttons = down ? input->buttons | 1u << button : input->buttons & ~(1u << button);
    give(input, &event);
}

static bool take_button(Input *input, const char *rest, bool down)
{
    double numbers[4]; /* button, x, y, modifiers */
    if (!read_numbers(&rest, numbers, 4, INPUT_SIDE_MOST))
        return false;
    const int button = (int)numbers[0];
    if (button < SDL_BUTTON_LEFT || button > SDL_BUTTON_RIGHT)
        return false;
    take_place(input, numbers + 1);
    if (down != ((input->buttons >> button & 1) != 0))
        give_button(input, button, down);
    return true;
}

static bool take_move(Input *input, const char *rest)
{
    double numbers[3]; /* x, y, modifiers */
    if (!read_numbers(&rest, numbers, 3, INPUT_SIDE_MOST))
        return false;
    take_place(input, numbers);
    return true;
}

static bool take_wheel(Input *input, const char *rest)
{
    enum { MOST = 50 };
    double numbers[3]; /* dx, dy, modifiers */
    if (!read_numbers(&rest, numbers, 3, MOST))
        return false;
    set_modifiers(input, (int)numbers[2]);
    const SDL_Event event = {.wheel = {.type = SDL_MOUSEWHEEL,
                                       .x = (int)lround(numbers[0]),
                                       .y = (int)lround(numbers[1]),
                                       .preciseX = (float)numbers[0],
                                       .preciseY = (float)numbers[1]}};
    give(input, &event);
    return true;
}

/* Keys */

static SDL_Keycode key_of(const char *name)
{
    const gunichar letter = g_utf8_get_char_validated(name, -1);
    if (letter == (gunichar)-1 || letter == (gunichar)-2 || !letter)
        return SDLK_UNKNOWN;
    return *g_utf8_next_char(name) ? SDL_GetKeyFromName(name) : (SDL_Keycode)g_unichar_tolower(letter);
}

static SDL_Keycode *place_of(Input *input, SDL_Keycode key)
{
    for (int i = 0; i < INPUT_KEYS; i++)
        if (input->keys[i] == key)
            return &input->keys[i];
    return NULL;
}

static bool take_key(Input *input, const char *rest)
{
    double numbers[3]; /* down, repeat, modifiers */
    if (!read_numbers(&rest, numbers, 3, ALL) || *rest != ' ')
        return false;
    const bool down = numbers[0] != 0, repeat = numbers[1] != 0;
    const SDL_Keycode key = key_of(rest + 1);
    set_modifiers(input, (int)numbers[2]);
    SDL_Keycode *held = place_of(input, key);
    if (key == SDLK_UNKNOWN || (!held && !down))
        return true; /* one that SDL does not know, or that was let go already */
    if (!held)
        held = place_of(input, 0);
    if (held)
        *held = down ? key : 0;
    give_key(input, down, repeat, key);
    return true;
}

/* An event holds 31 bytes; letters stay whole. */
static bool take_text(Input *input, const char *text)
{
    if (!g_utf8_validate(text, -1, NULL))
        return false;
    while (*text) {
        SDL_Event event = {.text = {.type = SDL_TEXTINPUT}};
        size_t length = 0;
        for (const char *next = text; *next && (size_t)(g_utf8_next_char(next) - text) < sizeof event.text.text;) {
            next = g_utf8_next_char(next);
            length = (size_t)(next - text);
        }
        memcpy(event.text.text, text, length);
        give(input, &event);
        text += length;
    }
    return true;
}

void input_release(Input *input)
{
    for (int button = SDL_BUTTON_LEFT; button <= SDL_BUTTON_RIGHT; button++)
        if (input->buttons >> button & 1)
            give_button(input, button, false);
    for (int i = 0; i < INPUT_KEYS; i++)
        if (input->keys[i]) {
            give_key(input, false, false, input->keys[i]);
            input->keys[i] = 0;
        }
    set_modifiers(input, 0);
}

static bool take_size(Input *input, const char *rest)
{
    double sides[2], ratio = 1;
    if (!read_numbers(&rest, sides, 2, INT_MAX) || (*rest == ' ' && !read_numbers(&rest, &ratio, 1, INT_MAX)))
        return false;
    const int scale = (int)CLAMP(INPUT_SCALE_ONE * ratio, INPUT_SCALE_ONE, INPUT_SCALE_MOST);
    if (scale != (input->scale ? input->scale : INPUT_SCALE_ONE))
        give(input, &(SDL_Event){.display = {.type = SDL_DISPLAYEVENT, .data1 = scale}});
    input->scale = scale;
    const int width = (int)CLAMP(sides[0], INPUT_SIDE_LEAST, INPUT_SIDE_MOST);
    const int height = (int)CLAMP(sides[1], INPUT_SIDE_LEAST, INPUT_SIDE_MOST);
    give_window(input, SDL_WINDOWEVENT_SIZE_CHANGED, width, height);
    return true;
}

static bool take_leave(Input *input)
{
    give_window(input, SDL_WINDOWEVENT_LEAVE, 0, 0);
    return true;
}

static bool take_blur(Input *input)
{
    input_release(input);
    return true;
}

static const char *behind(const char *line, const char *word)
{
    const size_t length = strlen(word);
    return strncmp(line, word, length) == 0 && line[length] == ' ' ? line + length + 1 : NULL;
}

bool input_take(Input *input, const char *line)
{
    const char *rest;
    if ((rest = behind(line, "move")))
        return take_move(input, rest);
    if ((rest = behind(line, "down")))
        return take_button(input, rest, true);
    if ((rest = behind(line, "up")))
        return take_button(input, rest, false);
    if ((rest = behind(line, "wheel")))
        return take_wheel(input, rest);
    if ((rest = behind(line, "key")))
        return take_key(input, rest);
    if ((rest = behind(line, "text")))
        return take_text(input, rest);
    if ((rest = behind(line, "size")))
        return take_size(input, rest);
    if (strcmp(line, "leave") == 0)
        return take_leave(input);
    return strcmp(line, "blur") == 0 && take_blur(input);
}
