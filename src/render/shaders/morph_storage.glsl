// What the morph targets add, in a storage buffer.
layout(std430, binding = 3) readonly buffer lmb_morphs
{
    vec4 lmb_morph_texels[];
};

vec3 lmb_delta(int i)
{
    return lmb_morph_texels[i].xyz;
}
