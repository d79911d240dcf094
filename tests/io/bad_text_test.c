/// Malformed files give an error with a position, or a valid character; never a crash, a leak or a
/// long wait. Every allocation fails once.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>

#include "io/bvh/bvh.h"
#include "io/files.h"
#include "io/surface/surface.h"
#include "tally_allocator.h"

/// The skeleton, a mark, the motion.
static const char asf_and_amc[] =
    ":units\n length 0.45\n:root\n order TX TY TZ RX RY RZ\n axis XYZ\n orientation 0 10 0\n"
    ":bonedata\n begin\n name a\n direction .3 -.9 0\n length 2\n axis 0 0 -20 XYZ\n dof rx\n"
    " limits (-160 20)\n end\n begin\n name b\n direction 0 -1 0\n length 3\n dof tx rx l\n end\n"
    ":hierarchy\n begin\n a b\n root a\n end\n=====\n:DEGREES\n1\nroot 1 2 3 4 5 6\na 1\n"
    "b 1 2 3\n2\nroot 1 2 3 4 5 6\na 1\nb 1 2 3\n";

static lmb_result read_acclaim(const char *bytes, size_t size, const lmb_allocator *alloc,
                               lmb_character **out, lmb_error *error)
{
    for (size_t i = 0; i + 6 <= size; ++i) {
        if (memcmp(bytes + i, "=====\n", 6) == 0) {
            return lmb_asf_read(bytes, i, bytes + i + 6, size - i - 6, NULL, alloc, out, error);
        }
    }
    return lmb_asf_read(bytes, size, NULL, 0, NULL, alloc, out, error);
}

static lmb_result read_any(const char *format, const void *bytes, size_t size,
                           const lmb_allocator *alloc, lmb_character **out, lmb_error *error)
{
    if (strcmp(format, "obj") == 0) {
        return lmbi_obj_read(bytes, size, NULL, alloc, out, error);
    }
    if (strcmp(format, "asf") == 0) {
        return read_acclaim(bytes, size, alloc, out, error);
    }
    if (strcmp(format, "bvh") == 0) {
        return lmbi_bvh_read(bytes, size, NULL, alloc, out, error);
    }
    if (strcmp(format, "ply") == 0) {
        return lmbi_ply_read(bytes, size, NULL, alloc, out, error);
    }
    if (strcmp(format, "off") == 0) {
        return lmbi_off_read(bytes, size, NULL, alloc, out, error);
    }
    return lmbi_stl_read(bytes, size, NULL, alloc, out, error);
}

static lmb_result read_counted(const char *format, const void *bytes, size_t size)
{
    // An exact copy: reading past the end is then seen by a sanitizer.
    void *copy = malloc(size ? size : 1);
    memcpy(copy, bytes, size);
    tally t = {0};
    const lmb_allocator alloc = {tally_resize, &t};
    lmb_character *c = NULL;
    lmb_error error = {0};
    const lmb_result result = read_any(format, copy, size, &alloc, &c, &error);
    if (result == LMB_OK) {
        assert_non_null(c);
        lmb_character_destroy(c);
    } else {
        assert_null(c);
        assert_int_equal(error.code, result);
        assert_true(error.expected[0] && error.found[0]);
    }
    assert_int_equal(t.held, 0);
    assert_true(t.most < 4000000 + 100 * size);
    free(copy);
    return result;
}

/// What the catalogue says must be accepted or refused; any other file may be either.
static const char *const accepted[] = {"control_ok",
                                       "crlf",
                                       "utf8_bom",
                                       "no_final_newline",
                                       "blank_lines",
                                       "frames_fewer_than_rows",
                                       "zero_length_bones",
                                       "joint_name_utf8",
                                       "degenerate_faces",
                                       "nonmanifold_edge",
                                       "isolated_vertices",
                                       "two_components",
                                       "inside_out",
                                       "mixed_winding",
                                       "holes",
                                       "unwelded_soup",
                                       "far_from_origin_1e6",
                                       "long_line_continued",
                                       "vertex_after_face",
                                       "tetra_control_ok",
                                       "big_endian_control_ok",
                                       "nancolor",
                                       "negative_indices",
                                       "comments",
                                       "whitespace"};

static const char *const refused[] = {"empty",
                                      "truncated_hierarchy",
                                      "no_motion",
                                      "frames_more_than_rows",
                                      "frames_negative",
                                      "frames_overflow",
                                      "frame_time_negative",
                                      "frame_time_nan",
                                      "frame_time_missing",
                                      "nan_values",
                                      "inf_values",
                                      "text_in_row",
                                      "short_row",
                                      "comma_decimals",
                                      "nan_offset",
                                      "offset_two_numbers",
                                      "channels_count_mismatch",
                                      "channels_unknown",
                                      "channels_huge",
                                      "channels_negative",
                                      "brace_missing",
                                      "brace_extra",
                                      "utf16le",
                                      "nul_inside",
                                      "random_bytes",
                                      "index_zero",
                                      "index_out_of_range",
                                      "index_negative_out_of_range",
                                      "index_overflow",
                                      "nan_vertex",
                                      "inf_vertex",
                                      "vertex_two_numbers",
                                      "faces_only",
                                      "count_mismatch",
                                      "negative_count",
                                      "huge_count",
                                      "index_oob",
                                      "truncated_binary",
                                      "invalid",
                                      "OutOfMemory",
                                      "crash-30d6d0f7",
                                      "ply_empty_header"};

static bool is_in(const char *const *list, size_t count, const char *file, const char *dot)
{
    for (size_t i = 0; i < count; ++i) {
        if (strlen(list[i]) == (size_t)(dot - file) &&
            strncmp(list[i], file, (size_t)(dot - file)) == 0) {
            return true;
        }
    }
    return false;
}

static size_t run_folder(const char *folder)
{
    const char *shared = getenv("LIMBER_SHARED");
    char path[512];
    snprintf(path, sizeof path, "%s/data/bad/%s", shared ? shared : "", folder);
    DIR *dir = opendir(path);
    size_t count = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot == NULL || strstr("obj bvh ply off stl", dot + 1) == NULL || strlen(dot) != 4) {
            continue;
        }
        char whole[1024];
        snprintf(whole, sizeof whole, "%s/%s", path, entry->d_name);
        test_file file = test_file_read(whole);
        const lmb_result result = read_counted(dot + 1, file.data, file.size);
        const bool wrong = (result != LMB_OK && is_in(accepted, sizeof accepted / sizeof *accepted,
                                                      entry->d_name, dot)) ||
                           (result == LMB_OK &&
                            is_in(refused, sizeof refused / sizeof *refused, entry->d_name, dot));
        if (wrong) {
            print_error("%s: %s\n", entry->d_name, lmb_result_name(result));
        }
        assert_false(wrong);
        free(file.data);
        ++count;
    }
    if (dir) {
        closedir(dir);
    }
    return count;
}

static void meets_the_catalogue(void **state)
{
    (void)state;
    static const char *const folders[] = {"made/obj", "made/bvh", "made/ply", "made/off",
                                          "assimp",   "trimesh",  "ufbx-fuzz"};
    size_t count = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; ++i) {
        count += run_folder(folders[i]);
    }
    if (count == 0) {
        skip();
    }
    assert_true(count > 90);
}

static const struct {
    const char *format, *text;
} samples[] = {
    {"asf", asf_and_amc},
    {"obj", "mtllib a.mtl\no a\nv 0 0 0 1 0 0\nv 1 0 0 1 0 0\nv 1 1 0 0 0 1\nv 0 1 0 0 0 1\nvt 0 "
            "0\nvt 1 1\nvn 0 0 1\nusemtl b\n"
            "f 1/1/1 2/2/1 3/1/1 4/2/1\ng c\nf -4 -3 \\\n -2\nl 1 2 3\np 4\n"},
    {"bvh",
     "HIERARCHY\nROOT Hips\n{\n OFFSET 0 1 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation "
     "Xrotation Yrotation\n JOINT "
     "LeftFoot\n {\n  OFFSET 0 -1 0\n  CHANNELS 3 Zrotation Xrotation Yrotation\n  End Site\n  {\n "
     "  OFFSET 0 0 1\n  }\n }\n}\n"
     "MOTION\nFrames: 2\nFrame Time: .0083333\n0 1 0 10 20 30 1 2 3\n0 1 0 10 -120 30 1e1 2 3\n"},
    {"ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty "
            "float z\nproperty uchar red\n"
            "property uchar green\nproperty uchar blue\nelement face 1\nproperty list uchar int "
            "vertex_indices\nend_header\n"
            "0 0 0 1 2 3\n1 0 0 1 2 3\n0 1 0 1 2 3\n3 0 1 2\n"},
    {"off", "COFF\n4 1 0\n0 0 0 1 1 1\n1 0 0 1 1 1\n1 1 0 1 1 1\n0 1 0 1 1 1\n4 0 1 2 3\n"},
    {"stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 "
            "0\nendloop\nendfacet\nendsolid\n"},
};

static void survives_truncation_and_flips(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(1);
    for (size_t i = 0; i < sizeof samples / sizeof *samples; ++i) {
        const size_t size = strlen(samples[i].text);
        for (size_t cut = 0; cut <= size; ++cut) {
            read_counted(samples[i].format, samples[i].text, cut);
        }
        for (int round = 0; round < 1000; ++round) {
            char copy[1024];
            memcpy(copy, samples[i].text, size);
            for (uint32_t flips = lmb_random_u32(&random) % 4 + 1; flips > 0; --flips) {
                copy[lmb_random_u32(&random) % size] = (char)lmb_random_u32(&random);
            }
            read_counted(samples[i].format, copy, size);
        }
    }
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; ++i) {
        lmb_result result = LMB_ERROR_MEMORY;
        for (size_t fail_at = 1; result != LMB_OK; ++fail_at) {
            tally t = {.fail_at = fail_at};
            const lmb_allocator alloc = {tally_resize, &t};
            lmb_character *c = NULL;
            lmb_error error = {0};
            result = read_any(samples[i].format, samples[i].text, strlen(samples[i].text), &alloc,
                              &c, &error);
            if (result == LMB_OK) {
                lmb_character_destroy(c);
            } else {
                assert_int_equal(result, LMB_ERROR_MEMORY);
                assert_null(c);
            }
            assert_int_equal(t.held, 0);
            assert_true(fail_at < 1000);
        }
    }
}

static void names_what_is_no_text(void **state)
{
    (void)state;
    const char pointer[] = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
    for (size_t i = 0; i < sizeof samples / sizeof *samples; ++i) {
        lmb_character *c = NULL;
        lmb_error error = {0};
        assert_int_equal(read_any(samples[i].format, pointer, sizeof pointer - 1, NULL, &c, &error),
                         LMB_ERROR_MALFORMED);
        assert_non_null(strstr(error.found, "Git LFS"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meets_the_catalogue),
        cmocka_unit_test(survives_truncation_and_flips),
        cmocka_unit_test(survives_every_failing_allocation),
        cmocka_unit_test(names_what_is_no_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
