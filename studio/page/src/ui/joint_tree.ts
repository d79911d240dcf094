import type { App } from '../app';
import { fill, h } from '../base/dom';
import { icon } from '../base/icons';
import { confidenceColour } from '../view/bones';

let made = 0;

/** The joints as they hang from each other: searched, folded, chosen by pointer and arrow keys. */
export class JointTree {
    readonly element: HTMLElement;
    private readonly search = h('input', { type: 'search', placeholder: 'Search joints', 'aria-label': 'Search joints' });
    private readonly tree = h('ul', { class: 'list tree', role: 'tree', 'aria-label': 'Joints' });
    private readonly none = h('p', { class: 'hint', role: 'status' });
    private readonly folded = new Set<string>();
    private readonly id = ++made;
    /** Joints that are listed, from above. */
    private rows: number[] = [];

    constructor(private readonly app: App, private readonly pressed: { rename?: () => void; remove?: () => void } = {}) {
        this.element = h('div', { class: 'stack joints' }, this.search, this.tree, this.none);
        this.search.addEventListener('input', () => this.list());
        this.tree.addEventListener('keydown', (event) => this.key(event));
        app.viewer.character.watch(() => this.list());
        app.viewer.selected.watch(() => this.mark());
    }

    private get joints(): { name: string; parent: number }[] {
        return this.app.viewer.character.value?.joints ?? [];
    }

    private list(): void {
        const { joints } = this;
        const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
        const found = new Set(joints.flatMap(({ name }, k) => (words.every((word) => name.toLowerCase().includes(word)) ? [k] : [])));
        // The path to what was found is listed too.
        const shown = new Set<number>();
        for (const k of found) for (let at = k; at >= 0; at = joints[at]!.parent) shown.add(at);
        const parents = new Set(joints.map(({ parent }) => parent));
        const depth: number[] = [];
        const hidden = new Set<number>();
        this.rows = [];
        joints.forEach(({ parent }, k) => {
            depth[k] = parent < 0 ? 0 : depth[parent]! + 1;
            if (words.length === 0 && (hidden.has(parent) || (parent >= 0 && this.folded.has(joints[parent]!.name)))) hidden.add(k);
            if (shown.has(k) && !hidden.has(k)) this.rows.push(k);
        });
        const sureness = new Map((this.app.session.current?.rig?.joints ?? []).map((joint) => [joint.name, joint.confidence]));
        fill(this.tree, ...this.rows.map((k) => this.row(k, depth[k]!, parents.has(k), words.length === 0, found.has(k), sureness.get(joints[k]!.name))));
        this.none.hidden = this.rows.length > 0 || joints.length === 0;
        this.none.textContent = 'No joint is called so.';
        this.tree.hidden = this.rows.length === 0;
        this.search.hidden = joints.length < 6;
        this.mark();
    }

    private row(joint: number, depth: number, parent: boolean, folds: boolean, found: boolean, sure: number | undefined): HTMLElement {
        const { name } = this.joints[joint]!;
        const open = !this.folded.has(name) || !folds;
        const twist = h('span', { class: 'twist', 'aria-hidden': 'true', onclick: (event: Event) => parent && (event.stopPropagation(), this.fold(joint, open)) }, parent && icon('twist'));
        return h('li', {
            role: 'treeitem', id: `joint-${this.id}-${joint}`, class: found ? '' : 'path', tabIndex: -1, 'aria-level': `${depth + 1}`, 'aria-selected': 'false', ...(parent ? { 'aria-expanded': `${open}` } : {}),
            style: `--depth: ${Math.min(depth, 9)}`, onclick: () => this.app.viewer.select(joint), ondblclick: () => this.pressed.rename?.(),
        }, twist, h('span', { class: 'name' }, name), sure !== undefined && h('span', { class: 'dot', title: `${Math.round(100 * sure)} % sure`, style: `background: #${confidenceColour(sure).getHexString()}` }));
    }

    private fold(joint: number, on: boolean): void {
        const { name } = this.joints[joint]!;
        if (on) this.folded.add(name);
        else this.folded.delete(name);
        this.list();
        this.item(joint)?.focus();
    }

    private item(joint: number): HTMLElement | undefined {
        return this.tree.children[this.rows.indexOf(joint)] as HTMLElement | undefined;
    }

    private mark(): void {
        const chosen = this.app.viewer.selected.value;
        const here = this.rows.indexOf(chosen);
        [...this.tree.children].forEach((item, row) => {
            item.setAttribute('aria-selected', `${row === here}`);
            (item as HTMLElement).tabIndex = row === Math.max(0, here) ? 0 : -1;
        });
        const item = this.item(chosen);
        if (!item?.isConnected) return;
        // The list alone: the panel stays where it is read.
        const above = item.offsetTop;
        this.tree.scrollTop = Math.min(above, Math.max(this.tree.scrollTop, above + item.offsetHeight - this.tree.clientHeight));
    }

    private key(event: KeyboardEvent): void {
        const row = [...this.tree.children].indexOf(event.target as Element);
        const joint = this.rows[row];
        if (joint === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
        const acts: Record<string, () => void> = {
            ArrowDown: () => this.go(this.rows[row + 1]), ArrowUp: () => this.go(this.rows[row - 1]), Home: () => this.go(this.rows[0]), End: () => this.go(this.rows.at(-1)),
            ArrowRight: () => (this.folded.has(this.joints[joint]!.name) ? this.fold(joint, false) : this.go(this.rows.find((other) => this.joints[other]!.parent === joint))),
            ArrowLeft: () => (event.target as Element).getAttribute('aria-expanded') === 'true' && this.search.value === '' ? this.fold(joint, true) : this.go(this.joints[joint]!.parent),
            Enter: () => this.go(joint), ' ': () => this.go(joint), F2: () => this.pressed.rename?.(), Delete: () => this.pressed.remove?.(),
        };
        const act = acts[event.key];
        if (!act) return;
        event.preventDefault();
        event.stopPropagation();
        act();
    }

    private go(joint: number | undefined): void {
        if (joint === undefined || joint < 0) return;
        this.app.viewer.select(joint);
        this.item(joint)?.focus();
    }
}
