#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Rules of the house that a compiler does not know:   check_rules.sh SOURCE_ROOT
#
# - Each file names its licence, but meshes, pictures, tables of other programs and fuzz inputs, whose formats leave no room for it.
# - A plugin includes public headers and its own files, a host, the kernel and the kit likewise; a public header needs the C library alone,
#   one of the kernel nothing of the kit. Of the kit a host takes its formulas alone.
# - The core of the kernel (kernel/src) does not know kernel/words, which knows of it only core.h. What the core stands on knows of it
#   only ground.h, which knows no object.
# - The kernel knows no physics and names no class of a plugin.
# - Kernel and plugins leave the process alone: no exit, no abort.
# - Components write files by dv_scene_output_* alone, so that a scene writes only where it may (pictures are written for a host).
set -eu
cd "$1"
failed=0
complain() { # what, lines (nothing when all is well)
    [ -n "$2" ] || return 0
    printf '%s:\n%s\n' "$1" "$2"
    failed=1
}

if ! files=$(git ls-files --cached --others --exclude-standard 2>/dev/null) || [ -z "$files" ]; then
    files=$(find . -path './build*' -prune -o -path ./.git -prune -o -type f -print | sed 's|^\./||')
fi
[ "$(printf '%s\n' "$files" | wc -l)" -gt 100 ] || { echo "too few files: is $1 the source root?"; exit 1; }

unlicensed=$(printf '%s\n' "$files" | grep -vE '^(LICENSE|\.gitignore|tests/fuzz/corpus/.*|tests/[a-z]+/golden/.*|tests/(errors|fields)/.*\.(scn|txt|tsv|expected|so|bvh|state|trm|xfm|topology|gz|session)|.*\.(msh|obj|mtl|vtk|rigid|xs3|sph|png|webp|stl|off|trian|gid|raw|ply|inp|bdf))$' |
    tr '\n' '\0' | xargs -0 head -v -n 6 2>/dev/null | LC_ALL=C awk '
        function end_file() { if (file && !named) print "  " file }
        /^==> .* <==$/ { end_file(); file = substr($0, 5, length($0) - 8); named = 0 }
        /SPDX-License-Identifier: / { named = 1 }
        END { end_file() }')
complain "files without an SPDX-License-Identifier in their first lines" "$unlicensed"

# A quoted include is found beside the file or in the top folder of the same plugin, never above it.
strangers=$(printf '%s\n' "$files" | grep -E '^(kernel/(src|words)|kit|plugins/[^/]+|hosts/[^/]+)/.*\.[ch]$' |
    tr '\n' '\0' | xargs -0 grep -oHE '^ *# *include *"[^"]*"' 2>/dev/null | sed 's/: *# *include *"/ /; s/"$//' |
    while read -r file header; do
        case $file in
        kernel/words/*) top=kernel/words core=core.h ;;
        kit/*) top=kit/src core= ;;
        *) below=${file#*/} core= && top=${file%%/*}/${below%%/*} ;;
        esac
        case $file in
        hosts/*) shared=hosts ;; # what hosts share lies beside them
        *) shared=$top ;;
        esac
        case $header in
        *../*) printf '  %s: "%s"\n' "$file" "$header" ;;
        "$core") ;; # of kernel/src
        *) [ -f "${file%/*}/$header" ] || [ -f "$top/$header" ] || [ -f "$shared/$header" ] || printf '  %s: "%s"\n' "$file" "$header" ;;
        esac
    done)
complain "includes of files outside the own folder" "$strangers"

ground=$(grep -nE '^ *# *include *"' kernel/src/ground.h kernel/src/thread.c kernel/src/memory.c kernel/src/text.c kernel/src/list.c kernel/src/log.c kernel/src/parallel.c |
    grep -v '"ground\.h"' || true)
complain "objects in what the core stands on" "$ground"

below=$(grep -rn 'divan/kit/' kernel hosts --include='*.[ch]' | grep -v '^hosts/.*<divan/kit/formula\.h>' || true)
complain "the kit in what it stands on, or in a host but for formulas" "$below"
public=$(grep -rnE '^ *# *include *[<"]' kernel/include kit/include --include='*.h' |
    grep -vE '<(divan/[a-z0-9_/]+|assert|complex|ctype|errno|float|inttypes|limits|math|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|string)\.h>' || true)
complain "public headers that need more than the C library" "$public"
glib=$(grep -rnE '\b(G(List|Array|PtrArray|HashTable|String|Error|KeyFile|Mutex)|g[a-z]*(boolean|pointer|int|uint|size|char)|g_[a-z_]+)\b' kernel/include kit --include='*.[ch]' |
    grep -vE '\bg_[a-z]\b' || true)
complain "GLib in public headers" "$glib"

physics=$(grep -rniE '(mass|stiffness|spring|young|poisson|damping|rayleigh|elastic|friction|collision|newton|euler|jacobi|corotation|conjugate|preconditio)' \
    kernel/src kernel/words --include='*.[ch]' || true)
complain "physics in the kernel" "$physics"
names=$(grep -rhoE '^ *\.name = "[A-Z][A-Za-z0-9]+"' plugins --include='*.c' | sed 's/.*"\(.*\)"/\1/' | sort -u)
[ "$(printf '%s\n' "$names" | wc -l)" -gt 20 ] || { echo "too few classes found in plugins"; exit 1; }
named=$(printf '%s\n' "$names" | sed 's/.*/"&"/' | grep -rnFf - kernel/src kernel/words kit/src --include='*.[ch]' || true)
complain "classes of plugins named in the kernel or the kit" "$named"

# Where there is no memory left, kernel/words/memory.c ends the process: it says so in its head.
leaving=$(grep -rnE '\b(exit|_exit|abort|quick_exit)\(' kernel/src kernel/words kit plugins --include='*.[ch]' | grep -vE ':[0-9]+: *(/?\*|//)|^kernel/words/memory\.c:' || true)
complain "calls that end the process" "$leaving"

writers=$(grep -rnE '\b(dv_output_(open|write) *\(|mkdir(at)? *\(|rename(at)? *\(|O_CREAT\b|fopen *\([^)]*"[wa])' plugins --include='*.c' --include='*.h' |
    grep -v '^plugins/visual/image/plugin.c:' || true)
complain "files written without the gate for scenes" "$writers"

exit $failed
