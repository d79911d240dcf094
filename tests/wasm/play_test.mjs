// A character that is steered: it goes straight, with its soles on ramp and stairs; it falls, lies, and gets up where it
// lies; feet that hang from the root go along; animals walk too. Exits 77 where clang cannot compile for wasm32-wasi.
import fs from 'node:fs';
import path from 'node:path';
import { distance, Live, makeWork, range } from './live.mjs';
import { buildModule, readModule } from './module.mjs';

buildModule();
const { work, native, read, end } = makeWork();
native('sample humanoid --seed 5 --triangles 3000 --whole --rigged -o still.glb');
native('animate still.glb idle walk run jump get-up -o human.glb');
native('convert still.glb controls.gltf');
hangFeetFromRoot(path.join(work, 'controls.gltf'));
native('animate controls.gltf idle walk run jump get-up -o controls.glb');
native('sample quadruped --seed 2 --triangles 3000 --rigged -o beast.glb');
native('animate beast.glb quadruped-idle quadruped-walk quadruped-gallop -o beasts.glb');

const live = new Live(readModule('limber.wasm'));
const { wasm } = live;
const [moves, falls, lies, rises] = [0, 1, 2, 3];
let failed = false;
function check(holds, text) {
  if (holds) return;
  console.log(text);
  failed = true;
}

// As in rigs of controls. Nothing of made bodies is rotated at rest.
function hangFeetFromRoot(file) {
  const gltf = JSON.parse(fs.readFileSync(file, 'utf8')), { nodes } = gltf;
  const above = (k) => nodes.findIndex(({ children }) => children?.includes(k));
  const root = nodes.findIndex(({ children, name }, k) => children && name !== 'hips' && above(k) < 0);
  for (const name of ['leftFoot', 'rightFoot']) {
    const foot = nodes.findIndex((node) => node.name === name), shin = above(foot);
    for (let k = shin; k >= 0; k = above(k)) nodes[foot].translation = nodes[foot].translation.map((x, axis) => x + (nodes[k].translation?.[axis] ?? 0));
    nodes[shin].children = nodes[shin].children.filter((child) => child !== foot);
    nodes[root].children.push(foot);
  }
  fs.writeFileSync(file, JSON.stringify(gltf));
}

function open(file, ...clips) {
  const handle = live.open(file, read(file));
  const begun = clips.reduce((next, clip) => (...at) => live.withText(clip, (n) => next(...at, n)), (...at) => wasm.limber_play_begin(handle, ...at.reverse()))();
  check(begun === 1, `${file}: ${live.error()}`);
  return handle;
}

const joints = (handle) => wasm.limber_joint_count(handle);
function step(handle, frames, speed, turn = 0) {
  let pose;
  range(frames).forEach(() => (pose = live.floats(wasm.limber_play_step(handle, 1 / 60, speed, turn), 10 * joints(handle))));
  return pose;
}

// The scene as the pose has it.
function shown(handle, pose) {
  live.setPose(handle, 0, pose);
  return { place: (name) => live.place(handle, live.find(handle, name)), skin: () => range(wasm.limber_mesh_count(handle)).flatMap((mesh) => [...live.skin(handle, mesh)]) };
}

const human = open('human.glb', 'idle', 'walk', 'run');
const [half, floor, ...profile] = live.floats(wasm.limber_play_course(human), 22);
const points = range(10).map((k) => [profile[2 * k], profile[2 * k + 1]]);
check(half > 0.5 && points.some(([, height]) => height > 0.3), 'there is no course');
function ground(x, z) {
  const k = points.findIndex(([from], at) => at + 1 < 10 && points[at + 1][0] > from && z >= from && z < points[at + 1][0]);
  if (Math.abs(x) >= half || k < 0) return floor;
  const [[z0, y0], [z1, y1]] = [points[k], points[k + 1]];
  return floor + y0 + ((y1 - y0) * (z - z0)) / (z1 - z0);
}

step(human, 30, 0);
step(human, 40, 1);
let highest = 0, deepest = 0, farthest = 0, heading = 0;
while (heading < points.at(-1)[0] + 1) {
  const now = shown(human, step(human, 10, 1)), skin = now.skin();
  let gap = Infinity;
  for (let v = 0; v < skin.length; v += 3) gap = Math.min(gap, skin[v + 1] - ground(skin[v], skin[v + 2]));
  const hips = now.place('hips');
  check(hips[2] > heading + 0.05, `it does not go on at ${hips[2]} m`);
  if (!(hips[2] > heading + 0.05)) break;
  heading = hips[2];
  farthest = Math.max(farthest, Math.abs(hips[0]));
  highest = Math.max(highest, gap);
  deepest = Math.min(deepest, gap);
}
console.log(`over the course: soles from ${(100 * deepest).toFixed(1)} to ${(100 * highest).toFixed(1)} cm over the ground, ${(100 * farthest).toFixed(1)} cm aside`);
check(farthest < 0.1, `it walks ${farthest} m aside`);
check(deepest > -0.03 && highest < 0.02, 'the soles are not on the ground');

// A standing foot stays where it is, on the ramp too.
const again = open('human.glb', 'idle', 'walk', 'run');
step(again, 30, 0);
let slid = 0, stood = 0, before = null;
for (let k = 0; k < 200; ++k) {
  const now = shown(again, step(again, 1, 1)), foot = ['leftToes', 'rightToes'].map(now.place);
  if (before) foot.forEach((place, side) => {
    const lift = place[1] - ground(place[0], place[2]), was = before[side];
    if (lift > 0.035 || was[1] - ground(was[0], was[2]) > 0.035) return;
    slid += Math.hypot(place[0] - was[0], place[2] - was[2]);
    ++stood;
  });
  before = foot;
}
console.log(`balls near the ground go ${((100 * slid * 60) / stood).toFixed(1)} cm/s in the mean, of ${stood} frames`);
check(stood > 100 && (slid * 60) / stood < 0.25, 'feet slide');

// Running is faster than walking, turning turns.
const place = (pose) => shown(human, pose).place('hips');
const [a, b, c] = [place(step(human, 1, 2)), place(step(human, 60, 2)), place(step(human, 60, 2))];
check(Math.hypot(c[0] - b[0], c[2] - b[2]) > 2, `it runs ${Math.hypot(c[0] - b[0], c[2] - b[2])} m a second`);
step(human, 60, 2, Math.PI / 2);
const [d, e] = [place(step(human, 1, 1)), place(step(human, 60, 1))];
check(e[0] - d[0] > 0.8 && Math.abs(e[2] - d[2]) < 0.4, `a quarter turn to the left leads by ${e[0] - d[0]}, ${e[2] - d[2]}`);
check(Math.abs(a[0]) < 0.2, 'it ran askew');

// Falls, lies, gets up, goes on from there.
const phase = () => wasm.limber_play_phase(human);
const upright = place(step(human, 60, 0));
check(wasm.limber_play_fall(human) === 1 && phase() === falls, live.error());
let fell = upright;
for (let k = 0; k < 60 && phase() === falls; ++k) fell = place(step(human, 10, 0));
check(phase() === lies && fell[1] < 0.4 * upright[1], `after the fall its hips are ${fell[1]} m high`);
check(wasm.limber_play_fall(human) === 1 && phase() === rises, live.error());
let jump = 0, last = fell;
for (let k = 0; k < 400 && phase() === rises; ++k) {
  const now = place(step(human, 1, 0));
  jump = Math.max(jump, Math.hypot(...range(3).map((axis) => now[axis] - last[axis])));
  last = now;
}
const up = place(step(human, 30, 0));
check(phase() === moves && up[1] > 0.9 * upright[1], `got up, its hips are ${up[1]} m high`);
check(Math.hypot(up[0] - fell[0], up[2] - fell[2]) < 1, 'it got up elsewhere');
check(jump < 0.1, `its hips leap by ${jump} m`);
check(wasm.limber_play_jump(human) === 1, live.error());
const heights = range(60).map(() => place(step(human, 2, 0))[1]);
check(Math.max(...heights) > up[1] + 0.15, `it jumps ${Math.max(...heights) - up[1]} m`);

// Feet that hang from the root stay at the ends of the shins, while it walks, turns, falls and gets up.
const controls = open('controls.glb', 'idle', 'walk', 'run');
check(live.floats(wasm.limber_play_course(controls), 1)[0] === 0, 'there is a course for feet that no leg puts on it');
function apart(frames, speed, turn = 0) {
  const now = shown(controls, step(controls, frames, speed, turn));
  const shin = (side) => distance(now.place(`${side}LowerLeg`), now.place(`${side}Foot`));
  return { hips: now.place('hips'), shins: ['left', 'right'].map(shin) };
}
const { hips: began, shins } = apart(60, 0);
let torn = 0;
const tear = (now) => { now.shins.forEach((length, side) => (torn = Math.max(torn, Math.abs(length / shins[side] - 1)))); return now; };
for (let k = 0; k < 40; ++k) tear(apart(6, k < 20 ? 1 : 2, k > 30 ? 0.5 : 0));
const { hips: gone } = apart(90, 0);
check(gone[2] - began[2] > 3, `with feet at the root it goes ${gone[2] - began[2]} m`);
check(wasm.limber_play_fall(controls) === 1, live.error());
for (let k = 0; k < 60 && wasm.limber_play_phase(controls) === falls; ++k) fell = tear(apart(10, 0)).hips;
check(fell[1] < 0.5 * began[1], `with feet at the root its hips lie ${fell[1]} m high`);
check(wasm.limber_play_fall(controls) === 1, live.error());
for (let k = 0; k < 60 && wasm.limber_play_phase(controls) === rises; ++k) step(controls, 10, 0);
check(tear(apart(60, 0)).hips[1] > 0.9 * began[1], 'with feet at the root it does not get up');
console.log(`feet at the root: up to ${(100 * torn).toFixed(1)} % of the shins off their ends`);
check(torn < 0.1, 'feet come off the shins');

// What is out of range is refused, and changes nothing.
for (const [seconds, speed, turn] of [[NaN, 1, 0], [-1, 1, 0], [2, 1, 0], [0.1, -1, 0], [0.1, 3, 0], [0.1, 1, Infinity]]) {
  check(wasm.limber_play_step(human, seconds, speed, turn) === 0 && /a speed from 0 to 2/.test(live.error()), live.error());
}

// An animal goes on level ground, and faster at a gallop.
const beast = open('beasts.glb', 'quadruped-idle', 'quadruped-walk', 'quadruped-gallop');
check(live.floats(wasm.limber_play_course(beast), 1)[0] === 0, 'there is a course for paws');
const at = (pose) => { live.setPose(beast, 0, pose); return live.place(beast, 0)[2]; };
step(beast, 60, 1);
const ways = [1, 2].map((speed) => { const from = at(step(beast, 60, speed)); return at(step(beast, 60, speed)) - from; });
check(ways[0] > 0.2 && ways[1] > 1.5 * ways[0], `an animal goes ${ways} m a second`);

end();
process.exit(failed ? 1 : 0);
