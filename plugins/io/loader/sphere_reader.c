/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Spheres (.sph): a title line, then `nums N` (a hint that is not needed), `sphe NUMBER X Y Z RADIUS` for each sphere,
 * and comments that start with #.
 */
#include "readers.h"
#include <divan/kit/scanner.h>

#include <inttypes.h>

bool mesh_read_spheres(const void *bytes, size_t size, SphereArray *spheres, DvMeshReport *report)
{
    DvScanner text = dv_scanner_start(bytes, size), line;
    (void)dv_scanner_line(&text, &line); /* the title, whatever it says */
    while (dv_scanner_line(&text, &line)) {
        const DvWord keyword = dv_scanner_word(&line);
        if (keyword.length == 0 || keyword.text[0] == '#' || dv_word_is(keyword, "nums"))
            continue;
        if (!dv_word_is(keyword, "sphe")) {
            dv_mesh_warn(report, "line %" PRIu32 ": unknown keyword %s", line.line, dv_word_excerpt(keyword).text);
            continue;
        }
        double value[5]; /* number, centre, radius */
        for (int i = 0; i < 5; i++)
            if (!dv_scanner_double(&line, &value[i]))
                return dv_mesh_fail(report, "line %" PRIu32 ": expected 'sphe number x y z radius', found %s",
                                    line.line,
                                    dv_scanner_more(&line) ? dv_scanner_excerpt(line).text : "the end of the line");
        if (value[4] < 0)
            return dv_mesh_fail(report, "line %" PRIu32 ": the radius %g is negative", line.line, value[4]);
        dv_array_push(spheres, (Sphere){{value[1], value[2], value[3]}, value[4]});
    }
    return spheres->count > 0 || dv_mesh_fail(report, "no line starts with 'sphe': the file holds no sphere");
}
