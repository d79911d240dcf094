import { inPieces } from '../base/slices';
import type { Handed, Handing } from './protocol';

// A message copies its bytes while the page waits.
const smallBytes = 1 << 20;
// The worker keeps what it was handed up to this much: a character goes there once, and not with every command.
const keptBytes = 128 << 20;

/** Hands large arrays to one worker, a piece a task, and each of them once for as long as the worker keeps it. */
export class Handover {
    /** By when they were last used. */
    private readonly kept = new Map<Uint8Array, number>();
    private last = 0;

    constructor(private readonly post: (handing: Handing, transfer: ArrayBuffer[]) => void) {}

    isLarge(value: unknown): value is Uint8Array {
        return value instanceof Uint8Array && value.length > smallBytes;
    }

    /** What stands for the bytes in a message from now on. */
    async give(bytes: Uint8Array): Promise<Handed> {
        const handed = this.kept.get(bytes) ?? (await this.send(bytes));
        this.kept.delete(bytes);
        this.kept.set(bytes, handed);
        return { handed };
    }

    /** Has the worker drop what was not used longest. Called once a message is on its way. */
    tidy(): void {
        let size = [...this.kept.keys()].reduce((sum, { length }) => sum + length, 0);
        for (const [bytes, dropped] of this.kept) {
            if (size <= keptBytes) return;
            size -= bytes.length;
            this.kept.delete(bytes);
            this.post({ dropped }, []);
        }
    }

    private async send(bytes: Uint8Array): Promise<number> {
        const handed = ++this.last;
        this.post({ handed, size: bytes.length }, []);
        await inPieces(bytes, (part, at) => {
            const piece = part.slice();
            this.post({ handed, at, piece }, [piece.buffer]);
        });
        return handed;
    }
}

/** In the worker: what it was handed. */
export class Inbox {
    private readonly arrays = new Map<number, Uint8Array>();

    take(handing: Handing): void {
        if ('dropped' in handing) this.arrays.delete(handing.dropped);
        else if ('size' in handing) this.arrays.set(handing.handed, new Uint8Array(handing.size));
        else this.arrays.get(handing.handed)!.set(handing.piece, handing.at);
    }

    /** The bytes that a value of a message stands for; any other value as it is. */
    find<T>(value: T | Handed): T {
        return value !== null && typeof value === 'object' && 'handed' in value ? (this.arrays.get(value.handed) as T) : (value as T);
    }
}
