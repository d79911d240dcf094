// Runs in the browser: one case of gpu_cases through WebGL 2 or WebGPU. Gives position, normal and tangent of every vertex
// of every instance as one array of numbers.

function bytesOf(hex) {
    const bytes = new Uint8Array(hex.length / 2);
    for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(hex.substr(2 * i, 2), 16);
    return bytes;
}

// ---- WebGL 2: transform feedback

const captureMain = `
out vec3 out_position;
out vec3 out_normal;
out vec4 out_tangent;
void main()
{
    lmb_vertex v = lmb_skin_vertex(gl_InstanceID);
    out_position = v.position;
    out_normal = v.normal;
    out_tangent = v.tangent;
    gl_Position = vec4(v.position, 1.0);
}
`;

function compile(gl, stage, text) {
    const shader = gl.createShader(stage);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    return shader;
}

function linkCapture(gl, text) {
    const program = gl.createProgram();
    gl.attachShader(program, compile(gl, gl.VERTEX_SHADER, text + captureMain));
    gl.attachShader(program, compile(gl, gl.FRAGMENT_SHADER, '#version 300 es\nvoid main() {}\n'));
    gl.transformFeedbackVaryings(program, ['out_position', 'out_normal', 'out_tangent'], gl.INTERLEAVED_ATTRIBS);
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    gl.useProgram(program);
    return program;
}

function bindTexture(gl, program, unit, name, width, height, hex) {
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, width, height, 0, gl.RGBA, gl.FLOAT, new Float32Array(bytesOf(hex).buffer));
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.uniform1i(gl.getUniformLocation(program, name), unit);
}

function bindAttributes(gl, c) {
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, bytesOf(c.vertex_bytes), gl.STATIC_DRAW);
    for (const a of c.attributes) {
        gl.enableVertexAttribArray(a.shaderLocation);
        if (a.integer) gl.vertexAttribIPointer(a.shaderLocation, a.components, a.type, c.stride, a.offset);
        else gl.vertexAttribPointer(a.shaderLocation, a.components, a.type, !!a.normalized, c.stride, a.offset);
    }
}

globalThis.runWebGL = function (c) {
    const gl = document.createElement('canvas').getContext('webgl2');
    if (!gl) return null;
    const program = linkCapture(gl, c.shader);
    bindAttributes(gl, c);
    if (c.palettes === 0) {
        gl.bindBufferBase(gl.UNIFORM_BUFFER, 0, gl.createBuffer());
        gl.bufferData(gl.UNIFORM_BUFFER, bytesOf(c.palette_bytes), gl.STATIC_DRAW);
        gl.uniformBlockBinding(program, gl.getUniformBlockIndex(program, 'lmb_palettes'), 0);
    } else {
        bindTexture(gl, program, 0, 'lmb_palettes', c.width, c.height, c.palette_bytes);
    }
    if (c.morphs) bindTexture(gl, program, 1, 'lmb_morphs', c.morph_width, c.morph_height, c.morph_bytes);
    gl.uniform4iv(gl.getUniformLocation(program, 'lmb_counts'), new Int32Array(bytesOf(c.counts).buffer));
    const out = new Float32Array(10 * c.vertices * c.instances);
    gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 0, gl.createBuffer());
    gl.bufferData(gl.TRANSFORM_FEEDBACK_BUFFER, out.byteLength, gl.STREAM_READ);
    gl.enable(gl.RASTERIZER_DISCARD);
    gl.beginTransformFeedback(gl.POINTS);
    gl.drawArraysInstanced(gl.POINTS, 0, c.vertices, c.instances);
    gl.endTransformFeedback();
    gl.getBufferSubData(gl.TRANSFORM_FEEDBACK_BUFFER, 0, out);
    const error = gl.getError();
    gl.getExtension('WEBGL_lose_context').loseContext();
    if (error) throw new Error(`WebGL error ${error}`);
    return Array.from(out);
};

// ---- WebGPU: the compute shader, or a vertex shader that writes what it skinned to a storage buffer

function captureEntry(c) {
    const more = c.influences > 4;
    return `
@group(0) @binding(2) var<storage, read_write> captured: array<f32>;
@vertex fn capture(@builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32,
    @location(0) position: vec3<f32>, @location(1) normal: vec3<f32>, @location(2) tangent: vec4<f32>,
    @location(3) joints: vec4<u32>, @location(4) weights: vec4<f32>,
    ${more ? '@location(5) joints2: vec4<u32>, @location(6) weights2: vec4<f32>' : ''}) -> Captured {
    let row = lmb_row(joints, weights, ${more ? 'joints2, weights2' : 'vec4<u32>(0u), vec4<f32>(0.0)'});
    let v = lmb_skin_vertex(instance, vertex, lmb_vertex(position, normal, tangent), row);
    // One pixel a vertex, a row an instance.
    let x = (f32(vertex) + 0.5) / ${c.vertices}.0 * 2.0 - 1.0;
    let y = 1.0 - (f32(instance) + 0.5) / ${c.instances}.0 * 2.0;
    return Captured(vec4<f32>(x, y, 0.0, 1.0), v.position, v.normal, v.tangent);
}
struct Captured {
    @builtin(position) at: vec4<f32>,
    @location(0) @interpolate(flat) position: vec3<f32>,
    @location(1) @interpolate(flat) normal: vec3<f32>,
    @location(2) @interpolate(flat) tangent: vec4<f32>,
}
@fragment fn write(v: Captured) -> @location(0) vec4<f32> {
    let to = 10u * (u32(v.at.y) * ${c.vertices}u + u32(v.at.x));
    let all = array<f32, 10>(v.position.x, v.position.y, v.position.z, v.normal.x, v.normal.y, v.normal.z,
        v.tangent.x, v.tangent.y, v.tangent.z, v.tangent.w);
    for (var i = 0u; i < 10u; i++) { captured[to + i] = all[i]; }
    return vec4<f32>(1.0);
}
`;
}

async function moduleOf(device, code) {
    const module = device.createShaderModule({ code });
    const faults = (await module.getCompilationInfo()).messages.filter((m) => m.type === 'error');
    if (faults.length) throw new Error(faults.map((m) => `${m.lineNum}: ${m.message}`).join('\n') + '\n' + code);
    return module;
}

function bufferOf(device, hex, usage) {
    const bytes = bytesOf(hex);
    const buffer = device.createBuffer({ size: bytes.length, usage: usage | GPUBufferUsage.COPY_DST });
    device.queue.writeBuffer(buffer, 0, bytes);
    return buffer;
}

function paletteResource(device, c) {
    if (c.palettes !== 1) {
        return { buffer: bufferOf(device, c.palette_bytes, c.palettes === 0 ? GPUBufferUsage.UNIFORM : GPUBufferUsage.STORAGE) };
    }
    const texture = device.createTexture({
        size: [c.width, c.height], format: 'rgba32float', usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
    });
    device.queue.writeTexture({ texture }, bytesOf(c.palette_bytes), { bytesPerRow: 16 * c.width }, [c.width, c.height]);
    return texture.createView();
}

// Stages must be named by hand: what a vertex shader reads and a fragment shader writes are in one group.
function layoutOf(device, c) {
    const compute = c.stage === 'compute';
    const reads = compute ? GPUShaderStage.COMPUTE : GPUShaderStage.VERTEX;
    const storage = { type: 'read-only-storage' };
    const palette = [{ buffer: { type: 'uniform' } }, { texture: { sampleType: 'unfilterable-float' } }, { buffer: storage }];
    const entries = [
        { binding: 0, visibility: reads, ...palette[c.palettes] },
        { binding: 2, visibility: compute ? GPUShaderStage.COMPUTE : GPUShaderStage.FRAGMENT, buffer: { type: 'storage' } },
        { binding: 4, visibility: reads, buffer: { type: 'uniform' } },
    ];
    if (compute) entries.push({ binding: 1, visibility: reads, buffer: storage });
    if (c.morphs) entries.push({ binding: 3, visibility: reads, buffer: storage });
    return device.createBindGroupLayout({ entries });
}

function bindings(device, c, layout, out) {
    const entries = [
        { binding: 0, resource: paletteResource(device, c) },
        { binding: 2, resource: { buffer: out } },
        { binding: 4, resource: { buffer: bufferOf(device, c.counts, GPUBufferUsage.UNIFORM) } },
    ];
    if (c.stage === 'compute') {
        entries.push({ binding: 1, resource: { buffer: bufferOf(device, c.vertex_bytes, GPUBufferUsage.STORAGE) } });
    }
    if (c.morphs) {
        entries.push({ binding: 3, resource: { buffer: bufferOf(device, c.morph_bytes, GPUBufferUsage.STORAGE) } });
    }
    return device.createBindGroup({ layout, entries });
}

async function compute(device, encoder, c, out) {
    const layout = layoutOf(device, c);
    const pipeline = await device.createComputePipelineAsync({
        layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
        compute: { module: await moduleOf(device, c.shader), entryPoint: 'lmb_main' },
    });
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bindings(device, c, layout, out));
    pass.dispatchWorkgroups(Math.ceil(c.vertices / 64), c.instances);
    pass.end();
}

async function draw(device, encoder, c, out) {
    const layout = layoutOf(device, c), format = 'rgba8unorm';
    const module = await moduleOf(device, c.shader + captureEntry(c));
    const attributes = c.attributes.map(({ shaderLocation, offset, format }) => ({ shaderLocation, offset, format }));
    const pipeline = await device.createRenderPipelineAsync({
        layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
        vertex: { module, entryPoint: 'capture', buffers: [{ arrayStride: c.stride, attributes }] },
        fragment: { module, entryPoint: 'write', targets: [{ format }] },
        primitive: { topology: 'point-list' },
    });
    const target = device.createTexture({ size: [c.vertices, c.instances], format, usage: GPUTextureUsage.RENDER_ATTACHMENT });
    const pass = encoder.beginRenderPass({ colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }] });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bindings(device, c, layout, out));
    pass.setVertexBuffer(0, bufferOf(device, c.vertex_bytes, GPUBufferUsage.VERTEX));
    pass.draw(c.vertices, c.instances);
    pass.end();
}

globalThis.runWebGPU = async function (c) {
    const adapter = await navigator.gpu?.requestAdapter();
    if (!adapter) return null;
    const device = await adapter.requestDevice();
    let fault = null;
    device.onuncapturederror = (event) => { fault ??= event.error; };
    const size = 40 * c.vertices * c.instances;
    const out = device.createBuffer({ size, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC });
    const read = device.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    const encoder = device.createCommandEncoder();
    await (c.stage === 'compute' ? compute : draw)(device, encoder, c, out);
    encoder.copyBufferToBuffer(out, 0, read, 0, size);
    device.queue.submit([encoder.finish()]);
    await read.mapAsync(GPUMapMode.READ);
    const result = Array.from(new Float32Array(read.getMappedRange()));
    device.destroy();
    if (fault) throw new Error(fault.message);
    return result;
};
