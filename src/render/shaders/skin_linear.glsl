// Linear blend skinning: v' = (sum of w_j T_j) v.
void lmb_skin(int palette, uvec4 joints, vec4 weights, uvec4 joints2, vec4 weights2, inout lmb_vertex v)
{
    lmb_apply_rows(lmb_blend_rows(palette, joints, weights, joints2, weights2, 0), v);
}
