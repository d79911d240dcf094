import type { App } from '../app';
import { sampleOptions } from '../session';
import { button, chooseFiles, choice, iconButton } from '../base/controls';
import { fill, h } from '../base/dom';
import { openFiles } from './drop';

// Kinds that the command makes bodies of.
export const sampleKinds: [string, string][] = [
    ['humanoid', 'Person'], ['quadruped', 'Animal'], ['bird', 'Bird'], ['hand', 'Hand'], ['fish', 'Fish'], ['snake', 'Snake'], ['spider', 'Spider'],
];

export function makeSample(app: App, kind: string, seed = 1 + Math.floor(Math.random() * 99)): void {
    void app.session.sample(kind, seed, sampleOptions(kind));
}

function sampleMenu(app: App): HTMLElement {
    const menu = choice([['', 'Try a sample'], ...sampleKinds], '', (kind) => {
        menu.value = '';
        if (kind) makeSample(app, kind);
    });
    menu.setAttribute('aria-label', 'Try a sample');
    return menu;
}

function switchTheme(): void {
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    const root = document.documentElement;
    root.dataset.theme = (root.dataset.theme ?? (dark ? 'dark' : 'light')) === 'dark' ? 'light' : 'dark';
    dispatchEvent(new Event('themechange'));
}

export function header(app: App, toggleLog: () => void): HTMLElement {
    const { session } = app;
    const title = h('div', { class: 'title' });
    const undo = iconButton('undo', 'Undo', () => void session.undo());
    const redo = iconButton('redo', 'Redo', () => void session.redo());
    const refresh = (): void => {
        const current = session.current;
        const steps = session.history;
        fill(title, ...(current ? [h('b', {}, current.title), ` · ${steps.step}`] : ['No character yet']));
        undo.disabled = steps.undoable === null || session.busy.value !== null;
        redo.disabled = steps.redoable === null || session.busy.value !== null;
        undo.title = steps.undoable ? `Undo: ${steps.undoable} (Ctrl+Z)` : 'Undo';
        redo.title = steps.redoable ? `Redo: ${steps.redoable} (Ctrl+Shift+Z)` : 'Redo';
    };
    session.history.changed.watch(refresh);
    session.busy.watch(refresh);
    return h('header', { class: 'head' },
        h('h1', { class: 'brand' }, h('span', { class: 'mark', 'aria-hidden': 'true' }, 'L'), h('span', { class: 'word' }, 'Limber ', h('small', {}, 'studio'))),
        button('Open', () => chooseFiles('', (files) => void openFiles(app, files)), { icon: 'open', class: 'open', title: 'Open a file' }),
        sampleMenu(app),
        title,
        h('span', { class: 'spacer' }),
        undo, redo,
        h('a', { class: 'button optional', href: '#lesson', title: 'How characters move: a lesson', style: 'text-decoration: none' }, 'Learn'),
        h('span', { class: 'optional' }, iconButton('theme', 'Light or dark', switchTheme)),
        iconButton('terminal', 'Commands that were run', toggleLog));
}
