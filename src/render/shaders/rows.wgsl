// The matrix part that all methods share: three rows a joint, and a vertex through their blend.

/// Rows first, first + 1, first + 2 of a palette: a 3x4 matrix. vec4(p, 1) * rows is the moved point.
fn lmb_rows(palette: u32, first: u32) -> mat3x4<f32> {
    return mat3x4<f32>(lmb_texel(palette, first), lmb_texel(palette, first + 1u), lmb_texel(palette, first + 2u));
}

/// sum of w_j M_j; the rows of joint j begin at texel LMB_JOINT_TEXELS j + first.
fn lmb_blend_rows(palette: u32, row: lmb_row, first: u32) -> mat3x4<f32> {
    var sum = row.weights[0] * lmb_rows(palette, LMB_JOINT_TEXELS * row.joints[0] + first);
    for (var k = 1u; k < min(LMB_INFLUENCES, 4u); k++) {
        sum += row.weights[k] * lmb_rows(palette, LMB_JOINT_TEXELS * row.joints[k] + first);
    }
    for (var k = 4u; k < LMB_INFLUENCES; k++) {
        sum += row.weights2[k - 4u] * lmb_rows(palette, LMB_JOINT_TEXELS * row.joints2[k - 4u] + first);
    }
    return sum;
}

/// Normals go by the cofactors of the linear part F, cof(F) = det(F) F^-T, whose rows are the cross products of the rows
/// of F: right under uneven scale. The sign keeps them outward where the matrix mirrors.
fn lmb_apply_rows(m: mat3x4<f32>, start: lmb_vertex) -> lmb_vertex {
    var v = start;
    v.position = vec4<f32>(v.position, 1.0) * m;
    if (LMB_NORMALS == 0u) {
        return v;
    }
    let a = m[0].xyz;
    let b = m[1].xyz;
    let c = m[2].xyz;
    let cofactors = mat3x3<f32>(cross(b, c), cross(c, a), cross(a, b));
    let mirrored = select(1.0, -1.0, dot(a, cofactors[0]) < 0.0);
    v.normal = lmb_unit(v.normal * cofactors) * mirrored;
    let t = v.tangent.xyz * mat3x3<f32>(a, b, c);
    v.tangent = vec4<f32>(lmb_unit(t - v.normal * dot(v.normal, t)), v.tangent.w * mirrored);
    return v;
}
