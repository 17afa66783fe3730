/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Data: the attributes of objects, and the graph of dependencies between them.
 *
 * A DvData lives inside its component's struct. What it is (name, type, unit, default, help) is declared once in the
 * field table of the class; parsing, printing, `divan info`, saving and the property panel all come from that table.
 *
 * Values are reference-counted and copied on write: a link, a default and a snapshot cost no copy. A value is computed
 * when it is read: writing marks everything that depends on it dirty, reading a dirty value updates its parent or its
 * engine first, each at most once, and a cycle is refused with the names of both ends.
 *
 * A component reads its Data once per operation, never once per element. Pointers from a read hold until the next
 * write.
 */
#ifndef DIVAN_DATA_H
#define DIVAN_DATA_H

#include <divan/type.h>

DV_BEGIN_DECLS

enum {                               /* DvField.flags */
       DV_FIELD_REQUIRED = 1u << 0,  /* a scene that leaves it out gets a warning (error when there is no default) */
       DV_FIELD_READ_ONLY = 1u << 1, /* panels show it, users do not set it */
       DV_FIELD_HIDDEN = 1u << 2,    /* not shown, not listed by `divan info` */
       DV_FIELD_INPUT = 1u << 3,     /* of an engine: a change makes the outputs dirty */
       DV_FIELD_OUTPUT = 1u << 4,    /* of an engine: computed by the class's `update`; never saved */
       DV_FIELD_STATE =
           1u << 5, /* part of the state of a run that no user sets: saved with 17 digits, restored on load, hidden */
       DV_FIELD_DRAWING = 1u << 6,    /* only changes what is drawn */
       DV_FIELD_NOT_LINKED = 1u << 7, /* an option of this object alone: `src` of another passes it over */
       DV_FIELD_LENIENT = 1u << 8,    /* a number outside the range is a warning: the run still means something */
       DV_FIELD_AT_LOAD = 1u << 9,    /* others were built on it at load: what is written later acts no more */
       /* Of a list: what is empty counts as not given. Then all there are count, or a default that the help names. A list that is
        * linked to something empty gets a warning at init: whoever wrote the link meant another thing. */
       DV_FIELD_EMPTY_IS_ALL = 1u << 10,
       DV_FIELD_EMPTY_IS_DEFAULT = 1u << 11,
       /* Of state: it tells of what is built beside the run, such as the pattern of a matrix, or follows the elements of a mesh, which a
        * reset leaves too. Moments, checkpoints and saved scenes hold it as all state, and a reset leaves it as it is. */
       DV_FIELD_NOT_RESET = 1u << 12
};

/* The numbers that make sense in a field; of vectors and lists it holds for each. When an object is initialised, the kernel names
 * every number that is outside: an error, or a warning of a field that is lenient, or a remark of one that only changes what is
 * drawn. So `init` finds its numbers in range; what is written while the scene runs is not checked. */
typedef struct DvRange {
    double least, most; /* both belong to it; -INFINITY, INFINITY: no bound */
    bool above, below;  /* least itself does not belong to it; most does not */
} DvRange;

DV_PUBLIC extern const DvRange dv_range_positive; /* above 0: masses, moduli, lengths that something is divided by */
DV_PUBLIC extern const DvRange
    dv_range_not_negative;                     /* 0 or more: stiffnesses, damping, tolerances, radii, distances */
DV_PUBLIC extern const DvRange dv_range_count; /* 1 or more, of iterations, points, pieces */
DV_PUBLIC extern const DvRange dv_range_share; /* from 0 to 1 */
/* What the range says, as in "it must be <above 0>".     [any] */
DV_PUBLIC void dv_range_print(const DvRange *range, DvText *out);

/* Members in the order in which tables give them: C++20 insists on it. */
struct DvField {
    const char *name;
    const DvType *type;
    size_t offset;              /* of the DvData (or DvLink) in the component's struct; DV_HELD: it has none there */
    const char *target;         /* of a link: the contract of what it points to (NULL: any object) */
    bool many;                  /* of a link: a list of paths */
    const char *init;           /* default, as text; NULL: false, 0, empty */
    const char *unit;           /* "m", "Pa", "kg m^2"; NULL: none */
    const DvRange *range;       /* of its numbers; NULL: all make sense */
    const char *const *choices; /* of a dv_type_choice, ended by NULL */
    uint32_t flags;
    const char *group; /* heading in panels, or NULL */
    const char *help;
    const char *const *aliases; /* other names, ended by NULL; or NULL */
};

/* The offset of a member that is a DvData, of one that is a DvLink; of any other it does not compile. */
#ifdef __cplusplus
char dv_only_of_data(const DvData *member); /* never called: these two only have types to check */
char dv_only_of_link(const DvLink *member);
#define DV_OFFSET_OF_DATA(Struct, member) \
    (offsetof(Struct, member) + 0 * sizeof(dv_only_of_data(&static_cast<Struct *>(nullptr)->member)))
#define DV_OFFSET_OF_LINK(Struct, member) \
    (offsetof(Struct, member) + 0 * sizeof(dv_only_of_link(&static_cast<Struct *>(nullptr)->member)))
#else
#define DV_OFFSET_OF_DATA(Struct, member) \
    (offsetof(Struct, member) + _Generic(((Struct *)0)->member, DvData : (size_t)0))
#define DV_OFFSET_OF_LINK(Struct, member) \
    (offsetof(Struct, member) + _Generic(((Struct *)0)->member, DvLink : (size_t)0))
#endif

/* An entry of a field table: struct, member, name, type (an object, not a pointer), then designated members. In C++17,
 * which has none: <divan/cxx.h>. */
#define DV_FIELD(Struct, member, name_, type_, ...)                                                 \
    {                                                                                               \
        .name = (name_), .type = &(type_), .offset = DV_OFFSET_OF_DATA(Struct, member), __VA_ARGS__ \
    }
#define DV_LINK(Struct, member, name_, contract, ...)                                                              \
    {                                                                                                              \
        .name = (name_), .type = &dv_type_link, .offset = DV_OFFSET_OF_LINK(Struct, member), .target = (contract), \
        __VA_ARGS__                                                                                                \
    }

/* A field, a link that old scenes name and that does nothing: it is read, saved and shown as others are, the component knows nothing
 * of it, and the kernel holds its value. `help` says why it does nothing. */
#define DV_HELD SIZE_MAX
#define DV_FIELD_HELD(name_, type_, ...)                                  \
    {                                                                     \
        .name = (name_), .type = &(type_), .offset = DV_HELD, __VA_ARGS__ \
    }
#define DV_LINK_HELD(name_, contract, ...)                                                           \
    {                                                                                                \
        .name = (name_), .type = &dv_type_link, .offset = DV_HELD, .target = (contract), __VA_ARGS__ \
    }

enum {                          /* DvData.flags; the kernel's, read through the functions below */
       DV_DATA_SET = 1u << 0,   /* given by a user or written by code */
       DV_DATA_DIRTY = 1u << 1, /* what it depends on has changed since it was computed */
       DV_DATA_WRITING = 1u << 2
};

struct DvData {
    const DvField *field;
    const DvType *type; /* the field's, places filled */
    DvObject *owner;
    const void *value; /* count x type->element_size bytes, 64-byte aligned */
    size_t count;
    uint64_t version; /* + 1 with each change */
    uint32_t flags;
    uint32_t reserved;
    struct DvDataGraph *graph; /* the kernel's: parent, outputs, engine; NULL while there are none */
};

DV_PUBLIC DvStatus dv_data_update(DvData *data); /* make a dirty value valid; an error has been reported */

/* Reads. The value is up to date; of a list, `count` elements.     [step], [worker] when known to be clean */
static inline const void *dv_data_read(DvData *data)
{
    if (data->flags & DV_DATA_DIRTY)
        (void)dv_data_update(data);
    return data->value;
}
static inline bool dv_data_bool(DvData *data)
{
    return *(const bool *)dv_data_read(data);
}
static inline int32_t dv_data_int(DvData *data)
{
    return *(const int32_t *)dv_data_read(data);
}
static inline uint32_t dv_data_uint(DvData *data)
{
    return *(const uint32_t *)dv_data_read(data);
}
static inline double dv_data_double(DvData *data)
{
    return *(const double *)dv_data_read(data);
}
static inline const char *dv_data_string(DvData *data)
{
    return *(char *const *)dv_data_read(data);
}
/* Arrays: count elements of the type's `components` numbers; also for one fixed array (count 1). `count` may be
 * NULL. */
static inline const double *dv_data_doubles(DvData *data, size_t *count)
{
    const void *value = dv_data_read(data);
    if (count)
        *count = data->count;
    return (const double *)value;
}
static inline const uint32_t *dv_data_uints(DvData *data, size_t *count)
{
    const void *value = dv_data_read(data);
    if (count)
        *count = data->count;
    return (const uint32_t *)value;
}
static inline const int32_t *dv_data_ints(DvData *data, size_t *count)
{
    const void *value = dv_data_read(data);
    if (count)
        *count = data->count;
    return (const int32_t *)value;
}
static inline const bool *dv_data_bools(DvData *data, size_t *count)
{
    const void *value = dv_data_read(data);
    if (count)
        *count = data->count;
    return (const bool *)value;
}
static inline char *const *dv_data_strings(DvData *data, size_t *count)
{
    const void *value = dv_data_read(data);
    if (count)
        *count = data->count;
    return (char *const *)value;
}
static inline bool dv_data_is_set(const DvData *data)
{
    return (data->flags & DV_DATA_SET) != 0;
}
/* Index of the current value among the field's choices.     [step] */
DV_PUBLIC int dv_data_choice(DvData *data);
/* The file a dv_type_file names, found by the look-up rules (scene's folder, then DIVAN_DATA_PATH); NULL when there
 * is none. */
DV_PUBLIC const char *dv_data_file(DvData *data);
/* A number that changes whenever the value may have (brings it up to date first): to recompute what hangs on it.
 * [step] */
static inline uint64_t dv_data_version(DvData *data)
{
    (void)dv_data_read(data);
    return data->version;
}

/* Writes. dv_data_begin gives the array of `count` elements to change in place: old elements keep their value, new ones
 * start blank. dv_data_begin_all gives it without keeping anything. The value counts as changed, and what depends on it
 * as dirty, from dv_data_end on; one writer at a time.     [step] */
DV_PUBLIC void *dv_data_begin(DvData *data, size_t count);
DV_PUBLIC void *dv_data_begin_all(DvData *data, size_t count);
DV_PUBLIC void dv_data_end(DvData *data);
/* Begin and end in one, of a value (no text) that keeps its length: it counts as changed before it is written, which is to be done
 * at once. For vectors that a step writes over and over. */
DV_PUBLIC void *dv_data_rewrite(DvData *data);
DV_PUBLIC void dv_data_set(DvData *data, const void *elements, size_t count); /* copies */
static inline void dv_data_set_bool(DvData *data, bool value)
{
    dv_data_set(data, &value, 1);
}
static inline void dv_data_set_int(DvData *data, int32_t value)
{
    dv_data_set(data, &value, 1);
}
static inline void dv_data_set_uint(DvData *data, uint32_t value)
{
    dv_data_set(data, &value, 1);
}
static inline void dv_data_set_double(DvData *data, double value)
{
    dv_data_set(data, &value, 1);
}
static inline void dv_data_set_string(DvData *data, const char *value)
{
    dv_data_set(data, &value, 1);
}
/* `to` takes the value of `from` (same type), shared until one is written. */
DV_PUBLIC void dv_data_share(DvData *to, DvData *from);
/* For a writer that owns the value between begin and end of a step (states): marks the value changed and its outputs
 * dirty without touching it. Cheap. */
DV_PUBLIC void dv_data_touch(DvData *data);
/* From text, by the rules of scene files ("@path.field" makes a link). Reports what is wrong with file, line and field. A number
 * outside the field's range is refused: DV_ERROR_INVALID, and the field stays as it was; unless the range is advice
 * (DV_FIELD_LENIENT, DV_FIELD_DRAWING).     [main] */
DV_PUBLIC DvStatus dv_data_set_text(DvData *data, const char *text);
/* To text that reads back the same, bit for bit.     [step] */
DV_PUBLIC void dv_data_print(DvData *data, DvText *out);
DV_PUBLIC bool dv_data_equal(DvData *a, DvData *b); /* same type and value */

/* `child` follows `parent` from now on (NULL: no more). Types may differ where one can be converted to the other;
 * refused with both names when that would close a cycle or when it makes no sense.     [main] */
DV_PUBLIC DvStatus dv_data_link(DvData *child, DvData *parent);
DV_PUBLIC DvData *dv_data_parent(const DvData *data);
/* `update` runs on `object` when `output` is read after `input` was written. A field may have several inputs; classes
 * whose table marks inputs and outputs get this done by the kernel.     [main] */
DV_PUBLIC DvStatus dv_data_depend(DvData *output, DvData *input);

/* Links to objects: fields of their own kind, declared by DV_LINK in the same table. */
struct DvLink {
    DvData data;        /* the paths, as text */
    DvObject **objects; /* [count] in the order of the paths; entries not found are NULL */
    size_t count;
};
DV_PUBLIC extern const DvType dv_type_link;

/* The (first) object a link points to, or NULL. A link that was never set is NULL: what it stands for then is up to
 * the class. */
static inline DvObject *dv_link_object(const DvLink *link)
{
    return link->count ? link->objects[0] : NULL;
}
static inline bool dv_link_is_set(const DvLink *link)
{
    return (link->data.flags & DV_DATA_SET) != 0;
}
DV_PUBLIC void dv_link_set(DvLink *link, DvObject *target);                           /* [main] NULL: unset */
DV_PUBLIC void dv_link_set_all(DvLink *link, DvObject *const *targets, size_t count); /* [main] of a link to several */
/* Looks the paths up again that had no object; DV_ERROR_NOT_FOUND (not reported) while some have none.     [main] */
DV_PUBLIC DvStatus dv_link_resolve(DvLink *link);

DV_END_DECLS
#endif
