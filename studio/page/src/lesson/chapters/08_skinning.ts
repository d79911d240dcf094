import { h } from '../../base/dom';
import { range, type Actor } from '../kit/actor';
import { ramp, rgb } from '../kit/color';
import { methods } from '../kit/limber';
import { product } from '../kit/matrix';
import type { Point } from '../kit/plane';
import type { Chapter, Step } from '../kit/step';
import { tubeFile, volumeOf, weightAt } from '../kit/tube';
import { display, fixed, radians } from '../kit/words';
import type { Triple } from '../../reports';

const size = { length: 1.6, radius: 0.2, rings: 32, sides: 24 };

/** A tube whose second half bends and twists. */
class Tube {
    readonly actor: Actor;
    readonly colors: Float32Array;
    readonly whole: number;

    constructor(step: Step, readonly soft: number) {
        this.actor = step.open(tubeFile({ ...size, soft }), 'tube.gltf');
        this.colors = Float32Array.from([...this.actor.weights(this.actor.joint('second'))].flatMap((w) => ramp(w)));
        this.whole = volumeOf(this.actor.restSkin, this.actor.indices);
    }

    pose(bend: number, twist: number): void {
        this.actor.rest();
        const joint = this.actor.joint('second');
        this.actor.rotate(joint, [0, 0, 1], radians(bend));
        this.actor.rotate(joint, [1, 0, 0], radians(twist));
    }

    skin(method: number): Float32Array {
        return this.actor.skin(method);
    }

    /** In percent of the volume at rest. */
    volume(method: number): number {
        return (100 * volumeOf(this.skin(method), this.actor.indices)) / this.whole;
    }

    /** How far the ring in the middle is from its own centre, in percent of the radius. */
    waist(method: number): number {
        const p = this.skin(method), ring = range(size.sides).map((s) => 3 * ((size.rings / 2) * size.sides + s));
        const middle = [0, 1, 2].map((k) => ring.reduce((sum, at) => sum + p[at + k]!, 0) / ring.length);
        return (100 * ring.reduce((sum, at) => sum + Math.hypot(...[0, 1, 2].map((k) => p[at + k]! - middle[k]!)), 0)) / ring.length / size.radius;
    }
}

const camera = { target: [0.1, 0.12, 0] as Triple, distance: 3.3, yaw: 8, pitch: 14, aspect: 0.6 };

function view(step: Step, tube: Tube, label: string, method: () => number, ghost = false): void {
    step.space({ ...camera, label, draw: (space) => {
        space.surfaces({ positions: tube.skin(method()), indices: tube.actor.indices, colors: tube.colors, ...(ghost ? { alpha: 0.75 } : {}) });
        const m = tube.actor.model, at = (k: number): Triple => [m[16 * k + 12]!, m[16 * k + 13]!, m[16 * k + 14]!];
        const [ax, ay, az] = [m[16]!, m[17]!, m[18]!], end: Triple = [at(1)[0] + 0.8 * ax, at(1)[1] + 0.8 * ay, at(1)[2] + 0.8 * az];
        space.line([at(0), at(1), end], 'bone', 3);
        space.dot(at(0), 'bone', 5);
        space.dot(at(1), 'bone', 5);
    } });
}

function rigid(step: Step): void {
    const bend = step.dial({ label: 'Bend', value: 60, min: 0, max: 150, step: 1, unit: '°' });
    const tube = new Tube(step, 0);
    step.say`A sleeve round two bones. The simplest rule: every vertex follows *one* bone, as if it were nailed to it. Bend the arm by ${bend.inline()}.`;
    step.add(display('v′ = T_j v'));
    step.say`Each half is perfect, and the elbow is not: on the inside the halves run into each other, on the outside one row of triangles is stretched across
        the gap. For robots and armour this *rigid skinning* is right. For skin, a vertex near the joint has to follow both bones a little.`;
    step.first(() => tube.pose(bend.value, 0));
    view(step, tube, 'A tube bent in the middle, each half rigid', () => methods.rigid);
    step.controls(bend.slider());
    step.state(() => `Bent by ${bend.text}°: the volume is ${fixed(tube.volume(methods.rigid), 1)} % of the volume at rest.`);
}

function linear(step: Step): void {
    const bend = step.dial({ label: 'Bend', value: 70, min: 0, max: 170, step: 1, unit: '°' });
    const along = step.dial({ label: 'Where it is', value: 0.1, min: -0.5, max: 0.5, step: 0.01, unit: ' m' });
    const soft = 0.6;
    const weight = (): number => weightAt(along.value, soft);
    const rotated = ([x, y]: Point): Point => [x * Math.cos(radians(bend.value)) - y * Math.sin(radians(bend.value)), x * Math.sin(radians(bend.value)) + y * Math.cos(radians(bend.value))];
    const mixed = (at: Point, w: number): Point => [0, 1].map((k) => (1 - w) * at[k]! + w * rotated(at)[k]!) as unknown as Point;
    const vertex = (): Point => [along.value, 0.2];
    const pair = ([x, y]: Point): string => `(${fixed(x)}, ${fixed(y)})`;
    step.say`*Linear blend skinning* moves the vertex with ${h('span', { class: 'ca' }, 'the first bone')}, which stays, and with
        ${h('span', { class: 'cb' }, 'the second')}, which bends by ${bend.inline()}, and takes a mean of the two positions, by weights that sum to 1.`;
    step.add(display('v′ = w_1 T_1 v + w_2 T_2 v'),
        display(step.live(() => `${fixed(1 - weight())} · ${pair(vertex())} + ${fixed(weight())} · ${pair(rotated(vertex()))} = ${pair(mixed(vertex(), weight()))}`)));
    step.say`Move the vertex along to ${along.inline()}: it slides on the *straight line* between its two positions. A bone would have taken it round an arc.
        A chord is shorter than its arc, and that is all that is wrong with linear skinning.`;
    step.plane({
        label: 'The tube from the side: a vertex, where either bone takes it, and the mean of the two', x: [-0.9, 0.9], y: [-0.35, 0.85], aspect: 0.66, equal: true,
        draw: (plane) => {
            for (const y of [0.2, -0.2]) plane.line(range(65).map((k): Point => mixed([(k - 32) / 40, y], weightAt((k - 32) / 40, soft))), 'skin');
            plane.line([[-0.8, 0], [0, 0], rotated([0.8, 0])], 'bone');
            plane.dot([0, 0], 'bone', 6);
            plane.line([vertex(), rotated(vertex())], 'quiet dashed');
            plane.dot(vertex(), 'a', 6);
            plane.dot(rotated(vertex()), 'b', 6);
            plane.dot(mixed(vertex(), weight()), 'd', 8);
            plane.label(mixed(vertex(), weight()), 'v′', { dx: 12, dy: 4, color: 'd big' });
        },
    });
    step.controls(along.slider(), bend.slider());
    step.state(() => `The vertex at ${along.text} m follows the second bone by ${fixed(weight())}. It is put at ${pair(mixed(vertex(), weight()))}.`);
}

function collapse(step: Step): void {
    const bend = step.dial({ label: 'Bend', value: 110, min: 0, max: 170, step: 1, unit: '°' });
    const soft = step.dial({ label: 'Softness', value: 0.6, min: 0.1, max: 1.2, step: 0.1, unit: ' m' });
    let tube = new Tube(step, soft.value);
    step.say`In space, with weights going over from one bone to the other along ${soft.inline()} (the colours): bend by ${bend.inline()}, and all the chords
        together shrink the elbow. ${step.live(() => `${fixed(tube.volume(methods.linear), 1)} %`)} of the volume is left: a *collapsing joint*.`;
    step.say`Softer weights make a rounder bend and lose more of it. Real elbows are nearly hinges; artists paint them sharp for that reason.`;
    step.first(() => {
        if (tube.soft !== soft.value) {
            tube.actor.close();
            tube = new Tube(step, soft.value);
        }
        tube.pose(bend.value, 0);
    });
    step.space({ ...camera, label: 'A tube that collapses where it bends', draw: (space) => space.surfaces({ positions: tube.skin(methods.linear), indices: tube.actor.indices, colors: tube.colors }) });
    step.controls(bend.slider(), soft.slider());
    step.state(() => `Bent by ${bend.text}°, weights over ${soft.text} m: ${fixed(tube.volume(methods.linear), 1)} % of the volume is left.`);
}

function wrapper(step: Step): void {
    const twist = step.dial({ label: 'Twist', value: 180, min: 0, max: 180, step: 1, unit: '°' });
    const tube = new Tube(step, 1);
    const half = (): number[][] => {
        const c = Math.cos(radians(twist.value)), s = Math.sin(radians(twist.value));
        return [[0.5 + 0.5 * c, -0.5 * s, 0], [0.5 * s, 0.5 + 0.5 * c, 0], [0, 0, 1]];
    };
    const other = (): number[][] => {
        const c = Math.cos(radians(twist.value)), s = Math.sin(radians(twist.value));
        return [[c, -s, 0], [s, c, 0], [0, 0, 1]];
    };
    const determinant = (): number => half()[0]![0]! * half()[1]![1]! - half()[0]![1]! * half()[1]![0]!;
    step.say`Now do not bend but *twist*, by ${twist.inline()}, as a forearm does when a key is turned. Half-way along, a vertex follows both bones equally. Its
        matrix is the mean of no rotation and the whole rotation:`;
    step.add(product('½', step.matrix(3, 3, { name: 'stay', values: () => [[1, 0, 0], [0, 1, 0], [0, 0, 1]] }), '+ ½', step.matrix(3, 3, { name: 'rotation', values: other }), '=', step.matrix(3, 3, { name: 'mean', values: half })));
    step.say`At 180° the mean has lost two of its directions: it maps the whole ring into one point. Its determinant, by which it scales areas, is
        ${step.live(() => fixed(determinant(), 3))}. This is the *candy wrapper*. A sum of rotations is not a rotation: the blended matrix is *no rigid motion any more*.`;
    step.first(() => tube.pose(0, twist.value));
    view(step, tube, 'A tube that is twisted and thins out in the middle', () => methods.linear);
    step.controls(twist.slider());
    step.state(() => `Twisted by ${twist.text}°: the waist has ${fixed(tube.waist(methods.linear), 0)} % of its radius, the tube ${fixed(tube.volume(methods.linear), 1)} % of its volume.`);
}

function dual(step: Step): void {
    const bend = step.dial({ label: 'Bend', value: 0, min: 0, max: 150, step: 1, unit: '°' });
    const twist = step.dial({ label: 'Twist', value: 180, min: 0, max: 180, step: 1, unit: '°' });
    const tube = new Tube(step, 0.8);
    const line = (method: number): string => `${fixed(tube.volume(method), 1)} %`;
    step.say`If matrices must not be averaged, what may? A rigid motion, a rotation and a translation together, fits into a *dual quaternion*: two quaternions, eight numbers,
        $q_0 + ε q_ε$. Their mean, brought back to length 1, is a rigid motion again.`;
    step.add(display('q = Σ w_j q_j / ‖ Σ w_j q_j ‖'));
    step.say`Twisted by ${twist.inline()} the waist keeps its girth. Each $q_j$ and $−q_j$ are one motion, so signs are first made to agree; at exactly 180° either will do.`;
    step.say`And the price? Bend by ${bend.inline()}: the skin now runs round an *arc*, and the outside of the joint swells. Linear keeps ${step.live(() => line(methods.linear))} of the
        volume, dual quaternions ${step.live(() => line(methods.dual))}.`;
    step.first(() => tube.pose(bend.value, twist.value));
    const pair = h('div', { class: 'pair' });
    for (const [name, method] of [['Linear', methods.linear], ['Dual quaternions', methods.dual]] as const) {
        view(step, tube, `${name}: the tube bent and twisted`, () => method);
        pair.append(h('div', {}, h('p', { class: 'caption' }, name), step.scene.lastElementChild!));
    }
    step.scene.append(pair);
    step.controls(twist.slider(), bend.slider());
    step.state(() => `Linear: waist ${fixed(tube.waist(methods.linear), 0)} %, volume ${line(methods.linear)}. Dual quaternions: waist ${fixed(tube.waist(methods.dual), 0)} %, volume ${line(methods.dual)}.`);
}

const all = [['linear', 'Linear'], ['dual', 'Dual quaternions'], ['dualFixed', 'Dual, bulge mended'], ['centers', 'Centres of rotation'], ['deltaMush', 'Delta mush']] as const;
type Method = (typeof all)[number][0];

function others(step: Step): void {
    const bend = step.dial({ label: 'Bend', value: 100, min: 0, max: 150, step: 1, unit: '°' });
    const twist = step.dial({ label: 'Twist', value: 0, min: 0, max: 180, step: 1, unit: '°' });
    const method = step.choice<Method>('Method', all, 'centers');
    const tube = new Tube(step, 0.8);
    step.say`*Centres of rotation* find for every vertex, once, the point round which vertices with like weights sit; that point moves linearly, and the vertex rotates about
        it by the blended quaternion. No candy wrapper, and hardly a bulge. *Delta mush* skins in any way, smooths the creases away and puts the lost detail back.`;
    step.say`Choose one, and bend by ${bend.inline()} or twist by ${twist.inline()}. What is left of the volume:`;
    const table = h('table', { class: 'rows' });
    step.add(table);
    step.always(() => table.replaceChildren(h('thead', {}, h('tr', {}, ...['method', 'volume', 'waist'].map((name) => h('th', { scope: 'col' }, name)))),
        h('tbody', {}, ...all.map(([key, name]) => h('tr', {}, h('td', {}, key === method.value ? h('b', {}, name) : name), h('td', {}, `${fixed(tube.volume(methods[key]), 1)} %`), h('td', {}, `${fixed(tube.waist(methods[key]), 0)} %`))))));
    step.first(() => tube.pose(bend.value, twist.value));
    view(step, tube, 'The tube by the chosen method', () => methods[method.value]);
    step.controls(method.element(), bend.slider(), twist.slider());
    step.state(() => `${all.find(([key]) => key === method.value)![1]}, bent by ${bend.text}°, twisted by ${twist.text}°: volume ${fixed(tube.volume(methods[method.value]), 1)} %, waist ${fixed(tube.waist(methods[method.value]), 0)} %.`);
}

function person(step: Step): void {
    const elbow = step.dial({ label: 'Elbow', value: 110, min: 0, max: 140, step: 1, unit: '°' });
    const twist = step.dial({ label: 'Forearm', value: 120, min: -150, max: 150, step: 1, unit: '°' });
    step.say`On a body: bend the elbow by ${elbow.inline()} and rotate the forearm by ${twist.inline()}, and look at the inside of the elbow and at the wrist, left by linear blending, right
        by dual quaternions.`;
    step.say`Nobody notices either method in a crowd. Games take linear blending with a few helper joints, because it is one matrix a vertex and every engine has it.`;
    step.later('Making a person', step.bodies.person(), (bytes) => {
        const actor = step.open(bytes);
        step.first(() => {
            actor.rest();
            actor.rotateInScene(actor.joint('leftLowerArm'), [0, -1, 0], radians(elbow.value));
            actor.rotate(actor.joint('leftHand'), along(actor), radians(twist.value));
        });
        const pair = h('div', { class: 'pair' });
        for (const [name, method] of [['Linear', methods.linear], ['Dual quaternions', methods.dual]] as const) {
            const space = step.space({ label: `${name}: the arm of a person`, target: [0.42, 1.38, 0.1], distance: 1.15, yaw: 40, pitch: 34, aspect: 0.8,
                draw: (one) => one.surfaces({ positions: actor.skin(method), indices: actor.indices, color: rgb('skin') }) });
            pair.append(h('div', {}, h('p', { class: 'caption' }, name), space.element));
        }
        step.scene.append(pair);
        step.controls(elbow.slider(), twist.slider());
        step.state(() => `Elbow bent by ${elbow.text}°, hand rotated by ${twist.text}°.`);
    });
}

/** The axis of the forearm in the hand's own frame, at rest. */
function along(actor: Actor): number[] {
    const hand = actor.joint('leftHand'), m = actor.matrix(hand), from = actor.position(actor.joint('leftLowerArm')), to = actor.position(hand);
    const d = [0, 1, 2].map((k) => to[k]! - from[k]!), length = Math.hypot(...d);
    return [0, 1, 2].map((c) => (m[4 * c]! * d[0]! + m[4 * c + 1]! * d[1]! + m[4 * c + 2]! * d[2]!) / length);
}

function question(step: Step): void {
    const bend = step.dial({ label: 'Bend', value: 40, min: 0, max: 150, step: 1, unit: '°' });
    const twist = step.dial({ label: 'Twist', value: 40, min: 0, max: 180, step: 1, unit: '°' });
    const method = step.choice<Method>('Method', all.filter(([key]) => key !== 'deltaMush'), 'linear');
    const tube = new Tube(step, 0.8);
    const lost = (): number => Math.abs(100 - tube.volume(methods[method.value]));
    const task = step.ask`Bend by 100° or more, twist by 90° or more, both at once, and have the volume change by less than 3 %. Which method does it?`;
    task.check(() => ({ done: bend.value >= 100 && twist.value >= 90 && lost() < 3, said: `Bent ${bend.text}°, twisted ${twist.text}°: the volume changes by ${fixed(lost(), 1)} %.` }),
        'Linear blending adds matrices, and a sum of rigid motions is not rigid. The others keep each vertex\'s motion rigid, and differ in the point about which they rotate.');
    step.first(() => tube.pose(bend.value, twist.value));
    view(step, tube, 'The tube by the chosen method', () => methods[method.value]);
    step.controls(method.element(), bend.slider(), twist.slider());
    step.state(() => `Volume ${fixed(tube.volume(methods[method.value]), 1)} % of that at rest, waist ${fixed(tube.waist(methods[method.value]), 0)} %.`);
}

export const skinning: Chapter = {
    title: 'Skinning, and what goes wrong',
    lead: 'Rigid, linear, the collapsing elbow, the candy wrapper, and what dual quaternions and centres of rotation do about it.',
    here: { tab: 'Weights', text: 'Colours show how much each vertex follows a joint. Bend an elbow in Pose first: where it collapses, the weights are too soft for its shape.' },
    steps: [
        { title: 'Nailed to one bone', build: rigid },
        { title: 'A mean of two positions', build: linear },
        { title: 'The elbow collapses', build: collapse },
        { title: 'The candy wrapper', build: wrapper },
        { title: 'Dual quaternions', build: dual },
        { title: 'Three more cures', build: others },
        { title: 'On a body', build: person },
        { title: 'Bend and twist', build: question },
    ],
};
