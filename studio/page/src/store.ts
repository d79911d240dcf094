import { blobOf } from './base/blob';
import type { DocumentState, Parts } from './document';
import type { Files } from './engine/protocol';

/** What a list of documents says of one. */
export interface Listed {
    id: string;
    title: string;
    /** What was done last, and how many steps there are. */
    step: string;
    steps: number;
    bytes: number;
    /** Milliseconds since 1970. */
    when: number;
    /** The address that it was opened by, as far as that names what to open. */
    origin: string;
}

type Kept = Listed & { state: DocumentState };

// Of documents that lie here; the one that was not looked at longest goes first.
const most = 8;

const done = <T>(request: IDBRequest<T>): Promise<T> => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the browser keeps nothing'));
});
const whole = (transaction: IDBTransaction): Promise<void> => new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = transaction.onerror = () => reject(transaction.error ?? new Error('the browser keeps nothing'));
});
// The browser copies bytes while the page waits, and a blob's elsewhere.
const mostBytes = 1 << 20;

const storable = async (bytes: Uint8Array): Promise<Uint8Array | Blob> => (bytes.length > mostBytes ? blobOf(bytes) : bytes);
const bytesOf = async (kept: Uint8Array | Blob): Promise<Uint8Array> => (kept instanceof Blob ? new Uint8Array(await kept.arrayBuffer()) : kept);
const filesOf = (id: string): IDBKeyRange => IDBKeyRange.bound([id, ''], [id, []]);

/** Documents in the browser's own store: nothing leaves the machine. */
export class Store {
    private constructor(private readonly base: IDBDatabase) {}

    static async open(): Promise<Store> {
        const request = indexedDB.open('limber', 1);
        request.onupgradeneeded = () => {
            request.result.createObjectStore('documents', { keyPath: 'id' });
            request.result.createObjectStore('files');
            request.result.createObjectStore('pictures');
        };
        return new Store(await done(request));
    }

    /** The newest first. */
    async list(): Promise<Listed[]> {
        const all = (await done(this.base.transaction('documents').objectStore('documents').getAll())) as Kept[];
        return all.map(({ state: _, ...listed }) => listed).sort((a, b) => b.when - a.when);
    }

    async picture(id: string): Promise<string | undefined> {
        return done(this.base.transaction('pictures').objectStore('pictures').get(id) as IDBRequest<string | undefined>);
    }

    async setPicture(id: string, picture: string): Promise<void> {
        const transaction = this.base.transaction('pictures', 'readwrite');
        transaction.objectStore('pictures').put(picture, id);
        return whole(transaction);
    }

    async read(id: string): Promise<{ listed: Listed; parts: Parts } | null> {
        const transaction = this.base.transaction(['documents', 'files']);
        const store = transaction.objectStore('files');
        const [kept, keys, values] = await Promise.all([
            done(transaction.objectStore('documents').get(id) as IDBRequest<Kept | undefined>),
            done(store.getAllKeys(filesOf(id))) as Promise<[string, string][]>, done(store.getAll(filesOf(id))) as Promise<(Uint8Array | Blob)[]>,
        ]);
        if (!kept) return null;
        const { state, ...listed } = kept;
        const bytes = await Promise.all(values.map(bytesOf));
        return { listed, parts: { state, files: new Map(keys.map(([, name], k) => [name, bytes[k]!])) } };
    }

    /** `fresh` are files that are not there yet; those that the document does not have any more go. */
    async write(listed: Listed, state: DocumentState, fresh: Files, gone: string[]): Promise<void> {
        const values: [string, Uint8Array | Blob][] = [];
        for (const [name, bytes] of fresh) values.push([name, await storable(bytes)]);
        const transaction = this.base.transaction(['documents', 'files'], 'readwrite');
        const files = transaction.objectStore('files');
        for (const [name, value] of values) files.put(value, [listed.id, name]);
        for (const name of gone) files.delete([listed.id, name]);
        transaction.objectStore('documents').put({ ...listed, state } satisfies Kept);
        await whole(transaction);
    }

    async remove(id: string): Promise<void> {
        const transaction = this.base.transaction(['documents', 'files', 'pictures'], 'readwrite');
        transaction.objectStore('documents').delete(id);
        transaction.objectStore('pictures').delete(id);
        transaction.objectStore('files').delete(filesOf(id));
        await whole(transaction);
    }

    /** Drops what is too much, but not this one. Gives how many went. */
    async tidy(own: string, room = most): Promise<number> {
        const others = (await this.list()).filter(({ id }) => id !== own).slice(room - 1);
        for (const { id } of others) await this.remove(id);
        return others.length;
    }
}
