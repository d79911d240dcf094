import { h } from '../../base/dom';
import { jacobian, poseArm } from '../kit/arm';
import { solvers } from '../kit/limber';
import { product } from '../kit/matrix';
import type { Plane, Point } from '../kit/plane';
import type { Chapter, Step } from '../kit/step';
import { degrees, display, fixed, radians } from '../kit/words';

const origin: Point = [0, 0];
const apart = (a: Point, b: Point): number => Math.hypot(a[0] - b[0], a[1] - b[1]);
const toward = (tip: Point, target: Point): number[] => [target[0] - tip[0], target[1] - tip[1]];

const steppers = { transpose: 'Transpose', pseudoInverse: 'Pseudo-inverse', damped: 'Damped', ccd: 'CCD', fabrik: 'FABRIK' } as const;
type Stepper = keyof typeof steppers;

/** An arm that goes to its target one step at a time. Lengths in metres. */
class Reacher {
    angles: number[];
    trail: number[] = [];

    constructor(private readonly step: Step, readonly lengths: readonly number[], private readonly start: readonly number[], public target: Point) {
        this.angles = [...start];
        this.restart();
    }

    get positions(): Point[] {
        return poseArm(this.step.limber, origin, this.lengths, this.angles).positions;
    }

    get tip(): Point {
        return this.positions.at(-1)!;
    }

    get left(): number {
        return apart(this.tip, this.target);
    }

    restart(angles = this.start): void {
        this.angles = [...angles];
        this.trail = [this.left];
    }

    /** The step that a Jacobian solver takes now. */
    stepOf(solver: Stepper, damping: number): number[] {
        const j = jacobian(this.positions), error = toward(this.tip, this.target);
        const step = this.step.limber.step(solvers[solver], j, error, damping);
        return step;
    }

    advance(solver: Stepper, damping = 0.1): void {
        if (solver === 'ccd' || solver === 'fabrik') this.angles = this.step.limber.reach(solvers[solver], this.lengths, this.angles, this.target).angles;
        else {
            const change = this.stepOf(solver, damping);
            this.angles = this.angles.map((angle, k) => wrapped(angle + change[k]!));
        }
        this.trail.push(this.left);
    }
}

/** The same angle within half a rotation. */
function wrapped(angle: number): number {
    return angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));
}

function targetHandle(step: Step, plane: Plane, get: () => Point, set: (to: Point) => void): void {
    plane.handle({ label: 'Target', color: 'd', digits: 2, step: 0.02, get, set: (to) => {
        set(to);
        step.changed();
    } });
}

function backwards(step: Step): void {
    let target: Point = [0.55, 0.35];
    const [a, b] = [0.5, 0.35];
    const reach = (): number => Math.hypot(...target);
    // The law of cosines; out of reach the arm is straight, too near it is folded.
    const bend = (sign: number): number[] => {
        const d = Math.min(a + b, Math.max(a - b, reach())), elbow = sign * Math.acos(Math.min(1, Math.max(-1, (d * d - a * a - b * b) / (2 * a * b))));
        return [Math.atan2(target[1], target[0]) - Math.atan2(b * Math.sin(elbow), a + b * Math.cos(elbow)), elbow];
    };
    const answers = (): string => (reach() > a + b ? 'none: it is too far' : reach() < a - b ? 'none: it is too near' : reach() > a + b - 0.002 ? 'one: a straight arm' : 'two: elbow up, elbow down');
    step.say`Forward kinematics asked where a hand is when the angles are known. People ask the other way: the hand shall be *there*,
        what are the angles? Drag the target. Answers: ${step.live(answers)}.`;
    step.say`Two bones in a plane can be solved by a triangle: its sides are the bones and the distance $d$, and the law of cosines gives the
        elbow, $cos θ_2 = (d^2 − a^2 − b^2) / 2ab$. In space the whole triangle can still spin about the line to the target, and with
        a third bone there are endlessly many answers. So one searches.`;
    const plane = step.plane({
        label: 'A target and the two arms that reach it', x: [-1, 1], y: [-0.35, 0.95], aspect: 0.66, equal: true,
        draw: () => {
            plane.ring(origin, a + b, 'line dashed');
            plane.ring(origin, a - b, 'line dashed');
            plane.bones(poseArm(step.limber, origin, [a, b], bend(1)).positions, 'skin');
            plane.bones(poseArm(step.limber, origin, [a, b], bend(-1)).positions, 'a');
        },
    });
    targetHandle(step, plane, () => target, (to) => (target = to));
    step.state(() => `The target is ${fixed(reach())} m away; the arm reaches from ${fixed(a - b)} to ${fixed(a + b)} m. Elbows: ${bend(-1).map((x) => `${fixed(degrees(x), 0)}°`).join(', ')} or ${bend(1).map((x) => `${fixed(degrees(x), 0)}°`).join(', ')}.`);
}

function columns(step: Step): void {
    const lengths = [0.4, 0.35, 0.25];
    const angles = [40, 35, -60].map((value, k) => step.dial({ label: `θ${'₁₂₃'[k]}`, value, min: -170, max: 170, step: 1, unit: '°' }));
    const rotation = step.dial({ label: 'Rotation Δθ₁', value: 10, min: -60, max: 60, step: 1, unit: '°' });
    const now = (): number[] => angles.map((one) => radians(one.value));
    const positions = (): Point[] => poseArm(step.limber, origin, lengths, now()).positions;
    const after = (): Point => poseArm(step.limber, origin, lengths, now().map((x, k) => (k ? x : x + radians(rotation.value)))).positions.at(-1)!;
    const guess = (): Point => {
        const [row0, row1] = jacobian(positions()), tip = positions().at(-1)!;
        return [tip[0] + row0![0]! * radians(rotation.value), tip[1] + row1![0]! * radians(rotation.value)];
    };
    step.say`Turn one joint a little: the tip moves along an arrow, at a right angle to the line from the joint to the tip, and the longer
        that line the faster. The arrows, side by side, are the *Jacobian*: what every angle does to the tip, here and now.`;
    step.add(product(step.matrix(2, 3, { name: 'J', digits: 3, color: (_, c) => ['ca', 'cb', 'cc'][c]!, values: () => jacobian(positions()) })), display('Δe = J Δθ'));
    step.say`For ${rotation.inline()} at the first joint it foretells ${h('span', { class: 'ca' }, 'the end of the arrow')}; the truth is on a circle. They
        are ${step.live(() => fixed(100 * apart(guess(), after()), 1))} cm apart: a straight line is a good guess for a small rotation only.`;
    const plane = step.plane({
        label: 'An arm of three joints, and the arrow along which each moves the tip', x: [-0.75, 1.25], y: [-0.35, 1.15], aspect: 0.72, equal: true,
        draw: () => {
            const p = positions(), tip = p.at(-1)!, j = jacobian(p);
            plane.ring(origin, apart(tip, origin), 'line dashed');
            plane.bones(p, 'skin');
            plane.arrow(tip, guess(), 'a thin');
            (['a', 'b', 'c'] as const).forEach((mark, k) => {
                plane.line([p[k]!, tip], `${mark} thin dashed`);
                plane.arrow(tip, [tip[0] + 0.5 * j[0]![k]!, tip[1] + 0.5 * j[1]![k]!], mark);
                plane.dot(p[k]!, mark, 6);
            });
            plane.dot(after(), 'a open', 6);
        },
    });
    step.controls(...angles.map((one) => one.slider()), rotation.slider());
    step.state(() => `Columns of J: ${[0, 1, 2].map((k) => `θ${'₁₂₃'[k]} moves the tip by (${fixed(jacobian(positions())[0]![k]!)}, ${fixed(jacobian(positions())[1]![k]!)}) m a radian`).join('; ')}.`);
}

function stepping(step: Step): void {
    const arm = new Reacher(step, [0.4, 0.35, 0.25], [1.2, -0.5, -0.4], [0.5, -0.35]);
    const solver = step.choice<'transpose' | 'pseudoInverse' | 'damped'>('Step by', [['transpose', 'Transpose'], ['pseudoInverse', 'Pseudo-inverse'], ['damped', 'Damped']], 'pseudoInverse');
    const damping = step.dial({ label: 'Damping λ', value: 0.2, min: 0, max: 1, step: 0.01 });
    const change = (): number[] => arm.stepOf(solver.value, damping.value);
    step.say`Now backwards. The tip shall move by $Δe = e^* − e$, the way to the target, so one looks for a $Δθ$ with $J Δθ = Δe$. $J$ has two rows
        and three columns: there is no inverse, but there are three good substitutes.`;
    step.add(display('transpose  Δθ = α J^T Δe'), display('pseudo-inverse  Δθ = J^T (J J^T)^{−1} Δe'), display('damped  Δθ = J^T (J J^T + λ^2 I)^{−1} Δe'));
    step.say`The *transpose* asks each joint only how much it helps. The *pseudo-inverse* takes the smallest rotation that would do it all, were the world
        straight. *Damping* by ${damping.inline()} prefers a smaller rotation that nearly does. Press Step, and see the pale arm come true.`;
    step.add(product(step.matrix(1, 3, { name: 'Δθ in degrees', digits: 0, values: () => [change().map(degrees)] }), '←', step.matrix(2, 3, { name: 'J', values: () => jacobian(arm.positions) }), step.matrix(2, 1, { name: 'Δe', values: () => toward(arm.tip, arm.target).map((x) => [x]) })));
    const plane = step.plane({
        label: 'An arm, its target, and where the next step takes it', x: [-1, 1.1], y: [-0.85, 0.95], aspect: 0.8, equal: true,
        draw: () => {
            const next = change().map((x, k) => arm.angles[k]! + x);
            plane.ring(origin, 1, 'line dashed');
            plane.bones(poseArm(step.limber, origin, arm.lengths, next).positions, 'line');
            plane.bones(arm.positions, 'a');
            plane.arrow(arm.tip, arm.target, 'd thin dashed');
            plane.dot(arm.tip, 'a', 6);
        },
    });
    targetHandle(step, plane, () => arm.target, (to) => {
        arm.target = to;
        arm.trail = [arm.left];
    });
    step.controls(solver.element(), step.button('Step', () => arm.advance(solver.value, damping.value), true), step.button('Start over', () => arm.restart()), damping.slider());
    step.state(() => `${arm.trail.length - 1} steps. Left to the target, in cm: ${arm.trail.slice(-6).map((x) => fixed(100 * x, 1)).join(' → ')}.`);
}

function race(step: Step): void {
    const names = Object.keys(steppers) as Stepper[];
    const marks = { transpose: 'quiet', pseudoInverse: 'a', damped: 'c', ccd: 'b', fabrik: 'd' } as const;
    const start = [1.4, -0.6, -0.5, 0.4];
    const arms = names.map(() => new Reacher(step, [0.32, 0.28, 0.24, 0.16], start, [0.55, -0.3]));
    const set = (to: Point): void => arms.forEach((arm) => {
        arm.target = to;
        arm.restart();
    });
    step.say`Two more solvers need no Jacobian. *CCD* takes one joint after the other, from the tip down, and rotates it so that the tip points at the target.
        *FABRIK* forgets angles altogether: it puts the tip on the target and drags the bones after it, then puts the root back and drags them
        forward, until both ends fit.`;
    step.say`All five, from the same pose, at the same target. Step them and compare: ${step.live(() => names.map((name, k) => `${steppers[name]} ${fixed(100 * arms[k]!.left, 1)}`).join(', '))} cm are left.`;
    step.say`Drag the target out of the dashed circle: none can reach it, but only some come to rest there. Drag it close to the shoulder: arms
        fold, each in a manner of its own. That is why an animator picks a solver by how the pose *looks*.`;
    const pair = h('div', { class: 'pair' });
    const planes = names.map((name, k) => step.plane({
        label: `${steppers[name]}: the arm and its target`, x: [-0.6, 1.05], y: [-0.75, 0.85], aspect: 0.8, equal: true,
        draw: (plane) => {
            plane.ring(origin, 1, 'line dashed');
            plane.bones(arms[k]!.positions, marks[name]);
            plane.label([-0.58, 0.74], `${steppers[name]} ${fixed(100 * arms[k]!.left, 1)}`, { color: marks[name] });
        },
    }));
    const chart = step.plane({
        label: 'What is left to the target, step by step, on a scale of powers of ten', x: [0, 12], y: [-4, 0.3], aspect: 0.8, grid: [2, 1],
        draw: (plane) => {
            names.forEach((name, k) => plane.line(arms[k]!.trail.slice(0, 13).map((left, n): Point => [n, Math.max(-4, Math.log10(left + 1e-9))]), marks[name]));
            plane.label([12, 0.05], 'log₁₀ m', { end: true, color: 'quiet' });
        },
    });
    pair.append(...planes.map((plane) => plane.element), chart.element);
    planes.forEach((plane) => targetHandle(step, plane, () => arms[0]!.target, set));
    step.scene.append(pair);
    step.controls(step.button('Step all', () => arms.forEach((arm, k) => arm.advance(names[k]!)), true), step.button('Start over', () => arms.forEach((arm) => arm.restart())));
    step.state(() => `${arms[0]!.trail.length - 1} steps. ${names.map((name, k) => `${steppers[name]}: ${fixed(100 * arms[k]!.left, 2)} cm`).join('; ')}.`);
}

function singular(step: Step): void {
    const bend = step.dial({ label: 'Bend of the elbow', value: 12, min: 0.5, max: 90, step: 0.5, unit: '°' });
    const damping = step.dial({ label: 'Damping λ', value: 0.1, min: 0, max: 0.5, step: 0.01 });
    const arm = (): Reacher => new Reacher(step, [0.5, 0.5], [radians(20), radians(bend.value)], outward());
    const outward = (): Point => {
        const tip = poseArm(step.limber, origin, [0.5, 0.5], [radians(20), radians(bend.value)]).positions[2]!, d = Math.hypot(...tip);
        return [tip[0] * (1 + 0.05 / d), tip[1] * (1 + 0.05 / d)];
    };
    const size = (change: number[]): number => degrees(Math.max(...change.map(Math.abs)));
    const straight = (): number => size(arm().stepOf('pseudoInverse', 0));
    const damped = (): number => size(arm().stepOf('damped', damping.value));
    step.say`A stretched arm cannot move its tip further out: both arrows of the Jacobian point sideways. Such a pose is *singular*. Near it, the
        pseudo-inverse asks for wild rotations: bent by ${bend.inline()}, to go 5 cm outward it would rotate a joint by
        ${step.live(() => `${fixed(straight(), 0)}°`)}. Damped by ${damping.inline()}, by ${step.live(() => `${fixed(damped(), 0)}°`)}.`;
    step.say`Damping pays everywhere with slower steps and saves the day where it counts. The library's own solver chooses $λ$ anew at each step: small
        while all goes well, larger when a step made things worse.`;
    step.plane({
        label: 'A nearly straight arm, and where one step of each solver throws it', x: [-1.1, 1.15], y: [-0.8, 1.05], aspect: 0.72, equal: true,
        draw: (plane) => {
            const now = arm(), go = (solver: Stepper): Point[] => poseArm(step.limber, origin, now.lengths, now.stepOf(solver, damping.value).map((x, k) => now.angles[k]! + x)).positions;
            plane.ring(origin, 1, 'line dashed');
            plane.bones(go('pseudoInverse'), 'b');
            plane.bones(go('damped'), 'c');
            plane.bones(now.positions, 'skin');
            plane.dot(now.target, 'd open', 9);
            plane.label([-1.08, 0.95], 'now', { color: 'quiet' });
            plane.label([-1.08, 0.84], 'pseudo-inverse', { color: 'b' });
            plane.label([-1.08, 0.73], 'damped', { color: 'c' });
        },
    });
    step.controls(bend.slider(), damping.slider());
    step.state(() => `Bent by ${bend.text}°. One step for 5 cm outward rotates a joint by ${fixed(straight(), 1)}° with the pseudo-inverse, by ${fixed(damped(), 1)}° damped.`);
}

function limits(step: Step): void {
    const most = step.dial({ label: 'Elbow bends to', value: 150, min: 20, max: 170, step: 1, unit: '°' });
    let target: Point = [0.25, 0.3], angles = [0.3, 0.6, 0.2];
    const lengths = [0.45, 0.4, 0.2];
    const ranges = (): number[][] => [[-Math.PI, Math.PI], [0, radians(most.value)], [-0.9, 0.9]];
    step.say`Real elbows bend one way, and never beyond about 150°. *Limits* take bad answers away, and sometimes all of them. Allow the elbow
        ${most.inline()} and drag the target close to the shoulder.`;
    step.say`Where the target cannot be met, the best a solver can do is *least squares*: come as near as the limits let it. Here
        ${step.live(() => fixed(100 * apart(positions().at(-1)!, target), 1))} cm are left.`;
    const positions = (): Point[] => poseArm(step.limber, origin, lengths, angles).positions;
    step.first(() => (angles = step.limber.reach(solvers.ccd, lengths, angles, target, 20, ranges()).angles));
    const plane = step.plane({
        label: 'An arm with limits at its joints', x: [-1, 1.15], y: [-0.7, 0.95], aspect: 0.72, equal: true,
        draw: () => {
            const p = positions();
            ranges().forEach(([low, high], k) => {
                if (k === 0) return;
                const from = angles.slice(0, k).reduce((a, b) => a + b, 0);
                const fan = Array.from({ length: 25 }, (_, n): Point => {
                    const at = from + low! + ((high! - low!) * n) / 24;
                    return [p[k]![0] + 0.16 * Math.cos(at), p[k]![1] + 0.16 * Math.sin(at)];
                });
                plane.area([p[k]!, ...fan], 'b');
            });
            plane.bones(p, 'a');
        },
    });
    targetHandle(step, plane, () => target, (to) => (target = to));
    step.controls(most.slider());
    step.state(() => `Elbow ${fixed(degrees(angles[1]!), 0)}° of 0° to ${most.text}°, wrist ${fixed(degrees(angles[2]!), 0)}°. ${fixed(100 * apart(positions().at(-1)!, target), 1)} cm are left.`);
}

function question(step: Step): void {
    const lengths = [0.4, 0.35, 0.25];
    const start = [8, 1, 1].map((value, k) => step.dial({ label: `Start θ${'₁₂₃'[k]}`, value, min: -150, max: 150, step: 1, unit: '°' }));
    const arm = new Reacher(step, lengths, [0, 0, 0], [0.2, 0.55]);
    const begin = (): void => arm.restart(start.map((one) => radians(one.value)));
    let shown = '';
    step.first(() => {
        const text = start.map((one) => one.text).join();
        if (text !== shown) begin();
        shown = text;
    });
    const steps = (): number => arm.trail.length - 1;
    const task = step.ask`Bring the tip within 1 cm of the target with the pseudo-inverse, in at most 5 steps. The target stays; the pose that it starts
        from is yours. From a nearly straight arm, as it is now, it will not do.`;
    task.check(() => ({ done: arm.left < 0.01 && steps() <= 5 && steps() > 0, said: `${steps()} of 5 steps, ${fixed(100 * arm.left, 1)} cm left.${steps() > 5 ? ' Too many: start over.' : ''}` }),
        'Newton\'s method is fast near an answer and lost far from one. That is why solvers begin with last frame\'s pose, and why some are restarted from other poses when they stall.');
    step.plane({
        label: 'The arm and its target', x: [-1, 1.1], y: [-0.7, 1.05], aspect: 0.8, equal: true,
        draw: (plane) => {
            plane.ring(origin, 1, 'line dashed');
            plane.bones(arm.positions, 'a');
            plane.dot(arm.target, 'd open', 10);
            plane.dot(arm.tip, 'a', 6);
        },
    });
    step.controls(step.button('Step', () => arm.advance('pseudoInverse'), true), step.button('Start over', begin), ...start.map((one) => one.slider()));
    step.state(() => `Left to the target, in cm: ${arm.trail.slice(-7).map((x) => fixed(100 * x, 1)).join(' → ')}.`);
}

export const inverse: Chapter = {
    title: 'Inverse kinematics',
    lead: 'Places in, angles out: a search, step by step, by five solvers you can race against each other.',
    here: { tab: 'Pose', text: 'Drag a hand or a foot: a limb solves its triangle, the whole body damped least squares over every joint, sixty times a second, within the limits of a human.' },
    steps: [
        { title: 'The question, backwards', build: backwards },
        { title: 'What one angle does', build: columns },
        { title: 'Three ways to turn it round', build: stepping },
        { title: 'Five solvers, one target', build: race },
        { title: 'Stretched arms go wild', build: singular },
        { title: 'Limits', build: limits },
        { title: 'Five steps to the target', build: question },
    ],
};
