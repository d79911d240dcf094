// A handle, joint, clip, mesh or number that is none makes a call by the frame fail with a reason, and nothing else changes.
// Exits 77 where clang cannot compile for wasm32-wasi.
import fs from 'node:fs';
import path from 'node:path';
import { Live, makeWork, range } from './live.mjs';
import { buildModule, readModule, source } from './module.mjs';

buildModule();
const { native, read, end } = makeWork();
native('sample humanoid --seed 8 --triangles 2000 --whole --rigged -o still.glb');
native('animate still.glb walk -o body.glb');

const live = new Live(readModule('limber.wasm'));
const { wasm } = live;
let failed = false, count = 0;
function check(holds, text) {
  if (holds) return;
  console.log(text);
  failed = true;
}

// The call gives `value`, and the reason fits.
function fails(name, args, value, reason) {
  ++count;
  const result = wasm[name](...args);
  check(result === value, `${name}(${args.join(', ')}) gives ${result}, not ${value}`);
  check(reason.test(live.error()), `${name}(${args.join(', ')}) says "${live.error()}"`);
}

const body = live.open('body.glb', read('body.glb'));
check(body > 0, `body.glb: ${live.error()}`);
const joints = wasm.limber_joint_count(body), clips = wasm.limber_clip_count(body), meshes = wasm.limber_mesh_count(body);
const name = wasm.limber_alloc(16), numbers = wasm.limber_alloc(80);
live.bytes(name, 9).set(Buffer.from('some.glb\0'));
const before = live.save(body), pose = live.pose(body);

// What each call gives when it fails; of arguments after the handle, which are indices of what.
const calls = [
  ['limber_joint_count', [], 0], ['limber_joint_name', ['joint'], 0], ['limber_joint_parent', ['joint'], -1],
  ['limber_joint_node', ['joint'], -1], ['limber_joint_find', [name], -1],
  ['limber_clip_count', [], 0], ['limber_clip_name', ['clip'], 0], ['limber_clip_duration', ['clip'], 0], ['limber_clip_keep', [name], 0],
  ['limber_pose', [], 0], ['limber_pose_set', [0, 0, numbers], 0], ['limber_pose_rest', [], 0],
  ['limber_pose_sample', ['clip', 0], 0], ['limber_pose_model', [], 0], ['limber_driven', [], 0],
  ['limber_mesh_count', [], 0], ['limber_mesh_name', ['mesh'], 0], ['limber_mesh_node', ['mesh'], -1],
  ['limber_mesh_of_file', ['mesh'], -1], ['limber_mesh_vertex_count', ['mesh'], 0], ['limber_mesh_index_count', ['mesh'], 0],
  ['limber_mesh_indices', ['mesh'], 0], ['limber_mesh_primitive_count', ['mesh'], 0], ['limber_mesh_primitive', ['mesh', 0], 0],
  ['limber_mesh_target_count', ['mesh'], 0], ['limber_mesh_weights', ['mesh'], 0], ['limber_mesh_rest', ['mesh'], 0], ['limber_skin', ['mesh'], 0], ['limber_skin_normals', ['mesh'], 0],
  ['limber_deform', [0, numbers], 0], ['limber_deformed', ['mesh'], 0], ['limber_deformed_normals', ['mesh'], 0],
  ['limber_body', [], -1], ['limber_motion_body', [], -1], ['limber_drag', ['joint', 0, 0, 0, 0], -1], ['limber_drag_end', [], 0], ['limber_pin', ['joint', 1], 0], ['limber_pinned', ['joint'], 0],
  ['limber_paint_begin', [], 0], ['limber_paint_stroke', [0, 'joint', 0, 0, 0, 1, 1, 1, 0], 0], ['limber_paint_end', [], -1],
  ['limber_paint_undo', [], 0], ['limber_paint_redo', [], 0], ['limber_paint_lock', ['joint', 1], 0],
  ['limber_paint_loop', [0, 0, 0], 0], ['limber_paint_grow', [1], 0], ['limber_paint_none', [], 0], ['limber_paint_chosen', ['mesh'], 0], ['limber_paint_fill', [0, 'joint', 1, 0, 0], 0],
  ['limber_paint_falloff', [0], 0], ['limber_vertex_row', ['mesh', 0], 0],
  ['limber_joint_weights', ['mesh', 'joint'], 0],
  ['limber_springs_begin', [], -1], ['limber_springs_add', ['joint'], -1], ['limber_springs_step', [0.1], 0], ['limber_springs_end', [], 0],
  ['limber_clip_of_keys', [-1, name, 1, numbers, numbers, 0], 0], ['limber_clip_slope', [0, 0, 0, numbers], 0], ['limber_keys_text', [], 0], ['limber_pose_mirror', [0], 0],
  ['limber_play_begin', [0, 0, 0], 0], ['limber_play_step', [0.1, 1, 0], 0], ['limber_play_jump', [], 0], ['limber_play_fall', [], 0],
  ['limber_play_phase', [], -1], ['limber_play_course', [], 0], ['limber_play_end', [], 0],
  ['limber_character_save', [name], 0],
  ['limber_lesson_skin', ['mesh', 0], 0], ['limber_lesson_heat_begin', ['mesh', 'joint', 0.1], 0], ['limber_lesson_heat_step', [], 0],
  ['limber_lesson_blend', ['clip', 0, 'clip', 0, 0.5, 0], 0], ['limber_lesson_gait_begin', [numbers], 0], ['limber_lesson_gait_pose', [0], 0],
  ['limber_lesson_fall_begin', [0], -1], ['limber_lesson_fall_step', [0.1], -1], ['limber_lesson_fall_push', ['joint', 0, 0, 0], 0],
  ['limber_lesson_body_begin', [], 0], ['limber_lesson_body_skin', [numbers, 0], 0], ['limber_lesson_body_joints', [], 0],
];
const counts = { joint: joints, clip: clips, mesh: meshes };

// Every call of the headers that takes a handle is in the list.
const header = ['live_exports.h', 'live_lesson.h'].map((file) => fs.readFileSync(path.join(source, 'studio', file), 'utf8')).join('');
for (const [, declared] of header.matchAll(/(limber_\w+)\(int handle/g)) {
  check(declared === 'limber_character_close' || calls.some(([call]) => call === declared), `${declared} is not tried`);
  check(declared in wasm, `${declared} is not exported`);
}

const closed = live.open('body.glb', read('body.glb'));
wasm.limber_character_close(closed);
for (const handle of [0, -1, 77, closed, -2147483648]) {
  for (const [call, args, value] of calls) fails(call, [handle, ...args.map((a) => (counts[a] ? 0 : a))], value, new RegExp(`no character ${handle} is open`));
  wasm.limber_character_close(handle);
}

check(wasm.limber_paint_begin(body) === 1, live.error());
for (const [call, args, value] of calls) {
  args.forEach((kind, at) => {
    if (!counts[kind]) return;
    for (const index of [counts[kind], counts[kind] + 1, 0x7fffffff, 0xffffffff]) {
      fails(call, [body, ...args.map((a, k) => (k === at ? index : counts[a] ? 0 : a))], value, new RegExp(`there is no ${kind} ${index >>> 0}`));
    }
  });
}
fails('limber_mesh_primitive', [body, 0, 999], 0, /there is no primitive 999/);

// Numbers that are none.
const none = [NaN, Infinity, -Infinity];
for (const bad of none) {
  fails('limber_pose_sample', [body, 0, bad], 0, /finite/);
  for (const k of range(3)) fails('limber_drag', [body, 1, ...range(3).map((axis) => (axis === k ? bad : 0)), 0], -1, /finite/);
  for (const k of range(6)) fails('limber_paint_stroke', [body, 0, 1, ...range(6).map((at) => (at === k ? bad : 1)), 0], 0, /finite/);
  fails('limber_drag', [body, 1, 0, 0, 0, 4], -1, /mode/);
  for (const k of range(10)) {
    check(live.setPose(body, 0, range(10).map((at) => (at === k ? bad : 1))) === 0 && /joint 0: expected/.test(live.error()), 'a pose that is none was set');
  }
}
check(live.setPose(body, 2, new Array(10).fill(0)) === 0, 'a turn of no length was set');
for (const [first, many] of [[joints, 1], [joints - 1, 2], [0, joints + 1], [0xffffffff, 2], [1, 0xffffffff]]) {
  fails('limber_pose_set', [body, first, many, numbers], 0, /are not there/);
}
for (const falloff of [-1, 4, 0x7fffffff]) fails('limber_paint_falloff', [body, falloff], 0, /no falloff/);
fails('limber_vertex_row', [body, 0, wasm.limber_mesh_vertex_count(body, 0)], 0, /no vertex/);
for (const op of [-1, 5, 0x7fffffff]) fails('limber_paint_stroke', [body, op, 0, 0, 0, 0, 1, 1, 1, 0], 0, /no brush/);
for (const [radius, strength] of [[0, 1], [-1, 1], [1, -0.5], [1, 1.5]]) {
  fails('limber_paint_stroke', [body, 0, 0, 0, 0, 0, radius, strength, 1, 0], 0, /radius/);
}
fails('limber_clip_of_keys', [body, 99, name, 1, numbers, numbers, 0], 0, /no clip 99/);
fails('limber_clip_of_keys', [body, -1, name, 1, numbers, numbers, 3], 0, /no interpolation 3/);
fails('limber_clip_slope', [body, 99, 0, 0, numbers], 0, /no clip 99/);
fails('limber_clip_slope', [body, 0, 0, 99, numbers], 0, /a smooth key of the joint at that time, found joint 0 at 99 s/);
fails('limber_keys_text', [body], 0, /no keys were set/);
fails('limber_clip_of_keys', [body, -1, name, 0, numbers, numbers, 0], 0, /expected a key/);
for (const times of [[1, 1], [-1, 0], [NaN, 0], [0, Infinity]]) {
  live.with(new Uint8Array(new Float32Array(times).buffer), (at) => fails('limber_clip_of_keys', [body, -1, name, 2, at, numbers, 0], 0, /expected a time/));
}
for (const side of [-1, 3]) fails('limber_pose_mirror', [body, side], 0, /no side/);
for (const method of [-1, 6]) fails('limber_deform', [body, method, numbers], 0, /no method/);
fails('limber_drag', [body, 0, 0, 1, 0, 1], -1, /not two above/);
fails('limber_drag', [body, 0, 0, 1, 0, 3], -1, /not one above and one below/);
check(wasm.limber_springs_begin(body) === 0, live.error());
for (const seconds of [...none, -1]) fails('limber_springs_step', [body, seconds], 0, /seconds|swings/);

check(live.pose(body).every((x, k) => x === pose[k]), 'a call that failed changed the pose');
check(live.save(body).equals(before), 'a call that failed changed the character');

// At most so many pins.
let pins = 0;
for (const joint of range(joints)) pins += wasm.limber_pin(body, joint, 1);
check(joints > 31 && pins <= 31 && /at most 31/.test(live.error()), `${pins} joints were pinned`);

// Files that cannot be read, and formats that cannot be written.
for (const [file, bytes] of [['bad.glb', 'glTF\x02\0\0\0\x40\0\0\0\x10\0\0\0JSON{"asset":{"ver'], ['bad.obj', 'v 1 2\nf 1 2 3\n'], ['empty.glb', '']]) {
  check(live.open(file, Buffer.from(bytes)) === 0 && live.error().includes(file), `${file}: ${live.error()}`);
}
live.withText('none.glb', (n) => fails('limber_character_open', [n], 0, /none\.glb/));
live.withText('out.xyz', (n) => fails('limber_character_save', [body, n], 0, /out\.xyz/));
// Cut anywhere, a file is refused or read, and the module goes on.
for (const k of range(40)) {
  const handle = live.open('cut.glb', before.subarray(0, Math.floor((before.length * k) / 40)));
  check(handle === 0, `${k} fortieths of a file were read`);
}

// Opening and closing again and again does not take more and more memory, once the allocator has found its level.
const again = () => {
  const handle = live.open('body.glb', read('body.glb'));
  wasm.limber_pose_sample(handle, 0, 0.1);
  live.skin(handle, 0);
  wasm.limber_paint_begin(handle);
  wasm.limber_drag(handle, joints - 1, 0, 1, 0, 0);
  wasm.limber_springs_add(handle, joints - 1);
  live.save(handle);
  wasm.limber_character_close(handle);
};
range(10).forEach(again);
const memory = wasm.memory.buffer.byteLength;
range(30).forEach(again);
check(wasm.memory.buffer.byteLength === memory, 'memory grows with every character');

// What the lesson begins comes before its steps, and takes numbers that are some.
for (const [step, args, value] of [['heat_step', [], 0], ['gait_pose', [0], 0], ['fall_step', [0.1], -1], ['fall_push', [1, 0, 0, 0], 0], ['body_skin', [numbers, 0], 0], ['body_joints', [], 0]]) {
  fails(`limber_lesson_${step}`, [body, ...args], value, /_begin comes first/);
}
for (const bad of [...none, -1, 0]) fails('limber_lesson_heat_begin', [body, 0, 1, bad], 0, /seconds/);
for (const bad of [...none, -1, 1.5]) fails('limber_lesson_blend', [body, 0, 0, 0, 0, bad, 0], 0, /weight/);
for (const bad of [...none, -1]) fails('limber_lesson_fall_begin', [body, bad], -1, /frequency/);
for (const method of [-1, 12]) fails('limber_lesson_skin', [body, 0, method], 0, /no skin method/);
check(wasm.limber_lesson_fall_begin(body, 0) > 0, live.error());
for (const bad of [...none, 0, -1]) fails('limber_lesson_fall_step', [body, bad], -1, /seconds/);
for (const bad of none) fails('limber_lesson_fall_push', [body, 1, bad, 0, 0], 0, /finite/);
fails('limber_lesson_curve', [9, 1, numbers, 1, numbers, numbers], 0, /no curve 9/);
fails('limber_lesson_curve', [0, 0, numbers, 1, numbers, numbers], 0, /1 to 64 keys, found 0/);
fails('limber_lesson_reach', [3, 1, numbers, 0, 0, 0, 1, numbers], -1, /CCD or FABRIK/);
fails('limber_lesson_reach', [1, 65, numbers, 0, 0, 0, 1, numbers], -1, /1 to 64 bones, found 65/);
fails('limber_lesson_step', [1, 1, 1, numbers, numbers, 0, numbers], 0, /solver 1/);
fails('limber_lesson_shapes', [1, 0, numbers, numbers, 0, numbers], 0, /1 to 64 shapes/);
fails('limber_lesson_pose_space', [7, 1, 0, 1, numbers, 0, numbers], 0, /no kernel 7/);

console.log(`${count} calls failed as they should`);
end();
process.exit(failed ? 1 : 0);
