#!/bin/bash
# limber fit as a user types it.
. "$(dirname "$0")/harness.sh"

expect 0 sample humanoid --seed 3 -o "$WORK/person.obj"
expect 0 animate "$WORK/person.obj" walk -o "$WORK/walk.glb" -q
expect 0 retarget "$WORK/walk.glb" wave -o "$WORK/wave.bvh" -q

# The joints of a motion as points, onto the same body: its own motion comes back.
expect 0 fit "$WORK/walk.glb" "$WORK/wave.bvh" --json -o "$WORK/fitted.glb"
says "taken as positions"
prints '"kind": "positions"'
prints '"swaps": 0'
expect 0 check "$WORK/fitted.glb" --fail-on error
expect 0 fit "$WORK/walk.glb" "$WORK/wave.bvh" -q --threads 1 -o "$WORK/again.glb"
cmp -s "$WORK/fitted.glb" "$WORK/again.glb" || fail "other bytes the second time"

# A body of other proportions: the motion goes onto its own lengths, or it takes the subject's.
expect 0 sample humanoid --seed 9 -o "$WORK/other.obj"
expect 0 rig "$WORK/other.obj" -q -o "$WORK/other.glb"
expect 0 fit "$WORK/other.glb" "$WORK/wave.bvh" --plot "$WORK/feet.png" -o "$WORK/put.glb"
[ "$(head -c 4 "$WORK/feet.png" | tail -c 3)" = PNG ] || fail "the plot is no PNG"
says "motion put on its own lengths"
expect 0 fit "$WORK/other.glb" "$WORK/wave.bvh" --subject --name mine -v -o "$WORK/subject.glb"
says "leftUpperArm"
expect 0 info "$WORK/subject.glb"
prints "mine"

# The same points through files of points.
for format in csv c3d; do
    expect 0 convert "$WORK/wave.bvh" "$WORK/wave.$format"
    expect 0 fit "$WORK/walk.glb" "$WORK/wave.$format" --json -o "$WORK/from_$format.glb"
    prints '"kind": "positions"'
    # Fingers are hinges to the fit, and thumbs bend a little aside.
    awk -F'[:,]' '/"mean_m"/ && $2 > 0.003 { exit 1 }' "$WORK/out" || fail "far from the points"
done

# Labels on the wrong joints are not taken silently.
expect 0 convert "$WORK/wave.bvh" "$WORK/wave.trc"
sed -e '4s/leftHand\t/XX\t/; 4s/rightFoot\t/leftHand\t/; 4s/XX\t/rightFoot\t/' "$WORK/wave.trc" >"$WORK/mixed.trc"
expect 0 fit "$WORK/walk.glb" "$WORK/wave.trc" -o "$WORK/right.glb"
if grep -q 'cm off' "$WORK/err"; then fail "finds points far off where they are not"; fi
expect 0 fit "$WORK/walk.glb" "$WORK/mixed.trc" -o "$WORK/wrong.glb"
says "points are over 10 cm off"

# Points of a NumPy archive: two frames of SMPL's 22 joints standing in T-pose, written by hand.
python=$(command -v python3 || true)
if [ -n "$python" ]; then
    "$python" - "$WORK/points.npy" <<'END'
import struct, sys
joints = [(0, 1, 0), (.09, .92, 0), (-.09, .92, 0), (0, 1.1, 0), (.1, .5, 0), (-.1, .5, 0), (0, 1.22, 0),
          (.1, .09, -.02), (-.1, .09, -.02), (0, 1.3, 0), (.1, .02, .12), (-.1, .02, .12), (0, 1.48, 0),
          (.07, 1.42, 0), (-.07, 1.42, 0), (0, 1.58, .02), (.18, 1.42, 0), (-.18, 1.42, 0), (.45, 1.42, 0),
          (-.45, 1.42, 0), (.7, 1.42, 0), (-.7, 1.42, 0)]
head = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 22, 3), }"
head += ' ' * ((-len(head) - 11) % 64) + '\n'
data = b''.join(struct.pack('<3f', *j) for j in joints) * 2
open(sys.argv[1], 'wb').write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode() + data)
END
    expect 0 fit "$WORK/walk.glb" "$WORK/points.npy" -v -o "$WORK/smpl.glb"
    says "22 of 22 points"
fi

# Keypoints: files of each detector, a folder of frames one of which shows no person.
seeds=$SOURCE/fuzz/seeds/keypoints
expect 0 fit "$WORK/walk.glb" "$seeds/coco.json" --image 1920x1080 --plot "$WORK/lifted.png" -o "$WORK/coco.glb"
says "3 frames, COCO"
expect 0 check "$WORK/coco.glb" --fail-on error
expect 2 fit "$WORK/walk.glb" "$seeds/coco.json" --image 1920 -o "$WORK/none.glb"
says "expected WxH"
mkdir "$WORK/frames"
split -l 1 "$seeds/openpose.jsonl" "$WORK/frames/f_" --additional-suffix=.json
echo '{"version": 1.3, "people": []}' >"$WORK/frames/f_z.json"
expect 0 fit "$WORK/walk.glb" "$WORK/frames" --focal 1800 --rate 25 --json -o "$WORK/folder.glb"
prints '"frames": 4'
prints '"unseen_frames": 1'
prints '"rate_hz": 25'
expect 3 fit "$WORK/walk.glb" "$seeds/nobody.json" -o "$WORK/none.glb"
expect 4 fit "$DATA/arm.gltf" "$seeds/coco.json" -o "$WORK/none.glb"

expect 2 fit "$WORK/walk.glb" "$WORK/wave.bvh" --smooth -1 -o "$WORK/none.glb"
expect 2 fit "$WORK/walk.glb" "$WORK/wave.bvh" --clip nobody -o "$WORK/none.glb"
expect 3 fit "$WORK/walk.glb" "$WORK/person.obj" -o "$WORK/none.glb"
says "points over time"
expect 3 fit "$WORK/walk.glb" "$WORK/nothing.bvh" -o "$WORK/none.glb"
expect 4 fit "$DATA/arm.gltf" "$WORK/wave.bvh" -o "$WORK/none.glb"
says "three are needed"
[ ! -e "$WORK/none.glb" ] || fail "a failed run left a file"
