// What the morph targets add, in a storage buffer.
@group(0) @binding(3) var<storage, read> lmb_morphs: array<vec4<f32>>;

fn lmb_delta(i: u32) -> vec3<f32> {
    return lmb_morphs[i].xyz;
}
