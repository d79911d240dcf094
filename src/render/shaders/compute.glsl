// The compute shader: reads the same packed vertices as the vertex shader, writes skinned ones. One invocation a vertex
// along x and a palette along y: dispatch (vertices + 63) / 64 by palettes groups.
layout(local_size_x = 64) in;

layout(std430, binding = 1) readonly buffer lmb_vertices
{
    uint lmb_in[];
};
layout(std430, binding = 2) writeonly buffer lmb_skinned
{
    float lmb_out[]; // palettes of vertices of LMB_OUT_STRIDE floats: position, normal, tangent
};

vec3 lmb_in_vec3(int word)
{
    return vec3(uintBitsToFloat(lmb_in[word]), uintBitsToFloat(lmb_in[word + 1]), uintBitsToFloat(lmb_in[word + 2]));
}

uvec4 lmb_in_joints(int word)
{
#if LMB_WIDE_JOINTS
    uvec2 pair = uvec2(lmb_in[word], lmb_in[word + 1]);
    return uvec4(pair.x & 0xffffu, pair.x >> 16, pair.y & 0xffffu, pair.y >> 16);
#else
    return (uvec4(lmb_in[word]) >> uvec4(0u, 8u, 16u, 24u)) & 0xffu;
#endif
}

vec4 lmb_in_weights(int word)
{
#if LMB_WEIGHT_BYTES == 4
    return vec4(lmb_in_vec3(word), uintBitsToFloat(lmb_in[word + 3]));
#elif LMB_WEIGHT_BYTES == 2
    uvec2 pair = uvec2(lmb_in[word], lmb_in[word + 1]);
    return vec4(pair.x & 0xffffu, pair.x >> 16, pair.y & 0xffffu, pair.y >> 16) / 65535.0;
#else
    return vec4((uvec4(lmb_in[word]) >> uvec4(0u, 8u, 16u, 24u)) & 0xffu) / 255.0;
#endif
}

void lmb_write(int at, vec3 value)
{
    lmb_out[at] = value.x;
    lmb_out[at + 1] = value.y;
    lmb_out[at + 2] = value.z;
}

void main()
{
    int vertex = int(gl_GlobalInvocationID.x), palette = int(gl_GlobalInvocationID.y);
    if (vertex >= lmb_counts.w) {
        return;
    }
    int from = vertex * LMB_IN_STRIDE;
    lmb_vertex v = lmb_vertex(lmb_in_vec3(from), vec3(0.0), vec4(0.0));
#if LMB_NORMALS
    v.normal = lmb_in_vec3(from + LMB_IN_NORMAL);
#endif
#if LMB_TANGENTS
    v.tangent = vec4(lmb_in_vec3(from + LMB_IN_TANGENT), uintBitsToFloat(lmb_in[from + LMB_IN_TANGENT + 3]));
#endif
#if LMB_MORPHS
    lmb_morph(palette, vertex, v);
#endif
    uvec4 joints = lmb_in_joints(from + LMB_IN_JOINTS), joints2 = uvec4(0u);
    vec4 weights = lmb_in_weights(from + LMB_IN_WEIGHTS), weights2 = vec4(0.0);
#if LMB_INFLUENCES > 4
    joints2 = lmb_in_joints(from + LMB_IN_JOINTS2);
    weights2 = lmb_in_weights(from + LMB_IN_WEIGHTS2);
#endif
    lmb_skin(palette, joints, weights, joints2, weights2, v);
    int to = (palette * lmb_counts.w + vertex) * LMB_OUT_STRIDE;
    lmb_write(to, v.position);
#if LMB_NORMALS
    lmb_write(to + 3, v.normal);
#endif
#if LMB_TANGENTS
    lmb_write(to + 6, v.tangent.xyz);
    lmb_out[to + 9] = v.tangent.w;
#endif
}
