import type * as THREE from 'three';
import type { App } from '../app';
import { button, choice, field, tick } from '../base/controls';
import { h } from '../base/dom';
import type { LiveShape } from '../engine/live_module';
import { Hand } from '../hand';
import type { Panel } from '../ui/tabs';

// As LIMBER_DRAG_… in studio/live_exports.h.
const modes: [string, string][] = [['0', 'what fits'], ['1', 'the limb alone'], ['2', 'the whole body']];

export function posePanel(app: App, hand: Hand): Panel {
    const { session, viewer } = app;
    const { engine } = session;
    const mode = choice(modes, '0');
    const name = h('input', { type: 'text', value: 'pose' });
    const earlier: Float32Array[] = [];
    let visible = false;
    // Whether the pose on show is the player's: then the hand takes it over before it changes it.
    let ofPlayer = true;
    let dragged = -1;

    async function takeOver(shape: LiveShape): Promise<void> {
        if (!ofPlayer) return;
        const clip = viewer.character.value?.clips.indexOf(viewer.player.clip!) ?? -1;
        viewer.player.play(false);
        hand.show(shape, clip >= 0 ? await engine.live('sample', clip, viewer.player.time) : await engine.live('rest'));
        ofPlayer = false;
        refresh();
    }

    function drag(joint: number, place: THREE.Vector3): void {
        hand.soon(async () => {
            const shape = await hand.open();
            await takeOver(shape);
            if (dragged !== joint) earlier.push(await engine.live('pose'));
            dragged = joint;
            const live = hand.jointOf(shape, joint);
            if (live >= 0) hand.show(shape, await engine.live('drag', live, [place.x, place.y, place.z], Number(mode.value)));
        });
    }

    function drop(): void {
        void hand.settled().then(async () => {
            dragged = -1;
            await engine.live('endDrag');
            refresh();
        });
    }

    const back = button('Back', () => hand.soon(async () => {
        const shape = await hand.open();
        const pose = earlier.pop();
        if (pose) hand.show(shape, await engine.live('setPose', pose));
        refresh();
    }), { icon: 'undo' });
    const rest = button('Rest pose', () => hand.soon(async () => {
        const shape = await hand.open();
        await takeOver(shape);
        earlier.push(await engine.live('pose'));
        hand.show(shape, await engine.live('rest'));
        refresh();
    }));
    const keep = button('Keep as a clip', () => void hand.settled().then(async () => {
        await takeOver(await hand.open());
        const glb = await engine.live('keep', name.value.trim() || 'pose');
        await session.adopt(`pose: ${name.value.trim() || 'pose'}`, glb, 'rig');
    }).catch((error: unknown) => hand.fail(error)), { class: 'primary', icon: 'save' });

    const pin = tick('Holds its place', false, (on) => hand.soon(async () => {
        const live = hand.jointOf(await hand.open(), viewer.selected.value);
        if (live >= 0) await engine.live('pin', live, on);
    }));
    const chosen = h('p', {});
    const joint = h('section', {}, h('h3', {}, 'The chosen joint'), chosen, pin.element);
    const body = h('div', { class: 'stack' },
        h('p', { class: 'hint' }, 'Drag a joint: arms and legs reach, the body follows. Feet hold their place until you let them go.'),
        h('section', {}, field('What moves', mode)), h('div', { class: 'row' }, back, rest), joint,
        h('section', {}, h('h3', {}, 'Keep it'), field('Name', name), keep));
    const none = h('p', { class: 'hint' }, 'A pose needs joints: rig the character first.');

    function refresh(): void {
        back.disabled = earlier.length === 0;
        keep.disabled = ofPlayer;
    }
    async function showPin(): Promise<void> {
        const index = viewer.selected.value;
        joint.hidden = index < 0;
        if (index < 0 || !visible || !session.isRigged) return;
        chosen.textContent = viewer.character.value?.joints[index]?.name ?? '';
        const live = hand.jointOf(await hand.open(), index);
        pin.input.checked = (await engine.live('pinned'))[live] ?? false;
    }

    viewer.player.changed.watch(() => (ofPlayer = true));
    viewer.selected.watch(() => void showPin().catch((error: unknown) => hand.fail(error)));
    viewer.character.watch(() => {
        earlier.length = 0;
        none.hidden = session.isRigged;
        body.hidden = !session.isRigged;
        ofPlayer = true;
        refresh();
    });
    return {
        name: 'Pose', icon: 'hand', element: h('div', { class: 'stack' }, h('h2', {}, 'Pose'), none, body),
        shown(on) {
            visible = on;
            viewer.needsSkeleton.value = on;
            viewer.onDrag = on ? drop : null;
            viewer.onDragging = on ? drag : null;
            if (!on || !session.isRigged) return;
            viewer.player.play(false);
            void hand.open().then(() => showPin()).catch((error: unknown) => hand.fail(error));
        },
    };
}
