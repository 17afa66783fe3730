#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# What a second thread is worth for a step of a scene: medians of several runs with one and with two threads, by turns.
#   speedup.sh [SCENE [RUNS]]     default: large_beam.scn beside this script, 5 runs; DIVAN_HOST: the program
here=$(cd "$(dirname "$0")" && pwd)
divan=${DIVAN_HOST:-$here/../../build/hosts/divan/divan}
scene=${1:-$here/large_beam.scn}
for _ in $(seq "${2:-5}"); do
    for threads in 1 2; do
        "$divan" bench "$scene" -n 20 --threads "$threads" --json | tail -1 |
            sed "s/.*\"median_us\": \([0-9.]*\).*/$threads \1/"
    done
done | awk '{ if (!($1 in best) || $2 < best[$1]) best[$1] = $2 }
    END { printf "one thread %.0f us, two threads %.0f us a step: %.2f times\n", best[1], best[2], best[1] / best[2] }'
