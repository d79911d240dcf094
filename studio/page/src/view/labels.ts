import * as THREE from 'three';
import { h } from '../base/dom';
import type { Bones } from './bones';

/** Names beside joints, as text over the picture. */
export class Labels {
    readonly element = h('div', { class: 'labels', 'aria-hidden': 'true' });
    all = false;
    private readonly pool: HTMLElement[] = [];

    update(bones: Bones | null, camera: THREE.Camera, width: number, height: number): void {
        const shown = bones ? this.chosen(bones) : [];
        while (this.pool.length < shown.length) this.pool.push(this.element.appendChild(h('span', { class: 'label' })));
        const at = new THREE.Vector3();
        this.pool.forEach((label, k) => {
            const index = shown[k];
            label.hidden = index === undefined;
            if (index === undefined || !bones) return;
            at.copy(bones.position(index)).project(camera);
            label.textContent = bones.character.joints[index]!.name;
            label.classList.toggle('strong', index === bones.hovered || index === bones.selected);
            label.style.transform = `translate(${((at.x + 1) / 2) * width + 8}px, ${((1 - at.y) / 2) * height - 9}px)`;
        });
    }

    private chosen(bones: Bones): number[] {
        if (this.all) return Array.from({ length: bones.count }, (_, index) => index);
        return [...new Set([bones.selected, bones.hovered])].filter((index) => index >= 0);
    }
}
