/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Making objects from words: variants, attributes, links, old names, and what is said when something is wrong.
 */
#include "kernel_test.h"

#define IN_NODE(text) "<Node name='root'>\n" text "\n</Node>"

static void attributes_become_fields(void **state)
{
    (void)state;
    DvScene *scene =
        load(IN_NODE("<Value name='v' number='2' count='3' flag='true' text='a b' list='1 2 3' choice='large'/>"));
    assert_silent();
    assert_true(number_at(scene, "@v", "number") == 2);
    assert_int_equal(dv_data_int(field_at(scene, "@v", "count")), 3);
    assert_true(dv_data_bool(field_at(scene, "@v", "flag")));
    assert_string_equal(dv_data_string(field_at(scene, "@v", "text")), "a b");
    size_t count;
    assert_true(dv_data_doubles(field_at(scene, "@v", "list"), &count)[2] == 3 && count == 3);
    assert_int_equal(dv_data_choice(field_at(scene, "@v", "choice")), 1);
    dv_scene_free(scene);
}

static void numbers_outside_their_range_are_named(void **state)
{
    (void)state;
    DvScene *scene =
        load(IN_NODE("<Ranged positive='1e-300' share='1' count='1' sizes='0 1 2' open='1.9' high='-7'/>"));
    assert_silent();
    dv_scene_free(scene);
    assert_refused(IN_NODE("<Ranged positive='0' share='1.5' count='0' pieces='0' sizes='1 1 1  1 -2 1' open='-1'/>"),
                   DV_ERROR_INVALID, "scene.scn:2:9: Ranged 'Ranged1': positive: is 0 kg; it must be above 0\n");
    assert_says("share: is 1.5; it must be from 0 to 1\n");
    assert_says("count: is 0; it must be 1 or more\n");
    assert_says("pieces: is 0; it must be 1 or more\n");
    assert_says("sizes[1]: number 2 is -2 m; it must be 0 or more\n");
    assert_says("open: is -1; it must be above -1 and below 2\n");
    assert_refused(IN_NODE("<Value name='v' number='4'/><Ranged high='@v.number'/>"), DV_ERROR_INVALID,
                   "high: is 4; it must be 3 or less\n");
}

static void what_a_scene_may_do_all_the_same_is_a_warning(void **state)
{
    (void)state;
    DvScene *scene = load(IN_NODE("<Ranged lenient='-1 1 -2 -3 -4 -5' drawn='-1'/>"));
    assert_says("warning: scene.scn:2:9: Ranged 'Ranged1': lenient[0]: is -1; it should be 0 or more\n");
    assert_says("lenient[3]: is -3; it should be 0 or more\n");
    assert_says("lenient: so are 2 more of its numbers\n");
    assert_says("drawn: is -1; it should be 0 or more\n");
    dv_scene_free(scene);
    scene = load(IN_NODE("<Ranged lenient='-1'/>"));
    assert_says("lenient: is -1; it should be 0 or more\n");
    dv_scene_free(scene);
    assert_refused(IN_NODE("<Ranged bound='-1'/>"), DV_ERROR_INVALID, "low: is -1; it must be 0 or more\n");
    assert_refused(IN_NODE("<Ranged bound='4'/>"), DV_ERROR_INVALID, "high: is 4; it must be 3 or less\n");
}

static void gravity_and_step_of_a_node_below_the_root_are_told(void **state)
{
    (void)state;
    DvScene *scene =
        load("<Node name='root' gravity='0 0 -1' dt='0.5'><Node name='same' gravity='0 0 -1' dt='0.5'/></Node>");
    assert_silent();
    dv_scene_free(scene);
    scene = load("<Node name='root' gravity='0 0 -1'>\n<Node name='a' gravity='0 0 -2' dt='0.5'/></Node>");
    assert_says(
        "scene.scn:2:16: Node 'a': gravity: has no effect: the whole scene has the gravity of its root, 0 0 -1\n");
    assert_says("scene.scn:2:33: Node 'a': dt: has no effect: the whole scene steps by the 0.01 s of its root\n");
    dv_scene_free(scene);
    assert_refused("<Node name='root' dt='0'/>", DV_ERROR_INVALID, "give a positive one, such as 0.01\n");
}

static void missing_indices_are_said_as_they_were_meant(void **state)
{
    (void)state;
    static const struct {
        uint32_t index, all[3];
        size_t count;
        const char *text;
    } cases[] = {
        {7, {1, 2, 7}, 3, "no point 7: the state has 3, counted from 0"},
        {3, {0, 2, 3}, 3, "no point 3: the state has 3, counted from 0"},
        {3, {1, 2, 3}, 3, "no point 3: the state has 3, counted from 0; do these numbers count from 1?"},
        {3, {1, 2, 3}, 0, "no point 3: the state has 3, counted from 0"},
        {(uint32_t)-4, {0, 1, (uint32_t)-4}, 3, "no point -4: the state has 3, counted from 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        DvText text = {0};
        dv_text_add_missing(&text, "point", cases[i].index, "the state", 3, cases[i].all, cases[i].count);
        assert_string_equal(text.at, cases[i].text);
        dv_text_free(&text);
    }
}

static void an_alias_sets_every_field_that_has_it(void **state)
{
    (void)state;
    DvScene *scene = load(IN_NODE("<Value name='v' amount='4 5'/>"));
    assert_true(number_at(scene, "@v", "number") == 4);
    size_t count;
    assert_true(dv_data_doubles(field_at(scene, "@v", "list"), &count)[1] == 5 && count == 2);
    dv_scene_free(scene);
}

static void objects_without_a_name_are_numbered_per_class_and_node(void **state)
{
    (void)state;
    DvScene *scene = load(IN_NODE("<Value/><Shown/><Value name='own'/><Value/><Node name='A'><Value/></Node>"));
    const char *const names[] = {"Value1", "Shown1", "own", "Value2"};
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(dv_object_name(dv_node_member(dv_scene_root(scene), i + 1)),
                            names[i]); /* behind the loop */
    object_at(scene, "@/A/Value1");
    dv_scene_free(scene);
}

static void an_unknown_class_names_the_closest(void **state)
{
    (void)state;
    assert_refused(IN_NODE("  <Vallue number='2'/>"), DV_ERROR_NOT_FOUND,
                   "error: scene.scn:2:3: no class 'Vallue'; did you mean 'Value'?");
    assert_refused(IN_NODE("<Xylophone/>"), DV_ERROR_NOT_FOUND, "error: scene.scn:2:1: no class 'Xylophone'\n");
}

static void all_problems_of_a_scene_are_reported_at_once(void **state)
{
    (void)state;
    assert_refused(IN_NODE("<Vallue/>\n<Value numbr='2'/>\n<Pints/>"), DV_ERROR_NOT_FOUND, "no class 'Vallue'");
    assert_says("scene.scn:3:8: Value: no field 'numbr'; did you mean 'number'?");
    assert_says("scene.scn:4:1: no class 'Pints'; did you mean 'Points'?");
}

static void an_attribute_that_nobody_reads_is_a_warning(void **state)
{
    (void)state;
    DvScene *scene = load(IN_NODE("<Value name='v' numbr='2'\n   zzz='long' _number='3' NOlist='4'/>"));
    assert_says("warning: scene.scn:2:17: Value 'v': no field 'numbr'; did you mean 'number'?");
    assert_says("warning: scene.scn:3:4: Value 'v': no field 'zzz': nothing uses the value 'long'");
    assert_null(strstr(said(), "_number"));
    assert_null(strstr(said(), "NOlist"));
    dv_scene_free(scene);
}

static void a_number_that_is_none_leaves_a_warning_with_its_place(void **state)
{
    (void)state;
    DvScene *scene = load(IN_NODE("<Value name='v'\n  number='much'/>\n<Value name='w' points='1 2 3 4'/>"));
    assert_says("warning: scene.scn:3:3: Value 'v': number: ");
    assert_says("warning: scene.scn:4:17: Value 'w': points: ");
    size_t count;
    dv_data_doubles(field_at(scene, "@w", "points"), &count);
    assert_int_equal(count, 1);
    dv_scene_free(scene);
}

static void what_an_alias_says_has_its_place(void **state)
{
    (void)state;
    DvScene *scene = load(IN_NODE("<Value name='v'\n  amount='much'/>"));
    assert_says("warning: scene.scn:3:3: Value 'v': number: ");
    assert_says("warning: scene.scn:3:3: Value 'v': list: ");
    dv_scene_free(scene);
}

static void old_class_names_make_the_new_class(void **state)
{
    (void)state;
    DvScene *scene = load(IN_NODE("<OldValue name='v' oldNumber='8'/>"));
    assert_silent();
    assert_string_equal(dv_object_class(object_at(scene, "@v"))->name, "Value");
    assert_true(number_at(scene, "@v", "number") == 8);
    dv_scene_free(scene);
}

static void an_old_class_may_stand_for_several(void **state)
{
    (void)state;
    DvScene *scene = load(IN_NODE("<Both name='b' count='9' text='mine' half='2' wrong='1'/>"));
    assert_true(number_at(scene, "@b", "number") == 16); /* an attribute of the class's own */
    assert_int_equal(dv_data_int(field_at(scene, "@b", "count")), 9);
    assert_string_equal(dv_data_string(field_at(scene, "@b", "text")), "mine");
    assert_string_equal(dv_object_variant(object_at(scene, "@Points1")), "Rigid3d");
    assert_says("Both: no field 'wrong' in what it stands for today");
    dv_scene_free(scene);
}

static void removed_classes_and_fields_are_named_with_their_successor(void **state)
{
    (void)state;
    assert_refused(IN_NODE("<Gone/>"), DV_ERROR_UNSUPPORTED,
                   "error: scene.scn:2:1: 'Gone' has been removed: use Value");
    assert_refused(IN_NODE("<Value name='v' visible='1'/>"), DV_ERROR_UNSUPPORTED,
                   "scene.scn:2:17: Value 'v': 'visible' has been removed: flag");
    DvScene *scene = load(IN_NODE("<Ornament/><Value useMask='1'/>"));
    assert_says(
        "warning: scene.scn:2:1: 'Ornament' has been removed and changes nothing: contacts need no groups any more");
    assert_says("warning: scene.scn:2:19: Value: 'useMask' has no effect any more: masks are always used");
    dv_scene_free(scene);
}

static const char *variant_of(DvScene *scene, const char *path)
{
    return dv_object_variant(object_at(scene, path));
}

static void the_template_names_the_variant_in_all_spellings(void **state)
{
    (void)state;
    static const char *const spellings[][2] = {
        {"", "Vec3d"},        {"Vec3d", "Vec3d"},     {"Vec3", "Vec3d"},     {"Vec3f", "Vec3d"},  {"ExtVec3f", "Vec3d"},
        {"Rigid", "Rigid3d"}, {"Rigid3f", "Rigid3d"}, {"Rigid3", "Rigid3d"}, {" Vec2 ", "Vec2d"}, {"Vec3f1", "Vec3d"},
    };
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        char text[200];
        snprintf(text, sizeof text, "<Node><Points name='p' template='%s'/></Node>", spellings[i][0]);
        DvScene *scene = load(text);
        assert_silent();
        assert_string_equal(variant_of(scene, "@p"), spellings[i][1]);
        dv_scene_free(scene);
    }
    DvScene *scene = load("<Node><Points name='p' template='Vec9'/></Node>");
    assert_says(
        "Points 'p': template 'Vec9' does not fit here: it exists for Vec3d or Vec2d or Rigid3d or NearVec3f, not for Vec9d; 'Vec3d' is used");
    assert_string_equal(variant_of(scene, "@p"), "Vec3d");
    dv_scene_free(scene);
}

/* FarVec3f is a word for Vec3d, so is NearVec3f, which Points have a variant for and nobody else. */
static void a_word_of_a_device_is_its_dof_type_where_no_class_has_it(void **state)
{
    (void)state;
    DvScene *scene =
        load(IN_NODE("<Points template='FarVec3f'/><Force name='f'/>"
                     "<Node name='A'><Points template=' FarVec3f '/><Force name='g' template='FarVec3f'/></Node>"
                     "<Node name='B'><Points name='p' template='NearVec3f' position='1 2 3'/><Force name='h'/></Node>"
                     "<Node name='C'><Points template='Rigid3d'/><Node name='D'>"
                     "<Points template='NearVec3f'/><Joint name='j' template='Rigid,FarVec3f'/></Node></Node>"));
    static const char *const expected[][2] = {
        {"@f", "Vec3d"}, {"@A/g", "Vec3d"}, {"@B/p", "NearVec3f"}, {"@B/h", "Vec3d"}, {"@C/D/j", "Rigid3d,Vec3d"}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_string_equal(variant_of(scene, expected[i][0]), expected[i][1]);
    assert_says(
        "warning: scene.scn:2:9: Points: template 'FarVec3f': no device keeps it, so it is 'Vec3d' on the host, in double "
        "precision; of other templates of devices nothing is said\n");
    size_t count;
    (void)dv_data_doubles(field_at(scene, "@B/p", "position"), &count);
    assert_int_equal(count, 1);
    assert_ptr_equal(dv_dof_type("FarVec3f"), &dv_vec3d);
    assert_null(dv_dof_type("FarVec3g"));
    dv_scene_free(scene);
    scene = load(
        IN_NODE("<Points name='p'/><Points name='q' template='NearVec3f'/><Pair name='f' object1='@p' object2='@q'/>"));
    assert_string_equal(variant_of(scene, "@f"), "Vec3d");
    dv_scene_free(scene);
}

static void a_force_takes_the_variant_of_its_state(void **state)
{
    (void)state;
    DvScene *scene = load(
        IN_NODE("<Points template='Rigid3d'/><Force name='f'/><Node name='A'><Force name='g' template='Vec3'/></Node>"
                "<Node name='B'><Points name='p'/></Node><Force name='h' mstate='@B/p'/>"
                "<Force name='i' template='Rigid3d,RigidMass'/>"));
    assert_string_equal(variant_of(scene, "@f"), "Rigid3d");
    assert_string_equal(variant_of(scene, "@A/g"), "Rigid3d");
    assert_string_equal(variant_of(scene, "@h"), "Vec3d");
    assert_says("Force 'g': template 'Vec3' does not fit here; 'Rigid3d' is used");
    assert_null(strstr(said(), "Force 'i'"));
    dv_scene_free(scene);
}

static void a_component_finds_what_it_works_with_by_its_link_else_around_it(void **state)
{
    (void)state;
    DvScene *scene = load(IN_NODE("<Points name='p'/><Picture name='seen'/><Value name='v'/>"
                                  "<Node name='A'><Value name='w' other='@../seen'/></Node>"));
    DvObject *v = object_at(scene, "@v"), *w = object_at(scene, "@A/w"), *p = object_at(scene, "@p"), *found = NULL;
    DvLink *of_v = (DvLink *)(void *)field_at(scene, "@v", "other"),
           *of_w = (DvLink *)(void *)field_at(scene, "@A/w", "other");
    assert_ptr_equal(dv_object_find(v, NULL, "test.state/1"), p); /* never the picture */
    assert_ptr_equal(dv_object_find(v, of_v, "test.state/1"), p);
    assert_ptr_equal(dv_object_find(w, of_w, "test.state/1"), object_at(scene, "@seen"));
    assert_ptr_equal(dv_object_find(w, NULL, "test.state/1"), p);
    assert_null(dv_object_find(w, of_w, "test.force/1")); /* it leads to another kind of object */
    assert_int_equal(dv_object_find_required(w, of_w, "test.state/1", NULL, &found), DV_OK);
    assert_ptr_equal(found, object_at(scene, "@seen"));

    assert_int_equal(dv_object_find_required(v, NULL, "test.force/1", "a spring", &found), DV_ERROR_MISSING);
    assert_null(found);
    assert_says("error: scene.scn:2: Value 'v': no force in node '/' or above; add a spring");
    assert_int_equal(dv_object_find_required(w, NULL, "test.big-force/1", NULL, &found), DV_ERROR_MISSING);
    assert_says("error: scene.scn:2: Value 'w': no big force in node '/A' or above; add one");
    dv_object_remove(object_at(scene, "@seen"));
    assert_int_equal(dv_object_find_required(w, of_w, "test.state/1", NULL, &found), DV_ERROR_MISSING);
    assert_says("Value 'w': other: no state is found at '@../seen'");
    dv_object_remove(p);
    assert_int_equal(dv_object_find_required(v, of_v, "test.state/1", NULL, &found), DV_ERROR_MISSING);
    assert_says("Value 'v': no state in node '/' or above; add a Points, or name one with 'other'");
    dv_object_ref(v);
    dv_object_remove(v); /* has no surroundings any more */
    assert_null(dv_object_find(v, NULL, "test.state/1"));
    dv_object_unref(v);
    dv_scene_free(scene);
}

static void a_force_without_a_state_or_of_another_type_is_refused(void **state)
{
    (void)state;
    assert_refused(
        IN_NODE("<Force name='f'/>"), DV_ERROR_MISSING,
        "error: scene.scn:2:1: Force 'f': cannot be made here: no state in node '/' or above; add a Points before it in "
        "the file, or name one with 'mstate'");
    assert_refused(IN_NODE("<Force name='f' mstate='@x'/>"), DV_ERROR_MISSING,
                   "mstate: no state is found at '@x'; what is named must come before it in the file");
    assert_refused(IN_NODE("<Force name='f'/><Points/>"), DV_ERROR_MISSING,
                   "no state in node '/' or above; add a Points before it in the file");
    assert_refused(IN_NODE("<Points template='Vec2d'/><Force name='f'/>"), DV_ERROR_MISSING,
                   "cannot be made here: it exists for Vec3d or Rigid3d, not for Vec2d");
}

static void a_mapping_takes_one_part_of_each_end(void **state)
{
    (void)state;
    DvScene *scene =
        load(IN_NODE("<Points template='Rigid3d'/><Node name='A'><Points name='p'/><Joint name='j'/></Node>"));
    assert_string_equal(variant_of(scene, "@A/j"), "Rigid3d,Vec3d");
    dv_scene_free(scene);
    assert_refused(IN_NODE("<Points/><Node name='A'><Joint name='j'/></Node>"), DV_ERROR_MISSING,
                   "input and output are the same object, '/Points1'");
}

static void a_pair_wants_equal_ends(void **state)
{
    (void)state;
    static const char two[] =
        IN_NODE("<Node name='A'><Points name='p' template='%s'/></Node><Node name='B'><Points name='q'/></Node>"
                "<Pair name='f' object1='@A/p' object2='@B/q'/>");
    char text[500];
    snprintf(text, sizeof text, two, "Vec3d");
    DvScene *scene = load(text);
    assert_string_equal(variant_of(scene, "@f"), "Vec3d");
    assert_ptr_equal(dv_link_object((DvLink *)(void *)field_at(scene, "@f", "object2")), object_at(scene, "@B/q"));
    dv_scene_free(scene);
    snprintf(text, sizeof text, two, "Rigid3d");
    assert_refused(
        text, DV_ERROR_MISSING,
        "Pair 'f': cannot be made here: object1 is of type Rigid3d, object2 of type Vec3d; they must be equal");
}

static void accepts_chooses_among_the_variants_in_the_order_of_bytes(void **state)
{
    (void)state;
    DvScene *scene = load(IN_NODE("<Choosy name='c' only='Vec1d'/>"));
    assert_string_equal(variant_of(scene, "@c"), "Vec1d");
    assert_string_equal(dv_data_string(field_at(scene, "@c", "only")),
                        "Vec1d"); /* asked for before, and a field still */
    dv_scene_free(scene);
    scene = load(
        IN_NODE("<Choosy name='c' template='CompressedRowSparseMatrixMat3x3' only='CompressedRowSparseMatrixMat3x3d'/>"
                "<Choosy name='d' template='CompressedRowSparseMatrix' only='CompressedRowSparseMatrixd'/>"));
    assert_silent();
    assert_string_equal(variant_of(scene, "@d"), "CompressedRowSparseMatrixd");
    dv_scene_free(scene);
    assert_refused(IN_NODE("<Choosy/>"), DV_ERROR_MISSING,
                   "cannot be made here: Vec3d is not wanted; \n"); /* the first */
}

static void paths_of_the_years_before_2012_are_understood(void **state)
{
    (void)state;
    DvScene *scene = load(IN_NODE(
        "<Points name='dofs' template='Rigid3d'/><Node name='A'><Points name='p'/><Joint name='j' object1='../..' object2='..'/>"
        "</Node><Node name='B'><Points name='q'/><Joint name='k' object1='../../dofs' object2='q'/>"
        "<Joint name='l' object1='../../../dofs' object2='..'/></Node>"));
    assert_string_equal(variant_of(scene, "@A/j"), "Rigid3d,Vec3d");
    assert_string_equal(variant_of(scene, "@B/k"), "Rigid3d,Vec3d");
    assert_string_equal(variant_of(scene, "@B/l"), "Rigid3d,Vec3d"); /* one level too many: the name decides */
    assert_ptr_equal(dv_link_object((DvLink *)(void *)field_at(scene, "@B/k", "input")), object_at(scene, "@dofs"));
    assert_ptr_equal(dv_link_object((DvLink *)(void *)field_at(scene, "@A/j", "input")), object_at(scene, "@dofs"));
    assert_says("Joint 'j': input: the path '../..' is of an old kind and is taken as '@../'");
    dv_scene_free(scene);
}

static void a_link_to_a_field_follows_it(void **state)
{
    (void)state;
    DvScene *scene = load(IN_NODE("<Value name='v' a='1' b='2'/><Value name='w' number='@v.sum' list='@v.number'/>"));
    assert_silent();
    assert_true(number_at(scene, "@w", "number") == 3);
    dv_data_set_double(field_at(scene, "@v", "a"), 5);
    assert_true(number_at(scene, "@w", "number") == 7);
    dv_scene_free(scene);
}

static void a_link_that_points_forward_keeps_the_default_with_a_warning(void **state)
{
    (void)state;
    DvScene *scene = load(IN_NODE("<Value name='w'\n number='@v.count'/><Value name='v'/>"));
    assert_says(
        "warning: scene.scn:3:2: Value 'w': number: the default is kept, since '@v.count' leads to no field of an object written earlier in the scene");
    assert_true(number_at(scene, "@w", "number") == 1.5);
    assert_true(dv_data_is_set(field_at(scene, "@w", "number")));
    dv_scene_free(scene);
}

static void links_that_lead_nowhere_are_named(void **state)
{
    (void)state;
    DvScene *scene = load(IN_NODE(
        "<Value name='v'/><Value name='w' number='@v.numbr'\n other='@x'/><Value name='u' other='@v' others='@v @later'/>"
        "<Value name='later'/>"));
    assert_says("Value 'v' has no field 'numbr'; did you mean 'number'?");
    assert_says("warning: scene.scn:3:2: Value 'w': other: nothing is found at '@x'");
    assert_says("Value 'u': other: '@v' leads to Value 'v', which does not offer test.state/1");
    const DvLink *others = (const DvLink *)(void *)field_at(scene, "@u", "others");
    assert_int_equal(others->count, 2);
    assert_ptr_equal(others->objects[1], object_at(scene, "@later")); /* object links may point forward */
    dv_scene_free(scene);
    scene = load(IN_NODE(
        "<Value name='wanted'/><Node name='below'><Value name='inner'/><Value name='s' other='@/wnted'/></Node><Value name='v' other='@wnted'/>"
        "<Value name='u' other='@below/innr'/><Value name='t' other='@belo/inner'/>"));
    assert_says("Value 'v': other: nothing is found at '@wnted'; did you mean '@wanted'?");
    assert_says("Value 'u': other: nothing is found at '@below/innr'; did you mean '@below/inner'?");
    assert_says("Value 's': other: nothing is found at '@/wnted'; did you mean '@/wanted'?");
    assert_says("Value 't': other: nothing is found at '@belo/inner'; did you mean '@below'?");
    dv_scene_free(scene);
}

static void a_circle_of_links_is_refused_with_both_ends(void **state)
{
    (void)state;
    assert_refused(IN_NODE("<Value name='v'/><Value name='w' number='@v.number' b='@w.sum'/>"), DV_ERROR_CYCLE, "'w'");
}

static void src_links_every_field_of_the_same_name(void **state)
{
    (void)state;
    DvScene *scene = load(IN_NODE("<Value name='v' number='3' count='4' text='t' must='9' listening='1'/>"
                                  "<Value name='w' src='@v' count='5'/>"));
    assert_silent();
    assert_true(number_at(scene, "@w", "number") == 3);
    assert_int_equal(dv_data_int(field_at(scene, "@w", "count")), 5);
    assert_string_equal(dv_data_string(field_at(scene, "@w", "text")), "t");
    assert_true(number_at(scene, "@w", "must") == 3);
    assert_false(dv_data_bool(field_at(scene, "@w", "listening")));
    assert_string_equal(dv_object_name(object_at(scene, "@w")), "w");
    dv_data_set_double(field_at(scene, "@v", "number"), 6);
    dv_data_set_int(field_at(scene, "@v", "count"), 6);
    assert_true(number_at(scene, "@w", "number") == 6);
    assert_int_equal(dv_data_int(field_at(scene, "@w", "count")), 5);
    dv_scene_free(scene);
    assert_refused(IN_NODE("<Value name='w' src='@x'/>"), DV_ERROR_NOT_FOUND,
                   "Value 'w': src: nothing is found at '@x'");
    scene = load(IN_NODE("<Value name='v' count='4'/><Value name='w' src=''/><Value name='x' src='@'/>"));
    assert_silent(); /* of old scenes: nothing is named, and nothing followed */
    assert_int_equal(dv_data_int(field_at(scene, "@x", "count")), dv_data_int(field_at(scene, "@w", "count")));
    dv_scene_free(scene);
}

static void a_second_holder_of_a_slot_is_told(void **state)
{
    (void)state;
    DvScene *scene = load(IN_NODE("<Points name='p'/>\n<Points name='q'/>"));
    assert_says(
        "warning: scene.scn:3:1: Points 'q': takes the place of Points 'p': a node uses one object that offers test.state/1");
    assert_ptr_equal(dv_node_slot(dv_scene_root(scene), "test.state/1"), object_at(scene, "@q"));
    dv_scene_free(scene);
}

static void required_plugins_are_only_looked_up(void **state)
{
    (void)state;
    DvScene *scene = load(
        IN_NODE("<RequiredPlugin name='Test.State'/><RequiredPlugin name='x' pluginName='OldModule test.parts'/>"));
    assert_silent();
    dv_scene_free(scene);
    scene = load(IN_NODE("<RequiredPlugin pluginName='[\"Test.State\", \"Warp.Drive\"]'/>"));
    assert_says("warning: scene.scn:2:17: RequiredPlugin: pluginName: no plugin that runs covers 'Warp.Drive'");
    assert_null(strstr(said(), "Test.State"));
    dv_scene_free(scene);
}

static void display_words_of_old_nodes_move_to_an_object(void **state)
{
    (void)state;
    DvScene *scene = load("<Node showForces='1' showVisual='0' showBoundingTree='1'><Value/></Node>");
    assert_silent();
    assert_string_equal(dv_data_string(field_at(scene, "@words", "words")), "showForces hideVisual");
    dv_scene_free(scene);
    scene = load("<Node gravty='0 0 0'/>");
    assert_says("Node: no field 'gravty'; did you mean 'gravity'?");
    dv_scene_free(scene);
}

static void the_code_makes_objects_by_the_same_rules(void **state)
{
    (void)state;
    forget_messages();
    DvScene *scene = dv_scene_new();
    DvNode *root = dv_scene_root(scene), *child = dv_node_new(root, "A");
    DvObject *points, *force;
    assert_int_equal(
        dv_object_new(root, "Points", &points, "name", "p", "template", "Rigid", "position", "1 2 3 0 0 0 1", NULL),
        DV_OK);
    assert_int_equal(dv_object_new(child, "Force", &force, "factor", "2", NULL), DV_OK);
    assert_string_equal(dv_object_variant(force), "Rigid3d");
    assert_silent();
    assert_int_equal(dv_object_new(child, "Nothing", &force, NULL), DV_ERROR_NOT_FOUND);
    assert_null(force);
    assert_int_equal(dv_object_new(child, "Troubled", &force, "when", "parse", NULL), DV_ERROR_INVALID);
    assert_null(force);
    assert_null(dv_node_member(child, 1));
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attributes_become_fields),
        cmocka_unit_test(numbers_outside_their_range_are_named),
        cmocka_unit_test(what_a_scene_may_do_all_the_same_is_a_warning),
        cmocka_unit_test(gravity_and_step_of_a_node_below_the_root_are_told),
        cmocka_unit_test(missing_indices_are_said_as_they_were_meant),
        cmocka_unit_test(an_alias_sets_every_field_that_has_it),
        cmocka_unit_test(objects_without_a_name_are_numbered_per_class_and_node),
        cmocka_unit_test(an_unknown_class_names_the_closest),
        cmocka_unit_test(all_problems_of_a_scene_are_reported_at_once),
        cmocka_unit_test(an_attribute_that_nobody_reads_is_a_warning),
        cmocka_unit_test(a_number_that_is_none_leaves_a_warning_with_its_place),
        cmocka_unit_test(what_an_alias_says_has_its_place),
        cmocka_unit_test(old_class_names_make_the_new_class),
        cmocka_unit_test(an_old_class_may_stand_for_several),
        cmocka_unit_test(removed_classes_and_fields_are_named_with_their_successor),
        cmocka_unit_test(the_template_names_the_variant_in_all_spellings),
        cmocka_unit_test(a_word_of_a_device_is_its_dof_type_where_no_class_has_it),
        cmocka_unit_test(a_force_takes_the_variant_of_its_state),
        cmocka_unit_test(a_component_finds_what_it_works_with_by_its_link_else_around_it),
        cmocka_unit_test(a_force_without_a_state_or_of_another_type_is_refused),
        cmocka_unit_test(a_mapping_takes_one_part_of_each_end),
        cmocka_unit_test(a_pair_wants_equal_ends),
        cmocka_unit_test(accepts_chooses_among_the_variants_in_the_order_of_bytes),
        cmocka_unit_test(paths_of_the_years_before_2012_are_understood),
        cmocka_unit_test(a_link_to_a_field_follows_it),
        cmocka_unit_test(a_link_that_points_forward_keeps_the_default_with_a_warning),
        cmocka_unit_test(links_that_lead_nowhere_are_named),
        cmocka_unit_test(a_circle_of_links_is_refused_with_both_ends),
        cmocka_unit_test(src_links_every_field_of_the_same_name),
        cmocka_unit_test(a_second_holder_of_a_slot_is_told),
        cmocka_unit_test(required_plugins_are_only_looked_up),
        cmocka_unit_test(display_words_of_old_nodes_move_to_an_object),
        cmocka_unit_test(the_code_makes_objects_by_the_same_rules),
    };
    return cmocka_run_group_tests(tests, start_parts, stop_parts);
}
