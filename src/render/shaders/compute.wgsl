// The compute shader: reads the same packed vertices as the vertex shader, writes skinned ones. One invocation a vertex
// along x and a palette along y: dispatch (vertices + 63) / 64 by palettes groups.
@group(0) @binding(1) var<storage, read> lmb_in: array<u32>;
// Palettes of vertices of LMB_OUT_STRIDE floats: position, normal, tangent.
@group(0) @binding(2) var<storage, read_write> lmb_out: array<f32>;

fn lmb_in_vec3(word: u32) -> vec3<f32> {
    return bitcast<vec3<f32>>(vec3<u32>(lmb_in[word], lmb_in[word + 1u], lmb_in[word + 2u]));
}

fn lmb_in_joints(word: u32) -> vec4<u32> {
    if (LMB_WIDE_JOINTS != 0u) {
        let x = lmb_in[word];
        let y = lmb_in[word + 1u];
        return vec4<u32>(x & 0xffffu, x >> 16u, y & 0xffffu, y >> 16u);
    }
    return (vec4<u32>(lmb_in[word]) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(0xffu);
}

fn lmb_in_weights(word: u32) -> vec4<f32> {
    if (LMB_WEIGHT_BYTES == 4u) {
        return vec4<f32>(lmb_in_vec3(word), bitcast<f32>(lmb_in[word + 3u]));
    }
    if (LMB_WEIGHT_BYTES == 2u) {
        return vec4<f32>(unpack2x16unorm(lmb_in[word]), unpack2x16unorm(lmb_in[word + 1u]));
    }
    return unpack4x8unorm(lmb_in[word]);
}

fn lmb_write(at: u32, value: vec3<f32>) {
    lmb_out[at] = value.x;
    lmb_out[at + 1u] = value.y;
    lmb_out[at + 2u] = value.z;
}

@compute @workgroup_size(64)
fn lmb_main(@builtin(global_invocation_id) id: vec3<u32>) {
    let vertex = id.x;
    let palette = id.y;
    if (vertex >= lmb_counts.w) {
        return;
    }
    let at = vertex * LMB_IN_STRIDE;
    var v = lmb_vertex(lmb_in_vec3(at), vec3<f32>(0.0), vec4<f32>(0.0));
    if (LMB_NORMALS != 0u) {
        v.normal = lmb_in_vec3(at + LMB_IN_NORMAL);
    }
    if (LMB_TANGENTS != 0u) {
        v.tangent = vec4<f32>(lmb_in_vec3(at + LMB_IN_TANGENT), bitcast<f32>(lmb_in[at + LMB_IN_TANGENT + 3u]));
    }
    var row = lmb_row(lmb_in_joints(at + LMB_IN_JOINTS), lmb_in_weights(at + LMB_IN_WEIGHTS), vec4<u32>(0u), vec4<f32>(0.0));
    if (LMB_INFLUENCES > 4u) {
        row.joints2 = lmb_in_joints(at + LMB_IN_JOINTS2);
        row.weights2 = lmb_in_weights(at + LMB_IN_WEIGHTS2);
    }
    v = lmb_skin(palette, row, lmb_morph(palette, vertex, v));
    let to = (palette * lmb_counts.w + vertex) * LMB_OUT_STRIDE;
    lmb_write(to, v.position);
    if (LMB_NORMALS != 0u) {
        lmb_write(to + 3u, v.normal);
    }
    if (LMB_TANGENTS != 0u) {
        lmb_write(to + 6u, v.tangent.xyz);
        lmb_out[to + 9u] = v.tangent.w;
    }
}
