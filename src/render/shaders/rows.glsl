// The matrix part that all methods share: three rows a joint, and a vertex through their blend.

/// Rows first, first + 1, first + 2 of a palette: a 3x4 matrix. vec4(p, 1) * rows is the moved point.
mat3x4 lmb_rows(int palette, int first)
{
    return mat3x4(lmb_texel(palette, first), lmb_texel(palette, first + 1), lmb_texel(palette, first + 2));
}

/// sum of w_j M_j; the rows of joint j begin at texel LMB_JOINT_TEXELS j + first.
mat3x4 lmb_blend_rows(int palette, uvec4 joints, vec4 weights, uvec4 joints2, vec4 weights2, int first)
{
    mat3x4 sum = weights[0] * lmb_rows(palette, LMB_JOINT_TEXELS * int(joints[0]) + first);
    for (int k = 1; k < min(LMB_INFLUENCES, 4); ++k) {
        sum += weights[k] * lmb_rows(palette, LMB_JOINT_TEXELS * int(joints[k]) + first);
    }
    for (int k = 4; k < LMB_INFLUENCES; ++k) {
        sum += weights2[k - 4] * lmb_rows(palette, LMB_JOINT_TEXELS * int(joints2[k - 4]) + first);
    }
    return sum;
}

/// Normals go by the cofactors of the linear part F, cof(F) = det(F) F^-T, whose rows are the cross products of the rows
/// of F: right under uneven scale. The sign keeps them outward where the matrix mirrors.
void lmb_apply_rows(mat3x4 m, inout lmb_vertex v)
{
    v.position = vec4(v.position, 1.0) * m;
#if LMB_NORMALS || LMB_TANGENTS
    vec3 a = m[0].xyz, b = m[1].xyz, c = m[2].xyz;
    mat3 cofactors = mat3(cross(b, c), cross(c, a), cross(a, b));
    float mirrored = dot(a, cofactors[0]) < 0.0 ? -1.0 : 1.0;
#if LMB_NORMALS
    v.normal = lmb_unit(v.normal * cofactors) * mirrored;
#endif
#if LMB_TANGENTS
    vec3 t = v.tangent.xyz * mat3(a, b, c);
    v.tangent = vec4(lmb_unit(t - v.normal * dot(v.normal, t)), v.tangent.w * mirrored);
#endif
#endif
}
