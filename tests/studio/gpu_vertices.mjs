// Vertices as the page's own programs put them: they are compiled once more, and read back by transform feedback.

/** Before the page is loaded: the text of its shaders is kept. */
export function keepShaders(page) {
    return page.addInitScript(() => {
        const { shaderSource } = WebGL2RenderingContext.prototype;
        WebGL2RenderingContext.prototype.shaderSource = function (shader, source) {
            shader.text = source;
            return shaderSource.call(this, shader, source);
        };
    });
}

/** Three numbers of every vertex, of every mesh that joints bend. */
export function verticesByWebgl(page) {
    return page.evaluate(() => {
        const { viewer } = window.limber;
        const theirs = viewer.stage.renderer.getContext();
        const gl = document.createElement('canvas').getContext('webgl2');
        const read = (mesh, { uniforms }) => {
            const shown = theirs.getAttachedShaders(viewer.stage.renderer.properties.get(viewer.stage.drawnAs(mesh)).currentProgram.program).map((shader) => shader.text);
            const program = gl.createProgram();
            for (const [kind, text] of [[gl.VERTEX_SHADER, shown.find((one) => one.includes('gl_Position'))], [gl.FRAGMENT_SHADER, '#version 300 es\nprecision highp float; out vec4 colour; void main() { colour = vec4(1.0); }']]) {
                const shader = gl.createShader(kind);
                gl.shaderSource(shader, text);
                gl.compileShader(shader);
                gl.attachShader(program, shader);
            }
            gl.transformFeedbackVaryings(program, ['gl_Position'], gl.INTERLEAVED_ATTRIBS);
            gl.linkProgram(program);
            if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
            gl.useProgram(program);
            for (const name of ['projectionMatrix', 'viewMatrix', 'modelMatrix', 'modelViewMatrix']) gl.uniformMatrix4fv(gl.getUniformLocation(program, name), false, [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
            gl.uniform4iv(gl.getUniformLocation(program, 'lmb_counts'), uniforms.lmb_counts.value);
            const { data, width, height } = uniforms.lmb_palettes.value.image;
            gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
            gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
            gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
            gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, width, height, 0, gl.RGBA, gl.FLOAT, data);
            const { position: targets, normal: turns } = mesh.geometry.morphAttributes;
            if (targets) {
                // As three.js lays them out: of each target a texel a vertex and kind.
                const many = turns ? 2 : 1, across = mesh.geometry.attributes.position.count * many, numbers = new Float32Array(4 * across * targets.length);
                targets.forEach((target, t) => [target, ...(turns ? [turns[t]] : [])].forEach(({ array }, kind) => {
                    for (let v = 0; v < array.length / 3; ++v) numbers.set(array.subarray(3 * v, 3 * v + 3), 4 * (t * across + v * many + kind));
                }));
                gl.activeTexture(gl.TEXTURE1);
                gl.bindTexture(gl.TEXTURE_2D_ARRAY, gl.createTexture());
                for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D_ARRAY, filter, gl.NEAREST);
                gl.texImage3D(gl.TEXTURE_2D_ARRAY, 0, gl.RGBA32F, across, 1, targets.length, 0, gl.RGBA, gl.FLOAT, numbers);
                gl.uniform1i(gl.getUniformLocation(program, 'morphTargetsTexture'), 1);
                gl.uniform2i(gl.getUniformLocation(program, 'morphTargetsTextureSize'), across, 1);
                gl.uniform1f(gl.getUniformLocation(program, 'morphTargetBaseInfluence'), 1);
                gl.uniform1fv(gl.getUniformLocation(program, 'morphTargetInfluences'), mesh.morphTargetInfluences);
                gl.activeTexture(gl.TEXTURE0);
            }
            for (let k = 0; k < gl.getProgramParameter(program, gl.ACTIVE_ATTRIBUTES); ++k) {
                const { name } = gl.getActiveAttrib(program, k), at = gl.getAttribLocation(program, name), attribute = mesh.geometry.attributes[name];
                if (at < 0 || !attribute) continue;
                gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
                gl.bufferData(gl.ARRAY_BUFFER, attribute.array, gl.STATIC_DRAW);
                const type = { Float32Array: gl.FLOAT, Uint8Array: gl.UNSIGNED_BYTE, Uint16Array: gl.UNSIGNED_SHORT }[attribute.array.constructor.name];
                if (name.includes('joints')) gl.vertexAttribIPointer(at, attribute.itemSize, type, 0, 0);
                else gl.vertexAttribPointer(at, attribute.itemSize, type, attribute.normalized, 0, 0);
                gl.enableVertexAttribArray(at);
            }
            const { count } = mesh.geometry.attributes.position, out = gl.createBuffer();
            gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 0, out);
            gl.bufferData(gl.TRANSFORM_FEEDBACK_BUFFER, 16 * count, gl.STATIC_READ);
            gl.enable(gl.RASTERIZER_DISCARD);
            gl.beginTransformFeedback(gl.POINTS);
            gl.drawArrays(gl.POINTS, 0, count);
            gl.endTransformFeedback();
            const places = new Float32Array(4 * count);
            gl.getBufferSubData(gl.TRANSFORM_FEEDBACK_BUFFER, 0, places);
            return Array.from({ length: count }, (_, v) => [...places.subarray(4 * v, 4 * v + 3)]);
        };
        return viewer.character.value.skins.flatMap((skin) => read(skin.mesh, skin));
    });
}
