import * as THREE from 'three';
import { drawWith } from './skin';

const shadowSize = 256;
const blurWidth = 1.4; // pixels between two taps

const gridFragment = `
    uniform vec3 colour; uniform float step; uniform float fade; uniform vec2 centre; varying vec3 world;
    float line(vec2 at) { vec2 away = abs(fract(at - 0.5) - 0.5) / fwidth(at); return 1.0 - min(min(away.x, away.y), 1.0); }
    void main() {
        float away = length(world.xz - centre) / fade;
        float strength = 0.13 * line(world.xz / step) * (1.0 - smoothstep(0.1, 0.45, away)) + 0.3 * line(world.xz / (10.0 * step));
        gl_FragColor = vec4(colour, strength * (1.0 - smoothstep(0.3, 1.0, away)));
    }`;
const gridVertex = `
    varying vec3 world;
    void main() { vec4 at = modelMatrix * vec4(position, 1.0); world = at.xyz; gl_Position = projectionMatrix * viewMatrix * at; }`;
const quadVertex = 'varying vec2 at; void main() { at = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }';
// One half of a Gaussian blur of 9 taps: once along x, once along y.
const blurFragment = `
    uniform sampler2D picture; uniform vec2 step; varying vec2 at;
    void main() {
        float sum = 0.0;
        float weights[5] = float[](0.1633, 0.1531, 0.12245, 0.0918, 0.051);
        for (int k = -4; k <= 4; ++k) sum += weights[abs(k)] * texture2D(picture, at + float(k) * step).a;
        gl_FragColor = vec4(0.0, 0.0, 0.0, sum);
    }`;

/** Writes black whose opacity falls off with height. */
function nearness(): THREE.MeshDepthMaterial {
    const material = new THREE.MeshDepthMaterial({ side: THREE.DoubleSide });
    material.onBeforeCompile = (shader) => {
        shader.fragmentShader = shader.fragmentShader.replace(/gl_FragColor = vec4\( vec3\( 1\.0 - fragCoordZ \), opacity \);/,
            'gl_FragColor = vec4( vec3( 0.0 ), pow( 1.0 - fragCoordZ, 1.6 ) );');
    };
    material.customProgramCacheKey = () => 'nearness';
    return material;
}

/** A grid, and the soft shadow of what stands close above it. */
export class Floor {
    readonly group = new THREE.Group();
    /** What casts no shadow and is not drawn into it. */
    readonly unshadowed = new Set<THREE.Object3D>();
    readonly grid: THREE.Mesh<THREE.PlaneGeometry, THREE.ShaderMaterial>;
    readonly ground: THREE.Mesh<THREE.PlaneGeometry, THREE.MeshBasicMaterial>;
    private readonly cast = new THREE.Mesh(new THREE.PlaneGeometry(1, 1).rotateX(-Math.PI / 2), new THREE.ShadowMaterial({ opacity: 0.3, depthWrite: false, toneMapped: false }));
    /** From below the floor, up. */
    readonly eye = new THREE.OrthographicCamera(-1, 1, 1, -1, 0, 1);
    private readonly targets = [this.target(), this.target()] as const;
    private readonly depth = nearness();
    private readonly quad: THREE.Mesh<THREE.PlaneGeometry, THREE.ShaderMaterial>;

    constructor() {
        this.grid = new THREE.Mesh(new THREE.PlaneGeometry(2, 2).rotateX(-Math.PI / 2), new THREE.ShaderMaterial({
            uniforms: { colour: { value: new THREE.Color(0.5, 0.5, 0.5) }, step: { value: 0.1 }, fade: { value: 4 }, centre: { value: new THREE.Vector2() } },
            vertexShader: gridVertex, fragmentShader: gridFragment, transparent: true, depthWrite: false, side: THREE.DoubleSide,
        }));
        this.grid.renderOrder = -2;
        this.ground = new THREE.Mesh(new THREE.PlaneGeometry(1, 1).rotateX(Math.PI / 2), new THREE.MeshBasicMaterial({
            map: this.targets[0].texture, transparent: true, opacity: 0.8, depthWrite: false, toneMapped: false, side: THREE.DoubleSide,
        }));
        this.ground.renderOrder = -1;
        this.quad = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), new THREE.ShaderMaterial({
            uniforms: { picture: { value: null }, step: { value: new THREE.Vector2() } },
            vertexShader: quadVertex, fragmentShader: blurFragment, depthTest: false, depthWrite: false, blending: THREE.NoBlending,
        }));
        this.quad.frustumCulled = false;
        this.cast.receiveShadow = true;
        this.cast.renderOrder = -1;
        this.group.add(this.grid, this.ground, this.cast);
        this.fit(new THREE.Box3(new THREE.Vector3(-0.5, 0, -0.5), new THREE.Vector3(0.5, 1.8, 0.5)));
    }

    /** Lies under the box, lines a power of ten apart that suits its size. */
    fit(box: THREE.Box3): void {
        const size = box.getSize(new THREE.Vector3());
        const reach = Math.max(size.x, size.y, size.z, 1e-4);
        const centre = box.getCenter(new THREE.Vector3());
        const step = 10 ** Math.round(Math.log10(reach / 15));
        this.grid.material.uniforms.step!.value = step;
        this.grid.material.uniforms.fade!.value = 5 * reach;
        this.grid.scale.setScalar(5 * reach);
        this.height = box.min.y;
        this.grid.position.set(0, -reach * 5e-4, 0);
        // Wide enough for a stride to either side of where the box is.
        const half = 1.3 * Math.max(size.x, size.z, 0.4 * size.y);
        this.ground.scale.setScalar(2 * half);
        this.cast.scale.setScalar(8 * reach);
        this.follow(centre.x, centre.z);
        Object.assign(this.eye, { left: -half, right: half, top: half, bottom: -half, near: 0, far: 0.35 * reach });
        this.eye.updateProjectionMatrix();
    }

    get height(): number {
        return this.group.position.y;
    }

    set height(height: number) {
        this.group.position.y = height;
        this.eye.position.y = height - 1e-4;
        this.eye.updateMatrixWorld();
    }

    /** The shadow is made round this point. */
    follow(x: number, z: number): void {
        this.ground.position.set(x, 0, z);
        this.cast.position.set(x, 0, z);
        (this.grid.material.uniforms.centre!.value as THREE.Vector2).set(x, z);
        this.grid.position.x = x;
        this.grid.position.z = z;
        this.eye.position.set(x, this.height - 1e-4, z);
        this.eye.rotation.set(Math.PI / 2, 0, 0);
        this.eye.updateMatrixWorld();
    }

    recolour(line: string): void {
        (this.grid.material.uniforms.colour!.value as THREE.Color).set(line);
    }

    showShadows(on: boolean): void {
        this.ground.visible = this.cast.visible = on;
    }

    /** Looks up from below the floor: what is near is dark; then blurs it. */
    shadow(renderer: THREE.WebGLRenderer, scene: THREE.Scene): void {
        renderer.setClearColor(0, 0);
        renderer.setRenderTarget(this.targets[0]);
        renderer.clear();
        this.drawShadowed(() => drawWith(scene, 'ground', nearness, this.depth, () => renderer.render(scene, this.eye)));
        this.blur(renderer, this.targets[0], this.targets[1], blurWidth / shadowSize, 0);
        this.blur(renderer, this.targets[1], this.targets[0], 0, blurWidth / shadowSize);
        renderer.setRenderTarget(null);
    }

    /** Draws without what casts no shadow. */
    drawShadowed(draw: () => void): void {
        const hidden = [this.group, ...this.unshadowed].filter((object) => object.visible);
        for (const object of hidden) object.visible = false;
        try {
            draw();
        } finally {
            for (const object of hidden) object.visible = true;
        }
    }

    private blur(renderer: THREE.WebGLRenderer, from: THREE.WebGLRenderTarget, to: THREE.WebGLRenderTarget, x: number, y: number): void {
        this.quad.material.uniforms.picture!.value = from.texture;
        (this.quad.material.uniforms.step!.value as THREE.Vector2).set(x, y);
        renderer.setRenderTarget(to);
        renderer.render(this.quad, this.eye);
    }

    private target(): THREE.WebGLRenderTarget {
        return new THREE.WebGLRenderTarget(shadowSize, shadowSize, { generateMipmaps: false });
    }
}
