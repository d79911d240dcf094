import type { App } from '../app';
import { button, field, number } from '../base/controls';
import { h } from '../base/dom';

// Values as they are, and not put right.
const asItIs = ['--keep-spikes', '--keep-gaps', '--keep-feet'];

/** The clip on show: its name, the part of it that stays, how fast it goes, and whether it stays at all. */
export function clipSection({ session, viewer }: App): HTMLElement {
    const { player } = viewer;
    const name = h('input', { type: 'text', 'aria-label': 'Name of the clip' });
    const [begin, end, tempo] = [number(0, 0, 1e5, 0.01), number(0, 0, 1e5, 0.01), number(1, 0.05, 20, 0.05)];
    const here = (into: HTMLInputElement, what: string): HTMLButtonElement =>
        Object.assign(button('Here', () => (into.value = player.time.toFixed(2)), { title: 'The moment on show' }), { ariaLabel: `${what} the moment on show` });
    const row = (label: string, control: HTMLInputElement, act: HTMLButtonElement): HTMLElement => h('div', { class: 'with-button' }, field(label, control), act);
    const trim = button('Trim', () => void change('trim', ['--cut', `${begin.value},${end.value}`]), { class: 'wide', title: 'Keeps the part between the two' });
    const retime = button('Retime', () => void change('retime', ['--tempo', tempo.value]), { title: 'So many times as fast' });
    const others: [string, string, string[]][] = [
        ['Close the loop', 'Keeps the part that closes best, and closes it', ['--loop']], ['Reverse', 'Backwards', ['--reverse']],
        ['Mirror', 'Left for right', ['--mirror']], ['Smooth', 'Smooths away what trembles, and pins feet that stand', ['--smooth', '6']],
    ];
    const buttons = others.map(([label, title, options]) => button(label, () => void change(label.toLowerCase(), options), { title }));
    const drop = button('Delete', () => void remove(), { title: 'Drops the clip' });
    const alone = button('Keep it alone', () => void keepAlone(), { title: 'Drops all the others' });
    const element = h('section', { class: 'clip', 'aria-label': 'The clip on show' }, h('h3', {}, 'The clip on show'), field('Name', name),
        row('From, s', begin, here(begin, 'From')), row('To, s', end, here(end, 'To')), trim, row('Times as fast', tempo, retime),
        h('div', { class: 'row' }, ...buttons, drop, alone));

    const index = (): number => viewer.character.value?.clips.findIndex((clip) => clip === player.clip) ?? -1;

    /** A new clip of the same name in place of this one, which is played on. */
    async function change(what: string, options: string[]): Promise<void> {
        const clip = index(), called = player.clip?.name ?? '';
        if (clip < 0) return;
        const kept = options[0] === '--smooth' ? asItIs.slice(0, 2) : asItIs;
        const made = await session.edit(`Editing ${called}`, ['clean'], ['--clip', `${clip}`, ...kept, ...options, '--name', called || 'clip', '--instead'], { step: `${what} ${called}` });
        if (made) show(called || 'clip');
    }
    async function remove(): Promise<void> {
        const clip = index(), called = player.clip?.name ?? '';
        const next = viewer.character.value?.clips[clip + 1] ?? viewer.character.value?.clips[clip - 1];
        if (clip >= 0 && (await session.edit(`Dropping ${called}`, ['convert'], ['--drop-clip', `${clip}`], { step: `delete ${called}` })) && next) show(next.name);
    }
    async function keepAlone(): Promise<void> {
        const clip = index(), called = player.clip?.name ?? '';
        if (clip >= 0) await session.keepClip(clip, called);
    }
    async function rename(): Promise<void> {
        const clip = index(), old = player.clip?.name ?? '', wanted = name.value.trim().replaceAll('=', '-');
        if (clip < 0 || wanted === '' || wanted === old) return refresh();
        if (await session.edit('Renaming', ['convert'], ['--rename-clip', `${clip}=${wanted}`], { step: `rename ${old}` })) show(wanted);
        else refresh();
    }
    name.addEventListener('change', () => void rename());

    function show(called: string): void {
        player.select(viewer.character.value?.clips.find((clip) => clip.name === called) ?? null);
        player.play(!matchMedia('(prefers-reduced-motion: reduce)').matches);
    }
    function refresh(): void {
        const clip = index(), { clips = [] } = viewer.character.value ?? {};
        element.hidden = clip < 0 || !session.isRigged;
        alone.hidden = clips.length < 2;
        name.value = player.clip?.name ?? '';
        begin.value = '0';
        end.value = player.duration.toFixed(2);
        tempo.value = '1';
    }
    let shown: unknown;
    player.changed.watch(() => {
        if (shown !== player.clip) refresh();
        shown = player.clip;
    });
    viewer.character.watch(refresh);
    return element;
}
