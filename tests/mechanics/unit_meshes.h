/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Small meshes of each kind of element: a unit of length, area or volume with a point inside, out of the middle.
 */
#ifndef DIVAN_TESTS_UNIT_MESHES_H
#define DIVAN_TESTS_UNIT_MESHES_H

#include <divan/base.h>
#include <divan/contracts/topology.h>

enum { MOST_POINTS = 32 };
typedef struct Mesh {
    double x[3 * MOST_POINTS];
    uint32_t points, inner;
    DvText elements;
} Mesh;

static const char *const words[DV_ELEMENT_KINDS] = {"",           "Edge",  "Triangle", "Quad", "Tetrahedron",
                                                    "Hexahedron", "Prism", "Pyramid"};
static const char *const lists[DV_ELEMENT_KINDS] = {"",           "edges",     "triangles", "quads",
                                                    "tetrahedra", "hexahedra", "prisms",    "pyramids"};
static const uint32_t dimensions[DV_ELEMENT_KINDS] = {0, 1, 2, 2, 3, 3, 3, 3};

static inline uint32_t add_point(Mesh *mesh, double x, double y, double z)
{
    double *at = mesh->x + 3 * (size_t)mesh->points;
    at[0] = x, at[1] = y, at[2] = z;
    return mesh->points++;
}

/* n points a side; the middle one of three is moved. */
static inline void add_grid(Mesh *mesh, int nx, int ny, int nz)
{
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < ny; j++)
            for (int i = 0; i < nx; i++) {
                const bool middle = nx == 3 && i == 1 && (ny == 1 || j == 1) && (nz == 1 || k == 1);
                const uint32_t p = add_point(mesh, nx > 1 ? i / (nx - 1.0) : 0.0, ny > 1 ? j / (ny - 1.0) : 0.0,
                                             nz > 1 ? k / (nz - 1.0) : 0.0);
                if (!middle)
                    continue;
                mesh->inner = p;
                mesh->x[3 * p] += 0.1;
                mesh->x[3 * p + 1] += ny > 1 ? -0.07 : 0.0;
                mesh->x[3 * p + 2] += nz > 1 ? 0.06 : 0.0;
            }
}

/* A square around its point inside; `layers` above one another. */
static inline void add_fans(Mesh *mesh, int layers)
{
    static const double square[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}}, height[3] = {0.0, 0.4, 1.0};
    for (int k = 0; k < layers; k++) {
        for (int i = 0; i < 4; i++)
            add_point(mesh, square[i][0], square[i][1], height[k]);
        const uint32_t p = add_point(mesh, 0.4, 0.55, height[k]);
        if (k < 2)
            mesh->inner = p;
    }
}

static inline void add_hexahedra(Mesh *mesh)
{
    static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    add_grid(mesh, 3, 3, 3);
    for (int c = 0; c < 8; c++)
        for (int n = 0; n < 8; n++)
            dv_text_add(&mesh->elements, "%d ",
                        c % 2 + corner[n][0] + 3 * (c / 2 % 2 + corner[n][1]) + 9 * (c / 4 + corner[n][2]));
}

static inline void make_mesh(DvElementKind kind, Mesh *mesh)
{
    static const int face[6][4] = {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1}, {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}};
    *mesh = (Mesh){.points = 0};
    switch (kind) {
    case DV_EDGES:
        add_grid(mesh, 3, 1, 1);
        dv_text_add(&mesh->elements, "0 1 1 2");
        break;
    case DV_TRIANGLES:
        add_fans(mesh, 1);
        dv_text_add(&mesh->elements, "0 1 4 1 2 4 2 3 4 3 0 4");
        break;
    case DV_QUADS:
        add_grid(mesh, 3, 3, 1);
        dv_text_add(&mesh->elements, "0 1 4 3 1 2 5 4 3 4 7 6 4 5 8 7");
        break;
    case DV_HEXAHEDRA:
        add_hexahedra(mesh);
        break;
    case DV_PRISMS:
        add_fans(mesh, 3);
        for (int k = 0; k < 10; k += 5)
            for (int i = 0; i < 4; i++)
                dv_text_add(&mesh->elements, "%d %d %d %d %d %d ", k + i, k + (i + 1) % 4, k + 4, k + 5 + i,
                            k + 5 + (i + 1) % 4, k + 9);
        break;
    default: /* six pyramids, or twelve tetrahedra, on the faces of the cube */
        add_grid(mesh, 2, 2, 2);
        mesh->inner = add_point(mesh, 0.6, 0.43, 0.56);
        for (int f = 0; f < 6; f++)
            if (kind == DV_PYRAMIDS)
                dv_text_add(&mesh->elements, "%d %d %d %d 8 ", face[f][0], face[f][1], face[f][2], face[f][3]);
            else
                dv_text_add(&mesh->elements, "%d %d %d 8 %d %d %d 8 ", face[f][0], face[f][1], face[f][2], face[f][0],
                            face[f][2], face[f][3]);
    }
}

#endif
