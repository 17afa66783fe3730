#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""embed.py FILE NAME OUT.c: a file as an array of C, with its length."""
import sys

with open(sys.argv[1], "rb") as file:
    content = file.read()
name = sys.argv[2]
with open(sys.argv[3], "w", encoding="ascii") as out:
    out.write("#include <stddef.h>\nextern const char %s[];\nextern const size_t %s_size;\n" % (name, name))
    out.write("const char %s[] = {\n" % name)
    for at in range(0, len(content), 24):
        out.write("    " + " ".join("0x%02x," % byte for byte in content[at:at + 24]) + "\n")
    out.write("    0};\nconst size_t %s_size = %d;\n" % (name, len(content)))
