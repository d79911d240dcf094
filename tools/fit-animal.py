#!/usr/bin/env python3
"""Fits the network that sees animals as volumes (src/embed/volume/volume_network.c, src/embed/creature/see_animal.c).

    embed_fit DATA --animals ARTISTS.bin                 the animals that may ship: tools/animal-volumes.gz
    embed_fit DATA --animals MADE.bin 1000 220           made animals, which anyone can make
    embed_fit DATA --volumes PEOPLE.bin 0 1000           made humans and hands
    tools/fit-animal.py --steps 5000 --fastest 4e-3 --seed 1 --keep FIRST.pt
    tools/fit-animal.py MADE.bin tools/animal-volumes.gz --steps 4500 --fastest 3e-3 --seed 2 --from FIRST.pt --keep MORE.pt
    tools/fit-animal.py MADE.bin tools/animal-volumes.gz --steps 3600 --fastest 2.5e-3 --seed 12 --from MORE.pt \\
        --bodies tools/embed-volumes.gz PEOPLE.bin --out src/embed/volume/animal_rows.inl

Half of what it sees are animals of simple parts (made_animals.py), a fifth are rows, of which families count by the root of
their sizes. Where an animal stands otherwise, or there is none, it is to say that it does not know. --without 'NAME;...'
leaves out families, animals and bodies, scores the network on them, on made animals and on lumps, hands and busts, and fits
the lines of see_animal.c. Those that ship, and what docs/rigging.md says of left-out families, come from the last two
commands without artists' animals, with seeds 3 and 13, the last one with

    OUT='animals;dinosaurs;big heads, props;bunny mascot;mechs;Quaternius-UltimateMonsters;older low-poly'

The first two runs had fewer things that are none in what they saw. In tools/animal-volumes.gz joints of artists' animals are
where templates placed them; embed_fit writes their own now, as far as the network sees one near. Other options are those of fit-volume.py. Needs numpy
and torch (Debian: python3-torch). An hour of two cores.
"""
import argparse
import importlib

import numpy as np
import torch
import torch.nn.functional as F
from made_animals import FIRST, JOINTS, OTHER_SIDE, PAIRS, animal
from varied_volumes import thickened

fit = importlib.import_module('fit-volume')

ROW = np.dtype([('family', 'S32'), ('name', 'S64'), ('joints', '<f4', (JOINTS, 3)), ('solid', 'u1', (fit.SEEN,) * 3)])
WIDTHS = [8, 12, 12, 24, 24, 32, 32, 48, 48, 32, 32, 32]
ANIMALS = 24000
# An animal that stands otherwise is none, and so are people and hands.
SHARES = {'made': 0.5, 'row': 0.2, 'turned': 0.14, 'body': 0.16}
THICKENED = 0.25
# What a joint that is not there counts beside one that is.
ABSENT = 0.3

# Parts and kinds as see_animal.c has them.
PARTS = {'body': [3, 4, 5], 'head': [0, 1], 'tail': [6, 9], 'ends': [0, 9], 'back fin': [10, 11], 'fin': list(range(FIRST['fin'], JOINTS))}
for pair, count in PAIRS.items():
    if pair != 'fin':
        own = [0, 1, 2, 4] if pair == 'hind' else [1, 2, 3, 4] if pair == 'fore' else range(4)
        PARTS[pair] = [FIRST[pair] + side * count + k for side in range(2) for k in own]
KINDS = [('quadruped', 'body hind fore', 'head tail wing arm'), ('biped', 'body hind tail', 'head arm'),
         ('bird', 'body wing', 'head hind tail'), ('fish', 'body head+tail', 'back_fin fin'), ('spider', 'hind fore middle', 'body head tail wing third'),
         ('snake', 'head ends', 'tail')]
# The kinds of made animals, and of families and files.
KIND_OF = {'four legs': 'quadruped', 'six limbs': 'quadruped', 'two legs': 'biped', 'insect': 'spider', 'bird': 'bird', 'fish': 'fish', 'snake': 'snake', 'none': ''}
TWO_LEGS, BIRDS = (b'q_Parasaurolophus', b'q_Trex', b'q_Velociraptor'), (b'b_Eagle',)


def words(text):
    return {word.replace('_', ' ') for word in text.replace('+', ' ').split()}


def batch_of(kinds, random):
    """Volumes, shifted by up to a voxel; and where their joints are, in voxels of what is told: NaN where there are none,
    and infinite where that is not known."""
    solid, joints = np.zeros((fit.BATCH,) + (fit.SEEN,) * 3, np.float32), np.full((fit.BATCH, JOINTS, 3), np.nan, np.float32)
    for k in range(fit.BATCH):
        kind = random.choice(list(SHARES), p=list(SHARES.values()))
        source = kind if kind != 'turned' else 'row' if len(kinds['row'][0]) and random.random() < 0.3 else 'made'
        source = 'made' if len(kinds[source][0]) == 0 else source
        volumes, told, share = kinds[source]
        row = random.choice(len(volumes), p=share)
        volume = volumes[row].astype(np.float32) / 8
        if kind == 'body':
            volume = (np.rot90(volume, random.integers(4), (0, 2)) if random.random() < 0.8 else fit.turned(volume, random, False)).copy()
        elif kind == 'turned':
            volume = (np.rot90(volume, random.choice([1, 2, 2, 2, 3]), (0, 2)) if random.random() < 0.75 else fit.turned(volume, random, True)).copy()
        else:
            joints[k] = told[row]
        if random.random() < 0.5:
            volume = volume[:, :, ::-1].copy()
            joints[k] = joints[k][OTHER_SIDE]
            joints[k][:, 0] = fit.SEEN - joints[k][:, 0]
        volume = thickened(volume, random) if random.random() < THICKENED else volume
        shift = random.integers(-1, 2, 3)
        solid[k] = np.roll(volume, tuple(shift[::-1]), (0, 1, 2))
        joints[k] += shift
    return torch.from_numpy(solid)[:, None], torch.from_numpy(joints) * fit.TOLD / fit.SEEN


def miss(told, joints):
    """Cross entropy with a bell around every joint that is there, or with every voxel alike where there is none."""
    none, unknown = torch.isnan(joints).any(2), torch.isinf(joints).any(2)
    middle, at = torch.arange(float(fit.TOLD)) + 0.5, torch.nan_to_num(joints, 0, 0, 0).clamp(0.2, fit.TOLD - 0.2)
    x, y, z = [torch.exp(-(middle - at[..., k:k + 1]) ** 2 / (2 * fit.NEAR ** 2)) for k in range(3)]
    bell = (z[..., :, None, None] * y[..., None, :, None] * x[..., None, None, :]).flatten(2)
    bell = torch.where(none[..., None], torch.tensor(1 / fit.TOLD ** 3), bell / (bell.sum(2, keepdim=True) + 1e-9))
    weight = torch.where(none, torch.tensor(ABSENT), torch.tensor(1.0)) * ~unknown
    return (-(bell * F.log_softmax(told.flatten(2), 2)).sum(2) * weight).sum() / weight.sum()


def learn(rows, bodies, told):
    torch.manual_seed(told.seed)
    random = np.random.default_rng(told.seed)
    made = [animal(random) for _ in range(ANIMALS)]
    kinds = {'made': ([np.round(8 * solid).astype(np.uint8) for _, solid, _ in made], [joints for _, _, joints in made], None),
             'row': (rows['solid'], rows['joints'], fit.shares_of(rows)), 'body': (bodies, None, None)}
    network = fit.Network(WIDTHS, JOINTS)
    if told.start:
        network.load_state_dict(torch.load(told.start))
    return fit.descend(network, told.steps, told.fastest, lambda: batch_of(kinds, random), miss)


def look(network, solid):
    """What volumes and their mirror images tell together."""
    return (fit.near_solid(network, solid) + fit.near_solid(network, solid.flip(4)).flip(4)[:, OTHER_SIDE]) / 2


def tell(network, volumes):
    """Joints in voxels, and the chances that they are within a voxel of that."""
    places, near_all, middle = [], [], torch.arange(fit.TOLD) + 0.5
    for k in range(0, len(volumes), 32):
        with torch.no_grad():
            told = look(network, torch.tensor(volumes[k:k + 32].copy(), dtype=torch.float32)[:, None] / 8)
        chance = F.softmax(told.flatten(2), 2)
        best = chance.argmax(2)
        at = fit.densest(chance.reshape(told.shape), torch.stack([best % fit.TOLD, best // fit.TOLD % fit.TOLD, best // fit.TOLD ** 2], 2) + 0.5)
        x, y, z = [(2 - (middle - at[..., k:k + 1]).abs()).clamp(0, 1) for k in range(3)]
        near = chance.reshape(told.shape) * z[..., :, None, None] * y[..., None, :, None] * x[..., None, None, :]
        places.append(at * fit.SEEN / fit.TOLD), near_all.append(near.sum((2, 3, 4)))
    return torch.cat(places).numpy(), torch.cat(near_all).numpy()


def clearness(near):
    """How clear each row of kinds is, as see_animal.c has it."""
    part = {name: near[..., members].mean(-1) for name, members in PARTS.items()}
    clear = []
    for _, has, may in KINDS:
        least = np.min([part[name] for name in words(has)], 0)
        clear.append(least - np.max([part[name] for name in PARTS if name not in words(has) | words(may) | {'ends'}], 0))
    return np.stack(clear, -1)


def chosen(clear):
    """Of four quarter turns: how clear the clearest kind is, and the same one elsewhere; its kind and turn."""
    turn, row = np.unravel_index(clear.argmax(), clear.shape)
    same = np.array([kind == KINDS[row][0] for kind, _, _ in KINDS])
    return clear[turn, row], np.delete(clear, turn, 0)[:, same].max(), KINDS[row][0], turn


def score(network, rows, kind_of_rows, bodies):
    """Kinds and facings on left-out families, made animals and what is none; the lines of see_animal.c."""
    made = [animal(random) for random in [np.random.default_rng(99999)] for _ in range(1500)]
    volumes = np.concatenate([rows['solid'], np.stack([np.round(8 * solid) for _, solid, _ in made]).astype(np.uint8), bodies])
    kinds = np.array([*kind_of_rows, *[KIND_OF[kind] for kind, _, _ in made], *[''] * len(bodies)])
    family = np.array([*rows['family'].astype(str), *['made of parts' if KIND_OF[kind] else 'none' for kind, _, _ in made], *['people'] * len(bodies)])
    near = np.stack([tell(network, np.rot90(volumes, turn, (1, 3)))[1] for turn in range(4)], 1)
    looks = [chosen(clear) for clear in clearness(near)]
    clear, elsewhere = np.array([look[:2] for look in looks]).T
    right, turn = np.array([look[2] for look in looks]) == kinds, np.array([look[3] for look in looks])
    for name in np.unique(family):
        own = family == name
        print(f'{name}: {(right & own).sum()} of {own.sum()} right, {(right & (turn == 0) & own).sum()} face the front; clear {np.median(clear[own]):.2f}, at most {clear[own].max():.2f}')
    _, index, counts = np.unique(family, return_inverse=True, return_counts=True)
    share = 1 / np.sqrt(counts)[index]
    share /= share.sum()
    line = fit.curve(np.stack([np.ones_like(clear), clear], 1), right, share)
    per_surer, = fit.curve((clear - elsewhere)[right, None] * np.where(turn == 0, 1, -1)[right, None], np.ones(right.sum()), share[right])
    print('log odds of the kind: %.2f + %.2f clear' % tuple(line))
    print(f'of the facing: {per_surer:.1f} surer')
    chance = 1 / (1 + np.exp(-line[0] - line[1] * clear))
    print(f'area under the curve: {fit.area(chance, right):.3f}; wrong above a half {(~right & (chance > 0.5)).sum()} of {len(right)}')


def main():
    fit.keep_freed_memory()
    options = argparse.ArgumentParser()
    options.add_argument('files', nargs='*')
    options.add_argument('--bodies', nargs='+', default=['tools/embed-volumes.gz'])
    options.add_argument('--out')
    options.add_argument('--keep')
    options.add_argument('--from', dest='start')
    options.add_argument('--without', default='')
    options.add_argument('--steps', type=int, default=4000)
    options.add_argument('--fastest', type=float, default=4e-3)
    options.add_argument('--seed', type=int, default=0)
    options.add_argument('--threads', type=int, default=2)
    told = options.parse_args()
    torch.set_num_threads(told.threads)
    rows = np.concatenate([np.zeros(0, ROW), *[fit.read(path, ROW) for path in told.files]])
    bodies = np.concatenate([fit.read(path) for path in told.bodies])
    bodies = bodies[(bodies['height'] > 0) | (bodies['family'] == b'made hand')]
    names = [name.encode() for name in told.without.split(';') if name]
    out, out_body = np.isin(rows['family'], names), np.isin(bodies['family'], names)
    network = learn(rows[~out], bodies['solid'][~out_body], told) if told.steps else begun(told.start)
    if out.any() or out_body.any():
        own = [name.split(b'.')[0] for name in rows['name'][out]]
        kinds = ['biped' if name in TWO_LEGS else 'bird' if name in BIRDS else 'quadruped' for name in own]
        score(network, rows[out], kinds, bodies['solid'][out_body])
    if told.keep:
        torch.save(network.state_dict(), told.keep)
    if told.out:
        fit.write(network, told.out, ANIMALS + (~out).sum())


def begun(start):
    network = fit.Network(WIDTHS, JOINTS)
    network.load_state_dict(torch.load(start))
    return network.eval()


if __name__ == '__main__':
    main()
