import { h } from '../../base/dom';
import { range, type Actor } from '../kit/actor';
import { ramp, rgb } from '../kit/color';
import { jointChoice, withActor, withPerson, type HumanJoint } from '../kit/person';
import type { Chapter, Step } from '../kit/step';
import { display, fixed, radians } from '../kit/words';
import type { RigReport, Triple } from '../../reports';

interface Rigged {
    glb: Uint8Array;
    report: RigReport;
}

/** The bare mesh, rigged with what is known of its joints. */
async function rig(step: Step, more: string[] = []): Promise<Rigged> {
    const { bytes, report } = await step.bodies.rig(more);
    return { glb: bytes, report: report as unknown as RigReport };
}

const view = { target: [0, 0.88, 0] as Triple, distance: 4.4, yaw: 18, aspect: 0.82 };
const palette = (): Triple[] => (['a', 'b', 'c', 'd', 'good', 'quiet'] as const).map((name) => rgb(name));

/** Every vertex in the colour of the joint that it follows most. */
function owners(actor: Actor): Float32Array {
    const best = new Float32Array(actor.vertexCount), owner = new Int32Array(actor.vertexCount);
    range(actor.names.length).forEach((joint) => actor.weights(joint).forEach((w, v) => {
        if (w > best[v]!) [best[v], owner[v]] = [w, joint];
    }));
    const colors = palette();
    return Float32Array.from([...owner].flatMap((joint) => colors[(joint * 7) % colors.length]!.map((x) => 0.35 + 0.55 * x)));
}

function embed(step: Step): void {
    let rigged: Rigged | null = null;
    step.say`A mesh is only a skin. *Rigging* puts a skeleton inside. Artists place every joint by hand; here the library looks for it: limbs are where the shape is long and thin, joints where it bends or narrows, and a body has
        a usual build. Press the button.`;
    const found = h('p', {});
    step.add(found);
    step.say`Joints of which it is less sure are orange: it asks to be looked at, not to be believed.`;
    const sure = (joint: RigReport['joints'][number]): 'good' | 'b' => (joint.confidence > 0.75 ? 'good' : 'b');
    withActor(step, 'Making a mesh', step.bodies.mesh(), (mesh) => {
        const busy = h('span', { role: 'status' });
        step.space({ ...view, label: 'A mesh, and the skeleton that was found in it', draw: (space) => {
            space.ground(1.2, { at: [0, 0, 0], radius: 0.5 });
            space.surfaces({ positions: mesh.restSkin, indices: mesh.indices, color: rgb('skin'), alpha: rigged ? 0.5 : 1 });
            for (const joint of rigged?.report.joints ?? []) {
                if (joint.parent >= 0) space.line([rigged!.report.joints[joint.parent]!.position, joint.position], 'bone', 2);
                space.dot(joint.position, sure(joint), 4);
            }
        } });
        const find = step.button('Find the skeleton', () => {
            find.disabled = true;
            busy.textContent = 'Looking…';
            rig(step).then((one) => {
                rigged = one;
                busy.textContent = '';
                found.textContent = `${one.report.joints.length} joints, confidence ${Math.round(100 * one.report.confidence)} %: ${one.report.reason}.`;
            }).catch((error: Error) => {
                busy.textContent = error.message;
            }).finally(() => {
                find.disabled = false;
                step.changed();
            });
        }, true);
        step.controls(find, busy);
        step.state(() => (rigged ? `${rigged.report.joints.length} joints were found in ${rigged.report.vertices} vertices; ${rigged.report.joints.filter((joint) => sure(joint) === 'b').length} of them should be looked at.` : `A mesh of ${mesh.vertexCount} vertices, without a skeleton.`));
    });
}

function move(step: Step): void {
    step.say`Drag the left elbow along the arm and let go: the rig is made anew round the position that you gave, and the colours, which bone owns which skin, move along.`;
    step.say`Weights come *after* the skeleton, from it and the shape. That is why a wrong joint is mended first, and painting comes last.`;
    withActor(step, 'Rigging a mesh', rig(step).then(({ glb }) => glb), (first) => {
        let actor = first, position = actor.position(actor.joint('leftLowerArm')), colors = owners(actor), note = '';
        const skin = actor.restSkin, indices = actor.indices, home = position;
        const again = (): void => {
            note = 'The rig is made anew…';
            step.changed();
            rig(step, ['--marker', `leftElbow=${position.map((x) => x.toFixed(4)).join(',')}`]).then(({ glb }) => {
                actor.close();
                actor = step.open(glb);
                colors = owners(actor);
                position = actor.position(actor.joint('leftLowerArm'));
                note = '';
            }).catch((error: Error) => (note = error.message)).finally(step.changed);
        };
        const space = step.space({ label: 'A rigged person, coloured by the bone that each point follows most', target: [0.35, 1.25, 0], distance: 2.6, yaw: 10, pitch: 12, aspect: 0.75,
            draw: () => {
                space.surfaces({ positions: skin, indices, colors, alpha: 0.8 });
                space.bones(actor.model, actor.parents);
            } });
        space.handle({ label: 'Left elbow', color: 'd', step: 0.03, get: () => position, end: again, set: ([x, y, z]) => {
            position = [Math.min(home[0] + 0.12, Math.max(home[0] - 0.12, x)), Math.min(home[1] + 0.03, Math.max(home[1] - 0.03, y)), Math.min(home[2] + 0.03, Math.max(home[2] - 0.03, z))];
            step.changed();
        } });
        const count = (): number => actor.weights(actor.joint('leftLowerArm')).filter((w) => w > 0.5).length;
        step.state(() => note || `The elbow is ${fixed(100 * (position[0] - home[0]), 0)} cm further out than it was found; ${count()} vertices follow the forearm for the most part.`);
    });
}

function heat(step: Step): void {
    const chosen = jointChoice(step, 'From the bones of', 'leftUpperArm', () => (restart = true));
    const player = step.player();
    let restart = true;
    step.say`Which bone owns a point of the skin? *Bone heat* asks it so: let one bone be hot and all others cold. Warmth goes from each bone into the skin next to it, and flows along the skin. When nothing changes any more,
        the temperature is the weight.`;
    step.add(display('A ∂w/∂t = − L w + A H (p − w)'), display('at rest:  (L + A H) w = A H p'));
    step.say`$L$ makes the heat flow to neighbours, $H = c/d^2$ lets it in, the faster the nearer the bone is, and $p$ is 1 where the hot bone is the nearest and 0 elsewhere. Watch it settle: ${step.live(() => `${fixed(time, 3)}`)} of its time has passed.`;
    let time = 0, warmth = new Float32Array();
    withPerson(step, (actor) => {
        const steps = 0.002;
        const begin = (): void => {
            step.limber.need('limber_lesson_heat_begin', actor.handle, 0, actor.joint(chosen.value), steps);
            warmth = new Float32Array(actor.vertexCount);
            time = 0;
            restart = false;
        };
        const flow = (): void => {
            warmth = step.limber.floats(step.limber.need('limber_lesson_heat_step', actor.handle), actor.vertexCount) as Float32Array<ArrayBuffer>;
            time += steps;
        };
        step.first(() => restart && begin());
        step.space({ ...view, target: [0.05, 1.05, 0], distance: 3.8, label: 'A person whose skin is warmed by one bone', draw: (space) => {
            space.surfaces({ positions: actor.restSkin, indices: actor.indices, colors: Float32Array.from([...warmth].flatMap((w) => ramp(w))) });
            const hot = actor.joint(chosen.value);
            actor.parents.forEach((parent, joint) => parent === hot && space.line([actor.position(hot), actor.position(joint)], 'b', 5));
        } });
        step.controls(chosen.element, player.element, step.button('One step', flow), step.button('Until it rests', () => range(400).forEach(flow)), step.button('Cold again', () => (restart = true)));
        step.state(() => `Time ${fixed(time, 3)}: the hottest point is at ${fixed(Math.max(0, ...warmth))}, ${warmth.filter((w) => w > 0.5).length} vertices are above a half, ${warmth.filter((w) => w > 0.02).length} are warm at all.`);
        step.tick(() => {
            if (!player.playing || time > 0.8) return;
            flow();
            step.changed();
        });
    });
}

const bindings = [['heat', 'Heat'], ['nearest', 'Nearest bone'], ['voxel', 'Through the volume']] as const;

function methods(step: Step): void {
    const method = step.choice<(typeof bindings)[number][0]>('Weights', bindings, 'heat');
    const bend = step.dial({ label: 'Left arm down', value: 60, min: 0, max: 80, step: 1, unit: '°' });
    step.say`Why not simply the nearest bone? Distances go through air: fingers would follow their neighbours, an arm that hangs would follow the thigh. Heat stays on the skin. Other methods measure through the inside of the body.`;
    step.say`Lower the arm by ${bend.inline()} and compare the armpit.`;
    const opened = new Map<string, Actor>();
    step.later('Rigging three times', Promise.all(bindings.map(([key]) => rig(step, key === 'heat' ? [] : ['--weights', key]))), (all) => {
        all.forEach(({ glb }, k) => opened.set(bindings[k]![0], step.open(glb)));
        const actor = (): Actor => opened.get(method.value)!;
        step.first(() => {
            actor().rest();
            actor().rotateInScene(actor().joint('leftUpperArm'), [0, 0, 1], radians(-bend.value));
        });
        const column = (): Float32Array => actor().weights(actor().joint('leftUpperArm'));
        step.space({ label: 'The left shoulder by the chosen weights', target: [0.2, 1.25, 0], distance: 1.9, yaw: 15, pitch: 10, aspect: 0.75,
            draw: (space) => space.surfaces({ positions: actor().skin(), indices: actor().indices, colors: Float32Array.from([...column()].flatMap((w) => ramp(w))) }) });
        step.controls(method.element(), bend.slider());
        step.state(() => `${bindings.find(([key]) => key === method.value)![1]}: ${column().filter((w) => w > 0.02 && w < 0.98).length} vertices share the upper arm with other bones, ${column().filter((w) => w >= 0.98).length} follow it alone.`);
    });
}

function question(step: Step): void {
    const joint: HumanJoint = 'leftLowerLeg';
    const task = step.ask`Somebody put the left knee in the wrong position. Drag it back, within 2 cm of the middle of the leg at the height of the knee. From the front alone it will not do: turn the picture.`;
    withPerson(step, (actor) => {
        const right = actor.position(actor.joint(joint));
        let position: Triple = [right[0] + 0.07, right[1] + 0.11, right[2] - 0.09];
        const away = (): number => Math.hypot(...position.map((x, k) => x - right[k]!));
        task.check(() => ({ done: away() < 0.02, said: `The knee is ${fixed(100 * away(), 1)} cm away.` }), 'A picture has two dimensions and a joint three: always look from two sides. In the studio the keys 1 and 2 do that.');
        const space = step.space({ label: 'The legs of a person, with a knee in a wrong position', target: [0.05, 0.48, 0], distance: 2.5, yaw: 0, pitch: 0, aspect: 0.8,
            draw: () => {
                space.surfaces({ positions: actor.restSkin, indices: actor.indices, color: rgb('skin'), alpha: 0.5 });
                space.line([actor.position(actor.joint('leftUpperLeg')), position, actor.position(actor.joint('leftFoot'))], 'b', 3);
                space.bones(actor.model, actor.parents, 'bone', (k) => actor.names[k] !== 'leftLowerLeg');
            } });
        space.handle({ label: 'Left knee', color: 'd', step: 0.01, get: () => position, set: (to) => {
            position = to;
            step.changed();
        } });
        step.controls(step.button('From the front', () => space.from(0, 0)), step.button('From the side', () => space.from(90, 0)));
        step.state(() => `The knee is at (${position.map((x) => fixed(x)).join(', ')}); the other one at (${actor.position(actor.joint('rightLowerLeg')).map((x) => fixed(x)).join(', ')}).`);
    });
}

export const rigging: Chapter = {
    title: 'Rigging',
    lead: 'A skeleton is found in a mesh, joints are moved, and heat flows over the skin until it is weights.',
    here: { tab: 'Rig', text: 'Find the skeleton of your character, look at the joints in orange, and drag those that are not where they should be.' },
    steps: [
        { title: 'From the outside in', build: embed },
        { title: 'Move a joint, weights follow', build: move },
        { title: 'Heat on the skin', build: heat },
        { title: 'Not the nearest bone', build: methods },
        { title: 'From two sides', build: question },
    ],
};
