/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A body that is cut, split, carved and grown: the first byte chooses its elements, each eight that follow are an edit, and after each fourth
 * everything that hangs on it is checked.
 */
#include <stddef.h>
#include <stdint.h>

#include "cut_script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_EDITS = 60, CHECK_EVERY = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    CutScript *script = cut_script_new(data[0] % 2 ? DV_TRIANGLES : DV_TETRAHEDRA, NULL);
    for (size_t i = 0; i < MOST_EDITS && 1 + (i + 1) * CUT_BYTES <= size; i++) {
        cut_script_run(script, data + 1 + i * CUT_BYTES);
        if (i % CHECK_EVERY == 0)
            cut_script_check(script);
    }
    cut_script_check(script);
    cut_script_free(script);
    return 0;
}
