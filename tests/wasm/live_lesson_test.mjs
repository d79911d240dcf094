// What the lesson is told, against numbers that are known otherwise: by hand, by another call, by what must hold. Exits 77
// where clang cannot compile for wasm32-wasi.
import { Live, makeWork, range } from './live.mjs';
import { buildModule, readModule } from './module.mjs';

buildModule();
const { native, read, end } = makeWork();
native('sample humanoid --seed 7 --whole --bare --pose t --triangles 4000 --rigged -o still.glb');
native('animate still.glb walk run --in-place -o body.glb');

const live = new Live(readModule('limber.wasm'));
const { wasm } = live;
let failed = false;
function check(holds, text) {
  if (holds) return;
  console.log(text);
  failed = true;
}
const close = (a, b, by, what) => check(Math.abs(a - b) <= by, `${what}: ${a}, expected ${b}`);

// A call with arrays, which are filled from memory afterwards.
function call(name, ...args) {
  const blocks = args.map((one) => {
    if (typeof one === 'number') return one;
    const at = wasm.limber_alloc(one.byteLength);
    live.bytes(at, one.byteLength).set(new Uint8Array(one.buffer));
    return at;
  });
  const result = wasm[name](...blocks);
  args.forEach((one, k) => {
    if (typeof one === 'number') return;
    new Uint8Array(one.buffer).set(live.bytes(blocks[k], one.byteLength));
    wasm.limber_free(blocks[k]);
  });
  return result;
}
const f32 = (...numbers) => Float32Array.from(numbers.flat());

// ------------------------------------------------------------------------------------- numbers alone

// The chain of the lesson: T(0, 6) R(-45) T(5, 0) R(50) T(4, 0) R(30) (2, 0).
const turn = (x, y, degrees) => [x, y, 0, 0, 0, Math.sin((degrees * Math.PI) / 360), Math.cos((degrees * Math.PI) / 360), 1, 1, 1];
const model = new Float32Array(64);
check(call('limber_lesson_forward', 4, Int32Array.of(-1, 0, 1, 2), f32(turn(0, 6, -45), turn(5, 0, 50), turn(4, 0, 30), turn(2, 0, 0)), model) === 1, live.error());
close(model[60], 9.158617, 2e-6, 'P x');
close(model[61], 3.960242, 2e-6, 'P y');
check(call('limber_lesson_forward', 2, Int32Array.of(-1, 5), f32(turn(0, 0, 0), turn(0, 0, 0)), model) === 0, 'a parent after its child is taken');

const times = f32(0, 0.5, 1, 1.5, 2), curve = (kind) => {
  const out = new Float32Array(5);
  check(call('limber_lesson_curve', kind, 3, f32(0, 0, 1, 4, 2, 4), 5, times, out) === 1, live.error());
  return [...out];
};
check(`${curve(0)}` === '0,2,4,4,4', `linear: ${curve(0)}`);
check(`${curve(1)}` === '0,0,4,4,4', `step: ${curve(1)}`);
check(Math.max(...curve(2)) === 4 && curve(3)[3] > 4.1, `cubic: ${curve(2)}, through all: ${curve(3)}`);

const q = new Float32Array(4);
call('limber_lesson_turn', f32(0, 0, 0, 1), f32(0, 0, 1, 0), 1 / 3, 1, q);
close((2 * Math.atan2(q[2], q[3]) * 180) / Math.PI, 60, 1e-4, 'a third of a half turn by slerp');
call('limber_lesson_turn', f32(0, 0, 0, 1), f32(0, 0, 1, 0), 0.5, 0, q);
close(Math.hypot(...q), Math.SQRT1_2, 1e-6, 'the length of the mix');

// The pseudo-inverse of two rows, J^T (J J^T)^-1, by hand.
const j = Float64Array.of(-0.5, -0.3, -0.1, 0.8, 0.4, 0.2), e = [0.2, -0.1], step = new Float64Array(3);
check(call('limber_lesson_step', 4, 2, 3, j, Float64Array.from(e), 0, step) === 1, live.error());
const dot = (a, b) => range(3).reduce((sum, k) => sum + j[3 * a + k] * j[3 * b + k], 0);
const det = dot(0, 0) * dot(1, 1) - dot(0, 1) ** 2, u = [(dot(1, 1) * e[0] - dot(0, 1) * e[1]) / det, (dot(0, 0) * e[1] - dot(0, 1) * e[0]) / det];
range(3).forEach((k) => close(step[k], j[k] * u[0] + j[3 + k] * u[1], 1e-9, `entry ${k} of the pseudo-inverse's step`));

for (const solver of [1, 2]) {
  const angles = f32(0.3, 0.4, 0.1), left = call('limber_lesson_reach', solver, 3, f32(0.4, 0.35, 0.25), 0, 0.3, 0.5, 30, angles);
  let [x, y, sum] = [0, 0, 0];
  [0.4, 0.35, 0.25].forEach((length, k) => {
    sum += angles[k];
    x += length * Math.cos(sum);
    y += length * Math.sin(sum);
  });
  close(Math.hypot(x - 0.3, y - 0.5), left, 1e-4, `what solver ${solver} says is left`);
  check(left < 0.002, `solver ${solver} leaves ${left}`);
}

const shaped = new Float32Array(3), shapes = f32([0, 0, 0], [1, 0, 0], [0, 1, 0]);
call('limber_lesson_shapes', 1, 2, shapes, f32(1, 2, 1), 0, shaped);
check(`${[...shaped]}` === '0.5,0.25,0', `absolute: ${[...shaped]}`);
call('limber_lesson_shapes', 1, 2, shapes, f32(9, 2, -1), 1, shaped);
check(`${[...shaped]}` === '2,-1,0', `relative: ${[...shaped]}`);
for (const [at, wanted] of [[0, '1,0,0'], [0.7, '0,1,0'], [1.5, '0,0,1']]) {
  const out = new Float32Array(3);
  check(call('limber_lesson_pose_space', 0, 0.5, 0, 3, f32(0, 0.7, 1.5), at, out) === 1, live.error());
  check(`${[...out].map((x) => Math.abs(Math.round(x * 1e3) / 1e3))}` === wanted, `at an example: ${[...out]}`);
}

// ------------------------------------------------------------------------------------- a character

const body = live.open('body.glb', read('body.glb'));
const joints = wasm.limber_joint_count(body), vertices = wasm.limber_mesh_vertex_count(body, 0);
const skin = (method) => live.floats(wasm.limber_lesson_skin(body, 0, method), 3 * vertices);

// Heat that has come to rest: of all joints together 1, where any bone is seen, and each between 0 and 1.
const sums = new Float32Array(vertices);
let least = 1, most = 0;
for (const joint of range(joints)) {
  if (!live.weights(body, 0, joint).some((w) => w > 0)) continue;
  check(wasm.limber_lesson_heat_begin(body, 0, joint, 1e4) === 1, live.error());
  let warmth;
  for (let k = 0; k < 8; ++k) warmth = live.floats(wasm.limber_lesson_heat_step(body), vertices);
  warmth.forEach((w, v) => (sums[v] += w));
  least = Math.min(least, ...warmth);
  most = Math.max(most, ...warmth);
}
check(least > -1e-6 && most <= 1 + 1e-6 && most > 0.9, `heat from ${least} to ${most}`);
close(Math.min(...sums), 1, 0.01, 'the least sum of all joints\' heat');
close(Math.max(...sums), 1, 0.01, 'the greatest sum');
// And before, colder.
const hand = live.find(body, 'leftHand');
wasm.limber_lesson_heat_begin(body, 0, hand, 1e-3);
const first = Math.max(...live.floats(wasm.limber_lesson_heat_step(body), vertices));
for (let k = 0; k < 20; ++k) wasm.limber_lesson_heat_step(body);
check(first > 0 && first < Math.max(...live.floats(wasm.limber_lesson_heat_step(body), vertices)), 'it does not get warmer');

// At rest every method leaves the mesh as it is.
wasm.limber_pose_rest(body);
const rest = live.rest(body, 0);
for (const method of [0, 1, 2, 4, 5, 10]) check(skin(method).every((x, k) => Math.abs(x - rest[k]) < 1e-5), `method ${method} moves the mesh at rest`);

// A blend's ends are its clips, and its middle is neither.
const pose = (weight, additive = 0) => {
  check(wasm.limber_lesson_blend(body, 0, 0.3, 1, 0.2, weight, additive) === 1, live.error());
  return live.pose(body);
};
const sampled = (clip, time) => {
  wasm.limber_pose_sample(body, clip, time);
  return live.pose(body);
};
const apart = (a, b) => Math.max(...a.map((x, k) => Math.abs(x - b[k])));
check(apart(pose(0), sampled(0, 0.3)) < 1e-5 && apart(pose(1), sampled(1, 0.2)) < 1e-5, 'the ends of a blend are not its clips');
check(apart(pose(0.5), pose(0)) > 0.05 && apart(pose(0.5), pose(1)) > 0.05, 'the middle of a blend is one of its ends');
check(apart(pose(0, 1), sampled(0, 0.3)) < 1e-5 && apart(pose(1, 1), pose(0, 1)) > 0.05, 'an additive layer of 0 adds, or one of 1 does not');

// A gait: the feet of a cycle's halves change places.
const period = call('limber_lesson_gait_begin', body, f32(1.3, 0, 0, 0, 0, 0)), feet = (t) => {
  check(wasm.limber_lesson_gait_pose(body, t) === 1, live.error());
  return ['leftFoot', 'rightFoot'].map((name) => live.place(body, live.find(body, name)));
};
check(period > 0.7 && period < 1.5, `a cycle of ${period} s`);
const [left, right] = feet(0.3 * period), [left2, right2] = feet(0.8 * period);
for (const axis of [1, 2]) {
  close(left[axis], right2[axis], 0.01, 'half a cycle on');
  close(right[axis], left2[axis], 0.01, 'half a cycle on');
}

// Who is let go falls, and comes to rest.
wasm.limber_pose_rest(body);
const hips = live.find(body, 'hips'), high = live.place(body, hips)[1];
check(wasm.limber_lesson_fall_begin(body, 0) > 10, live.error());
wasm.limber_lesson_fall_push(body, live.find(body, 'chest'), 0, 0, 60);
let energy = 0;
for (let k = 0; k < 300; ++k) energy = wasm.limber_lesson_fall_step(body, 1 / 60);
check(live.place(body, hips)[1] < 0.4 * high && energy < 1, `hips at ${live.place(body, hips)[1]} m of ${high}, ${energy} J`);

// The body model: at rest it is the mesh, its joints are the skeleton's; shape and correctives do something.
wasm.limber_pose_rest(body);
const count = wasm.limber_lesson_body_begin(body);
check(count > 40, live.error());
const shape = (numbers, correctives = 1) => {
  const at = wasm.limber_alloc(20);
  new Float32Array(wasm.memory.buffer, at, 5).set(numbers);
  const out = live.floats(wasm.limber_lesson_body_skin(body, at, correctives), 3 * vertices);
  wasm.limber_free(at);
  return out;
};
check(apart(shape([0, 0, 0, 0, 0]), rest) < 1e-5, 'the body at rest is not its mesh');
const places = live.floats(wasm.limber_lesson_body_joints(body), 3 * count);
const skeleton = range(joints).map((joint) => live.place(body, joint));
range(count).forEach((k) => {
  const away = Math.min(...skeleton.map((place) => Math.hypot(...range(3).map((axis) => place[axis] - places[3 * k + axis]))));
  check(away < 1e-3, `joint ${k} of the body is ${away} m from the skeleton's`);
});
const tall = (p) => Math.max(...range(vertices).map((v) => p[3 * v + 1])), low = tall(rest);
close(tall(shape([1, 0, 0, 0, 0])), 1.04 * low, 1e-3, 'one step of height');
const elbow = live.find(body, 'leftLowerArm'), still = live.pose(body).slice(10 * elbow, 10 * elbow + 10);
const m = live.matrix(body, elbow), axis = [-m[1], -m[5], -m[9]], [x, y, z, w] = still.slice(3, 7);
// What the correctives were fitted to: met at the bends that they were fitted at, and nearly between and beyond.
for (const [bend, share] of [[0.9, 0.01], [1.4, 0.3], [1.9, 0.01], [2.2, 0.3]]) {
  const [ax, ay, az] = axis.map((one) => one * Math.sin(bend / 2)), aw = Math.cos(bend / 2);
  const turned = [w * ax + x * aw + y * az - z * ay, w * ay - x * az + y * aw + z * ax, w * az + x * ay - y * ax + z * aw, w * aw - x * ax - y * ay - z * az];
  live.setPose(body, elbow, [...still.slice(0, 3), ...turned, ...still.slice(7)]);
  const mended = shape([0, 0, 0, 0, 0], 1), plain = shape([0, 0, 0, 0, 0], 0), wanted = skin(2);
  check(apart(plain, skin(0)) < 1e-4, `bent by ${bend}: without correctives it is not linear blending`);
  const before = apart(plain, wanted), after = apart(mended, wanted);
  check(before > 0.001 && after < share * before, `bent by ${bend}: correctives leave ${after} of ${before} m`);
}

console.log(`${joints} joints, ${vertices} vertices`);
wasm.limber_character_close(body);
end();
process.exit(failed ? 1 : 0);
