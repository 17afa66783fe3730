#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# `./bootstrap install PREFIX` with a blank in PREFIX, and with DESTDIR: what is installed runs and can be built against, and the tree stays as it
# was, so that its other tests go on. Only in build/, which bootstrap uses.
set -eu -o pipefail
root=$DIVAN_TEST_SOURCE_ROOT build=$DIVAN_BUILD_ROOT
if [ "$build" != "$root/build" ] || ! ninja -C "$build" -n 2>/dev/null | grep -q 'no work to do'; then
    echo "skipped: not the build that bootstrap makes, or not up to date"
    exit 77
fi
unset DIVAN_PLUGIN_PATH DIVAN_DATA_PATH LD_LIBRARY_PATH
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
state() { meson introspect "$build" --buildoptions | sha256sum; stat -c %y "$build/build.ninja" "$build/meson-private/coredata.dat"; }

before=$(state)
"$root/bootstrap" install "$here/a b" >"$here/log" 2>&1 || { cat "$here/log"; fail "bootstrap install"; }
[ "$(state)" = "$before" ] || fail "the build is configured otherwise now"
cd "$here"
out=$("$here/a b/bin/divan" run "$root/scenes/pendulum.scn" -n 3) || fail "the installed program does not run"
[[ $out == "3 steps"* ]] || fail "it says: $out"

pc=$(find "$here/a b" -name divan-kernel.pc)
export PKG_CONFIG_PATH=${pc%/*}
printf '#include <divan/divan.h>\nint main(void) { return dv_start(NULL) == DV_OK ? 0 : 1; }\n' >host.c
flags=$(pkg-config --cflags --libs divan-kernel)
eval "cc -std=c11 -Wall -Werror -o host host.c $flags" || fail "a host is not built with: $flags"
LD_LIBRARY_PATH=${pc%/pkgconfig/*} ./host || fail "the host does not start"
# The same from the build tree, by the files that stand beside it.
flags=$(PKG_CONFIG_PATH=$build/meson-uninstalled pkg-config --cflags --libs divan-kit)
eval "cc -std=c11 -Wall -Werror -o built host.c $flags" || fail "a host is not built with: $flags"
LD_LIBRARY_PATH=$build/kernel:$build/kit ./built || fail "the host does not start from the build tree"
datadir=$(pkg-config --variable=datadir divan-kernel)
[ -d "${datadir//\\ / }" ] || fail "datadir is $datadir"

# Folders that were there keep their mode; DESTDIR stands before the prefix, which is what the files speak of.
mkdir -p "$here/stage/opt/x/bin"
chmod 700 "$here/stage/opt/x"
DESTDIR=$here/stage "$root/bootstrap" install /opt/x >"$here/log" 2>&1 || { cat "$here/log"; fail "bootstrap install with DESTDIR"; }
[ -x "$here/stage/opt/x/bin/divan" ] || fail "nothing is below DESTDIR"
[ "$(stat -c %a "$here/stage/opt/x")" = 700 ] || fail "a folder that was there has another mode"
grep -q '^prefix=/opt/x$' "$(find "$here/stage" -name divan-kernel.pc)" || fail "divan-kernel.pc has another prefix"
[ "$(state)" = "$before" ] || fail "the build is configured otherwise now"
if "$root/bootstrap" install relative >"$here/log" 2>&1; then fail "a relative prefix is taken"; fi
echo "1 passed, 0 failed"
