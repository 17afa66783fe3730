/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reasons.h"

/* The first driver that serves all of a major version of CUDA. */
static int driver_for(int needs)
{
    return needs >= 13000 ? 580 : 525;
}

static void explain_driver(const CardFacts *facts, DvText *out)
{
    dv_text_add(out, "driver ");
    if (facts->driver)
        dv_text_add(out, "%d ", facts->driver);
    dv_text_add(out, "serves CUDA %d.%d, this build needs %d.%d: update it to %d", facts->serves / 1000,
                facts->serves % 1000 / 10, facts->needs / 1000, facts->needs % 1000 / 10, driver_for(facts->needs));
    if (facts->needs >= 13000 && facts->serves >= 12000)
        dv_text_add(out, ", or build with nvcc 12");
}

static void explain_number(const CardFacts *facts, DvText *out)
{
    if (facts->number < 0)
        dv_text_add(out, "what stands behind 'cuda:' is no number of a card; ");
    else
        dv_text_add(out, "there is no card %d; ", facts->number);
    if (facts->count == 1)
        dv_text_add(out, "there is one, cuda:0");
    else
        dv_text_add(out, "there are %d, cuda:0 to cuda:%d", facts->count, facts->count - 1);
}

void card_explain(const CardFacts *facts, DvText *out)
{
    switch (facts->trouble) {
    case CARD_NOT_BUILT:
        dv_text_add(out, "this build has no CUDA: get nvcc by `./bootstrap cuda` and build with -Dcuda=enabled");
        break;
    case CARD_NO_DRIVER:
        dv_text_add(out, "there is no NVIDIA driver: install %d or newer, which serves CUDA %d.%d",
                    driver_for(facts->needs), facts->needs / 1000, facts->needs % 1000 / 10);
        break;
    case CARD_OLD_DRIVER:
        explain_driver(facts, out);
        break;
    case CARD_NONE:
        dv_text_add(out, "the driver finds no card: look at `nvidia-smi` and at CUDA_VISIBLE_DEVICES");
        break;
    case CARD_NO_NUMBER:
        explain_number(facts, out);
        break;
    case CARD_TOO_OLD:
        dv_text_add(out, "card %d has the architecture %d, this build is for %s: build with -Dgpu_arch=%d",
                    facts->number, facts->capability, facts->built_for, facts->capability);
        if (facts->capability < 75 && facts->needs >= 13000)
            dv_text_add(out, " and nvcc 12");
        break;
    case CARD_NO_MEMORY:
        dv_text_add(out,
                    "card %d has no memory left: end what else uses it, take a smaller scene or floats (CudaVec3f)",
                    facts->number);
        break;
    case CARD_LOST:
        dv_text_add(out, "card %d is lost to this process (%s): start again, with --no-gpu if it happens again",
                    facts->number, facts->said);
        break;
    case CARD_OTHER:
        dv_text_add(out, "card %d: %s: look at `nvidia-smi`", facts->number, facts->said);
        break;
    }
}
