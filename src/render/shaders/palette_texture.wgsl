// Palettes in a texture of rgba32float, row after row; its width is a power of two.
@group(0) @binding(0) var lmb_palettes: texture_2d<f32>;

fn lmb_texel(palette: u32, i: u32) -> vec4<f32> {
    let at = palette * lmb_counts.x + i;
    return textureLoad(lmb_palettes, vec2<u32>(at % LMB_TEXTURE_WIDTH, at / LMB_TEXTURE_WIDTH), 0);
}
