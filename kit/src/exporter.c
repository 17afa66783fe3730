/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <divan/kit/exporter.h>
#include <divan/output.h>
#include <divan/scene.h>

#include <string.h>
#include <sys/stat.h>

DvStatus dv_exporter_construct(DvObject *object, DvExporter *exporter, void (*write)(void *self, const DvExport *which))
{
    exporter->write = write;
    dv_data_set_bool(dv_object_field(object, "listening"), true);
    return DV_OK;
}

static void export_now(DvExporter *self, bool first)
{
    const uint32_t every = dv_data_uint(&self->every), counted = dv_data_uint(&self->counted);
    const DvExport which = {.number = every ? counted / every : 0, .numbered = every > 0, .first = first};
    self->write(self, &which);
}

void dv_exporter_handle_event(DvObject *object, void *self_, DvEvent *event)
{
    DvExporter *self = self_;
    (void)object;
    if (event->kind != DV_EVENT_ANIMATE_END || !dv_data_bool(&self->enable))
        return;
    const uint32_t every = dv_data_uint(&self->every);
    if (!every)
        return;
    const uint32_t counted = dv_data_uint(&self->counted) + 1;
    dv_data_set_uint(&self->counted, counted);
    if (counted % every == 0)
        export_now(self, false);
}

void dv_exporter_begin(DvObject *object, void *self_)
{
    DvExporter *self = self_;
    (void)object;
    if (!self->begun && dv_data_bool(&self->enable) && dv_data_bool(&self->at_begin))
        export_now(self, true);
    self->begun = true;
}

void dv_exporter_reset(DvObject *object, void *self)
{
    (void)object;
    dv_data_set_uint(&((DvExporter *)self)->counted, 0);
}

void dv_exporter_cleanup(DvObject *object, void *self_)
{
    DvExporter *self = self_;
    (void)object;
    if (self->begun && dv_data_bool(&self->enable) && dv_data_bool(&self->at_end))
        export_now(self, false);
    self->begun = false;
}

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

void dv_exporter_stem(DvExporter *exporter, const DvExport *which, DvText *stem)
{
    const char *given = dv_data_string(&exporter->filename), *name = dv_object_name(dv_object_of(exporter));
    const size_t length = given ? strlen(given) : 0;
    if (length == 0)
        dv_text_add(stem, "%s", name);
    else if (is_folder(given))
        dv_text_add(stem, "%s%s%s", given, given[length - 1] == '/' ? "" : "/", name);
    else
        dv_text_add(stem, "%s", given);
    if (which->numbered)
        dv_text_add(stem, "%05llu", (unsigned long long)which->number);
}

bool dv_exporter_write(DvExporter *exporter, const char *path, const void *bytes, size_t size)
{
    DvScene *scene = dv_node_scene(dv_object_node(dv_object_of(exporter)));
    DvText why = {0};
    const bool good = dv_scene_output_folders(scene, path, &why) == DV_OK &&
                      dv_scene_output_write(scene, path, bytes ? bytes : "", size, &why) == DV_OK;
    if (!good && !exporter->told)
        dv_scene_output_lost(&exporter->filename, path, &why);
    exporter->told = exporter->told || !good;
    dv_text_free(&why);
    return good;
}
