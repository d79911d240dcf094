"""Animals of simple parts, as volumes: on four legs, with wings or arms above them, on two legs with a tail, birds, fish,
insects and spiders; and what is none. Their joints are known, and they vary more than the animals of any maker do:
tools/fit-animal.py."""
import numpy as np
from made_figures import FRONT, UP, figure, turned
from made_hands import hand, moved
from volume_shapes import EXTENT, MIDDLES, SEEN, axes_along, ball, between, block, bounds, filled, fitted, limb, rod

LEFT = np.array([1.0, 0, 0])
# Joints in the order of lmbi_animal_joint (src/embed/creature/creature.h): those of the trunk, then of chains, of which the
# left one comes first.
TRUNK = ['snout', 'head', 'neck', 'chest', 'spine', 'hips', 'tail1', 'tail2', 'tail3', 'tail_end', 'fin_root', 'fin_end']
PAIRS = {'hind': 5, 'fore': 5, 'wing': 4, 'arm': 4, 'middle': 4, 'third': 4, 'fin': 2}
FIRST, JOINTS = {}, len(TRUNK)
for pair, count in PAIRS.items():
    FIRST[pair], JOINTS = JOINTS, JOINTS + 2 * count
OTHER_SIDE = np.arange(JOINTS)
for pair, count in PAIRS.items():
    OTHER_SIDE[FIRST[pair]:FIRST[pair] + 2 * count] = np.roll(OTHER_SIDE[FIRST[pair]:FIRST[pair] + 2 * count], count)
KINDS = {'four legs': 0.26, 'six limbs': 0.08, 'two legs': 0.13, 'bird': 0.15, 'fish': 0.14, 'insect': 0.1, 'snake': 0.04, 'none': 0.1}
# Turns of the whole in radians: about the vertical, and out of it.
TURN, LEAN = 0.15, 0.06


def unit(vector):
    return vector / max(np.linalg.norm(vector), 1e-9)


def along(angle, out=0.0):
    """A direction in the plane of symmetry: 0 is ahead, a quarter turn is up; leaning out to the left by an angle."""
    ahead = np.array([0, np.sin(angle), np.cos(angle)])
    return ahead * np.cos(out) + LEFT * np.sin(out)


class Animal:
    """The parts of an animal, and its joints: NaN where it has none."""

    def __init__(self, random):
        self.random, self.parts, self.joints = random, [], np.full((JOINTS, 3), np.nan)
        self.square = random.random() < 0.12
        self.cartoon = random.random() < 0.4

    def set(self, name, at):
        self.joints[TRUNK.index(name)] = at

    def get(self, name):
        return self.joints[TRUNK.index(name)]

    def pair(self, chain, side, points):
        first = FIRST[chain] + (side < 0) * PAIRS[chain]
        self.joints[first:first + len(points)] = points

    def bar(self, start, end, wide, narrow):
        if self.square:
            line = end - start
            self.parts.append(block((start + end) / 2, [(wide + narrow) * 0.45, (wide + narrow) * 0.45, np.linalg.norm(line) / 2 + narrow * 0.3], axes_along(line)))
        else:
            self.parts.append(limb(start, end, wide, narrow))

    def lump(self, at, size, axes=np.eye(3)):
        self.parts.append((block if self.square else ball)(at, size, axes))

    def curve(self, points, wide, narrow):
        """A round bar through points."""
        sizes = np.linspace(wide, narrow, len(points))
        for k in range(len(points) - 1):
            self.bar(points[k], points[k + 1], sizes[k], sizes[k + 1])

    def sheet(self, root, end, breadth, thick, back):
        """A thin panel from a root to an end, as broad as told at its root, in the direction `back`."""
        line = end - root
        middle = (root + end) / 2 + back * breadth * 0.5
        axes = axes_along(line)
        second = unit(back - line * (back @ line) / max(line @ line, 1e-9))
        axes = np.stack([np.cross(second, unit(line)), second, unit(line)])
        size = [thick, max(breadth * 0.55, thick), np.linalg.norm(line) / 2 * 1.05]
        self.parts.append((block if self.random.random() < 0.6 else ball)(middle, size, axes))


# ---- the trunk, on legs

def add_trunk(a, pitch, thick):
    """From hips at 0 to the chest one unit ahead; a body of that thickness."""
    random, line = a.random, along(pitch)
    arch = random.normal(0, 0.08) * np.cross(line, LEFT) * -1
    a.line, a.thick = line, thick
    a.hind_size, a.fore_size = thick * random.uniform(0.7, 1.15), thick * random.uniform(0.75, 1.25)
    hips, chest = np.zeros(3), line.copy()
    spine = (hips + chest) / 2 + arch
    flat, above = np.exp(random.normal(0, 0.15)), random.uniform(0, 0.35)
    across = np.stack([LEFT, np.cross(line, LEFT) * -1, line])
    waist = random.uniform(0.6, 1.25) if random.random() < 0.4 else random.uniform(0.85, 1.1)
    for share in np.linspace(0, 1, 6):
        size = np.interp(share, [0, 0.5, 1], [a.hind_size, thick * waist, a.fore_size])
        at = line * share + arch * (1 - (2 * share - 1) ** 2)
        a.lump(at, np.array([flat * size, size, max(0.2, size * random.uniform(0.5, 0.9)) if 0 < share < 1 else size * random.uniform(0.8, 1.2)]), across)
    lift = across[1] * above * thick
    a.above = across[1]
    for name, at in (('hips', hips), ('spine', spine), ('chest', chest)):
        a.set(name, at + lift)
    if random.random() < 0.12:
        a.lump((spine + chest) / 2 + across[1] * thick * random.uniform(0.3, 1), thick * random.uniform(0.4, 1, 3), across)
    if random.random() < 0.08:
        for share in np.arange(0, 1.01, random.uniform(0.12, 0.25)):
            a.parts.append(block(line * share + across[1] * thick * 1.1, [0.03, thick * random.uniform(0.3, 0.9), 0.07], across))


def add_head(a, neck_from, elevation, length, size, beak=False):
    """A neck, a head and what is on it."""
    random = a.random
    bend = random.normal(0, 0.25)
    points, at, angle = [neck_from], neck_from, elevation - bend
    for k in range(3):
        at = at + along(angle + bend * k) * length / 3
        points.append(at)
    a.curve(points, min(a.fore_size * random.uniform(0.55, 1.0), size * random.uniform(1.0, 2.2)), size * random.uniform(0.5, 0.95))
    gaze = random.uniform(-0.8, 0.3) if elevation > 0.3 else random.uniform(-0.7, 0.4)
    aim, head = along(gaze), points[-1]
    shape = size * np.exp(random.normal(0, 0.15, 3))
    middle = head + aim * size * random.uniform(0.1, 0.5)
    across = np.stack([LEFT, np.cross(aim, LEFT) * -1, aim])
    a.lump(middle, shape, across)
    a.set('neck', neck_from), a.set('head', head)
    reach = size * between(random, 0.9, 2.8) if random.random() < 0.75 else size
    if beak:
        reach = size * between(random, 1.2, 2.6)
    drop = -across[1] * size * random.uniform(0, 0.45)
    snout = middle + aim * reach + drop
    if reach > size:
        a.bar(middle + drop * 0.7, snout, size * (0.5 if beak else random.uniform(0.4, 0.8)), size * (0.08 if beak else random.uniform(0.2, 0.6)))
        if random.random() < 0.15:
            a.bar(middle + drop * 1.6, snout - across[1] * size * random.uniform(0.3, 0.8), size * 0.3, size * 0.15)
    a.set('snout', snout)
    if random.random() < 0.55 and not beak:
        ear, lean, wide = size * between(random, 0.3, 1.6), random.uniform(-0.4, 1.7), random.uniform(0.15, 0.45)
        back = random.uniform(-0.6, 0.3)
        for side in (1, -1):
            root = middle + across[1] * shape[1] * 0.75 + LEFT * side * shape[0] * 0.6
            a.bar(root, root + unit(LEFT * side * np.sin(lean) + across[1] * np.cos(lean) + aim * back) * ear, ear * wide, ear * 0.08)
    if random.random() < 0.17:
        add_horns(a, middle, shape, across)
    if random.random() < 0.15:
        a.lump(middle - aim * size * random.uniform(0.2, 1) - across[1] * size * random.uniform(-0.6, 0.6), size * random.uniform(0.5, 1.3, 3), across)
    if random.random() < 0.2:
        for side in (1, -1):
            a.lump(middle + across[1] * shape[1] * random.uniform(0.2, 0.9) + LEFT * side * shape[0] * 0.7 + aim * shape[2] * 0.4, np.full(3, size * random.uniform(0.15, 0.4)))


def add_horns(a, middle, shape, across):
    random = a.random
    if random.random() < 0.25:
        root = middle + across[2] * shape[2] * random.uniform(0.2, 1.2)
        a.bar(root, root + unit(across[1] + across[2] * random.uniform(-0.3, 1.2)) * shape[1] * between(random, 0.5, 2), shape[1] * 0.25, 0.01)
        return
    length, lean, branches = shape[1] * between(random, 0.5, 3), random.uniform(0.2, 1.3), random.integers(0, 4) if random.random() < 0.4 else 0
    for side in (1, -1):
        root = middle + across[1] * shape[1] * 0.8 + LEFT * side * shape[0] * 0.4
        line = unit(LEFT * side * np.sin(lean) + across[1] * np.cos(lean) + across[2] * random.uniform(-0.5, 0.3))
        bend = unit(line + across[1] * random.uniform(0, 0.8) + across[2] * random.uniform(-0.4, 0.5))
        a.curve([root, root + line * length / 2, root + line * length / 2 + bend * length / 2], shape[1] * random.uniform(0.12, 0.3), 0.015)
        for k in range(branches):
            at = root + line * length * (0.3 + 0.2 * k)
            a.bar(at, at + unit(across[1] + across[2] * random.uniform(-1, 1)) * length * 0.3, shape[1] * 0.12, 0.01)


def add_tail(a, root, wide, length, elevation):
    """A tail of four points, whose last one is its end."""
    random = a.random
    bend, points, at = random.normal(0, 0.35), [root], root
    for k in range(3):
        at = at - along(-elevation - bend * k) * length / 3
        points.append(at)
    side = random.normal(0, 0.06) * length if random.random() < 0.3 else 0
    points = [p + LEFT * side * (k / 3) ** 2 for k, p in enumerate(points)]
    bushy = random.random() < 0.15
    a.curve(points, wide, wide * (random.uniform(0.6, 1.8) if bushy else random.uniform(0.05, 0.6)))
    if random.random() < 0.15:
        a.lump(points[-1], wide * random.uniform(0.7, 2.2, 3))
    for name, at in zip(('tail1', 'tail2', 'tail3', 'tail_end'), points):
        a.set(name, at)


# ---- limbs

def leg_points(root, angles, shares, out, drop, least=0.35):
    """Joints of a leg that reaches `drop` below its root: each bone turned by its angle from straight down to ahead."""
    steps = np.stack([np.array([np.sin(out), -np.cos(angle) * np.cos(out), np.sin(angle) * np.cos(out)]) for angle in angles])
    steps *= np.asarray(shares)[:, None]
    scale = drop / max(-steps[:, 1].sum(), least * np.abs(steps).sum() * 0.5, 1e-6)
    return [root] + [root + p for p in np.cumsum(steps * scale, 0)]


def add_foot(a, ankle, toes, end, wide, kind):
    random = a.random
    if kind == 'hoof':
        a.bar(toes, end, wide * 1.05, wide * 1.1)
    elif kind == 'paw':
        middle, far = (toes + end) / 2, np.linalg.norm(end - toes)
        a.lump(middle, [wide * random.uniform(1.1, 1.6), max(wide * 0.5, 0.02), far * 0.5 + wide], np.stack([LEFT, UP, FRONT]))
    elif kind == 'claws':
        for spread in (-0.5, 0, 0.5):
            a.bar(toes, toes + turned(end - toes, UP, spread), wide * 0.5, wide * 0.25)
        if random.random() < 0.5:
            a.bar(toes, toes - (end - toes) * 0.5, wide * 0.45, wide * 0.25)


def leg_style(a, thick, hind, bird=False):
    """What both legs of a pair have in common."""
    random = a.random
    upright = random.random() < (0.3 if a.cartoon else 0.12)
    kind = 'claws' if bird and random.random() < 0.8 else random.choice(['hoof', 'paw', 'claws'], p=[0.4, 0.45, 0.15])
    angles = random.normal(0, 0.05, 4) if upright else np.array([random.normal(0.25, 0.25), random.normal(-0.45, 0.3), random.normal(0.2, 0.25), 0]) if hind else \
        np.array([random.normal(-0.3, 0.2), random.normal(0.15, 0.2), random.normal(0, 0.12), 0])
    if bird:
        angles = np.array([random.uniform(0.2, 1.1), random.uniform(-0.7, 0.1), random.uniform(-0.1, 0.5), 0])
    shares = np.array([1, random.uniform(0.75, 1.15), random.uniform(0.35, 0.95) if hind else random.uniform(0.2, 0.7), random.uniform(0.12, 0.35)])
    upper = thick * random.uniform(0.35, 0.85)
    lower = upper * random.uniform(0.3, 1.0)
    return dict(kind=kind, angles=angles, shares=shares, upper=upper, lower=lower, out=random.normal(0.02, 0.08), foot=between(random, 0.5, 2.2), hind=hind,
                splay=0.0, swing=0.0 if random.random() < 0.65 else random.uniform(0.1, 0.7))


def add_leg(a, chain, side, style, root, ground, shoulder=None):
    """Upper, lower, foot, toes and end of a hind leg; shoulder, upper, lower, foot and end of a front one."""
    random, swing = a.random, a.random.normal(0, style['swing']) + a.random.normal(0, 0.03)
    angles = style['angles'] + swing * np.array([1, 1, 0.7, 0])
    root = root * [side, 1, 1]
    drop = max(root[1] - ground, 0.05)
    if style['splay'] > 0:
        out = LEFT * side * np.cos(style['turn']) + FRONT * np.sin(style['turn']) * (-1 if style['hind'] else 1)
        reach = style['splay'] * (1 + random.normal(0, 0.05))
        knee = root + out * reach + UP * reach * style['rise']
        ankle = np.array([knee[0], ground + drop * 0.12, knee[2]]) + out * reach * style['away'] + FRONT * reach * style['step']
        points = [root, knee, ankle, ankle + np.array([0, ground - ankle[1], 0]) * 0.8 + FRONT * 0.02]
    else:
        points = leg_points(root, angles[:3], style['shares'][:3], style['out'] * side, drop * (1 - 0.06))
    wide = style['lower']
    forward = FRONT if style['splay'] == 0 else unit(FRONT + LEFT * side * random.uniform(0, 0.8))
    end = np.array([points[3][0], ground + wide * 0.3, points[3][2]]) + forward * wide * style['foot'] * (0.4 if style['kind'] == 'hoof' else 1.5)
    sizes = [style['upper'], (style['upper'] + style['lower']) / 2 * random.uniform(0.8, 1), style['lower'], style['lower'] * 0.95]
    for k in range(3):
        a.bar(points[k], points[k + 1], sizes[k], sizes[k + 1])
    add_foot(a, points[2], points[3], end, wide, style['kind'])
    if shoulder is None:
        a.pair(chain, side, [*points, end])
    else:
        a.pair(chain, side, [shoulder * [side, 1, 1], *points[:3], end])


def add_legs(a, chain, style, at, low, thick, ground):
    """A pair of legs that leaves the trunk about a point on its line."""
    random = a.random
    wide = thick * random.uniform(0.45, 0.95)
    if style['splay'] > 0:
        wide = thick * random.uniform(0.7, 1)
    root = at + LEFT * wide - UP * thick * low
    shoulder = None if style['hind'] else at + LEFT * wide * random.uniform(0.4, 0.9) + UP * thick * random.uniform(0, 0.5) + FRONT * random.normal(-0.03, 0.04)
    for side in (1, -1):
        if style['hind'] and random.random() < 0.8:
            a.lump(root * [side, 1, 1], style['upper'] * np.array([1, random.uniform(1, 1.6), random.uniform(1, 1.5)]))
        add_leg(a, chain, side, style, root, ground, shoulder)


def add_wings(a, root, span, folded):
    """Three joints and an end of each wing."""
    random = a.random
    sweep, rise, bend = random.uniform(-0.5, 0.5), random.uniform(-0.3, 0.9), random.normal(0, 0.3)
    shares = np.array([random.uniform(0.2, 0.35), random.uniform(0.25, 0.4), 0])
    shares[2] = 1 - shares.sum()
    breadth, thick = span * between(random, 0.15, 0.6) if random.random() < 0.75 else span * between(random, 0.5, 1.1), between(random, 0.015, 0.06)
    fingers = random.random() < 0.25
    if folded:
        down = random.uniform(-0.2, 1.0)
        lines = [unit(np.array([0.5, -0.4, -0.6])), unit(np.array([0.05, -np.sin(down), -np.cos(down)])), unit(np.array([-0.1, -np.sin(down), -np.cos(down)]))]
        lines[0] = unit(lines[0] + random.normal(0, 0.25, 3))
        lines[1] = unit(lines[1] * random.choice([1, 1, 1, -0.3]) + random.normal(0, 0.1, 3))
    else:
        lines = [unit(np.array([np.cos(rise + bend * k), np.sin(rise + bend * k), -np.sin(sweep * (k - 0.5) * 1.5)])) for k in range(3)]
    for side in (1, -1):
        points = [root * [side, 1, 1]]
        for line, share in zip(lines, shares):
            points.append(points[-1] + line * [side, 1, 1] * span * share)
        back = unit(-FRONT + UP * random.normal(0, 0.15)) if not folded else unit(np.array([0.1 * side, -1, -0.3]))
        for k in range(3):
            a.bar(points[k], points[k + 1], max(thick, span * 0.04), max(thick, span * 0.03))
            if folded:
                a.sheet(points[k], points[k + 1], breadth * 0.6, max(thick, 0.03), back)
            elif fingers:
                a.sheet(points[k], points[k + 1], breadth * (1 - 0.25 * k), thick * 0.6, back)
                a.bar(points[k + 1], points[k + 1] + back * breadth * (1.1 - 0.2 * k), thick, thick * 0.7)
            else:
                a.sheet(points[k], points[k + 1], breadth * (1.1, 1, 0.8)[k], thick, back)
        a.pair('wing', side, points)


def add_arms(a, root, length, wide):
    random = a.random
    upper = unit(np.array([random.uniform(0, 1), -random.uniform(0.2, 1), random.uniform(-0.4, 0.8)]))
    lower = unit(np.array([random.uniform(-0.3, 0.4), -random.uniform(-0.5, 1), random.uniform(0.1, 1)]))
    if random.random() < 0.12:
        upper = lower = unit(np.array([1, random.uniform(-0.3, 0.2), 0.1]))
    share = random.uniform(0.38, 0.52)
    for side in (1, -1):
        mirror, sway = np.array([side, 1, 1]), random.normal(0, 0.1, 3)
        shoulder = root * mirror
        elbow = shoulder + (upper + sway) * mirror * length * share
        wrist = elbow + (lower + sway) * mirror * length * (0.85 - share)
        end = wrist + unit(lower - UP * random.uniform(0, 0.5)) * mirror * length * 0.2
        a.bar(shoulder, elbow, wide, wide * 0.8)
        a.bar(elbow, wrist, wide * 0.8, wide * 0.6)
        a.bar(wrist, end, wide * 0.7, wide * 0.4)
        if random.random() < 0.4:
            a.lump((wrist + end) / 2, np.full(3, wide * random.uniform(0.8, 1.6)))
        a.pair('arm', side, [shoulder, elbow, wrist, end])


# ---- kinds

def four_legs(a, arms=True):
    random = a.random
    build = random.choice(['tall', 'low', 'cartoon', 'frog'], p=[0.5, 0.2, 0.24, 0.06])
    thick = {'tall': between(random, 0.16, 0.45), 'low': between(random, 0.12, 0.45), 'cartoon': between(random, 0.35, 0.9), 'frog': between(random, 0.3, 0.6)}[build]
    pitch = random.normal(0, 0.08) if random.random() < 0.7 else random.uniform(-0.3, 0.4)
    if build == 'frog':
        pitch = random.uniform(0.1, 0.9)
    add_trunk(a, pitch, thick)
    hind, fore = leg_style(a, thick, True), leg_style(a, thick, False)
    if random.random() < 0.6:
        fore['kind'] = hind['kind']
        fore['lower'] = hind['lower'] * random.uniform(0.85, 1.2)
        fore['upper'] = max(fore['lower'], hind['upper'] * random.uniform(0.5, 1))
        fore['swing'] = hind['swing']
    ground = -between(random, 0.55, 1.8)
    if build == 'cartoon':
        ground = -thick - between(random, 0.15, 0.9)
    elif build in ('low', 'frog'):
        ground = -thick - between(random, 0.02, 0.5)
        if build == 'frog' or random.random() < 0.7:
            for style in (hind, fore):
                style.update(splay=between(random, 0.2, 0.6) + thick * 0.3, turn=random.uniform(-0.3, 0.9), rise=random.uniform(-0.5, 0.5), away=random.uniform(-0.3, 0.5), step=random.normal(0, 0.3),
                             upper=min(style['upper'], 0.16), lower=min(style['lower'], 0.11))
    add_legs(a, 'hind', hind, np.zeros(3), random.uniform(-0.2, 0.5), a.hind_size, min(ground, -0.05))
    chest = a.line
    add_legs(a, 'fore', fore, chest + a.line * random.uniform(-0.15, 0.1), random.uniform(0, 0.6), a.fore_size, min(ground, chest[1] - a.fore_size * 0.6) if build != 'frog' else ground)
    start = chest + a.line * a.fore_size * random.uniform(0.3, 0.9) + a.above * a.fore_size * random.uniform(0, 0.7)
    size = between(random, 0.1, 0.32) if build == 'tall' else thick * between(random, 0.45, 1.3)
    length = between(random, 0.05, 1.6) if build == 'tall' else between(random, 0.02, 0.3)
    elevation = random.uniform(-0.3, 1.5) if build == 'tall' else random.uniform(-0.2, 1.0)
    if random.random() < 0.9 or not arms:
        add_head(a, start, elevation, length, size)
    if random.random() < 0.88 and build != 'frog':
        dino = random.random() < 0.25
        wide = a.hind_size * (random.uniform(0.5, 0.95) if dino else random.uniform(0.08, 0.4))
        length = between(random, 0.7, 2.5) if dino else between(random, 0.12, 1.3)
        elevation = random.normal(-0.1, 0.35) if dino else random.uniform(-1.4, 1.2)
        add_tail(a, -a.line * a.hind_size * random.uniform(0.5, 1.0) + a.above * a.hind_size * random.uniform(0, 0.6), wide, length, elevation)
    if random.random() < 0.1:
        a.lump(a.line * 0.5 + a.above * thick * random.uniform(0.6, 1.2), thick * random.uniform(0.4, 1.1, 3))


def six_limbs(a):
    four_legs(a, arms=False)
    random, chest = a.random, a.line
    if random.random() < 0.75:
        root = chest + LEFT * a.fore_size * random.uniform(0.3, 0.8) + a.above * a.fore_size * random.uniform(0.5, 1.0) - a.line * random.uniform(0, 0.3)
        add_wings(a, root, between(random, 0.5, 2.4), random.random() < 0.2)
    else:
        neck, wide = a.get('neck'), a.fore_size * random.uniform(0.4, 0.9)
        if not np.isnan(neck).any() and random.random() < 0.6:
            high = between(random, 0.3, 1.0)
            a.bar(chest + a.above * a.fore_size * 0.3, chest + UP * (a.fore_size * 0.5 + high), wide, wide)
            add_arms(a, chest + LEFT * wide * random.uniform(0.8, 1.2) + UP * (a.fore_size * 0.5 + high), between(random, 0.5, 1.4), between(random, 0.05, 0.15))
        else:
            add_arms(a, chest + LEFT * a.fore_size * random.uniform(0.8, 1.2) + UP * a.fore_size * random.uniform(0.3, 1.0), between(random, 0.5, 1.4), between(random, 0.05, 0.15))


def two_legs(a):
    """Dinosaurs, kangaroos, cartoon reptiles that stand."""
    random = a.random
    thick = between(random, 0.2, 0.6)
    pitch = random.uniform(-0.15, 0.8) if random.random() < 0.7 else random.uniform(0.8, 1.45)
    add_trunk(a, pitch, thick)
    hind = leg_style(a, thick * 1.1, True)
    hind['kind'] = random.choice(['paw', 'claws'])
    hind['swing'] = 0.0 if random.random() < 0.6 else random.uniform(0.2, 0.7)
    ground = -a.hind_size - between(random, 0.1, 1.3)
    add_legs(a, 'hind', hind, a.line * random.uniform(-0.1, 0.2), random.uniform(-0.3, 0.3), a.hind_size, ground)
    chest = a.line
    start = chest + a.line * a.fore_size * random.uniform(0.3, 0.8) + a.above * a.fore_size * random.uniform(-0.1, 0.5)
    add_head(a, start, random.uniform(0.0, 1.4), between(random, 0.03, 0.9), thick * between(random, 0.35, 1.2))
    if random.random() < 0.93:
        add_tail(a, -a.line * a.hind_size * random.uniform(0.4, 0.9), a.hind_size * random.uniform(0.25, 0.95), between(random, 0.4, 2.4), random.normal(-0.1 - pitch * 0.3, 0.3))
    if random.random() < 0.85:
        add_arms(a, chest + LEFT * a.fore_size * random.uniform(0.6, 1) - a.above * a.fore_size * random.uniform(-0.2, 0.7), between(random, 0.2, 1.1), between(random, 0.04, 0.14))


def bird(a):
    random = a.random
    round_one = random.random() < 0.2
    thick = between(random, 0.7, 1.5) if round_one else between(random, 0.28, 0.8)
    posture = random.choice(['stands', 'spread', 'flies'], p=[0.5, 0.25, 0.25])
    pitch = random.normal(0, 0.15) if posture == 'flies' else random.uniform(0, 1.4)
    add_trunk(a, pitch, thick)
    bat = random.random() < 0.12
    start = a.line * (1 + a.fore_size * random.uniform(0.1, 0.7)) + a.above * a.fore_size * random.uniform(-0.1, 0.6)
    add_head(a, start, random.uniform(-0.2, 0.6) if posture == 'flies' else random.uniform(0.4, 1.6), between(random, 0.03, 0.4) if round_one or random.random() < 0.75 else between(random, 0.4, 1.5),
             thick * between(random, 0.35, 1.1), beak=not bat)
    if random.random() < 0.92:
        line, wide, length = unit(-along(pitch - random.uniform(-0.2, 0.5))), a.hind_size * random.uniform(0.4, 0.9), between(random, 0.2, 1.0)
        root = -a.line * a.hind_size * random.uniform(0.5, 0.9)
        flat = np.array([wide, random.uniform(0.03, 0.1), length / 2])
        axes = np.stack([LEFT, np.cross(line, LEFT), line])
        a.parts.append((block if random.random() < 0.5 else ball)(root + line * length / 2, flat, axes))
        for name, share in (('tail1', 0), ('tail2', 1 / 3), ('tail3', 2 / 3), ('tail_end', 1)):
            a.set(name, root + line * length * share)
    if random.random() < (0.55 if posture == 'flies' else 1):
        style = leg_style(a, thick, True, bird=True)
        thin = random.random() < 0.7
        style['upper'] = thick * random.uniform(0.15, 0.5)
        style['lower'] = between(random, 0.025, 0.07) if thin else style['upper'] * random.uniform(0.5, 1)
        style['foot'] = between(random, 1, 3)
        at = a.line * random.uniform(0.1, 0.55)
        if posture == 'flies' and random.random() < 0.5:
            style['angles'] = np.array([random.uniform(-1.3, 0.3), random.uniform(-1.5, -0.5), random.uniform(-1.5, 0), 0])
        add_legs(a, 'hind', style, at, random.uniform(0.3, 0.8), a.hind_size, at[1] - thick * 0.8 - between(random, 0.1, 1.2))
    root = a.line * random.uniform(0.7, 1.0) + LEFT * a.fore_size * random.uniform(0.6, 0.95) + a.above * a.fore_size * random.uniform(0.1, 0.6)
    folded = posture == 'stands' and random.random() < 0.75
    add_wings(a, root, between(random, 0.7, 1.4) if folded else between(random, 0.6, 2.8), folded)


def fish(a):
    """The snout at 0; a unit to the root of the tail's fin."""
    random = a.random
    build = random.choice(['fish', 'round', 'shark', 'ray'], p=[0.55, 0.17, 0.2, 0.08])
    high = {'fish': between(random, 0.12, 0.35), 'round': between(random, 0.3, 0.6), 'shark': between(random, 0.09, 0.22), 'ray': between(random, 0.05, 0.12)}[build]
    wide = high * {'fish': random.uniform(0.25, 0.9), 'round': random.uniform(0.3, 1.1), 'shark': random.uniform(0.7, 1.2), 'ray': random.uniform(3, 6)}[build]
    peak, rise = random.uniform(0.25, 0.5), random.normal(0, 0.06)
    bend = random.normal(0, 0.04) if random.random() < 0.3 else 0
    at = lambda share: np.array([bend * np.sin(share * 5), rise * max(share - peak, 0), -share])
    thin = between(random, 0.02, 0.08) / high
    for share in np.arange(0.05, 1.0, 0.055):
        t = np.clip(share / peak, 0, 1) if share < peak else np.clip((1 - share) / (1 - peak), 0, 1)
        size = np.sqrt(1 - (1 - t) ** 2) if share < peak else thin + (1 - thin) * (t * t * (3 - 2 * t)) ** random.uniform(0.7, 1.0)
        a.lump(at(share), [wide * size + 0.01, high * size + 0.01, 0.09])
    a.bar(at(0.8), at(1), high * thin + 0.02, high * thin + 0.015)
    flukes = random.random() < (0.25 if build == 'shark' else 0.04)
    fin, thick = between(random, 0.1, 0.45), between(random, 0.008, 0.03)
    across = LEFT if flukes else UP
    spread = random.uniform(0.3, 1.2)
    if random.random() < 0.94:
        for sign in (1, -1):
            tall = random.uniform(0.7, 1.3) if build == 'shark' else 1
            a.sheet(at(1), at(1) + unit(-FRONT + across * sign * spread) * fin * tall, fin * random.uniform(0.2, 0.5), thick, -FRONT)
        a.sheet(at(0.97), at(1) - FRONT * fin * random.uniform(0.3, 0.9), fin * random.uniform(0.3, 0.8), thick, across)
    if random.random() < 0.85:
        share, tall = random.uniform(0.3, 0.6), between(random, 0.06, 0.35)
        root = at(share) + UP * high * 0.9
        length, lean = between(random, 0.1, 0.6) * (1 - share) * 1.5, random.uniform(0, 1)
        a.sheet(root, root + UP * tall - FRONT * lean * tall, length, thick, -FRONT)
        a.set('fin_root', at(share) + UP * high * 0.75), a.set('fin_end', root + UP * tall - FRONT * lean * tall)
    if random.random() < 0.08:
        share, tall = random.uniform(0.65, 0.9), between(random, 0.3, 0.8)
        for sign in (1, -1):
            a.sheet(at(share), at(share) + UP * sign * (high * 0.5 + tall) - FRONT * 0.15, between(random, 0.12, 0.3), thick, -FRONT)
    if random.random() < 0.4:
        share = random.uniform(0.5, 0.85)
        a.sheet(at(share) - UP * high * 0.4, at(share) - UP * (high + random.uniform(0.03, 0.2)) - FRONT * 0.1, random.uniform(0.05, 0.25), thick, -FRONT)
    if random.random() < 0.9 or build == 'ray':
        share, length = random.uniform(0.2, 0.4), between(random, 0.08, 0.5)
        line = unit(np.array([random.uniform(0.4, 1), -random.uniform(-0.1, 0.9), -random.uniform(0, 1)]))
        if build == 'ray':
            share, line, length = random.uniform(0.2, 0.45), unit(np.array([1, random.normal(0, 0.2), random.uniform(-0.4, 0.2)])), between(random, 0.3, 1.0)
        for side in (1, -1):
            root = at(share) + LEFT * side * wide * 0.85 - UP * high * random.uniform(0.2, 0.5) * (build != 'ray')
            end = root + line * [side, 1, 1] * length
            a.sheet(root, end, length * random.uniform(0.3, 0.8), thick, -FRONT)
            a.pair('fin', side, [root, end])
    if random.random() < 0.3:
        for side in (1, -1):
            a.lump(at(0.12) + LEFT * side * wide * 0.7 + UP * high * 0.3, np.full(3, high * random.uniform(0.1, 0.35)))
    if random.random() < 0.1:
        a.curve([at(0.1) + UP * high, at(0) + UP * high * 1.8, at(-0.15) + UP * high * 1.5], 0.015, 0.02)
    if random.random() < 0.1:
        a.bar(at(0), at(-between(random, 0.05, 0.4)), high * 0.2, 0.01)
    a.set('snout', at(0)), a.set('head', at(0.17))
    # Rows of the spine are those of chest, spine, hips and the tail before its fin; the fin begins where the body is narrow.
    for name, share in (('chest', 0.25), ('spine', 0.52), ('hips', 0.82), ('tail1', 0.98)):
        a.set(name, at(share))
    a.set('tail_end', at(1) - FRONT * fin * 0.7)


def insect(a):
    """Three or four pairs of legs about a body at 0."""
    random = a.random
    pairs = random.choice([3, 4])
    size, high = between(random, 0.12, 0.4) if random.random() < 0.75 else between(random, 0.35, 0.9), random.uniform(0.5, 1.1)
    a.lump(np.zeros(3), [size * random.uniform(0.7, 1.3), size * high, size * random.uniform(0.8, 1.6)])
    a.set('chest', np.zeros(3))
    at = np.array([0, random.normal(0, 0.05), size * random.uniform(0.8, 1.5)])
    head = size * between(random, 0.4, 1.2)
    if random.random() < 0.9:
        a.lump(at + FRONT * head * 0.5, head * np.exp(random.normal(0, 0.15, 3)))
        a.set('head', at), a.set('snout', at + FRONT * head * 1.5)
    if random.random() < 0.88:
        length, root = size * between(random, 0.7, 3), np.array([0, 0, -size * random.uniform(0.6, 1.2)])
        aim, fat = unit(-FRONT + UP * random.normal(0.1, 0.35)), size * between(random, 0.5, 1.5)
        a.parts.append(ball(root + aim * length * 0.5, [fat, fat * random.uniform(0.7, 1.1), length * 0.55], axes_along(aim)))
        a.set('tail1', root), a.set('tail_end', root + aim * length * 1.02)
        if random.random() < 0.12:
            a.curve([root + aim * length, root + aim * length * 1.3 + UP * 0.3, root + aim * length * 0.8 + UP * 0.7], size * 0.2, 0.03)
    reach, rise = between(random, 0.3, 1.5), random.uniform(-0.1, 0.9)
    wide, ground = between(random, 0.02, 0.08), -size * high - between(random, 0.02, 0.5)
    far, fan = random.uniform(0.3, 1), random.uniform(0.4, 1.1)
    chains = ['fore', 'middle', 'third', 'hind'] if pairs == 4 else ['fore', 'middle', 'hind']
    for k, chain in enumerate(chains):
        share = 1 - 2 * k / (pairs - 1)
        own = np.exp(random.normal(0, 0.15))
        for side in (1, -1):
            out = unit(np.array([side * np.cos(share * fan), 0, np.sin(share * fan)]))
            root = np.array([side * size * 0.7, -size * high * 0.2, share * size * random.uniform(0.6, 0.8)])
            first = root + out * reach * own * 0.12
            knee = first + (out + UP * rise) * reach * own * 0.4 + random.normal(0, 0.02, 3)
            foot = knee + out * reach * own * 0.5 * far
            foot = np.array([foot[0], ground, foot[2]])
            lower = knee + (foot - knee) * random.uniform(0.4, 0.6) + out * reach * 0.1
            a.curve([root, first, knee, lower, foot], wide * 1.2, wide * 0.6)
            points = [root, knee, lower, foot]
            if chain == 'fore':
                a.pair(chain, side, [np.full(3, np.nan), *points])
            elif chain == 'hind':
                a.pair(chain, side, [*points[:3], np.full(3, np.nan), foot])
            else:
                a.pair(chain, side, points)
    if random.random() < 0.45 and pairs == 3:
        add_wings(a, np.array([size * 0.4, size * high * 0.8, 0]), between(random, 0.5, 1.6), random.random() < 0.35)
    if random.random() < 0.3:
        for side in (1, -1):
            tip = at + np.array([side * random.uniform(0.1, 0.4), random.uniform(-0.1, 0.5), random.uniform(0.2, 0.6)])
            a.curve([at + FRONT * head, (at + tip) / 2 + UP * 0.1, tip], wide * 0.8, wide * 0.5)
    if random.random() < 0.15:
        for side in (1, -1):
            elbow, claw = at + np.array([side * 0.4, 0, 0.1]), between(random, 0.08, 0.25)
            a.curve([np.array([side * size * 0.6, 0, size * 0.6]), elbow, elbow + FRONT * 0.3], wide * 1.5, wide * 1.3)
            a.lump(elbow + FRONT * 0.4, [claw * 0.6, claw * 0.4, claw])


def snake(a):
    """A long body from its snout, which lies ahead of the end of its tail, in waves, coiled or risen."""
    random = a.random
    count, length = random.integers(8, 24), 0.0
    wave, turns, phase, rise = random.uniform(0, 1.3), random.uniform(0.5, 3), random.uniform(0, 6.3), random.random() < 0.3
    coil = random.uniform(1, 3) * random.choice([-1, 1]) if random.random() < 0.25 else 0
    points, at = [np.zeros(3)], np.zeros(3)
    for k in range(count):
        share = k / count
        angle = wave * np.sin(share * turns * 6.3 + phase) + coil * 6.3 * share * (share > 0.15)
        up = 0.0 if share > 0.35 else (random.uniform(0.5, 1.2) if rise else 0)
        at = at - np.array([np.sin(angle) * np.cos(up), np.sin(up) - (0.1 if coil else 0), np.cos(angle) * np.cos(up)])
        points.append(at)
        length += 1
    thick = length * between(random, 0.02, 0.09)
    sizes = thick * np.interp(np.linspace(0, 1, count + 1), [0, 0.12, 0.4, 1], [random.uniform(0.5, 0.9), random.uniform(0.6, 1), 1, random.uniform(0.05, 0.5)])
    for k in range(count):
        a.bar(points[k], points[k + 1], sizes[k], sizes[k + 1])
    if random.random() < 0.7:
        a.lump(points[0] + unit(points[0] - points[1]) * thick * 0.3, thick * random.uniform(0.7, 1.7, 3))
    a.set('snout', points[0] + unit(points[0] - points[1]) * thick * 0.6), a.set('head', (points[0] + points[1]) / 2), a.set('tail_end', points[-1])


def lumps(a):
    random = a.random
    for _ in range(random.integers(1, 8)):
        at, size = random.normal(0, 0.8, 3), np.exp(random.uniform(np.log(0.1), 0.2, 3))
        a.parts.append((ball, block, rod)[random.integers(3)](at, size, axes_along(random.normal(size=3), random) if random.random() < 0.6 else np.eye(3)))


def bust(random):
    """A head on shoulders that are cut off."""
    solid, joints = figure(random)
    shoulder, hips = joints[[0, 3], 1].mean(), joints[12, 1]
    low = np.clip(shoulder - (shoulder - hips) * random.uniform(0.1, 0.9), 0, SEEN - 4)
    out, reach = between(random, 0.8, 3), np.abs(joints[[0, 3], 0] - SEEN / 2).mean()
    side = max(SEEN - low, 2 * reach * out)
    at = np.arange(SEEN) + 0.5
    across, up = (at - SEEN / 2) / EXTENT * side + SEEN / 2, low + (at - 1) / EXTENT * side
    x, y = np.clip(across, 0, SEEN - 1).astype(int), np.clip(up, 0, SEEN - 1).astype(int)
    taken = solid[x[:, None, None], y[None, :, None], x[None, None, :]]
    keep = (up >= low) & (up < SEEN)
    beside = np.abs(across - SEEN / 2) < reach * out
    return (taken * keep[None, :, None] * beside[None, None, :]).astype(np.float32)


def none(random):
    """The volume of a human, a bust, a hand or a thing."""
    kind = random.choice(['figure', 'bust', 'hand', 'lumps'], p=[0.25, 0.2, 0.2, 0.35])
    if kind == 'lumps':
        a = Animal(random)
        lumps(a)
        return seen(a.parts)[0]
    solid = figure(random)[0] if kind == 'figure' else bust(random) if kind == 'bust' else hand(random)[0]
    if kind == 'hand':
        solid = np.rot90(np.rot90(solid, random.integers(4), (0, 1)), random.integers(4), (1, 2)).copy()
    return solid


MAKERS = {'four legs': four_legs, 'six limbs': six_limbs, 'two legs': two_legs, 'bird': bird, 'fish': fish, 'insect': insect, 'snake': snake}


def seen(parts):
    """Parts in a cube of voxels [z][y][x], from 0 to 1; the middle and the voxels a unit."""
    boxes = np.stack([bounds(part) for part in parts])
    middle, scale = fitted(np.stack([boxes[:, 0].min(0), boxes[:, 1].max(0)]))
    points, solid = MIDDLES / scale + middle, np.zeros((SEEN,) * 3)
    for part, (low, high) in zip(parts, boxes):
        low, high = [(corner - middle) * scale + SEEN / 2 for corner in (low, high)]
        low, high = np.clip(np.floor(low - 1), 0, SEEN).astype(int), np.clip(np.ceil(high + 1), 0, SEEN).astype(int)
        at = tuple(slice(low[k], high[k]) for k in (2, 1, 0))
        if (high > low).all():
            solid[at] = np.maximum(solid[at], filled(part, points[at], 1 / scale))
    return solid.astype(np.float32), middle, scale


def animal(random):
    """Its kind, a volume [z][y][x] from 0 to 1, and JOINTS joints in voxels, NaN where there are none."""
    kind = random.choice(list(KINDS), p=list(KINDS.values()))
    if kind == 'none':
        return kind, none(random), np.full((JOINTS, 3), np.nan, np.float32)
    a = Animal(random)
    MAKERS[kind](a)
    if random.random() < 0.07:
        low = min(bounds(part)[0][1] for part in a.parts)
        wide, thick = between(random, 0.5, 1.6), between(random, 0.02, 0.1)
        a.parts.append(block([0, low - thick, 0.3], [wide, thick, wide * random.uniform(0.7, 1.3)]))
    axes = np.eye(3)
    for axis, spread in ((UP, TURN), (LEFT, LEAN), (FRONT, LEAN)):
        axes = np.stack([turned(own, axis, angle) for own in axes]) if (angle := random.normal(0, spread)) else axes
    parts = [moved(part, axes.T, 1.0, np.zeros(3)) for part in a.parts]
    joints = a.joints @ axes
    solid, middle, scale = seen(parts)
    return kind, solid, ((joints - middle) * scale + SEEN / 2).astype(np.float32)
