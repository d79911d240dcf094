// What the morph targets add, in a texture of RGBA32F, row after row; its width is a power of two.
uniform highp sampler2D lmb_morphs;

vec3 lmb_delta(int i)
{
    return texelFetch(lmb_morphs, ivec2(i & (LMB_TEXTURE_WIDTH - 1), i / LMB_TEXTURE_WIDTH), 0).xyz;
}
