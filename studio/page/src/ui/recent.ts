import { bytes, iconButton } from '../base/controls';
import { fill, h } from '../base/dom';
import type { Keeper } from '../keeper';

const most = 3;

/** How long ago, in words. */
function ago(when: number): string {
    const minutes = Math.round((Date.now() - when) / 60000);
    if (minutes < 1) return 'just now';
    if (minutes < 60) return `${minutes} min ago`;
    if (minutes < 24 * 60) return `${Math.round(minutes / 60)} h ago`;
    return new Date(when).toLocaleDateString();
}

/** What was done before and lies in this browser: a click goes on with it. */
export function recent(keeper: Keeper): HTMLElement {
    const list = h('ul', { class: 'recent' });
    const element = h('div', { class: 'bodies', hidden: true }, h('p', { class: 'hint', id: 'recent-title' }, 'Go on with what you did here:'), list);
    list.setAttribute('aria-labelledby', 'recent-title');
    async function show(): Promise<void> {
        const all = (await keeper.list()).slice(0, most);
        element.hidden = all.length === 0;
        fill(list, ...all.map(({ id, title, step, steps, when, bytes: size, picture }) => h('li', {},
            h('button', { type: 'button', title: `${steps} step${steps === 1 ? '' : 's'}, ${bytes(size)}`, onclick: () => void keeper.open(id) },
                h('span', { class: 'thumb' }, picture ? h('img', { src: picture, alt: '', width: 40, height: 40 }) : null),
                h('span', { class: 'name' }, h('b', {}, title), h('span', { class: 'much' }, `${step} · ${ago(when)}`))),
            iconButton('close', `Forget ${title}`, () => void keeper.forget(id).then(show)))));
    }
    void show();
    return element;
}
