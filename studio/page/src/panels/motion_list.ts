import type { App } from '../app';
import { iconButton } from '../base/controls';
import { fill, h } from '../base/dom';
import { Favourites } from '../base/favourites';
import { Character } from '../view/character';
import type { AnimationClip } from 'three';

/** A made motion, as `limber motions --json` tells it. */
export interface MadeMotion {
    name: string;
    title: string;
    body: string;
    loop: boolean;
    gait: boolean;
    seconds: number | null;
    tags: string;
}

// How long the pointer rests on a motion before the character tries it.
const restMs = 180;

/** All made motions that fit the body: favourites first, searched by words, tried on the character while one is pointed at, kept
 * by a click. */
export class MotionList {
    readonly element: HTMLElement;
    private readonly search = h('input', { type: 'search', placeholder: 'wave, dance, sit …', 'aria-label': 'Search made motions' });
    private readonly rows = h('ul', { class: 'list', 'aria-label': 'Made motions' });
    private readonly said = h('p', { class: 'hint', role: 'status' });
    private readonly favourites = new Favourites();
    private motions: MadeMotion[] | null = null;
    private body: string | null = 'human';
    // Tries by character and motion; only of the character that is there.
    private tried = new Map<string, AnimationClip>();
    private triedOn: unknown = null;
    private pointed: string | null = null;
    private timer = 0;
    /** What played before the try; undefined: nothing is being tried. */
    private before: { on: unknown; clip: AnimationClip | null; time: number; playing: boolean } | undefined;

    constructor(private readonly app: App, private readonly options: (motion: MadeMotion) => string[]) {
        this.search.addEventListener('input', () => this.list());
        this.element = h('div', { class: 'stack' }, this.search, this.rows, this.said);
    }

    /** Null where no made motion fits. */
    async fit(body: string | null): Promise<void> {
        this.body = body;
        if (!this.motions) {
            const result = await this.app.session.engine.run(['motions', '--json']);
            this.motions = (JSON.parse(new TextDecoder().decode(result.output)) as { motions: MadeMotion[] }).motions;
        }
        this.list();
    }

    find(name: string): MadeMotion | undefined {
        return this.motions?.find((motion) => motion.name === name);
    }

    private list(): void {
        const words = this.search.value.toLowerCase().split(/\s+/).filter((word) => word !== '');
        const fitting = (this.motions ?? []).filter((motion) => motion.body === this.body);
        const found = fitting.filter((motion) => words.every((word) => `${motion.name} ${motion.title} ${motion.tags}`.toLowerCase().includes(word)));
        // Favourites come first.
        found.sort((a, b) => Number(this.favourites.has(b.name)) - Number(this.favourites.has(a.name)));
        fill(this.rows, ...found.map((motion) => this.row(motion)));
        this.rows.hidden = found.length === 0;
        this.said.textContent = fitting.length === 0 ? '' : found.length === 0 ? 'None has all of these words.'
            : `${found.length} of ${fitting.length}. Point at one to see it on the character; a click keeps it.`;
        this.search.hidden = fitting.length === 0;
    }

    private row(motion: MadeMotion): HTMLElement {
        const control = h('button', {
            type: 'button', title: `${motion.name}: ${motion.tags}`, onclick: () => this.keep(motion),
            onpointerenter: () => this.point(motion), onpointerleave: () => this.leave(), onfocus: () => this.point(motion), onblur: () => this.leave(),
        }, h('span', { class: 'name' }, motion.title), h('span', { class: 'much' }, motion.seconds === null ? '' : `${motion.seconds.toFixed(1)} s`));
        const star = iconButton('star', `${motion.title}: a favourite`, () => {
            this.favourites.toggle(motion.name);
            this.list();
            this.rows.querySelector<HTMLElement>(`[aria-label="${motion.title}: a favourite"]`)?.focus();
        }, 'square star');
        star.setAttribute('aria-pressed', `${this.favourites.has(motion.name)}`);
        return h('li', { class: 'starred' }, control, star);
    }

    private keep(motion: MadeMotion): void {
        this.leave();
        void this.app.session.animate(motion.name, this.options(motion));
    }

    private point(motion: MadeMotion): void {
        clearTimeout(this.timer);
        this.pointed = motion.name;
        this.timer = window.setTimeout(() => void this.show(motion).catch(() => undefined), restMs);
    }

    /** Back to what was shown before. */
    private leave(): void {
        clearTimeout(this.timer);
        this.pointed = null;
        const { player, character } = this.app.viewer;
        if (!this.before) return;
        const { on, clip, time, playing } = this.before;
        this.before = undefined;
        if (on !== character.value) return; // another one came meanwhile
        player.select(clip);
        player.seek(time);
        player.play(playing);
    }

    // Only of a character with joints: a mesh would have to be rigged for it.
    private async show(motion: MadeMotion): Promise<void> {
        const { session, viewer } = this.app;
        const current = session.current;
        if (!current || !session.isRigged || session.busy.value || session.finish()) return;
        const clip = await this.clipOf(motion);
        if (!clip || this.pointed !== motion.name || session.current !== current || session.busy.value) return;
        const { player } = viewer;
        if (this.before?.on !== viewer.character.value) this.before = undefined;
        this.before ??= { on: viewer.character.value, clip: player.clip, time: player.time, playing: player.playing };
        player.select(clip);
        player.play(true);
    }

    private async clipOf(motion: MadeMotion): Promise<AnimationClip | null> {
        const { session } = this.app;
        const current = session.current!;
        if (this.triedOn !== current) this.tried.clear();
        this.triedOn = current;
        const options = this.options(motion), key = [motion.name, ...options].join(' ');
        const known = this.tried.get(key);
        if (known) return known;
        const result = await session.engine.run(['animate', current.file, motion.name, ...options, '-q', '-o', 'tried.glb'], new Map([[current.file, current.glb]]));
        const glb = result.files.get('tried.glb');
        if (!glb) return null;
        const character = await Character.load(await session.engine.picture(glb));
        const [clip] = character.clips;
        character.dispose();
        if (clip && this.triedOn === current) this.tried.set(key, clip);
        return clip ?? null;
    }
}
