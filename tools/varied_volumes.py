"""Bodies of other proportions, turned a little, thicker or thinner, with things beside them: what tools/fit-volume.py
makes of each volume before the network sees it, so that it learns bodies and not the files."""
import numpy as np
import torch
import torch.nn.functional as F
from volume_shapes import EXTENT, MIDDLES, SEEN, axes_along, ball, between, block, bounds, filled, fitted, limb, rod

LEVELS = np.arange(SEEN + 1.0)
# How much the height, the width and the depth of a slice vary, and how far apart the knots are between which they do.
TALL, WIDE, FLAT, KNOTS = 0.2, 0.15, 0.08, np.linspace(0, SEEN, 6)
# Large and small heads: what a head and all above the shoulders is multiplied by.
HEADS, SMALLEST_HEAD, LARGEST_HEAD = 0.35, 0.8, 2.6
# Turns in radians: about the vertical, and out of it.
TURN, LEAN = 0.15, 0.06
VARIED, WITH_THINGS, COSTUMED, WORN, THICKER, THINNER = 0.75, 0.25, 0.35, 0.33, 0.15, 0.1
# How often a body is seen without all that is beside it, and how often it is smaller than the volume, and how small.
CLOSER, SMALLER, SMALLEST = 0.4, 0.2, 0.6
# Longer and shorter arms: what lies beside the shoulders is stretched.
REACH, SHORTEST, LONGEST = 0.25, 0.75, 1.4
# How often both hands hold something, of those that do.
BOTH_HANDS = 0.3
UP, FRONT = np.array([0, 1.0, 0]), np.array([0, 0, 1.0])
# How many of a body's joints are of its limbs: the first ones.
LIMBS = 12


def curve(random, spread):
    """A factor a level, that varies between knots."""
    return np.exp(np.interp(LEVELS, KNOTS, random.normal(0, spread, len(KNOTS))))


def stretched(x, beside, reach):
    """x from the middle, with what is farther off than `beside` stretched by `reach`."""
    far = np.maximum(np.abs(x) - beside, 0)
    return x + np.sign(x) * far * (reach - 1)


class Warp:
    """Slices of other heights and widths along the vertical, then a turn: continuous, so that joints move with the body."""

    def __init__(self, random, joints):
        slopes, self.width = curve(random, TALL), curve(random, WIDE)
        self.depth = self.width * curve(random, FLAT)
        self.beside, self.reach = SEEN, 1.0
        if joints is not None and random.random() < REACH:
            self.beside, self.reach = np.abs(joints[[0, 3], 0] - SEEN / 2).mean(), between(random, SHORTEST, LONGEST)
        if joints is not None and random.random() < HEADS:
            head = between(random, SMALLEST_HEAD, LARGEST_HEAD) ** np.clip((LEVELS - joints[[0, 3], 1].mean() - 1) / 1.5, 0, 1)
            slopes, self.width, self.depth = slopes * head, self.width * head, self.depth * head
        self.height = np.concatenate([[0], np.cumsum((slopes[1:] + slopes[:-1]) / 2)])
        yaw, pitch, roll = random.normal(0, 1, 3) * [TURN, LEAN, LEAN]
        turns = [(np.cos(a), np.sin(a)) for a in (yaw, pitch, roll)]
        about_y = np.array([[turns[0][0], 0, turns[0][1]], [0, 1, 0], [-turns[0][1], 0, turns[0][0]]])
        about_x = np.array([[1, 0, 0], [0, turns[1][0], -turns[1][1]], [0, turns[1][1], turns[1][0]]])
        about_z = np.array([[turns[2][0], -turns[2][1], 0], [turns[2][1], turns[2][0], 0], [0, 0, 1]])
        self.turn = about_y @ about_x @ about_z

    def forward(self, points):
        y, x = np.clip(points[..., 1], 0, SEEN), stretched(points[..., 0] - SEEN / 2, self.beside, self.reach)
        x, z = x * np.interp(y, LEVELS, self.width), (points[..., 2] - SEEN / 2) * np.interp(y, LEVELS, self.depth)
        return np.stack([x, np.interp(y, LEVELS, self.height), z], -1) @ self.turn.T

    def backward(self, points):
        x, height, z = np.moveaxis(points @ self.turn, -1, 0)
        y = np.interp(height, self.height, LEVELS)
        # What lies above or below the cube is outside of it.
        y = y + np.where(height < 0, -SEEN, 0) + np.where(height > self.height[-1], SEEN, 0)
        x = x / np.interp(y, LEVELS, self.width)
        x = np.where(np.abs(x) > self.beside, np.sign(x) * (self.beside + (np.abs(x) - self.beside) / self.reach), x)
        return np.stack([x + SEEN / 2, y, z / np.interp(y, LEVELS, self.depth) + SEEN / 2], -1)


def things(random, points):
    """One or two balls, blocks or rods that begin at the body."""
    made = []
    for _ in range(random.integers(1, 3)):
        size = EXTENT * np.exp(random.uniform(np.log(0.015), np.log(0.25), 3))
        axes = axes_along(random.normal(size=3), random) if random.random() < 0.6 else np.eye(3)
        kind = (ball, block, rod)[random.integers(3)]
        made.append(kind(points[random.integers(len(points))] + (size * random.uniform(-1, 1, 3)) @ axes, size, axes))
    return made


def sleeves(random, j, tall):
    """Thick or long forms along the outer half of both arms or both legs: gloves, fists, boots, trousers, barrels."""
    first, wide = random.choice([0, 6]), tall * between(random, 0.02, 0.1)
    start, flare, end = random.uniform(-0.2, 1), between(random, 0.6, 1.6), random.uniform(0.9, 1.5)
    return [limb(j[k + 1] + (j[k + 2] - j[k + 1]) * min(start, end - 0.1), j[k + 1] + (j[k + 2] - j[k + 1]) * end, wide, wide * flare) for k in (first, first + 3)]


def ends(random, j, tall):
    """Balls or blocks at both hands, feet, shoulders or knees."""
    at, size = random.choice([0, 2, 2, 7, 8, 8]), tall * between(random, 0.03, 0.1) * random.uniform(0.7, 1.3, 3)
    ahead = FRONT * size[2] * random.uniform(0, 0.8) if at == 8 else UP * size[1] * random.uniform(0, 0.5) if at == 0 else 0
    out = random.uniform(0, 0.3) if at == 2 else 0
    kind = (ball, block)[random.integers(2)]
    return [kind(j[k] + (j[k] - j[k - 1]) * out + ahead, size) for k in (at, at + 3)]


def on_head(random, j, tall):
    """Hats, hair, helmets: one or two forms on what is between the shoulders, a brim among them."""
    neck, top = (j[0] + j[3]) / 2, tall * random.uniform(0.1, 0.35)
    size = tall * between(random, 0.05, 0.3) * random.uniform(0.7, 1.3, 3)
    kind = (ball, block)[random.integers(2)]
    made = [kind(neck + UP * top + FRONT * random.normal(0, 0.02) * tall, size)]
    if random.random() < 0.4:
        made.append(rod(neck + UP * (top + size[1] * random.uniform(-0.5, 0.8)), size[0] * np.array([between(random, 1, 2.2), between(random, 1, 2.2), 0.15]), np.array([[1.0, 0, 0], FRONT, UP])))
    if random.random() < 0.3:
        made.append(limb(neck + UP * top, neck + UP * (top + size[1] * random.uniform(1, 3)) - FRONT * random.normal(0, 0.1) * tall, size[0], size[0] * 0.2))
    return made


def around_trunk(random, j, tall):
    """A skirt, a coat or a belly about the hips, or what is carried on the back."""
    hips, neck = (j[6] + j[9]) / 2, (j[0] + j[3]) / 2
    if random.random() < 0.4:
        size = tall * np.exp(random.uniform(np.log(0.04), np.log(0.16), 3))
        kind = (ball, block)[random.integers(2)]
        return [kind(hips + (neck - hips) * random.uniform(0.3, 1) - FRONT * (size[2] + tall * 0.05), size)]
    wide = np.linalg.norm(j[6] - j[9]) * random.uniform(0.5, 1.2)
    return [limb(hips + (neck - hips) * random.uniform(0, 0.4), hips + (hips - neck) * random.uniform(0, 0.9), wide, wide * random.uniform(1, 1.5))]


def behind(random, j, tall):
    """Two wings on the back, each a bone and a blade, or a tail."""
    neck, hips, wide = (j[0] + j[3]) / 2, (j[6] + j[9]) / 2, np.linalg.norm(j[0] - j[3])
    thick = tall * between(random, 0.012, 0.04)
    if random.random() < 0.4:
        line = UP * random.uniform(-0.8, 0.8) - FRONT + np.array([random.normal(0, 0.2), 0, 0])
        return [limb(hips, hips + line * tall * between(random, 0.1, 0.6), thick * 1.5, thick * 0.5)]
    length, drop = tall * between(random, 0.15, 0.7), tall * between(random, 0.05, 0.4)
    rise, away, root = random.uniform(-0.6, 1), random.uniform(0.05, 1), neck - FRONT * wide * 0.3 - UP * wide * random.uniform(0, 0.4)
    made = []
    for sign in (-1, 1):
        out, start = np.array([sign, rise, -away]), root + np.array([sign * wide * 0.15, 0, 0])
        out /= np.linalg.norm(out)
        made.append(limb(start, start + out * length, thick, thick * 0.6))
        made.append(block(start + out * length * 0.5 - UP * drop * 0.5, [drop * 0.5, thick * 0.7, length * 0.45], axes_along(out)))
    return made


def hair(random, j, tall):
    """Two tails that hang from the sides of the head, or all of it down the back."""
    neck, down = (j[0] + j[3]) / 2, tall * between(random, 0.1, 0.6)
    top, out = neck + UP * tall * random.uniform(0.05, 0.25), tall * random.uniform(0.03, 0.2)
    thick, back = tall * between(random, 0.015, 0.06), -FRONT * tall * random.uniform(-0.02, 0.15)
    if random.random() < 0.4:
        return [limb(top + back * 0.5, top + back - UP * down, thick * 2, thick * random.uniform(1, 4))]
    made = []
    for sign in (-1, 1):
        root = top + np.array([sign * out, 0, 0])
        made.append(limb(root, root + back - UP * down + np.array([sign * out * random.uniform(-0.3, 1.5), 0, 0]), thick, thick * random.uniform(0.3, 2.5)))
    return made


def cape(random, j, tall):
    """A sheet that hangs behind, or on all sides of the legs."""
    neck, hips, wide = (j[0] + j[3]) / 2, (j[6] + j[9]) / 2, np.linalg.norm(j[0] - j[3])
    long = np.linalg.norm(neck - hips) * random.uniform(0.8, 2)
    line = -UP - FRONT * random.uniform(0, 0.4)
    middle = neck - FRONT * tall * random.uniform(0.04, 0.1) + line * long * 0.5
    return [block(middle, [long / 2, tall * between(random, 0.01, 0.03), wide * random.uniform(0.4, 0.9)], axes_along(line))]


def held(random, j, tall):
    """What is in one hand or, less often, in each."""
    hands = [(j[2], j[1]), (j[5], j[4])]
    if np.linalg.norm(j[2] - j[5]) < 0.4 * tall and random.random() < 0.25:
        line, thick = j[5] - j[2], tall * between(random, 0.01, 0.03)
        return [limb(j[2] - line * random.uniform(0.2, 1.5), j[5] + line * random.uniform(0.2, 1.5), thick * 1.5, thick)]
    both = random.random() < BOTH_HANDS
    return [part for k in ((0, 1) if both else (random.integers(2),)) for part in held_in(random, *hands[k], tall)]


def held_in(random, hand, elbow, tall):
    """A shield at a forearm, or a staff or a blade in the hand."""
    along = (hand - elbow) / max(np.linalg.norm(hand - elbow), 1e-6)
    grip, thick = hand + along * tall * 0.04, tall * between(random, 0.01, 0.03)
    kind = random.integers(3)
    if kind == 0:
        side = np.cross(along, UP if abs(along[1]) < 0.8 else FRONT)
        size = tall * between(random, 0.06, 0.22) * np.array([1, random.uniform(0.7, 1.6), 0.12])
        return [(rod, block)[random.integers(2)](grip + side * tall * random.uniform(-0.06, 0.06), size, np.array([along, np.cross(side, along), side]))]
    line = (UP if kind == 1 else FRONT) + random.normal(0, 0.25, 3)
    length = tall * between(random, 0.15, 0.9)
    start, end = grip - line * length * random.uniform(0, 0.6), grip + line * length
    made = [limb(start, end, thick, thick * random.uniform(0.4, 1.5))]
    return made + ([ball(end, tall * between(random, 0.03, 0.09) * random.uniform(0.5, 1.2, 3))] if random.random() < 0.4 else [])


def costume(random, joints):
    """Forms that people wear, at the joints of their limbs."""
    tall = np.ptp(joints[:, 1])
    made = []
    for wear in (sleeves, ends, on_head, around_trunk, behind, hair, cape, held):
        made += wear(random, joints, tall) if random.random() < WORN else []
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
    warp = Warp(random, joints)
    points = warp.forward(np.argwhere(solid > 0.25)[:, ::-1] + 0.5)
    added = things(random, points) if random.random() < WITH_THINGS else []
    added += costume(random, warp.forward(joints[:LIMBS])) if joints is not None and random.random() < COSTUMED else []
    # Where the network looks closer, things are cut off at the sides; where something wide is beside a body, that is small.
    whole = [points - 0.5, points + 0.5] + ([] if random.random() < CLOSER else [bounds(thing) for thing in added])
    middle, scale = fitted(np.concatenate(whole))
    small = random.uniform(SMALLEST, 1) if random.random() < SMALLER else 1.0
    scale *= small * np.exp(random.normal(0, 0.02))
    middle = middle + random.uniform(-0.5, 0.5, 3) * EXTENT * (1 - small) / scale
    seen = MIDDLES / scale + middle
    at = torch.from_numpy((warp.backward(seen) / (SEEN / 2) - 1).astype(np.float32))
    solid = F.grid_sample(torch.from_numpy(solid)[None, None], at[None], align_corners=False)[0, 0].numpy()
    for thing in added:
        solid = np.maximum(solid, filled(thing, seen, 1 / scale).astype(np.float32))
    if joints is not None:
        joints = (warp.forward(joints) - middle) * scale + SEEN / 2
    return thickened(solid, random), joints
