// Morph targets before the skin: p' = p + sum of c_t d_t. The weights c follow the joints in the palette, four a texel.
// Target t has LMB_MORPH_TEXELS texels a vertex: what it adds to the position, to the normal, to the tangent.
void lmb_morph(int palette, int vertex, inout lmb_vertex v)
{
    for (int t = 0; t < lmb_counts.z; ++t) {
        float c = lmb_texel(palette, lmb_counts.y + t / 4)[t & 3];
        if (c != 0.0) {
            int i = (t * lmb_counts.w + vertex) * LMB_MORPH_TEXELS;
            v.position += c * lmb_delta(i);
#if LMB_NORMALS
            v.normal += c * lmb_delta(i + 1);
#endif
#if LMB_TANGENTS
            v.tangent.xyz += c * lmb_delta(i + 2);
#endif
        }
    }
#if LMB_NORMALS
    v.normal = lmb_unit(v.normal);
#endif
#if LMB_TANGENTS
    v.tangent.xyz = lmb_unit(v.tangent.xyz);
#endif
}
