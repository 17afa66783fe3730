/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fields that are written while a scene runs, one alone or several at once: the object then does what it does where a file says so, and
 * does not call its matrix or its unknowns the same when they have become others.
 */
#include "force_at.h"

#include <divan/contracts/mass.h>
#include <divan/contracts/projective_constraint.h>

enum { MOST_FIELDS = 5, MOST = 64 };

typedef struct Written {
    const char *scene; /* up to the attributes of "/field" */
    struct {
        const char *name, *before, *after; /* before NULL: not given */
    } fields[MOST_FIELDS];
    bool reinit; /* it takes them up when it is initialised again, as editors do */
} Written;

/* What the object does. */
typedef struct Deed {
    double force[MOST], product[MOST], mass[MOST], projected[2][MOST];
    uint64_t version, structure;
} Deed;

static void set_out(double *at, uint32_t numbers, double phase)
{
    for (uint32_t i = 0; i < numbers; i++)
        at[i] = sin(1.7 * i + phase);
}

static void look(Deed *deed, const DvScene *scene)
{
    memset(deed, 0, sizeof *deed);
    DvObject *object = scene_object(scene, "/field");
    void *self = dv_object_self(object);
    const DvStateRef state = scene_state(scene, "/dofs");
    const uint32_t points = dv_state_count(state), deriv = state.dof->deriv;
    const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    double d[MOST] = {0};
    assert_true(points * deriv <= MOST);
    set_out(d, points * deriv, 0.3);
    const DvMassOps *mass = dv_object_ops(object, DV_MASS);
    const DvProjectiveConstraintOps *constraint = dv_object_ops(object, DV_PROJECTIVE_CONSTRAINT);
    const DvForceFieldOps *field = constraint ? NULL : field_ops(object);
    if (field) {
        const DvConstVec at = dv_state_read(state, DV_POSITION), moving = dv_state_read(state, DV_VELOCITY),
                         x[2] = {at, at}, v[2] = {moving, moving}, dx[2] = {{d, points, deriv}, {d, points, deriv}};
        const DvVec f = {deed->force, points, deriv}, df = {deed->product, points, deriv};
        field->add_force(self, &step, x, v, (const DvVec[2]){f, f});
        if (field->add_dforce)
            field->add_dforce(self, &step, 0.7, 0.3, dx, (const DvVec[2]){df, df});
        deed->version = field->matrix_version ? field->matrix_version(self) : 0;
    }
    if (mass) {
        mass->add_mdx(self, 1.0, (DvConstVec){d, points, deriv}, (DvVec){deed->mass, points, deriv});
        deed->version = mass->matrix_version ? mass->matrix_version(self) : 0;
    }
    if (constraint) {
        const DvVec r = {deed->projected[0], points, deriv}, v = {deed->projected[1], points, deriv};
        memcpy(r.at, d, sizeof d);
        memcpy(v.at, d, sizeof d);
        constraint->project_response(self, &step, &r);
        if (constraint->project_velocity)
            constraint->project_velocity(self, &step, &v);
        deed->structure = constraint->structure(self, &step);
    }
}

static bool same(const double *a, const double *b)
{
    for (int i = 0; i < MOST; i++)
        if (!(fabs(a[i] - b[i]) <= 1e-12 * (1.0 + fabs(b[i]))))
            return false;
    return true;
}

static bool same_deeds(const Deed *a, const Deed *b)
{
    return same(a->force, b->force) && same(a->product, b->product) && same(a->mass, b->mass) &&
           same(a->projected[0], b->projected[0]) && same(a->projected[1], b->projected[1]);
}

static DvScene *scene_with(const Written *w, uint32_t mask)
{
    DvText text = {0};
    dv_text_add(&text, "%s", w->scene);
    for (int i = 0; i < MOST_FIELDS && w->fields[i].name; i++) {
        const char *value = mask >> i & 1 ? w->fields[i].after : w->fields[i].before;
        if (value)
            dv_text_add(&text, " %s='%s'", w->fields[i].name, value);
    }
    dv_text_add(&text, "/></Node>");
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    return scene;
}

static void written_fields_act_as_in_a_file(void **state)
{
    const Written *w = *state;
    int count = 0;
    while (count < MOST_FIELDS && w->fields[count].name)
        count++;
    for (uint32_t mask = 1; mask < 1u << count; mask++) {
        DvScene *scene = scene_with(w, 0), *loaded = scene_with(w, mask);
        static Deed before, after, expected;
        look(&before, scene);
        DvText names = {0};
        for (int i = 0; i < count; i++)
            if (mask >> i & 1) {
                dv_text_add(&names, " %s", w->fields[i].name);
                assert_int_equal(dv_data_set_text(dv_object_field(scene_object(scene, "/field"), w->fields[i].name),
                                                  w->fields[i].after),
                                 DV_OK);
            }
        if (w->reinit)
            assert_int_equal(dv_object_reinit(scene_object(scene, "/field")), DV_OK);
        look(&after, scene);
        look(&expected, loaded);
        if (!same_deeds(&after, &expected))
            fail_msg("%s: what was written into%s does not act as in a file", w->scene, names.at);
        if ((mask & (mask - 1)) == 0 && same_deeds(&after, &before))
            fail_msg("%s: what was written into%s does not act", w->scene, names.at);
        if ((!same(before.product, after.product) || !same(before.mass, after.mass)) && before.version != 0 &&
            before.version == after.version)
            fail_msg("%s:%s: another matrix has the same number", w->scene, names.at);
        if (!same(before.projected[0], after.projected[0]) && before.structure == after.structure)
            fail_msg("%s:%s: other unknowns are fixed, and called the same", w->scene, names.at);
        dv_text_free(&names);
        dv_scene_free(scene);
        dv_scene_free(loaded);
    }
}

#define POINTS                                                                                           \
    "<Node name='root' gravity='1 2 3'><MechanicalObject name='dofs' position='0 0 0 1 0 0 1 1 0 0 1 0 " \
    "2 0.1 1 2 1 1' velocity='1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9' rest_position='0 0 0.1 1.1 0 0 1 1.2 0 0 1 0.1 2 0 1 2 1.1 1'/>"
#define ON(family, lists)                                                                                           \
    "<Node name='root' gravity='1 2 3'><" family                                                                    \
    "SetTopologyContainer name='mesh' position='0 0 0 1 0 0 1 1 0 0 1 0 2 0 1 2 1 1' " lists                        \
    "/><MechanicalObject name='dofs' position='0 0 0 1 0 0 1 1 0 0 1 0 2 0.1 1 2 1 1' velocity='1 2 3 4 5 6 7 8 9 " \
    "1 2 3 4 5 6 7 8 9' rest_position='0 0 0 1 0 0 1 1 0 0 1 0 2 0 1 2 1 1'/>"
#define TRIANGLES ON("Triangle", "triangles='0 1 2 0 2 3 1 4 2 4 5 2'")
#define QUADS     ON("Quad", "quads='0 1 2 3 1 4 5 2'")
#define BODIES                                                                                                    \
    "<Node name='root' gravity='1 2 3'><MechanicalObject name='dofs' template='Rigid3d' position='1 2 3 0 0 0 1 " \
    " 0 1 0 0.5 0.5 0.5 0.5'/>"

#define TAKEN_UP(scene_, ...)                      \
    {                                              \
        .scene = scene_, .fields = { __VA_ARGS__ } \
    }
#define TAKEN_UP_AGAIN(scene_, ...)                              \
    {                                                            \
        .scene = scene_, .fields = {__VA_ARGS__}, .reinit = true \
    }

static const Written cases[] = {
    TAKEN_UP(POINTS "<RestShapeSpringsForceField name='field'", {"points", "0 1", "2 0"}, {"stiffness", "10", "20 30"},
             {"activeDirections", "1 1 1", "0 1 1"}),
    TAKEN_UP(
        "<Node><Node name='other'><MechanicalObject name='dofs' template='Rigid3d' position='0 0 0 0 0 0 1 1 1 1 0 0 0.6 0.8 2 0 0 0.6 0 0 "
        "0.8'/></Node><MechanicalObject name='dofs' template='Rigid3d' position='0 0.1 0 0 0 0 1  1 0 0 0.6 0 0 0.8'/>"
        "<RestShapeSpringsForceField name='field' external_rest_shape='@other/dofs'",
        {"points", "0 1", "1 0"}, {"external_points", "0 2", "1 2"}, {"stiffness", "10", "20"},
        {"angularStiffness", "5", "7"}),
    TAKEN_UP_AGAIN(POINTS "<RestShapeSpringsForceField name='field' recompute_indices='0'", {"points", "0 1", "2 0"},
                   {"stiffness", "10", "20 30"}, {"activeDirections", "1 1 1", "0 1 1"}),
    TAKEN_UP(POINTS "<SpringForceField name='field'", {"springsIndices1", "0 1", "0 2"},
             {"springsIndices2", "1 2", "3 4"}, {"lengths", "0.5 0.5", "0.7 3"}, {"stiffness", "10 20", "30 5"},
             {"damping", "1 2", "3 4"}),
    TAKEN_UP(POINTS "<SpringForceField name='field' springsIndices1='0 1' springsIndices2='1 2'",
             {"lengths", "5 0.5", "6 3"}, {"elongationOnly", "0 0", "1 0"}, {"enabled", "1 1", "1 0"},
             {"stiffness", "10 20", "30 5"}),
    TAKEN_UP(POINTS "<ConstantForceField name='field'", {"indices", "0 1", "2 3"}, {"forces", "1 2 3", "4 5 6"}),
    TAKEN_UP(POINTS "<ConstantForceField name='field'", {"indices", "0 1", "2 3 4"}, {"totalForce", "1 2 3", "4 5 6"}),
    TAKEN_UP(POINTS "<PlaneForceField name='field'", {"normal", "0 1 0", "0 0.6 0.8"}, {"d", "0.5", "1.5"},
             {"stiffness", "100", "200"}, {"damping", "3", "1"}, {"localRange", "0 3", "1 4"}),
    TAKEN_UP(QUADS "<QuadPressureForceField name='field' pressure='1 2 3' quadList=''", {"normal", "1 0 0", "0 0 1"},
             {"dmin", "0.5", "-0.5"}, {"dmax", "2.5", "1.5"}),
    TAKEN_UP(QUADS "<QuadPressureForceField name='field'", {"quadList", "0", "1"}, {"pressure", "1 2 3", "4 5 6"}),
    TAKEN_UP(TRIANGLES "<TrianglePressureForceField name='field'", {"triangleList", "0 1", "2 3"},
             {"pressure", "1 2 3", "4 5 6"}),
    TAKEN_UP(TRIANGLES "<EdgePressureForceField name='field' pressure='1 2 3'", {"edgeIndices", "0", "1"},
             {"edges", "0 1", "1 2"}, {"normal", "1 0 0", "0 0 1"}, {"dmin", "0.5", "-0.5"}, {"dmax", "1.5", "2.5"}),
    TAKEN_UP(TRIANGLES "<SurfacePressureForceField name='field'", {"triangleIndices", "0 1", "2 3"},
             {"pressure", "3", "5"}),
    TAKEN_UP(
        "<Node><MeshTopology position='0 0 0 1 0 0 1 1 0 0 1 0 2 0 1 2 1 1' triangles='0 1 2 0 2 3' quads='0 1 2 3 1 4 5 2'/>"
        "<MechanicalObject name='dofs'/><SurfacePressureForceField name='field' pressure='3'",
        {"triangleIndices", "0", "1"}, {"quadIndices", "1", "0"}),
    TAKEN_UP_AGAIN(ON("Tetrahedron", "tetrahedra='0 1 3 4 1 2 3 5'") "<TetrahedronFEMForceField name='field'",
                   {"youngModulus", "100", "200"}, {"poissonRatio", "0.3", "0.1"},
                   {"localStiffnessFactor", "1", "3 2"}),
    TAKEN_UP_AGAIN(
        ON("Tetrahedron", "tetrahedra='0 1 3 4 1 2 3 5'") "<TetrahedralCorotationalFEMForceField name='field'",
        {"youngModulus", "100", "200 50"}, {"poissonRatio", "0.3", "0.1"}, {"localStiffnessFactor", "1", "3 2"}),
    TAKEN_UP_AGAIN(TRIANGLES "<TriangleFEMForceField name='field'", {"youngModulus", "100", "200"},
                   {"poissonRatio", "0.3", "0.1"}),
    TAKEN_UP_AGAIN(TRIANGLES "<TriangularFEMForceField name='field'", {"youngModulus", "100", "200"},
                   {"poissonRatio", "0.3", "0.1"}),
    TAKEN_UP_AGAIN(QUADS "<QuadBendingSprings name='field'", {"stiffness", "10", "20"}, {"damping", "1", "3"}),
    TAKEN_UP(POINTS "<UniformMass name='field'", {"vertexMass", "1", "2"}, {"indices", "0 1 2", "3 4"}),
    TAKEN_UP(POINTS "<UniformMass name='field'", {"totalMass", "1", "2"}, {"indices", "0 1 2", "3 4"}),
    TAKEN_UP(BODIES "<UniformMass name='field' vertexMass='2 1 [3 0 0, 0 4 0, 0 0 5]'", {"turningInertia", "0", "1"}),
    TAKEN_UP(
        BODIES "<DiagonalMass name='field'",
        {"vertexMass", "2 1 3 0 0 0 4 0 0 0 5  1 1 1 0 0 0 1 0 0 0 2", "1 1 3 0 0 0 4 0 0 0 5  1 1 1 0 0 0 2 0 0 0 2"},
        {"turningInertia", "0", "1"}),
    TAKEN_UP(TRIANGLES "<DiagonalMass name='field'", {"massDensity", "3", "5"}),
    TAKEN_UP(TRIANGLES "<MeshMatrixMass name='field'", {"massDensity", "3", "5"}),
    TAKEN_UP(POINTS "<FixedProjectiveConstraint name='field'", {"indices", "0 1", "2 3"}, {"fixAll", "0", "1"}),
    TAKEN_UP(POINTS "<FixedProjectiveConstraint name='field' activate_projectVelocity='1'", {"indices", "0 1", "2 3"}),
    TAKEN_UP(POINTS "<PlaneProjectiveConstraint name='field'", {"indices", "0 1", "2 3"}, {"normal", "0 1 0", "1 0 0"}),
    TAKEN_UP(POINTS "<FixedPlaneProjectiveConstraint name='field'", {"indices", "0 1", "2 3"},
             {"direction", "0 1 0", "1 0 0"}),
};

int main(void)
{
    enum { CASES = sizeof cases / sizeof *cases };
    struct CMUnitTest tests[CASES];
    for (size_t i = 0; i < CASES; i++)
        tests[i] = (struct CMUnitTest){strrchr(cases[i].scene, '<'), written_fields_act_as_in_a_file, NULL, NULL,
                                       (void *)(uintptr_t)&cases[i]};
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
