/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What elements have in a frame, stress, strain and energy, and contacts.
 */
#include "capture.h"

#include <math.h>
#include <string.h>

#include <divan/contracts/collision.h>
#include <divan/contracts/force_field.h>
#include <divan/kit/element_stress.h>
#include <divan/memory.h>
#include <divan/scene.h>

/* ---- Elements ---- */

/* Where the elements of a kind begin in the order of files. */
static size_t first_of(const FrameCells *cells, DvElementKind kind)
{
    size_t first = 0;
    for (uint32_t o = 0; export_order[o] != kind; o++)
        first += cells->elements[export_order[o]].count;
    return first;
}

static double von_mises(const double s[6])
{
    const double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
    return sqrt(0.5 * (a * a + b * b + c * c) + 3.0 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

/* An array over all cells, not a number where the force field has no element. */
static double *new_array(FramePart *part, const char *field, const char *of, uint32_t components, size_t cells)
{
    DvText name = {0};
    dv_text_add(&name, "%s%s%s", of ? of : "", of ? "." : "", field);
    double *at = frame_add_array(part, dv_intern(name.at), components, true, cells);
    dv_text_free(&name);
    for (size_t i = 0; i < cells * components; i++)
        at[i] = NAN;
    return at;
}

static bool model_of(DvObject *object, const DvStateRef *state, const DvObject *mesh, DvElementStressModel *model)
{
    const DvElementStressOps *ops = dv_object_ops(object, DV_ELEMENT_STRESS);
    const DvForceFieldOps *force = ops ? dv_object_ops(object, DV_FORCE_FIELD) : NULL;
    DvObject *states[2] = {NULL, NULL};
    return force && force->states(dv_object_self(object), states) == 1 && states[0] == state->object &&
           ops->model(dv_object_self(object), model) && model->field->topology.object == mesh;
}

bool capture_has_stress(DvObject *object, const DvStateRef *state, const DvObject *mesh)
{
    DvElementStressModel model;
    return model_of(object, state, mesh, &model);
}

void capture_take_elements(DvObject *object, const DvStateRef *state, const DvObject *mesh, bool alone,
                           const bool wanted[ELEMENT_FIELDS], FramePart *part)
{
    DvElementStressModel model;
    if (!model_of(object, state, mesh, &model))
        return;
    const DvElementKind kind = dv_element_stress_kind(&model);
    const uint32_t count = part->cells->elements[kind].count;
    const size_t first = first_of(part->cells, kind);
    const char *of = alone ? NULL : dv_object_name(object);
    size_t cells = 0;
    for (uint32_t k = 0; k < DV_ELEMENT_KINDS; k++)
        cells += part->cells->elements[k].count;
    double(*stress)[6] = NULL, (*strain)[6] = NULL, *energy = NULL, *mises = NULL;
    if (wanted[ELEMENT_STRESS]) {
        stress = (double(*)[6])new_array(part, "stress", of, 6, cells) + first;
        mises = new_array(part, "vonMises", of, 1, cells) + first;
    }
    if (wanted[ELEMENT_STRAIN])
        strain = (double(*)[6])new_array(part, "strain", of, 6, cells) + first;
    if (wanted[ELEMENT_ENERGY])
        energy = new_array(part, "energy", of, 1, cells) + first;
    const DvConstVec x = dv_state_read(*state, DV_POSITION);
    if (!dv_element_stress_compute(&model, &x, count, stress, strain, energy))
        return;
    for (uint32_t e = 0; e < count && stress; e++)
        mises[e] = von_mises((const double *)stress[e]);
}

/* ---- Contacts ---- */

static FrameCells *cells_of_points(uint32_t count)
{
    DvElements elements[DV_ELEMENT_KINDS] = {{0}};
    uint32_t *single = dv_alloc(count, sizeof *single);
    for (uint32_t i = 0; i < count; i++)
        single[i] = i;
    elements[DV_POINTS] = (DvElements){single, count};
    FrameCells *cells = frame_cells_new(elements, 0);
    dv_free(single);
    return cells;
}

void capture_take_contacts(DvObject *pipeline, const char *name, const char *file, uint32_t *meshes, Frame *frame)
{
    const DvCollisionPipelineOps *ops = dv_object_ops(pipeline, DV_COLLISION_PIPELINE);
    void *self = dv_object_self(pipeline);
    const DvContactList *list = ops ? ops->contacts(self) : NULL;
    uint32_t count = 0, at = 0;
    for (uint32_t i = 0; list && i < list->pair_count; i++)
        count += list->pairs[i].count;
    FrameCells *cells = cells_of_points(count);
    cells->number = (*meshes)++;
    FramePart *part = frame_add_part(frame, name, file, cells, count);
    frame_cells_release(cells); /* the frame has it */
    double *points = frame_add_array(part, "points", 3, false, count),
           *force = frame_add_array(part, "force", 3, false, count),
           *normal = frame_add_array(part, "normal", 3, false, count),
           *gap = frame_add_array(part, "gap", 1, false, count);
    for (uint32_t i = 0; list && i < list->pair_count; i++)
        for (uint32_t k = 0; k < list->pairs[i].count; k++, at++) {
            const DvContact *contact = &list->pairs[i].contacts[k];
            memcpy(points + 3 * (size_t)at, contact->point[1], sizeof contact->point[1]);
            memcpy(normal + 3 * (size_t)at, contact->normal, sizeof contact->normal);
            gap[at] = contact->gap;
            ops->force(self, i, k, force + 3 * (size_t)at);
        }
}
