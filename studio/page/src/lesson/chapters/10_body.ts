import { h } from '../../base/dom';
import { range, type Actor } from '../kit/actor';
import { mix, rgb } from '../kit/color';
import type { Dial } from '../kit/dial';
import { MatrixTable, product } from '../kit/matrix';
import { withActor, withPerson } from '../kit/person';
import type { Chapter, Step } from '../kit/step';
import { display, fixed, radians } from '../kit/words';
import type { Triple } from '../../reports';

const shapes = ['Height', 'Girth', 'Legs', 'Arms', 'Shoulders'];

function shapeDials(step: Step, values: number[]): Dial[] {
    return shapes.map((label, k) => step.dial({ label, value: values[k]!, min: -4, max: 4, step: 0.1 }));
}

/** A person as a body model; the module keeps one at a time, so it is made anew where another scene made its own. */
class Body {
    private static owner: Body | null = null;

    constructor(private readonly step: Step, readonly actor: Actor) {}

    private own(): void {
        if (Body.owner === this) return;
        const pose = this.actor.pose;
        this.step.limber.need('limber_lesson_body_begin', this.actor.handle);
        this.actor.pose = pose;
        Body.owner = this;
    }

    skin(dials: readonly Dial[], correctives = true): Float32Array {
        this.own();
        return this.actor.vertices(this.step.limber.call('limber_lesson_body_skin', this.actor.handle, Float32Array.from(dials.map((one) => one.value)), correctives ? 1 : 0));
    }

    /** Where the model's joints were then. */
    joints(count: number): Triple[] {
        const at = this.step.limber.floats(this.step.limber.call('limber_lesson_body_joints', this.actor.handle), 3 * count);
        return range(count).map((k) => [at[3 * k]!, at[3 * k + 1]!, at[3 * k + 2]!]);
    }
}

function withBody(step: Step, then: (body: Body) => void): void {
    withPerson(step, (actor) => then(new Body(step, actor)));
}

function extent(p: Float32Array, axis: number): number {
    let low = Infinity, high = -Infinity;
    for (let k = axis; k < p.length; k += 3) [low, high] = [Math.min(low, p[k]!), Math.max(high, p[k]!)];
    return high - low;
}

const camera = { target: [0, 0.88, 0] as Triple, distance: 4.8, yaw: 18, pitch: 6, aspect: 0.8 };

function directions(step: Step): void {
    const dials = shapeDials(step, [0, 1.5, 0, 0, 0]);
    step.say`All people have two eyes and ten fingers, and every mesh of a person may have the *same vertices*. Then bodies can be added and averaged. A *body model* such as SMPL is a mean body and directions in which bodies differ:`;
    step.add(display('v(β) = v̄ + Σ_k β_k S_k'));
    step.say`$S_k$ is a displacement for every vertex, $β_k$ how much of it: ${dials[1]!.inline()} of girth, ${dials[2]!.inline()} of legs. SMPL learned its directions from thousands of scans, and they have no names. Ours are made by rule, one of height, one of girth, and so on, so that you see
        what a direction *is*: colour shows how far each vertex went.`;
    withBody(step, (body) => {
        const rest = body.actor.restSkin;
        const size = (p: Float32Array, v: number): number => Math.hypot(p[3 * v]! - rest[3 * v]!, p[3 * v + 1]! - rest[3 * v + 1]!, p[3 * v + 2]! - rest[3 * v + 2]!);
        step.space({ ...camera, label: 'A body with a shape', draw: (space) => {
            const p = body.skin(dials), [cold, hot] = [rgb('skin'), rgb('b')];
            space.ground(1.2, { at: [0, 0, 0], radius: 0.5 });
            space.surfaces({ positions: p, indices: body.actor.indices, colors: Float32Array.from(range(body.actor.vertexCount).flatMap((v) => mix(cold, hot, Math.min(1, size(p, v) / 0.1)))) });
        } });
        step.controls(...dials.map((one) => one.slider()));
        step.state(() => `${fixed(extent(body.skin(dials), 1))} m tall, arms span ${fixed(extent(body.skin(dials), 0))} m. β = (${dials.map((one) => one.text).join(', ')}).`);
    });
}

function joints(step: Step): void {
    const dials = shapeDials(step, [0, 0, 3, 2, 0]);
    step.say`Longer legs need their knees lower down. So the joints are not stored, they are *computed from the skin*: each is a weighted mean of vertices around it, by weights that were found once.`;
    step.add(display('J(β) = R v(β)'));
    const count = h('p', {});
    step.add(count);
    step.say`Set legs to ${dials[2]!.inline()} and arms to ${dials[3]!.inline()}: the skeleton stays in the middle of its limbs, though nobody told it how.`;
    withBody(step, (body) => {
        const many = body.actor.names.length - 1, knee = (): Triple => body.joints(many)[body.actor.joint('leftLowerLeg') - 1]!;
        body.skin(dials);
        count.textContent = `All ${many} joints here are such means; the left knee is the mean of vertices of the thigh and the shin.`;
        step.space({ ...camera, label: 'A body with its joints', draw: (space) => {
            space.surfaces({ positions: body.skin(dials), indices: body.actor.indices, color: rgb('skin'), alpha: 0.5 });
            body.joints(many).forEach((position, k) => {
                const parent = body.actor.parents[k + 1]!;
                if (parent > 0) space.line([body.joints(many)[parent - 1]!, position], 'bone', 2);
                space.dot(position, 'b', 3);
            });
        } });
        step.controls(...dials.map((one) => one.slider()));
        step.state(() => `${fixed(extent(body.skin(dials), 1))} m tall; the left knee is ${fixed(knee()[1])} m up, the left hand ${fixed(body.joints(many)[body.actor.joint('leftHand') - 1]![0])} m to the side.`);
    });
}

function correctives(step: Step): void {
    const bend = step.dial({ label: 'Elbow', value: 115, min: 0, max: 140, step: 1, unit: '°' });
    const on = step.toggle('With correctives', true);
    const none = shapes.map((label) => step.dial({ label, value: 0, min: -1, max: 1, step: 1 }));
    step.say`Linear skinning collapses the elbow. A body model mends that with *pose correctives*: more directions, and how much of each is read from the rotation matrix of the joint, less the identity. At rest that is zero, so they are off.`;
    const features = new MatrixTable(3, 3, { name: 'R − I of the left elbow' });
    step.add(display('p(θ) = Σ_n (R(θ) − I)_n P_n'), product(features));
    step.say`Bent by ${bend.inline()}: nine numbers, times nine displacements for every vertex. They were fitted here, in your browser, a moment ago, to two bends of each elbow and knee skinned by centres of rotation; a hinge changes its nine numbers in two independent ways only, so two bends are all that can be met. Turn them off and on and watch the inside of the elbow.`;
    withBody(step, (body) => {
        const { actor } = body;
        const inside = (): number => {
            const [a, b] = [body.skin(none, false), body.skin(none, true)];
            return Math.max(...range(actor.vertexCount).map((v) => Math.hypot(a[3 * v]! - b[3 * v]!, a[3 * v + 1]! - b[3 * v + 1]!, a[3 * v + 2]! - b[3 * v + 2]!)));
        };
        step.first(() => {
            actor.rest();
            actor.rotateInScene(actor.joint('leftLowerArm'), [0, -1, 0], radians(bend.value));
            const [c, s] = [Math.cos(radians(bend.value)), Math.sin(radians(bend.value))];
            features.show([[c - 1, 0, -s], [0, 0, 0], [s, 0, c - 1]]);
        });
        step.space({ label: 'The elbow of the body model', target: [0.42, 1.36, 0.1], distance: 1.3, yaw: 35, pitch: 40, aspect: 0.75,
            draw: (space) => space.surfaces({ positions: body.skin(none, on.value), indices: actor.indices, color: rgb('skin') }) });
        step.controls(on.element(), bend.slider());
        step.state(() => `Bent by ${bend.text}°, ${on.value ? 'with' : 'without'} correctives, which move the skin by up to ${fixed(1000 * inside(), 0)} mm before it is skinned.`);
    });
}

function whole(step: Step): void {
    const dials = shapeDials(step, [1, 2, -1, 0, 1]);
    const time = step.dial({ label: 'Time', value: 0.25, min: 0, max: 1, step: 0.01, unit: ' s' });
    const player = step.player();
    step.say`All of it in one line: shape the mean body, add what the pose asks for, find the joints, skin.`;
    step.add(display('M(β, θ) = LBS( v̄ + B_S(β) + B_P(θ),  J(β),  θ,  W )'));
    step.say`Twenty numbers for a body and three a joint for its pose describe everybody who ever lived, nearly. Computers that look at photographs search for just these numbers. Here, somebody with ${dials[1]!.inline()} of girth walks.`;
    withActor(step, 'Putting a walk on a person', step.bodies.mover('--in-place', 'walk', 'run', 'idle', 'wave'), (actor) => {
        const body = new Body(step, actor);
        body.skin(dials);
        step.first(() => actor.sample(actor.clip('walk'), time.value));
        step.space({ ...camera, yaw: 55, label: 'A shaped body that walks', draw: (space) => {
            const p = body.skin(dials);
            space.ground(1.2, { at: [0, 0, 0], radius: 0.5 });
            space.surfaces({ positions: p, indices: actor.indices, color: rgb('skin') });
        } });
        step.controls(player.element, time.slider(), ...dials.map((one) => one.slider()));
        step.state(() => `At ${time.text} s of the walk, β = (${dials.map((one) => one.text).join(', ')}).`);
        step.tick((seconds) => {
            if (!player.playing) return;
            time.value = (time.value + seconds) % 1;
            step.changed();
        });
    });
}

function question(step: Step): void {
    const dials = shapeDials(step, [0, 0, 0, 0, 0]);
    const task = step.ask`A passport says: 1.85 m tall. A tailor says: the arms span 1.75 m. Find a body with both, within a centimetre.`;
    withBody(step, (body) => {
        const tall = (): number => extent(body.skin(dials), 1), span = (): number => extent(body.skin(dials), 0);
        task.check(() => ({ done: Math.abs(tall() - 1.85) < 0.01 && Math.abs(span() - 1.75) < 0.01, said: `${fixed(tall(), 3)} m tall, ${fixed(span(), 3)} m from fingertip to fingertip.` }),
            'There are many answers: two measures, five numbers. Fitting a body to a scan is the same with thousands of measures, by least squares, and a pull toward β = 0, because usual bodies are likelier.');
        step.space({ ...camera, yaw: 0, label: 'The body that you make', draw: (space) => {
            space.ground(1.2, { at: [0, 0, 0], radius: 0.5 });
            space.surfaces({ positions: body.skin(dials), indices: body.actor.indices, color: rgb('skin') });
            space.line([[-1.1, 1.85, 0], [1.1, 1.85, 0]], 'good', 1.5, [5, 5]);
            for (const x of [-0.875, 0.875]) space.line([[x, 1.1, 0], [x, 1.6, 0]], 'good', 1.5, [5, 5]);
        } });
        step.controls(...dials.map((one) => one.slider()));
        step.state(() => `${fixed(tall(), 3)} m tall, span ${fixed(span(), 3)} m. β = (${dials.map((one) => one.text).join(', ')}).`);
    });
}

export const bodyModel: Chapter = {
    title: 'A body with a shape',
    lead: 'Height and girth as directions, joints that follow, correctives that the pose turns on: how SMPL works.',
    here: { tab: 'Body', text: 'Morph targets of your character are directions too. `limber learn --body` learns a body model from scans, `limber fit --body` finds its shape and pose in a scan, and `limber bake` shows it in any.' },
    steps: [
        { title: 'A mean and directions', build: directions },
        { title: 'Joints that follow the shape', build: joints },
        { title: 'What the pose adds', build: correctives },
        { title: 'The whole model', build: whole },
        { title: 'Passport and tailor', build: question },
    ],
};
