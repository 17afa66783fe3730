/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Edits of a container: the first byte chooses the elements, each eight that follow are an edit. At the end adjacency and attached data are
 * checked against a container loaded with the same lists.
 */
#include <stddef.h>
#include <stdint.h>

#include "edit_script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_EDITS = 400 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const DvElementKind kinds[] = {DV_EDGES, DV_TRIANGLES, DV_QUADS, DV_TETRAHEDRA, DV_HEXAHEDRA};
    if (size == 0)
        return 0;
    EditScript *script = edit_script_new(kinds[data[0] % 5]);
    for (size_t i = 0; i < MOST_EDITS && 1 + (i + 1) * EDIT_BYTES <= size; i++)
        edit_script_run(script, data + 1 + i * EDIT_BYTES);
    edit_script_check(script);
    edit_script_free(script);
    return 0;
}
