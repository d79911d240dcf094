// How near learned rigs come to sequences, in percent of the diagonal and processor seconds of one thread:
//
//     node tools/score-learned.mjs LIMBER DATA gallop|own|trees|trees-left-out
//
// `gallop`: flat bones of a horse that gallops. `own`: clips of artists' rigs, by as many flat bones as joints bind skin.
// `trees`: trees of as many bones, whose joints hold or may slide, and of a fifth more that hold, over flat ones, on the
// sequences on which the tree's numbers were chosen; `trees-left-out`: on others.
// DATA holds skinning/sequences and characters; what is not there is left out.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readMoving } from '../tests/cli/skinned.mjs';

const [limber, data, what] = process.argv.slice(2);
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'limber-'));
process.on('exit', () => fs.rmSync(work, { recursive: true, force: true }));
const sequence = (name) => path.join(data, 'skinning/sequences', name);
const character = (name) => path.join(data, 'characters', name);

function run(...args) {
  const done = spawnSync('bash', ['-c', 'TIMEFORMAT="seconds %U"; time "$@"', 'bash', limber, ...args], { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (done.status !== 0) throw new Error(`limber ${args.join(' ')}: exit ${done.status}\n${done.stderr}`);
  return { text: done.stdout, seconds: Number(/seconds ([\d.]+)/.exec(done.stderr)[1]) };
}

function learn(inputs, bones, ...options) {
  const done = run('learn', ...inputs, '--bones', `${bones}`, ...options, '--threads', '1', '--json', '-q', '-o', path.join(work, 'learned.glb'));
  const { rmse_percent: percent, joints_free: free } = JSON.parse(done.text);
  return { percent, free, seconds: done.seconds };
}

const clip = (file, name, fps) => [character(file), '--clip', name, '--fps', `${fps}`];
const gallop = [sequence('horse-gallop.obj'), sequence('horse-gallop.pc2')];

// A made person who runs, in frames of dual quaternions.
function person() {
  const at = (name) => path.join(work, name);
  run('sample', 'humanoid', '--seed', '4', '--triangles', '10000', '-q', '-o', at('mesh.obj'));
  run('animate', at('mesh.obj'), 'run', '-q', '-o', at('rig.glb'));
  run('bake', at('rig.glb'), '--fps', '24', '--skin', 'dqs', '-q', '-o', at('frame.obj'));
  run('bake', at('rig.glb'), '-q', '-o', at('rest.obj'));
  return [at('rest.obj'), ...fs.readdirSync(work).filter((name) => /^frame_.*obj$/.test(name)).sort().map(at)];
}

const sets = {
  trees: [
    ['a horse gallops', () => gallop, 10, 20],
    ['a wolf', () => [sequence('wolf.obj'), sequence('wolf.pc2')], 10, 20],
    ['the horse in poses', () => [sequence('horse-poses.obj'), sequence('horse-poses.pc2')], 10, 20],
    ['a raven flies', () => [sequence('birds_raven.gltf')], 10, 20],
    ['an artist\'s dinosaur attacks', () => clip('q_Velociraptor.glb', 'Armature|Velociraptor_Attack', 24), 12, 24],
  ],
  'trees-left-out': [
    ['a fox runs', () => [sequence('quadruped_fox.gltf')], 10, 20],
    ['another horse gallops', () => [sequence('quadruped_horse.gltf')], 10, 20],
    ['an artist\'s wolf jumps', () => clip('q_Wolf.glb', 'AnimalArmature|Gallop_Jump', 24), 10, 20],
    ['a made person runs', person, 12, 20],
  ],
};

const own = [
  ['q_Stegosaurus.glb', 'Armature|Stegosaurus_Run'], ['q_Stegosaurus.glb', 'Armature|Stegosaurus_Attack'],
  ['q_Trex.glb', 'Armature|TRex_Attack'], ['q_Velociraptor.glb', 'Armature|Velociraptor_Run'],
  ['q_Triceratops.glb', 'Armature|Triceratops_Run'], ['q_Wolf.glb', 'AnimalArmature|Gallop'],
  ['q_Fox.glb', 'AnimalArmature|Walk'], ['q_Alpaca.glb', 'AnimalArmature|Gallop'], ['q_Stag.glb', 'AnimalArmature|Gallop'],
  ['q_Leela.glb', 'Run'], ['q_Mike.glb', 'Punch'], ['g_boxman.glb', 'close_door_sitting_left'],
];

const mean = (values) => values.reduce((x, y) => x + y, 0) / values.length;
const fixed = (value) => value.toFixed(4);

const geometric = (values) => Math.exp(mean(values.map(Math.log))).toFixed(3);

function scoreTrees(set) {
  const holding = [], sliding = [], more = [], shares = [], slides = [];
  for (const [name, inputs, ...counts] of sets[set]) {
    const files = inputs();
    if (!fs.existsSync(files[0])) continue;
    for (const bones of counts) {
      const flat = learn(files, bones, '--skeleton', 'flat');
      const over = (count, joints, ratios) => {
        const tree = learn(files, count, '--joints', joints);
        ratios.push(tree.percent / flat.percent);
        return tree;
      };
      const hold = over(bones, 'hold', holding), tree = over(bones, 'auto', sliding);
      over(Math.ceil(1.2 * bones), 'hold', more);
      shares.push(tree.free.length / (bones - 1));
      slides.push(...tree.free.map((joint) => joint.slide_percent));
      const far = tree.free.map((joint) => joint.slide_percent.toFixed(2)).join(', ');
      console.log(`${name}, ${bones} bones: flat ${fixed(flat.percent)} in ${flat.seconds} s, joints hold ${fixed(hold.percent)} in ${hold.seconds} s, `
        + `${holding.at(-1).toFixed(3)}, of 1.2 times the bones ${more.at(-1).toFixed(3)}; `
        + `${tree.free.length} slide ${fixed(tree.percent)} in ${tree.seconds} s, ${sliding.at(-1).toFixed(3)}${far && `, by ${far} %`}`);
    }
  }
  console.log(`geometric mean: hold ${geometric(holding)}, worst ${Math.max(...holding).toFixed(3)} of ${holding.length}; of 1.2 times the bones ${geometric(more)}; `
    + `${(100 * mean(shares)).toFixed(0)} % slide, by ${slides.length ? mean(slides).toFixed(2) : 0} % in the mean, ${geometric(sliding)}, worst ${Math.max(...sliding).toFixed(3)}`);
}

if (what === 'gallop') {
  for (const bones of [10, 20, 30]) {
    const { percent, seconds } = learn(gallop, bones, '--skeleton', 'flat');
    console.log(`${bones} bones: ${fixed(percent)} in ${seconds} s`);
  }
} else if (what === 'own') {
  const all = [];
  for (const [file, name] of own) {
    if (!fs.existsSync(character(file))) continue;
    const { vertices } = readMoving(character(file), name, 24);
    const bones = new Set(vertices.flatMap((v) => [...v.row.keys()])).size;
    const { percent, seconds } = learn(clip(file, name, 24), bones, '--skeleton', 'flat');
    all.push(percent);
    console.log(`${file} ${name}, ${bones} bones: ${fixed(percent)} in ${seconds} s`);
  }
  console.log(`mean ${fixed(mean(all))}, worst ${fixed(Math.max(...all))} of ${all.length}`);
} else {
  scoreTrees(what);
}
