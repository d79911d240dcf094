import './lesson.css';
import type { App } from '../app';
import { icon } from '../base/icons';
import { add, fill, h } from '../base/dom';
import { chapters } from './chapters/chapters';
import { cover } from './cover';
import { Bodies } from './kit/bodies';
import { forgetColors } from './kit/color';
import { Limber } from './kit/limber';
import { Step } from './kit/step';
import { pieces } from './kit/words';
import type { LessonView } from './route';

const storeName = 'limber-lesson';
// So long scenes may take until all are there.
const holdMs = 4000;

/** Which chapters' questions were answered here: a browser that keeps nothing forgets it. */
class Progress {
    private readonly done: Set<number>;

    constructor() {
        let kept: unknown = [];
        try {
            kept = JSON.parse(localStorage.getItem(storeName) ?? '[]');
        } catch {}
        this.done = new Set(Array.isArray(kept) ? kept.filter((one) => typeof one === 'number') : []);
    }

    has(chapter: number): boolean {
        return this.done.has(chapter);
    }

    add(chapter: number): void {
        this.done.add(chapter);
        try {
            localStorage.setItem(storeName, JSON.stringify([...this.done]));
        } catch {}
    }
}

class Lesson implements LessonView {
    private readonly article = h('main', { class: 'page', tabIndex: -1 });
    private readonly list = h('ol', { class: 'toc-list' });
    private readonly toc: HTMLElement;
    private readonly element: HTMLElement;
    private readonly progress = new Progress();
    private steps: Step[] = [];
    private chapter = -1;
    /** A step that is held at the top is let go. */
    private letGo: () => void = () => {};

    constructor(private readonly limber: Limber, private readonly bodies: Bodies, private readonly leave: (tab?: string) => Promise<void>) {
        const open = h('button', { type: 'button', class: 'bare contents', 'aria-expanded': 'false', onclick: () => this.unfold(!this.toc.classList.contains('open')) }, icon('grid'), 'Chapters');
        this.toc = h('nav', { class: 'toc', 'aria-label': 'Chapters' }, this.list);
        this.element = h('div', { class: 'lesson', hidden: true },
            h('header', { class: 'bar' },
                h('a', { class: 'home', href: '#lesson', 'aria-label': 'How characters move: all chapters' }, h('span', { class: 'mark', 'aria-hidden': 'true' }, 'L'), h('span', {}, 'How characters move')),
                h('span', { class: 'grow' }), open,
                h('button', { type: 'button', class: 'bare', onclick: () => void this.leave() }, icon('close'), 'To the studio')),
            h('div', { class: 'columns' }, this.toc, this.article));
        document.body.append(this.element);
        let resting = 0;
        this.element.addEventListener('scroll', () => {
            clearTimeout(resting);
            resting = window.setTimeout(() => this.noteStep(), 150);
        });
        const recolour = (): void => {
            forgetColors();
            for (const step of this.steps) step.changed();
        };
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change', recolour);
        addEventListener('themechange', recolour);
    }

    private unfold(on: boolean): void {
        this.toc.classList.toggle('open', on);
        this.element.querySelector('.contents')!.setAttribute('aria-expanded', `${on}`);
    }

    show(hash: string): void {
        const [, chapter = '', step = ''] = hash.split('/');
        const wanted = Math.min(chapters.length, Math.max(0, Number(chapter) || 0));
        this.element.hidden = false;
        document.documentElement.classList.add('in-lesson');
        this.unfold(false);
        if (wanted !== this.chapter) this.open(wanted);
        const target = Number(step) > 1 ? this.article.querySelector<HTMLElement>(`#step-${wanted}-${Number(step)}`) : null;
        if (target) this.hold(target);
        else if (!step) this.element.scrollTop = 0;
    }

    /** Keeps a step at the top while scenes above it come and take their room, until somebody scrolls. */
    private hold(step: HTMLElement): void {
        this.letGo();
        const place = (): void => step.isConnected && !this.element.hidden ? step.scrollIntoView() : this.letGo();
        const grown = new ResizeObserver(place), signs = ['wheel', 'touchstart', 'pointerdown', 'keydown'];
        const stop = (): void => this.letGo();
        this.letGo = () => {
            grown.disconnect();
            clearTimeout(timer);
            for (const sign of signs) this.element.removeEventListener(sign, stop);
            this.letGo = () => {};
        };
        const timer = setTimeout(stop, holdMs);
        for (const sign of signs) this.element.addEventListener(sign, stop, { passive: true });
        grown.observe(this.article);
        place();
    }

    hide(): void {
        this.element.hidden = true;
        document.documentElement.classList.remove('in-lesson');
        document.title = 'Limber studio';
        this.close();
        this.chapter = -1;
    }

    private close(): void {
        this.letGo();
        for (const step of this.steps) step.end();
        this.steps = [];
        this.article.replaceChildren();
    }

    private open(number: number): void {
        this.close();
        this.chapter = number;
        this.showList();
        this.element.classList.toggle('at-cover', number === 0);
        if (number) this.showChapter(number);
        else this.showCover();
        this.article.focus({ preventScroll: true });
        for (const step of this.steps) step.changed();
    }

    private showList(): void {
        fill(this.list, ...chapters.map(({ title }, k) => h('li', {}, h('a', { href: `#lesson/${k + 1}`, ...(k + 1 === this.chapter ? { 'aria-current': 'page' } : {}) },
            h('span', { class: 'number' }, `${k + 1}`), title, this.progress.has(k + 1) && h('span', { class: 'tick', role: 'img', 'aria-label': 'answered' }, icon('check'))))));
    }

    private showCover(): void {
        document.title = 'How characters move – Limber';
        const step = new Step(this.limber, this.bodies, () => {});
        this.steps.push(step);
        add(this.article, cover(step), h('h2', {}, 'The chapters'),
        h('ol', { class: 'cards' }, ...chapters.map(({ title, lead }, k) => h('li', {}, h('a', { href: `#lesson/${k + 1}` },
            h('span', { class: 'number' }, `${k + 1}`), h('b', {}, title), this.progress.has(k + 1) && h('span', { class: 'tick', role: 'img', 'aria-label': 'answered' }, icon('check')), h('span', { class: 'what' }, lead))))));
    }

    private showChapter(number: number): void {
        const { title, lead, steps, here } = chapters[number - 1]!;
        document.title = `${number} ${title} – Limber`;
        add(this.article, h('header', { class: 'chapter-head' }, h('p', { class: 'kicker' }, `Chapter ${number} of ${chapters.length}`), h('h1', {}, title), h('p', { class: 'lead' }, lead)));
        steps.forEach(({ title: name, build }, k) => {
            const step = new Step(this.limber, this.bodies, () => {
                this.progress.add(number);
                this.showList();
            });
            build(step);
            this.steps.push(step);
            const id = `step-${number}-${k + 1}`;
            this.article.append(h('section', { class: step.scene.childElementCount ? 'step' : 'step alone', id, 'aria-labelledby': `${id}-title` },
                h('div', { class: 'words' }, h('h2', { id: `${id}-title` }, h('a', { href: `#lesson/${number}/${k + 1}`, 'aria-label': `${name}: a link to this step` }, `${number}.${k + 1}`), ' ', name), step.text),
                step.scene.childElementCount > 0 && step.scene));
        });
        const next = chapters[number], before = chapters[number - 2];
        add(this.article,
            h('section', { class: 'here', 'aria-labelledby': 'here-title' }, h('h2', { id: 'here-title' }, 'Now on your character'), h('p', {}, ...pieces(here.text)),
                h('button', { type: 'button', class: 'primary', onclick: () => void this.leave(here.tab) }, `Open the ${here.tab} tool`)),
            h('nav', { class: 'pager', 'aria-label': 'Next and previous chapter' },
                before ? h('a', { class: 'button', href: `#lesson/${number - 1}` }, `← ${number - 1} ${before.title}`) : h('a', { class: 'button', href: '#lesson' }, '← All chapters'),
                next ? h('a', { class: 'button primary', href: `#lesson/${number + 1}` }, `${number + 1} ${next.title} →`) : h('a', { class: 'button primary', href: '#lesson' }, 'All chapters')));
    }

    /** The address follows what is read, so that a reload comes back to it. */
    private noteStep(): void {
        if (this.chapter < 1 || this.element.hidden) return;
        // A link that was just followed is in the address before its chapter is shown.
        if (Number(location.hash.split('/')[1]) !== this.chapter) return;
        const sections = [...this.article.querySelectorAll('.step')];
        const line = this.element.getBoundingClientRect().height * 0.4;
        const at = Math.max(0, sections.findLastIndex((section) => section.getBoundingClientRect().top < line));
        history.replaceState(null, '', `#lesson/${this.chapter}${at ? `/${at + 1}` : ''}`);
    }
}

export async function openLesson(app: App, leave: (tab?: string) => Promise<void>): Promise<LessonView> {
    const style = h('link', { rel: 'stylesheet', href: new URL('lesson.css', document.baseURI).href });
    const styled = new Promise((resolve, reject) => {
        style.onload = resolve;
        style.onerror = () => reject(new Error('lesson.css cannot be read'));
    });
    document.head.append(style);
    const [limber] = await Promise.all([Limber.load(), styled]);
    return new Lesson(limber, new Bodies(app.session.engine), leave);
}
