/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scenes written in a test: loading them, finding their objects, and what loading a wrong one says.
 */
#ifndef DIVAN_TESTS_SCENE_TEXT_H
#define DIVAN_TESTS_SCENE_TEXT_H

#include <divan/contracts/state.h>
#include <divan/scene.h>

/* Starts the plugins on the first call. The test fails when the scene does not load. The caller frees the scene. */
DvScene *scene_from_text(const char *text);
/* Group setup of tests that need them before: starts the plugins of the set. */
int start_plugins(void **state);
/* Group teardown of tests that load scenes, whoever started the plugins: stops them, so that leaks are real ones. */
int stop_plugins(void **state);
/* The object at a path from the root ("/Child/mapped"), which must be there. */
DvObject *scene_object(const DvScene *scene, const char *path);
DvStateRef scene_state(const DvScene *scene, const char *path);
/* The scene must not load, and an error must hold `part` in its printed form ("scene.scn:3: RigidMapping ..."). */
void expect_load_error(const char *text, const char *part);

#endif
