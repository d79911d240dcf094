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
    // On a phone they are a column, which the character is not to stand behind.
    new ResizeObserver(() => {
        const { offsetWidth, offsetHeight, offsetLeft, parentElement } = element;
        viewer.stage.keepFree(offsetHeight > offsetWidth ? parentElement!.clientWidth - offsetLeft : 0);
    }).observe(element);
    return element;
}
