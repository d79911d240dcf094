import * as THREE from 'three';
import type { App } from '../app';
import { button, choice, tick } from '../base/controls';
import { fill, h } from '../base/dom';
import type { Interpolation, Keys } from '../keys';

const frame = 1 / 30;
const curveHeight = 132;
const samples = 96;
// A handle stands this share of the strip before or behind its key; slopes are measured over this time.
const handleShare = 0.07;
const slopeTime = 1e-4;
const axes = ['x', 'y', 'z'] as const;
/** Of a key: before it, or behind. */
type Side = -1 | 1;
const svg = <K extends keyof SVGElementTagNameMap>(tag: K, attributes: Record<string, string>): SVGElementTagNameMap[K] => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
};

/** Keys of the clip on a strip of time, and the curves of the chosen joint below: while poses are made. */
export class KeyStrip {
    readonly element: HTMLElement;
    private readonly strip = h('div', { class: 'strip', role: 'group', 'aria-label': 'Keys of the clip' });
    private readonly curves = h('div', { class: 'curves' });
    private readonly said = h('p', { class: 'hint grow' });
    private readonly between = choice([['smooth', 'Smooth'], ['linear', 'Straight'], ['step', 'Steps']], 'smooth', (value) => void this.keys.setInterpolation(value as Interpolation));
    private readonly set = button('Set key', () => void this.keys.set(), { class: 'primary', title: 'The pose on show becomes the key at the cursor (K)' });
    private readonly begin = button('New clip of keys', () => void this.keys.begin(this.freeName()));
    private readonly close = button('Close the loop', () => void this.keys.close());
    private readonly drop = button('Drop key', () => this.dropHere());
    private readonly apart = tick('Break handles', false);
    private on = false;
    private drawn = 0;

    constructor(private readonly app: App, private readonly keys: Keys) {
        this.between.setAttribute('aria-label', 'Between keys');
        this.element = h('section', { class: 'keys', hidden: true, 'aria-label': 'Keys' },
            h('div', { class: 'row' }, this.begin, this.set, this.drop, this.close, this.between, this.apart.element, this.said), this.strip, this.curves);
        this.strip.addEventListener('pointerdown', (event) => event.target === this.strip && this.scrub(event));
        const refresh = (): void => this.refresh();
        app.viewer.player.changed.watch(refresh);
        app.viewer.selected.watch(refresh);
        keys.cursor.watch(refresh);
        addEventListener('keydown', (event) => {
            if (!this.on || event.key.toLowerCase() !== 'k' || event.ctrlKey || event.metaKey || event.altKey || (event.target as HTMLElement).matches('input, select, textarea')) return;
            event.preventDefault();
            void this.keys.set();
        });
    }

    show(on: boolean): void {
        this.on = on;
        this.refresh();
    }

    /** Seconds that the strip is long: more than the clip is, for keys that are to come. */
    private get span(): number {
        return Math.max(2, 1.25 * Math.max(this.app.viewer.player.duration, this.keys.cursor.value));
    }

    private freeName(): string {
        const taken = new Set(this.app.viewer.character.value?.clips.map(({ name }) => name));
        for (let k = 1; ; ++k) if (!taken.has(`keys ${k}`)) return `keys ${k}`;
    }

    private refresh(): void {
        const { viewer, session } = this.app;
        this.element.hidden = !this.on || !session.isRigged;
        if (this.element.hidden || viewer.player.playing) return;
        const clip = this.keys.clip;
        for (const part of [this.set, this.drop, this.close, this.between, this.strip]) part.hidden = !clip;
        this.curves.hidden = !clip || clip.times.length < 2 || viewer.selected.value < 0;
        this.apart.element.hidden = this.curves.hidden || clip?.interpolation !== 'smooth';
        this.said.textContent = clip ? '' : viewer.player.clip ? `${viewer.player.clip.name} has too many keys to set by hand.` : 'Pose it, begin a clip, go on in time, pose it again.';
        if (!clip) return;
        this.between.value = clip.interpolation;
        const here = clip.times.findIndex((time) => Math.abs(time - this.keys.cursor.value) < frame / 2);
        this.drop.disabled = here < 0 || clip.times.length < 2;
        this.said.textContent = `${this.keys.cursor.value.toFixed(2)} s${here < 0 ? '' : `, key ${here + 1} of ${clip.times.length}`}`;
        const focused = (document.activeElement as HTMLElement | null)?.dataset.key;
        fill(this.strip, h('div', { class: 'cursor', style: `left: ${this.percent(this.keys.cursor.value)}` }), ...clip.times.map((time, k) => this.diamond(time, k, k === here)));
        if (focused !== undefined) this.strip.querySelector<HTMLElement>(`[data-key="${focused}"]`)?.focus();
        if (!this.curves.hidden) void this.drawCurves(++this.drawn).catch(() => undefined);
    }

    private percent(time: number): string {
        return `${((100 * time) / this.span).toFixed(3)}%`;
    }

    private timeAt(event: PointerEvent): number {
        const { left, width } = this.strip.getBoundingClientRect();
        return Math.max(0, Math.round(((event.clientX - left) / width) * this.span / frame) * frame);
    }

    private scrub(event: PointerEvent): void {
        this.keys.seek(this.timeAt(event));
        this.strip.setPointerCapture(event.pointerId);
        const move = (to: PointerEvent): void => this.keys.seek(this.timeAt(to));
        this.strip.addEventListener('pointermove', move);
        this.strip.addEventListener('pointerup', () => this.strip.removeEventListener('pointermove', move), { once: true });
    }

    private diamond(time: number, key: number, here: boolean): HTMLElement {
        const control = h('button', { type: 'button', class: 'key', style: `left: ${this.percent(time)}`, 'data-key': `${key}`, 'aria-label': `Key at ${time.toFixed(2)} s; arrows move it, Delete drops it`, 'aria-current': `${here}` });
        control.addEventListener('pointerdown', (event) => {
            event.stopPropagation();
            const from = event.clientX;
            let to = time;
            control.setPointerCapture(event.pointerId);
            const move = (now: PointerEvent): void => {
                if (Math.abs(now.clientX - from) < 3) return;
                to = this.timeAt(now);
                control.style.left = this.percent(to);
            };
            control.addEventListener('pointermove', move);
            control.addEventListener('pointerup', () => {
                control.removeEventListener('pointermove', move);
                if (to === time) this.keys.seek(time);
                else void this.keys.move(key, to);
            }, { once: true });
        });
        control.addEventListener('click', (event) => event.detail === 0 && this.keys.seek(time));
        control.addEventListener('keydown', (event) => {
            const by = { ArrowLeft: -frame, ArrowRight: frame }[event.key];
            if (!by && event.key !== 'Delete') return;
            event.preventDefault();
            event.stopPropagation();
            void (by ? this.keys.move(key, time + by) : this.keys.drop(key));
        });
        return control;
    }

    private dropHere(): void {
        const { clip } = this.keys;
        const here = clip?.times.findIndex((time) => Math.abs(time - this.keys.cursor.value) < frame / 2) ?? -1;
        if (here >= 0) void this.keys.drop(here);
    }

    /** The rotation of the chosen joint over time, degrees from its rest about its own axes; points of keys can be dragged. */
    private async drawCurves(generation: number): Promise<void> {
        const { viewer } = this.app;
        const { hand } = this.keys.poser;
        const clip = this.keys.clip!;
        const joint = viewer.character.value!.joints[viewer.selected.value]!;
        const shape = await hand.open();
        const live = hand.jointOf(shape, viewer.selected.value);
        const end = clip.times.at(-1)!;
        const here = clip.interpolation === 'smooth' ? clip.times.findIndex((time) => Math.abs(time - this.keys.cursor.value) < frame / 2) : -1;
        // Before and behind the key at the cursor, where there is something.
        const sides = here < 0 ? [] : ([-1, 1] as Side[]).filter((side) => clip.times[here + side] !== undefined);
        const around = sides.map((side) => Math.fround(clip.times[here]!) + side * slopeTime);
        const times = [...Array.from({ length: samples + 1 }, (_, k) => (end * k) / samples), ...clip.times.map(Math.fround), ...around];
        if (live < 0) return;
        const poses = await hand.live(shape, 'poses', clip.index, times);
        if (generation !== this.drawn) return;
        const size = 10 * shape.nodes.length;
        const angles = times.map((_, k) => anglesOf(new THREE.Quaternion().fromArray(poses, size * k + 10 * live + 3), joint.rest));
        const most = Math.max(30, ...angles.flat().map(Math.abs)) * 1.1;
        const x = (time: number): number => (1000 * time) / this.span;
        const y = (angle: number): number => curveHeight / 2 - (angle / most) * (curveHeight / 2 - 6);
        const picture = svg('svg', { viewBox: `0 0 1000 ${curveHeight}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `Curves of ${joint.name}: up to ${Math.round(most)} degrees from its rest` });
        picture.append(svg('line', { x1: '0', x2: '1000', y1: `${curveHeight / 2}`, y2: `${curveHeight / 2}`, class: 'zero' }));
        axes.forEach((axis, a) => picture.append(svg('polyline', { class: axis, points: angles.slice(0, samples + 1).map((three, k) => `${x(times[k]!).toFixed(1)},${y(three[a]!).toFixed(1)}`).join(' ') })));
        const points = clip.times.flatMap((time, key) => axes.map((axis, a) => this.point(axis, a, key, angles[samples + 1 + key]!, (x(time) / 10).toFixed(3), y, most, joint.rest)));
        const at = angles[samples + 1 + here]!;
        const slopes = new Map(sides.map((side, s) => [side, at.map((angle, k) => (side * wrapped(angles[times.length - sides.length + s]![k]! - angle)) / slopeTime)]));
        const handles = sides.flatMap((side) => axes.map((axis, a) => this.handle(axis, a, side, here, at, slopes, joint.rest, x, y, most, picture)));
        fill(this.curves, picture, ...points, ...handles, h('span', { class: 'scale' }, `±${Math.round(most)}°`));
    }

    /** How steeply one of the curves comes to a key or goes from it: a point that is dragged up and down, and the other side with it unless handles are broken. */
    private handle(axis: string, a: number, side: Side, key: number, angles: number[], slopes: Map<Side, number[]>, rest: THREE.Quaternion, x: (time: number) => number, y: (angle: number) => number, most: number, picture: SVGElement): HTMLElement {
        const time = this.keys.clip!.times[key]!, reach = side * handleShare * this.span, now = slopes.get(side)![a]!;
        const inside = (slope: number): number => Math.max(-most, Math.min(most, angles[a]! + slope * reach));
        const line = svg('line', { class: `handle ${axis}`, x1: `${x(time)}`, y1: `${y(angles[a]!)}`, x2: `${x(time + reach)}`, y2: `${y(inside(now))}` });
        picture.append(line);
        const control = h('button', {
            type: 'button', class: `point handle ${axis}`, style: `left: ${(x(time + reach) / 10).toFixed(3)}%; top: ${y(inside(now))}px`,
            'aria-label': `${axis.toUpperCase()} ${side < 0 ? 'comes to' : 'goes from'} key ${key + 1} at ${now.toFixed(0)} degrees a second; arrows change it, Delete smooths the key`,
        });
        const set = (slope: number): void => {
            // A side where the clip has nothing is as the other one.
            const velocities = ([-1, 1] as Side[]).map((one) => {
                const moves = one === side || !this.apart.input.checked;
                return velocityOf(angles, (slopes.get(one) ?? slopes.get(side)!).map((old, k) => (k === a && moves ? slope : old)), rest);
            });
            void this.keys.slope(key, this.app.viewer.selected.value, velocities as [THREE.Vector3, THREE.Vector3]);
        };
        control.addEventListener('keydown', (event) => {
            const by = { ArrowUp: 15, ArrowDown: -15 }[event.key];
            if (!by && event.key !== 'Delete') return;
            event.preventDefault();
            event.stopPropagation();
            if (by) set(now + by);
            else void this.keys.slope(key, this.app.viewer.selected.value, null);
        });
        follow(control, (pixels) => {
            const slope = now - ((pixels / (curveHeight / 2 - 6)) * most) / reach;
            control.style.top = `${y(inside(slope))}px`;
            line.setAttribute('y2', `${y(inside(slope))}`);
            return () => set(slope);
        });
        return control;
    }

    private point(axis: string, a: number, key: number, angles: number[], left: string, y: (angle: number) => number, most: number, rest: THREE.Quaternion): HTMLElement {
        const control = h('button', { type: 'button', class: `point ${axis}`, style: `left: ${left}%; top: ${y(angles[a]!)}px`, 'aria-label': `${axis.toUpperCase()} at key ${key + 1}: ${angles[a]!.toFixed(0)} degrees; arrows change it` });
        const bend = (angle: number): void => {
            const all = angles.map((one, k) => (k === a ? angle : one)).map(THREE.MathUtils.degToRad);
            const rotation = new THREE.Quaternion().setFromEuler(new THREE.Euler(all[0], all[1], all[2]));
            void this.keys.rotate(key, this.app.viewer.selected.value, rest.clone().multiply(rotation));
        };
        control.addEventListener('keydown', (event) => {
            const by = { ArrowUp: 5, ArrowDown: -5 }[event.key];
            if (!by) return;
            event.preventDefault();
            event.stopPropagation();
            bend(angles[a]! + by);
        });
        follow(control, (pixels) => {
            const angle = angles[a]! - (pixels / (curveHeight / 2 - 6)) * most;
            control.style.top = `${y(angle)}px`;
            return () => bend(angle);
        });
        return control;
    }
}

/** Drags a control up and down: `move` shows it by so many pixels, and what it gives is done at the end. */
function follow(control: HTMLElement, move: (pixels: number) => () => void): void {
    control.addEventListener('pointerdown', (event) => {
        let done: (() => void) | null = null;
        control.setPointerCapture(event.pointerId);
        const moved = (now: PointerEvent): void => {
            if (done || now.clientY !== event.clientY) done = move(now.clientY - event.clientY);
        };
        control.addEventListener('pointermove', moved);
        control.addEventListener('pointerup', () => {
            control.removeEventListener('pointermove', moved);
            done?.();
        }, { once: true });
    });
}

/** Degrees from -180 to 180. */
const wrapped = (degrees: number): number => ((((degrees + 180) % 360) + 360) % 360) - 180;

/** The angular velocity about the joint's own axes of angles that change by `slopes` degrees a second. */
function velocityOf(angles: number[], slopes: number[], rest: THREE.Quaternion): THREE.Vector3 {
    const at = (time: number): THREE.Quaternion => {
        const [x, y, z] = angles.map((angle, k) => THREE.MathUtils.degToRad(angle + time * slopes[k]!));
        return rest.clone().multiply(new THREE.Quaternion().setFromEuler(new THREE.Euler(x, y, z)));
    };
    const by = at(-slopeTime).invert().multiply(at(slopeTime));
    // A small rotation is twice the axis of its quaternion.
    return new THREE.Vector3(by.x, by.y, by.z).multiplyScalar((by.w < 0 ? -2 : 2) / (2 * slopeTime));
}

function anglesOf(rotation: THREE.Quaternion, rest: THREE.Quaternion): number[] {
    const { x, y, z } = new THREE.Euler().setFromQuaternion(rest.clone().invert().multiply(rotation));
    return [x, y, z].map(THREE.MathUtils.radToDeg);
}
