/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * RequiredPlugin: plugins that a scene names. Classes are found by their names in all plugins that run, so nothing is loaded: it is only said
 * which names no plugin covers.
 */
#include <string.h>

#include <divan/build.h>
#include <divan/memory.h>
#include <divan/node.h>

typedef struct RequiredPlugin {
    DvData plugin_name, stop_after_first, require_one, require_all, loaded;
} RequiredPlugin;

enum { MOST_SAID = 20 };

typedef struct Names {
    RequiredPlugin *self;
    const DvData *of; /* the field that has them */
    DvText loaded;    /* those that are covered, with blanks between */
    unsigned known, unknown;
    bool ends;
} Names;

static void look_up(Names *names, const char *at, size_t length)
{
    DvText name = {0};
    dv_text_add_bytes(&name, at, length);
    if (dv_module_is_known(name.at)) {
        dv_text_add(&names->loaded, "%s%s", names->known++ ? " " : "", name.at);
        names->ends = dv_data_bool(&names->self->stop_after_first);
    } else if (names->unknown++ < MOST_SAID && dv_data_bool(&names->self->require_all)) {
        dv_field_remark(names->of, -1, "no plugin that runs covers '%s'", name.at);
    }
    dv_text_free(&name);
}

/* Names may stand in brackets, with quotes and commas, as other programs write lists. */
static void look_up_all(Names *names, const char *text)
{
    static const char between[] = " \t\r\n[],\"'";
    const char *at = text + strspn(text, between);
    while (*at && !names->ends) {
        const size_t length = strcspn(at, between);
        look_up(names, at, length);
        at += length;
        at += strspn(at, between);
    }
}

static DvStatus parse(DvObject *object, void *self_, const DvAttributes *attributes)
{
    RequiredPlugin *self = self_;
    size_t count;
    char *const *name = dv_data_strings(&self->plugin_name, &count);
    Names names = {.self = self, .of = &self->plugin_name};
    if (count == 0 && dv_attributes_find(attributes, "name")) {
        names.of = dv_object_field(object, "name");
        look_up_all(&names, dv_object_name(object));
    }
    for (size_t i = 0; i < count; i++)
        look_up_all(&names, name[i]);
    if (names.unknown && !names.known && dv_data_bool(&self->require_one) && !dv_data_bool(&self->require_all))
        dv_field_remark(names.of, -1, "no plugin that runs covers one of them");
    const DvStatus status = dv_data_set_text(&self->loaded, names.loaded.at ? names.loaded.at : "");
    dv_text_free(&names.loaded);
    return status;
}

#define FIELD(member, name, type, ...) DV_FIELD(RequiredPlugin, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    FIELD(plugin_name, "pluginName", dv_type_strings, .flags = DV_FIELD_AT_LOAD,
          .help = "plugins, or modules of the reference; the name of the component when there are none"),
    FIELD(stop_after_first, "stopAfterFirstNameFound", dv_type_bool, .init = "0", .flags = DV_FIELD_AT_LOAD,
          .help = "names after the first one that is covered do not matter"),
    FIELD(require_one, "requireOne", dv_type_bool, .init = "0", .flags = DV_FIELD_AT_LOAD,
          .help = "say so when none of the names is covered"),
    FIELD(require_all, "requireAll", dv_type_bool, .init = "1", .flags = DV_FIELD_AT_LOAD,
          .help = "say so of each name that is not covered"),
    FIELD(loaded, "loadedPlugins", dv_type_strings, .flags = DV_FIELD_OUTPUT, .help = "the names that are covered"),
    DV_FIELD_HELD("suffixMap", dv_type_strings, .help = "does nothing: no library is looked for"),
    DV_FIELD_HELD("stopAfterFirstSuffixFound", dv_type_bool, .init = "1",
                  .help = "does nothing: no library is looked for"),
    {0},
};

const DvClass dv_required_plugin = {
    .size = sizeof(DvClass),
    .name = "RequiredPlugin",
    .family = "settings",
    .module = "Sofa.Simulation.Core",
    .help = "Plugins that a scene names; nothing is loaded.",
    .instance_size = sizeof(RequiredPlugin),
    .fields = fields,
    .parse = parse,
};
