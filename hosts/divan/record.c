/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Values over time: `divan run --record "tip=/Bar/state.position[17]"`, a table with a row for each step that is asked for.
 *
 *   [NAME=]/path.field              all numbers of a field or state vector
 *   [NAME=]/path.field[17]          its entry 17, counted from 0: the three coordinates of a point, say
 *   [NAME=]/path.field[17].y        one number of it: .x .y .z, of frames .qx .qy .qz .qw too, or [1]
 *   [NAME=]sum(...), norm(...)      over the entries, number by number; the square root of the sum of all squares
 */
#include "host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <divan/embed.h>

typedef enum Reduction { EACH_NUMBER, SUM_OF_ENTRIES, NORM_OF_NUMBERS } Reduction;
enum { ALL = -1 };

typedef struct Quantity {
    const char *given;
    char *name;
    DvData *field;
    DvObject *object; /* that has it, held: it may leave the scene */
    Reduction reduction;
    int64_t entry, component;   /* or ALL */
    size_t entries, components; /* of the field at the start */
    size_t columns;
    bool told; /* that there are more numbers than at the start */
} Quantity;

struct Record {
    GArray *quantities; /* Quantity */
    GArray *numbers;    /* double */
};

static bool refuse(const Quantity *q, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *why = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    fprintf(stderr, "divan: --record %s: %s\n", q->given, why);
    g_free(why);
    return false;
}

/* ---- What a component is called */

static const char *const *names_of(size_t components)
{
    static const char *const points[] = {"x", "y", "z"}, *const frames[] = {"x", "y", "z", "qx", "qy", "qz", "qw"},
                             *const turns[] = {"x", "y", "z", "wx", "wy", "wz"};
    return components == 7 ? frames : components == 6 ? turns : components == 2 || components == 3 ? points : NULL;
}

static bool find_component(Quantity *q, const char *word)
{
    const char *const *names = names_of(q->components);
    for (size_t i = 0; names && i < q->components; i++)
        if (strcmp(names[i], word) == 0) {
            q->component = (int64_t)i;
            return true;
        }
    return refuse(q, "its entries have %zu number%s, and none is called '%s'", q->components,
                  q->components == 1 ? "" : "s", word);
}

/* ---- Reading what is asked for */

/* "[17]" at the end of `text`, which is cut off. */
static bool take_index(const Quantity *q, char *text, int64_t *index)
{
    const size_t length = strlen(text);
    char *open = length && text[length - 1] == ']' ? strrchr(text, '[') : NULL, *end = NULL;
    *index = ALL;
    if (!open)
        return true;
    const guint64 number = g_ascii_strtoull(open + 1, &end, 10);
    if (!g_ascii_isdigit(open[1]) || end != text + length - 1 || number > G_MAXINT32)
        return refuse(q, "expected a number of an entry in '%s', counted from 0", open);
    *index = (int64_t)number;
    *open = '\0';
    return true;
}

/* ".y" behind an index, which is cut off. NULL: there is none. */
static char *take_word(char *text)
{
    char *close = strrchr(text, ']');
    if (!close || close[1] != '.')
        return NULL;
    close[1] = '\0';
    return close + 2;
}

static void take_reduction(Quantity *q, char **text)
{
    static const char *const words[] = {[SUM_OF_ENTRIES] = "sum(", [NORM_OF_NUMBERS] = "norm("};
    const size_t length = strlen(*text);
    for (Reduction r = SUM_OF_ENTRIES; r <= NORM_OF_NUMBERS; r++)
        if (g_str_has_prefix(*text, words[r]) && (*text)[length - 1] == ')') {
            (*text)[length - 1] = '\0';
            *text += strlen(words[r]);
            q->reduction = r;
            return;
        }
}

static bool find_numbers(Quantity *q, DvScene *scene, const char *path, const char *word, int64_t second)
{
    q->field = dv_scene_field(scene, path); /* which says what is wrong */
    if (!q->field)
        return false;
    char *owner = g_strndup(path, (gsize)(strrchr(path, '.') - path));
    q->object = dv_object_ref(dv_scene_object(scene, *owner ? owner : "/"));
    g_free(owner);
    dv_data_shape(q->field, &q->entries, &q->components);
    if (q->components == 0)
        return refuse(q, "'%s' holds no numbers", path);
    if (q->entry >= (int64_t)q->entries)
        return refuse(q, "there is no entry %" G_GINT64_FORMAT ": '%s' has %zu, counted from 0", q->entry, path,
                      q->entries);
    q->component = second;
    if (word && !find_component(q, word))
        return false;
    if (q->component >= (int64_t)q->components)
        return refuse(q, "an entry has %zu number%s, counted from 0", q->components, q->components == 1 ? "" : "s");
    const size_t each = q->component == ALL ? q->components : 1;
    q->columns = q->reduction == NORM_OF_NUMBERS                     ? 1
                 : q->reduction == SUM_OF_ENTRIES || q->entry != ALL ? each
                                                                     : q->entries * each;
    return true;
}

static bool read_quantity(Quantity *q, DvScene *scene)
{
    const char *equals = strchr(q->given, '='), *slash = strchr(q->given, '/');
    const bool is_named = equals && (!slash || equals < slash);
    char *copy = g_strdup(is_named ? equals + 1 : q->given), *text = g_strstrip(copy);
    q->name = g_strstrip(is_named ? g_strndup(q->given, (gsize)(equals - q->given)) : g_strdup(q->given));
    take_reduction(q, &text);
    char *word = take_word(text);
    int64_t last = ALL, first = ALL;
    bool good = *q->name || refuse(q, "its name is empty");
    good = good && (*text || refuse(q, "what of? Give a field by its path, as /Bar/state.position"));
    good = good && take_index(q, text, &last) && (last == ALL || word || take_index(q, text, &first));
    q->entry = first == ALL ? last : first;
    good = good && find_numbers(q, scene, text, word, first == ALL ? ALL : last);
    g_free(copy);
    return good;
}

static void clear_quantity(gpointer data)
{
    Quantity *q = data;
    g_free(q->name);
    if (q->object)
        dv_object_unref(q->object);
}

Record *host_record_new(DvScene *scene, char *const *given)
{
    Record *record = g_new0(Record, 1);
    record->quantities = g_array_new(FALSE, TRUE, sizeof(Quantity));
    g_array_set_clear_func(record->quantities, clear_quantity);
    record->numbers = g_array_new(FALSE, TRUE, sizeof(double));
    for (; *given; given++) {
        Quantity q = {.given = *given, .entry = ALL, .component = ALL};
        const bool good = read_quantity(&q, scene);
        g_array_append_val(record->quantities, q);
        if (!good) {
            host_record_free(record);
            return NULL;
        }
    }
    return record;
}

void host_record_free(Record *record)
{
    if (!record)
        return;
    g_array_unref(record->quantities);
    g_array_unref(record->numbers);
    g_free(record);
}

/* ---- Writing */

/* A cell of a table: in quotes where it holds what parts cells. */
static void write_cell(FILE *file, const char *text)
{
    const bool quoted = strpbrk(text, ",\"\n\r") != NULL;
    fputc(',', file);
    if (quoted)
        fputc('"', file);
    for (; *text; text++)
        fprintf(file, *text == '"' ? "\"\"" : "%c", *text);
    if (quoted)
        fputc('"', file);
}

static void write_name(FILE *file, const Quantity *q, int64_t entry, size_t component, bool one)
{
    const char *const *names = names_of(q->components);
    GString *name = g_string_new(q->name);
    if (entry != ALL)
        g_string_append_printf(name, "[%" G_GINT64_FORMAT "]", entry);
    if (!one && names)
        g_string_append_printf(name, ".%s", names[component]);
    else if (!one)
        g_string_append_printf(name, "[%zu]", component);
    write_cell(file, name->str);
    g_string_free(name, TRUE);
}

static void write_names(FILE *file, const Quantity *q)
{
    const bool all = q->reduction == EACH_NUMBER && q->entry == ALL && q->entries != 1;
    const bool one = q->reduction == NORM_OF_NUMBERS || q->component != ALL || q->components == 1;
    const size_t entries = all ? q->entries : 1;
    for (size_t i = 0; i < entries; i++)
        for (size_t c = 0; c < (one ? 1 : q->components); c++)
            write_name(file, q, all ? (int64_t)i : ALL, c, one);
}

void host_record_head(const Record *record, FILE *file)
{
    fputs("step,time", file);
    for (guint i = 0; i < record->quantities->len; i++)
        write_names(file, &g_array_index(record->quantities, Quantity, i));
    fputc('\n', file);
}

static void write_number(FILE *file, double number)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    fputc(',', file);
    fputs(g_ascii_formatd(digits, sizeof digits, "%.17g", number), file);
}

/* Those of entry `entry`; none where it is not there any more. */
static void write_entry(FILE *file, const Quantity *q, const double *numbers, size_t entries, size_t entry)
{
    for (size_t c = 0; c < q->components; c++) {
        if (q->component != ALL && q->component != (int64_t)c)
            continue;
        if (entry < entries)
            write_number(file, numbers[entry * q->components + c]);
        else
            fputc(',', file);
    }
}

static void write_sum(FILE *file, const Quantity *q, const double *numbers, size_t entries)
{
    for (size_t c = 0; c < q->components; c++) {
        double sum = 0;
        for (size_t i = 0; i < entries; i++)
            sum += q->entry == ALL || q->entry == (int64_t)i ? numbers[i * q->components + c] : 0;
        if (q->component == ALL || q->component == (int64_t)c)
            write_number(file, sum);
    }
}

static void write_norm(FILE *file, const Quantity *q, const double *numbers, size_t entries)
{
    double sum = 0;
    for (size_t i = 0; i < entries; i++)
        for (size_t c = 0; c < q->components; c++)
            if ((q->entry == ALL || q->entry == (int64_t)i) && (q->component == ALL || q->component == (int64_t)c))
                sum += numbers[i * q->components + c] * numbers[i * q->components + c];
    write_number(file, sqrt(sum));
}

static void write_quantity(Record *record, FILE *file, Quantity *q, uint64_t step)
{
    size_t entries, components;
    dv_data_shape(q->field, &entries, &components);
    g_array_set_size(record->numbers, (guint)(entries * components + 1));
    double *numbers = &g_array_index(record->numbers, double, 0);
    if (dv_data_get_numbers(q->field, numbers, entries * components) != DV_OK)
        entries = 0;
    if (q->reduction == NORM_OF_NUMBERS) {
        write_norm(file, q, numbers, entries);
    } else if (q->reduction == SUM_OF_ENTRIES) {
        write_sum(file, q, numbers, entries);
    } else if (q->entry != ALL) {
        write_entry(file, q, numbers, entries, (size_t)q->entry);
    } else {
        for (size_t i = 0; i < q->entries; i++)
            write_entry(file, q, numbers, entries, i);
        if (entries > q->entries && !q->told)
            fprintf(stderr,
                    "divan: --record %s: from step %" G_GUINT64_FORMAT
                    " on there are more than the %zu entries of the start, which alone have columns\n",
                    q->given, step, q->entries);
        q->told = q->told || entries > q->entries;
    }
}

void host_record_row(Record *record, FILE *file, uint64_t step, double time)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    fprintf(file, "%" G_GUINT64_FORMAT ",%s", step, g_ascii_formatd(digits, sizeof digits, "%.17g", time));
    for (guint i = 0; i < record->quantities->len; i++)
        write_quantity(record, file, &g_array_index(record->quantities, Quantity, i), step);
    fputc('\n', file);
}
