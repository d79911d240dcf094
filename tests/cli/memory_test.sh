#!/bin/bash
# What small files may ask for: memory by their size or as --max-memory says, and time that grows with them and not with their square.
. "$(dirname "$0")/harness.sh"

# A cap is said and read; below it a command ends in order.
expect 0 sample humanoid -o "$WORK/hero.obj"
expect 0 info "$WORK/hero.obj" --max-memory none
expect 0 info "$WORK/hero.obj" --max-memory 1.5G
for wrong in 0 1k -5G 5X '' 2GG nan; do
    expect 2 info "$WORK/hero.obj" --max-memory "$wrong"
    says "expected a size of at least 16M"
done
if ldd "$LIMBER" 2>/dev/null | grep -q asan || grep -qa __asan_init "$LIMBER"; then
    echo "the rest needs a build without sanitizers"
    exit 0
fi
expect 0 sample humanoid --triangles 100000 -o "$WORK/fine.obj"
expect 1 rig "$WORK/fine.obj" --max-memory 20M --threads 1 -o "$WORK/fine.glb"
says "out of memory (--max-memory is 20M)"
[ -e "$WORK/fine.glb" ] && fail "a file was written"

# 270 kB of poses that unpack to 260 MB of numbers, and would make 6 GB of a clip.
node - "$WORK/bomb.npz" <<'JS' || exit 77
const zlib = require('zlib'), fs = require('fs');
const crcs = new Uint32Array(256).map((_, n) => { for (let k = 0; k < 8; ++k) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1; return n; });
let head = "{'descr': '|u1', 'fortran_order': False, 'shape': (1680000, 156), }\n";
const size = 1680000 * 156, whole = Buffer.alloc(10 + head.length + size);
Buffer.from('\x93NUMPY\x01\x00', 'latin1').copy(whole); whole.writeUInt16LE(head.length, 8); whole.write(head, 10);
let crc = 0xffffffff; for (let k = 0; k < whole.length; ++k) crc = crcs[(crc ^ whole[k]) & 255] ^ (crc >>> 8);
crc = (crc ^ 0xffffffff) >>> 0;
const packed = zlib.deflateRawSync(whole, { level: 9 }), name = Buffer.from('poses.npy');
const local = Buffer.alloc(30), central = Buffer.alloc(46), end = Buffer.alloc(22);
local.writeUInt32LE(0x04034b50, 0); local.writeUInt16LE(8, 8); local.writeUInt32LE(crc, 14);
local.writeUInt32LE(packed.length, 18); local.writeUInt32LE(whole.length, 22); local.writeUInt16LE(name.length, 26);
central.writeUInt32LE(0x02014b50, 0); central.writeUInt16LE(8, 10); central.writeUInt32LE(crc, 16);
central.writeUInt32LE(packed.length, 20); central.writeUInt32LE(whole.length, 24); central.writeUInt16LE(name.length, 28);
end.writeUInt32LE(0x06054b50, 0); end.writeUInt16LE(1, 8); end.writeUInt16LE(1, 10);
end.writeUInt32LE(46 + name.length, 12); end.writeUInt32LE(30 + name.length + packed.length, 16);
fs.writeFileSync(process.argv[2], Buffer.concat([local, name, packed, central, name, end]));
JS
expect 1 convert "$WORK/bomb.npz" "$WORK/bomb.glb"
says "out of memory (--max-memory is "

# A picture of 16384 x 16384 in 33 kB is left out, and the rest is drawn in little.
node - "$WORK/flat.png" <<'JS' || exit 77
const zlib = require('zlib'), fs = require('fs');
const table = new Uint32Array(256).map((_, n) => { for (let k = 0; k < 8; ++k) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1; return n; });
const crc = b => { let c = 0xffffffff; for (const x of b) c = table[(c ^ x) & 255] ^ (c >>> 8); return (c ^ 0xffffffff) >>> 0; };
const chunk = (type, data) => { const b = Buffer.alloc(12 + data.length); b.writeUInt32BE(data.length, 0); b.write(type, 4, 'latin1'); data.copy(b, 8); b.writeUInt32BE(crc(b.subarray(4, 8 + data.length)), 8 + data.length); return b; };
const side = 16384, head = Buffer.alloc(13); head.writeUInt32BE(side, 0); head.writeUInt32BE(side, 4); head[8] = 1;
fs.writeFileSync(process.argv[2], Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), chunk('IHDR', head),
    chunk('IDAT', zlib.deflateSync(Buffer.alloc(side * (side / 8 + 1)), { level: 9 })), chunk('IEND', Buffer.alloc(0))]));
JS
printf 'newmtl skin\nmap_Kd flat.png\n' >"$WORK/plane.mtl"
printf 'mtllib plane.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl skin\nf 1/1 2/2 3/3\n' >"$WORK/plane.obj"
expect 0 render "$WORK/plane.obj" -o "$WORK/plane.png" --size 64x64 --max-memory 400M --threads 1
says "1 of 1 pictures are left out"

# Seconds of the processor, with room for a loaded machine; what grew with the square took ten times as long.
within() { # SECONDS CODE ARGUMENT…
    local most=$1 wanted=$2 got=0
    shift 2
    (ulimit -t "$most" && exec "$LIMBER" "$@") >"$WORK/out" 2>"$WORK/err" </dev/null || got=$?
    said="limber $*"
    [ "$got" = "$wanted" ] || fail "exit $got within $most s, expected $wanted: $(head -c 300 "$WORK/err")"
}
# Triangles on one edge, in a fan: all have two vertices in common.
awk 'BEGIN { n = 60000; print "v 0 0 0\nv 0 1 0"; for (i = 0; i < n; ++i) print "v", cos(i / n * 6.2831853), 0.5, sin(i / n * 6.2831853)
    for (i = 0; i < n; ++i) print "f 1 2", i + 3 }' >"$WORK/fan.obj"
within 3 0 info "$WORK/fan.obj"
# Joints in one chain.
awk 'BEGIN { n = 60000; printf "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":["
    for (i = 0; i < n; ++i) printf "%s{\"name\":\"n%d\",\"translation\":[0,0.001,0]%s}", i ? "," : "", i, i + 1 < n ? ",\"children\":[" i + 1 "]" : ""
    print "]}" }' >"$WORK/chain.gltf"
within 5 0 info "$WORK/chain.gltf"
within 5 0 convert "$WORK/chain.gltf" "$WORK/chain.bvh"
expect 0 animate "$WORK/hero.obj" walk -o "$WORK/walk.glb"
within 8 4 retarget "$WORK/chain.gltf" "$WORK/walk.glb" -o "$WORK/none.glb"
