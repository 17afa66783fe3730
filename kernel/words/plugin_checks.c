/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is wrong with the descriptor of a plugin. Its size and stamp are compared, and only then is it read, before the plugin starts:
 * names, classes, fields, offers, needs.
 */
#include "words.h"

#include <string.h>

static bool is_empty(const char *text)
{
    return !text || !*text;
}

/* `who` and the name begin the sentence: "class 'Thing' offers ...". */
static bool check_offers(const DvContract *offer, const char *who, const char *name, DvText *reason)
{
    for (; offer && offer->id; offer++) {
        DvText text = {0};
        if (!dv_words_contract_complete(offer, &text)) {
            dv_text_add(reason, "%s '%s' offers %s", who, name, text.at);
            dv_text_free(&text);
            return false;
        }
    }
    return true;
}

static bool is_one_of(const GPtrArray *known, const gchar *word)
{
    for (guint i = 0; i < known->len; i++)
        if (strcmp(g_ptr_array_index(known, i), word) == 0)
            return true;
    return false;
}

/* A variant, or each part of one, "Rigid3d,Vec3d" say, is the name of a DOF type or of what the plugin declares. */
static bool check_variants(const DvPlugin *plugin, const DvClass *cls, DvText *reason)
{
    GPtrArray *known = g_ptr_array_new();
    const char *dof;
    for (size_t i = 0; (dof = dv_core_dof_type_name(i)); i++)
        g_ptr_array_add(known, (gpointer)(uintptr_t)dof);
    for (const char *const *name = plugin->variants; name && *name; name++)
        g_ptr_array_add(known, (gpointer)(uintptr_t)*name);
    GString *rest = g_string_new(NULL); /* "fixed_array<I,2>" is one, and has no parts */
    gchar **words = g_strsplit(cls->variants ? cls->variants : "", " ", -1);
    for (gchar **word = words; *word; word++)
        if (!is_one_of(known, *word))
            g_string_append_printf(rest, "%s ", *word);
    g_strfreev(words);
    gchar **parts = g_strsplit_set(rest->str, " ,", -1);
    g_string_free(rest, TRUE);
    bool good = true;
    for (gchar **part = parts; *part && good; part++) {
        good = !**part || is_one_of(known, *part);
        if (good)
            continue;
        const char *closest = dv_closest(*part, (const char *const *)known->pdata, known->len);
        dv_text_add(reason, "class '%s' has a variant '%s', which is neither a DOF type nor declared by the plugin",
                    cls->name, *part);
        if (closest)
            dv_text_add(reason, "; did you mean '%s'?", closest);
    }
    g_ptr_array_unref(known);
    g_strfreev(parts);
    return good;
}

static bool check_field(const DvClass *cls, const DvField *field, DvText *reason)
{
    if (!field->type) {
        dv_text_add(reason, "field '%s' of class '%s' has no type", field->name, cls->name);
        return false;
    }
    const size_t size = field->type == &dv_type_link ? sizeof(DvLink) : sizeof(DvData);
    const bool is_within =
        field->offset % sizeof(void *) == 0 && cls->instance_size >= size && field->offset <= cls->instance_size - size;
    if (!is_within && field->offset != DV_HELD) {
        dv_text_add(reason, "field '%s' of class '%s' is not within its %zu bytes", field->name, cls->name,
                    cls->instance_size);
        return false;
    }
    if ((field->flags & DV_FIELD_INPUT) && (field->flags & DV_FIELD_OUTPUT)) {
        dv_text_add(reason, "field '%s' of class '%s' is both input and output", field->name, cls->name);
        return false;
    }
    bool twice = false;
    for (const DvField *other = dv_common_fields(); other->name; other++)
        twice |= strcmp(other->name, field->name) == 0;
    for (const DvField *other = cls->fields; other != field; other++)
        twice |= strcmp(other->name, field->name) == 0;
    if (twice)
        dv_text_add(reason, "class '%s' has two fields '%s'", cls->name, field->name);
    return !twice;
}

static bool check_class(const DvPlugin *plugin, const DvClass *cls, DvText *reason)
{
    if (is_empty(cls->name)) {
        dv_text_add(reason, "a class has no name");
        return false;
    }
    if (cls->size != sizeof(DvClass)) {
        dv_text_add(reason, "class '%s' has %u bytes, not %zu", cls->name, cls->size, sizeof(DvClass));
        return false;
    }
    if (!check_offers(cls->contracts, "class", cls->name, reason) || !check_variants(plugin, cls, reason))
        return false;
    for (const DvField *field = cls->fields; field && field->name; field++)
        if (!check_field(cls, field, reason))
            return false;
    return true;
}

/* The first old name that is empty, or leads nowhere though it should; NULL: there is none. */
static const DvRename *lost_rename(const DvRename *rename)
{
    for (; rename && rename->kind != DV_RENAME_END; rename++) {
        const bool leads = rename->kind == DV_RENAME_CLASS || rename->kind == DV_RENAME_CLASS_EXPANDED ||
                           rename->kind == DV_RENAME_CLASS_REMOVED || rename->kind == DV_RENAME_FIELD ||
                           rename->kind == DV_RENAME_DOF_TYPE;
        if (is_empty(rename->from) || (leads && is_empty(rename->to)))
            return rename;
    }
    return NULL;
}

static DvStatus check_stamp(const DvPlugin *plugin, DvText *reason)
{
    const struct {
        const char *what;
        uint32_t of_plugin, of_kernel;
    } sizes[] = {
        {"real numbers", plugin->abi >> 40 & 255, sizeof(double)},
        {"indices", plugin->abi >> 32 & 255, sizeof(uint32_t)},
        {"offers (DvContract)", plugin->abi >> 24 & 255, sizeof(DvContract)},
        {"fields (DvField)", plugin->abi >> 12 & 4095, sizeof(DvField)},
        {"values (DvData)", plugin->abi & 4095, sizeof(DvData)},
    };
    if (plugin->size != sizeof(DvPlugin))
        dv_text_add(reason, "its descriptor has %u bytes, the kernel's %zu", plugin->size, sizeof(DvPlugin));
    else if (plugin->abi >> 48 != (DV_ABI_STAMP >> 48))
        dv_text_add(reason, "made for version %u.%u of the kernel, this is %u.%u", (unsigned)(plugin->abi >> 56),
                    (unsigned)(plugin->abi >> 48 & 255), DV_ABI_MAJOR, DV_ABI_MINOR);
    for (size_t i = 0; i < G_N_ELEMENTS(sizes) && !reason->length; i++)
        if (sizes[i].of_plugin != sizes[i].of_kernel)
            dv_text_add(reason, "made for %s of %u bytes, the kernel has %u", sizes[i].what, sizes[i].of_plugin,
                        sizes[i].of_kernel);
    return reason->length ? DV_ERROR_ABI : DV_OK;
}

DvStatus dv_words_check_plugin(const DvPlugin *plugin, DvText *reason)
{
    if (check_stamp(plugin, reason) != DV_OK)
        return DV_ERROR_ABI;
    const DvRename *lost = lost_rename(plugin->renames);
    if (is_empty(plugin->id))
        dv_text_add(reason, "it has no id");
    else if (is_empty(plugin->version))
        dv_text_add(reason, "plugin '%s' has no version", plugin->id);
    else if (is_empty(plugin->license))
        dv_text_add(reason, "plugin '%s' has no licence", plugin->id);
    else if (!check_offers(plugin->offers, "plugin", plugin->id, reason))
        return DV_ERROR_INVALID;
    else if (lost)
        dv_text_add(reason, "plugin '%s' has an old name '%s' that leads nowhere", plugin->id,
                    lost->from ? lost->from : "");
    for (const char *const *need = plugin->needs; need && *need && !reason->length; need++) {
        DvText text = {0};
        if (!dv_words_contract_known(*need, &text))
            dv_text_add(reason, "plugin '%s' needs %s", plugin->id, text.at);
        dv_text_free(&text);
    }
    for (const DvClass *const *cls = plugin->classes; cls && *cls && !reason->length; cls++) {
        if (!check_class(plugin, *cls, reason))
            break;
        for (const DvClass *const *other = plugin->classes; other != cls; other++)
            if (strcmp((*other)->name, (*cls)->name) == 0)
                dv_text_add(reason, "plugin '%s' has two classes '%s'", plugin->id, (*cls)->name);
    }
    return reason->length ? DV_ERROR_INVALID : DV_OK;
}
