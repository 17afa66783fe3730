/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elements that carry mass and their measures. A quad counts as the triangles (0 1 2) and (0 2 3), a hexahedron as six
 * tetrahedra.
 */
#include "mass_mesh.h"

#include <divan/kit/element_faults.h>
#include <divan/kit/element_names.h>

#include <math.h>
#include <string.h>

#include <divan/math/hexahedron.h>
#include <divan/math/vec.h>
#include <divan/memory.h>
#include <divan/worst.h>

DvElements mass_mesh_elements(const MassMesh *mesh)
{
    return dv_topology_elements(&mesh->topology, mesh->kind);
}

/* A state that others will size later (one point so far) is not held against the mesh. */
static DvStatus check_points(const DvObject *object, const MassMesh *mesh, uint32_t points)
{
    const DvElements elements = mass_mesh_elements(mesh);
    const size_t corners = points > 1 ? (size_t)elements.count * mesh->nodes : 0;
    size_t i = 0;
    while (i < corners && elements.at[i] < points)
        i++;
    if (i == corners)
        return DV_OK;
    DvText text = {0};
    dv_text_add_missing(&text, "point", elements.at[i], "the state", points, elements.at, corners);
    const DvStatus status = dv_error(object, DV_ERROR_INVALID, "element %zu of topology '%s': %s", i / mesh->nodes,
                                     dv_object_name(mesh->topology.object), text.at);
    dv_text_free(&text);
    return status;
}

DvStatus mass_mesh_find(DvObject *object, const DvLink *topology_link, const DvLink *geometry_link, DvStateRef state,
                        MassMesh *mesh)
{
    static const DvElementKind kinds[] = {DV_HEXAHEDRA, DV_TETRAHEDRA, DV_QUADS, DV_TRIANGLES, DV_EDGES};
    mass_mesh_forget(mesh);
    DvStatus status = dv_topology_require(
        object, topology_link, "a topology container of the elements to spread the mass over", &mesh->topology);
    if (status == DV_OK && dv_link_is_set(geometry_link))
        status = dv_state_require(object, geometry_link, &mesh->geometry);
    if (status != DV_OK) {
        mass_mesh_forget(mesh);
        return status;
    }
    if (!mesh->geometry.ops) { /* the state whose points the mesh has */
        DvObject *of_mesh = dv_object_find(mesh->topology.object, NULL, DV_STATE);
        status = of_mesh ? dv_object_require(object, of_mesh) : DV_OK;
        if (status != DV_OK) {
            mass_mesh_forget(mesh);
            return status;
        }
        mesh->geometry = of_mesh ? dv_state_ref(of_mesh) : state;
        (void)dv_object_ref(mesh->geometry.object);
    }
    mesh->kind = DV_POINTS;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && mesh->kind == DV_POINTS; i++)
        if (dv_topology_elements(&mesh->topology, kinds[i]).count)
            mesh->kind = kinds[i];
    mesh->nodes = dv_element_nodes(mesh->kind);
    if (mesh->kind != DV_POINTS) {
        status = check_points(object, mesh, dv_state_count(state));
        if (status != DV_OK)
            mass_mesh_forget(mesh);
        return status;
    }
    status = dv_error(object, DV_ERROR_MISSING,
                      "topology '%s' is empty: it has no edge, triangle, quad, tetrahedron or hexahedron to "
                      "spread the mass over",
                      dv_object_name(mesh->topology.object));
    mass_mesh_forget(mesh);
    return status;
}

DvStatus mass_mesh_find_kind(DvObject *object, const DvLink *topology_link, DvStateRef state, DvElementKind kind,
                             MassMesh *mesh)
{
    mass_mesh_forget(mesh);
    DvStatus status = dv_topology_require(object, topology_link, dv_element_container(kind), &mesh->topology);
    if (status == DV_OK) {
        mesh->geometry = state;
        (void)dv_object_ref(state.object);
        mesh->kind = kind;
        mesh->nodes = dv_element_nodes(kind);
        status = mass_mesh_elements(mesh).count > 0
                     ? check_points(object, mesh, dv_state_count(state))
                     : dv_error(object, DV_ERROR_MISSING, "the topology '%s' has no %s to carry the mass",
                                dv_object_path(mesh->topology.object), dv_element_names(kind));
    }
    if (status != DV_OK)
        mass_mesh_forget(mesh);
    return status;
}

void mass_mesh_say_faults(const DvObject *object, const MassMesh *mesh, DvStateRef state)
{
    const DvElements elements = mass_mesh_elements(mesh);
    const uint32_t points = dv_state_count(state);
    if (points < 2 || !mesh->topology.object) /* others will size it later */
        return;
    uint8_t *used = dv_alloc(points, sizeof *used);
    for (size_t i = 0; i < (size_t)elements.count * mesh->nodes; i++)
        if (elements.at[i] < points)
            used[elements.at[i]] = 1;
    DvWorst loose = {0};
    char numbers[DV_WORST_TEXT];
    for (uint32_t p = 0; p < points; p++)
        if (!used[p])
            dv_worst_add(&loose, p, 0.0);
    if (loose.count && dv_topology_tell(&mesh->topology, DV_POINTS_WITHOUT_MASS))
        dv_warning(object, "%u of %u points of '%s' have no mass, because no element of '%s' uses them: %s; %s",
                   loose.count, points, dv_object_path(state.object), dv_object_path(mesh->topology.object),
                   dv_worst_text(&loose, numbers), dv_topology_unused_points_remedy(mesh->topology.object));
    dv_free(used);
    dv_element_faults_report_twice(object, &mesh->topology, mesh->kind, elements);
}

void mass_mesh_forget(MassMesh *mesh)
{
    dv_topology_release(&mesh->topology);
    dv_state_release(&mesh->geometry);
}

bool mass_mesh_is_dynamic(const MassMesh *mesh)
{
    return mesh->topology.ops->is_dynamic && mesh->topology.ops->is_dynamic(mesh->topology.self);
}

DvConstVec mass_mesh_positions(const MassMesh *mesh, bool rest)
{
    const DvStateRef s = mesh->geometry;
    return dv_state_read(s, rest && s.ops->has(s.self, DV_REST_POSITION) ? DV_REST_POSITION : DV_POSITION);
}

static DvVec3 point_at(DvConstVec x, uint32_t spatial, uint32_t point)
{
    double p[3] = {0, 0, 0};
    for (uint32_t c = 0; c < spatial && point < x.count; c++)
        p[c] = x.at[(size_t)point * x.dim + c];
    return dv_vec3_load(p);
}

static double triangle_area(DvVec3 a, DvVec3 b, DvVec3 c, bool in_plane)
{
    const DvVec3 normal = dv_vec3_cross(dv_vec3_sub(b, a), dv_vec3_sub(c, a));
    return 0.5 * (in_plane ? normal.z : dv_vec3_norm(normal));
}

static double tetrahedron_volume(DvVec3 a, DvVec3 b, DvVec3 c, DvVec3 d)
{
    return fabs(dv_vec3_dot(dv_vec3_cross(dv_vec3_sub(b, a), dv_vec3_sub(c, a)), dv_vec3_sub(d, a))) / 6.0;
}

void mass_mesh_corners(const MassMesh *mesh, const uint32_t *points, DvConstVec x, DvVec3 corner[8])
{
    const uint32_t spatial = mesh->geometry.dof->spatial;
    for (uint32_t i = 0; i < mesh->nodes; i++)
        corner[i] = point_at(x, spatial, points[i]);
}

/* Corners row by row: what is tried first where an element is tangled. */
static const DvHexahedronOrder common_order = {{0, 1, 3, 2, 4, 5, 7, 6}};

void mass_mesh_order(const MassMesh *mesh, DvVec3 corner[8], DvHexahedronOrder *order)
{
    DvVec3 given[8];
    DvHexahedronOrder proper = *order;
    *order = dv_hexahedron_as_given;
    if (mesh->kind != DV_HEXAHEDRA || dv_hexahedron_turn(corner, &proper) != DV_HEXAHEDRON_TANGLED)
        return;
    *order = proper;
    memcpy(given, corner, sizeof given);
    for (uint32_t i = 0; i < 8; i++)
        corner[i] = given[proper.at[i]];
}

double mass_mesh_measure(const MassMesh *mesh, const uint32_t *points, DvConstVec x)
{
    static const uint32_t corners[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    uint32_t cut[6][4];
    const uint32_t spatial = mesh->geometry.dof->spatial;
    DvVec3 p[8];
    DvHexahedronOrder order = common_order;
    mass_mesh_corners(mesh, points, x, p);
    double measure = 0.0;
    switch (mesh->kind) {
    case DV_EDGES:
        return dv_vec3_distance(p[0], p[1]);
    case DV_TRIANGLES:
        return triangle_area(p[0], p[1], p[2], spatial == 2);
    case DV_QUADS:
        return triangle_area(p[0], p[1], p[2], spatial == 2) + triangle_area(p[0], p[2], p[3], spatial == 2);
    case DV_TETRAHEDRA:
        return tetrahedron_volume(p[0], p[1], p[2], p[3]);
    default:
        mass_mesh_order(mesh, p, &order);
        dv_cut_hexahedron(corners, 0, false, cut);
        for (size_t i = 0; i < 6; i++)
            measure += tetrahedron_volume(p[cut[i][0]], p[cut[i][1]], p[cut[i][2]], p[cut[i][3]]);
        return measure;
    }
}
