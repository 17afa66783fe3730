/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sums over elements in chunks: against a loop over the elements, whatever the number of threads, and after edits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/contracts/topology.h>
#include <divan/memory.h>
#include <divan/parallel.h>

#include <divan/kit/element_chunks.h>
#include <divan/kit/packed_block.h>

enum { MAX_POINTS = 6000, MAX_ELEMENTS = 30000, NODES = 4 };

static uint64_t seed = 0x9e3779b97f4a7c15u;

static uint32_t below(uint32_t n)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return (uint32_t)((seed * 0x2545f4914f6cdd1du) >> 33) % n;
}

typedef struct Mesh {
    uint32_t points, elements;
    uint32_t list[MAX_ELEMENTS][NODES];
    uint32_t node[MAX_ELEMENTS / DV_LANES + 1][NODES][DV_LANES];
    double x[3 * MAX_POINTS];
    double scale; /* of what elements give: with 1 all sums are exact */
    bool narrow;  /* as for registers of fewer than eight numbers */
} Mesh;

static Mesh mesh;

static uint32_t blocks_of(const Mesh *m)
{
    return (m->elements + DV_LANES - 1) / DV_LANES;
}

/* As a force field keeps them: lanes that no element has repeat the last one. */
static void set_nodes(Mesh *m)
{
    for (uint32_t lane = 0; lane < blocks_of(m) * DV_LANES; lane++)
        for (uint32_t n = 0; n < NODES; n++)
            m->node[lane / DV_LANES][n][lane % DV_LANES] = m->list[lane < m->elements ? lane : m->elements - 1][n];
}

/* Elements of points that are near in number, as in a mesh, or anywhere. */
static void set_element(Mesh *m, uint32_t element, uint32_t spread)
{
    const uint32_t first = (uint32_t)((uint64_t)element * m->points / MAX_ELEMENTS);
    for (uint32_t n = 0; n < NODES; n++)
        m->list[element][n] = (first + below(spread)) % m->points;
}

static void make_mesh(uint32_t points, uint32_t elements, uint32_t spread)
{
    mesh.points = points;
    mesh.elements = elements;
    for (uint32_t e = 0; e < elements; e++)
        set_element(&mesh, e, spread);
    for (uint32_t i = 0; i < 3 * MAX_POINTS; i++)
        mesh.x[i] = (double)below(1000);
    set_nodes(&mesh);
}

/* What element e gives to its node n: a multiple of the difference to the next node. */
static double weight(uint32_t element, uint32_t n)
{
    return (double)(1 + (element * 7 + n * 3) % 11);
}

static void add_elements(void *context, DvElementRow *row, uint32_t begin, uint32_t end)
{
    const DvElementChunks *chunks = context;
    for (uint32_t block = begin; block < end; block++)
        for (uint32_t n = 0; n < NODES; n++) {
            DvElementRow *at[DV_LANES], *next[DV_LANES];
            DvReal8 x[3], y[3];
            dv_element_rows_at(row, dv_element_places(chunks, block) + (size_t)n * DV_LANES, at);
            dv_element_rows_at(row, dv_element_places(chunks, block) + (size_t)((n + 1) % NODES) * DV_LANES, next);
            dv_element_rows_gather(at, mesh.narrow, x);
            dv_element_rows_gather(next, mesh.narrow, y);
            for (uint32_t lane = 0; lane < DV_LANES; lane++) {
                const uint32_t element = block * DV_LANES + lane;
                for (uint32_t c = 0; c < 3; c++)
                    x[c][lane] =
                        element < mesh.elements ? mesh.scale * weight(element, n) * (y[c][lane] - x[c][lane]) : 0.0;
            }
            dv_element_rows_add(at, mesh.narrow, x);
        }
}

static void sum(const DvElementChunks *chunks, double *f)
{
    for (uint32_t i = 0; i < 3 * mesh.points; i++)
        f[i] = mesh.scale * (double)(i % 5);
    dv_element_chunks_add(chunks, mesh.x, f, add_elements, (void *)chunks);
}

static void assert_sums(const DvElementChunks *chunks)
{
    static double f[3 * MAX_POINTS], by_halves[3 * MAX_POINTS], expected[3 * MAX_POINTS];
    mesh.scale = 1.0;
    sum(chunks, f);
    mesh.narrow = true;
    sum(chunks, by_halves);
    mesh.narrow = false;
    for (uint32_t i = 0; i < 3 * mesh.points; i++)
        expected[i] = i % 5;
    for (uint32_t e = 0; e < mesh.elements; e++)
        for (uint32_t n = 0; n < NODES; n++)
            for (uint32_t c = 0; c < 3; c++)
                expected[3 * mesh.list[e][n] + c] +=
                    weight(e, n) * (mesh.x[3 * mesh.list[e][(n + 1) % NODES] + c] - mesh.x[3 * mesh.list[e][n] + c]);
    assert_memory_equal(f, expected, 3 * mesh.points * sizeof *f);
    assert_memory_equal(by_halves, expected, 3 * mesh.points * sizeof *f);
}

static void build(DvElementChunks *chunks)
{
    dv_element_chunks_build(chunks, NODES, mesh.points, blocks_of(&mesh), &mesh.node[0][0][0]);
}

/* Rows to components and back, and blocks of a matrix, of wide and of narrow registers. */
static void wide_and_narrow_registers_give_the_same(void **state)
{
    (void)state;
    DvReal4 row[20], back[8];
    for (uint32_t i = 0; i < 20; i++)
        for (uint32_t c = 0; c < 4; c++)
            row[i][c] = 10.0 * i + c;
    static const uint32_t index[DV_LANES] = {3, 17, 0, 9, 9, 12, 1, 19};
    const DvReal8 w = {-1, -2, -3, -4, -5, -6, -7, -8};
    for (int narrow = 0; narrow < 2; narrow++) {
        DvReal8 xyz[3];
        dv_real8_from_rows(row, index, narrow, xyz);
        dv_real8_to_rows(back, 1, xyz, &w, narrow);
        for (uint32_t i = 0; i < DV_LANES; i++)
            for (uint32_t c = 0; c < 4; c++) {
                assert_true(c == 3 || xyz[c][i] == 10.0 * index[i] + c);
                assert_true(back[i][c] == (c == 3 ? -1.0 - i : 10.0 * index[i] + c));
            }
        const DvPackedBlock rows = dv_block_of_rows(row, narrow), columns = dv_block_of_columns(row, narrow);
        for (uint32_t r = 0; r < 3; r++)
            for (uint32_t c = 0; c < 3; c++) {
                const uint32_t at = 3 * r + c;
                assert_true((at < 8 ? rows.eight[at] : rows.ninth) == 10.0 * r + c);
                assert_true((at < 8 ? columns.eight[at] : columns.ninth) == 10.0 * c + r);
            }
    }
}

static void sums_are_those_of_a_loop(void **state)
{
    (void)state;
    static const uint32_t sizes[][3] = {{4, 1, 4},         {50, 8, 50},       {50, 9, 50},        {300, 2000, 20},
                                        {2000, 12300, 40}, {6000, 30000, 60}, {6000, 30000, 6000}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        DvElementChunks chunks = {0};
        make_mesh(sizes[i][0], sizes[i][1], sizes[i][2]);
        build(&chunks);
        assert_sums(&chunks);
        dv_element_chunks_free(&chunks);
    }
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    static double one[3 * MAX_POINTS], many[3 * MAX_POINTS];
    DvElementChunks chunks = {0};
    make_mesh(6000, 30000, 60);
    build(&chunks);
    assert_true(chunks.count >= 8);
    mesh.scale = 0.1;
    sum(&chunks, one);
    for (unsigned threads = 2; threads <= 8; threads *= 2) {
        dv_parallel_set_threads(threads);
        sum(&chunks, many);
        assert_memory_equal(one, many, 3 * mesh.points * sizeof *one);
    }
    dv_parallel_set_threads(1);
    dv_element_chunks_free(&chunks);
}

static void nothing_leaves_without_a_result(void **state)
{
    (void)state;
    DvElementChunks chunks = {0};
    make_mesh(300, 2000, 20);
    build(&chunks);
    dv_element_chunks_add(&chunks, mesh.x, NULL, add_elements, &chunks);
    assert_sums(&chunks);
    dv_element_chunks_free(&chunks);
}

/* ---- Edits ---- */

static struct {
    uint32_t at[MAX_ELEMENTS], count;
} touched;

static void touch(uint32_t element)
{
    if (element < MAX_ELEMENTS)
        touched.at[touched.count++] = element;
}

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The last one takes the number of what has gone, as in a container. */
static void remove_element(uint32_t element)
{
    memcpy(mesh.list[element], mesh.list[--mesh.elements], sizeof mesh.list[element]);
    touch(element);
}

static void add_element(uint32_t spread)
{
    set_element(&mesh, mesh.elements, spread);
    touch(mesh.elements++);
}

/* The points that no element has, at the end. */
static void remove_last_points(uint32_t count)
{
    mesh.points -= count;
    for (uint32_t e = 0; e < mesh.elements; e++)
        for (uint32_t n = 0; n < NODES; n++)
            if (mesh.list[e][n] >= mesh.points) {
                mesh.list[e][n] = below(mesh.points);
                touch(e);
            }
}

static void update(DvElementChunks *chunks)
{
    uint32_t kept = 0;
    qsort(touched.at, touched.count, sizeof *touched.at, ascending);
    for (uint32_t i = 0; i < touched.count; i++)
        if (touched.at[i] < mesh.elements && (kept == 0 || touched.at[kept - 1] != touched.at[i]))
            touched.at[kept++] = touched.at[i];
    set_nodes(&mesh);
    dv_element_chunks_update(chunks, mesh.points, blocks_of(&mesh), &mesh.node[0][0][0], touched.at, kept);
    touched.count = 0;
}

/* As they were made like this, to the last bit. */
static void assert_as_built(const DvElementChunks *chunks)
{
    static double edited[3 * MAX_POINTS], built[3 * MAX_POINTS];
    DvElementChunks fresh = {0};
    assert_sums(chunks);
    build(&fresh);
    mesh.scale = 0.1;
    sum(chunks, edited);
    sum(&fresh, built);
    assert_memory_equal(edited, built, 3 * mesh.points * sizeof *edited);
    dv_element_chunks_free(&fresh);
}

static void edits_give_what_a_new_mesh_gives(void **state)
{
    (void)state;
    DvElementChunks chunks = {0};
    make_mesh(1500, 3000, 40);
    build(&chunks);
    for (uint32_t round = 0; round < 120; round++) {
        for (uint32_t i = below(60); i > 0 && mesh.elements > 1; i--)
            remove_element(below(mesh.elements));
        for (uint32_t i = below(round < 60 ? 90 : 20); i > 0; i--)
            add_element(below(10) ? 40 : mesh.points);
        if (round % 7 == 3)
            remove_last_points(below(40));
        else if (mesh.points + 30 < MAX_POINTS)
            mesh.points += below(30);
        update(&chunks);
        assert_as_built(&chunks);
    }
    dv_element_chunks_free(&chunks);
}

static void a_mesh_may_vanish_and_grow(void **state)
{
    (void)state;
    DvElementChunks chunks = {0};
    make_mesh(900, 600, 40);
    build(&chunks);
    while (mesh.elements > 1) {
        remove_element(mesh.elements - 1);
        if (mesh.elements % 50 == 1) {
            update(&chunks);
            assert_as_built(&chunks);
        }
    }
    while (mesh.elements < 14000) { /* chunks grow with the mesh */
        for (uint32_t i = 0; i < 700; i++)
            add_element(40);
        update(&chunks);
        assert_as_built(&chunks);
    }
    dv_element_chunks_free(&chunks);
}

/* What a chunk has kept of points that have gone stays in proportion to those that it has. */
static void points_that_have_gone_are_forgotten(void **state)
{
    (void)state;
    DvElementChunks chunks = {0};
    make_mesh(6000, 2000, 20);
    build(&chunks);
    const uint32_t most = chunks.most;
    for (uint32_t round = 0; round < 400; round++) {
        for (uint32_t i = 0; i < 5; i++) {
            const uint32_t element = below(256);
            for (uint32_t n = 0; n < NODES; n++)
                mesh.list[element][n] = below(mesh.points);
            touch(element);
        }
        update(&chunks);
        assert_true(chunks.chunk[0].count <= 2 * NODES * 256);
    }
    assert_as_built(&chunks);
    assert_true(chunks.most >= most);
    dv_element_chunks_free(&chunks);
}

/* ---- Packs of cells ---- */

/* A row of boxes, four points each to the next, cut into six; `other` is mirrored. */
static void make_boxes(uint32_t boxes, uint32_t other)
{
    mesh.points = 4 * boxes + 4;
    mesh.elements = 6 * boxes;
    for (uint32_t i = 0; i < boxes; i++) {
        const uint32_t p = 4 * i, corner[8] = {p, p + 1, p + 2, p + 3, p + 4, p + 5, p + 6, p + 7};
        uint32_t cut[6][4];
        dv_cut_hexahedron(corner, i == other, true, cut);
        memcpy(mesh.list[6 * (size_t)i], cut, sizeof cut);
    }
    set_nodes(&mesh);
}

static uint32_t packs_of(const DvElementChunks *chunks)
{
    uint32_t count = 0;
    for (uint32_t block = 0; block < chunks->blocks; block++)
        count += dv_element_pack_at(chunks, block) != NULL;
    return count;
}

/* Corners and places say what the list says. */
static void assert_packs(const DvElementChunks *chunks)
{
    for (uint32_t block = 0; block < chunks->blocks; block++) {
        const DvElementPack *pack = dv_element_pack_at(chunks, block);
        for (uint32_t i = 0; pack && i < DV_PACK_BLOCKS * DV_LANES; i++)
            for (uint32_t n = 0; n < NODES; n++) {
                const uint32_t place = pack->place[pack->corner[i % DV_CELL_ELEMENTS][n]][i / DV_CELL_ELEMENTS];
                assert_int_equal(chunks->chunk[block / chunks->size].list[place].point,
                                 mesh.list[block * DV_LANES + i][n]);
            }
    }
}

static void boxes_that_are_cut_alike_are_packs(void **state)
{
    (void)state;
    DvElementChunks chunks = {0};
    make_boxes(100, UINT32_MAX); /* eight a pack, four are left over */
    build(&chunks);
    assert_int_equal(packs_of(&chunks), 12);
    assert_int_equal(dv_element_pack_at(&chunks, 0)->corners, 8);
    assert_packs(&chunks);
    assert_int_equal(chunks.size % DV_PACK_BLOCKS, 0);
    make_boxes(100, 9); /* its pack is none */
    build(&chunks);
    assert_int_equal(packs_of(&chunks), 11);
    assert_null(dv_element_pack_at(&chunks, DV_PACK_BLOCKS));
    assert_packs(&chunks);
    dv_element_chunks_free(&chunks);
}

/* Boxes along the first axis, the next after a gap behind box `last`. */
static void make_row(uint32_t boxes, uint32_t last)
{
    const uint32_t line = boxes + 2;
    mesh.points = 4 * line;
    mesh.elements = 6 * boxes;
    for (uint32_t i = 0; i < boxes; i++) {
        const uint32_t p = i > last ? i + 1 : i;
        const uint32_t corner[8] = {
            p, p + 1, p + 1 + line, p + line, p + 2 * line, p + 1 + 2 * line, p + 1 + 3 * line, p + 3 * line};
        uint32_t cut[6][4];
        dv_cut_hexahedron(corner, 0, true, cut);
        memcpy(mesh.list[6 * (size_t)i], cut, sizeof cut);
    }
    set_nodes(&mesh);
}

static uint32_t rows_of(const DvElementChunks *chunks)
{
    uint32_t count = 0;
    for (uint32_t block = 0; block < chunks->blocks; block++) {
        const DvElementPack *pack = dv_element_pack_at(chunks, block);
        count += pack != NULL && pack->row;
    }
    return count;
}

/* Points that a cell shares with the next: what the table says, and what the list of elements says. */
static void assert_meetings(const DvElementPack *pack)
{
    for (uint32_t i = 0; i < DV_ROW_MEETINGS; i++)
        for (uint32_t lane = 0; lane + 1 < DV_LANES; lane++)
            assert_int_equal(pack->place[dv_element_row_meeting[i][0]][lane + 1],
                             pack->place[dv_element_row_meeting[i][1]][lane]);
}

static void cells_beside_each_other_are_rows(void **state)
{
    (void)state;
    DvElementChunks chunks = {0};
    make_row(100, UINT32_MAX);
    build(&chunks);
    assert_int_equal(packs_of(&chunks), 12);
    assert_int_equal(rows_of(&chunks), 12);
    assert_packs(&chunks);
    assert_meetings(dv_element_pack_at(&chunks, DV_PACK_BLOCKS));
    make_row(100, 12); /* cells of a pack, but in two rows */
    build(&chunks);
    assert_int_equal(packs_of(&chunks), 12);
    assert_int_equal(rows_of(&chunks), 11);
    assert_false(dv_element_pack_at(&chunks, DV_PACK_BLOCKS)->row);
    make_row(100, 15); /* a gap between two packs */
    build(&chunks);
    assert_int_equal(rows_of(&chunks), 12);
    make_boxes(100, UINT32_MAX); /* along another axis */
    build(&chunks);
    assert_int_equal(packs_of(&chunks), 12);
    assert_int_equal(rows_of(&chunks), 0);
    dv_element_chunks_free(&chunks);
}

static void packs_follow_edits(void **state)
{
    (void)state;
    DvElementChunks chunks = {0};
    make_boxes(100, UINT32_MAX);
    build(&chunks);
    uint32_t was[NODES];
    memcpy(was, mesh.list[100], sizeof was);
    mesh.list[100][0] = 0;
    touch(100);
    update(&chunks);
    assert_int_equal(packs_of(&chunks), 11);
    assert_packs(&chunks);
    memcpy(mesh.list[100], was, sizeof was);
    touch(100);
    update(&chunks);
    assert_int_equal(packs_of(&chunks), 12);
    assert_packs(&chunks);
    for (uint32_t i = 0; i < 25; i++) /* the last pack loses one element more than the remainder had */
        remove_element(mesh.elements - 1);
    update(&chunks);
    assert_int_equal(packs_of(&chunks), 11);
    assert_packs(&chunks);
    dv_element_chunks_free(&chunks);
}

/* More points than there are numbers for in a chunk of the usual size. */
static void elements_without_common_points_take_smaller_chunks(void **state)
{
    (void)state;
    enum { ELEMENTS = 24 * 3072 * DV_LANES };
    uint32_t *node = dv_alloc((size_t)ELEMENTS * NODES, sizeof *node);
    for (uint32_t i = 0; i < ELEMENTS * NODES; i++)
        node[i] = i;
    DvElementChunks chunks = {0};
    dv_element_chunks_build(&chunks, NODES, ELEMENTS * NODES, ELEMENTS / DV_LANES, node);
    assert_true(chunks.most <= 65536 && chunks.most > 32768);
    for (uint32_t i = 0; i < ELEMENTS * NODES; i += 997) {
        const uint32_t chunk = i / (DV_LANES * NODES) / chunks.size;
        assert_int_equal(chunks.chunk[chunk].list[chunks.place[i]].point, i);
    }
    dv_element_chunks_free(&chunks);
    dv_free(node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide_and_narrow_registers_give_the_same),
        cmocka_unit_test(sums_are_those_of_a_loop),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(nothing_leaves_without_a_result),
        cmocka_unit_test(edits_give_what_a_new_mesh_gives),
        cmocka_unit_test(a_mesh_may_vanish_and_grow),
        cmocka_unit_test(points_that_have_gone_are_forgotten),
        cmocka_unit_test(boxes_that_are_cut_alike_are_packs),
        cmocka_unit_test(cells_beside_each_other_are_rows),
        cmocka_unit_test(packs_follow_edits),
        cmocka_unit_test(elements_without_common_points_take_smaller_chunks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
