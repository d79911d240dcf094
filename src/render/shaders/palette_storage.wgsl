// Palettes in a storage buffer.
@group(0) @binding(0) var<storage, read> lmb_palettes: array<vec4<f32>>;

fn lmb_texel(palette: u32, i: u32) -> vec4<f32> {
    return lmb_palettes[palette * lmb_counts.x + i];
}
