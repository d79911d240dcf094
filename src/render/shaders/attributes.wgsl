// The vertex shader's side. Your own entry point takes the attributes and calls this, with the palette to use:
// the instance_index for a crowd, 0 for one character. `vertex` is the vertex_index.
fn lmb_skin_vertex(palette: u32, vertex: u32, v: lmb_vertex, row: lmb_row) -> lmb_vertex {
    return lmb_skin(palette, row, lmb_morph(palette, vertex, v));
}
