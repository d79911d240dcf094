import type { App } from '../app';
import { button, choice, field, number } from '../base/controls';
import { fill, h } from '../base/dom';

// How another clip joins the one on show: options of `limber blend`, by the numbers of both, a weight and a part of the body.
const methods: Record<string, { text: string; options: (base: number, other: number, weight: number, part: string) => string[] }> = {
    over: { text: 'Laid over', options: (base, other, weight, part) => ['--layer', `${base}`, '--over', `${other}:${weight}${part}`] },
    add: { text: 'Its changes added', options: (base, other, weight, part) => ['--layer', `${base}`, '--add', `${other}:${weight}${part}`] },
    mix: { text: 'Mixed, in step', options: (base, other, weight) => ['--layer', `${base}:${+(1 - weight).toFixed(3)}`, '--layer', `${other}:${weight}`] },
    after: { text: 'After it, crossfaded', options: (base, other) => ['--sequence', `${base},${other}`] },
};
const parts: [string, string][] = [
    ['', 'the whole body'], [':spine', 'spine and above'], [':head', 'head'],
    [':leftUpperArm', 'left arm'], [':rightUpperArm', 'right arm'], [':leftUpperLeg', 'left leg'], [':rightUpperLeg', 'right leg'],
];

/** A new clip out of the one on show and another: a layer, an additive layer, a mixture, or one after the other. */
export function layersSection({ session, viewer }: App): HTMLElement {
    const other = choice([], '');
    const weight = number(1, 0, 1, 0.05);
    const part = choice(parts, '');
    const method = choice(Object.entries(methods).map(([key, { text }]) => [key, text]), 'over', show);
    const rows = { weight: field('Weight', weight), part: field('Part', part) };
    const make = button('Make a new clip', () => void blend(), { class: 'wide', title: 'Of the clip on show and the other one' });
    const element = h('section', {}, h('h3', {}, 'Layers'), field('With', other), field('How', method), rows.weight, rows.part, make);

    function show(): void {
        rows.weight.hidden = method.value === 'after';
        rows.part.hidden = method.value === 'after' || method.value === 'mix';
    }
    async function blend(): Promise<void> {
        const clips = viewer.character.value?.clips ?? [];
        const base = clips.findIndex((clip) => clip === viewer.player.clip);
        if (base < 0) return;
        const names = [clips[base]!.name, clips[Number(other.value)]?.name ?? ''];
        const name = session.freeName(names.join(' and '));
        const options = methods[method.value]!.options(base, Number(other.value), Number(weight.value), part.value);
        const made = await session.edit('Blending', ['blend'], [...options, '--name', name], { step: `blend ${names.join(' and ')}` });
        if (!made) return;
        viewer.player.select(viewer.character.value?.clips.find((clip) => clip.name === name) ?? null);
        viewer.player.play(true);
    }
    /** There is something to lay over something where two clips are, and one is on show. */
    function offer(): void {
        const clips = viewer.character.value?.clips ?? [];
        const chosen = other.value;
        fill(other, ...clips.flatMap(({ name }, k) => (clips[k] === viewer.player.clip ? [] : [h('option', { value: `${k}` }, name || `clip ${k}`)])));
        if ([...other.options].some(({ value }) => value === chosen)) other.value = chosen;
        element.hidden = clips.length < 2 || !clips.some((clip) => clip === viewer.player.clip);
    }
    let shown: unknown;
    viewer.player.changed.watch(() => {
        if (shown !== viewer.player.clip) offer();
        shown = viewer.player.clip;
    });
    viewer.character.watch(offer);
    show();
    return element;
}
