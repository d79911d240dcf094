// How often is asked whether the GPU is done.
const pollMs = 4;
// An answer that takes longer says that the browser itself has the GPU draw: panels that have just come for one.
const promptMs = 12;
const patienceMs = 300;

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, pollMs));

/** What WebGL was asked for and has not drawn yet. Whoever asks it a question meanwhile, hands it large arrays or gives its
 * canvas another size holds the page up until all of that is drawn. */
export class GpuQueue {
    private fence: WebGLSync | null = null;

    constructor(private readonly context: WebGL2RenderingContext) {}

    /** All that was asked for by now is waited for. */
    mark(): void {
        const { context } = this;
        context.deleteSync(this.fence);
        this.fence = context.fenceSync(context.SYNC_GPU_COMMANDS_COMPLETE, 0);
    }

    /** Whether what was marked last is drawn. Within a task the answer stays the same. */
    get isEmpty(): boolean {
        const { context } = this;
        if (this.fence && context.clientWaitSync(this.fence, 0, 0) === context.TIMEOUT_EXPIRED) return false;
        context.deleteSync(this.fence);
        this.fence = null;
        return true;
    }

    /** Until all is drawn that was asked for by now, or later and marked. */
    async emptied(): Promise<void> {
        this.mark();
        this.context.flush();
        while (!this.isEmpty) await pause();
    }

    /** The same, and until the GPU answers at once, as far as it ever does. */
    async calm(): Promise<void> {
        const end = performance.now() + patienceMs;
        for (let asked = 0; asked < end; ) {
            asked = performance.now();
            await this.emptied();
            if (performance.now() - asked < promptMs) return;
        }
    }

    /** Until all programs that were begun are there: aside, where the browser makes them so, or after all that was asked for
     * before them. */
    async made(programs: { isReady(): boolean }[]): Promise<void> {
        const { context } = this;
        // A lost context has none, and tells nothing.
        while (!context.isContextLost() && !programs.every((program) => program.isReady())) await pause();
        // One of its own: pictures that are drawn meanwhile mark others, again and again.
        const fence = context.fenceSync(context.SYNC_GPU_COMMANDS_COMPLETE, 0);
        context.flush();
        while (fence && !context.isContextLost() && context.clientWaitSync(fence, 0, 0) === context.TIMEOUT_EXPIRED) await pause();
        context.deleteSync(fence);
    }
}
