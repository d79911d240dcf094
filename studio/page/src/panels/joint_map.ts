import type { App } from '../app';
import { button, choice, iconButton } from '../base/controls';
import { fill, h } from '../base/dom';
import type { Brought, JointMap, MapSide } from '../history';
import type { InfoReport, MotionReport } from '../reports';
import { confidenceColour } from '../view/bones';

const sides = ['left', 'right'] as const;
const limbs = ['UpperLeg', 'LowerLeg', 'Foot', 'Toes', 'Shoulder', 'UpperArm', 'LowerArm', 'Hand'];
const fingers = ['Thumb', 'Index', 'Middle', 'Ring', 'Little'];
const segments = (finger: string): string[] => [finger === 'Thumb' ? 'Metacarpal' : 'Proximal', finger === 'Thumb' ? 'Proximal' : 'Intermediate', 'Distal'];

/** The bones of a person, as the command names them: body, face and fingers. */
const groups: [string, string[]][] = [
    ['Body', ['hips', 'spine', 'chest', 'upperChest', 'neck', 'head', ...sides.flatMap((side) => limbs.map((limb) => side + limb))]],
    ['Face', ['leftEye', 'rightEye', 'jaw']],
    ['Fingers', sides.flatMap((side) => fingers.flatMap((finger) => segments(finger).map((segment) => side + finger + segment)))],
];
// What a motion of people needs.
const needed = new Set(['hips', 'spine', 'head', ...sides.flatMap((side) => ['UpperLeg', 'LowerLeg', 'Foot', 'UpperArm', 'LowerArm', 'Hand'].map((limb) => side + limb))]);
// Below this a joint is one to look at, as where `rig` found it.
const sure = 0.7;

export type Side = 'character' | 'motion';
export const sideNames: [Side, string][] = [['character', 'here'], ['motion', 'in the motion']];
export const asFound = '';
export const none = ' ';

/** "leftUpperLeg" as words. */
export const words = (bone: string): string => bone.replace(/[A-Z]|\d+$/g, (letter) => ` ${letter.toLowerCase()}`);

/** Which joint of a motion goes to which of the character: looked at, and changed by lists or by a click on a joint. */
export class JointMapSection {
    readonly element = h('section', { hidden: true });
    private brought: Brought | null = null;
    private slots: NonNullable<MotionReport['slots']> = {};
    private map: Record<Side, MapSide> = { character: {}, motion: {} };
    /** Joints to choose from. */
    private names: Record<Side, string[]> = { character: [], motion: [] };
    /** Of the groups that were opened. */
    private readonly rows = new Map<string, HTMLElement>();
    private readonly said = h('p', { class: 'hint', role: 'status' });
    private readonly apply = button('Put it on by this map', () => void this.put(), { class: 'primary wide' });
    /** The bone whose joint is the next one that is clicked. */
    private pointed: string | null = null;

    constructor(private readonly app: App) {
        const { session, viewer } = app;
        session.history.current.watch(() => this.look());
        session.refused.watch(() => this.look());
        viewer.character.watch(() => this.look());
        viewer.selected.watch((joint) => joint >= 0 && this.take(viewer.character.value?.joints[joint]?.name));
    }

    /** Nobody points any more. */
    leave(): void {
        if (this.pointed !== null) this.point(null);
    }

    /** Of the motion that came last, or of the one that did not come. */
    private look(): void {
        const { session } = this.app;
        const { current } = session;
        const refused = session.refused.value?.from === current?.file ? session.refused.value : null;
        const brought = refused ?? (current?.motion?.slots ? current.brought : null);
        if (brought === this.brought) return;
        this.brought = brought;
        this.leave();
        this.element.hidden = brought === null;
        if (!brought) return;
        this.slots = refused ? {} : (current?.motion?.slots ?? {});
        this.map = { character: { ...brought.map.character }, motion: { ...brought.map.motion } };
        this.names = { character: (current?.info.skeleton?.joints ?? []).map(({ name }) => name), motion: Object.values(this.slots).flatMap(({ motion }) => motion?.joint ?? []) };
        this.show(refused !== null);
        void this.learn(brought).catch(() => undefined);
    }

    /** The joints of the motion are in its file; of a made one those that are followed are known. */
    private async learn(brought: Brought): Promise<void> {
        if (!brought.files.has(brought.main)) return;
        const result = await this.app.session.engine.run(['info', brought.main, '--json'], new Map(brought.files));
        if (result.code !== 0 || this.brought !== brought) return;
        const info = JSON.parse(new TextDecoder().decode(result.output)) as InfoReport;
        this.names.motion = (info.skeleton?.joints ?? []).map(({ name }) => name);
        for (const bone of this.rows.keys()) this.refresh(bone);
    }

    private show(open: boolean): void {
        this.rows.clear();
        const stays = this.element.querySelector('details')?.open ?? false;
        const [[, body], ...others] = groups as [[string, string[]], ...typeof groups];
        const details = this.group('Which joint follows which', body, open || stays);
        details.firstElementChild!.after(this.said);
        details.append(...others.map(([name, bones]) => this.group(name, bones, false)), this.apply);
        fill(this.element, details);
        this.count();
    }

    // Filled when it is opened: each row has two lists of all joints.
    private group(title: string, bones: string[], open: boolean): HTMLElement {
        const list = h('div', { class: 'joint-map' });
        const make = (): void => {
            if (this.rows.has(bones[0]!)) return;
            for (const bone of bones) this.rows.set(bone, h('div', { class: 'joint-row', role: 'group', 'aria-label': words(bone) }));
            for (const bone of bones) this.refresh(bone);
            fill(list, ...bones.map((bone) => this.rows.get(bone)!));
        };
        if (open) make();
        return h('details', { open, ontoggle: (event: Event) => (event.target as HTMLDetailsElement).open && make() }, h('summary', {}, title), list);
    }

    private chosen(side: Side, bone: string): string | null | undefined {
        return this.map[side][bone] as string | null | undefined;
    }

    private found(side: Side, bone: string): { joint: string | null; confidence: number; reason: string } | null {
        const match = this.slots[bone]?.[side];
        // What an earlier map gave is not what would be found without it.
        return match && match.reason !== 'given' ? match : null;
    }

    /** The joint of a bone by now; null: none, undefined: that is not known before it was tried. */
    private joint(side: Side, bone: string): string | null | undefined {
        const chosen = this.chosen(side, bone);
        if (chosen !== undefined) return chosen;
        return Object.keys(this.slots).length === 0 || this.slots[bone]?.[side]?.reason === 'given' ? undefined : (this.found(side, bone)?.joint ?? null);
    }

    private confidence(bone: string): number {
        return Math.min(...sideNames.map(([side]) => (this.chosen(side, bone) === undefined ? (this.found(side, bone)?.confidence ?? 1) : 1)));
    }

    /** What is wrong with a bone, in a word. */
    private doubt(bone: string): string {
        const missing = sideNames.filter(([side]) => this.joint(side, bone) === null).map(([, name]) => name);
        if (missing.length && needed.has(bone)) return `missing ${missing.join(' and ')}`;
        return missing.length === 0 && this.confidence(bone) < sure ? 'look at it' : '';
    }

    private refresh(bone: string): void {
        const sure = this.confidence(bone), doubt = this.doubt(bone);
        const why = sideNames.map(([side, name]) => { const match = this.found(side, bone); return match && `${name} by ${match.reason}, ${Math.round(100 * match.confidence)} %`; }).filter(Boolean).join('; ');
        const pointing = this.pointed === bone;
        const control = iconButton('follow', `Click the joint of ${words(bone)} in the picture`, () => this.point(pointing ? null : bone), 'bare square');
        control.setAttribute('aria-pressed', `${pointing}`);
        fill(this.rows.get(bone)!, h('span', { class: 'dot', style: `background: #${confidenceColour(doubt.startsWith('missing') ? 0 : sure).getHexString()}` }),
            h('span', { class: 'name', title: why }, words(bone)), h('span', { class: 'much' }, doubt), control, ...sideNames.map(([side, name]) => this.list(side, bone, name)));
    }

    private list(side: Side, bone: string, name: string): HTMLSelectElement {
        const found = this.found(side, bone), chosen = this.chosen(side, bone);
        const unknown = Object.keys(this.slots).length === 0 || this.slots[bone]?.[side]?.reason === 'given';
        const names = typeof chosen === 'string' && !this.names[side].includes(chosen) ? [chosen, ...this.names[side]] : this.names[side];
        const select = choice([[asFound, unknown ? 'as found' : `${found?.joint ?? '–'} · found`], [none, '– none'], ...names.map((one): [string, string] => [one, one])],
            chosen === undefined ? asFound : (chosen ?? none), (value) => this.set(side, bone, value === asFound ? undefined : value === none ? null : value));
        select.setAttribute('aria-label', `${words(bone)} ${name}`);
        if (side === 'character') select.addEventListener('focus', () => this.seek(this.joint(side, bone)));
        return select;
    }

    // The joint that a row is about stands out in the picture.
    private seek(joint: string | null | undefined): void {
        const { viewer } = this.app;
        if (joint && this.pointed === null) viewer.select(viewer.character.value?.jointIndex(joint) ?? -1);
    }

    private set(side: Side, bone: string, joint: string | null | undefined): void {
        if (joint === undefined) delete this.map[side][bone];
        else this.map[side][bone] = joint;
        this.refresh(bone);
        this.count();
    }

    private count(): void {
        const doubts = groups.flatMap(([, bones]) => bones).map((bone) => this.doubt(bone));
        const missing = doubts.filter((doubt) => doubt.startsWith('missing')).length, doubtful = doubts.filter((doubt) => doubt === 'look at it').length;
        const nothing = Object.keys(this.slots).length === 0;
        this.said.textContent = this.pointed !== null ? `Click the joint of ${words(this.pointed)} in the picture.`
            : nothing ? 'It did not come onto this character. Say which joints are which: the body\'s first.'
            : missing + doubtful === 0 ? 'Each joint that a body needs has one to follow.'
            : [missing && `${missing} missing`, doubtful && `${doubtful} to look at`].filter(Boolean).join(', ');
        this.apply.disabled = JSON.stringify(this.text()) === JSON.stringify(this.brought?.map ?? {});
    }

    private text(): JointMap {
        return Object.fromEntries(Object.entries(this.map).filter(([, side]) => Object.keys(side).length > 0));
    }

    private point(bone: string | null): void {
        const before = this.pointed;
        this.pointed = bone;
        this.app.viewer.needsSkeleton.value = bone !== null;
        for (const one of [before, bone]) if (one !== null && this.rows.has(one)) this.refresh(one);
        this.count();
    }

    private take(joint: string | undefined): void {
        const bone = this.pointed;
        if (bone === null || joint === undefined) return;
        this.point(null);
        this.set('character', bone, joint);
    }

    private async put(): Promise<void> {
        if (this.brought) await this.app.session.remap(this.brought, this.text());
    }
}
