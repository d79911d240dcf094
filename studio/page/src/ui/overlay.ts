import type { App } from '../app';
import { button, chooseFiles, iconButton } from '../base/controls';
import { fill, h } from '../base/dom';
import { icon } from '../base/icons';
import type { Keeper } from '../keeper';
import { openFiles } from './drop';
import { makeSample, sampleKinds } from './header';
import { recent } from './recent';

/** What is under way, how long already, and how to stop it. */
export function busyBar(app: App): HTMLElement {
    const what = h('span', { class: 'what' });
    const bar = h('progress', { max: 1, 'aria-label': 'How far' });
    const element = h('div', { class: 'busy', role: 'status', hidden: true }, h('span', { class: 'spin' }), what, bar,
        button('Cancel', () => app.session.cancel()));
    let timer = 0;
    app.session.progress.watch((progress) => {
        bar.hidden = !progress;
        if (progress) bar.value = progress.fraction;
    });
    app.session.busy.watch((busy) => {
        clearInterval(timer);
        element.hidden = busy === null;
        if (!busy) return;
        const tell = (): void => void (what.textContent = [busy.what, app.session.progress.value?.stage, `${((performance.now() - busy.since) / 1000).toFixed(1)} s`].filter(Boolean).join(' · '));
        tell();
        timer = window.setInterval(tell, 100);
    });
    return element;
}

// What a command that went well has to say is read by then.
const noticeTime = 15000;

/** What went wrong, in the command's own words. What is no error goes by itself, and with the next thing that is done. */
export function noticeBox(app: App): HTMLElement {
    const element = h('div', { class: 'notice', role: 'alert', hidden: true });
    const { notice: shown, history } = app.session;
    let timer = 0;
    // Where it lies over a tool, that begins below it.
    new ResizeObserver(() => document.documentElement.style.setProperty('--notice', `${element.offsetHeight}px`)).observe(element);
    const leave = (): void => {
        if (shown.value?.kind === 'info' && !element.matches(':hover, :focus-within')) shown.value = null;
    };
    element.addEventListener('pointerleave', () => (timer = window.setTimeout(leave, noticeTime)));
    history.changed.watch(leave);
    app.session.notice.watch((notice) => {
        clearTimeout(timer);
        element.hidden = notice === null;
        if (notice?.kind === 'info') timer = window.setTimeout(leave, noticeTime);
        if (!notice) return;
        element.classList.toggle('error', notice.kind === 'error');
        fill(element,
            h('div', { class: 'row' }, h('b', {}, notice.title), iconButton('close', 'Close this message', () => (app.session.notice.value = null))),
            h('pre', { class: 'code', tabIndex: 0, 'aria-label': 'Message' }, notice.text));
    });
    return element;
}

/** What the first screen offers, beside somebody who moves. */
export function welcome(app: App, keeper: Keeper): HTMLElement {
    const element = h('div', { class: 'empty' }, h('div', { class: 'welcome' },
        h('h2', {}, 'Bring your character to life'),
        h('p', { class: 'about' }, 'A still mesh goes in. A character with joints, skin and motion comes out, and plays in any engine.'),
        h('div', { class: 'dropzone' }, icon('open'), h('b', {}, 'Drop yours here'),
            h('p', { class: 'hint' }, 'OBJ, glTF, FBX, VRM, PLY, STL, a folder or a zip. It is read here and never leaves this machine.'),
            button('Open a file', () => chooseFiles('', (files) => void openFiles(app, files)), { class: 'primary' })),
        recent(keeper),
        h('div', { class: 'bodies' }, h('p', { class: 'hint' }, 'Nothing at hand? Take a made body:'),
            h('div', { class: 'row' }, ...sampleKinds.map(([kind, name]) => button(name, () => makeSample(app, kind)))))));
    app.session.history.current.watch((current) => (element.hidden = current !== null));
    app.session.busy.watch((busy) => (element.style.visibility = busy ? 'hidden' : ''));
    return element;
}
