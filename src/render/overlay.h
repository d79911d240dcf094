/// Draws the skeleton over a finished picture: tapered bones and round joints, antialiased.
#ifndef RENDER_OVERLAY_H
#define RENDER_OVERLAY_H

#include "limber/render.h"
#include "render/camera.h"

/// `per_pixel`: camera samples per pixel along an axis.
void lmbi_overlay_bones(lmb_picture picture, const lmbi_camera *camera, float per_pixel,
                        const lmb_render_bone *bones, uint32_t bone_count);

#endif
