import type { Chapter } from '../kit/step';
import { keys } from './01_keys';
import { skeleton } from './02_skeleton';
import { forward } from './03_forward';
import { inverse } from './04_inverse';
import { rigging } from './05_rigging';
import { weights } from './06_weights';
import { bindPose } from './07_bind';
import { skinning } from './08_skinning';
import { blendShapes } from './09_shapes';
import { playing } from './11_playing';

/** In the order in which they are read. */
export const chapters: Chapter[] = [keys, skeleton, forward, inverse, rigging, weights, bindPose, skinning, blendShapes, playing];
