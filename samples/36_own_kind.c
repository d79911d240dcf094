// Rigs a mesh as a kind of body of one's own: a text says what its limbs look like and where joints
// lie on them. A mesh of another kind is refused, and what fits better is said.
//     build/samples/36_own_kind body.obj kind.template rigged.glb
#include <stdio.h>
#include <stdlib.h>

#include "limber/limber.h"

static void *read_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    void *bytes = malloc(*size + 1);
    if (bytes && fread(bytes, 1, *size, file) != *size) {
        free(bytes);
        bytes = NULL;
    }
    fclose(file);
    return bytes;
}

static bool write_character(const lmb_character *character, const char *path)
{
    lmb_buffer bytes = {0};
    if (lmb_gltf_write(character, NULL, NULL, &bytes, NULL) != LMB_OK) {
        return false;
    }
    FILE *file = fopen(path, "wb");
    const bool done = file && fwrite(bytes.data, 1, bytes.size, file) == bytes.size;
    if (file) {
        fclose(file);
    }
    lmb_buffer_free(&bytes);
    return done;
}

static lmb_result rig(const char *mesh_path, const char *kind_path, lmb_character **body,
                      lmb_rig_report *report, lmb_error *error)
{
    size_t mesh_size = 0, kind_size = 0;
    void *mesh = read_bytes(mesh_path, &mesh_size), *text = read_bytes(kind_path, &kind_size);
    lmb_body_template *kind = NULL;
    lmb_result result = LMB_ERROR_INVALID;
    if (mesh && text) {
        result = lmb_body_template_read(text, kind_size, NULL, &kind, error);
    }
    if (result == LMB_OK) {
        result = lmb_read(LMB_FORMAT_OBJ, mesh, mesh_size, NULL, NULL, body, error);
    }
    if (result == LMB_OK) {
        const lmb_rig_opts opts = {.embed = {.body_template = kind}};
        result = lmb_rig(body, &opts, report, NULL, error);
    }
    lmb_body_template_destroy(kind);
    free(mesh);
    free(text);
    return result;
}

int main(int argc, char **argv)
{
    lmb_character *body = NULL;
    lmb_rig_report report;
    lmb_error error = {0};
    if (argc != 4) {
        fprintf(stderr, "36_own_kind BODY.obj KIND.template RIGGED.glb\n");
        return 2;
    }
    const lmb_result result = rig(argv[1], argv[2], &body, &report, &error);
    const bool done = result == LMB_OK && write_character(body, argv[3]);
    if (done) {
        printf("%s: %u joints, confidence %.2f\n", argv[3], report.embedding.joint_count,
               (double)report.embedding.overall);
    } else if (error.line > 0) {
        fprintf(stderr, "%s:%u:%u: expected %s, found %s\n", argv[2], error.line, error.column,
                error.expected, error.found);
    } else {
        fprintf(stderr, "36_own_kind: expected %s, found %s\n", error.expected, error.found);
    }
    lmb_character_destroy(body);
    return done ? 0 : 1;
}
