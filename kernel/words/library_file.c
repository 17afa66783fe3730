/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether a file can be opened as a library (ELF, System V ABI, chapters 4 and 5).
 *
 * The loader of the system maps what the headers of a file speak of and does not ask how long the file is: where it ends before
 * that, the process gets SIGBUS. It also waits for a FIFO until somebody writes. So the headers are read here first.
 */
#include "words.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const unsigned char own_class = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
static const unsigned char own_order = G_BYTE_ORDER == G_LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;

static bool read_at(int file, void *into, size_t bytes, uint64_t offset)
{
    return offset <= INT64_MAX && pread(file, into, bytes, (off_t)offset) == (ssize_t)bytes;
}

/* Of the program that runs; EM_NONE: not known. */
static unsigned own_machine(void)
{
    ElfW(Ehdr) header;
    const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    const bool good = file >= 0 && read_at(file, &header, sizeof header, 0);
    if (file >= 0)
        (void)close(file);
    return good ? header.e_machine : EM_NONE;
}

static bool refuse(DvText *reason, const char *text)
{
    dv_text_add(reason, "%s", text);
    return false;
}

static bool is_regular(mode_t mode, DvText *reason)
{
    if (S_ISREG(mode))
        return true;
    return refuse(reason, S_ISDIR(mode)    ? "it is a folder, not a library"
                          : S_ISFIFO(mode) ? "it is a FIFO, not a library"
                          : S_ISSOCK(mode) ? "it is a socket, not a library"
                                           : "it is a device, not a library");
}

static bool is_of_this_machine(const ElfW(Ehdr) * header, DvText *reason)
{
    const unsigned machine = own_machine();
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return refuse(reason, "it is no library: it does not begin as an ELF file does");
    if (header->e_ident[EI_CLASS] != own_class)
        return refuse(reason, own_class == ELFCLASS64 ? "it is a library of 32 bits, this program has 64"
                                                      : "it is a library of 64 bits, this program has 32");
    if (header->e_ident[EI_DATA] != own_order || (machine != EM_NONE && header->e_machine != machine))
        return refuse(reason, "it was made for another kind of processor");
    if (header->e_type != ET_DYN)
        return refuse(reason, "it is an ELF file, but no shared library");
    return true;
}

/* Its end, as the tables of segments and sections have it; 0: they make no sense. */
static uint64_t end_of(int file, const ElfW(Ehdr) * header)
{
    uint64_t end = header->e_shoff + (uint64_t)header->e_shnum * header->e_shentsize;
    const uint64_t table = header->e_phoff + (uint64_t)header->e_phnum * sizeof(ElfW(Phdr));
    if (header->e_phentsize != sizeof(ElfW(Phdr)) || header->e_phnum == 0)
        return 0;
    end = MAX(end, table);
    for (unsigned i = 0; i < header->e_phnum; i++) {
        ElfW(Phdr) segment;
        if (!read_at(file, &segment, sizeof segment, header->e_phoff + i * sizeof segment))
            return end;
        const bool is_mapped = segment.p_type == PT_LOAD;
        if ((is_mapped && segment.p_filesz > segment.p_memsz) || segment.p_offset > UINT64_MAX - segment.p_filesz)
            return 0;
        if (segment.p_type != PT_NULL)
            end = MAX(end, segment.p_offset + segment.p_filesz);
    }
    return end;
}

static bool is_sound(int file, uint64_t length, DvText *reason)
{
    ElfW(Ehdr) header;
    if (length == 0)
        return refuse(reason, "it is empty");
    if (!read_at(file, &header, sizeof header, 0)) {
        char start[SELFMAG] = {0};
        if (!read_at(file, start, sizeof start, 0) || memcmp(start, ELFMAG, SELFMAG) != 0)
            return refuse(reason, "it is no library: it does not begin as an ELF file does");
        dv_text_add(reason, "it is cut short: it has %" G_GUINT64_FORMAT " bytes, less than its header", length);
        return false;
    }
    if (!is_of_this_machine(&header, reason))
        return false;
    const uint64_t end = end_of(file, &header);
    if (end == 0)
        return refuse(reason, "its table of segments makes no sense");
    if (end <= length)
        return true;
    dv_text_add(reason,
                "it is cut short: its header speaks of %" G_GUINT64_FORMAT " bytes, it has %" G_GUINT64_FORMAT
                "; build or copy it again",
                end, length);
    return false;
}

bool dv_words_library_is_sound(const char *name, DvText *reason)
{
    struct stat found;
    if (stat(name, &found) != 0)
        return true; /* who opens it says so */
    if (!is_regular(found.st_mode, reason))
        return false;
    const int file = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return refuse(reason, g_strerror(errno));
    const bool good = fstat(file, &found) == 0 && is_regular(found.st_mode, reason) &&
                      is_sound(file, (uint64_t)found.st_size, reason);
    (void)close(file);
    return good;
}
