/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Solves side by side: a space is asked for them only if its table has all that they take.
 */
#include "krylov_rows.h" /* cmocka.h has another skip */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static DvVectorSpace *kept_in;

static DvStorage storage(DvMechanics *m)
{
    (void)m;
    return (DvStorage){kept_in, DV_DOUBLE};
}

static void keep_slots(DvVectorSpace *space, DvAddress to, uint32_t first, uint32_t count)
{
    (void)space, (void)to, (void)first, (void)count;
}

static void keep_points(DvVectorSpace *space, DvAddress to, DvAddress from, DvPrecision precision, uint32_t dim,
                        DvAddress list, uint32_t count)
{
    (void)space, (void)to, (void)from, (void)precision, (void)dim, (void)list, (void)count;
}

static void a_space_that_lacks_what_they_take_is_not_asked(void **state)
{
    (void)state;
    static const DvVectorSpaceOps tables[] = {
        /* of an earlier kernel: what is behind its end is not looked at */
        {.size = offsetof(DvVectorSpaceOps, keep_points), .keep_slots = keep_slots, .keep_points = keep_points},
        {.size = sizeof(DvVectorSpaceOps), .keep_slots = keep_slots},
        {.size = sizeof(DvVectorSpaceOps), .keep_points = keep_points},
    };
    const DvMechanicalOperationsOps anywhere = {.size = sizeof anywhere, .storage = storage};
    DvKrylovSpace space = {.ops = &anywhere};
    kept_in = NULL;
    assert_false(krylov_rows_begin(&space)); /* memory of the host */
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        DvVectorSpace device = {.ops = &tables[i]};
        kept_in = &device;
        assert_false(krylov_rows_begin(&space));
        assert_null(space.rows);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_space_that_lacks_what_they_take_is_not_asked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
