// A frame has 16 ms, of which others want some.
const sliceTime = 8;
const stepsBetweenLooks = 4096;

/** Takes `count` steps without holding the page up; `end` is told whether it had to wait. Stops without it when they are not wanted any more. */
export function inSlices(count: number, step: (index: number) => void, end: (later: boolean) => void, wanted: () => boolean): void {
    let at = 0;
    const slice = (later: boolean): void => {
        if (!wanted()) return;
        const begin = performance.now();
        while (at < count) {
            for (const stop = Math.min(at + stepsBetweenLooks, count); at < stop; ++at) step(at);
            if (at < count && performance.now() - begin > sliceTime) {
                setTimeout(() => slice(true));
                return;
            }
        }
        end(later);
    };
    slice(false);
}

/** Lets the page do what else it has to. */
export const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

const pieceBytes = 1 << 20;

/** Calls `act` for pieces of the bytes, in their order, each in a task of its own. */
export async function inPieces(bytes: Uint8Array, act: (piece: Uint8Array, at: number) => void): Promise<void> {
    for (let at = 0; at < bytes.length; at += pieceBytes) {
        act(bytes.subarray(at, at + pieceBytes), at);
        await nextTask();
    }
}
