// Files that meshoptimizer or Draco packed, by their own encoders: Limber reads what glTF Transform reads from them, and where the
// packing loses nothing it writes the bytes that it writes of the file before it was packed.
import fs from 'node:fs';
import path from 'node:path';
import { fail, finish, ownCharacters, run, skip, work } from './harness.mjs';
import { pack } from './meshopt_pack.mjs';

const { NodeIO } = await import('@gltf-transform/core').catch(() => skip('glTF Transform is not installed; ./dev test installs it'));
const { ALL_EXTENSIONS, EXTMeshoptCompression, KHRDracoMeshCompression } = await import('@gltf-transform/extensions');
const { MeshoptDecoder, MeshoptEncoder } = await import('meshoptimizer');
const draco = (await import('draco3dgltf')).default;

await Promise.all([MeshoptEncoder.ready, MeshoptDecoder.ready]);
const io = new NodeIO().registerExtensions(ALL_EXTENSIONS).registerDependencies({
  'meshopt.encoder': MeshoptEncoder,
  'meshopt.decoder': MeshoptDecoder,
  'draco3d.encoder': await draco.createEncoderModule(),
  'draco3d.decoder': await draco.createDecoderModule(),
});

const lossy = {
  'meshopt with filters': [EXTMeshoptCompression, { method: EXTMeshoptCompression.EncoderMethod.FILTER }],
  'Draco': [KHRDracoMeshCompression, {}],
  'Draco, fine': [KHRDracoMeshCompression, { encodeSpeed: 0, quantizationBits: { POSITION: 16, NORMAL: 12, TEX_COORD: 14, GENERIC: 16 } }],
  'Draco, fast': [KHRDracoMeshCompression, { encodeSpeed: 10, decodeSpeed: 10 }],
};

const inFolder = (name) => path.join(work, name);

async function converted(file, out) {
  const done = await run('convert', file, out);
  if (done.code !== 0) fail(`limber convert ${path.basename(file)} exits ${done.code}: ${done.stderr.trim()}`);
  return done.code === 0;
}

const same = (values) => values;
const unit = (values) => values.map((value) => value / Math.hypot(...values));

/** What a file says, in arrays that can be compared: corners of triangles with normals and weights, and clips. */
async function contents(file) {
  const root = (await io.read(file)).getRoot(), out = {};
  root.listMeshes().forEach((mesh, m) => mesh.listPrimitives().forEach((primitive, p) => {
    const corners = primitive.getIndices().getArray();
    for (const name of ['POSITION', 'NORMAL', 'TEXCOORD_0', 'COLOR_0']) {
      const attribute = primitive.getAttribute(name);
      if (attribute) out[`mesh ${m}.${p} ${name}`] = Array.from(corners, (k) => (name === 'NORMAL' ? unit : same)(attribute.getElement(k, []))).flat();
    }
    const joints = primitive.getAttribute('JOINTS_0'), weights = primitive.getAttribute('WEIGHTS_0');
    if (!joints) return;
    out[`mesh ${m}.${p} weights`] = Array.from(corners, (k) => {
      const rows = joints.getElement(k, []).map((joint, i) => [joint, weights.getElement(k, [])[i]]).filter(([, weight]) => weight > 0);
      const sum = rows.reduce((all, [, weight]) => all + weight, 0);
      return rows.sort(([a], [b]) => a - b).reduce((all, [joint, weight]) => all + ((joint + 1) * weight) / sum, 0);
    });
  }));
  root.listAnimations().forEach((clip, c) => clip.listChannels().forEach((channel) => {
    const sampler = channel.getSampler(), output = sampler.getOutput();
    const name = `clip ${c} ${channel.getTargetNode().getName()} ${channel.getTargetPath()}`;
    // A quaternion and its negative are one rotation.
    out[name] = Array.from({ length: output.getCount() }, (_, k) => {
      const value = output.getElement(k, []);
      return channel.getTargetPath() === 'rotation' && value[3] < 0 ? value.map((x) => -x) : value;
    }).flat();
  }));
  return out;
}

let numbers = 0;
async function compare(label, file, out, within) {
  const [want, got] = [await contents(file), await contents(out)];
  for (const [name, values] of Object.entries(want)) {
    if (got[name]?.length !== values.length) return fail(`${label}: ${name} has ${got[name]?.length} numbers, glTF Transform reads ${values.length}`);
    const worst = values.reduce((most, value, k) => Math.max(most, Math.abs(value - got[name][k])), 0);
    if (!(worst <= within)) return fail(`${label}: ${name} is ${worst} from what glTF Transform reads`);
    numbers += values.length;
  }
}

const [character] = await ownCharacters([3]);
const plain = inFolder('plain.glb');
await converted(character, plain);

for (const [extension, version] of [['EXT_meshopt_compression', 0], ['KHR_meshopt_compression', 1]]) {
  const packed = inFolder(`${extension}.glb`), out = inFolder('out.glb');
  fs.writeFileSync(packed, pack(fs.readFileSync(character), MeshoptEncoder, extension, version));
  if ((await converted(packed, out)) && !fs.readFileSync(out).equals(fs.readFileSync(plain))) fail(`${extension}: other bytes than before it was packed`);
}

// Only a build that found no library of Draco may refuse it.
const hasDraco = !process.env.LIMBER_BUILD || fs.existsSync(path.join(process.env.LIMBER_BUILD, 'liblimber_draco.a'));
for (const [label, [Extension, options]] of Object.entries(lossy)) {
  const packed = inFolder('packed.glb'), out = inFolder('out.glb');
  const document = await io.read(character);
  document.createExtension(Extension).setRequired(true).setEncoderOptions(options);
  await io.write(packed, document);
  if (Extension === KHRDracoMeshCompression && !hasDraco) {
    const done = await run('convert', packed, out);
    if (done.code !== 4 || !done.stderr.includes('KHR_draco_mesh_compression')) fail(`${label}: exit ${done.code} without a decoder: ${done.stderr.trim()}`);
  } else if (await converted(packed, out)) await compare(label, packed, out, 2e-4);
}

finish(`two lossless packings and ${Object.keys(lossy).length} others${hasDraco ? '' : ', without Draco'}: ${numbers} numbers are those that glTF Transform reads`);
