/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A game controller that is there when a program begins: to be loaded before it. Its left stick is pushed to the right and its button A is down. What its
 * motors are told goes to the file "rumble"; when there is a file "unplug", it is unplugged.
 */
#include <SDL.h>
#include <stdio.h>
#include <unistd.h>

static int number;

static int rumble(void *unused, Uint16 low, Uint16 high)
{
    FILE *file = fopen("rumble", "w");
    (void)unused;
    if (!file)
        return -1;
    fprintf(file, "%u %u\n", low, high);
    return fclose(file);
}

static int wait_for_end(void *unused)
{
    (void)unused;
    while (access("unplug", F_OK) != 0)
        SDL_Delay(10);
    return SDL_JoystickDetachVirtual(number);
}

__attribute__((constructor)) static void begin(void)
{
    const SDL_VirtualJoystickDesc pad = {.version = SDL_VIRTUAL_JOYSTICK_DESC_VERSION,
                                         .type = SDL_JOYSTICK_TYPE_GAMECONTROLLER,
                                         .naxes = SDL_CONTROLLER_AXIS_MAX,
                                         .nbuttons = SDL_CONTROLLER_BUTTON_MAX,
                                         .Rumble = rumble};
    SDL_SetHint(SDL_HINT_JOYSTICK_ALLOW_BACKGROUND_EVENTS, "1");
    if (SDL_InitSubSystem(SDL_INIT_GAMECONTROLLER) != 0)
        return;
    number = SDL_JoystickAttachVirtualEx(&pad);
    SDL_Joystick *stick = number >= 0 ? SDL_JoystickOpen(number) : NULL;
    if (!stick)
        return;
    SDL_JoystickSetVirtualAxis(stick, 0, 32767);
    SDL_JoystickSetVirtualButton(stick, 0, 1);
    SDL_DetachThread(SDL_CreateThread(wait_for_end, "unplug", NULL));
}
