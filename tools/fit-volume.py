#!/usr/bin/env python3
"""Fits the network that sees a body as a volume (src/embed/volume/volume_network.c).

    embed_fit DATA --volumes FILES.bin 7000 0 60       the characters and animals that may ship; and of 39 more that
    embed_fit QUATERNIUS --volumes MORE.bin 9000 0 30  Quaternius made and gave away (CC0): tools/embed-volumes.gz
    embed_fit DATA --volumes MADE.bin 1000 500         made bodies of all kinds, which anyone can make
    tools/fit-volume.py tools/embed-volumes.gz MADE.bin --fastest 4e-3 --keep FIRST.pt \\
        --widths 8,12,12,16,16,24,24,32,32,24,16,12
    … --from FIRST.pt --rounds 32 --seed 1 --out NARROW
    … --from NARROW --widths 8,16,16,32,32,48,48,64,64,32,16,16 --rounds 56 --seed 3 --keep WIDE.pt
    … --from WIDE.pt --rounds 50 --seed 4 --keep ROUNDED.pt
    … --from ROUNDED.pt --rounds 10 --seed 5 --fastest 1e-3 --keep WINGED.pt
    … --from WINGED.pt --rounds 22 --seed 7 --fastest 1.5e-3 --threads 1 --keep HELD.pt
    … --from HELD.pt --rounds 20 --seed 9 --fastest 1.5e-3 --threads 1 --keep TOLD.pt
    … --from TOLD.pt --rounds 5 --seed 11 --fastest 7e-4 --threads 1 --out src/embed/volume/body_rows.inl

The last five steps alone rounded weights, and saw figures in strides and on plates; the last four wings and tails; the
last three mechs that bend anywhere, hair, capes and what hands hold; the last two told what is beside the limbs, and saw
both hands full; the last one alone toys whose arms and legs are as long as their trunk.
Families count by the root of their sizes; one body in two is mirrored, three in four have other proportions and clothes
(varied_volumes.py), and one human in four is a figure of simple parts (made_figures.py). Of a third of the volumes the
network is to say that it does not know: another kind of body any way up, a thing of blocks and balls, a human that does
not stand upright, or one from behind or from the side. --without 'NAME;...' leaves out families, and bodies whose names
begin so, scores the network on them and fits the lines of src/embed/human/seen_figure.c. --keep FILE keeps the network
as torch does. --rounds N goes N times through all humans (20); --fastest RATE is the highest learning rate (0.002);
--from FILE goes on with what was kept, or with rows as --out writes them. --widths N,N,... are the channels of the
layers; those that the rows lack begin as copies of others (Chen, Goodfellow, Shlens: Net2Net, 2016).

The lines of src/embed/human/seen_figure.c and what docs/rigging.md says of left-out families come from five more runs,
of 40 rounds without rounding, of 24 with it and of what the last three steps saw, without the families of its report:

    … --widths 8,16,16,32,32,48,48,64,64,32,16,16 --fastest 4e-3 --rounds 40 --seed 5 --without "$OUT" --keep LEFT.pt
    … --from LEFT.pt --rounds 24 --seed 6 --without "$OUT" --keep LEFT2.pt
    … --from LEFT2.pt --rounds 14 --seed 8 --fastest 1.5e-3 --threads 1 --without "$OUT" --keep LEFT3.pt
    … --from LEFT3.pt --rounds 20 --seed 10 --fastest 1.5e-3 --threads 1 --without "$OUT" --keep LEFT4.pt
    … --from LEFT4.pt --rounds 5 --seed 12 --fastest 7e-4 --threads 1 --without "$OUT"
    OUT='mechs;older low-poly;big heads, props;qw_;Quaternius-UltimateAnimatedCha;Quaternius-UltimateMonsters;animals;dinosaurs'

Needs numpy and torch (Debian: python3-torch). Seven hours of one core.
"""
import argparse
import ctypes
import gzip
import re

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from made_figures import figure
from varied_volumes import LIMBS, varied
from volume_shapes import axes_along, ball, block, rod, volume_of

JOINTS, SEEN, TOLD, BATCH, NEAR = 21, 32, 16, 16, 0.7
ROW = np.dtype([('family', 'S32'), ('name', 'S64'), ('pose', '<i4'), ('height', '<f4'), ('joints', '<f4', (JOINTS, 3)), ('solid', 'u1', (SEEN, SEEN, SEEN))])
THINGS, FIGURES = 600, 3000
SHARES = {'human': 0.48, 'figure': 0.17, 'behind': 0.1, 'other': 0.1, 'thing': 0.08, 'fallen': 0.07}
# Joints of the other side, in the order of lmbi_seen_joint (human.h).
OTHER_SIDE = [3, 4, 5, 0, 1, 2, 9, 10, 11, 6, 7, 8, 12, 13, 14, 15, 16, 18, 17, 20, 19]
# Turns of looks from beside, about up or about left, in radians.
BESIDE = [(0.15, 0), (-0.15, 0), (0, 0.06), (0, -0.06)]
# Voxels of a row in which joints are looked for or not (volume_kernels.h).
ROWS = 4
# Less sure, it is not believed: the line of its chance is that of what is surer.
BELIEVED = 0.6
# What the chance is a line of: the mean of so many joints of the limbs that are least sure.
LEAST_SURE = 3
# What is less likely is not looked at from beside (seen_figure.c).
UNLIKELY = 0.02
# Outputs of the layers that ship.
WIDTHS = [8, 16, 16, 32, 32, 48, 48, 64, 64, 32, 16, 16]
# Weights are whole steps of their channel's largest one, from -STEPS to STEPS, and written as letters, of which 0 is the 45th.
STEPS = 7
LETTERS = [chr(c) for c in range(0x23, 0x7F) if chr(c) not in '?\\'][:89]


def read(path, row=ROW):
    data = gzip.open(path).read() if path.endswith('.gz') else open(path, 'rb').read()
    return np.frombuffer(data, row)


def step_of(weights):
    """The size of a step for each output of a layer."""
    return weights.abs().flatten(1).amax(1).clamp(min=1e-12) / STEPS


class Convolution(nn.Conv3d):
    """One whose weights are rounded as they are written; the gradient passes as if they were not (Bengio, Leonard and
    Courville, Estimating or propagating gradients through stochastic neurons, 2013)."""

    def forward(self, x):
        size = step_of(self.weight.detach())[:, None, None, None, None]
        rounded = self.weight + (torch.round(self.weight / size) * size - self.weight).detach()
        return self._conv_forward(x, rounded, self.bias)


def step(inputs, outputs, stride=1):
    return nn.Sequential(Convolution(inputs, outputs, 3, stride=stride, padding=1, bias=False), nn.BatchNorm3d(outputs), nn.ReLU(inplace=True))


class Network(nn.Module):
    """The layers of volume_network.c, in its order."""

    def __init__(self, widths, joints=JOINTS):
        super().__init__()
        joined = [widths[8] + widths[6], widths[9] + widths[4], widths[10] + widths[2]]
        inputs = [1, *widths[:8], *joined]
        self.steps = nn.ModuleList([step(inputs[k], widths[k], 2 if k in (1, 3, 5, 7) else 1) for k in range(12)])
        self.tell = Convolution(widths[11], joints, 1)

    def forward(self, x):
        seen = [self.steps[0](x)]
        for k in range(1, 9, 2):
            seen.append(self.steps[k + 1](self.steps[k](seen[-1])))
        y = seen[4]
        for k in (3, 2, 1):
            y = self.steps[12 - k](torch.cat([F.interpolate(y, scale_factor=2, mode='nearest'), seen[k]], 1))
        return self.tell(y)


def turned(solid, random, fallen):
    """A cube of voxels turned to one of 24 stances; fallen: to one of those in which up is elsewhere."""
    up = random.integers(1 if fallen else 0, 6)
    solid = np.rot90(solid, random.integers(4), (0, 2))
    return np.rot90(solid, up, (0, 1)) if up < 4 else np.rot90(solid, 2 * up - 9, (1, 2))


def thing(random):
    """Up to eight balls, blocks and rods that are turned anyhow, alike on both sides or not, as a volume."""
    alike, shapes = random.random() < 0.5, []
    for _ in range(random.integers(1, 9)):
        at, size = random.uniform(-1, 1, 3), np.exp(random.uniform(-2.3, 0, 3))
        axes, kind = axes_along(random.normal(size=3), random) if random.random() < 0.6 else np.eye(3), (ball, block, rod)[random.integers(3)]
        shapes.append(kind(at, size, axes))
        if alike:
            shapes.append(kind(at * [-1, 1, 1], size, axes * [-1, 1, 1]))
    return volume_of(shapes)[0]


def batch_of(kinds, random):
    """Volumes, some mirrored, all shifted by up to a voxel; where their joints are, in voxels of what is told, NaN where
    a rig does not tell it, and which are humans that face the front."""
    solid, joints, human = np.zeros((BATCH, SEEN, SEEN, SEEN), np.float32), np.zeros((BATCH, JOINTS, 3), np.float32), np.zeros(BATCH, bool)
    for k in range(BATCH):
        kind = random.choice(list(SHARES), p=list(SHARES.values()))
        volumes, told, share = kinds[kind if kind in kinds else 'human']
        row = random.choice(len(volumes), p=share)
        human[k], stands = kind in ('human', 'figure'), kind in ('human', 'figure', 'behind')
        volume = volumes[row] if stands else turned(volumes[row], random, kind == 'fallen')
        solid[k], own = varied(volume.astype(np.float32), told[row] if stands else None, random)
        joints[k] = own if human[k] else 0
        if kind == 'behind':
            solid[k] = np.rot90(solid[k], random.choice([1, 2, 2, 2, 3]), (0, 2))
        if random.random() < 0.5:
            solid[k], joints[k] = solid[k][:, :, ::-1].copy(), joints[k][OTHER_SIDE]
            joints[k][:, 0] = SEEN - joints[k][:, 0]
        shift = random.integers(-1, 2, 3)
        solid[k] = np.roll(solid[k], tuple(shift[::-1]), (0, 1, 2))
        joints[k] += shift
    return torch.from_numpy(solid)[:, None], torch.from_numpy(joints) * TOLD / SEEN, torch.from_numpy(human)


def miss(told, joints, human):
    """Cross entropy with a bell around every joint that is known, or with every voxel alike where there is no human."""
    known, joints = ~torch.isnan(joints[..., 0]), torch.nan_to_num(joints)
    middle = torch.arange(float(TOLD)) + 0.5
    x, y, z = [torch.exp(-(middle - joints[..., k:k + 1]) ** 2 / (2 * NEAR ** 2)) for k in range(3)]
    bell = (z[..., :, None, None] * y[..., None, :, None] * x[..., None, None, :]).flatten(2)
    bell = torch.where(human[:, None, None], bell / (bell.sum(2, keepdim=True) + 1e-9), torch.tensor(1 / TOLD ** 3))
    return -(bell * F.log_softmax(told.flatten(2), 2)).sum(2)[known].mean()


def shares_of(rows):
    _, family, counts = np.unique(rows['family'], return_inverse=True, return_counts=True)
    share = 1 / np.sqrt(counts)[family]
    return share / share.sum()


def rows_of(path):
    """The layers' weights [outputs][inputs][taps] and biases, as `write` has them."""
    text = gzip.open(path, 'rt').read() if path.endswith('.gz') else open(path).read()
    numbers = lambda listed: np.array([float(value.rstrip('f')) for value in listed.split(', ')])
    layers = []
    for inputs, outputs, scale, bias, weights in re.findall(r'\{(\d+), (\d+), \d+,\s*\{([^}]*)\},\s*\{([^}]*)\},\s*\{((?:"[^"]*",?\s*)+)\}\}', text):
        steps = np.array([[LETTERS.index(c) - 44 for c in row] for row in re.findall(r'"([^"]*)"', weights)])
        layers.append(((steps * numbers(scale)[:, None]).reshape(int(outputs), int(inputs), -1), numbers(bias)))
    return layers


def from_rows(layers, widths, volumes, random):
    """A network of these widths that tells what the rows tell: further channels are copies, which share what they feed in
    unequal parts and differ a little. The norms are those of the volumes."""
    network, given = Network(widths), [len(bias) for _, bias in layers]
    source = [np.concatenate([np.arange(had), random.permutation(np.resize(np.arange(had), wide - had))]) for had, wide in zip(given, widths)]
    feeds = [np.arange(1), *source[:8]] + [np.concatenate([source[k - 1], source[15 - 2 * k + 9] + given[k - 1]]) for k in (9, 10, 11)] + [source[11]]

    def set_norm(norm, seen, bias):
        mean, spread = seen.mean((0, 2, 3, 4)), seen.var((0, 2, 3, 4), unbiased=False)
        norm.running_mean.copy_(mean), norm.running_var.copy_(spread)
        norm.weight.copy_(torch.sqrt(spread + norm.eps)), norm.bias.copy_(mean + torch.tensor(bias))
    with torch.no_grad():
        for k, (weights, bias) in enumerate(layers):
            share = random.uniform(0.5, 1.5, len(feeds[k]))
            share /= np.bincount(feeds[k], share)[feeds[k]]
            to = source[k] if k < 12 else np.arange(JOINTS)
            own = weights[to][:, feeds[k]] * share[None, :, None]
            copied = np.arange(len(to)) >= given[k]
            own += 0.1 * own.std((1, 2), keepdims=True) * random.normal(size=own.shape) * copied[:, None, None]
            layer = network.steps[k][0] if k < 12 else network.tell
            layer.weight.copy_(torch.tensor(own).reshape(layer.weight.shape))
            if k < 12:
                network.steps[k][1].register_forward_pre_hook(lambda norm, seen, bias=bias[to]: set_norm(norm, seen[0], bias))
            else:
                layer.bias.copy_(torch.tensor(bias))
        network.eval()(volumes)
    for k in range(12):
        network.steps[k][1]._forward_pre_hooks.clear()
    return network


def begun(start, widths, rows, random):
    if start and not start.endswith('.pt'):
        some = rows[random.permutation(len(rows))[:192]]['solid'].astype(np.float32) / 8
        layers = rows_of(start)
        return from_rows(layers, widths or [len(bias) for _, bias in layers[:12]], torch.from_numpy(some)[:, None], random)
    kept = torch.load(start) if start else None
    network = Network([len(kept[f'steps.{k}.0.weight']) for k in range(12)] if kept else widths or WIDTHS)
    if kept:
        own = network.state_dict()
        for name in ('tell.weight', 'tell.bias'):
            # Joints that were not told yet begin as nothing.
            own[name].zero_()[:len(kept[name])] = kept[name]
            kept[name] = own[name]
        network.load_state_dict(kept)
    return network


def fit(rows, rounds, seed, start, widths, fastest):
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    kinds = {kind: (own['solid'] / np.float32(8), own['joints'], shares_of(own)) for kind, own in (('human', rows[rows['height'] > 0]), ('other', rows[rows['height'] == 0]))}
    kinds['thing'] = [thing(random) for _ in range(THINGS)], None, None
    kinds['figure'] = *zip(*[figure(random) for _ in range(FIGURES)]), None
    steps = int(rounds * (rows['height'] > 0).sum() / (SHARES['human'] + SHARES['figure']) / BATCH)
    return descend(begun(start, widths, rows, random), steps, fastest, lambda: batch_of(kinds, random), miss)


def descend(network, steps, fastest, next_batch, miss):
    """The network after so many steps: each on volumes and what is true of them, which `miss` compares with what is told."""
    network = network.to(memory_format=torch.channels_last_3d)
    optimiser = torch.optim.AdamW(network.parameters(), lr=fastest, weight_decay=1e-3)
    pace = torch.optim.lr_scheduler.OneCycleLR(optimiser, fastest, total_steps=steps, pct_start=0.2)
    for k in range(steps):
        solid, *truth = next_batch()
        with torch.autocast('cpu', torch.bfloat16):
            told = network(solid.contiguous(memory_format=torch.channels_last_3d))
        loss = miss(told.float(), *truth)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        pace.step()
        if k % 100 == 99:
            print(f'{k + 1} of {steps} steps: {loss.item():.3f}', flush=True)
    return network.to(memory_format=torch.contiguous_format).eval()


def densest(chance, places):
    """Where chances [...][z][y][x] are densest near places, as volume_network.c finds it."""
    middle = torch.arange(TOLD, dtype=chance.dtype) + 0.5
    for _ in range(12):
        x, y, z = [torch.exp(-0.5 * (middle - places[..., k:k + 1]) ** 2) for k in range(3)]
        near = chance * z[..., :, None, None] * y[..., None, :, None] * x[..., None, None, :]
        sums = [(near.sum([d for d in (2, 3, 4) if d != 4 - k]) * middle).sum(2) for k in range(3)]
        places = torch.stack(sums, 2) / near.sum((2, 3, 4))[..., None]
    return places


def near_solid(network, solid):
    """What a network tells of volumes near what is solid in them, in rows of voxels: in the air as little as anywhere there."""
    told, near = network(solid), F.max_pool3d(F.max_pool3d((solid > 0).to(solid.dtype), 2), 3, 1, 1)
    near = F.max_pool3d(near, (1, 1, ROWS)).repeat_interleave(ROWS, 4) > 0
    least = torch.where(near, told, told.max()).amin((2, 3, 4), keepdim=True)
    return torch.where(near, told, least)


def odds(network, solid):
    """What volumes and their mirror images tell together."""
    return (near_solid(network, solid) + near_solid(network, solid.flip(4)).flip(4)[:, OTHER_SIDE]) / 2


def sampled(volumes, matrix, beyond):
    """Volumes at the points that a matrix takes the middles of their voxels to."""
    grid = F.affine_grid(torch.tensor(matrix, dtype=volumes.dtype)[None, :, :].expand(len(volumes), 3, 4), list(volumes.shape), align_corners=False)
    return F.grid_sample(volumes, grid, padding_mode=beyond, align_corners=False)


def odds_from_beside(network, solid):
    """The mean of what is told straight and of what is told in volumes that are turned, every other one in a mirror, where
    it lies (see_joints.c)."""
    told = odds(network, solid)
    for k, (up, left) in enumerate(BESIDE):
        (a, b), (c, d) = [(np.cos(angle), np.sin(angle)) for angle in (up, left)]
        turn = np.array([[a, 0, b], [0, 1, 0], [-b, 0, a]]) @ np.array([[1, 0, 0], [0, c, d], [0, -d, c]])
        larger, matrix = np.cos(up + left) + abs(np.sin(up + left)), lambda turn: np.concatenate([turn, np.zeros((3, 1))], 1)
        seen = sampled(solid, matrix(turn.T * larger), 'zeros')
        own = near_solid(network, seen.flip(4)).flip(4)[:, OTHER_SIDE] if k % 2 else near_solid(network, seen)
        told = told + sampled(own, matrix(turn / larger), 'border')
    return told / (len(BESIDE) + 1)


def tell(network, volumes, dtype=torch.float32, look=odds, count=LIMBS):
    """Joints in voxels, as a look tells them of volumes from 0 to 8, and the mean chance that the first ones are within a
    voxel of that: of all of them, and of the least sure."""
    places, sure, least, middle = [], [], [], torch.arange(TOLD, dtype=dtype) + 0.5
    for k in range(0, len(volumes), 32):
        with torch.no_grad():
            solid = torch.tensor(volumes[k:k + 32], dtype=dtype)[:, None] / 8
            told = look(network, solid)
        chance = F.softmax(told.flatten(2), 2)
        best = chance.argmax(2)
        at = densest(chance.reshape(told.shape), torch.stack([best % TOLD, best // TOLD % TOLD, best // TOLD ** 2], 2) + 0.5)
        x, y, z = [(2 - (middle - at[..., k:k + 1]).abs()).clamp(0, 1) for k in range(3)]
        near = chance.reshape(told.shape) * z[..., :, None, None] * y[..., None, :, None] * x[..., None, None, :]
        places.append(at * SEEN / TOLD)
        near = near.sum((2, 3, 4))[:, :count].sort(1).values
        sure.append(near.mean(1))
        least.append(near[:, :LEAST_SURE].mean(1))
    return [torch.cat(parts).numpy() for parts in (places, sure, least)]


def off_by(places, rows):
    """How far joints are off, in heights."""
    return np.linalg.norm(places - rows['joints'], axis=2) / np.maximum(rows['height'], 1e-9)[:, None]


def chance_line(sure, least, right, share):
    """The line of the log odds that all are right."""
    believed = sure > BELIEVED
    return curve(np.stack([np.ones_like(least), least], 1)[believed], right[believed], share[believed])


def score(network, rows):
    places, sure, least = tell(network, rows['solid'])
    every, share = off_by(places, rows), shares_of(rows)
    off = every[:, :LIMBS]
    right = (off < 0.12).all(1)
    print('beside limbs off by, where right: ' + ', '.join(f'{100 * mean:.1f}' for mean in np.nanmean(every[right, LIMBS:], 0)) + ' %')
    for family in np.unique(rows['family']):
        own = rows['family'] == family
        told = f'joints {100 * off[own & right].mean():.1f} % off where right' if (own & right).any() else ''
        print(f'{family.decode()}: {right[own].sum()} of {own.sum()} right, {told}; sure {np.median(sure[own]):.2f}, at most {sure[own].max():.2f}')
    beside, beside_sure, beside_least = tell(network, rows['solid'], look=odds_from_beside)
    beside_right = (off_by(beside, rows)[:, :LIMBS] < 0.12).all(1)
    surer = sure - tell(network, rows['solid'][:, ::-1, :, ::-1].copy())[1]
    per_surer, = curve(surer[right, None], np.ones(right.sum()), share[right])
    print(f'{right.sum()} of {len(rows)} right, {beside_right.sum()} from beside too')
    at_none, per_sure = chance_line(sure, least, right, share)
    of_beside = chance_line(beside_sure, beside_least, beside_right, share)
    print(f'log odds of a right one: {at_none:.2f} + {per_sure:.2f} of the least sure')
    print('seen from beside too: %.2f + %.2f of the least sure' % tuple(of_beside))
    print(f'of its facing: {per_surer:.1f} surer')
    chance = 1 / (1 + np.exp(-at_none - per_sure * least))
    count, clear = max((np.where(chance <= up_to, beside_right, right).sum(), -up_to) for up_to in np.arange(0.5, 1, 0.01))
    print(f'{count} right where those above {-clear:.2f} are seen straight alone')
    looked = (chance > UNLIKELY) & (chance <= -clear)
    told = np.where(looked, 1 / (1 + np.exp(-of_beside[0] - of_beside[1] * beside_least)), chance)
    print(f'area under the curve of such chances: {area(told, np.where(looked, beside_right, right)):.3f}')


def area(chance, right):
    """The share of pairs of a right and a wrong one in which the right one is likelier."""
    return (chance[right][:, None] > chance[~right]).mean()


def curve(inputs, right, share):
    """The weights of a logistic curve through what is right."""
    x, y, share = [torch.tensor(np.asarray(a), dtype=torch.float64) for a in (inputs, right, share)]
    w = torch.zeros(x.shape[1], dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS([w], max_iter=400, line_search_fn='strong_wolfe')

    def loss():
        optimiser.zero_grad()
        value = F.binary_cross_entropy_with_logits(x @ w, y, share)
        value.backward()
        return value
    optimiser.step(loss)
    return w.detach().tolist()


def written(weights, bias):
    """A layer's row."""
    outputs, inputs = weights.shape[:2]
    flat, size = weights.reshape(outputs, -1).numpy(), step_of(weights).numpy()
    numbers = lambda values: ', '.join(f'{value:.5e}f' for value in values)
    rows = ['"' + ''.join(LETTERS[int(q) + 44] for q in np.round(row / s)) + '"' for row, s in zip(flat, size)]
    return f'{{{inputs}, {outputs}, {flat.shape[1] // inputs},\n {{{numbers(size)}}},\n {{{numbers(bias)}}},\n {{' + ',\n  '.join(rows) + '}},\n'


def write(network, path, count):
    text = f'// Generated by tools/fit-volume.py from {count} bodies: do not edit.\n'
    for convolution, norm, _ in network.steps:
        gain = norm.weight / torch.sqrt(norm.running_var + norm.eps)
        text += written((convolution.weight * gain[:, None, None, None, None]).detach(), (norm.bias - norm.running_mean * gain).detach().numpy())
    text += written(network.tell.weight.detach(), network.tell.bias.detach().numpy())
    open(path, 'w').write(text)


def keep_freed_memory():
    """glibc gives every large block back to the system, whose fresh pages take half of the time."""
    trim_threshold, mmap_max = -1, -4
    libc = ctypes.CDLL(None)
    if hasattr(libc, 'mallopt'):
        libc.mallopt(mmap_max, 0)
        libc.mallopt(trim_threshold, 2 ** 31 - 1)


def main():
    keep_freed_memory()
    options = argparse.ArgumentParser()
    options.add_argument('files', nargs='+')
    options.add_argument('--out')
    options.add_argument('--keep')
    options.add_argument('--from', dest='start')
    options.add_argument('--widths', type=lambda listed: [int(width) for width in listed.split(',')])
    options.add_argument('--without', default='')
    options.add_argument('--rounds', type=float, default=20)
    options.add_argument('--fastest', type=float, default=2e-3)
    options.add_argument('--seed', type=int, default=0)
    options.add_argument('--threads', type=int, default=2)
    told = options.parse_args()
    torch.set_num_threads(told.threads)
    rows = np.concatenate([read(path) for path in told.files])
    names = [name.encode() for name in told.without.split(';') if name]
    out = np.array([row['family'] in names or any(row['name'].startswith(name) for name in names) for row in rows])
    network = fit(rows[~out], told.rounds, told.seed, told.start, told.widths, told.fastest)
    if out.any():
        score(network, rows[out])
    if told.keep:
        torch.save(network.state_dict(), told.keep)
    if told.out:
        write(network, told.out, (~out).sum())


if __name__ == '__main__':
    main()
