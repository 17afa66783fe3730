/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <divan/kit/element_load.h>

static DvStatus select_elements(DvElementLoad *load)
{
    load->version = load->kind->version(load);
    const DvStatus status = dv_element_set_start(&load->set, load->topology.object, load->kind->elements);
    return status == DV_OK ? load->kind->select(load) : status;
}

static void tell_sizes(DvElementLoad *load)
{
    if (!load->info.field)
        return;
    double *info = dv_data_begin_all(&load->info, load->set.count);
    for (uint32_t i = 0; i < load->set.count; i++)
        info[i] = load->set.at[i].size;
    dv_data_end(&load->info);
}

DvStatus dv_element_load_init(DvObject *object, DvElementLoad *load, const DvElementLoadKind *kind)
{
    DvConstVec rest;
    load->kind = kind;
    DvStatus status = dv_single_state_init(object, &load->base);
    if (status == DV_OK)
        status = dv_topology_require(object, &load->topology_link, kind->need, &load->topology);
    if (status == DV_OK)
        status = dv_state_at_rest(object, load->base.state, &rest);
    if (status == DV_OK)
        status = dv_element_set_keep_in(&load->set, &load->kept, &load->pressure);
    if (status == DV_OK)
        status = select_elements(load);
    if (status != DV_OK) {
        dv_single_state_release(&load->base);
        return status;
    }
    dv_element_set_measure(&load->set, &load->topology, &rest);
    tell_sizes(load);
    return DV_OK;
}

uint64_t dv_element_load_list_version(DvData *list)
{
    return dv_data_parent(list) ? 0 : dv_data_version(list);
}

bool dv_element_load_update(DvElementLoad *load)
{
    const bool anew = load->set.anew || load->version != load->kind->version(load);
    if (anew && select_elements(load) != DV_OK)
        return false;
    const DvConstVec rest = dv_state_read(load->base.state, DV_REST_POSITION);
    dv_element_set_measure(&load->set, &load->topology, &rest);
    if (anew)
        tell_sizes(load);
    return true;
}

void dv_element_load_add(const DvElementLoad *load, uint32_t i, DvVec3 force, const DvVec *f)
{
    const uint32_t nodes = dv_element_nodes(load->set.kind);
    const uint32_t *point =
        dv_topology_elements(&load->topology, load->set.kind).at + (size_t)nodes * load->set.at[i].element;
    for (uint32_t n = 0; n < nodes; n++) {
        double *at = f->at + 3 * (size_t)point[n];
        if (point[n] < f->count)
            dv_vec3_store(dv_vec3_add(dv_vec3_load(at), force), at);
    }
}

DvStatus dv_element_load_keep(DvObject *object, void *self)
{
    DvElementLoad *load = self;
    if (dv_object_is_valid(object) && load->set.kept)
        dv_element_set_keep(&load->set);
    return DV_OK;
}

DvStatus dv_element_load_restore(DvObject *object, void *self)
{
    (void)object;
    DvElementLoad *load = self;
    const bool chosen = !load->set.anew || load->kept.count > 0;
    return chosen || dv_element_load_update(load) ? DV_OK : DV_ERROR_INVALID;
}

void dv_element_load_cleanup(DvObject *object, void *self)
{
    (void)object;
    DvElementLoad *load = self;
    dv_element_set_leave(&load->set);
    dv_single_state_release(&load->base);
    dv_topology_release(&load->topology);
}

void dv_element_load_destroy(DvObject *object, void *self)
{
    (void)object;
    dv_element_set_free(&((DvElementLoad *)self)->set);
}

static void draw(void *self, DvDraw *target)
{
    DvElementLoad *load = self;
    if (!dv_draw_shows(target, DV_DISPLAY_FORCE_FIELDS) || !load->base.state.ops || !load->show_forces.field ||
        !dv_data_bool(&load->show_forces))
        return;
    const DvConstVec x = dv_state_read(load->base.state, DV_POSITION);
    dv_element_set_draw(&load->set, &load->topology, target, &x);
}

const DvDrawableOps dv_element_load_drawable = {.size = sizeof(DvDrawableOps), .draw = draw};
