/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * --checkpoint, --every, --restart of divan run: the state of a run in a file, to go on from when the run has been ended by whatever.
 */
#include "host.h"

#include <divan/moment.h>
#include <divan/output.h>

enum { DEFAULT_EVERY = 100 };

bool host_checkpoint_is_right(const Options *options)
{
    if (options->every && !options->checkpoint && !options->export_file) {
        fprintf(stderr, "divan: --every %d: of what? give --checkpoint FILE or --export FILE\n", options->every);
        return false;
    }
    if (host_is_standard_output(options->checkpoint)) {
        fprintf(stderr, "divan: --checkpoint %s: a checkpoint replaces the one before, so it needs a file\n",
                options->checkpoint);
        return false;
    }
    return true;
}

bool host_checkpoint_may_be_written(const Options *options, DvScene *scene)
{
    Dump trial = {0};
    DvText none = {0};
    if (!options->checkpoint)
        return true;
    const bool good = host_dump_open(&trial, options->checkpoint, scene) &&
                      dv_output_close(trial.file, DV_OUTPUT_NONE, &none) == DV_OK;
    dv_text_free(&none);
    return good;
}

bool host_restart_can_be_read(const Options *options)
{
    return !options->restart || dv_checkpoint_check(options->restart) == DV_OK;
}

bool host_restart(const Options *options, DvScene *scene)
{
    if (!options->restart)
        return true;
    if (dv_checkpoint_read(scene, options->restart) != DV_OK)
        return false;
    if (options->verbose)
        fprintf(stderr, "info: %s: goes on after step %" G_GUINT64_FORMAT ", at %.6g s\n", options->restart,
                dv_scene_steps(scene), dv_node_time(dv_scene_root(scene)));
    return true;
}

bool host_checkpoint(const Options *options, DvScene *scene, uint64_t made, bool at_end)
{
    const uint64_t every = options->every ? (uint64_t)options->every : DEFAULT_EVERY;
    if (!options->checkpoint || (made % every == 0) == at_end || (made == 0 && !at_end))
        return true;
    return dv_checkpoint_write(scene, options->checkpoint) == DV_OK;
}
