// A still mesh becomes a character that walks: a skeleton inside it, weights on its skin, a generated
// walk retargeted to it, in one call. A character that is rigged already keeps its skeleton.
//     build/samples/33_animate MESH.obj OUT.glb
#include <stdio.h>

#include "limber/limber.h"
#include "limber/os.h"

static int fail(const char *what, const lmb_error *error)
{
    fprintf(stderr, "%s: expected %s, found %s\n", what, error->expected, error->found);
    return 1;
}

int main(int argc, char **argv)
{
    lmb_error error = {0};
    lmb_file file;
    lmb_character *person = NULL, *walk = NULL;
    lmb_animate_report report;
    lmb_buffer glb = {0};
    if (argc != 3) {
        fputs("usage: 33_animate MESH.obj OUT.glb\n", stderr);
        return 2;
    }
    if (lmb_file_read(argv[1], 0, &file, &error) != LMB_OK ||
        lmb_read(LMB_FORMAT_OBJ, file.data, file.size, NULL, NULL, &person, &error) != LMB_OK) {
        return fail(argv[1], &error);
    }
    lmb_file_free(&file);
    if (lmb_motion_create(&(lmb_motion_opts){.kind = LMB_MOTION_WALK}, NULL, &walk, &error) !=
            LMB_OK ||
        lmb_animate(&person, walk, 0, NULL, &report, NULL, &error) != LMB_OK) {
        return fail("walk", &error);
    }
    printf("%u joints, confidence %.2f; %u foot contacts locked, feet slide at %.1f cm/s; the "
           "lowest skin is %.1f to %.1f cm above the ground\n",
           (unsigned)report.rig.embedding.joint_count, (double)report.rig.embedding.overall,
           (unsigned)report.retarget.contact_count, 100 * (double)report.feet_after.slide_m_s,
           100 * (double)report.clearance.min_m, 100 * (double)report.clearance.max_m);
    if (lmb_gltf_write(person, NULL, NULL, &glb, &error) != LMB_OK ||
        lmb_file_write(argv[2], glb.data, glb.size, &error) != LMB_OK) {
        return fail(argv[2], &error);
    }
    lmb_buffer_free(&glb);
    lmb_character_destroy(person);
    lmb_character_destroy(walk);
    return 0;
}
