/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * DefaultVisualManagerLoop: brings visual models up to date when somebody looks; CompositingVisualLoop: the same:
 * passes are a matter of the picture, which has them with any loop.
 *
 * Mappings that feed nothing but visual models take no part in a step. Here they are applied, parents first, and then the models
 * below the target node compute what follows from their points.
 */
#include <divan/contracts/mapping.h>
#include <divan/contracts/visual.h>
#include <divan/memory.h>
#include <divan/visitor.h>

typedef struct DefaultVisualManagerLoop {
    DvData enable; /* files: of a compositing loop */
    DvLink target_node;
} DefaultVisualManagerLoop;

static void apply(DvObject *object, const DvMappingOps *ops)
{
    void *self = dv_object_self(object);
    const uint32_t inputs = ops->inputs(self, NULL, 0), outputs = ops->outputs(self, NULL, 0);
    const DvStepMark mark = dv_step_mark();
    DvObject **states = dv_step_alloc(inputs + outputs, sizeof *states);
    DvConstVec *in = dv_step_alloc(inputs, sizeof *in);
    DvVec *out = dv_step_alloc(outputs, sizeof *out);
    ops->inputs(self, states, inputs);
    ops->outputs(self, states + inputs, outputs);
    for (uint32_t i = 0; i < inputs; i++)
        in[i] = dv_state_read(dv_state_ref(states[i]), DV_POSITION);
    for (uint32_t i = 0; i < outputs; i++) {
        const DvStateRef s = dv_state_ref(states[inputs + i]);
        const uint32_t points = dv_mapping_output_points(ops, self, i);
        if (points > dv_state_count(s)) {
            (void)dv_error(object, DV_ERROR_INVALID, "computes %u points, but its output '%s' has %u", points,
                           dv_object_path(s.object), dv_state_count(s));
            dv_object_set_state(object, DV_COMPONENT_INVALID);
            return;
        }
        out[i] = dv_state_write(s, DV_POSITION, DV_OVERWRITE);
    }
    const DvNode *node = dv_object_node(object);
    const DvStep step = {
        .time = dv_node_time(node), .dt = dv_node_dt(node), .position = DV_POSITION, .velocity = DV_VELOCITY};
    ops->apply(self, &step, in, out);
    dv_step_release(mark);
}

static DvVisit update_node(DvNode *node, void *context)
{
    (void)context;
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++) {
        const DvMappingOps *ops = dv_object_ops(object, DV_MAPPING);
        if (ops && dv_object_is_valid(object) && !ops->is_mechanical(dv_object_self(object)))
            apply(object, ops);
    }
    for (size_t i = 0; (object = dv_node_member(node, i)); i++) {
        const DvVisualModelOps *ops = dv_object_ops(object, DV_VISUAL_MODEL);
        if (ops && dv_object_is_valid(object))
            ops->update(dv_object_self(object));
    }
    return DV_VISIT_CONTINUE;
}

static void update(void *object_self)
{
    DefaultVisualManagerLoop *self = object_self;
    DvNode *target = dv_object_as_node(dv_link_object(&self->target_node));
    const DvVisitor visitor = {.top_down = update_node, .enters_sleeping = true};
    if (!dv_data_bool(&self->enable))
        return;
    dv_visit(target ? target : dv_object_node(dv_object_of(self)), &visitor, NULL);
}

#define LOOP_FIELDS                                                                 \
    DV_FIELD(DefaultVisualManagerLoop, enable, "enable", dv_type_bool, .init = "1", \
             .help = "false: visual models stay as they are"),                      \
        DV_LINK(DefaultVisualManagerLoop, target_node, "targetNode", NULL,          \
                .help = "the node it looks after; its own when not given")

static const DvField fields[] = {LOOP_FIELDS, {0}};
static const DvField compositing_fields[] = {
    LOOP_FIELDS,
    DV_FIELD_HELD("vertFilename", dv_type_string, .init = "shaders/compositing.vert", .flags = DV_FIELD_DRAWING,
                  .help = "kept for old scenes: the renderer's own is used"),
    DV_FIELD_HELD("fragFilename", dv_type_string, .init = "shaders/compositing.frag", .flags = DV_FIELD_DRAWING,
                  .help = "kept for old scenes: the renderer's own is used"),
    {0},
};

static const DvVisualLoopOps ops = {.size = sizeof ops, .update = update, .by_default = true};
static const DvVisualLoopOps compositing_ops = {.size = sizeof compositing_ops, .update = update};

const DvClass dv_default_visual_manager_loop = {
    .size = sizeof(DvClass),
    .name = "DefaultVisualManagerLoop",
    .bases = (const char *const[]){"VisualLoop", NULL},
    .family = "visual models",
    .module = "Sofa.Simulation.Core",
    .help = "Brings visual models up to date when somebody looks.",
    .instance_size = sizeof(DefaultVisualManagerLoop),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_VISUAL_LOOP, .ops = &ops, .slot = true}, {0}},
};

const DvClass dv_compositing_visual_loop = {
    .size = sizeof(DvClass),
    .name = "CompositingVisualLoop",
    .bases = (const char *const[]){"DefaultVisualManagerLoop", "VisualLoop", NULL},
    .family = "visual models",
    .module = "Sofa.GL.Component.Shader",
    .help = "Brings visual models up to date, as DefaultVisualManagerLoop does.",
    .instance_size = sizeof(DefaultVisualManagerLoop),
    .fields = compositing_fields,
    .contracts = (const DvContract[]){{.id = DV_VISUAL_LOOP, .ops = &compositing_ops, .slot = true}, {0}},
};
