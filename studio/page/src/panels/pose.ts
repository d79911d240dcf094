import type * as THREE from 'three';
import type { App } from '../app';
import { button, choice, field, tick } from '../base/controls';
import { h } from '../base/dom';
import type { Hand } from '../hand';
import type { Look } from '../history';
import type { Poser } from '../poser';
import type { KeyStrip } from '../ui/key_strip';
import type { Panel } from '../ui/tabs';
import { poseLibrary } from './pose_library';
import { otherSide } from '../skeleton_edit';
import { FloorDistance } from './floor';
import { JointArrows } from './joint_arrows';
import { JointRotation } from './joint_rotation';

// As LIMBER_DRAG_… in studio/live_exports.h.
const modes: [string, string][] = [
    ['0', 'what fits'], ['1', 'the limb alone'], ['2', 'the whole body'], ['3', 'an elbow or a knee'], ['arrows', 'along arrows'], ['rings', 'by rings, it alone'],
];
// As LIMBER_MIRROR_….
const mirrors: [number, string][] = [[1, 'Left onto right'], [2, 'Right onto left'], [0, 'Exchange sides']];

export function posePanel(app: App, hand: Hand, poser: Poser, keys: KeyStrip): Panel {
    const { session, viewer } = app;
    const { engine } = session;
    const mode = choice(modes, '0', () => arrange());
    const follows = tick('The other side follows', false);
    const rotation = new JointRotation(app, poser, mirrorFrom);
    const name = h('input', { type: 'text', value: 'pose' });
    let visible = false;
    // The joint that is dragged, and what was seen before.
    let drag: { joint: number; before: Look | null } | null = null;
    let dropping: Promise<void> | null = null;

    function pull(joint: number, position: THREE.Vector3): void {
        hand.newest(async () => {
            const shape = await hand.open();
            if (drag?.joint !== joint) drag = { joint, before: session.look() };
            await poser.takeOver(shape);
            const live = hand.jointOf(shape, joint);
            if (live >= 0) hand.show(shape, await hand.live(shape, 'drag', live, [position.x, position.y, position.z], mode.value === 'arrows' ? 0 : Number(mode.value)));
        });
    }

    function drop(): void {
        dropping = letGo().catch((error: unknown) => hand.fail(error)).finally(() => (dropping = null));
    }
    async function letGo(): Promise<void> {
        await hand.settled();
        await engine.live('endDrag');
        if (drag) {
            await mirrorFrom(drag.joint);
            poser.remember(`pose ${viewer.character.value?.joints[drag.joint]?.name ?? ''}`, drag.before);
        }
        drag = null;
    }

    /** The other side does as this joint's, where that is asked for. */
    async function mirrorFrom(index: number): Promise<void> {
        const character = viewer.character.value;
        const own = character?.joints[index];
        const other = own ? character.joints[character.jointIndex(otherSide(own.name) ?? '')] : undefined;
        if (!follows.input.checked || !own || !other) return;
        const shape = await hand.open();
        hand.show(shape, await hand.live(shape, 'mirror', own.left > other.left ? 1 : 2));
    }
    session.unfinished.add(() => dropping);
    const floor = new FloorDistance(app, hand, poser);
    const arrows = new JointArrows(app, hand, pull, drop);

    const rest = button('Rest pose', () => poser.change('rest pose', (shape) => hand.live(shape, 'rest')));
    const sides = mirrors.map(([side, label]) => button(label, () => poser.change(label.toLowerCase(), (shape) => hand.live(shape, 'mirror', side))));
    const keep = button('Keep as a clip', () => void hand.settled().then(async () => {
        await session.finish();
        await poser.takeOver(await hand.open());
        const title = name.value.trim() || 'pose';
        hand.adopted(await session.keys(await engine.live('keep', title), `pose: ${title}`) !== null);
    }).catch((error: unknown) => hand.fail(error)), { class: 'primary', icon: 'save' });

    const pin = tick('Stays where it is', false, (on) => hand.inTurn(async () => {
        const name = viewer.character.value?.joints[viewer.selected.value]?.name;
        if (name === undefined) return;
        const look = session.look();
        const were = hand.pins.value;
        await hand.hold(new Map([...were, [name, on]]));
        // Undoing it puts the joint back to what it did by itself.
        poser.remember(`${on ? 'hold' : 'let go'} ${name}`, look && { ...look, pins: [...(were.has(name) ? were : new Map([...were, [name, !on]]))] });
    }));
    const chosen = h('p', {});
    const joint = h('section', {}, h('h3', {}, 'The chosen joint'), chosen, rotation.element, pin.element);
    const body = h('div', { class: 'stack' },
        h('p', { class: 'hint' }, 'Drag a joint: arms and legs reach, the body follows. Feet stay where they are until you let them go.'),
        h('section', {}, field('What moves', mode), follows.element), joint,
        h('section', {}, h('h3', {}, 'The whole pose'), h('div', { class: 'row' }, rest, ...sides), floor.element), poseLibrary(app, poser),
        h('section', {}, h('h3', {}, 'Keep it'), field('Name', name), keep));
    const none = h('p', { class: 'hint' }, 'A pose needs joints: rig the character first.');

    async function showPin(): Promise<void> {
        const index = viewer.selected.value;
        joint.hidden = index < 0;
        if (index < 0 || !visible || !session.isRigged) return;
        chosen.textContent = viewer.character.value?.joints[index]?.name ?? '';
        const shape = await hand.open();
        pin.input.checked = (await hand.live(shape, 'pinned'))[hand.jointOf(shape, index)] ?? false;
    }

    /** Dragging moves limbs and the body, or arrows pull and rings rotate the chosen joint. */
    function arrange(): void {
        const free = visible && mode.value !== 'rings' && mode.value !== 'arrows';
        viewer.onDrag = free ? drop : null;
        viewer.onDragging = free ? pull : null;
        rotation.show(visible && mode.value === 'rings');
        arrows.show(visible && mode.value === 'arrows');
    }

    hand.pins.watch(() => void showPin().catch((error: unknown) => hand.fail(error)));
    hand.posed.watch((pose) => (keep.disabled = pose === null));
    viewer.selected.watch(() => void showPin().catch((error: unknown) => hand.fail(error)));
    viewer.character.watch(() => {
        none.hidden = session.isRigged;
        body.hidden = !session.isRigged;
    });
    return {
        name: 'Pose', icon: 'hand', element: h('div', { class: 'stack' }, h('h2', {}, 'Pose'), none, body),
        shown(on) {
            visible = on;
            viewer.needsSkeleton.value = on;
            arrange();
            floor.show(on);
            keys.show(on);
            if (!on || !session.isRigged) return;
            if (!hand.held) viewer.player.play(false);
            void hand.open().then(() => showPin()).catch((error: unknown) => hand.fail(error));
        },
    };
}
