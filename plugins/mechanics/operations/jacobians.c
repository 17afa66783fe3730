/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Accumulated Jacobians. A mapping gives J of each output by each input; a state that is mapped from mapped states has
 *   J(state, root) = sum over inputs of J(state, input) J(input, root)
 * Structures are made when a mapping comes and kept until it, or one above it, goes; values are made at each assembly.
 */
#include "jacobians.h"

#include <divan/kit/ascending.h>

#include <math.h>
#include <string.h>

#include "sparse_rows.h"

/* J of one output by one input of a mapping: a copy when the mapping has several, since it lends one at a time. */
typedef struct Link {
    uint32_t mapping, output, input; /* slot; numbers within the mapping */
    uint32_t child, parent;          /* slots of states */
    StateKind parent_kind;
    bool needed;
    bool known; /* false: the mapping has no such J */
    uint64_t structure, version;
    uint32_t rows;
    uint32_t *start, *columns;
    double *own_values; /* when `copied` */
    bool copied;
    const double *values;
    size_t start_capacity, column_capacity, value_capacity;
} Link;

/* The links of a mapping, output by output. */
typedef struct MappingLinks {
    uint64_t id; /* of the mapping; 0: none */
    Link *links;
    uint32_t count, capacity;
} MappingLinks;

/* One Jacobian of a state: either the only link to a root, or a sum of products. */
typedef struct Product {
    uint32_t state;
    StateJacobian jacobian;
    uint32_t *start, *columns; /* own arrays, unless those of `link` do */
    double *values, *weights;
    size_t start_capacity, column_capacity, value_capacity, weight_capacity;
    const Link *link; /* or NULL */
} Product;

typedef struct StateProducts {
    uint64_t changed; /* jacobians_update_structure that made them */
    Product *products;
    StateJacobian *jacobians; /* the products', for lending */
    uint32_t count, capacity;
} StateProducts;

struct Jacobians {
    MappingLinks *mappings; /* by slot */
    StateProducts *states;  /* by slot */
    uint32_t mapping_count, state_count;
    uint64_t structure_updates; /* calls of jacobians_update_structure */
    uint32_t *marker;           /* [points of the largest root] place of a column in the row at work */
    uint32_t *columns;          /* the same size */
    bool known;                 /* the products have their values */
    size_t marker_capacity, columns_capacity;
};

static size_t entries_of(const Link *link)
{
    return link->rows ? link->start[link->rows] : 0;
}

static const DvJacobian *ask(const DvMechanics *m, const Link *link)
{
    const MappingItem *mapping = &m->mappings[link->mapping];
    return mapping->ops->jacobian ? mapping->ops->jacobian(mapping->self, link->output, link->input) : NULL;
}

static size_t block_size(const DvMechanics *m, const Link *link)
{
    return (size_t)m->states[link->child].ref.dof->deriv * m->states[link->parent].ref.dof->deriv;
}

static bool fits(const DvMechanics *m, const Link *link, const DvJacobian *j)
{
    return j && j->rows == dv_state_count(m->states[link->child].ref) &&
           j->columns_count == dv_state_count(m->states[link->parent].ref);
}

/* The only J of its mapping stays as it is until we ask again. */
static bool is_lent_alone(const DvMechanics *m, const Link *link)
{
    return m->mappings[link->mapping].inputs * m->mappings[link->mapping].outputs == 1;
}

static void take_values(const DvMechanics *m, Link *link, const DvJacobian *j)
{
    if (link->copied && entries_of(link) > 0)
        memcpy(link->own_values, j->values, entries_of(link) * block_size(m, link) * sizeof *link->own_values);
    link->values = link->copied ? link->own_values : j->values;
}

static void copy_structure(DvMechanics *m, Link *link)
{
    const DvJacobian *j = ask(m, link);
    link->known = fits(m, link, j);
    if (!link->known) {
        (void)dv_error(m->mappings[link->mapping].object, DV_ERROR_UNSUPPORTED,
                       "it offers no matrix of its derivative: what acts below it is left out of assembled systems");
        return;
    }
    const uint32_t entries = j->row_start[j->rows];
    link->structure = j->structure;
    link->rows = j->rows;
    link->copied = !is_lent_alone(m, link);
    WITH_ROOM(link->start, link->start_capacity, (size_t)j->rows + 1);
    WITH_ROOM(link->columns, link->column_capacity, entries);
    if (link->copied)
        WITH_ROOM(link->own_values, link->value_capacity, (size_t)entries * block_size(m, link));
    memcpy(link->start, j->row_start, ((size_t)j->rows + 1) * sizeof *link->start);
    if (entries > 0)
        memcpy(link->columns, j->columns, entries * sizeof *link->columns);
    take_values(m, link, j);
}

/* ---- Structure ---- */

/* Walks over the links of a state in the order of the mappings. Zero-initialise. */
typedef struct Cursor {
    uint32_t place, link;
} Cursor;

static const Link *next_link(const Jacobians *js, const DvMechanics *m, uint32_t state, Cursor *at)
{
    const uint32_t places = m->regular ? m->states[state].producers : m->mapping_list.count;
    for (; at->place < places; at->place++, at->link = 0) {
        const MappingLinks *of = &js->mappings[m->regular ? m->states[state].producer : m->mapping_list.at[at->place]];
        while (at->link < of->count) {
            const Link *link = &of->links[at->link++];
            if (link->known && link->child == state)
                return link;
        }
    }
    return NULL;
}

/* The product of a state by a root, or NULL. */
static const Product *product_of(const Jacobians *js, uint32_t state, uint32_t root)
{
    const StateProducts *of = &js->states[state];
    for (uint32_t i = 0; i < of->count; i++)
        if (of->products[i].jacobian.root == root)
            return &of->products[i];
    return NULL;
}

static void add_root(Jacobians *js, uint32_t state, uint32_t root)
{
    StateProducts *of = &js->states[state];
    if (product_of(js, state, root))
        return;
    if (of->count == of->capacity) {
        const uint32_t more = of->capacity ? 2 * of->capacity : 2;
        of->products = dv_realloc(of->products, of->capacity * sizeof *of->products, more * sizeof *of->products);
        of->jacobians = dv_realloc(of->jacobians, of->capacity * sizeof *of->jacobians, more * sizeof *of->jacobians);
        of->capacity = more;
    }
    Product *product = &of->products[of->count++]; /* its arrays are kept from before */
    product->state = state;
    product->jacobian = (StateJacobian){.root = root};
    product->link = NULL;
}

/* Columns of row `row` of a product, ascending, into `columns`; their number. */
static uint32_t row_columns(const Jacobians *js, const DvMechanics *m, const Product *product, uint32_t row,
                            uint32_t *columns)
{
    uint32_t count = 0;
    Cursor cursor = {0, 0};
    const Link *link;
    while ((link = next_link(js, m, product->state, &cursor))) {
        const bool direct = link->parent == product->jacobian.root;
        const Product *above = direct ? NULL : product_of(js, link->parent, product->jacobian.root);
        if (m->states[link->parent].kind != STATE_MAPPED ? !direct : !above)
            continue;
        for (uint32_t e = link->start[row]; e < link->start[row + 1]; e++) {
            const uint32_t middle = link->columns[e];
            const uint32_t begin = direct ? 0 : above->jacobian.start[middle];
            const uint32_t end = direct ? 1 : above->jacobian.start[middle + 1];
            for (uint32_t f = begin; f < end; f++) {
                const uint32_t column = direct ? middle : above->jacobian.columns[f];
                const uint32_t at = dv_ascending_place(columns, count, column);
                if (at < count && columns[at] == column)
                    continue;
                memmove(columns + at + 1, columns + at, (count - at) * sizeof *columns);
                columns[at] = column;
                count++;
            }
        }
    }
    return count;
}

static const Link *only_link(const Jacobians *js, const DvMechanics *m, uint32_t state)
{
    Cursor cursor = {0, 0};
    const Link *found = next_link(js, m, state, &cursor);
    return next_link(js, m, state, &cursor) ? NULL : found;
}

static void build_product(Jacobians *js, const DvMechanics *m, Product *product)
{
    const uint32_t rows = dv_state_count(m->states[product->state].ref);
    const Link *link = only_link(js, m, product->state);
    if (link && link->parent == product->jacobian.root) {
        product->link = link;
        product->jacobian.start = link->start;
        product->jacobian.columns = link->columns;
        product->jacobian.values = link->values;
    } else {
        const uint32_t widest = dv_state_count(m->states[product->jacobian.root].ref);
        const size_t size =
            (size_t)m->states[product->state].ref.dof->deriv * m->states[product->jacobian.root].ref.dof->deriv;
        WITH_ROOM(js->marker, js->marker_capacity, (size_t)widest + 1);
        WITH_ROOM(js->columns, js->columns_capacity, (size_t)widest + 1);
        WITH_ROOM(product->start, product->start_capacity, (size_t)rows + 1);
        product->start[0] = 0;
        for (uint32_t row = 0; row < rows; row++)
            product->start[row + 1] = product->start[row] + row_columns(js, m, product, row, js->columns);
        WITH_ROOM(product->columns, product->column_capacity, product->start[rows]);
        WITH_ROOM(product->values, product->value_capacity, product->start[rows] * size);
        for (uint32_t row = 0; row < rows; row++) {
            const uint32_t count = row_columns(js, m, product, row, js->columns);
            memcpy(product->columns + product->start[row], js->columns, count * sizeof *js->columns);
        }
        product->jacobian.start = product->start;
        product->jacobian.columns = product->columns;
        product->jacobian.values = product->values;
    }
    WITH_ROOM(product->weights, product->weight_capacity, product->jacobian.start[rows]);
    product->jacobian.weights = product->weights;
}

/* Parents come before children in the order of the mappings. */
static void make_products(Jacobians *js, const DvMechanics *m, uint32_t state)
{
    StateProducts *of = &js->states[state];
    of->count = 0;
    of->changed = js->structure_updates;
    Cursor cursor = {0, 0};
    const Link *link;
    while ((link = next_link(js, m, state, &cursor))) {
        if (link->parent_kind == STATE_INDEPENDENT)
            add_root(js, state, link->parent);
        const StateProducts *above = &js->states[link->parent];
        for (uint32_t p = 0; link->parent_kind == STATE_MAPPED && p < above->count; p++)
            add_root(js, state, above->products[p].jacobian.root);
    }
    js->known = false;
    for (uint32_t p = 0; p < of->count; p++) {
        build_product(js, m, &of->products[p]);
        of->jacobians[p] = of->products[p].jacobian;
    }
}

static void make_links(Jacobians *js, DvMechanics *m, uint32_t slot, const bool *needed)
{
    const MappingItem *mapping = &m->mappings[slot];
    MappingLinks *of = &js->mappings[slot];
    const uint32_t count = mapping->inputs * mapping->outputs;
    if (count > of->capacity) {
        of->links = dv_realloc(of->links, of->capacity * sizeof *of->links, count * sizeof *of->links);
        of->capacity = count;
    }
    of->id = mapping->id;
    of->count = count;
    for (uint32_t l = 0; l < count; l++) {
        Link *link = &of->links[l]; /* its arrays are kept from before */
        link->mapping = slot;
        link->output = l / mapping->inputs;
        link->input = l % mapping->inputs;
        link->child = mapping_outputs_of(mapping)[link->output];
        link->parent = mapping_inputs_of(mapping)[link->input];
        link->parent_kind = m->states[link->parent].kind;
        link->needed = needed[link->child];
        link->known = false;
        link->version = 0;
        if (link->needed)
            copy_structure(m, link);
    }
}

static bool is_as_before(const Jacobians *js, const DvMechanics *m, uint32_t slot, const bool *needed, bool *links_are)
{
    const MappingLinks *of = &js->mappings[slot];
    *links_are = of->id == m->mappings[slot].id;
    bool same = *links_are;
    for (uint32_t l = 0; *links_are && l < of->count; l++) {
        const Link *link = &of->links[l];
        *links_are = link->needed == needed[link->child];
        same = same && *links_are && link->parent_kind == m->states[link->parent].kind &&
               js->states[link->parent].changed != js->structure_updates &&
               js->states[link->child].changed != js->structure_updates;
    }
    return same;
}

static void *longer(void *array, uint32_t *count, uint32_t wanted, size_t size)
{
    if (wanted <= *count)
        return array;
    wanted += wanted / 2;
    array = dv_realloc(array, *count * size, wanted * size);
    *count = wanted;
    return array;
}

void jacobians_update_structure(Jacobians *js, DvMechanics *m, bool *needed)
{
    js->mappings = longer(js->mappings, &js->mapping_count, m->mapping_slots.count, sizeof *js->mappings);
    js->states = longer(js->states, &js->state_count, m->state_slots.count, sizeof *js->states);
    js->structure_updates++;
    /* Backwards, so that a chain is marked in one pass. */
    for (uint32_t i = m->mapping_list.count; i-- > 0;) {
        const MappingItem *mapping = mapping_at(m, i);
        bool any = false;
        for (uint32_t k = 0; k < mapping->outputs; k++)
            any |= needed[mapping_outputs_of(mapping)[k]];
        for (uint32_t k = 0; any && k < mapping->inputs; k++)
            needed[mapping_inputs_of(mapping)[k]] = true;
    }
    for (uint32_t slot = 0; slot < m->mapping_slots.count; slot++) {
        MappingLinks *of = &js->mappings[slot];
        if (!of->id || of->id == m->mappings[slot].id)
            continue;
        for (uint32_t l = 0; l < of->count; l++) {
            js->states[of->links[l].child].changed = js->structure_updates;
            js->states[of->links[l].child].count = 0;
        }
        of->id = 0;
        of->count = 0;
    }
    for (uint32_t i = 0; i < m->mapping_list.count; i++) {
        const uint32_t slot = m->mapping_list.at[i];
        const MappingItem *mapping = &m->mappings[slot];
        bool links_are_as_before;
        if (is_as_before(js, m, slot, needed, &links_are_as_before))
            continue;
        if (!links_are_as_before)
            make_links(js, m, slot, needed);
        for (uint32_t l = 0; l < js->mappings[slot].count; l++)
            js->mappings[slot].links[l].parent_kind = m->states[js->mappings[slot].links[l].parent].kind;
        for (uint32_t k = 0; k < mapping->outputs; k++)
            make_products(js, m, mapping_outputs_of(mapping)[k]);
    }
}

bool jacobians_changed(const Jacobians *js, uint32_t state)
{
    return state < js->state_count && js->states[state].changed == js->structure_updates;
}

Jacobians *jacobians_new(void)
{
    return dv_alloc(1, sizeof(Jacobians));
}

void jacobians_free(Jacobians *js)
{
    if (!js)
        return;
    for (uint32_t i = 0; i < js->mapping_count; i++) {
        MappingLinks *of = &js->mappings[i];
        for (uint32_t l = 0; l < of->capacity; l++) {
            dv_free(of->links[l].start);
            dv_free(of->links[l].columns);
            dv_free(of->links[l].own_values);
        }
        dv_free(of->links);
    }
    for (uint32_t i = 0; i < js->state_count; i++) {
        StateProducts *of = &js->states[i];
        for (uint32_t p = 0; p < of->capacity; p++) {
            dv_free(of->products[p].start);
            dv_free(of->products[p].columns);
            dv_free(of->products[p].values);
            dv_free(of->products[p].weights);
        }
        dv_free(of->products);
        dv_free(of->jacobians);
    }
    dv_free(js->mappings);
    dv_free(js->states);
    dv_free(js->marker);
    dv_free(js->columns);
    dv_free(js);
}

/* ---- Values ---- */

/* c (n x m) += a (n x k) b (k x m) */
static void add_dense_product(double *c, const double *a, const double *b, uint32_t n, uint32_t k, uint32_t m)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t l = 0; l < k; l++)
            for (uint32_t j = 0; j < m; j++)
                c[i * m + j] += a[i * k + l] * b[l * m + j];
}

static void multiply(Jacobians *js, const DvMechanics *m, Product *product)
{
    const uint32_t rows = dv_state_count(m->states[product->state].ref);
    const uint32_t n = m->states[product->state].ref.dof->deriv,
                   width = m->states[product->jacobian.root].ref.dof->deriv;
    if (product->start[rows] > 0)
        memset(product->values, 0, (size_t)product->start[rows] * n * width * sizeof *product->values);
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t e = product->start[row]; e < product->start[row + 1]; e++)
            js->marker[product->columns[e]] = e;
        Cursor cursor = {0, 0};
        const Link *link;
        while ((link = next_link(js, m, product->state, &cursor))) {
            const bool direct = link->parent == product->jacobian.root;
            const Product *above = direct ? NULL : product_of(js, link->parent, product->jacobian.root);
            if (!direct && !above)
                continue;
            const uint32_t k = m->states[link->parent].ref.dof->deriv;
            for (uint32_t e = link->start[row]; e < link->start[row + 1]; e++) {
                const double *a = link->values + (size_t)e * n * k;
                const uint32_t middle = link->columns[e];
                if (direct) {
                    double *c = product->values + (size_t)js->marker[middle] * n * width;
                    for (uint32_t i = 0; i < n * width; i++)
                        c[i] += a[i];
                    continue;
                }
                for (uint32_t f = above->jacobian.start[middle]; f < above->jacobian.start[middle + 1]; f++)
                    add_dense_product(product->values + (size_t)js->marker[above->jacobian.columns[f]] * n * width, a,
                                      above->jacobian.values + (size_t)f * k * width, n, k, width);
            }
        }
    }
}

static void find_weights(const DvMechanics *m, Product *product)
{
    const uint32_t rows = dv_state_count(m->states[product->state].ref);
    const uint32_t n = m->states[product->state].ref.dof->deriv,
                   width = m->states[product->jacobian.root].ref.dof->deriv;
    const uint32_t entries = product->jacobian.start[rows];
    for (uint32_t e = 0; e < entries; e++) {
        const double *block = product->jacobian.values + (size_t)e * n * width;
        bool scaled_identity = n == width;
        for (uint32_t i = 0; scaled_identity && i < n * n; i++)
            scaled_identity = block[i] == (i % (n + 1) == 0 ? block[0] : 0.0);
        product->weights[e] = scaled_identity ? block[0] : NAN;
    }
}

bool jacobians_update_values(Jacobians *js, DvMechanics *m, bool *changed)
{
    *changed = !js->known;
    for (uint32_t i = 0; i < m->mapping_list.count; i++) {
        const MappingLinks *of = &js->mappings[m->mapping_list.at[i]];
        for (uint32_t l = 0; l < of->count; l++) {
            Link *link = &of->links[l];
            if (!link->needed)
                continue;
            const DvJacobian *j = ask(m, link);
            const bool usable = fits(m, link, j);
            if (usable != link->known || (usable && j->structure != link->structure))
                return false;
            if (!link->known)
                continue;
            if (j->version == 0 || j->version != link->version) {
                take_values(m, link, j);
                *changed = true;
            }
            link->version = j->version;
        }
    }
    if (!*changed)
        return true;
    js->known = true;
    for (uint32_t i = 0; i < m->mapping_list.count; i++) {
        const MappingItem *mapping = mapping_at(m, i);
        for (uint32_t k = 0; k < mapping->outputs; k++) {
            StateProducts *of = &js->states[mapping_outputs_of(mapping)[k]];
            for (uint32_t p = 0; p < of->count; p++) {
                Product *product = &of->products[p];
                if (product->link)
                    product->jacobian.values = product->link->values;
                else
                    multiply(js, m, product);
                find_weights(m, product);
                of->jacobians[p] = product->jacobian;
            }
        }
    }
    return true;
}

const StateJacobian *jacobians_of(const Jacobians *js, uint32_t state, uint32_t *count)
{
    *count = js->states[state].count;
    return js->states[state].jacobians;
}
