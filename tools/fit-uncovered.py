#!/usr/bin/env python3
"""Fits PER_UNCOVERED of src/embed/embedding.c: what the log odds of an embedding lose for surface that no bone reaches.

    embed_bench LIST DATA --poses > RESULTS          (characters that are known)
    tools/fit-uncovered.py RESULTS

For each slope it prints the area under the curve of the confidence, how many are wrong and above a half, and how many are
right and below. Taken is the largest whole slope whose area is within half a hundredth of the best. Needs numpy.
"""
import json
import re
import sys

import numpy as np

# As in embedding.c.
USUAL = {'human': 0.015, 'quadruped': 0.16, 'bird': 0.11, 'hand': 0.05, 'fish': 0.5, 'snake': 0.02, 'spider': 0.05, 'biped': 0.16, 'generic': 1}
SLOPE = 9


def read(path):
    rows = [json.loads(re.sub(r'-?\b(nan|inf)\b', 'NaN', line)) for line in open(path) if '"uncovered"' in line]
    rows = [row for row in rows if row['read'] != 'refused']
    more = np.array([max(row['uncovered'] - USUAL[row['read']], 0) for row in rows])
    sure = np.clip([row['confidence'] for row in rows], 1e-4, 1 - 1e-4)
    return np.log(sure / (1 - sure)) + SLOPE * more, more, np.array([row['right'] for row in rows])


def area(sure, right):
    less = sure[~right][None, :]
    return ((sure[right][:, None] > less) + 0.5 * (sure[right][:, None] == less)).mean()


def main():
    odds, more, right = read(sys.argv[1])
    slopes = range(21)
    areas = [area(odds - slope * more, right) for slope in slopes]
    for slope in slopes:
        above = odds - slope * more > 0
        print(f'{slope}: area {areas[slope]:.3f}, wrong and above a half {(above & ~right).sum()}, right and below {(~above & right).sum()}')
    print('taken:', max(slope for slope in slopes if areas[slope] > max(areas) - 0.005))


if __name__ == '__main__':
    main()
