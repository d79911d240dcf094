import { range, type Actor } from '../kit/actor';
import { rgb } from '../kit/color';
import { withActor } from '../kit/person';
import type { Point } from '../kit/plane';
import { remember } from '../kit/remember';
import type { Chapter, Step } from '../kit/step';
import { display, fixed } from '../kit/words';
import type { Triple } from '../../reports';

const motions = ['walk', 'run', 'idle', 'wave'] as const;

function withMover(step: Step, then: (actor: Actor) => void): void {
    withActor(step, 'Putting motions on a person', step.bodies.mover('--in-place', ...motions), then);
}

const view = { target: [0, 0.86, 0] as Triple, distance: 4.3, yaw: 55, pitch: 8, aspect: 0.78 };

function show(step: Step, actor: Actor, label: string): void {
    step.space({ ...view, label, draw: (space) => {
        space.ground(1.2, { at: [0, 0, 0], radius: 0.5 });
        space.surfaces({ positions: actor.skin(), indices: actor.indices, color: rgb('skin') });
    } });
}

/** How long a blend of two cycles that keep step takes: the mean of their lengths. */
const mixed = (a: number, b: number, weight: number): number => a + (b - a) * weight;

function ticks(step: Step): void {
    const total = step.dial({ label: 'Length in ticks', value: 100, min: 25, max: 250, step: 5 });
    const rate = step.dial({ label: 'Ticks a second', value: 25, min: 10, max: 60, step: 1 });
    const mode = step.choice<'once' | 'loop' | 'bounce'>('At the end', [['once', 'Stop'], ['loop', 'Loop'], ['bounce', 'There and back']], 'loop');
    const player = step.player();
    let clock = 5;
    const length = (): number => total.value / rate.value;
    const inClip = (t: number): number => {
        const turns = t / length(), part = turns - Math.floor(turns);
        if (mode.value === 'once') return Math.min(t, length());
        return mode.value === 'loop' ? part * length() : (Math.floor(turns) % 2 ? 1 - part : part) * length();
    };
    step.say`A clip's own time is counted in *ticks*, so that its keys can stay whole numbers. ${total.inline()} ticks at ${rate.inline()} a second last ${step.live(() => fixed(length()))} s, on every machine: a faster computer shows
        more pictures of the same four seconds, never a faster walk.`;
    step.add(display('tick = seconds · ticks a second'), display(step.live(() => `${fixed(inClip(clock))} s · ${rate.text} = tick ${fixed(inClip(clock) * rate.value, 1)}`)));
    step.say`The world's clock runs on and on. What happens at the end of the clip is a choice: stay, begin again, or turn back.`;
    step.plane({ label: 'The time in the clip over the time of the world', x: [0, 12], y: [0, 10], aspect: 0.55, grid: [2, 2],
        draw: (plane) => {
            const points = range(601).map((k): Point => [k / 50, inClip(k / 50)]);
            plane.line([[0, length()], [12, length()]], 'quiet dashed');
            let piece: Point[] = [];
            for (const point of points) {
                if (piece.length && Math.abs(point[1] - piece.at(-1)![1]) > length() / 2) {
                    plane.line(piece, 'a');
                    piece = [];
                }
                piece.push(point);
            }
            plane.line(piece, 'a');
            plane.dot([clock, inClip(clock)], 'b', 7);
            plane.label([12, Math.min(9.6, length())], 'length of the clip', { end: true, dy: -6, color: 'quiet' });
        } });
    step.controls(mode.element(), player.element, total.slider(), rate.slider());
    step.state(() => `World ${fixed(clock)} s, clip ${fixed(inClip(clock))} of ${fixed(length())} s, tick ${fixed(inClip(clock) * rate.value, 1)} of ${total.text}.`);
    step.tick((seconds) => {
        if (!player.playing) return;
        clock = (clock + seconds) % 12;
        step.changed();
    });
}

function loop(step: Step): void {
    const cut = step.dial({ label: 'End of the loop', value: 70, min: 40, max: 100, step: 1, unit: ' %' });
    const player = step.player();
    let clock = 0.3;
    step.say`A walk is one *cycle*, two steps, over and over. It loops without a seam only if its last pose is its first. Here it is cut at ${cut.inline()} of its length: at the seam the farthest joint jumps by
        ${step.live(() => `${fixed(100 * jump(), 1)} cm`)}.`;
    step.say`Drag the number until it does not jump. With recorded motion nothing fits by itself: one looks for two alike poses and bends the rest.`;
    let jump = (): number => 0;
    withMover(step, (actor) => {
        const walk = actor.clip('walk'), length = actor.clips[walk]!.duration;
        const at = (t: number): Float32Array => {
            actor.sample(walk, t);
            return actor.model;
        };
        jump = () => {
            const [a, b] = [at(0), at((length * cut.value) / 100)];
            return Math.max(...range(actor.names.length).map((k) => Math.hypot(...[12, 13, 14].map((n) => a[16 * k + n]! - b[16 * k + n]!))));
        };
        step.always(() => actor.sample(walk, clock));
        show(step, actor, 'A person who walks on the spot');
        step.controls(player.element, cut.slider());
        step.state(() => `The cycle lasts ${fixed(length)} s; cut at ${fixed((length * cut.value) / 100)} s, the pose jumps by ${fixed(100 * jump(), 1)} cm.`);
        step.tick((seconds) => {
            if (!player.playing) return;
            clock = (clock + seconds) % ((length * cut.value) / 100);
            actor.sample(walk, clock);
            step.changed();
        });
    });
}

function blend(step: Step): void {
    const weight = step.dial({ label: 'Weight of the run', value: 0.4, min: 0, max: 1, step: 0.01 });
    const sync = step.toggle('Keep step', true);
    const player = step.player();
    const phase = step.dial({ label: 'Phase', value: 0.25, min: 0, max: 1, step: 0.01 });
    let clock = 0;
    step.say`Two poses can be mixed joint by joint: rotations by a mean of quaternions, brought back to length 1. With ${weight.inline()} of a run in a walk, you get a jog that nobody made.`;
    step.add(display('pose = (1 − w) · walk(φ) + w · run(φ)'));
    step.say`Only if both are at the same *phase* φ of their step. Turn off Keep step: the clips run each at its own length, at times the left leg of one meets the right leg of the other, and the mean of two opposite legs is none.`;
    withMover(step, (actor) => {
        const [walk, run] = [actor.clip('walk'), actor.clip('run')], [a, b] = [actor.clips[walk]!.duration, actor.clips[run]!.duration];
        const times = (): [number, number] => (sync.value ? [phase.value * a, phase.value * b] : [clock % a, (clock + 0.5 * b) % b]);
        // Out of step the legs cancel each other: how far apart the feet are tells.
        const feet = (): number => Math.abs(actor.position(actor.joint('leftFoot'))[2] - actor.position(actor.joint('rightFoot'))[2]);
        step.first(() => void step.limber.need('limber_lesson_blend', actor.handle, walk, times()[0], run, times()[1], weight.value, 0));
        show(step, actor, 'A person between walk and run');
        step.controls(weight.slider(), sync.element(), player.element, phase.slider());
        step.state(() => `${fixed(100 * (1 - weight.value), 0)} % walk, ${fixed(100 * weight.value, 0)} % run${sync.value ? `, in step: a cycle takes ${fixed(mixed(a, b, weight.value))} s` : ', out of step'}. The feet are ${fixed(100 * feet(), 0)} cm apart.`);
        step.tick((seconds) => {
            if (!player.playing) return;
            clock += seconds;
            phase.value = (phase.value + seconds / mixed(a, b, weight.value)) % 1;
            step.changed();
        });
    });
}

function crossfade(step: Step): void {
    const length = step.dial({ label: 'Length of the fade', value: 0.4, min: 0, max: 1.5, step: 0.05, unit: ' s' });
    const time = step.dial({ label: 'Time', value: 1.1, min: 0, max: 3, step: 0.01, unit: ' s' });
    const player = step.player();
    const weight = (t = time.value): number => {
        const x = length.value > 0 ? Math.min(1, Math.max(0, (t - 1) / length.value)) : t >= 1 ? 1 : 0;
        return x * x * (3 - 2 * x);
    };
    step.say`To go from standing to walking, let one fade out while the other fades in. At 1 s the walk begins; after ${length.inline()} it is alone. The weight goes over in a soft curve, so nothing starts or stops at once.`;
    step.say`A fade of 0 pops. A long one is soft and late: the player pressed a key, and nothing seems to happen. Games take 0.1 to 0.3 s.`;
    withMover(step, (actor) => {
        const [idle, walk] = [actor.clip('idle'), actor.clip('walk')];
        const set = (t: number): void => void step.limber.need('limber_lesson_blend', actor.handle, idle, t, walk, Math.max(0, t - 1), weight(t), 0);
        /** The fastest that a hand moves, in m/s. */
        const fastest = remember(() => length.value, (): number => {
            const hand = actor.joint('leftHand');
            let last: Triple | null = null, most = 0;
            for (let t = 0.9; t <= 1.1 + length.value; t += 1 / 60) {
                set(t);
                const now = actor.position(hand);
                if (last) most = Math.max(most, 60 * Math.hypot(...now.map((x, k) => x - last![k]!)));
                last = now;
            }
            return most;
        });
        let speed = 0;
        step.first(() => {
            speed = fastest();
            set(time.value);
        });
        show(step, actor, 'A person who stands and then walks');
        step.plane({ label: 'The weights of standing and walking over time', x: [0, 3], y: [0, 1], aspect: 0.22, grid: [0.5, 0.5],
            draw: (plane) => {
                plane.line(range(151).map((k): Point => [k / 50, 1 - weight(k / 50)]), 'a');
                plane.line(range(151).map((k): Point => [k / 50, weight(k / 50)]), 'b');
                plane.line([[time.value, 0], [time.value, 1]], 'text');
            } });
        step.controls(player.element, time.slider(), length.slider());
        step.state(() => `At ${time.text} s: ${fixed(100 * (1 - weight()), 0)} % idle, ${fixed(100 * weight(), 0)} % walk. In the fade the left hand moves at most ${fixed(speed, 1)} m/s.`);
        step.tick((seconds) => {
            if (!player.playing) return;
            time.value = (time.value + seconds) % 3;
            step.changed();
        });
    });
}

function additive(step: Step): void {
    const weight = step.dial({ label: 'How much', value: 1, min: 0, max: 1, step: 0.05 });
    const kind = step.choice<'add' | 'mix'>('The wave is', [['add', 'Added'], ['mix', 'Mixed in']], 'add');
    const player = step.player();
    const time = step.dial({ label: 'Time', value: 1.5, min: 0, max: 3.6, step: 0.02, unit: ' s' });
    step.say`Wave while walking? *Mixing* the two gives half a walk. Take instead what the wave *differs by* from its own first pose, and put that on top of the walk: only joints that wave are changed.`;
    step.add(display('Δ = base^{−1} · wave ,    pose = walk · slerp(1, Δ, w)'));
    step.say`Breathing, aiming, leaning into a curve, a limp: most of what makes a character alive is added, by ${weight.inline()} of itself.`;
    withMover(step, (actor) => {
        const [walk, wave] = [actor.clip('walk'), actor.clip('wave')];
        const stride = (): number => Math.abs(actor.position(actor.joint('leftFoot'))[2] - actor.position(actor.joint('rightFoot'))[2]);
        step.first(() => void step.limber.need('limber_lesson_blend', actor.handle, walk, time.value, wave, time.value, kind.value === 'add' ? weight.value : weight.value / 2, kind.value === 'add' ? 1 : 0));
        show(step, actor, 'A person who waves while walking');
        step.controls(kind.element(), weight.slider(), player.element, time.slider());
        step.state(() => `At ${time.text} s the feet are ${fixed(100 * stride(), 0)} cm apart, the right hand is ${fixed(actor.position(actor.joint('rightHand'))[1])} m up.`);
        step.tick((seconds) => {
            if (!player.playing) return;
            time.value = (time.value + seconds) % 3.6;
            step.changed();
        });
    });
}

function question(step: Step): void {
    const weight = step.dial({ label: 'Weight of the run', value: 0, min: 0, max: 1, step: 0.01 });
    const sync = step.toggle('Keep step', false);
    const phase = step.dial({ label: 'Phase', value: 0.5, min: 0, max: 1, step: 0.01 });
    const player = step.player('Play', false);
    const task = step.ask`Music plays at 140 steps a minute: two steps must take 0.857 s. Blend walk and run so that a cycle takes that long, within 0.01 s, and the legs keep step.`;
    withMover(step, (actor) => {
        const [walk, run] = [actor.clip('walk'), actor.clip('run')], [a, b] = [actor.clips[walk]!.duration, actor.clips[run]!.duration];
        const length = (): number => mixed(a, b, weight.value), wanted = 120 / 140;
        task.check(() => ({ done: sync.value && Math.abs(length() - wanted) < 0.01, said: `A cycle takes ${fixed(length(), 3)} s${sync.value ? '' : ', and the legs do not keep step'}.` }),
            'A blend space does this all the time: from the speed that is wanted it finds the weights, from the weights the length of the cycle, and it plays all clips at one phase.');
        step.first(() => void step.limber.need('limber_lesson_blend', actor.handle, walk, phase.value * a, run, sync.value ? phase.value * b : (phase.value * a + 0.3) % b, weight.value, 0));
        show(step, actor, 'A person between walk and run');
        step.controls(weight.slider(), sync.element(), player.element, phase.slider());
        step.state(() => `Walk ${fixed(a, 3)} s, run ${fixed(b, 3)} s, blended ${fixed(length(), 3)} s a cycle; wanted ${fixed(wanted, 3)} s.`);
        step.tick((seconds) => {
            if (!player.playing) return;
            phase.value = (phase.value + seconds / length()) % 1;
            step.changed();
        });
    });
}

export const playing: Chapter = {
    title: 'Playing and blending',
    lead: 'Ticks, loops, two clips at once, fading from one into the other, and adding one on top.',
    here: { tab: 'Animate', text: 'Put several motions on your character: each becomes a clip that loops. `limber blend` and the player of the library mix them as here.' },
    steps: [
        { title: 'Ticks and clocks', build: ticks },
        { title: 'A loop without a seam', build: loop },
        { title: 'Two clips at once', build: blend },
        { title: 'Fading over', build: crossfade },
        { title: 'On top of it', build: additive },
        { title: 'In time with the music', build: question },
    ],
};
