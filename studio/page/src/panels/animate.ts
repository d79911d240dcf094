import type { App } from '../app';
import { button, chooseFiles, slider, tick } from '../base/controls';
import { fill, h } from '../base/dom';
import { bodyKinds, motionBodies } from '../engine/live_module';
import type { Files } from '../engine/protocol';
import type { Hand } from '../hand';
import { mainFile } from '../session';
import type { Tryout } from '../tryout';
import { ChainMapSection } from './chain_map';
import { clipSection } from './clip_edit';
import { JointMapSection } from './joint_map';
import { layersSection } from './layers';
import { physicsSection } from './physics';
import { MotionList, type MadeMotion } from './motion_list';
import { motionReport } from './motion_report';
import type { Panel } from '../ui/tabs';

// What is made here, and the bodies that can do it.
const made: [string, string, number][] = [
    ['walk', 'Walk', bodyKinds.walks], ['run', 'Run', bodyKinds.walks], ['idle', 'Idle', bodyKinds.human], ['wave', 'Wave', bodyKinds.human], ['jump', 'Jump', bodyKinds.human],
];
const anything = bodyKinds.human | bodyKinds.walks;
const kindHints: [number, string][] = [
    [anything, 'Animals, spiders and other bodies of legs in pairs walk and run in their own way.'],
    [bodyKinds.walks, 'This body walks and runs on its legs in its own way. Idle, wave and jump are for people.'],
    [0, 'This body has no legs in pairs to walk on. It takes the motions of its like from files.'],
];
const motionFiles = '.bvh,.fbx,.amc,.asf,.c3d,.trc,.vrma,.glb,.gltf,.vrm,.npz,.limb,.csv';

export function animatePanel(app: App, hand: Hand, tryout: Tryout): Panel {
    const { session, viewer } = app;
    const inPlace = tick('Stay on the spot', false);
    const lockFeet = tick('Keep feet on the ground', true);
    const mirror = tick('Mirror left and right', false);
    const times = (factor: number): string => `× ${factor.toFixed(1)}`;
    const speed = slider('Speed', 0, 0, 8, 0.1, (metres) => (metres ? `${metres.toFixed(1)} m/s` : 'usual'));
    const tempo = slider('Tempo of others', 1, 0.3, 3, 0.1, times);
    const stride = slider('Stride', 1, 0.5, 1.6, 0.1, times);
    const energy = slider('Energy', 1, 0.3, 2, 0.1, times);
    const armSpace = slider('Arm space', 0, -20, 40, 1, (degrees) => `${degrees}°`);
    const clips = h('div', { class: 'stack' });
    const options = (): string[] => [
        ...(inPlace.input.checked ? ['--in-place'] : []), ...(lockFeet.input.checked ? [] : ['--no-lock-feet']),
    ];
    const changed = (option: string, { input }: { input: HTMLInputElement }, usual: number): string[] =>
        (Number(input.value) === usual ? [] : [`--${option}`, input.value]);
    /** Those of made motions too: a gait's speed is in metres a second, others' in times. */
    const madeOptions = ({ gait, body }: Pick<MadeMotion, 'gait' | 'body'>): string[] => [
        ...options(), ...(gait ? changed('speed', speed, 0) : changed('speed', tempo, 1)), ...(mirror.input.checked ? ['--mirror'] : []),
        ...changed('energy', energy, 1), ...(body === 'human' ? [...changed('stride', stride, 1), ...changed('arm-space', armSpace, 0)] : []),
    ];
    const library = new MotionList(app, madeOptions);
    const motions = made.map(([name, label]) => button(label, () => void session.animate(name, madeOptions({ gait: ['walk', 'run'].includes(name), body: 'human' }))));
    const hint = h('p', { class: 'hint' });
    const steer = button('Try your character', () => void tryout.enter().catch((error: unknown) => hand.fail(error)), { icon: 'steer', class: 'wide', title: 'Walk it with the arrow keys, let it run, jump and fall' });
    let visible = false;

    function offer(kind: number, body: string | null = 'human'): void {
        steer.disabled = !session.isRigged || (kind & bodyKinds.walks) === 0;
        motions.forEach((control, k) => (control.hidden = (made[k]![2] & kind) === 0));
        void library.fit(body).catch(() => undefined);
        hint.textContent = kindHints.find(([of]) => of === kind)?.[1] ?? '';
    }
    /** What cannot be known yet is offered: a mesh without joints gets them first. */
    async function offerWhatFits(): Promise<void> {
        const asked = session.current;
        if (!visible || !asked || !session.isRigged) return offer(anything);
        try {
            const shape = await hand.open();
            const kind = await hand.live(shape, 'body');
            offer(kind, motionBodies[await hand.live(shape, 'motionBody')] ?? null);
        } catch {
            // After a cancelled command the character is not open; the next look at the panel asks again.
            if (session.current === asked) offer(anything);
        }
    }
    const refit = (): void => void offerWhatFits();

    async function add(files: File[]): Promise<void> {
        const contents: Files = new Map();
        for (const file of files) contents.set(file.name, new Uint8Array(await file.arrayBuffer()));
        const main = mainFile([...contents.keys()]);
        if (main) await session.animateFile(main, contents, options());
    }
    const file = button('Motion from a file', () => chooseFiles(motionFiles, (files) => void add(files)), { icon: 'open', class: 'wide' });

    function showClips(): void {
        const list = viewer.character.value?.clips ?? [];
        const current = viewer.player.clip;
        fill(clips, h('section', {}, h('h3', {}, 'Clips'), list.length === 0 ? h('p', { class: 'hint' }, 'None yet: choose a motion above.')
            : h('ul', { class: 'list' }, row('Rest pose', '', current === null, () => viewer.player.select(null)),
                ...[...viewer.character.value!.together, ...list].map((clip) => row(clip.name || 'no name', `${clip.duration.toFixed(2)} s`, clip === current, () => {
                    viewer.player.select(clip);
                    viewer.player.play(true);
                })))));
    }
    function row(name: string, much: string, chosen: boolean, act: () => void): HTMLElement {
        return h('li', {}, h('button', { type: 'button', 'aria-current': `${chosen}`, onclick: act }, h('span', { class: 'name' }, name), h('span', { class: 'much' }, much)));
    }
    const jointMap = new JointMapSection(app);
    const report = h('div', { class: 'stack' });
    session.history.current.watch((current) => fill(report, current?.motion ? motionReport(current.motion) : null));
    let shown: unknown;
    // The clip that is to be looked at here, while other tools have the character stand at rest.
    let wanted: string | null = null;
    viewer.player.changed.watch(() => {
        const { clip } = viewer.player;
        if (shown !== clip) showClips();
        shown = clip;
        if (clip || visible) wanted = clip?.name ?? null;
    });
    function resume(): void {
        const clip = viewer.player.clip || hand.held ? undefined : viewer.character.value?.playable.find(({ name }) => name === wanted);
        if (!clip) return;
        viewer.player.select(clip);
        viewer.player.play(clip.duration > 0 && !matchMedia('(prefers-reduced-motion: reduce)').matches);
    }
    viewer.character.watch((character) => {
        showClips();
        refit();
        const none = !character?.meshes.length;
        for (const control of [...motions, file]) control.disabled = none;
    });
    return {
        name: 'Animate', icon: 'play',
        element: h('div', { class: 'stack' }, h('h2', {}, 'Animate'),
            steer, h('section', {}, h('h3', {}, 'Made motions'), h('div', { class: 'grid3' }, ...motions), hint, library.element),
            h('section', {}, file, h('p', { class: 'hint' }, 'BVH, FBX, AMC with its ASF, C3D, VRMA, glTF and more. Or drop it anywhere.')),
            h('section', {}, h('h3', {}, 'How'), inPlace.element, lockFeet.element, mirror.element,
                speed.element, h('p', { class: 'hint' }, 'Of walks and runs, for a body of 1.75 m.'),
                tempo.element, stride.element, energy.element, armSpace.element),
            clips, clipSection(app), layersSection(app), physicsSection(app, hand), report, jointMap.element, new ChainMapSection(app).element),
        shown(on) {
            visible = on;
            if (!on) return jointMap.leave();
            resume();
            refit();
        },
    };
}
