/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A host that has no heap of its own: loads a scene and makes steps, with as much address space as is said. Where that fails it goes on with
 * another scene, which must work as ever.
 *
 *   memory_host SCENE MIB OTHER     MIB beyond what it has when it starts; 0: no limit. 10: SCENE failed, and OTHER did not.
 */
#include <dlfcn.h>

#include <divan/divan.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static bool limit_memory(unsigned long mebi)
{
    char line[256];
    unsigned long used = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || !fgets(line, sizeof line, file))
        return false;
    used = strtoul(line, NULL, 10) * 4096;
    fclose(file);
    const struct rlimit limit = {used + (mebi << 20), RLIM_INFINITY};
    return setrlimit(RLIMIT_AS, &limit) == 0;
}

static DvStatus run(const char *file)
{
    DvScene *scene = NULL;
    DvStatus status = dv_scene_load(file, NULL, &scene);
    for (int step = 0; step < 2 && status == DV_OK; step++)
        status = dv_scene_step(scene, 0.0);
    dv_scene_free(scene);
    return status;
}

int main(int count, char **arguments)
{
    if (count < 4 || dv_start(NULL) != DV_OK || run(arguments[3]) != DV_OK)
        return 2;
    const unsigned long mebi = strtoul(arguments[2], NULL, 10);
    void (*fail_now)(void); /* of the heap of tests, where that is loaded */
    *(void **)&fail_now = dlsym(RTLD_DEFAULT, "divan_test_fail_now");
    if (fail_now)
        fail_now();
    if (mebi && !limit_memory(mebi))
        return 2;
    const DvStatus status = run(arguments[1]);
    const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    if (mebi && setrlimit(RLIMIT_AS, &none) != 0)
        return 2;
    if (run(arguments[3]) != DV_OK)
        return 3;
    dv_stop();
    return status == DV_OK ? 0 : 10;
}
