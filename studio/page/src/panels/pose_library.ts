import * as THREE from 'three';
import type { App } from '../app';
import { button, iconButton } from '../base/controls';
import { fill, h } from '../base/dom';
import type { Poser } from '../poser';
import type { Character } from '../view/character';
import { thumbnail } from '../view/thumbnail';

/** A pose by the names of joints, so that others whose joints are called so can take it. */
interface SavedPose {
    name: string;
    picture: string;
    /** Rotation from rest, x y z w. */
    turned: Record<string, number[]>;
    /** Offset from rest, as fractions of the body's height. */
    moved: Record<string, number[]>;
}

const key = 'limber poses';
const pictureSize = 88;
const least = 1e-5;

function read(): SavedPose[] {
    try {
        return JSON.parse(localStorage.getItem(key) ?? '[]') as SavedPose[];
    } catch {
        return [];
    }
}

const heightOf = ({ box }: Character): number => Math.max(box.max.y - box.min.y, 1e-6);

/** Poses that were kept in this browser, with pictures; a click puts one on, on another character too. */
export function poseLibrary(app: App, poser: Poser): HTMLElement {
    const { viewer } = app;
    const list = h('ul', { class: 'poses', 'aria-label': 'Kept poses' });
    const none = h('p', { class: 'hint' }, 'None yet. They stay in this browser, and suit every character whose joints have the same names.');

    function write(poses: SavedPose[]): void {
        try {
            localStorage.setItem(key, JSON.stringify(poses));
        } catch {
            app.session.notice.value = { kind: 'error', title: 'The pose was not kept', text: 'This browser has no room for more, or lets no page keep anything.' };
        }
        show();
    }

    async function keep(): Promise<void> {
        const character = viewer.character.value;
        if (!character) return;
        const poses = read();
        const taken = new Set(poses.map(({ name }) => name));
        let number = poses.length + 1;
        while (taken.has(`Pose ${number}`)) ++number;
        const described = describe(character);
        write([{ name: `Pose ${number}`, picture: await picture().catch(() => ''), ...described }, ...poses]);
    }

    // The character alone, as large as it fits.
    async function picture(): Promise<string> {
        const { stage, bones } = viewer;
        await stage.settled();
        const shown = bones?.group.visible ?? false;
        if (bones) bones.group.visible = false;
        stage.again();
        if (bones) bones.group.visible = shown;
        const seen = thumbnail(app.session.engine, viewer, pictureSize);
        stage.draw();
        return seen;
    }

    function put(pose: SavedPose): void {
        poser.change(`pose: ${pose.name}`, async (shape) => {
            const character = viewer.character.value;
            if (character) apply(character, pose);
            return poser.adopt(shape);
        });
    }

    function show(): void {
        const poses = read();
        none.hidden = poses.length > 0;
        fill(list, ...poses.map((pose) => h('li', {},
            h('button', { type: 'button', onclick: () => put(pose) }, pose.picture ? h('img', { src: pose.picture, alt: '', width: pictureSize, height: pictureSize }) : null, pose.name),
            iconButton('close', `Forget ${pose.name}`, () => write(read().filter(({ name }) => name !== pose.name))))));
    }
    show();
    return h('section', {}, h('h3', {}, 'Library'), h('div', { class: 'row' }, button('Keep this pose', () => void keep(), { icon: 'save' })), none, list);
}

function describe(character: Character): Pick<SavedPose, 'turned' | 'moved'> {
    const turned: SavedPose['turned'] = {};
    const moved: SavedPose['moved'] = {};
    for (const { name, node, rest, restPosition } of character.joints) {
        const rotation = rest.clone().invert().multiply(node.quaternion);
        if (1 - Math.abs(rotation.w) > least * least) turned[name] = rotation.toArray().map((value) => Number(value.toFixed(6)));
        const offset = node.position.clone().sub(restPosition).divideScalar(heightOf(character));
        if (offset.length() > least) moved[name] = offset.toArray().map((value) => Number(value.toFixed(6)));
    }
    return { turned, moved };
}

function apply(character: Character, { turned, moved }: SavedPose): void {
    for (const { name, node, rest, restPosition } of character.joints) {
        node.quaternion.copy(rest);
        node.position.copy(restPosition);
        if (turned[name]) node.quaternion.multiply(new THREE.Quaternion().fromArray(turned[name]).normalize());
        if (moved[name]) node.position.addScaledVector(new THREE.Vector3().fromArray(moved[name]), heightOf(character));
    }
}
