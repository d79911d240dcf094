// What three.js shows of a glTF file: its vertices in world space at a moment of a clip. Needs no page and no GPU.
import fs from 'node:fs';
import path from 'node:path';

// What the loader expects of a browser: URL in `self`, and an event to report progress with.
globalThis.self ??= globalThis;
globalThis.ProgressEvent ??= class extends Event {};
const three = await import('three');
const { GLTFLoader } = await import('three/addons/loaders/GLTFLoader.js');

/** The file as the loader takes it without a network: a GLB's bytes, or a .gltf's text with its buffers inside. */
function source(file) {
  const bytes = fs.readFileSync(file);
  if (bytes.subarray(0, 4).toString() === 'glTF') return new Uint8Array(bytes).buffer;
  const gltf = JSON.parse(bytes.toString());
  for (const buffer of gltf.buffers ?? []) {
    if (!buffer.uri || buffer.uri.startsWith('data:')) continue;
    const beside = path.join(path.dirname(file), decodeURIComponent(buffer.uri));
    buffer.uri = `data:application/octet-stream;base64,${fs.readFileSync(beside, 'base64')}`;
  }
  return JSON.stringify(gltf);
}

/** Textures stay empty: decoding pictures is a browser's work, and no vertex depends on one. */
const withoutTextures = () => ({
  name: 'WITHOUT_TEXTURES',
  loadTexture: () => Promise.resolve(new three.Texture()),
});

/** Rejects where three.js cannot read the file. */
export async function load(file) {
  const gltf = await new GLTFLoader().register(withoutTextures).parseAsync(source(file), '');
  gltf.scene ??= gltf.scenes[0];
  return gltf;
}

/** Whether a skin's joint is outside of the scene, where three.js never places it. */
export function hasStrayJoints(gltf) {
  const placed = new Set();
  gltf.scene.traverse((node) => placed.add(node));
  let stray = false;
  gltf.scene.traverse((node) => {
    if (node.isSkinnedMesh) stray ||= node.skeleton.bones.some((bone) => !placed.has(bone));
  });
  return stray;
}

export function clips(gltf) {
  return gltf.animations.map((clip) => ({ name: clip.name, duration: clip.duration }));
}

function refresh(root) {
  root.updateMatrixWorld(true);
  root.traverse((node) => node.isSkinnedMesh && node.skeleton.update());
}

/** Calls `look` with the scene at `time` seconds of clip number `index`, then puts the rest pose back. */
function at(gltf, index, time, look) {
  if (index < 0) {
    refresh(gltf.scene);
    return look();
  }
  const mixer = new three.AnimationMixer(gltf.scene);
  const action = mixer.clipAction(gltf.animations[index]);
  action.setLoop(three.LoopOnce, 1);
  action.clampWhenFinished = true; // the end of a clip is its last key, not its first
  action.play();
  mixer.setTime(Math.min(time, gltf.animations[index].duration));
  refresh(gltf.scene);
  const seen = look();
  mixer.stopAllAction();
  return seen;
}

/**
 * World-space vertices of every mesh, x y z after one another, in the order of the scene tree, primitives in the order
 * of their mesh. Primitives that share vertices have them each, as they are drawn. index -1: at rest. With `corners` the
 * vertices are those of the triangles, one after another.
 */
export function vertices(gltf, index, time, corners = false) {
  return at(gltf, index, time, () => {
    const parts = [];
    const point = new three.Vector3();
    gltf.scene.traverse((mesh) => {
      if (!mesh.isMesh && !mesh.isLine && !mesh.isPoints) return;
      const attribute = mesh.geometry.attributes.position;
      const order = corners ? mesh.geometry.index : null;
      const part = new Float64Array(3 * (order ?? attribute).count);
      for (let k = 0; k < part.length / 3; ++k) {
        const v = order ? order.getX(k) : k;
        if (mesh.getVertexPosition) mesh.getVertexPosition(v, point);
        else point.fromBufferAttribute(attribute, v);
        point.applyMatrix4(mesh.matrixWorld).toArray(part, 3 * k);
      }
      parts.push(part);
    });
    const all = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
    let to = 0;
    for (const part of parts) {
      all.set(part, to);
      to += part.length;
    }
    return all;
  });
}

/** Vertices of an OBJ file's text, in order. */
export function objVertices(text) {
  const out = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('v ')) out.push(...line.split(/\s+/, 4).slice(1).map(Number));
  }
  return Float64Array.from(out);
}

/** { count, worst, size }: the largest distance between two sets of vertices, and the largest side of the first's box. */
export function compare(theirs, ours) {
  if (theirs.length !== ours.length) return { count: ours.length / 3, expected: theirs.length / 3, worst: Infinity, size: 0 };
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  let worst = 0;
  let at = 0;
  for (let k = 0; k < theirs.length; k += 3) {
    for (let axis = 0; axis < 3; ++axis) {
      low[axis] = Math.min(low[axis], theirs[k + axis]);
      high[axis] = Math.max(high[axis], theirs[k + axis]);
    }
    const distance = Math.hypot(theirs[k] - ours[k], theirs[k + 1] - ours[k + 1], theirs[k + 2] - ours[k + 2]);
    if (!(distance <= worst)) {
      worst = distance;
      at = k / 3;
    }
  }
  const size = Math.max(...high.map((h, axis) => h - low[axis]));
  return { count: ours.length / 3, worst, at, size };
}
