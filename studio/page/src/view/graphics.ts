import { KeptChoice } from '../base/kept_choice';
import { Signal } from '../base/signal';
import { softwareName } from './detail';
import type { Painted, Painter } from './painted';
import type { Stage } from './stage';

/** By what the picture is drawn. */
export type Api = 'webgl' | 'webgpu';
export type ApiChoice = 'automatic' | Api;

/** ?gpu=webgpu in the address: for this visit what *Look* would keep. */
const asked = new URLSearchParams(location.search).get('gpu');

type Adapter = GPUAdapter & { isFallbackAdapter?: boolean };

/** A program in place of a GPU; some drivers do not say so but by their names. */
function isSoftware(adapter: Adapter): boolean {
    const { info } = adapter;
    const names = [info?.vendor, info?.architecture, info?.device, info?.description].join(' ');
    return Boolean(info?.isFallbackAdapter ?? adapter.isFallbackAdapter) || softwareName.test(names);
}

/** Pages wait longer for WebGPU in software than for WebGL 2: it is taken where it was chosen by name. */
async function hasAdapter(choice: ApiChoice): Promise<boolean> {
    const adapter = (await navigator.gpu?.requestAdapter()) as Adapter | null | undefined;
    return Boolean(adapter) && (choice === 'webgpu' || !isSoftware(adapter!));
}

/** Where there is a GPU for it WebGPU draws, else WebGL 2. */
export class Graphics {
    readonly choice = new KeptChoice<ApiChoice>('limber graphics', ['automatic', 'webgl', 'webgpu'], asked);
    /** What draws. */
    readonly api = new Signal<Api>('webgl');
    /** Why WebGPU does not, where it was chosen. */
    readonly said = new Signal('');

    /** Counts painters: one that was there before is not asked any more. */
    private turn = 0;

    constructor(private readonly stage: Stage) {
        void this.take();
    }

    async choose(choice: ApiChoice): Promise<void> {
        this.choice.choose(choice);
        await this.take();
    }

    private async take(): Promise<void> {
        const choice = this.choice.value;
        try {
            // Programs in place of GPUs draw simply, by WebGL.
            if (choice === 'webgl' || (choice === 'automatic' && this.stage.detail.simple)) return await this.leave('');
            if (await hasAdapter(choice)) return await this.begin();
            await this.leave(choice === 'automatic' ? '' : 'There is no GPU for WebGPU here.');
        } catch (error) {
            await this.leave(`WebGPU did not start: ${(error as Error).message}.`);
        }
    }

    private async begin(): Promise<void> {
        const turn = ++this.turn;
        await this.stage.paintBy((stage) => this.load(stage, turn));
        // Chosen otherwise meanwhile.
        if (turn !== this.turn) return this.stage.paintBy(null);
        this.api.value = 'webgpu';
        this.said.value = '';
    }

    private async leave(why: string): Promise<void> {
        ++this.turn;
        await this.stage.paintBy(null);
        this.api.value = 'webgl';
        this.said.value = why && `${why} WebGL 2 draws.`;
    }

    // Its bundle is as large as all else that draws.
    private async load(stage: Painted, turn: number): Promise<Painter> {
        const address = new URL('webgpu.js', document.baseURI).href;
        const { makePainter } = (await import(address)) as typeof import('../webgpu/painter');
        return makePainter(stage, (why) => turn === this.turn && void this.leave(`WebGPU draws no more: ${why}.`));
    }
}
