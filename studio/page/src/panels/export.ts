import type { App } from '../app';
import { bytes, button, choice, download, field } from '../base/controls';
import { fill, h } from '../base/dom';
import { FilmMaker, type Camera } from '../film';
import type { Snapshot } from '../history';
import { snippetSection } from './snippet';
import { vrmSection } from './vrm_export';
import type { Panel } from '../ui/tabs';

interface Target {
    extension: string;
    label: string;
    about: string;
    fits(current: Snapshot): boolean;
    /** One clip alone can be held. */
    oneClip?: boolean;
}

const always = (): boolean => true;
const hasMesh = ({ info }: Snapshot): boolean => info.meshes.length > 0;
const hasClips = ({ info }: Snapshot): boolean => (info.clips?.length ?? 0) > 0;
const targets: Target[] = [
    { extension: 'glb', label: 'GLB', about: 'everything, for engines, Blender and viewers', fits: always },
    { extension: 'gltf', label: 'glTF', about: 'the same as text', fits: always },
    { extension: 'vrma', label: 'VRM animation', about: 'clips for VRM avatars', fits: hasClips },
    { extension: 'bvh', label: 'BVH', about: 'skeleton and one clip', fits: hasClips, oneClip: true },
    { extension: 'obj', label: 'OBJ', about: 'the mesh at rest, with materials', fits: hasMesh },
    { extension: 'ply', label: 'PLY', about: 'the mesh at rest', fits: hasMesh },
    { extension: 'c3d', label: 'C3D', about: 'positions of joints, one clip', fits: hasClips, oneClip: true },
    { extension: 'trc', label: 'TRC', about: 'positions of joints as text, one clip', fits: hasClips, oneClip: true },
    { extension: 'csv', label: 'CSV', about: 'positions of joints as a table, one clip', fits: hasClips, oneClip: true },
    { extension: 'npz', label: 'NumPy', about: 'rotations of joints as arrays', fits: hasClips },
    { extension: 'limb', label: 'Limb', about: 'clips compressed for playing', fits: hasClips },
];

export function exportPanel(app: App, films: FilmMaker): Panel {
    const { session, viewer } = app;
    const list = h('ul', { class: 'list', style: 'max-height: none' });
    const clip = choice([], '');
    const clipField = field('Clip', clip);

    async function save(target: Target): Promise<void> {
        const current = session.current;
        if (!current) return;
        const name = current.title.replaceAll(' ', '-');
        if (target.extension === 'glb') {
            session.history.markSaved();
            return download(`${name}.glb`, current.glb);
        }
        const out = `${name}.${target.extension}`;
        const chosen = target.oneClip && clip.value ? ['--clip', clip.value] : [];
        const result = await session.attempt(`Writing ${out}`, () => session.run(['convert', current.file, out, ...chosen], new Map([[current.file, current.glb]])));
        if (result) session.history.markSaved();
        // Materials of an OBJ come as a file beside it.
        for (const [file, content] of result?.files ?? []) await download(file, content);
    }
    async function picture(): Promise<void> {
        const image = await viewer.picture();
        if (image) await download(`${session.current?.title.replaceAll(' ', '-') ?? 'limber'}.png`, image);
    }
    const camera = choice([['still', 'as it stands'], ['around', 'once around it']], 'still');
    async function film(extension: 'webm' | 'gif'): Promise<void> {
        const name = `${session.current?.title.replaceAll(' ', '-') ?? 'limber'}.${extension}`;
        const made = await session.attempt(`Filming ${name}`, () => (extension === 'gif' ? films.gif(camera.value as Camera) : films.video(camera.value as Camera)));
        if (made) await download(name, made);
    }
    const still = button('Picture', () => void picture(), { icon: 'save', title: 'What the view shows, as a PNG without ground' });
    const video = button('Video', () => void film('webm'), { icon: 'play', title: 'The clip on show, as a WebM' });
    const moving = button('GIF', () => void film('gif'), { icon: 'loop', title: 'The clip on show, as a GIF that loops' });
    video.hidden = !FilmMaker.hasVideo;
    const linked = h('p', { class: 'hint', role: 'status' });
    const link = button('Copy a link', () => {
        const address = session.link;
        if (address) void navigator.clipboard.writeText(new URL(address, document.baseURI).href).then(() => (linked.textContent = 'Copied. It makes this character again, in any browser.'));
    }, { icon: 'copy' });
    const sharing = h('section', {}, h('h3', {}, 'Link'), h('div', { class: 'row' }, link), linked);
    session.history.changed.watch(() => {
        link.disabled = session.link === null;
        linked.textContent = link.disabled ? 'For samples that commands alone were run on. Files of your own stay here: save the document to hand it on.' : 'The sample and what was done to it, as an address.';
    });
    session.history.current.watch((current) => {
        const clips = current?.info.clips ?? [];
        fill(clip, ...clips.map((one, index) => h('option', { value: `${index}` }, one.name || `clip ${index}`)));
        clipField.hidden = clips.length < 2;
        for (const control of [still, video, moving]) control.disabled = !current;
        fill(list, ...targets.filter((target) => current && target.fits(current)).map((target) => h('li', {},
            h('button', { type: 'button', class: 'target', onclick: () => void save(target) }, h('b', {}, target.label), h('span', { class: 'hint' }, target.extension === 'glb' ? `${target.about}, ${bytes(current!.glb.length)}` : target.about)))));
        list.hidden = !current;
    });
    return {
        name: 'Export', icon: 'save',
        element: h('div', { class: 'stack' }, h('h2', {}, 'Export'), h('p', { class: 'hint' }, 'Files are made here and handed to you as downloads.'), clipField, list,
            h('section', {}, h('h3', {}, 'What the view shows'), field('Camera', camera), h('div', { class: 'row' }, still, video, moving)), vrmSection(app), snippetSection(app), sharing),
    };
}
