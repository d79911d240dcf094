// Dual quaternion skinning (Kavan, Collins, Zara, O'Sullivan 2008). A joint is two texels, the rotation q and the dual
// part e = 1/2 t q; with LMB_SCALE three rows of its stretch follow, which is blended linearly and comes first.

/// q and -q are the same rotation: each is added on the side of the strongest joint's, the first one of the row.
void lmb_add_dual(int palette, uint joint, float weight, vec4 pivot, inout vec4 real, inout vec4 dual)
{
    vec4 q = lmb_texel(palette, LMB_JOINT_TEXELS * int(joint));
    float w = dot(q, pivot) < 0.0 ? -weight : weight;
    real += w * q;
    dual += w * lmb_texel(palette, LMB_JOINT_TEXELS * int(joint) + 1);
}

vec3 lmb_rotate(vec4 q, vec3 v)
{
    return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

void lmb_skin(int palette, uvec4 joints, vec4 weights, uvec4 joints2, vec4 weights2, inout lmb_vertex v)
{
#if LMB_SCALE
    lmb_apply_rows(lmb_blend_rows(palette, joints, weights, joints2, weights2, 2), v);
#endif
    vec4 pivot = lmb_texel(palette, LMB_JOINT_TEXELS * int(joints[0]));
    vec4 real = weights[0] * pivot;
    vec4 dual = weights[0] * lmb_texel(palette, LMB_JOINT_TEXELS * int(joints[0]) + 1);
    for (int k = 1; k < min(LMB_INFLUENCES, 4); ++k) {
        lmb_add_dual(palette, joints[k], weights[k], pivot, real, dual);
    }
    for (int k = 4; k < LMB_INFLUENCES; ++k) {
        lmb_add_dual(palette, joints2[k - 4], weights2[k - 4], pivot, real, dual);
    }
    float scale = inversesqrt(dot(real, real));
    real *= scale;
    dual *= scale;
    vec3 translation = 2.0 * (real.w * dual.xyz - dual.w * real.xyz + cross(real.xyz, dual.xyz));
    v.position = lmb_rotate(real, v.position) + translation;
#if LMB_NORMALS
    v.normal = lmb_rotate(real, v.normal);
#endif
#if LMB_TANGENTS
    v.tangent.xyz = lmb_rotate(real, v.tangent.xyz);
#endif
}
