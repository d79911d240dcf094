import type { App } from './app';
import { Signal } from './base/signal';
import { putTogether, takeApart } from './document';
import { Store, type Listed } from './store';
import { thumbnail } from './view/thumbnail';

/** Whether the browser has what was done: null while there is nothing. */
export type Kept = 'kept' | 'writing' | 'failed' | null;

const tabKey = 'limber document';
const pictureSize = 96;
// A page that goes gives its document back by then.
const lockMs = 1500;

/** Which document the tab has, over a reload; a browser that keeps nothing throws at the name alone. */
const tab = {
    get(): string | null {
        try {
            return sessionStorage.getItem(tabKey);
        } catch {
            return null;
        }
    },
    set(id: string | null): void {
        try {
            if (id === null) sessionStorage.removeItem(tabKey);
            else sessionStorage.setItem(tabKey, id);
        } catch {
            // It is found on the first screen then.
        }
    },
};

function newId(): string {
    return [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** What of the address names something to open. */
export function originOf(hash: string): string {
    const { file = '', sample = '' } = Object.fromEntries(new URLSearchParams(hash.slice(1)));
    return file ? `file=${file}` : sample ? `sample=${sample}` : '';
}

// Two tabs with one document (a tab that was duplicated) would write over each other.
async function claim(id: string): Promise<boolean> {
    if (!('locks' in navigator)) return true;
    return new Promise((resolve) => {
        const held = navigator.locks.request(`limber ${id}`, { signal: AbortSignal.timeout(lockMs) }, () => {
            resolve(true);
            return new Promise(() => {});
        });
        held.catch(() => resolve(false));
    });
}

/** Keeps the document in the browser after every step, and brings it back after a reload. */
export class Keeper {
    readonly state = new Signal<Kept>(null);
    private readonly store: Promise<Store>;
    private id = newId();
    private origin = originOf(location.hash);
    /** What lies in the store by now. */
    private written = new Map<string, Uint8Array>();
    /** What is about to be opened, where it lies in the store. */
    private coming: { id: string; files: Map<string, Uint8Array> } | null = null;
    /** The document that other tabs are told is this one's. */
    private claimed = '';
    private working = false;
    private due = false;
    private pictured = true;

    constructor(private readonly app: App) {
        this.store = Store.open();
        this.store.catch(() => {});
        app.session.replaced = () => this.change();
        app.session.history.changed.watch(() => void this.keep());
        // Lines of the log come after the step.
        app.session.busy.watch((busy) => busy === null && void this.keep());
        app.viewer.stage.after.add(() => this.takePicture());
    }

    /** Documents that can be gone on with; none where the browser keeps nothing. */
    async list(): Promise<(Listed & { picture: string | undefined })[]> {
        try {
            const store = await this.store;
            return await Promise.all((await store.list()).map(async (listed) => ({ ...listed, picture: await store.picture(listed.id) })));
        } catch {
            return [];
        }
    }

    async forget(id: string): Promise<void> {
        await (await this.store).remove(id);
    }

    /** What this tab had before it was loaded anew, unless the address names something else by now. */
    async resume(): Promise<boolean> {
        const id = tab.get();
        if (!id) return false;
        try {
            const listed = (await (await this.store).list()).find((one) => one.id === id);
            if (!listed || listed.origin !== this.origin) return false;
        } catch {
            return false;
        }
        return this.open(id);
    }

    /** Opens a document of the store in place of what is there. */
    async open(id: string): Promise<boolean> {
        const done = await this.app.session.reopenDocument('Opening what was kept', async () => {
            const found = await (await this.store).read(id);
            if (!found) throw new Error('it is not in this browser any more');
            const document = putTogether(found.parts);
            this.coming = (await claim(id)) ? { id, files: new Map(found.parts.files) } : null;
            return document;
        });
        return done !== null;
    }

    /** Nothing is on the stage any more; what was there lies in the browser. */
    async leave(): Promise<void> {
        while (this.working) await new Promise((resolve) => setTimeout(resolve, 20));
        tab.set(null);
        location.replace(location.pathname + location.search);
    }

    // Another document: what was there before stays in the store.
    private change(): void {
        this.id = this.coming?.id ?? newId();
        this.claimed = this.coming?.id ?? '';
        if (this.coming) tab.set(this.id);
        this.written = this.coming?.files ?? new Map();
        this.coming = null;
    }

    private async keep(): Promise<void> {
        if (!this.app.session.current) return;
        this.due = true;
        if (this.working) return;
        this.working = true;
        this.state.value = 'writing';
        try {
            while (this.due) {
                this.due = false;
                await this.write();
            }
            this.state.value = 'kept';
        } catch {
            this.state.value = 'failed';
        } finally {
            this.working = false;
        }
    }

    private async write(): Promise<void> {
        const store = await this.store;
        const { session } = this.app;
        const { state, files } = takeApart(session.document());
        const fresh = new Map([...files].filter(([name, bytes]) => this.written.get(name) !== bytes));
        const gone = [...this.written.keys()].filter((name) => !files.has(name));
        const { current, history } = session;
        const listed: Listed = { id: this.id, title: current!.title, step: history.step, steps: state.moments.length, bytes: [...files.values()].reduce((sum, { length }) => sum + length, 0), when: Date.now(), origin: this.origin };
        // A browser that has no room gets some by what is older.
        for (let room = 8; ; room >>= 1) {
            try {
                await store.write(listed, state, fresh, gone);
                break;
            } catch (error) {
                if (room === 0 || (await store.tidy(this.id, room)) + room === 0) throw error;
            }
        }
        for (const [name, bytes] of fresh) this.written.set(name, bytes);
        for (const name of gone) this.written.delete(name);
        if (this.claimed !== this.id) {
            void claim(this.id);
            tab.set(this.id);
            this.claimed = this.id;
        }
        await store.tidy(this.id);
        this.pictured = false;
        this.app.viewer.stage.draw();
    }

    // Right after it was drawn: a canvas forgets its picture.
    private takePicture(): void {
        if (this.pictured || this.working || this.app.session.busy.value) return;
        this.pictured = true;
        const { id } = this;
        void thumbnail(this.app.session.engine, this.app.viewer, pictureSize).then(async (picture) => (await this.store).setPicture(id, picture)).catch(() => {});
    }
}
