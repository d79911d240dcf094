import * as THREE from 'three';

/** What a joint is in it: the rows of a matrix, or a dual quaternion. */
export type PaletteKind = 'linear' | 'dual';

const textureWidth = 1024;
const texels = { linear: 3, dual: 2 };

/** T_j = G_j B_j^-1 of every joint of a skeleton as a texture, one for all meshes of a figure that follow it. */
export class Palette {
    private static readonly known = new WeakMap<object, Map<string, Palette>>();
    readonly texture: THREE.DataTexture;
    /** As the shaders take them: texels in use, of one palette. */
    readonly counts: number[];
    private readonly data: Float32Array;
    private readonly matrix = new THREE.Matrix4();
    private readonly rotation = new THREE.Quaternion();
    private users = 0;

    private constructor(private readonly skeleton: THREE.Skeleton, private readonly kind: PaletteKind, private readonly forget: () => void) {
        const { length } = skeleton.bones, rows = Math.max(1, Math.ceil((texels[kind] * length) / textureWidth));
        this.data = new Float32Array(4 * textureWidth * rows);
        this.texture = new THREE.DataTexture(this.data, textureWidth, rows, THREE.RGBAFormat, THREE.FloatType);
        this.counts = [texels[kind] * length, 0, 0, 0];
        this.update();
    }

    /** For whoever releases it. Figures that come and go apart have their own. */
    static of(figure: object, skeleton: THREE.Skeleton, kind: PaletteKind): Palette {
        const key = `${skeleton.uuid} ${kind}`;
        let palettes = Palette.known.get(figure);
        if (!palettes) Palette.known.set(figure, (palettes = new Map()));
        const own = palettes;
        let palette = own.get(key);
        if (!palette) own.set(key, (palette = new Palette(skeleton, kind, () => own.delete(key))));
        ++palette.users;
        return palette;
    }

    release(): void {
        if (--this.users > 0) return;
        this.texture.dispose();
        this.forget();
    }

    /** From where the joints are. */
    update(): void {
        const { bones, boneInverses } = this.skeleton;
        bones.forEach((bone, joint) => {
            this.matrix.multiplyMatrices(bone.matrixWorld, boneInverses[joint]!);
            if (this.kind === 'dual') writeDual(this.matrix, this.rotation, this.data, 8 * joint);
            else writeRows(this.matrix, this.data, 12 * joint);
        });
        this.texture.needsUpdate = true;
    }
}

function writeRows({ elements: m }: THREE.Matrix4, out: Float32Array, at: number): void {
    for (let row = 0; row < 3; ++row) for (let k = 0; k < 4; ++k) out[at + 4 * row + k] = m[4 * k + row]!;
}

/** The rotation q, and e = 1/2 t q. */
function writeDual(matrix: THREE.Matrix4, q: THREE.Quaternion, out: Float32Array, at: number): void {
    const [x, y, z] = [matrix.elements[12]! / 2, matrix.elements[13]! / 2, matrix.elements[14]! / 2];
    q.setFromRotationMatrix(matrix);
    out.set([q.x, q.y, q.z, q.w, x * q.w + y * q.z - z * q.y, y * q.w + z * q.x - x * q.z, z * q.w + x * q.y - y * q.x, -x * q.x - y * q.y - z * q.z], at);
}
