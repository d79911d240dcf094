import * as THREE from 'three';
import type { Engine } from '../engine/engine';
import type { Viewer } from './viewer';

const patienceMs = 700;

/** The character alone, as large as it fits, out of the picture that was just drawn: an image as an address. It is asked for at
 * once and comes when the GPU has drawn it: nobody waits. */
export async function thumbnail(engine: Engine, { bones, character, stage }: Viewer, size: number): Promise<string> {
    const canvas = stage.shown;
    const points = bones && bones.count > 1 ? Array.from({ length: bones.count }, (_, k) => bones.position(k).clone()) : cornersOf(character.value?.box ?? new THREE.Box3());
    const { x, y, side } = frame(canvas, points.map((point) => point.project(stage.camera)));
    const seen = await createImageBitmap(canvas, Math.round(x), Math.round(y), Math.max(1, Math.round(side)), Math.max(1, Math.round(side)), { resizeWidth: size, resizeHeight: size });
    const begin = performance.now();
    // Reading pixels holds whoever does it up until the GPU has drawn all that it was asked for.
    await stage.drawn();
    if (performance.now() - begin > patienceMs) throw new Error('the GPU is too slow for more pictures');
    return addressOf(await engine.encode(seen));
}

function addressOf(blob: Blob): Promise<string> {
    return new Promise((resolve, reject) => {
        const reader = new FileReader();
        reader.onload = () => resolve(reader.result as string);
        reader.onerror = () => reject(reader.error);
        reader.readAsDataURL(blob);
    });
}

function cornersOf({ min, max }: THREE.Box3): THREE.Vector3[] {
    return [0, 1, 2, 3, 4, 5, 6, 7].map((k) => new THREE.Vector3(k & 1 ? min.x : max.x, k & 2 ? min.y : max.y, k & 4 ? min.z : max.z));
}

/** A square round all of them, in pixels of the canvas. */
function frame(canvas: HTMLCanvasElement, seen: THREE.Vector3[]): { x: number; y: number; side: number } {
    const box = new THREE.Box2().setFromPoints(seen.map(({ x, y }) => new THREE.Vector2(((x + 1) / 2) * canvas.width, ((1 - y) / 2) * canvas.height)));
    const middle = box.getCenter(new THREE.Vector2());
    const size = box.getSize(new THREE.Vector2());
    const side = 1.25 * Math.max(size.x, size.y, 1);
    return { x: middle.x - side / 2, y: middle.y - side / 2, side };
}
