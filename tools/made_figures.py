"""Figures of simple parts: toys of blocks, mascots with large heads, mechs with gaps between their parts, dolls. A human's
joints are known in them, and they vary more than the characters of any maker do: tools/fit-volume.py."""
import numpy as np
from volume_shapes import SEEN, axes_along, ball, between, block, limb, rod, volume_of

UP, FRONT = np.array([0, 1.0, 0]), np.array([0, 0, 1.0])
STRIDES, PLATES, JOINTED = 0.3, 0.08, 0.6
# How often a stiff toy has arms and legs as long as its trunk, as toys of six boxes have.
ALIKE = 0.5
# Where artists have joints: hips above those of the legs and the neck below the top of the trunk, in lengths of the trunk;
# the spine behind its middle, in its thickness; the head's below the middle of the head, in half its height.
HIPS, NECK, BEHIND, IN_HEAD = 0.08, 0.98, 0.1, 0.8


class Style:
    """What all parts of a figure have in common."""

    def __init__(self, random):
        kind = random.choice(['toy', 'mech', 'mascot', 'doll'])
        self.kind, self.random = kind, random
        self.width = {'toy': between(random, 0.3, 0.6), 'mech': between(random, 0.2, 0.6), 'mascot': between(random, 0.3, 0.8), 'doll': between(random, 0.18, 0.35)}[kind]
        self.depth = self.width * random.uniform(0.4, 1)
        self.legs = between(random, 0.35, 1.2) if kind == 'mascot' else between(random, 0.7, 2.2)
        self.arms = between(random, 0.5, 1.3) if kind == 'mascot' else between(random, 0.8, 1.9)
        self.head = between(random, 0.4, 1.3) if kind == 'mascot' else between(random, 0.12, 0.6)
        self.hip = self.width * random.uniform(0.35, 0.75)
        self.leg = self.hip * random.uniform(0.85, 1.05) if kind == 'toy' else self.hip * random.uniform(0.3, 1)
        self.arm = self.leg * random.uniform(0.7, 1.1) if kind == 'toy' else between(random, 0.05, 0.22)
        self.taper = random.uniform(0.5, 1.2)
        self.stiff = kind == 'toy' and random.random() < 0.6
        if self.stiff and random.random() < ALIKE:
            self.arms = self.legs = between(random, 0.9, 1.15)
        self.square = kind == 'toy' or (kind == 'mech' and random.random() < 0.6)
        self.gap = random.uniform(0, 0.25) if kind == 'mech' else 0
        self.split, self.thigh, self.fore, self.shin, self.knob = random.uniform(0.4, 0.5), random.uniform(0.42, 0.52), 1, 1, 0
        if kind == 'mech' and random.random() < JOINTED:
            self.joint_parts()

    def joint_parts(self):
        """Elbows and knees anywhere along the limbs: what tells them is a ball, a gap or another thickness beyond."""
        random = self.random
        self.split, self.thigh = random.uniform(0.22, 0.65), random.uniform(0.25, 0.68)
        self.fore, self.shin = between(random, 0.5, 3), between(random, 0.5, 3)
        self.knob = random.uniform(0.8, 1.7) if random.random() < 0.5 else 0
        if self.knob == 0 and min(abs(np.log(self.fore)), abs(np.log(self.shin))) < 0.3:
            self.gap = max(self.gap, 0.12)

    def bar(self, start, end, wide, narrow):
        """A part of a limb."""
        line = end - start
        middle, half = (start + end) / 2, np.linalg.norm(line) / 2
        if self.square:
            size = [wide, wide * self.random.uniform(0.7, 1.1), half * (1 - self.gap) + (wide * 0.3 if self.gap == 0 else 0)]
            return block(middle, size, axes_along(line))
        cut = self.gap * line / 2
        return limb(start + cut, end - cut, wide, narrow)

    def lump(self, at, size):
        """The trunk, a head, a hand."""
        kinds = [block] if self.kind == 'toy' else [block, ball, rod] if self.kind == 'mech' else [ball]
        kind = kinds[self.random.integers(len(kinds))]
        if kind is rod:
            return rod(at, np.asarray(size)[[0, 2, 1]], np.array([[1.0, 0, 0], FRONT, UP]))
        return kind(at, size)


def turned(vector, axis, angle):
    return vector * np.cos(angle) + np.cross(axis, vector) * np.sin(angle) + axis * (axis @ vector) * (1 - np.cos(angle))


def arm_pose(random, stiff):
    """Directions of a left upper arm and forearm."""
    if stiff:
        straight = -UP if random.random() < 0.7 else np.array([1.0, 0, 0])
        return straight, straight
    down, ahead = {0: (0, 0), 1: (random.uniform(0.4, 1.1), 0), 2: (random.uniform(1.1, 1.55), 0), 3: (random.uniform(-1.4, -0.4), 0),
                   4: (random.uniform(-0.8, 1.5), random.uniform(0, 1.6))}[random.choice(5, p=[0.15, 0.2, 0.25, 0.2, 0.2])]
    outward = turned(np.array([1.0, 0, 0]), UP, -ahead)
    upper = outward * np.cos(down) - UP * np.sin(down) + random.normal(0, 0.05, 3)
    bend = abs(random.normal(0, 0.12)) if random.random() < 0.6 else random.uniform(0.3, 2.2)
    aim = FRONT + random.uniform(-0.8, 0.8) * UP + random.uniform(-1, 0.2) * np.array([1.0, 0, 0])
    axis = np.cross(upper, aim)
    return upper / np.linalg.norm(upper), turned(upper, axis / max(np.linalg.norm(axis), 1e-9), bend) / np.linalg.norm(upper)


def hanging(ahead, out):
    """Straight down, swung ahead and out to the left by angles."""
    return np.array([np.sin(out), -np.cos(ahead) * np.cos(out), np.sin(ahead) * np.cos(out)])


def leg_pose(random, sits, stiff):
    """Directions of a left thigh and shin."""
    if stiff and not sits:
        return -UP, -UP
    ahead = random.uniform(1.2, 1.7) if sits else random.normal(0, 0.08) if random.random() < 0.6 else random.uniform(-0.7, 0.9)
    bend = ahead + random.normal(0, 0.2) if sits else abs(random.normal(0, 0.06)) if random.random() < 0.6 else random.uniform(0, 1.3)
    out = abs(random.normal(0, 0.1))
    return hanging(ahead, out), hanging(ahead - max(bend, 0), out)


def stride_pose(random, stiff):
    """Directions of the left and the right leg, then of both arms, that swing against each other."""
    swing, out, elbow = random.choice([-1, 1]) * random.uniform(0.25, 0.95), abs(random.normal(0, 0.08)), random.uniform(0, 1.4)
    hang = random.uniform(0.1, 0.6)
    legs, arms = [], []
    for ahead in (swing, -swing):
        ahead *= random.uniform(0.6, 1)
        bend = 0 if stiff else random.uniform(0, 0.4 if ahead > 0 else 1.1)
        legs.append((hanging(ahead, out), hanging(ahead - bend, out)))
        arms.append((hanging(-ahead, hang), hanging((0 if stiff else elbow) - ahead, hang)))
    return legs, arms


def arm_parts(style, shoulder, pose, sign):
    """The parts of an arm, and its joints and end."""
    random, mirror = style.random, np.array([sign, 1, 1])
    upper, fore = pose[0] * mirror, pose[1] * mirror
    elbow = shoulder + upper * style.arms * style.split
    wrist = elbow + fore * style.arms * (0.9 - style.split)
    narrow, hand = style.arm * style.taper, style.arms * style.hand
    between_them, narrow = (style.arm + narrow) / 2 * style.fore, narrow * style.fore
    parts = [style.bar(shoulder, elbow, style.arm, between_them / style.fore), style.bar(elbow, wrist, between_them, narrow)]
    parts += [ball(at, np.full(3, style.arm * style.knob)) for at in (shoulder, elbow) if style.knob]
    end = wrist + fore * hand
    if style.ending == 'ball':
        parts.append(style.lump(wrist + fore * hand / 2, np.full(3, max(hand / 2, narrow))))
        end = wrist + fore * (hand / 2 + max(hand / 2, narrow))
    else:
        parts.append(style.bar(wrist, wrist + fore * hand, narrow, narrow * 0.7))
    if random.random() < 0.12:
        across = turned(fore, np.array([1.0, 0, 0]), random.uniform(1, 2))
        grip, length = wrist + fore * hand / 2, between(random, 0.3, 1.5)
        parts.append(rod(grip + across * length * random.uniform(0.3, 1), [between(random, 0.02, 0.15), 0.04, length], axes_along(across, random)))
    return parts, [shoulder, elbow, wrist, end]


def leg_parts(style, hip, pose, sign):
    mirror = np.array([sign, 1, 1])
    knee = hip + pose[0] * mirror * style.legs * style.thigh
    ankle = knee + pose[1] * mirror * style.legs * (0.94 - style.thigh)
    sole, narrow = style.legs * 0.06, style.leg * min(style.taper, 1)
    between_them, narrow = (style.leg + narrow) / 2 * style.shin, narrow * style.shin
    parts = [style.bar(hip, knee, style.leg, between_them / style.shin), style.bar(knee, ankle, between_them, narrow)]
    parts += [ball(knee, np.full(3, style.leg * style.knob))] if style.knob else []
    foot = ankle + np.array([0, -sole / 2, style.foot * 0.3])
    long = max(style.foot, narrow * 1.1)
    parts.append((block if style.square else ball)(foot, [narrow * style.shoe, max(sole, narrow * 0.5), long]))
    return parts, [hip, knee, ankle, foot + FRONT * long]


def head_parts(style, neck):
    """A head, and what may be on and about it; the joint of the head and its top."""
    random, size = style.random, style.head * np.array([1, style.random.uniform(0.8, 1.4), style.random.uniform(0.7, 1.1)])
    at = neck + UP * (size[1] * 0.9 + style.neck) + FRONT * style.random.normal(0, 0.05)
    parts = [style.lump(at, size)]
    if style.neck > 0.02:
        parts.append(limb(neck, at, style.head * 0.4, style.head * 0.4))
    if random.random() < 0.3:
        ear, wide, lean = between(random, 0.2, 1.2) * style.head, random.uniform(0.3, 1), random.uniform(-0.3, 1.6)
        for sign in (-1, 1):
            line = np.array([sign * np.sin(lean), np.cos(lean), random.uniform(-0.3, 0.1)])
            root = at + np.array([sign * wide, np.sqrt(max(1 - wide ** 2, 0)), 0]) * size
            parts.append(limb(root, root + line * ear, ear * 0.25, ear * 0.1))
    if random.random() < 0.3:
        parts.append(style.lump(at + UP * size[1] * random.uniform(0.6, 1.1), size * random.uniform(0.3, 1.3, 3)))
    if random.random() < 0.25:
        parts.append(style.lump(at - FRONT * size[2] * random.uniform(0.4, 1) - UP * size[1] * random.uniform(-0.3, 1), size * random.uniform(0.4, 1, 3)))
    if random.random() < 0.4:
        parts.append(style.lump(at + FRONT * size[2] - UP * size[1] * random.uniform(0, 0.4), size * random.uniform(0.15, 0.5, 3)))
    return parts, [at - UP * size[1] * IN_HEAD, at + UP * size[1]]


def trunk_parts(style):
    """From the hips at 0 to the neck at 1."""
    random = style.random
    parts = [style.lump([0, 0.48, 0], [style.width, 0.56, style.depth])]
    if style.kind in ('mech', 'doll'):
        parts.append(style.lump([0, 0.75, 0], [style.width * random.uniform(1, 1.4), 0.28, style.depth * random.uniform(1, 1.3)]))
        parts.append(style.lump([0, 0.05, 0], [style.width * random.uniform(0.8, 1.2), 0.2, style.depth]))
    if random.random() < 0.15:
        parts.append(style.lump([0, random.uniform(0.4, 0.8), -style.depth * random.uniform(1, 1.5)], style.width * random.uniform(0.4, 1, 3)))
    if random.random() < 0.12:
        end = np.array([random.normal(0, 0.3), random.uniform(-0.6, 0.6), -between(random, 0.4, 1.5)])
        parts.append(limb([0, 0, -style.depth * 0.7], end, style.arm, style.arm * 0.4))
    if random.random() < 0.12:
        parts.append(limb([0, 0.1, 0], [0, -style.legs * random.uniform(0.3, 0.8), 0], style.width, style.width * random.uniform(1, 1.6)))
    return parts


def plate(random, joints):
    """What a figure stands on."""
    feet, wide = np.array([joints[2][2], joints[3][2]]), between(random, 0.4, 1.5)
    thick = between(random, 0.03, 0.15)
    at = feet.mean(0) * [1, 0, 1] + UP * (feet[:, 1].min() - thick - random.uniform(0, 0.12))
    size = np.array([wide, thick, wide * random.uniform(0.6, 1.1)])
    return [block(at, size) if random.random() < 0.5 else rod(at, size[[0, 2, 1]], np.array([[1.0, 0, 0], FRONT, UP]))]


def figure(random):
    """A volume [z][y][x] from 0 to 1, and its joints in voxels in the order of lmbi_seen_joint (human.h)."""
    style = Style(random)
    style.hand, style.ending = random.uniform(0.08, 0.22), random.choice(['ball', 'bar'])
    style.foot, style.shoe = style.legs * random.uniform(0.08, 0.25) + style.leg * 0.4, random.uniform(0.9, 1.5)
    style.neck = 0 if style.kind in ('toy', 'mascot') else random.uniform(0, 0.15)
    out = style.width + style.arm if style.stiff else style.width * random.uniform(0.85, 1.1) + style.arm * random.uniform(-0.4, 0.9)
    height, alike, sits = 1 - style.arm * random.uniform(0.8, 1.3) - random.uniform(0, 0.1), random.random() < 0.6, random.random() < 0.12
    arms = [arm_pose(random, style.stiff)] * 2 if alike else [arm_pose(random, style.stiff) for _ in range(2)]
    legs = [leg_pose(random, sits, style.stiff)] * 2 if alike else [leg_pose(random, sits, style.stiff) for _ in range(2)]
    if random.random() < STRIDES and not sits:
        legs, swung = stride_pose(random, style.stiff)
        arms = swung if random.random() < 0.5 else arms
    parts, head = head_parts(style, UP * 1.0)
    parts, joints = trunk_parts(style) + parts, {}
    for side, sign in ((0, 1), (1, -1)):
        more, joints[side] = arm_parts(style, np.array([sign * out, height, 0]), arms[side], sign)
        parts += more
        more, joints[2 + side] = leg_parts(style, np.array([sign * style.hip, 0, 0]), legs[side], sign)
        parts += more
    parts += plate(random, joints) if random.random() < PLATES else []
    solid, middle, scale = volume_of(parts)
    hips, neck, back = UP * HIPS, UP * NECK, FRONT * 2 * style.depth * BEHIND
    trunk = [hips, (hips + neck) / 2 - back, neck, *head]
    told = np.array([*sum([joints[k][:3] for k in range(4)], []), *trunk, *[joints[k][3] for k in range(4)]])
    return solid, ((told - middle) * scale + SEEN / 2).astype(np.float32)
