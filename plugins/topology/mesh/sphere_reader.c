/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Spheres (.sph): a title line, then `nums N` (a hint that is not needed), `sphe NUMBER X Y Z RADIUS` for each sphere,
 * and comments that start with #.
 */
#include "mesh.h"
#include "scan.h"

#include <inttypes.h>

bool mesh_read_spheres(const void *bytes, size_t size, SphereArray *spheres, MeshReport *report)
{
    Scanner text = scan_start(bytes, size), line;
    (void)scan_line(&text, &line); /* the title, whatever it says */
    while (scan_line(&text, &line)) {
        const Word keyword = scan_word(&line);
        if (keyword.length == 0 || keyword.text[0] == '#' || word_is(keyword, "nums"))
            continue;
        if (!word_is(keyword, "sphe")) {
            mesh_warn(report, "line %" PRIu32 ": unknown keyword %s", line.line, word_excerpt(keyword).text);
            continue;
        }
        double value[5]; /* number, centre, radius */
        for (int i = 0; i < 5; i++)
            if (!scan_double(&line, &value[i]))
                return mesh_fail(report, "line %" PRIu32 ": expected 'sphe number x y z radius', found %s", line.line,
                                 scan_more(&line) ? scan_excerpt(line).text : "the end of the line");
        if (value[4] < 0)
            return mesh_fail(report, "line %" PRIu32 ": the radius %g is negative", line.line, value[4]);
        dv_array_push(spheres, (Sphere){{value[1], value[2], value[3]}, value[4]});
    }
    return spheres->count > 0 || mesh_fail(report, "no line starts with 'sphe': the file holds no sphere");
}
