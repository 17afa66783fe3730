/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Distances of points along edges: Dijkstra's method (1959) with a heap. From several sources each point keeps the nearest.
 */
#ifndef DIVAN_ENGINES_SHORTEST_PATHS_H
#define DIVAN_ENGINES_SHORTEST_PATHS_H

#include "mesh_inputs.h"

/* Edges by points: those of point i lead to `to[start[i]]` .. `to[start[i + 1] - 1]`, in the order of the edges. */
typedef struct PathGraph {
    const double *x; /* positions */
    uint32_t points;
    uint32_t *start, *to;
} PathGraph;

/* Edges that have a point beyond `points` are left out.     [step] */
static inline PathGraph path_graph_new(const double *x, uint32_t points, DvElements edges)
{
    PathGraph graph = {.x = x, .points = points};
    graph.start = dv_alloc((size_t)points + 1, sizeof(uint32_t));
    graph.to = dv_alloc(2 * (size_t)edges.count, sizeof(uint32_t));
    uint32_t *fill = dv_alloc((size_t)points + 1, sizeof(uint32_t));
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < edges.count; i++) {
            const uint32_t *e = edges.at + 2 * (size_t)i;
            if (e[0] >= points || e[1] >= points)
                continue;
            for (int k = 0; k < 2; k++)
                if (pass == 0)
                    graph.start[e[k] + 1]++;
                else
                    graph.to[fill[e[k]]++] = e[1 - k];
        }
        for (uint32_t i = 0; i < points && pass == 0; i++) {
            graph.start[i + 1] += graph.start[i];
            fill[i] = graph.start[i];
        }
    }
    dv_free(fill);
    return graph;
}

static inline void path_graph_free(PathGraph *graph)
{
    dv_free(graph->start);
    dv_free(graph->to);
    *graph = (PathGraph){0};
}

/* A heap of (distance, point), the nearest first, of equals the lower number. */
typedef struct PathEntry {
    double distance;
    uint32_t point;
} PathEntry;
typedef DV_ARRAY(PathEntry) PathHeap;

static inline bool path_before(PathEntry a, PathEntry b)
{
    return a.distance < b.distance || (a.distance == b.distance && a.point < b.point);
}

static inline void path_push(PathHeap *heap, PathEntry entry)
{
    dv_array_push(heap, entry);
    for (uint32_t i = heap->count - 1; i > 0 && path_before(entry, heap->data[(i - 1) / 2]); i = (i - 1) / 2) {
        heap->data[i] = heap->data[(i - 1) / 2];
        heap->data[(i - 1) / 2] = entry;
    }
}

static inline PathEntry path_pop(PathHeap *heap)
{
    const PathEntry first = heap->data[0], last = heap->data[--heap->count];
    uint32_t i = 0;
    for (uint32_t child; (child = 2 * i + 1) < heap->count; i = child) {
        if (child + 1 < heap->count && path_before(heap->data[child + 1], heap->data[child]))
            child++;
        if (!path_before(heap->data[child], last))
            break;
        heap->data[i] = heap->data[child];
    }
    heap->data[i] = last;
    return first;
}

/* A new source: distance[points] becomes what is nearer along the edges, and nearest[points] (or NULL) its number `source` there. */
static inline void path_add_source(const PathGraph *graph, uint32_t point, uint32_t source, double *distance,
                                   uint32_t *nearest)
{
    PathHeap heap = {0};
    distance[point] = 0.0;
    if (nearest)
        nearest[point] = source;
    path_push(&heap, (PathEntry){0.0, point});
    while (heap.count) {
        const PathEntry e = path_pop(&heap);
        if (e.distance > distance[e.point])
            continue;
        for (uint32_t k = graph->start[e.point]; k < graph->start[e.point + 1]; k++) {
            const uint32_t next = graph->to[k];
            const double d = e.distance + dv_vec3_distance(mesh_point(graph->x, e.point), mesh_point(graph->x, next));
            if (d < distance[next]) {
                distance[next] = d;
                if (nearest)
                    nearest[next] = source;
                path_push(&heap, (PathEntry){d, next});
            }
        }
    }
    dv_array_free(&heap);
}

#endif
