import type { LimberModule } from './module';

/** One module, opened when it is needed, and another one after it was dropped. */
export class Held<T extends LimberModule> {
    private opened: Promise<T> | null = null;

    /** `isCall` tells which errors are a call's answer: the module is the same after them. */
    constructor(private readonly open: () => Promise<T>, private readonly isCall: (error: unknown) => boolean) {}

    /** Calls `act`. After any other error the module is not to be trusted, and goes; what it said stands before the error. */
    async use<R>(act: (module: T) => R): Promise<R> {
        for (;;) {
            const opened = (this.opened ??= this.open());
            const module = await opened.catch((error: unknown) => {
                this.opened = null;
                throw error;
            });
            // A request before this one may have dropped what both waited for.
            if (opened !== this.opened) continue;
            try {
                return act(module);
            } catch (error) {
                if (this.isCall(error)) throw error;
                this.drop(module);
                const said = isTrap(error) ? module.messages().trim() : '';
                throw new Error([said, reasonOf(error)].filter(Boolean).join('\n'));
            }
        }
    }

    drop(module: T): void {
        this.opened = null;
        module.end();
    }
}

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What the engine throws, not the module's own code. */
export const isTrap = (error: unknown): boolean => error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
