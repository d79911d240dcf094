import { range, type Actor } from '../kit/actor';
import { rgb } from '../kit/color';
import { withPerson } from '../kit/person';
import type { Point } from '../kit/plane';
import { remember } from '../kit/remember';
import type { Chapter, Step } from '../kit/step';
import { display, fixed, radians } from '../kit/words';
import type { Triple } from '../../reports';

function gait(step: Step): void {
    const dials = [['Speed', 1.3, 0.6, 2, 0.05, ' m/s'], ['Lift of the feet', 1, 0.3, 3, 0.1, ' ×'], ['Width', 1, 0.3, 3, 0.1, ' ×'], ['Bounce', 1, 0.2, 3, 0.1, ' ×'], ['Arm swing', 1, 0.2, 2.5, 0.1, ' ×'], ['Crouch', 0, 0, 0.3, 0.02, '']]
        .map(([label, value, min, max, by, unit]) => step.dial({ label: label as string, value: value as number, min: min as number, max: max as number, step: by as number, unit: unit as string }));
    const player = step.player();
    const phase = step.dial({ label: 'Phase', value: 0.2, min: 0, max: 1, step: 0.01 });
    let period = 1;
    step.say`A walk can be *written* in place of recorded: feet go along curves, one half a cycle after the other; the pelvis rises and sways; arms swing against the legs; and inverse kinematics bends what lies between. A few numbers steer it all.`;
    step.add(display('foot(φ), φ = t / T;   the other foot: φ + ½'));
    step.say`At ${dials[0]!.inline()} a cycle takes ${step.live(() => `${fixed(period)} s`)}: faster walkers take longer *and* quicker steps, by a law that holds from mice to elephants. Make it sneak: crouch ${dials[5]!.inline()}, lift ${dials[1]!.inline()}.`;
    withPerson(step, (actor) => {
        let made = '';
        step.first(() => {
            const text = dials.map((one) => one.text).join();
            if (text !== made) period = step.limber.need('limber_lesson_gait_begin', actor.handle, Float32Array.from(dials.map((one) => one.value)));
            made = text;
            step.limber.need('limber_lesson_gait_pose', actor.handle, phase.value * period);
        });
        const paths = remember(() => made, (): Triple[][] => ['leftFoot', 'rightFoot'].map((name) => range(41).map((k) => {
            step.limber.need('limber_lesson_gait_pose', actor.handle, (period * k) / 40);
            return actor.position(actor.joint(name));
        })));
        step.space({ label: 'A person who walks as the sliders say', target: [0, 0.84, 0], distance: 4.2, yaw: 60, pitch: 8, aspect: 0.75, draw: (space) => {
            const lines = paths();
            step.limber.need('limber_lesson_gait_pose', actor.handle, phase.value * period);
            space.ground(1.2, { at: [0, 0, 0], radius: 0.5 });
            space.surfaces({ positions: actor.skin(), indices: actor.indices, color: rgb('skin') });
            lines.forEach((line, k) => space.line(line, k ? 'b' : 'a', 2));
        } });
        step.controls(player.element, phase.slider(), ...dials.map((one) => one.slider()));
        step.state(() => `${dials[0]!.text} m/s: ${fixed(period)} s a cycle, a stride of ${fixed(dials[0]!.value * period)} m. The left foot is ${fixed(100 * actor.position(actor.joint('leftFoot'))[1], 0)} cm up.`);
        step.tick((seconds) => {
            if (!player.playing) return;
            phase.value = (phase.value + seconds / period) % 1;
            step.changed();
        });
    });
}

function spring(step: Step): void {
    const hz = step.dial({ label: 'Frequency', value: 1.5, min: 0.3, max: 4, step: 0.1, unit: ' Hz' });
    const damping = step.dial({ label: 'Damping', value: 0.25, min: 0.02, max: 2, step: 0.02 });
    // x'' = −2 ζ ω x' − ω² (x − 1), from 0 at rest.
    const response = (): Point[] => {
        const w = 2 * Math.PI * hz.value, dt = 1 / 1000;
        let x = 0, v = 0;
        return range(301).map((k): Point => {
            const point: Point = [k / 100, x];
            for (let n = 0; n < 10; ++n) {
                v += dt * (-2 * damping.value * w * v - w * w * (x - 1));
                x += dt * v;
            }
            return point;
        });
    };
    const over = (): number => Math.max(0, ...response().map(([, x]) => x - 1));
    step.say`The smallest piece of physics is a *spring with a damper*. Pull it, and a force brings it back, the stronger the farther it is; the damper takes speed away.`;
    step.add(display('m x″ = − k (x − goal) − c x′'));
    step.say`At ${hz.inline()} with a damping of ${damping.inline()} it overshoots by ${step.live(() => `${fixed(100 * over(), 0)} %`)}. At 1, *critical*, it comes as fast as it can without. Cameras and gazes like 1; hair and antennas 0.2.`;
    step.plane({ label: 'Where the spring is after its goal jumped from 0 to 1', x: [0, 3], y: [0, 2], aspect: 0.55, grid: [0.5, 0.5], draw: (plane) => {
        plane.line([[0, 1], [3, 1]], 'quiet dashed');
        plane.line(response(), 'a');
        plane.label([3, 1.06], 'goal', { end: true, dy: -2, color: 'quiet' });
    } });
    step.controls(hz.slider(), damping.slider());
    step.state(() => `${hz.text} Hz, damping ${damping.text}: it overshoots by ${fixed(100 * over(), 0)} % and is at ${fixed(response()[100]![1])} after a second.`);
}

function chain(step: Step): void {
    const shake = step.dial({ label: 'Body to the side', value: 0, min: -0.5, max: 0.5, step: 0.01, unit: ' m' });
    const player = step.player('Swing', true);
    step.say`Hair, tails, ears, skirts: chains of joints, each a spring that wants back to the pose, with a little gravity. Here the *arms* are such chains, as if their bones had gone. Move the body by ${shake.inline()} and watch them follow late.`;
    step.say`Nothing is solved: each tip flies on where it was going, is pulled to the pose, and is put back to the length of its bone. Sixty times a second, for a hundred strands, on a phone.`;
    withPerson(step, (actor) => {
        const arms = ['leftUpperArm', 'rightUpperArm'].map((name) => actor.joint(name)), hips = actor.joint('hips');
        for (const joint of arms) step.limber.need('limber_springs_add', actor.handle, joint);
        let moved = 0, angle = 0;
        const go = (seconds: number): void => {
            moved += (shake.value - moved) * Math.min(1, 12 * seconds);
            actor.rest();
            const pose = actor.pose;
            pose[10 * hips]! += moved;
            actor.pose = pose;
            step.limber.need('limber_springs_step', actor.handle, seconds);
            const hand = actor.position(actor.joint('leftHand')), shoulder = actor.position(arms[0]!);
            angle = Math.atan2(hand[2] - shoulder[2], 1) + Math.atan2(hand[1] - shoulder[1], hand[0] - shoulder[0]);
        };
        go(1 / 60);
        step.space({ label: 'A person with arms like ropes', target: [0, 1, 0], distance: 4.6, yaw: 10, pitch: 8, aspect: 0.7, draw: (space) => {
            space.ground(1.2, { at: [moved, 0, 0], radius: 0.5 });
            space.surfaces({ positions: actor.vertices(step.limber.call('limber_skin', actor.handle, 0)), indices: actor.indices, color: rgb('skin') });
        } });
        step.controls(player.element, shake.slider(), step.button('Half a second on', () => range(30).forEach(() => go(1 / 60))));
        step.state(() => `The body is ${fixed(100 * moved, 0)} cm to the side; the left arm hangs ${fixed((-angle * 180) / Math.PI, 0)}° below level.`);
        step.tick((seconds) => {
            if (!player.playing) return;
            go(seconds);
            step.changed();
        });
    });
}

/** Somebody who falls when let go. */
class Fall {
    seconds = 0;
    energy = 0;
    running = false;
    readonly hips: number;
    readonly head: number;

    constructor(private readonly step: Step, readonly actor: Actor) {
        this.hips = actor.joint('hips');
        this.head = actor.joint('head');
        this.stand();
    }

    stand(): void {
        const { actor } = this;
        actor.rest();
        for (const [name, sign] of [['leftUpperArm', -1], ['rightUpperArm', 1]] as const) actor.rotateInScene(actor.joint(name), [0, 0, 1], radians(60 * sign));
        this.running = false;
        this.seconds = this.energy = 0;
    }

    begin(hz: number, push: Triple): void {
        this.stand();
        if (this.step.limber.call('limber_lesson_fall_begin', this.actor.handle, hz) < 0) this.step.limber.complain();
        this.step.limber.need('limber_lesson_fall_push', this.actor.handle, this.actor.joint('chest'), ...push);
        this.running = true;
    }

    go(seconds: number): void {
        if (!this.running || seconds <= 0) return;
        this.energy = this.step.limber.call('limber_lesson_fall_step', this.actor.handle, Math.min(1 / 30, seconds));
        this.seconds += Math.min(1 / 30, seconds);
    }

    /** Fast, for those who do not want to watch. */
    finish(): void {
        for (let k = 0; k < 240 && (k < 30 || this.energy > 0.5); ++k) this.go(1 / 60);
    }

    get height(): number {
        return this.actor.position(this.hips)[1];
    }

    get ahead(): number {
        return this.actor.position(this.head)[2] - this.actor.position(this.hips)[2];
    }
}

function scene(step: Step, fall: Fall): void {
    step.space({ label: 'A person who falls', target: [0, 0.7, 0], distance: 5, yaw: 55, pitch: 14, aspect: 0.72, draw: (space) => {
        const [x, , z] = fall.actor.position(fall.hips);
        space.ground(1.8, { at: [x, 0, z], radius: 0.6 });
        space.surfaces({ positions: fall.actor.skin(), indices: fall.actor.indices, color: rgb('skin') });
    } });
}

function ragdoll(step: Step): void {
    const push = step.dial({ label: 'Push', value: 40, min: -150, max: 150, step: 5, unit: ' N s' });
    const muscle = step.dial({ label: 'Muscles', value: 0, min: 0, max: 6, step: 0.5, unit: ' Hz' });
    step.say`A *ragdoll* gives every bone a rigid body, a capsule with a mass, and ties them together at joints with a human's limits. Then there is no animation any more, only $F = m a$, contact and friction.`;
    step.say`Let go with a push of ${push.inline()} to the chest. With ${muscle.inline()} of muscles each joint tries to keep its pose, like somebody who is awake: stiffly, and still falling, for nobody balances.`;
    withPerson(step, (actor) => {
        const fall = new Fall(step, actor);
        scene(step, fall);
        step.controls(step.button('Let it fall', () => fall.begin(muscle.value, [0, 0, push.value]), true), step.button('To the end', () => fall.finish()), step.button('Stand up', () => fall.stand()), push.slider(), muscle.slider());
        step.state(() => `${fixed(fall.seconds, 1)} s after letting go: hips ${fixed(fall.height)} m up, ${fixed(fall.energy, 1)} J of motion.`);
        step.tick((seconds) => {
            if (!fall.running || (fall.seconds > 1 && fall.energy < 0.05)) return;
            fall.go(seconds);
            step.changed();
        });
    });
}

function question(step: Step): void {
    const push = step.dial({ label: 'Push', value: 0, min: -150, max: 150, step: 5, unit: ' N s' });
    const muscle = step.dial({ label: 'Muscles', value: 6, min: 0, max: 6, step: 0.5, unit: ' Hz' });
    const task = step.ask`Make it fall on its *face*: lying, hips below 30 cm, the head at least 35 cm ahead of the hips, and at rest. One push, and the right muscles.`;
    withPerson(step, (actor) => {
        const fall = new Fall(step, actor);
        const lies = (): boolean => fall.height < 0.3 && fall.seconds > 0.5, rests = (): boolean => fall.energy < 2;
        task.check(() => ({ done: lies() && rests() && fall.ahead > 0.35, said: `Hips ${fixed(100 * fall.height, 0)} cm up, the head ${fixed(100 * fall.ahead, 0)} cm ahead${lies() && !rests() ? ', still moving' : ''}.` }),
            'You directed physics, by trying. That is its trouble: it is always plausible and never quite what you wanted. Games let go only when nobody minds how it ends, and blend back to a clip that gets up.');
        scene(step, fall);
        step.controls(step.button('Let it fall', () => fall.begin(muscle.value, [0, 0, push.value]), true), step.button('To the end', () => fall.finish()), push.slider(), muscle.slider());
        step.state(() => `Push ${push.text} N s, muscles ${muscle.text} Hz. Hips ${fixed(fall.height)} m up, head ${fixed(fall.ahead)} m ahead of them, ${fixed(fall.energy, 1)} J.`);
        step.tick((seconds) => {
            if (!fall.running || (fall.seconds > 1 && fall.energy < 0.05)) return;
            fall.go(seconds);
            step.changed();
        });
    });
}

export const physics: Chapter = {
    title: 'Rules and physics',
    lead: 'A walk from six sliders, springs that lag behind, and a body that is let go.',
    here: { tab: 'Animate', text: 'The made motions are rules like this one: their sliders change tempo, stride and energy on your own character. `limber simulate` lets it fall or swing.' },
    steps: [
        { title: 'A walk that was written', build: gait },
        { title: 'A spring', build: spring },
        { title: 'Chains of springs', build: chain },
        { title: 'Let it fall', build: ragdoll },
        { title: 'On its face', build: question },
    ],
};
