/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Accumulated Jacobians. A mapping gives J of each output by each input; a state that is mapped from mapped states has
 *   J(state, root) = sum over inputs of J(state, input) J(input, root)
 * Structures are made once, values at each assembly.
 */
#include "jacobians.h"

#include <math.h>
#include <string.h>

#include <divan/memory.h>

/* J of one output by one input of a mapping: a copy when the mapping has several, since it lends one at a time. */
typedef struct Link {
    uint32_t mapping, output, input; /* numbers within the mapping */
    uint32_t child, parent;          /* states */
    bool known;                      /* false: the mapping has no such J */
    uint64_t structure, version;
    uint32_t rows;
    uint32_t *start, *columns;
    double *own_values; /* NULL: those of the mapping */
    const double *values;
} Link;

/* One of a state: either the only link to a root, or a sum of products. */
typedef struct Product {
    StateJacobian jacobian;
    uint32_t state;
    uint32_t *start, *columns; /* own arrays; NULL: those of `link` */
    double *values, *weights;
    const Link *link;
} Product;

struct Jacobians {
    Link *links;
    uint32_t link_count;
    Product *products; /* those of a state are neighbours */
    uint32_t product_count;
    StateJacobian *of_state; /* [product_count] the products' jacobians, for lending */
    uint32_t *first, *count; /* [states] into products */
    uint32_t *marker;        /* [points of the largest state] place of a column in the row at work, + 1 */
    uint32_t state_count;
    bool *needed; /* [states] */
    bool known;   /* the products have their values */
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
    if (link->own_values)
        memcpy(link->own_values, j->values, entries_of(link) * block_size(m, link) * sizeof *link->own_values);
    link->values = link->own_values ? link->own_values : j->values;
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
    link->start = dv_alloc((size_t)j->rows + 1, sizeof *link->start);
    link->columns = dv_alloc(entries, sizeof *link->columns);
    link->own_values =
        is_lent_alone(m, link) ? NULL : dv_alloc((size_t)entries * block_size(m, link), sizeof *link->own_values);
    memcpy(link->start, j->row_start, ((size_t)j->rows + 1) * sizeof *link->start);
    memcpy(link->columns, j->columns, entries * sizeof *link->columns);
    take_values(m, link, j);
}

/* ---- Structure ---- */

static Product *add_product(Jacobians *js, uint32_t state, uint32_t root)
{
    js->products = dv_realloc(js->products, js->product_count * sizeof *js->products,
                              (js->product_count + 1) * sizeof *js->products);
    Product *product = &js->products[js->product_count++];
    *product = (Product){.jacobian = {.root = root}, .state = state};
    js->count[state]++;
    return product;
}

static bool has_root(const Jacobians *js, uint32_t state, uint32_t root)
{
    for (uint32_t i = 0; i < js->count[state]; i++)
        if (js->products[js->first[state] + i].jacobian.root == root)
            return true;
    return false;
}

static void add_root(Jacobians *js, uint32_t state, uint32_t root)
{
    if (!has_root(js, state, root))
        (void)add_product(js, state, root);
}

/* The product of an input state by a root, or NULL. */
static const Product *product_of(const Jacobians *js, uint32_t state, uint32_t root)
{
    for (uint32_t i = 0; i < js->count[state]; i++)
        if (js->products[js->first[state] + i].jacobian.root == root)
            return &js->products[js->first[state] + i];
    return NULL;
}

/* The first place in an ascending list that is not below `value`. */
static uint32_t lower_bound(const uint32_t *list, uint32_t count, uint32_t value)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (list[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Columns of row `row` of a product, ascending, into `columns`; their number. */
static uint32_t row_columns(const Jacobians *js, const DvMechanics *m, const Product *product, uint32_t row,
                            uint32_t *columns)
{
    uint32_t count = 0;
    for (uint32_t l = 0; l < js->link_count; l++) {
        const Link *link = &js->links[l];
        if (!link->known || link->child != product->state)
            continue;
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
                const uint32_t at = lower_bound(columns, count, column);
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

static const Link *only_link(const Jacobians *js, uint32_t state, uint32_t *links)
{
    const Link *found = NULL;
    *links = 0;
    for (uint32_t l = 0; l < js->link_count; l++)
        if (js->links[l].known && js->links[l].child == state) {
            found = &js->links[l];
            (*links)++;
        }
    return found;
}

static void build_product(Jacobians *js, const DvMechanics *m, Product *product)
{
    uint32_t links;
    const Link *link = only_link(js, product->state, &links);
    if (links == 1 && link->parent == product->jacobian.root) {
        product->link = link;
        product->jacobian.start = link->start;
        product->jacobian.columns = link->columns;
        product->jacobian.values = link->values;
    } else {
        const uint32_t rows = dv_state_count(m->states[product->state].ref);
        const uint32_t widest = dv_state_count(m->states[product->jacobian.root].ref);
        const size_t size =
            (size_t)m->states[product->state].ref.dof->deriv * m->states[product->jacobian.root].ref.dof->deriv;
        uint32_t *columns = dv_alloc((size_t)widest + 1, sizeof *columns);
        product->start = dv_alloc((size_t)rows + 1, sizeof *product->start);
        for (uint32_t row = 0; row < rows; row++)
            product->start[row + 1] = product->start[row] + row_columns(js, m, product, row, columns);
        product->columns = dv_alloc(product->start[rows], sizeof *product->columns);
        product->values = dv_alloc(product->start[rows] * size, sizeof *product->values);
        for (uint32_t row = 0; row < rows; row++) {
            const uint32_t count = row_columns(js, m, product, row, columns);
            memcpy(product->columns + product->start[row], columns, count * sizeof *columns);
        }
        dv_free(columns);
        product->jacobian.start = product->start;
        product->jacobian.columns = product->columns;
        product->jacobian.values = product->values;
    }
    const uint32_t rows = dv_state_count(m->states[product->state].ref);
    product->weights = dv_alloc(product->jacobian.start[rows], sizeof *product->weights);
    product->jacobian.weights = product->weights;
}

/* The given states, and upwards what they follow from: backwards, so that a chain is marked in one pass. */
static bool *mark_needed(const DvMechanics *m, const bool *needed)
{
    bool *marks = dv_alloc(m->state_count, sizeof *marks);
    memcpy(marks, needed, m->state_count * sizeof *marks);
    for (uint32_t i = m->mapping_count; i-- > 0;) {
        const MappingItem *mapping = &m->mappings[i];
        bool any = false;
        for (uint32_t k = 0; k < mapping->outputs; k++)
            any |= marks[mapping_outputs_of(m, mapping)[k]];
        for (uint32_t k = 0; any && k < mapping->inputs; k++)
            marks[mapping_inputs_of(m, mapping)[k]] = true;
    }
    return marks;
}

Jacobians *jacobians_new(DvMechanics *m, const bool *needed)
{
    Jacobians *js = dv_alloc(1, sizeof *js);
    js->state_count = m->state_count;
    js->needed = mark_needed(m, needed);
    js->first = dv_alloc(m->state_count, sizeof *js->first);
    js->count = dv_alloc(m->state_count, sizeof *js->count);
    uint32_t widest = 0;
    for (uint32_t i = 0; i < m->state_count; i++) {
        const uint32_t points = dv_state_count(m->states[i].ref);
        widest = points > widest ? points : widest;
    }
    js->marker = dv_alloc((size_t)widest + 1, sizeof *js->marker);
    for (uint32_t i = 0; i < m->mapping_count; i++)
        js->link_count += m->mappings[i].inputs * m->mappings[i].outputs;
    js->links = dv_alloc(js->link_count, sizeof *js->links);
    uint32_t l = 0;
    for (uint32_t i = 0; i < m->mapping_count; i++) {
        const MappingItem *mapping = &m->mappings[i];
        for (uint32_t out = 0; out < mapping->outputs; out++) {
            const uint32_t child = mapping_outputs_of(m, mapping)[out];
            for (uint32_t in = 0; in < mapping->inputs; in++) {
                js->links[l] = (Link){.mapping = i,
                                      .output = out,
                                      .input = in,
                                      .child = child,
                                      .parent = mapping_inputs_of(m, mapping)[in]};
                if (js->needed[child])
                    copy_structure(m, &js->links[l]);
                l++;
            }
        }
    }
    /* Parents come before children in the order of the mappings. */
    for (uint32_t i = 0; i < m->mapping_count; i++) {
        const MappingItem *mapping = &m->mappings[i];
        for (uint32_t out = 0; out < mapping->outputs; out++) {
            const uint32_t child = mapping_outputs_of(m, mapping)[out];
            if (js->count[child])
                continue;
            js->first[child] = js->product_count;
            for (uint32_t k = 0; k < js->link_count; k++) {
                const Link *link = &js->links[k];
                if (!link->known || link->child != child)
                    continue;
                if (m->states[link->parent].kind == STATE_INDEPENDENT)
                    add_root(js, child, link->parent);
                for (uint32_t p = 0; m->states[link->parent].kind == STATE_MAPPED && p < js->count[link->parent]; p++)
                    add_root(js, child, js->products[js->first[link->parent] + p].jacobian.root);
            }
            for (uint32_t p = 0; p < js->count[child]; p++)
                build_product(js, m, &js->products[js->first[child] + p]);
        }
    }
    js->of_state = dv_alloc(js->product_count, sizeof *js->of_state);
    for (uint32_t p = 0; p < js->product_count; p++)
        js->of_state[p] = js->products[p].jacobian;
    return js;
}

void jacobians_free(Jacobians *js)
{
    if (!js)
        return;
    for (uint32_t l = 0; l < js->link_count; l++) {
        dv_free(js->links[l].start);
        dv_free(js->links[l].columns);
        dv_free(js->links[l].own_values);
    }
    for (uint32_t p = 0; p < js->product_count; p++) {
        dv_free(js->products[p].start);
        dv_free(js->products[p].columns);
        dv_free(js->products[p].values);
        dv_free(js->products[p].weights);
    }
    dv_free(js->links);
    dv_free(js->products);
    dv_free(js->of_state);
    dv_free(js->needed);
    dv_free(js->first);
    dv_free(js->count);
    dv_free(js->marker);
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
    memset(product->values, 0, (size_t)product->start[rows] * n * width * sizeof *product->values);
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t e = product->start[row]; e < product->start[row + 1]; e++)
            js->marker[product->columns[e]] = e;
        for (uint32_t l = 0; l < js->link_count; l++) {
            const Link *link = &js->links[l];
            if (!link->known || link->child != product->state)
                continue;
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

bool jacobians_update(Jacobians *js, DvMechanics *m, bool *changed)
{
    *changed = !js->known;
    for (uint32_t l = 0; l < js->link_count; l++) {
        Link *link = &js->links[l];
        if (!js->needed[link->child])
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
    if (!*changed)
        return true;
    js->known = true;
    for (uint32_t p = 0; p < js->product_count; p++) {
        Product *product = &js->products[p];
        if (product->link)
            product->jacobian.values = product->link->values;
        else
            multiply(js, m, product);
        find_weights(m, product);
        js->of_state[p] = product->jacobian;
    }
    return true;
}

const StateJacobian *jacobians_of(const Jacobians *js, uint32_t state, uint32_t *count)
{
    *count = js->count[state];
    return js->of_state + js->first[state];
}
