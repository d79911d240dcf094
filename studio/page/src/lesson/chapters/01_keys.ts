import { curves } from '../kit/limber';
import type { Plane, Point } from '../kit/plane';
import type { Chapter, Step } from '../kit/step';
import { degrees, display, fixed, radians } from '../kit/words';

const along = (count: number, to: number): number[] => Array.from({ length: count + 1 }, (_, k) => (to * k) / count);
const clamp = (x: number, low: number, high: number): number => Math.min(high, Math.max(low, x));

function stills(step: Step): void {
    const rate = step.dial({ label: 'Pictures a second', value: 8, min: 2, max: 24, step: 1 });
    const player = step.player();
    let time = 0.4;
    const height = (t: number): number => 4 * Math.abs(Math.sin(Math.PI * t));
    const shown = (): number => Math.floor(time * rate.value + 1e-6) / rate.value;
    step.say`Animation is a *function of time*: tell it a moment, it answers with a picture. A film asks often enough that the
        eye joins the answers. Here it is asked ${rate.inline()} times a second; the pale balls are all the pictures there are.`;
    step.say`Drag the number down to 3, and the ball only hops from place to place. The function has not changed, only how often
        it is asked. Everything in these chapters is about the function.`;
    step.plane({
        label: 'A ball that bounces along, with a pale picture of it for each that is shown', x: [0, 2], y: [0, 4.6], aspect: 0.46, grid: [0.5, 1],
        draw: (plane) => {
            plane.line(along(120, 2).map((t): Point => [t, height(t)]), 'line dashed');
            for (let k = 0; k <= 2 * rate.value; ++k) plane.dot([k / rate.value, height(k / rate.value)], 'a faint', 9);
            plane.dot([shown(), height(shown())], 'b', 12);
        },
    });
    step.controls(player.element, rate.slider());
    step.state(() => `At ${fixed(time)} s the picture of ${fixed(shown())} s is shown: the ball is ${fixed(height(shown()))} m up. ${2 * rate.value} pictures in two seconds.`);
    step.tick((seconds) => {
        if (!player.playing) return;
        time = (time + seconds / 2) % 2;
        step.changed();
    });
}

/** Keys that can be dragged, each between its neighbours. */
function keyHandles(step: Step, plane: Plane, points: Point[], names: string[], top: number, end: number): void {
    points.forEach((_, k) => plane.handle({
        label: `${names[k]} key: time and height`,
        get: () => points[k]!,
        set: ([x, y]) => {
            points[k] = [clamp(x, (points[k - 1]?.[0] ?? -0.05) + 0.05, (points[k + 1]?.[0] ?? end + 0.05) - 0.05), clamp(y, 0, top)];
            step.changed();
        },
    }));
}

function twoKeys(step: Step): void {
    const points: Point[] = [[0.5, 2], [2.5, 8]];
    const time = step.dial({ label: 'Time', value: 1.2, min: 0, max: 3, step: 0.01, unit: ' s' });
    const value = (): number => step.limber.curve(curves.linear, points, [time.value])[0]!;
    const number = (k: number, axis: 0 | 1): string => fixed(points[k]![axis]);
    step.say`Nobody draws every picture. An animator sets a few *keys*, moments at which the value is given, and the machine fills
        in what lies between. Drag the two keys of a lift. At ${time.inline()} it is ${step.live(() => fixed(value()))} m up.`;
    step.add(display('h(t) = h_1 + (t − t_1) / (t_2 − t_1) · (h_2 − h_1)'),
        display(step.live(() => `${number(0, 1)} + (${fixed(time.value)} − ${number(0, 0)}) / (${number(1, 0)} − ${number(0, 0)}) · (${number(1, 1)} − ${number(0, 1)}) = ${fixed(points[0]![1] + ((time.value - points[0]![0]) / (points[1]![0] - points[0]![0])) * (points[1]![1] - points[0]![1]))}`)));
    step.say`The fraction says how much of the way has passed: 0 at the first key, 1 at the second. Outside of them the formula
        would go on; a clip holds its end values instead.`;
    keyHandles(step, step.plane({
        label: 'Height over time: a straight line from one key to the other', x: [0, 3], y: [0, 10], aspect: 0.6, grid: [0.5, 2],
        draw: (plane) => {
            plane.line([[0, points[0]![1]], ...points, [3, points[1]![1]]], 'a');
            plane.line([[time.value, 0], [time.value, value()], [0, value()]], 'b dashed');
            plane.dot([time.value, value()], 'b', 6);
        },
    }), points, ['First', 'Second'], 10, 3);
    step.controls(time.slider());
    step.state(() => `Keys: ${number(0, 1)} m at ${number(0, 0)} s, ${number(1, 1)} m at ${number(1, 0)} s. At ${fixed(time.value)} s the clip gives ${fixed(value())} m.`);
}

const kinds = [['step', 'Step'], ['linear', 'Linear'], ['cubic', 'Cubic'], ['catmull', 'Through all']] as const;
type Kind = (typeof kinds)[number][0];

function between(step: Step): void {
    const points: Point[] = [[0, 1], [1, 8], [2, 8], [3, 3]];
    const player = step.player();
    const kind = step.choice<Kind>('Between keys', kinds, 'linear');
    let time = 0.9;
    const at = (t: number): number => step.limber.curve(curves[kind.value], points, [t])[0]!;
    const speed = (t: number): number => {
        const [before, after] = step.limber.curve(curves[kind.value], points, [t - 0.01, t + 0.01]);
        return (after! - before!) / 0.02;
    };
    step.say`Straight lines have corners: at a key the lift changes its speed at once, and everybody inside falls over. A *cubic*
        knows at each key not only where the value is but how fast it passes, its *tangent*, and keeps both.`;
    step.say`How are tangents found that nobody gave? *Through all* leans each along its neighbours: smooth, but it shoots over
        the two keys at 8. *Cubic* flattens a tangent where the curve turns, so it never leaves the range of its keys. *Step* holds a
        value until the next: for a light switch, or a first sketch.`;
    const plane = step.plane({
        label: 'Four keys and the curve between them', x: [0, 3], y: [0, 10], aspect: 0.6, grid: [0.5, 2],
        draw: () => {
            const times = along(240, 3), values = step.limber.curve(curves[kind.value], points, times);
            plane.line(times.map((t, k): Point => [t, values[k]!]), 'a');
            const slope = speed(time);
            plane.line([[time - 0.25, at(time) - 0.25 * slope], [time + 0.25, at(time) + 0.25 * slope]], 'b');
            plane.dot([time, at(time)], 'b', 7);
        },
    });
    keyHandles(step, plane, points, ['First', 'Second', 'Third', 'Fourth'], 10, 3);
    step.controls(kind.element(), player.element);
    step.state(() => `${kinds.find(([key]) => key === kind.value)![1]}: at ${fixed(time)} s ${fixed(at(time))} m up, ${fixed(speed(time), 1)} m/s. The highest point is ${fixed(Math.max(...step.limber.curve(curves[kind.value], points, along(240, 3))))} m.`);
    step.tick((seconds) => {
        if (!player.playing) return;
        time = (time + 0.6 * seconds) % 3;
        step.changed();
    });
}

/** A quaternion's position on the circle of rotations about one axis: half the angle. */
const quaternion = (angle: number): number[] => [0, 0, Math.sin(angle / 2), Math.cos(angle / 2)];

function rotations(step: Step): void {
    const from = step.dial({ label: 'First key', value: 0, min: -180, max: 180, step: 1, unit: '°' });
    const to = step.dial({ label: 'Second key', value: 170, min: -180, max: 180, step: 1, unit: '°' });
    const t = step.dial({ label: 'Part of the way', value: 0.25, min: 0, max: 1, step: 0.01 });
    const at = (slerp: boolean, part = t.value): number[] => step.limber.interpolate(quaternion(radians(from.value)), quaternion(radians(to.value)), part, slerp);
    const angleOf = (q: number[]): number => degrees(2 * Math.atan2(q[2]!, q[3]!));
    const length = (q: number[]): number => Math.hypot(...q);
    step.say`A rotation is kept as a *quaternion*, four numbers whose squares sum to 1. Turns about one axis are points on a
        circle, $(sin θ/2, cos θ/2)$, so a path from ${from.inline()} to ${to.inline()} is a path along that circle.`;
    step.say`Mixing the four numbers one by one takes the *chord*: ${t.inline()} of the way its length is
        ${step.live(() => fixed(length(at(false)), 3))}, no rotation any more until it is stretched back to 1, and then it is slow at the
        ends and fast in the middle. *Slerp* walks the arc at one speed:`;
    step.add(display('slerp(p, q, t) = ( sin((1−t)φ) p + sin(tφ) q ) / sin φ'));
    step.say`Half of the circle is enough: $q$ and $−q$ turn the same way. Set the keys to −170° and 170°: they are 20° apart, and
        slerp takes those 20°, where a mix of the *angles* would spin through 340°.`;
    const plane = step.plane({
        label: 'Two rotations on the circle of quaternions, the arc between them and the chord', x: [-1.35, 1.35], y: [-1.2, 1.2], aspect: 0.8, equal: true,
        draw: () => {
            const position = (q: number[]): Point => [q[2]!, q[3]!];
            plane.ring([0, 0], 1, 'line');
            plane.line(along(48, 1).map((part) => position(at(true, part))), 'c thick');
            plane.line([position(at(false, 0)), position(at(false, 1))], 'b dashed');
            for (const part of along(8, 1)) {
                plane.dot(position(at(true, part)), 'c', 3.5);
                plane.dot(position(at(false, part)), 'b', 3);
            }
            plane.arrow([0, 0], position(at(true)), 'c');
            plane.arrow([0, 0], position(at(false)), 'b');
            plane.label(position(at(true)), `slerp ${fixed(angleOf(at(true)), 0)}°`, { dx: 10, dy: -8, color: 'c' });
            plane.label(position(at(false)), `mixed ${fixed(angleOf(at(false)), 0)}°`, { dx: 10, dy: 18, color: 'b' });
            plane.label([0, 1], '0°', { dy: -8, color: 'quiet', middle: true });
            plane.label([1, 0], '180°', { dx: 8, dy: 5, color: 'quiet' });
            plane.label([-1, 0], '−180°', { dx: -8, dy: 5, color: 'quiet', end: true });
        },
    });
    step.controls(from.slider(), to.slider(), t.slider());
    step.state(() => `${fixed(t.value)} of the way: slerp has rotated to ${fixed(angleOf(at(true)), 1)}°, length ${fixed(length(at(true)), 3)}; the mix to ${fixed(angleOf(at(false)), 1)}°, length ${fixed(length(at(false)), 3)}.`);
}

function threeWays(step: Step): void {
    const swing = step.dial({ label: 'Swing', value: 50, min: 5, max: 170, step: 1, unit: '°' });
    const player = step.player();
    let time = 0.35, angle = radians(50), speed = 0;
    const keyed = (): number => {
        const keys: Point[] = [[0, swing.value], [1, -swing.value], [2, swing.value]];
        return radians(step.limber.curve(curves.cubic, keys, [time % 2])[0]!);
    };
    const ruled = (): number => radians(swing.value) * Math.cos(Math.PI * time);
    step.say`Keys are one way to make the function. *Procedural* animation writes it down as a rule: a clock's hand is an angle
        that grows, this pendulum $θ(t) = A cos(πt)$. *Physical* animation tells only how forces change the motion, $F = m a$, and
        adds up what happens.`;
    step.say`With a swing of ${swing.inline()} all three look alike when it is small. Make it 150°: the keys and the rule do what they were told,
        only physics hangs at the top and rushes through the middle. It looks right, and it is the hardest to direct.`;
    step.plane({
        label: 'Three pendulums: keyed, by rule, by physics', x: [-4.6, 4.6], y: [-1.5, 1.25], aspect: 0.42, equal: true,
        draw: (plane) => ([['keys', keyed(), 'a', -3.1], ['rule', ruled(), 'c', 0], ['physics', angle, 'b', 3.1]] as const).forEach(([name, theta, mark, x]) => {
            const bob: Point = [x + 1.1 * Math.sin(theta), -1.1 * Math.cos(theta)];
            plane.line([[x, 0], bob], `${mark}`);
            plane.dot([x, 0], 'quiet', 4);
            plane.dot(bob, mark, 12);
            plane.label([x, -1.45], name, { middle: true, color: mark });
        }),
    });
    step.controls(player.element, swing.slider(), step.button('Let go again', () => {
        time = 0;
        angle = radians(swing.value);
        speed = 0;
    }));
    step.state(() => `After ${fixed(time)} s: keys ${fixed(degrees(keyed()), 0)}°, rule ${fixed(degrees(ruled()), 0)}°, physics ${fixed(degrees(angle), 0)}°.`);
    step.tick((seconds) => {
        if (!player.playing) return;
        time += seconds;
        // θ'' = −π² sin θ: the length at which small swings take two seconds.
        for (let k = 0; k < 20; ++k) {
            speed -= Math.PI ** 2 * Math.sin(angle) * (seconds / 20);
            angle += speed * (seconds / 20);
        }
        step.changed();
    });
}

function question(step: Step): void {
    const points: Point[] = [[0, 1], [1, 4], [2, 9], [3, 9]];
    const kind = step.choice<Kind>('Between keys', kinds, 'linear');
    const at = (t: number): number => step.limber.curve(curves[kind.value], points, [t])[0]!;
    const kink = (): number => {
        const t = points[1]![0], [before, here, after] = step.limber.curve(curves[kind.value], points, [t - 0.002, t, t + 0.002]);
        return Math.abs(after! - 2 * here! + before!) / 0.002;
    };
    const highest = (): number => Math.max(...step.limber.curve(curves[kind.value], points, along(300, 3)));
    const task = step.ask`A lift goes up to the floor at 9 m, and the shaft ends at 9.2 m. Let it pass 6.0 m (within 0.1) at 1.5 s, without
        a jolt at the second key, and without hitting the top. Only the second key may be moved.`;
    task.check(() => {
        const there = Math.abs(at(1.5) - 6) <= 0.1, smooth = kink() < 0.3, low = highest() <= 9.2;
        return { done: there && smooth && low, said: there && smooth && low ? 'It arrives, smoothly.' : `${fixed(at(1.5))} m at 1.5 s${smooth ? '' : '; a jolt at the key'}${low ? '' : `; it hits the top at ${fixed(highest())} m`}.` };
    }, 'Linear keys jolt, and tangents along the neighbours shoot over the last key. The cubic that does not overshoot is what `lmb_clip_apply` with `LMB_CLIP_SMOOTH` makes unless it is told otherwise.');
    const plane = step.plane({
        label: 'The lift\'s height over time, with the top of the shaft', x: [0, 3], y: [0, 10], aspect: 0.6, grid: [0.5, 2],
        draw: () => {
            plane.line([[0, 9.2], [3, 9.2]], 'bad dashed');
            plane.dot([1.5, 6], 'good open', 9);
            const times = along(240, 3), values = step.limber.curve(curves[kind.value], points, times);
            plane.line(times.map((t, k): Point => [t, values[k]!]), 'a');
            for (const k of [0, 2, 3]) plane.dot(points[k]!, 'quiet', 6);
        },
    });
    plane.handle({ label: 'Second key: time and height', get: () => points[1]!, step: 0.05, set: ([x, y]) => {
        points[1] = [clamp(x, 0.1, 1.9), clamp(y, 0, 10)];
        step.changed();
    } });
    step.controls(kind.element());
    step.state(() => `Second key: ${fixed(points[1]![1])} m at ${fixed(points[1]![0])} s. At 1.5 s the lift is ${fixed(at(1.5))} m up; its highest point is ${fixed(highest())} m.`);
}

export const keys: Chapter = {
    title: 'What animation is',
    lead: 'A function of time, given by a few keys: what happens between them, for numbers and for rotations.',
    here: { tab: 'Animate', text: 'A clip on your character is exactly this: for every joint a row of keys, mostly rotations, with slerp between them. Put a motion on and step through its frames with the arrow keys.' },
    steps: [
        { title: 'A function of time', build: stills },
        { title: 'Two keys and a line', build: twoKeys },
        { title: 'The way between', build: between },
        { title: 'Rotating is not adding', build: rotations },
        { title: 'Keys, rules, physics', build: threeWays },
        { title: 'A lift without jolts', build: question },
    ],
};
