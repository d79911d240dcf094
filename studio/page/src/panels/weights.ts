import type { App } from '../app';
import { button, choice, field, number } from '../base/controls';
import { fill, h } from '../base/dom';
import type { Hand } from '../hand';
import { brushSection } from './brush';
import { JointTree } from '../ui/joint_tree';
import type { Panel } from '../ui/tabs';

/** What can be done to a whole skin: the name, its control and the options that it stands for. */
interface Operation {
    name: string;
    label: string;
    about: string;
    control: HTMLElement | null;
    options(): string[];
}

function operations(): Operation[] {
    const amount = number(0.5, 0, 1, 0.05);
    const least = number(0.01, 0, 1, 0.005);
    const most = number(4, 1, 8, 1);
    const side = choice([['left', 'left to right'], ['right', 'right to left']], 'left');
    return [
        { name: 'smooth', label: 'Smooth', about: 'Evens weights out with their neighbours.', control: field('Amount', amount), options: () => ['--amount', amount.value] },
        { name: 'prune', label: 'Prune', about: 'Drops weights below the least.', control: field('Least', least), options: () => ['--least', least.value] },
        { name: 'limit', label: 'Limit', about: 'Keeps the strongest joints of each vertex.', control: field('Joints', most), options: () => ['--influences', most.value] },
        { name: 'mirror', label: 'Mirror', about: 'Copies one side to the other.', control: field('From', side), options: () => ['--side', side.value] },
        { name: 'normalize', label: 'Normalize', about: 'Makes the weights of each vertex sum to 1.', control: null, options: () => [] },
    ];
}

export function weightsPanel(app: App, hand: Hand): Panel {
    const { session, viewer } = app;
    const tree = new JointTree(app);
    const none = h('p', { class: 'hint' }, 'Weights come with a rig: rig the character first.');
    const body = h('div', { class: 'stack' });
    const brush = brushSection(app, hand);
    let visible = false;

    const edits = operations().map((operation) => h('section', {},
        h('div', { class: 'row' }, button(operation.label, () => void run(operation), { title: operation.about }), h('p', { class: 'hint grow' }, operation.about)), operation.control));
    async function run(operation: Operation): Promise<void> {
        await session.edit(`${operation.label} weights`, ['weights', operation.name], operation.options(), { step: `${operation.name} weights` });
    }

    fill(body,
        h('section', {}, h('h3', {}, 'How much follows'), h('p', { class: 'hint' }, 'Choose a joint here or in the picture.'), tree.element,
            h('div', {}, h('div', { class: 'ramp', role: 'img', 'aria-label': 'Colours from no weight to full weight' }), h('div', { class: 'ends' }, h('span', {}, '0'), h('span', {}, '0.5'), h('span', {}, '1')))),
        brush.element, h('h3', { style: 'margin: 0' }, 'Change them all'), ...edits);
    viewer.character.watch(() => {
        const rigged = session.isRigged && (viewer.character.value?.joints.length ?? 0) > 0;
        body.hidden = !rigged;
        none.hidden = rigged;
        if (visible && rigged) chooseFirst();
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
            viewer.needsSkeleton.value = on;
            if (!on || !session.isRigged) return;
            chooseFirst();
        },
    };
}
