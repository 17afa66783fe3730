/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scenes that strict XML refuses and that users have: what is mended, with the line, and what stays an error.
 */
#include "kernel_test.h"

static const char *text_of(DvScene *scene)
{
    return dv_data_string(field_at(scene, "@v", "text"));
}

static void a_bare_ampersand_is_kept(void **state)
{
    (void)state;
    DvScene *scene = load("<Node>\n <Value name='v' text='a & b &unknown; &lt; &#65;&#x42; &#; &'/></Node>");
    assert_string_equal(text_of(scene), "a & b &unknown; < AB &#; &");
    assert_says("warning: scene.scn:2:26: '&' stands alone; write '&amp;'");
    dv_scene_free(scene);
    scene = load("<Node> a & b \n & c <Value name='v' text='x'/></Node>");
    assert_says("warning: scene.scn:1:10: '&'");
    assert_says("warning: scene.scn:2:2: '&'");
    dv_scene_free(scene);
}

static void a_less_than_inside_a_value_is_kept(void **state)
{
    (void)state;
    DvScene *scene = load("<Node>\n\n <Value name='v' text='a<b' count='4'/></Node>");
    assert_string_equal(text_of(scene), "a<b");
    assert_int_equal(dv_data_int(field_at(scene, "@v", "count")), 4);
    assert_says("warning: scene.scn:3:25: '<' inside the value of an attribute; write '&lt;'");
    dv_scene_free(scene);
}

static void attributes_need_no_blank_between_them(void **state)
{
    (void)state;
    DvScene *scene = load("<Node><Value name='v'text=\"x\"count='4'/></Node>");
    assert_string_equal(text_of(scene), "x");
    assert_says("warning: scene.scn:1:22: no blank between two attributes");
    dv_scene_free(scene);
}

static void comments_may_hold_dashes_and_anything(void **state)
{
    (void)state;
    DvScene *scene =
        load("<Node><!-- a -- b --- <Value> & \" ' -->\n<!----><!-- end ---><Value name='v' text='x'/></Node>");
    assert_string_equal(text_of(scene), "x");
    assert_says("warning: scene.scn:1:14: '--' inside a comment");
    dv_scene_free(scene);
}

static void blanks_may_stand_before_the_declaration(void **state)
{
    (void)state;
    DvScene *scene = load(" \n<?xml version='1.0'?>\n<Node><Value name='v' text='x' what='1'/></Node>");
    assert_says("blanks before the XML declaration");
    assert_says("scene.scn:3:32: Value 'v': no field 'what'"); /* lines and columns are those of the file */
    dv_scene_free(scene);
}

/* The first and the last character of each length, and what only looks like one: too long for its number, half of a pair, too large. */
static void whole_characters_stay_beside_bytes_that_are_none(void **state)
{
    (void)state;
    static const struct {
        const char *bytes, *read;
    } cases[] = {
        {"\xC2\x80", "\xC2\x80"},
        {"\xC3\x80", "\xC3\x80"},
        {"\xDF\xBF", "\xDF\xBF"},
        {"\xE0\xA0\x80", "\xE0\xA0\x80"},
        {"\xE1\x80\x80", "\xE1\x80\x80"},
        {"\xED\x9F\xBF", "\xED\x9F\xBF"},
        {"\xEE\x80\x80", "\xEE\x80\x80"},
        {"\xF0\x90\x80\x80", "\xF0\x90\x80\x80"},
        {"\xF1\x80\x80\x80", "\xF1\x80\x80\x80"},
        {"\xF4\x8F\xBF\xBF", "\xF4\x8F\xBF\xBF"},
        {"\xE0\x9F\xBF", "\xC3\xA0\xC2\x9F\xC2\xBF"},
        {"\xF0\x8F\xBF\xBF", "\xC3\xB0\xC2\x8F\xC2\xBF\xC2\xBF"},
        {"\xED\xA0\x80", "\xC3\xAD\xC2\xA0\xC2\x80"},
        {"\xF4\x90\x80\x80", "\xC3\xB4\xC2\x90\xC2\x80\xC2\x80"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256], expected[64];
        snprintf(text, sizeof text,
                 "<?xml version='1.0' encoding='utf-8'?><Node><Value name='v' text='\xE9%sx'/></Node>", cases[i].bytes);
        snprintf(expected, sizeof expected, "\xC3\xA9%sx", cases[i].read);
        DvScene *scene = load(text);
        assert_string_equal(text_of(scene), expected);
        dv_scene_free(scene);
    }
}

static void latin_1_is_read_where_utf_8_was_promised(void **state)
{
    (void)state;
    DvScene *scene =
        load("<?xml version='1.0' encoding='utf-8'?><Node><Value name='v' text='\xE9t\xC3\xA9 \xE6\x97\xA5'/></Node>");
    assert_string_equal(text_of(scene),
                        "\xC3\xA9t\xC3\xA9 \xE6\x97\xA5"); /* e acute twice, then a whole character of three bytes */
    assert_says("a byte that is not UTF-8 is read as Latin-1");
    dv_scene_free(scene);
    scene = load("<?xml version='1.0' encoding='ISO-8859-1'?><Node><Value name='v' text='\xE9'/></Node>");
    assert_silent();
    assert_string_equal(text_of(scene), "\xC3\xA9");
    dv_scene_free(scene);
}

static void only_one_warning_a_line_and_twenty_in_all(void **state)
{
    (void)state;
    DvText text = {0};
    dv_text_add(&text, "<Node>");
    for (int i = 0; i < 50; i++)
        dv_text_add(&text, "& & &\n");
    dv_text_add(&text, "</Node>");
    dv_scene_free(load(text.at));
    size_t warnings = 0;
    for (const char *at = said(); (at = strstr(at, "warning: ")); at++)
        warnings++;
    assert_int_equal(warnings, 21);
    assert_says("scene.scn: 30 more lines had to be mended");
    dv_text_free(&text);
}

static void cdata_and_processing_instructions_are_passed_over(void **state)
{
    (void)state;
    DvScene *scene = load("<Node><?php a < b & c ?><![CDATA[ <x> & ]]><Value name='v' text='x'/></Node>");
    assert_silent();
    dv_scene_free(scene);
}

static void what_cannot_be_mended_is_an_error_with_its_line(void **state)
{
    (void)state;
    assert_refused("<Node>\n<Value text='x/>\n</Node>", DV_ERROR_INVALID,
                   "error: scene.scn:2:13: broken XML: the value of 'text' is not closed by a quote");
    assert_refused("<Node>\n<Value name='v text='x'/>\n</Node>", DV_ERROR_INVALID,
                   "error: scene.scn:2:13: broken XML: the value of 'name' is not closed by a quote");
    assert_refused("<Node>\n<Value name = 'v/>\n<Value name='w'/>\n</Node>", DV_ERROR_INVALID,
                   "error: scene.scn:2:15: broken XML: the value of 'name' is not closed by a quote");
    assert_refused("<Node>\n<Value></Node>", DV_ERROR_INVALID,
                   "error: scene.scn:2:10: broken XML: mismatched tag, inside <Value> of line 2");
    assert_refused("<Node><Value name='v' name='w'/></Node>", DV_ERROR_INVALID, "broken XML: duplicate attribute");
    assert_refused("<Node><Value name=v/></Node>", DV_ERROR_INVALID,
                   "error: scene.scn:1:19: broken XML: the value of 'name' must stand in quotes");
    assert_refused("<Node><!-- never closed </Node>", DV_ERROR_INVALID, "broken XML");
    assert_refused("<Node>", DV_ERROR_INVALID, "inside <Node> of line 1");
    assert_refused("", DV_ERROR_INVALID,
                   "error: scene.scn:1:1: broken XML: nothing is here; a scene starts with <Node>");
    assert_refused("&&&&", DV_ERROR_INVALID, "broken XML");
    assert_refused("<", DV_ERROR_INVALID, "broken XML");
}

/* What a name may have in it, character by character: only behind one is a bare value told by its name. */
static void names_have_letters_digits_and_four_signs(void **state)
{
    (void)state;
    for (int c = '!'; c <= '~'; c++) {
        char text[64], said_of_it[96];
        if (strchr("\"'&<>/=?", c))
            continue;
        snprintf(text, sizeof text, "<Node><Value na%c=v/></Node>", c);
        snprintf(said_of_it, sizeof said_of_it, "scene.scn:1:18: broken XML: the value of 'na%c' must stand in quotes",
                 c);
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'), digit = c >= '0' && c <= '9';
        DvScene *scene = NULL;
        forget_messages();
        assert_int_not_equal(dv_scene_load_text(text, strlen(text), "scene.scn", NULL, NULL, &scene), DV_OK);
        if ((strstr(said(), said_of_it) != NULL) != (letter || digit || strchr("_-.:", c) != NULL))
            fail_msg("%c: %s", c, said());
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bare_ampersand_is_kept),
        cmocka_unit_test(a_less_than_inside_a_value_is_kept),
        cmocka_unit_test(attributes_need_no_blank_between_them),
        cmocka_unit_test(comments_may_hold_dashes_and_anything),
        cmocka_unit_test(blanks_may_stand_before_the_declaration),
        cmocka_unit_test(whole_characters_stay_beside_bytes_that_are_none),
        cmocka_unit_test(latin_1_is_read_where_utf_8_was_promised),
        cmocka_unit_test(only_one_warning_a_line_and_twenty_in_all),
        cmocka_unit_test(cdata_and_processing_instructions_are_passed_over),
        cmocka_unit_test(names_have_letters_digits_and_four_signs),
        cmocka_unit_test(what_cannot_be_mended_is_an_error_with_its_line),
    };
    return cmocka_run_group_tests(tests, start_parts, stop_parts);
}
