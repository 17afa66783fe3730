/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Values as text: what is read, what is kept, what is said, and that printing and reading give the same bits.
 *
 * Fields of any type are added to a root node, so no plugin is needed.
 */
#include "capture.h"

#include <divan/math/decimal.h>
#include <divan/types/color.h>
#include <divan/types/matrix.h>

#include <ctype.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <time.h>

static DvScene *scene;

/* A new field of the type on the root node, set from `start` (NULL: not). */
static DvData *field_of(const DvType *type, const char *start)
{
    static unsigned number;
    char name[32];
    snprintf(name, sizeof name, "f%u", number++);
    const DvField field = {.name = name, .type = type};
    DvData *data = dv_object_add_field(dv_node_object(dv_scene_root(scene)), &field);
    assert_non_null(data);
    if (start)
        assert_int_equal(dv_data_set_text(data, start), DV_OK);
    return data;
}

/* The text that a value of `type` prints after it was read from `text`; `message` is what the kernel said, after the place. */
static void check_after(const DvType *type, const char *start, const char *text, const char *printed, DvStatus status,
                        const char *message)
{
    DvData *data = field_of(type, start);
    DvText out = {0};
    assert_int_equal(dv_data_set_text(data, text), status);
    assert_true(dv_data_is_set(data));
    dv_data_print(data, &out);
    assert_string_equal(out.at ? out.at : "", printed);
    dv_text_free(&out);
    const char *said = captured.at ? strstr(captured.at, data->field->name) : NULL;
    DvText expected = {0};
    dv_text_add(&expected, "%s", message ? message : "");
    if (message && !type->list)
        dv_text_add(&expected, " (%s is used)", printed);
    assert_string_equal(said ? said + strlen(data->field->name) + 2 : "", expected.at);
    dv_text_free(&expected);
    if (message)
        assert_memory_equal(captured.at, "warning: Node: f", strlen("warning: Node: f"));
    dv_text_free(&captured);
}

static void check_over(const DvType *type, const char *start, const char *text, const char *printed,
                       const char *message)
{
    check_after(type, start, text, printed, message ? DV_ERROR_INVALID : DV_OK, message);
}

#define good(type, text, printed)                 check_after(&(type), NULL, text, printed, DV_OK, NULL)
#define warned(type, text, printed, message)      check_after(&(type), NULL, text, printed, DV_OK, message)
#define wrong(type, text, printed, message)       check_after(&(type), NULL, text, printed, DV_ERROR_INVALID, message)
#define over(type, start, text, printed, message) check_over(&(type), start, text, printed, message)

static void a_truth_value_is_read_by_its_first_letter(void **state)
{
    (void)state;
    good(dv_type_bool, "true", "true");
    good(dv_type_bool, "T", "true");
    good(dv_type_bool, "FALSE ", "false");
    good(dv_type_bool, "f", "false");
    good(dv_type_bool, "1", "true");
    good(dv_type_bool, "0", "false");
    good(dv_type_bool, "-3", "true");
    warned(dv_type_bool, "tomato", "true", "'tomato' only begins as true");
    warned(dv_type_bool, "tree", "true", "'tree' only begins as true");
    warned(dv_type_bool, "falsch", "false", "'falsch' only begins as false");
    warned(dv_type_bool, "1x", "true", "'x' after the value is dropped");
    over(dv_type_bool, "1", "yes", "true", "'yes' is none of true, false, 1, 0");
    over(dv_type_bool, "1", " 0", "true", "' 0' is none of true, false, 1, 0");
    over(dv_type_bool, "1", "-", "true", "'-' is none of true, false, 1, 0");
    over(dv_type_bool, "1", "", "true", NULL);
}

static void an_integer_is_read_as_far_as_it_goes(void **state)
{
    (void)state;
    good(dv_type_int, " 12 ", "12");
    good(dv_type_int, "+12", "12");
    good(dv_type_int, "-2147483648", "-2147483648");
    warned(dv_type_int, "3.7", "3", "'.7' after the value is dropped");
    over(dv_type_int, "5", "2147483648", "0", "'2147483648' is beyond the largest integer here, 2147483647");
    over(dv_type_int, "5", "99999999999999999999999", "0",
         "'99999999999999999999999' is beyond the largest integer here, 2147483647");
    over(dv_type_int, "5", "x", "0", "'x' is not an integer");
    over(dv_type_int, "5", "-2147483649 \n", "0", "'-2147483649' is not an integer");
    const char *at = "-2147483649 2147483648 x";
    int32_t number = 7;
    assert_false(dv_read_int(&at, &number));
    at = "2147483648";
    assert_false(dv_read_int(&at, &number));
    at = "x";
    assert_false(dv_read_int(&at, &number));
    assert_string_equal(at, "x");
    assert_int_equal(number, 7);
    over(dv_type_int, "5", " ", "5", NULL);
    good(dv_type_uint, "4294967295", "4294967295");
    good(dv_type_uint, "-0", "0");
    warned(dv_type_uint, "-1", "4294967295", "'-1' is negative");
    warned(dv_type_uint, "-1 5", "4294967295", "'-1 5' is negative; '5' after the value is dropped");
    wrong(dv_type_uint, "x", "0", "'x' is not an integer that is not negative");
    wrong(dv_type_uint, "4294967296", "0", "'4294967296' is beyond the largest integer here, 4294967295");
    wrong(dv_type_uint, "-2147483649", "0", "'-2147483649' is not an integer that is not negative");
}

static void a_decimal_number_is_read_as_far_as_it_goes(void **state)
{
    (void)state;
    good(dv_type_double, "-1.5e-3", "-0.0015");
    good(dv_type_double, ".5", "0.5");
    good(dv_type_double, "5.", "5");
    good(dv_type_double, "+1E+2", "100");
    good(dv_type_double, "-0", "-0");
    warned(dv_type_double, "1.5 m", "1.5", "'m' after the value is dropped");
    warned(dv_type_double, "1e", "1", "'e' after the value is dropped");
    warned(dv_type_double, "1e+x", "1", "'e+x' after the value is dropped");
    warned(dv_type_double, "1e-", "1", "'e-' after the value is dropped");
    warned(dv_type_double, "0x10", "0", "'x10' after the value is dropped");
    warned(dv_type_double, "0,5", "0", "',5' after the value is dropped");
    wrong(dv_type_double, "nan", "0", "'nan' is not a number");
    wrong(dv_type_double, "-inf", "0", "'-inf' is not a number");
    wrong(dv_type_double, "1e400", "0", "'1e400' is not a number");
    wrong(dv_type_double, "1e99999999999", "0", "'1e99999999999' is not a number");
    wrong(dv_type_double, ".", "0", "'.' is not a number");
    wrong(dv_type_double, "-", "0", "'-' is not a number");
    good(dv_type_double, "1e-400", "0");
}

/* Independent reading: the C library's. The locale of the tests is "C". */
static void decimal_numbers_are_rounded_as_the_c_library_rounds_them(void **state)
{
    (void)state;
    static const char *const hard[] = {"9007199254740993",
                                       "9007199254740992.5",
                                       "0.1",
                                       "1e22",
                                       "1e23",
                                       "8.5e-23",
                                       "123456789012345678901234567890",
                                       "4.9406564584124654e-324",
                                       "2.2250738585072011e-308",
                                       "1.7976931348623157e308",
                                       "0.000000000000000000000000000001",
                                       "1.00000000000000011102230246251565",
                                       "3.14159265358979323846264338327950288",
                                       "7.2057594037927933e16",
                                       "00000000000000000000000000000001.5",
                                       "0.00000000000000000000000000000000000000000000000012345678901234567890"};
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) {
        const char *at = hard[i];
        double value;
        assert_true(dv_read_double(&at, &value));
        assert_int_equal(*at, 0);
        assert_memory_equal(&value, &(double){strtod(hard[i], NULL)}, sizeof value);
    }
    uint64_t random = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        char text[64];
        snprintf(text, sizeof text, "%s%llu.%llue%d", random & 1 ? "-" : "", (unsigned long long)(random >> 40),
                 (unsigned long long)(random >> (20 + i % 40)), (int)(random % 61) - 30);
        const char *at = text;
        double value;
        assert_true(dv_read_double(&at, &value));
        assert_memory_equal(&value, &(double){strtod(text, NULL)}, sizeof value);
    }
}

/* Where a reader must not look behind the end, only a sanitizer sees it: the bytes get a block of their own. */
static char *bytes_of(const char *text, const char **end)
{
    const size_t length = strlen(text);
    char *bytes = malloc(length ? length : 1);
    assert_non_null(bytes);
    for (size_t i = 0; i < length; i++)
        bytes[i] = text[i];
    *end = bytes + length;
    return bytes;
}

/* The number at the start of `text`, of which `rest` is left over. */
static void check_scan(const char *text, double value, const char *rest)
{
    const char *end;
    char *const bytes = bytes_of(text, &end);
    const char *at = bytes;
    double number;
    float single;
    assert_true(dv_scan_double(&at, end, &number));
    assert_memory_equal(&number, &value, sizeof value);
    assert_int_equal(end - at, strlen(rest));
    at = bytes;
    assert_true(dv_scan_float(&at, end, &single));
    assert_memory_equal(&single, &(float){(float)value}, sizeof single);
    assert_int_equal(end - at, strlen(rest));
    free(bytes);
}

static void check_no_scan(const char *text)
{
    const char *end;
    char *const bytes = bytes_of(text, &end);
    const char *at = bytes;
    double number = 7;
    float single = 7;
    assert_false(dv_scan_double(&at, end, &number));
    assert_false(dv_scan_float(&at, end, &single));
    assert_ptr_equal(at, bytes);
    assert_true(number == 7 && single == 7.0f);
    free(bytes);
}

static void numbers_end_with_the_bytes_that_hold_them(void **state)
{
    (void)state;
    static const struct {
        const char *text, *rest;
        double value;
    } numbers[] = {{"12", "", 12},
                   {" \t\n-0", "", -0.0},
                   {"+.5", "", 0.5},
                   {"5.", "", 5},
                   {"1e2", "", 100},
                   {"1e", "e", 1},
                   {"1e-", "e-", 1},
                   {"1e+x", "e+x", 1},
                   {"1.5d-1", "", 0.15},
                   {"-2D2x", "x", -200},
                   {"1d", "d", 1},
                   {"1..5", ".5", 1},
                   {"0x10", "x10", 0},
                   {"3,4", ",4", 3},
                   {"1e-400", "", 0},
                   {"0e999999999999999999999", "", 0},
                   {"1e23", "", 1e23},
                   {"1d23", "", 1e23},
                   {"9007199254740993", "", 9007199254740992}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        check_scan(numbers[i].text, numbers[i].value, numbers[i].rest);
    static const char *const none[] = {"", " ", "-", ".", "-.", "e5", "nan", "-inf", "--1", "1e400", "-1d400"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        check_no_scan(none[i]);
    const char *at = "1d2"; /* scenes have no such exponents */
    double value;
    assert_true(dv_read_double(&at, &value));
    assert_true(value == 1);
    assert_string_equal(at, "d2");
}

/* `zeros` zeros between the point and what follows. */
static char *small_number(int zeros, const char *behind)
{
    const size_t size = (size_t)zeros + strlen(behind) + 3;
    char *text = malloc(size);
    assert_non_null(text);
    snprintf(text, size, "0.%0*d%s", zeros, 0, behind);
    return text;
}

static void numbers_of_any_length_are_read(void **state)
{
    (void)state;
    static const struct {
        int zeros;
        const char *behind;
        double value;
    } numbers[] = {{99, "1e100", 1},
                   {120, "1e121", 1}, /* 127 bytes */
                   {121, "1e122", 1},
                   {124, "1", 1e-125}, /* 127 bytes */
                   {125, "1", 1e-126},
                   {100000, "1e100000", 0.1},
                   {100000, "1e100309", 1e308},
                   {100, "12345678901234567890123e101", 1.2345678901234567890123},
                   {1100, "1", 0}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char *const text = small_number(numbers[i].zeros, numbers[i].behind);
        const char *at = text, *end = text + strlen(text);
        double value;
        assert_true(dv_read_double(&at, &value));
        assert_ptr_equal(at, end);
        assert_memory_equal(&value, &numbers[i].value, sizeof value);
        at = text;
        assert_true(dv_scan_double(&at, end, &value));
        assert_ptr_equal(at, end);
        assert_memory_equal(&value, &numbers[i].value, sizeof value);
        free(text);
    }
    char *const large = small_number(100000, "1e1000010"); /* 10^899999 */
    check_no_scan(large);
    const char *at = large;
    assert_false(dv_read_double(&at, &(double){0}));
    free(large);
}

static void floats_are_rounded_once(void **state)
{
    (void)state;
    /* Half-way between 1 and the next float, and a little more or less than a double tells: rounded twice they go to 1. */
    static const struct {
        const char *text;
        float value;
    } numbers[] = {{"1.000000059604644775390625", 1.0f},
                   {"1.00000005960464477539062500000000001", 1.0f + FLT_EPSILON},
                   {"1.00000017881393432617187499999999999", 1.0f + FLT_EPSILON},
                   {"-1.00000005960464477539062500000000001d0", -1.0f - FLT_EPSILON},
                   {"1.401298464324817e-45", 0x1p-149f},
                   {"7.0064923216240853546186479164495806564013097093825788587853e-46", 0.0f},
                   {"7.0064923216240853546186479164495806564013097093825788587854e-46", 0x1p-149f},
                   {"1.1754943508222875e-38", FLT_MIN},
                   {"-0", -0.0f},
                   {"1e-400", 0.0f},
                   {"3.4028235677973366e38", FLT_MAX}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const char *at = numbers[i].text, *end = at + strlen(at);
        float value;
        assert_true(dv_scan_float(&at, end, &value));
        assert_ptr_equal(at, end);
        assert_memory_equal(&value, &numbers[i].value, sizeof value);
    }
    static const char *const large[] = {"3.4028235677973367e38", "-1e39", "1e400"};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        const char *at = large[i];
        float value = 7;
        assert_false(dv_scan_float(&at, at + strlen(at), &value));
        assert_ptr_equal(at, large[i]);
        assert_true(value == 7.0f);
    }
}

static void integers_end_with_the_bytes_that_hold_them(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } numbers[] = {{"12", 12},
                   {" -7", -7},
                   {"\n+3", 3},
                   {"4.5", 4},
                   {"00000000000000000000001", 1},
                   {"999999999999999999", 999999999999999999}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const char *end;
        char *const bytes = bytes_of(numbers[i].text, &end);
        const char *at = bytes;
        int64_t value;
        assert_true(dv_scan_integer(&at, end, &value));
        assert_int_equal(value, numbers[i].value);
        assert_true(at == end || *at == '.');
        free(bytes);
    }
    static const char *const none[] = {"", " ", "-", "+", "x", "- 1", "9223372036854775807"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        const char *end;
        char *const bytes = bytes_of(none[i], &end);
        const char *at = bytes;
        int64_t value = 7;
        assert_false(dv_scan_integer(&at, end, &value));
        assert_ptr_equal(at, bytes);
        assert_int_equal(value, 7);
        free(bytes);
    }
}

static void printed_numbers_read_back_as_the_same_bits_and_are_short(void **state)
{
    (void)state;
    uint64_t random = 2463534242u;
    for (int i = 0; i < 20000; i++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        double value, back;
        memcpy(&value, &random, sizeof value);
        if (!isfinite(value))
            continue;
        DvText out = {0};
        dv_text_add_double(&out, value);
        assert_true(out.length <= 24);
        const char *at = out.at;
        assert_true(dv_read_double(&at, &back));
        assert_int_equal(*at, 0);
        assert_memory_equal(&back, &value, sizeof back);
        dv_text_free(&out);
    }
    good(dv_type_double, "0.1", "0.1");
    good(dv_type_double, "0.30000000000000004", "0.30000000000000004");
    good(dv_type_double, "100000000000000", "100000000000000");
    good(dv_type_double, "1e300", "1e+300");
}

static void a_vector_needs_all_its_numbers_and_drops_what_follows(void **state)
{
    (void)state;
    good(dv_type_vec3d, " 1 2\n\t3 ", "1 2 3");
    warned(dv_type_vec3d, "1 2 3 4", "1 2 3", "'4' after the value is dropped");
    over(dv_type_vec3d, "7 8 9", "1 2", "1 2 9", "1 of 3 numbers are missing");
    over(dv_type_vec3d, "7 8 9", "1 x 3", "1 0 9", "'x 3' is not a number");
    over(dv_type_vec3d, "7 8 9", "0.1,0.2,0.3", "0.1 0 9", "',0.2,0.3' is not a number");
    over(dv_type_vec3d, "7 8 9", " ", "7 8 9", NULL);
    good(dv_type_vec2i, "-1 2", "-1 2");
    warned(dv_type_vec2u, "-1 -2", "4294967295 4294967294", "'-1 -2' is negative");
    good(dv_type_vec3b, "1 0 1", "1 0 1");
    wrong(dv_type_vec3b, "1x 0 1", "1 0 0", "'x 0 1' is not 0 or 1");
    wrong(dv_type_vec3b, "1 true 1", "1 0 0", "'true 1' is not 0 or 1");
    wrong(dv_type_vec3b, "1 10 1", "1 0 0", "'10 1' is not 0 or 1");
    good(dv_type_box, "0 0 0 1 2 3", "0 0 0 1 2 3");
    good(dv_type_quat, "", "0 0 0 1");
}

#define TEN_BYTES_OF_NO_CHARACTER    "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80"
#define TWENTY_BYTES_OF_NO_CHARACTER TEN_BYTES_OF_NO_CHARACTER TEN_BYTES_OF_NO_CHARACTER
#define FORTY_BYTES_OF_NO_CHARACTER  TWENTY_BYTES_OF_NO_CHARACTER TWENTY_BYTES_OF_NO_CHARACTER

static void a_list_drops_an_incomplete_last_entry_and_stops_at_a_bad_one(void **state)
{
    (void)state;
    good(dv_type_doubles, " ", "");
    over(dv_type_doubles, "1 2", "", "", NULL);
    good(dv_type_vec3s, "1 2 3  4 5 6", "1 2 3 4 5 6");
    warned(dv_type_vec3s, "1 2 3 4 5", "1 2 3", "the last entry has 2 of 3 numbers and is dropped");
    wrong(dv_type_vec3s, "1 2 3 4 x 6", "1 2 3", "'x 6' is not a number; the 1 entries before it are kept");
    good(dv_type_bools, "1 0 1", "1 0 1");
    wrong(dv_type_bools, "1 false", "1", "'false' is not 0 or 1; the 1 entries before it are kept");
    good(dv_type_tetrahedra, "0 1 2 3 3 2 1 0", "0 1 2 3 3 2 1 0");
    good(dv_type_rigid3s, "1 2 3 0 0 0 1", "1 2 3 0 0 0 1");
    wrong(dv_type_doubles, "1 2 a-very-long-word-that-goes-on-and-on-beyond-all-measure", "1 2",
          "'a-very-long-word-that-goes-on-and-on-bey...' is not a number; the 2 entries before it are kept");
    wrong(dv_type_doubles, "1 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\xc3\xa9zz", "1",
          "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...' is not a number; the 1 entries before it are kept");
    wrong(dv_type_doubles, FORTY_BYTES_OF_NO_CHARACTER "\x80", "",
          "'" TWENTY_BYTES_OF_NO_CHARACTER "...' is not a number; the 0 entries before it are kept");
}

static void index_lists_know_ranges(void **state)
{
    (void)state;
    good(dv_type_ints, "1 -2 3", "1 -2 3");
    good(dv_type_uints, "0-3 7", "0 1 2 3 7");
    good(dv_type_uints, "3-0", "3 2 1 0");
    good(dv_type_uints, "0-10-5", "0 5 10");
    good(dv_type_uints, "0-9-5", "0 5");
    good(dv_type_ints, "-2-1", "-2 -1 0 1");
    good(dv_type_ints, "-1--3", "-1 -2 -3");
    good(dv_type_ints, "4-0--2", "4 2 0");
    good(dv_type_ints, "0-4--2", "4 2 0");
    good(dv_type_ints, "4-0-2", "0 2 4");
    good(dv_type_ints, "0-2-0", "0 1 2");
    good(dv_type_ints, "2-0-0", "2 1 0");
    good(dv_type_ints, "5-5", "5");
    good(dv_type_ints, "5-5--3", "5");
    wrong(dv_type_uints, "1 -2 3", "1 0 3",
          "'-2' is not an integer that is not negative or a range such as 2-7; it counts as 0");
    wrong(dv_type_ints, "1 2.5 3 x", "1 0 3 0", "'2.5' is not an integer or a range such as 2-7; it counts as 0");
    wrong(dv_type_ints, "1-b", "1 0", "'1-b' is not an integer or a range such as 2-7; it counts as 0");
    wrong(dv_type_ints, "b-2", "0 1 2", "'b-2' is not an integer or a range such as 2-7; it counts as 0");
    wrong(dv_type_ints, "1-", "1 0", "'1-' is not an integer or a range such as 2-7; it counts as 0");
    wrong(dv_type_ints, "1-3-", "1 2 3", "'1-3-' is not an integer or a range such as 2-7; it counts as 0");
    wrong(dv_type_ints, "-", "0", "'-' is not an integer or a range such as 2-7; it counts as 0");
    wrong(dv_type_ints, "2147483648 1", "0 1", "'2147483648' is not an integer or a range such as 2-7; it counts as 0");
    wrong(dv_type_ints, "-2147483649", "0", "'-2147483649' is not an integer or a range such as 2-7; it counts as 0");
    wrong(dv_type_ints, "1 and-a-word-of-more-than-forty-letters-after-it", "1 0",
          "'and-a-word-of-more-than-forty-letters-af' is not an integer or a range such as 2-7; it counts as 0");
    good(dv_type_uints, "4294967295", "4294967295");
    wrong(dv_type_uints, "4294967296", "0",
          "'4294967296' is not an integer that is not negative or a range such as 2-7; it counts as 0");
    wrong(dv_type_uints, "1 0-4294967295 5", "1", "'0-4294967295' makes a list of more than 16777216 entries");
}

static void texts_are_kept_as_they_are_and_lists_of_them_know_quotes(void **state)
{
    (void)state;
    good(dv_type_string, "  a b\n", "  a b\n");
    over(dv_type_string, "x", "", "", NULL);
    good(dv_type_file, "mesh/liver.msh", "mesh/liver.msh");
    good(dv_type_strings, " one two\tthree ", "one two three");
    over(dv_type_strings, "one two", "three", "three", NULL);
    over(dv_type_strings, "one two", "", "", NULL);
    good(dv_type_strings, "[\"one\", \"two three\"]", "[\"one\", \"two three\"]");
    good(dv_type_strings, "['one', 'two \"x\" three', plain one ]", "[\"one\", 'two \"x\" three', \"plain one\"]");
    good(dv_type_strings, "[]", "");
    good(dv_type_strings, "[\"\"]", "[\"\"]");
    good(dv_type_strings, "[,a]", "[\"\", \"a\"]");
    good(dv_type_strings, "['[x', y]", "[\"[x\", \"y\"]");
    wrong(dv_type_strings, "['x   ", "", "''x' has no closing quote");
    warned(dv_type_strings, "[a] b", "a", "'b' after the value is dropped");
    wrong(dv_type_strings, "[\"a\", \"b", "a", "'\"b' has no closing quote");
    wrong(dv_type_strings, "[\"a\" \"b\"]", "a", "'\"b\"]': a comma or ']' is missing before it");
    wrong(dv_type_strings, "[a, b", "a b", "the closing ']' is missing");
    good(dv_type_tags, "solver !rigid", "solver !rigid");
}

static void matrices_may_have_brackets_and_commas_between_rows(void **state)
{
    (void)state;
    good(dv_type_mat3d, "1 2 3 4 5 6 7 8 9", "1 2 3 4 5 6 7 8 9");
    good(dv_type_mat3d, "[1 2 3,4 5 6, 7 8 9]", "1 2 3 4 5 6 7 8 9");
    warned(dv_type_mat3d, "[1 2 3 4 5 6 7 8 9] 10", "1 2 3 4 5 6 7 8 9", "'10' after the value is dropped");
    warned(dv_type_mat3d, "1 2 3 4 5 6 7 8 9,", "1 2 3 4 5 6 7 8 9", "',' after the value is dropped");
    over(dv_type_mat3d, "9 9 9 9 9 9 9 9 9", "", "9 9 9 9 9 9 9 9 9", NULL);
    wrong(dv_type_mat3d, "[1 2 3, 4 5 x]", "1 2 3 4 5 0 0 0 0", "'x]' comes where one of a matrix of 9 numbers should");
    wrong(dv_type_mat3d, "1 2 3", "1 2 3 0 0 0 0 0 0",
          "the end of the text comes where one of a matrix of 9 numbers should");
    wrong(dv_type_mat3d, "1, 2 3", "1 0 0 0 0 0 0 0 0", "', 2 3' comes where one of a matrix of 9 numbers should");
    wrong(dv_type_mat3d, "[1 2 3 4 5 6 7 8 9", "1 2 3 4 5 6 7 8 9",
          "the end of the text comes where ']' of a matrix of 9 numbers should");
    good(dv_type_mat3s, "[1 0 0, 0 1 0, 0 0 1], [2 0 0, 0 2 0, 0 0 2]", "1 0 0 0 1 0 0 0 1 2 0 0 0 2 0 0 0 2");
    good(dv_type_mat3s, "1 0 0 0 1 0 0 0 1 2 0 0 0 2 0 0 0 2", "1 0 0 0 1 0 0 0 1 2 0 0 0 2 0 0 0 2");
    wrong(dv_type_mat3s, "1 0 0 0 1 0 0 0 1 2", "1 0 0 0 1 0 0 0 1",
          "the end of the text comes where one of a matrix of 9 numbers should");
    good(dv_type_mat3s, "", "");
}

static void colors_are_numbers_hexadecimal_digits_or_names(void **state)
{
    (void)state;
    static const char bad[] = "is no color: give red green blue [alpha] from 0 to 1, #RRGGBB or a name such as red";
    char message[256];
    good(dv_type_color, "0.25 0.5 0.75", "0.25 0.5 0.75 1");
    good(dv_type_color, "0.25 0.5 0.75 0", "0.25 0.5 0.75 0");
    good(dv_type_color, "#ff0000", "1 0 0 1");
    good(dv_type_color, "#F008", "1 0 0 0.5333333333333333");
    good(dv_type_color, "#00ff0000", "0 1 0 0");
    good(dv_type_color, "#0f0", "0 1 0 1");
    good(dv_type_color, "blue", "0 0 1 1");
    over(dv_type_color, "0 0 0 0", "", "0 0 0 0", NULL);
    warned(dv_type_color, "1 0 0 1 5", "1 0 0 1", "'5' after the value is dropped");
    good(dv_type_color, "#336699cc", "0.2 0.4 0.6 0.8");
    for (size_t i = 0; i < 7; i++) {
        static const char *const texts[] = {"1 0", "#ff", "#gg0000", "#00000g", "Blue", "#fffff", "blues"};
        snprintf(message, sizeof message, "'%s' %s", texts[i], bad);
        over(dv_type_color, "0.5 0.5 0.5", texts[i], "0.5 0.5 0.5 1", message);
    }
    good(dv_type_colors, "1 0 0 1 0 1 0 1", "1 0 0 1 0 1 0 1");
    good(dv_type_colors, "red #00f 0 0 0 1", "1 0 0 1 0 0 1 1 0 0 0 1");
    good(dv_type_colors, "1 0 0", "1 0 0 1");
    snprintf(message, sizeof message, "'1 0 0 blue' %s", bad);
    wrong(dv_type_colors, "red 1 0 0 blue", "1 0 0 1", message);
}

static void a_choice_is_one_of_the_words_or_its_number(void **state)
{
    (void)state;
    static const char *const words[] = {"small", "large", "polar", NULL};
    DvObject *root = dv_node_object(dv_scene_root(scene));
    DvData *data = dv_object_add_field(root, &(DvField){.name = "choice", .type = &dv_type_choice, .choices = words});
    assert_int_equal(dv_data_choice(data), 0);
    assert_int_equal(dv_data_set_text(data, "polar"), DV_OK);
    assert_int_equal(dv_data_choice(data), 2);
    expect_messages("");
    assert_int_equal(dv_data_set_text(data, "1"), DV_OK);
    assert_string_equal(dv_data_string(data), "large");
    expect_messages("warning: Node: choice: the number 1 stands for 'large'; the name is clearer");
    assert_int_equal(dv_data_set_text(data, "pola"), DV_ERROR_INVALID);
    expect_messages(
        "warning: Node: choice: 'pola' is none of 'small', 'large', 'polar'; did you mean 'polar'? (large is used)");
    assert_int_equal(dv_data_set_text(data, "3"), DV_ERROR_INVALID);
    expect_messages("warning: Node: choice: '3' is none of 'small', 'large', 'polar' (large is used)");
    assert_int_equal(dv_data_set_text(data, "-1"), DV_ERROR_INVALID);
    expect_messages("warning: Node: choice: '-1' is none of 'small', 'large', 'polar' (large is used)");
    assert_int_equal(dv_data_set_text(data, ""), DV_OK);
    assert_int_equal(dv_data_choice(data), 1);
    dv_data_set_string(data, "unknown");
    assert_int_equal(dv_data_choice(data), -1);
    good(dv_type_choice, "anything", "anything");
    assert_int_equal(dv_data_choice(field_of(&dv_type_choice, "anything")), -1);
    expect_messages("");
}

/* Types that plugins bring: pairs of numbers that print as "a:b". */
static DvStatus parse_pairs(const DvType *type, const char *text, void **elements, size_t *count, DvText *problem)
{
    const char *first = text;
    double value[2];
    if (!dv_read_double(&first, &value[0]) || *first++ != ':' || !dv_read_double(&first, &value[1])) {
        dv_text_add(problem, "no pair");
        return DV_ERROR_INVALID;
    }
    *elements = dv_alloc(1, type->element_size);
    memcpy(*elements, value, sizeof value);
    *count = 1;
    return DV_OK;
}
static void print_pairs(const DvType *type, const void *elements, size_t count, DvText *out)
{
    (void)type;
    const double *value = elements;
    for (size_t i = 0; i < count; i++)
        dv_text_add(out, "%g:%g", value[2 * i], value[2 * i + 1]);
}
static const DvType pair = {.size = sizeof(DvType),
                            .name = "pair",
                            .scalar = DV_SCALAR_OPAQUE,
                            .components = 1,
                            .element_size = 16,
                            .parse = parse_pairs,
                            .print = print_pairs};
static const DvType pairs = {.size = sizeof(DvType),
                             .name = "pairs",
                             .scalar = DV_SCALAR_OPAQUE,
                             .components = 1,
                             .list = true,
                             .element_size = 16,
                             .parse = parse_pairs,
                             .print = print_pairs};

static void types_of_plugins_read_and_print_by_their_own_functions(void **state)
{
    (void)state;
    good(pair, "1:2", "1:2");
    over(pair, "1:2", "3", "1:2", "no pair");
    good(pairs, "1:2", "1:2");
    over(pairs, "1:2", "3", "", "no pair");
}

/* A follower of `to` type takes the value of a field of `from` type. */
static void follows(const DvType *from, const char *text, const DvType *to, const char *start, const char *printed)
{
    DvData *parent = field_of(from, text), *child = field_of(to, start);
    DvText out = {0};
    assert_int_equal(dv_data_link(child, parent), DV_OK);
    dv_data_print(child, &out);
    assert_string_equal(out.at ? out.at : "", printed);
    dv_text_free(&out);
}

static void a_follower_of_another_type_takes_what_both_have(void **state)
{
    (void)state;
    follows(&dv_type_vec3s, "1 2 3 4 5 6", &dv_type_rigid3s, NULL, "1 2 3 0 0 0 1 4 5 6 0 0 0 1");
    follows(&dv_type_vec3s, "1 2 3 4 5 6", &dv_type_rigid3s, "9 9 9 1 0 0 0", "1 2 3 1 0 0 0 4 5 6 0 0 0 1");
    follows(&dv_type_rigid3s, "1 2 3 0 0 0 1", &dv_type_vec3s, NULL, "1 2 3");
    follows(&dv_type_vec3d, "1 2 3", &dv_type_double, NULL, "1");
    follows(&dv_type_double, "4", &dv_type_vec3d, "7 8 9", "4 8 9");
    follows(&dv_type_doubles, "4 5", &dv_type_vec3d, "7 8 9", "4 5 9");
    follows(&dv_type_doubles, "4 5", &dv_type_vec3s, NULL, "4 0 0 5 0 0");
    follows(&dv_type_double, "-2.7", &dv_type_int, NULL, "-2");
    follows(&dv_type_double, "1e300", &dv_type_int, NULL, "2147483647");
    follows(&dv_type_double, "-1e300", &dv_type_int, NULL, "-2147483648");
    follows(&dv_type_double, "5", &dv_type_uint, NULL, "5");
    follows(&dv_type_double, "2", &dv_type_doubles, NULL, "2");
    follows(&dv_type_strings, "", &dv_type_vec3d, "7 8 9", "7 8 9");
    follows(&dv_type_strings, "", &dv_type_string, "x", "");
    follows(&dv_type_double, "1e300", &dv_type_uint, NULL, "4294967295");
    follows(&dv_type_double, "-1e300", &dv_type_uint, NULL, "0");
    follows(&dv_type_int, "-1", &dv_type_uint, NULL, "4294967295");
    follows(&dv_type_uint, "4294967295", &dv_type_double, NULL, "4294967295");
    follows(&dv_type_bool, "1", &dv_type_double, NULL, "1");
    follows(&dv_type_double, "0.5", &dv_type_bool, NULL, "true");
    follows(&dv_type_quads, "0 1 2 3", &dv_type_tetrahedra, NULL, "0 1 2 3");
    follows(&dv_type_string, "1 2 3", &dv_type_vec3d, NULL, "1 2 3");
    follows(&dv_type_vec3d, "1 2 0.1", &dv_type_string, NULL, "1 2 0.1");
    follows(&dv_type_string, "a b", &dv_type_strings, NULL, "a b");
    follows(&dv_type_int, "2", &dv_type_choice, NULL, "2"); /* choices belong to a field, not to its type */
    follows(&pair, "1:2", &dv_type_string, NULL, "1:2");
    follows(&dv_type_string, "3:4", &pair, NULL, "3:4");
    expect_messages("");
    const double not_a_number = NAN;
    DvData *parent = field_of(&dv_type_double, NULL);
    dv_data_set(parent, &not_a_number, 1);
    DvData *of_int = field_of(&dv_type_int, "3"), *of_uint = field_of(&dv_type_uint, "3");
    assert_int_equal(dv_data_link(of_int, parent), DV_OK);
    assert_int_equal(dv_data_link(of_uint, parent), DV_OK);
    assert_int_equal(dv_data_int(of_int), 0);
    assert_int_equal(dv_data_uint(of_uint), 0);
}

static void names_that_are_nearly_right_are_found(void **state)
{
    (void)state;
    static const char *const names[] = {"youngModulus", "poissonRatio", "method", "mu"};
    assert_string_equal(dv_closest("youngModulu", names, 4), "youngModulus");
    assert_string_equal(dv_closest("YoungModulus", names, 4), "youngModulus");
    assert_string_equal(dv_closest("metohd", names, 4), "method");
    assert_string_equal(dv_closest("poisonratio", names, 4), "poissonRatio");
    assert_string_equal(dv_closest("nu", names, 4), "mu");
    assert_null(dv_closest("damping", names, 4));
    assert_null(dv_closest("", names, 4));
    assert_null(dv_closest("method", names, 0));
    char longer[200];
    memset(longer, 'a', sizeof longer);
    longer[199] = 0;
    assert_null(dv_closest(longer, names, 4));
    const char *const long_names[] = {longer};
    assert_null(dv_closest("method", long_names, 1));
}

/* Twice what it takes to make b of a, from the end of both: letters that come, go, change or change places with the next; half of it
 * where only the case changes. */
static unsigned twice_the_way(const char *a, size_t n, const char *b, size_t m)
{
    if (n == 0 || m == 0)
        return 2 * (unsigned)(n + m);
    const char last_a = a[n - 1], last_b = b[m - 1];
    const unsigned change = last_a == last_b ? 0 : tolower(last_a) == tolower(last_b) ? 1 : 2;
    const unsigned ways[] = {
        twice_the_way(a, n - 1, b, m) + 2, twice_the_way(a, n, b, m - 1) + 2,
        twice_the_way(a, n - 1, b, m - 1) + change,
        n > 1 && m > 1 && last_a == b[m - 2] && a[n - 2] == last_b ? twice_the_way(a, n - 2, b, m - 2) + 2 : UINT_MAX};
    unsigned least = UINT_MAX;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        least = ways[i] < least ? ways[i] : least;
    return least;
}

static void the_first_of_the_nearest_names_is_found(void **state)
{
    (void)state;
    uint32_t seed = 3;
    size_t found = 0, none = 0;
    for (int round = 0; round < 1500; round++) {
        char words[4][8];
        for (int w = 0; w < 4; w++) {
            size_t length = 1 + (seed = seed * 1664525u + 1013904223u) / 16 % 6;
            words[w][length] = 0;
            while (length-- > 0)
                words[w][length] = "abcB"[(seed = seed * 1664525u + 1013904223u) >> 30];
        }
        const char *const names[] = {words[1], words[2], words[3]}, *expected = NULL;
        unsigned least = 2 * (unsigned)(strlen(words[0]) < 6 ? 1 : 2) + 1; /* a third of the letters, one at least */
        for (int w = 0; w < 3; w++) {
            const unsigned way = twice_the_way(words[0], strlen(words[0]), names[w], strlen(names[w]));
            if (way < least) {
                least = way;
                expected = names[w];
            }
        }
        const char *closest = dv_closest(words[0], names, 3);
        if (closest != expected)
            fail_msg("%s: %s of %s %s %s", words[0], closest ? closest : "none", names[0], names[1], names[2]);
        *(expected ? &found : &none) += 1;
    }
    assert_true(found > 300 && none > 300);
}

static void words_are_read_one_by_one_and_cut_to_the_room(void **state)
{
    (void)state;
    const char *at = "  alpha beta";
    char word[4];
    assert_true(dv_read_word(&at, word, sizeof word));
    assert_string_equal(word, "alp");
    assert_true(dv_read_word(&at, word, sizeof word));
    assert_string_equal(word, "bet");
    assert_false(dv_read_word(&at, word, sizeof word));
}

static void types_of_dof_types_have_their_numbers(void **state)
{
    (void)state;
    assert_ptr_equal(dv_type_of_coords(&dv_vec3d), &dv_type_vec3s);
    assert_ptr_equal(dv_type_of_coords(&dv_vec1d), &dv_type_doubles);
    static const DvDofType *const all[] = {&dv_vec1d, &dv_vec2d, &dv_vec3d, &dv_vec6d, &dv_rigid2d, &dv_rigid3d};
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(dv_type_of_coords(all[i])->components, all[i]->coord);
        assert_int_equal(dv_type_of_derivs(all[i])->components, all[i]->deriv);
    }
}

static void each_status_has_a_word(void **state)
{
    (void)state;
    assert_string_equal(dv_status_name(DV_OK), "ok");
    assert_string_equal(dv_status_name(DV_ERROR_IO), "input or output");
    assert_string_equal(dv_status_name(DV_ERROR_NOT_CONVERGED), "not converged");
    assert_string_equal(dv_status_name((DvStatus)99), "unknown");
}

/* Meshes and states of scenes are megabytes of text: room for the numbers grows by doubling, nothing is taken for each.
 * What it takes in time is measured by tests/bench/bench_read_numbers.c. */
static void ten_megabytes_of_numbers_are_read_with_few_allocations(void **state)
{
    (void)state;
    DvText text = {0};
    uint64_t random = 1;
    while (text.length < 10000000) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        dv_text_add(&text, "%.6f ", (double)(random >> 40) * 1e-3);
    }
    DvData *data = field_of(&dv_type_vec3s, NULL);
    const uint64_t before = dv_allocation_count();
    (void)dv_data_set_text(data, text.at);
    const uint64_t taken = dv_allocation_count() - before;
    dv_text_free(&captured); /* the count of numbers may not be a multiple of 3 */
    assert_true(data->count > 200000);
    assert_true(taken < 64); /* 10 MB are 24 doublings of one byte */
    dv_text_free(&text);
}

static int setup(void **state)
{
    (void)state;
    dv_log_set_handler(capture, NULL);
    scene = dv_scene_new();
    return scene ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    dv_scene_free(scene);
    dv_log_set_handler(NULL, NULL);
    dv_text_free(&captured);
    dv_stop();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_truth_value_is_read_by_its_first_letter),
        cmocka_unit_test(an_integer_is_read_as_far_as_it_goes),
        cmocka_unit_test(a_decimal_number_is_read_as_far_as_it_goes),
        cmocka_unit_test(decimal_numbers_are_rounded_as_the_c_library_rounds_them),
        cmocka_unit_test(numbers_end_with_the_bytes_that_hold_them),
        cmocka_unit_test(numbers_of_any_length_are_read),
        cmocka_unit_test(floats_are_rounded_once),
        cmocka_unit_test(integers_end_with_the_bytes_that_hold_them),
        cmocka_unit_test(printed_numbers_read_back_as_the_same_bits_and_are_short),
        cmocka_unit_test(a_vector_needs_all_its_numbers_and_drops_what_follows),
        cmocka_unit_test(a_list_drops_an_incomplete_last_entry_and_stops_at_a_bad_one),
        cmocka_unit_test(index_lists_know_ranges),
        cmocka_unit_test(texts_are_kept_as_they_are_and_lists_of_them_know_quotes),
        cmocka_unit_test(matrices_may_have_brackets_and_commas_between_rows),
        cmocka_unit_test(colors_are_numbers_hexadecimal_digits_or_names),
        cmocka_unit_test(a_choice_is_one_of_the_words_or_its_number),
        cmocka_unit_test(types_of_plugins_read_and_print_by_their_own_functions),
        cmocka_unit_test(a_follower_of_another_type_takes_what_both_have),
        cmocka_unit_test(the_first_of_the_nearest_names_is_found),
        cmocka_unit_test(names_that_are_nearly_right_are_found),
        cmocka_unit_test(words_are_read_one_by_one_and_cut_to_the_room),
        cmocka_unit_test(types_of_dof_types_have_their_numbers),
        cmocka_unit_test(each_status_has_a_word),
        cmocka_unit_test(ten_megabytes_of_numbers_are_read_with_few_allocations),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
