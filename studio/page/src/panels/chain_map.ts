import type { App } from '../app';
import { button, choice } from '../base/controls';
import { fill, h } from '../base/dom';
import type { Brought, JointMap } from '../history';
import type { InfoReport, MotionReport } from '../reports';
import { asFound, none, sideNames, words, type Side } from './joint_map';

/** A joint of either body, after its parent. */
interface Bone {
    name: string;
    parent: number;
}

type Chains = Record<string, string[] | null>;
const bothSides = ['left', 'right'] as const;

/** Which chain of a motion goes to which of an animal: a chain is told by the joint that it ends at. */
export class ChainMapSection {
    readonly element = h('section', { hidden: true });
    private brought: Brought | null = null;
    private found: NonNullable<MotionReport['chains']> = { character: {}, motion: {} };
    private map: Record<Side, Chains> = { character: {}, motion: {} };
    private bones: Record<Side, Bone[]> = { character: [], motion: [] };
    private readonly list = h('div', { class: 'joint-map' });
    private readonly said = h('p', { class: 'hint', role: 'status' });
    private readonly apply = button('Put it on by this map', () => void this.put(), { class: 'primary wide' });

    constructor(private readonly app: App) {
        app.session.history.current.watch(() => this.look());
        app.viewer.character.watch(() => this.look());
    }

    private look(): void {
        const { current } = this.app.session;
        const brought = current?.motion?.chains ? current.brought : null;
        if (brought === this.brought) return;
        this.brought = brought;
        this.element.hidden = brought === null;
        if (!brought) return fill(this.element);
        if (!this.element.hasChildNodes()) fill(this.element, h('details', {}, h('summary', {}, 'Which chain follows which'), this.said, this.list, this.apply));
        this.found = current!.motion!.chains!;
        const [character, motion] = [brought.map.character?.chains, brought.map.motion?.chains] as [Chains | undefined, Chains | undefined];
        this.map = { character: { ...character }, motion: { ...motion } };
        this.bones = { character: current!.info.skeleton?.joints ?? [], motion: [] };
        this.show();
        void this.learn(brought).catch(() => undefined);
    }

    /** The joints of the motion are in its file. */
    private async learn(brought: Brought): Promise<void> {
        if (!brought.files.has(brought.main)) return;
        const result = await this.app.session.engine.run(['info', brought.main, '--json'], new Map(brought.files));
        if (result.code !== 0 || this.brought !== brought) return;
        this.bones.motion = (JSON.parse(new TextDecoder().decode(result.output)) as InfoReport).skeleton?.joints ?? [];
        this.show();
    }

    /** Chains that one of the bodies has, and those that most animals have. */
    private get names(): string[] {
        const limbs = Object.keys({ ...this.found.character, ...this.found.motion, ...this.map.character, ...this.map.motion });
        return [...new Set(['spine', 'neck', 'tail', ...bothSides.map((side) => `${side}Leg1`), ...bothSides.map((side) => `${side}Leg2`), ...limbs])];
    }

    private show(): void {
        fill(this.list, h('div', { class: 'joint-row chain-row heads', 'aria-hidden': 'true' }, ...sideNames.map(([, said]) => h('span', {}, said))), ...this.names.map((name) => h('div', { class: 'joint-row chain-row', role: 'group', 'aria-label': words(name) },
            h('span', { class: 'name' }, words(name)), h('span', { class: 'much' }, this.doubt(name)), ...sideNames.map(([side, said]) => this.choice(side, name, said)))));
        const lone = this.names.filter((name) => this.doubt(name) !== '').length;
        this.said.textContent = lone ? `${lone} ${lone === 1 ? 'chain has' : 'chains have'} no other one. A chain is told by the joint that it ends at.` : 'Each chain has one to follow. A chain is told by the joint that it ends at.';
        this.apply.disabled = JSON.stringify(this.text()) === JSON.stringify(this.brought?.map ?? {});
    }

    /** The joints of a chain by now, from the trunk outwards. */
    private chain(side: Side, name: string): string[] {
        const chosen = this.map[side][name];
        return (chosen === undefined ? this.found[side][name] : chosen) ?? [];
    }

    private doubt(name: string): string {
        const [here, there] = sideNames.map(([side]) => this.chain(side, name).length > 0);
        return here && !there ? 'stays at rest' : there && !here ? 'missing here' : '';
    }

    private choice(side: Side, name: string, said: string): HTMLSelectElement {
        const chosen = this.map[side][name], given = this.brought?.map[side]?.chains as Chains | undefined;
        const found = given?.[name] === undefined ? (this.found[side][name]?.at(-1) ?? '–') : '';
        const tips = this.bones[side].map((bone): [string, string] => [bone.name, bone.name]);
        const tip = chosen === undefined ? asFound : (chosen?.at(-1) ?? none);
        if (chosen && !tips.some(([joint]) => joint === tip)) tips.unshift([tip, tip]);
        const select = choice([[asFound, found ? `${found} · found` : 'as found'], [none, '– none'], ...tips], tip, (value) => this.set(side, name, value));
        select.setAttribute('aria-label', `${words(name)} ${said}`);
        if (side === 'character') select.addEventListener('focus', () => this.seek(name));
        return select;
    }

    // Where the chain ends stands out in the picture.
    private seek(name: string): void {
        const { viewer } = this.app;
        const joint = viewer.character.value?.jointIndex(this.chain('character', name).at(-1) ?? '') ?? -1;
        if (joint >= 0) viewer.select(joint);
    }

    private set(side: Side, name: string, tip: string): void {
        if (tip === asFound) delete this.map[side][name];
        else this.map[side][name] = tip === none ? null : this.pathTo(side, name, tip);
        this.show();
    }

    /** From where it leaves the other chains; those that lie on it to its end give it their joints. */
    private pathTo(side: Side, name: string, tip: string): string[] {
        const bones = this.bones[side];
        const others = new Set(this.names.filter((other) => other !== name && !this.chain(side, other).includes(tip)).flatMap((other) => this.chain(side, other)));
        const path: string[] = [];
        for (let at = bones.findIndex((bone) => bone.name === tip); at >= 0 && !others.has(bones[at]!.name); at = bones[at]!.parent) path.unshift(bones[at]!.name);
        return path;
    }

    private text(): JointMap {
        return Object.fromEntries(Object.entries(this.map).filter(([, chains]) => Object.keys(chains).length > 0).map(([side, chains]) => [side, { chains }]));
    }

    private async put(): Promise<void> {
        if (this.brought) await this.app.session.remap(this.brought, this.text());
    }
}
