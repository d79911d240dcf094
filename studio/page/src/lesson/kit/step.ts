import { add, h } from '../../base/dom';
import { Choice, Dial, Toggle, type DialOptions } from './dial';
import { Actor } from './actor';
import type { Limber } from './limber';
import type { Bodies } from './bodies';
import { MatrixTable, type MatrixOptions } from './matrix';
import { Plane, type PlaneOptions } from './plane';
import { Space, type SpaceOptions } from './space';
import { pieces, say, words } from './words';

/** What a question says while it is not answered yet, and whether it is. */
export interface Verdict {
    done: boolean;
    said: string;
}

/** One paragraph and its scene. A chapter's code fills it: words on one side, a picture that answers on the other. */
export class Step {
    readonly text = h('div', { class: 'words' });
    readonly scene = h('figure', { class: 'scene' });
    private readonly listeners: (() => void)[] = [];
    private readonly endings: (() => void)[] = [];
    private readonly clocks: ((seconds: number) => void)[] = [];
    private pending = false;
    private seen = false;
    private frame = 0;

    constructor(readonly limber: Limber, readonly bodies: Bodies, private readonly answered: () => void) {
        const watcher = new IntersectionObserver((entries) => {
            this.seen = entries.some((entry) => entry.isIntersecting);
            if (this.seen) this.run();
        });
        watcher.observe(this.scene);
        this.endings.push(() => watcher.disconnect(), () => cancelAnimationFrame(this.frame));
    }

    // ------------------------------------------------------------------------------------- change

    /** Called after every change, and once all is built. */
    always(listener: () => void): void {
        this.listeners.push(listener);
    }

    /** The same, before all that only show: what computes. */
    first(listener: () => void): void {
        this.listeners.unshift(listener);
    }

    /** Something has changed: everything that shows it follows. */
    readonly changed = (): void => {
        if (this.pending) return;
        this.pending = true;
        queueMicrotask(() => {
            this.pending = false;
            for (const listener of this.listeners) listener();
        });
    };

    /** Called every frame while the scene is seen, with the seconds since the last one. */
    tick(act: (seconds: number) => void): void {
        this.clocks.push(act);
        // What comes later finds the scene in view already.
        if (this.seen) this.run();
    }

    private run(): void {
        if (!this.clocks.length) return;
        let last = performance.now();
        const next = (now: number): void => {
            if (!this.seen) return;
            const seconds = Math.min(0.1, (now - last) / 1000);
            last = now;
            for (const act of this.clocks) act(seconds);
            this.frame = requestAnimationFrame(next);
        };
        cancelAnimationFrame(this.frame);
        this.frame = requestAnimationFrame(next);
    }

    /** When the chapter is left. */
    ending(act: () => void): void {
        this.endings.push(act);
    }

    end(): void {
        for (const act of this.endings) act();
    }

    // -------------------------------------------------------------------------------------- words

    say(strings: TemplateStringsArray, ...between: (Node | string | number)[]): void {
        this.text.append(say(strings, ...between));
    }

    add(...parts: (Node | string)[]): void {
        add(this.text, ...parts);
    }

    /** A number or a few words in the text that stay true. */
    live(read: () => string): HTMLElement {
        const out = h('b', { class: 'live' });
        this.always(() => {
            const text = read();
            if (out.textContent !== text) out.textContent = text;
        });
        return out;
    }

    dial(options: DialOptions): Dial {
        return new Dial(options, this.changed);
    }

    matrix(rows: number, columns: number, options: MatrixOptions & { values: () => readonly (readonly number[])[] }): MatrixTable {
        const table = new MatrixTable(rows, columns, options);
        this.always(() => table.show(options.values()));
        return table;
    }

    // -------------------------------------------------------------------------------------- scene

    plane(options: PlaneOptions & { draw: (plane: Plane) => void }): Plane {
        const plane = new Plane(options);
        plane.painter(() => options.draw(plane));
        this.always(() => plane.draw());
        this.scene.append(plane.element);
        return plane;
    }

    space(options: SpaceOptions): Space {
        const space = new Space(options);
        this.always(() => space.draw());
        this.ending(() => space.end());
        this.scene.append(space.element);
        return space;
    }

    controls(...elements: HTMLElement[]): void {
        this.scene.append(h('div', { class: 'controls' }, ...elements));
    }

    button(label: string, act: () => void, primary = false): HTMLButtonElement {
        return h('button', { type: 'button', ...(primary ? { class: 'primary' } : {}), onclick: () => {
            act();
            this.changed();
        } }, label);
    }

    choice<T extends string>(label: string, options: readonly (readonly [T, string])[], value: T): Choice<T> {
        return new Choice(label, options, value, this.changed);
    }

    toggle(label: string, value: boolean): Toggle {
        return new Toggle(label, value, this.changed);
    }

    /** Plays: a button, and whether it runs. Nothing moves by itself for those who asked for less motion. */
    player(label = 'Play', playing = true): { element: HTMLButtonElement; readonly playing: boolean } {
        let on = playing && !matchMedia('(prefers-reduced-motion: reduce)').matches;
        const element = h('button', { type: 'button', class: 'play', 'aria-pressed': `${on}`, onclick: () => set(!on) }, label);
        const set = (next: boolean): void => {
            on = next;
            element.setAttribute('aria-pressed', `${on}`);
            element.textContent = on ? 'Pause' : label;
        };
        set(on);
        return { element, get playing() { return on; } };
    }

    /** What the scene shows, in words, below it: for everybody. */
    state(read: () => string): void {
        const out = h('figcaption', { class: 'state' });
        this.always(() => {
            const text = read();
            if (out.textContent !== text) out.textContent = text;
        });
        this.scene.append(out);
    }

    /** Something that takes a while; the scene says so meanwhile, or why it failed. */
    later<T>(what: string, promise: Promise<T>, then: (value: T) => void): void {
        const note = h('p', { class: 'later', role: 'status' }, h('span', { class: 'spin' }), what);
        this.scene.append(note);
        let ended = false;
        this.ending(() => (ended = true));
        promise.then((value) => {
            note.remove();
            if (ended) return;
            then(value);
            this.changed();
        }).catch((error: unknown) => {
            note.replaceChildren(`${what}: ${error instanceof Error ? error.message : String(error)}`);
        });
    }

    /** Opens a character, until the chapter is left. */
    open(bytes: Uint8Array, name?: string): Actor {
        const actor = new Actor(this.limber, bytes, name);
        this.ending(() => actor.close());
        return actor;
    }

    /** A question that is answered by doing. */
    ask(strings: TemplateStringsArray, ...between: (Node | string | number)[]): { check: (judge: () => Verdict, why: string) => void } {
        const said = h('p', { class: 'verdict', role: 'status' });
        const box = h('section', { class: 'task', 'aria-label': 'Question' }, h('h3', {}, 'Your turn'), h('p', {}, ...words(strings, ...between)), said);
        this.text.append(box);
        return {
            check: (judge, why) => {
                let done = false;
                this.always(() => {
                    if (done) return;
                    const verdict = judge();
                    if (said.textContent !== verdict.said) said.textContent = verdict.said;
                    if (!verdict.done) return;
                    done = true;
                    box.classList.add('done');
                    add(box, h('p', { class: 'why' }, ...pieces(why)));
                    this.answered();
                });
            },
        };
    }
}

/** A chapter: what it is called, and its steps. */
export interface Chapter {
    title: string;
    /** One sentence on the list of chapters. */
    lead: string;
    /** The tool that does it on the user's own character, and what to do there. */
    here: { tab: string; text: string };
    steps: { title: string; build: (step: Step) => void }[];
}
