// Palettes in a uniform block.
struct lmb_block {
    texels: array<vec4<f32>, LMB_UNIFORM_TEXELS>,
}
@group(0) @binding(0) var<uniform> lmb_palettes: lmb_block;

fn lmb_texel(palette: u32, i: u32) -> vec4<f32> {
    return lmb_palettes.texels[palette * lmb_counts.x + i];
}
