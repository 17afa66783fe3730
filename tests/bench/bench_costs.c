/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures what plugins/mechanics/costs.def says: bodies of one kind of component, small ones that stay in the caches and large ones that
 * do not, their products and assemblies one by one.
 *
 *   bench-costs [CASE]        a case by the beginning of its name; without it all
 *
 * Prints each cost with the value of the table and what this machine takes at this moment, the least of many runs. Other values are right
 * for another machine; what the choice between products and a matrix needs is that they are right beside one another.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <divan/contracts/force_field.h>
#include <divan/contracts/mechanical_operations.h>
#include <divan/contracts/topology.h>
#include <divan/divan.h>
#include <divan/kit/block_product.h>

#include "costs.h"

static const DvStep step = {.time = 0.0, .dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};

typedef struct Body {
    DvScene *scene;
    const DvMechanicalOperationsOps *ops;
    DvMechanics *m;
    DvVecId d, r;
    size_t unknowns;
} Body;

static double nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static Body load(const char *text)
{
    Body body = {.ops = dv_service(DV_MECHANICAL_OPERATIONS)};
    if (!body.ops || dv_scene_load_text(text, strlen(text), "costs.scn", NULL, NULL, &body.scene) != DV_OK)
        exit(1);
    body.m = body.ops->open(dv_scene_root(body.scene));
    body.ops->propagate_position(body.m, &step, DV_POSITION);
    body.ops->propagate_velocity(body.m, &step, DV_VELOCITY);
    body.ops->compute_force(body.m, &step, DV_FORCE, DV_WALK_WHOLE);
    body.d = body.ops->allocate(body.m, DV_DERIVS);
    body.r = body.ops->allocate(body.m, DV_DERIVS);
    body.unknowns = body.ops->unknowns(body.m);
    return body;
}

static void end(Body *body)
{
    body->ops->release(body->m, body->d);
    body->ops->release(body->m, body->r);
    body->ops->close(body->m);
    dv_scene_free(body->scene);
}

/* What is measured: a run with another number each time, so that nothing is found unchanged. */
typedef void Run(Body *body, double number);

static double least(Body *body, Run *run)
{
    double best = INFINITY, until = nanoseconds() + 2e8;
    for (int i = 0; i < 5 || nanoseconds() < until; i++) {
        const double begin = nanoseconds();
        run(body, 1.0 + i % 7);
        best = fmin(best, nanoseconds() - begin);
    }
    return best;
}

static void stiffness_product(Body *body, double number)
{
    body->ops->add_mbk(body->m, &step, (DvFactors){.k = number}, body->r, body->d, DV_WALK_WHOLE);
}

static void mass_product(Body *body, double number)
{
    body->ops->add_mbk(body->m, &step, (DvFactors){.m = number}, body->r, body->d, DV_WALK_WHOLE);
}

static void no_product(Body *body, double number)
{
    (void)number;
    body->ops->add_mbk(body->m, &step, (DvFactors){0}, body->r, body->d, DV_WALK_WHOLE);
}

static void assembly(Body *body, double number)
{
    (void)body->ops->assemble(body->m, &step, (DvFactors){.m = number, .k = number}, 0);
}

/* The same number of changes to the matrix, but nothing from the force fields. */
static void assembly_without_stiffness(Body *body, double number)
{
    (void)body->ops->assemble(body->m, &step, (DvFactors){.m = number, .k = number}, DV_ASSEMBLE_NO_STIFFNESS);
}

static void assembly_without_mass(Body *body, double number)
{
    (void)body->ops->assemble(body->m, &step, (DvFactors){.m = number, .k = number}, DV_ASSEMBLE_NO_MASS);
}

static double *numbers_of(size_t count)
{
    double *numbers = dv_alloc(count + 1, sizeof *numbers);
    for (size_t i = 0; i <= count; i++)
        numbers[i] = 1.0 + (double)(i % 10);
    return numbers;
}

/* What an iteration of conjugate gradients does besides its product. */
static void vectors(Body *body, double number)
{
    body->ops->clear(body->m, body->r);
    number += body->ops->dot(body->m, body->d, body->r) + body->ops->dot(body->m, body->r, body->r);
    for (int i = 0; i < 3; i++)
        body->ops->combine(body->m, body->r, body->r, body->d, number);
}

static double matrix_product_time(Body *body, size_t *entries)
{
    const DvBlockMatrix *a = body->ops->assemble(body->m, &step, (DvFactors){.m = 1.0, .k = 1.0}, 0);
    double *x = numbers_of(body->unknowns), *y = numbers_of(body->unknowns), best = INFINITY;
    *entries = (size_t)a->row_start[a->rows] * a->block * a->block;
    for (double until = nanoseconds() + 2e8; nanoseconds() < until;) {
        const double begin = nanoseconds();
        (void)dv_block_product(a, x, y);
        best = fmin(best, nanoseconds() - begin);
    }
    dv_free(x);
    dv_free(y);
    return best;
}

static void report(const char *name, double measured)
{
    static const struct {
        const char *name, *text;
        double value;
    } table[] = {
#define COST(name, value, text) {#name, text, value},
#include "costs.def"
#undef COST
    };
    size_t i = 0;
    while (i < sizeof table / sizeof *table && strcmp(table[i].name, name) != 0)
        i++;
    if (i == sizeof table / sizeof *table) {
        fprintf(stderr, "costs.def has no '%s'\n", name);
        exit(1);
    }
    printf("%-30s %9.3f %9.3f  %s\n", name, table[i].value, measured, table[i].text);
}

/* ---- Elements ---- */

static double squares(unsigned n)
{
    return pow(n - 1.0, 2);
}

static double cells(unsigned n)
{
    return pow(n - 1.0, 3);
}

/* Along the lines, across the squares and across the cells. */
static double springs(unsigned n)
{
    return 3.0 * n * n * (n - 1) + 6.0 * n * squares(n) + 4.0 * cells(n);
}

static double triangles(unsigned n)
{
    return 2.0 * squares(n);
}

static double tetrahedra(unsigned n)
{
    return 6.0 * cells(n);
}

enum { CUBE, BENT_CUBE, SHEET }; /* grids of n points on each side */

typedef struct Elements {
    const char *name, *field; /* the component */
    int grid;
    double (*count)(unsigned n);                                       /* NULL: the entries of its field `spring` */
    unsigned small, large;                                             /* points of a side */
    const char *product, *product_beyond, *assembly, *assembly_beyond; /* rows of the table; or NULL */
    bool beyond_is_factor;
} Elements;

#define SPRINGS  "<RegularGridSpringForceField/>"
#define MATERIAL "youngModulus='1e4' poissonRatio='0.3'"

static const Elements elements[] = {
    {"spring", SPRINGS, CUBE, springs, 8, 40, "spring_product", NULL, "spring_assembly", NULL, false},
    {"triangle", "<TriangleFEMForceField " MATERIAL " method='large'/>", SHEET, triangles, 30, 400, "triangle_product",
     "triangle_product_beyond", "triangle_assembly", NULL, true},
    {"tetrahedron", "<TetrahedronFEMForceField " MATERIAL " method='polar' updateStiffnessMatrix='0'/>", CUBE,
     tetrahedra, 7, 34, "tetrahedron_product", "tetrahedron_product_beyond", "tetrahedron_assembly", NULL, true},
    {"updated_tetrahedron", "<TetrahedronFEMForceField " MATERIAL " method='large' updateStiffnessMatrix='1'/>", CUBE,
     tetrahedra, 7, 34, "updated_tetrahedron_product", NULL, "updated_tetrahedron_assembly", NULL, true},
    {"box", "<HexahedronFEMForceField " MATERIAL " method='large'/>", CUBE, cells, 10, 50, "box_product",
     "box_product_beyond", NULL, NULL, true},
    {"hexahedron", "<HexahedronFEMForceField " MATERIAL " method='large'/>", BENT_CUBE, cells, 6, 30,
     "hexahedron_product", "hexahedron_product_beyond", "hexahedron_assembly", "hexahedron_assembly_beyond", true},
};

/* A grid, the state of its points, and what acts on them. */
static void add_grid(DvText *text, int grid, unsigned n, const char *components)
{
    dv_text_add(text, "<RegularGridTopology nx='%u' ny='%u' nz='%u' min='0 0 0' max='1 1 1'/><MechanicalObject", n, n,
                grid == SHEET ? 1 : n);
    if (grid == BENT_CUBE) {
        dv_text_add(text, " position='");
        for (unsigned i = 0; i < n * n * n; i++) {
            const unsigned column = i % n, row = i / n % n, layer = i / n / n;
            const double x = column / (n - 1.0), y = row / (n - 1.0), z = layer / (n - 1.0);
            dv_text_add(text, "%g %g %g ", x + 0.2 * y * z, y + 0.1 * x * x, z + 0.1 * x * y);
        }
        dv_text_add(text, "'");
    }
    dv_text_add(text, "/>%s", components);
}

static Body load_node(int grid, unsigned n, const char *components)
{
    DvText text = {0};
    dv_text_add(&text, "<Node><DefaultAnimationLoop/>");
    add_grid(&text, grid, n, components);
    dv_text_add(&text, "</Node>");
    const Body body = load(text.at);
    dv_text_free(&text);
    return body;
}

static void element_times(const Elements *e, unsigned n, double *product, double *assembled)
{
    char components[300];
    snprintf(components, sizeof components, "%s<UniformMass totalMass='1'/>", e->field);
    Body body = load_node(e->grid, n, components);
    const double count = e->count(n);
    *product = (least(&body, stiffness_product) - least(&body, no_product)) / count;
    *assembled = (least(&body, assembly) - least(&body, assembly_without_stiffness)) / count;
    end(&body);
}

static void report_pair(const char *name, double small, const char *beyond, double large, bool is_factor)
{
    if (name)
        report(name, small);
    if (name && beyond)
        report(beyond, is_factor ? large / small : large - small);
}

static void measure_elements(const Elements *e)
{
    double product, assembled, large_product, large_assembled;
    element_times(e, e->small, &product, &assembled);
    element_times(e, e->large, &large_product, &large_assembled);
    report_pair(e->product, product, e->product_beyond, large_product, e->beyond_is_factor);
    report_pair(e->assembly, assembled, e->assembly_beyond, large_assembled, e->beyond_is_factor);
}

/* ---- Beams, which join frames ---- */

static void measure_beams(void)
{
    enum { BEAMS = 400 };
    DvText text = {0};
    dv_text_add(&text,
                "<Node><DefaultAnimationLoop/><RegularGridTopology nx='%d' ny='1' nz='1' min='0 0 0' max='1 0 0'/>"
                "<MechanicalObject template='Rigid3d' position='",
                BEAMS + 1);
    for (int i = 0; i <= BEAMS; i++)
        dv_text_add(&text, "%g 0 0 0 0 0 1 ", (double)i / BEAMS);
    dv_text_add(&text, "'/><BeamFEMForceField " MATERIAL " radius='0.001'/><UniformMass totalMass='1'/></Node>");
    Body body = load(text.at);
    report("beam_product", (least(&body, stiffness_product) - least(&body, no_product)) / BEAMS);
    report("beam_assembly", (least(&body, assembly) - least(&body, assembly_without_stiffness)) / BEAMS);
    end(&body);
    dv_text_free(&text);
}

/* ---- Components that say nothing of their costs ---- */

static void coupled_times(unsigned n, double *product, double *assembled)
{
    Body body = load_node(CUBE, n, "<MeshMatrixMass massDensity='1'/>");
    size_t entries;
    (void)matrix_product_time(&body, &entries);
    *product = (least(&body, mass_product) - least(&body, no_product)) / (double)entries;
    *assembled = (least(&body, assembly) - least(&body, assembly_without_mass)) / (double)entries;
    end(&body);
}

static void measure_coupled(void)
{
    double product, assembled, large_product, large_assembled;
    coupled_times(8, &product, &assembled);
    coupled_times(40, &large_product, &large_assembled);
    report_pair("coupled_product", product, "coupled_product_beyond", large_product, false);
    report_pair("coupled_assembly", assembled, "coupled_assembly_beyond", large_assembled, false);
}

/* ---- Vectors and the matrix ---- */

static void matrix_times(unsigned n, double *product, double *assembled)
{
    Body body = load_node(CUBE, n, SPRINGS "<UniformMass totalMass='1'/>");
    size_t entries;
    *product = matrix_product_time(&body, &entries) / (double)entries;
    *assembled = least(&body, assembly_without_stiffness) / (double)entries;
    end(&body);
}

static void measure_matrix(void)
{
    double product, assembled, large_product, large_assembled;
    matrix_times(10, &product, &assembled);
    matrix_times(60, &large_product, &large_assembled);
    report_pair("entry_product", product, "entry_product_beyond", large_product, false);
    report_pair("entry_assembly", assembled, "entry_assembly_beyond", large_assembled, false);

    Body body = load_node(CUBE, 10, "<UniformMass totalMass='1'/>");
    const double unknowns = (double)body.unknowns, nothing = least(&body, no_product);
    size_t entries;
    report("diagonal", (least(&body, mass_product) - nothing) / unknowns);
    report("unknown_product", least(&body, vectors) / unknowns);
    report("unknown_matrix_product",
           (matrix_product_time(&body, &entries) - cost_entry_product * (double)entries) / unknowns);
    end(&body);
}

/* ---- Mappings ---- */

/* A state below `parent`, by `mapping`, with `components`. */
static Body load_mapped(const char *parent, const char *mapping, unsigned n, const char *components)
{
    DvText text = {0};
    dv_text_add(&text, "<Node><DefaultAnimationLoop/>");
    if (parent)
        dv_text_add(&text, "%s", parent);
    else
        add_grid(&text, CUBE, n, "<UniformMass totalMass='1'/>");
    if (mapping) {
        dv_text_add(&text, "<Node name='mapped'>");
        add_grid(&text, CUBE, n, components);
        dv_text_add(&text, "%s</Node>", mapping);
    }
    dv_text_add(&text, "</Node>");
    const Body body = load(text.at);
    dv_text_free(&text);
    return body;
}

/* What a mapping adds, less what its components take by themselves: to a product and an assembly, in all. */
static void mapped_times(const char *parent, const char *mapping, unsigned n, const char *components,
                         double of_components, double *product, double *assembled)
{
    Body without = load_mapped(parent, NULL, n, NULL), with = load_mapped(parent, mapping, n, components);
    *product = least(&with, stiffness_product) - least(&without, stiffness_product);
    *assembled = least(&with, assembly) - least(&without, assembly) - of_components;
    end(&without);
    end(&with);
}

static void measure_mappings(void)
{
    enum { N = 10 };
    const double points = N * N * N, scalars = 3.0 * points;
    double product, diagonal, coupled, bodies, unused;
    mapped_times(NULL, "<IdentityMapping/>", N, "<UniformMass totalMass='1'/>", cost_diagonal * scalars, &product,
                 &diagonal);
    report("mapped_product", product / scalars);
    report("mapped_assembly", (diagonal - cost_projected_entry * 9.0 * points) / scalars);
    mapped_times(NULL, "<IdentityMapping/>", N, SPRINGS, cost_spring_assembly * springs(N), &unused, &coupled);
    const double entries = 9.0 * (points + 2.0 * springs(N));
    report("projected_entry", (coupled - cost_mapped_assembly * scalars) / entries);
    mapped_times("<MechanicalObject template='Rigid3d'/><UniformMass totalMass='1'/>", "<RigidMapping/>", N, SPRINGS,
                 cost_spring_assembly * springs(N), &unused, &bodies);
    report("projected_body_entry", (bodies - cost_mapped_assembly * scalars) / entries);
}

/* ---- Calls ---- */

static void measure_calls(void)
{
    enum { BODIES = 1000 };
    DvText text = {0};
    dv_text_add(&text, "<Node><DefaultAnimationLoop/>");
    for (unsigned i = 0; i < BODIES; i++)
        dv_text_add(&text, "<Node name='%u'><MechanicalObject/><RestShapeSpringsForceField stiffness='1'/></Node>", i);
    dv_text_add(&text, "</Node>");
    Body body = load(text.at);
    report("call", least(&body, stiffness_product) / BODIES / (1.0 + cost_state_calls));
    end(&body);
    dv_text_free(&text);
}

/* ---- Solids by element and law, which say their own costs ---- */

/* Elements of one kind over a bent grid of n points on each side. */
static size_t solid_mesh(DvText *text, DvElementKind kind, unsigned n)
{
    static const char *const names[DV_ELEMENT_KINDS] = {"",           "edges",     "triangles", "quads",
                                                        "tetrahedra", "hexahedra", "prisms",    "pyramids"};
    const bool flat = kind < DV_TETRAHEDRA;
    const unsigned layers = flat ? 1 : n, cells = n - 1, inner = n * n * layers;
    size_t count = 0;
    dv_text_add(text, "<MeshTopology position='");
    for (unsigned i = 0; i < inner; i++) {
        const unsigned across = i % n, along = i / n % n, up = i / n / n;
        const double x = across / (n - 1.0), y = along / (n - 1.0), z = up / (n - 1.0);
        dv_text_add(text, "%g %g %g ", x + 0.2 * y * z, y + 0.1 * x * x, z + 0.1 * x * y);
    }
    for (unsigned c = 0; kind == DV_PYRAMIDS && c < cells * cells * cells; c++) {
        const unsigned across = c % cells, along = c / cells % cells, up = c / cells / cells;
        const double x = (across + 0.5) / cells, y = (along + 0.5) / cells, z = (up + 0.5) / cells;
        dv_text_add(text, "%g %g %g ", x + 0.2 * y * z, y + 0.1 * x * x, z + 0.1 * x * y);
    }
    dv_text_add(text, "' %s='", names[kind]);
    for (unsigned c = 0; c < cells * cells * (flat ? 1 : cells); c++) {
        const unsigned p = c % cells + n * (c / cells % cells) + n * n * (c / cells / cells);
        const unsigned v[8] = {p, p + 1, p + n + 1, p + n, p + n * n, p + n * n + 1, p + n * n + n + 1, p + n * n + n};
        static const uint8_t hexahedron[] = {0, 1, 2, 3, 4, 5, 6, 7}, edge[] = {0, 1}, triangle[] = {0, 1, 2, 0, 2, 3},
                             quad[] = {0, 1, 2, 3}, prism[] = {0, 1, 2, 4, 5, 6, 0, 2, 3, 4, 6, 7},
                             tetrahedron[] = {0, 1, 2, 6, 0, 2, 3, 6, 0, 3, 7, 6, 0, 7, 4, 6, 0, 4, 5, 6, 0, 5, 1, 6},
                             pyramid[] = {0, 1, 2, 3, 8, 4, 7, 6, 5, 8, 0, 4, 5, 1, 8,
                                          3, 2, 6, 7, 8, 0, 3, 7, 4, 8, 1, 5, 6, 2, 8};
        static const struct {
            const uint8_t *corner;
            unsigned length;
        } of[DV_ELEMENT_KINDS] = {{NULL, 0},         {edge, 2},       {triangle, 6}, {quad, 4},
                                  {tetrahedron, 24}, {hexahedron, 8}, {prism, 12},   {pyramid, 30}};
        for (unsigned i = 0; i < of[kind].length; i++) {
            const unsigned corner = of[kind].corner[i];
            dv_text_add(text, "%u ", corner == 8 ? inner + c : v[corner]);
        }
        count += of[kind].length / dv_element_nodes(kind);
    }
    dv_text_add(text, "'/>");
    return count;
}

static void solid_costs(const char *class_name, DvElementKind kind, unsigned n)
{
    static const char *const words[DV_ELEMENT_KINDS] = {"",           "Edge",  "Triangle", "Quad", "Tetrahedron",
                                                        "Hexahedron", "Prism", "Pyramid"};
    DvText text = {0};
    dv_text_add(&text, "<Node><DefaultAnimationLoop/>");
    const double count = (double)solid_mesh(&text, kind, n);
    dv_text_add(&text,
                "<MechanicalObject/><%s name='solid' template='Vec3d,%s' %s/><UniformMass totalMass='1'/></Node>",
                class_name, words[kind], strcmp(class_name, "SolidFEMForceField") == 0 ? "" : MATERIAL);
    Body body = load(text.at);
    DvObject *solid = dv_node_resolve(dv_scene_root(body.scene), NULL, "@/solid", NULL);
    const DvForceFieldOps *ops = dv_object_ops(solid, DV_FORCE_FIELD);
    double product, assembled;
    ops->cost(dv_object_self(solid), &product, &assembled);
    printf("%-26s %-12s %8.0f %9.1f %9.1f %9.1f %9.1f\n", class_name, words[kind], count, product / count,
           (least(&body, stiffness_product) - least(&body, no_product)) / count, assembled / count,
           (least(&body, assembly) - least(&body, assembly_without_stiffness)) / count);
    end(&body);
    dv_text_free(&text);
}

static void measure_solids(void)
{
    printf("%-26s %-12s %8s %9s %9s %9s %9s\n", "", "", "elements", "product", "measured", "assembly", "measured");
    for (DvElementKind kind = DV_EDGES; kind < DV_ELEMENT_KINDS; kind++)
        for (int large = 0; large < 2; large++)
            solid_costs("CorotationalFEMForceField", kind,
                        kind < DV_TETRAHEDRA ? (large ? 200 : 24) : (large ? 24 : 8));
    solid_costs("SolidFEMForceField", DV_TETRAHEDRA, 8);
    solid_costs("SolidFEMForceField", DV_HEXAHEDRA, 8);
}

static bool asked(int argc, char **argv, const char *name)
{
    return argc < 2 || strncmp(name, argv[1], strlen(argv[1])) == 0;
}

int main(int argc, char **argv)
{
    if (dv_start(NULL) != DV_OK)
        return 1;
    printf("%-30s %9s %9s  of\n", "", "table", "measured");
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (asked(argc, argv, elements[i].name))
            measure_elements(&elements[i]);
    static const struct {
        const char *name;
        void (*measure)(void);
    } others[] = {{"beams", measure_beams},       {"coupled", measure_coupled}, {"matrix", measure_matrix},
                  {"mappings", measure_mappings}, {"calls", measure_calls},     {"solids", measure_solids}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (asked(argc, argv, others[i].name))
            others[i].measure();
    dv_stop();
    return 0;
}
