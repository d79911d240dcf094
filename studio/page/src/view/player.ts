import * as THREE from 'three';
import { Signal } from '../base/signal';

export type LoopMode = 'loop' | 'once' | 'bounce';

// Keys that are farther apart are set by hand, and not frames.
const leastRate = 12;
const usualRate = 30;

/** Frames a second of a clip: those of its busiest track, as near to a whole number as it comes. */
export function frameRate(clip: THREE.AnimationClip): number {
    let most: ArrayLike<number> = [];
    for (const track of clip.tracks) if (track.times.length > most.length) most = track.times;
    const span = most.length > 1 ? most[most.length - 1]! - most[0]! : 0;
    const rate = span > 0 ? Math.round((most.length - 1) / span) : 0;
    return rate < leastRate ? usualRate : rate;
}

/** Where in a clip a character is, and how it goes on. */
export class Player {
    readonly changed = new Signal(0);
    time = 0;
    speed = 1;
    mode: LoopMode = 'loop';
    playing = false;
    clip: THREE.AnimationClip | null = null;
    fps = 30;
    /** Called before the clip poses the joints, or stops doing so: they are to stand as it left them. */
    onPosing: () => void = () => {};
    private mixer: THREE.AnimationMixer | null = null;
    private action: THREE.AnimationAction | null = null;
    private direction = 1;
    private rest: { node: THREE.Object3D; position: THREE.Vector3; rotation: THREE.Quaternion; scale: THREE.Vector3 }[] = [];

    attach(root: THREE.Object3D | null): void {
        this.select(null);
        this.mixer = root ? new THREE.AnimationMixer(root) : null;
        this.rest = [];
        root?.traverse((node) => this.rest.push({ node, position: node.position.clone(), rotation: node.quaternion.clone(), scale: node.scale.clone() }));
    }

    /** Null is the rest pose. */
    select(clip: THREE.AnimationClip | null): void {
        this.onPosing();
        if (this.mixer && this.action) {
            this.action.stop();
            this.mixer.uncacheRoot(this.mixer.getRoot());
        }
        this.clip = clip;
        this.action = null;
        this.direction = 1;
        this.playing = false;
        for (const { node, position, rotation, scale } of this.rest) {
            node.position.copy(position);
            node.quaternion.copy(rotation);
            node.scale.copy(scale);
        }
        if (clip && this.mixer) {
            this.fps = frameRate(clip);
            this.action = this.mixer.clipAction(clip);
            this.action.setLoop(THREE.LoopOnce, 1).clampWhenFinished = true;
            this.action.play();
        }
        this.seek(0);
    }

    get duration(): number {
        return this.clip?.duration ?? 0;
    }

    get frames(): number {
        return Math.max(1, Math.round(this.duration * this.fps));
    }

    get frame(): number {
        return Math.round(this.time * this.fps);
    }

    seek(time: number): void {
        this.onPosing();
        this.time = THREE.MathUtils.clamp(time, 0, this.duration);
        if (this.mixer && this.action) {
            // Without the two a finished action would not move back.
            this.action.paused = false;
            this.action.enabled = true;
            this.action.time = this.time;
            this.mixer.update(0);
        }
        this.tell();
    }

    seekFrame(frame: number): void {
        this.seek(THREE.MathUtils.clamp(frame, 0, this.frames) / this.fps);
    }

    play(playing: boolean): void {
        this.onPosing();
        this.playing = playing && this.clip !== null;
        if (this.playing && this.mode === 'once' && this.time >= this.duration) this.seek(0);
        this.tell();
    }

    tell(): void {
        this.changed.value++;
    }

    /** Goes on by real seconds; whether it moves. */
    advance(seconds: number): boolean {
        if (!this.playing || this.duration === 0) return false;
        let time = this.time + this.direction * this.speed * seconds;
        if (this.mode === 'loop') {
            time %= this.duration;
        } else if (this.mode === 'bounce') {
            if (time > this.duration || time < 0) {
                this.direction = time < 0 ? 1 : -1;
                time = THREE.MathUtils.clamp(time < 0 ? -time : 2 * this.duration - time, 0, this.duration);
            }
        } else if (time >= this.duration) {
            time = this.duration;
            this.playing = false;
        }
        this.seek(time);
        return this.playing;
    }
}
