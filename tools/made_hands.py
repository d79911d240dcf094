"""Hands of simple parts at the ends of arms, as volumes: with five fingers, of which the joints are known, and others. They
vary more than the hands of any maker do: tools/fit-hand.py."""
import numpy as np
from made_figures import turned
from volume_shapes import EXTENT, MIDDLES, SEEN, axes_along, ball, between, block, bounds, filled, limb, rod

# In the frame of a left hand: to the thumb's side, from the wrist to the knuckles, to the back of the hand.
ACROSS, ALONG, BACK = np.eye(3)
# A hand is 1 long. The cube that is looked at (see_hand.c): its side, and how far from the wrist its middle lies.
SIDE, MIDDLE, KNUCKLES = 1.6, 0.45, 0.5
# Lengths of the four fingers over the middle one's, and where they and thumbs bend (Buryanov and Kotiuk, Proportions of hand
# segments, 2010): shares of the length from knuckle to end.
LENGTHS, BONES, THUMB_BONES = np.array([0.88, 1, 0.956, 0.74]), (0.46, 0.285), (0.38, 0.36)
# The wrist, three joints of each finger, thumb first, and the ends of the fingers.
JOINTS = 21
# How often a hand has five fingers, others or none, holds something, has something beside it; how often a frame is off by
# little, as where the hand itself has shown it.
FIVE, OTHER, HOLDS, BESIDE, TIGHT = 0.8, 0.13, 0.08, 0.2, 0.45
# Of marked voxels the outermost layer stays empty: half of the outermost ones that are seen.
LINE = np.where(np.isin(np.arange(SEEN), [0, SEEN - 1]), 0.5, 1)
EDGE = LINE[:, None, None] * LINE[:, None] * LINE


class Hand:
    """What all fingers of a hand have in common, and its parts."""

    def __init__(self, random, fingers):
        self.random, self.fingers, self.parts = random, fingers, []
        self.square = random.random() < 0.25
        self.thick = between(random, 0.6, 1.0) if random.random() < 0.7 else between(random, 0.9, 1.5)
        self.gap = between(random, 0.07, 0.12) * max(self.thick, 1) * (4 / fingers) ** random.uniform(0.3, 1)
        self.middle, self.order = random.normal(0, 0.02), np.arange(fingers) - (fingers - 1) / 2
        self.length = between(random, 0.42, 0.66) if random.random() < 0.8 else between(random, 0.3, 0.8)
        self.radius = self.thick * self.gap * random.uniform(0.36, 0.5)
        self.taper = random.uniform(0.55, 0.95)
        self.palm = between(random, 0.05, 0.095) * max(self.thick, 0.8)
        pose = random.random()
        self.curl = abs(random.normal(0, 0.12)) if pose < 0.55 else random.uniform(0, 0.6) if pose < 0.85 else random.uniform(0.5, 1.5)

    def bar(self, start, end, wide, narrow):
        if self.square:
            line, side = end - start, (wide + narrow) * 0.45
            self.parts.append(block((start + end) / 2, [side, side, np.linalg.norm(line) / 2 + (wide + narrow) * 0.2], axes_along(line)))
        else:
            self.parts.append(limb(start, end, wide, narrow))

    def finger(self, root, direction, hinge, length, radius, bends, bones):
        """Three joints and the end of a finger that bends about a hinge."""
        points, taper = [root], 1 - (1 - self.taper) * np.array([0, 0.5, 0.8, 1])
        for bend, share in zip(bends, [*bones, 1 - sum(bones)]):
            direction = turned(direction, hinge, bend)
            points.append(points[-1] + direction * length * share)
        for k in range(3):
            short = direction * radius * self.taper if k == 2 and not self.square else 0
            self.bar(points[k], points[k + 1] - short, radius * taper[k], radius * taper[k + 1])
        return points


def knuckles_of(hand):
    random, order = hand.random, hand.order
    arch = between(random, 0.01, 0.06) * (order * 4 / hand.fingers) ** 2 * 0.15
    heights = KNUCKLES - arch + random.normal(0, 0.008, hand.fingers)
    if hand.fingers == 4:
        heights += [random.uniform(-0.03, 0.02), 0, 0, -random.uniform(0, 0.04)]
        heights += KNUCKLES - heights.mean()
    return np.stack([hand.middle - order * hand.gap, heights, -np.abs(order) * 0.02 * random.random(hand.fingers)], 1)


def add_fingers(hand, joints):
    random, count, knuckles = hand.random, hand.fingers, knuckles_of(hand)
    lengths = hand.length * np.exp(random.normal(0, 0.05, 4)) * LENGTHS ** random.uniform(0.4, 1.2)
    own_curl = random.normal(0, 0.06, count) if random.random() < 0.8 else random.normal(0, 0.3, count)
    spread = random.normal(0.05, 0.06) if random.random() < 0.8 else random.normal(0.1, 0.15)
    bones = np.array(BONES) + random.normal(0, [0.025, 0.02])
    along, back = 1 - random.uniform(-0.3, 0.3, 3), 0.1 if random.random() < 0.3 else 0
    for f in range(count):
        direction = turned(ALONG, BACK, hand.order[f] * spread + random.normal(0, 0.025))
        curl = np.clip(hand.curl + own_curl[f] + 0.04 * f * random.normal(), -0.25, 1.6)
        bends, radius = curl * along * [1, 1, 0.7] - [back, 0, 0], hand.radius * np.exp(random.normal(0, 0.03))
        points = hand.finger(knuckles[f], direction, np.cross(direction, BACK) * -1, lengths[min(f, 3)], radius * (0.9 if f == count - 1 else 1), bends, bones)
        if count == 4:
            joints[4 + 3 * f:7 + 3 * f], joints[17 + f] = points[:3], points[3]
        root = np.array([knuckles[f][0] * random.uniform(0.3, 0.6), 0.05, 0])
        hand.parts.append(limb(root, knuckles[f], hand.palm, max(hand.radius * 1.05, hand.palm * random.uniform(0.7, 1))))
    if hand.square or random.random() < 0.4:
        wide = hand.gap * count / 2 + 0.02
        hand.parts.append(block([hand.middle, 0.27, 0], [wide * random.uniform(0.75, 1.05), 0.24, hand.palm * random.uniform(0.8, 1.2)]))


def add_thumb(hand, joints):
    random = hand.random
    root = np.array([hand.middle + between(random, 0.05, 0.18), between(random, 0.08, 0.22), -abs(random.normal(0, 0.03))])
    direction = turned(turned(ALONG, BACK, -random.uniform(0.15, 1.2)), ALONG, random.normal(0.3, 0.35))
    bend = random.normal(0.05, 0.15) if random.random() < 0.8 else random.uniform(0, 0.9)
    hinge = turned(np.cross(direction, ALONG) + BACK * 1e-3, direction, random.normal(0, 0.6))
    radius = hand.radius * random.uniform(1, 1.35)
    bones = np.array(THUMB_BONES) + random.normal(0, 0.03, 2)
    points = hand.finger(root, direction, hinge / np.linalg.norm(hinge), hand.length * between(random, 0.95, 1.35), radius, [0, bend, bend], bones)
    hand.parts.append(limb(root, points[1], hand.palm * random.uniform(0.7, 1), radius))
    joints[1:4], joints[16] = points[:3], points[3]


def add_forearm(hand):
    """A forearm from the wrist, bare or in a sleeve."""
    random = hand.random
    line, far = -turned(turned(ALONG, BACK, random.normal(0, 0.25)), ACROSS, random.normal(0, 0.3)), between(random, 0.8, 2)
    wrist, elbow = hand.palm * random.uniform(0.95, 1.5), hand.palm * random.uniform(1.2, 2.8)
    if hand.square and random.random() < 0.6:
        hand.parts.append(block(line * far / 2, [wrist * 1.2, wrist, far / 2], axes_along(line)))
    else:
        beside = np.cross(line, BACK) * wrist * random.uniform(0, 0.5)
        hand.parts += [limb(side, line * far + side, wrist, elbow) for side in (-beside, 0 * beside, beside)]
    if random.random() < 0.3:
        start, wide = random.uniform(-0.12, 0.5), wrist * random.uniform(1.2, 2.6)
        if random.random() < 0.6:
            hand.parts.append(limb(line * (start + wide), line * (far + 0.3), wide, wide * random.uniform(0.8, 1.8)))
        else:
            hand.parts.append(rod(line * (start + 0.06), [wide, wide, between(random, 0.04, 0.2)], axes_along(line)))


def blunt(hand):
    """A fist, a mitten, a stump or a tool in place of fingers."""
    random = hand.random
    size = between(random, 0.15, 0.5) * random.uniform(0.5, 1.2, 3)
    hand.parts = [part for part in hand.parts if random.random() < 0.3] + [(ball, block)[random.integers(2)]([0, size[1] * 0.8, 0], size)]
    if random.random() < 0.4:
        hand.parts.append(limb(np.array([0.1, 0.1, 0]), np.array([random.uniform(0.2, 0.5), random.uniform(0.2, 0.6), 0]), 0.08, 0.06))


def held(random):
    """What goes through a hand."""
    line = turned(ACROSS, BACK, random.normal(0, 0.5)) + random.normal(0, 0.2, 3)
    at, long, wide = np.array([0, random.uniform(0.4, 0.7), -random.uniform(0.04, 0.14)]), between(random, 0.2, 2), between(random, 0.02, 0.07)
    beyond = random.uniform(-1, 1)
    return limb(at + line * long * (beyond - 1), at + line * long * (beyond + 1), wide, wide)


def beside(random):
    """A thigh, a hip or whatever else is near."""
    line = random.normal(size=3) * [1, 0.5, 1]
    line /= np.linalg.norm(line)
    size = np.exp(random.uniform(np.log(0.15), 0, 3))
    return (ball, block)[random.integers(2)](line * (np.abs(line) @ size + random.uniform(0.1, 0.5)) + [0, 0.3, 0], size, axes_along(random.normal(size=3), random))


def moved(shape, axes, scale, shift):
    kind, at, size, own = shape
    to = lambda p: axes @ np.asarray(p) * scale + shift
    if kind == 'limb':
        return kind, to(at), to(size), (own[0] * scale, own[1] * scale)
    return kind, to(at), np.asarray(size) * scale, own @ axes.T


def frame(random):
    """How a hand lies in the frame in which it is looked at: its axes, its scale and where its wrist is."""
    tight = random.random() < TIGHT
    far = 0.3 if tight else 1
    roll = random.normal(0, 0.25 * far) if random.random() < 0.85 else random.normal(0, 0.9 * far)
    tilt, lean = random.normal(0, 0.2 * far, 2)
    axes = np.stack([turned(turned(turned(axis, ALONG, roll), ACROSS, tilt), BACK, lean) for axis in (ACROSS, ALONG, BACK)])
    scale = np.exp(np.clip(random.normal(0, 0.3 * far), -0.65, 0.65))
    return axes, scale, random.normal(0, 1, 3) * np.array([0.08, 0.2, 0.08]) * far


def seen(parts):
    """Parts as a volume from 0 to 1."""
    cell, solid = SIDE / EXTENT, np.zeros((SEEN, SEEN, SEEN))
    points = MIDDLES * cell + [0, MIDDLE, 0]
    for part in parts:
        low, high = (np.array(bounds(part)) - points[0, 0, 0]) / cell
        low, high = np.clip(np.floor(low - 1), 0, SEEN).astype(int), np.clip(np.ceil(high + 1) + 1, 0, SEEN).astype(int)
        at = tuple(slice(low[k], high[k]) for k in (2, 1, 0))
        if (high > low).all():
            solid[at] = np.maximum(solid[at], filled(part, points[at], cell))
    return solid * EDGE


def hand(random):
    """A volume [z][y][x] from 0 to 1, and JOINTS joints in voxels, all NaN where there are no five fingers."""
    kind, joints = random.random(), np.full((JOINTS, 3), np.nan)
    made = Hand(random, 4 if kind < FIVE else random.choice([3, 3, 3, 2, 2, 4, 5]))
    joints[0] = 0
    add_fingers(made, joints)
    if kind < FIVE or random.random() < 0.7:
        add_thumb(made, joints)
    if kind > FIVE + OTHER:
        blunt(made)
    add_forearm(made)
    made.parts += [held(random)] if random.random() < HOLDS else []
    made.parts += [beside(random)] if random.random() < BESIDE else []
    axes, scale, shift = frame(random)
    solid = seen([moved(part, axes, scale, shift) for part in made.parts])
    told = (joints @ axes.T * scale + shift - [0, MIDDLE, 0]) / (SIDE / EXTENT) + SEEN / 2
    return solid.astype(np.float32), told.astype(np.float32) if kind < FIVE else np.full((JOINTS, 3), np.nan, np.float32)
