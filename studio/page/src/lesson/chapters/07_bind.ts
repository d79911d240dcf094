import { h } from '../../base/dom';
import { pointOf, poseArm } from '../kit/arm';
import { planeRows, product, rowsOf } from '../kit/matrix';
import { withPerson } from '../kit/person';
import type { Plane, Point } from '../kit/plane';
import { rgb } from '../kit/color';
import type { Chapter, Step } from '../kit/step';
import { display, fixed, radians } from '../kit/words';
import type { Triple } from '../../reports';

// The arm as it was modelled: shoulder, lengths of its two bones, and their angles then.
const shoulder: Point = [1, 1.5], lengths = [3, 2.6];
const bind = [25, -15].map(radians);

/** The inverse of a rigid motion in the plane, sixteen numbers as the module has it. */
function inverse(m: ArrayLike<number>, at = 0): Float32Array {
    const [a, b, x, y] = [m[at]!, m[at + 1]!, m[at + 12]!, m[at + 13]!];
    return Float32Array.from([a, -b, 0, 0, b, a, 0, 0, 0, 0, 1, 0, -(a * x + b * y), b * x - a * y, 0, 1]);
}

function multiply(p: ArrayLike<number>, q: ArrayLike<number>, at = 0): Float32Array {
    return Float32Array.from({ length: 16 }, (_, k) => [0, 1, 2, 3].reduce((sum, n) => sum + p[at + 4 * n + (k % 4)]! * q[4 * Math.floor(k / 4) + n]!, 0));
}

/** Of both bones, and of the tip. */
const posed = (step: Step, angles: readonly number[]): ReturnType<typeof poseArm> => poseArm(step.limber, shoulder, lengths, angles);

/** The sleeve round each bone in the bone's own frame. */
const sleeves: Point[][] = lengths.map((length, k) => {
    const r = k ? 0.34 : 0.42, n = 8;
    const upper = Array.from({ length: n + 1 }, (_, i): Point => [(length * i) / n, r * (1 - 0.25 * (i / n))]);
    const end = k ? Array.from({ length: 5 }, (_, i): Point => [length + 0.3 * Math.sin((Math.PI * (i + 1)) / 6), 0.3 * Math.cos((Math.PI * (i + 1)) / 6)]) : [];
    return [...upper, ...end, ...upper.map(([x, y]): Point => [x, -y]).reverse()];
});

/** The forearm's sleeve where it was modelled. */
function modelled(step: Step, bone: number): Point[] {
    const { model } = posed(step, bind);
    return sleeves[bone]!.map((point) => pointOf(model, bone, point));
}

function frameOf(plane: Plane, m: ArrayLike<number>, at: number): void {
    const o: Point = [m[at + 12]!, m[at + 13]!];
    plane.arrow(o, [o[0] + 0.8 * m[at]!, o[1] + 0.8 * m[at + 1]!], 'b');
    plane.arrow(o, [o[0] + 0.8 * m[at + 4]!, o[1] + 0.8 * m[at + 5]!], 'c');
}

const view = { x: [-0.6, 8] as [number, number], y: [-1.6, 6.4] as [number, number], aspect: 0.84, grid: [1, 1] as [number, number], equal: true };
const pair = ([x, y]: readonly number[]): string => `(${fixed(x!)}, ${fixed(y!)})`;

/** The vertex that is followed, in the model's space at bind. */
const start: Point = [5.17, 2.71];

function once(step: Step): void {
    let vertex: Point = start;
    step.say`A character is modelled *once*, in one pose: arms level, or a little down, whatever keeps its parts apart. This is the *bind pose*. Every vertex has its numbers in the model's space: the marked one is at
        ${step.live(() => pair(vertex))}.`;
    step.say`Then a skeleton is put inside, in the *same* pose. From it we know where each bone was at that moment: the bind matrices $Ḡ_j$, from the bone to the model.`;
    step.add(product(step.matrix(3, 3, { name: 'Ḡ of the upper arm', values: () => planeRows(posed(step, bind).model, 0) }), step.matrix(3, 3, { name: 'Ḡ of the forearm', values: () => planeRows(posed(step, bind).model, 16) })));
    const plane = step.plane({ ...view, label: 'An arm in its bind pose, with its two bones and one vertex',
        draw: () => {
            [0, 1].forEach((k) => plane.area(modelled(step, k), 'skin full'));
            plane.bones(posed(step, bind).positions, 'a');
            [0, 16].forEach((at) => frameOf(plane, posed(step, bind).model, at));
        } });
    plane.handle({ label: 'Vertex', color: 'd', get: () => vertex, set: (to) => {
        vertex = to;
        step.changed();
    } });
    step.state(() => `The vertex is at ${pair(vertex)} in the model. The elbow was at ${pair(posed(step, bind).positions[1]!)} when the arm was bound.`);
}

function into(step: Step): void {
    let vertex: Point = start;
    const back = (): Float32Array => inverse(posed(step, bind).model, 16);
    const local = (): Point => pointOf(back(), 0, vertex);
    step.say`Ask the forearm where the vertex is, in *its* numbers: so far along me, so far to my side. The *inverse bind matrix* answers, $Ḡ_j^{−1}$ times the vertex:`;
    step.add(product(step.matrix(3, 3, { name: 'Ḡ⁻¹', values: () => planeRows(back()) }), '·', step.matrix(3, 1, { name: 'v', values: () => [[vertex[0]], [vertex[1]], [1]] }), '=', step.matrix(3, 1, { name: 'for the forearm', values: () => [[local()[0]], [local()[1]], [1]] })));
    step.say`${step.live(() => fixed(local()[0]))} along the bone and ${step.live(() => fixed(local()[1]))} to its side. Whatever the arm does later, these two numbers stay true: the vertex is nailed to the bone. That is why files
        store one inverse bind matrix a joint, computed once.`;
    const plane = step.plane({ ...view, label: 'The vertex measured along the forearm and across it',
        draw: () => {
            const { model, positions } = posed(step, bind);
            plane.area(modelled(step, 1), 'skin full');
            plane.bones(positions, 'a');
            frameOf(plane, model, 16);
            plane.line([positions[1]!, pointOf(model, 1, [local()[0], 0])], 'b thick');
            plane.line([pointOf(model, 1, [local()[0], 0]), vertex], 'c thick');
        } });
    plane.handle({ label: 'Vertex', color: 'd', get: () => vertex, set: (to) => {
        vertex = to;
        step.changed();
    } });
    step.state(() => `In the model ${pair(vertex)}, for the forearm ${pair(local())}.`);
}

function out(step: Step): void {
    const angles = [['Upper arm', 60], ['Forearm', 30]].map(([label, value]) => step.dial({ label: label as string, value: value as number, min: -90, max: 140, step: 1, unit: '°' }));
    const now = (): number[] => angles.map((one) => radians(one.value));
    const g = (): Float32Array => posed(step, now()).model.slice(16, 32);
    const back = (): Float32Array => inverse(posed(step, bind).model, 16);
    const local = (): Point => pointOf(back(), 0, start);
    const t = (): Float32Array => multiply(g(), back());
    const moved = (): Point => pointOf(g(), 0, local());
    step.say`Now the arm moves: the upper arm to ${angles[0]!.inline()}, the forearm to ${angles[1]!.inline()}. Its new matrix $G_j$ takes the two numbers out again, into the model as it is *now*. In and out together are one matrix, the *skinning matrix*:`;
    step.add(display('T_j = G_j Ḡ_j^{−1} ,    v′ = T_j v'));
    step.add(product(step.matrix(3, 3, { name: 'G', values: () => planeRows(g()) }), '·', step.matrix(3, 3, { name: 'Ḡ⁻¹', values: () => planeRows(back()) }), '=', step.matrix(3, 3, { name: 'T', values: () => planeRows(t()) })));
    step.add(display(step.live(() => `T · ${pair(start)} = ${pair(moved())}`)));
    const plane = step.plane({ ...view, label: 'The arm as it was bound, pale, and as it is now, with the path of one vertex',
        draw: () => {
            const { positions } = posed(step, now());
            plane.line([...modelled(step, 1), modelled(step, 1)[0]!], 'line');
            plane.area(modelled(step, 1).map((point) => pointOf(t(), 0, point)), 'skin full');
            plane.bones(posed(step, bind).positions, 'line');
            plane.bones(positions, 'a');
            frameOf(plane, posed(step, now()).model, 16);
            plane.arrow(start, moved(), 'd thin dashed');
            plane.dot(start, 'd open', 6);
            plane.dot(moved(), 'd', 7);
        } });
    step.controls(...angles.map((one) => one.slider()), step.button('Into the bind pose', () => angles.forEach((one, k) => (one.value = [25, -15][k]!))));
    step.state(() => `v is at ${pair(start)}, for the forearm ${pair(local())}, and now at ${pair(moved())}. T rotates by ${fixed((Math.atan2(t()[1]!, t()[0]!) * 180) / Math.PI, 0)}°.`);
}

function nothing(step: Step): void {
    const part = step.dial({ label: 'Away from the bind pose', value: 0, min: 0, max: 100, step: 1, unit: ' %' });
    const forget = step.toggle('Forget the inverse bind matrix', false);
    const now = (): number[] => bind.map((angle, k) => angle + ([1.1, 1.2][k]! * part.value) / 100);
    const t = (k: number): Float32Array => {
        const g = posed(step, now()).model.slice(16 * k, 16 * k + 16);
        return forget.value ? g : multiply(g, inverse(posed(step, bind).model, 16 * k));
    };
    step.say`In the bind pose $G_j = Ḡ_j$, so $T_j = Ḡ_j Ḡ_j^{−1} = I$, and nothing moves: the mesh is as it was modelled. A quick test for any importer. Go ${part.inline()} away from it and come back.`;
    step.add(product(step.matrix(3, 3, { name: 'T of the upper arm', values: () => planeRows(t(0)) }), step.matrix(3, 3, { name: 'T of the forearm', values: () => planeRows(t(1)) })));
    step.say`Then forget the inverse. The bones' matrices get vertices that are *already* in the model, and carry them off a second time: the exploded character that everybody who ever wrote an importer has seen.`;
    step.plane({ ...view, y: [-1.6, 7], x: [-0.6, 11.4], label: 'The skin of the arm by these matrices',
        draw: (plane) => {
            [0, 1].forEach((k) => plane.area(modelled(step, k).map((point) => pointOf(t(k), 0, point)), forget.value ? 'bad' : 'skin full'));
            plane.bones(posed(step, now()).positions, 'a');
        } });
    step.controls(part.slider(), forget.element());
    step.state(() => `${part.value === 0 && !forget.value ? 'In the bind pose both matrices are the identity: nothing moves.' : forget.value ? 'Without the inverse the skin is thrown off its bones.' : `${part.text} % away, the skin follows its bones.`}`);
}

function blended(step: Step): void {
    const elbow = step.dial({ label: 'Elbow', value: 80, min: -30, max: 130, step: 1, unit: '°' });
    const weight = step.dial({ label: 'Weight of the forearm', value: 0.5, min: 0, max: 1, step: 0.05 });
    const vertex = (): Point => pointOf(posed(step, bind).model, 1, [0.05, 0.36]);
    const now = (): number[] => [bind[0]!, bind[1]! + radians(elbow.value)];
    const by = (k: number): Point => pointOf(multiply(posed(step, now()).model.slice(16 * k, 16 * k + 16), inverse(posed(step, bind).model, 16 * k)), 0, vertex());
    const mean = (): Point => [0, 1].map((axis) => (1 - weight.value) * by(0)[axis]! + weight.value * by(1)[axis]!) as unknown as Point;
    step.say`A vertex near the elbow goes through *both* bones: in and out of the upper arm, in and out of the forearm, and then a mean by its weights. Linear blend skinning, complete:`;
    step.add(display('v′ = Σ_j w_j G_j Ḡ_j^{−1} v'), display(step.live(() => `${fixed(1 - weight.value)} · ${pair(by(0))} + ${fixed(weight.value)} · ${pair(by(1))} = ${pair(mean())}`)));
    step.say`Bend the elbow by ${elbow.inline()} and give the forearm ${weight.inline()} of the vertex.`;
    step.plane({ ...view, label: 'A vertex at the elbow, where either bone takes it, and the mean',
        draw: (plane) => {
            [0, 1].forEach((k) => plane.area(modelled(step, k).map((point) => pointOf(multiply(posed(step, now()).model.slice(16 * k, 16 * k + 16), inverse(posed(step, bind).model, 16 * k)), 0, point)), k ? 'b' : 'a'));
            plane.bones(posed(step, now()).positions, 'skin');
            plane.line([by(0), by(1)], 'quiet dashed');
            plane.dot(by(0), 'a', 6);
            plane.dot(by(1), 'b', 6);
            plane.dot(mean(), 'd', 8);
        } });
    step.controls(elbow.slider(), weight.slider());
    step.state(() => `By the upper arm ${pair(by(0))}, by the forearm ${pair(by(1))}, blended ${pair(mean())}.`);
}

function space(step: Step): void {
    const elbow = step.dial({ label: 'Elbow', value: 75, min: 0, max: 140, step: 1, unit: '°' });
    step.say`The same on a person, in space, with the numbers of the library. Bent by ${elbow.inline()}, the forearm's skinning matrix is not the identity any more, all others above it still are.`;
    withPerson(step, (actor) => {
        const joint = actor.joint('leftLowerArm'), rest = actor.matrix(joint), skin = actor.restSkin;
        const own = actor.weights(joint);
        let vertex = 0;
        own.forEach((w, v) => {
            if (w > 0.999 && skin[3 * v]! > skin[3 * vertex]!) vertex = v;
        });
        const at = (p: Float32Array): Triple => [p[3 * vertex]!, p[3 * vertex + 1]!, p[3 * vertex + 2]!];
        const t = (): Float32Array => {
            const m = actor.matrix(joint), back = new Float32Array(16);
            for (let r = 0; r < 3; ++r) for (let c = 0; c < 3; ++c) back[4 * c + r] = rest[4 * r + c]!;
            for (let r = 0; r < 3; ++r) back[12 + r] = -[0, 1, 2].reduce((sum, c) => sum + rest[4 * r + c]! * rest[12 + c]!, 0);
            back[15] = 1;
            return multiply(m, back);
        };
        const byHand = (): number[] => [0, 1, 2].map((r) => t()[r]! * at(skin)[0] + t()[4 + r]! * at(skin)[1] + t()[8 + r]! * at(skin)[2] + t()[12 + r]!);
        step.add(product(step.matrix(4, 4, { name: 'T of the forearm', values: () => rowsOf(t()) })), h('div', { class: 'display' }, step.live(() => `T v = (${byHand().map((x) => fixed(x, 4)).join(', ')})`)), h('div', { class: 'display' }, step.live(() => `the library: (${at(actor.skin()).map((x) => fixed(x, 4)).join(', ')})`)));
        step.first(() => {
            actor.rest();
            actor.rotateInScene(joint, [0, -1, 0], radians(elbow.value));
        });
        step.space({ label: 'A person with a bent elbow, and one vertex of the forearm', target: [0.4, 1.34, 0.1], distance: 2, yaw: 25, pitch: 24, aspect: 0.75,
            draw: (view3) => {
                view3.surfaces({ positions: actor.skin(), indices: actor.indices, color: rgb('skin'), alpha: 0.7 });
                view3.frame(actor.matrix(joint), 0.12);
                view3.line([at(skin), at(actor.skin())], 'd', 1.5, [4, 4]);
                view3.dot(at(skin), 'quiet', 4);
                view3.dot(at(actor.skin()), 'd', 6);
            } });
        step.controls(elbow.slider());
        step.state(() => `The vertex went from (${at(skin).map((x) => fixed(x, 3)).join(', ')}) to (${at(actor.skin()).map((x) => fixed(x, 3)).join(', ')}).`);
    });
}

function question(step: Step): void {
    const guesses = [['Upper arm was at', 0], ['Forearm was at', 0]].map(([label, value]) => step.dial({ label: label as string, value: value as number, min: -60, max: 60, step: 1, unit: '°' }));
    const pose = step.dial({ label: 'Bend, to test', value: 0, min: 0, max: 100, step: 1, unit: '°' });
    const said = (): number[] => guesses.map((one) => radians(one.value));
    const now = (): number[] => [bind[0]!, bind[1]! + radians(pose.value)];
    const t = (k: number): Float32Array => multiply(posed(step, now()).model.slice(16 * k, 16 * k + 16), inverse(posed(step, said()).model, 16 * k));
    const off = (): number => Math.max(...[0, 1].flatMap((k) => sleeves[k]!.map((point) => {
        const [x, y] = pointOf(posed(step, now()).model, k, point), [u, v] = pointOf(t(k), 0, pointOf(posed(step, bind).model, k, point));
        return Math.hypot(x - u, y - v);
    })));
    const task = step.ask`A file lost its bind pose, and somebody wrote zeros: the skin hangs off its bones. At which angles were the two bones when this arm was bound? Set them, until the skin sits within 0.1 of its bones in every pose.`;
    task.check(() => ({ done: off() < 0.1, said: `The skin is ${fixed(off())} off its bones.` }), 'The bones can be seen, and so can the skin: the bind pose is the one in which they fit. It was 25° and −15°. Real files store matrices, four times four numbers a joint, and then nobody has to guess.');
    step.plane({ ...view, label: 'The bones, and the skin by a wrong bind pose',
        draw: (plane) => {
            [0, 1].forEach((k) => plane.area(modelled(step, k).map((point) => pointOf(t(k), 0, point)), off() < 0.1 ? 'good' : 'skin full'));
            plane.bones(posed(step, now()).positions, 'a');
        } });
    step.controls(...guesses.map((one) => one.slider()), pose.slider());
    step.state(() => `Given: ${guesses.map((one) => `${one.text}°`).join(', ')}. The skin is ${fixed(off())} off.`);
}

export const bindPose: Chapter = {
    title: 'Bind pose and its inverse',
    lead: 'Into the bone\'s frame as it was, out of it as it is: one vertex, all the way.',
    here: { tab: 'Check', text: 'The findings tell when a file\'s bind matrices do not fit its rest pose, and what that does to the skin.' },
    steps: [
        { title: 'Modelled once', build: once },
        { title: 'Into the bone', build: into },
        { title: 'Out of it, moved', build: out },
        { title: 'At rest nothing moves', build: nothing },
        { title: 'Through two bones', build: blended },
        { title: 'On a person', build: space },
        { title: 'The lost bind pose', build: question },
    ],
};
