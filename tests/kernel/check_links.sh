#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The kernel needs GLib and the C library; the program needs zlib and the kernel beside these:   check_links.sh KERNEL [PROGRAM]
failed=0
system='ld-linux[^ ]*|libc|libm|libdl|libpthread|libglib-2\.0'
needed() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }

others=$(needed "$1" | grep -vE "^($system)\.so")
[ -z "$others" ] || { echo "$1 is linked to" $others; failed=1; }
needed "$1" | grep -q libglib || { echo "$1: not the kernel, or readelf says nothing"; failed=1; }
foreign=$(nm -D --defined-only "$1" | awk '$2 != "A" && $3 !~ /^dv_/ { print $3 }')
[ -z "$foreign" ] || { echo "$1 exports names without dv_:" $foreign; failed=1; }
private=$(nm -D --defined-only "$1" | awk '$3 ~ /^dv_private_/ { print $3 }')
[ -z "$private" ] || { echo "$1 exports what is its own:" $private; failed=1; }
if [ -n "${2-}" ]; then
    others=$(needed "$2" | grep -vE "^($system|libz|libdivan-kernel)\.so")
    [ -z "$others" ] || { echo "$2 is linked to" $others; failed=1; }
fi
exit $failed
