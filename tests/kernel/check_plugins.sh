#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Each plugin exports one symbol and is linked to no other plugin:   check_plugins.sh FOLDER...
failed=0
count=0
for folder; do
    for library in "$folder"/*.so; do
        [ -f "$library" ] || continue
        count=$((count + 1))
        symbols=$(nm -D --defined-only "$library" | awk '$2 != "A" && $2 != "w" { print $3 }' | sort | tr '\n' ' ')
        if [ "$symbols" != "dv_plugin_entry " ]; then
            echo "$library exports: $symbols"
            failed=1
        fi
        others=$(readelf -d "$library" | grep NEEDED | grep -o '\[divan-[^]]*\]')
        if [ -n "$others" ]; then
            echo "$library is linked to other plugins: $others"
            failed=1
        fi
    done
done
[ $count -gt 0 ] || { echo "no plugin found"; exit 77; }
exit $failed
