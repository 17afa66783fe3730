/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Objects from words: class name, attributes and the node they are for.
 *
 * In this order: the variant (DOF types), from the template or from what the object is about to act on; construct; into the node;
 * attributes into fields (printLog and src first, then by name); the class's parse; a name when it has none; complaints about
 * attributes that nobody asked for. When the scene runs already, init follows.
 *
 * Which class takes its variant from where is data in the plugins.
 */
#include "words.h"

#include <string.h>

#include <divan/contracts/vector_space.h>
#include <divan/contracts/visual.h>
#include <divan/math/decimal.h>

enum { MAX_PROBLEMS = 10000, MAX_ERRORS = 200 }; /* of a scene: what comes after them is not read */

/* Of whom something is said: of a component, if it is known of which class; by what name and path, if it has them. */
typedef struct Subject {
    const char *component, *name, *path;
} Subject;

static DvStatus report(DvScene *scene, DvStatus status, bool harmless, DvPlace place, Subject subject,
                       const char *format, va_list args) __attribute__((format(printf, 6, 0)));
static DvStatus report(DvScene *scene, DvStatus status, bool harmless, DvPlace place, Subject subject,
                       const char *format, va_list args)
{
    DvMessage message = {.level = status == DV_OK ? DV_LEVEL_WARNING : DV_LEVEL_ERROR,
                         .status = status,
                         .file = place.file,
                         .line = place.line,
                         .column = place.column,
                         .component = subject.component,
                         .name = subject.name,
                         .path = subject.path,
                         .harmless = harmless};
    dv_core_emit(&message, scene, format, args);
    return dv_core_problem(scene, status);
}

void dv_build_remark(DvScene *scene, DvPlace place, const char *component, const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(scene, DV_OK, true, place, (Subject){component, name, NULL}, format, args);
    va_end(args);
}

DvStatus dv_build_problem(DvScene *scene, DvStatus status, DvPlace place, const char *component, const char *name,
                          const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(scene, status, false, place, (Subject){component, name, NULL}, format, args);
    va_end(args);
    return status;
}

bool dv_build_has_enough(const DvScene *scene)
{
    return scene->problems > MAX_PROBLEMS || scene->errors > MAX_ERRORS;
}

bool dv_class_takes(const DvClass *cls, const char *name)
{
    for (const DvField *field = dv_common_fields(); field->name; field++)
        if (dv_private_field_is_named(field, name))
            return true;
    for (const DvField *field = cls->fields; field && field->name; field++)
        if (dv_private_field_is_named(field, name))
            return true;
    return false;
}

/* Where something is being made, for messages before there is an object. */
typedef struct Making {
    DvNode *node;
    const DvClass *cls;
    DvAttributes *attributes;
    DvPlace place;
    const DvObject *object; /* NULL: it is not there yet */
} Making;

static DvStatus say(const Making *making, DvStatus status, const DvAttribute *at, const char *format, ...)
    DV_PRINTF(4, 5);
static DvStatus say(const Making *making, DvStatus status, const DvAttribute *at, const char *format, ...)
{
    const DvAttribute *name = making->cls ? dv_attributes_find(making->attributes, "name") : NULL;
    DvPlace place = making->place;
    if (at && at->line > 0) {
        place.line = at->line;
        place.column = at->column;
    }
    va_list args;
    va_start(args, format);
    const Subject subject = {making->cls ? making->cls->name : NULL, name ? name->text : NULL,
                             making->object ? dv_object_path(making->object) : NULL};
    report(making->node->scene, status, false, place, subject, format, args);
    va_end(args);
    return status;
}

/* Variants */

/* Adds a name of a DOF type or a matrix as scenes of all years write it: Vec3, Vec3f, ExtVec3f, Rigid... Returns whether it is a word that a plugin has
 * for a DOF type. */
static bool add_canonical_word(DvText *canonical, const char *at, size_t length)
{
    char *word = dv_core_strndup(at, length);
    const char *dof_type = dv_core_dof_type_of_word(at, length);
    const char *name = dof_type                           ? dof_type
                       : g_str_has_prefix(word, "ExtVec") ? word + strlen("Ext")
                       : strcmp(word, "Rigid") == 0       ? "Rigid3d"
                                                          : word;
    const bool filled_up =
        g_str_has_prefix(name, "Vec") && (g_str_has_suffix(name, "f1") || g_str_has_suffix(name, "d1"));
    dv_text_add(canonical, "%s%.*s", canonical->length ? "," : "", (int)(strlen(name) - filled_up), name);
    const bool is_matrix = g_str_has_prefix(name, "CompressedRowSparseMatrix");
    if (is_matrix || g_str_has_prefix(name, "Vec") || g_str_has_prefix(name, "Rigid") ||
        g_str_has_prefix(name, "Mat")) {
        char *last = &canonical->at[canonical->length - 1];
        if (*last == 'f')
            *last = 'd';
        else if (g_ascii_isdigit(*last) || (is_matrix && *last != 'd'))
            dv_text_add(canonical, "d");
    }
    dv_free(word);
    return dof_type != NULL;
}

/* Whether a device keeps vectors of one of the words. */
static bool is_kept_by_device(const char *words)
{
    const void *services[DV_MOST_SPACES];
    const size_t count = dv_services(DV_VECTOR_SPACE, services, DV_MOST_SPACES);
    char **list = g_strsplit(words, ",", -1);
    bool kept = false;
    for (size_t i = 0; i < MIN(count, DV_MOST_SPACES); i++)
        for (char **word = list; *word && !kept; word++)
            kept = ((const DvVectorSpaceOps *)services[i])->keeps(*word, &(DvPrecision){DV_DOUBLE});
    g_strfreev(list);
    return kept;
}

static void tell_of_word(const Making *making, const DvAttribute *template, const char *variant)
{
    DvPlace place = making->place;
    if (template->line > 0) {
        place.line = template->line;
        place.column = template->column;
    }
    const DvAttribute *name = dv_attributes_find(making->attributes, "name");
    dv_build_remark(
        making->node->scene, place, making->cls->name, name ? name->text : NULL,
        "template '%s': no device keeps it, so it is '%s' on the host, in double precision; of other templates of devices nothing is said",
        template->text, variant);
}

/* The words of a template as classes name their variants, and as they were written but for blanks. Returns whether a plugin has one of them for a
 * DOF type. */
static bool read_template(const char *text, DvText *canonical, DvText *written)
{
    bool kept_otherwise = false;
    for (const char *at = text, *end; at; at = *end ? end + 1 : NULL) {
        end = at + strcspn(at, ",");
        at = dv_skip_blanks(at, end);
        size_t length = (size_t)(end - at);
        while (length && dv_is_blank(at[length - 1]))
            length--;
        kept_otherwise = add_canonical_word(canonical, at, length) || kept_otherwise;
        dv_text_add(written, "%s%.*s", written->length ? "," : "", (int)length, at);
    }
    return kept_otherwise;
}

/* The variant that a template asks for; a class that has the very words goes before. New string, for dv_free. */
static char *canonical_variant(const Making *making, const DvAttribute *template)
{
    DvText canonical = {0}, written = {0};
    const bool kept_otherwise = read_template(template->text, &canonical, &written);
    const DvClass *cls = kept_otherwise ? dv_core_class_with(making->cls, written.at) : NULL;
    if (cls && g_strv_contains(dv_core_class_variants(cls), written.at)) {
        dv_text_free(&canonical);
        return written.at;
    }
    if (kept_otherwise && !making->node->scene->words_told && !is_kept_by_device(written.at)) {
        making->node->scene->words_told = true;
        tell_of_word(making, template, canonical.at);
    }
    dv_text_free(&written);
    return canonical.at;
}

const char *dv_words_template(const DvObject *object)
{
    const DvAttribute *template = object->attributes ? dv_attributes_find(object->attributes, "template") : NULL;
    DvText canonical = {0}, written = {0};
    const bool as_written =
        template && read_template(template->text, &canonical, &written) && strcmp(canonical.at, object->variant) == 0;
    dv_text_free(&canonical);
    dv_text_free(&written);
    return as_written ? template->text : object->variant;
}

static bool is_same_dof_type(const char *variant, const char *other)
{
    const DvDofType *dof = dv_dof_type(variant);
    return strcmp(variant, other) == 0 || (dof && dof == dv_dof_type(other));
}

/* The variant that the sources of the class's rule lead to: "Rigid3d,Vec3d", or "Vec3d" when all must agree. */
static char *variant_of_sources(const Making *making, DvText *reason)
{
    const DvClass *cls = making->cls;
    DvText variant = {0};
    DvObject *first = NULL;
    for (const DvVariantSource *source = cls->sources; source && source->attribute; source++) {
        const DvAttribute *attribute = dv_attributes_find(making->attributes, source->attribute);
        const char *path = attribute && *attribute->text ? attribute->text : source->path;
        char *one = dv_core_strndup(path, strcspn(path, " \t\r\n"));
        DvObject *object = *one ? dv_words_resolve(making->node, NULL, one, source->contract)
                                : dv_core_node_context(making->node, source->contract);
        dv_free(one);
        if (!object) {
            const Missing missing = {.node = making->node,
                                     .path = path,
                                     .contract = source->contract,
                                     .link = source->attribute,
                                     .named = path != source->path,
                                     .before = true};
            if (*path)
                dv_text_add(reason, "%s: ", source->attribute);
            dv_words_say_missing(reason, &missing);
            dv_text_free(&variant);
            return NULL;
        }
        if (cls->variant_rule == DV_VARIANT_OF_EACH) {
            dv_text_add(&variant, "%s%s", source == cls->sources ? "" : ",", object->variant);
            if (object == first) {
                dv_text_add(reason, "%s and %s are the same object, '%s'", cls->sources->attribute, source->attribute,
                            dv_object_path(object));
                dv_text_free(&variant);
                return NULL;
            }
        } else if (!first) {
            dv_text_add(&variant, "%s", object->variant);
        } else if (!is_same_dof_type(variant.at, object->variant)) {
            dv_text_add(reason, "%s is of type %s, %s of type %s; they must be equal", cls->sources->attribute,
                        variant.at, source->attribute, object->variant);
            dv_text_free(&variant);
            return NULL;
        }
        if (!first)
            first = object;
    }
    return variant.at;
}

static bool is_accepted(const Making *making, const char *variant, DvText *reason)
{
    return !making->cls->accepts || making->cls->accepts(making->node, variant, making->attributes, reason);
}

static bool is_part_of(const char *variant, const char *longer)
{
    const size_t length = strlen(variant);
    return strncmp(variant, longer, length) == 0 && (longer[length] == '\0' || longer[length] == ',');
}

static bool is_begun_by(const char *const *words, const char *variant)
{
    while (*words && !is_part_of(variant, *words))
        words++;
    return *words != NULL;
}

static void add_variants(DvText *out, const DvClass *cls, const char *wanted)
{
    char **words = g_strsplit(cls->variants, " ", -1);
    char *list = g_strjoinv(" or ", words);
    dv_text_add(out, "it exists for %s, not for %s", list, wanted);
    g_free(list);
    g_strfreev(words);
}

static void warn_of_template(const Making *making, const DvAttribute *template, const char *wanted, const char *variant)
{
    char **words = making->cls->variants ? g_strsplit(making->cls->variants, " ", -1) : NULL;
    bool known = words == NULL;
    for (char **word = words; word && *word && !known; word++)
        known = is_part_of(wanted, *word);
    DvText exists = {0};
    if (!known)
        add_variants(&exists, making->cls, wanted);
    (void)say(making, DV_OK, template, "template '%s' does not fit here%s%s; '%s' is used", template->text,
              exists.at ? ": " : "", exists.at ? exists.at : "", variant);
    dv_text_free(&exists);
    g_strfreev(words);
}

/* The variant to make, interned, or NULL with the reason why there is none. */
static const char *choose_variant(const Making *making, const char *wanted, DvText *reason)
{
    const DvClass *cls = making->cls;
    if (!cls->variants)
        return is_accepted(making, "", reason) ? "" : NULL;
    char *given = NULL;
    if (cls->variant_rule != DV_VARIANT_FREE && !(given = variant_of_sources(making, reason)))
        return NULL;
    const char *const *words = dv_core_class_variants(cls);
    const size_t count = g_strv_length((char **)(uintptr_t)words);
    if (given && !is_begun_by(words, given)) { /* no class for this very word of a device */
        DvText canonical = {0}, written = {0};
        (void)read_template(given, &canonical, &written);
        dv_text_free(&written);
        dv_free(given);
        given = canonical.at;
    }
    const char *chosen = NULL;
    bool possible = false;
    for (size_t k = 0; !chosen && k < 2 + count; k++) {
        const char *word = k == 0 ? wanted : k == 1 ? cls->default_variant : words[k - 2];
        if (!word || !g_strv_contains(words, word) || (given && !is_part_of(given, word)))
            continue;
        possible = true;
        DvText why = {0};
        if (is_accepted(making, word, &why))
            chosen = g_intern_string(word);
        else if (!reason->length && why.length) /* of the first one tried, which is the likeliest */
            dv_text_add(reason, "%s", why.at);
        dv_text_free(&why);
    }
    if (!chosen && !possible)
        add_variants(reason, cls, given ? given : "any");
    dv_free(given);
    return chosen;
}

/* Attributes into fields */

static void set_fields(DvObject *object, DvAttribute *attribute)
{
    for (size_t i = 0; i < object->field_count; i++) {
        if (!dv_private_field_is_named(object->fields[i]->field, attribute->name))
            continue;
        attribute->used = true;
        dv_words_set_field(object, object->fields[i], attribute->text);
    }
}

static DvData *field_like(const DvObject *object, const DvField *field)
{
    DvData *data = dv_object_field(object, field->name);
    for (const char *const *alias = field->aliases; !data && alias && *alias; alias++)
        data = dv_object_field(object, *alias);
    return data;
}

/* src="@loader": every field follows the one of the same name there, unless the scene gives it. */
static void follow_source(DvScene *scene, DvObject *object, DvAttribute *attribute)
{
    attribute->used = true;
    if (strcmp(attribute->text, "") == 0 || strcmp(attribute->text, "@") == 0)
        return;
    DvObject *source = dv_node_resolve(object->node, object, attribute->text, NULL);
    if ((!source || source == object) && dv_object_ops(object, DV_VISUAL_MODEL)) { /* the run is the same without it */
        dv_remark(object, "src: no object is found at '%s': nothing of it is shown", attribute->text);
        return;
    }
    if (!source || source == object) {
        DvText text = {0};
        if (attribute->text[0] == '@')
            dv_words_say_not_found(&text, object->node, object, attribute->text, strlen(attribute->text));
        else
            dv_text_add(&text, "'%s' is no path; a path starts with '@'", attribute->text);
        dv_core_problem(scene, dv_error(object, DV_ERROR_NOT_FOUND,
                                        "src: %s (what is named must come before it in the file)", text.at));
        dv_text_free(&text);
        return;
    }
    for (size_t i = DV_PRIVATE_COMMON_FIELDS; i < source->field_count; i++) {
        DvData *from = source->fields[i];
        const DvField *field = from->field;
        if ((field->flags & DV_FIELD_NOT_LINKED) || field->type == &dv_type_link || strcmp(field->name, "type") == 0 ||
            strcmp(field->name, "filename") == 0)
            continue;
        DvData *to = field_like(object, field);
        if (!to || to->field->type == &dv_type_link || dv_words_attribute_of(object, to->field))
            continue;
        const DvStatus status = dv_data_link(to, from);
        if (status != DV_OK)
            dv_core_problem(scene, status);
    }
}

static void apply_attributes(DvScene *scene, DvObject *object)
{
    static const char *const first[] = {"name", "printLog", "src", NULL};
    const char *name = dv_attribute(object->attributes, "name");
    if (name)
        dv_data_set_string(&object->name, name);
    DvAttribute *print_log = dv_attributes_find(object->attributes, "printLog");
    if (print_log)
        set_fields(object, print_log);
    DvAttribute *source = dv_attributes_find(object->attributes, "src");
    if (source && !object->is_node && !dv_object_field(object, "src"))
        follow_source(scene, object, source);
    else if (source)
        set_fields(object, source);
    for (size_t i = 0; i < object->attributes->count; i++) {
        DvAttribute *attribute = &object->attributes->at[i];
        if (!g_strv_contains(first, attribute->name) && strcmp(attribute->name, "type") != 0)
            set_fields(object, attribute);
    }
}

static void report_unused_attributes(DvObject *object)
{
    DvNode *node = dv_private_node_of(object);
    for (size_t i = 0; i < object->attributes->count; i++) {
        const DvAttribute *attribute = &object->attributes->at[i];
        if (attribute->used || attribute->name[0] == '_' || g_str_has_prefix(attribute->name, "NO"))
            continue;
        GPtrArray *names = g_ptr_array_new();
        for (size_t k = 0; k < object->field_count; k++) {
            const DvField *field = object->fields[k]->field;
            if (field->flags & DV_FIELD_HIDDEN)
                continue;
            g_ptr_array_add(names, (void *)field->name);
            for (const char *const *alias = field->aliases; alias && *alias; alias++)
                g_ptr_array_add(names, (void *)*alias);
        }
        const char *closest = dv_closest(attribute->name, (const char *const *)names->pdata, names->len);
        g_ptr_array_free(names, TRUE);
        if (object->is_node && !closest && !node->scene->check_only)
            continue; /* nodes of old scenes carry many words that never meant anything */
        const Making making = {node, object->cls, object->attributes, object->place, object};
        if (closest)
            (void)say(&making, DV_OK, attribute, "no field '%s'; did you mean '%s'?", attribute->name, closest);
        else
            (void)say(&making, DV_OK, attribute, "no field '%s': nothing uses the value '%.40s%s'", attribute->name,
                      attribute->text, strlen(attribute->text) > 40 ? "..." : "");
    }
}

/* Objects */

static void warn_of_namesake(const DvNode *node, DvObject *object)
{
    const char *name = dv_object_name(object);
    guint i = 0;
    while (dv_private_at(&node->members, i) != object &&
           !dv_private_is_called(dv_private_at(&node->members, i), name, strlen(name)))
        i++;
    if (!*name || !object->place.file || dv_private_at(&node->members, i) == object)
        return;
    DvText path = {0};
    dv_object_link_path(object, &path);
    dv_warning(object, "its node holds another object of this name, to which paths lead; the path of this one is '%s'",
               path.at);
    dv_text_free(&path);
}

static void give_name(DvNode *node, DvObject *object)
{
    if (*dv_object_name(object))
        return;
    size_t i = 0;
    while (i < node->named_count && node->named[i].cls != object->cls)
        i++;
    if (i == node->named_count) {
        const size_t one = sizeof *node->named;
        node->named = dv_realloc(node->named, i * one, (i + 1) * one);
        node->named[node->named_count++].cls = object->cls;
    }
    DvText name = {0};
    dv_text_add(&name, "%s%u", object->cls->name, ++node->named[i].objects);
    dv_data_set_string(&object->name, name.at);
    dv_text_free(&name);
}

static void warn_of_slots(const Making *making)
{
    for (const DvContract *contract = making->cls->contracts; contract && contract->id; contract++) {
        const DvObject *holder = contract->slot ? dv_node_slot(making->node, contract->id) : NULL;
        if (!holder)
            continue;
        (void)say(making, DV_OK, NULL, "takes the place of %s '%s': a node uses one object that offers %s",
                  holder->cls->name, dv_object_name(holder), contract->id);
        return;
    }
}

static DvStatus make(Making *making, DvObject **result)
{
    DvNode *node = making->node;
    dv_attributes_sort(making->attributes);
    const DvAttribute *template = dv_attributes_find(making->attributes, "template");
    char *wanted = template && *template->text ? canonical_variant(making, template) : NULL;
    DvText reason = {0};
    if (wanted)
        making->cls = dv_core_class_with(making->cls, wanted);
    const char *variant = choose_variant(making, wanted, &reason);
    if (!variant) {
        (void)say(making, DV_ERROR_MISSING, NULL, "cannot be made here: %s", reason.at ? reason.at : "not accepted");
        dv_text_free(&reason);
        dv_free(wanted);
        dv_attributes_free(making->attributes);
        return DV_ERROR_MISSING;
    }
    dv_text_free(&reason);
    making->cls = dv_core_class_with(making->cls, variant);
    (void)dv_attribute(making->attributes, "template");
    (void)dv_attribute(making->attributes, "type");
    if (wanted && *variant && !is_part_of(variant, wanted))
        warn_of_template(making, template, wanted, variant);
    dv_free(wanted);

    DvObject *object = dv_core_object_new(&dv_words, making->cls, variant);
    object->place = making->place;
    object->attributes = making->attributes;
    object->order = ++making->node->scene->created;
    DvStatus status = dv_core_object_construct(object);
    if (status != DV_OK) {
        dv_object_unref(object);
        return dv_core_problem(making->node->scene, status);
    }
    warn_of_slots(making);
    dv_core_node_insert_member(node, object, SIZE_MAX);
    apply_attributes(making->node->scene, object);
    if (object->cls->parse)
        status = object->cls->parse(object, object->self, object->attributes);
    if (status != DV_OK) {
        dv_core_object_fail(object);
        dv_core_problem(making->node->scene, status);
    }
    dv_words_resolve_links(object);
    warn_of_namesake(node, object);
    give_name(node, object);
    report_unused_attributes(object);
    dv_core_stamp(object);
    *result = object;
    if (status == DV_OK && making->node->scene->running)
        status = dv_core_init_object(object);
    return status;
}

DvStatus dv_build_object(DvNode *node, const char *class_name, DvAttributes *attributes, DvPlace place,
                         DvObject **result)
{
    DvObject *unused = NULL;
    result = result ? result : &unused;
    *result = NULL;
    if (!attributes)
        attributes = dv_attributes_new();
    Making making = {node, dv_class_find(class_name), attributes, place, NULL};
    if (making.cls)
        return make(&making, result);
    DvText text = {0};
    dv_class_explain(class_name, &text);
    const DvStatus status = say(&making, DV_ERROR_NOT_FOUND, NULL, "%s", text.at);
    dv_text_free(&text);
    dv_attributes_free(attributes);
    return status;
}

/* Takes the attributes. */
static DvStatus new_object(DvNode *node, const char *class_name, DvAttributes *attributes, DvObject **object)
{
    if (object)
        *object = NULL;
    if (!dv_core_may_change(node->scene, "dv_object_new")) {
        dv_attributes_free(attributes);
        return DV_ERROR_BUSY;
    }
    DvObject *made;
    const DvStatus status = dv_build_object(node, class_name, attributes, (DvPlace){0}, &made);
    if (status != DV_OK && made) {
        dv_object_remove(made);
        made = NULL;
    }
    if (object)
        *object = made;
    return status;
}

DvStatus dv_object_new(DvNode *node, const char *class_name, DvObject **object, ...)
{
    DvAttributes *attributes = dv_attributes_new();
    va_list args;
    va_start(args, object);
    for (const char *name; (name = va_arg(args, const char *));)
        dv_attributes_add(attributes, name, va_arg(args, const char *), 0, 0);
    va_end(args);
    return new_object(node, class_name, attributes, object);
}

DvStatus dv_object_new_with(DvNode *node, const char *class_name, const char *const *names, const char *const *texts,
                            size_t count, DvObject **object)
{
    DvAttributes *attributes = dv_attributes_new();
    for (size_t i = 0; i < count; i++)
        dv_attributes_add(attributes, names[i], texts[i], 0, 0);
    return new_object(node, class_name, attributes, object);
}

/* Named like its class. */
void dv_words_make_first(DvNode *node, const DvClass *cls)
{
    DvObject *object = dv_core_object_new(&dv_words, cls, "");
    object->attributes = dv_attributes_new();
    dv_data_set_string(&object->name, cls->name);
    DvStatus status = dv_core_object_construct(object);
    if (status == DV_OK) {
        dv_core_node_insert_member(node, object, 0);
        status = cls->parse ? cls->parse(object, object->self, object->attributes) : DV_OK;
    }
    if (status != DV_OK) {
        dv_core_problem(node->scene, status);
        dv_core_object_fail(object);
    }
    dv_core_stamp(object);
    if (!object->node)
        dv_object_unref(object);
}

/* Nodes */

DvStatus dv_build_node(DvScene *scene, DvNode *parent, DvAttributes *attributes, DvPlace place, const char *folder,
                       DvNode **result)
{
    *result = NULL;
    if (!attributes)
        attributes = dv_attributes_new();
    if (!parent && scene->root) {
        dv_attributes_free(attributes);
        return dv_build_problem(scene, DV_ERROR_INVALID, place, NULL, NULL, "a scene has one root");
    }
    DvObject *object = dv_core_object_new(&dv_words, dv_class_of_nodes(), "");
    DvNode *node = object->self;
    *result = node;
    dv_attributes_sort(attributes);
    object->place = place;
    object->attributes = attributes;
    object->order = ++scene->created;
    (void)dv_core_object_construct(object); /* a node's cannot fail */
    dv_core_node_join_scene(node, scene);
    node->folder = folder || !parent ? g_intern_string(folder) : parent->folder;
    if (parent) {
        const DvStatus status = dv_node_attach(parent, node);
        dv_object_unref(object); /* the parent keeps it */
        if (status != DV_OK)
            return status;
    } else {
        scene->root = node;
    }
    (void)dv_attribute(attributes, "type");
    apply_attributes(scene, object);
    report_unused_attributes(object);
    if (parent)
        dv_words_say_namesake(node, parent);
    dv_core_stamp(object);
    return DV_OK;
}
