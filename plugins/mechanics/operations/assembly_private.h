/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files of the assembly share (assembly.c says what it does). Each part has a struct that it alone writes, but for what is
 * said here:
 *
 *   pattern     entries of the global matrix, and rows of the states
 *   couplings   what each component couples and where that goes; matrices on mapped states (assembly_locals.c)
 *   values      what the values are made of, and assemblies
 *   fixed       unknowns that constraints fix
 *   costs       how long products and assemblies take
 *
 * A splice of the pattern renumbers the slots of the couplings, and makes values and fixed unknowns unknown.
 */
#ifndef DIVAN_MECHANICS_ASSEMBLY_PRIVATE_H
#define DIVAN_MECHANICS_ASSEMBLY_PRIVATE_H

#include <divan/kit/array.h>
#include <divan/memory.h>

#include "jacobians.h"
#include "mechanics.h"
#include "projection.h"
#include "sparse_rows.h"

#define NOWHERE UINT32_MAX /* slot of a coupling with an external state: it counts as fixed */

typedef enum Kind { FORCE_FIELD, MASS, MAPPING } Kind;

enum { KIND_SHIFT = 30 };        /* among the parts of an assembly: DvStep.kind */
enum { OF_MAPPINGS = 1u << 31 }; /* in the number of a contribution: it is of a mapping */

/* Where the couplings of one pair of states of a component go. */
typedef struct Target {
    uint32_t local;         /* into locals; NOWHERE: global */
    bool dropped;           /* one state is external */
    uint32_t a, b;          /* slots of states */
    uint32_t rows, columns; /* scalars of a coupling */
} Target;

/* What the values of a contribution were made of: k K + b B, k M, or k times geometric stiffness. */
typedef struct Source {
    uint64_t version; /* 0: they change each time */
    double k, b;
} Source;

/* What costs add up from, exactly: sums do not depend on the order, nor on what was there before. */
typedef struct Costs {
    int64_t product, assembly; /* as the component says, in 1/1024 ns */
    int64_t diagonal, coupled; /* scalars */
} Costs;

/* What one component adds. Arrays are kept for the next one in the place. */
typedef struct Contribution {
    Kind kind;
    uint32_t component; /* slot of the field or mapping */
    uint64_t id;        /* of the component; 0: none */
    uint64_t structure; /* of the component, when it named its couplings */
    uint64_t kinds;     /* of its states then: others mean other targets */
    uint32_t state_count;
    Target *targets;        /* [state_count^2] */
    Pairs couplings;        /* points */
    bool one_target;        /* the same of all: `target` */
    uint32_t target;        /* NOWHERE: out of range */
    DvIndexArray target_of; /* [couplings] unless there is one */
    uint32_t *slot;         /* [couplings] see DvMatrixView; indirect global ones: first entry in `slots` */
    DvIndexArray slots;     /* global slots of couplings that take several blocks, block rows first */
    size_t target_capacity, slot_capacity;
    bool direct;                 /* all go to one matrix, block by block... */
    const Target *direct_target; /* ...which is that of this target */
    Costs costs;
    uint64_t seen;   /* id of the field that was last asked for couplings; of a force field: of its mass, too */
    uint64_t warned; /* id of a field without a matrix that was told so */
    struct Assembly *assembly;
    Source source; /* of the last values; written by the values */
} Contribution;

/* Points of a mapped state that are coupled. */
typedef struct CoupledPoints {
    uint32_t *points;
    uint32_t count;
    size_t capacity;
} CoupledPoints;

typedef struct FixedRow {
    uint32_t row;
    uint32_t components; /* bit c: scalar c in the block row is fixed */
} FixedRow;

/* A state as it was when its rows were placed. */
typedef struct Placed {
    uint64_t id; /* 0: none */
    uint32_t points;
    StateKind kind;
} Placed;

/* A constraint as its fixed unknowns were gathered. */
typedef struct Gathered {
    uint64_t id, structure;
} Gathered;

/* One of three: that of the present structure, the one that was lent by the last assembly, and the one the next splice writes. */
typedef struct Matrix {
    DvBlockMatrix view;
    Rows rows;
    uint32_t *uses; /* [entries] how often it is named, by components and their products; the diagonal once more */
    uint32_t *diagonal, *transposed;
    double *values;
    size_t uses_capacity, diagonal_capacity, transposed_capacity, value_capacity;
} Matrix;

typedef struct AssemblyPattern {
    uint64_t states;          /* DvMechanics.placed when they were placed; 0: never */
    DV_ARRAY(Placed) placed;  /* by slot of the state */
    List of_rows;             /* slots of the independent states, in the order of their rows */
    DvIndexArray first_block; /* by slot: block row of an independent state, else NOWHERE */
    DvIndexArray old_first_block;
    Matrix matrices[3], *now, *lent; /* lent: NULL before the first assembly; written by assembly_run */
    uint64_t versions;               /* numbers given to values so far; by splices and values */
    Pairs
        coming; /* that are named, as their mirror images, and not there: number = entries + place, until the splice */
    size_t unused; /* entries that nobody names */
    uint32_t *number, *old_row, *new_row, *next_entry;
    size_t number_capacity, old_row_capacity, new_row_capacity, next_entry_capacity;
    Sorter sorter; /* scratch, of the couplings too */
    UpperRows upper;
} AssemblyPattern;

typedef struct AssemblyCouplings {
    DV_ARRAY(Contribution) of_fields; /* by slot of the field, two each: force field, mass */
    DV_ARRAY(Contribution) of_mappings;
    Contribution **present; /* those that are there, in the order in which they add: of fields, of mappings */
    uint32_t present_count;
    size_t present_capacity;
    List coming_fields;     /* slots of fields that are to name their couplings */
    DV_ARRAY(Local) locals; /* the free places too */
    List local_list;        /* in the order in which components name them first */
    List free_locals;
    Jacobians *jacobians; /* NULL: no local so far */
    Pairs pairs;          /* of the local at work */
    bool *needed;         /* by slot: states whose Jacobians locals need */
    size_t needed_capacity;
    DV_ARRAY(CoupledPoints) coupled; /* by slot of the state */
    uint8_t *marks;                  /* [points of a state] */
    size_t marks_capacity;
} AssemblyCouplings;

typedef struct AssemblyValues {
    uint32_t parts; /* of the last ones */
    bool valued;    /* they are those of the components that are there; false: written by all */
} AssemblyValues;

typedef struct AssemblyFixed {
    DV_ARRAY(FixedRow) rows;
    DV_ARRAY(Gathered) gathered; /* in the order of the constraints */
    uint64_t last_constraint;    /* newest id that has been told what it cannot do */
    bool known;                  /* false: written by splices */
} AssemblyFixed;

typedef struct AssemblyCosts {
    Costs sum;                                   /* of the contributions, added up by the couplings */
    double product, assembled_product, assembly; /* ns, see costs_estimate */
} AssemblyCosts;

struct Assembly {
    Blocks blocks;    /* the present matrix; written by the pattern */
    uint64_t version; /* of the mechanics */
    bool complete;    /* all that acts in a product names its couplings */
    bool has_no_room; /* in memory, as has been reported: it is let go */
    AssemblyPattern pattern;
    AssemblyCouplings couplings;
    AssemblyValues values;
    AssemblyFixed fixed;
    AssemblyCosts costs;
};

/* Whether `count` elements can be had, of `bytes` each in all arrays together, where there is room for `capacity` now. */
bool assembly_has_memory(Assembly *as, size_t capacity, size_t count, size_t bytes);
/* The structure, up to date with the graph and the components; NULL: there is no room for it, which has been reported. */
Assembly *assembly_structure(DvMechanics *m);
/* The same, and up to date with the Jacobians; *changed: whether these had changed. */
Assembly *assembly_current(DvMechanics *m, bool *changed);
/* Whether the structure is that of the mechanics and of their components as they are. */
bool assembly_is_up_to_date(const Assembly *as, const DvMechanics *m);

/* ---- Pattern ---- */

static inline size_t pattern_entry_count(const Assembly *as)
{
    return as->blocks.rows.count ? as->blocks.rows.start[as->blocks.rows.count] : 0;
}

/* Whether there is nothing but the diagonal, as when a structure is made from nothing. */
static inline bool pattern_is_bare(const Assembly *as)
{
    return pattern_entry_count(as) == as->blocks.rows.count;
}

/* One more name for an entry and for its mirror image; `context` is the Assembly. */
uint32_t pattern_name_entry(void *context, uint32_t row, uint32_t column);
void pattern_give_back(Assembly *as, uint32_t entry);
/* Brings in what is coming and leaves out what nobody names. */
void pattern_update(Assembly *as, SceneMechanics *scene);
uint32_t pattern_block_size(const DvMechanics *m);
/* Rows of the states as they are now, unless they are so already. */
void pattern_place_states(Assembly *as, DvMechanics *m);
/* Whether a state that stays has become of another kind: couplings with it go elsewhere. */
bool pattern_kinds_changed(const Assembly *as, const DvMechanics *m);
/* Whether states that were placed have the points they had. */
bool pattern_fits_states(const Assembly *as, const DvMechanics *m);
/* As if no state had been placed: with memory for as much as there was, and the matrix that is lent. */
void pattern_clear(Assembly *as, const DvMechanics *m);
void pattern_free(AssemblyPattern *pattern);

/* ---- Couplings ---- */

static inline uint64_t contribution_structure(const DvMechanics *m, const Contribution *c)
{
    if (c->kind == MAPPING)
        return 0; /* its couplings follow from its Jacobian, whose structure is watched */
    const FieldItem *field = &m->fields[c->component];
    if (c->kind == MASS)
        return field->mass->structure ? field->mass->structure(field->self) : 0;
    return field->ops->structure ? field->ops->structure(field->self) : 0;
}

static inline const uint32_t *contribution_states(const DvMechanics *m, const Contribution *c)
{
    return c->kind == MAPPING ? mapping_inputs_of(&m->mappings[c->component]) : m->fields[c->component].states;
}

static inline uint32_t contribution_target_number(const Contribution *c, size_t coupling)
{
    return c->one_target ? c->target : c->target_of.data[coupling];
}

static inline const Target *contribution_target(const Contribution *c, size_t coupling)
{
    const uint32_t target = contribution_target_number(c, coupling);
    return target == NOWHERE ? NULL : &c->targets[target];
}

static inline Contribution *contribution_of(const Assembly *as, uint32_t number)
{
    return number & OF_MAPPINGS ? &as->couplings.of_mappings.data[number & ~(uint32_t)OF_MAPPINGS]
                                : &as->couplings.of_fields.data[number];
}

/* Lets go of what has gone or changed. */
void couplings_retire_gone(Assembly *as, const DvMechanics *m);
/* What has come, or come back, names its couplings. */
void couplings_add_new(Assembly *as, DvMechanics *m);
/* Lists the contributions that are there. */
void couplings_list_present(Assembly *as, const DvMechanics *m);
/* As if nothing had been named: with memory for as much as there was. */
void couplings_clear(AssemblyCouplings *couplings);
void couplings_free(AssemblyCouplings *couplings);

/* ---- Locals ---- */

static inline Local *local_at(const Assembly *as, uint32_t i)
{
    return &as->couplings.locals.data[as->couplings.local_list.at[i]];
}

/* Those of the targets of a contribution with mapped states, which it uses from now on... */
void locals_use(Assembly *as, const DvMechanics *m, Contribution *c, uint32_t number);
/* ...and no more. */
void locals_give_up(Assembly *as, const Contribution *c, uint32_t number);
/* Those that are to be made anew give their entries back, while the entries are those they named. There are Jacobians. */
void locals_retire(Assembly *as, DvMechanics *m);
void locals_make(Assembly *as, DvMechanics *m);
/* Lists the points that are coupled, of the states whose products may be of some points. */
void locals_list_points(Assembly *as, const DvMechanics *m);
void locals_clear(AssemblyCouplings *couplings);
void locals_free(AssemblyCouplings *couplings);

/* ---- Fixed unknowns ---- */

/* Gathers the unknowns that constraints fix, when one of them says that its set has changed; whether that was so. */
bool fixed_update(Assembly *as, DvMechanics *m, const DvStep *step);

/* ---- Costs ---- */

void costs_estimate(Assembly *as, const DvMechanics *m);

#endif
