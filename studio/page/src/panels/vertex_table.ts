import type * as THREE from 'three';
import { Cancelled } from '../engine/engine';
import type { App } from '../app';
import { button, choice, iconButton, number } from '../base/controls';
import { fill, h } from '../base/dom';
import type { VertexRow } from '../engine/live_module';
import type { Hand } from '../hand';
import type { Bend } from './bend';

const mostOdd = 12;
// Of the body's height: what is nearer is the same point of the skin.
const same = 1e-6;

/** What one vertex follows, as numbers that can be changed; and the vertices that are unlike their neighbours. */
export class VertexTable {
    readonly element: HTMLElement;
    private readonly rows = h('div', { class: 'weights-table' });
    private readonly said = h('p', { class: 'hint', role: 'status' });
    private readonly odd = h('ul', { class: 'list', 'aria-label': 'Vertices unlike their neighbours' });
    private readonly point = button('Point at a vertex', () => (this.pointing ? this.stop() : this.start()));
    private pointing = false;
    private shown: VertexRow | null = null;

    constructor(private readonly app: App, private readonly hand: Hand, private readonly bend: Bend, private readonly away: () => void) {
        this.element = h('section', {}, h('h3', {}, 'One vertex'), h('div', { class: 'row' }, this.point, button('Find odd ones', () => void this.list().catch((error: unknown) => this.hand.fail(error)))), this.said, this.rows, this.odd);
        app.session.history.current.watch(() => void this.refresh().catch((error: unknown) => error instanceof Cancelled || this.show(null)));
        this.show(null);
    }

    stop(): void {
        this.pointing = false;
        this.point.setAttribute('aria-pressed', 'false');
        this.app.viewer.setBrush(null);
    }

    private start(): void {
        this.away();
        this.bend.stand();
        this.pointing = true;
        this.point.setAttribute('aria-pressed', 'true');
        const { viewer } = this.app;
        viewer.setBrush({ radius: () => 0.01 * this.height, begin: (point) => void this.take(point).catch((error: unknown) => this.hand.fail(error)), move: () => {}, end: () => {} });
    }

    private get height(): number {
        const box = this.app.viewer.character.value?.box;
        return box ? Math.max(box.max.y - box.min.y, 1e-6) : 1;
    }

    private async take(point: THREE.Vector3): Promise<void> {
        const pose = await this.bend.pose();
        const shape = await this.hand.open();
        this.show(await this.hand.live(shape, 'vertexAt', [point.x, point.y, point.z], pose));
    }

    // Another character may have the vertex elsewhere: its position at rest tells which it is.
    private async refresh(): Promise<void> {
        fill(this.odd);
        this.odd.hidden = true;
        const { shown } = this;
        if (!shown || !this.app.session.isRigged) return this.show(null);
        const shape = await this.hand.open();
        this.show(await this.hand.live(shape, 'vertexAt', shown.rest, null));
    }

    private async list(): Promise<void> {
        const shape = await this.hand.open();
        const found = await this.hand.live(shape, 'oddVertices', mostOdd);
        this.odd.hidden = found.length === 0;
        fill(this.odd, ...found.map(({ mesh, vertex, off }) => h('li', {}, h('button', { type: 'button', onclick: () => void this.pick(mesh, vertex).catch((error: unknown) => this.hand.fail(error)) },
            h('span', { class: 'name' }, shape.meshes.length > 1 ? `Vertex ${vertex}, mesh ${mesh}` : `Vertex ${vertex}`), h('span', { class: 'much' }, `${Math.round(50 * off)} % elsewhere`)))));
    }

    private async pick(mesh: number, vertex: number): Promise<void> {
        const shape = await this.hand.open();
        const row = await this.hand.live(shape, 'vertex', mesh, vertex);
        this.show(row);
        this.app.viewer.mark(row.rest);
    }

    private show(row: VertexRow | null): void {
        this.shown = row;
        this.app.viewer.mark(row?.rest ?? null);
        this.rows.hidden = row === null;
        this.said.textContent = row ? `Vertex ${row.vertex}. A changed weight is taken from, or given to, the other joints.` : 'Its joints and weights stand here, to be changed by numbers. Odd ones follow other joints than the vertices around them.';
        if (!row) return;
        const joints = this.app.viewer.character.value?.joints ?? [];
        void this.hand.open().then((shape) => {
            const nameOf = (live: number): string => {
                const node = this.app.viewer.character.value?.nodes.get(shape.nodes[live] ?? -1);
                return joints.find((joint) => joint.node === node)?.name ?? `joint ${live}`;
            };
            const taken = new Set(row.row.map(([joint]) => nameOf(joint)));
            const another = choice([['', 'another joint …'], ...joints.filter(({ name }) => !taken.has(name)).map(({ name }): [string, string] => [name, name])], '', (name) => name && void this.set(row, name, 0.1));
            another.setAttribute('aria-label', 'Another joint');
            fill(this.rows, ...row.row.flatMap(([joint, weight]) => this.line(row, nameOf(joint), weight)), another);
        }).catch((error: unknown) => this.hand.fail(error));
    }

    private line(row: VertexRow, name: string, weight: number): HTMLElement[] {
        const value = number(Number(weight.toFixed(4)), 0, 1, 0.01);
        value.setAttribute('aria-label', `Weight of ${name}`);
        value.addEventListener('change', () => void this.set(row, name, Math.min(1, Math.max(0, Number(value.value) || 0))));
        return [h('span', { class: 'name' }, name), value, iconButton('close', `No weight for ${name}`, () => void this.set(row, name, 0))];
    }

    private async set({ rest }: VertexRow, name: string, weight: number): Promise<void> {
        const sphere = [...rest, same * this.height].map((value) => Number(value.toPrecision(9))).join(',');
        await this.app.session.edit('Setting a weight', ['weights', 'assign'], ['--to', name, '--value', `${weight}`, '--sphere', sphere], { step: `weight of ${name}` });
    }
}
