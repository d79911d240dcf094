import type * as THREE from 'three';
import type { App } from '../app';
import { choice, field, number, tick } from '../base/controls';
import { h } from '../base/dom';
import type { Dab, LiveShape } from '../engine/live_module';
import type { Hand } from '../hand';

// As LIMBER_BRUSH_… in studio/live_exports.h.
const kinds: [string, string][] = [['0', 'Add'], ['1', 'Replace'], ['2', 'Scale'], ['3', 'Smooth'], ['4', 'Mirror']];
const bothSides = 1;
// Strokes that follow each other within this time are one step of undo.
const pauseBeforeKept = 900;

/** A brush on the skin, and the controls of it. */
export function brushSection(app: App, hand: Hand): { element: HTMLElement; put: (away: boolean) => void } {
    const { session, viewer } = app;
    const { engine } = session;
    const kind = choice(kinds, '0');
    const radius = number(5, 0.5, 30, 0.5);
    const strength = number(0.5, 0.05, 1, 0.05);
    const value = number(1, 0, 2, 0.05);
    const both = tick('On both sides', false);
    const controls = h('div', { class: 'stack', hidden: true }, h('section', {}, field('Brush', kind), field('Radius, %', radius), field('Strength', strength), field('Weight', value), both.element),
        h('p', { class: 'hint' }, 'Draw on the skin with the left button. Beside the body it turns the view, and so does the right one.'));
    const on = tick('Paint the chosen joint', false, () => setPainting(on.input.checked));
    let waiting: Dab[] = [];
    let timer = 0;
    // Whether the open character has paint that the history does not have.
    let unsaved = false;
    let keeping: Promise<void> | null = null;
    let last: THREE.Vector3 | null = null;

    // A fraction of the height of the character.
    function reach(): number {
        const box = viewer.character.value?.box;
        return box ? (Number(radius.value) / 100) * (box.max.y - box.min.y) : 0;
    }

    // A pointer that moves fast leaves no gaps: dabs lie a third of the radius apart.
    function strokeTo(place: THREE.Vector3): void {
        const steps = last ? Math.min(24, Math.ceil(last.distanceTo(place) / (reach() / 3))) : 1;
        for (let k = 1; k <= steps; ++k) dab(last ? last.clone().lerp(place, k / steps) : place);
        last = place;
    }

    function dab(place: THREE.Vector3): void {
        const joint = viewer.selected.value;
        if (joint < 0 || session.busy.value) return;
        waiting.push({
            op: Number(kind.value), joint, place: [place.x, place.y, place.z], radius: reach(), strength: Number(strength.value), value: Number(value.value),
            flags: both.input.checked ? bothSides : 0,
        });
        unsaved = true;
        hand.soon(paint);
    }

    async function paint(): Promise<void> {
        const shape = await hand.open();
        const live = hand.jointOf(shape, viewer.selected.value);
        const dabs = waiting.map((one) => ({ ...one, joint: live }));
        waiting = [];
        if (live >= 0 && dabs.length > 0) show(shape, await engine.live('paint', dabs));
    }

    function show(shape: LiveShape, weights: Float32Array[]): void {
        const places = viewer.character.value?.places;
        const bases = new Map<THREE.Mesh, { first: number; of: Float32Array }>();
        viewer.showWeights((mesh, vertex) => {
            let base = bases.get(mesh);
            if (!base) {
                const place = places?.get(mesh);
                const live = shape.meshes.findIndex(({ file }) => file === place?.mesh);
                base = { first: shape.meshes[live]?.firsts[place?.primitive ?? 0] ?? 0, of: weights[live] ?? new Float32Array() };
                bases.set(mesh, base);
            }
            return base.of[base.first + vertex] ?? 0;
        });
    }

    async function endStroke(): Promise<void> {
        await hand.settled();
        await engine.live('endStroke');
        clearTimeout(timer);
        if (unsaved) timer = window.setTimeout(() => void keep(), pauseBeforeKept);
    }

    // At once when something else is about to happen: undo takes back what was painted last, and not what was before it.
    function keep(): Promise<void> {
        clearTimeout(timer);
        unsaved = false;
        return (keeping = save().catch((error: unknown) => hand.fail(error)).finally(() => (keeping = null)));
    }
    async function save(): Promise<void> {
        await hand.settled();
        const joint = viewer.character.value?.joints[viewer.selected.value]?.name ?? '';
        hand.adopted(await session.adopt(`paint ${joint}`, await engine.live('save'), 'rig') !== null);
    }
    session.unfinished.add(() => keeping ?? (unsaved ? keep() : null));

    function setPainting(painting: boolean): void {
        controls.hidden = !painting;
        // Brushes go where the skin is at rest.
        if (painting) viewer.player.select(null);
        viewer.setBrush(painting ? {
            radius: reach,
            begin(place) {
                clearTimeout(timer);
                last = null;
                strokeTo(place);
            },
            move: strokeTo,
            end: () => void endStroke().catch((error: unknown) => hand.fail(error)),
        } : null);
    }
    const element = h('section', {}, h('h3', {}, 'Paint'), on.element, controls);
    return {
        element,
        put(away) {
            if (away) viewer.setBrush(null);
            else setPainting(on.input.checked);
        },
    };
}
