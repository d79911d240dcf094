// Prints what a browser needs to run the shaders, and the CPU's answer: JSON, one case a line,
// bytes as hexadecimal.
// tests/render/browser_test.mjs reads it.
#include "render/gpu_subject.h"

#include <string.h>
static void print_bytes(const char *name, const void *bytes, size_t size)
{
    printf(", \"%s\": \"", name);
    for (size_t i = 0; i < size; ++i) {
        printf("%02x", ((const uint8_t *)bytes)[i]);
    }
    putchar('"');
}

static void print_text(const char *name, const char *text)
{
    printf(", \"%s\": \"", name);
    for (; *text != '\0'; ++text) {
        if (*text == '\n') {
            printf("\\n");
        } else if (*text == '"' || *text == '\\') {
            printf("\\%c", *text);
        } else {
            putchar(*text);
        }
    }
    putchar('"');
}

static void print_layout(const lmb_gpu_skin *skin)
{
    const lmb_gpu_layout layout = lmb_gpu_describe(skin, 1).vertices;
    printf(", \"stride\": %u, \"attributes\": [", layout.stride);
    for (uint32_t i = 0; i < layout.attribute_count; ++i) {
        const lmb_gpu_attribute a = layout.attributes[i];
        printf("%s{\"shaderLocation\": %u, \"offset\": %u, \"components\": %u, \"type\": %u, "
               "\"integer\": %d, \"normalized\": %d, \"format\": \"%s\"}",
               i > 0 ? ", " : "", a.location, a.offset, a.components, a.type, a.is_integer,
               a.is_normalized, a.format);
    }
    putchar(']');
}

static void print_case(const subject *s, lmb_gpu_skin choices)
{
    const lmb_gpu_skin skin = subject_skin(s, choices);
    const uint32_t n = skin.vertex_count;
    const lmb_gpu_extent palettes = lmb_gpu_describe(&skin, s->palette_count).palettes;
    const lmb_gpu_extent morphs = lmb_gpu_describe(&skin, 1).morphs;
    printf("{\"language\": \"%s\", \"stage\": \"%s\", \"method\": %d, \"palettes\": %d, "
           "\"morphs\": %d, \"influences\": %u, \"vertices\": %u, \"instances\": %u, "
           "\"width\": %u, \"height\": %u, \"morph_width\": %u, \"morph_height\": %u, "
           "\"diagonal\": %.9g",
           skin.language == LMB_GPU_WGSL ? "wgsl" : "essl",
           skin.stage == LMB_GPU_COMPUTE ? "compute" : "vertex", skin.method, skin.palettes,
           skin.morphs, skin.influences, n, s->palette_count, palettes.width, palettes.height,
           morphs.width, morphs.height, (double)s->diagonal);
    print_layout(&skin);
    int32_t counts[4];
    memcpy(counts, lmb_gpu_describe(&skin, 1).counts, sizeof(int32_t[4]));
    print_bytes("counts", counts, sizeof(counts));
    char *text = subject_shader(&skin);
    print_text("shader", text);
    free(text);
    uint8_t *vertices = subject_memory(n, lmb_gpu_describe(&skin, 1).vertices.stride);
    lmb_gpu_vertices(&skin, s->mesh, vertices);
    print_bytes("vertex_bytes", vertices, (size_t)n * lmb_gpu_describe(&skin, 1).vertices.stride);
    free(vertices);
    lmb_vec4 *texels = subject_palettes(s, &skin);
    print_bytes("palette_bytes", texels, palettes.allocated * sizeof(*texels));
    free(texels);
    if (skin.morphs) {
        texels = subject_memory(morphs.allocated, sizeof(*texels));
        lmb_gpu_morphs(&skin, s->mesh, texels);
        print_bytes("morph_bytes", texels, morphs.allocated * sizeof(*texels));
        free(texels);
    }
    skinned *want = subject_answer(s, skin.method, skin.morphs);
    print_bytes("want", want, (size_t)n * s->palette_count * sizeof(*want));
    free(want);
    puts("}");
}

/// Every method in every place and stage that the language has.
static void print_language(const subject *s, lmb_gpu_language language, lmb_gpu_method method,
                           uint32_t influences)
{
    for (int stage = 0; stage < 2; ++stage) {
        for (int position = 0; position < 3; ++position) {
            lmb_gpu_skin choices = {.language = language,
                                    .stage = (lmb_gpu_stage)stage,
                                    .method = method,
                                    .palettes = (lmb_gpu_palettes)position,
                                    .influences = influences,
                                    .weights = LMB_GPU_FLOAT32,
                                    .normals = true,
                                    .tangents = true,
                                    .morphs = s->mesh->target_count > 0};
            const lmb_gpu_skin skin = subject_skin(s, choices);
            if (lmb_gpu_check(&skin, NULL) == LMB_OK) {
                print_case(s, choices);
            }
        }
    }
}

int main(void)
{
    for (int method = LMB_GPU_LINEAR; method <= LMB_GPU_DUAL_SCALE; ++method) {
        const uint32_t influences = method == LMB_GPU_DUAL ? 7 : 4;
        const uint32_t targets = method == LMB_GPU_DUAL_SCALE ? 0 : 3;
        subject s = subject_create(100, influences, 20, targets, 3,
                                   method == LMB_GPU_DUAL_SCALE ? MIRRORED : RIGID);
        print_language(&s, LMB_GPU_ESSL_300, (lmb_gpu_method)method, influences);
        print_language(&s, LMB_GPU_WGSL, (lmb_gpu_method)method, influences);
        subject_destroy(&s);
    }
    return 0;
}
