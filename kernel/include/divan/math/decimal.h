/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Decimal numbers in text and in files: with '.' in any locale, correctly rounded. Neither infinity nor NaN is a number here.
 *
 * A decimal number of which the digits fit in 53 bits and the power of ten is at most 22 is one product or quotient of two
 * exact doubles, rounded once (Clinger 1990, "How to read floating point numbers accurately"); all others go through
 * the C library, in its C locale, which rounds correctly.
 *
 * Text ends with a zero byte, where `end` is NULL; bytes of a file end before `end`, and then seem to end with a zero.
 *
 * Threads: all [any].
 */
#ifndef DIVAN_MATH_DECIMAL_H
#define DIVAN_MATH_DECIMAL_H

#include <float.h>
#include <math.h>
#include <string.h>

#include <divan/base.h>

DV_BEGIN_DECLS

#define DV_DECIMAL_EXACT ((uint64_t)1 << DBL_MANT_DIG) /* all integers up to it are doubles */

/* A number as it is written: digits 10^exponent. */
typedef struct DvDecimal {
    const char *start, *power, *end; /* sign or first digit; letter of the exponent, or `end`; what follows */
    uint64_t digits;                 /* above DV_DECIMAL_EXACT there may be more of them */
    int64_t exponent;
    bool negative;
} DvDecimal;

/* What the C library reads: correctly rounded, to a float if `single`, however many digits there are. */
DV_PUBLIC double dv_decimal_round(const DvDecimal *number, bool single);

static inline bool dv_is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline bool dv_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline char dv_byte_at(const char *at, const char *end)
{
    return at == end ? '\0' : *at;
}

static inline const char *dv_skip_blanks(const char *at, const char *end)
{
    while (dv_is_blank(dv_byte_at(at, end)))
        at++;
    return at;
}

static inline const char *dv_skip_sign(const char *at, const char *end, bool *negative)
{
    const char sign = dv_byte_at(at, end);
    *negative = sign == '-';
    return sign == '-' || sign == '+' ? at + 1 : at;
}

static inline const char *dv_decimal_digits(const char *at, const char *end, uint64_t *digits)
{
    for (; dv_is_digit(dv_byte_at(at, end)); at++)
        if (*digits <= DV_DECIMAL_EXACT)
            *digits = *digits * 10 + (uint64_t)(*at - '0');
    return at;
}

/* Whether a letter stands before a power of ten; Fortran has two more. */
static inline bool dv_decimal_is_power(char letter, bool fortran)
{
    return letter == 'e' || letter == 'E' || (fortran && (letter == 'd' || letter == 'D'));
}

/* The number at the start of `text`, behind blanks; false when there is none. */
static inline bool dv_decimal_read(const char *text, const char *end, bool fortran, DvDecimal *number)
{
    const char *const start = dv_skip_blanks(text, end);
    bool negative, down;
    const char *const whole = dv_skip_sign(start, end, &negative);
    uint64_t digits = 0;
    int64_t exponent = 0;
    const char *at = dv_decimal_digits(whole, end, &digits);
    const bool has_point = dv_byte_at(at, end) == '.';
    if (has_point) {
        const char *const fraction = at + 1;
        at = dv_decimal_digits(fraction, end, &digits);
        exponent = fraction - at;
    }
    if (at == whole + has_point)
        return false;
    const char *const power = at;
    if (dv_decimal_is_power(dv_byte_at(at, end), fortran)) {
        const char *digit = dv_skip_sign(at + 1, end, &down);
        if (dv_is_digit(dv_byte_at(digit, end))) {
            int64_t value = 0;
            for (; dv_is_digit(dv_byte_at(digit, end)); digit++)
                if (value < INT64_MAX / 100) /* no text has as many zeros */
                    value = value * 10 + (*digit - '0');
            exponent += down ? -value : value;
            at = digit;
        }
    }
    const DvDecimal found = {start, power, at, digits, exponent, negative};
    *number = found;
    return true;
}

static inline double dv_decimal_value(const DvDecimal *number)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const int64_t exponent = number->exponent;
    if (number->digits > DV_DECIMAL_EXACT || exponent < -22 || exponent > 22)
        return dv_decimal_round(number, false);
    const double digits = (double)number->digits;
    const double result = exponent < 0 ? digits / powers[-exponent] : digits * powers[exponent];
    return number->negative ? -result : result;
}

static inline bool dv_decimal_double(const char **text, const char *end, bool fortran, double *value)
{
    DvDecimal number;
    if (!dv_decimal_read(*text, end, fortran, &number))
        return false;
    const double result = dv_decimal_value(&number);
    if (!isfinite(result))
        return false;
    *value = result;
    *text = number.end;
    return true;
}

/* From `least` to `most`, of which none of 18 digits is too large. */
static inline bool dv_decimal_integer(const char **text, const char *end, int64_t least, int64_t most, int64_t *value)
{
    bool negative;
    const char *at = dv_skip_sign(dv_skip_blanks(*text, end), end, &negative);
    if (!dv_is_digit(dv_byte_at(at, end)))
        return false;
    int64_t number = 0;
    for (; dv_is_digit(dv_byte_at(at, end)); at++) {
        if (number > (INT64_MAX - 9) / 10)
            return false;
        number = number * 10 + (*at - '0');
    }
    if (negative)
        number = -number;
    if (number < least || number > most)
        return false;
    *value = number;
    *text = at;
    return true;
}

/* For files, of which the bytes end before `end`: they skip white space, read one number, move *text behind it, whatever
 * follows; false leaves *text and *value as they were: no number, or one out of range. Exponents may be Fortran's (1d-3);
 * integers of 19 digits may be refused. */
static inline bool dv_scan_double(const char **text, const char *end, double *value)
{
    return dv_decimal_double(text, end, true, value);
}

static inline bool dv_scan_integer(const char **text, const char *end, int64_t *value)
{
    return dv_decimal_integer(text, end, INT64_MIN, INT64_MAX, value);
}

/* Rounded once, from the decimal number: the nearest float is that of the nearest double, unless the double lies half-way
 * between two floats or the float is subnormal. */
static inline bool dv_scan_float(const char **text, const char *end, float *value)
{
    DvDecimal number;
    if (!dv_decimal_read(*text, end, true, &number))
        return false;
    double result = dv_decimal_value(&number);
    uint64_t bits;
    memcpy(&bits, &result, sizeof bits);
    const uint64_t dropped = ((uint64_t)1 << (DBL_MANT_DIG - FLT_MANT_DIG)) - 1, half = dropped / 2 + 1;
    if ((bits & dropped) == half || (result != 0 && fabs(result) < (double)FLT_MIN))
        result = dv_decimal_round(&number, true);
    if (!isfinite((float)result))
        return false;
    *value = (float)result;
    *text = number.end;
    return true;
}

DV_END_DECLS
#endif
