/** A mesh with four joints a vertex, as a graphics card gets it. */
export interface GpuMesh {
    positions: Float32Array;
    normals: Float32Array;
    joints: Uint16Array;
    weights: Float32Array;
    indices: Uint32Array;
}

export interface Complaint {
    /** From 1; 0: of no line. */
    line: number;
    text: string;
}

const fragment = `#version 300 es
precision highp float;
in vec3 facing;
uniform vec3 tint;
out vec4 shown;
void main() {
    vec3 n = normalize(facing);
    if (!gl_FrontFacing) n = -n;
    shown = vec4(tint * (0.5 + 0.2 * n.y + 0.4 * max(0.0, dot(n, normalize(vec3(0.5, 0.6, 0.8))))), 1.0);
}`;

/** What the driver says of a shader, line by line: "ERROR: 0:12: 'x' : undeclared identifier". */
function complaintsOf(log: string): Complaint[] {
    return log.split('\n').map((line) => line.replace(/\0/g, '').trim()).filter(Boolean).map((line) => {
        const [, number, text] = line.match(/^(?:ERROR|WARNING):\s*\d+:(\d+):\s*(.*)$/) ?? [];
        return number ? { line: Number(number), text: text! } : { line: 0, text: line };
    });
}

/** One skinned mesh on a canvas of its own, by a vertex shader that may change. */
export class GpuSkin {
    readonly canvas = document.createElement('canvas');
    private readonly gl: WebGL2RenderingContext;
    private readonly palette: WebGLTexture;
    private readonly feedback: WebGLBuffer;
    private readonly captured: WebGLTransformFeedback;
    private program: WebGLProgram | null = null;

    constructor(private readonly mesh: GpuMesh, private readonly jointCount: number) {
        const gl = this.canvas.getContext('webgl2', { antialias: true });
        if (!gl) throw new Error('this browser has no WebGL 2');
        this.gl = gl;
        const buffer = (data: Float32Array | Uint16Array): void => {
            gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
            gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
        };
        [mesh.positions, mesh.normals, null, mesh.weights].forEach((data, slot) => {
            if (!data) return;
            buffer(data);
            gl.vertexAttribPointer(slot, slot === 3 ? 4 : 3, gl.FLOAT, false, 0, 0);
            gl.enableVertexAttribArray(slot);
        });
        buffer(mesh.joints);
        gl.vertexAttribIPointer(2, 4, gl.UNSIGNED_SHORT, 0, 0);
        gl.enableVertexAttribArray(2);
        gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
        gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, mesh.indices, gl.STATIC_DRAW);
        this.palette = gl.createTexture();
        gl.bindTexture(gl.TEXTURE_2D, this.palette);
        for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
        this.feedback = gl.createBuffer();
        gl.bindBuffer(gl.TRANSFORM_FEEDBACK_BUFFER, this.feedback);
        gl.bufferData(gl.TRANSFORM_FEEDBACK_BUFFER, mesh.positions.byteLength, gl.DYNAMIC_READ);
        gl.bindBuffer(gl.TRANSFORM_FEEDBACK_BUFFER, null);
        this.captured = gl.createTransformFeedback();
        gl.enable(gl.DEPTH_TEST);
    }

    end(): void {
        this.gl.getExtension('WEBGL_lose_context')?.loseContext();
    }

    /** Takes another vertex shader; what is wrong with it, or nothing. The one before stays when something is. */
    compile(vertex: string): Complaint[] {
        const { gl } = this;
        const program = gl.createProgram();
        const shaders = ([[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]] as const).map(([kind, source]) => {
            const shader = gl.createShader(kind)!;
            gl.shaderSource(shader, source);
            gl.compileShader(shader);
            gl.attachShader(program, shader);
            return shader;
        });
        if (!gl.getShaderParameter(shaders[0]!, gl.COMPILE_STATUS)) return complaintsOf(gl.getShaderInfoLog(shaders[0]!) ?? 'it does not compile');
        gl.transformFeedbackVaryings(program, ['skinned'], gl.SEPARATE_ATTRIBS);
        gl.linkProgram(program);
        if (!gl.getProgramParameter(program, gl.LINK_STATUS)) return complaintsOf(gl.getProgramInfoLog(program) ?? 'it does not link');
        if (this.program) gl.deleteProgram(this.program);
        this.program = program;
        return [];
    }

    /** Sixteen numbers a joint: a row of four texels for each. */
    private upload(palette: Float32Array): void {
        const { gl } = this;
        gl.bindTexture(gl.TEXTURE_2D, this.palette);
        gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, 4, this.jointCount, 0, gl.RGBA, gl.FLOAT, palette);
    }

    draw(palette: Float32Array, clipFromModel: Float32Array, tint: readonly number[]): void {
        const { gl, program, canvas } = this;
        if (!program) return;
        this.upload(palette);
        gl.viewport(0, 0, canvas.width, canvas.height);
        gl.clearColor(0, 0, 0, 0);
        gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
        gl.useProgram(program);
        gl.uniformMatrix4fv(gl.getUniformLocation(program, 'clipFromModel'), false, clipFromModel);
        gl.uniform1i(gl.getUniformLocation(program, 'palette'), 0);
        gl.uniform3f(gl.getUniformLocation(program, 'tint'), tint[0]!, tint[1]!, tint[2]!);
        gl.drawElements(gl.TRIANGLES, this.mesh.indices.length, gl.UNSIGNED_INT, 0);
    }

    /** What the shader makes of every vertex. */
    read(palette: Float32Array): Float32Array {
        const { gl, program } = this, out = new Float32Array(this.mesh.positions.length);
        if (!program) return out;
        this.upload(palette);
        gl.useProgram(program);
        gl.uniform1i(gl.getUniformLocation(program, 'palette'), 0);
        gl.bindTransformFeedback(gl.TRANSFORM_FEEDBACK, this.captured);
        gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 0, this.feedback);
        gl.enable(gl.RASTERIZER_DISCARD);
        gl.beginTransformFeedback(gl.POINTS);
        gl.drawArrays(gl.POINTS, 0, out.length / 3);
        gl.endTransformFeedback();
        gl.disable(gl.RASTERIZER_DISCARD);
        gl.bindTransformFeedback(gl.TRANSFORM_FEEDBACK, null);
        gl.bindBuffer(gl.TRANSFORM_FEEDBACK_BUFFER, this.feedback);
        gl.getBufferSubData(gl.TRANSFORM_FEEDBACK_BUFFER, 0, out);
        gl.bindBuffer(gl.TRANSFORM_FEEDBACK_BUFFER, null);
        return out;
    }
}
