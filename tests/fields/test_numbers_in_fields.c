/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * No text becomes a number in silence that it does not say: every field of every class, and the attributes beside fields.
 *
 * Each field of numbers is hung on an object and given texts that are no number of its type, or more of them than it holds. What
 * is kept without a message is what the text says; every message names the field, or the attribute.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/divan.h>
#include <divan/registry.h>

static DvText said;
static bool named; /* all messages since the last text named file, line and `about` */
static const char *about;

static void keep(const DvMessage *message, void *context)
{
    (void)context;
    if (message->level < DV_LEVEL_WARNING)
        return;
    const char *const field = message->field ? message->field : message->text;
    named = named && message->file && message->line == 2 && strstr(field, about);
    dv_message_print(message, &said);
    dv_text_add(&said, "\n");
}

static void forget(const char *field)
{
    dv_text_free(&said);
    about = field;
    named = true;
}

static int start(void **state)
{
    (void)state;
    dv_log_set_handler(keep, NULL);
    return dv_start(NULL) == DV_OK ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    dv_stop();
    dv_text_free(&said);
    return 0;
}

static unsigned failures;

#define bad(...) (print_error(__VA_ARGS__), print_error("\n"), failures++)

static bool is_of_numbers(const DvField *field)
{
    switch (field->type->scalar) {
    case DV_SCALAR_DOUBLE:
    case DV_SCALAR_INT:
    case DV_SCALAR_UINT:
    case DV_SCALAR_BOOL:
        return true;
    default:
        return field->type->parse != NULL && field->type->scalar != DV_SCALAR_STRING;
    }
}

/* The k-th number of a value. */
static double number_of(DvData *data, size_t k)
{
    const void *value = dv_data_read(data);
    switch (data->type->scalar) {
    case DV_SCALAR_DOUBLE:
        return ((const double *)value)[k];
    case DV_SCALAR_INT:
        return ((const int32_t *)value)[k];
    case DV_SCALAR_UINT:
        return ((const uint32_t *)value)[k];
    default:
        return ((const bool *)value)[k];
    }
}

static void one_text(DvObject *object, const DvClass *cls, const DvField *declared, const char *text, bool is_number)
{
    static unsigned made;
    char name[32];
    snprintf(name, sizeof name, "field%u", made++);
    DvField field = *declared;
    field.name = name;
    field.aliases = NULL;
    forget(name);
    DvData *data = dv_object_add_field(object, &field);
    assert_non_null(data);
    (void)dv_data_set_text(data, text);
    if (!named)
        bad("%s.%s: '%s': file, line and field are not named: %s", cls->name, declared->name, text, said.at);
    if (said.length)
        return;
    if (!is_number)
        bad("%s.%s: '%s' is taken without a word", cls->name, declared->name, text);
    const size_t numbers = data->count * data->type->components;
    if (*text == '\0' || data->type->scalar == DV_SCALAR_OPAQUE)
        return;
    if (numbers != 9) {
        bad("%s.%s: '%s' gives %zu numbers without a word", cls->name, declared->name, text, numbers);
        return;
    }
    for (size_t k = 0; k < 9; k++)
        if (number_of(data, k) != (double)(k + 1))
            bad("%s.%s: '%s' gives another number %zu without a word", cls->name, declared->name, text, k);
}

static void no_field_takes_another_number_in_silence(void **state)
{
    (void)state;
    static const char scene_text[] = "<Node name='root'>\n  <MechanicalObject name='it'/>\n</Node>";
    static const char *const wrong[] = {"0,5", "abc", "0.5mm", "nan", "1e999", "1 2 3 x", "0x10", "1.2.3", "4-2.5"};
    DvScene *scene;
    unsigned fields = 0;
    for (size_t k = 0; k < dv_class_count(); k++) {
        const DvClass *cls = dv_class_at(k);
        forget("");
        assert_int_equal(dv_scene_load_text(scene_text, strlen(scene_text), "scene.scn", NULL, NULL, &scene), DV_OK);
        DvObject *object = dv_node_resolve(dv_scene_root(scene), NULL, "@/it", NULL);
        for (const DvField *field = cls->fields; field && field->name; field++) {
            if (!is_of_numbers(field))
                continue;
            fields++;
            for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
                one_text(object, cls, field, wrong[i], false);
            one_text(object, cls, field, "1 2 3 4 5 6 7 8 9", true);
            one_text(object, cls, field, "", true);
        }
        dv_scene_free(scene);
    }
    print_message("%u fields of numbers\n", fields);
    assert_true(fields > 1000);
    assert_int_equal(failures, 0);
}

/* Attributes that stand for fields of another name, with the class and what it needs. */
static const struct {
    const char *cls, *rest, *names;
} beside[] = {
    {"MechanicalObject", "", "scale sx sy sz rx ry rz dx dy dz rx2 ry2 rz2 dx2 dy2 dz2"},
    {"MeshOBJLoader", "filename='mesh/floor.obj'", "scale"},
    {"MeshGmshLoader", "filename='mesh/liver.msh'", "scale"},
    {"MeshVTKLoader", "filename='mesh/none.vtk'", "scale"},
    {"OglModel", "", "scale sx sy sz rx ry rz dx dy dz su sv du dv normals"},
    {"VisualModelImpl", "", "scale sx sy sz rx ry rz dx dy dz su sv du dv normals"},
    {"RegularGridTopology", "", "nx ny nz scale xmin ymin zmin xmax ymax zmax"},
    {"CylinderGridTopology", "", "nx ny nz"},
    {"SphereGridTopology", "", "nx ny nz"},
    {"CubeTopology", "nx='2' ny='2' nz='2'", "scale xmin ymin zmin xmax ymax zmax"},
};

static void no_attribute_beside_fields_does_either(void **state)
{
    (void)state;
    static const char *const wrong[] = {"0,5", "abc", "1 2", "0.5mm", "nan", "1e999", "1.2.3", ""};
    for (size_t k = 0; k < sizeof beside / sizeof *beside; k++) {
        char names[128];
        snprintf(names, sizeof names, "%s", beside[k].names);
        for (char *rest = NULL, *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
            for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
                char text[512];
                snprintf(text, sizeof text, "<Node name='root'>\n<%s name='it' %s %s='%s'/>\n</Node>", beside[k].cls,
                         beside[k].rest, name, wrong[i]);
                forget("");
                DvScene *scene;
                const DvLoadOptions options = {.keep_going = true};
                const DvStatus status = dv_scene_load_text(text, strlen(text), "scene.scn", NULL, &options, &scene);
                char expected[64];
                snprintf(expected, sizeof expected, ": %s 'it': ", beside[k].cls);
                assert_true(status == DV_OK || said.length);
                if (!said.at || !strstr(said.at, "scene.scn:2:") || !strstr(said.at, expected) ||
                    !strstr(said.at, name))
                    bad("%s: nothing is said: %s", text, said.at ? said.at : "");
                dv_scene_free(scene);
            }
    }
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_field_takes_another_number_in_silence),
        cmocka_unit_test(no_attribute_beside_fields_does_either),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
