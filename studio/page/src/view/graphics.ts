import { Signal } from '../base/signal';
import type { Painted, Painter } from './painted';
import type { Stage } from './stage';

/** By what the picture is drawn. */
export type Api = 'webgl' | 'webgpu';

const key = 'limber graphics';

/** In the address: ?gpu=webgpu, where a program will do in place of a GPU. */
const asked = new URLSearchParams(location.search).get('gpu');

function kept(): Api {
    try {
        return localStorage.getItem(key) === 'webgpu' ? 'webgpu' : 'webgl';
    } catch {
        return 'webgl';
    }
}

/** WebGL 2 draws, or WebGPU where that is chosen and starts. */
export class Graphics {
    /** What draws. */
    readonly api = new Signal<Api>('webgl');
    /** Why WebGPU does not, where it was to. */
    readonly said = new Signal('');

    constructor(private readonly stage: Stage) {
        if (asked === 'webgpu' || (asked === null && kept() === 'webgpu')) void this.take('webgpu');
    }

    static get hasWebGPU(): boolean {
        return 'gpu' in navigator;
    }

    async choose(api: Api): Promise<void> {
        try {
            localStorage.setItem(key, api);
        } catch {
            // A browser that keeps nothing begins with WebGL 2.
        }
        await this.take(api);
    }

    private async take(api: Api): Promise<void> {
        try {
            await this.stage.paintBy(api === 'webgpu' ? (stage) => this.load(stage) : null);
            this.api.value = api;
            this.said.value = '';
        } catch (error) {
            await this.fail(`WebGPU did not start: ${(error as Error).message}.`);
        }
    }

    private async fail(why: string): Promise<void> {
        await this.stage.paintBy(null);
        this.api.value = 'webgl';
        this.said.value = `${why} WebGL 2 draws.`;
    }

    private async load(stage: Painted): Promise<Painter> {
        const address = new URL('webgpu.js', document.baseURI).href;
        const { makePainter } = (await import(address)) as typeof import('../webgpu/painter');
        return makePainter(stage, asked === 'webgpu', (why) => void this.fail(`WebGPU draws no more: ${why}`));
    }
}
