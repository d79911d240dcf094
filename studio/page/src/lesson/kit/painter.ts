import type { Triple } from '../../reports';

export interface Surface {
    /** Three numbers a vertex. */
    positions: Float32Array;
    indices: Uint32Array;
    /** Red, green, blue a vertex, from 0 to 1; or one colour for all. */
    colors?: Float32Array;
    color?: Triple;
    /** Below 1 what lies behind shines through. */
    alpha?: number;
}

export interface View {
    width: number;
    height: number;
    /** Column after column. */
    clipFromScene: Float32Array;
    eye: Triple;
}

const vertexShader = `#version 300 es
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec3 color;
uniform mat4 clipFromScene;
out vec3 at, facing, tint;
void main() {
    at = position;
    facing = normal;
    tint = color;
    gl_Position = clipFromScene * vec4(position, 1.0);
}`;

const fragmentShader = `#version 300 es
precision highp float;
in vec3 at, facing, tint;
uniform vec3 eye;
uniform float alpha;
out vec4 shown;
void main() {
    vec3 toEye = normalize(eye - at), n = normalize(facing);
    if (!gl_FrontFacing) n = -n;
    vec3 side = normalize(cross(vec3(0, 1, 0), toEye)), key = normalize(toEye + 0.55 * vec3(0, 1, 0) - 0.6 * side);
    float light = 0.46 + 0.16 * n.y + 0.42 * max(0.0, dot(n, key));
    float rim = pow(1.0 - max(0.0, dot(n, toEye)), 3.0);
    vec3 lit = tint * light + 0.10 * rim;
    shown = vec4(lit * alpha, alpha);
}`;

/** The one GPU context of all scenes: it draws one picture after the other, and the scenes copy them. */
export class Painter {
    private static one: Painter | null = null;
    readonly canvas = document.createElement('canvas');
    private readonly gl: WebGL2RenderingContext;
    private readonly program: WebGLProgram;
    private readonly buffers: WebGLBuffer[];

    /** Null where there is no WebGL 2. */
    static get(): Painter | null {
        if (Painter.one?.gl.isContextLost()) Painter.one = null;
        try {
            return (Painter.one ??= new Painter());
        } catch {
            return null;
        }
    }

    private constructor() {
        const gl = this.canvas.getContext('webgl2', { antialias: true });
        if (!gl) throw new Error('there is no WebGL 2');
        this.gl = gl;
        this.program = linked(gl, vertexShader, fragmentShader);
        this.buffers = [0, 1, 2, 3].map(() => gl.createBuffer());
        [0, 1, 2].forEach((slot) => {
            gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[slot]!);
            gl.enableVertexAttribArray(slot);
            gl.vertexAttribPointer(slot, 3, gl.FLOAT, false, 0, 0);
        });
        gl.enable(gl.DEPTH_TEST);
    }

    /** Draws the surfaces; they lie in the lower left corner of the canvas then. */
    paint(surfaces: readonly Surface[], { width, height, clipFromScene, eye }: View): void {
        const { gl, canvas } = this;
        // It only grows: scenes of other sizes would have it made anew again and again.
        if (canvas.width < width || canvas.height < height) {
            canvas.width = Math.max(canvas.width, width);
            canvas.height = Math.max(canvas.height, height);
        }
        gl.viewport(0, 0, width, height);
        gl.clearColor(0, 0, 0, 0);
        gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
        gl.useProgram(this.program);
        gl.uniformMatrix4fv(gl.getUniformLocation(this.program, 'clipFromScene'), false, clipFromScene);
        gl.uniform3f(gl.getUniformLocation(this.program, 'eye'), ...eye);
        for (const surface of surfaces) this.surface(surface);
    }

    private surface({ positions, indices, colors, color = [0.7, 0.7, 0.7], alpha = 1 }: Surface): void {
        const { gl } = this;
        const tints = colors ?? filled(positions.length, color);
        [positions, normalsOf(positions, indices), tints].forEach((data, slot) => {
            gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[slot]!);
            gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
        });
        gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.buffers[3]!);
        gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.DYNAMIC_DRAW);
        gl.uniform1f(gl.getUniformLocation(this.program, 'alpha'), alpha);
        if (alpha < 1) {
            // First its depth alone, so that it does not shine through itself.
            gl.colorMask(false, false, false, false);
            gl.drawElements(gl.TRIANGLES, indices.length, gl.UNSIGNED_INT, 0);
            gl.colorMask(true, true, true, true);
            gl.depthFunc(gl.LEQUAL);
            gl.enable(gl.BLEND);
            gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
        }
        gl.drawElements(gl.TRIANGLES, indices.length, gl.UNSIGNED_INT, 0);
        gl.disable(gl.BLEND);
        gl.depthFunc(gl.LESS);
    }
}

function filled(length: number, color: Triple): Float32Array {
    const out = new Float32Array(length);
    for (let k = 0; k < length; ++k) out[k] = color[k % 3]!;
    return out;
}

/** Means of the triangles around each vertex, by their areas. */
export function normalsOf(p: Float32Array, indices: Uint32Array): Float32Array {
    const n = new Float32Array(p.length);
    for (let k = 0; k < indices.length; k += 3) {
        const a = 3 * indices[k]!, b = 3 * indices[k + 1]!, c = 3 * indices[k + 2]!;
        const ux = p[b]! - p[a]!, uy = p[b + 1]! - p[a + 1]!, uz = p[b + 2]! - p[a + 2]!;
        const vx = p[c]! - p[a]!, vy = p[c + 1]! - p[a + 1]!, vz = p[c + 2]! - p[a + 2]!;
        const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
        for (const at of [a, b, c]) {
            n[at]! += x;
            n[at + 1]! += y;
            n[at + 2]! += z;
        }
    }
    return n;
}

function linked(gl: WebGL2RenderingContext, vertex: string, fragment: string): WebGLProgram {
    const program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]] as const) {
        const shader = gl.createShader(kind)!;
        gl.shaderSource(shader, source);
        gl.compileShader(shader);
        gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(gl.getProgramInfoLog(program) ?? 'the shader does not link');
    return program;
}
