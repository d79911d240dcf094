import type { App } from '../app';
import { button, iconButton } from '../base/controls';
import { fill, h } from '../base/dom';
import type { LogEntry } from '../session';

function row(entry: LogEntry): HTMLElement {
    const [first, ...rest] = entry.line.split('\n');
    const state = entry.code === null ? 'running' : entry.line.startsWith('#') ? '' : entry.code === 0 ? `${entry.seconds.toFixed(1)} s` : entry.code < 0 ? 'stopped' : `exit ${entry.code}`;
    return h('li', {},
        h('div', { class: 'line' }, h('code', { class: 'grow' }, entry.line.startsWith('#') ? entry.line : `$ ${first}${rest.length ? ` … ${rest.length} lines` : ''}`),
            h('span', { class: entry.code ? 'much bad' : 'much' }, state),
            iconButton('copy', `Copy: ${first}`, () => void navigator.clipboard.writeText(entry.line))),
        entry.messages ? h('pre', { class: 'code' }, entry.messages) : null);
}

/** The commands that were run: a shell repeats them. */
export function logDrawer(app: App): { element: HTMLElement; toggle: () => void } {
    const lines = h('ol', { tabIndex: 0, 'aria-label': 'Commands' });
    const empty = h('p', { class: 'hint', style: 'padding: 0 12px 12px' }, 'Nothing was run yet. What you do shows up here as a command line.');
    const script = (): string => app.session.log.value.filter((entry) => entry.code === 0).map((entry) => `${entry.line}\n`).join('');
    const element = h('section', { class: 'log', hidden: true, 'aria-label': 'Commands that were run' },
        h('header', {}, h('h2', {}, 'Commands'),
            h('div', { class: 'row' }, button('Copy all', () => void navigator.clipboard.writeText(script()), { icon: 'copy', class: 'bare' }),
                iconButton('close', 'Close the commands', () => toggle()))),
        empty, lines);
    const refresh = (): void => {
        if (element.hidden) return;
        const entries = app.session.log.value;
        empty.hidden = entries.length > 0;
        lines.hidden = entries.length === 0;
        fill(lines, ...entries.map(row));
        lines.scrollTop = lines.scrollHeight;
    };
    const toggle = (): void => {
        element.hidden = !element.hidden;
        refresh();
    };
    app.session.log.watch(refresh);
    return { element, toggle };
}
