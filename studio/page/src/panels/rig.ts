import type * as THREE from 'three';
import type { App } from '../app';
import { button, chooseFiles, choice, count, facts, field, iconButton, tick } from '../base/controls';
import { fill, h } from '../base/dom';
import { icon } from '../base/icons';
import type { RigReport, Triple } from '../reports';
import { otherSide } from '../skeleton_edit';
import type { Panel } from '../ui/tabs';
import { Readings } from './readings';
import { confidenceColour } from '../view/bones';

const skeletonFiles = '.glb,.gltf,.vrm,.fbx,.bvh,.asf,.iqm';

const skeletons: [string, string][] = [
    ['auto', 'find out'], ['human', 'person'], ['quadruped', 'animal of four legs'], ['bird', 'bird'], ['hand', 'hand'],
    ['fish', 'fish'], ['snake', 'snake'], ['spider', 'spider'], ['generic', 'whatever it is'], ['file', 'out of a file …'],
];
const weights: [string, string][] = [['heat', 'bone heat'], ['bbw', 'bounded biharmonic'], ['voxel', 'through the volume'], ['nearest', 'nearest bone']];
const names: [string, string][] = [['', 'VRM'], ['mixamo', 'Mixamo'], ['unreal', 'Unreal'], ['rigify', 'Rigify']];
const rests: [string, string][] = [['', 'as it is'], ['t', 'T-pose'], ['a', 'A-pose']];
const directions: [string, string][] = [['', 'find out'], ['z', '+Z'], ['-z', '-Z'], ['x', '+X'], ['-x', '-X']];

/** What other sections of the panel, which come later, need of it. */
export interface RigPanel extends Panel {
    /** Where they go. */
    slot: HTMLElement;
    /** Joints of the user's own are moved, and the skin is bound to them; others too, where weights are to stay. */
    moveOwn: ((positions: ReadonlyMap<string, Triple>) => Promise<void>) | null;
    /** Whether weights stay when joints are edited. */
    keeps: HTMLInputElement;
    /** How the skin is bound: options of `rig`. */
    binding(): string[];
    chains: ReadonlyMap<string, Triple>;
    /** Rigs it anew with other chains. */
    setChains(chains: ReadonlyMap<string, Triple>): Promise<void>;
    /** Called when the panel goes. */
    left: (() => void)[];
}

const pointOptions = (option: string, all: ReadonlyMap<string, Triple>): string[] => [...all].flatMap(([name, position]) => [option, `${name}=${position.map((x) => Number(x.toFixed(5))).join(',')}`]);

function confidenceRow(name: string, confidence: number): HTMLElement {
    const bar = h('span', { style: `width: ${Math.round(100 * confidence)}%; background: #${confidenceColour(confidence).getHexString()}` });
    return h('div', {}, h('div', { class: 'ends', style: 'font-size: 13px' }, h('span', {}, name), h('span', {}, `${Math.round(100 * confidence)} %`)), h('div', { class: 'meter' }, bar));
}

export function rigPanel(app: App): RigPanel {
    const { session, viewer } = app;
    // Joints put by hand: those of the current character, and one that was just dragged.
    let pins = new Map<string, Triple>();
    // Ends of hair, tails and props that were pointed at.
    let chains: ReadonlyMap<string, Triple> = new Map();
    // A skeleton of the user's own, put into the mesh.
    let own: [string, Uint8Array] | null = null;
    const skeleton = choice(skeletons, 'auto', (value) => {
        if (value === 'file') chooseFiles(skeletonFiles, (files) => void read(files[0]));
    });
    const binding = choice(weights, 'heat');
    const naming = choice(names, '');
    const rest = choice(rests, '');
    const facing = choice(directions, '');
    const influences = choice(['2', '3', '4', '6', '8'].map((n) => [n, n]), '4');
    const tail = tick('It has a tail', false);
    const mirrored = tick('Move the other side too', true);
    const keeps = tick('Keep the weights', false);
    const report = h('div', { class: 'stack' });
    const pinned = h('section', { hidden: true });
    const readings = new Readings(app, ([option, value]) => {
        (option === '--facing' ? facing : skeleton).value = value;
        void run();
    });
    let visible = false;
    const rig = button('Rig', () => void run(), { class: 'primary wide', icon: 'bone' });

    const chosen = (name: string, control: HTMLSelectElement, usual: string): string[] => (control.value === usual ? [] : [name, control.value]);
    const bindingOptions = (): string[] => [...(keeps.input.checked ? ['--keep-weights'] : []), ...chosen('--weights', binding, 'heat'), ...chosen('--influences', influences, '4')];
    function options(): string[] {
        return [
            ...(skeleton.value === 'file' ? (own ? ['--skeleton', own[0]] : []) : chosen('--skeleton', skeleton, 'auto')), ...chosen('--weights', binding, 'heat'), ...chosen('--names', naming, ''),
            ...chosen('--rest', rest, ''), ...chosen('--facing', facing, ''), ...chosen('--influences', influences, '4'), ...(tail.input.checked ? ['--tail'] : []), ...pointOptions('--marker', pins), ...pointOptions('--chain', chains),
        ];
    }

    async function read(file: File | undefined): Promise<void> {
        if (!file) return;
        own = [file.name, new Uint8Array(await file.arrayBuffer())];
        skeleton.selectedOptions[0]!.textContent = file.name;
    }

    async function run(): Promise<void> {
        const ours = skeleton.value === 'file' && own !== null;
        const done = await session.rig(options(), { corrections: new Map(pins), chains, own: ours, files: new Map(ours ? [own!] : []) });
        if (!done) {
            viewer.bones?.settle();
            followHistory();
        }
        viewer.stage.draw();
    }

    function pin(index: number, position: THREE.Vector3): void {
        const character = viewer.character.value;
        const bones = viewer.bones;
        if (!character || !bones) return;
        const name = character.joints[index]!.name;
        const put = new Map<string, Triple>([[name, [position.x, position.y, position.z]]]);
        const other = otherSide(name);
        const partner = other === null ? -1 : character.jointIndex(other);
        if (mirrored.input.checked && other !== null && partner >= 0) {
            // The plane between the two, as they stood before one was moved.
            const report = session.current?.rig;
            const was = (which: string): number => report?.joints.find((joint) => joint.name === which)?.position[0] ?? bones.position(character.jointIndex(which)).x;
            const middle = report ? (was(name) + was(other)) / 2 : 0;
            put.set(other, [2 * middle - position.x, position.y, position.z]);
        }
        if ((session.current?.own || keeps.input.checked) && panel.moveOwn) return void panel.moveOwn(put).then(() => bones.settle());
        for (const [joint, at] of put) pins.set(joint, at);
        showPins();
        void run();
    }

    function followHistory(): void {
        pins = new Map(session.current?.corrections);
        chains = session.current?.chains ?? new Map();
        showPins();
    }

    function showPins(): void {
        pinned.hidden = pins.size === 0;
        fill(pinned, h('h3', {}, 'Joints put by hand'), h('ul', { class: 'list' }, ...[...pins].map(([name, position]) => h('li', { class: 'row', style: 'padding: 2px 4px 2px 12px; flex-wrap: nowrap' },
            h('span', { class: 'name' }, name), h('span', { class: 'much' }, position.map((x) => x.toFixed(2)).join(', ')),
            iconButton('close', `Let ${name} be found again`, () => {
                pins.delete(name);
                showPins();
                void run();
            })))));
    }

    function showReport(current: RigReport | null, rigged: boolean): void {
        if (!current) {
            fill(report, h('p', { class: 'hint' }, rigged ? 'These joints are its own. Rig puts in others.' : 'Finds a skeleton inside the mesh and binds the skin to it.'));
            return;
        }
        // The module has no clock: the time is that of the log.
        const seconds = `${(session.log.value.findLast((entry) => entry.line.startsWith('limber rig'))?.seconds ?? 0).toFixed(1)} s`;
        const doubtful = current.joints.filter((joint) => joint.confidence < 0.7).sort((a, b) => a.confidence - b.confidence).slice(0, 6);
        fill(report,
            h('section', {}, confidenceRow(`${current.skeleton}, ${count(current.joints.length)} joints`, current.confidence), h('p', { class: 'hint' }, current.reason)),
            doubtful.length > 0 && h('section', {}, h('h3', {}, 'Joints to look at'), h('ul', { class: 'list' }, ...doubtful.map((joint) => h('li', {}, jointButton(joint))))),
            facts([['Vertices bound', count(current.vertices)], ['Height', `${Number(current.height.toPrecision(3))} m`], ['Made in', seconds]]));
    }

    function jointButton(joint: RigReport['joints'][number]): HTMLElement {
        return h('button', { type: 'button', title: joint.reason, onclick: () => viewer.select(viewer.character.value?.jointIndex(joint.name) ?? -1) },
            h('span', { class: 'dot', style: `background: #${confidenceColour(joint.confidence).getHexString()}` }), h('span', { class: 'name' }, joint.name),
            h('span', { class: 'much' }, `${Math.round(100 * joint.confidence)} %`));
    }

    const drag = h('section', {}, h('h3', {}, 'Correct it'), h('p', { class: 'hint' }, 'Drag a joint to where it belongs. Clips come along.'), mirrored.element, keeps.element);
    session.history.current.watch((current) => {
        const rigged = (current?.info.skins?.length ?? 0) > 0;
        rig.disabled = !current?.info.meshes.length;
        fill(rig, icon('bone'), rigged ? 'Rig anew' : 'Rig');
        drag.hidden = !rigged;
        followHistory();
        keeps.input.checked = current?.weighed ?? false;
        showReport(current?.rig ?? null, rigged);
    });
    const offer = (): void => void (visible && readings.offer());
    session.busy.watch((busy) => busy === null && offer());
    viewer.character.watch(offer);
    const slot = h('div', { class: 'stack' });
    const panel: RigPanel = {
        name: 'Rig', icon: 'bone', slot, moveOwn: null, keeps: keeps.input, binding: bindingOptions, left: [],
        element: h('div', { class: 'stack' }, h('h2', {}, 'Rig'),
            h('section', {}, field('Skeleton', skeleton), field('Weights', binding), field('Joint names', naming), field('Rest pose', rest), field('It looks along', facing), field('Joints a vertex', influences), tail.element),
            rig, readings.element, report, drag, pinned, slot),
        get chains() {
            return chains;
        },
        setChains(others) {
            chains = others;
            return run();
        },
        shown(on) {
            visible = on;
            offer();
            viewer.onDrag = on ? pin : null;
            viewer.needsSkeleton.value = false;
            if (!on) return panel.left.forEach((leave) => leave());
            viewer.needsSkeleton.value = true;
            // Markers are positions in the rest pose.
            viewer.player.select(null);
        },
    };
    return panel;
}
