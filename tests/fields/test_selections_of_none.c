/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A list that is linked to something empty is told apart from one that is not given, in every class that takes empty for all, or for
 * a default.
 *
 * fields.tsv has a scene for each field: there its list follows a region that holds nothing, and there must be a warning that names
 * the field, and acts on nothing that is not given. Without the link nothing is said of the field.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/contracts/state.h>
#include <divan/divan.h>
#include <divan/registry.h>

static DvText said;

static void keep(const DvMessage *message, void *context)
{
    (void)context;
    if (message->level < DV_LEVEL_WARNING)
        return;
    dv_message_print(message, &said);
    dv_text_add(&said, "%s\n", message->harmless ? " [harmless]" : "");
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

static char *file_of(const char *name)
{
    char path[4096];
    const char *root = getenv("DIVAN_TEST_SOURCE_ROOT");
    assert_non_null(root);
    snprintf(path, sizeof path, "%s/tests/fields/%s", root, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("cannot open %s", path);
    char *text = calloc(1 << 20, 1);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

/* A copy of `text` with `by` in the place of each `what`. Frees `text`. */
static char *replaced(char *text, const char *what, const char *by)
{
    DvText out = {0};
    const char *at = text;
    for (const char *found; (found = strstr(at, what)); at = found + strlen(what))
        dv_text_add(&out, "%.*s%s", (int)(found - at), at, by);
    dv_text_add(&out, "%s", at);
    free(text);
    char *copy = strdup(out.at);
    dv_text_free(&out);
    return copy;
}

static bool holds(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || !at[length]))
            return true;
    return false;
}

/* Columns of the row of fields.tsv that shows a field acting; false when there is none. */
static bool find_row(const char *table, const char *cls, const char *field, char columns[5][1024])
{
    for (const char *line = table; *line; line = strchr(line, '\n') + 1) {
        const char *const end = strchr(line, '\n'), *at = line;
        if (*line == '#' || *line == '\n')
            continue;
        for (int c = 0; c < 5; c++) {
            const char *tab = at < end ? memchr(at, '\t', (size_t)(end - at)) : NULL;
            const char *stop_at = tab ? tab : end;
            snprintf(columns[c], 1024, "%.*s", at < end ? (int)(stop_at - at) : 0, at);
            at = tab ? tab + 1 : end;
        }
        if (holds(columns[0], cls) && holds(columns[1], field) && columns[2][0] != '-' && !strchr(columns[2], '!')) {
            columns[2][strcspn(columns[2], "?")] = '\0';
            return true;
        }
    }
    return false;
}

/* Attributes but those of the field itself. */
static void without(const char *attributes, const char *field, char *out, size_t size)
{
    out[0] = '\0';
    for (const char *at = attributes; *at;) {
        const char *name = at, *equals = strchr(at, '='), *close = equals ? strchr(equals + 2, '"') : NULL;
        if (!close)
            break;
        if ((size_t)(equals - name) != strlen(field) || strncmp(name, field, strlen(field)) != 0)
            snprintf(out + strlen(out), size - strlen(out), " %.*s", (int)(close + 1 - name), name);
        at = close + 1 + strspn(close + 1, " ");
    }
}

/* With a region that holds nothing, first of all. Frees `text`. */
static char *with_nothing(char *text)
{
    const char *root = strchr(strstr(text, "<Node"), '>') + 1;
    DvText out = {0};
    dv_text_add(
        &out,
        "%.*s<BoxROI name=\"nothing\" template=\"Vec3d\" position=\"0 0 0\" box=\"5 5 5 6 6 6\" computeEdges=\"0\" "
        "computeTriangles=\"0\" computeQuads=\"0\" computeTetrahedra=\"0\" computeHexahedra=\"0\"/>%s",
        (int)(root - text), text, root);
    free(text);
    char *copy = strdup(out.at);
    dv_text_free(&out);
    return copy;
}

/* The object `it` without an attribute that is about to be added. */
static void drop_attribute(char *text, const char *name, size_t length)
{
    char *const it = strstr(text, "name=\"it\""), *const end = strchr(it, '>');
    for (char *at = it; at < end; at++) {
        if (*at != ' ' || strncmp(at + 1, name, length) != 0 || at[1 + length] != '=')
            continue;
        const char *rest = strchr(at + length + 3, '"') + 1;
        memmove(at, rest, strlen(rest) + 1);
        return;
    }
}

static void drop_attributes(char *text, const char *attributes)
{
    for (const char *at = attributes + strspn(attributes, " "); *at; at += strspn(at, " ")) {
        const char *equals = strchr(at, '=');
        drop_attribute(text, at, (size_t)(equals - at));
        at = strchr(equals + 2, '"') + 1;
    }
}

/* Whether a message speaks of the field of `it` in these words. */
static bool tells(const char *field)
{
    char start_of[128];
    snprintf(start_of, sizeof start_of, "%s: the list is linked to '", field);
    const char *line = said.at ? strstr(said.at, start_of) : NULL;
    if (!line)
        return false;
    const size_t length = strcspn(line, "\n");
    const char *empty = strstr(line, "of 'nothing', which is empty");
    return empty && empty < line + length && !strstr(line, "[harmless]");
}

static void load(const char *text)
{
    char folder[4096];
    snprintf(folder, sizeof folder, "%s/tests/fields", getenv("DIVAN_TEST_SOURCE_ROOT"));
    const DvLoadOptions options = {.keep_going = true};
    DvScene *scene = NULL;
    dv_text_free(&said);
    const DvStatus status = dv_scene_load_text(text, strlen(text), "scene.scn", folder, &options, &scene);
    assert_true(status != DV_OK || scene);
    dv_scene_free(scene);
}

/* Fields without a scene in which their lists could be empty, of a class or of all, and why. */
static const struct {
    const char *cls, *field, *why;
} elsewhere[] = {
    {NULL, "lengths", "springs of a mesh measure theirs"},
    {"MeshExporter", "position", "what is in files is looked at by tests/host"},
    {"STLExporter", "position", "likewise"},
    {"STLExporter", "triangle", "likewise"},
    {"STLExporter", "quad", "likewise"},
    {"VTKExporter", "position", "likewise"},
};

static bool check(const char *table, const DvClass *cls, const DvField *field)
{
    char columns[5][1024], attributes[1024], it[4096];
    if (!find_row(table, cls->name, field->name, columns))
        return false;
    snprintf(it, sizeof it, "%s.scn", columns[2]);
    without(columns[4], field->name, attributes, sizeof attributes);
    const bool is_vector = field->type->components == 3;
    for (int linked = 1; linked >= 0; linked--) {
        char *text = replaced(file_of(it), "$class", cls->name);
        drop_attributes(text, attributes);
        drop_attribute(text, field->name, strlen(field->name));
        snprintf(it, sizeof it, "name=\"it\"%s %s=\"@/nothing.%s\"", attributes, field->name,
                 is_vector ? "pointsInROI" : "indices");
        if (!linked)
            snprintf(it, sizeof it, "name=\"it\"%s", attributes);
        text = replaced(text, "name=\"it\"", it);
        text = with_nothing(text);
        load(text);
        if (tells(field->name) != (linked == 1)) {
            print_error("%s.%s, %s:\n%s\n%s\n", cls->name, field->name, linked ? "linked" : "not given",
                        said.at ? said.at : "nothing is said", text);
            free(text);
            return false;
        }
        free(text);
        snprintf(it, sizeof it, "%s.scn", columns[2]);
    }
    return true;
}

static void a_list_linked_to_nothing_is_told_apart(void **state)
{
    (void)state;
    char *table = file_of("fields.tsv");
    unsigned seen = 0, failed = 0;
    for (size_t k = 0; k < dv_class_count(); k++) {
        const DvClass *cls = dv_class_at(k);
        for (const DvField *field = cls->fields; field && field->name; field++) {
            if (!(field->flags & (DV_FIELD_EMPTY_IS_ALL | DV_FIELD_EMPTY_IS_DEFAULT)))
                continue;
            bool is_elsewhere = false;
            for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
                is_elsewhere = is_elsewhere || (strcmp(field->name, elsewhere[i].field) == 0 &&
                                                (!elsewhere[i].cls || strcmp(cls->name, elsewhere[i].cls) == 0));
            seen++;
            if (!check(table, cls, field) && !is_elsewhere) {
                print_error("%s.%s\n", cls->name, field->name);
                failed++;
            }
        }
    }
    free(table);
    print_message("%u lists\n", seen);
    assert_int_equal(failed, 0);
    assert_true(seen > 40);
}

/* Where no list of numbers is marked so, empty means none, as it says. */
static void every_other_selection_of_none_selects_none(void **state)
{
    (void)state;
    static const char *const none[] = {"indices",
                                       "first_point",
                                       "second_point",
                                       "springsIndices1",
                                       "springsIndices2",
                                       "triangleList",
                                       "quadList",
                                       "edgeIndices",
                                       "list_Out",
                                       "meshIndices",
                                       "indexPairs",
                                       "pointsToRemove",
                                       "edgesToRemove",
                                       "trianglesToRemove",
                                       "quadsToRemove",
                                       "tetrahedraToRemove",
                                       "hexahedraToRemove",
                                       "vertPosIdx",
                                       "vertNormIdx",
                                       "surfaceTriangles",
                                       "primitives",
                                       "mappingX2",
                                       "fixedIndices",
                                       "DOFsX",
                                       "DOFsV",
                                       "goals",
                                       NULL};
    unsigned failed = 0;
    for (size_t k = 0; k < dv_class_count(); k++) {
        const DvClass *cls = dv_class_at(k);
        for (const DvField *field = cls->fields; field && field->name; field++) {
            if (!field->type->list || field->type->scalar != DV_SCALAR_UINT || field->type->components != 1 ||
                field->flags & (DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY | DV_FIELD_STATE | DV_FIELD_HIDDEN |
                                DV_FIELD_DRAWING | DV_FIELD_EMPTY_IS_ALL | DV_FIELD_EMPTY_IS_DEFAULT))
                continue;
            bool known = false;
            for (size_t i = 0; none[i]; i++)
                known = known || strcmp(none[i], field->name) == 0;
            if (!known)
                print_error("%s.%s: what does an empty list mean?\n", cls->name, field->name), failed++;
        }
    }
    assert_int_equal(failed, 0);
}

/* Three points of 1 kg each, and a load of 3 N on a selection of none: 1 m/s each after a second, as all count, and a warning. */
static void the_load_on_nothing_acts_on_all(void **state)
{
    (void)state;
    static const char text[] =
        "<Node name='root' gravity='0 0 0' dt='0.01'><DefaultAnimationLoop/><EulerImplicitSolver/>\n"
        "<SparseLDLSolver template='CompressedRowSparseMatrixd'/>\n"
        "<MechanicalObject name='s' position='0 0 0 1 0 0 2 0 0'/><UniformMass totalMass='3'/>\n"
        "<BoxROI name='tip' position='@s.position' box='5 -1 -1 6 1 1'/>\n"
        "<ConstantForceField name='load' indices='@tip.indices' totalForce='3 0 0'/></Node>";
    DvScene *scene = NULL;
    dv_text_free(&said);
    assert_int_equal(dv_scene_load_text(text, strlen(text), "scene.scn", NULL, NULL, &scene), DV_OK);
    assert_non_null(
        strstr(said.at, "ConstantForceField 'load': indices: the list is linked to 'indices' of 'tip', which is empty: "
                        "that counts as not given, and 'load' acts on all points\n"));
    for (int i = 0; i < 100; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    const DvStateRef s = dv_state_ref(dv_node_resolve(dv_scene_root(scene), NULL, "@/s", NULL));
    const DvConstVec v = dv_state_read(s, DV_VELOCITY);
    for (uint32_t i = 0; i < 3; i++)
        assert_true(v.at[3 * i] > 1 - 1e-12 && v.at[3 * i] < 1 + 1e-12);
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_linked_to_nothing_is_told_apart),
        cmocka_unit_test(every_other_selection_of_none_selects_none),
        cmocka_unit_test(the_load_on_nothing_acts_on_all),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
