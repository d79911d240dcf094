import type { App } from './app';
import { gif } from './base/gif';
import { webm } from './base/webm';
import { Cancelled } from './engine/engine';
import type { Skinning } from './skinning';

export type Camera = 'still' | 'around';

interface Film {
    frames: number;
    rate: number;
    width: number;
    height: number;
}

const turnSeconds = 4;
const videoRate = 30;
const gifRate = 20;
const gifWidth = 400;
const keyEvery = 60;
const bitsPerPixel = 0.12;
const even = (value: number): number => Math.max(2, 2 * Math.round(value / 2));

/** The clip, or an orbit of the camera round the character, as a film of what the view shows. */
export class FilmMaker {
    constructor(private readonly app: App, private readonly skinning: Skinning) {}

    /** Whether this browser makes videos. */
    static get hasVideo(): boolean {
        return 'VideoEncoder' in window;
    }

    async video(camera: Camera): Promise<Blob> {
        const { canvas, stage } = this.app.viewer;
        // The canvas has fewer pixels while the simple picture is drawn.
        await stage.settled();
        stage.now();
        const film = { ...this.plan(camera, videoRate), width: even(canvas.width), height: even(canvas.height) };
        const chunks: { bytes: Uint8Array; time: number; key: boolean }[] = [];
        const { codec, name } = await this.codec(film);
        let failure: Error | null = null;
        const encoder = new VideoEncoder({
            output: (chunk) => {
                const bytes = new Uint8Array(chunk.byteLength);
                chunk.copyTo(bytes);
                chunks.push({ bytes, time: Math.round(chunk.timestamp / 1000), key: chunk.type === 'key' });
            },
            error: (error) => (failure = error),
        });
        try {
            encoder.configure({ codec, width: film.width, height: film.height, framerate: film.rate, bitrate: bitsPerPixel * film.width * film.height * film.rate });
            await this.shoot(film, camera, async (picture, k) => {
                if (failure) throw failure;
                const frame = new VideoFrame(picture, { timestamp: Math.round((1e6 * k) / film.rate), duration: Math.round(1e6 / film.rate) });
                encoder.encode(frame, { keyFrame: k % keyEvery === 0 });
                frame.close();
                while (encoder.encodeQueueSize > 8) await new Promise((resolve) => setTimeout(resolve, 4));
            });
            await encoder.flush();
        } finally {
            if (encoder.state !== 'closed') encoder.close();
        }
        if (failure) throw failure;
        return webm(chunks, film.width, film.height, name, (1000 * film.frames) / film.rate);
    }

    async gif(camera: Camera): Promise<Blob> {
        const { canvas } = this.app.viewer;
        const scale = Math.min(1, gifWidth / canvas.width);
        const film = { ...this.plan(camera, gifRate), width: Math.round(canvas.width * scale), height: Math.round(canvas.height * scale) };
        const frames: Uint8ClampedArray[] = [];
        await this.shoot(film, camera, async (picture) => void frames.push(picture.getContext('2d')!.getImageData(0, 0, film.width, film.height).data));
        return gif(frames, film.width, film.height, 100 / gifRate, async (frame) => {
            this.tell('writing', frame, frames.length);
            await new Promise((resolve) => setTimeout(resolve));
        });
    }

    private tell(stage: string, frame: number, frames: number): void {
        const { session } = this.app;
        if (session.stopped) throw new Cancelled('cancelled');
        session.progress.value = { stage: `${stage} frame ${frame + 1} of ${frames}`, fraction: (frame + 1) / frames };
    }

    private plan(camera: Camera, rate: number): { frames: number; rate: number } {
        const { player } = this.app.viewer;
        const seconds = camera === 'around' ? Math.max(turnSeconds, player.duration) : player.clip ? player.duration : 1;
        return { frames: Math.max(1, Math.round(seconds * rate)), rate };
    }

    private async codec({ width, height }: Film): Promise<{ codec: string; name: string }> {
        for (const [codec, name] of [['vp09.00.40.08', 'V_VP9'], ['vp8', 'V_VP8']] as const) {
            if ((await VideoEncoder.isConfigSupported({ codec, width, height })).supported) return { codec, name };
        }
        throw new Error('this browser encodes neither VP9 nor VP8');
    }

    /** Each frame as the view shows it, over its ground; the player and the camera are as they were then. */
    private async shoot({ frames, rate, width, height }: Film, camera: Camera, take: (picture: HTMLCanvasElement, frame: number) => Promise<void>): Promise<void> {
        const { viewer } = this.app;
        const { player, stage } = viewer;
        const before = { time: player.time, playing: player.playing };
        const picture = document.createElement('canvas');
        Object.assign(picture, { width, height });
        const context = picture.getContext('2d', { willReadFrequently: true })!;
        const [top = '#000', low = top] = getComputedStyle(viewer.canvas.parentElement!).backgroundImage.match(/rgba?\([^)]*\)/g) ?? [];
        player.play(false);
        let orbited = 0;
        try {
            for (let k = 0; k < frames; ++k) {
                if (player.clip) player.seek((k / rate) % Math.max(player.duration, 1 / rate));
                if (camera === 'around') {
                    stage.orbit((2 * Math.PI) / frames, 0);
                    orbited += (2 * Math.PI) / frames;
                }
                await new Promise((resolve) => requestAnimationFrame(resolve));
                await this.skinning.settled();
                await stage.settled();
                stage.now();
                const ground = context.createLinearGradient(0, 0, 0, height);
                ground.addColorStop(0, top);
                ground.addColorStop(1, low);
                context.fillStyle = ground;
                context.fillRect(0, 0, width, height);
                context.drawImage(stage.shown, 0, 0, width, height);
                await take(picture, k);
                this.tell('drawing', k, frames);
            }
        } finally {
            if (orbited) stage.orbit(-orbited, 0);
            player.seek(before.time);
            player.play(before.playing);
        }
    }
}
