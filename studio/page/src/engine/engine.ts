import { Handover } from './handover';
import type { LiveCall, LiveModule } from './live_module';
import type { Progress } from './module';
import type { Picture } from './picture';
import type { Files, Handed, Named, Reply, Request, Result } from './protocol';

/** A command was stopped by the user. */
export class Cancelled extends Error {}

/** The module stopped dead inside a command; the next one starts in a new one. */
export class Trapped extends Error {}

interface Waiting {
    resolve(value: unknown): void;
    reject(error: Error): void;
}

/** Runs commands in a worker, one after the other. */
export class Engine {
    private worker: Worker | null = null;
    private handover: Handover | null = null;
    /** Requests that wait for what they need to be handed over, and for those before them. */
    private queue: Promise<void> | null = null;
    private readonly waiting = new Map<number, Waiting>();
    private last = 0;
    /** Called while a command runs. */
    progressed: (progress: Progress) => void = () => {};

    run(args: string[], files: Files = new Map()): Promise<Result> {
        return this.ask([...files.values()], (id, bytes) => ({ id, args, files: new Map([...files.keys()].map((name, k) => [name, bytes[k]!])) })) as Promise<Result>;
    }

    /** What a GLB is to be drawn as. */
    picture(glb: Uint8Array): Promise<Picture> {
        return this.ask([glb], (id, [bytes]) => ({ id, picture: bytes! })) as Promise<Picture>;
    }

    /** What other files a file names. The bytes are lent: they come back, and are of no use here until then. */
    naming(name: string, bytes: Uint8Array): Promise<Named> {
        return this.ask([], (id) => ({ id, naming: name, bytes }), [bytes.buffer]) as Promise<Named>;
    }

    /** A small picture as a file; it is handed over. */
    encode(bitmap: ImageBitmap): Promise<Blob> {
        return this.ask([], (id) => ({ id, bitmap }), [bitmap]) as Promise<Blob>;
    }

    /** Calls the character that is open by hand; after `cancel` it is not open any more. */
    live<C extends LiveCall>(call: C, ...args: Parameters<LiveModule[C]>): Promise<ReturnType<LiveModule[C]>> {
        return this.ask(args as unknown[], (id, given) => ({ id, live: call, args: given })) as Promise<ReturnType<LiveModule[C]>>;
    }

    /** Tells one worker from the one after it. */
    get generation(): Worker | null {
        return this.worker;
    }

    /** Asks in order. Of `values` the request gets what stands for them in the worker. */
    private ask<T>(values: T[], request: (id: number, values: (T | Handed)[]) => Request, lent: (ArrayBufferLike | ImageBitmap)[] = []): Promise<unknown> {
        const worker = (this.worker ??= this.start());
        const handover = this.handover!;
        const id = ++this.last;
        const post = (given: (T | Handed)[]): void => {
            // Ended meanwhile, and whoever waits was told.
            if (worker !== this.worker) return;
            worker.postMessage(request(id, given), lent as Transferable[]);
            handover.tidy();
        };
        return new Promise((resolve, reject) => {
            this.waiting.set(id, { resolve, reject });
            if (!this.queue && !values.some(handover.isLarge)) return post(values);
            const queue = (this.queue ?? Promise.resolve()).then(async () => {
                const given: (T | Handed)[] = [];
                for (const value of values) given.push(worker === this.worker && handover.isLarge(value) ? await handover.give(value) : value);
                post(given);
            }).catch(reject);
            this.queue = queue;
            void queue.then(() => this.queue === queue && (this.queue = null));
        });
    }

    /** Stops whatever runs: a busy worker hears nothing, so it is ended and another one made when it is needed. */
    cancel(): void {
        this.drop(new Cancelled('cancelled'));
    }

    private drop(error: Error): void {
        this.worker?.terminate();
        this.worker = this.handover = this.queue = null;
        for (const { reject } of this.waiting.values()) reject(error);
        this.waiting.clear();
    }

    private start(): Worker {
        const worker = new Worker(new URL('worker.js', document.baseURI), { type: 'module' });
        worker.onmessage = (event: MessageEvent<Reply>) => this.settle(event.data);
        worker.onerror = (event) => this.drop(new Trapped(event.message || 'the worker could not be started'));
        this.handover = new Handover((handing, transfer) => worker.postMessage(handing, transfer));
        return worker;
    }

    private settle(reply: Reply): void {
        if ('progress' in reply) return this.progressed(reply.progress);
        const waiting = this.waiting.get(reply.id);
        this.waiting.delete(reply.id);
        if ('result' in reply) waiting?.resolve(reply.result);
        else if ('value' in reply) waiting?.resolve(reply.value);
        else if ('picture' in reply) waiting?.resolve(reply.picture);
        else if ('named' in reply) waiting?.resolve(reply.named);
        else if ('encoded' in reply) waiting?.resolve(reply.encoded);
        else waiting?.reject(new Trapped(reply.trap));
    }
}
