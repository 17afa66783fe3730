/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Types of 3x3, 4x4 and 3x4 matrices, row by row: numbers separated by blanks, rows by blanks or commas, the whole in brackets if one likes.
 */
#ifndef DIVAN_TYPES_MATRIX_H
#define DIVAN_TYPES_MATRIX_H

#include <string.h>

#include <divan/type.h>

DV_BEGIN_DECLS

static inline DvStatus dv_matrix_parse(const DvType *type, const char *text, void **elements, size_t *count,
                                       DvText *problem)
{
    static const char blanks[] = " \t\n\v\f\r";
    const uint32_t columns = type->components == 9 ? 3 : 4;
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        double *matrix = (double *)dv_type_next(type, elements, *count);
        const bool bracket = *text == '[';
        text += bracket;
        uint32_t i = 0;
        while (i < type->components && dv_read_double(&text, &matrix[i])) {
            i++;
            const char *comma = text + strspn(text, blanks);
            if (*comma == ',' && i % columns == 0 && i < type->components)
                text = comma + 1;
        }
        text += strspn(text, blanks);
        *count += !type->list || i == type->components;
        if (i < type->components || (bracket && *text != ']')) {
            if (*text)
                dv_text_add_quoted(problem, text);
            else
                dv_text_add(problem, "the end of the text");
            dv_text_add(problem, " comes where %s of a matrix of %u numbers should",
                        bracket && i == type->components ? "']'" : "one", type->components);
            return DV_ERROR_INVALID;
        }
        text += bracket;
        if (!type->list)
            return dv_read_end(text, problem);
        text += strspn(text, blanks);
        text += *text == ',';
    }
    return DV_OK;
}

/* One matrix, and a list of them: 9 doubles each. */
static const DvType dv_type_mat3d = {sizeof(DvType),     "3x3 matrix", DV_SCALAR_DOUBLE, 9,   false,
                                     9 * sizeof(double), NULL,         dv_matrix_parse,  NULL};
static const DvType dv_type_mat3s = {
    sizeof(DvType), "list of 3x3 matrix", DV_SCALAR_DOUBLE, 9, true, 9 * sizeof(double), NULL, dv_matrix_parse, NULL};
/* One 4x4 matrix and a list of them, 16 doubles each; one of 3 rows and 4 columns, 12. New ones are the identity, and zero. */
static const double dv_mat4d_identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
static const DvType dv_type_mat4d = {sizeof(DvType),      "4x4 matrix",      DV_SCALAR_DOUBLE, 16,  false,
                                     16 * sizeof(double), dv_mat4d_identity, dv_matrix_parse,  NULL};
static const DvType dv_type_mat4s = {
    sizeof(DvType), "list of 4x4 matrix", DV_SCALAR_DOUBLE, 16, true, 16 * sizeof(double), NULL, dv_matrix_parse, NULL};
static const DvType dv_type_mat34d = {sizeof(DvType),      "3x4 matrix", DV_SCALAR_DOUBLE, 12,  false,
                                      12 * sizeof(double), NULL,         dv_matrix_parse,  NULL};

DV_END_DECLS
#endif
