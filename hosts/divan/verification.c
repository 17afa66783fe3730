/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * --verification DIR of divan run: how far the states of a run are from what was recorded of them, as old scenes are verified.
 *
 * Each state that a solver moves, or that is mapped from such a one, gets a CompareState. Its recording is the first there is of
 * DIR/SCENE.scn_N_NAME_mstate, DIR/SCENE_N_NAME_mstate and DIR/defaultN_NAME_mstate, with .txt.gz or .txt, where N counts these states from 0 in
 * the order of the scene. The run itself is not changed.
 */
#include "host.h"

#include <divan/contracts/solver.h>

struct Verification {
    const char *folder;
    GPtrArray *compared; /* CompareState, a reference each */
    guint states;        /* that have been met */
};

static bool is_compared_already(const DvNode *node)
{
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++)
        if (dv_object_is_a(object, "CompareState"))
            return true;
    return false;
}

/* The absolute name of the recording of a state; NULL: there is none. */
static char *recording_of(const Verification *verification, const char *scene, const char *state)
{
    static const char *const endings[] = {".txt.gz", ".txt"};
    char *base = g_path_get_basename(scene), *dot = strrchr(base, '.'),
         *bare = g_strndup(base, dot ? (gsize)(dot - base) : strlen(base));
    char *starts[] = {g_strdup_printf("%s_%u", base, verification->states),
                      g_strdup_printf("%s_%u", bare, verification->states),
                      g_strdup_printf("default%u", verification->states)};
    char *found = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(starts) * G_N_ELEMENTS(endings) && !found; i++) {
        char *name = g_strdup_printf("%s_%s_mstate%s", starts[i / G_N_ELEMENTS(endings)], state,
                                     endings[i % G_N_ELEMENTS(endings)]);
        char *path = g_build_filename(verification->folder, name, NULL);
        if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
            found = g_canonicalize_filename(path, NULL);
        g_free(path);
        g_free(name);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(starts); i++)
        g_free(starts[i]);
    g_free(base);
    g_free(bare);
    return found;
}

static DvStatus compare(Verification *verification, const Options *options, DvObject *state)
{
    DvNode *node = dv_object_node(state);
    if (!dv_node_find(node, DV_ODE_SOLVER, DV_SEARCH_UP) || is_compared_already(node))
        return DV_OK;
    char *file = recording_of(verification, host_scene_name(options), dv_object_name(state));
    DvStatus status = DV_OK;
    if (file) {
        DvObject *object = NULL;
        status = dv_object_new(node, "CompareState", &object, "name", "verification", "filename", file, "keepState",
                               "1", (char *)NULL);
        if (status == DV_OK) {
            dv_object_set_transient(object, true);
            g_ptr_array_add(verification->compared, dv_object_ref(object));
        }
    } else {
        fprintf(stderr, "divan: --verification %s: nothing is recorded of %s, number %u (%s_%u_%s_mstate.txt.gz)\n",
                verification->folder, dv_object_path(state), verification->states, host_scene_name(options),
                verification->states, dv_object_name(state));
    }
    verification->states++;
    g_free(file);
    return status;
}

Verification *host_verification_new(const Options *options, DvScene *scene)
{
    Verification *verification = g_new0(Verification, 1);
    verification->folder = options->verification;
    verification->compared = g_ptr_array_new_with_free_func((GDestroyNotify)dv_object_unref);
    GPtrArray *states = host_states(scene);
    bool good = true;
    for (guint i = 0; i < states->len && good; i++)
        good = compare(verification, options, g_ptr_array_index(states, i)) == DV_OK;
    g_ptr_array_unref(states);
    if (good && !verification->compared->len)
        fprintf(stderr, "divan: --verification %s: there is nothing to compare %s with\n", options->verification,
                host_scene_name(options));
    if (good && verification->compared->len)
        return verification;
    host_verification_free(verification);
    return NULL;
}

void host_verification_print(const Verification *verification, FILE *file)
{
    for (guint i = 0; i < verification->compared->len; i++) {
        DvObject *object = g_ptr_array_index(verification->compared, i);
        const unsigned blocks = dv_data_uint(dv_object_field(object, "blocksDone"));
        const double x = dv_data_double(dv_object_field(object, "totalErrorX")),
                     v = dv_data_double(dv_object_field(object, "totalErrorV"));
        char *node = g_path_get_dirname(dv_object_path(object));
        if (blocks)
            fprintf(
                file,
                "verification: %s: positions differ by %.6g, velocities by %.6g on average, over %u blocks (sums %.6g, %.6g)\n",
                node, x / blocks, v / blocks, blocks, x, v);
        else
            fprintf(file, "verification: %s: no block of the recording has come\n", node);
        g_free(node);
    }
}

void host_verification_free(Verification *verification)
{
    if (!verification)
        return;
    g_ptr_array_unref(verification->compared);
    g_free(verification);
}
