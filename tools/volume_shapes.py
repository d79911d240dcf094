"""Balls, blocks, rods and limbs as volumes, for what tools/fit-volume.py shows the network beside bodies from files."""
import numpy as np

SEEN, EXTENT = 32, 30.0
# Voxels that a mesh's surface touches count as solid, at half a voxel's size: so far, in voxels, a body is thicker.
TOUCHED = 0.25
MIDDLES = np.stack(np.meshgrid(*[np.arange(SEEN) + 0.5 - SEEN / 2] * 3, indexing='ij')[::-1], -1)


def between(random, low, high):
    """A number whose logarithm is anywhere between those of two."""
    return np.exp(random.uniform(np.log(low), np.log(high)))


def ball(at, size, axes=np.eye(3)):
    """An ellipsoid of half sizes along axes, which are rows."""
    return 'ball', np.asarray(at, float), np.asarray(size, float), axes


def block(at, size, axes=np.eye(3)):
    """A box, as a ball is told."""
    return ('block',) + ball(at, size, axes)[1:]


def rod(at, size, axes=np.eye(3)):
    """A cylinder about its third axis, as a ball is told."""
    return ('rod',) + ball(at, size, axes)[1:]


def limb(start, end, wide, narrow):
    """A round bar with round ends, from one radius to another."""
    return 'limb', np.asarray(start, float), np.asarray(end, float), (wide, narrow)


def axes_along(direction, random=None):
    """Orthonormal rows, of which the third goes along a direction; turned about it at random or as little as can be."""
    third = direction / max(np.linalg.norm(direction), 1e-9)
    beside = np.eye(3)[2 if abs(third[2]) < 0.8 else 1] if random is None else random.normal(size=3)
    second = np.cross(third, np.cross(beside, third))
    second /= max(np.linalg.norm(second), 1e-9)
    return np.stack([np.cross(second, third), second, third])


def depth(points, size):
    """How deep points lie in an ellipsoid about 0, to the first order."""
    far, slope = np.linalg.norm(points / size, axis=-1), np.linalg.norm(points / size ** 2, axis=-1)
    return np.where(slope > 0, far * (1 - far) / np.maximum(slope, 1e-9), size.min())


def filled(shape, points, cell):
    """How much of each voxel of side `cell` about a point the shape fills, from 0 to 1."""
    kind, at, size, axes = shape
    if kind == 'limb':
        line = size - at
        along = np.clip((points - at) @ line / max(line @ line, 1e-9), 0, 1)
        inside = axes[0] + (axes[1] - axes[0]) * along - np.linalg.norm(points - at - along[..., None] * line, axis=-1)
    elif kind == 'ball':
        inside = depth((points - at) @ axes.T, size)
    elif kind == 'block':
        inside = (size - np.abs((points - at) @ axes.T)).min(-1)
    else:
        p = (points - at) @ axes.T
        inside = np.minimum(depth(p[..., :2], size[:2]), size[2] - np.abs(p[..., 2]))
    return np.clip(0.5 + TOUCHED + inside / cell, 0, 1)


def bounds(shape):
    """The lowest and the highest corner of its box."""
    kind, at, size, axes = shape
    if kind == 'limb':
        return np.stack([np.minimum(at - axes[0], size - axes[1]), np.maximum(at + axes[0], size + axes[1])])
    far = np.abs(axes.T) @ size
    return np.stack([at - far, at + far])


def fitted(corners):
    """The middle of what has these corners, and the voxels a unit with which its longest side is EXTENT long."""
    low, high = corners.min(0), corners.max(0)
    return (low + high) / 2, EXTENT / max((high - low).max(), 1e-9)


def volume_of(shapes):
    """All shapes in a cube of voxels [z][y][x], from 0 to 1; the middle and the voxels a unit."""
    middle, scale = fitted(np.concatenate([bounds(shape) for shape in shapes]))
    points, solid = MIDDLES / scale + middle, np.zeros((SEEN, SEEN, SEEN))
    for shape in shapes:
        solid = np.maximum(solid, filled(shape, points, 1 / scale))
    return solid.astype(np.float32), middle, scale
