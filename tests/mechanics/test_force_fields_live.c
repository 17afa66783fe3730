/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Force fields while things change: meshes that lose elements, saved runs, and what is drawn.
 */
#include "force_at.h"

#include <stdio.h>
#include <unistd.h>

#include <divan/contracts/topology.h>
#include <divan/scene.h>

#include "drawing.h"

#define POINTS "0 0 0  1 0 0  0 1 0  0 0 1  1 1 1  2 1 0.5"
#define MESH(family, elements)                                                                 \
    "<" family "SetTopologyContainer name='topo' position='" POINTS "' " elements "/><" family \
    "SetTopologyModifier name='modifier'/>"                                                    \
    "<MechanicalObject name='dofs' template='Vec3d'/>"

/* Positions, forces and the product with the stiffness of "/field", in the order of the points. */
static void evaluate(DvScene *scene, double *force, double *product)
{
    DvObject *field = scene_object(scene, "/field");
    const DvForceFieldOps *ops = field_ops(field);
    const DvStateRef dofs = scene_state(scene, "/dofs");
    const uint32_t count = dv_state_count(dofs);
    double *x = dv_state_write(dofs, DV_POSITION, DV_READ_WRITE).at;
    const double *rest = dv_state_read(dofs, DV_REST_POSITION).at;
    double v[64] = {0}, dx[64];
    for (uint32_t i = 0; i < 3 * count; i++) {
        x[i] = rest[i] + 0.05 * sin(3.0 * rest[i / 3 * 3] + 5.0 * rest[i / 3 * 3 + 1] + 7.0 * rest[i] + i % 3);
        dx[i] = cos(11.0 * rest[i / 3 * 3] + 2.0 * rest[i / 3 * 3 + 2] + i % 3);
    }
    memset(force, 0, 64 * sizeof *force);
    memset(product, 0, 64 * sizeof *product);
    const DvConstVec xs[2] = {{x, count, 3}, {x, count, 3}}, vs[2] = {{v, count, 3}, {v, count, 3}},
                     ds[2] = {{dx, count, 3}, {dx, count, 3}};
    const DvVec fs[2] = {{force, count, 3}, {force, count, 3}}, ks[2] = {{product, count, 3}, {product, count, 3}};
    const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    const uint64_t before = ops->structure(dv_object_self(field));
    ops->add_force(dv_object_self(field), &step, xs, vs, fs);
    assert_true(ops->structure(dv_object_self(field)) >= before);
    ops->add_dforce(dv_object_self(field), &step, 1.0, 0.0, ds, ks);
}

/* After removing element `gone`, the field of `whole` is that of `rest`. */
static void check_removal(DvElementKind kind, uint32_t gone, const char *whole, const char *rest)
{
    DvScene *cut = scene_from_text(whole), *fresh = scene_from_text(rest);
    double force[2][64], product[2][64];
    evaluate(cut, force[0], product[0]);
    DvObject *modifier = scene_object(cut, "/modifier");
    const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    assert_non_null(ops);
    assert_int_equal(ops->remove_elements(dv_object_self(modifier), kind, 1, &gone, false), DV_OK);
    evaluate(cut, force[0], product[0]);
    evaluate(fresh, force[1], product[1]);
    double size = 0.0;
    for (int i = 0; i < 18; i++) {
        assert_close(force[0][i], force[1][i], 1e-12);
        assert_close(product[0][i], product[1][i], 1e-11);
        size = fmax(size, fabs(force[1][i]));
    }
    assert_true(size > 0.1);
    dv_scene_free(cut);
    dv_scene_free(fresh);
}

static void removed_tetrahedra_pull_no_more(void **state)
{
    (void)state;
    /* The last one takes the number of the first, and keeps its own material. */
    check_removal(
        DV_TETRAHEDRA, 0,
        "<Node>" MESH(
            "Tetrahedron",
            "tetrahedra='0 1 2 3 1 2 3 4 1 4 3 5'") "<TetrahedronFEMForceField name='field' youngModulus='10 20 30' poissonRatio='0.3'/></Node>",
        "<Node>" MESH(
            "Tetrahedron",
            "tetrahedra='1 4 3 5 1 2 3 4'") "<TetrahedronFEMForceField name='field' youngModulus='30 20' poissonRatio='0.3'/></Node>");
    check_removal(
        DV_TETRAHEDRA, 0,
        "<Node>" MESH(
            "Tetrahedron",
            "tetrahedra='0 1 2 3 1 2 3 4 1 4 3 5'") "<TetrahedronFEMForceField name='field' youngModulus='10' poissonRatio='0.1 0.2 0.3' localStiffnessFactor='1 2 3'/></Node>",
        "<Node>" MESH(
            "Tetrahedron",
            "tetrahedra='1 4 3 5 1 2 3 4'") "<TetrahedronFEMForceField name='field' youngModulus='30 20' poissonRatio='0.3 0.2'/></Node>");
    check_removal(
        DV_TETRAHEDRA, 0,
        "<Node>" MESH(
            "Tetrahedron",
            "tetrahedra='0 1 2 3 1 2 3 4 1 4 3 5'") "<TetrahedralCorotationalFEMForceField name='field' youngModulus='10 20 30' poissonRatio='0.3'/></Node>",
        "<Node>" MESH(
            "Tetrahedron",
            "tetrahedra='1 4 3 5 1 2 3 4'") "<TetrahedralCorotationalFEMForceField name='field' youngModulus='30 20' poissonRatio='0.3'/></Node>");
}

static void removed_triangles_pull_no_more(void **state)
{
    (void)state;
    check_removal(
        DV_TRIANGLES, 0,
        "<Node>" MESH(
            "Triangle",
            "triangles='0 1 2 1 4 2 1 5 4'") "<TriangleFEMForceField name='field' youngModulus='10 20 30' poissonRatio='0.1 0.2 0.3'/></Node>",
        "<Node>" MESH(
            "Triangle",
            "triangles='1 5 4 1 4 2'") "<TriangleFEMForceField name='field' youngModulus='30 20' poissonRatio='0.3 0.2'/></Node>");
    check_removal(
        DV_TRIANGLES, 1,
        "<Node>" MESH(
            "Triangle",
            "triangles='0 1 2 1 4 2 1 5 4'") "<TriangleFEMForceField name='field' youngModulus='10' poissonRatio='0.3'/></Node>",
        "<Node>" MESH(
            "Triangle",
            "triangles='0 1 2 1 5 4'") "<TriangleFEMForceField name='field' youngModulus='10' poissonRatio='0.3'/></Node>");
}

static const DvTopologyModifierOps *modifier_of(DvScene *scene, void **self)
{
    DvObject *modifier = scene_object(scene, "/modifier");
    *self = dv_object_self(modifier);
    const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    assert_non_null(ops);
    return ops;
}

/* A tetrahedron that comes after another has gone takes the last number, but not the value that the field has under it. */
static void new_tetrahedra_take_no_value_of_others(void **state)
{
    (void)state;
    const uint32_t first = 0, again[4] = {0, 1, 2, 3}, start[2] = {0, 2}, ancestors[2] = {0, 1};
    const double weights[2] = {0.25, 0.75};
    const DvElementChange mixed = {
        .ancestors = ancestors, .weights = weights, .ancestor_start = start, .kind = DV_TETRAHEDRA};
    for (int with_ancestors = 0; with_ancestors < 2; with_ancestors++) {
        DvScene *cut = scene_from_text("<Node>" MESH(
            "Tetrahedron",
            "tetrahedra='0 1 2 3 1 2 3 4 1 4 3 5'") "<TetrahedronFEMForceField name='field' youngModulus='10 20 30' poissonRatio='0.3'/></Node>");
        DvScene *fresh = scene_from_text(
            with_ancestors
                ? "<Node>" MESH(
                      "Tetrahedron",
                      "tetrahedra='1 4 3 5 1 2 3 4 0 1 2 3'") "<TetrahedronFEMForceField name='field' youngModulus='30 20 22.5' poissonRatio='0.3'/></Node>"
                : "<Node>" MESH(
                      "Tetrahedron",
                      "tetrahedra='1 4 3 5 1 2 3 4 0 1 2 3'") "<TetrahedronFEMForceField name='field' youngModulus='30 20 10' poissonRatio='0.3'/></Node>");
        void *modifier;
        const DvTopologyModifierOps *ops = modifier_of(cut, &modifier);
        assert_int_equal(ops->remove_elements(modifier, DV_TETRAHEDRA, 1, &first, false), DV_OK);
        assert_int_equal(ops->add_elements(modifier, DV_TETRAHEDRA, 1, again, with_ancestors ? &mixed : NULL), DV_OK);
        double force[2][64], product[2][64];
        evaluate(cut, force[0], product[0]);
        evaluate(fresh, force[1], product[1]);
        for (int i = 0; i < 18; i++)
            assert_close(force[0][i], force[1][i], 1e-12);
        dv_scene_free(cut);
        dv_scene_free(fresh);
    }
}

/* A list of values that is emptied leaves none behind: the material is that of 5000 and 0.45, which the warning names. */
static void emptied_materials_are_the_default(void **state)
{
    (void)state;
    static const char *const classes[] = {"TetrahedronFEMForceField", "TetrahedralCorotationalFEMForceField"};
    for (int c = 0; c < 2; c++) {
        char text[800];
        snprintf(text, sizeof text,
                 "<Node>" MESH("Tetrahedron", "tetrahedra='0 1 2 3 1 2 3 4 1 4 3 5'") "<%s name='field' %s/></Node>",
                 classes[c], "youngModulus='700 70' poissonRatio='0.2 0.1'");
        DvScene *emptied = scene_from_text(text);
        snprintf(text, sizeof text,
                 "<Node>" MESH("Tetrahedron", "tetrahedra='0 1 2 3 1 2 3 4 1 4 3 5'") "<%s name='field' %s/></Node>",
                 classes[c], "youngModulus='5000' poissonRatio='0.45'");
        DvScene *fresh = scene_from_text(text);
        double force[2][64], product[2][64];
        evaluate(emptied, force[0], product[0]);
        DvObject *field = scene_object(emptied, "/field");
        dv_data_set(dv_object_field(field, "youngModulus"), NULL, 0);
        dv_data_set(dv_object_field(field, "poissonRatio"), NULL, 0);
        assert_int_equal(dv_object_reinit(field), DV_OK);
        evaluate(emptied, force[0], product[0]);
        evaluate(fresh, force[1], product[1]);
        for (int i = 0; i < 18; i++)
            assert_close(force[0][i], force[1][i], 1e-9);
        dv_scene_free(emptied);
        dv_scene_free(fresh);
    }
}

/* The strain that was left in an element stays in it when another goes. */
static void plastic_strain_stays_with_its_element(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node>" MESH(
        "Tetrahedron",
        "tetrahedra='0 1 2 3 1 2 3 4 1 4 3 5'") "<TetrahedronFEMForceField name='field' youngModulus='300' poissonRatio='0.3' plasticMaxThreshold='0.2' "
                                                "plasticYieldThreshold='0.001'/></Node>");
    double force[64], product[64], kept[18];
    size_t count;
    evaluate(scene, force, product);
    const double *strain = field_doubles(scene, "/field", "plasticStrain", &count);
    assert_int_equal(count, 18);
    memcpy(kept, strain, sizeof kept);
    assert_true(fabs(kept[0]) > 1e-6 && kept[12] != kept[0]);
    void *modifier;
    const DvTopologyModifierOps *ops = modifier_of(scene, &modifier);
    assert_int_equal(ops->remove_elements(modifier, DV_TETRAHEDRA, 1, &(uint32_t){0}, false), DV_OK);
    /* No more plastic flow: what is there must be what was there. */
    dv_data_set_double(dv_object_field(scene_object(scene, "/field"), "plasticYieldThreshold"), 1e9);
    evaluate(scene, force, product);
    strain = field_doubles(scene, "/field", "plasticStrain", &count);
    assert_int_equal(count, 12);
    assert_memory_equal(strain, kept + 12, 6 * sizeof *kept);
    assert_memory_equal(strain + 6, kept + 6, 6 * sizeof *kept);
    dv_scene_free(scene);
}

/* With the strain that flow has left, the force is still the derivative of the energy: exactly, where strain is linear. */
static void forces_of_plastic_elements_are_derivatives_of_their_energy(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node>" MESH(
        "Tetrahedron",
        "tetrahedra='0 1 2 3 1 2 3 4 1 4 3 5'") "<TetrahedronFEMForceField name='field' youngModulus='300' poissonRatio='0.3' method='small' "
                                                "plasticMaxThreshold='0.2' plasticYieldThreshold='0.001'/></Node>");
    double force[64], product[64];
    evaluate(scene, force, product);
    size_t count;
    const double *strain = field_doubles(scene, "/field", "plasticStrain", &count);
    assert_true(fabs(strain[0]) > 1e-6 && fabs(strain[6]) > 1e-6 && fabs(strain[12]) > 1e-6);
    dv_data_set_double(dv_object_field(scene_object(scene, "/field"), "plasticYieldThreshold"), 1e9);
    evaluate(scene, force, product);
    DvObject *field = scene_object(scene, "/field");
    const DvForceFieldOps *ops = field_ops(field);
    const DvStateRef dofs = scene_state(scene, "/dofs");
    const double *at = dv_state_read(dofs, DV_POSITION).at;
    const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    for (int i = 0; i < 18; i++) {
        double energy[2], x[18];
        for (int side = 0; side < 2; side++) {
            memcpy(x, at, sizeof x);
            x[i] += side ? 0.01 : -0.01;
            energy[side] = ops->energy(dv_object_self(field), &step, &(DvConstVec){x, 6, 3});
        }
        assert_close((energy[1] - energy[0]) / 0.02, -force[i], 1e-9);
    }
    dv_scene_free(scene);
}

/* Values by point: forces, stiffness. Point 0 goes with its triangle, point 5, or whichever is last, takes its number. */
static void values_of_points_stay_with_their_points(void **state)
{
    (void)state;
    static const char *const fields[][2] = {
        {"<ConstantForceField name='field' indices='5 0 2 2' forces='5 0 0 9 9 9 2 0 0 0 2 0'/>",
         "<ConstantForceField name='field' indices='0 2 2' forces='5 0 0 2 0 0 0 2 0'/>"},
        {"<ConstantForceField name='field' forces='9 9 9 1 0 0 2 0 0 3 0 0 4 0 0 5 0 0'/>",
         "<ConstantForceField name='field' forces='5 0 0 1 0 0 2 0 0 3 0 0 4 0 0'/>"},
        {"<RestShapeSpringsForceField name='field' points='4 0 5' stiffness='40 9 50'/>",
         "<RestShapeSpringsForceField name='field' points='4 0' stiffness='40 50'/>"},
        {"<RestShapeSpringsForceField name='field' stiffness='9 10 20 30 40 50'/>",
         "<RestShapeSpringsForceField name='field' stiffness='50 10 20 30 40'/>"},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        char text[2][2000];
        snprintf(
            text[0], sizeof text[0],
            "<Node><TriangleSetTopologyContainer name='topo' position='" POINTS
            "' triangles='0 1 2 1 4 2 1 5 4 1 3 5'/>"
            "<TriangleSetTopologyModifier name='modifier'/><MechanicalObject name='dofs' template='Vec3d'/>%s</Node>",
            fields[i][0]);
        snprintf(
            text[1], sizeof text[1],
            "<Node><MechanicalObject name='dofs' template='Vec3d' position='2 1 0.5  1 0 0  0 1 0  0 0 1  1 1 1'/>%s"
            "</Node>",
            fields[i][1]);
        DvScene *cut = scene_from_text(text[0]), *fresh = scene_from_text(text[1]);
        void *modifier;
        const DvTopologyModifierOps *ops = modifier_of(cut, &modifier);
        double force[2][64], product[2][64];
        evaluate(cut, force[0], product[0]);
        assert_int_equal(ops->remove_elements(modifier, DV_TRIANGLES, 1, &(uint32_t){0}, true), DV_OK);
        assert_int_equal(dv_state_count(scene_state(cut, "/dofs")), 5);
        evaluate(cut, force[0], product[0]);
        evaluate(fresh, force[1], product[1]);
        for (int c = 0; c < 15; c++) {
            assert_close(force[0][c], force[1][c], 1e-12);
            assert_close(product[0][c], product[1][c], 1e-12);
        }
        assert_true(fabs(force[1][0]) > 1e-3);
        dv_scene_free(cut);
        dv_scene_free(fresh);
    }
}

static void springs_of_removed_edges_pull_no_more(void **state)
{
    (void)state;
    check_removal(
        DV_EDGES, 0,
        "<Node>" MESH(
            "Edge",
            "edges='0 1 1 2 2 3 3 4 4 5'") "<SpringForceField name='field' spring='0 1 10 0 1.2 1 2 20 0 1 2 3 30 "
                                           "0 1 0 5 7 0 1'/></Node>",
        "<Node>" MESH(
            "Edge",
            "edges='4 5 1 2 2 3 3 4'") "<SpringForceField name='field' spring='1 2 20 0 1 2 3 30 0 1 0 5 7 0 1'/>"
                                       "</Node>");
}

static void plastic_strain_survives_saving(void **state)
{
    (void)state;
    char path[] = P_tmpdir "/divan-plastic-XXXXXX.scn";
    close(mkstemps(path, 4));
    const char *text =
        "<Node dt='0.01' gravity='0 -10 0'><DefaultAnimationLoop/><EulerImplicitSolver/><CGLinearSolver iterations='50' "
        "tolerance='1e-12' threshold='1e-12'/>" MESH(
            "Tetrahedron",
            "tetrahedra='0 1 2 3 1 2 3 4 1 4 3 5'") "<UniformMass totalMass='1'/><FixedProjectiveConstraint indices='0 2 3'/><TetrahedronFEMForceField name='field' "
                                                    "youngModulus='300' poissonRatio='0.3' plasticMaxThreshold='0.2' plasticYieldThreshold='0.001'/></Node>";
    DvScene *through = scene_from_text(text), *loaded = NULL;
    for (int i = 0; i < 5; i++)
        assert_int_equal(dv_scene_step(through, 0), DV_OK);
    assert_int_equal(dv_scene_save(through, path), DV_OK);
    assert_int_equal(dv_scene_load(path, NULL, &loaded), DV_OK);
    size_t count[2];
    const double *p = field_doubles(through, "/field", "plasticStrain", &count[0]);
    const double *q = field_doubles(loaded, "/field", "plasticStrain", &count[1]);
    assert_int_equal(count[0], 18);
    assert_int_equal(count[1], 18);
    assert_memory_equal(p, q, 18 * sizeof *p);
    assert_true(p[0] != 0.0);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(dv_scene_step(through, 0), DV_OK);
        assert_int_equal(dv_scene_step(loaded, 0), DV_OK);
    }
    assert_memory_equal(dv_state_read(scene_state(through, "/dofs"), DV_POSITION).at,
                        dv_state_read(scene_state(loaded, "/dofs"), DV_POSITION).at, 18 * sizeof(double));
    dv_scene_free(through);
    dv_scene_free(loaded);
    unlink(path);
}

/* A recorder that counts primitives. */
typedef struct Counter {
    uint32_t lines, triangles;
    double color[4]; /* the last */
    bool finite;
} Counter;

static void count_batch(void *context, const DrawnBatch *batch)
{
    Counter *counter = context;
    counter->lines += batch->kind == DRAWN_LINES ? batch->count : 0;
    counter->triangles += batch->kind == DRAWN_TRIANGLES ? batch->count : 0;
    for (size_t i = 0; i < batch->numbers; i++)
        counter->finite = counter->finite && isfinite(batch->points[i]);
    memcpy(counter->color, batch->colors + 4 * (batch->color_count - 1), sizeof counter->color);
}

static void each_field_draws_its_elements_when_asked(void **state)
{
    (void)state;
    const struct {
        const char *scene;
        uint32_t lines, triangles;
        double red; /* of the last colour */
    } cases[] = {
        {"<Node>" MESH("Tetrahedron",
                       "tetrahedra='0 1 2 3 1 2 3 4'") "<TetrahedronFEMForceField name='field' youngModulus='1' "
                                                       "poissonRatio='0' showVonMisesStressPerElement='1'/></Node>",
         0, 8, 0.5},
        {"<Node>" MESH(
             "Tetrahedron",
             "tetrahedra='0 1 2 3'") "<TetrahedralCorotationalFEMForceField name='field' drawColor4='0.25 0 0 1'/></Node>",
         0, 4, 0.25},
        {"<Node>" MESH(
             "Tetrahedron",
             "tetrahedra='0 1 2 3'") "<TetrahedralCorotationalFEMForceField name='field' drawing='0'/></Node>",
         0, 0, 0},
        {"<Node>" MESH("Triangle", "triangles='0 1 2 1 4 2'") "<TriangleFEMForceField name='field'/></Node>", 0, 2, 0},
        {"<Node><RegularGridTopology n='3 2 2' min='0 0 0' max='1 1 1'/><MechanicalObject template='Vec3d'/><HexahedronFEMForceField "
         "name='field'/></Node>",
         0, 24, 0},
        {"<Node><MechanicalObject template='Vec3d' position='0 0 0 1 0 0'/><SpringForceField name='field' spring='0 1 1 0 1'/></Node>",
         1, 0, 1},
        {"<Node><MechanicalObject template='Vec3d' position='0 0 0 1 0 0'/><RestShapeSpringsForceField name='field' drawSpring='1' "
         "springColor='0.75 0 0 1'/></Node>",
         2, 0, 0.75},
        {"<Node><MechanicalObject template='Vec3d' position='0 0 0 1 0 0'/><PlaneForceField name='field' showPlane='1' "
         "planeColor='0.125 0 0 1'/></Node>",
         0, 2, 0.125},
        {"<Node><MechanicalObject template='Vec3d' position='0 0 0 1 0 0'/><ConstantForceField name='field' forces='1 0 0' "
         "showArrowSize='1' showColor='0.5 0 0 1'/></Node>",
         2, 0, 0.5},
        {"<Node><MechanicalObject template='Rigid3d' position='0 0 0 0 0 0 1 1 0 0 0 0 0 1'/><JointSpringForceField name='field' "
         "spring='BEGIN_SPRING 0 1 END_SPRING'/></Node>",
         1, 0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        DvScene *scene = scene_from_text(cases[i].scene);
        DvObject *field = scene_object(scene, "/field");
        Counter r = {.finite = true};
        DrawRecorder recorder = draw_recorder(0, count_batch, &r);
        record_drawing_of(&recorder, field);
        assert_int_equal(r.lines + r.triangles, 0); /* nobody asked for force fields */
        recorder.draw.shown = 1u << DV_DISPLAY_FORCE_FIELDS | 1u << DV_DISPLAY_INTERACTION_FORCE_FIELDS;
        record_drawing_of(&recorder, field);
        assert_int_equal(r.lines, cases[i].lines);
        assert_int_equal(r.triangles, cases[i].triangles);
        assert_true(r.finite);
        assert_close(r.color[0], cases[i].red, 1e-12);
        dv_scene_free(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_tetrahedra_take_no_value_of_others),
        cmocka_unit_test(emptied_materials_are_the_default),
        cmocka_unit_test(plastic_strain_stays_with_its_element),
        cmocka_unit_test(forces_of_plastic_elements_are_derivatives_of_their_energy),
        cmocka_unit_test(values_of_points_stay_with_their_points),
        cmocka_unit_test(removed_tetrahedra_pull_no_more),
        cmocka_unit_test(removed_triangles_pull_no_more),
        cmocka_unit_test(springs_of_removed_edges_pull_no_more),
        cmocka_unit_test(plastic_strain_survives_saving),
        cmocka_unit_test(each_field_draws_its_elements_when_asked),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
