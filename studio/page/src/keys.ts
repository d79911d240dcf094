import * as THREE from 'three';
import type { App } from './app';
import { Signal } from './base/signal';
import type { Poser } from './poser';

/** As LIMBER_KEYS_… */
export type Interpolation = 'linear' | 'step' | 'smooth';
const interpolations: Interpolation[] = ['linear', 'step', 'smooth'];

/** A clip that has few enough keys to be set by hand. */
export interface KeyClip {
    index: number;
    name: string;
    times: number[];
    interpolation: Interpolation;
}

const mostKeys = 48;
// Keys nearer to each other are one.
const nearest = 1 / 240;

/** The clip's key times; null where they are more than a person sets. */
function keyTimes({ tracks }: THREE.AnimationClip): number[] | null {
    const times: number[] = [];
    for (const track of tracks) {
        if (track.times.length > mostKeys) return null;
        times.push(...track.times);
    }
    times.sort((a, b) => a - b);
    const distinct = times.filter((time, k) => k === 0 || time - times[k - 1]! > 1e-4);
    return distinct.length <= mostKeys ? distinct : null;
}

function interpolationOf({ tracks }: THREE.AnimationClip): Interpolation {
    const track = tracks.find(({ times }) => times.length > 1);
    if (!track) return 'smooth';
    if ((track as unknown as { createInterpolant: { isInterpolantFactoryMethodGLTFCubicSpline?: boolean } }).createInterpolant.isInterpolantFactoryMethodGLTFCubicSpline) return 'smooth';
    return track.getInterpolation() === THREE.InterpolateDiscrete ? 'step' : 'linear';
}

/** Keys of the clip on show, set by hand. Every change makes the clip anew, by the module, and is a step of the history. */
export class Keys {
    /** Where the next key goes; beyond the clip's end it makes it longer. */
    readonly cursor = new Signal(0);

    constructor(private readonly app: App, readonly poser: Poser) {
        const { player } = app.viewer;
        player.changed.watch(() => {
            // A cursor beyond the end stays there until the player goes elsewhere.
            if (player.clip && !(player.time === player.duration && this.cursor.value > player.duration)) this.cursor.value = player.time;
        });
    }

    get clip(): KeyClip | null {
        const { player, character } = this.app.viewer;
        const times = player.clip && keyTimes(player.clip);
        const index = player.clip ? (character.value?.clips.indexOf(player.clip) ?? -1) : -1;
        return times && index >= 0 ? { index, name: player.clip!.name, times, interpolation: interpolationOf(player.clip!) } : null;
    }

    /** Moves the cursor, and the character to that moment. */
    seek(time: number): void {
        const { player } = this.app.viewer;
        player.play(false);
        player.seek(time);
        this.cursor.value = Math.max(0, time);
    }

    /** A new clip, of the pose on show. */
    begin(name: string): Promise<void> {
        return this.write(`key a new clip, ${name}`, null, async () => ({ name, times: [0], poses: await this.poseNow() }));
    }

    /** The pose on show becomes the key at the cursor. */
    async set(): Promise<void> {
        const { clip } = this;
        if (!clip) return;
        const at = this.cursor.value;
        const pose = await this.poseNow();
        await this.change(`key at ${at.toFixed(2)} s`, clip, (keys) => [...keys.filter(({ time }) => Math.abs(time - at) > nearest), { time: at, pose }]);
    }

    async drop(key: number): Promise<void> {
        const { clip } = this;
        if (!clip || clip.times.length < 2) return;
        await this.change(`key dropped at ${clip.times[key]!.toFixed(2)} s`, clip, (keys) => keys.filter((_, k) => k !== key));
    }

    async move(key: number, time: number): Promise<void> {
        const { clip } = this;
        if (!clip) return;
        const to = Math.max(0, Math.round(time * 1000) / 1000);
        if (Math.abs(to - clip.times[key]!) < 1e-4) return;
        this.cursor.value = to;
        await this.change(`key moved to ${to.toFixed(2)} s`, clip, (keys) => keys.flatMap((one, k) => (k === key ? [{ ...one, time: to }] : Math.abs(one.time - to) > nearest ? [one] : [])));
    }

    /** A joint of the picture takes another rotation at a key. */
    async rotate(key: number, joint: number, rotation: THREE.Quaternion): Promise<void> {
        const { clip } = this;
        const shape = await this.poser.hand.open();
        const live = this.poser.hand.jointOf(shape, joint);
        if (!clip || live < 0) return;
        this.cursor.value = clip.times[key]!;
        await this.change(`key bent at ${clip.times[key]!.toFixed(2)} s`, clip, (keys) => keys.map((one, k) => {
            if (k === key) one.pose.set(rotation.toArray(), 10 * live + 3);
            return one;
        }));
    }

    /** How fast a joint of the picture comes to a key and goes from it: radians a second about its own axes; null as smoothing has it. */
    async slope(key: number, joint: number, velocities: [THREE.Vector3, THREE.Vector3] | null): Promise<void> {
        const { clip } = this;
        const shape = await this.poser.hand.open();
        const live = this.poser.hand.jointOf(shape, joint);
        if (!clip || live < 0) return;
        const time = clip.times[key]!;
        this.cursor.value = time;
        await this.store(`key eased at ${time.toFixed(2)} s`, () => this.app.session.engine.live('slope', clip.index, live, time, velocities?.flatMap((velocity) => velocity.toArray()) ?? null));
    }

    async setInterpolation(interpolation: Interpolation): Promise<void> {
        const { clip } = this;
        if (clip && clip.interpolation !== interpolation) await this.change(`keys: ${interpolation}`, { ...clip, interpolation }, (keys) => keys);
    }

    /** The first pose once more at the end: it plays round and round. */
    async close(): Promise<void> {
        const { clip } = this;
        if (!clip) return;
        const end = Math.max(this.cursor.value, clip.times.at(-1)! + 0.25);
        this.cursor.value = end;
        await this.change('key the first pose again', clip, (keys) => [...keys, { time: end, pose: keys[0]!.pose.slice() }]);
    }

    private async change(step: string, clip: KeyClip, edit: (keys: { time: number; pose: Float32Array }[]) => { time: number; pose: Float32Array }[]): Promise<void> {
        await this.write(step, clip, async () => {
            const poses = await this.app.session.engine.live('poses', clip.index, clip.times.map(Math.fround));
            const size = poses.length / clip.times.length;
            const keys = edit(clip.times.map((time, k) => ({ time, pose: poses.slice(size * k, size * (k + 1)) }))).sort((a, b) => a.time - b.time);
            const all = new Float32Array(size * keys.length);
            keys.forEach(({ pose }, k) => all.set(pose, size * k));
            return { name: clip.name, times: keys.map(({ time }) => time), poses: all };
        });
    }

    private write(step: string, clip: KeyClip | null, make: () => Promise<{ name: string; times: number[]; poses: Float32Array }>): Promise<void> {
        return this.store(step, async () => {
            const { name, times, poses } = await make();
            return this.app.session.engine.live('keys', clip?.index ?? -1, name, times, poses, interpolations.indexOf(clip?.interpolation ?? 'smooth'));
        });
    }

    /** A step of the history: what the text that `make` gives does, with the clip, which is the first, on show. */
    private async store(step: string, make: () => Promise<string>): Promise<void> {
        const { session, viewer } = this.app;
        const { hand } = this.poser;
        const at = this.cursor.value;
        try {
            await hand.settled();
            await session.finish();
            await hand.open();
            hand.adopted((await session.keys(await make(), step)) !== null);
            viewer.player.select(viewer.character.value?.clips[0] ?? null);
            this.seek(at);
        } catch (error) {
            hand.adopted(false);
            hand.fail(error);
        }
    }

    private async poseNow(): Promise<Float32Array> {
        return this.poser.hand.read(await this.poser.hand.open());
    }
}
