import * as THREE from 'three';
import type { App } from '../app';
import { fill, h } from '../base/dom';
import type { Snapshot } from '../history';
import { isDoubtful, type RigReport } from '../reports';
import { confidenceColour } from '../view/bones';
import { Character } from '../view/character';

const [width, height] = [88, 104];
const mostTriangles = 5000;

/** What `rig` is told of the body: an option and its value. */
export type Told = [option: '--skeleton' | '--facing', value: string];

interface Reading {
    /** null: the one that is there. */
    told: Told | null;
    label: string;
    confidence: number;
    picture: HTMLCanvasElement;
}

/** What the body may be too, likeliest first: what the command names, and whatever has limbs. */
export function otherReadings(report: RigReport): Told[] {
    const facing = [...report.reason.matchAll(/the other way: --facing (-?\w)/g)].map((match): Told => ['--facing', match[1]!]);
    const named = [...report.reason.matchAll(/next best: --skeleton (\w+)/g)].map((match) => match[1]!);
    const kinds = [...new Set([...named, 'generic'])].filter((kind) => kind !== report.skeleton);
    return [...facing, ...kinds.map((kind): Told => ['--skeleton', kind])];
}

/** What else a doubtful body may be, with a small picture each; a click rigs it so. */
export class Readings {
    readonly element = h('section', { hidden: true });
    private shownFor: Snapshot | null = null;

    constructor(private readonly app: App, private readonly choose: (told: Told) => void) {}

    /** Looks at the current character, when nothing else runs. */
    async offer(): Promise<void> {
        const { session, viewer } = this.app;
        const current = session.current;
        const report = current?.rig;
        if (!current || !isDoubtful(report) || current.corrections.size) {
            this.element.hidden = true;
            return;
        }
        if (this.shownFor === current || session.busy.value || !viewer.character.value) return;
        this.shownFor = current;
        const found: Reading[] = [{ told: null, label: report.skeleton, confidence: report.confidence, picture: draw(viewer.character.value, report) }];
        this.show(found, true);
        for (const told of otherReadings(report)) {
            const reading = await this.read(current, told).catch(() => null);
            if (session.current !== current) return;
            if (reading) found.push(reading);
            this.show(found, true);
        }
        this.show(found, false);
    }

    private async read(current: Snapshot, told: Told): Promise<Reading | null> {
        const { engine } = this.app.session;
        const result = await engine.run(['rig', current.file, ...told, '--json', '-o', 'reading.glb'], new Map([[current.file, current.glb]]));
        const glb = result.files.get('reading.glb');
        if (!glb) return null; // refused: the body is nothing of the kind
        const report = JSON.parse(new TextDecoder().decode(result.output)) as RigReport;
        const character = await Character.load(await engine.picture(glb));
        const picture = draw(character, report);
        character.dispose();
        return { told, label: told[0] === '--facing' ? `${report.skeleton}, the other way` : report.skeleton, confidence: report.confidence, picture };
    }

    private show(readings: Reading[], more: boolean): void {
        this.element.hidden = false;
        fill(this.element, h('h3', {}, 'Did it read the body right?'),
            h('p', { class: 'hint' }, 'It is not sure. Take the picture whose joints are where they belong:'),
            h('ul', { class: 'readings' }, ...readings.map((reading) => h('li', {}, this.card(reading)))),
            more ? h('p', { class: 'hint', role: 'status' }, 'Trying others …') : null);
    }

    private card({ told, label, confidence, picture }: Reading): HTMLElement {
        const much = `${Math.round(100 * confidence)} %`;
        return h('button', { type: 'button', 'aria-pressed': `${told === null}`, 'aria-label': `${label}, ${much}${told === null ? ', as it is now' : ''}`, onclick: () => told && this.choose(told) },
            picture, h('span', { class: 'name' }, label), h('span', { class: 'much' }, much));
    }
}

/** The mesh from a corner, its joints over it. */
function draw(character: Character, report: RigReport): HTMLCanvasElement {
    const canvas = h('canvas', { width: 2 * width, height: 2 * height, 'aria-hidden': 'true' });
    const context = canvas.getContext('2d')!;
    const size = character.box.getSize(new THREE.Vector3());
    const centre = character.box.getCenter(new THREE.Vector3());
    const view = new THREE.Matrix4().makeRotationX(0.25).multiply(new THREE.Matrix4().makeRotationY(-0.6)).multiply(new THREE.Matrix4().makeTranslation(-centre.x, -centre.y, -centre.z));
    const scale = (1.8 * Math.min(width, height)) / Math.max(size.length() * 0.8, 1e-6);
    const seen = (point: THREE.Vector3): THREE.Vector3 => {
        point.applyMatrix4(view);
        return point.set(width + scale * point.x, height - scale * point.y, point.z);
    };
    for (const { at, light } of faces(character, seen)) {
        const grey = Math.round(70 + 120 * light);
        context.fillStyle = context.strokeStyle = `rgb(${grey}, ${grey}, ${grey + 8})`;
        context.beginPath();
        for (const { x, y } of at) context.lineTo(x, y);
        context.closePath();
        context.fill();
        context.stroke();
    }
    const points = character.joints.map(({ node }) => seen(node.getWorldPosition(new THREE.Vector3())));
    const sureness = new Map(report.joints.map((joint) => [joint.name, joint.confidence]));
    context.lineWidth = 4;
    context.lineCap = 'round';
    character.joints.forEach(({ parent, name }, index) => {
        if (parent < 0) return;
        context.strokeStyle = `#${confidenceColour(sureness.get(name) ?? 1).getHexString()}`;
        context.beginPath();
        context.moveTo(points[parent]!.x, points[parent]!.y);
        context.lineTo(points[index]!.x, points[index]!.y);
        context.stroke();
    });
    return canvas;
}

interface Face {
    at: THREE.Vector3[];
    light: number;
}

/** Some of the triangles, the farthest first. */
function faces(character: Character, seen: (point: THREE.Vector3) => THREE.Vector3): Face[] {
    const out: Face[] = [];
    const total = character.meshes.reduce((sum, { geometry }) => sum + (geometry.index?.count ?? geometry.getAttribute('position').count) / 3, 0);
    const stride = Math.max(1, Math.ceil(total / mostTriangles));
    for (const { geometry } of character.meshes) {
        const positions = geometry.getAttribute('position');
        const { index } = geometry;
        const count = (index?.count ?? positions.count) / 3;
        for (let face = 0; face < count; face += stride) {
            const at = [0, 1, 2].map((corner) => seen(new THREE.Vector3().fromBufferAttribute(positions, index ? index.getX(3 * face + corner) : 3 * face + corner)));
            const normal = new THREE.Vector3().subVectors(at[1]!, at[0]!).cross(new THREE.Vector3().subVectors(at[2]!, at[0]!)).normalize();
            out.push({ at, light: Math.min(1, Math.abs(normal.dot(new THREE.Vector3(-0.3, -0.5, 0.8)))) });
        }
    }
    const depth = ({ at }: Face): number => at[0]!.z + at[1]!.z + at[2]!.z;
    return out.sort((a, b) => depth(a) - depth(b));
}
