#!/bin/bash
# limber listen and limber play, against each other and against bytes written by hand.
. "$(dirname "$0")/harness.sh"
command -v timeout >/dev/null || exit 77

"$LIMBER" sample humanoid --seed 3 -o "$WORK/a.obj" -q
"$LIMBER" sample humanoid --seed 9 -o "$WORK/b.obj" -q
"$LIMBER" animate "$WORK/a.obj" wave -o "$WORK/a.glb" -q
"$LIMBER" rig "$WORK/b.obj" -o "$WORK/b.glb" -q

# port NAME: the port that the listener whose messages are in $WORK/NAME.err has taken.
port() {
    local k
    for k in $(seq 100); do
        grep -o 'port [0-9]*' "$WORK/$1.err" 2>/dev/null | head -1 | cut -d' ' -f2 | grep . && return
        sleep 0.05
    done
}

# A sender, garbage in between, a relay to a second listener; both end on an interrupt.
"$LIMBER" listen "$WORK/b.glb" --vmc 0 --json -o "$WORK/second.glb" >"$WORK/second.out" 2>"$WORK/second.err" &
second=$!
second_port=$(port second)
"$LIMBER" listen "$WORK/b.glb" --vmc 0 --relay "127.0.0.1:$second_port" --source "$WORK/source.glb" --json -o "$WORK/first.glb" \
    >"$WORK/first.out" 2>"$WORK/first.err" &
first=$!
first_port=$(port first)
if [ -z "$first_port" ] || [ -z "$second_port" ]; then
    kill "$first" "$second" 2>/dev/null
    echo "no sockets here"
    exit 77
fi
printf '/VMC/Ext/Blend/Val\0\0,sf\0A\0\0\0?\0\0\0' >"/dev/udp/127.0.0.1/$first_port"
expect 0 play "$WORK/a.glb" --vmc "$first_port" --seconds 1.5 --rate 60
says "90 frames"
printf '/VMC/Ext/Bone/Pos' >"/dev/udp/127.0.0.1/$first_port"
printf 'hello' >"/dev/udp/127.0.0.1/$first_port"
printf '/unknown\0\0\0\0,i\0\0\0\0\0\1' >"/dev/udp/127.0.0.1/$first_port"
sleep 0.3
kill -INT "$first"
wait "$first" || fail "listen ended with $?"
kill -TERM "$second"
wait "$second" || fail "the second listener ended with $?"
said="limber listen"
holds "$WORK/first.out" '"frames": 90'
holds "$WORK/first.out" '"malformed": 2'
holds "$WORK/first.out" '"ignored": 1'
holds "$WORK/first.out" '"late": 0'
holds "$WORK/first.out" '"expressions_dropped": 1'
holds "$WORK/second.out" '"expressions_dropped": 1'
grep -q '"relayed": 0' "$WORK/first.out" && fail "nothing was relayed"
expect 0 info "$WORK/source.glb"
prints "live"
expect 0 check "$WORK/first.glb" --fail-on error
expect 0 check "$WORK/second.glb" --fail-on error

# A BVH stream: a file sent through a connection in pieces, garbage between, relayed; then by datagrams.
expect 0 convert "$WORK/a.glb" "$WORK/a.bvh"
"$LIMBER" listen "$WORK/b.glb" --bvh 0 --relay "127.0.0.1:$first_port" --source "$WORK/stream.glb" --json \
    -o "$WORK/third.glb" >"$WORK/third.out" 2>"$WORK/third.err" &
third=$!
third_port=$(port third)
rows=$(sed -n 's/^Frames: *//p' "$WORK/a.bvh" | tr -d '\r')
{ head -c 3000 "$WORK/a.bvh" && sleep 0.1 && tail -c +3001 "$WORK/a.bvh" && echo "1 2 what" && tail -n 1 "$WORK/a.bvh"; } \
    >"/dev/tcp/127.0.0.1/$third_port"
sleep 0.3
kill -INT "$third"
wait "$third" || fail "listen --bvh ended with $?"
said="limber listen --bvh"
holds "$WORK/third.out" "\"frames\": $((rows + 1))"
holds "$WORK/third.out" '"malformed": 1'
grep -q '"relayed": 0' "$WORK/third.out" && fail "nothing was relayed"
expect 0 check "$WORK/third.glb" --fail-on error
expect 0 info "$WORK/stream.glb"
prints "live"

"$LIMBER" listen "$WORK/b.glb" --bvh 0 --hierarchy "$WORK/a.bvh" --json -o "$WORK/fourth.glb" \
    >"$WORK/fourth.out" 2>"$WORK/fourth.err" &
fourth=$!
fourth_port=$(port fourth)
tail -n 20 "$WORK/a.bvh" | while IFS= read -r row; do printf '0 CHAR00 %s||' "${row%$'\r'}" >"/dev/udp/127.0.0.1/$fourth_port"; done
sleep 0.2
kill -INT "$fourth"
wait "$fourth" || fail "listen --bvh by datagrams ended with $?"
said="limber listen --bvh, datagrams"
holds "$WORK/fourth.out" '"frames": 20'
holds "$WORK/fourth.out" '"malformed": 0'

# A performer's motion on an animal, which is no human.
expect 0 sample snake --seed 2 --rigged -o "$WORK/snake.glb"
for way in chains human; do
    rm -f "$WORK/snakes.err"
    "$LIMBER" listen "$WORK/snake.glb" --vmc 0 --as "$way" --relay "127.0.0.1:$first_port" --json -o "$WORK/snake-$way.glb" \
        >"$WORK/snakes.out" 2>"$WORK/snakes.err" &
    snakes=$!
    expect 0 play "$WORK/a.glb" --vmc "$(port snakes)" --seconds 0.5 --rate 60
    sleep 0.2
    kill -INT "$snakes" 2>/dev/null
    wait "$snakes"
    echo "$way $?" >>"$WORK/ways"
done
said="limber listen --as"
holds "$WORK/ways" "chains 0"
holds "$WORK/ways" "human 4"
expect 0 check "$WORK/snake-chains.glb" --fail-on error
[ ! -e "$WORK/snake-human.glb" ] || fail "a failed run left a file"
expect 2 listen "$WORK/snake.glb" --vmc 0 --as cat -o "$WORK/none.glb"

# A performer whose clock leaps to 1e6 s for one frame, and back: nothing is lost.
be32() { printf '\\x%02x\\x%02x\\x%02x\\x%02x' $(($1 >> 24 & 255)) $(($1 >> 16 & 255)) $(($1 >> 8 & 255)) $(($1 & 255)); }
time_message() { printf '/VMC/Ext/T\\0\\0,f\\0\\0%s' "$(be32 "$1")"; } # the bits of a float
bone_message() { # NAME, padded to four with at least one zero
    local name=$1 pad=$(((${#1} / 4 + 1) * 4 - ${#1}))
    printf '/VMC/Ext/Bone/Pos\\0\\0\\0,sfffffff\\0\\0\\0%s' "$name"
    printf '\\0%.0s' $(seq $pad)
    printf '%s' "$(be32 0)$(be32 $((0x3f800000)))$(be32 0)$(be32 0)$(be32 0)$(be32 0)$(be32 $((0x3f800000)))"
}
bundle() { # MESSAGE…
    local all='#bundle\0\0\0\0\0\0\0\0\1' message
    for message in "$@"; do
        all+="$(be32 "$(printf "$message" | wc -c)")$message"
    done
    printf '%s' "$all"
}
perform() { # PORT BONE…: 12 frames, 0.02 s apart on the performer's clock, the 6th of 1e6 s
    local port=$1 bones=() name k bits
    shift
    for name in "$@"; do bones+=("$(bone_message "$name")"); done
    for k in $(seq 12); do
        bits=$(awk -v t="$(awk -v k="$k" 'BEGIN { print k == 6 ? 1e6 : 1 + k * 0.02 }')" 'BEGIN {
            e = 0; x = t; while (x >= 2) { x /= 2; ++e } while (x < 1) { x *= 2; --e } printf "%d", (e + 127) * 8388608 + (x - 1) * 8388608 }')
        printf "$(bundle "${bones[@]}" "$(time_message "$bits")")" >"/dev/udp/127.0.0.1/$port"
        sleep 0.01
    done
}
rm -f "$WORK/leap.err"
"$LIMBER" listen "$WORK/b.glb" --vmc 0 --source "$WORK/leap-source.glb" --json -o "$WORK/leap.glb" >"$WORK/leap.out" 2>"$WORK/leap.err" &
leap=$!
limbs="LeftUpperLeg LeftLowerLeg LeftFoot RightUpperLeg RightLowerLeg RightFoot Spine Chest Neck Head LeftUpperArm LeftLowerArm LeftHand RightUpperArm RightLowerArm RightHand"
perform "$(port leap)" Hips $limbs
sleep 0.2
kill -INT "$leap"
wait "$leap" || fail "listen with a leaping clock ended with $?: $(cat "$WORK/leap.err")"
said="limber listen, a leap"
holds "$WORK/leap.err" "clock leapt 2 times"
expect 0 info "$WORK/leap-source.glb"
awk '/clip 0/ { sub(/.*", /, ""); if ($1 + 0 < 0.1 || $1 + 0 > 5) exit 1; seen = 1 } END { exit !seen }' "$WORK/out" ||
    fail "a recording of a quarter of a second has: $(grep clip "$WORK/out")"
expect 0 info "$WORK/leap.glb"

# A performer without lower legs cannot be put on a human: what came is written all the same.
rm -f "$WORK/torso.err"
"$LIMBER" listen "$WORK/b.glb" --vmc 0 --as human -o "$WORK/torso.glb" >"$WORK/torso.out" 2>"$WORK/torso.err" &
torso=$!
perform "$(port torso)" Hips LeftUpperLeg RightUpperLeg Spine Head
sleep 0.2
kill -INT "$torso"
wait "$torso"
code=$?
said="limber listen, a torso"
if [ $code != 0 ]; then
    holds "$WORK/torso.err" "what came was written to $WORK/torso.received.glb"
    expect 0 info "$WORK/torso.received.glb"
    prints "live"
fi

# Memory that is full ends the recording, which is written.
rm -f "$WORK/full.err"
"$LIMBER" listen "$WORK/b.glb" --vmc 0 --max-memory 32M --threads 1 -o "$WORK/full.glb" >/dev/null 2>"$WORK/full.err" &
full=$!
full_port=$(port full)
if [ -n "$full_port" ]; then
    "$LIMBER" play "$WORK/a.glb" --vmc "$full_port" --seconds 3.5 --rate 1000 >/dev/null 2>&1 &
    player=$!
    for k in $(seq 100); do kill -0 "$full" 2>/dev/null || break; sleep 0.05; done
    kill -INT "$full" 2>/dev/null
    wait "$full"
    code=$?
    kill "$player" 2>/dev/null
    said="limber listen, memory full"
    if ! grep -qa __asan_init "$LIMBER"; then
        holds "$WORK/full.err" "the recording ended when its memory was full"
        [ -e "$WORK/full.glb" ] || [ -e "$WORK/full.received.glb" ] || fail "nothing was written (exit $code)"
    fi
fi

# Nothing came; and what makes no sense.
expect 3 listen "$WORK/b.glb" --vmc 0 --seconds 0.1 -o "$WORK/none.glb"
says "no frame came"
expect 2 listen "$WORK/b.glb" -o "$WORK/none.glb"
expect 2 listen "$WORK/b.glb" --vmc 0 --relay nowhere -o "$WORK/none.glb"
says "expected HOST:PORT"
expect 2 listen "$WORK/b.glb" --vmc 0 --bvh 0 -o "$WORK/none.glb"
expect 2 listen "$WORK/b.glb" --bvh here -o "$WORK/none.glb"
expect 3 listen "$WORK/b.glb" --bvh 0 --hierarchy "$WORK/a.obj" -o "$WORK/none.glb"
expect 2 listen "$WORK/b.glb" --bvh 0 --order xxz -o "$WORK/none.glb"
expect 1 listen "$WORK/b.glb" --bvh 127.0.0.1:1 -o "$WORK/none.glb"
expect 1 listen "$WORK/b.glb" --vmc 0 --bind 203.0.113.1 -o "$WORK/none.glb"
expect 2 play "$WORK/a.glb"
expect 3 play "$WORK/b.glb" --vmc 40000
expect 4 play "$DATA/arm.gltf" --vmc 40000
[ ! -e "$WORK/none.glb" ] || fail "a failed run left a file"
