/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * APIVersion: the version of the reference that a scene was written for. All are understood.
 */
#include <string.h>

#include <divan/build.h>
#include <divan/node.h>

typedef struct ApiVersion {
    DvData level;
} ApiVersion;

static bool is_known(const char *level)
{
    static const char *const levels[] = {"17.06", "17.12", "18.06", "18.12",  "19.06",
                                         "19.12", "20.06", "20.12", "current"};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (strcmp(levels[i], level) == 0)
            return true;
    return false;
}

static DvStatus parse(DvObject *object, void *self_, const DvAttributes *attributes)
{
    ApiVersion *self = self_;
    if (!dv_data_is_set(&self->level)) {
        const bool named = dv_attributes_find(attributes, "name") != NULL;
        dv_data_set_string(&self->level, named ? dv_object_name(object) : "current");
    }
    const char *level = dv_data_string(&self->level);
    if (!is_known(level))
        dv_field_remark(&self->level, -1,
                        "'%s' is none of 17.06 17.12 18.06 18.12 19.06 19.12 20.06 20.12 current; scenes of all years "
                        "are read alike",
                        level);
    return DV_OK;
}

static const DvField fields[] = {
    DV_FIELD(ApiVersion, level, "level", dv_type_string, .init = "26.12.99", .flags = DV_FIELD_AT_LOAD,
             .help = "the version; the name of the component when it is not given"),
    {0},
};

const DvClass dv_api_version = {
    .size = sizeof(DvClass),
    .name = "APIVersion",
    .family = "settings",
    .module = "Sofa.Component.SceneUtility",
    .help = "The version of the reference that a scene was written for; scenes of all years are read alike.",
    .instance_size = sizeof(ApiVersion),
    .fields = fields,
    .parse = parse,
};
