/// Limber: include this, or the headers of the modules you use.
///
/// What most programs call, by task; each is documented where it is declared.
///
///     read       lmb_read: FBX, OBJ, PLY, BVH and others  lmb_gltf_read (and VRM)  lmb_markers_read  limber/io.h
///     rig        lmb_rig: a skeleton and weights for a still mesh  lmb_skeleton_fit: one's own       limber/author.h
///                lmb_embed: a skeleton alone                                                        limber/embed.h
///                lmb_bind  lmb_weights_apply  lmb_weights_mirror  lmb_weights_transfer              limber/rig.h
///     map        lmb_joint_map_of_character  lmb_chain_map_find: which joint is which               limber/mapping.h
///     animate    lmb_animate: a mesh and a motion in, a character that plays it out                 limber/author.h
///                lmb_motion_create: a walk, a run, a wave  lmb_gait_create                          limber/procedural.h
///     retarget   lmb_retarget  lmb_face_apply                                                         limber/retarget.h
///     capture    lmb_fit_points  lmb_lift_keypoints  lmb_clean_clip  lmb_live_create  lmb_live_step limber/capture.h
///     play       lmb_sample  lmb_packed_clip_create  lmb_packed_sample  lmb_crowd                   limber/anim.h
///     blend      lmb_blend  lmb_overlay  lmb_mask_branch  lmb_transition_step               limber/anim.h
///                lmb_graph_read  lmb_machine_create  lmb_machine_set  lmb_machine_step
///                lmb_blend_bake: clips over each other, or a machine, as a clip                     limber/author.h
///     reach      lmb_ik_two_bone  lmb_ik_aim  lmb_ik_look  lmb_ik_chain  lmb_ik_full_body           limber/ik.h
///                lmb_ik_plant: feet on the ground
///     simulate   lmb_springs_create  lmb_springs_step: hair and cloth                               limber/physics.h
///                lmb_ragdoll_create  lmb_ragdoll_step  lmb_world_create  lmb_world_step
///     deform     lmb_pose_to_model                                                                  limber/asset.h
///                lmb_binding_create  lmb_skin_palette  lmb_skin_linear  lmb_skin_dual  lmb_morph    limber/skin.h
///     draw       lmb_render  lmb_gpu_shader  lmb_gpu_vertices  lmb_gpu_palette                      limber/render.h
///     check      lmb_check: what is wrong with a character or with markers                          limber/author.h
///     learn      lmb_learn_skin: a rig out of a mesh sequence                                       limber/learn.h
///     write      lmb_write  lmb_gltf_write  lmb_markers_write  lmb_vrma_write                      limber/io.h
///     build      lmb_mesh_create  lmb_skeleton_create  lmb_skin_create  lmb_clip_create             limber/asset.h
///                lmb_character_create  lmb_character_destroy
///
/// Files, threads and sockets for programs that want them from here: limber/os.h, in a library of its own.
#ifndef LIMBER_LIMBER_H
#define LIMBER_LIMBER_H

#include "limber/all.h"

#endif
