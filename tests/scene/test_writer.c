/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Saving: a saved run that is loaded again goes on with the same bits.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "kernel_test.h"

static char folder[200], path[300];

static int setup(void **state)
{
    snprintf(folder, sizeof folder, P_tmpdir "/divan-writer-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/saved.scn", folder);
    return start_parts(state);
}

static int teardown(void **state)
{
    char command[300];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command) == 0 ? stop_parts(state) : -1;
}

static void save(DvScene *scene)
{
    forget_messages();
    if (dv_scene_save(scene, path) != DV_OK)
        fail_msg("%s", said());
}

static DvScene *reload(void)
{
    DvScene *scene;
    forget_messages();
    if (dv_scene_load(path, NULL, &scene) != DV_OK)
        fail_msg("%s", said());
    assert_silent();
    return scene;
}

static char *saved_text(void)
{
    static char text[20000];
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    fclose(in);
    return text;
}

static void step(DvScene *scene, int steps)
{
    while (steps-- > 0)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

/* All fields that are not links, of all objects, have the same bits. */
static void assert_same(const DvNode *a, const DvNode *b)
{
    assert_string_equal(dv_node_name(a), dv_node_name(b));
    for (size_t i = 0; dv_node_member(a, i) || dv_node_member(b, i); i++) {
        DvObject *one = dv_node_member(a, i), *other = dv_node_member(b, i);
        assert_non_null(one);
        assert_non_null(other);
        assert_string_equal(dv_object_path(one), dv_object_path(other));
        assert_string_equal(dv_object_variant(one), dv_object_variant(other));
        for (size_t k = 0; k < dv_object_field_count(one); k++) {
            DvData *field = dv_object_field_at(one, k);
            if (!dv_data_equal(field, dv_object_field_at(other, k)))
                fail_msg("%s.%s differs", dv_object_path(one), field->field->name);
        }
    }
    for (size_t i = 0; dv_node_child(a, i) || dv_node_child(b, i); i++)
        assert_same(dv_node_child(a, i), dv_node_child(b, i));
}

static void a_saved_run_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    static const char text[] = "<Node name='root' dt='0.1'><Clock name='a' start='0.3'/><Node name='N'>"
                               "<Clock start='1e-7'/><Points name='p' template='Rigid' position='1 2 3 0 0 0 1'/>"
                               "<Node name='M'><Points/><Joint/></Node></Node><Pull gravity='1 2 0.1'/></Node>";
    DvScene *straight = load(text), *stopped = load(text);
    step(stopped, 10);
    save(stopped);
    DvScene *resumed = reload();
    assert_int_equal(dv_scene_steps(resumed), 10);
    assert_true(dv_node_time(dv_scene_root(resumed)) == dv_node_time(dv_scene_root(stopped)));
    step(straight, 100);
    step(stopped, 90);
    step(resumed, 90);
    assert_same(dv_scene_root(straight), dv_scene_root(stopped));
    assert_same(dv_scene_root(straight), dv_scene_root(resumed));
    assert_true(dv_node_time(dv_scene_root(resumed)) == dv_node_time(dv_scene_root(straight)));

    /* and once more: what was restored is state too; reset still goes back to the very beginning */
    save(resumed);
    DvScene *again = reload();
    assert_same(dv_scene_root(again), dv_scene_root(straight));
    dv_scene_reset(again);
    assert_true(number_at(again, "@a", "value") == 0.3);
    assert_true(dv_node_time(dv_scene_root(again)) == 0);
    dv_scene_free(again);
    dv_scene_free(resumed);
    dv_scene_free(stopped);
    dv_scene_free(straight);
}

static void saving_before_the_first_step_changes_nothing(void **state)
{
    (void)state;
    DvScene *scene = load("<Node><Clock name='a' start='0.3'/></Node>");
    save(scene);
    assert_non_null(strstr(saved_text(), "<State hidden=\"0.1\"/>")); /* state by declaration, and nothing else */
    DvScene *again = reload();
    assert_same(dv_scene_root(scene), dv_scene_root(again));
    dv_scene_free(again);
    dv_scene_free(scene);
}

static void links_stay_links_and_look_at_what_was_written_before(void **state)
{
    (void)state;
    DvScene *scene = load(
        "<Node><Node name='A'><Value name='v' number='3' a='1' b='1'/></Node>"
        "<Points/><Value name='x' a='4'/><Value name='w' number='@A/v.number' list='@[-1].sum' other='@./'/><Node name='A2'><Value/></Node>"
        "<Value name='u' src='@w' count='2'/></Node>");
    assert_true(number_at(scene, "@w", "number") == 3); /* looking is no change */
    save(scene);
    DvScene *again = reload();
    assert_same(dv_scene_root(scene), dv_scene_root(again));
    dv_data_set_double(field_at(again, "@A/v", "number"), 8);
    assert_true(number_at(again, "@w", "number") == 8);
    assert_true(number_at(again, "@u", "number") == 8);
    assert_null(strstr(saved_text(), "State"));
    dv_scene_free(again);
    dv_scene_free(scene);
}

static void what_code_set_before_and_after_init_is_kept_apart(void **state)
{
    (void)state;
    forget_messages();
    DvScene *scene = dv_scene_new();
    DvObject *v, *w;
    assert_int_equal(dv_object_new(dv_scene_root(scene), "Value", &v, "name", "v", "number", "5", "a", "7", NULL),
                     DV_OK);
    assert_int_equal(dv_object_new(dv_scene_root(scene), "Value", &w, "name", "w", NULL), DV_OK);
    dv_data_set_double(dv_object_field(v, "number"), 0.1);
    dv_data_set_int(dv_object_field(v, "count"), 9);
    assert_int_equal(dv_data_link(dv_object_field(w, "number"), dv_object_field(v, "number")), DV_OK);
    dv_link_set((DvLink *)(void *)dv_object_field(w, "others"), v);
    assert_int_equal(dv_scene_init(scene), DV_OK);
    dv_data_set_string(dv_object_field(v, "text"), "@late & <odd> \"x\"\n");
    save(scene);
    const char *text = saved_text();
    assert_non_null(strstr(text, "<Value name=\"v\" a=\"7\" number=\"0.1\" count=\"9\">"));
    assert_non_null(strstr(text, "<State text=\"@late &amp; &lt;odd> &quot;x&quot;&#10;\"/>"));
    assert_non_null(strstr(text, "number=\"@/v.number\""));
    DvScene *again = reload();
    assert_same(dv_scene_root(scene), dv_scene_root(again));
    assert_true(number_at(again, "@w", "number") == 0.1);
    assert_ptr_equal(dv_link_object((DvLink *)(void *)field_at(again, "@w", "others")), object_at(again, "@v"));
    dv_scene_free(again);
    dv_scene_free(scene);
}

static void attributes_that_the_class_converts_are_converted_once(void **state)
{
    (void)state;
    DvScene *scene = load("<Node><Value name='v' number='3' half='2'/></Node>");
    assert_true(number_at(scene, "@v", "number") == 12);
    save(scene);
    DvScene *again = reload();
    assert_true(number_at(again, "@v", "number") == 12);
    dv_scene_free(again);
    dv_scene_free(scene);
}

static void a_file_is_found_from_the_new_place(void **state)
{
    (void)state;
    char deep[300], name[400];
    snprintf(deep, sizeof deep, "%s/deep", folder);
    mkdir(deep, 0755);
    snprintf(name, sizeof name, "%s/mesh.obj", deep);
    fclose(fopen(name, "w"));
    static const char text[] =
        "<Node><Value name='v' filename='mesh.obj'/><Value name='w' filename='none.obj'/></Node>";
    DvScene *scene;
    assert_int_equal(dv_scene_load_text(text, strlen(text), "x", deep, NULL, &scene), DV_OK);
    assert_string_equal(dv_data_file(field_at(scene, "@v", "filename")), name);
    save(scene);
    DvScene *again = reload();
    assert_string_equal(dv_data_file(field_at(again, "@v", "filename")), name);
    assert_string_equal(dv_data_string(field_at(again, "@w", "filename")), "none.obj");
    dv_scene_free(again);
    dv_scene_free(scene);
}

static void old_vocabulary_is_saved_as_new(void **state)
{
    (void)state;
    DvScene *scene = load("<Node showForces='1'><OldValue name='v' oldNumber='8'/><Points template='Rigid'/>"
                          "<Node name='A'><Points/><Joint object1='../..' object2='..'/></Node></Node>");
    save(scene);
    const char *text = saved_text();
    assert_non_null(strstr(text, "<Value name=\"v\" number=\"8\"/>"));
    assert_non_null(strstr(text, "<Joint name=\"Joint1\" template=\"Rigid3d,Vec3d\" input=\"@../\" output=\"@./\"/>"));
    assert_non_null(strstr(text, "<Shown name=\"words\" words=\"showForces\"/>"));
    assert_null(strstr(text, "Node showForces"));
    DvScene *again = reload();
    assert_same(dv_scene_root(scene), dv_scene_root(again));
    dv_scene_free(again);
    dv_scene_free(scene);
}

static void a_state_that_fits_nothing_is_an_error(void **state)
{
    (void)state;
    assert_refused("<Node><Value name='v'>\n<State nmber='1'/></Value></Node>", DV_ERROR_NOT_FOUND,
                   "error: scene.scn:2:8: Value 'v': State: no field 'nmber'");
    assert_refused("<Node><Value name='v'><State number='@v.sum'/></Value></Node>", DV_ERROR_INVALID,
                   "a state is a value, '@v.sum' is a link");
    assert_refused("<Node><Value name='v'><State number='x'/></Value></Node>", DV_ERROR_INVALID, "number");
}

static void a_file_that_cannot_be_written_leaves_the_old_one(void **state)
{
    (void)state;
    DvScene *scene = load("<Node><Value name='v'/></Node>");
    save(scene);
    forget_messages();
    assert_int_equal(dv_scene_save(scene, "/nonexistent/place/x.scn"), DV_ERROR_IO);
    assert_says("/nonexistent/place/x.scn: the scene cannot be written: ");
    dv_data_set_string(field_at(scene, "@v", "text"), "bell \a");
    forget_messages();
    assert_int_equal(dv_scene_save(scene, path), DV_ERROR_INVALID);
    assert_says("Value 'v': text: a control character cannot be written to a scene file");
    dv_scene_free(reload());
    dv_scene_free(scene);
}

static void a_node_with_two_parents_cannot_be_saved(void **state)
{
    (void)state;
    DvScene *scene = load("<Node><Node name='A'><Node name='S'/></Node><Node name='B'/></Node>");
    assert_int_equal(
        dv_node_attach(dv_object_as_node(object_at(scene, "@B")), dv_object_as_node(object_at(scene, "@A/S"))), DV_OK);
    forget_messages();
    assert_int_equal(dv_scene_save(scene, path), DV_ERROR_UNSUPPORTED);
    assert_says("Node 'S': it has several parents, which a scene file cannot say");
    dv_scene_free(scene);
}

static void links_to_namesakes_are_saved(void **state)
{
    (void)state;
    forget_messages();
    DvScene *scene = dv_scene_new();
    DvNode *root = dv_scene_root(scene), *first = dv_node_new(root, "N"), *second = dv_node_new(root, "N");
    DvObject *one, *two, *last;
    assert_int_equal(dv_object_new(first, "Value", &one, "name", "v", "number", "1", NULL), DV_OK);
    assert_int_equal(dv_object_new(second, "Value", &two, "name", "v", "number", "2", NULL), DV_OK);
    assert_int_equal(dv_object_new(root, "Value", &last, "name", "last", NULL), DV_OK);
    dv_link_set((DvLink *)(void *)dv_object_field(last, "others"), two);
    assert_int_equal(dv_data_link(dv_object_field(last, "number"), dv_object_field(two, "number")), DV_OK);
    assert_int_equal(dv_scene_init(scene), DV_OK);
    save(scene);
    DvScene *again;
    assert_int_equal(dv_scene_load(path, NULL, &again), DV_OK);
    assert_true(number_at(again, "@last", "number") == 2);
    assert_ptr_equal(dv_link_object((DvLink *)(void *)field_at(again, "@last", "others")),
                     object_at(again, "@/N[2]/v"));
    dv_scene_free(again);
    dv_scene_free(scene);
}

static void what_is_transient_is_left_out_with_the_links_to_it(void **state)
{
    (void)state;
    DvScene *scene = load("<Node><Value name='kept' number='3'/></Node>");
    DvNode *root = dv_scene_root(scene), *contacts = dv_node_new(root, "Contacts");
    DvNode *below = dv_node_new(contacts, "Below");
    DvObject *contact, *deep, *user;
    assert_int_equal(dv_object_new(root, "Value", &contact, "name", "contact", "number", "7", NULL), DV_OK);
    assert_int_equal(dv_object_new(below, "Points", &deep, "name", "deep", NULL), DV_OK);
    assert_false(dv_object_is_transient(deep));
    dv_object_set_transient(contact, true);
    dv_object_set_transient(dv_node_object(contacts), true);
    assert_true(dv_object_is_transient(contact));
    assert_true(dv_object_is_transient(deep));
    assert_int_equal(dv_object_new(root, "Value", &user, "name", "user", "number", "@contact.number", "a",
                                   "@kept.number", "others", "@kept @contact @Contacts/Below/deep", "other",
                                   "@Contacts/Below/deep", NULL),
                     DV_OK);
    assert_true(number_at(scene, "@user", "number") == 7);
    save(scene);
    const char *text = saved_text();
    assert_null(strstr(text, "ontact"));
    assert_null(strstr(text, "deep"));
    DvScene *again = reload();
    assert_true(number_at(again, "@user", "number") == 7);
    assert_ptr_equal(dv_data_parent(field_at(again, "@user", "a")), field_at(again, "@kept", "number"));
    const DvLink *others = (const DvLink *)(const void *)field_at(again, "@user", "others");
    assert_int_equal(others->count, 1);
    assert_ptr_equal(others->objects[0], object_at(again, "@kept"));
    assert_false(dv_link_is_set((const DvLink *)(const void *)field_at(again, "@user", "other")));
    dv_scene_free(again);
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_saved_run_goes_on_with_the_same_bits),
        cmocka_unit_test(saving_before_the_first_step_changes_nothing),
        cmocka_unit_test(links_stay_links_and_look_at_what_was_written_before),
        cmocka_unit_test(what_code_set_before_and_after_init_is_kept_apart),
        cmocka_unit_test(attributes_that_the_class_converts_are_converted_once),
        cmocka_unit_test(a_file_is_found_from_the_new_place),
        cmocka_unit_test(old_vocabulary_is_saved_as_new),
        cmocka_unit_test(a_state_that_fits_nothing_is_an_error),
        cmocka_unit_test(a_file_that_cannot_be_written_leaves_the_old_one),
        cmocka_unit_test(a_node_with_two_parents_cannot_be_saved),
        cmocka_unit_test(links_to_namesakes_are_saved),
        cmocka_unit_test(what_is_transient_is_left_out_with_the_links_to_it),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
