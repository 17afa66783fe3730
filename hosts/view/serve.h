/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The window in a browser: a page, and a WebSocket over which frames go out and events come in. It knows neither the view nor OpenGL.
 *
 * Of the browser, in text, a line each:
 *
 *   size 1280 720 2          its window, and pixels of the screen for one of those; the first thing it says, and again when they change
 *                            (an event of the display comes before, with the scale in thousandths, when that is another)
 *   got                      it has shown a frame
 *   move X Y MODS            mouse, in pixels from the upper left corner; MODS: 1 shift + 2 control + 4 alt
 *   down BUTTON X Y MODS     1 left, 2 middle, 3 right
 *   up BUTTON X Y MODS
 *   wheel DX DY MODS         notches; up and right are positive
 *   key DOWN REPEAT MODS NAME   a letter as it is typed, or a name as "Return", "Left", "F1"
 *   text TEXT
 *   leave                    the mouse has left the window
 *   blur                     keys and buttons are up
 *
 * To the browser: a frame as a binary message, a JPEG of that many pixels of the screen; and in text "title ...", "cursor ..." (of CSS), "fullscreen 1",
 * "copy ..." (for its clipboard), "moved" (another browser has the window now) and "ended".
 *
 * One browser has the window: the one that came last. At most two frames are on their way to it; the server keeps none that it has not sent.
 * The events of a browser that sends them faster than they are taken wait in its own socket.
 */
#ifndef DIVAN_VIEW_SERVE_H
#define DIVAN_VIEW_SERVE_H

#include <SDL_events.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <divan/base.h>

typedef struct Server Server;

/* Listens on that address, a number; port 0: any that is free. A browser that has said nothing for `patience` seconds is asked, and one that
 * has not answered after as many more has gone. NULL: the reason has been added to `why`. */
Server *server_new(const char *address, int port, int patience, DvText *why);
void server_free(Server *server); /* the browser is told; NULL is allowed */
const char *server_url(const Server *server);

/* The next event, or one of type SDL_USEREVENT after server_wake; false: nothing came within that time. */
bool server_next(Server *server, SDL_Event *event, int milliseconds);
void server_wake(Server *server); /* [any] */

bool server_takes_frame(Server *server);
void server_send_frame(Server *server, uint8_t *jpeg, size_t size); /* taken over: dv_free */
/* Sends text: a state, of which a browser that comes later gets the last text with the same first word. */
void server_send_state(Server *server, const char *word, const char *rest);
/* Sends text: an event, which a browser that comes later does not get. */
void server_send_event(Server *server, const char *word, const char *rest);

#endif
