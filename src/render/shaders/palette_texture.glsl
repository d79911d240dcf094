// Palettes in a texture of RGBA32F, row after row; its width is a power of two.
uniform highp sampler2D lmb_palettes;

vec4 lmb_texel(int palette, int i)
{
    int at = palette * lmb_counts.x + i;
    return texelFetch(lmb_palettes, ivec2(at & (LMB_TEXTURE_WIDTH - 1), at / LMB_TEXTURE_WIDTH), 0);
}
