// Morph targets before the skin: p' = p + sum of c_t d_t. The weights c follow the joints in the palette, four a texel.
// Target t has LMB_MORPH_TEXELS texels a vertex: what it adds to the position, to the normal, to the tangent.
fn lmb_morph(palette: u32, vertex: u32, start: lmb_vertex) -> lmb_vertex {
    var v = start;
    for (var t = 0u; t < lmb_counts.z; t++) {
        let c = lmb_texel(palette, lmb_counts.y + t / 4u)[t % 4u];
        if (c == 0.0) {
            continue;
        }
        let i = (t * lmb_counts.w + vertex) * LMB_MORPH_TEXELS;
        v.position += c * lmb_delta(i);
        if (LMB_NORMALS != 0u) {
            v.normal += c * lmb_delta(i + 1u);
        }
        if (LMB_TANGENTS != 0u) {
            v.tangent += vec4<f32>(c * lmb_delta(i + 2u), 0.0);
        }
    }
    v.normal = lmb_unit(v.normal);
    v.tangent = vec4<f32>(lmb_unit(v.tangent.xyz), v.tangent.w);
    return v;
}
