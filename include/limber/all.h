/// Every header of the library.
#ifndef LIMBER_ALL_H
#define LIMBER_ALL_H

#include "limber/anim.h"
#include "limber/asset.h"
#include "limber/author.h"
#include "limber/base.h"
#include "limber/capture.h"
#include "limber/embed.h"
#include "limber/geometry.h"
#include "limber/ik.h"
#include "limber/io.h"
#include "limber/jobs.h"
#include "limber/learn.h"
#include "limber/mapping.h"
#include "limber/math.h"
#include "limber/physics.h"
#include "limber/procedural.h"
#include "limber/render.h"
#include "limber/retarget.h"
#include "limber/rig.h"
#include "limber/simd.h"
#include "limber/skin.h"

#endif
