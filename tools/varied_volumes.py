"""Bodies of other proportions, turned a little, thicker or thinner, with things beside them: what tools/fit-volume.py
makes of each volume before the network sees it, so that it learns bodies and not the files."""
import numpy as np
import torch
import torch.nn.functional as F
from volume_shapes import EXTENT, MIDDLES, SEEN, axes_along, ball, block, bounds, filled, fitted, rod

LEVELS = np.arange(SEEN + 1.0)
# How much the height, the width and the depth of a slice vary, and how far apart the knots are between which they do.
TALL, WIDE, FLAT, KNOTS = 0.2, 0.15, 0.08, np.linspace(0, SEEN, 6)
# Large and small heads: what a head and all above the shoulders is multiplied by.
HEADS, SMALLEST_HEAD, LARGEST_HEAD = 0.35, 0.8, 2.6
# Turns in radians: about the vertical, and out of it.
TURN, LEAN = 0.15, 0.06
VARIED, WITH_THINGS, THICKER, THINNER = 0.75, 0.25, 0.15, 0.1


def curve(random, spread):
    """A factor a level, that varies between knots."""
    return np.exp(np.interp(LEVELS, KNOTS, random.normal(0, spread, len(KNOTS))))


class Warp:
    """Slices of other heights and widths along the vertical, then a turn: continuous, so that joints move with the body."""

    def __init__(self, random, shoulders):
        slopes, self.width = curve(random, TALL), curve(random, WIDE)
        self.depth = self.width * curve(random, FLAT)
        if shoulders is not None and random.random() < HEADS:
            head = np.exp(random.uniform(np.log(SMALLEST_HEAD), np.log(LARGEST_HEAD))) ** np.clip((LEVELS - shoulders - 1) / 1.5, 0, 1)
            slopes, self.width, self.depth = slopes * head, self.width * head, self.depth * head
        self.height = np.concatenate([[0], np.cumsum((slopes[1:] + slopes[:-1]) / 2)])
        yaw, pitch, roll = random.normal(0, 1, 3) * [TURN, LEAN, LEAN]
        turns = [(np.cos(a), np.sin(a)) for a in (yaw, pitch, roll)]
        about_y = np.array([[turns[0][0], 0, turns[0][1]], [0, 1, 0], [-turns[0][1], 0, turns[0][0]]])
        about_x = np.array([[1, 0, 0], [0, turns[1][0], -turns[1][1]], [0, turns[1][1], turns[1][0]]])
        about_z = np.array([[turns[2][0], -turns[2][1], 0], [turns[2][1], turns[2][0], 0], [0, 0, 1]])
        self.turn = about_y @ about_x @ about_z

    def forward(self, points):
        y = np.clip(points[..., 1], 0, SEEN)
        x, z = [(points[..., k] - SEEN / 2) * np.interp(y, LEVELS, width) for k, width in ((0, self.width), (2, self.depth))]
        return np.stack([x, np.interp(y, LEVELS, self.height), z], -1) @ self.turn.T

    def backward(self, points):
        x, height, z = np.moveaxis(points @ self.turn, -1, 0)
        y = np.interp(height, self.height, LEVELS)
        # What lies above or below the cube is outside of it.
        y = y + np.where(height < 0, -SEEN, 0) + np.where(height > self.height[-1], SEEN, 0)
        return np.stack([x / np.interp(y, LEVELS, self.width) + SEEN / 2, y, z / np.interp(y, LEVELS, self.depth) + SEEN / 2], -1)


def things(random, points):
    """One or two balls, blocks or rods that begin at the body."""
    made = []
    for _ in range(random.integers(1, 3)):
        size = EXTENT * np.exp(random.uniform(np.log(0.015), np.log(0.25), 3))
        axes = axes_along(random.normal(size=3), random) if random.random() < 0.6 else np.eye(3)
        kind = (ball, block, rod)[random.integers(3)]
        made.append(kind(points[random.integers(len(points))] + (size * random.uniform(-1, 1, 3)) @ axes, size, axes))
    return made


def thickened(solid, random):
    """A volume that grew or shrank by part of a voxel."""
    kind, cube = random.random(), torch.from_numpy(solid)[None, None]
    if kind < THICKER:
        solid = solid + random.uniform(0, 0.8) * (F.max_pool3d(cube, 3, 1, 1)[0, 0].numpy() - solid)
    elif kind < THICKER + THINNER:
        solid = solid + random.uniform(0, 0.5) * (-F.max_pool3d(-cube, 3, 1, 1)[0, 0].numpy() - solid)
    return solid


def varied(solid, joints, random):
    """Another body like one: a volume from 0 to 1 [z][y][x], its longest side EXTENT voxels, and its joints in voxels, or
    None."""
    if random.random() >= VARIED or not solid.any():
        return solid, joints
    warp = Warp(random, None if joints is None else joints[[0, 3], 1].mean())
    points = warp.forward(np.argwhere(solid > 0.25)[:, ::-1] + 0.5)
    added = things(random, points) if random.random() < WITH_THINGS else []
    middle, scale = fitted(np.concatenate([points - 0.5, points + 0.5] + [bounds(thing) for thing in added]))
    scale *= np.exp(random.normal(0, 0.02))
    seen = MIDDLES / scale + middle
    at = torch.from_numpy((warp.backward(seen) / (SEEN / 2) - 1).astype(np.float32))
    solid = F.grid_sample(torch.from_numpy(solid)[None, None], at[None], align_corners=False)[0, 0].numpy()
    for thing in added:
        solid = np.maximum(solid, filled(thing, seen, 1 / scale).astype(np.float32))
    if joints is not None:
        joints = (warp.forward(joints) - middle) * scale + SEEN / 2
    return thickened(solid, random), joints
