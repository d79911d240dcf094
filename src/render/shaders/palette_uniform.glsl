// Palettes in a uniform block.
layout(std140) uniform lmb_palettes
{
    vec4 lmb_palette_texels[LMB_UNIFORM_TEXELS];
};

vec4 lmb_texel(int palette, int i)
{
    return lmb_palette_texels[palette * lmb_counts.x + i];
}
