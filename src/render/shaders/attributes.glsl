// The vertex shader's side. Your own main() follows this text and calls lmb_skin_vertex with the palette to use:
// gl_InstanceID for a crowd, 0 for one character.
layout(location = 0) in vec3 lmb_in_position;
#if LMB_NORMALS
layout(location = 1) in vec3 lmb_in_normal;
#endif
#if LMB_TANGENTS
layout(location = 2) in vec4 lmb_in_tangent;
#endif
layout(location = 3) in uvec4 lmb_in_joints;
layout(location = 4) in vec4 lmb_in_weights;
#if LMB_INFLUENCES > 4
layout(location = 5) in uvec4 lmb_in_joints2;
layout(location = 6) in vec4 lmb_in_weights2;
#endif

lmb_vertex lmb_skin_vertex(int palette)
{
    lmb_vertex v = lmb_vertex(lmb_in_position, vec3(0.0), vec4(0.0));
#if LMB_NORMALS
    v.normal = lmb_in_normal;
#endif
#if LMB_TANGENTS
    v.tangent = lmb_in_tangent;
#endif
#if LMB_MORPHS
    lmb_morph(palette, gl_VertexID, v);
#endif
#if LMB_INFLUENCES > 4
    lmb_skin(palette, lmb_in_joints, lmb_in_weights, lmb_in_joints2, lmb_in_weights2, v);
#else
    lmb_skin(palette, lmb_in_joints, lmb_in_weights, uvec4(0u), vec4(0.0), v);
#endif
    return v;
}
