/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the renderer asks of OpenGL, call by call, as text. Calls go on to the driver; the names of uniforms stand for their places, so that
 * a driver that leaves some out gives the same text.
 */
#ifndef DIVAN_TESTS_GL_CALLS_H
#define DIVAN_TESTS_GL_CALLS_H

#include <divan/base.h>

void gl_calls_begin(void);        /* with a context that is current; once more before each renderer */
void gl_calls_take(DvText *text); /* all calls since the last time are added; then nothing is kept */
unsigned gl_calls_error(void);    /* the first error since the last time, 0: none */

#endif
