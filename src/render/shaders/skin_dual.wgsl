// Dual quaternion skinning (Kavan, Collins, Zara, O'Sullivan 2008). A joint is two texels, the rotation q and the dual
// part e = 1/2 t q; with LMB_SCALE three rows of its stretch follow, which is blended linearly and comes first.

struct lmb_dual {
    real: vec4<f32>,
    dual: vec4<f32>,
}

/// q and -q are the same rotation: each is added on the side of the strongest joint's, the first one of the row.
fn lmb_add_dual(palette: u32, joint: u32, weight: f32, pivot: vec4<f32>, sum: lmb_dual) -> lmb_dual {
    let q = lmb_texel(palette, LMB_JOINT_TEXELS * joint);
    let w = select(weight, -weight, dot(q, pivot) < 0.0);
    return lmb_dual(sum.real + w * q, sum.dual + w * lmb_texel(palette, LMB_JOINT_TEXELS * joint + 1u));
}

fn lmb_rotate(q: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

fn lmb_skin(palette: u32, row: lmb_row, start: lmb_vertex) -> lmb_vertex {
    var v = start;
    if (LMB_SCALE != 0u) {
        v = lmb_apply_rows(lmb_blend_rows(palette, row, 2u), v);
    }
    let pivot = lmb_texel(palette, LMB_JOINT_TEXELS * row.joints[0]);
    var sum = lmb_add_dual(palette, row.joints[0], row.weights[0], pivot, lmb_dual(vec4<f32>(0.0), vec4<f32>(0.0)));
    for (var k = 1u; k < min(LMB_INFLUENCES, 4u); k++) {
        sum = lmb_add_dual(palette, row.joints[k], row.weights[k], pivot, sum);
    }
    for (var k = 4u; k < LMB_INFLUENCES; k++) {
        sum = lmb_add_dual(palette, row.joints2[k - 4u], row.weights2[k - 4u], pivot, sum);
    }
    let scale = inverseSqrt(dot(sum.real, sum.real));
    let real = sum.real * scale;
    let dual = sum.dual * scale;
    v.position = lmb_rotate(real, v.position) + 2.0 * (real.w * dual.xyz - dual.w * real.xyz + cross(real.xyz, dual.xyz));
    v.normal = lmb_rotate(real, v.normal);
    v.tangent = vec4<f32>(lmb_rotate(real, v.tangent.xyz), v.tangent.w);
    return v;
}
