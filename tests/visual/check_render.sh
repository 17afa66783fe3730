#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# divan render: files, films, cameras, and what it says when something is not there.     check_render.sh DIVAN PLUGINS
set -u
divan=$(realpath "$1") plugins=$2
LC_ALL=C
export LC_ALL
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

fail()
{
    echo "$*"
    failed=1
}

# run STATUS ARGUMENTS...
run()
{
    wanted=$1
    shift
    last="divan $*"
    "$divan" "$@" >"$work/log" 2>&1
    got=$?
    [ "$got" -eq "$wanted" ] || fail "exit status $got instead of $wanted: $last ($(head -n 3 "$work/log"))"
}

says()
{
    grep -qE -- "$1" "$work/log" || fail "no line like '$1' from: $last: $(cat "$work/log")"
}

cat >"$work/ball.scn" <<'END'
<Node name="root" gravity="0 -10 0" dt="0.1">
  <DefaultAnimationLoop/>
  <VisualStyle displayFlags="showBehaviorModels"/>
  <Camera name="near" position="0 0 4" lookAt="0 0 0"/>
  <EulerExplicitSolver/>
  <MechanicalObject name="ball" position="0 0 0" showObject="1" showObjectScale="0.5" drawMode="1"/>
  <UniformMass totalMass="2"/>
</Node>
END

# Wrong command lines, whatever is there to draw with.
run 2 render "$work/ball.scn"
says 'needs --out DIR, --mp4 FILE or both'
run 2 render "$work/ball.scn" --out "$work/o" --size 10
says '--size 10: expected width and height in pixels, as 1280x720'
run 2 render "$work/ball.scn" --out "$work/o" --size 20000x10
says 'a side has at most 16384 pixels'
run 2 render "$work/ball.scn" --out "$work/o" --frames 0
says '--frames 0: expected a whole number from 1'

# Without the plugins that draw. A set of them all but those.
mkdir "$work/set"
version=$("$divan" --version | cut -d' ' -f2)
{
    echo '[few]'
    for id in scene mechanics solvers collision topology visual; do echo "divan.$id = $version"; done
    echo '[blind]'
    for id in scene mechanics solvers collision topology; do echo "divan.$id = $version"; done
    echo '[imageless]'
    for id in scene mechanics solvers collision topology visual opengl; do echo "divan.$id = $version"; done
} >"$work/set/plugins.conf"
DIVAN_PLUGIN_PATH="$work/set:${DIVAN_PLUGIN_PATH:-}"
export DIVAN_PLUGIN_PATH
run 1 render "$work/ball.scn" --out "$work/o" --plugin-set few
says 'nothing draws pictures: the plugin divan.opengl is not loaded.*libepoxy-dev'
run 1 render "$work/ball.scn" --out "$work/o" --plugin-set blind
says 'nothing records pictures: the plugin divan.visual is not loaded'

# What needs graphics or image libraries stays out of the host and of all other plugins.
for file in "$divan" "$plugins"/*/*.so; do
    case $file in
    *divan-opengl.so | *divan-image.so) continue ;;
    esac
    if ldd "$file" | grep -E 'lib(GL|EGL|epoxy|png|jpeg|freetype|SDL2)'; then
        fail "$file needs a library of graphics"
    fi
done

if ! "$divan" render "$work/ball.scn" --out "$work/first" --size 64x48 >"$work/log" 2>&1; then
    grep -qE 'nothing can be drawn: |^divan: nothing (records|draws|writes) ' "$work/log" || fail "a picture cannot be had: $(cat "$work/log")"
    echo "the rest is skipped: $(tail -n 1 "$work/log")"
    exit $failed
fi
grep -q '^divan:' "$work/log" && fail "complains of nothing: $(cat "$work/log")"
[ "$(head -c 4 "$work/first/frame_00000.png" | tail -c 3)" = PNG ] || fail "frame_00000.png is no PNG"

# No driver.
mkdir "$work/empty"
__EGL_VENDOR_LIBRARY_DIRS=$work/empty
export __EGL_VENDOR_LIBRARY_DIRS
run 1 render "$work/ball.scn" --out "$work/o" --size 64x48
says 'nothing can be drawn: no OpenGL without a window: .*; on Debian: apt-get install libgl1-mesa-dri'
unset __EGL_VENDOR_LIBRARY_DIRS

# Sizes that are unusual.
run 0 render "$work/ball.scn" --out "$work/s" --size 1x1
run 0 render "$work/ball.scn" --out "$work/s" --size 3x257

# As many pictures as asked for; a moving thing makes them different, the same moment makes them alike.
run 0 render "$work/ball.scn" --out "$work/a/b" --size 64x48 --frames 3 --every 2
says '^3 pictures of 64 x 48 pixels in .*/a/b, drawn by '
[ "$(ls "$work/a/b")" = "$(printf 'frame_00000.png\nframe_00001.png\nframe_00002.png')" ] || fail "not three pictures: $(ls "$work/a/b")"
cmp -s "$work/a/b/frame_00000.png" "$work/first/frame_00000.png" || fail "the first moment looks different in two runs"
cmp -s "$work/a/b/frame_00000.png" "$work/a/b/frame_00001.png" && fail "nothing moved"
run 0 render "$work/ball.scn" --out "$work/c" --size 64x48 -n 2 --quiet
[ ! -s "$work/log" ] || fail "not quiet: $(cat "$work/log")"
cmp -s "$work/c/frame_00000.png" "$work/a/b/frame_00001.png" || fail "-n 2 is not the second picture with --every 2"

run 0 render "$work/ball.scn" --out "$work/c" --size 64x48 -n 1
run 0 render "$work/ball.scn" --out "$work/g" --size 64x48 --frames 2
cmp -s "$work/c/frame_00000.png" "$work/g/frame_00001.png" || fail "-n 1 is not the second picture"

# Cameras: of the scene, as numbers, from a file, which all look from the same place; beside the scene; and the whole.
run 0 render "$work/ball.scn" --out "$work/d" --size 64x48 --camera near
cmp -s "$work/d/frame_00000.png" "$work/first/frame_00000.png" || fail "the scene's camera is not the default"
run 0 render "$work/ball.scn" --out "$work/d" --size 64x48 --camera '0 0 4 0 0 0'
cmp -s "$work/d/frame_00000.png" "$work/first/frame_00000.png" || fail "six numbers look from elsewhere"
# A camera that goes from z = 4 to z = 2 in 0.2 s, in front of what stands still; a step moves it to where it is when the step begins
cat >"$work/passing.scn" <<'END'
<Node name="root" gravity="0 0 0" dt="0.1">
  <DefaultAnimationLoop/>
  <VisualStyle displayFlags="showBehaviorModels"/>
  <RecordedCamera name="passing" position="0 0 4" lookAt="0 0 0" translationMode="1" startTime="0" endTime="0.2"
    cameraPositions="0 0 4  0 0 2"/>
  <MechanicalObject name="ball" position="0 0 0  0.4 0.1 0" showObject="1" showObjectScale="0.3" drawMode="1"/>
</Node>
END
run 0 render "$work/passing.scn" --out "$work/p" --size 64x48 --frames 3 --camera passing
cmp -s "$work/p/frame_00000.png" "$work/p/frame_00002.png" && fail "the camera stands still"
run 0 render "$work/passing.scn" --out "$work/q" --size 64x48 --camera "0 0 3 0 0 2" -n 2
cmp -s "$work/q/frame_00000.png" "$work/p/frame_00002.png" || fail "a camera that passes is elsewhere"
printf '<Camera version="1.0"><position value="0 0 4"/><orientation value="0 0 0 1"/><fieldOfView value="45"/><distance value="4"/></Camera>' >"$work/v.view"
run 0 render "$work/ball.scn" --out "$work/d" --size 64x48 --camera "$work/v.view"
cmp -s "$work/d/frame_00000.png" "$work/first/frame_00000.png" || fail "the view file looks from elsewhere"
run 0 render "$work/ball.scn" --out "$work/d" --size 64x48 --camera default
cmp -s "$work/d/frame_00000.png" "$work/first/frame_00000.png" && fail "the default view is that of the camera"
sed 's/0 0 4/0 0 9/' "$work/v.view" >"$work/ball.scn.view"
run 0 render "$work/ball.scn" --out "$work/d" --size 64x48
cmp -s "$work/d/frame_00000.png" "$work/first/frame_00000.png" && fail "the view beside the scene does not count"
rm "$work/ball.scn.view"
run 1 render "$work/ball.scn" --out "$work/d" --camera far
says "--camera far: neither a camera of the scene, nor six numbers .*; the scene has near"
echo '<Camera version="1.0"><position value="0 0 x"/></Camera>' >"$work/bad.view"
run 1 render "$work/ball.scn" --out "$work/d" --camera "$work/bad.view"
says 'bad\.view: this is no view: position'
run 1 render "$work/ball.scn" --out "$work/d" --camera "$work/nowhere.view"
says 'nowhere\.view: .*No such file'

# A ViewerSetting: its size where --size is not given, and its projection.
sed 's|<EulerExplicit|<ViewerSetting resolution="70 50"/><EulerExplicit|' "$work/ball.scn" >"$work/setting.scn"
run 0 render "$work/setting.scn" --out "$work/e"
says '^1 picture of 70 x 50 pixels'
run 0 render "$work/setting.scn" --out "$work/e" --size 64x48
cmp -s "$work/e/frame_00000.png" "$work/first/frame_00000.png" || fail "a ViewerSetting changes more than the size"
sed -i 's|resolution="70 50"|cameraMode="Orthographic"|' "$work/setting.scn"
sed 's|cameraMode="Orthographic"||; s|<Camera name="near"|& projectionType="Orthographic"|' "$work/setting.scn" >"$work/parallel.scn"
run 0 render "$work/parallel.scn" --out "$work/f" --size 64x48
run 0 render "$work/setting.scn" --out "$work/e" --size 64x48
cmp -s "$work/e/frame_00000.png" "$work/f/frame_00000.png" || fail "cameraMode is not the projection of the camera"
cmp -s "$work/e/frame_00000.png" "$work/first/frame_00000.png" && fail "cameraMode changes nothing"

# Files that cannot be written leave nothing half.
echo mine >"$work/file"
run 1 render "$work/ball.scn" --out "$work/file" --size 64x48
says '--out .*/file: no folder can be made there: '
mkdir "$work/full"
ln -s /dev/full "$work/full/frame_00000.png"
run 1 render "$work/ball.scn" --out "$work/full" --size 64x48
says 'full/frame_00000\.png: .*No space left'
cp "$work/ball.scn" "$work/frame_00000.png"
run 1 render "$work/frame_00000.png" --out "$work" --size 64x48
says 'frame_00000\.png: '
cmp -s "$work/ball.scn" "$work/frame_00000.png" || fail "the scene was written over"

# A driver without tessellation draws the triangles, and it is told once; so Mesa's is made one.
cp "${DIVAN_TEST_SOURCE_ROOT}/scenes/visual/patches.scn" "${DIVAN_TEST_SOURCE_ROOT}/scenes/visual/sphere.tese" "$work"
run 0 render "$work/patches.scn" --out "$work" --size 90x40
cp "$work/frame_00000.png" "$work/divided.png"
MESA_GL_VERSION_OVERRIDE=3.3 MESA_EXTENSION_OVERRIDE=-GL_ARB_tessellation_shader run 0 render "$work/patches.scn" --out "$work" --size 90x40
if grep -q 'drawn by llvmpipe' "$work/log"; then
    says 'fine/OglShader1: fileTessellationEvaluationShaders: llvmpipe.* has no tessellation'
    [ "$(grep -c 'has no tessellation' "$work/log")" -eq 2 ] || fail "told more than once each: $(cat "$work/log")"
    ! cmp -s "$work/divided.png" "$work/frame_00000.png" || fail "patches were divided without tessellation"
fi

# Films, by a program in the place of ffmpeg that puts the pixels into the file as they come.
mkdir "$work/bin"
cat >"$work/bin/ffmpeg" <<END
#!/bin/sh
echo "\$@" >"$work/told"
\${TAKES:-cat}
exit \${STATUS:-0}
END
chmod +x "$work/bin/ffmpeg"
film() # STATUS ARGUMENTS...
{
    film_status=$1
    shift
    PATH=$work/bin:$PATH run "$film_status" render "$@"
}
told()
{
    grep -q -- "$1" "$work/told" || fail "ffmpeg was not told '$1': $last: $(cat "$work/told")"
}
film 0 "$work/ball.scn" --mp4 "$work/raw.mp4" --out "$work/g" --size 64x48 --frames 3 --every 2
says '^3 pictures of 64 x 48 pixels in .*/g, drawn by '
told '-f rawvideo -pix_fmt rgba -s 64x48 -r 5 -i pipe:0 .* -f mp4 /dev/fd/1$'
[ "$(wc -c <"$work/raw.mp4")" -eq $((64 * 48 * 4 * 3)) ] || fail "the film holds $(wc -c <"$work/raw.mp4") bytes"
cmp -s "$work/g/frame_00002.png" "$work/a/b/frame_00002.png" || fail "pictures beside a film are others"
head -c $((64 * 48 * 4)) "$work/raw.mp4" >"$work/frame"
film 0 "$work/ball.scn" --mp4 "$work/one.mp4" --size 64x48 --plugin-set imageless
says '^1 picture of 64 x 48 pixels, drawn by '
cmp -s "$work/one.mp4" "$work/frame" || fail "a film of one picture is not the first of three"
told '-r 10 '
film 0 "$work/ball.scn" --mp4 "$work/one.mp4" --size 2x2
film 1 "$work/ball.scn" --mp4 "$work/one.mp4" --size 1x2
says 'a film has at least 2 x 2 pixels, not 1 x 2'
film 0 "$work/ball.scn" --mp4 "$work/one.mp4" --size 64x48 --every 40 # no slower than one, no faster than 240
told '-r 1 '
for rate in 0.001:240 0.05:20; do
    film 0 "$work/ball.scn" --mp4 "$work/one.mp4" --size 64x48 --dt "${rate%:*}"
    told "-r ${rate#*:} "
done
cp "$work/ball.scn" "$work/old.mp4"
STATUS=3 film 1 "$work/ball.scn" --mp4 "$work/old.mp4" --size 64x48
says 'old\.mp4: ffmpeg failed; its message is above'
TAKES=true film 1 "$work/ball.scn" --mp4 "$work/old.mp4" --size 640x480
says 'old\.mp4: ffmpeg takes no more pictures; its message is above'
cmp -s "$work/ball.scn" "$work/old.mp4" || fail "the old film has gone"
run 1 render "$work/ball.scn" --out "$work/o" --plugin-set imageless
says 'nothing writes images: the plugin divan.image is not loaded.*libpng-dev'
if command -v ffmpeg >/dev/null; then
    run 0 render "$work/ball.scn" --mp4 "$work/film.mp4" --size 65x49 --frames 5
    [ "$(head -c 8 "$work/film.mp4" | tail -c 4)" = ftyp ] || fail "film.mp4 is none"
    cp "$work/ball.scn" "$work/old.mp4"
    run 1 render "$work/ball.scn" --mp4 "$work/old.mp4" --size 64x1
    says 'old\.mp4: a film has at least 2 x 2 pixels, not 64 x 1; give a larger --size'
    cmp -s "$work/ball.scn" "$work/old.mp4" || fail "the old film has gone"
    run 1 render "$work/ball.scn" --mp4 /dev/full --size 64x48 --frames 2
    says '/dev/full'
    # The disk is full when all pictures are there and the end of the file is written.
    (trap '' XFSZ && ulimit -f 1 && run 1 render "$work/ball.scn" --mp4 "$work/old.mp4" --size 65x49 --frames 5 && exit "$failed") || failed=1
    says 'ffmpeg failed'
    cmp -s "$work/ball.scn" "$work/old.mp4" || fail "the old film has gone"
fi
cp "$work/ball.scn" "$work/old.mp4"
PATH=$work/empty run 1 render "$work/ball.scn" --mp4 "$work/old.mp4" --size 64x48
says 'ffmpeg cannot be started .*apt-get install ffmpeg'
cmp -s "$work/ball.scn" "$work/old.mp4" || fail "the old film has gone"
[ -z "$(find "$work" -name '*.part')" ] || fail "left behind: $(find "$work" -name '*.part')"
exit $failed
