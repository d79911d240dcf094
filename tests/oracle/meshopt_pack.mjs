// Packs every view of a GLB with meshoptimizer's encoder, without any loss: what has no stride that the codec takes stays as it is.

const chunkOf = (type, bytes, filler) => {
  const padded = Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3, filler)]), head = Buffer.alloc(8);
  head.writeUInt32LE(padded.length, 0);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, padded]);
};
const sizes = { 5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4 };
const widths = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };

/** How a view is packed: { mode, stride }; null where it cannot be. */
function packing(json, index) {
  const accessor = json.accessors.find((one) => one.bufferView === index);
  const isIndex = json.meshes.some(({ primitives }) => primitives.some((one) => json.accessors[one.indices]?.bufferView === index));
  if (!accessor) return null;
  const stride = json.bufferViews[index].byteStride ?? sizes[accessor.componentType] * widths[accessor.type];
  if (json.bufferViews[index].byteLength % stride) return null;
  // TRIANGLES would start some of them with another corner.
  if (isIndex) return stride < 2 ? null : { mode: 'INDICES', stride };
  return stride % 4 ? null : { mode: 'ATTRIBUTES', stride };
}

/** The GLB with views packed by `extension`, in version 0 or 1 of the attributes' stream. */
export function pack(glb, encoder, extension, version) {
  const length = glb.readUInt32LE(12), json = JSON.parse(glb.toString('utf8', 20, 20 + length)), data = glb.subarray(28 + length);
  const parts = [];
  let used = 0;
  const append = (bytes) => {
    const at = used, padded = Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);
    parts.push(padded);
    used += padded.length;
    return at;
  };
  let fallback = 0;
  json.bufferViews.forEach((view, index) => {
    const bytes = data.subarray(view.byteOffset ?? 0, (view.byteOffset ?? 0) + view.byteLength), how = packing(json, index);
    if (!how) {
      view.byteOffset = append(bytes);
      return;
    }
    const { mode, stride } = how, count = view.byteLength / stride;
    const packed = encoder.encodeGltfBuffer(bytes, count, stride, mode, version);
    view.extensions = { [extension]: { buffer: 0, byteOffset: append(Buffer.from(packed)), byteLength: packed.length, byteStride: stride, count, mode } };
    Object.assign(view, { buffer: 1, byteOffset: fallback });
    fallback += (view.byteLength + 3) & ~3;
  });
  json.buffers = [{ byteLength: used }, { byteLength: fallback, extensions: { [extension]: { fallback: true } } }];
  json.extensionsUsed = [...(json.extensionsUsed ?? []), extension];
  json.extensionsRequired = [...(json.extensionsRequired ?? []), extension];
  const text = chunkOf('JSON', Buffer.from(JSON.stringify(json)), ' '), binary = chunkOf('BIN\0', Buffer.concat(parts), 0), head = Buffer.alloc(12);
  head.write('glTF', 0, 'latin1');
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(12 + text.length + binary.length, 8);
  return Buffer.concat([head, text, binary]);
}
