// What all of these shaders work on, and the counts that they are told.

// Texels a palette; texel of a palette's first morph weight; morph targets; vertices of the mesh. Of lmb_gpu_counts.
uniform highp ivec4 lmb_counts;

// A vertex on its way from the bind pose to model space. Directions mean something only where they were asked for.
struct lmb_vertex {
    vec3 position;
    vec3 normal;  // unit
    vec4 tangent; // unit; w: handedness, +1 or -1
};

vec3 lmb_unit(vec3 v)
{
    float square = dot(v, v);
    return square > 0.0 ? v * inversesqrt(square) : v;
}
