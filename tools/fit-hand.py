#!/usr/bin/env python3
"""Fits the network that sees the end of an arm as a volume (src/embed/volume/volume_network.c, src/embed/hand/see_hand.c).

    embed_fit DATA --hands FILES.bin 7000 0 12         the characters that may ship: tools/hand-volumes.gz
    embed_fit DATA --hands MADE.bin 1000 250           made hands and the hands of made humans, which anyone can make
    tools/fit-hand.py MADE.bin FILES.bin --fine --steps 6000 --seed 1 --without "$OUT" --keep FINE.pt
    tools/fit-hand.py MADE.bin FILES.bin --steps 4000 --fastest 2e-3 --seed 3 --threads 1 --from FINE.pt --keep SEES.pt --out ROWS
    embed_fit DATA --no-hands NONE.bin 7000 0 6        what those rows take for a hand in whole bodies: in hand-volumes.gz too
    embed_fit DATA --no-hands NONE_MADE.bin 1000 100
    tools/fit-hand.py MADE.bin NONE_MADE.bin tools/hand-volumes.gz --steps 3500 --fastest 1.5e-3 --seed 6 --threads 1 \\
        --from SEES.pt --out src/embed/volume/hand_rows.inl
    OUT='modular people;big heads, props;bunny mascot;mechs;older low-poly;no hand'

Most of what it sees are hands of simple parts (made_hands.py). Families of the rest count by the root of their sizes.
Where there are no five fingers it is to say that it does not know: other hands, hands seen as the other one, bodies any
way up. --without 'NAME;...' leaves out families, scores the network on them and fits the lines of see_hand.c. Those that
ship, and what docs/rigging.md says of left-out families, come from two more runs, before and after NONE_MADE.bin:

    … --steps 2500 --fastest 1.5e-3 --seed 2 --threads 1 --from FINE.pt --without "$OUT" --keep LEFT.pt
    … --steps 2500 --fastest 1.5e-3 --seed 5 --threads 1 --from LEFT.pt --without "$OUT"

Before there was NONE.bin, rows had a share of 0.15 and not of 0.24. --fine rounds weights to a sixth of the steps that are
written. Other options are those of fit-volume.py. Needs numpy and torch (Debian: python3-torch). An hour of two cores.
"""
import argparse
import importlib

import numpy as np
import torch
import torch.nn.functional as F
from made_hands import JOINTS, hand
from varied_volumes import thickened

fit = importlib.import_module('fit-volume')

ROW = np.dtype([('family', 'S32'), ('name', 'S64'), ('joints', '<f4', (JOINTS, 3)), ('solid', 'u1', (fit.SEEN,) * 3)])
WIDTHS = [8, 12, 12, 24, 24, 32, 32, 48, 48, 24, 24, 24]
HANDS = 24000
# A hand seen as one of the other side is none; bodies (tools/embed-volumes.gz) any way up are none.
SHARES = {'made': 0.65, 'row': 0.24, 'other side': 0.06, 'body': 0.05}
THICKENED = 0.25
# Fingers are right where their joints are off by less than this in the mean, in lengths of the hand.
RIGHT = 0.12


def batch_of(kinds, random):
    """Volumes, shifted by up to a voxel; and where their joints are, in voxels of what is told, NaN where there are none."""
    solid, joints = np.zeros((fit.BATCH,) + (fit.SEEN,) * 3, np.float32), np.full((fit.BATCH, JOINTS, 3), np.nan, np.float32)
    for k in range(fit.BATCH):
        kind = random.choice(list(SHARES), p=list(SHARES.values()))
        volumes, told, share = kinds['made' if kind == 'other side' else kind]
        row = random.choice(len(volumes), p=share)
        volume = volumes[row].astype(np.float32) / 8
        if kind == 'body':
            volume = fit.turned(volume, random, False).copy()
        elif kind == 'other side':
            volume = volume[::-1].copy()
        else:
            joints[k] = told[row]
        volume = thickened(volume, random) if random.random() < THICKENED else volume
        shift = random.integers(-1, 2, 3)
        solid[k] = np.roll(volume, tuple(shift[::-1]), (0, 1, 2))
        joints[k] += shift
    return torch.from_numpy(solid)[:, None], torch.from_numpy(joints) * fit.TOLD / fit.SEEN


def miss(told, joints):
    """Cross entropy with a bell around every joint that is known and in the volume, or with every voxel alike where there
    is no hand."""
    none = torch.isnan(joints).all(2).all(1)[:, None]
    middle, at = torch.arange(float(fit.TOLD)) + 0.5, torch.nan_to_num(joints)
    x, y, z = [torch.exp(-(middle - at[..., k:k + 1]) ** 2 / (2 * fit.NEAR ** 2)) for k in range(3)]
    bell = (z[..., :, None, None] * y[..., None, :, None] * x[..., None, None, :]).flatten(2)
    inside = bell.sum(2) > 0.3
    bell = torch.where(none[..., None], torch.tensor(1 / fit.TOLD ** 3), bell / (bell.sum(2, keepdim=True) + 1e-9))
    counts = none | (inside & ~torch.isnan(joints).any(2))
    return (-(bell * F.log_softmax(told.flatten(2), 2)).sum(2) * counts).sum() / counts.sum()


def learn(rows, told):
    torch.manual_seed(told.seed)
    random = np.random.default_rng(told.seed)
    made = [hand(random) for _ in range(HANDS)]
    kinds = {'made': ([np.round(8 * solid).astype(np.uint8) for solid, _ in made], [joints for _, joints in made], None),
             'row': (rows['solid'], rows['joints'], fit.shares_of(rows)), 'body': (fit.read(told.bodies)['solid'], None, None)}
    network = fit.Network(WIDTHS, JOINTS)
    if told.start:
        network.load_state_dict(torch.load(told.start))
    return fit.descend(network, told.steps, told.fastest, lambda: batch_of(kinds, random), miss)


def score(network, rows):
    places, sure, _ = fit.tell(network, rows['solid'], look=fit.near_solid, count=JOINTS)
    has, share = ~np.isnan(rows['joints'][:, 0, 0]), fit.shares_of(rows)
    palm = np.linalg.norm(rows['joints'][:, [4, 7, 10, 13]].mean(1) - rows['joints'][:, 0], axis=1)
    off = np.nanmean(np.linalg.norm(places - rows['joints'], axis=2)[has], 1) / palm[has] / 2
    right = has.copy()
    right[has] = off < RIGHT
    for family in np.unique(rows['family']):
        own = rows['family'] == family
        if (own & has).any():
            print(f'{family.decode()}: {(own & right).sum()} of {(own & has).sum()} right, {100 * np.median(off[own[has]]):.1f} % of the hand off, sure {np.median(sure[own & has]):.2f}')
        if (own & ~has).any():
            print(f'{family.decode()} without fingers: sure {np.median(sure[own & ~has]):.2f}, at most {sure[own & ~has].max():.2f}')
    print('log odds of fingers: %.2f + %.2f sure' % tuple(fit.curve(np.stack([np.ones_like(sure), sure], 1), right, share)))
    surer = sure - fit.tell(network, rows['solid'][:, ::-1].copy(), look=fit.near_solid, count=JOINTS)[1]
    print('of the side: %.1f surer' % tuple(fit.curve(surer[right, None], np.ones(right.sum()), share[right])))
    print(f'area under the curve: {fit.area(sure, right):.3f}, of the side {(surer[right] > 0).mean():.3f}')


def main():
    fit.keep_freed_memory()
    options = argparse.ArgumentParser()
    options.add_argument('files', nargs='+')
    options.add_argument('--bodies', default='tools/embed-volumes.gz')
    options.add_argument('--out')
    options.add_argument('--keep')
    options.add_argument('--from', dest='start')
    options.add_argument('--without', default='')
    options.add_argument('--steps', type=int, default=4000)
    options.add_argument('--fastest', type=float, default=4e-3)
    options.add_argument('--fine', action='store_true')
    options.add_argument('--seed', type=int, default=0)
    options.add_argument('--threads', type=int, default=2)
    told = options.parse_args()
    torch.set_num_threads(told.threads)
    fit.STEPS = 44 if told.fine else fit.STEPS
    rows = np.concatenate([fit.read(path, ROW) for path in told.files])
    out = np.isin(rows['family'], [name.encode() for name in told.without.split(';') if name])
    network = learn(rows[~out], told)
    score(network, rows[out] if out.any() else rows)
    if told.keep:
        torch.save(network.state_dict(), told.keep)
    if told.out:
        fit.write(network, told.out, HANDS + (~out).sum())


if __name__ == '__main__':
    main()
