import type * as THREE from 'three';
import { cameraProjectionMatrix, float, Fn, fwidth, positionView, positionWorld, smoothstep, texture, uniform, vec2, vec4 } from 'three/tsl';
import { DoubleSide, MeshBasicNodeMaterial, NodeMaterial, RenderTarget, type Node } from 'three/webgpu';
import type { Floor } from '../view/floor';

const shadowSize = 256;
// Taps to either side of a Gaussian, and pixels between two.
const taps = 3;
const tapPixels = 1.9;
const deviation = 1.7;

/** Lines of the grid, as `floor.ts` has them for WebGL. */
export function gridMaterial({ grid }: Floor): NodeMaterial {
    const { uniforms } = grid.material;
    const number = (name: string) => uniform(0).onRenderUpdate(() => uniforms[name]!.value as number);
    const at = positionWorld.xz;
    const line = (point: typeof at) => {
        const away = point.sub(0.5).fract().sub(0.5).abs().div(fwidth(point));
        return float(1).sub(away.x.min(away.y).min(1));
    };
    const away = at.sub(uniform(uniforms.centre!.value as THREE.Vector2)).length().div(number('fade'));
    const step = number('step');
    const strength = line(at.div(step)).mul(0.13).mul(float(1).sub(smoothstep(0.1, 0.45, away))).add(line(at.div(step.mul(10))).mul(0.3));
    const material = new MeshBasicNodeMaterial({ transparent: true, depthWrite: false, side: DoubleSide });
    material.fragmentNode = vec4(uniform(uniforms.colour!.value as THREE.Color), strength.mul(float(1).sub(smoothstep(0.3, 1, away))));
    return material;
}

/** The shadow of what stands close above the floor: how near it is is drawn from below, and blurred where it is shown. */
export class Nearness {
    readonly target = new RenderTarget(shadowSize, shadowSize, { generateMipmaps: false });
    readonly material: NodeMaterial;
    private readonly still: NodeMaterial;
    private readonly bent = new Map<Node, NodeMaterial>();

    constructor(private readonly floor: Floor) {
        const { opacity } = floor.ground.material;
        this.still = this.make(null);
        this.material = new MeshBasicNodeMaterial({ transparent: true, depthWrite: false, side: DoubleSide });
        this.material.fragmentNode = vec4(0, 0, 0, this.blurred().mul(opacity));
    }

    /** Black whose opacity falls off with height; bent by `position`. Freed with the mesh. */
    pass(position: Node | null, mesh: THREE.Mesh): NodeMaterial {
        if (!position) return this.still;
        let pass = this.bent.get(position);
        if (!pass) {
            this.bent.set(position, (pass = this.make(position)));
            mesh.geometry.addEventListener('dispose', () => this.forget(position));
        }
        return pass;
    }

    /** Before the renderer goes. */
    dispose(): void {
        for (const position of [...this.bent.keys()]) this.forget(position);
        this.still.dispose();
        this.target.dispose();
    }

    private forget(position: Node): void {
        this.bent.get(position)?.dispose();
        this.bent.delete(position);
    }

    private make(position: Node | null): NodeMaterial {
        const material = new NodeMaterial();
        material.side = DoubleSide;
        material.positionNode = position as NodeMaterial['positionNode'];
        // An orthographic view: the depth is linear.
        const depth = cameraProjectionMatrix.mul(vec4(positionView, 1)).z;
        material.fragmentNode = vec4(0, 0, 0, float(1).sub(depth).max(0).pow(1.6));
        return material;
    }

    private blurred() {
        const { eye } = this.floor;
        const toEye = uniform(eye.matrixWorldInverse), half = uniform(1).onRenderUpdate(() => eye.right);
        return Fn(() => {
            const seen = toEye.mul(vec4(positionWorld, 1)).xy.div(half);
            const at = vec2(seen.x, seen.y.negate()).mul(0.5).add(0.5);
            const sum = float(0).toVar();
            const weights = Array.from({ length: 2 * taps + 1 }, (_, k) => Math.exp(-0.5 * ((k - taps) / deviation) ** 2));
            const whole = weights.reduce((a, b) => a + b) ** 2;
            weights.forEach((a, x) => weights.forEach((b, y) => sum.addAssign(texture(this.target.texture, at.add(vec2(x - taps, y - taps).mul(tapPixels / shadowSize))).a.mul((a * b) / whole))));
            return sum;
        })();
    }
}
