import { h } from '../../base/dom';
import { range, type Actor } from '../kit/actor';
import { rgb } from '../kit/color';
import { GpuSkin, type Complaint, type GpuMesh } from '../kit/gpu';
import { normalsOf } from '../kit/painter';
import { withPerson } from '../kit/person';
import type { Chapter, Step } from '../kit/step';
import { display, fixed, radians } from '../kit/words';

/** Rows of four, as the graphics card wants them. */
function meshOf(actor: Actor): GpuMesh {
    const rows = range(actor.vertexCount).map(() => [] as [number, number][]);
    range(actor.names.length).forEach((joint) => actor.weights(joint).forEach((w, v) => w > 0 && rows[v]!.push([joint, w])));
    const joints = new Uint16Array(4 * rows.length), weights = new Float32Array(4 * rows.length);
    rows.forEach((row, v) => row.sort((a, b) => b[1] - a[1]).slice(0, 4).forEach(([joint, weight], k) => {
        joints[4 * v + k] = joint;
        weights[4 * v + k] = weight;
    }));
    const positions = actor.restSkin;
    return { positions, normals: normalsOf(positions, actor.indices), joints, weights, indices: actor.indices };
}

/** G of the pose times the inverse of G at rest, sixteen numbers a joint. */
class Palette {
    private readonly back: Float32Array;

    constructor(private readonly actor: Actor) {
        actor.rest();
        const rest = actor.model;
        this.back = new Float32Array(rest.length);
        actor.names.forEach((_, j) => {
            const at = 16 * j;
            for (let r = 0; r < 3; ++r) {
                for (let c = 0; c < 3; ++c) this.back[at + 4 * c + r] = rest[at + 4 * r + c]!;
                this.back[at + 12 + r] = -[0, 1, 2].reduce((sum, c) => sum + rest[at + 4 * r + c]! * rest[at + 12 + c]!, 0);
            }
            this.back[at + 15] = 1;
        });
    }

    get now(): Float32Array {
        const g = this.actor.model, { back } = this;
        return Float32Array.from({ length: g.length }, (_, k) => {
            const at = 16 * Math.floor(k / 16), row = k % 4, column = Math.floor((k % 16) / 4);
            return [0, 1, 2, 3].reduce((sum, n) => sum + g[at + 4 * n + row]! * back[at + 4 * column + n]!, 0);
        });
    }
}

function pose(actor: Actor, elbow: number, shoulder = 20): void {
    actor.rest();
    actor.rotateInScene(actor.joint('leftUpperArm'), [0, 0, 1], radians(-shoulder));
    actor.rotate(actor.joint('leftLowerArm'), hinge(actor), radians(elbow));
}

/** The elbow's axis in its own frame. */
function hinge(actor: Actor): number[] {
    const m = actor.matrix(actor.joint('leftLowerArm'));
    return [0, 1, 2].map((c) => -m[4 * c + 1]!);
}

const layouts = [
    ['position', 3, 'float', 4], ['normal', 3, 'float', 4], ['texture coordinates', 2, 'float', 4], ['joints', 4, 'byte', 1], ['weights', 4, 'byte', 1],
] as const;

function structure(step: Step): void {
    const vertex = step.dial({ label: 'Vertex', value: 1200, min: 0, max: 2400, step: 1 });
    const people = step.dial({ label: 'Vertices of a character', value: 10, min: 1, max: 100, step: 1, unit: ' 000' });
    const bytes = layouts.reduce((sum, [, count, , size]) => sum + count * size, 0);
    step.say`A graphics card runs one small program for each vertex, thousands at a time. All that the program knows of its vertex is a *structure* of a few bytes:`;
    step.add(h('table', { class: 'rows' }, h('thead', {}, h('tr', {}, ...['field', 'numbers', 'each', 'bytes'].map((name) => h('th', { scope: 'col' }, name)))),
        h('tbody', {}, ...layouts.map(([name, count, kind, size]) => h('tr', {}, h('td', {}, name), h('td', {}, `${count}`), h('td', {}, kind), h('td', {}, `${count * size}`))))));
    step.say`${bytes} bytes a vertex, so ${people.inline()} vertices are ${step.live(() => `${fixed((people.value * 1000 * bytes) / 1024, 0)} kB`)}, sent *once*. Per frame only the bones' matrices change.`;
    withPerson(step, (actor) => {
        const mesh = meshOf(actor), at = (): number => Math.min(vertex.value, actor.vertexCount - 1);
        const list = (data: ArrayLike<number>, width: number, digits: number): string => range(width).map((k) => fixed(data[width * at() + k]!, digits)).join(', ');
        const length = (): number => Math.hypot(mesh.normals[3 * at()]!, mesh.normals[3 * at() + 1]!, mesh.normals[3 * at() + 2]!);
        step.space({ label: 'A person and one vertex of it', target: [0, 0.88, 0], distance: 4.4, yaw: 18, aspect: 0.7, draw: (space) => {
            space.surfaces({ positions: mesh.positions, indices: actor.indices, color: rgb('skin') });
            const v = 3 * at();
            space.dot([mesh.positions[v]!, mesh.positions[v + 1]!, mesh.positions[v + 2]!], 'b', 6);
        } });
        step.controls(vertex.slider(), people.slider());
        step.state(() => `Vertex ${at()}: position ${list(mesh.positions, 3, 3)}; normal ${range(3).map((k) => fixed(mesh.normals[3 * at() + k]! / length(), 2)).join(', ')}; joints ${list(mesh.joints, 4, 0)}; weights ${list(mesh.weights, 4, 3)}.`);
    });
}

function texture(step: Step): void {
    const elbow = step.dial({ label: 'Elbow', value: 60, min: 0, max: 140, step: 1, unit: '°' });
    step.say`The matrices $T_j$ lie in a *texture*: a picture whose pixels are not colours but numbers, four in each. A row for a joint, a pixel for a column of its matrix. Here it is, as a picture: turn the elbow by ${elbow.inline()}, and only the rows of the forearm and its hand change.`;
    step.add(display('T_j = G_j Ḡ_j^{−1}'));
    step.say`Why not uniforms? There may be too few for 53 joints, and with a texture a thousand characters are a thousand such pictures side by side, drawn in one call.`;
    withPerson(step, (actor) => {
        const palette = new Palette(actor), canvas = h('canvas', { role: 'img', 'aria-label': 'The texture of matrices: four pixels for each of the joints', class: 'texels', width: 4 * 26, height: actor.names.length * 6 });
        const context = canvas.getContext('2d')!;
        step.first(() => pose(actor, elbow.value));
        const still = (): number => {
            const t = palette.now;
            return actor.names.filter((_, j) => range(16).every((k) => Math.abs(t[16 * j + k]! - (k % 5 === 0 ? 1 : 0)) < 1e-4)).length;
        };
        step.always(() => {
            const t = palette.now;
            actor.names.forEach((_, j) => range(4).forEach((c) => {
                const [r, g, b] = [0, 1, 2].map((k) => Math.round(255 * (0.5 + 0.5 * Math.tanh(t[16 * j + 4 * c + k]!))));
                context.fillStyle = `rgb(${r}, ${g}, ${b})`;
                context.fillRect(26 * c, 6 * j, 26, 6);
            }));
        });
        const pair = h('div', { class: 'pair' });
        const space = step.space({ label: 'A person whose elbow bends', target: [0.25, 1.25, 0.05], distance: 2.6, yaw: 20, pitch: 12, aspect: 1,
            draw: (one) => one.surfaces({ positions: actor.skin(), indices: actor.indices, color: rgb('skin') }) });
        pair.append(space.element, canvas);
        step.scene.append(pair);
        step.controls(elbow.slider());
        step.state(() => `${actor.names.length} joints, ${4 * actor.names.length} pixels of four floats, ${64 * actor.names.length} bytes a frame. ${still()} of the matrices are the identity.`);
    });
}

const head = `#version 300 es
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in uvec4 joints;
layout(location = 3) in vec4 weights;
uniform mat4 clipFromModel;
uniform highp sampler2D palette;   // a row for each joint
out vec3 skinned, facing;

mat4 matrixOf(uint joint) {
    int row = int(joint);
    return mat4(texelFetch(palette, ivec2(0, row), 0),
                texelFetch(palette, ivec2(1, row), 0),
                texelFetch(palette, ivec2(2, row), 0),
                texelFetch(palette, ivec2(3, row), 0));
}
`;
const whole = `${head}
void main() {
    mat4 t = weights.x * matrixOf(joints.x)
           + weights.y * matrixOf(joints.y)
           + weights.z * matrixOf(joints.z)
           + weights.w * matrixOf(joints.w);
    skinned = (t * vec4(position, 1.0)).xyz;
    facing = mat3(t) * normal;
    gl_Position = clipFromModel * vec4(skinned, 1.0);
}
`;
const partial = `${head}
void main() {
    // Only the first joint: mend it.
    mat4 t = matrixOf(joints.x);
    skinned = (t * vec4(position, 1.0)).xyz;
    facing = mat3(t) * normal;
    gl_Position = clipFromModel * vec4(skinned, 1.0);
}
`;

/** The text of a shader with numbers at its lines, and what is wrong with it below. */
class Editor {
    readonly element: HTMLElement;
    readonly area: HTMLTextAreaElement;
    private readonly lines = h('pre', { class: 'lines', 'aria-hidden': 'true' });
    private readonly said = h('ul', {});

    constructor(label: string, source: string, private readonly compile: (source: string) => Complaint[]) {
        this.area = h('textarea', { 'aria-label': label, spellcheck: false, value: source, autocapitalize: 'off' });
        this.area.setAttribute('wrap', 'off');
        this.element = h('div', { class: 'editor' }, h('div', { class: 'text' }, this.lines, this.area), h('div', { class: 'complaints', role: 'status' }, this.said));
        this.area.addEventListener('input', () => this.run());
        this.area.addEventListener('scroll', () => (this.lines.scrollTop = this.area.scrollTop));
    }

    set source(text: string) {
        this.area.value = text;
        this.run();
    }

    run(): void {
        const wrong = this.compile(this.area.value), bad = new Set(wrong.map(({ line }) => line));
        this.lines.replaceChildren(...this.area.value.split('\n').map((_, k) => h('span', { class: bad.has(k + 1) ? 'wrong' : '' }, `${k + 1}\n`)));
        this.said.replaceChildren(...(wrong.length ? wrong.map(({ line, text }) => h('li', { class: 'wrong' }, line ? `Line ${line}: ${text}` : text)) : [h('li', { class: 'right' }, 'It compiles.')]));
    }
}

/** A shader to be changed, the body that it draws, and how far that is from what the library makes. */
function workshop(step: Step, source: string, then: (parts: { away: () => number; elbow: () => number }) => void): void {
    const elbow = step.dial({ label: 'Elbow', value: 95, min: 0, max: 140, step: 1, unit: '°' });
    withPerson(step, (actor) => {
        const palette = new Palette(actor), skin = new GpuSkin(meshOf(actor), actor.names.length);
        step.ending(() => skin.end());
        let away = 0;
        const measure = (): void => {
            pose(actor, elbow.value);
            const [ours, theirs] = [skin.read(palette.now), actor.skin()];
            away = range(actor.vertexCount).reduce((most, v) => Math.max(most, Math.hypot(ours[3 * v]! - theirs[3 * v]!, ours[3 * v + 1]! - theirs[3 * v + 1]!, ours[3 * v + 2]! - theirs[3 * v + 2]!)), 0);
        };
        const editor = new Editor('Vertex shader', source, (text) => {
            const wrong = skin.compile(text);
            if (!wrong.length) measure();
            step.changed();
            return wrong;
        });
        step.first(measure);
        step.space({ label: 'A person drawn by this shader', target: [0.3, 1.28, 0.08], distance: 2, yaw: 25, pitch: 18, aspect: 0.62, draw: (one) => one.drawn((clip, width, height) => {
            Object.assign(skin.canvas, { width, height });
            skin.draw(palette.now, clip, rgb('skin').map((x) => 1.25 * x));
            return skin.canvas;
        }) });
        step.controls(elbow.slider(), step.button('As it was', () => (editor.source = source)));
        step.scene.append(editor.element);
        editor.run();
        step.state(() => `The farthest vertex is ${fixed(1000 * away, 3)} mm from where the library puts it.`);
        then({ away: () => away, elbow: () => elbow.value });
    });
}

function shader(step: Step): void {
    step.say`This is the whole of it, and it runs: four matrices from the texture, a mean by the weights, one product. Everything that you saw in chapters 7 and 8 is in the four lines of \`mat4 t\`.`;
    step.say`Change it. Multiply \`position\` by 1.2. Leave a joint out. Add \`+ 0.05 * normalize(normal) * weights.x\` to \`skinned\`. It is compiled at each key; what is wrong is told by its line, and the last good one goes on.`;
    workshop(step, whole, () => {});
}

function question(step: Step): void {
    const task = step.ask`Somebody left a rigid shader: each vertex follows its first joint only. Mend it, until no vertex is farther than 0.1 mm from where the library puts it, with the elbow bent by 60° or more.`;
    workshop(step, partial, ({ away, elbow }) => task.check(() => ({ done: away() < 1e-4 && elbow() >= 60, said: `The farthest vertex is ${fixed(1000 * away(), 1)} mm off.` }),
        'That was the last piece: keys give angles, angles give matrices, their products give positions, and this program puts ten thousand vertices there, sixty times a second. Now make something move.'));
}

export const gpu: Chapter = {
    title: 'On the graphics card',
    lead: 'The bytes of a vertex, matrices in a texture, and the shader itself, to be edited.',
    here: { tab: 'Export', text: 'Export a GLB: joints, weights and inverse bind matrices are in it just as here, and every engine\'s shader is a cousin of yours.' },
    steps: [
        { title: 'What a vertex carries', build: structure },
        { title: 'Matrices in a texture', build: texture },
        { title: 'The shader', build: shader },
        { title: 'Mend it', build: question },
    ],
};
