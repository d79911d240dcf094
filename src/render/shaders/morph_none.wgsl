// No morph targets.
fn lmb_morph(palette: u32, vertex: u32, v: lmb_vertex) -> lmb_vertex {
    return v;
}
