import { KeptChoice } from '../base/kept_choice';

/** What the user wants to see: all of the picture, the simple one, or by how fast pictures are drawn. */
export type PictureChoice = 'automatic' | 'full' | 'simple';

/** By what programs in place of GPUs call themselves. */
export const softwareName = /swiftshader|llvmpipe|lavapipe|softpipe|software|basic render/i;

// Frames that take longer are slow: this many of them are looked at, for a single one may have waited for something else.
const slowSeconds = 0.05;
const measuredFrames = 15;

/** Whether this browser's WebGL is a program and not a GPU. On a context of its own: that of the page has to know before. */
function drawnBySoftware(): boolean {
    const gl = document.createElement('canvas').getContext('webgl2');
    if (!gl) return false;
    const name = gl.getExtension('WEBGL_debug_renderer_info');
    return softwareName.test(String(gl.getParameter(name ? name.UNMASKED_RENDERER_WEBGL : gl.RENDERER)));
}

/** How much of the picture is drawn: all of it, or, where that takes too long, a simple one until nothing moves. */
export class Detail {
    readonly choice = new KeptChoice<PictureChoice>('limber picture', ['automatic', 'full', 'simple']);
    /** Whether edges are smoothed; for as long as the page lives. */
    readonly antialias: boolean;
    private slow: boolean;
    private readonly seconds: number[] = [];

    constructor() {
        this.slow = this.choice.value === 'automatic' && drawnBySoftware();
        this.antialias = !this.slow && this.choice.value !== 'simple';
    }

    /** What is drawn while something moves. */
    get simple(): boolean {
        return this.choice.value === 'simple' || (this.choice.value === 'automatic' && this.slow);
    }

    /** What is drawn once nothing moves, and of what is handed out. */
    get simpleAtRest(): boolean {
        return this.choice.value === 'simple';
    }

    /** The time from one frame to the next of a movement. */
    measure(seconds: number): void {
        if (this.slow || this.seconds.push(seconds) < measuredFrames) return;
        this.slow = this.seconds.sort((a, b) => a - b)[measuredFrames >> 1]! > slowSeconds;
        this.seconds.length = 0;
    }
}
