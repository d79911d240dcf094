#!/bin/bash
# Every command that writes refuses a name it cannot write before it reads or does anything: here no input is there.
. "$(dirname "$0")/harness.sh"
cd "$WORK" || exit 1

inputs() { # COMMAND: what stands for its inputs
    case $1 in
    animate | retarget | fit) echo "none.glb none.bvh" ;;
    learn | train) echo "none.obj none1.obj" ;;
    weights) echo "smooth none.glb" ;;
    sample) echo "humanoid" ;;
    listen) echo "none.glb --vmc 0" ;;
    *) echo "none.glb" ;;
    esac
}

count=0
for command in $("$LIMBER" --help | sed -nE 's/^  ([a-z]+) +.*/\1/p' | grep -v limber); do
    "$LIMBER" $command --help | head -1 | grep -q -e ' -o \| \[-o ' || continue
    count=$((count + 1))
    given=$(inputs $command)
    for name in out.xyz out folder.glb/out x.glb.bak .; do
        expect 2 $command $given -o "$name"
        says "$name: the extension names no format; there are ."
    done
    case $command in
    render)
        says "there are .png .gif .mp4"
        expect 2 render none.glb -o out.glb
        expect 2 render none.glb -o out.jpg
        ;;
    train)
        says "there are .lmbs"
        expect 2 train $given -o out.glb
        ;;
    *)
        says ".glb .gltf .vrm .vrma .obj .ply .bvh .limb .c3d .trc .csv .npz"
        for name in fbx OFF stl asf amc md5mesh iqm usd dae; do
            expect 4 $command $given -o "out.$name"
            says "not supported: writing "
        done
        ;;
    esac
    [ "$(ls)" = "$(printf 'err\nout')" ] || fail "something was written"
done
[ "$count" -ge 14 ] || fail "only $count commands write"

# A name that can be written lets the work begin.
for name in out.glb OUT.GLB out.gltf out.vrm out.obj out.bvh - /dev/null; do
    expect 3 rig none.glb -o "$name"
done
for name in out.png OUT.GIF out.mp4 -; do
    expect 3 render none.glb -o "$name"
done

# Outputs beside -o.
expect 2 convert none.glb out.xyz
expect 4 convert none.glb out.fbx
expect 2 listen none.glb --vmc 0 --source out.xyz -o out.glb
expect 4 listen none.glb --vmc 0 --source out.fbx -o out.glb
expect 2 ik none.glb --target a=0,0,0 -o out.png
expect 2 ik none.glb --compare -o out.glb
