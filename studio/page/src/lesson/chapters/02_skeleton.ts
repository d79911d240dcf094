import { h } from '../../base/dom';
import { poseArm } from '../kit/arm';
import { range } from '../kit/actor';
import { rgb } from '../kit/color';
import { solvers } from '../kit/limber';
import { hangsFrom, jointChoice, withPerson } from '../kit/person';
import type { Point } from '../kit/plane';
import type { Chapter, Step } from '../kit/step';
import { degrees, display, fixed, radians } from '../kit/words';

const apart = (a: Point, b: Point): number => Math.hypot(a[0] - b[0], a[1] - b[1]);

function tree(step: Step): void {
    const rotation = step.dial({ label: 'Rotate it by', value: 25, min: -60, max: 60, step: 1, unit: '°' });
    const chosen = jointChoice(step, 'Joint', 'leftUpperArm');
    step.say`Under the skin of a character lies a *skeleton*: joints, and bones between them. Each joint hangs from one other, its *parent*; one, the *root*, at the
        hips, hangs from nothing. That makes a tree.`;
    step.say`Choose a joint and rotate it by ${rotation.inline()}. All that hangs from it goes along, coloured here; nothing above it moves. Turn the hips, and everything does.`;
    const path = h('p', {});
    step.add(path);
    withPerson(step, (actor) => {
        const joint = (): number => actor.joint(chosen.value);
        step.first(() => {
            actor.rest();
            actor.rotateInScene(joint(), [0, 0, 1], radians(rotation.value));
        });
        step.always(() => {
            const names: string[] = [];
            for (let at = joint(); at >= 0; at = actor.parents[at]!) names.unshift(actor.names[at]!);
            path.textContent = `From the root to it: ${names.join(' → ')}.`;
        });
        step.space({
            label: 'A person; what hangs from the joint is coloured', target: [0, 0.88, 0], distance: 4.6, yaw: 18, aspect: 0.82,
            draw: (space) => {
                space.ground(1.2, { at: [0, 0, 0], radius: 0.5 });
                space.surfaces({ positions: actor.skin(), indices: actor.indices, color: rgb('skin'), alpha: 0.5 });
                const below = (k: number): boolean => hangsFrom(actor.parents, k, joint());
                space.bones(actor.model, actor.parents, 'bone', (k) => !below(k));
                space.bones(actor.model, actor.parents, 'b', below);
                space.dot(actor.position(joint()), 'b', 6);
            },
        });
        step.controls(chosen.element, rotation.slider());
        step.state(() => `${actor.names.length - 1} joints and a root above them. From the ${chosen.value} hang ${range(actor.names.length).filter((k) => hangsFrom(actor.parents, k, joint())).length - 1} others.`);
    });
}

function offset(step: Step): void {
    let elbow: Point = [0.5, 0.2];
    const angle = step.dial({ label: 'Angle', value: 30, min: -150, max: 150, step: 1, unit: '°' });
    const length = (): number => Math.hypot(...elbow);
    step.say`Two things say where a joint is. Its *offset*, from the parent and in the parent's own axes, is built in: it is the bone, ${step.live(() => fixed(length()))} m long
        here, and does not change when the character moves. Its *orientation* is what does change: ${angle.inline()} for the elbow.`;
    step.say`Drag the elbow, and you build another arm. Change the angle, and you move the arm that is there. Builders of characters do the first, animators the second.`;
    step.add(display('elbow: offset (', step.live(() => `${fixed(elbow[0])}, ${fixed(elbow[1])}`), '), angle ', step.live(() => `${angle.text}°`)));
    const plane = step.plane({
        label: 'A shoulder, an elbow at its offset, and the forearm at its angle', x: [-0.3, 1.2], y: [-0.5, 0.75], aspect: 0.7, grid: [0.2, 0.2], equal: true,
        draw: () => {
            const at = Math.atan2(elbow[1], elbow[0]) + radians(angle.value);
            const hand: Point = [elbow[0] + 0.4 * Math.cos(at), elbow[1] + 0.4 * Math.sin(at)];
            plane.bones([[0, 0], elbow, hand], 'a');
            plane.line([elbow, [elbow[0] * 1.4, elbow[1] * 1.4]], 'quiet dashed');
            plane.line(range(21).map((k): Point => {
                const on = at - radians(angle.value) * (1 - k / 20);
                return [elbow[0] + 0.16 * Math.cos(on), elbow[1] + 0.16 * Math.sin(on)];
            }), 'b');
            plane.label([0, 0], 'shoulder', { dy: 22, color: 'quiet', middle: true });
            plane.label(hand, 'hand', { dx: 8, color: 'quiet' });
        },
    });
    plane.handle({ label: 'Elbow: its offset from the shoulder', get: () => elbow, step: 0.02, digits: 2, set: (to) => {
        if (Math.hypot(...to) > 0.1) elbow = to;
        step.changed();
    } });
    step.controls(angle.slider());
    step.state(() => `The elbow's offset is (${fixed(elbow[0])}, ${fixed(elbow[1])}) m, so the upper arm is ${fixed(length())} m long; the forearm is rotated by ${angle.text}° against it.`);
}

function freedoms(step: Step): void {
    const dials = [
        ['Hips: to the side', -0.4, 0.4, 0, 0.01, ' m'], ['Hips: up', -0.3, 0.3, 0, 0.01, ' m'], ['Hips: ahead', -0.4, 0.4, 0, 0.01, ' m'],
        ['Shoulder: up and down', -80, 80, -35, 1, '°'], ['Shoulder: forth and back', -40, 90, 20, 1, '°'], ['Shoulder: twist', -80, 80, 0, 1, '°'],
        ['Elbow: bend', 0, 150, 50, 1, '°'],
    ].map(([label, min, max, value, by, unit]) => step.dial({ label: label as string, min: min as number, max: max as number, value: value as number, step: by as number, unit: unit as string }));
    step.say`How many numbers does a joint need? A *hinge*, such as an elbow, one: ${dials[6]!.inline()}. A *ball*, such as a shoulder, three: two to swing the arm to any side and one to
        twist it about itself. The root may also *move*: three more. These are its *degrees of freedom*.`;
    step.say`Seven of them are on sliders here. The whole person has ${step.live(() => `${count()}`)}, if every joint may rotate freely; a pose is that many numbers, and an animation that many curves.`;
    let joints = 53;
    const count = (): number => 3 * (joints - 1) + 3;
    withPerson(step, (actor) => {
        joints = actor.names.length;
        actor.rest();
        // The elbow's axis in its own frame: at rest, arms level, it is the vertical of the scene.
        const fore = actor.matrix(actor.joint('leftLowerArm')), hinge = [0, 1, 2].map((c) => -fore[4 * c + 1]!);
        step.first(() => {
            actor.rest();
            const pose = actor.pose, hips = actor.joint('hips');
            [0, 1, 2].forEach((k) => (pose[10 * hips + k]! += dials[k]!.value));
            actor.pose = pose;
            const arm = actor.joint('leftUpperArm');
            actor.rotateInScene(arm, [1, 0, 0], radians(dials[5]!.value));
            actor.rotateInScene(arm, [0, -1, 0], radians(dials[4]!.value));
            actor.rotateInScene(arm, [0, 0, 1], radians(dials[3]!.value));
            actor.rotate(actor.joint('leftLowerArm'), hinge, radians(dials[6]!.value));
        });
        step.space({
            label: 'A person whose hips, left shoulder and elbow move', target: [0.1, 0.95, 0], distance: 4.4, yaw: 30, aspect: 0.8,
            draw: (space) => {
                space.ground(1.2, { at: [dials[0]!.value, 0, dials[2]!.value], radius: 0.5 });
                space.surfaces({ positions: actor.skin(), indices: actor.indices, color: rgb('skin') });
                for (const [name, color] of [['hips', 'c'], ['leftUpperArm', 'a'], ['leftLowerArm', 'b']] as const) space.dot(actor.position(actor.joint(name)), color, 6);
            },
        });
        step.controls(...dials.map((one) => one.slider()));
        step.state(() => `Hips moved by (${dials.slice(0, 3).map((one) => one.text).join(', ')}) m; shoulder ${dials.slice(3, 6).map((one) => `${one.text}°`).join(', ')}; elbow ${dials[6]!.text}°. The left hand is at (${actor.position(actor.joint('leftHand')).map((x) => fixed(x)).join(', ')}).`);
    });
}

function robot(step: Step): void {
    const lengths = [0.42, 0.36, 0.28, 0.14], limits = [[10, 170], [-130, 130], [-120, 120], [-60, 60]].map((pair) => pair.map(radians));
    let target: Point = [0.5, 0.55], angles = [1.6, -0.6, -0.7, 0.2];
    const positions = (): Point[] => poseArm(step.limber, [0, 0], lengths, angles).positions;
    const isAt = (k: number): boolean => Math.min(angles[k]! - limits[k]![0]!, limits[k]![1]! - angles[k]!) < 0.01;
    step.say`A robot's arm has motors for joints, and cables that allow each so much and no more: *limits*. Drag its grip. The bars show each joint's angle in its range; a joint at its
        end turns red, and the others have to do the rest.`;
    step.say`Now ${step.live(() => `${range(4).filter(isAt).length}`)} of four are at a limit. Bodies have limits for a better reason: an elbow that bends backwards looks broken even to people who never
        thought about elbows.`;
    step.first(() => (angles = step.limber.reach(solvers.ccd, lengths, angles, target, 12, limits).angles));
    const plane = step.plane({
        label: 'A robot arm on the floor, and the ranges of its four joints', x: [-1.2, 1.3], y: [-0.42, 1.2], aspect: 0.72, equal: true,
        draw: () => {
            plane.line([[-1.2, 0], [1.3, 0]], 'line');
            plane.area([[-0.14, 0], [0.14, 0], [0.09, 0.07], [-0.09, 0.07]], 'quiet full');
            plane.bones(positions(), 'a');
            range(4).forEach((k) => {
                if (isAt(k)) plane.dot(positions()[k]!, 'bad', 8);
                const x = (t: number): number => -1.1 + 0.62 * k + 0.5 * t, [low, high] = limits[k]!;
                plane.line([[x(0), -0.24], [x(1), -0.24]], 'line thick');
                plane.dot([x((angles[k]! - low!) / (high! - low!)), -0.24], isAt(k) ? 'bad' : 'a', 6);
                plane.label([x(0.5), -0.37], `${fixed(degrees(angles[k]!), 0)}°`, { middle: true, color: isAt(k) ? 'bad' : 'quiet' });
            });
        },
    });
    plane.handle({ label: 'Grip', color: 'd', digits: 2, step: 0.02, get: () => target, set: (to) => {
        target = to;
        step.changed();
    } });
    step.state(() => `Joints at ${angles.map((x) => `${fixed(degrees(x), 0)}°`).join(', ')}; ${range(4).filter(isAt).length} at a limit. The grip is ${fixed(100 * apart(positions().at(-1)!, target), 1)} cm from where it is wanted.`);
}

function human(step: Step): void {
    step.say`People's limits are *cones*: an upper arm swings forward far, backward little, and twists by half a rotation. The library gives every human skeleton such limits.`;
    step.say`Drag the left hand, anywhere. The elbow opens and closes, now by ${step.live(() => `${fixed(bend(), 0)}°`)}, and never past straight; pull too far, and the hand stays behind.`;
    let bend = (): number => 0;
    withPerson(step, (actor) => {
        const [upper, lower, hand] = ['leftUpperArm', 'leftLowerArm', 'leftHand'].map((name) => actor.joint(name)) as [number, number, number];
        const start = actor.position(hand);
        let target = start;
        const arm = (from: number, to: number): number[] => actor.position(to).map((x, k) => x - actor.position(from)[k]!);
        bend = () => {
            const [a, b] = [arm(upper, lower), arm(lower, hand)], dot = a.reduce((sum, x, k) => sum + x * b[k]!, 0);
            return degrees(Math.acos(Math.min(1, Math.max(-1, dot / Math.hypot(...a) / Math.hypot(...b)))));
        };
        const space = step.space({
            label: 'A person whose hand is dragged', target: [0.15, 1.15, 0.1], distance: 3.2, yaw: 35, pitch: 10, aspect: 0.8,
            draw: () => {
                space.surfaces({ positions: actor.skin(), indices: actor.indices, color: rgb('skin') });
                space.line([actor.position(upper), actor.position(lower), actor.position(hand)], 'b', 3);
                for (const joint of [upper, lower]) space.dot(actor.position(joint), 'b', 5);
                if (Math.hypot(...actor.position(hand).map((x, k) => x - target[k]!)) > 0.02) space.line([actor.position(hand), target], 'd', 1.5, [4, 4]);
            },
        });
        space.handle({ label: 'Left hand', color: 'd', get: () => target, set: (to) => {
            target = to;
            step.limber.call('limber_drag', actor.handle, hand, ...to, 1);
            step.changed();
        } });
        step.controls(step.button('Arm back to rest', () => {
            actor.rest();
            target = start;
        }));
        step.state(() => `The hand is at (${actor.position(hand).map((x) => fixed(x)).join(', ')}), ${fixed(100 * Math.hypot(...actor.position(hand).map((x, k) => x - target[k]!)), 0)} cm from where it is pulled. The elbow is bent by ${fixed(bend(), 0)}°.`);
    });
}

function question(step: Step): void {
    const lengths = [0.4, 0.32, 0.24, 0.2], start = [70, -30, -40, 20].map(radians);
    const free = range(4).map((k) => step.toggle(`Joint ${k + 1} is free`, true));
    const target: Point = [0.62, 0.28];
    let angles = [...start];
    const positions = (): Point[] => poseArm(step.limber, [0, 0], lengths, angles).positions;
    const left = (): number => apart(positions().at(-1)!, target), used = (): number => free.filter((one) => one.value).length;
    const task = step.ask`The arm reaches the ring by turning its free joints; a locked one keeps its angle. How few degrees of freedom are enough to get within 2 cm? Lock as many as you can.`;
    task.check(() => ({ done: used() <= 2 && left() < 0.02, said: `${used()} degrees of freedom, ${fixed(100 * left(), 1)} cm left.` }),
        'Two: a position in the plane is two numbers, so two joints can meet it, if it is within their reach. One joint only draws a circle. In space a hand with a direction is six numbers, and your arm has seven degrees of freedom: one to spare, which you see when you lift an elbow without moving the hand.');
    step.first(() => {
        const locked = start.map((angle, k) => (free[k]!.value ? [-3.1, 3.1] : [angle - 1e-4, angle + 1e-4]));
        angles = step.limber.reach(solvers.ccd, lengths, start, target, 60, locked).angles;
    });
    step.plane({
        label: 'An arm of four joints and a ring', x: [-0.5, 1.15], y: [-0.25, 1.05], aspect: 0.72, equal: true,
        draw: (plane) => {
            plane.bones(poseArm(step.limber, [0, 0], lengths, start).positions, 'line');
            plane.bones(positions(), 'a');
            range(4).forEach((k) => {
                plane.dot(positions()[k]!, free[k]!.value ? 'a joint' : 'text', 7);
                plane.label(positions()[k]!, `${k + 1}`, { dx: -10, dy: -10, end: true });
            });
            plane.dot(target, 'good open', 11);
        },
    });
    step.controls(...free.map((one) => one.element()));
    step.state(() => `Free: ${free.map((one, k) => (one.value ? k + 1 : 0)).filter(Boolean).join(', ') || 'none'}. The tip is ${fixed(100 * left(), 1)} cm from the ring.`);
}

export const skeleton: Chapter = {
    title: 'The skeleton is a tree',
    lead: 'Joints that hang from joints, how many numbers each needs, and how far it may go.',
    here: { tab: 'Rig', text: 'Find the skeleton of your character and look at the tree of its joints: which hangs from which, and how sure the library is of each.' },
    steps: [
        { title: 'What hangs from what', build: tree },
        { title: 'Offset and orientation', build: offset },
        { title: 'Degrees of freedom', build: freedoms },
        { title: 'Drag a robot arm', build: robot },
        { title: 'Drag a person', build: human },
        { title: 'How few will do?', build: question },
    ],
};
