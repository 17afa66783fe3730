/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "graph_plugin.h"

#include <divan/element_data.h>
#include <divan/plugin.h>

static RecorderBehaviour behaviour;
static const RecorderOps recorder_ops = {sizeof recorder_ops, &behaviour};

static void handle_event(DvObject *object, void *self, DvEvent *event)
{
    (void)self;
    if (behaviour.on_event)
        behaviour.on_event(object, event);
}

static void cleanup(DvObject *object, void *self)
{
    (void)object, (void)self;
    behaviour.cleaned++;
}

static void destroy(DvObject *object, void *self)
{
    (void)object, (void)self;
    behaviour.destroyed++;
}

static const DvField recorder_fields[] = {
    DV_FIELD(Recorder, weight, "weight", dv_type_double, .init = "1", .help = "any number"),
    DV_LINK(Recorder, friend_link, "friend", TEST_RECORDER, .help = "another recorder"),
    {0},
};

static const DvClass recorder = {
    .size = sizeof(DvClass),
    .name = "Recorder",
    .help = "Records that it was called.",
    .instance_size = sizeof(Recorder),
    .fields = recorder_fields,
    .contracts = (const DvContract[]){{.id = TEST_RECORDER, .ops = &recorder_ops}, {0}},
    .handle_event = handle_event,
    .cleanup = cleanup,
    .destroy = destroy,
};

static const DvClass ghost = {
    .size = sizeof(DvClass),
    .name = "Ghost",
    .help = "A recorder that never stands for its node.",
    .instance_size = sizeof(Recorder),
    .fields = recorder_fields,
    .contracts = (const DvContract[]){{.id = TEST_RECORDER, .ops = &recorder_ops, .by_path_only = true},
                                      {.id = TEST_GHOST, .ops = &recorder_ops},
                                      {0}},
};

static void blow(void *self, DvNode *node)
{
    (void)self;
    static const double wind[3] = {1, 2, 3};
    dv_node_set_gravity(node, wind);
}

static const DvContextOps gust_ops = {sizeof gust_ops, blow};

static const DvClass gust = {
    .size = sizeof(DvClass),
    .name = "Gust",
    .help = "Sets the gravity of its node.",
    .instance_size = sizeof(int),
    .contracts = (const DvContract[]){{.id = DV_CONTEXT, .ops = &gust_ops}, {0}},
};

typedef struct Cloud {
    DvData points, edges;
    DvElementDataList attached;
} Cloud;

static const DvField cloud_fields[] = {
    DV_FIELD(Cloud, points, "points", dv_type_uint, .init = "0", .help = "how many points"),
    DV_FIELD(Cloud, edges, "edges", dv_type_uint, .init = "0", .help = "how many edges"),
    {0},
};

static uint32_t cloud_points(void *self)
{
    return dv_data_uint(&((Cloud *)self)->points);
}

static DvElements cloud_elements(void *self, DvElementKind kind)
{
    return (DvElements){.count = kind == DV_EDGES ? dv_data_uint(&((Cloud *)self)->edges) : 0};
}

static DvElementDataList *cloud_attached(void *self)
{
    return &((Cloud *)self)->attached;
}

static void cloud_destroy(DvObject *object, void *self)
{
    (void)object;
    dv_element_data_detach_all(cloud_attached(self));
}

static const double *cloud_positions(void *self)
{
    (void)self;
    return NULL;
}

static DvAdjacency cloud_adjacency(void *self, DvElementKind of, DvElementKind to)
{
    (void)self, (void)of, (void)to;
    return (DvAdjacency){0};
}

static uint64_t cloud_revision(void *self)
{
    (void)self;
    return 1;
}

static bool cloud_is_dynamic(void *self)
{
    (void)self;
    return true;
}

static const DvTopologyOps cloud_ops = {
    .size = sizeof cloud_ops,
    .point_count = cloud_points,
    .positions = cloud_positions,
    .elements = cloud_elements,
    .adjacency = cloud_adjacency,
    .revision = cloud_revision,
    .is_dynamic = cloud_is_dynamic,
    .attached = cloud_attached,
};

static const DvClass cloud = {
    .size = sizeof(DvClass),
    .name = "Cloud",
    .help = "A topology that only counts.",
    .instance_size = sizeof(Cloud),
    .fields = cloud_fields,
    .contracts = (const DvContract[]){{.id = DV_TOPOLOGY, .ops = &cloud_ops}, {0}},
    .destroy = cloud_destroy,
};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "test.graph",
    .version = "1",
    .license = "LGPL-2.1-or-later",
    .help = "Classes of the graph's tests.",
    .classes = (const DvClass *const[]){&recorder, &ghost, &gust, &cloud, NULL},
};
