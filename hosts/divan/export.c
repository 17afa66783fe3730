/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * --export of divan run: frames of the scene as files of other programs.
 */
#include "host.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include <divan/contracts/scene_export.h>
#include <divan/output.h>

struct Export {
    const DvSceneExportOps *ops;
    DvSceneExport *files;
    uint64_t every; /* steps; 0: the last state alone */
    uint64_t last;  /* step that has been written; UINT64_MAX: none */
};

static bool write_file(void *context, const char *path, const void *bytes, size_t size, DvText *why)
{
    (void)context;
    return dv_output_write(path, NULL, bytes, size, why) == DV_OK;
}

static bool make_folder(void *context, const char *path, DvText *why)
{
    (void)context;
    struct stat found;
    if (mkdir(path, 0777) == 0)
        return true;
    const int reason = errno;
    if (reason == EEXIST && stat(path, &found) == 0 && S_ISDIR(found.st_mode))
        return true;
    dv_text_add(why, "%s", reason == EEXIST ? "there is a file of this name" : g_strerror(reason));
    return false;
}

static DvSceneExportOptions options_of(const Options *options)
{
    return (DvSceneExportOptions){.file = options->export_file,
                                  .fields = options->fields,
                                  .numbered = options->every > 0,
                                  .compressed = options->compress,
                                  .write = write_file,
                                  .make_folder = make_folder};
}

static bool refuse(const Options *options, const DvText *why)
{
    fprintf(stderr, "divan: --export %s: %s\n", options->export_file, why->at ? why->at : "cannot be written");
    return false;
}

bool host_export_is_right(const Options *options)
{
    if ((options->fields || options->compress) && !options->export_file) {
        fprintf(stderr, "divan: --%s: of what? give --export FILE\n", options->fields ? "fields" : "compress");
        return false;
    }
    const DvSceneExportOps *ops = options->export_file ? dv_service(DV_SCENE_EXPORT) : NULL;
    const DvSceneExportOptions asked = options_of(options);
    DvText why = {0};
    bool series;
    if (options->export_file && !ops)
        dv_text_add(&why, "no plugin writes such files; divan.io does");
    const bool good = !options->export_file || (ops && ops->check(&asked, &series, &why)) || refuse(options, &why);
    dv_text_free(&why);
    return good;
}

/* The named file can be written and is none of the scene; nothing is left there. What is no regular file shows it later. */
static bool may_begin(const Options *options, DvScene *scene, DvText *why)
{
    DvText none = {0};
    struct stat found;
    if (stat(options->export_file, &found) == 0 && (S_ISFIFO(found.st_mode) || S_ISCHR(found.st_mode)))
        return true;
    FILE *trial = dv_output_open(options->export_file, scene, why);
    const bool good = trial && dv_output_close(trial, DV_OUTPUT_NONE, &none) == DV_OK;
    dv_text_free(&none);
    return good;
}

bool host_export_begin(Export **export, const Options *options, DvScene *scene)
{
    *export = NULL;
    if (!options->export_file)
        return true;
    const DvSceneExportOps *ops = dv_service(DV_SCENE_EXPORT);
    const DvSceneExportOptions asked = options_of(options);
    DvText why = {0};
    bool series = false;
    DvSceneExport *files =
        ops->check(&asked, &series, &why) && may_begin(options, scene, &why) ? ops->open(scene, &asked, &why) : NULL;
    if (files) {
        *export = g_new0(Export, 1);
        **export = (Export){ops, files, options->every ? (uint64_t)options->every : series ? 1 : 0, UINT64_MAX};
    } else {
        (void)refuse(options, &why);
    }
    dv_text_free(&why);
    return files != NULL;
}

bool host_export_frame(Export *export, DvScene *scene, uint64_t step, bool at_end)
{
    if (!export || step == export->last || (!at_end && (export->every == 0 || step % export->every != 0)))
        return true;
    export->last = step;
    return export->ops->frame(export->files, step, dv_node_time(dv_scene_root(scene)));
}

bool host_export_end(Export *export)
{
    if (!export)
        return true;
    DvText why = {0};
    const bool good = export->ops->close(export->files, &why);
    if (!good)
        fprintf(stderr, "divan: --export: %s\n", why.at);
    dv_text_free(&why);
    g_free(export);
    return good;
}
