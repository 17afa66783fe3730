/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs a fuzz target over the files of its corpus: `fuzz-replay-x FOLDER|FILE...`.
 *
 * Ordinary builds have no libFuzzer; this main function stands in for it, so that each input that was ever worth keeping
 * is read again by the tests. Files are read in the order of their names. It fails when a folder cannot be opened or holds
 * nothing: a replay of no input would pass for ever.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Runs the target on one file. The copy has exactly the file's size, so that AddressSanitizer sees a byte read past it. */
static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return -1;
    }
    struct stat status;
    uint8_t *bytes = NULL;
    int result = -1;
    if (fstat(fileno(file), &status) == 0) {
        const size_t size = (size_t)status.st_size;
        bytes = malloc(size ? size : 1);
        if (bytes && fread(bytes, 1, size, file) == size) {
            LLVMFuzzerTestOneInput(bytes, size);
            result = 1;
        }
    }
    if (result < 0)
        fprintf(stderr, "%s: cannot read\n", path);
    free(bytes);
    fclose(file);
    return result;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Returns how many inputs ran, or -1 when one could not be read. */
static int replay_folder(const char *folder)
{
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, is_visible, alphasort);
    if (count < 0) {
        perror(folder);
        return -1;
    }
    int inputs = 0;
    for (int i = 0; i < count; i++) {
        char path[4096];
        const int length = snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (inputs >= 0)
            inputs = length < (int)sizeof path && replay_file(path) > 0 ? inputs + 1 : -1;
        free(entries[i]);
    }
    free(entries);
    return inputs;
}

int main(int argc, char **argv)
{
    int inputs = 0;
    for (int i = 1; i < argc; i++) {
        struct stat status;
        if (stat(argv[i], &status) != 0) {
            perror(argv[i]);
            return EXIT_FAILURE;
        }
        const int count = S_ISDIR(status.st_mode) ? replay_folder(argv[i]) : replay_file(argv[i]);
        if (count < 0)
            return EXIT_FAILURE;
        inputs += count;
    }
    printf("%d inputs\n", inputs);
    return inputs > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
