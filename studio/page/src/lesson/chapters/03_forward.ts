import { h } from '../../base/dom';
import { planar, pointOf, poseArm } from '../kit/arm';
import { planeRows, product, rowsOf } from '../kit/matrix';
import type { Plane, Point } from '../kit/plane';
import type { Actor } from '../kit/actor';
import type { Chapter, Step } from '../kit/step';
import { degrees, display, fixed, radians } from '../kit/words';

const columnColor = (_: number, column: number): string => ['cb', 'cc', 'ca'][column] ?? '';

/** The two axes of a frame, and its name. */
function drawFrame(plane: Plane, m: ArrayLike<number>, at: number, length: number, name: string): void {
    const origin: Point = [m[at + 12]!, m[at + 13]!];
    plane.arrow(origin, [origin[0] + length * m[at]!, origin[1] + length * m[at + 1]!], 'b');
    plane.arrow(origin, [origin[0] + length * m[at + 4]!, origin[1] + length * m[at + 5]!], 'c');
    plane.dot(origin, 'a', 5);
    plane.label(origin, name, { dx: -8, dy: 18, color: 'a', end: true });
}

function frames(step: Step): void {
    let origin: Point = [3, 2];
    const angle = step.dial({ label: 'Angle', value: 30, min: -180, max: 180, step: 1, unit: '°' });
    const local: Point = [3, 1];
    const model = (): Float32Array => step.limber.forward([-1], [planar(...origin, radians(angle.value))]);
    const world = (): Point => pointOf(model(), 0, local);
    step.say`“Three ahead and one to the left” says where only when it is known who stands where, and which way they face. A *frame*
        is that: an origin and two directions (three in space). Drag the frame, or rotate it by ${angle.inline()}.`;
    step.say`The point is glued to the frame. In the frame's own numbers it stays (3, 1). In the world it is at
        (${step.live(() => fixed(world()[0]))}, ${step.live(() => fixed(world()[1]))}).`;
    const plane = step.plane({
        label: 'A frame in the world, and a point that is fixed to it', x: [0, 10], y: [0, 7], aspect: 0.66, grid: [1, 1], equal: true,
        draw: () => {
            const m = model();
            for (let k = -8; k <= 8; ++k) {
                plane.line([pointOf(m, 0, [k, -8]), pointOf(m, 0, [k, 8])], 'a thin faint');
                plane.line([pointOf(m, 0, [-8, k]), pointOf(m, 0, [8, k])], 'a thin faint');
            }
            plane.line([pointOf(m, 0, [0, 0]), pointOf(m, 0, [3, 0]), world()], 'quiet dashed');
            drawFrame(plane, m, 0, 1.6, '');
            plane.dot(world(), 'd', 7);
            plane.label(world(), 'P', { dx: 10, dy: -6, color: 'd big' });
        },
    });
    plane.handle({ label: 'Origin of the frame', get: () => origin, set: (to) => {
        origin = to;
        step.changed();
    } });
    step.controls(angle.slider());
    step.state(() => `The frame is at (${fixed(origin[0])}, ${fixed(origin[1])}), rotated by ${angle.text}°. P is (3, 1) in it and (${fixed(world()[0])}, ${fixed(world()[1])}) in the world.`);
}

function matrix(step: Step): void {
    let origin: Point = [4, 2];
    const angle = step.dial({ label: 'Angle', value: 40, min: -180, max: 180, step: 1, unit: '°' });
    let local: Point = [2, 1];
    const model = (): Float32Array => step.limber.forward([-1], [planar(...origin, radians(angle.value))]);
    const world = (): Point => pointOf(model(), 0, local);
    step.say`A frame is written as a *matrix* whose columns can be read: ${h('span', { class: 'cb' }, 'where its x axis points')},
        ${h('span', { class: 'cc' }, 'where its y axis points')}, ${h('span', { class: 'ca' }, 'where its origin is')}. The row of 0, 0, 1 lets one
        product do both, rotate and translate.`;
    step.add(product(
        step.matrix(3, 3, { name: 'M', color: columnColor, values: () => planeRows(model()) }), '·',
        step.matrix(3, 1, { name: 'P in the frame', values: () => [[local[0]], [local[1]], [1]] }), '=',
        step.matrix(3, 1, { name: 'P in the world', values: () => [[world()[0]], [world()[1]], [1]] })));
    step.say`So the product says: go P's ${step.live(() => fixed(local[0]))} along the first column, ${step.live(() => fixed(local[1]))} along the
        second, and begin at the third. Turned by ${angle.inline()} the axes are (cos, sin) and (−sin, cos) of that angle.`;
    const plane = step.plane({
        label: 'A frame with its axes, and the path to a point along them', x: [0, 9], y: [0, 6], aspect: 0.66, grid: [1, 1], equal: true,
        draw: () => {
            const m = model();
            plane.line([origin, pointOf(m, 0, [local[0], 0])], 'b thick faint');
            plane.line([pointOf(m, 0, [local[0], 0]), world()], 'c thick faint');
            drawFrame(plane, m, 0, 1, 'M');
        },
    });
    plane.handle({ label: 'Origin of the frame', get: () => origin, set: (to) => {
        origin = to;
        step.changed();
    } });
    plane.handle({ label: 'The point P', color: 'd', get: world, set: ([x, y]) => {
        const m = model(), [dx, dy] = [x - origin[0], y - origin[1]];
        local = [m[0]! * dx + m[1]! * dy, m[4]! * dx + m[5]! * dy];
        step.changed();
    } });
    step.controls(angle.slider());
    step.state(() => `M rotates by ${angle.text}° and moves by (${fixed(origin[0])}, ${fixed(origin[1])}). P: (${fixed(local[0])}, ${fixed(local[1])}) in the frame, (${fixed(world()[0])}, ${fixed(world()[1])}) in the world.`);
}

/** The arm of the worked example: it stands at (0, 6), its bones are 5 and 4 long, P is 2 beyond the last joint. */
const base: Point = [0, 6], lengths = [5, 4, 2];
const example = [-45, 50, 30];

function chain(step: Step): void {
    const angles = example.map((value, k) => step.dial({ label: `θ${'₁₂₃'[k]}`, value, min: -180, max: 180, step: 1, unit: '°' }));
    const posed = (): ReturnType<typeof poseArm> => poseArm(step.limber, base, lengths, angles.map((one) => radians(one.value)));
    const local = (k: number): number[][] => planeRows(step.limber.forward([-1], [planar(k ? lengths[k - 1]! : base[0], k ? 0 : base[1], radians(angles[k]!.value))]));
    const tip = (): Point => posed().positions[3]!;
    step.say`An arm is frames in frames. The first joint $J_1$ stands at (0, 6) and is rotated by ${angles[0]!.inline()}. The second sits
        5 along the first one's x axis, rotated by ${angles[1]!.inline()} *against it*; the third 4 further, by ${angles[2]!.inline()}. Where in the
        world is a point P that is (2, 0) for the third?`;
    step.add(display('P_{world} = T(0, 6) R(θ_1) · T(5, 0) R(θ_2) · T(4, 0) R(θ_3) · P'));
    step.add(product(...[0, 1, 2].flatMap((k) => [step.matrix(3, 3, { name: `M${'₁₂₃'[k]} = parent from J${'₁₂₃'[k]}`, color: columnColor, values: () => local(k) }), '·']),
        step.matrix(3, 1, { name: 'P', values: () => [[2], [0], [1]] })));
    const result = h('span', { class: 'cd' });
    step.add(h('div', { class: 'display' }, 'P = ', result));
    step.always(() => (result.textContent = `(${fixed(tip()[0], 6)}, ${fixed(tip()[1], 6)})`));
    step.say`Read the product from the right: out of $J_3$'s numbers into $J_2$'s, into $J_1$'s, into the world. This is *forward
        kinematics*, angles in, positions out. Try it on paper with −45°, 50°, 30°, then compare all six digits.`;
    const plane = step.plane({
        label: 'An arm of three joints with their frames, and the point P at its end', x: [-1, 12], y: [-1, 11], aspect: 0.8, grid: [2, 2], equal: true,
        draw: () => {
            const { positions, model } = posed();
            plane.line([[0, 0], base], 'line thick');
            plane.bones(positions.slice(0, 3), 'skin');
            plane.line([positions[2]!, positions[3]!], 'd dashed');
            [0, 1, 2].forEach((k) => drawFrame(plane, model, 16 * k, 1.3, `J${'₁₂₃'[k]}`));
            plane.dot(positions[3]!, 'd', 7);
            plane.label(positions[3]!, 'P', { dx: 10, dy: -6, color: 'd big' });
        },
    });
    step.controls(...angles.map((one) => one.slider()), step.button('Back to −45°, 50°, 30°', () => angles.forEach((one, k) => (one.value = example[k]!))));
    step.state(() => `θ = ${angles.map((one) => `${one.text}°`).join(', ')}. J₂ is at (${posed().positions[1]!.map((x) => fixed(x, 3)).join(', ')}), J₃ at (${posed().positions[2]!.map((x) => fixed(x, 3)).join(', ')}), P at (${tip().map((x) => fixed(x, 6)).join(', ')}).`);
}

function order(step: Step): void {
    const angle = step.dial({ label: 'Angle', value: 50, min: -180, max: 180, step: 1, unit: '°' });
    const shift = step.dial({ label: 'Move', value: 4, min: 0, max: 5, step: 0.1 });
    const rotated = (): number[] => planar(0, 0, radians(angle.value)), moved = (): number[] => planar(shift.value, 0, 0);
    const moveFirst = (): Float32Array => step.limber.forward([-1, 0], [moved(), rotated()]).subarray(16);
    const rotateFirst = (): Float32Array => step.limber.forward([-1, 0], [rotated(), moved()]).subarray(16);
    step.say`Matrices do not commute. ${h('span', { class: 'ca' }, 'Step 4 ahead, then rotate')} and you stand 4 ahead, facing another way.
        ${h('span', { class: 'cd' }, 'Turn first, then step')}, and you stand somewhere else. The same two moves, by ${shift.inline()} and
        ${angle.inline()}, in another order.`;
    step.add(product(step.matrix(3, 3, { name: 'T · R', values: () => planeRows(moveFirst()) }), '≠', step.matrix(3, 3, { name: 'R · T', values: () => planeRows(rotateFirst()) })));
    step.say`A joint is always $T · R$: sit at the end of the parent's bone, then rotate there. So a bone keeps its length whatever the angle,
        and a name that says where a matrix goes, like “parent from joint”, keeps products in order: neighbours must match.`;
    step.plane({
        label: 'Two houses: one moved and then rotated, one rotated and then moved', x: [-5, 7], y: [-4.5, 5.5], aspect: 0.8, grid: [1, 1], equal: true,
        draw: (plane) => {
            const house: Point[] = [[-0.6, -0.5], [0.6, -0.5], [0.6, 0.4], [1.1, 0.4], [0, 1.2], [-1.1, 0.4], [-0.6, 0.4]];
            const put = (m: Float32Array, mark: 'a' | 'd' | 'quiet', name: string): void => {
                const points = house.map((point) => pointOf(m, 0, point));
                plane.area(points, mark);
                plane.line([...points, points[0]!], mark);
                plane.label([m[12]!, m[13]!], name, { middle: true, dy: 5, color: mark });
            };
            put(step.limber.forward([-1], [planar(0, 0, 0)]), 'quiet', 'start');
            put(moveFirst(), 'a', 'T R');
            put(rotateFirst(), 'd', 'R T');
        },
    });
    step.controls(angle.slider(), shift.slider());
    step.state(() => `T·R stands at (${fixed(moveFirst()[12]!)}, ${fixed(moveFirst()[13]!)}), R·T at (${fixed(rotateFirst()[12]!)}, ${fixed(rotateFirst()[13]!)}); both are rotated by ${angle.text}°.`);
}

/** A hand: a wrist, and three fingers of two bones. */
const tree = { parents: [-1, 0, 1, 0, 3, 0, 5], names: ['wrist', 'thumb', 'thumb tip', 'index', 'index tip', 'little', 'little tip'] };

function walk(step: Step): void {
    const wrist = step.dial({ label: 'Wrist', value: 10, min: -90, max: 90, step: 1, unit: '°' });
    const index = step.dial({ label: 'Index', value: 20, min: -90, max: 90, step: 1, unit: '°' });
    let done = 1;
    const local = (): number[][] => [planar(0, 0, radians(wrist.value + 90)), planar(1.2, 0.7, radians(55)), planar(1.5, 0, radians(-25)), planar(2.6, 0.2, radians(index.value - 8)), planar(1.8, 0, radians(-5)), planar(2.3, -0.7, radians(-18)), planar(1.5, 0, radians(10))];
    const model = (): Float32Array => step.limber.forward(tree.parents, local());
    const table = h('table', { class: 'rows' });
    step.say`A body branches, so its joints form a *tree*: every joint has one parent, the root has none. Listed so that *parents come
        first*, one walk down the list positions everything:`;
    step.add(display('G_j = G_{parent} · L_j'), table);
    step.say`$L_j$, the *local* matrix, goes from the joint to its parent; $G_j$, the *model* matrix, all the way. When its turn
        comes, the parent's $G$ is ready: one product a joint. Turn the wrist by ${wrist.inline()} and every $G$ below changes but no
        other $L$; rotate the index by ${index.inline()}, and only its own tip follows.`;
    step.always(() => {
        const m = model(), l = local();
        table.replaceChildren(h('thead', {}, h('tr', {}, ...['joint', 'parent', 'L: rotated', 'G: rotated', 'G: position'].map((name) => h('th', { scope: 'col' }, name)))),
            h('tbody', {}, ...tree.names.map((name, k) => h('tr', {}, h('td', {}, name), h('td', {}, tree.names[tree.parents[k]!] ?? '–'),
                h('td', {}, `${fixed(degrees(2 * Math.atan2(l[k]![5]!, l[k]![6]!)), 0)}°`),
                h('td', {}, k < done ? `${fixed(degrees(Math.atan2(m[16 * k + 1]!, m[16 * k]!)), 0)}°` : '?'),
                h('td', {}, k < done ? `${fixed(m[16 * k + 12]!, 1)}, ${fixed(m[16 * k + 13]!, 1)}` : '?')))));
    });
    const plane = step.plane({
        label: 'A hand of seven joints; those that were placed are coloured', x: [-4, 4], y: [-0.6, 5.6], aspect: 0.8, equal: true,
        draw: () => {
            const m = model(), at = (k: number): Point => [m[16 * k + 12]!, m[16 * k + 13]!];
            tree.parents.forEach((parent, k) => parent >= 0 && plane.bones([at(parent), at(k)], k < done ? 'a' : 'line'));
            tree.names.forEach((name, k) => {
                plane.dot(at(k), k < done ? 'a' : 'line', 6);
                plane.label(at(k), name, { dx: 10, dy: 4, color: k < done ? 'text' : 'quiet' });
            });
        },
    });
    step.controls(step.button('Place the next joint', () => (done = done === tree.names.length ? 1 : done + 1), true), wrist.slider(), index.slider());
    step.state(() => `${done} of 7 joints are placed; the last is the ${tree.names[done - 1]!} at (${fixed(model()[16 * (done - 1) + 12]!)}, ${fixed(model()[16 * (done - 1) + 13]!)}).`);
}

function space(step: Step): void {
    step.say`In space a matrix has one row and one column more, and the same reading. This is a made person; its 53 joints are walked
        just so, by the library, each time you drag.`;
    const grid = step.matrix(4, 4, { name: 'model from left hand', color: (_, c) => ['cb', 'cc', 'ca', 'cd'][c] ?? '', values: () => (actor ? rowsOf(actor.matrix(actor.joint('leftHand'))) : rowsOf(new Float32Array(16))) });
    let actor: Actor | null = null;
    const shoulder = step.dial({ label: 'Shoulder', value: -30, min: -80, max: 80, step: 1, unit: '°' });
    const elbow = step.dial({ label: 'Elbow', value: 40, min: 0, max: 140, step: 1, unit: '°' });
    step.add(product(grid));
    step.say`Raise the upper arm by ${shoulder.inline()} and bend the elbow by ${elbow.inline()}: the hand's own local matrix does not change, its model
        matrix does, in every number.`;
    step.later('Making a person', step.bodies.person(), (bytes) => {
        const person = (actor = step.open(bytes));
        const pose = (): void => {
            person.rest();
            person.rotateInScene(person.joint('leftUpperArm'), [0, 0, 1], radians(shoulder.value));
            person.rotateInScene(person.joint('leftLowerArm'), [0, -1, 0], radians(elbow.value));
        };
        step.first(pose);
        step.space({
            label: 'A person with its bones', target: [0.2, 1.15, 0], distance: 3.6, yaw: 25, pitch: 6, aspect: 0.7,
            draw: (view) => {
                view.ground(1.2, { at: [0, 0, 0], radius: 0.5 });
                view.surfaces({ positions: person.skin(), indices: person.indices, color: [0.62, 0.66, 0.78], alpha: 0.55 });
                view.bones(person.model, person.parents);
                view.frame(person.matrix(person.joint('leftHand')), 0.16);
            },
        });
        step.controls(shoulder.slider(), elbow.slider());
        step.state(() => `The left hand is at (${person.position(person.joint('leftHand')).map((x) => fixed(x)).join(', ')}) m.`);
    });
}

function question(step: Step): void {
    const angles = [15, -20, -30].map((value, k) => step.dial({ label: `θ${'₁₂₃'[k]}`, value, min: -180, max: 180, step: 1, unit: '°' }));
    const target: Point = [6, 2];
    const posed = (): ReturnType<typeof poseArm> => poseArm(step.limber, base, lengths, angles.map((one) => radians(one.value)));
    const away = (): number => Math.hypot(posed().positions[3]![0] - target[0], posed().positions[3]![1] - target[1]);
    const task = step.ask`With the three angles alone, bring P onto the ring at (6, 2), nearer than 0.2. There is more than one answer.`;
    task.check(() => ({ done: away() < 0.2, said: away() < 0.2 ? `There, ${fixed(away())} away.` : `P is ${fixed(away())} away.` }),
        'You have just solved inverse kinematics by hand: positions in, angles out. How a machine does that is the next chapter.');
    step.plane({
        label: 'The arm, and a ring to be reached', x: [-1, 12], y: [-1, 11], aspect: 0.8, grid: [2, 2], equal: true,
        draw: (plane) => {
            plane.line([[0, 0], base], 'line thick');
            plane.bones(posed().positions, 'a');
            plane.dot(target, 'good open', 12);
            plane.dot(posed().positions[3]!, 'd', 7);
            plane.label(posed().positions[3]!, 'P', { dx: 10, dy: -6, color: 'd big' });
        },
    });
    step.controls(...angles.map((one) => one.slider()));
    step.state(() => `θ = ${angles.map((one) => `${one.text}°`).join(', ')}: P is at (${posed().positions[3]!.map((x) => fixed(x)).join(', ')}), ${fixed(away())} from the ring.`);
}

export const forward: Chapter = {
    title: 'Forward kinematics',
    lead: 'Angles in, positions out: frames in frames, written as matrices whose numbers you can watch.',
    here: { tab: 'Pose', text: 'Every joint of your character has a local matrix, and what you see is made of the model matrices. In Pose, rotate one joint and see all that hangs from it follow.' },
    steps: [
        { title: 'Whose numbers?', build: frames },
        { title: 'A frame is a matrix', build: matrix },
        { title: 'One joint after the other', build: chain },
        { title: 'Order matters', build: order },
        { title: 'A walk down the tree', build: walk },
        { title: 'The same in space', build: space },
        { title: 'Reach by hand', build: question },
    ],
};
