/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * DiagonalMass: a mass of its own for each point.
 *
 *   given by density:  each element adds density x measure / number of its points to each of them
 *   given by a sum:    the same with density 1, then scaled to the sum
 *   given by points:   as it is; a list that is too short goes on with its last entry
 *
 * Rigid bodies need vertexMass or a file: elements give no inertia. When the topology changes, elements take their part of
 * the mass with them, and the points that they leave are summed up again from those that stay: after any number of changes masses are
 * those of a mesh that was so from the start. The field in use may also be changed while a scene runs.
 */
#include "diagonal_mass.h"
#include "mass_ops.h"

static const DvField fields[] = {
    DV_MASS_FIELDS(DiagonalMass),
    DV_MASS_TURNING_INERTIA_FIELD(DiagonalMass),
    MASS_EXTENTS(DiagonalMass),
    DV_FIELD(DiagonalMass, point_masses, "vertexMass", dv_mass_type, .unit = "kg", .flags = DV_FIELD_EMPTY_IS_DEFAULT,
             .help = "mass of each point; of bodies: mass volume inertia"),
    DV_FIELD(DiagonalMass, density, "massDensity", dv_type_double, .init = "1", .unit = "kg/m^3",
             .range = &dv_range_positive, .flags = DV_FIELD_EMPTY_IS_DEFAULT,
             .help = "mass per volume of the elements (or area, or length)"),
    DV_FIELD(DiagonalMass, total_mass, "totalMass", dv_type_double, .init = "1", .unit = "kg",
             .range = &dv_range_positive, .help = "sum of the masses; counts before massDensity and vertexMass"),
    DV_FIELD(DiagonalMass, unsummed, "unsummedPoints", dv_type_uints, .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN,
             .help = "points of an edit whose mass is still to be summed up from their elements"),
    DV_FIELD(DiagonalMass, compute_on_rest, "computeMassOnRest", dv_type_bool, .init = "1", .flags = DV_FIELD_AT_LOAD,
             .help = "measure the elements at the rest positions, not at the positions at the start"),
    DV_FIELD(DiagonalMass, file, "filename", dv_type_file, .aliases = (const char *const[]){"fileMass", NULL},
             .flags = DV_FIELD_AT_LOAD, .help = "file of type Xsp 3.0 with a mass for each point"),
    DV_LINK(DiagonalMass, topology_link, "topology", DV_TOPOLOGY,
            .help = "elements that the mass is spread over; by default those of the node"),
    DV_LINK(DiagonalMass, geometry_link, "geometryState", DV_STATE,
            .help = "state whose positions give the measures; by default that of the topology's node"),
    {0},
};

/* ---- Operations ---- */

/* Follows changes of the fields; at the start of each operation. */
static void update(DiagonalMass *self)
{
    if (self->edits.any)
        diagonal_mass_sum_up(self);
    const bool points = dv_data_version(&self->point_masses) != self->point_masses_version;
    const bool density = dv_data_version(&self->density) != self->density_version;
    const bool total = dv_data_version(&self->total_mass) != self->total_mass_version;
    if (!points && !density && !total)
        return;
    if (points) { /* as many as before, whatever was written */
        const size_t wanted = (size_t)self->count * dv_body_mass_numbers(self->base.state.dof);
        size_t numbers;
        (void)dv_data_doubles(&self->point_masses, &numbers);
        if (numbers != wanted) {
            (void)dv_data_begin(&self->point_masses, wanted);
            dv_data_end(&self->point_masses);
        }
        if (self->bodies)
            diagonal_mass_read_bodies(self);
        self->given = GIVEN_POINT_MASSES;
    } else if (self->mesh.topology.object) {
        self->given = total ? GIVEN_TOTAL_MASS : GIVEN_DENSITY;
    }
    diagonal_mass_complete(self);
}

static uint32_t shorter(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The mass of a point as a body, for what is the same for all kinds of points. */
static DvBodyMass body_at(const DiagonalMass *self, const double *mass, uint32_t point)
{
    return self->bodies ? self->bodies[point] : (DvBodyMass){.mass = mass[point]};
}

static DvBodyList body_list(const DiagonalMass *self, uint32_t points)
{
    return (DvBodyList){self->bodies, false, NULL, shorter(self->count, points)};
}

/* The bodies with their inertia in world axes; NULL of points. */
static const DvBodyMass *bodies_in_world(DiagonalMass *self)
{
    if (!self->bodies || !dv_mass_turns(&self->base))
        return self->bodies;
    const DvBodyList list = body_list(self, dv_state_count(self->base.state));
    if (self->turning.count != list.count)
        dv_turning_inertia_set(&self->turning, &list, dv_state_read(self->base.state, DV_POSITION));
    return self->turning.at;
}

/* The mass of a point that is at x. */
static DvBodyMass body_in_world(DiagonalMass *self, const double *mass, uint32_t point, const double *x)
{
    const DvBodyMass body = body_at(self, mass, point);
    return self->bodies && dv_mass_turns(&self->base) ? dv_turning_inertia_body(&body, x) : body;
}

static void add_force(void *self_, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    (void)step;
    DiagonalMass *self = self_;
    update(self);
    if (self->bodies && dv_mass_turns(&self->base)) {
        const DvBodyList list = body_list(self, f->count);
        dv_turning_inertia_set(&self->turning, &list, *x);
        dv_turning_inertia_add_torque(&self->turning, &list, *v, *f);
    }
    if (dv_data_bool(&self->base.separate_gravity))
        return;
    double gravity[6];
    dv_mass_gravity(&self->base, gravity);
    const double *mass = diagonal_mass_masses(self);
    const uint32_t linear = self->base.state.dof->spatial, n = shorter(self->count, f->count);
    for (uint32_t i = 0; i < n; i++) {
        const double m = self->bodies ? self->bodies[i].mass : mass[i];
        for (uint32_t c = 0; c < linear; c++)
            f->at[(size_t)i * f->dim + c] += gravity[c] * m;
    }
}

typedef struct Product {
    const double *mass, *dx;
    double factor, *res;
    uint32_t dim;
} Product;

static inline void multiply(const Product *p, uint32_t begin, uint32_t end, uint32_t dim)
{
    for (uint32_t i = begin; i < end; i++) {
        const double m = p->mass[i] * p->factor;
        for (uint32_t c = 0; c < dim; c++)
            p->res[(size_t)i * dim + c] += p->dx[(size_t)i * dim + c] * m;
    }
}

static void multiply_range(void *context, uint32_t begin, uint32_t end)
{
    const Product *p = context;
    if (p->dim == 3)
        multiply(p, begin, end, 3);
    else
        multiply(p, begin, end, p->dim);
}

static void add_mdx(void *self_, double factor, DvConstVec dx, DvVec res)
{
    DiagonalMass *self = self_;
    update(self);
    const uint32_t n = shorter(self->count, res.count), dim = res.dim;
    const DvBodyMass *bodies = bodies_in_world(self);
    for (uint32_t i = 0; bodies && i < n; i++)
        dv_body_mass_add_product(self->base.state.dof, &bodies[i], factor, dx.at + (size_t)i * dim,
                                 res.at + (size_t)i * dim);
    if (bodies)
        return;
    Product product = {.mass = diagonal_mass_masses(self), .dx = dx.at, .factor = factor, .res = res.at, .dim = dim};
    dv_parallel_for(n, 4096, multiply_range, &product);
}

static inline void divide(const Product *p, uint32_t begin, uint32_t end, uint32_t dim)
{
    for (uint32_t i = begin; i < end; i++) {
        const double m = p->mass[i];
        for (uint32_t c = 0; c < dim; c++)
            p->res[(size_t)i * dim + c] = p->dx[(size_t)i * dim + c] / m;
    }
}

static void divide_range(void *context, uint32_t begin, uint32_t end)
{
    const Product *p = context;
    if (p->dim == 3)
        divide(p, begin, end, 3);
    else
        divide(p, begin, end, p->dim);
}

static void acceleration(void *self_, DvConstVec f, DvVec a)
{
    DiagonalMass *self = self_;
    update(self);
    const DvBodyMass *bodies = bodies_in_world(self);
    const uint32_t n = shorter(self->count, a.count), dim = a.dim;
    for (uint32_t i = 0; bodies && i < n; i++)
        dv_body_mass_divide(self->base.state.dof, &bodies[i], f.at + (size_t)i * dim, a.at + (size_t)i * dim);
    if (bodies)
        return;
    Product quotient = {.mass = diagonal_mass_masses(self), .dx = f.at, .res = a.at, .dim = dim};
    dv_parallel_for(n, 4096, divide_range, &quotient);
}

static double kinetic_energy(void *self_, DvConstVec v)
{
    DiagonalMass *self = self_;
    update(self);
    const double *mass = diagonal_mass_masses(self);
    const DvConstVec x = dv_state_read(self->base.state, DV_POSITION);
    double twice = 0.0;
    for (uint32_t i = 0; i < shorter(self->count, v.count); i++) {
        const DvBodyMass body = body_in_world(self, mass, i, x.at + (size_t)i * x.dim);
        twice += dv_body_mass_kinetic_energy(self->base.state.dof, &body, v.at + (size_t)i * v.dim);
    }
    return 0.5 * twice;
}

static double potential_energy(void *self_, const DvStep *step, const DvConstVec *x)
{
    (void)step;
    DiagonalMass *self = self_;
    update(self);
    double gravity[6], energy = 0.0;
    dv_mass_gravity(&self->base, gravity);
    const double *mass = diagonal_mass_masses(self);
    for (uint32_t i = 0; i < shorter(self->count, x->count); i++) {
        const double m = self->bodies ? self->bodies[i].mass : mass[i];
        for (uint32_t c = 0; c < self->base.state.dof->spatial; c++)
            energy -= x->at[(size_t)i * x->dim + c] * m * gravity[c];
    }
    return energy;
}

static void momentum(void *self_, DvConstVec x, DvConstVec v, double sum[6])
{
    DiagonalMass *self = self_;
    update(self);
    const double *mass = diagonal_mass_masses(self);
    for (uint32_t i = 0; i < shorter(self->count, x.count); i++) {
        const DvBodyMass body = body_in_world(self, mass, i, x.at + (size_t)i * x.dim);
        dv_body_mass_add_momentum(self->base.state.dof, &body, x.at + (size_t)i * x.dim, v.at + (size_t)i * v.dim, sum);
    }
}

static double point_mass(void *self_, uint32_t point)
{
    DiagonalMass *self = self_;
    update(self);
    return point < self->count ? body_at(self, diagonal_mass_masses(self), point).mass : 0.0;
}

static void reserve(void *self_, DvPattern *pattern)
{
    DiagonalMass *self = self_;
    update(self);
    for (uint32_t i = 0; i < self->count; i++)
        dv_pattern_add(pattern, i, i);
}

static void assemble(void *self_, double factor, const DvMatrixView *view)
{
    DiagonalMass *self = self_;
    update(self);
    const double *mass = diagonal_mass_masses(self);
    const DvBodyMass *bodies = bodies_in_world(self);
    double dense[36];
    for (uint32_t i = 0; i < self->count; i++) {
        const DvBodyMass body = bodies ? bodies[i] : body_at(self, mass, i);
        dv_body_mass_matrix(self->base.state.dof, &body, dense);
        dv_view_add(view, i, dense, factor);
    }
}

static uint64_t structure(void *self)
{
    return ((DiagonalMass *)self)->structure;
}

static uint64_t matrix_version(void *self_)
{
    DiagonalMass *self = self_;
    update(self);
    return self->structure + dv_data_version(&self->point_masses) + dv_data_version(&self->base.turning_inertia) +
           self->turning.version;
}

static uint64_t masses_version(DiagonalMass *self)
{
    update(self);
    return self->structure + dv_data_version(&self->point_masses) + dv_data_version(&self->base.turning_inertia);
}

static uint64_t operator_version(void *self_)
{
    DiagonalMass *self = self_;
    return mass_operator_version(&self->base, masses_version(self));
}

static void describe_operator(void *self_, DvOperator *out)
{
    DiagonalMass *self = self_;
    const uint64_t version = masses_version(self);
    const uint32_t points = dv_state_count(self->base.state);
    mass_operator_begin(&self->operator, & self->base, points);
    for (uint32_t i = 0; i < shorter(self->count, points); i++)
        if (self->bodies)
            mass_operator_set_body(&self->operator, & self->base, i, &self->bodies[i]);
        else
            self->operator.mass[i] = self->operator.weight[i] = diagonal_mass_masses(self)[i];
    if (self->bodies)
        mass_operator_describe_bodies(&self->operator, & self->base, points, version, out);
    else
        mass_operator_describe(&self->operator, & self->base, points, version, out);
}

static const DvOperatorOps operator_ops = {
    .size = sizeof(DvOperatorOps), .version = operator_version, .describe = describe_operator};

static void implicit_turn(void *self_, double dt, double share, DvConstVec v, DvVec b)
{
    DiagonalMass *self = self_;
    update(self);
    if (!self->bodies || !dv_mass_turns(&self->base))
        return;
    (void)bodies_in_world(self);
    const DvBodyList list = body_list(self, b.count);
    dv_turning_inertia_step(&self->turning, &list, dt, share, v, b);
}

static const DvMassOps mass_ops = {
    MASS_OPS,
    .is_diagonal = dv_mass_yes,
    .acceleration = acceleration,
    .implicit_turn = implicit_turn,
};

static const DvForceFieldOps force_ops = {MASS_FORCE_OPS};

static void draw(void *self, DvDraw *draw)
{
    dv_mass_draw(self, draw, point_mass);
}

static const DvDrawableOps drawable_ops = {.size = sizeof(DvDrawableOps), .draw = draw};

/* ---- Lifecycle ---- */

/* Masses of an Xsp 3.0 file: "mass index kind x y z vx vy vz m elasticity", a particle a line. */
static DvStatus read_file(DiagonalMass *self)
{
    const char *name = dv_data_file(&self->file);
    FILE *in = name ? fopen(name, "r") : NULL;
    if (!in)
        return dv_field_error(&self->file, -1, "no file '%s' in the folder of the scene or in DIVAN_DATA_PATH%s",
                              dv_data_string(&self->file), dv_path_hint(dv_data_string(&self->file)));
    char line[512], word[32];
    double *mass = NULL;
    size_t count = 0;
    bool is_xsp = fgets(line, sizeof line, in) != NULL;
    const char *at = line;
    is_xsp = is_xsp && dv_read_word(&at, word, sizeof word) && strcmp(word, "Xsp") == 0;
    while (is_xsp && fgets(line, sizeof line, in)) {
        at = line;
        double numbers[8];
        int32_t index;
        if (!dv_read_word(&at, word, sizeof word) || strcmp(word, "mass") != 0)
            continue;
        size_t read = 0;
        if (dv_read_int(&at, &index) && dv_read_word(&at, word, sizeof word))
            while (read < 7 && dv_read_double(&at, &numbers[read]))
                read++;
        if (read < 7) {
            is_xsp = false;
            break;
        }
        mass = dv_realloc(mass, count * sizeof *mass, (count + 1) * sizeof *mass);
        mass[count++] = numbers[6];
    }
    (void)fclose(in);
    if (is_xsp && count)
        dv_data_set(&self->point_masses, mass, count);
    dv_free(mass);
    return is_xsp && count
               ? DV_OK
               : dv_field_error(&self->file, -1,
                                "file '%s' holds no masses of the form Xsp 3.0 (mass i kind x y z vx vy vz m e)", name);
}

/* Which of the fields counts; unusable ones give way to the sum. */
static void choose(DiagonalMass *self, bool by_file)
{
    const uint32_t stride = dv_body_mass_numbers(self->base.state.dof), points = dv_state_count(self->base.state);
    const bool total = dv_data_is_given(&self->total_mass), density = dv_data_is_given(&self->density);
    const bool each = dv_data_is_given(&self->point_masses);
    self->count = points;
    self->given = total ? GIVEN_TOTAL_MASS : density ? GIVEN_DENSITY : each ? GIVEN_POINT_MASSES : GIVEN_TOTAL_MASS;
    if (by_file || !self->mesh.topology.object)
        self->given = GIVEN_POINT_MASSES;
    else if (total + density + each > 1)
        dv_field_warning(total ? &self->total_mass : &self->density, -1,
                         "more than one of totalMass, massDensity and vertexMass is "
                         "given; %s is used",
                         total ? "totalMass" : "massDensity");
    if (self->given == GIVEN_POINT_MASSES) {
        size_t numbers;
        (void)dv_data_doubles(&self->point_masses, &numbers);
        const bool bad = numbers == 0 || numbers > (size_t)points * stride;
        if (bad && self->mesh.topology.object) {
            dv_field_warning(&self->point_masses, -1, "%zu mass%s for %u point%s; totalMass is used", numbers / stride,
                             numbers / stride == 1 ? "" : "es", points, points == 1 ? "" : "s");
            self->given = GIVEN_TOTAL_MASS;
            return;
        }
        mass_check_each(&self->point_masses, self->base.state.dof, points);
        if (numbers < (size_t)points * stride && numbers >= stride) {
            double *all = dv_data_begin(&self->point_masses, (size_t)points * stride);
            const size_t last = numbers - numbers % stride - stride;
            for (size_t i = last + stride; i < (size_t)points * stride; i++)
                all[i] = all[last + (i - last) % stride];
            dv_data_end(&self->point_masses);
        }
    }
}

static DvStatus attach(DiagonalMass *self)
{
    self->point_data = (DvElementData){.kind = DV_POINTS,
                                       .entry_size = 1,
                                       .owner = self,
                                       .changed = diagonal_mass_points_changed,
                                       .replaced = diagonal_mass_points_replaced};
    self->element_data = (DvElementData){.kind = self->mesh.kind,
                                         .entry_size = sizeof(double),
                                         .owner = self,
                                         .added = diagonal_mass_elements_added,
                                         .removed = diagonal_mass_element_removed,
                                         .changed = diagonal_mass_elements_changed,
                                         .replaced = diagonal_mass_elements_replaced};
    /* Edits first: when a mesh is replaced, the masses, which come last, have seen to all of it. */
    DvStatus status = dv_mesh_edits_attach(&self->edits, self->mesh.topology.object, self->mesh.kind);
    if (status == DV_OK)
        status = dv_element_data_attach(&self->point_data, self->mesh.topology.object);
    return status == DV_OK ? dv_element_data_attach(&self->element_data, self->mesh.topology.object) : status;
}

/* Bodies of which vertexMass has no inertia. */
static void note_default_inertia(DiagonalMass *self)
{
    double box[9];
    size_t numbers;
    (void)dv_data_doubles(&self->point_masses, &numbers);
    const uint32_t stride = dv_body_mass_numbers(self->base.state.dof);
    uint32_t without = 0;
    for (uint32_t i = 0; i < self->count; i++)
        without += (size_t)i * stride + 2 >= numbers;
    self->no_inertia = without;
    if (!mass_box_inertia(&self->base, box))
        return;
    self->no_inertia = 0;
    if (without == 0)
        dv_field_warning(&self->base.extents, -1, "has no effect: an inertia is given by vertexMass");
}

static uint32_t without_inertia(void *self_, double *mass)
{
    DiagonalMass *self = self_;
    *mass = self->no_inertia ? self->bodies[self->count - 1].mass : 0.0;
    return self->no_inertia;
}

static const DefaultInertiaOps default_inertia_ops = {.size = sizeof default_inertia_ops, .bodies = without_inertia};

static DvStatus init(DvObject *object, void *self_)
{
    DiagonalMass *self = self_;
    DvStatus status = dv_state_require(object, &self->base.mstate, &self->base.state);
    if (status != DV_OK)
        return status;
    const bool by_file = dv_data_is_set(&self->file) && *dv_data_string(&self->file);
    const bool rigid = self->base.state.dof->rotation;
    if (by_file)
        status = read_file(self);
    else if (rigid && !dv_data_is_given(&self->point_masses))
        status = dv_error(object, DV_ERROR_MISSING,
                          "the masses of rigid bodies do not follow from elements: set vertexMass");
    else if (!rigid)
        status = mass_mesh_find(object, &self->topology_link, &self->geometry_link, self->base.state, &self->mesh);
    if (status != DV_OK) {
        dv_state_release(&self->base.state);
        return status;
    }
    choose(self, by_file);
    if (self->given == GIVEN_POINT_MASSES)
        status = mass_check_numbers(&self->point_masses, self->base.state.dof, true);
    if (status == DV_OK)
        status = mass_check_extents(&self->base);
    if (status != DV_OK)
        return status;
    if (rigid) {
        diagonal_mass_read_bodies(self);
        note_default_inertia(self);
    }
    if (self->mesh.topology.object && mass_mesh_is_dynamic(&self->mesh)) {
        status = attach(self);
        if (status != DV_OK)
            return status;
    }
    diagonal_mass_complete(self);
    if (!rigid && self->given != GIVEN_POINT_MASSES)
        mass_mesh_say_faults(object, &self->mesh, self->base.state);
    return dv_mass_check_others(object, &self->base);
}

/* Should it be initialised again, what followed from the other fields is not taken for given. */
static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    DiagonalMass *self = self_;
    if (self->given != GIVEN_TOTAL_MASS && dv_data_version(&self->total_mass) == self->total_mass_version)
        dv_data_set_derived(&self->total_mass);
    if (self->given != GIVEN_DENSITY && dv_data_version(&self->density) == self->density_version)
        dv_data_set_derived(&self->density);
    if (self->given != GIVEN_POINT_MASSES && dv_data_version(&self->point_masses) == self->point_masses_version)
        dv_data_set_derived(&self->point_masses);
    dv_element_data_detach(&self->element_data);
    dv_element_data_detach(&self->point_data);
    dv_mesh_edits_detach(&self->edits);
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    DiagonalMass *self = self_;
    mass_mesh_forget(&self->mesh);
    dv_state_release(&self->base.state);
    dv_start_values_free(&self->first_masses);
    dv_start_values_free(&self->first_total);
    dv_start_values_free(&self->first_density);
    dv_turning_inertia_free(&self->turning);
    mass_operator_free(&self->operator);
    dv_free(self->bodies);
}

const DvClass dv_diagonal_mass = {
    .size = sizeof(DvClass),
    .name = "DiagonalMass",
    .variants = "Rigid2d Rigid3d Vec1d Vec2d Vec3d",
    DV_MASS_CLASS,
    .module = "Sofa.Component.Mass",
    .help = "A mass for each point, given, or from the elements around it.",
    .instance_size = sizeof(DiagonalMass),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_MASS, .ops = &mass_ops},
                                      {.id = DV_FORCE_FIELD, .ops = &force_ops},
                                      {.id = DV_OPERATOR, .ops = &operator_ops},
                                      {.id = DEFAULT_INERTIA, .ops = &default_inertia_ops},
                                      {.id = DV_DRAWABLE, .ops = &drawable_ops},
                                      {0}},
    .init = init,
    .store_reset_state = diagonal_mass_store_reset_state,
    .cleanup = cleanup,
    .destroy = destroy,
};
