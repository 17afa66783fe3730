#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Writes the C code of a page as files: each ```c block starts with a comment that names its file.
# usage: extract_examples.sh PAGE FOLDER
awk -v folder="$2" '
    /^```c$/ { block = 1; file = ""; next }
    /^```/ { block = 0; next }
    !block { next }
    file == "" {
        if (!match($0, /^\/\* [a-z_]+\.c/)) { print FILENAME ":" FNR ": the code does not start with the name of its file"; exit 1 }
        file = folder "/" substr($0, 4, RLENGTH - 3)
        printf "" >file
        printf "#line %d \"%s\"\n", FNR, FILENAME >file
    }
    { print >file }' "$1"
