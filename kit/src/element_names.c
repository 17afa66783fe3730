/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <divan/kit/element_names.h>

typedef struct ElementWords {
    const char *word, *one, *many, *container;
} ElementWords;

static const ElementWords words[DV_ELEMENT_KINDS] = {
    [DV_POINTS] = {"", "point", "points", "a container of points"},
    [DV_EDGES] = {"Edge", "edge", "edges", "a container of edges"},
    [DV_TRIANGLES] = {"Triangle", "triangle", "triangles", "a container of triangles"},
    [DV_QUADS] = {"Quad", "quad", "quads", "a container of quads"},
    [DV_TETRAHEDRA] = {"Tetrahedron", "tetrahedron", "tetrahedra", "a container of tetrahedra"},
    [DV_HEXAHEDRA] = {"Hexahedron", "hexahedron", "hexahedra", "a container of hexahedra"},
    [DV_PRISMS] = {"Prism", "prism", "prisms", "a mesh of prisms"},
    [DV_PYRAMIDS] = {"Pyramid", "pyramid", "pyramids", "a mesh of pyramids"},
};

const char *dv_element_name(DvElementKind kind)
{
    return words[kind].one;
}

const char *dv_element_names(DvElementKind kind)
{
    return words[kind].many;
}

const char *dv_element_container(DvElementKind kind)
{
    return words[kind].container;
}

DvElementKind dv_element_of_variant(const DvObject *object)
{
    const char *comma = strchr(dv_object_variant(object), ',');
    for (DvElementKind kind = DV_EDGES; comma && kind < DV_ELEMENT_KINDS; kind++)
        if (strcmp(comma + 1, words[kind].word) == 0)
            return kind;
    return DV_EDGES;
}

bool dv_element_variant_is_given(const DvObject *object, const DvAttributes *attributes)
{
    const char *given = dv_attribute(attributes, "template"), *comma = given ? strchr(given, ',') : NULL;
    return comma && strcmp(comma + 1 + strspn(comma + 1, " "), words[dv_element_of_variant(object)].word) == 0;
}

void dv_warn_of_default_elements(const DvObject *object, const DvTopologyRef *topology, DvElementKind taken,
                                 const DvDofType *dof)
{
    for (DvElementKind kind = DV_PYRAMIDS; kind > taken; kind--) {
        const uint32_t count = dv_topology_elements(topology, kind).count;
        if (count == 0)
            continue;
        dv_warning(object, "its elements are the %s of the mesh, not its %u %s; for those: template=\"%s,%s\"",
                   words[taken].many, count, count == 1 ? words[kind].one : words[kind].many, dof->name,
                   words[kind].word);
        return;
    }
}
