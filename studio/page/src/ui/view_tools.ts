import * as THREE from 'three';
import type { App } from '../app';
import { iconButton } from '../base/controls';
import { h } from '../base/dom';

/** From where the character is seen. */
export const directions = {
    front: new THREE.Vector3(0, 0.08, 1),
    side: new THREE.Vector3(1, 0.08, 0),
    top: new THREE.Vector3(0, 1, 0.001),
};

// How far from the middle heads reach, of the height of the view, and from where on a view is wide.
const headReach = 0.14;
const wideAspect = 1.5;

/** Buttons over the picture. */
export function viewTools({ viewer }: App, look: HTMLElement): HTMLElement {
    const toggle = (name: 'bone' | 'tag' | 'grid' | 'follow', label: string, start: boolean, act: (on: boolean) => void): HTMLButtonElement => {
        const button = iconButton(name, label, () => set(button.getAttribute('aria-pressed') !== 'true'));
        const set = (on: boolean): void => {
            button.setAttribute('aria-pressed', `${on}`);
            act(on);
        };
        button.setAttribute('aria-pressed', `${start}`);
        return button;
    };
    const skeleton = toggle('bone', 'Skeleton (B)', false, (on) => (viewer.skeleton.value = on));
    viewer.skeleton.watch((on) => skeleton.setAttribute('aria-pressed', `${on}`));
    const element = h('div', { class: 'tools', role: 'toolbar', 'aria-label': 'View' },
        look, skeleton,
        toggle('tag', 'Names of joints (N)', false, (on) => {
            if (on) viewer.skeleton.value = true;
            viewer.setLabels(on);
        }),
        toggle('follow', 'Camera goes along with the character', true, (on) => (viewer.following = on)),
        toggle('grid', 'Floor', true, (on) => {
            viewer.stage.floor.group.visible = on;
            viewer.stage.draw();
        }),
        iconButton('fit', 'Fit to view (F); 1 front, 2 side, 3 top', () => viewer.stage.refit()));
    const seen = new ResizeObserver(() => viewer.stage.keepFree({ right: coveredBy(element) }));
    seen.observe(element);
    seen.observe(viewer.canvas.parentElement!);
    return element;
}

/** Pixels at the right that the character is to keep free of: a column of buttons, or a row that comes near its head in a wide
 * view. In a tall one heads are lower than the row. */
function coveredBy({ offsetWidth, offsetHeight, offsetLeft, parentElement }: HTMLElement): number {
    const { clientWidth = 0, clientHeight = 0 } = parentElement ?? {};
    const isColumn = offsetHeight > offsetWidth;
    const isNear = offsetWidth > 0 && clientWidth > wideAspect * clientHeight && offsetLeft < clientWidth / 2 + headReach * clientHeight;
    return isColumn || isNear ? clientWidth - offsetLeft : 0;
}
