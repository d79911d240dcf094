// Linear blend skinning: v' = (sum of w_j T_j) v.
fn lmb_skin(palette: u32, row: lmb_row, v: lmb_vertex) -> lmb_vertex {
    return lmb_apply_rows(lmb_blend_rows(palette, row, 0u), v);
}
