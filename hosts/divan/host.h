/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the commands of the host share: options, exit codes, walking the states of a scene.
 */
#ifndef DIVAN_HOST_H
#define DIVAN_HOST_H

#include <glib.h>
#include <stdio.h>

#include <divan/contracts/state.h>
#include <divan/divan.h>

#include "states.h"

/* Exit codes, as in the manual page; to EXIT_BY_SIGNAL the number of the signal is added that ended the run. */
enum { EXIT_DONE = 0, EXIT_FAULT = 1, EXIT_USAGE = 2, EXIT_NO_STATE = 3, EXIT_BY_SIGNAL = 128 };

/* What the command line said. Absent numbers are negative. */
typedef struct Options {
    const char *scene, *second; /* positional */
    int steps;
    double dt;
    int threads;
    int grain_divisor;
    char *plugin_set;
    char **plugins;
    char *device;
    gboolean no_gpu;
    int host_copy;
    gboolean help, quiet, hash, json, keep_going, verbose, strict, real_time, stats, write_anywhere;
    char *dump, *dump_topology, *dump_steps, *contacts;
    char *checkpoint, *restart, *verification;
    char *export_file, *fields;
    gboolean compress;
    char **record, *record_file;
    int record_every;
    char *at, *out, *outputs;
    char *folder, *license, *kind;
    char *const *rest; /* all positional ones, of a command that takes any number; NULL at the end */
    gboolean list, quick, markdown;
    int jobs;
    char *html, *scenes;
    int frames, every, width, height;
    char *camera, *mp4, *show;
    int modes;
    char *pictures;
    gboolean haptics;
    char *haptics_log, **haptic_devices;
    char *input;
    double target_hz; /* 0: none */
} Options;

enum { ANY_NUMBER = 1000 };

typedef struct Command {
    const char *name, *arguments, *summary, *description;
    unsigned positional; /* how many it needs, or ANY_NUMBER */
    const char *options; /* names of the options it takes besides the common ones, blank-separated */
    bool starts_plugins; /* by host_start, since it goes on when that fails */
    int (*run)(const Options *options);
} Command;

extern const Command command_run, command_probe, command_list, command_info, command_check, command_save, command_bench,
    command_new_plugin, command_verify, command_render, command_modes;

typedef struct Verification Verification; /* verification.c: how far a run is from what was recorded of its states */

/* Finds and starts the plugins that the command line asks for; errors have been reported. */
DvStatus host_start(const Options *options);
/* Of --device and --no-gpu, else of CUDA_DEVICE, once plugins have started. false: it cannot be used, which has been said. */
bool host_use_device(const Options *options);
/* Whether a device that keeps states of the scene has failed, which has been said. */
bool host_device_failed(DvScene *scene);
/* For a check: scenes that are loaded from now on use a device that only counts; and whether one is used by a scene. Then what a step of the scene
 * takes, as a line: it is loaded once more, and makes steps that write no file. false: it does not. */
void host_only_count_device(void);
bool host_uses_device(DvScene *scene);
bool host_predict_device_use(const Options *options, DvText *line);
/* What has been done on devices, and moved for each component that acts on states there. */
void host_print_device_use(DvScene *scene);
double host_copies_of_device(DvScene *scene);    /* bytes a second; 0: there is none, or it cannot */
void host_print_device_use_json(DvScene *scene); /* a member "device", with a comma before it; nothing without one */
void host_print_devices(void);                   /* those that plugins have, and why some cannot be used */
/* Loads options->scene and applies --dt; NULL after a reported error. */
DvScene *host_load(const Options *options);
/* The same, but what --verification asks for is added before the scene is initialised. */
DvScene *host_load_to_verify(const Options *options, Verification **verification);
/* The scene of options->scene: a file, or "-", standard input, which is called stdin.scn then. As dv_scene_load. */
DvStatus host_read_scene(const Options *options, const DvLoadOptions *load, DvScene **scene);
const char *host_scene_name(const Options *options);
/* Says so on standard error and gives the exit code of a step that failed; saves the last good state beside the scene's name. `good`: what
 * has followed the steps; NULL: nothing has, so the state is one of positions and velocities alone. */
typedef struct LastGood LastGood;
int host_step_failed(DvScene *scene, const Options *options, const LastGood *good, DvStatus status);
/* last_good.c: follows a run of steps of `dt` (s; 0: the scene's), after each good one; `now`: host_now, or 0 not to take a moment. Goes
 * back to the last good one: the
 * scene has its positions and velocities already. Messages are left to the default handler. */
LastGood *host_last_good_new(DvScene *scene, double dt);
void host_last_good_free(LastGood *good); /* before the scene */
void host_last_good_follow(LastGood *good, double now);
void host_last_good_restore(const LastGood *good);
/* Saves the state as it is as the last good one of a scene file, under a name that replaces nothing else; says which. */
void host_save_last_good(DvScene *scene, const char *file);
/* Frees the scene. The exit code of a run that came to `result`: EXIT_FAULT where a file of the scene is lost. */
int host_end(DvScene *scene, int result);
double host_now(void); /* s, monotonic */
/* A folder that comes with the program: beside it in the build tree, in share/divan where it is installed. Free with g_free. */
char *host_data_folder(const char *name);

/* dump.c: the text formats that docs/formats.md describes */
typedef struct Dump {
    FILE *file; /* NULL: not asked for */
    const char *name;
} Dump;
/* Of a run of `scene`; NULL: not loaded yet, then host_dump_may_stay comes later. False after an error that is reported. */
bool host_dump_open(Dump *dump, const char *name, DvScene *scene);
bool host_dump_may_stay(const Dump *dump, DvScene *scene);
/* Unless the run is good, the old file stays, and the new one beside it. False: not everything could be written; reported. */
bool host_dump_close(Dump *dump, bool good);
bool host_is_standard_output(const char *name); /* NULL is not */
void host_print_path(FILE *file, const char *path,
                     bool with_blanks); /* docs/formats.md; blanks are left as they are, or not */
void host_dump_states(Dump *dump, const GPtrArray *states, uint64_t step, double time);
void host_dump_topologies(Dump *dump, DvScene *scene, uint64_t step, double time);
/* outputs.c: of all engines and loaders, after the steps made so far. */
void host_dump_outputs(Dump *dump, DvScene *scene);
void host_dump_contacts(Dump *dump, DvScene *scene, uint64_t step); /* with the header line at step 0 */
/* A line to standard output: contacts of the step, and what its solvers came to. */
void host_print_stats(DvScene *scene, uint64_t step);
/* At the end of a run: a warning for each solver some of whose solves left more than was asked; and totals of all, a line each, to a
 * file (NULL: none). */
void host_report_solves(DvScene *scene, FILE *totals);
void host_dump_numbers(FILE *file, const char *tag, const double *numbers, size_t count);

/* checkpoint.c: of --checkpoint, --every and --restart. False after an error that is reported. */
bool host_checkpoint_is_right(const Options *options); /* the command line */
bool host_checkpoint_may_be_written(const Options *options, DvScene *scene);
bool host_restart_can_be_read(const Options *options); /* before the scene is loaded */
bool host_restart(const Options *options, DvScene *scene);
/* After `made` steps of this run: when it is time for one; and at the end, unless it has just been time. */
bool host_checkpoint(const Options *options, DvScene *scene, uint64_t made, bool at_end);

/* verification.c */
/* Of a scene that has been made and not initialised; NULL after an error that is reported. */
Verification *host_verification_new(const Options *options, DvScene *scene);
void host_verification_print(const Verification *verification, FILE *file); /* a line for each state */
void host_verification_free(Verification *verification);                    /* NULL is allowed */

/* export.c: of --export, --fields, --compress and --every. False after an error that is reported. */
typedef struct Export Export;
bool host_export_is_right(const Options *options);                               /* the command line */
bool host_export_begin(Export **export, const Options *options, DvScene *scene); /* NULL: not asked for */
/* After `step` steps of this run, and after the last one. False: a file is lost, and host_export_end says which. */
bool host_export_frame(Export *export, DvScene *scene, uint64_t step, bool at_end);
bool host_export_end(Export *export); /* NULL is allowed */

/* modes.c: natural frequency `number` in Hz, counted from 1 without motions that nothing holds; NAN: there is none, or an error that was
 * reported. */
double host_frequency(DvScene *scene, uint32_t number);

/* render.c: pictures of a scene in `count` poses, into a folder that is made if need be; --size, --camera and --show count. `name` is as
 * "mode_%05u.png", with the number of the pose from 1. The exit code; what is wrong has been reported. */
int host_draw(const Options *options, DvScene *scene, const char *folder, const char *name, uint32_t count,
              void (*pose)(void *context, uint32_t number), void *context);

/* haptics.c: --haptic-device, of a scene that is not initialised yet. False after an error that is reported. */
bool host_haptics_choose(const Options *options, DvScene *scene);
/* Of --haptics and --haptics-log; `log`: the file of the latter, or NULL. False after an error that is reported. */
bool host_haptics_begin(const Options *options, DvScene *scene, FILE *log);
/* `simulated` in `passed` seconds of computing. */
void host_haptics_end(const Options *options, DvScene *scene, double simulated, double passed, FILE *file);

/* input.c: of --input. */
typedef struct Input Input;
Input *host_input_read(const char *file); /* NULL after an error that is reported */
void host_input_free(Input *input);       /* NULL is allowed */
/* Of a scene that has just been loaded; false after an error that is reported. */
bool host_input_fits(const Input *input, DvScene *scene);
/* What comes after `step` steps; at the end of the run only what the session ends with. `report` (may be NULL) is told that the end is as it was recorded. False after an error that is reported. */
bool host_input_apply(Input *input, DvScene *scene, uint64_t step, bool at_end, FILE *report);
void host_input_skip(Input *input, uint64_t step); /* what a restart has behind it */

/* record.c: values over time. */
typedef struct Record Record;
/* What --record asks for, NULL at the end; NULL after an error that is reported. */
Record *host_record_new(DvScene *scene, char *const *given);
void host_record_free(Record *record); /* NULL is allowed */
void host_record_head(const Record *record, FILE *file);
void host_record_row(Record *record, FILE *file, uint64_t step, double time);

/* Heap allocations of the whole process so far; under a sanitizer of the kernel's alone.     [any] */
uint64_t host_allocation_count(void);

#endif
