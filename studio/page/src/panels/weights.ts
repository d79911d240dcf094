import type { App } from '../app';
import { button, chooseFiles, choice, count, field, number } from '../base/controls';
import { fill, h } from '../base/dom';
import type { Files } from '../engine/protocol';
import type { Hand } from '../hand';
import { mainFile } from '../session';
import { Bend } from './bend';
import { brushSection } from './brush';
import { VertexTable } from './vertex_table';
import { JointTree } from '../ui/joint_tree';
import type { Panel } from '../ui/tabs';

const skinFiles = '.glb,.gltf,.vrm,.fbx,.iqm,.md5mesh';

/** What can be done to a skin, or a part of it: the name, its controls and the options that they stand for. */
interface Operation {
    name: string;
    label: string;
    about: string;
    controls: HTMLElement[];
    options(): string[];
    /** mirror takes no part of a skin. */
    whole?: boolean;
}

function operations(chosen: () => string, from: HTMLSelectElement): Operation[] {
    const value = number(1, 0, 1, 0.05);
    const moved = number(1, 0, 1, 0.05);
    const how = choice([['set', 'is this'], ['add', 'is more by this'], ['scale', 'is times this']], 'set');
    const amount = number(0.5, 0, 1, 0.05);
    const least = number(0.01, 0, 1, 0.005);
    const most = number(4, 1, 8, 1);
    const side = choice([['left', 'left to right'], ['right', 'right to left']], 'left');
    return [
        { name: 'assign', label: 'Flood', about: 'Gives the chosen joint a weight everywhere there.', controls: [field('Its weight', how), field('Value', value)], options: () => ['--to', chosen(), '--value', value.value, ...(how.value === 'set' ? [] : ['--how', how.value])] },
        { name: 'move', label: 'Move', about: 'Gives the chosen joint what another one has there.', controls: [field('From joint', from), field('How much', moved)], options: () => ['--from', from.value, '--to', chosen(), '--value', moved.value] },
        { name: 'smooth', label: 'Smooth', about: 'Evens weights out with their neighbours.', controls: [field('Amount', amount)], options: () => ['--amount', amount.value] },
        { name: 'prune', label: 'Prune', about: 'Drops weights below the least.', controls: [field('Least', least)], options: () => ['--least', least.value] },
        { name: 'limit', label: 'Limit', about: 'Keeps the strongest joints of each vertex.', controls: [field('Joints', most)], options: () => ['--influences', most.value] },
        { name: 'normalize', label: 'Normalize', about: 'Makes the weights of each vertex sum to 1.', controls: [], options: () => [] },
        { name: 'mirror', label: 'Mirror', about: 'Copies one side to the other.', controls: [field('From', side)], options: () => ['--side', side.value], whole: true },
    ];
}

interface Piece {
    piece: number;
    vertices: number;
    joint: string | null;
}

export function weightsPanel(app: App, hand: Hand): Panel {
    const { session, viewer } = app;
    const tree = new JointTree(app);
    const none = h('p', { class: 'hint' }, 'Weights come with a rig: rig the character first.');
    const body = h('div', { class: 'stack' });
    const bend = new Bend(app, hand);
    const brush = brushSection(app, hand, bend);
    const vertex = new VertexTable(app, hand, bend, brush.stop);
    const where = choice([['', 'the whole skin']], '');
    let visible = false;

    const chosen = (): string => viewer.character.value?.joints[viewer.selected.value]?.name ?? '';
    const from = choice([], '');
    const edits = operations(chosen, from).map((operation) => h('section', {},
        h('div', { class: 'row' }, button(operation.label, () => void run(operation), { title: operation.about }), h('p', { class: 'hint grow' }, operation.about)), ...operation.controls));
    async function run({ label, name, options, whole }: Operation): Promise<void> {
        await session.edit(`${label} weights`, ['weights', name], [...options(), ...(whole ? [] : part())], { step: `${name} weights` });
    }
    /** The part of the skin that is meant, as options of `weights`. */
    function part(): string[] {
        return where.value === 'joint' ? ['--joint', chosen()] : where.value ? ['--piece', where.value] : [];
    }

    const transfer = button('From another character', () => chooseFiles(skinFiles, (files) => void take(files)), { icon: 'open', title: 'A file whose skin lies where this one does at rest' });
    async function take(files: File[]): Promise<void> {
        const contents: Files = new Map();
        for (const file of files) contents.set(file.name, new Uint8Array(await file.arrayBuffer()));
        const main = mainFile([...contents.keys()]);
        if (main) await session.edit(`Taking weights of ${main}`, ['weights', 'transfer'], ['--from', main], { files: contents, step: `weights of ${main}` });
    }

    // Which pieces there are is asked for when the list is looked at.
    let pieced: unknown = null;
    async function listPieces(): Promise<void> {
        const current = session.current;
        if (!current || pieced === current || !session.isRigged) return;
        pieced = current;
        const result = await session.engine.run(['weights', 'pieces', current.file, '--json'], new Map([[current.file, current.glb]]));
        if (result.code !== 0 || session.current !== current) return;
        const { pieces } = JSON.parse(new TextDecoder().decode(result.output)) as { pieces: Piece[] };
        const before = where.value;
        fill(where, h('option', { value: '' }, 'the whole skin'), h('option', { value: 'joint' }, 'what follows the chosen joint'),
            ...(pieces.length > 1 ? pieces.map(({ piece, vertices, joint }) => h('option', { value: `${piece}` }, `piece ${piece}: ${count(vertices)} vertices${joint ? `, at ${joint}` : ''}`)) : []));
        where.value = [...where.options].some(({ value }) => value === before) ? before : '';
    }

    fill(body,
        h('section', {}, h('h3', {}, 'How much follows'), h('p', { class: 'hint' }, 'Choose a joint here or in the picture.'), tree.element,
            h('div', {}, h('div', { class: 'ramp', role: 'img', 'aria-label': 'Colours from no weight to full weight' }), h('div', { class: 'ends' }, h('span', {}, '0'), h('span', {}, '0.5'), h('span', {}, '1')))),
        bend.element, brush.element, vertex.element, h('section', {}, h('h3', {}, 'Change many'), field('Where', where)), ...edits, h('section', {}, h('div', { class: 'row' }, transfer)));
    viewer.character.watch(() => {
        const rigged = session.isRigged && (viewer.character.value?.joints.length ?? 0) > 0;
        body.hidden = !rigged;
        none.hidden = rigged;
        const giver = from.value;
        fill(from, ...(viewer.character.value?.joints ?? []).map(({ name }) => h('option', { value: name }, name)));
        if ([...from.options].some(({ value }) => value === giver)) from.value = giver;
        if (!visible || !rigged) return;
        chooseFirst();
        void listPieces().catch(() => (pieced = null));
    });

    // A joint in the middle says more than none.
    function chooseFirst(): void {
        if (viewer.selected.value < 0) viewer.select(Math.max(0, viewer.character.value?.joints.findIndex((joint) => /chest|spine/i.test(joint.name)) ?? -1));
    }
    return {
        name: 'Weights', icon: 'brush', element: h('div', { class: 'stack' }, h('h2', {}, 'Weights'), none, body),
        shown(on) {
            visible = on;
            viewer.showHeat(on);
            brush.put(!on);
            if (!on) vertex.stop();
            if (on) void listPieces().catch(() => (pieced = null));
            bend.show(on && session.isRigged);
            viewer.needsSkeleton.value = on;
            if (!on || !session.isRigged) return;
            chooseFirst();
        },
    };
}
