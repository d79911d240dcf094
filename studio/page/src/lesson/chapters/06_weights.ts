import { h } from '../../base/dom';
import { range, type Actor } from '../kit/actor';
import { ramp, rgb } from '../kit/color';
import { humanJoints, jointChoice, withPerson } from '../kit/person';
import { normalsOf } from '../kit/painter';
import type { Point } from '../kit/plane';
import type { Chapter, Step } from '../kit/step';
import { display, fixed, radians } from '../kit/words';
import type { Triple } from '../../reports';

const title = (name: string): string => humanJoints.find(([key]) => key === name)?.[1] ?? name;
const heat = (weights: Float32Array): Float32Array => Float32Array.from([...weights].flatMap((w) => ramp(w)));
const at = (p: Float32Array, v: number): Triple => [p[3 * v]!, p[3 * v + 1]!, p[3 * v + 2]!];

/** The vertex at rest nearest to a position. */
function nearest(p: Float32Array, position: readonly number[]): number {
    let best = 0, least = Infinity;
    for (let v = 0; v < p.length / 3; ++v) {
        const d = Math.hypot(p[3 * v]! - position[0]!, p[3 * v + 1]! - position[1]!, p[3 * v + 2]! - position[2]!);
        if (d < least) [best, least] = [v, d];
    }
    return best;
}

/** The back of the left elbow, at rest. */
function elbowVertex(actor: Actor): number {
    const [x, y, z] = actor.position(actor.joint('leftLowerArm'));
    return nearest(actor.restSkin, [x, y, z - 0.06]);
}

function row(step: Step): void {
    step.say`Which bones does a vertex follow, and how much? It has a *row* of weights, one for each joint. Click any place on the body, or step through the arm with the slider.`;
    const table = h('table', { class: 'rows' });
    step.add(table, display('w_{ij} ≥ 0 ,    Σ_j w_{ij} = 1'));
    step.say`Weights are never negative, and a row sums to 1: the vertex's new position is a *mean* of the positions that its bones would put it. Most of the row is zero. Skin does not follow bones that are far away.`;
    withPerson(step, (actor) => {
        const rest = actor.restSkin, normals = normalsOf(rest, actor.indices);
        const along = step.dial({ label: 'Along the arm', value: 50, min: 0, max: 100, step: 1, unit: ' %' });
        let vertex = elbowVertex(actor), shown = along.value;
        const from = actor.position(actor.joint('leftUpperArm')), to = actor.position(actor.joint('leftHand'));
        step.first(() => {
            if (along.value !== shown) vertex = nearest(rest, from.map((x, k) => x + ((to[k]! - x) * along.value) / 100 + (k === 2 ? 0.06 : 0)));
            shown = along.value;
        });
        step.always(() => table.replaceChildren(h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'joint'), h('th', { scope: 'col' }, 'weight'))),
            h('tbody', {}, ...actor.row(vertex).map(({ joint, weight }) => h('tr', {}, h('td', {}, actor.names[joint]!), h('td', {}, fixed(weight, 3)))),
                h('tr', {}, h('td', {}, h('b', {}, 'sum')), h('td', {}, h('b', {}, fixed(actor.row(vertex).reduce((sum, { weight }) => sum + weight, 0), 3)))))));
        const space = step.space({
            label: 'A person; the vertex whose row is shown is marked', target: [0.25, 1.2, 0], distance: 3, yaw: 20, pitch: 8, aspect: 0.75,
            draw: () => {
                space.surfaces({ positions: rest, indices: actor.indices, color: rgb('skin') });
                space.dot(at(rest, vertex), 'b', 6);
                actor.row(vertex).forEach(({ joint, weight }) => space.line([at(rest, vertex), actor.position(joint)], 'b', 0.5 + 4 * weight));
            },
        });
        space.clicked((x, y) => {
            const hit = space.vertexAt(rest, normals, x, y);
            if (hit >= 0) vertex = hit;
            step.changed();
        });
        step.controls(along.slider());
        step.state(() => `Vertex ${vertex}: ${actor.row(vertex).map(({ joint, weight }) => `${actor.names[joint]!} ${fixed(weight, 3)}`).join(', ')}. Sum ${fixed(actor.row(vertex).reduce((sum, one) => sum + one.weight, 0), 3)}.`);
    });
}

function colours(step: Step): void {
    const chosen = jointChoice(step, 'Joint', 'leftUpperArm');
    const rotation = step.dial({ label: 'Rotate it by', value: -40, min: -80, max: 80, step: 1, unit: '°' });
    step.say`Read by columns instead of rows, each joint has a *map* over the whole skin: blue where it has no say, red where it alone decides. Choose one, and turn it by ${rotation.inline()}.`;
    step.say`The soft seam between red and blue is where two bones share. Too narrow, and the skin folds like paper; too wide, and bending an arm drags the chest along.`;
    withPerson(step, (actor) => {
        step.first(() => {
            actor.rest();
            actor.rotateInScene(actor.joint(chosen.value), [0, 0, 1], radians(rotation.value));
        });
        const weights = (): Float32Array => actor.weights(actor.joint(chosen.value));
        step.space({
            label: 'A person coloured by how much each point follows the joint', target: [0, 0.88, 0], distance: 4.4, yaw: 18, aspect: 0.8,
            draw: (space) => {
                space.ground(1.2, { at: [0, 0, 0], radius: 0.5 });
                space.surfaces({ positions: actor.skin(), indices: actor.indices, colors: heat(weights()) });
            },
        });
        step.scene.append(h('div', { class: 'ends' }, h('span', {}, '0'), h('span', { class: 'ramp grow', 'aria-hidden': 'true' }), h('span', {}, '1')));
        step.controls(chosen.element, rotation.slider());
        step.state(() => `${title(chosen.value)}: ${weights().filter((w) => w > 0).length} of ${actor.vertexCount} vertices follow it, ${weights().filter((w) => w > 0.999).length} of them alone.`);
    });
}

function sums(step: Step): void {
    const dials = [0.5, 0.3, 0.4].map((value, k) => step.dial({ label: `w${'₁₂₃'[k]}`, value, min: 0, max: 1, step: 0.05 }));
    const normal = step.toggle('Divide by the sum', false);
    const spots: Point[] = [[2, 6], [7, 7], [8, 2]];
    const sum = (): number => dials.reduce((total, one) => total + one.value, 0);
    const fraction = (k: number): number => dials[k]!.value / (normal.value && sum() > 0 ? sum() : 1);
    const mean = (): Point => [0, 1].map((axis) => spots.reduce((total, spot, k) => total + fraction(k) * spot[axis]!, 0)) as unknown as Point;
    step.say`Three bones put a vertex at three positions. Weights of ${dials[0]!.inline()}, ${dials[1]!.inline()} and ${dials[2]!.inline()} sum to ${step.live(() => fixed(dials.reduce((total, _, k) => total + fraction(k), 0)))}.`;
    step.add(display('v′ = Σ w_j v_j = ', step.live(() => `(${fixed(mean()[0])}, ${fixed(mean()[1])})`)));
    step.say`With a sum of 1 and nothing negative the vertex stays inside the triangle: a *convex combination*. With a sum of 0.8 it is drawn to the origin, which for a character lies between its feet; with 1.2 it is pushed
        away. So tools divide by the sum, every time.`;
    const plane = step.plane({
        label: 'Three positions for a vertex, and their weighted sum', x: [0, 10], y: [0, 9], aspect: 0.72, grid: [2, 2],
        draw: () => {
            plane.area(spots, 'a');
            plane.line([[0, 0], mean()], 'quiet dashed');
            spots.forEach((spot, k) => {
                plane.line([spot, mean()], 'a faint');
                plane.dot(spot, 'a', 4 + 12 * fraction(k));
                plane.label(spot, `v${'₁₂₃'[k]} × ${fixed(fraction(k))}`, { dy: -22, middle: true, color: 'a' });
            });
            plane.dot(mean(), 'b', 8);
            plane.label(mean(), 'v′', { dx: 12, dy: 5, color: 'b big' });
        },
    });
    step.controls(...dials.map((one) => one.slider()), normal.element());
    step.state(() => `Weights ${dials.map((_, k) => fixed(fraction(k))).join(', ')}, sum ${fixed(dials.reduce((total, _, k) => total + fraction(k), 0))}: the vertex is at (${fixed(mean()[0])}, ${fixed(mean()[1])}).`);
}

function few(step: Step): void {
    const most = step.dial({ label: 'Joints a vertex', value: 2, min: 1, max: 4, step: 1 });
    step.say`A graphics card wants rows of one length. Four joints a vertex is custom: here is the fraction of vertices that need more than ${most.inline()}, and what would be lost.`;
    withPerson(step, (actor) => {
        const rows = range(actor.vertexCount).map(() => [] as number[]);
        range(actor.names.length).forEach((joint) => actor.weights(joint).forEach((w, v) => w > 0 && rows[v]!.push(w)));
        rows.forEach((one) => one.sort((a, b) => b - a));
        const count = (n: number): number => rows.filter((one) => one.length === n).length;
        const lost = (): number[] => rows.map((one) => one.slice(most.value).reduce((sum, w) => sum + w, 0));
        const joints = actor.names.length - 1;
        step.add(h('table', { class: 'rows' }, h('thead', {}, h('tr', {}, ...['joints', 'vertices', 'fraction'].map((name) => h('th', { scope: 'col' }, name)))),
            h('tbody', {}, ...[1, 2, 3, 4].map((n) => h('tr', {}, h('td', {}, `${n}`), h('td', {}, `${count(n)}`), h('td', {}, `${fixed((100 * count(n)) / rows.length, 1)} %`))))));
        step.add(h('p', {}, `All ${joints} columns for ${actor.vertexCount} vertices would be ${Math.round((joints * actor.vertexCount * 4) / 1024)} kB, nearly all zeros. Four pairs of an index and a weight are ${Math.round((actor.vertexCount * 4 * 6) / 1024)} kB.`));
        step.space({
            label: 'A person; red is where weight would be lost', target: [0, 0.88, 0], distance: 4.4, yaw: 18, aspect: 0.8,
            draw: (space) => space.surfaces({ positions: actor.restSkin, indices: actor.indices, colors: Float32Array.from(lost().flatMap((x) => ramp(Math.min(1, 2 * x)))) }),
        });
        step.controls(most.slider());
        step.state(() => `With at most ${most.text}: ${rows.filter((one) => one.length > most.value).length} vertices lose weight, at most ${fixed(Math.max(...lost()))} of 1.`);
    });
}

/** A brush on the weights of one joint. */
class Brush {
    readonly rest: Float32Array;
    readonly normals: Float32Array;

    constructor(private readonly step: Step, readonly actor: Actor, private readonly joint: number) {
        this.rest = actor.restSkin;
        this.normals = normalsOf(this.rest, actor.indices);
        step.limber.need('limber_paint_begin', actor.handle);
    }

    /** Op as LIMBER_BRUSH_…: 0 adds, 2 scales, 3 smooths. */
    dab(op: number, vertex: number, strength: number): void {
        const value = op === 2 ? 0.5 : 1;
        this.step.limber.need('limber_paint_stroke', this.actor.handle, op, this.joint, ...at(this.rest, vertex), 0.07, strength, value, 0);
        this.step.limber.call('limber_paint_end', this.actor.handle);
        this.step.changed();
    }
}

function paint(step: Step): void {
    const tool = step.choice<'0' | '2' | '3'>('Brush', [['0', 'Add'], ['2', 'Take'], ['3', 'Smooth']], '0');
    const strength = step.dial({ label: 'Strength', value: 0.5, min: 0.1, max: 1, step: 0.1 });
    const bend = step.dial({ label: 'Elbow', value: 70, min: 0, max: 130, step: 1, unit: '°' });
    step.say`Artists *paint*. Click on the arm, or paint at the mark: the brush adds, takes or smooths the forearm's weight around that point, with a strength of ${strength.inline()}, while the elbow is bent by ${bend.inline()},
        so that you see at once what it does to the skin. What one joint gains, the others lose.`;
    step.say`Make it worse: add forearm far up the arm, and part of the biceps swings with the hand. Then smooth, and see how forgiving smooth weights are.`;
    withPerson(step, (actor) => {
        const joint = actor.joint('leftLowerArm'), brush = new Brush(step, actor, joint);
        const pose = (): void => {
            actor.rest();
            actor.rotateInScene(joint, [0, -1, 0], radians(bend.value));
        };
        step.first(pose);
        const mark = step.dial({ label: 'Brush along the arm', value: 40, min: 0, max: 100, step: 1, unit: ' %' });
        const from = actor.position(actor.joint('leftUpperArm')), to = actor.position(actor.joint('leftHand'));
        const spot = (): number => nearest(brush.rest, from.map((x, k) => x + ((to[k]! - x) * mark.value) / 100 + (k === 2 ? 0.06 : 0)));
        const space = step.space({
            label: 'The arm, coloured by how much it follows the forearm', target: [0.42, 1.36, 0.08], distance: 1.7, yaw: 15, pitch: 22, aspect: 0.75,
            draw: () => {
                const skin = actor.skin();
                space.surfaces({ positions: skin, indices: actor.indices, colors: heat(actor.weights(joint)) });
                space.dot(at(skin, spot()), 'bone', 4);
            },
        });
        space.clicked((x, y) => {
            const skin = actor.skin(), hit = space.vertexAt(skin, normalsOf(skin, actor.indices), x, y);
            if (hit >= 0) brush.dab(Number(tool.value), hit, strength.value);
        });
        step.controls(tool.element(), mark.slider(), step.button('Paint there', () => brush.dab(Number(tool.value), spot(), strength.value), true),
            step.button('Undo', () => void step.limber.call('limber_paint_undo', actor.handle)), strength.slider(), bend.slider());
        step.state(() => `At the mark the forearm has a weight of ${fixed(actor.weights(joint)[spot()]!)}, of a sum of ${fixed(actor.row(spot()).reduce((sum, one) => sum + one.weight, 0))}.`);
    });
}

function question(step: Step): void {
    const task = step.ask`The marked vertex on the upper arm follows the forearm too much: somebody slipped with the brush. Bring the forearm's weight there below 0.05 and let the row still sum to 1.`;
    withPerson(step, (actor) => {
        const joint = actor.joint('leftLowerArm'), brush = new Brush(step, actor, joint);
        const from = actor.position(actor.joint('leftUpperArm')), to = actor.position(joint);
        const spot = nearest(brush.rest, from.map((x, k) => x + (to[k]! - x) * 0.5 + (k === 2 ? 0.06 : 0)));
        brush.dab(0, spot, 0.7);
        const weight = (): number => actor.weights(joint)[spot]!, sum = (): number => actor.row(spot).reduce((total, one) => total + one.weight, 0);
        task.check(() => ({ done: weight() < 0.05 && Math.abs(sum() - 1) < 1e-3, said: `The forearm has ${fixed(weight(), 3)} there; the row sums to ${fixed(sum(), 3)}.` }),
            'Each stroke divides the row by its sum, so the weight that you took went to the upper arm. That is why painting away is safe only where another joint has some weight already.');
        const tool = step.choice<'0' | '2' | '3'>('Brush', [['0', 'Add'], ['2', 'Take'], ['3', 'Smooth']], '0');
        step.first(() => {
            actor.rest();
            actor.rotateInScene(joint, [0, -1, 0], radians(80));
        });
        const space = step.space({
            label: 'The arm, coloured by how much it follows the forearm', target: [0.38, 1.36, 0.08], distance: 1.5, yaw: 15, pitch: 22, aspect: 0.75,
            draw: () => {
                const skin = actor.skin();
                space.surfaces({ positions: skin, indices: actor.indices, colors: heat(actor.weights(joint)) });
                space.dot(at(skin, spot), 'bone', 6);
            },
        });
        space.clicked((x, y) => {
            const skin = actor.skin(), hit = space.vertexAt(skin, normalsOf(skin, actor.indices), x, y);
            if (hit >= 0) brush.dab(Number(tool.value), hit, 0.7);
        });
        step.controls(tool.element(), step.button('Paint at the mark', () => brush.dab(Number(tool.value), spot, 0.7), true));
        step.state(() => `Row of the marked vertex: ${actor.row(spot).map((one) => `${actor.names[one.joint]!} ${fixed(one.weight, 3)}`).join(', ')}.`);
    });
}

export const weights: Chapter = {
    title: 'Weights',
    lead: 'How much of each bone is in a vertex: rows, maps, the sum of one, and a brush.',
    here: { tab: 'Weights', text: 'The same brush on your character, with falloff, locks and mirroring: find a place that folds, bend it in Pose, and smooth it.' },
    steps: [
        { title: 'A vertex has a row', build: row },
        { title: 'A joint has a map', build: colours },
        { title: 'Why they sum to one', build: sums },
        { title: 'Four are enough', build: few },
        { title: 'Paint', build: paint },
        { title: 'Mend a slip', build: question },
    ],
};
