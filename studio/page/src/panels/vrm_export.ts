import type { App } from '../app';
import { button, choice, download, field, tick } from '../base/controls';
import { h } from '../base/dom';

/** A VRM of the character: who made it, and what the maker permits. */
export function vrmSection({ session }: App): HTMLElement {
    const author = h('input', { type: 'text', autocomplete: 'name', oninput: () => offer() });
    const use = choice([['', 'its author alone'], ['licensed', 'whom the author allows'], ['everyone', 'everyone']], '');
    const profit = choice([['', 'no'], ['profit', 'by persons'], ['corporation', 'by companies too']], '');
    const changes = choice([['', 'no'], ['modify', 'for oneself'], ['redistribute-modified', 'and given on']], '');
    const given = tick('It may be given on as it is', false);
    const make = button('VRM avatar', () => void save(), { icon: 'save', title: 'VRM 1.0, of a person in T-pose that faces ahead' });
    const element = h('section', {}, h('h3', {}, 'VRM'), field('Author', author), field('Who may wear it', use), field('For profit', profit), field('Changed', changes), given.element, h('div', { class: 'row' }, make));

    function offer(): void {
        make.disabled = author.value.trim() === '';
        element.hidden = !session.isRigged;
    }
    async function save(): Promise<void> {
        const current = session.current;
        if (!current) return;
        const out = `${current.title.replaceAll(' ', '-')}.vrm`;
        const permits = [use.value, profit.value, changes.value, given.input.checked ? 'redistribute' : ''].filter((one) => one !== '').flatMap((one) => ['--permit', one]);
        const result = await session.attempt(`Writing ${out}`, () => session.run(['convert', current.file, out, '--author', author.value.trim(), '--title', current.title, ...permits], new Map([[current.file, current.glb]])));
        if (result) session.history.markSaved();
        for (const [file, content] of result?.files ?? []) await download(file, content);
    }
    session.history.current.watch(offer);
    return element;
}
