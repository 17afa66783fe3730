/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A graphics card that is reset after some frames: to be loaded before libepoxy, whose pointer to the function it takes.
 */
extern unsigned (*epoxy_glGetGraphicsResetStatus)(void);

static unsigned lose(void)
{
    enum { FRAMES = 30, GUILTY = 0x8253 };
    static int asked;
    return ++asked > FRAMES ? GUILTY : 0;
}

unsigned (*epoxy_glGetGraphicsResetStatus)(void) = lose;
