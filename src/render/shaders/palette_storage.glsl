// Palettes in a storage buffer.
layout(std430, binding = 0) readonly buffer lmb_palettes
{
    vec4 lmb_palette_texels[];
};

vec4 lmb_texel(int palette, int i)
{
    return lmb_palette_texels[palette * lmb_counts.x + i];
}
