#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The kernel's core needs GLib and the C library, kernel/words the core beside these, the kit both but not GLib, the program all three and zlib:
#   check_links.sh KERNEL WORDS KIT [PROGRAM]
failed=0
system='ld-linux[^ ]*|libc|libm|libdl|libpthread|libglib-2\.0'
needed() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }

only() { # LIBRARY PATTERN: it is linked to nothing else
    others=$(needed "$1" | grep -vE "^($2)\.so")
    [ -z "$others" ] || { echo "$1 is linked to" $others; failed=1; }
}

only "$1" "$system"
only "$2" "$system|libdivan-kernel"
only "$3" 'ld-linux[^ ]*|libc|libm|libdivan-(kernel|words)'
for library in "$1" "$2" "$3"; do
    needed "$library" | grep -q 'libglib\|libdivan' || { echo "$library: not of the kernel, or readelf says nothing"; failed=1; }
    foreign=$(nm -D --defined-only "$library" | awk '$2 != "A" && $3 !~ /^dv_/ { print $3 }')
    [ -z "$foreign" ] || { echo "$library exports names without dv_:" $foreign; failed=1; }
    private=$(nm -D --defined-only "$library" | awk '$3 ~ /^dv_(private|words)_/ { print $3 }')
    [ -z "$private" ] || { echo "$library exports what is its own:" $private; failed=1; }
done
# What the core exports for kernel/words alone is used there, and public headers know nothing of it.
spare=$(nm -D --defined-only "$1" | awk '$3 ~ /^dv_core_/ { print $3 }' | while read -r name; do
    nm -D --undefined-only "$2" | grep -qw "$name" || echo "$name"
done)
[ -z "$spare" ] || { echo "$1 exports for $2 what that does not use:" $spare; failed=1; }
[ -z "${4-}" ] || only "$4" "$system|libz|libdivan-(kernel|words|kit)"
exit $failed
