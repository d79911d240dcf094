import type { App } from '../app';
import { choice, field, tick } from '../base/controls';
import { fill, h } from '../base/dom';
import type { MethodName, Skinning } from '../skinning';
import type { ApiChoice } from '../view/graphics';
import type { PictureChoice } from '../view/detail';
import type { Surface } from '../view/surfaces';

const names: [MethodName, string][] = [
    ['linear', 'Linear blend'], ['dual', 'Dual quaternions'], ['center', 'Centres of rotation'], ['deltaMush', 'Delta mush'], ['mush', 'Direct delta mush'], ['rigid', 'Rigid'],
];
const surfaces: [Surface, string][] = [['own', 'Its own'], ['clay', 'Clay'], ['normals', 'Normals'], ['wire', 'Wireframe']];
const pictures: [PictureChoice, string][] = [['automatic', 'Automatic'], ['full', 'Full'], ['simple', 'Simple']];
const label = (name: MethodName): string => names.find(([key]) => key === name)![1];

/** How the character is drawn: by which method its skin follows, beside which other, and as what. */
export function lookMenu({ viewer }: App, skinning: Skinning, button: HTMLElement): { toggle: () => void; element: HTMLElement; caption: HTMLElement } {
    const method = choice(names, 'linear', (name) => (skinning.method.value = name as MethodName));
    const beside = choice([['', 'nothing'], ...names], '', (name) => (skinning.beside.value = name ? (name as MethodName) : null));
    const surface = choice(surfaces, 'own', (value) => skinning.wear(value as Surface));
    const picture = choice(pictures, viewer.stage.detail.choice.value, (value) => viewer.stage.detail.choice.choose(value as PictureChoice));
    const api = choice([['automatic', 'Automatic'], ['webgl', 'WebGL 2'], ['webgpu', 'WebGPU']], viewer.graphics.choice.value, (value) => void viewer.graphics.choose(value as ApiChoice));
    const said = h('p', { class: 'hint', role: 'status' });
    const tellApi = (): void => void (said.textContent = viewer.graphics.said.value || `${viewer.graphics.api.value === 'webgpu' ? 'WebGPU' : 'WebGL 2'} draws.`);
    viewer.graphics.said.watch(tellApi);
    viewer.graphics.api.watch(tellApi);
    const leaves = tick('Ends of the last bones', false, (on) => viewer.showBones({ leaves: on }));
    const axes = tick('Axes of the joints', false, (on) => viewer.showBones({ axes: on }));
    const morphs = tick('Morph targets', true, (on) => (viewer.morphs.value = on));
    viewer.morphs.watch((on) => (morphs.input.checked = on));
    viewer.character.watch((character) => (morphs.element.hidden = !character?.morphs.length));
    const element = h('section', { class: 'look', hidden: true, 'aria-label': 'Look' },
        field('Skin follows', method), field('Beside it', beside), morphs.element, field('Surface', surface), field('Picture', picture), field('Drawn by', api), said, leaves.element, axes.element,
        h('p', { class: 'hint' }, 'The simple picture has no shadows and reflections. Automatic draws it while something moves, where all of it takes long.'),
        h('p', { class: 'hint' }, 'Linear and dual quaternions are bent on the GPU by Limber\'s shaders, the others by its module. All are what ', h('span', { class: 'whole' }, 'limber bake --skin'), ' writes.'));
    function show(on: boolean): void {
        element.hidden = !on;
        button.setAttribute('aria-expanded', `${on}`);
        button.setAttribute('aria-pressed', `${on}`);
    }
    show(false);
    element.addEventListener('keydown', (event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        show(false);
        button.focus();
    });
    const caption = h('div', { class: 'methods', role: 'status', hidden: true });
    const tell = (): void => {
        const second = skinning.beside.value;
        caption.hidden = second === null || !viewer.character.value?.skins.length;
        if (caption.hidden || !second) return;
        fill(caption, ...([[skinning.method.value, skinning.volumes.value[0]], [second, skinning.volumes.value[1]]] as const).map(([name, volume]) =>
            h('div', {}, h('b', {}, label(name)), h('span', {}, volume === null ? 'volume …' : `volume ${(100 * volume).toFixed(1)} % of rest`))));
    };
    skinning.volumes.watch(tell);
    skinning.beside.watch(tell);
    skinning.method.watch(tell);
    // Two figures have no room behind the menu.
    const keepFree = (): void => {
        const width = element.parentElement?.clientWidth ?? 0, lies = skinning.beside.value !== null && element.offsetWidth > 0 && element.offsetWidth < width / 2;
        viewer.stage.keepFree({ menu: lies ? width - element.offsetLeft : 0 });
    };
    new ResizeObserver(keepFree).observe(element);
    skinning.beside.watch(keepFree);
    return { toggle: () => show(element.hidden), element, caption };
}
