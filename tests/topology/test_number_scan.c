/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Numbers and words in mesh files: bit for bit what the C library reads, in any locale, and nothing that is no number.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <divan/kit/scanner.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double read_double(const char *text)
{
    DvScanner scanner = dv_scanner_start(text, strlen(text));
    double value = NAN;
    assert_true(dv_scanner_double(&scanner, &value));
    return value;
}

static void expect_no_double(const char *text)
{
    DvScanner scanner = dv_scanner_start(text, strlen(text));
    double value;
    if (dv_scanner_double(&scanner, &value))
        fail_msg("'%s' was read as %g", text, value);
}

static void random_doubles_in_all_formats_are_read_as_strtod_reads_them(void **state)
{
    (void)state;
    static const char *const formats[] = {"%.17g", "%.6g", "%.3f", "%.20e", "%.1e", "%.9g", "%.30f"};
    uint64_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        double value;
        const uint64_t bits = next_random(&seed);
        memcpy(&value, &bits, sizeof value);
        if (i % 2) /* of the size of coordinates */
            value = ((double)(int64_t)bits) * 0x1p-60;
        char text[512];
        snprintf(text, sizeof text, formats[(size_t)i % 7], value);
        if (!isfinite(value))
            continue;
        if (bits_of(read_double(text)) != bits_of(strtod(text, NULL)))
            fail_msg("'%s' was read as %.17g", text, read_double(text));
    }
}

static void random_floats_are_read_as_strtof_reads_them(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < 20000; i++) {
        char text[64];
        const double value = (double)(int64_t)next_random(&seed) * 0x1p-58;
        const float near_float = (float)value;
        /* every other one lies within a few ulps of half-way between two floats */
        const double tie = ((double)near_float + (double)nextafterf(near_float, INFINITY)) / 2;
        snprintf(text, sizeof text, "%.*g", i % 3 + 16, i % 2 ? value : tie);
        DvScanner scanner = dv_scanner_start(text, strlen(text));
        float read;
        assert_true(dv_scanner_float(&scanner, &read));
        const float right = strtof(text, NULL);
        if (bits_of((double)read) != bits_of((double)right))
            fail_msg("'%s' was read as %.9g, not %.9g", text, (double)read, (double)right);
    }
}

static void edges_of_the_format_are_read_exactly(void **state)
{
    (void)state;
    assert_int_equal(bits_of(read_double("9007199254740993")), bits_of(9007199254740992.0));
    assert_int_equal(bits_of(read_double("-0")), bits_of(-0.0));
    assert_int_equal(bits_of(read_double("00000000000000000000000000000001")), bits_of(1.0));
    assert_int_equal(bits_of(read_double(".5")), bits_of(0.5));
    assert_int_equal(bits_of(read_double("5.")), bits_of(5.0));
    assert_int_equal(bits_of(read_double("1d3")), bits_of(1000.0));
    assert_int_equal(bits_of(read_double("4.9e-324")), 1);
    assert_int_equal(bits_of(read_double("1e-400")), 0);
    assert_int_equal(bits_of(read_double("1.7976931348623157e308")), bits_of(1.7976931348623157e308));
    assert_int_equal(bits_of(read_double("0.1000000000000000055511151231257827021181583404541015625")), bits_of(0.1));
}

static void what_is_no_finite_decimal_number_is_refused(void **state)
{
    (void)state;
    static const char *const words[] = {"",     "-",     ".",    "nan", "inf", "-inf",
                                        "0x10", "1e999", "1.5x", "1,5", "e5",  "--1"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        expect_no_double(words[i]);
    char digits[500];
    memset(digits, '1', sizeof digits - 1);
    digits[sizeof digits - 1] = 0;
    expect_no_double(digits);
    digits[1] = '.';
    assert_int_equal(bits_of(read_double(digits)), bits_of(10.0 / 9.0));
}

static void what_is_refused_is_the_next_word(void **state)
{
    (void)state;
    const char *text = "\n 1e39x 1e39";
    DvScanner scanner = dv_scanner_start(text, strlen(text));
    double value = 7;
    float single = 7;
    int64_t integer = 7;
    assert_false(dv_scanner_double(&scanner, &value));
    assert_false(dv_scanner_float(&scanner, &single));
    assert_false(dv_scanner_integer(&scanner, &integer));
    assert_string_equal(dv_scanner_excerpt(scanner).text, "'1e39x'");
    assert_int_equal(scanner.line, 2);
    (void)dv_scanner_word(&scanner);
    assert_false(dv_scanner_float(&scanner, &single)); /* larger than any float */
    assert_string_equal(dv_scanner_excerpt(scanner).text, "'1e39'");
    assert_true(value == 7 && single == 7.0f && integer == 7);
    assert_true(dv_scanner_double(&scanner, &value));
    assert_true(value == 1e39);
    assert_false(dv_scanner_more(&scanner));
}

static void the_locale_does_not_matter(void **state)
{
    (void)state;
    static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"};
    const char *set = NULL;
    for (size_t i = 0; i < sizeof locales / sizeof *locales && !set; i++)
        set = setlocale(LC_ALL, locales[i]);
    assert_int_equal(bits_of(read_double("0.12345678901234567890123")), bits_of(0.12345678901234567890123));
    expect_no_double("0,5");
    setlocale(LC_ALL, "C");
}

static void integers_are_whole_words(void **state)
{
    (void)state;
    int64_t value;
    const char *text = " 12 -7 +3 9223372036854775806 4.5";
    DvScanner scanner = dv_scanner_start(text, strlen(text));
    assert_true(dv_scanner_integer(&scanner, &value));
    assert_int_equal(value, 12);
    assert_true(dv_scanner_integer(&scanner, &value));
    assert_int_equal(value, -7);
    assert_true(dv_scanner_integer(&scanner, &value));
    assert_int_equal(value, 3);
    assert_false(dv_scanner_integer(&scanner, &value)); /* too near to the end of the range */
    (void)dv_scanner_word(&scanner);
    assert_false(dv_scanner_integer(&scanner, &value));
}

static void lines_are_counted_and_the_text_need_not_end(void **state)
{
    (void)state;
    const char bytes[] = {'a', '\r', '\n', ' ', 'b', 'c', '\n', '\n', 'd'};
    DvScanner text = dv_scanner_start(bytes, sizeof bytes), line;
    assert_true(dv_scanner_line(&text, &line));
    assert_true(dv_word_is(dv_scanner_word(&line), "a"));
    DvWord word = dv_scanner_word(&text);
    assert_true(dv_word_is(word, "bc"));
    assert_int_equal(text.line, 2);
    assert_true(dv_word_is_caseless(dv_scanner_word(&text), "D"));
    assert_int_equal(text.line, 4);
    assert_false(dv_scanner_more(&text));
    assert_string_equal(dv_scanner_excerpt(text).text, "the end of the file");
    assert_string_equal(dv_word_excerpt((DvWord){"abcdefghijklmnopqrstuvwxyz", 26}).text,
                        "'abcdefghijklmnopqrstuvwx...'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_doubles_in_all_formats_are_read_as_strtod_reads_them),
        cmocka_unit_test(random_floats_are_read_as_strtof_reads_them),
        cmocka_unit_test(edges_of_the_format_are_read_exactly),
        cmocka_unit_test(what_is_no_finite_decimal_number_is_refused),
        cmocka_unit_test(what_is_refused_is_the_next_word),
        cmocka_unit_test(the_locale_does_not_matter),
        cmocka_unit_test(integers_are_whole_words),
        cmocka_unit_test(lines_are_counted_and_the_text_need_not_end),
    };
    return cmocka_run_group_tests_name("numbers and words of mesh files", tests, NULL, NULL);
}
