import { h } from '../../base/dom';
import { range, type Actor } from '../kit/actor';
import { mix, rgb } from '../kit/color';
import type { Point } from '../kit/plane';
import { remember } from '../kit/remember';
import type { Chapter, Step } from '../kit/step';
import { degrees, display, fixed } from '../kit/words';
import type { Triple } from '../../reports';

/** Joints that a recording shows: enough for a body, without fingers. */
const shown = ['hips', 'spine', 'chest', 'neck', 'head', 'leftUpperArm', 'leftLowerArm', 'leftHand', 'rightUpperArm', 'rightLowerArm', 'rightHand',
    'leftUpperLeg', 'leftLowerLeg', 'leftFoot', 'leftToes', 'rightUpperLeg', 'rightLowerLeg', 'rightFoot', 'rightToes'];
const length = 1.0166;

/** Somebody who walks and was recorded. */
const walker = (step: Step): Promise<Uint8Array> => step.bodies.mover('walk');

/** A number between −1 and 1 that looks like chance and is the same every time. */
function chance(...seeds: number[]): number {
    const x = Math.sin(seeds.reduce((sum, seed, k) => sum + seed * (12.9898 + 65.233 * k), 1)) * 43758.5453;
    return 2 * (x - Math.floor(x)) - 1;
}

function distance(a: readonly number[], b: readonly number[]): number {
    return Math.hypot(a[0]! - b[0]!, a[1]! - b[1]!, a[2]! - b[2]!);
}

/** In degrees, between the bones that meet at a joint. */
function bendOf(a: readonly number[], joint: readonly number[], b: readonly number[]): number {
    const u = joint.map((x, k) => x - a[k]!), v = b.map((x, k) => x - joint[k]!);
    const dot = u.reduce((sum, x, k) => sum + x * v[k]!, 0);
    return degrees(Math.acos(Math.min(1, Math.max(-1, dot / (Math.hypot(...u) * Math.hypot(...v) || 1)))));
}

function points(step: Step): void {
    const noise = step.dial({ label: 'Noise', value: 1, min: 0, max: 6, step: 0.5, unit: ' cm' });
    const time = step.dial({ label: 'Time', value: 0.3, min: 0, max: 1, step: 0.01, unit: ' s' });
    const player = step.player();
    step.say`Cameras see somebody walk, and software says where each joint was, thirty times a second: *positions*, a cloud of points. They are never quite right; here by up to ${noise.inline()}.`;
    step.say`Points know nothing of bones. Measure the left forearm from point to point: ${step.live(() => `${fixed(100 * bone(), 1)} cm`)} now, something else in the next picture. Nobody's arm does that.`;
    let bone = (): number => 0;
    step.later('Recording a walk', walker(step), (bytes) => {
        const actor = step.open(bytes), joints = shown.map((name) => actor.joint(name));
        const frame = (t: number): number => Math.round(30 * t);
        const cloud = (t: number): Triple[] => {
            actor.sample(0, frame(t) / 30);
            return joints.map((joint, k) => actor.position(joint).map((x, axis) => x + (noise.value / 100) * chance(k, axis, frame(t))) as Triple);
        };
        const index = (name: string): number => shown.indexOf(name);
        bone = () => {
            const now = cloud(time.value);
            return distance(now[index('leftLowerArm')]!, now[index('leftHand')]!);
        };
        const spread = (): [number, number] => {
            const all = range(31).map((k) => {
                const now = cloud(k / 30);
                return distance(now[index('leftLowerArm')]!, now[index('leftHand')]!);
            });
            return [Math.min(...all), Math.max(...all)];
        };
        step.space({ label: 'A walk as a cloud of points', target: [0, 0.85, 0.5], distance: 4.2, yaw: 35, pitch: 8, aspect: 0.75, draw: (space) => {
            space.ground(1.5);
            for (let k = 0; k <= 30; k += 3) cloud(k / 30).forEach((point) => space.dot(point, 'skin', 1.2));
            const now = cloud(time.value);
            space.line([now[index('leftLowerArm')]!, now[index('leftHand')]!], 'b', 2);
            now.forEach((point) => space.dot(point, 'a', 5));
        } });
        step.controls(player.element, time.slider(), noise.slider());
        step.state(() => `Picture ${frame(time.value)}: the forearm is ${fixed(100 * bone(), 1)} cm long; over the whole walk from ${spread().map((x) => fixed(100 * x, 1)).join(' to ')} cm.`);
        step.tick((seconds) => {
            if (!player.playing) return;
            time.value = (time.value + seconds) % 1;
            step.changed();
        });
    });
}

function angles(step: Step): void {
    const time = step.dial({ label: 'Time', value: 0.75, min: 0, max: 1, step: 0.01, unit: ' s' });
    const player = step.player();
    step.say`So one asks for *angles*: the pose of a skeleton, with bones of a fixed length, whose joints come nearest to all points at once. That is inverse kinematics with many targets, picture after picture.`;
    step.say`For a knee a triangle is enough. Its three points give the bend, now ${step.live(() => `${fixed(knee(), 0)}°`)}. Over one cycle the curve is the walk: nearly straight when the heel strikes, most bent when the foot swings past the other leg.`;
    step.add(display('cos θ = u · v / (|u| |v|)'));
    let knee = (): number => 0;
    step.later('Recording a walk', walker(step), (bytes) => {
        const actor = step.open(bytes), [hip, mid, foot] = ['leftUpperLeg', 'leftLowerLeg', 'leftFoot'].map((name) => actor.joint(name)) as [number, number, number];
        const at = (t: number): number => {
            actor.sample(0, t);
            return bendOf(actor.position(hip), actor.position(mid), actor.position(foot));
        };
        const curve = range(51).map((k): Point => [k / 50, at((length * k) / 50)]);
        knee = () => at(time.value);
        step.first(() => actor.sample(0, time.value));
        step.space({ label: 'A leg from the side, and the angle at its knee', target: [0.05, 0.55, 0.5], distance: 3, yaw: 90, pitch: 4, aspect: 0.55, draw: (space) => {
            actor.sample(0, time.value);
            space.ground(1.5);
            space.surfaces({ positions: actor.skin(), indices: actor.indices, color: rgb('skin'), alpha: 0.4 });
            space.line([actor.position(hip), actor.position(mid), actor.position(foot)], 'b', 4);
            for (const joint of [hip, mid, foot]) space.dot(actor.position(joint), 'a', 6);
            space.label(actor.position(mid), `${fixed(knee(), 0)}°`, 'b', 12);
        } });
        step.plane({ label: 'The bend of the left knee over one cycle', x: [0, 1], y: [0, 80], aspect: 0.3, grid: [0.25, 20], draw: (plane) => {
            plane.line(curve, 'a');
            plane.dot([time.value / length, knee()], 'b', 6);
        } });
        step.controls(player.element, time.slider());
        step.state(() => `At ${time.text} s the left knee is bent by ${fixed(knee(), 0)}°; over the walk from ${fixed(Math.min(...curve.map(([, y]) => y)), 0)}° to ${fixed(Math.max(...curve.map(([, y]) => y)), 0)}°.`);
        step.tick((seconds) => {
            if (!player.playing) return;
            time.value = (time.value + seconds) % 1;
            step.changed();
        });
    });
}

/** The walk on somebody else: copied joint by joint, and as the library carries it over. */
interface Carried {
    source: Actor;
    copy: Actor;
    cured: Actor;
}

async function carry(step: Step): Promise<Uint8Array[]> {
    const [source, other] = await Promise.all([walker(step), step.bodies.person(11)]);
    const { bytes } = await step.bodies.command(['animate', 'other.glb', 'walk.glb'], new Map([['other.glb', other], ['walk.glb', source]]), 'carried.glb');
    return [source, other, bytes];
}

function withCarried(step: Step, then: (all: Carried) => void): void {
    step.later('Carrying a walk over to another person', carry(step), ([source, other, cured]) => then({ source: step.open(source!), copy: step.open(other!), cured: step.open(cured!) }));
}

/** Rotations as they are; the root's path times a factor. */
function copyPose({ source, copy }: Carried, time: number, factor: number): void {
    source.sample(0, time);
    copy.rest();
    const from = source.pose, to = copy.pose, hips = copy.joint('hips'), rest = to.slice(10 * hips, 10 * hips + 3);
    source.rest();
    const home = source.pose.slice(10 * source.joint('hips'), 10 * source.joint('hips') + 3);
    copy.names.forEach((name, joint) => {
        const twin = source.names.indexOf(name);
        if (twin >= 0) to.set(from.subarray(10 * twin + 3, 10 * twin + 7), 10 * joint + 3);
    });
    const own = source.joint('hips');
    for (let k = 0; k < 3; ++k) to[10 * hips + k] = rest[k]! + factor * (from[10 * own + k]! - home[k]!);
    copy.pose = to;
}

/** Where the ball of the left foot is, over the cycle. */
function footPath(actor: Actor, pose: (t: number) => void): { at: number; position: Triple }[] {
    const toes = actor.joint('leftToes');
    return range(62).map((k) => {
        pose(k / 60);
        return { at: k / 60, position: actor.position(toes) };
    });
}

/** How fast it goes over the ground at a moment, in cm/s. */
function slide(path: { position: Triple }[], frame: number): number {
    const a = path[Math.max(0, frame - 1)]!.position, b = path[Math.min(path.length - 1, frame + 1)]!.position;
    return 100 * 30 * Math.hypot(b[0] - a[0], b[2] - a[2]);
}

/** From where on the foot is on the ground, by its height. */
function planted(path: { position: Triple }[], frame: number): boolean {
    return path[frame]!.position[1] < Math.min(...path.map(({ position }) => position[1])) + 0.012;
}

function worst(path: { position: Triple }[]): number {
    return Math.max(...range(60).map((k) => (k > 0 && planted(path, k) && planted(path, k - 1) && planted(path, k + 1) ? slide(path, k) : 0)));
}

function another(step: Step): void {
    const factor = step.dial({ label: 'Way of the hips', value: 1.25, min: 0.6, max: 1.4, step: 0.01, unit: ' ×' });
    const time = step.dial({ label: 'Time', value: 0.3, min: 0, max: 1, step: 0.01, unit: ' s' });
    const player = step.player();
    step.say`Angles, unlike positions, fit *another* body: rotate each joint of the right person as the same joint of the left one is rotated. But the hips also travel, and how far depends on the legs. Here their path is taken times ${factor.inline()}.`;
    step.say`Too far, and the feet are dragged along; too short, and they skate backwards, like a moonwalk. The line is the path of the left foot's ball, in front and height: where it stands, the line should stop at a point.`;
    withCarried(step, (all) => {
        const pose = (t: number): void => copyPose(all, t, factor.value);
        const path = remember(() => factor.value, () => footPath(all.copy, pose));
        const side: Triple = [-0.45, 0, 0];
        const moved = (p: Float32Array, by: Triple): Float32Array => p.map((x, k) => x + by[k % 3]!);
        step.space({ label: 'The recorded person, and another with the same angles', target: [0, 0.85, 0.5], distance: 5, yaw: 62, pitch: 10, aspect: 0.75, draw: (space) => {
            pose(time.value);
            all.source.sample(0, time.value);
            space.ground(1.5);
            space.surfaces({ positions: moved(all.source.skin(), side), indices: all.source.indices, color: rgb('skin') },
                { positions: moved(all.copy.skin(), [0.45, 0, 0]), indices: all.copy.indices, color: mix(rgb('skin'), rgb('a'), 0.45) });
            space.line(path().map(({ position }) => [position[0] + 0.45, position[1], position[2]] as Triple), 'b', 2);
        } });
        step.controls(player.element, time.slider(), factor.slider());
        step.state(() => `The planted foot slides up to ${fixed(worst(path()), 0)} cm/s with the hips' path times ${factor.text}.`);
        step.tick((seconds) => {
            if (!player.playing) return;
            time.value = (time.value + seconds) % 1;
            step.changed();
        });
    });
}

function cure(step: Step): void {
    const locked = step.toggle('Lock the feet', true);
    const factor = step.dial({ label: 'Way of the hips', value: 1.25, min: 0.6, max: 1.4, step: 0.01, unit: ' ×' });
    step.say`The cure in three moves: find *when* a foot stands, by its height and speed; choose *where*, one point for as long as it stands; and bend the leg there by two-bone IK, with a soft path in and out.`;
    step.say`The plot shows how fast the left foot's ball goes over the ground while it is low. Copied, with the path of the hips times ${factor.inline()}, it slides; carried over by the library, it stands.`;
    const table = h('p', {});
    step.add(table);
    withCarried(step, (all) => {
        const copied = remember(() => factor.value, () => footPath(all.copy, (t) => copyPose(all, t, factor.value)));
        const cured = footPath(all.cured, (t) => all.cured.sample(0, t));
        step.always(() => (table.textContent = `Fastest slide while planted: ${fixed(worst(copied()), 1)} cm/s copied, ${fixed(worst(cured), 1)} cm/s locked.`));
        const path = (): typeof cured => (locked.value ? cured : copied());
        step.plane({ label: 'Speed of the left foot over the ground, and its height', x: [0, 1], y: [0, 100], aspect: 0.5, grid: [0.25, 20], draw: (plane) => {
            range(60).forEach((k) => planted(path(), k) && plane.area([[k / 60, 0], [(k + 1) / 60, 0], [(k + 1) / 60, 100], [k / 60, 100]], 'c'));
            plane.line(range(60).map((k): Point => [k / 60, Math.min(100, slide(path(), k))]), 'b');
            plane.line(range(60).map((k): Point => [k / 60, 100 * path()[k]!.position[1]]), 'a');
            plane.label([0.02, 90], 'cm/s over the ground', { color: 'b' });
            plane.label([0.02, 82], 'cm above it', { color: 'a' });
            plane.label([0.02, 74], 'planted', { color: 'c' });
        } });
        step.controls(locked.element(), factor.slider());
        step.state(() => `${locked.value ? 'Locked' : 'Copied'}: while planted the foot slides ${fixed(worst(path()), 1)} cm/s at most.`);
    });
}

function question(step: Step): void {
    const time = step.dial({ label: 'Time', value: 0, min: 0, max: 1, step: 0.01, unit: ' s' });
    const factor = step.dial({ label: 'Way of the hips', value: 0.75, min: 0.6, max: 1.4, step: 0.01, unit: ' ×' });
    const task = step.ask`No locks here: choose the path of the hips so that the planted left foot slides least, below 20 cm/s. Then stop the clock at a moment when it is planted.`;
    withCarried(step, (all) => {
        const pose = (t: number): void => copyPose(all, t, factor.value);
        const path = remember(() => factor.value, () => footPath(all.copy, pose));
        const frame = (): number => Math.round(60 * time.value);
        task.check(() => ({ done: worst(path()) < 20 && time.value > 0 && planted(path(), frame()), said: `The foot slides up to ${fixed(worst(path()), 0)} cm/s${planted(path(), frame()) ? ', and is planted now' : ', and is in the air now'}.` }),
            'The right factor is the ratio of the leg lengths, which is where every retargeter begins. What it leaves, a few centimetres a second, is for the locks.');
        step.space({ label: 'Another person with the recorded angles', target: [0, 0.8, 0.5], distance: 4.4, yaw: 80, pitch: 6, aspect: 0.75, draw: (space) => {
            pose(time.value);
            space.ground(1.5);
            space.surfaces({ positions: all.copy.skin(), indices: all.copy.indices, color: rgb('skin') });
            space.line(path().map(({ position }) => position), 'b', 2);
            space.dot(path()[frame()]!.position, planted(path(), frame()) ? 'good' : 'b', 6);
        } });
        step.controls(time.slider(), factor.slider());
        step.state(() => `At ${time.text} s the foot is ${fixed(100 * path()[frame()]!.position[1], 1)} cm up and goes ${fixed(slide(path(), frame()), 0)} cm/s; planted it slides up to ${fixed(worst(path()), 0)} cm/s.`);
    });
}

export const capture: Chapter = {
    title: 'Motion capture',
    lead: 'From points to angles, from one body to another, and what to do about feet that slide.',
    here: { tab: 'Animate', text: 'Drop a recording on your character: BVH, C3D, TRC, a clip in any file. The report tells how much its feet slid before and slide now, and the bars below the timeline when each one stands.' },
    steps: [
        { title: 'A cloud of points', build: points },
        { title: 'From points to angles', build: angles },
        { title: 'On another body', build: another },
        { title: 'Feet that stand', build: cure },
        { title: 'The right stride', build: question },
    ],
};
