/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What all topological mappings share.
 */
#include "topological_mapping.h"

const DvVariantSource topological_mapping_sources[] = {
    {"input", "@../", DV_TOPOLOGY}, {"output", "@./", DV_TOPOLOGY}, {NULL, NULL, NULL}};

static DvObject *find(const DvNode *node, const DvObject *from, const char *path, const char *missing)
{
    return dv_node_resolve(node, from, path && *path ? path : missing, DV_TOPOLOGY);
}

bool topological_mapping_accepts(DvNode *node, const char *variant, const DvAttributes *attributes, DvText *reason)
{
    (void)variant;
    const char *input = dv_attribute(attributes, "input"), *output = dv_attribute(attributes, "output");
    const DvObject *from = find(node, NULL, input, "@../"), *to = find(node, NULL, output, "@./");
    if (!from)
        dv_text_add(reason, "input: no topology at '%s'", input && *input ? input : "@../");
    else if (!to)
        dv_text_add(reason, "output: no topology at '%s'", output && *output ? output : "@./");
    else if (from == to)
        dv_text_add(reason, "input and output are the same topology, '%s'", dv_object_path(from));
    return from && to && from != to;
}

DvStatus topological_mapping_construct(DvObject *object, void *self)
{
    TopologicalMapping *mapping = self;
    mapping->object = object;
    return DV_OK;
}

DvStatus topological_mapping_find(TopologicalMapping *mapping)
{
    const DvNode *node = dv_object_node(mapping->object);
    DvObject *input = dv_link_object(&mapping->input), *output = dv_link_object(&mapping->output);
    if (!input)
        input = find(node, mapping->object, NULL, "@../");
    if (!output)
        output = find(node, mapping->object, NULL, "@./");
    mapping->from = topology_of(input);
    mapping->to = topology_of(output);
    if (!mapping->from || !mapping->to)
        return dv_error(mapping->object, DV_ERROR_MISSING, "%s: it leads to no topology of the topology plugin",
                        mapping->from ? "output" : "input");
    const DvStatus status = dv_object_require(mapping->object, input);
    return status == DV_OK ? dv_object_require(mapping->object, output) : status;
}
