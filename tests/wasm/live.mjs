// The module's calls by the frame as the tests use them; studio/live_exports.h says what each does.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { build, Limber } from './module.mjs';

export const drags = { auto: 0, limb: 1, body: 2, pole: 3 };
export const brushes = { add: 0, replace: 1, scale: 2, smooth: 3, mirror: 4 };

export function range(count) {
  return Array.from({ length: count }, (_, k) => k);
}

export function distance(a, b) {
  return Math.hypot(...range(3).map((k) => a[k] - b[k]));
}

// A folder for the command as it runs natively.
export function makeWork() {
  const work = fs.mkdtempSync(path.join(os.tmpdir(), 'limber-'));
  const native = (line, code = 0) => {
    const done = spawnSync(path.join(build, 'limber'), line.split(' '), { cwd: work, encoding: 'utf8' });
    if (done.status !== code) throw new Error(`${line}: exits ${done.status}, not ${code}\n${done.stderr}`);
    return done.stdout;
  };
  const read = (name) => fs.readFileSync(path.join(work, name));
  return { work, native, read, end: () => fs.rmSync(work, { recursive: true }) };
}

// The JSON and the bytes of a GLB.
export function parseGlb(glb) {
  const size = glb.readUInt32LE(12);
  return { json: JSON.parse(glb.subarray(20, 20 + size).toString('utf8')), bytes: glb.subarray(20 + size + 8) };
}

// The numbers of an accessor; none of these files has sparse ones.
export function accessor({ json, bytes }, index) {
  const { bufferView, byteOffset = 0, componentType, count, type, normalized } = json.accessors[index];
  const [Numbers, most] = { 5121: [Uint8Array, 255], 5123: [Uint16Array, 65535], 5125: [Uint32Array, 1], 5126: [Float32Array, 1] }[componentType];
  const width = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 }[type];
  const view = json.bufferViews[bufferView];
  const from = bytes.byteOffset + (view.byteOffset ?? 0) + byteOffset;
  const step = (view.byteStride ?? width * Numbers.BYTES_PER_ELEMENT) / Numbers.BYTES_PER_ELEMENT;
  const all = new Numbers(bytes.buffer.slice(from, from + ((count - 1) * step + width) * Numbers.BYTES_PER_ELEMENT));
  return range(count).map((k) => [...all.subarray(k * step, k * step + width)].map((x) => (normalized ? x / most : x)));
}

export class Live extends Limber {
  // Opens a file; 0 when it cannot be read.
  open(name, bytes) {
    this.put(name, bytes);
    return this.withText(name, (n) => this.wasm.limber_character_open(n));
  }

  save(handle, name = 'saved.glb') {
    const done = this.withText(name, (n) => this.wasm.limber_character_save(handle, n));
    if (done !== 1) throw new Error(this.error());
    return this.get(name);
  }

  error() {
    return this.text(this.wasm.limber_error());
  }

  // A copy; memory moves when it grows.
  floats(pointer, count) {
    if (pointer === 0) throw new Error(this.error());
    return new Float32Array(this.wasm.memory.buffer, pointer, count).slice();
  }

  pose(handle) {
    return this.floats(this.wasm.limber_pose(handle), 10 * this.wasm.limber_joint_count(handle));
  }

  setPose(handle, first, numbers) {
    const bytes = new Uint8Array(new Float32Array(numbers).buffer);
    return this.with(bytes, (at) => this.wasm.limber_pose_set(handle, first, numbers.length / 10, at));
  }

  // From the joint to the scene, column-major.
  matrix(handle, joint) {
    const all = this.floats(this.wasm.limber_pose_model(handle), 16 * this.wasm.limber_joint_count(handle));
    return all.subarray(16 * joint, 16 * joint + 16);
  }

  place(handle, joint) {
    return [...this.matrix(handle, joint).subarray(12, 15)];
  }

  find(handle, name) {
    return this.withText(name, (n) => this.wasm.limber_joint_find(handle, n));
  }

  keep(handle, name) {
    return this.withText(name, (n) => this.wasm.limber_clip_keep(handle, n));
  }

  skin(handle, mesh) {
    return this.floats(this.wasm.limber_skin(handle, mesh), 3 * this.wasm.limber_mesh_vertex_count(handle, mesh));
  }

  rest(handle, mesh) {
    return this.floats(this.wasm.limber_mesh_rest(handle, mesh), 3 * this.wasm.limber_mesh_vertex_count(handle, mesh));
  }

  weights(handle, mesh, joint) {
    return this.floats(this.wasm.limber_joint_weights(handle, mesh, joint), this.wasm.limber_mesh_vertex_count(handle, mesh));
  }

  primitive(handle, mesh, primitive) {
    const at = this.wasm.limber_mesh_primitive(handle, mesh, primitive);
    if (at === 0) throw new Error(this.error());
    const [firstIndex, indexCount, firstVertex, vertexCount, material, topology] = new Int32Array(this.wasm.memory.buffer, at, 6);
    return { firstIndex, indexCount, firstVertex, vertexCount, material, topology };
  }
}
