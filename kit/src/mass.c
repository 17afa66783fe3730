/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The common part of masses; see divan/kit/mass.h.
 */
#include <divan/kit/mass.h>

#include <string.h>

#include <divan/kit/array.h>
#include <divan/math/mat.h>
#include <divan/math/quat.h>
#include <divan/memory.h>

/* ---- Text ---- */

/* Numbers with blanks, commas and brackets between them. */
static DvStatus parse_mass(const DvType *type, const char *text, void **elements, size_t *count, DvText *problem)
{
    (void)type;
    DvRealArray numbers = {0};
    bool in_brackets = false; /* commas stand between the rows of a matrix, and nowhere else: "0,5" is no two masses */
    for (;;) {
        for (; *text && strchr(in_brackets ? " \t\r\n,[]" : " \t\r\n[]", *text); text++)
            in_brackets = *text == '[' || (in_brackets && *text != ']');
        double number;
        const char *end = text;
        if (!*text || !dv_read_double(&end, &number))
            break;
        dv_array_push(&numbers, number);
        text = end;
        if (*text && !strchr(" \t\r\n,[]", *text)) /* "1.2.3", "4-2", "0.5kg" */
            break;
    }
    *elements = numbers.data;
    *count = numbers.count;
    if (!*text)
        return DV_OK;
    dv_text_add(problem, "\"%.20s\" is not a number; masses are numbers, or for bodies: mass volume inertia", text);
    return DV_ERROR_INVALID;
}

const DvType dv_mass_type = {
    .size = sizeof(DvType),
    .name = "mass",
    .scalar = DV_SCALAR_DOUBLE,
    .components = 1,
    .list = true,
    .element_size = sizeof(double),
    .parse = parse_mass,
};

/* ---- One body ---- */

uint32_t dv_body_mass_numbers(const DvDofType *dof)
{
    return dof == &dv_rigid3d ? 11 : dof == &dv_rigid2d ? 3 : 1;
}

/* Inertia from its part per unit of mass. */
static void update_inertia(const DvDofType *dof, DvBodyMass *body)
{
    if (dof == &dv_rigid3d) {
        DvMat3 inverse = dv_mat3_identity();
        for (size_t i = 0; i < 9; i++)
            body->inertia_mass[i] = body->inertia[i] * body->mass;
        (void)dv_mat3_inverse(dv_mat3_load(body->inertia_mass), &inverse);
        dv_mat3_store(inverse, body->inverse_inertia);
    } else {
        body->inertia_mass[0] = body->inertia[0] * body->mass;
        body->inverse_inertia[0] = 1.0 / body->inertia_mass[0];
    }
}

DvBodyMass dv_body_mass_from_numbers(const DvDofType *dof, const double *numbers, size_t count)
{
    DvBodyMass body = {.mass = count > 0 ? numbers[0] : 1.0};
    if (!dof->rotation)
        return body;
    const size_t inertia = dof == &dv_rigid3d ? 9 : 1;
    for (size_t i = 0; i < inertia; i++)
        body.inertia[i] = 2 + i < count ? numbers[2 + i] : i % 4 == 0 ? 1.0 : 0.0;
    update_inertia(dof, &body);
    return body;
}

void dv_body_mass_to_numbers(const DvDofType *dof, const DvBodyMass *body, double *numbers)
{
    numbers[0] = body->mass;
    if (!dof->rotation)
        return;
    numbers[1] = 1.0;
    memcpy(numbers + 2, body->inertia, (dv_body_mass_numbers(dof) - 2) * sizeof *numbers);
}

void dv_body_mass_set(const DvDofType *dof, DvBodyMass *body, double mass)
{
    body->mass = mass;
    if (dof->rotation)
        update_inertia(dof, body);
}

void dv_body_mass_add_product(const DvDofType *dof, const DvBodyMass *body, double factor, const double *dx,
                              double *res)
{
    const double mass = body->mass * factor;
    if (dof == &dv_rigid3d) {
        for (size_t c = 0; c < 3; c++)
            res[c] += dx[c] * mass;
        const DvVec3 angular = dv_mat3_mul_vec(dv_mat3_load(body->inertia_mass), dv_vec3_load(dx + 3));
        dv_vec3_accumulate(dv_vec3_scale(angular, factor), res + 3);
    } else if (dof == &dv_rigid2d) {
        res[0] += dx[0] * mass;
        res[1] += dx[1] * mass;
        res[2] += dx[2] * body->inertia_mass[0] * factor;
    } else {
        for (uint32_t c = 0; c < dof->deriv; c++)
            res[c] += dx[c] * mass;
    }
}

void dv_body_mass_divide(const DvDofType *dof, const DvBodyMass *body, const double *f, double *a)
{
    if (dof == &dv_rigid3d) {
        for (size_t c = 0; c < 3; c++)
            a[c] = f[c] / body->mass;
        dv_vec3_store(dv_mat3_mul_vec(dv_mat3_load(body->inverse_inertia), dv_vec3_load(f + 3)), a + 3);
    } else if (dof == &dv_rigid2d) {
        a[0] = f[0] / body->mass;
        a[1] = f[1] / body->mass;
        a[2] = f[2] * body->inverse_inertia[0];
    } else {
        for (uint32_t c = 0; c < dof->deriv; c++)
            a[c] = f[c] / body->mass;
    }
}

double dv_body_mass_kinetic_energy(const DvDofType *dof, const DvBodyMass *body, const double *v)
{
    double product[6] = {0}, twice = 0.0;
    dv_body_mass_add_product(dof, body, 1.0, v, product);
    for (uint32_t c = 0; c < dof->deriv; c++)
        twice += v[c] * product[c];
    return twice;
}

void dv_body_mass_add_momentum(const DvDofType *dof, const DvBodyMass *body, const double *x, const double *v,
                               double momentum[6])
{
    if (dof->spatial != 3)
        return;
    double product[6] = {0};
    dv_body_mass_add_product(dof, body, 1.0, v, product);
    const DvVec3 linear = dv_vec3_load(product);
    dv_vec3_accumulate(linear, momentum);
    dv_vec3_accumulate(dv_vec3_cross(dv_vec3_load(x), linear), momentum + 3);
    if (dof == &dv_rigid3d)
        dv_vec3_accumulate(dv_vec3_load(product + 3), momentum + 3);
}

void dv_body_mass_matrix(const DvDofType *dof, const DvBodyMass *body, double *dense)
{
    const uint32_t n = dof->deriv;
    memset(dense, 0, (size_t)n * n * sizeof *dense);
    const uint32_t linear = dof->rotation ? dof->spatial : n;
    for (uint32_t c = 0; c < linear; c++)
        dense[c * n + c] = body->mass;
    if (dof == &dv_rigid2d)
        dense[8] = body->inertia_mass[0];
    for (uint32_t i = 0; dof == &dv_rigid3d && i < 3; i++)
        for (uint32_t j = 0; j < 3; j++)
            dense[(3 + i) * n + 3 + j] = body->inertia_mass[3 * i + j];
}

/* ---- State and gravity ---- */

/* The first point to which both give a mass, or UINT32_MAX. */
static uint32_t first_shared_point(DvStateRef state, DvObject *const masses[2])
{
    const uint32_t points = dv_state_count(state), dim = state.dof->deriv;
    const size_t numbers = (size_t)points * dim;
    double *unit = dv_alloc(numbers, sizeof *unit), *product[2];
    for (size_t i = 0; i < numbers; i++)
        unit[i] = 1.0;
    for (int k = 0; k < 2; k++) {
        const DvMassOps *ops = dv_object_ops(masses[k], DV_MASS);
        product[k] = dv_alloc(numbers, sizeof *product[k]);
        ops->add_mdx(dv_object_self(masses[k]), 1.0, (DvConstVec){unit, points, dim}, (DvVec){product[k], points, dim});
    }
    uint32_t shared = UINT32_MAX;
    for (uint32_t i = 0; i < points && shared == UINT32_MAX; i++)
        if (product[0][(size_t)i * dim] != 0.0 && product[1][(size_t)i * dim] != 0.0)
            shared = i;
    dv_free(unit), dv_free(product[0]), dv_free(product[1]);
    return shared;
}

static DvStatus meet(DvObject *object, DvMass *base, DvObject *other)
{
    const DvMassOps *ops = dv_object_ops(other, DV_MASS);
    void *self = dv_object_self(other);
    if (other == object || ops->space != DV_HOST || ops->state(self) != base->state.object)
        return DV_OK;
    const char *class = dv_object_class(other)->name, *name = dv_object_name(other);
    if (ops->separate_gravity(self) != dv_data_bool(&base->separate_gravity))
        return dv_field_error(
            &base->separate_gravity, -1,
            "is not that of %s '%s', and gravity acts on all points of their state; set it in both or in "
            "none",
            class, name);
    const uint32_t point = first_shared_point(base->state, (DvObject *const[]){object, other});
    if (point == UINT32_MAX)
        return DV_OK;
    DvData *other_turns = dv_object_field(other, "turningInertia");
    if (base->state.dof == &dv_rigid3d && (dv_mass_turns(base) || (other_turns && dv_data_bool(other_turns))))
        return dv_error(object, DV_ERROR_INVALID,
                        "point %u has a mass of %s '%s' too, and with turningInertia a body has one mass; join them",
                        point, class, name);
    dv_warning(
        object,
        "point %u has a mass of %s '%s' too, and both count; take one of them away, or give them different points "
        "by `indices`",
        point, class, name);
    return DV_OK;
}

DvStatus dv_mass_check_others(DvObject *object, DvMass *base)
{
    enum { MOST = 32 };
    DvObject *others[MOST];
    size_t count = dv_node_find_all(dv_object_node(object), DV_MASS, DV_SEARCH_LOCAL, others, MOST);
    DvStatus status = DV_OK;
    for (size_t i = 0; i < count && i < MOST && status == DV_OK; i++)
        status = meet(object, base, others[i]);
    return status;
}

void dv_mass_gravity(const DvMass *base, double gravity[6])
{
    const DvNode *node = dv_object_node(dv_object_of(base));
    memset(gravity, 0, 6 * sizeof *gravity);
    if (node)
        memcpy(gravity, dv_node_gravity(node), base->state.dof->spatial * sizeof *gravity);
}

bool dv_mass_turns(DvMass *base)
{
    return base->state.dof == &dv_rigid3d && dv_data_bool(&base->turning_inertia);
}

DvObject *dv_mass_state(void *self)
{
    return ((DvMass *)self)->state.object;
}

uint32_t dv_mass_states(void *self, DvObject *states[2])
{
    states[0] = dv_mass_state(self);
    return states[0] ? 1 : 0;
}

bool dv_mass_separate_gravity(void *self)
{
    return dv_data_bool(&((DvMass *)self)->separate_gravity);
}

bool dv_mass_yes(void *self)
{
    (void)self;
    return true;
}

void dv_mass_add_gravity_to_velocity(void *self, double dt, DvVec v)
{
    double gravity[6];
    dv_mass_gravity(self, gravity);
    for (uint32_t i = 0; i < v.count; i++)
        for (uint32_t c = 0; c < v.dim; c++)
            v.at[(size_t)i * v.dim + c] += gravity[c] * dt;
}

/* ---- Drawing ---- */

void dv_mass_draw(DvMass *base, DvDraw *draw, double (*point_mass)(void *self, uint32_t point))
{
    static const double yellow[4] = {1, 1, 0, 1};
    if (!base->state.ops || !dv_draw_shows(draw, DV_DISPLAY_BEHAVIOR_MODELS) ||
        !dv_data_bool(&base->show_gravity_center))
        return;
    const DvConstVec x = dv_state_read(base->state, DV_POSITION);
    double frame[7] = {0, 0, 0, 0, 0, 0, 1}, total = 0.0;
    for (uint32_t i = 0; i < x.count; i++) {
        const double mass = point_mass(base, i);
        total += mass;
        for (uint32_t c = 0; c < base->state.dof->spatial; c++)
            frame[c] += mass * x.at[(size_t)i * x.dim + c];
    }
    if (total == 0.0)
        return;
    for (size_t c = 0; c < 3; c++)
        frame[c] /= total;
    draw->ops->points(draw, frame, 1, 5.0, yellow);
    draw->ops->frames(draw, frame, 1, dv_data_double(&base->show_axis_size));
}
