import type { App } from '../app';
import { bytes, choice, count, facts, field, slider } from '../base/controls';
import { fill, h } from '../base/dom';
import type { Snapshot } from '../history';
import type { Keeper } from '../keeper';
import type { Panel } from '../ui/tabs';
import { documentSection } from './document';

const ups: [string, string][] = [['', 'as guessed'], ['y', '+Y'], ['z', '+Z'], ['x', '+X'], ['-y', '−Y'], ['-z', '−Z'], ['-x', '−X']];
const units: [string, string][] = [['', 'as guessed'], ['m', 'metres'], ['cm', 'centimetres'], ['mm', 'millimetres'], ['inch', 'inches'], ['foot', 'feet']];

function length(value: number): string {
    return Number(value.toPrecision(3)).toString();
}

function about({ info, glb }: Snapshot): HTMLElement {
    const sum = (key: 'vertices' | 'triangles' | 'components' | 'morph_targets'): number => info.meshes.reduce((total, mesh) => total + mesh[key], 0);
    const { low, high } = info.bounds ?? { low: [0, 0, 0], high: [0, 0, 0] };
    const influences = info.meshes.reduce((most, mesh) => Math.max(most, mesh.influences_max ?? 0), 0);
    const rigged = (info.skins?.length ?? 0) > 0;
    return facts([
        ['Vertices', count(sum('vertices'))],
        ['Triangles', count(sum('triangles'))],
        ['Pieces', count(sum('components'))],
        ['Size', `${high.map((value, axis) => length(value - low[axis]!)).join(' × ')} m`],
        ['Materials', count(info.materials ?? 0)],
        ['Textures', count(info.textures ?? 0)],
        ['Morph targets', sum('morph_targets') ? count(sum('morph_targets')) : null],
        ['Joints', rigged || info.meshes.length === 0 ? count(info.skeleton?.joints.length ?? 0) : 'none: not rigged'],
        ['Joints a vertex', rigged && influences ? `up to ${influences}` : null],
        ['Clips', info.clips?.length ? count(info.clips.length) : 'none'],
        ['As GLB', bytes(glb.length)],
    ]);
}

export function characterPanel(app: App, keeper: Keeper): Panel {
    const { session, viewer } = app;
    const details = h('div', { class: 'stack' });
    const document = documentSection(app, keeper);
    const options = { up: '', unit: '' };
    const reread = (): void => void session.reopen(Object.entries(options).flatMap(([name, value]) => (value ? [`--${name}`, value] : [])));
    const up = choice(ups, '', (value) => {
        options.up = value;
        reread();
    });
    const unit = choice(units, '', (value) => {
        options.unit = value;
        reread();
    });
    const again = h('section', {}, h('h3', {}, 'What the file does not say'), field('Up axis', up), field('Unit', unit),
        h('p', { class: 'hint' }, 'Lying down, or far too large? Say it here and the file is read again.'));
    const morphs = h('section', { hidden: true });
    viewer.character.watch((character) => {
        const names = character?.morphs ?? [];
        morphs.hidden = names.length === 0;
        fill(morphs, h('h3', {}, 'Morph targets'), ...names.map((name) => {
            const { element, input } = slider(name, character!.morph(name), 0, 1, 0.01, (share) => `${Math.round(100 * share)} %`);
            input.addEventListener('input', () => {
                character!.morph(name, Number(input.value));
                viewer.morphs.value = true;
            });
            return element;
        }));
    });
    session.history.current.watch((current) => {
        if (!current) {
            fill(details, h('p', { class: 'hint' }, 'What is in the file stands here: size, joints, clips.'));
            return;
        }
        fill(details, about(current), morphs, session.reopenable ? again : null, document);
    });
    return { name: 'Body', icon: 'body', element: h('div', { class: 'stack' }, h('h2', {}, 'Character'), details) };
}
