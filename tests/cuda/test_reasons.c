/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Why a card cannot be used: each reason names what helps.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reasons.h"

static void expect(const CardFacts *facts, const char *text)
{
    DvText out = {0};
    card_explain(facts, &out);
    assert_string_equal(out.at, text);
    dv_text_free(&out);
}

static void test_drivers(void **state)
{
    (void)state;
    expect(&(CardFacts){.trouble = CARD_OLD_DRIVER, .driver = 535, .serves = 12020, .needs = 13000},
           "driver 535 serves CUDA 12.2, this build needs 13.0: update it to 580, or build with nvcc 12");
    expect(&(CardFacts){.trouble = CARD_OLD_DRIVER, .driver = 470, .serves = 11040, .needs = 12080},
           "driver 470 serves CUDA 11.4, this build needs 12.8: update it to 525");
    expect(&(CardFacts){.trouble = CARD_OLD_DRIVER, .serves = 11080, .needs = 13000},
           "driver serves CUDA 11.8, this build needs 13.0: update it to 580");
    expect(&(CardFacts){.trouble = CARD_NO_DRIVER, .needs = 13000},
           "there is no NVIDIA driver: install 580 or newer, which serves CUDA 13.0");
}

static void test_cards(void **state)
{
    (void)state;
    expect(&(CardFacts){.trouble = CARD_NONE},
           "the driver finds no card: look at `nvidia-smi` and at CUDA_VISIBLE_DEVICES");
    expect(&(CardFacts){.trouble = CARD_NO_NUMBER, .number = 3, .count = 2},
           "there is no card 3; there are 2, cuda:0 to cuda:1");
    expect(&(CardFacts){.trouble = CARD_NO_NUMBER, .number = -1, .count = 1},
           "what stands behind 'cuda:' is no number of a card; there is one, cuda:0");
    expect(&(CardFacts){.trouble = CARD_TOO_OLD, .needs = 13000, .capability = 61, .built_for = "90, PTX of 75"},
           "card 0 has the architecture 61, this build is for 90, PTX of 75: build with -Dgpu_arch=61 and nvcc 12");
    expect(&(CardFacts){.trouble = CARD_NO_MEMORY, .number = 1},
           "card 1 has no memory left: end what else uses it, take a smaller scene or floats (CudaVec3f)");
    expect(
        &(CardFacts){.trouble = CARD_LOST, .said = "unspecified launch failure"},
        "card 0 is lost to this process (unspecified launch failure): start again, with --no-gpu if it happens again");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_drivers), cmocka_unit_test(test_cards)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
