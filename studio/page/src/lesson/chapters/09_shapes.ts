import { range } from '../kit/actor';
import type { Dial } from '../kit/dial';
import type { ColorName } from '../kit/color';
import type { Plane, Point } from '../kit/plane';
import type { Chapter, Step } from '../kit/step';
import { display, fixed, radians } from '../kit/words';

// A face of points: mouth, lids and brows. Each shape gives all of them a position; the points keep their order.
const mouthPoints = 20, lidPoints = 12, browPoints = 6;

interface Look {
    /** Half the mouth's width, how far its corners are up, how far it is open, how high it sits. */
    mouth: [number, number, number, number];
    /** How far the eyes are open; how far the brows are up, inside and outside. */
    eyes: number;
    brows: [number, number];
}

const expressions: Record<string, Look> = {
    rest: { mouth: [1.05, 0, 0.1, -1.5], eyes: 0.34, brows: [0, 0] },
    smile: { mouth: [1.5, 0.55, 0.22, -1.5], eyes: 0.24, brows: [0.1, 0.16] },
    surprise: { mouth: [0.7, 0, 1, -1.7], eyes: 0.56, brows: [0.5, 0.5] },
    frown: { mouth: [1.1, -0.5, 0.08, -1.55], eyes: 0.26, brows: [-0.35, 0.12] },
};

function pointsOf({ mouth: [wide, corners, open, high], eyes, brows }: Look): Float32Array {
    const points: number[] = [];
    for (let k = 0; k < mouthPoints; ++k) {
        const t = (2 * Math.PI * k) / mouthPoints, x = Math.cos(t);
        points.push(wide * x, high + 0.5 * open * Math.sin(t) + corners * x * x, 0);
    }
    for (const side of [-1, 1]) {
        for (let k = 0; k < lidPoints; ++k) {
            const t = (2 * Math.PI * k) / lidPoints;
            points.push(side * 1.05 + 0.5 * Math.cos(t), 0.75 + eyes * Math.sin(t), 0);
        }
    }
    for (const side of [-1, 1]) {
        for (let k = 0; k < browPoints; ++k) {
            const t = k / (browPoints - 1);
            points.push(side * (0.5 + 1.1 * t), 1.55 + 0.22 * Math.sin(Math.PI * t) + brows[0] * (1 - t) + brows[1] * t, 0);
        }
    }
    return Float32Array.from(points);
}

const names = Object.keys(expressions);
const shapes = names.map((name) => pointsOf(expressions[name]!));

function at(p: Float32Array, k: number): Point {
    return [p[3 * k]!, p[3 * k + 1]!];
}

function draw(plane: Plane, p: Float32Array, mark: ColorName, dashed = false): void {
    const mouth = range(mouthPoints).map((k) => at(p, k)), line = dashed ? (`${mark} dashed` as const) : mark;
    if (!dashed) plane.area(mouth, 'd');
    plane.line([...mouth, mouth[0]!], line);
    [0, 1].forEach((side) => {
        const lid = range(lidPoints).map((k) => at(p, mouthPoints + side * lidPoints + k));
        plane.line([...lid, lid[0]!], line);
        if (!dashed) plane.dot([side ? 1.05 : -1.05, 0.75], mark, 6);
        plane.line(range(browPoints).map((k) => at(p, mouthPoints + 2 * lidPoints + side * browPoints + k)), dashed ? line : `${mark} thick`);
    });
}

const face = { x: [-3, 3] as [number, number], y: [-2.9, 2.9] as [number, number], aspect: 0.78, equal: true };

function head(plane: Plane): void {
    plane.line(range(61).map((k): Point => [2.35 * Math.cos((2 * Math.PI * k) / 60), 2.75 * Math.sin((2 * Math.PI * k) / 60)]), 'skin');
    plane.line([[0.02, 0.35], [-0.24, -0.42], [0.16, -0.5]], 'skin');
}

function absolute(step: Step): void {
    const dials = names.map((name, k) => step.dial({ label: `w ${name}`, value: [0.3, 0.7, 0, 0][k]!, min: 0, max: 1, step: 0.05 }));
    const total = (): number => dials.reduce((sum, one) => sum + one.value, 0);
    step.say`A face has no bones to speak of. It is sculpted several times, at rest, smiling, surprised, frowning, always the *same points* in other positions. To show something in between, take a mean of the positions:`;
    step.add(display('p′_i = Σ_j w_j p_{ij} ,    Σ_j w_j = 1'));
    step.say`This is the *absolute* way: whole shapes, and weights that share one whole. ${dials[1]!.inline()} of the smile and ${dials[2]!.inline()} of surprise leave less for the others; the library divides by the sum, now
        ${step.live(() => fixed(total()))}.`;
    step.plane({ ...face, label: 'A face, mixed of four', draw: (plane) => {
        head(plane);
        draw(plane, step.limber.shapes(shapes, dials.map((one) => one.value), false), 'text');
    } });
    step.controls(...dials.map((one) => one.slider()));
    step.state(() => `Shares: ${names.map((name, k) => `${name} ${fixed(total() > 0 ? dials[k]!.value / total() : k ? 0 : 1)}`).join(', ')}. A corner of the mouth is at (${at(step.limber.shapes(shapes, dials.map((one) => one.value), false), 0).map((x) => fixed(x)).join(', ')}).`);
}

function relativeDials(step: Step, values: number[]): Dial[] {
    return names.slice(1).map((name, k) => step.dial({ label: `w ${name}`, value: values[k]!, min: -0.5, max: 1.5, step: 0.05 }));
}

function relative(step: Step): void {
    const dials = relativeDials(step, [0.8, 0.6, 0]);
    const now = (): Float32Array => step.limber.shapes(shapes, [0, ...dials.map((one) => one.value)], true);
    step.say`Artists prefer differences: what *moves* when one smiles, put on top of the face at rest.`;
    step.add(display('p′_i = p_{i0} + Σ_j w_j (p_{ij} − p_{i0})'));
    step.say`Now the sliders are free. A smile of ${dials[0]!.inline()} *and* surprise of ${dials[1]!.inline()} are both there in full, which no mean could do; 1.3 exaggerates, and −0.3 of a frown is a friendlier rest. The arrows are the smile's differences.`;
    step.plane({ ...face, label: 'A face at rest with differences added', draw: (plane) => {
        head(plane);
        draw(plane, now(), 'text');
        range(mouthPoints).forEach((k) => k % 2 === 0 && plane.arrow(at(shapes[0]!, k), at(shapes[1]!, k), 'a thin'));
    } });
    step.controls(...dials.map((one) => one.slider()));
    step.state(() => `Differences: ${dials.map((one, k) => `${names[k + 1]!} ${one.text}`).join(', ')}. A corner of the mouth is at (${at(now(), 0).map((x) => fixed(x)).join(', ')}).`);
}

function straight(step: Step): void {
    const weight = step.dial({ label: 'Weight', value: 0.5, min: 0, max: 1, step: 0.01 });
    const help = step.dial({ label: 'Shape in between', value: 0, min: 0, max: 1, step: 0.05 });
    const arm = (angle: number): Float32Array => Float32Array.from(range(9).flatMap((k) => [(k / 4) * Math.cos(radians(angle)), (k / 4) * Math.sin(radians(angle)), 0]));
    const three = [arm(0), arm(120), arm(60)];
    // The shape in between counts most half-way; the end's weight makes room for it.
    const now = (): Float32Array => {
        const peak = help.value * (1 - Math.abs(2 * weight.value - 1));
        return step.limber.shapes(three, [0, weight.value - peak / 2, peak], true);
    };
    const length = (): number => Math.hypot(...at(now(), 8));
    step.say`Blend shapes go *straight*. From an arm that points ahead to one rotated by 120°, every point takes the chord, and at ${weight.inline()} the arm is ${step.live(() => fixed(length()))} long in place of 2. The same chord as in skinning.`;
    step.say`For small motions, lips and brows, that is nothing. For eyelids that roll over the eye it shows, so artists sculpt *shapes in between*: let one at 60° help by ${help.inline()}.`;
    step.plane({ label: 'An arm between two shapes', x: [-1.6, 2.4], y: [-0.4, 2.2], aspect: 0.66, equal: true, draw: (plane) => {
        const line = (p: Float32Array): Point[] => range(9).map((k) => at(p, k));
        plane.line(range(41).map((k): Point => [2 * Math.cos(radians(3 * k)), 2 * Math.sin(radians(3 * k))]), 'line dashed');
        plane.line(line(three[0]!), 'quiet thick faint');
        plane.line(line(three[1]!), 'quiet thick faint');
        if (help.value > 0) plane.line(line(three[2]!), 'c faint');
        plane.line(line(now()), 'a thick');
        line(now()).forEach((point) => plane.dot(point, 'a', 4));
    } });
    step.controls(weight.slider(), help.slider());
    step.state(() => `At ${weight.text} the arm is ${fixed(length())} long of 2.00.`);
}

const kernels = [['0', 'Bell'], ['1', 'Linear'], ['2', 'Cubic']] as const;

function poseSpace(step: Step): void {
    const angle = step.dial({ label: 'Elbow', value: 45, min: 0, max: 150, step: 1, unit: '°' });
    const radius = step.dial({ label: 'Width of the bell', value: 35, min: 10, max: 90, step: 1, unit: '°' });
    const kernel = step.choice<'0' | '1' | '2'>('Kernel', kernels, '0');
    const examples = [0, 70, 140];
    const sculpted: number[] = [0.06, 0.16, 0.34];
    const weightsAt = (degrees: number): number[] => step.limber.poseSpace(Number(kernel.value), radians(radius.value), false, examples.map(radians), radians(degrees));
    const bulge = (degrees: number): number => weightsAt(degrees).reduce((sum, w, k) => sum + w * sculpted[k]!, 0);
    step.say`Skinning bends an elbow, but no biceps swells. So one sculpts what is missing, a *corrective*, in a few poses, and lets the pose itself turn it on. Here are three sculpts, at 0°, 70° and 140°: drag how far the muscle stands out in each.`;
    step.add(display('w(θ) = Σ_k c_k φ(‖θ − θ_k‖)'));
    step.say`Between them the library interpolates: each example has a bump around its own pose, ${radius.inline()} wide, and the heights are solved for so that at an example it alone counts. At ${angle.inline()} the weights are
        ${step.live(() => weightsAt(angle.value).map((w) => fixed(w)).join(', '))}. This is *pose-space deformation*.`;
    step.plane({ label: 'An arm whose muscle swells with the bend', x: [-1.3, 1.35], y: [-0.5, 1.15], aspect: 0.5, equal: true, draw: (plane) => {
        const bend = radians(angle.value), arm: Point[] = range(25).map((k) => [-1.2 + (1.2 * k) / 24, 0.16 + bulge(angle.value) * Math.sin((Math.PI * k) / 24) ** 2]);
        const rotated = ([x, y]: Point): Point => [x * Math.cos(bend) - y * Math.sin(bend), x * Math.sin(bend) + y * Math.cos(bend)];
        plane.area([...arm, [0, -0.16], [-1.2, -0.16]], 'skin full');
        plane.area(([[0, 0.14], [1, 0.1], [1, -0.1], [0, -0.16]] as Point[]).map(rotated), 'skin full');
        plane.dot([0, 0], 'skin', 24);
        plane.bones([[-1.2, 0], [0, 0], rotated([1, 0])], 'a');
    } });
    const plane = step.plane({ label: 'How far the muscle stands out over the angle of the elbow, through three examples', x: [0, 150], y: [-0.1, 0.5], aspect: 0.42, grid: [30, 0.1], draw: () => {
        range(3).forEach((k) => plane.line(range(76).map((n): Point => [2 * n, 0.3 * weightsAt(2 * n)[k]!]), `${(['a', 'b', 'c'] as const)[k]!} thin dashed`));
        plane.line(range(76).map((n): Point => [2 * n, bulge(2 * n)]), 'd');
        plane.dot([angle.value, bulge(angle.value)], 'text', 6);
    } });
    examples.forEach((degrees, k) => plane.handle({ label: `Sculpt at ${degrees}°`, color: 'd', step: 0.02, digits: 2, get: () => [degrees, sculpted[k]!], set: ([, y]) => {
        sculpted[k] = Math.min(0.48, Math.max(0, y));
        step.changed();
    } }));
    step.controls(angle.slider(), kernel.element(), radius.slider());
    step.state(() => `At ${angle.text}° the weights are ${weightsAt(angle.value).map((w) => fixed(w)).join(', ')} and the muscle stands out by ${fixed(bulge(angle.value))}.`);
}

function question(step: Step): void {
    const dials = relativeDials(step, [0, 0, 0]);
    const wanted = step.limber.shapes(shapes, [0, 1.2, 0.5, -0.3], true);
    const now = (): Float32Array => step.limber.shapes(shapes, [0, ...dials.map((one) => one.value)], true);
    const off = (): number => {
        const p = now();
        return Math.sqrt(range(p.length / 3).reduce((sum, k) => sum + (p[3 * k]! - wanted[3 * k]!) ** 2 + (p[3 * k + 1]! - wanted[3 * k + 1]!) ** 2, 0) / (p.length / 3));
    };
    const task = step.ask`Match the dashed face within 0.03, by three relative weights. One is above 1, and one is below 0.`;
    task.check(() => ({ done: off() < 0.03, said: `The points are ${fixed(off(), 3)} off in the mean.` }), 'No weights of the absolute kind could do it: they stay between 0 and 1 and share one whole. That is why faces in games are differences from one at rest.');
    step.plane({ ...face, label: 'A face, and a dashed one to be matched', draw: (plane) => {
        head(plane);
        draw(plane, now(), 'text');
        draw(plane, wanted, 'good', true);
    } });
    step.controls(...dials.map((one) => one.slider()));
    step.state(() => `${dials.map((one, k) => `${names[k + 1]!} ${one.text}`).join(', ')}: ${fixed(off(), 3)} off.`);
}

export const blendShapes: Chapter = {
    title: 'Blend shapes and correctives',
    lead: 'Faces as sums of sculpts, whole or as differences, and shapes that the pose turns on.',
    here: { tab: 'Body', text: 'If your character has morph targets, its sliders are there: relative weights, as files store them. `limber correct` makes correctives from your own sculpts.' },
    steps: [
        { title: 'A mean of faces', build: absolute },
        { title: 'Differences on top', build: relative },
        { title: 'They go straight', build: straight },
        { title: 'The pose turns them on', build: poseSpace },
        { title: 'Match a face', build: question },
    ],
};
