import type * as THREE from 'three';
import type { App } from '../app';
import { button, choice, field, number, tick } from '../base/controls';
import { fill, h } from '../base/dom';
import { bothSides, type Dab, type LiveShape, type Painted } from '../engine/live_module';
import type { Hand } from '../hand';
import type { Bend } from './bend';
import { Loops } from './loops';

// As LIMBER_BRUSH_… in studio/live_exports.h.
const kinds: [string, string][] = [['0', 'Add'], ['1', 'Replace'], ['2', 'Scale'], ['3', 'Smooth'], ['4', 'Mirror']];
// As LIMBER_FALLOFF_….
const falloffs: [string, string][] = [['0', 'soft'], ['1', 'straight'], ['3', 'bell'], ['2', 'none']];
// Strokes that follow each other within this time are one step of undo.
const pauseBeforeKept = 900;

/** A brush on the skin, and the controls of it. */
export function brushSection(app: App, hand: Hand, bend: Bend): { element: HTMLElement; put: (away: boolean) => void; stop: () => void } {
    const { session, viewer } = app;
    const { engine } = session;
    const kind = choice(kinds, '0');
    const radius = number(5, 0.5, 30, 0.5);
    const strength = number(0.5, 0.05, 1, 0.05);
    const value = number(1, 0, 2, 0.05);
    const both = tick('On both sides', false);
    const falloff = choice(falloffs, '0');
    const pressure = tick('A pen that presses more paints more', true);
    // By their names: another character takes them over.
    const locked = new Set<string>();
    const lock = tick('Lock the chosen joint', false, (on) => {
        const name = chosenName();
        if (on) locked.add(name);
        else locked.delete(name);
        showLocks();
    });
    const locks = h('div', { class: 'row' });
    const loops = new Loops(app, hand, bend, () => void fillChosen().catch((error: unknown) => hand.fail(error)));
    const controls = h('div', { class: 'stack', hidden: true }, h('section', {}, field('Brush', kind), field('Radius, %', radius), field('Falls off', falloff), field('Strength', strength), field('Weight', value), both.element, pressure.element, lock.element, locks),
        h('p', { class: 'hint' }, 'Draw on the skin with the left button. Beside the body it turns the view, and so does the right one.'), loops.element);
    const on = tick('Paint the chosen joint', false, () => setPainting(on.input.checked));
    // What the open character has locked.
    const lockedNow = new Set<number>();
    let lockedOf: LiveShape | null = null;
    let waiting: Dab[] = [];
    let timer = 0;
    // Whether the open character has paint that the history does not have.
    let unsaved = false;
    let keeping: Promise<void> | null = null;
    let last: THREE.Vector3 | null = null;
    // Whether the pointer that is down chooses and does not paint.
    let choosing = false;

    const chosenName = (): string => viewer.character.value?.joints[viewer.selected.value]?.name ?? '';
    function showLocks(): void {
        lock.input.checked = locked.has(chosenName());
        fill(locks, ...[...locked].map((name) => button(name, () => {
            locked.delete(name);
            showLocks();
        }, { icon: 'lock', class: 'small', title: `Unlock ${name}` })));
    }
    viewer.selected.watch(showLocks);

    // A fraction of the height of the character.
    function reach(): number {
        const box = viewer.character.value?.box;
        return box ? (Number(radius.value) / 100) * (box.max.y - box.min.y) : 0;
    }

    // A pointer that moves fast leaves no gaps: dabs lie a third of the radius apart.
    function strokeTo(position: THREE.Vector3, pressed: number): void {
        const steps = last ? Math.min(24, Math.ceil(last.distanceTo(position) / (reach() / 3))) : 1;
        for (let k = 1; k <= steps; ++k) dab(last ? last.clone().lerp(position, k / steps) : position, pressed);
        last = position;
    }

    function dab(position: THREE.Vector3, pressed: number): void {
        const joint = viewer.selected.value;
        if (joint < 0 || session.busy.value) return;
        waiting.push({
            op: Number(kind.value), joint, position: [position.x, position.y, position.z], radius: reach(), strength: Math.max(1e-3, Number(strength.value) * (pressure.input.checked ? pressed : 1)), value: Number(value.value),
            flags: both.input.checked ? bothSides : 0,
        });
        unsaved = true;
        hand.newest(paint);
    }

    async function paint(): Promise<void> {
        const shape = await hand.open();
        const live = hand.jointOf(shape, viewer.selected.value);
        const dabs = waiting.map((one) => ({ ...one, joint: live }));
        waiting = [];
        if (live < 0 || dabs.length === 0) return;
        await hand.live(shape, 'falloff', Number(falloff.value));
        await applyLocks(shape);
        show(shape, await hand.live(shape, 'paint', dabs, await bend.pose()));
    }

    async function fillChosen(): Promise<void> {
        const shape = await hand.open();
        const live = hand.jointOf(shape, viewer.selected.value);
        if (live < 0 || session.busy.value) return;
        await applyLocks(shape);
        show(shape, await hand.live(shape, 'fill', Number(kind.value), live, Number(strength.value), Number(value.value), both.input.checked ? bothSides : 0));
        unsaved = true;
        await endStroke();
    }

    async function applyLocks(shape: LiveShape): Promise<void> {
        if (lockedOf !== shape) lockedNow.clear();
        lockedOf = shape;
        for (const [k, { name }] of (viewer.character.value?.joints ?? []).entries()) {
            const joint = hand.jointOf(shape, k);
            if (joint >= 0 && locked.has(name) !== lockedNow.has(joint)) await hand.live(shape, 'lock', joint, locked.has(name));
            if (locked.has(name)) lockedNow.add(joint);
            else lockedNow.delete(joint);
        }
    }

    function show(shape: LiveShape, { vertices, weights }: Painted): void {
        const sources = viewer.character.value?.sources;
        viewer.showWeights((mesh) => {
            const source = sources?.get(mesh);
            const live = shape.meshes.findIndex(({ node }) => node === source?.node);
            return { first: shape.meshes[live]?.firsts[source?.primitive ?? 0] ?? 0, vertices: vertices[live] ?? null, weights: weights[live] ?? new Float32Array() };
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
        hand.adopted((await session.paint(await engine.live('takeStrokes'), `paint ${joint}`)) !== null);
    }
    session.unfinished.add(() => keeping ?? (unsaved ? keep() : null));

    function setPainting(painting: boolean): void {
        controls.hidden = !painting;
        loops.show(painting);
        if (painting) bend.stand();
        viewer.setBrush(painting ? {
            radius: reach,
            begin(position, pressed, { altKey, shiftKey }) {
                choosing = altKey || loops.pointing;
                if (choosing) return loops.take(position, shiftKey || loops.pointing);
                clearTimeout(timer);
                last = null;
                strokeTo(position, pressed);
            },
            move: (position, pressed) => choosing || strokeTo(position, pressed),
            end: () => choosing || void endStroke().catch((error: unknown) => hand.fail(error)),
        } : null);
    }
    const element = h('section', {}, h('h3', {}, 'Paint'), on.element, controls);
    return {
        element,
        stop() {
            on.input.checked = false;
            setPainting(false);
        },
        put(away) {
            if (away) loops.show(false);
            if (away) viewer.setBrush(null);
            else setPainting(on.input.checked);
        },
    };
}
