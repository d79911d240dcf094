// Limber from C++: reads a still mesh, rigs it, puts a walk on it and skins one frame.
//     build/dev/samples/34_cpp person.obj
// A job is a struct that starts at zero: `lmb_sample_job job{};`, then the members that matter.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "limber/limber.h"
#include "limber/os.h"

namespace
{

/// A unique_ptr that frees an object of Limber with the function that belongs to it.
template <typename T, void (*destroy)(T *)>
struct destroyer {
    void operator()(T *object) const
    {
        destroy(object);
    }
};
template <typename T, void (*destroy)(T *)>
using owner = std::unique_ptr<T, destroyer<T, destroy>>;

using character_owner = owner<lmb_character, lmb_character_destroy>;
using clip_owner = owner<lmb_clip, lmb_clip_destroy>;
using binding_owner = owner<lmb_binding, lmb_binding_destroy>;

/// Limber throws nothing: a program that likes exceptions makes them of results.
void check(lmb_result result, const char *what, const lmb_error &error)
{
    if (result != LMB_OK) {
        throw std::runtime_error(std::string(what) + ": expected " + error.expected + ", found " +
                                 error.found);
    }
}

character_owner read_mesh(const char *path)
{
    lmb_error error{};
    lmb_file file{};
    check(lmb_file_read(path, 0, &file, &error), path, error);
    lmb_character *character = nullptr;
    const lmb_result result =
        lmb_read(LMB_FORMAT_OBJ, file.data, file.size, nullptr, nullptr, &character, &error);
    lmb_file_free(&file);
    check(result, path, error);
    return character_owner(character);
}

/// lmb_rig replaces the character that it is given, so the pointer leaves its owner meanwhile.
character_owner rig_mesh(character_owner mesh)
{
    lmb_error error{};
    lmb_rig_opts opts{};
    opts.rest = LMB_REST_T;
    lmb_character *character = mesh.release();
    const lmb_result result = lmb_rig(&character, &opts, nullptr, nullptr, &error);
    character_owner rigged(character);
    check(result, "rigging", error);
    return rigged;
}

clip_owner make_walk(const lmb_character &hero)
{
    lmb_error error{};
    lmb_motion_opts opts{};
    opts.kind = LMB_MOTION_WALK;
    lmb_character *made = nullptr;
    check(lmb_motion_create(&opts, nullptr, &made, &error), "walk", error);
    const character_owner walk(made);
    lmb_clip *clip = nullptr;
    check(lmb_retarget(&hero, made, 0, nullptr, nullptr, &clip, nullptr, &error), "retargeting",
          error);
    return clip_owner(clip);
}

/// The positions of the character's first mesh at `time_s`, in model space.
std::vector<lmb_vec3> skin_frame(const lmb_character &hero, const lmb_clip &clip, double time_s)
{
    const lmb_skeleton &skeleton = *hero.skeleton;
    const lmb_instance &instance = hero.instances[0];
    const lmb_mesh &mesh = *hero.meshes[instance.mesh];
    const lmb_skin &skin = *hero.skins[instance.skin];

    std::vector<lmb_transform> pose(skeleton.joint_count);
    lmb_sample_job sample{};
    sample.clip = &clip;
    sample.time_s = time_s;
    sample.mode = LMB_PLAY_LOOP;
    sample.joint_count = skeleton.joint_count;
    sample.rest = skeleton.rest;
    sample.pose = pose.data();
    lmb_sample(&sample);

    std::vector<lmb_mat4> model_from_joint(skeleton.joint_count);
    lmb_pose_to_model_job to_model{};
    to_model.skeleton = &skeleton;
    to_model.local = pose.data();
    to_model.model_from_joint = model_from_joint.data();
    lmb_pose_to_model(&to_model);

    std::vector<lmb_mat4> model_from_bind(skin.joint_count);
    lmb_skin_palette(&skin, model_from_joint.data(), model_from_bind.data());

    // A program that draws many frames keeps the binding: compiling it is the expensive part.
    lmb_error error{};
    lmb_binding *compiled = nullptr;
    check(lmb_binding_create(&mesh, skin.joint_count, nullptr, &compiled, &error), "weights",
          error);
    const binding_owner binding(compiled);
    std::vector<lmb_vec3> vertices(mesh.vertex_count);
    lmb_skin_job job{};
    job.binding = compiled;
    job.model_from_bind = model_from_bind.data();
    job.out_positions = vertices.data();
    lmb_skin_linear(&job);
    return vertices;
}

void print_size(const char *what, const lmb_vec3 *positions, std::size_t count)
{
    const lmb_box box = lmb_box_of(positions, static_cast<std::uint32_t>(count));
    std::printf(
        "%s: %.3f wide, %.3f tall, %.3f deep\n", what, static_cast<double>(box.high.x - box.low.x),
        static_cast<double>(box.high.y - box.low.y), static_cast<double>(box.high.z - box.low.z));
}

} // namespace

int main(int argc, char **argv)
try {
    if (argc != 2) {
        std::fputs("usage: 34_cpp MESH.obj\n", stderr);
        return 2;
    }
    const character_owner hero = rig_mesh(read_mesh(argv[1]));
    const clip_owner walk = make_walk(*hero);
    const lmb_mesh &mesh = *hero->meshes[hero->instances[0].mesh];
    std::printf("%u joints, %u vertices, a walk of %.2f s\n",
                static_cast<unsigned>(hero->skeleton->joint_count),
                static_cast<unsigned>(mesh.vertex_count),
                static_cast<double>(lmb_clip_duration_s(walk.get())));
    print_size("at rest", mesh.positions, mesh.vertex_count);
    const std::vector<lmb_vec3> vertices = skin_frame(*hero, *walk, 0.25);
    print_size("walking", vertices.data(), vertices.size());
    return 0;
} catch (const std::exception &failure) {
    std::fprintf(stderr, "34_cpp: %s\n", failure.what());
    return 1;
}
