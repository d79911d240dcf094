import type { App } from '../app';
import { button, choice, field, iconButton } from '../base/controls';
import { fill, h } from '../base/dom';
import { addBone, fingerCount, freeName, hangBone, isBelow, keepFingers, mirrorBone, moveBones, otherSide, readBones, removeBones, toGltf, type Bone } from '../skeleton_edit';
import type { Triple } from '../reports';
import { JointTree } from '../ui/joint_tree';
import type { RigPanel } from './rig';

const fingerSets: [string, string][] = [['', 'as they are'], ['4', 'thumb and three'], ['3', 'thumb and two'], ['2', 'thumb and one'], ['1', 'the thumb'], ['0', 'none']];

/** The joints as a tree, and what can be done to the chosen one: other joints, to which the skin is bound anew. */
export function jointsSection(app: App, rig: RigPanel): HTMLElement {
    const { session, viewer } = app;
    const name = h('input', { type: 'text', 'aria-label': 'Name of the joint' });
    const above = choice([], '', (value) => edit(`hang ${chosen()?.name}`, (bones, index) => hangBone(bones, index, Number(value))));
    const add = button('Add a joint below', () => edit(`add a joint below ${chosen()?.name}`, (bones, index) => addBone(bones, index, freeName(bones, `${bones[index]!.name}End`)), (bones) => bones.at(-1)!.name), { icon: 'add' });
    const remove = button('Remove', () => drop());
    const mirror = button('To the other side', () => edit(`mirror ${chosen()?.name}`, mirrorBone), { title: 'The other side of this joint, and of what hangs from it, becomes its image' });
    const fingers = choice(fingerSets, '', (value) => {
        fingers.value = '';
        if (value) void bind(`keep ${value} fingers`, keepFingers(bonesNow(), Number(value)));
    });
    const fingerField = field('Fingers', fingers);
    const tree = new JointTree(app, { rename: () => (name.focus(), name.select()), remove: () => drop() });
    const one = h('section', {}, field('Name', name), field('Hangs from', above), h('div', { class: 'row' }, add, mirror, remove));
    const hint = h('p', { class: 'hint' });
    const tellWeights = (): void => {
        hint.textContent = rig.keeps.checked ? 'Weights stay: a joint that goes leaves its own to the one above, a new one shares with it.' : 'A new name changes no weight; else the skin is bound anew, unless its weights are kept.';
    };
    rig.keeps.addEventListener('change', tellWeights);
    session.history.current.watch(tellWeights);
    const element = h('section', {}, h('h3', {}, 'Joints'), tree.element, one, fingerField, hint, chainSection(app, rig));

    const chosen = (): { name: string; parent: number } | undefined => viewer.character.value?.joints[viewer.selected.value];
    const bonesNow = (): Bone[] => readBones(viewer.character.value!);

    function drop(): void {
        if (bonesNow().length > 1) edit(`remove ${chosen()?.name}`, (bones, index) => removeBones(bones, (_, k) => k === index), (bones, index) => bones[Math.max(0, Math.min(index, bones.length) - 1)]!.name);
    }

    function edit(step: string, change: (bones: Bone[], index: number) => Bone[], choose?: (bones: Bone[], index: number) => string): void {
        const index = viewer.selected.value;
        if (!chosen() || session.busy.value) return;
        const bones = change(bonesNow(), index);
        void bind(step, bones, choose?.(bones, index));
    }

    async function bind(step: string, bones: Bone[], then?: string): Promise<void> {
        const done = await session.bindTo(toGltf(bones), step, rig.binding());
        if (done && then !== undefined) viewer.select(viewer.character.value?.jointIndex(then) ?? -1);
        if (!done) tell();
    }
    rig.moveOwn = (positions: ReadonlyMap<string, Triple>) => bind(`move ${[...positions.keys()][0]}`, moveBones(bonesNow(), positions));

    async function rename(): Promise<void> {
        const old = chosen()?.name;
        const wanted = name.value.trim();
        if (old === undefined || wanted === '' || wanted === old) return tell();
        if (await session.rename(old, wanted)) viewer.select(viewer.character.value?.jointIndex(wanted) ?? -1);
        else tell();
    }
    name.addEventListener('change', () => void rename());
    name.addEventListener('keydown', (event) => event.key === 'Escape' && tell());

    function tell(): void {
        const joint = chosen();
        one.hidden = !joint;
        if (!joint) return;
        const character = viewer.character.value!;
        const bones = bonesNow();
        const index = viewer.selected.value;
        name.value = joint.name;
        mirror.disabled = otherSide(joint.name) === null;
        remove.disabled = bones.length < 2;
        fill(above, ...(joint.parent < 0 ? [h('option', { value: '-1' }, 'nothing')] : []), ...character.joints.flatMap((other, k) => (isBelow(bones, k, index) ? [] : [h('option', { value: `${k}`, selected: k === joint.parent }, other.name)])));
    }
    viewer.selected.watch(tell);
    viewer.character.watch((character) => {
        element.hidden = !character?.joints.length || !session.isRigged;
        fingerField.hidden = !character || fingerCount(bonesNow()) < 2;
        tell();
    });
    return element;
}

/** Ends of hair, tails, skirts and props, pointed at on the mesh: the rig is made anew with joints that lead there. */
function chainSection(app: App, rig: RigPanel): HTMLElement {
    const { viewer } = app;
    const name = h('input', { type: 'text', value: 'hair', 'aria-label': 'What the chain is called' });
    const point = button('Point at its end', () => (point.getAttribute('aria-pressed') === 'true' ? stop() : start()));
    const list = h('ul', { class: 'list' });
    point.setAttribute('aria-pressed', 'false');
    const said = h('p', { class: 'hint', role: 'status' });
    const idle = 'Hair, an ear, a skirt, a prop: joints are put into the branch of the mesh that ends there.';

    function start(): void {
        point.setAttribute('aria-pressed', 'true');
        said.textContent = 'Click where it ends, on the mesh.';
        viewer.setBrush({
            radius: () => 0.02 * (viewer.character.value ? viewer.character.value.box.max.y - viewer.character.value.box.min.y : 1),
            begin(position) {
                stop();
                const wanted = name.value.trim().replaceAll(/[=\s]/g, '') || 'chain';
                let free = wanted;
                for (let k = 2; rig.chains.has(free); ++k) free = `${wanted}${k}`;
                void rig.setChains(new Map([...rig.chains, [free, [position.x, position.y, position.z]]]));
            },
            move: () => {},
            end: () => {},
        });
    }
    function stop(): void {
        point.setAttribute('aria-pressed', 'false');
        said.textContent = idle;
        viewer.setBrush(null);
    }
    rig.left.push(stop);
    stop();
    const element = h('details', {}, h('summary', {}, 'Chains: hair, tail, skirt, prop'), h('div', { class: 'stack chains' }, h('div', { class: 'row' }, h('div', { class: 'grow' }, name), point), said, list));
    app.session.history.current.watch((current) => {
        const chains = current?.chains ?? new Map();
        list.hidden = chains.size === 0;
        fill(list, ...[...chains.keys()].map((one) => h('li', { class: 'row chain' }, h('span', { class: 'name' }, one),
            iconButton('close', `Take ${one} away`, () => void rig.setChains(new Map([...chains].filter(([other]) => other !== one)))))));
    });
    return element;
}
