import * as THREE from 'three';
import { h } from '../base/dom';
import type { Bones } from './bones';

const lineHeight = 17;
const letterWidth = 7;
const padding = 10;
const besideJoint = 8;

/** Names beside joints, as text over the picture. */
export class Labels {
    readonly element = h('div', { class: 'labels', 'aria-hidden': 'true' });
    all = false;
    private readonly pool: HTMLElement[] = [];

    /** Names end at `limit` pixels from the left. */
    update(bones: Bones | null, camera: THREE.Camera, width: number, height: number, limit: number): void {
        const shown = bones ? this.chosen(bones) : [];
        while (this.pool.length < shown.length) this.pool.push(this.element.appendChild(h('span', { class: 'label' })));
        const at = new THREE.Vector3();
        // Names that would cover one that is there already are left out; the chosen ones come first.
        const taken: { x: number; y: number; width: number }[] = [];
        this.pool.forEach((label, k) => {
            const index = shown[k];
            label.hidden = index === undefined;
            if (index === undefined || !bones) return;
            at.copy(bones.position(index)).project(camera);
            const name = bones.character.joints[index]!.name, size = letterWidth * name.length + padding;
            const [joint, y] = [((at.x + 1) / 2) * width, ((1 - at.y) / 2) * height - 9];
            const x = joint + besideJoint + size > limit ? joint - besideJoint - size : joint + besideJoint;
            label.hidden = at.z > 1 || taken.some((other) => Math.abs(other.y - y) < lineHeight && x < other.x + other.width && other.x < x + size);
            if (label.hidden) return;
            taken.push({ x, y, width: size });
            label.textContent = name;
            label.classList.toggle('strong', index === bones.hovered || index === bones.selected);
            label.style.transform = `translate(${x}px, ${y}px)`;
        });
    }

    private chosen(bones: Bones): number[] {
        const marked = [bones.selected, bones.hovered].filter((index) => index >= 0);
        return [...new Set([...marked, ...(this.all ? Array.from({ length: bones.count }, (_, index) => index) : [])])];
    }
}
