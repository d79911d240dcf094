import type * as THREE from 'three';
import type { App } from '../app';
import { button, choice, field, tick } from '../base/controls';
import { h } from '../base/dom';
import type { LiveShape } from '../engine/live_module';
import type { Hand } from '../hand';
import type { Look } from '../history';
import type { Panel } from '../ui/tabs';

// As LIMBER_DRAG_… in studio/live_exports.h.
const modes: [string, string][] = [['0', 'what fits'], ['1', 'the limb alone'], ['2', 'the whole body']];

export function posePanel(app: App, hand: Hand): Panel {
    const { session, viewer } = app;
    const { engine } = session;
    const mode = choice(modes, '0');
    const name = h('input', { type: 'text', value: 'pose' });
    let visible = false;
    // The joint that is dragged, and what was seen before.
    let drag: { joint: number; before: Look | null } | null = null;
    let dropping: Promise<void> | null = null;

    /** The hand takes over from the player the pose on show. */
    async function takeOver(shape: LiveShape): Promise<void> {
        if (hand.held) return;
        const clip = viewer.character.value?.clips.indexOf(viewer.player.clip!) ?? -1;
        viewer.player.play(false);
        hand.show(shape, clip >= 0 ? await engine.live('sample', clip, viewer.player.time) : await engine.live('rest'));
    }

    function remember(step: string, before: Look | null): void {
        const after = session.look();
        if (before && after) session.history.pushPose(step, before, after);
    }

    function pull(joint: number, place: THREE.Vector3): void {
        hand.soon(async () => {
            const shape = await hand.open();
            if (drag?.joint !== joint) drag = { joint, before: session.look() };
            await takeOver(shape);
            const live = hand.jointOf(shape, joint);
            if (live >= 0) hand.show(shape, await engine.live('drag', live, [place.x, place.y, place.z], Number(mode.value)));
        });
    }

    function drop(): void {
        dropping = letGo().catch((error: unknown) => hand.fail(error)).finally(() => (dropping = null));
    }
    async function letGo(): Promise<void> {
        await hand.settled();
        await engine.live('endDrag');
        if (drag) remember(`pose ${viewer.character.value?.joints[drag.joint]?.name ?? ''}`, drag.before);
        drag = null;
    }
    session.unfinished.add(() => dropping);

    const rest = button('Rest pose', () => hand.soon(async () => {
        const before = session.look();
        const shape = await hand.open();
        hand.show(shape, await engine.live('rest'));
        remember('rest pose', before);
    }));
    const keep = button('Keep as a clip', () => void hand.settled().then(async () => {
        await session.finish();
        await takeOver(await hand.open());
        const title = name.value.trim() || 'pose';
        hand.adopted(await session.adopt(`pose: ${title}`, await engine.live('keep', title), 'rig') !== null);
    }).catch((error: unknown) => hand.fail(error)), { class: 'primary', icon: 'save' });

    const pin = tick('Holds its place', false, (on) => hand.soon(async () => {
        const live = hand.jointOf(await hand.open(), viewer.selected.value);
        if (live >= 0) await engine.live('pin', live, on);
    }));
    const chosen = h('p', {});
    const joint = h('section', {}, h('h3', {}, 'The chosen joint'), chosen, pin.element);
    const body = h('div', { class: 'stack' },
        h('p', { class: 'hint' }, 'Drag a joint: arms and legs reach, the body follows. Feet hold their place until you let them go.'),
        h('section', {}, field('What moves', mode)), h('div', { class: 'row' }, rest), joint,
        h('section', {}, h('h3', {}, 'Keep it'), field('Name', name), keep));
    const none = h('p', { class: 'hint' }, 'A pose needs joints: rig the character first.');

    async function showPin(): Promise<void> {
        const index = viewer.selected.value;
        joint.hidden = index < 0;
        if (index < 0 || !visible || !session.isRigged) return;
        chosen.textContent = viewer.character.value?.joints[index]?.name ?? '';
        const live = hand.jointOf(await hand.open(), index);
        pin.input.checked = (await engine.live('pinned'))[live] ?? false;
    }

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
            viewer.onDrag = on ? drop : null;
            viewer.onDragging = on ? pull : null;
            if (!on || !session.isRigged) return;
            if (!hand.held) viewer.player.play(false);
            void hand.open().then(() => showPin()).catch((error: unknown) => hand.fail(error));
        },
    };
}
