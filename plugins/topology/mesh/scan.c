/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Numbers: a mantissa below 2^53 and a power of ten up to 22 are both exact doubles, so their product or quotient is
 * rounded once and is the nearest double (W. Clinger, How to read floating point numbers accurately, 1990). That covers
 * nearly all numbers of mesh files; others go to strtod in the "C" locale.
 */
#include "scan.h"

#include <errno.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NUMBER = 400 };

static locale_t c_locale;
static pthread_once_t c_locale_once = PTHREAD_ONCE_INIT;

static void make_c_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static inline bool is_white(char c)
{
    return is_blank(c) || c == '\n';
}

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

Scanner scan_start(const void *bytes, size_t size)
{
    const char *at = size ? bytes : ""; /* nothing may be NULL */
    return (Scanner){.at = at, .end = at + size, .line = 1};
}

bool scan_more(Scanner *scanner)
{
    while (scanner->at < scanner->end && is_white(*scanner->at)) {
        if (*scanner->at == '\n')
            scanner->line++;
        scanner->at++;
    }
    return scanner->at < scanner->end;
}

static Word peek_word(const Scanner *scanner)
{
    const char *end = scanner->at;
    while (end < scanner->end && !is_white(*end))
        end++;
    return (Word){scanner->at, (size_t)(end - scanner->at)};
}

Word scan_word(Scanner *scanner)
{
    scan_more(scanner);
    Word word = peek_word(scanner);
    scanner->at += word.length;
    return word;
}

bool scan_line(Scanner *scanner, Scanner *line)
{
    if (scanner->at >= scanner->end)
        return false;
    const char *end = memchr(scanner->at, '\n', (size_t)(scanner->end - scanner->at));
    *line = (Scanner){.at = scanner->at, .end = end ? end : scanner->end, .line = scanner->line};
    scanner->at = end ? end + 1 : scanner->end;
    scanner->line += end != NULL;
    return true;
}

static const double power_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* The shape of a decimal number at the start of a word. */
typedef struct Decimal {
    uint64_t mantissa; /* the first 19 significant digits */
    int exponent;
    bool negative, exact; /* exact: no digit was left out */
    const char *end;      /* NULL when there is no number */
} Decimal;

static Decimal read_decimal(const char *at, const char *end)
{
    Decimal number = {.exact = true};
    if (at < end && (*at == '-' || *at == '+'))
        number.negative = *at++ == '-';
    int digits = 0;
    bool any = false, after_point = false;
    for (; at < end && (is_digit(*at) || (*at == '.' && !after_point)); at++) {
        if (*at == '.') {
            after_point = true;
            continue;
        }
        any = true;
        if (digits == 0 && *at == '0') { /* leading zeros are no digits */
            number.exponent -= after_point;
        } else if (digits < 19) {
            number.mantissa = number.mantissa * 10 + (uint64_t)(*at - '0');
            number.exponent -= after_point;
            digits++;
        } else {
            number.exact = number.exact && *at == '0';
            number.exponent += !after_point;
        }
    }
    if (!any)
        return number;
    number.end = at;
    if (at < end && (*at == 'e' || *at == 'E' || *at == 'd' || *at == 'D')) {
        const char *power = at + 1;
        bool negative = false;
        if (power < end && (*power == '-' || *power == '+'))
            negative = *power++ == '-';
        if (power < end && is_digit(*power)) {
            int exponent = 0;
            for (; power < end && is_digit(*power); power++)
                if (exponent < 100000)
                    exponent = exponent * 10 + (*power - '0');
            number.exponent += negative ? -exponent : exponent;
            number.end = power;
        }
    }
    return number;
}

/* The word as a terminated string for the C library, with Fortran's D exponent made an E. */
static bool copy_number(const char *at, const char *end, char copy[LONGEST_NUMBER])
{
    size_t length = (size_t)(end - at);
    if (length >= LONGEST_NUMBER)
        return false;
    for (size_t i = 0; i < length; i++)
        copy[i] = at[i] == 'd' || at[i] == 'D' ? 'e' : at[i];
    copy[length] = 0;
    pthread_once(&c_locale_once, make_c_locale);
    return c_locale != (locale_t)0;
}

static bool decimal_value(const Decimal *number, const char *at, double *value)
{
    double result;
    if (number->mantissa == 0 && number->exact) {
        result = 0.0;
    } else if (number->exact && number->mantissa <= (uint64_t)1 << 53 && abs(number->exponent) <= 22) {
        result = (double)number->mantissa;
        result =
            number->exponent < 0 ? result / power_of_ten[-number->exponent] : result * power_of_ten[number->exponent];
    } else {
        char copy[LONGEST_NUMBER];
        if (!copy_number(at, number->end, copy))
            return false;
        result = fabs(strtod_l(copy, NULL, c_locale));
    }
    *value = number->negative ? -result : result;
    return isfinite(result);
}

bool scan_double(Scanner *scanner, double *value)
{
    scan_more(scanner);
    Decimal number = read_decimal(scanner->at, scanner->end);
    if (!number.end || (number.end < scanner->end && !is_white(*number.end)) ||
        !decimal_value(&number, scanner->at, value))
        return false;
    scanner->at = number.end;
    return true;
}

/* The nearest float differs from the double rounded again only when that double lies half-way between two floats, or
 * when the float is subnormal: then the C library decides. */
bool scan_float(Scanner *scanner, float *value)
{
    Scanner before = *scanner;
    double wide;
    if (!scan_double(scanner, &wide))
        return false;
    uint64_t bits;
    memcpy(&bits, &wide, sizeof bits);
    const uint64_t dropped = ((uint64_t)1 << 29) - 1, half = (uint64_t)1 << 28;
    if ((bits & dropped) == half || (wide != 0.0 && fabs(wide) < (double)FLT_MIN)) {
        char copy[LONGEST_NUMBER];
        scan_more(&before);
        if (!copy_number(before.at, scanner->at, copy))
            return false;
        *value = strtof_l(copy, NULL, c_locale);
    } else {
        *value = (float)wide;
    }
    return isfinite(*value);
}

bool scan_integer(Scanner *scanner, int64_t *value)
{
    scan_more(scanner);
    const char *at = scanner->at;
    bool negative = false;
    if (at < scanner->end && (*at == '-' || *at == '+'))
        negative = *at++ == '-';
    const char *first = at;
    int64_t result = 0;
    for (; at < scanner->end && is_digit(*at); at++) {
        if (result > (INT64_MAX - 9) / 10)
            return false;
        result = result * 10 + (*at - '0');
    }
    if (at == first || (at < scanner->end && !is_white(*at)))
        return false;
    *value = negative ? -result : result;
    scanner->at = at;
    return true;
}

bool word_is(Word word, const char *text)
{
    return strlen(text) == word.length && memcmp(word.text, text, word.length) == 0;
}

bool word_is_caseless(Word word, const char *text)
{
    if (strlen(text) != word.length)
        return false;
    for (size_t i = 0; i < word.length; i++) {
        char c = word.text[i], d = text[i];
        if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != (d >= 'A' && d <= 'Z' ? d + 32 : d))
            return false;
    }
    return true;
}

bool word_starts(Word word, const char *text)
{
    const size_t length = strlen(text);
    return length <= word.length && memcmp(word.text, text, length) == 0;
}

Excerpt word_excerpt(Word word)
{
    Excerpt excerpt;
    if (word.length == 0) {
        snprintf(excerpt.text, sizeof excerpt.text, "the end of the file");
        return excerpt;
    }
    size_t length = 0;
    excerpt.text[length++] = '\'';
    for (size_t i = 0; i < word.length && i < 24; i++)
        excerpt.text[length++] = word.text[i] >= ' ' && word.text[i] < 127 ? word.text[i] : '?';
    if (word.length > 24)
        for (int i = 0; i < 3; i++)
            excerpt.text[length++] = '.';
    excerpt.text[length++] = '\'';
    excerpt.text[length] = 0;
    return excerpt;
}

Excerpt scan_excerpt(Scanner scanner)
{
    scan_more(&scanner);
    return word_excerpt(peek_word(&scanner));
}
