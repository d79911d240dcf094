// What all of these shaders work on, and the counts that they are told.

// Texels a palette; texel of a palette's first morph weight; morph targets; vertices of the mesh. Of lmb_gpu_counts.
@group(0) @binding(4) var<uniform> lmb_counts: vec4<u32>;

// A vertex on its way from the bind pose to model space. Directions mean something only where they were asked for.
struct lmb_vertex {
    position: vec3<f32>,
    normal: vec3<f32>,  // unit
    tangent: vec4<f32>, // unit; w: handedness, +1 or -1
}

// The joints and weights of a vertex; the second four are for influences 5 to 8.
struct lmb_row {
    joints: vec4<u32>,
    weights: vec4<f32>,
    joints2: vec4<u32>,
    weights2: vec4<f32>,
}

fn lmb_unit(v: vec3<f32>) -> vec3<f32> {
    let square = dot(v, v);
    if (square > 0.0) {
        return v * inverseSqrt(square);
    }
    return v;
}
